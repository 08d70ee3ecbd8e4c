use super::*;

fn read(text: &str) -> Document {
    parse(text.as_bytes(), &Limits::default()).unwrap()
}

fn refuse(bytes: &[u8]) -> JsonError {
    parse(bytes, &Limits::default()).unwrap_err()
}

#[test]
fn keeps_spans_and_pointers() {
    let document = read(" {\"a/b\": [1, \"x\\u0041\"], \"n\": null}\n");
    assert_eq!(read("\t[\r\n\t1 ,\t2]\r\n").value(), serde_json::json!([1, 2]));
    assert_eq!(document.raw(document.root()), "{\"a/b\": [1, \"x\\u0041\"], \"n\": null}");
    let text = document.at("/a~1b/1").unwrap();
    assert_eq!(document.raw(text), "\"x\\u0041\"");
    assert_eq!(text.as_str(), Some("xA"));
    assert!(document.at("/a~1b/01").is_none());
    assert!(document.at("/n/x").is_none());
    let pointers: Vec<String> = document.walk().map(|(pointer, _)| pointer).collect();
    assert_eq!(pointers, ["", "/a~1b", "/a~1b/0", "/a~1b/1", "/n"]);
}

#[test]
fn lists_duplicates_by_decoded_name() {
    let document = read(r#"{"o": {"a": 1, "\u0061": 2, "b": 3, "a": 4}}"#);
    let found = document.duplicates();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].pointer, "/o");
    assert_eq!(found[0].key, "a");
    assert_eq!(document.text().get(found[0].first.clone()), Some("\"a\""));
    assert_eq!(document.text().get(found[0].again.clone()), Some("\"\\u0061\""));
    assert_eq!(document.value(), serde_json::json!({"o": {"a": 4, "b": 3}}));
    assert_eq!(document.at("/o/a").and_then(Node::as_number).and_then(Number::as_i64), Some(4));
}

#[test]
fn different_lone_surrogates_are_not_duplicates() {
    let document = read(r#"{"\ud800": 1, "\ud801": 2, "�": 3}"#);
    assert_eq!(document.duplicates(), []);
    assert_eq!(read(r#"{"\ud800": 1, "\ud800": 2}"#).duplicates().len(), 1);
}

#[test]
fn surrogates() {
    let text = |json: &str| match &read(json).root().kind {
        Kind::String(text) => (text.as_str().to_owned(), text.has_lone_surrogate()),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(r#""\ud83d\ude00""#), ("\u{1F600}".into(), false));
    assert_eq!(text(r#""\ud83d""#), ("\u{FFFD}".into(), true));
    assert_eq!(text(r#""\ude00x""#), ("\u{FFFD}x".into(), true));
    assert_eq!(text(r#""\ud83d\u0041""#), ("\u{FFFD}A".into(), true));
    assert_eq!(text(r#""\ud83d\ud83d\ude00""#), ("\u{FFFD}\u{1F600}".into(), true));
    assert_eq!(text(r#""\ufffd""#), ("\u{FFFD}".into(), false));
}

#[test]
fn escapes_stand_for_characters() {
    for (json, text) in [
        (r#""\"x""#, "\"x"),
        (r#""\\x""#, "\\x"),
        (r#""\/x""#, "/x"),
        (r#""\bx""#, "\u{8}x"),
        (r#""\fx""#, "\u{c}x"),
        (r#""\nx""#, "\nx"),
        (r#""\rx""#, "\rx"),
        (r#""\tx""#, "\tx"),
        (r#""\u00e9x""#, "éx"),
        (r#""\u00E9x""#, "éx"),
    ] {
        assert_eq!(read(json).root().as_str(), Some(text), "{json}");
    }
}

#[test]
fn every_kind_is_read_and_described() {
    for (json, words) in [
        ("null", "null"),
        ("true", "boolean true"),
        ("false", "boolean false"),
        ("1.50", "number 1.50"),
        ("\"é\\n\"", "string \"é\\n\""),
        ("[1, 2]", "array of 2"),
        ("{\"a\": 1}", "object of 1"),
    ] {
        let document = read(json);
        assert_eq!(document.root().describe(), words);
        assert_eq!(document.value(), serde_json::from_str::<serde_json::Value>(json).unwrap());
        assert_eq!(document.root().is_null(), words == "null");
        assert_eq!(format!("{document:?}"), format!("Document({json:?})"));
    }
    let long = format!("\"{}\"", "é".repeat(61));
    assert_eq!(read(&long).root().describe(), format!("string \"{}…\"", "é".repeat(60)));
}

/// What came in another form may be as deep as it was.
#[test]
fn values_of_any_depth_are_kept() {
    let deep = (0..Limits::default().depth + 1).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner]));
    assert_eq!(Document::of_value(&deep).value(), deep);
}

#[test]
fn names_what_is_wrong_and_where() {
    use JsonErrorKind as Wrong;
    let cases: [(&[u8], Wrong, usize); 19] = [
        (b"", Wrong::Empty { bytes: 0 }, 0),
        (b" \n", Wrong::Empty { bytes: 2 }, 2),
        (b"\xEF\xBB\xBF{}", Wrong::ByteOrderMark, 0),
        (b"\"a\xFF\"", Wrong::InvalidUtf8, 2),
        (b"{}x", Wrong::TrailingBytes { found: 'x' }, 2),
        (b"\"a\tb\"", Wrong::ControlCharacter { code: 9 }, 2),
        (b"\"\x1f\"", Wrong::ControlCharacter { code: 31 }, 1),
        (b"\"\\x\"", Wrong::BadEscape { found: "\\x".into() }, 1),
        (b"\"\\u12g4\"", Wrong::BadEscape { found: "\\u12g".into() }, 1),
        (b"01", Wrong::BadNumber { reason: "leading zero" }, 0),
        (b"-x", Wrong::BadNumber { reason: "no digit after '-'" }, 1),
        (b"1.", Wrong::BadNumber { reason: "no digit after '.'" }, 2),
        (b"1e+", Wrong::BadNumber { reason: "no digit in the exponent" }, 3),
        (b"+1", Wrong::UnexpectedCharacter { found: '+', expected: "a value" }, 0),
        (b"[1,]", Wrong::UnexpectedCharacter { found: ']', expected: "a value" }, 3),
        (b"[1", Wrong::UnexpectedEnd { expected: "',' or ']'" }, 2),
        (b"{\"a\" 1}", Wrong::UnexpectedCharacter { found: '1', expected: "':'" }, 5),
        (b"nul", Wrong::UnexpectedEnd { expected: "null" }, 3),
        (b"\"\xC2\xA0\"\xC2\xA0", Wrong::TrailingBytes { found: '\u{A0}' }, 4),
    ];
    for (bytes, kind, offset) in cases {
        let error = refuse(bytes);
        assert_eq!((error.kind, error.offset), (kind, offset), "{:?}", bytes.escape_ascii().to_string());
    }
}

#[test]
fn counts_lines_and_characters() {
    let error = refuse("{\n \"é\": x}".as_bytes());
    assert_eq!(error.position, Position { line: 2, column: 7 });
    assert_eq!(error.to_string(), "found 'x' instead of a value at 2:7 (byte 9)");
    assert_eq!(read("[\r\n1]").position(4), Position { line: 2, column: 2 });
    assert_eq!(read("1").position(99), Position { line: 1, column: 2 });
}

#[test]
fn limits_hold() {
    let limits = Limits { bytes: 8, depth: 2, values: 3 };
    for beyond in [b"[[1,2]]".as_slice(), b"[[[]]]", b"[       ]"] {
        assert!(parse(beyond, &limits).unwrap_err().kind.is_limit());
    }
    assert!(!parse(b"[x]", &limits).unwrap_err().kind.is_limit());
    assert!(parse(b"[[1]]", &limits).is_ok());
    assert!(parse(b"[      ]", &limits).is_ok());
    assert_eq!(parse(b"[[[]]]", &limits).unwrap_err().kind, JsonErrorKind::TooDeep { limit: 2 });
    assert_eq!(parse(b"[1,2,3]", &limits).unwrap_err().kind, JsonErrorKind::TooManyValues { limit: 3 });
    assert_eq!(parse(b"[       ]", &limits).unwrap_err().kind, JsonErrorKind::TooLarge { bytes: 9, limit: 8 });
}

#[test]
fn deep_nesting_is_refused_without_recursion() {
    let deep = vec![b'['; 1_000_000];
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    assert_eq!(parse(&deep, &limits).unwrap_err().kind, JsonErrorKind::TooDeep { limit: MAX_DEPTH });
    let mut deepest = vec![b'['; MAX_DEPTH];
    deepest.extend(vec![b']'; MAX_DEPTH]);
    let document = parse(&deepest, &limits).unwrap();
    assert_eq!(document.walk().count(), MAX_DEPTH);
    assert_eq!(document.root().clone(), *document.root());
    drop(document.value());
    drop(document);
}

#[test]
fn numbers_keep_spelling_and_value() {
    let number = |text: &str| read(text).root().as_number().cloned().unwrap();
    assert_eq!(number("1.50").lexeme(), "1.50");
    assert_eq!(format!("{} {:?}", number("1.50"), number("1.50")), "1.50 1.50");
    assert!(number("-0").is_integer() && !number("1.0").is_integer() && !number("1e2").is_integer());
    assert_eq!(number("9223372036854775807").as_i64(), Some(i64::MAX));
    assert_eq!(number("9223372036854775808").as_i64(), None);
    assert_eq!(number("1.0").as_i64(), None);
    for (text, whole) in [
        ("1.0", Some(1)),
        ("-32601.00", Some(-32601)),
        ("1e3", Some(1000)),
        ("1200e-2", Some(12)),
        ("0e99999999999999999999", Some(0)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("-9.223372036854775808e18", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1.5", None),
        ("1e400", None),
        ("1e999999999999999", None),
        ("1e-99999999999999999999", None),
    ] {
        assert_eq!(number(text).as_whole_i64(), whole, "{text}");
    }
    assert!(number("1e400").is_integral() && number("1e400").as_f64().is_none());
    assert!(!number("1.5").is_integral() && number("1.50e1").is_integral());
    assert!(number("10").same_value(&number("1.0e1")));
    assert!(number("-0").same_value(&number("0.0")));
    assert!(!number("9007199254740993").same_value(&number("9007199254740992")));
    assert_eq!(read("-0").value().to_string(), "-0.0");
    assert_eq!(read("1e400").value(), serde_json::json!(f64::MAX));
    assert_eq!(read("18446744073709551615").value(), serde_json::json!(u64::MAX));
}
