//! Short texts, and files that people write.

use ::base64::Engine as _;
use ::base64::engine::general_purpose as engines;
use a2aspec::case::{Library, Source};
use a2aspec::cli::config::Config;
use a2aspec::profile::Profile;
use a2aspec::wire::{base64, timestamp};

use super::profiles;

/// What RFC 3339 allows, jiff reads as the same time, and what jiff reads of its form, RFC 3339 allows; what is RFC 3339 is ISO 8601,
/// too.
pub fn time(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let lenient = timestamp::iso8601_lenient(text);
    // jiff ends in the year 9999, some hours before or after by the zone, reads no more than nine digits of a second, and takes a leap
    // second for the one before it.
    let theirs = text.parse::<jiff::Timestamp>().ok().filter(|_| !text.contains(":60"));
    let strict = match timestamp::rfc3339(text) {
        Ok(strict) => strict,
        Err(error) => {
            assert!(theirs.is_none() || !has_the_form(bytes), "{error}, but jiff reads {text:?}");
            return;
        }
    };
    assert!(has_the_form(bytes), "{text:?}");
    let lenient = lenient.expect("RFC 3339 is ISO 8601");
    assert_eq!(lenient.instant, strict.instant);
    let is_within = (-377_705_023_201..=253_402_207_200).contains(&strict.instant.seconds);
    let digits = text.split_once('.').map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    if is_within && digits <= 9 && !text.contains(":60") {
        let theirs = theirs.unwrap_or_else(|| panic!("jiff does not read {text:?}"));
        assert_eq!(strict.instant.seconds, theirs.as_second() - i64::from(theirs.subsec_nanosecond() < 0));
    }
}

/// `date-time` of RFC 3339 section 5.6, whatever its digits say; but that jiff also reads offsets of a day and more.
fn has_the_form(bytes: &[u8]) -> bool {
    let is_like = |text: &[u8], form: &[u8]| {
        text.len() == form.len()
            && text.iter().zip(form).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                form => byte.eq_ignore_ascii_case(form),
            })
    };
    let Some((start, rest)) = bytes.split_at_checked(19) else { return false };
    let digits =
        rest.strip_prefix(b".").map_or(0, |rest| 1 + rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
    let zone = &rest[digits..];
    let is_offset = is_like(zone, b"+00:00") || is_like(zone, b"-00:00");
    let is_zone = is_like(zone, b"z") || is_offset && zone[1..3] < b"24"[..];
    is_like(start, b"0000-00-00t00:00:00") && digits != 1 && is_zone
}

/// Base64 is read back, and what is read is written alike where it is canonical; what the strict engines of the crate base64 read is
/// read, and the other way round.
pub fn base64_text(bytes: &[u8]) {
    assert_eq!(base64::decode(&base64::encode(bytes)).as_deref(), Ok(bytes));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (checked, decoded) = (base64::check(text), base64::decode(text));
    assert_eq!(checked.is_ok(), decoded.is_ok(), "{checked:?} {decoded:?}");
    let all = [&engines::STANDARD, &engines::STANDARD_NO_PAD, &engines::URL_SAFE, &engines::URL_SAFE_NO_PAD];
    let theirs = all.iter().find_map(|engine| engine.decode(text).ok());
    let is_canonical = checked.is_ok_and(|encoding| !encoding.has_trailing_bits);
    assert_eq!(decoded.clone().ok().filter(|_| is_canonical), theirs, "{text:?}");
    if let (Ok(encoding), Ok(decoded)) = (checked, decoded) {
        let standard: String = text.replace('-', "+").replace('_', "/").trim_end_matches('=').to_owned();
        let again = base64::encode(&decoded).trim_end_matches('=').to_owned();
        assert_eq!(!encoding.has_trailing_bits, standard == again, "{text:?}");
    }
}

/// A file of cases, or of requirements, is read, or each mistake in it has a place.
pub fn case_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let profiles: Vec<&Profile> = profiles().iter().map(AsRef::as_ref).collect();
    for file in ["cases/a/b.yaml", "cases/requirements/a.yaml"] {
        let source = Source { file: file.to_owned(), text: text.to_owned() };
        if let Err((mistakes, _)) = Library::read(vec![source], &profiles, &[]) {
            assert!(!mistakes.is_empty());
            for mistake in mistakes {
                let end = mistake.offset.map_or(0, |offset| offset + mistake.length);
                assert!(end <= text.len() + 1, "{file}: {} at {:?}", mistake.message, mistake.offset);
            }
        }
    }
}

/// The settings are read, or refused.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = toml::from_str::<Config>(text);
}
