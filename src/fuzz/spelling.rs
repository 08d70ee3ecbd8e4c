//! Right requests in which something is spelled as only a text of JSON can spell it: a member that comes twice, half of a
//! character, a number beyond those that readers hold. And those whose envelope is another.

use std::ops::Range;

use super::aim::Aim;
use super::probe::{Body, Probe};
use crate::generate::Choices;
use crate::profile::{Binding, Operation};
use crate::wire::json::{Document, Kind, Member, Node};

/// Halves of characters in place of a text: RFC 8259, section 8.2, calls what comes of them unpredictable.
const HALVES: [&str; 2] = [r#""\ud800""#, r#""a\udfffb""#];
/// Spellings of numbers on which readers differ (RFC 8259, section 6).
const NUMBERS: [&str; 6] = ["1e400", "-0", "1.0", "1E0", "123456789012345678901234567890", "0.1e1"];
/// Values that replace a member of an envelope, the least expected first.
const INSTEAD: [&str; 9] =
    [r#"["a2aspec"]"#, r#"{"a2aspec":1}"#, "true", "[]", "null", "7", "1.5", r#""a2aspec""#, r#""""#];
/// So many of them are no id (JSON-RPC 2.0, section 4). What other ids come to has cases of its own: `jsonrpc/id-*`.
const NO_IDS: usize = 4;

/// Something that is spelled otherwise.
pub(super) struct Spelling {
    /// What is replaced, in bytes of the body.
    at: Range<usize>,
    by: String,
    /// Where it is: a JSON pointer into the parameters as they are written; empty in an envelope.
    place: String,
    class: &'static str,
}

/// A request with one of its spellings.
pub(super) fn respelled(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let base = aim.base(operation, is_rich)?;
    let Spelling { at, by, place, class } = choices.pick(base.spellings(aim, operation, is_rich))?;
    let mut request = base.text(aim, operation)?.clone();
    let mut body = std::mem::take(&mut request.body);
    body.replace_range(at.clone(), by);
    Some(Probe { place: place.clone(), ..request.with_body(operation, class, Body::Text(body)) })
}

/// All of those of a text, in its order; none where there is none. The envelope of a rich request is that of a plain one.
pub(super) fn spellings(text: &str, binding: Binding, is_rich: bool) -> Vec<Spelling> {
    let mut all = Vec::new();
    if text.is_empty() {
        return all;
    }
    let document = &Document::of_text(text);
    let mut put = |at: &Range<usize>, by: String, place: &str, class| {
        let place = place.strip_prefix("/params").unwrap_or(place).to_owned();
        all.push(Spelling { at: at.clone(), by, place, class });
    };
    // These come first: what an agent does with the envelope, it does with every request.
    if binding == Binding::Jsonrpc && !is_rich {
        of_envelope(members(document.root()), &mut |at, by| put(at, by, "", "changed-text"));
    }
    document.visit(|pointer, node| {
        let is_envelope = binding == Binding::Jsonrpc && !pointer.starts_with("/params");
        if is_envelope {
            return members(node).iter().for_each(|member| {
                twice(document, member, |at, by| put(at, by, "", "changed-text"));
            });
        }
        match &node.kind {
            Kind::String(_) => HALVES.iter().for_each(|half| put(&node.span, (*half).to_owned(), pointer, "respelled")),
            Kind::Number(_) => {
                NUMBERS.iter().for_each(|number| put(&node.span, (*number).to_owned(), pointer, "respelled"))
            }
            _ => {}
        }
        for member in members(node) {
            twice(document, member, |at, by| put(at, by, pointer, "respelled"));
        }
    });
    all
}

/// The members of an envelope with another value, each value at every member before the next, and without it.
fn of_envelope(root: &[Member], put: &mut impl FnMut(&Range<usize>, String)) {
    let is_id = |member: &&Member| member.key.as_str() == "id";
    for (number, value) in INSTEAD.iter().enumerate() {
        for member in root.iter().filter(|member| number < NO_IDS || !is_id(member)) {
            put(&member.value.span, (*value).to_owned());
        }
    }
    for (number, member) in root.iter().enumerate().filter(|(_, member)| !is_id(member)) {
        // With the comma before it, or the one behind it.
        let without = match (number.checked_sub(1).and_then(|before| root.get(before)), root.get(number + 1)) {
            (Some(before), _) => before.value.span.end..member.value.span.end,
            (None, Some(next)) => member.key_span.start..next.key_span.start,
            (None, None) => member.key_span.start..member.value.span.end,
        };
        put(&without, String::new());
    }
}

fn members(node: &Node) -> &[Member] {
    match &node.kind {
        Kind::Object(members) => members,
        _ => &[],
    }
}

/// A member once more behind itself: whichever of the two counts, the request says the same (RFC 8259, section 4).
fn twice(document: &Document, member: &Member, put: impl FnOnce(&Range<usize>, String)) {
    let whole = member.key_span.start..member.value.span.end;
    let text = document.text().get(whole).unwrap_or_default();
    put(&(member.value.span.end..member.value.span.end), format!(",{text}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json::{Limits, parse};

    fn of(body: &str, binding: Binding, is_rich: bool) -> Vec<(String, String, &'static str)> {
        let all = spellings(body, binding, is_rich);
        all.into_iter()
            .map(|one| {
                let mut body = body.to_owned();
                body.replace_range(one.at, &one.by);
                (body, one.place, one.class)
            })
            .collect()
    }

    #[test]
    fn what_only_a_text_can_say_is_put_everywhere() {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x","historyLength":1}}"#;
        let all = of(body, Binding::Jsonrpc, false);
        for (expected, place, class) in [
            (body.replace(r#""x""#, r#""\ud800""#), "/id", "respelled"),
            (body.replace(":1}", ":1e400}"), "/historyLength", "respelled"),
            (body.replace(r#""id":"x","#, r#""id":"x","id":"x","#), "", "respelled"),
            (body.replace(r#""id":1,"#, r#""id":1,"id":1,"#), "", "changed-text"),
            (body.replace(r#""GetTask""#, "7"), "", "changed-text"),
            (body.replace(r#""id":1,"#, r#""id":["a2aspec"],"#), "", "changed-text"),
            (body.replace(r#""jsonrpc":"2.0","#, ""), "", "changed-text"),
            (body.replace(r#","method":"GetTask""#, ""), "", "changed-text"),
        ] {
            let found = all.iter().any(|one| *one == (expected.clone(), place.to_owned(), class));
            assert!(found, "{expected} at {place} as {class} is not among {all:#?}");
        }
        // The envelope of a rich request is that of a plain one, but for members that come twice.
        assert_eq!(of(body, Binding::Jsonrpc, true).len(), all.len() - 3 * (INSTEAD.len() + 1) - NO_IDS);
        // Few requests are enough for values of each type in each member of the envelope.
        let first: Vec<&str> = all.iter().take(8).map(|(body, ..)| body.as_str()).collect();
        for (member, value) in [(r#""id":1"#, r#""id":["a2aspec"]"#), (r#""GetTask""#, r#"{"a2aspec":1}"#)] {
            assert!(first.contains(&body.replacen(member, value, 1).as_str()), "{member} in {first:#?}");
        }
        assert!(of("", Binding::HttpJson, false).is_empty());
    }

    #[test]
    fn every_spelling_is_a_json_text() {
        let body = r#"{"message":{"messageId":"a","parts":[{"text":"b"}],"metadata":{"n":1}}}"#;
        let envelope = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{body}}}"#);
        for (body, binding) in [(body, Binding::HttpJson), (&envelope, Binding::Jsonrpc)] {
            for (text, ..) in of(body, binding, false) {
                assert!(parse(text.as_bytes(), &Limits::default()).is_ok(), "{text}");
                assert_ne!(text, body);
            }
        }
    }
}
