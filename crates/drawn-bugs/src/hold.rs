//! Whether a condition holds for a call.

use serde_json::Value;

use crate::bug::{Condition, Place, Relation, Sort};
use crate::call::{Call, Facts};
use crate::{pointer, time};

/// How many conditions hold, from the first on.
#[must_use]
pub fn count(conditions: &[Condition], call: &Call, facts: &Facts) -> usize {
    conditions.iter().take_while(|condition| holds(condition, call, facts)).count()
}

/// Whether a condition holds.
#[must_use]
pub fn holds(condition: &Condition, call: &Call, facts: &Facts) -> bool {
    let relation = &condition.relation;
    let number = |number: Option<u64>| number.is_some_and(|number| of_number(relation, i128::from(number)));
    let text = |text: Option<&str>| text.is_some_and(|text| of_text(relation, text));
    match &condition.place {
        Place::Member(at) => pointer::at(&call.params, at).into_iter().any(|value| of_value(relation, value, facts)),
        Place::Header(name) => call.headers.get_all(name).iter().any(|value| {
            matches!(relation, Relation::Present) || text(Some(&String::from_utf8_lossy(value.as_bytes())))
        }),
        Place::Head => {
            let length: usize = call.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
            match relation {
                Relation::LongerThan(most) => length > *most,
                Relation::Items(least) => call.headers.len() >= *least,
                _ => false,
            }
        }
        Place::Query => {
            let names = || call.query.split('&').filter(|pair| !pair.is_empty()).map(name_of);
            match relation {
                Relation::Twice => has_twice(names()),
                Relation::Items(least) => names().count() >= *least,
                _ => text(Some(&call.query)),
            }
        }
        Place::Body => text(Some(&String::from_utf8_lossy(&call.body))),
        Place::Envelope => call.id.as_ref().is_some_and(|id| of_value(relation, id, facts)),
        Place::Page => number(facts.page),
        Place::Order => {
            matches!((relation, &facts.before), (Relation::Equals(wanted), Some(before)) if wanted == before)
        }
        Place::Calls(scope) => number(Some(match scope {
            crate::bug::Scope::Agent => facts.calls,
            crate::bug::Scope::Task => facts.calls_on_task,
        })),
        Place::Connection => number(Some(facts.nth_on_connection)),
        Place::InFlight => number(Some(facts.in_flight)),
        Place::BehindRefusal => facts.is_behind_refusal,
        Place::State => matches!((relation, &facts.state), (Relation::Equals(wanted), Some(state)) if wanted == state),
        Place::Messages => number(facts.messages),
        Place::Webhooks => number(facts.webhooks),
        Place::Ratio(left, right) => {
            let first = |at: &str| pointer::at(&call.params, at).first().copied();
            let Relation::Times(times) = relation else { return false };
            matches!((first(left), first(right)), (Some(left), Some(right)) if is_ratio(left, right, *times))
        }
    }
}

/// Whether one size is at least so many times another one, which is not 0.
#[must_use]
pub fn is_ratio(left: &Value, right: &Value, times: u64) -> bool {
    let (left, right) = (size(left), size(right));
    right > 0 && left >= right.saturating_mul(i128::from(times))
}

fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(name, _)| name)
}

fn has_twice<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut names: Vec<&str> = names.collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    names.len() < all
}

/// A number, also as a text, as both are allowed in ProtoJSON and in a query.
fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from))
            .or_else(|| number.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i128)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The number itself, or the length of anything else.
fn size(value: &Value) -> i128 {
    let length = match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        Value::String(text) => match text.parse() {
            Ok(number) => return number,
            Err(_) => text.len(),
        },
        _ => return number(value).unwrap_or_default(),
    };
    length as i128
}

fn of_number(relation: &Relation, it: i128) -> bool {
    match relation {
        Relation::Equals(wanted) => wanted.as_i64().is_some_and(|wanted| i128::from(wanted) == it),
        Relation::AtLeast(least) => it >= i128::from(*least),
        Relation::AtMost(most) => it <= i128::from(*most),
        Relation::Remainder { by, rest } => it.rem_euclid(i128::from(*by)) == i128::from(*rest),
        _ => false,
    }
}

fn of_text(relation: &Relation, it: &str) -> bool {
    match relation {
        Relation::Equals(wanted) => wanted == it,
        Relation::LongerThan(most) => it.len() > *most,
        Relation::Contains(text) => it.contains(text.as_str()),
        Relation::Range(first, last) => it.chars().any(|one| (first..=last).contains(&&one)),
        Relation::Remainder { by, rest } => {
            !it.is_empty() && (it.len() as i128).rem_euclid(i128::from(*by)) == i128::from(*rest)
        }
        _ => false,
    }
}

fn of_value(relation: &Relation, it: &Value, facts: &Facts) -> bool {
    match relation {
        Relation::Present => !it.is_null(),
        Relation::Equals(Value::Bool(wanted)) => {
            it.as_bool().or_else(|| it.as_str().and_then(|text| text.parse().ok())) == Some(*wanted)
        }
        Relation::Equals(Value::Number(_)) | Relation::AtLeast(_) | Relation::AtMost(_) => {
            number(it).is_some_and(|number| of_number(relation, number))
        }
        Relation::Remainder { .. } => match number(it) {
            Some(number) => of_number(relation, number),
            None => it.as_str().is_some_and(|text| of_text(relation, text)),
        },
        Relation::OneOff => it.as_str().is_some_and(|text| is_one_off(text, facts)),
        Relation::Before(seconds) => seconds_of(it).is_some_and(|it| it < *seconds),
        Relation::After(seconds) => seconds_of(it).is_some_and(|it| it > *seconds),
        Relation::Digits(digits) => it.as_str().and_then(time::digits) == Some(*digits),
        Relation::Offset => it.as_str().is_some_and(|it| time::seconds(it).is_some() && !it.ends_with(['Z', 'z'])),
        Relation::Items(least) => it.as_array().is_some_and(|items| items.len() >= *least),
        Relation::Twice => {
            it.as_array().is_some_and(|items| items.iter().enumerate().any(|(at, item)| items[..at].contains(item)))
        }
        Relation::Deep(least) => depth(it) >= *least,
        Relation::Wide(least) => any(it, &mut |it| it.as_object().is_some_and(|members| members.len() >= *least)),
        Relation::Holds(sort) => any(it, &mut |it| is_sort(*sort, it)),
        _ => match it {
            Value::String(text) => of_text(relation, text),
            // Of other JSON, the text is what is written.
            Value::Object(_) | Value::Array(_) => of_text(relation, &it.to_string()),
            _ => false,
        },
    }
}

fn seconds_of(value: &Value) -> Option<i64> {
    time::seconds(value.as_str()?)
}

fn is_one_off(text: &str, facts: &Facts) -> bool {
    let length = text.chars().count();
    let is_near = |given: &String| {
        given.len() == text.len()
            && given.chars().count() == length
            && given.chars().zip(text.chars()).filter(|(left, right)| left != right).count() == 1
    };
    !facts.given.contains(text) && facts.given.iter().any(is_near)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fn any(value: &Value, is_it: &mut dyn FnMut(&Value) -> bool) -> bool {
    is_it(value)
        || match value {
            Value::Array(items) => items.iter().any(|item| any(item, is_it)),
            Value::Object(members) => members.values().any(|member| any(member, is_it)),
            _ => false,
        }
}

fn is_sort(sort: Sort, value: &Value) -> bool {
    match sort {
        Sort::Null => value.is_null(),
        Sort::Flag => value.is_boolean(),
        Sort::Text => value.is_string(),
        Sort::Negative => value.as_f64().is_some_and(|number| number < 0.0),
        Sort::Fraction => value.as_f64().is_some_and(|number| number.fract() != 0.0),
        Sort::Large => value.as_f64().is_some_and(|number| number.fract() == 0.0 && number.abs() > 4_294_967_295.0),
        Sort::Empty => match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        },
    }
}

/// How often a relation holds for values, for the rarity of a bug.
#[must_use]
pub fn share(relation: &Relation, values: &[Value]) -> f64 {
    let facts = Facts::default();
    let met = values.iter().filter(|value| of_value(relation, value, &facts)).count();
    met as f64 / values.len().max(1) as f64
}
