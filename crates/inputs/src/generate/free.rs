//! Values beyond every list: numbers of every size, texts of every length and script, wide and deep objects.
//!
//! Few decisions make a large value: they are the seed of what fills it. All zeros is the simplest one.

use serde_json::{Map, Number, Value, json};

use super::Choices;

/// The longest text.
pub const LONGEST: usize = 100_000;

/// Ranges of characters, one or more for each way of writing.
const SCRIPTS: [(u32, u32); 20] = [
    (0x61, 0x7a),
    (0x20, 0x7e),
    (0xa0, 0xff),
    (0x100, 0x17f),
    (0x370, 0x3ff),
    (0x400, 0x4ff),
    (0x5d0, 0x5ea),
    (0x620, 0x64a),
    (0x904, 0x939),
    (0xe01, 0xe3a),
    (0x10d0, 0x10ff),
    (0x1100, 0x11ff),
    (0x1e00, 0x1eff),
    (0x300, 0x36f),
    (0x3041, 0x30ff),
    (0x4e00, 0x9fff),
    (0xac00, 0xd7a3),
    (0x1_f300, 0x1_faff),
    (0x1_0000, 0x10_ffff),
    (0x1, 0x1f),
];

/// A number with so many bits as the decisions say, or one beside a number that is known.
pub fn number(choices: &mut Choices<'_>, known: &[i64]) -> Value {
    match choices.below(8) {
        0..3 => {
            let bits = choices.below(64);
            let size = u32::try_from(bits).unwrap_or_default();
            let any = choices.bits() & (1_u64.checked_shl(size).unwrap_or(0)).wrapping_sub(1);
            json!((1_u64 << size.min(63)) | any)
        }
        3..6 => {
            let near = choices.pick(known).copied().unwrap_or_default();
            let step = i64::try_from(choices.below(3)).unwrap_or_default() - 1;
            json!(near.saturating_add(step))
        }
        6 => {
            let bits = u32::try_from(choices.below(63)).unwrap_or_default();
            json!(-i64::from_ne_bytes((1_u64 << bits).to_ne_bytes()))
        }
        _ => Number::from_f64(f64::from_bits(choices.bits())).map_or(json!(0.5), Value::Number),
    }
}

/// A text of any length up to `most` characters, long ones seldom, since they cost most: of each size in bits some, and at times of the
/// length of a buffer, or one more or less.
pub fn text(choices: &mut Choices<'_>, most: usize) -> String {
    let bits = choices.below(18).min(choices.below(18));
    let length = match choices.below(3) {
        0 => (1_usize << bits) - 1 + choices.below(3),
        _ => (1_usize << bits) + choices.below(1 << bits),
    };
    let length = (length / 2).clamp(1, most.max(1));
    let mut random = fastrand::Rng::with_seed(choices.bits());
    let script = SCRIPTS.get(choices.below(SCRIPTS.len())).copied().unwrap_or((0x61, 0x7a));
    let is_mixed = choices.below(4) == 3;
    let mut text = String::new();
    for _ in 0..length {
        let (first, last) = match is_mixed {
            true => SCRIPTS.get(random.usize(..SCRIPTS.len())).copied().unwrap_or(script),
            false => script,
        };
        // A surrogate is no character.
        text.push(char::from_u32(random.u32(first..=last)).unwrap_or('\u{fffd}'));
    }
    text
}

/// Any value of JSON: many members, many items, one in the other.
pub fn any(choices: &mut Choices<'_>, known: &[i64]) -> Value {
    match choices.below(6) {
        0 => json!(text(choices, 4_096)),
        1 => number(choices, known),
        2 => object(choices, known),
        3 => {
            let count = 1 << choices.below(9);
            let item = number(choices, known);
            json!((0..count).map(|index| json!([index, item])).collect::<Vec<_>>())
        }
        4 => {
            // Libraries stop at a hundred messages in each other, and a value of JSON is two or three.
            let depth = 1 + choices.below(20);
            let inner = json!(text(choices, 64));
            (0..depth)
                .fold(inner, |inner, level| if level % 2 == 0 { json!({ "a2aspec": inner }) } else { json!([inner]) })
        }
        _ => json!(choices.below(2) == 1),
    }
}

/// Names with a meaning in common languages.
const MEANT: [&str; 8] =
    ["__proto__", "constructor", "toString", "__class__", "$ref", "@type", "length", "hasOwnProperty"];

/// An object: up to some hundred members, with long or meant names.
pub fn object(choices: &mut Choices<'_>, known: &[i64]) -> Value {
    let count = 1_usize << choices.below(9);
    let (value, name) = (number(choices, known), text(choices, 300));
    let mut members: Map<String, Value> = (1..count).map(|index| (format!("a2aspec{index}"), json!(index))).collect();
    let name = if choices.below(3) == 2 { choices.pick(&MEANT).map_or(name, |name| (*name).to_owned()) } else { name };
    members.insert(name, value);
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::generate::seeded;

    #[test]
    fn numbers_are_of_every_size_and_beside_those_that_are_known() {
        let mut sizes = BTreeSet::new();
        let mut near = BTreeSet::new();
        for run in 0..4_000 {
            let bytes = seeded(1, run, 32);
            let made = number(&mut Choices::new(&bytes), &[4_711]);
            sizes.extend(made.as_u64().map(|number| 64 - number.leading_zeros()));
            near.extend(made.as_i64().filter(|number| (4_710..=4_712).contains(number)));
        }
        assert!(sizes.len() > 60, "{sizes:?}");
        assert_eq!(near.len(), 3);
    }

    #[test]
    fn texts_are_of_every_length_and_script() {
        let (mut lengths, mut longest, mut scripts) = (BTreeSet::new(), 0, BTreeSet::new());
        for run in 0..6_000 {
            let made = text(&mut Choices::new(&seeded(2, run, 32)), LONGEST);
            let length = made.chars().count();
            longest = longest.max(length);
            lengths.insert(length);
            let first = made.chars().next().map_or(0, u32::from);
            scripts.extend(SCRIPTS.iter().position(|(from, to)| (*from..=*to).contains(&first)));
        }
        assert!(longest <= LONGEST && longest > LONGEST / 2, "{longest}");
        assert!(lengths.len() > 1_000 && scripts.len() > 15, "{} {scripts:?}", lengths.len());
        assert_eq!(text(&mut Choices::new(&[]), 10).chars().count(), 1);
    }
}
