//! Numbers: small ones first, then those at the edges of what programs hold.

use serde_json::{Number, Value};

use super::Choices;

/// Integers at the edges: of 32 and 64 bits, and of what a double holds exactly.
const EDGES: [i64; 24] = [
    0,
    1,
    2,
    -1,
    10,
    100,
    101,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    i32::MAX as i64,
    i32::MAX as i64 + 1,
    i32::MIN as i64,
    i32::MIN as i64 - 1,
    u32::MAX as i64,
    u32::MAX as i64 + 1,
    (1 << 53) - 1,
    1 << 53,
    (1 << 53) + 1,
    i64::MAX,
    i64::MIN,
];

/// Numbers as a text spells them, which are more than values can hold. All are of the grammar of RFC 8259 section 6.
const SPELLINGS: [&str; 20] = [
    "0",
    "-0",
    "1.0",
    "1e0",
    "-0.0",
    "1E+2",
    "0.1",
    "1.5",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "1e400",
    "-1e400",
    "1e-400",
    "2.2250738585072011e-308",
    "0.30000000000000000000000000000004",
    "123456789012345678901234567890",
];

/// An integer within these bounds, both included: the one nearest to zero first.
pub fn integer(least: i64, most: i64, choices: &mut Choices<'_>) -> i64 {
    let simplest = 0.clamp(least, most.max(least));
    match choices.below(4) {
        0 => simplest,
        1 | 2 => {
            let edge = match choices.below(EDGES.len() + 2) {
                0 => least,
                1 => most,
                other => EDGES.get(other - 2).copied().unwrap_or_default(),
            };
            if (least..=most).contains(&edge) { edge } else { simplest }
        }
        _ => {
            let any = choices.bits() as i64;
            let range = i128::from(most) - i128::from(least) + 1;
            if range <= 0 {
                return simplest;
            }
            i64::try_from(i128::from(least) + i128::from(any).rem_euclid(range)).unwrap_or(simplest)
        }
    }
}

/// Any number that a value can hold.
pub fn any(choices: &mut Choices<'_>) -> Value {
    match choices.below(4) {
        0 | 1 => integer(i64::MIN, i64::MAX, choices).into(),
        2 => {
            const FRACTIONS: [f64; 8] = [0.5, -0.0, 1.5, 0.1, 1e21, 1e-7, f64::MAX, 5e-324];
            Number::from_f64(choices.pick(&FRACTIONS).copied().unwrap_or_default()).map_or(0.into(), Value::Number)
        }
        _ => Number::from_f64(f64::from_bits(choices.bits())).map_or(0.into(), Value::Number),
    }
}

/// A number as a text spells it.
pub fn source(choices: &mut Choices<'_>) -> String {
    match choices.below(3) {
        0 => any(choices).to_string(),
        1 => choices.pick(&SPELLINGS).copied().unwrap_or("0").to_owned(),
        _ => spelled(choices),
    }
}

/// A number made part by part.
fn spelled(choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    if choices.one_in(2) {
        text.push('-');
    }
    let whole = choices.below(1000);
    text.push_str(&whole.to_string());
    text.push_str(&"0".repeat(choices.below(30) * usize::from(choices.one_in(4) && whole > 0)));
    if choices.one_in(2) {
        text.push_str(&format!(".{:03}", choices.below(1000)));
    }
    if choices.one_in(2) {
        let letter = if choices.one_in(2) { 'E' } else { 'e' };
        let sign = choices.pick(&["", "+", "-"]).copied().unwrap_or_default();
        text.push_str(&format!("{letter}{sign}{}", choices.below(400)));
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::generate::seeded;
    use crate::wire::json;

    #[test]
    fn nothing_chosen_is_zero_or_the_number_nearest_to_it() {
        let mut choices = Choices::new(&[]);
        assert_eq!(integer(-5, 5, &mut choices), 0);
        assert_eq!(integer(3, 5, &mut choices), 3);
        assert_eq!(integer(i64::MIN, -3, &mut choices), -3);
        assert_eq!((any(&mut choices), source(&mut choices)), (0.into(), "0".to_owned()));
    }

    #[test]
    fn numbers_stay_within_bounds_and_spellings_within_the_grammar() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..3000 {
            let bytes = seeded(9, number, 32);
            let (least, most) = [(0, 100), (1, i64::from(i32::MAX)), (i64::MIN, i64::MAX), (7, 7)][number as usize % 4];
            let value = integer(least, most, &mut Choices::new(&bytes));
            assert!((least..=most).contains(&value), "{value}");
            seen.insert(value);
            let text = source(&mut Choices::new(&bytes));
            let read = json::parse(text.as_bytes(), &json::Limits::default()).unwrap();
            assert!(read.root().as_number().is_some(), "{text}");
        }
        assert!([0, 1, 100, i64::from(i32::MAX), i64::MAX, i64::MIN].iter().all(|edge| seen.contains(edge)));
    }
}
