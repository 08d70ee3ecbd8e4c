//! What who trusts a signature of a card should know: a card may say more than was signed of it.

use serde_json::Value;

use crate::diagnostic::words::{count, one_line};
use crate::signature::{Canonical, Rule, jcs};
use crate::wire::json::{self, Kind, Number};

/// The most lines of each kind.
const MOST: usize = 12;

/// Members that are not signed, since the version does not know them: a reader may ignore them (5.7), and must not act by them.
pub(super) fn unsigned(form: &Canonical) -> String {
    let unknown = form.decisions.iter().filter(|decision| decision.rule == Rule::Unknown && !decision.is_kept);
    lines(unknown.map(|decision| format!("{} is not signed: the version does not know it", decision.pointer)))
}

/// Numbers that are signed as others than those which are written: in the canonical form each is a double (RFC 8785 section
/// 3.2.2.3).
pub(super) fn inexact(card: &[u8]) -> String {
    let Ok(document) = json::parse(card, &json::Limits::default()) else { return String::new() };
    let mut found = Vec::new();
    document.visit(|pointer, node| {
        if let Kind::Number(number) = &node.kind
            && let Some(written) = other_than(number)
        {
            found.push(format!("{pointer} is signed as {written}, the double next to {}", number.lexeme()));
        }
    });
    lines(found.into_iter())
}

/// What the canonical form has for a number, if it is another one.
fn other_than(number: &Number) -> Option<String> {
    let written = jcs(&Value::from(number.as_f64()?))?;
    let document = json::parse(&written, &json::Limits::default()).ok()?;
    match &document.root().kind {
        Kind::Number(double) if !double.same_value(number) => String::from_utf8(written).ok(),
        _ => None,
    }
}

fn lines(mut all: impl Iterator<Item = String>) -> String {
    let shown: Vec<String> = all.by_ref().take(MOST).map(|line| format!("note  {}\n", one_line(&line))).collect();
    let more = match all.count() {
        0 => String::new(),
        more => format!("note  {} more\n", count(more, "place")),
    };
    shown.concat() + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_that_are_signed_as_others() {
        let card =
            br#"{"a": 9007199254740993, "b": 9007199254740992, "c": [0.1, 1.0, -0, 1e3], "d": 0.10000000000000000001}"#;
        assert_eq!(
            inexact(card),
            "note  /a is signed as 9007199254740992, the double next to 9007199254740993\n\
             note  /d is signed as 0.1, the double next to 0.10000000000000000001\n"
        );
        let many = format!("[{}]", vec!["9007199254740993"; MOST + 3].join(","));
        assert!(inexact(many.as_bytes()).ends_with(
            "/11 is signed as 9007199254740992, the double next to 9007199254740993\nnote  3 places more\n"
        ));
        assert_eq!(inexact(b"{"), "");
    }
}
