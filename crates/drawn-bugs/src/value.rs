//! Random values from the whole range of a type.

use serde_json::{Map, Number, Value, json};

use crate::chance::Chance;
use crate::schema::MemberKind;
use crate::time;

/// A moment from which times are drawn in both directions.
const MIDDLE: i64 = 1_764_000_000;
/// The first and the last second that a timestamp can be (years 1 to 9999).
const TIMES: (i64, i64) = (-62_135_596_800, 253_402_300_799);

/// A number of a random size, of any 32-bit integer.
pub fn int(chance: &mut Chance) -> i64 {
    let size = i64::try_from(chance.sized(31)).unwrap_or_default();
    if chance.one_in(3) { -size } else { size }
}

/// A time at a random distance.
pub fn moment(chance: &mut Chance) -> i64 {
    let distance = i64::try_from(chance.sized(37)).unwrap_or_default();
    (if chance.one_in(2) { MIDDLE + distance } else { MIDDLE - distance }).clamp(TIMES.0, TIMES.1)
}

/// A value of a kind.
pub fn sample(kind: &MemberKind, chance: &mut Chance) -> Value {
    match kind {
        MemberKind::Text => json!(chance.text(10)),
        MemberKind::Bytes => {
            let length = chance.sized(10) * 4;
            let letter = |chance: &mut Chance| char::from(b'a' + u8::try_from(chance.below(26)).unwrap_or_default());
            json!((0..length).map(|_| letter(chance)).collect::<String>())
        }
        MemberKind::Int => json!(int(chance)),
        MemberKind::Flag => json!(chance.one_in(2)),
        MemberKind::Enum(names) => json!(chance.pick(names)),
        MemberKind::Time => {
            let digits = usize::try_from(chance.below(10)).unwrap_or_default();
            let offset = chance.one_in(4).then(|| i64::try_from(chance.below(24)).unwrap_or_default() - 12);
            json!(time::write(moment(chance), digits, offset))
        }
        MemberKind::Free(true) => object(chance, 3),
        MemberKind::Free(false) => free(chance, 3),
        MemberKind::List => {
            let length = chance.sized(6);
            Value::Array((0..length).map(|_| json!(chance.below(64))).collect())
        }
        MemberKind::Object => json!({}),
    }
}

/// Any JSON value.
fn free(chance: &mut Chance, depth: u64) -> Value {
    match chance.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => json!(chance.one_in(2)),
        2 => {
            let number = chance.sized(53) as f64;
            let number = if chance.one_in(2) { number / 7.0 } else { number };
            Number::from_f64(if chance.one_in(2) { -number } else { number }).map_or(Value::Null, Value::Number)
        }
        3 | 4 => json!(chance.text(6)),
        5 => {
            let length = chance.sized(3);
            Value::Array((0..length).map(|_| free(chance, depth - 1)).collect())
        }
        _ => object(chance, depth - 1),
    }
}

fn object(chance: &mut Chance, depth: u64) -> Value {
    let length = chance.sized(3);
    let members: Map<String, Value> = (0..length).map(|_| (chance.text(4), free(chance, depth))).collect();
    Value::Object(members)
}
