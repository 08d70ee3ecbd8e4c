//! RFC 8785, and what is written in its form: thumbprints of keys.

use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::super::*;
use super::{load, text};
use crate::vectors::vectors;

/// What a reader of I-JSON makes of a text: the canonical bytes, or nothing.
fn canonical(bytes: &[u8]) -> Option<Vec<u8>> {
    canonical::jcs(&read(bytes).ok()?)
}

#[test]
fn canonical_json_is_that_of_rfc_8785() {
    let (Some(edge), Some(numbers), Some(table)) =
        (load("jcs/edge.json"), vectors("jcs/es6-numbers.txt"), load("jcs/rfc8785-appendix-b.json"))
    else {
        return;
    };
    let cases = edge["cases"].as_array().unwrap();
    assert!(cases.len() > 30);
    for case in cases {
        let input = STANDARD.decode(text(case, "input_base64")).unwrap();
        let expected = case["canonical_base64"].as_str().map(|text| STANDARD.decode(text).unwrap());
        let shown = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(canonical(&input).as_ref().map(shown), expected.as_ref().map(shown), "{case}");
    }
    let number = |bits: &str| f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
    let written = |value: f64| String::from_utf8(canonical::jcs(&json!(value)).unwrap()).unwrap();
    for line in std::str::from_utf8(&numbers).unwrap().lines() {
        let (bits, expected) = line.split_once(',').unwrap();
        assert_eq!(written(number(bits)), expected, "{line}");
    }
    for row in table["cases"].as_array().unwrap() {
        let number = number(text(row, "ieee754"));
        // JSON has no text for what is no number.
        assert_eq!(row.get("json").is_some(), number.is_finite());
        if let Some(expected) = row["json"].as_str() {
            assert_eq!(written(number), expected, "{row}");
        }
    }
    for name in ["values", "structures", "arrays"] {
        let read = |folder: &str| vectors(&format!("jcs/{folder}/{name}.json")).unwrap();
        assert_eq!(String::from_utf8(canonical(&read("input")).unwrap()), String::from_utf8(read("output")));
        assert_eq!(canonical(&read("input")).unwrap(), hexadecimal(name));
    }
}

/// The bytes of an output, which no editor and no line end can have changed.
fn hexadecimal(name: &str) -> Vec<u8> {
    let text = vectors(&format!("jcs/outhex/{name}.txt")).unwrap();
    let pairs = std::str::from_utf8(&text).unwrap().split_ascii_whitespace();
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// Nothing here makes thumbprints. But what RFC 7638 hashes, the required members of a key in order and without a space, is
/// RFC 8785's form of them, and so its vectors are vectors of this form.
#[test]
fn thumbprints_are_over_canonical_keys() {
    let (Some(of_7638), Some(of_8037)) = (load("jws/rfc7638.json"), load("jws/rfc8037.json")) else { return };
    let mut seen = 0;
    for case in [of_7638, of_8037].iter().flat_map(|file| file["cases"].as_array().unwrap()) {
        let Some(expected) = case["thumbprint"].as_str() else { continue };
        let members = case["jwk"].as_object().unwrap().iter();
        let required = members.filter(|(name, _)| ["crv", "e", "kty", "n", "x"].contains(&name.as_str()));
        let required = Value::Object(required.map(|(name, value)| (name.clone(), value.clone())).collect());
        let hash = ring::digest::digest(&ring::digest::SHA256, &canonical::jcs(&required).unwrap());
        assert_eq!(URL_SAFE_NO_PAD.encode(hash), expected, "{case}");
        seen += 1;
    }
    assert_eq!(seen, 2);
}
