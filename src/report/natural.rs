//! The order in which people count: `3.2` before `3.10`.

use std::cmp::Ordering;

/// Compares texts with the numbers in them taken as numbers.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (head_a, rest_a) = split(a);
        let (head_b, rest_b) = split(b);
        let order = match (number(head_a), number(head_b)) {
            (Some(a), Some(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)).then_with(|| head_a.cmp(head_b)),
            _ => head_a.cmp(head_b),
        };
        if order != Ordering::Equal || (head_a.is_empty() && head_b.is_empty()) {
            return order;
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// The leading run of digits or of other characters, and the rest.
fn split(text: &str) -> (&str, &str) {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    text.split_at(text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len()))
}

/// The digits without leading zeros, so that the longer number is the larger.
fn number(text: &str) -> Option<&str> {
    text.starts_with(|c: char| c.is_ascii_digit()).then(|| text.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut sections = ["3.10", "10.2", "3.2.1", "3.2", "", "4.1", "3.02", "3"];
        sections.sort_by(|a, b| compare(a, b));
        assert_eq!(sections, ["", "3", "3.02", "3.2", "3.2.1", "3.10", "4.1", "10.2"]);
        let mut ids = ["1.0-3.1.3-10", "1.0-3.1.3-2", "0.3-7.3-1", "json-8-1"];
        ids.sort_by(|a, b| compare(a, b));
        assert_eq!(ids, ["0.3-7.3-1", "1.0-3.1.3-2", "1.0-3.1.3-10", "json-8-1"]);
    }
}
