//! Ids that no task has but that look like those of the agent.
//!
//! An agent may check the form of an id before it looks for the task, and refuse a strange one as invalid (A2A 1.0
//! section 3.3.2). So a case about an unknown task asks for an id of the agent's own form.

/// How many letters and digits at the end are changed: enough to leave any id that an agent counts up to.
const CHANGED: usize = 8;
/// After so many, a separator ends the change: what stands before it may be a prefix that the agent looks at.
const ENOUGH: usize = 6;

/// What stands for an unknown id where no task was seen: the specification's own example of a form is a UUID.
const WITHOUT_EXAMPLE: &str = "6f1c0d5e-7b1a-4c2e-9d3f-5a2be1c40d71";

/// An id that no task has, in the form of one that some task has, where one was seen.
pub(crate) fn beside(known: Option<&str>) -> String {
    known.map_or_else(|| WITHOUT_EXAMPLE.to_owned(), unlike)
}

/// An id like `known` that is another one. The same `known` gives the same.
///
/// Digits become other digits, letters other letters of the same case, hexadecimal letters stay hexadecimal. A short
/// number grows, since small ones may all be taken.
fn unlike(known: &str) -> String {
    let mut changed = 0;
    let mut is_over = false;
    let mut reversed: Vec<char> = Vec::new();
    for letter in known.chars().rev() {
        let is_separator = !letter.is_ascii_alphanumeric();
        is_over |= changed >= CHANGED || (is_separator && changed >= ENOUGH);
        if is_separator || is_over {
            reversed.push(letter);
        } else {
            changed += 1;
            reversed.push(replace(letter));
        }
    }
    let mut other: String = reversed.into_iter().rev().collect();
    if changed < ENOUGH {
        let filler = if known.chars().all(|letter| letter.is_ascii_digit()) { '5' } else { 'x' };
        other.extend(std::iter::repeat_n(filler, CHANGED - changed));
    }
    other
}

fn replace(letter: char) -> char {
    let turn = |first: u8, count: u8, by: u8| {
        let place = (letter as u8).wrapping_sub(first);
        char::from(first + (place + by) % count)
    };
    match letter {
        '0'..='9' => turn(b'0', 10, 5),
        'a'..='f' => turn(b'a', 6, 3),
        'g'..='z' => turn(b'g', 20, 10),
        'A'..='F' => turn(b'A', 6, 3),
        'G'..='Z' => turn(b'G', 20, 10),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_unknown_id_has_the_form_of_a_known_one() {
        assert_eq!(unlike("task-000001"), "task-555556");
        assert_eq!(unlike("6f1c0d5e-7b1a-4c2e-9d3f-5a2be1c40d71"), "6f1c0d5e-7b1a-4c2e-9d3f-5a2bb6f95a26");
        assert_eq!(unlike("7"), "25555555");
        assert_eq!(unlike("a-b"), "d-exxxxxx");
    }

    proptest! {
        #[test]
        fn an_unknown_id_is_another_one(known in "[-_./A-Za-z0-9é]{0,40}") {
            let other = unlike(&known);
            prop_assert_ne!(&other, &known);
            prop_assert!(other.chars().count() >= known.chars().count());
        }
    }
}
