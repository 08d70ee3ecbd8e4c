//! JSON texts, in the manner of JSONTestSuite.

use serde_json::{Map, Value};

use super::Verdict::{Accept, Either, Reject};
use super::{Fixed, Input};
use crate::generate::{Choices, number, text};
use crate::verdict::Level::{May, Must};

const fn yes(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Accept, level: Must, section, reason }
}

const fn no(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Reject, level: May, section, reason }
}

const fn either(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Either, level: May, section, reason }
}

const GRAMMAR: &str = "RFC 8259 section 2";
const VALUES: &str = "RFC 8259 section 3";
const OBJECTS: &str = "RFC 8259 section 4";
const ARRAYS: &str = "RFC 8259 section 5";
const NUMBERS: &str = "RFC 8259 section 6";
const STRINGS: &str = "RFC 8259 section 7";

/// Section 9: a parser must accept all that the grammar has, and may accept more.
pub(super) const CLASSES: &[Fixed] = &[
    yes("scalar", GRAMMAR, "any value alone is a text"),
    yes("object", OBJECTS, "members of every kind"),
    yes("array", ARRAYS, "items of every kind"),
    yes("nested", VALUES, "arrays and objects within each other"),
    yes("white-space", GRAMMAR, "space, tab, line feed and carriage return between tokens"),
    yes("string", STRINGS, "characters and escapes in every spelling"),
    yes("number", NUMBERS, "a number that a double holds, in any spelling"),
    yes("empty-name", OBJECTS, "a name may be any string, the empty one too"),
    either("number-too-large", NUMBERS, "beyond a double: a reader may set limits"),
    either("number-too-precise", NUMBERS, "more digits than a double holds: a reader may round"),
    either("lone-surrogate", "RFC 8259 section 8.2", "an escape without its partner: readers differ"),
    either("duplicate-names", OBJECTS, "names should be unique: readers differ on those that are not"),
    either("byte-order-mark", "RFC 8259 section 8.1", "a reader may ignore the mark or refuse it"),
    either("invalid-utf-8", "RFC 8259 section 8.1", "bytes that are not UTF-8: readers replace or refuse them"),
    either("deep", "RFC 8259 section 9", "a reader may limit the depth"),
    no("empty", GRAMMAR, "no value"),
    no("white-space-only", GRAMMAR, "no value"),
    no("trailing-comma", GRAMMAR, "a comma behind the last item or member"),
    no("missing-comma", GRAMMAR, "two items or members without a comma"),
    no("double-comma", GRAMMAR, "two commas in a row, or one before the first item"),
    no("missing-colon", OBJECTS, "a member without its colon"),
    no("missing-value", OBJECTS, "a member without its value"),
    no("missing-name", OBJECTS, "a value without its name"),
    no("unquoted-name", OBJECTS, "a name that is no string"),
    no("unclosed", GRAMMAR, "the text ends inside a value"),
    no("wrong-close", GRAMMAR, "an array closed as an object, or the other way"),
    no("extra-close", GRAMMAR, "closed once too often"),
    no("two-values", GRAMMAR, "a second value behind the first"),
    no("single-quotes", STRINGS, "a string in single quotes"),
    no("comment", GRAMMAR, "JSON has no comments"),
    no("control-character", STRINGS, "a control character without an escape"),
    no("bad-escape", STRINGS, "an escape that there is not"),
    no("leading-zero", NUMBERS, "no zero before other digits"),
    no("plus-sign", NUMBERS, "no plus before a number"),
    no("bare-point", NUMBERS, "digits on both sides of the point"),
    no("bare-exponent", NUMBERS, "an exponent needs digits"),
    no("minus-alone", NUMBERS, "a minus needs digits"),
    no("other-number", NUMBERS, "hexadecimal, NaN, Infinity and the like are no numbers"),
    no("other-literal", VALUES, "the literals are true, false and null, in lower case"),
    no("other-white-space", GRAMMAR, "other white space than the four characters"),
];

pub(super) fn make(class: &str, choices: &mut Choices<'_>) -> Option<Input> {
    let whole = |text: String| Input::new(text, Accept, None);
    let mut input = match class {
        "scalar" => whole(scalar(choices)),
        "object" => whole(object(2, false, choices)),
        "array" => whole(array(2, false, choices)),
        "nested" => {
            let inner = value(3, false, choices);
            whole(wrapped(inner, 1 + choices.below(20), choices))
        }
        "white-space" => whole(format!("{}{}{}", space(choices), value(2, true, choices), space(choices))),
        "string" => whole(wrap(string(choices), choices)),
        "number" => whole(wrap(held(choices), choices)),
        "empty-name" => whole(format!("{{\"\":{}}}", value(1, false, choices))),
        "number-too-large" => whole(wrap(pick(choices, &["1e400", "-1e400", "1e309", "1E+999999", "-2e308"]), choices)),
        "number-too-precise" => {
            let all =
                ["9007199254740993", "18446744073709551617", "0.30000000000000000000000000000004", "1e-400", "-0"];
            whole(wrap(pick(choices, &all), choices))
        }
        "lone-surrogate" => {
            let all = [r#""\ud800""#, r#""\udfff""#, r#""\udc00\ud800""#, r#""a\ud83d""#, r#""\ud83d\u0061""#];
            whole(wrap(pick(choices, &all), choices))
        }
        "duplicate-names" => {
            let name = string(choices);
            let (one, other) = (value(1, false, choices), value(1, false, choices));
            whole(wrap(format!("{{{name}:{one},{name}:{other}}}"), choices))
        }
        "byte-order-mark" => whole(format!("\u{feff}{}", value(2, false, choices))),
        "invalid-utf-8" => {
            let all: [&[u8]; 7] =
                [b"\xff", b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xf0\x9f\x98"];
            let bad = choices.pick(&all).copied().unwrap_or_default();
            let text = wrap("\"a?\"".to_owned(), choices).into_bytes();
            let at = text.windows(4).position(|four| four == b"\"a?\"")? + 2;
            Input::new([text.get(..at)?, bad, text.get(at + 1..)?].concat(), Either, None)
        }
        "deep" => {
            let depth = 100 << choices.below(8);
            let (open, close) = if choices.one_in(2) { ("{\"a\":", "}") } else { ("[", "]") };
            whole(format!("{}1{}", open.repeat(depth), close.repeat(depth)))
        }
        "empty" => Input::new("", Reject, None),
        "white-space-only" => Input::new(format!(" {}", space(choices)), Reject, None),
        "unclosed" => {
            let text = match choices.below(3) {
                0 => array(2, false, choices),
                1 => object(2, false, choices),
                _ => string(choices),
            };
            let most = text.len().saturating_sub(1);
            Input::new(text.get(..1.max(cut(&text, most - choices.below(most))))?, Reject, None)
        }
        "extra-close" => {
            let close = pick(choices, &["]", "}", "\""]);
            Input::new(format!("{}{close}", value(2, false, choices)), Reject, None)
        }
        "two-values" => {
            let (one, other) = (value(1, false, choices), value(1, false, choices));
            let between = pick(choices, &[" ", "\n", "\t", " , ", ",", ";"]);
            Input::new(format!("{one}{between}{other}"), Reject, None)
        }
        _ => {
            let broken = broken(class, choices)?;
            Input::new(wrap(broken, choices), Reject, None)
        }
    };
    if CLASSES.iter().any(|known| known.name == class && known.verdict == Accept) {
        input.value = Some(serde_json::from_slice(&input.bytes).ok()?);
    }
    Some(input)
}

/// A piece of text where a value should be that is none, in the way of the class.
fn broken(class: &str, choices: &mut Choices<'_>) -> Option<String> {
    let inner = value(1, false, choices);
    let other = value(1, false, choices);
    let name = string(choices);
    let in_object = choices.one_in(2);
    Some(match class {
        "trailing-comma" if in_object => format!("{{{name}:{inner},}}"),
        "trailing-comma" => format!("[{inner},]"),
        "missing-comma" if in_object => format!("{{{name}:{inner} \"z\":{other}}}"),
        "missing-comma" => format!("[{inner} {other}]"),
        "double-comma" => match choices.below(3) {
            0 => format!("[{inner},,{other}]"),
            1 => format!("[,{inner}]"),
            _ => format!("{{{name}:{inner},,\"z\":{other}}}"),
        },
        "missing-colon" => format!("{{{name} {inner}}}"),
        "missing-value" if in_object => format!("{{{name}:}}"),
        "missing-value" => format!("{{{name}}}"),
        "missing-name" if in_object => format!("{{:{inner}}}"),
        "missing-name" => format!("{{{}}}", held(choices)),
        "unquoted-name" => {
            let bare = pick(choices, &["a", "1", "null", "_a", "true", "$a"]);
            format!("{{{bare}:{inner}}}")
        }
        "wrong-close" if in_object => format!("{{{name}:{inner}]"),
        "wrong-close" => format!("[{inner}}}"),
        "single-quotes" if in_object => format!("{{'a':{inner}}}"),
        "single-quotes" => pick(choices, &["'a'", "''", "'\"'"]),
        "comment" => {
            let comment = pick(choices, &["/* a */", "// a\n", "# a\n", "/**/"]);
            if in_object { format!("{{{comment}{name}:{inner}}}") } else { format!("[{inner}{comment}]") }
        }
        "control-character" => {
            let code = u32::try_from(choices.below(0x20)).ok().and_then(char::from_u32)?;
            if in_object { format!("{{\"a{code}\":{inner}}}") } else { format!("\"a{code}b\"") }
        }
        "bad-escape" => {
            let all = [
                r"\x41", r"\u12", r"\u", r"\uZZZZ", r"\U0041", r"\a", r"\0", r"\'", r"\ ", r"\u{41}", r"\u+041", r"\v",
            ];
            format!("\"{}\"", pick(choices, &all))
        }
        "leading-zero" => pick(choices, &["01", "00", "-01", "007", "00.5", "-00"]),
        "plus-sign" => pick(choices, &["+1", "+0", "+1.5", "++1", "+"]),
        "bare-point" => pick(choices, &[".5", "1.", "-.5", "1.e3", ".", "0.e1", "1.2.3"]),
        "bare-exponent" => pick(choices, &["1e", "1E+", "1e-", "1.5e", "e5", "1ee5", "1e5.5", "1e+-5"]),
        "minus-alone" => pick(choices, &["-", "--1", "- 1", "-a", "-\"1\""]),
        "other-number" => pick(
            choices,
            &["NaN", "Infinity", "-Infinity", "0x10", "0b1", "0o7", "1_000", "1,5e3,", "1n", "-NaN", "１", "1/2", "1h"],
        ),
        "other-literal" => pick(
            choices,
            &["True", "TRUE", "nul", "Null", "None", "undefined", "truefalse", "nulll", "fals", "tru", "yes"],
        ),
        "other-white-space" => {
            let other =
                pick(choices, &["\u{a0}", "\u{c}", "\u{b}", "\u{2028}", "\u{3000}", "\u{85}", "\u{200b}", "\u{feff}"]);
            format!("[{inner}{other}]")
        }
        _ => return None,
    })
}

/// The nearest place before this byte where a text can be cut.
fn cut(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn pick(choices: &mut Choices<'_>, all: &[&str]) -> String {
    choices.pick(all).copied().unwrap_or_default().to_owned()
}

/// Something where a value stands, within some arrays and objects.
fn wrap(inner: String, choices: &mut Choices<'_>) -> String {
    let levels = choices.below(3);
    wrapped(inner, levels, choices)
}

fn wrapped(mut inner: String, levels: usize, choices: &mut Choices<'_>) -> String {
    for _ in 0..levels {
        let sibling = value(0, false, choices);
        inner = match choices.below(4) {
            0 => format!("[{inner}]"),
            1 => format!("{{\"a\":{inner}}}"),
            2 => format!("[{sibling}, {inner}]"),
            _ => format!("{{\"a\": {sibling}, \"b\": {inner}}}"),
        };
    }
    inner
}

/// Any value by the grammar, whose names are unique and whose strings and numbers every reader can hold.
pub(super) fn value(depth: usize, spaced: bool, choices: &mut Choices<'_>) -> String {
    match choices.below(if depth == 0 { 3 } else { 5 }) {
        0 => pick(choices, &["1", "true", "null", "false", "0", "-1.5"]),
        1 => string(choices),
        2 => held(choices),
        3 => object(depth - 1, spaced, choices),
        _ => array(depth - 1, spaced, choices),
    }
}

fn scalar(choices: &mut Choices<'_>) -> String {
    value(0, false, choices)
}

fn array(depth: usize, spaced: bool, choices: &mut Choices<'_>) -> String {
    let items: Vec<String> =
        (0..choices.below(5)).map(|_| around(value(depth, spaced, choices), spaced, choices)).collect();
    format!("[{}]", if items.is_empty() { around(String::new(), spaced, choices) } else { items.join(",") })
}

fn object(depth: usize, spaced: bool, choices: &mut Choices<'_>) -> String {
    let mut members = Map::new();
    for _ in 0..choices.below(5) {
        let name = string(choices);
        let read = serde_json::from_str::<String>(&name).unwrap_or_default();
        let member =
            format!("{}:{}", around(name, spaced, choices), around(value(depth, spaced, choices), spaced, choices));
        members.entry(read).or_insert(Value::String(member));
    }
    let members: Vec<&str> = members.values().filter_map(Value::as_str).collect();
    format!("{{{}}}", members.join(","))
}

fn around(inner: String, spaced: bool, choices: &mut Choices<'_>) -> String {
    if spaced { format!("{}{inner}{}", space(choices), space(choices)) } else { inner }
}

fn space(choices: &mut Choices<'_>) -> String {
    (0..choices.below(4)).map(|_| pick(choices, &[" ", "\t", "\n", "\r"])).collect()
}

/// A string without a lone surrogate.
pub(super) fn string(choices: &mut Choices<'_>) -> String {
    let spelled = text::source(choices);
    if serde_json::from_str::<String>(&spelled).is_ok() { spelled } else { "\"a\"".to_owned() }
}

/// A number that a double holds.
fn held(choices: &mut Choices<'_>) -> String {
    const MOST: f64 = 9_007_199_254_740_991.0;
    let spelled = number::source(choices);
    let is_held = spelled.len() <= 17
        && spelled.parse::<f64>().is_ok_and(|value| {
            let magnitude = value.abs();
            value == 0.0 && !spelled.contains(['e', 'E', '-', '.'])
                || (1e-300..=1e300).contains(&magnitude) && (magnitude <= MOST || spelled.contains(['e', 'E']))
        });
    if is_held { spelled } else { "12".to_owned() }
}
