use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn secrets(value: &str) -> Secrets {
    Secrets::new(vec![value.to_owned()])
}

#[test]
fn plain_and_escaped_spellings() {
    let secrets = secrets("p\"w/\u{e9}1");
    for spelling in ["p\"w/\u{e9}1", "p\\\"w/\u{e9}1", "p\\\"w\\/\\u00e91", "p\\\"w/\\u00E91", "p%22w%2F%C3%A91"] {
        assert_eq!(secrets.mask(&format!("<{spelling}>")), "<***>", "{spelling}");
    }
    for spelling in ["p%22w/%c3%a91", "p\"w/%C3%A91", "%70%22%77/\u{e9}1"] {
        assert_eq!(secrets.mask(&format!("<%{spelling}%{spelling}>")), "<%***%***>", "{spelling}");
    }
    assert_eq!(secrets.mask("p%22w%2F%C3%A92 p%2"), "p%22w%2F%C3%A92 p%2");
    assert_eq!(secrets.mask("nothing"), "nothing");
}

#[test]
fn escapes_of_ascii() {
    let secrets = secrets("hunter22");
    for spelling in [
        "\\u0068unter22",
        "\\u0068\\u0075\\u006e\\u0074\\u0065\\u0072\\u0032\\u0032",
        "h\\u0075\\u006Eter2\\u0032",
        // JSON within JSON, and as this program shows control characters.
        "\\\\u0068unter22",
        "\\u{68}unter22",
        "&#104;unter22",
        "&#0104;&#x75;&#X006E;ter&#50&#50;",
        "&#104unter22",
        "%68unter2\\u0032",
    ] {
        assert_eq!(secrets.mask(&format!("<{spelling}>")), "<***>", "{spelling}");
    }
    for other in
        ["\\u0069unter22", "\\u068unter22", "&#105;unter22", "&#x;unter22", "&h;unter22", "%6unter22", "\\hunter2"]
    {
        assert_eq!(secrets.mask(other), other);
    }
}

#[test]
fn punctuation_in_html_and_in_texts_within_texts() {
    let secrets = secrets("a&b<c>'d\"\\");
    for spelling in [
        "a&amp;b&lt;c&gt;&#39;d&quot;\\",
        "a&#38;b&#x3C;c&GT;&apos;d&#034;&bsol;",
        "a&b<c>'d\\\"\\\\",
        "a&b<c>\\'d\\\\\\\"\\\\\\\\",
        "a\\u0026b\\u003cc\\u003e\\u0027d\\u0022\\u005c",
        "a%26b%3Cc%3E%27d%22%5C",
    ] {
        assert_eq!(secrets.mask(&format!("<{spelling}>")), "<***>", "{spelling}");
    }
}

#[test]
fn characters_beyond_the_first_plane() {
    let secrets = secrets("key\u{1f600}");
    for spelling in ["key\u{1f600}", "key\\ud83d\\ude00", "key\\uD83D\\\\uDE00", "key%F0%9F%98%80", "key&#128512;"] {
        assert_eq!(secrets.mask(&format!("<{spelling}>")), "<***>", "{spelling}");
    }
    for other in ["key\\ud83d", "key\\ud83d\\ude01", "key\\ude00\\ud83d", "key%F0%9F%98"] {
        assert_eq!(secrets.mask(other), other);
    }
}

#[test]
fn base64_at_every_place() {
    let secrets = secrets("correct-horse");
    assert_eq!(secrets.mask(&STANDARD_NO_PAD.encode("correct-horse")), "***");
    for user in ["", "a", "ab", "abc", "abcd", "\u{e9}"] {
        let basic = STANDARD.encode(format!("{user}:correct-horse"));
        let masked = secrets.mask(&basic);
        assert!(masked.contains("***"), "{basic}");
        assert!(masked.len() < basic.len() - 10, "{masked}");
        let followed = STANDARD.encode(format!("{user}:correct-horse!!!"));
        assert!(secrets.mask(&followed).contains("***"), "{followed}");
    }
}

#[test]
fn base64_is_found_escaped_too() {
    let value = "~~~>>>???";
    let digits = STANDARD_NO_PAD.encode(value);
    assert!(digits.contains('/') && digits.contains('+'), "{digits}");
    for spelling in [digits.replace('/', "\\/"), digits.replace('+', "\\u002B"), digits.replace('+', "%2B")] {
        assert_eq!(secrets(value).mask(&spelling), "***", "{spelling}");
    }
}

#[test]
fn short_ones_do_not_count_and_overlapping_ones_are_masked_whole() {
    let secrets =
        Secrets::new(vec!["token".into(), "token-of-more".into(), "a-tok".into(), "ab".into(), String::new()]);
    assert_eq!(secrets.mask("a token-of-more, a token, ab"), "a ***, a ***, ab");
    assert_eq!(secrets.mask("a-token-of-more tokentoken"), "*** ******");
    assert!(Secrets::new(vec!["abc".into()]).is_empty());
    assert!(!format!("{secrets:?}").contains("token"));
}

/// Masked twice is masked once, even where a mask and its neighbours would spell another secret.
#[test]
fn a_mask_is_part_of_no_secret() {
    let secrets = Secrets::new(vec!["hunter22".into(), "****".into(), "**no".into()]);
    let masked = secrets.mask("hunter22* hunter22no *****");
    assert_eq!(masked, "\u{2022}\u{2022}\u{2022}* \u{2022}\u{2022}\u{2022}no \u{2022}\u{2022}\u{2022}");
    assert_eq!(secrets.mask(&masked), masked);
}

/// The longest body that the suite keeps takes no time that a user notices, even if it is made of nothing but beginnings.
#[test]
fn the_longest_body_is_masked_in_time() {
    let secrets = Secrets::new(vec!["Bearer hunter22-and-more".into(), "hunter22-and-more".into()]);
    // Without the optimizer all takes many times as long: a 64th of the longest body is enough to see what grows.
    let length = 1 << 18;
    for part in
        ["hunter22-and-mor", "\\", "\\\\u0068", "%68", "&#", "&#0", "+", "{\"text\": \"a usual body\"},", "hhhh"]
    {
        let mut text = part.repeat(length / part.len());
        let began = Instant::now();
        secrets.mask_in_place(&mut text);
        assert!(began.elapsed() < Duration::from_secs(10), "{part}: {:?}", began.elapsed());
    }
    let mut zeros = format!("&#{}", "0".repeat(length));
    secrets.mask_in_place(&mut zeros);
    assert_eq!(zeros.len(), length + 2);
}

/// One of the spellings of a character, chosen by a number. It knows nothing of the code under test.
fn spell(c: char, how: usize) -> String {
    let utf16 = |upper: bool| -> String {
        let units = c.encode_utf16(&mut [0; 2]).to_vec();
        units.iter().map(|unit| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") }).collect()
    };
    let percent = || -> String { c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let named = match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&apos;",
        _ => "",
    };
    match how {
        0 => utf16(true),
        1 => utf16(false),
        2 => utf16(false).replace('\\', "\\\\"),
        3 => percent(),
        4 => percent().to_lowercase(),
        5 => format!("&#{};", u32::from(c)),
        6 => format!("&#000{};", u32::from(c)),
        7 => format!("&#x{:x};", u32::from(c)),
        8 => format!("&#X0{:X};", u32::from(c)),
        9 if !named.is_empty() => named.to_owned(),
        10 if c.is_ascii_punctuation() => format!("\\{c}"),
        11 => format!("\\u{{{:x}}}", u32::from(c)),
        _ => c.to_string(),
    }
}

/// Characters of secrets: everyday ones, those that begin or end escapes, and some beyond ASCII.
fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        proptest::char::range('a', 'z'),
        proptest::char::range('0', '9'),
        proptest::sample::select("\\%&+#;/\"'<>*{} u".chars().collect::<Vec<_>>()),
        proptest::sample::select(vec!['\u{e9}', '\u{20ac}', '\u{1f600}', '\u{202e}', '\u{200b}']),
    ]
}

fn secret() -> impl Strategy<Value = String> {
    let any = proptest::collection::vec(character(), 4..24).prop_map(|chars| chars.into_iter().collect::<String>());
    any.prop_filter("white space at the ends is no part of a secret", |text: &String| text.trim() == text)
}

fn around() -> impl Strategy<Value = String> {
    proptest::collection::vec(character(), 0..12).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn a_secret_is_masked_in_any_mixture_of_spellings(
        value in secret(),
        how in proptest::collection::vec(0_usize..14, 24),
        before in around(),
        after in around(),
    ) {
        let spelled: String = value.chars().zip(how).map(|(c, how)| spell(c, how)).collect();
        let secrets = secrets(&value);
        let text = format!("{before}{spelled}{after}");
        let place = before.len()..before.len() + spelled.len();
        let found = secrets.find(&text);
        prop_assert!(
            found.iter().any(|range| range.start <= place.start && place.end <= range.end),
            "{value:?} as {spelled:?} in {text:?}: {found:?}"
        );
        let masked = secrets.mask(&text);
        prop_assert_eq!(secrets.mask(&masked), masked);
    }

    /// None of these texts spells a capital letter: that takes a capital, or one of the digits that are left out.
    #[test]
    fn a_text_without_the_secret_is_unchanged(value in "[G-Z]{4,12}", text in "[a-fu01236\\\\%&#;{}x\" ]{0,200}") {
        prop_assert_eq!(secrets(&value).mask(&text), text);
    }
}

#[tokio::test]
async fn a_token_that_comes_later_is_masked_beside_those_before_it() {
    let token = crate::auth::token::tests::of_no_time();
    let secrets =
        Secrets::new(vec!["hunter22".to_owned()]).and_of(vec![token.clone()]).and(vec!["more-of-it".to_owned()]);
    let kept = secrets.clone();
    let text = "hunter22 more-of-it token-0 refresh-0 token-1 refresh-1";
    assert_eq!(kept.mask(text), "*** *** *** *** token-1 refresh-1");
    let identity = crate::auth::Identity::new(Vec::new(), Vec::from_iter(crate::auth::origin::of("http://a.example")));
    let credentials = crate::auth::Credentials::default().and([identity.with_token(Some(token))]);
    credentials.hold_for("http://a.example/b").await.unwrap();
    assert_eq!(kept.mask(text), "*** *** *** *** *** ***");
    assert_eq!(kept.mask("dG9rZW4tMQ"), "***", "also in base64");
}

/// A token as it is made: of letters, digits, and what base64 for URLs has.
fn token(length: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64.wrapping_add(length as u64);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..length)
        .map(|_| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[next() as usize % 64]))
        .collect()
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Texts in which a token is spelled as agents, gateways and logs spell it.
fn spellings(token: &str) -> Vec<String> {
    let each = |spell: &dyn Fn(u32) -> String| token.chars().map(|c| spell(u32::from(c))).collect::<String>();
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let json = each(&|c| format!("\\u{c:04x}"));
    let encoded = STANDARD.encode(token);
    vec![
        token.to_owned(),
        token.to_uppercase(),
        token.to_lowercase(),
        percent(token),
        percent(token).replace('%', "%25"),
        percent(token).replace('%', "%2525"),
        percent(&percent(token)),
        json.clone(),
        json.replace('\\', "\\\\"),
        json.replace('\\', "%5C"),
        percent(&json),
        each(&|c| format!("\\x{c:02x}")),
        each(&|c| format!("\\\\x{c:02X}")),
        each(&|c| format!("&#{c};")),
        each(&|c| format!("&amp;#x{c:x};")),
        hex(token),
        hex(token).to_uppercase(),
        percent(&encoded),
        encoded.to_owned(),
        URL_SAFE_NO_PAD.encode(token),
        STANDARD.encode(format!("a:{token}")),
        STANDARD.encode(format!("ab{token}!")),
        URL_SAFE_NO_PAD.encode(format!("abc{token}!")),
    ]
}

/// Whether a text shows a piece of twelve characters of what must not be seen.
fn shows(text: &str, hidden: &str) -> bool {
    let pieces: std::collections::HashSet<&[u8]> = hidden.as_bytes().windows(12).collect();
    text.as_bytes().windows(12).any(|piece| pieces.contains(piece))
}

#[test]
fn no_piece_is_left_of_a_token_whatever_its_length_its_spelling_and_the_cut() {
    for length in [16, 40, 153, 154, 161, 700, 4_000] {
        let token = token(length);
        let secrets = Secrets::new(vec![format!("Bearer {token}"), token.clone()]);
        for spelled in spellings(&token) {
            let text = format!("token {spelled} is not known");
            let masked = secrets.mask(&text);
            assert!(!shows(&masked, &spelled) && masked.ends_with(" is not known"), "{length}: {masked}");
            // What an agent or the suite leaves of it, at the end, at the beginning and in between; escapes are cut, too.
            let of_a_piece = spelled.len() * 12 / length + 2 * spelled.len().div_ceil(length);
            for cut in [20, 77, 160, spelled.len() / 2] {
                let head = spelled.get(..cut).unwrap_or(&spelled);
                let tail = spelled.get(spelled.len().saturating_sub(cut)..).unwrap_or(&spelled);
                let amid = tail.get(..tail.len() / 2).unwrap_or(tail);
                for text in [head, tail, amid] {
                    let masked = secrets.mask(&format!("<{text}>"));
                    let left = masked.split("***").map(str::len).max().unwrap_or_default();
                    assert!(left < of_a_piece + 2, "{length}, {cut}: {masked}");
                    assert!(!shows(&masked.to_lowercase(), &token.to_lowercase()), "{length}, {cut}: {masked}");
                }
            }
        }
    }
}

#[test]
fn what_a_cut_leaves_of_a_short_secret_is_masked_too() {
    let secrets = secrets("hunter22x");
    for (text, masked) in [
        ("a token hunter2 ...", "a token *** ..."),
        ("a token hunt ...", "a token *** ..."),
        ("a token hun ...", "a token hun ..."),
        ("string \"hunter\u{2026}\"", "string \"***\u{2026}\""),
        ("a ... er22x is wrong", "a ... *** is wrong"),
        ("hunt\\u0065\\u00 ...", "*** ..."),
        ("the hunter ran away", "the hunter ran away"),
        ("HUNTER22X and Hunter22x", "*** and ***"),
    ] {
        assert_eq!(secrets.mask(text), masked, "{text}");
    }
}

#[test]
fn values_stay_what_they_are() {
    let secrets = secrets("hunter22-and-more");
    let is_base64 = |name: &str| name == "base64";
    let of = |text: &str| STANDARD.encode(text);
    let mut value = serde_json::json!({
        "a hunter22-and-more": ["hunter22-and-more", 7, null],
        "base64": of("say hunter22-and-more!"),
        "piece": { "base64": of("nothing") },
    });
    secrets.mask_value(&mut value, &is_base64);
    let masked = serde_json::json!({
        "a ***": ["***", 7, null], "base64": of("say ***!"), "piece": { "base64": of("nothing") },
    });
    assert_eq!(value, masked);
    let frame = Bytes::from_static(b"\0\0\0\0\x13\x0a\x11hunter22-and-more\xff");
    assert_eq!(secrets.mask_bytes(&frame), "\0\0\0\0\u{13}\n\u{11}***\u{fffd}");
    let other = Bytes::from_static(b"\xff\0");
    assert_eq!(secrets.mask_bytes(&other), other);
}
