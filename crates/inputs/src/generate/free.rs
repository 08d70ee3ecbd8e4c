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

/// Characters that programs take for white space, for marks of their own, or for two spellings of one letter.
const MARKED: [char; 28] = [
    ' ', ' ', ' ', '\t', '\n', '\u{a0}', '<', '>', '&', '"', '\'', '\\', '/', '%', '{', '}', '=', ';', '#', '+', 'A',
    'B', 'a', 'b', 'É', 'é', 'ß', '\u{1}',
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
    let how = choices.below(8);
    if how >= 6 {
        return of_all(choices.bits()).chars().take(most.max(1)).collect();
    }
    let (is_mixed, is_marked) = (how == 3, how == 4);
    let mut text = String::new();
    for _ in 0..length {
        if is_marked {
            text.extend(MARKED.get(random.usize(..MARKED.len())));
            continue;
        }
        let (first, last) = match is_mixed {
            true => SCRIPTS.get(random.usize(..SCRIPTS.len())).copied().unwrap_or(script),
            false => script,
        };
        // A surrogate is no character.
        text.push(char::from_u32(random.u32(first..=last)).unwrap_or('\u{fffd}'));
    }
    text
}

/// A text that has each printable character of ASCII, one of each block of 256 characters, and one of each plane: what a program does otherwise
/// at some of them, it does at this one. The seed decides which they are.
pub fn of_all(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let blocks = (0..0x1_0000).step_by(0x100).map(|first| (first, 0xff));
    let planes = (0x1_0000..0x11_0000).step_by(0x1_0000).map(|first| (first, 0xffff));
    let mut further: Vec<(u32, u32)> = blocks.skip(1).chain(planes).collect();
    further.insert(0, (0xa0, 0x5f));
    // A surrogate is no character.
    let one = |(first, more): (u32, u32)| char::from_u32(first + random.u32(..=more));
    (' '..='~').chain(further.into_iter().filter_map(one)).collect()
}

/// An object that has values of every type and size, with so many members and so deep as the decisions say.
pub fn object_of_all(choices: &mut Choices<'_>) -> Value {
    let (count, depth) = (1_usize << choices.below(8), 1 + choices.below(20));
    let (text, large) = (of_all(choices.bits()), 1_u64 << (33 + choices.below(20)));
    let each = json!([null, true, false, text, -1, 0.5, large, [], {}, ""]);
    let mut members: Map<String, Value> = (0..count).map(|index| (format!("a2aspec{index}"), json!(index))).collect();
    let deep =
        (0..depth).fold(json!(1), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) });
    members.extend([("each".to_owned(), each), ("deep".to_owned(), deep), (text, Value::Null)]);
    Value::Object(members)
}

/// Any value of JSON: many members, many items, one in the other.
pub fn any(choices: &mut Choices<'_>, known: &[i64]) -> Value {
    match choices.below(7) {
        5 => object_of_all(choices),
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
    fn one_text_has_characters_of_all_blocks_and_one_object_values_of_all_types() {
        let text = of_all(1);
        assert!((' '..='~').all(|one| text.contains(one)));
        let blocks: BTreeSet<u32> = text.chars().map(|one| u32::from(one) >> 8).collect();
        // Eight of 256 are of surrogates.
        assert!(blocks.len() >= 256 - 8 + 16 && text.len() < 1_200, "{} {}", blocks.len(), text.len());
        assert!(text != of_all(2) && !text.contains("${"));
        let made = object_of_all(&mut Choices::new(&[7, 0, 9, 0]));
        assert!(made.as_object().is_some_and(|members| members.len() > 128), "{made}");
        assert!(made.pointer("/each/4").is_some_and(|number| number.as_i64() == Some(-1)));
    }

    #[test]
    fn texts_are_of_every_length_and_script() {
        let (mut lengths, mut longest, mut scripts) = (BTreeSet::new(), 0, BTreeSet::new());
        // A quarter of the texts has characters of all blocks, and one length.
        for run in 0..8_000 {
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
