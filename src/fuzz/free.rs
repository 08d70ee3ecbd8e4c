//! Values of no list at a place of a request: random ones of the type that stands there, and what answers have said, as it is and changed.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::change::Takes;
use super::ids::UNKNOWN;
use super::learned::Learned;
use crate::generate::{Choices, free};
use crate::profile::Operation;

/// How long a text is in a path or a query: servers have limits for these.
const IN_A_TARGET: usize = 2_000;
/// An instant of these years, in seconds since 1970: what is made does not depend on the day.
const NOW: i64 = 1_767_225_600;
/// The first instant whose year has four digits and is not 0.
const FIRST: i64 = -62_135_596_800;
/// Line ends that would make a field of their own in a head.
const SPLITS: [&str; 3] =
    ["a2aspec\r\na2aspec-split: 1", "a2aspec\na2aspec-split: 1", "a2aspec\r\n\r\na2aspec-split: 1"];

/// Where a value is to stand.
pub(super) struct At<'a> {
    pub operation: Operation,
    pub pointer: &'a str,
    pub takes: Takes,
    /// Whether it is written in a path or a query.
    pub is_in_a_target: bool,
    /// Whether it names a task.
    pub names_a_task: bool,
    /// Whether an instant stands there.
    pub is_time: bool,
}

/// A value, and the class of the change that it is.
pub(super) fn value(at: &At<'_>, learned: &Learned, choices: &mut Choices<'_>) -> (Value, &'static str) {
    let kinds: Vec<fn(&At<'_>, &Learned, &mut Choices<'_>) -> Value> = [
        (at.takes.text, text as fn(&At<'_>, &Learned, &mut Choices<'_>) -> Value),
        (at.takes.number, number),
        (at.takes.object, object),
        (at.takes.list, list),
    ]
    .into_iter()
    .filter_map(|(fits, kind)| fits.then_some(kind))
    .collect();
    // Now and then, and where nothing is known of it, it is any value.
    let is_any = choices.one_in(8) || kinds.is_empty();
    let made = match choices.pick(&kinds).filter(|_| !is_any) {
        Some(kind) => kind(at, learned, choices),
        None => free::any(choices, &learned.numbers()),
    };
    // What stands so in a path is no segment of it (RFC 3986, section 5.2.4).
    let made = if at.is_in_a_target && (made == "." || made == "..") { json!("a2aspec") } else { made };
    let is_named = |text: &str| at.names_a_task && !(at.operation.sends_a_message() && text.trim().is_empty());
    let class = if made.as_str().is_some_and(is_named) { UNKNOWN } else { "open" };
    (made, class)
}

fn text(at: &At<'_>, learned: &Learned, choices: &mut Choices<'_>) -> Value {
    if at.is_time && choices.below(4) > 0 {
        return json!(time(choices));
    }
    let made = match choices.below(6) {
        0 | 1 => {
            let said = learned.texts();
            choices.pick(&said).map(|said| changed(at, said, choices))
        }
        2 => choices.pick(&SPLITS).map(|text| (*text).to_owned()),
        _ => None,
    };
    let most = if at.is_in_a_target { IN_A_TARGET } else { free::LONGEST };
    json!(made.unwrap_or_else(|| free::text(choices, most)))
}

/// An instant near or far from now, with any number of digits, in UTC or with an offset (RFC 3339, section 5.6).
fn time(choices: &mut Choices<'_>) -> String {
    let seconds = i64::try_from(1_u64 << choices.below(38)).unwrap_or_default();
    let away = if choices.below(2) == 0 { -seconds } else { seconds };
    let time = Timestamp::from_second(NOW.saturating_add(away).max(FIRST)).unwrap_or_default();
    let digits: String = (0..choices.below(10)).map(|_| choices.below(10).to_string()).collect();
    let fraction = if digits.is_empty() { digits } else { format!(".{digits}") };
    let offset = match choices.below(4) {
        0 => format!("+{:02}:00", choices.below(15)),
        1 => format!("-{:02}:30", choices.below(12)),
        _ => "Z".to_owned(),
    };
    // To the second, without what stands behind it.
    format!("{}{fraction}{offset}", time.strftime("%Y-%m-%dT%H:%M:%S"))
}

/// What was said, as it is or a little changed. The ids of others' tasks and contexts are theirs: what names one is always changed.
fn changed(at: &At<'_>, said: &str, choices: &mut Choices<'_>) -> String {
    let is_an_id = at.pointer.to_ascii_lowercase().ends_with("id") || at.pointer.ends_with("Ids/0");
    let half: String = said.chars().take(said.chars().count().div_ceil(2)).collect();
    match choices.below(6) {
        0 if !is_an_id => said.to_owned(),
        0 | 1 => format!("{said}{said}~"),
        2 => format!("{half}~"),
        3 => format!("{}~", said.to_uppercase()),
        // As long as that, and other in one character.
        4 => {
            let other = choices.below(said.chars().count());
            let letters = said.chars().enumerate();
            letters.map(|(place, letter)| if place == other { '~' } else { letter }).collect()
        }
        _ => said.chars().rev().chain(['~']).collect(),
    }
}

fn number(_: &At<'_>, learned: &Learned, choices: &mut Choices<'_>) -> Value {
    free::number(choices, &learned.numbers())
}

fn object(_: &At<'_>, learned: &Learned, choices: &mut Choices<'_>) -> Value {
    match choices.below(4) {
        0 => json!({ "a2aspec": free::any(choices, &learned.numbers()) }),
        1 => {
            let texts = learned.texts();
            let name = choices.pick(&texts).cloned().unwrap_or_default();
            json!({ name: free::text(choices, 4_096) })
        }
        _ => free::object(choices, &learned.numbers()),
    }
}

fn list(at: &At<'_>, learned: &Learned, choices: &mut Choices<'_>) -> Value {
    let count = 1_usize << choices.below(8);
    match at.pointer {
        // Many parts, each another.
        "/message/parts" => {
            let text = free::text(choices, 200);
            (0..count).map(|index| json!({ "text": format!("{text}{index}") })).collect()
        }
        _ => {
            let said = learned.texts();
            let texts = (0..count)
                .map(|index| said.get(index).map_or_else(|| format!("a2aspec{index}"), |said| format!("{said}~")));
            json!(texts.collect::<Vec<_>>())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::generate::seeded;

    #[test]
    fn instants_are_near_and_far_with_offsets_and_fractions() {
        let all = (0..500).map(|number| time(&mut Choices::new(&seeded(3, number, 64))));
        let all: BTreeSet<String> = all.collect();
        let times: Vec<Timestamp> = all.iter().map(|time| time.parse().unwrap()).collect();
        let year = |time: &&Timestamp| time.strftime("%Y").to_string().parse::<i32>().unwrap();
        assert!(times.iter().any(|time| year(&time) < 1900) && times.iter().any(|time| year(&time) > 2100));
        assert!(times.iter().filter(|time| (2025..2027).contains(&year(time))).count() > 100);
        for how in ["Z", "+0", "-0", "."] {
            assert!(all.iter().any(|time| time.get(10..).unwrap().contains(how)), "{how}");
        }
    }

    #[test]
    fn an_id_may_be_another_in_one_character_and_is_never_that_of_others() {
        let takes = Takes { text: true, number: false, object: false, list: false };
        let at = At {
            operation: Operation::GetTask,
            pointer: "/id",
            takes,
            is_in_a_target: false,
            names_a_task: true,
            is_time: false,
        };
        let said = "task-000017";
        let made = (0..200).map(|number| changed(&at, said, &mut Choices::new(&seeded(5, number, 16))));
        let made: BTreeSet<String> = made.collect();
        let differ = |one: &str| one.chars().zip(said.chars()).filter(|(a, b)| a != b).count();
        assert!(made.iter().any(|one| one.len() == said.len() && differ(one) == 1), "{made:?}");
        assert!(made.iter().all(|one| one.contains('~')), "{made:?}");
    }
}
