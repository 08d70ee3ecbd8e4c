//! What the protobuf messages of all versions have in common: members read so that every mistake can be told with its
//! place, as `field` does for JSON, and the well-known types that stand for free-form data and moments. What whole
//! messages have in common is in `alike`.

pub mod alike;
mod json;
#[cfg(test)]
pub mod same;
mod time;

pub use json::{read_metadata, read_struct, read_value, write_metadata, write_struct, write_value};
pub use time::{read_timestamp, write_timestamp};

use super::field::Checked;
use crate::core::Violation;

/// A message that must be there.
pub fn required<T>(value: Option<T>, name: &str) -> Checked<T> {
    value.ok_or_else(|| Violation::new(name, "is required"))
}

/// A text that must be there. An empty one is the same as none: protobuf knows no difference.
pub fn text(value: String, name: &str) -> Checked<String> {
    optional_text(value).ok_or_else(|| Violation::new(name, "must not be empty"))
}

/// A text that may be missing, which is the same as an empty one.
pub fn optional_text(value: String) -> Option<String> {
    Some(value).filter(|text| !text.is_empty())
}

/// What `read` makes of a member.
pub fn member<T, U>(value: T, name: &str, read: impl FnOnce(T) -> Checked<U>) -> Checked<U> {
    read(value).map_err(|violation| violation.within(name))
}

/// What `read` makes of a message, if it is there.
pub fn optional<T, U>(value: Option<T>, name: &str, read: impl FnOnce(T) -> Checked<U>) -> Checked<Option<U>> {
    value.map(|value| member(value, name, read)).transpose()
}

/// What `read` makes of each element of a list, which must have some (1.0, section 5.7).
pub fn each_of_some<T, U>(values: Vec<T>, name: &str, read: impl Fn(T) -> Checked<U>) -> Checked<Vec<U>> {
    if values.is_empty() {
        return Err(Violation::new(name, "must have at least one element"));
    }
    let read_at = |(index, value)| member(value, &format!("[{index}]"), &read);
    let values: Checked<Vec<U>> = values.into_iter().enumerate().map(read_at).collect();
    values.map_err(|violation| violation.within(name))
}
