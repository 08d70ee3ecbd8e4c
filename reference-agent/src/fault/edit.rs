//! Changes to objects within an answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value};

use super::asked::Asked;
use super::data::{Edit, Kind, Which};
use super::names::place;
use super::objects::{member, name_in, parent_and_name, visit};

/// Does what an edit says to all that `root` holds.
pub fn apply(edit: &Edit, root: &mut Value, asked: &Asked) {
    let is_meant = |object: &mut Value, path: &[String]| {
        let within = |name: &String| path.contains(name);
        edit.under.as_ref().is_none_or(within)
            && !edit.not_under.as_ref().is_some_and(within)
            && edit.only_if.iter().all(|(pointer, wanted)| fits(object, pointer, wanted, Some(edit.of), asked))
    };
    let mut count = 0;
    visit(root, edit.of, &mut |object, path| count += usize::from(is_meant(object, path)));
    let mut seen = 0;
    visit(root, edit.of, &mut |object, path| {
        if !is_meant(object, path) {
            return;
        }
        seen += 1;
        let is_one = match edit.which {
            None => true,
            Some(Which::First) => seen == 1,
            Some(Which::Last) => seen == count,
            Some(Which::Later) => seen > 1,
        };
        if is_one {
            change(edit, object, asked);
        }
    });
}

/// Whether an object of a kind, or where there is none the parameters, have a value; null: have none there.
pub fn fits(object: &mut Value, pointer: &str, wanted: &Value, of: Option<Kind>, asked: &Asked) -> bool {
    match (member(object, &place(asked.version, of, pointer)), wanted) {
        (None, Value::Null) => true,
        (None, _) => false,
        (Some(_), Value::String(text)) if text == "${any}" => true,
        (Some(value), wanted) => {
            let wanted = fill(wanted, value, asked);
            // Queries have texts only.
            let is_its_text = |text: &str| serde_json::from_str(text).is_ok_and(|read: Value| read == wanted);
            *value == wanted || value.as_str().is_some_and(is_its_text)
        }
    }
}

fn change(edit: &Edit, object: &mut Value, asked: &Asked) {
    let at = |pointer| place(asked.version, Some(edit.of), pointer);
    for (from, to) in &edit.copy {
        if let Some(value) = member(object, &at(from)).cloned() {
            set(object, &at(to), value);
        }
    }
    for (pointer, value) in &edit.set {
        let pointer = at(pointer);
        let old = member(object, &pointer).cloned().unwrap_or_default();
        set(object, &pointer, fill(value, &old, asked));
    }
    for (pointer, tail) in &edit.append {
        match member(object, &at(pointer)) {
            Some(Value::String(text)) => text.push_str(tail.as_str().unwrap_or_default()),
            Some(Value::Array(items)) => items.push(fill(tail, &Value::Null, asked)),
            _ => {}
        }
    }
    for (pointer, step) in &edit.add {
        if let Some(number) = member(object, &at(pointer)) {
            // ProtoJSON writes 64 bits as a text.
            let digits = number.as_str().and_then(|text| text.parse::<i64>().ok());
            *number = match digits {
                Some(digits) => Value::from((digits + step).to_string()),
                None => Value::from(number.as_i64().unwrap_or_default() + step),
            };
        }
    }
    for pointer in &edit.stringify {
        if let Some(value) = member(object, &at(pointer)) {
            *value = Value::from(value.to_string());
        }
    }
    let list = |object: &mut Value, pointer: &str, what: &dyn Fn(&mut Vec<Value>)| {
        if let Some(Value::Array(items)) = member(object, pointer) {
            what(items);
        }
    };
    for pointer in &edit.reverse {
        list(object, &at(pointer), &|items| items.reverse());
    }
    for pointer in &edit.double {
        list(object, &at(pointer), &|items| items.extend(items.clone()));
    }
    for (pointer, count) in &edit.keep {
        let many = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        list(object, &at(pointer), &|items| match count.is_negative() {
            true => drop(items.drain(..items.len().saturating_sub(many))),
            false => items.truncate(many),
        });
    }
    for (pointer, name) in &edit.rename {
        let pointer = at(pointer);
        if let Some(value) = take(object, &pointer)
            && let Some((parent, _)) = parent_and_name(&pointer)
        {
            set(object, &format!("{parent}/{name}"), value);
        }
    }
    for pointer in &edit.drop {
        take(object, &at(pointer));
    }
    if let Some(value) = &edit.replace {
        *object = fill(value, &object.clone(), asked);
    }
}

/// Takes a member out.
pub fn take(object: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, name) = parent_and_name(pointer)?;
    match member(object, parent)? {
        Value::Object(members) => {
            let name = name_in(members, &name)?;
            members.shift_remove(&name)
        }
        Value::Array(items) => {
            let index = name.parse::<usize>().ok().filter(|index| *index < items.len())?;
            Some(items.remove(index))
        }
        _ => None,
    }
}

/// Puts a value at a pointer, and objects on the way to it.
pub fn set(object: &mut Value, pointer: &str, value: Value) {
    let Some((parent, name)) = parent_and_name(pointer) else {
        *object = value;
        return;
    };
    if member(object, parent).is_none() {
        set(object, parent, Value::Object(Map::new()));
    }
    match member(object, parent) {
        Some(Value::Object(members)) => {
            let name = name_in(members, &name).unwrap_or(name);
            members.insert(name, value);
        }
        Some(Value::Array(items)) => {
            if let Some(item) = name.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                *item = value;
            }
        }
        _ => {}
    }
}

/// A value of the file with its `${...}` filled; `old` is what it replaces.
pub fn fill(value: &Value, old: &Value, asked: &Asked) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => named(name, old, asked),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| fill(item, &Value::Null, asked)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), fill(value, &Value::Null, asked))).collect()
        }
        other => other.clone(),
    }
}

/// A text that nothing else has.
pub fn fresh() -> Value {
    static FRESH: AtomicUsize = AtomicUsize::new(0);
    Value::from(format!("fresh-{}", FRESH.fetch_add(1, Ordering::Relaxed)))
}

fn named(name: &str, old: &Value, asked: &Asked) -> Value {
    let (what, which) = name.split_once(':').unwrap_or((name, ""));
    match what {
        "fresh" => fresh(),
        "state" => Value::from(asked.spell_state(which, old.as_str())),
        "role" => Value::from(asked.spell_role(which, old.as_str())),
        "request" => member(&mut asked.params.clone(), &place(asked.version, None, which)).cloned().unwrap_or_default(),
        "now" => Value::from(format!("{:.3}", jiff::Timestamp::now())),
        "time" if which == "offset" => old.as_str().map_or(Value::Null, |old| Value::from(old.replace('Z', "+00:00"))),
        "time" => {
            old.as_str().map_or(Value::Null, |old| Value::from(with_digits(old, which.parse().unwrap_or_default())))
        }
        "long" => Value::from("x".repeat(which.parse().unwrap_or_default())),
        _ => Value::from(format!("${{{name}}}")),
    }
}

/// A moment in UTC with so many digits behind its seconds; it is never later than it was.
fn with_digits(moment: &str, digits: usize) -> String {
    let Some(plain) = moment.strip_suffix('Z') else { return moment.to_owned() };
    let (seconds, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    match digits {
        0 => format!("{seconds}Z"),
        digits => format!("{seconds}.{:0<digits$.digits$}Z", fraction),
    }
}
