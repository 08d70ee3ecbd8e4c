//! An archive as a stream of entries.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Entry;

/// How much of a file is read at once.
const PIECE: usize = 256 << 10;
/// What some tools write before the first character (RFC 8259 section 8.1 lets readers ignore it).
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HarError {
    /// The system refuses.
    #[error("{file}: {error}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// It is not JSON, or it is cut off.
    #[error("{file}:{line}:{column}: {what}")]
    NotJson {
        /// The file.
        file: String,
        /// The line, from 1 on.
        line: usize,
        /// The column, in bytes.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// It is JSON, and not an archive.
    #[error("{file}: it has no array at `/log/entries`, so it is not an HTTP archive")]
    NoEntries {
        /// The file.
        file: String,
    },
}

/// Gives each entry of an archive to `see`, in the order of the file.
///
/// # Errors
/// [`HarError`]; the entries before the place of a mistake were given.
pub(crate) fn entries(file: &Path, see: &mut dyn FnMut(Entry)) -> Result<(), HarError> {
    let name = file.display().to_string();
    let io = |error| HarError::Io { file: name.clone(), error };
    let opened = File::open(file).map_err(io)?;
    if opened.metadata().map_err(io)?.is_dir() {
        return Err(io(io::Error::other("this is a folder; name a file in it")));
    }
    match entries_of(opened, see) {
        Ok(true) => Ok(()),
        Ok(false) => Err(HarError::NoEntries { file: name }),
        Err(error) if error.is_io() => Err(HarError::Io { file: name, error: error.into() }),
        Err(error) => {
            Err(HarError::NotJson { line: error.line(), column: error.column(), what: said(&error), file: name })
        }
    }
}

/// What an error of the parser says, without its place.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    match error.is_eof() {
        true => format!("the archive ends here, in the middle ({what})"),
        false => format!("not JSON: {what}"),
    }
}

/// Whether there was a list of entries.
fn entries_of(from: impl Read, see: &mut dyn FnMut(Entry)) -> serde_json::Result<bool> {
    let mut from = BufReader::with_capacity(PIECE, from);
    if from.fill_buf().map_err(serde_json::Error::io)?.starts_with(MARK) {
        from.consume(MARK.len());
    }
    let mut found = false;
    let mut number = 0;
    let mut each = |value: Value| {
        number += 1;
        see(Entry::read(number, value));
    };
    let mut json = serde_json::Deserializer::from_reader(from);
    Member { path: &["log", "entries"], found: &mut found, each: &mut each }.deserialize(&mut json)?;
    json.end()?;
    Ok(found)
}

/// A value with the entries at a path of members; everything else is passed over.
struct Member<'a> {
    path: &'a [&'a str],
    found: &'a mut bool,
    each: &'a mut dyn FnMut(Value),
}

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an HTTP archive")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match self.path.split_first() {
                Some((wanted, path)) if name == *wanted => {
                    map.next_value_seed(Member { path, found: &mut *self.found, each: &mut *self.each })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if !self.path.is_empty() {
            return IgnoredAny.visit_seq(list).map(|_| ());
        }
        *self.found = true;
        while let Some(entry) = list.next_element::<Value>()? {
            (self.each)(entry);
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The URLs of the entries, and whether there was a list of them.
    fn urls(text: &str) -> Result<(Vec<String>, bool), String> {
        let mut urls = Vec::new();
        let found = entries_of(text.as_bytes(), &mut |entry| urls.push(entry.url));
        found
            .map(|found| (urls, found))
            .map_err(|error| format!("{}:{}: {}", error.line(), error.column(), said(&error)))
    }

    #[test]
    fn entries_are_read_wherever_the_list_is() {
        let own = |urls: &[&str]| Ok((urls.iter().map(|url| (*url).to_owned()).collect::<Vec<_>>(), true));
        let one = r#"{"request":{"url":"http://a/"}}"#;
        assert_eq!(urls(&format!(r#"{{"log":{{"entries":[{one},{one}]}}}}"#)), own(&["http://a/", "http://a/"]));
        assert_eq!(
            urls(&format!("\u{feff}{{\"x\":[1,{{}}],\"log\":{{\"a\":{{}},\"entries\":[{one}],\"b\":1}},\"y\":2}}")),
            own(&["http://a/"])
        );
        assert_eq!(
            urls(r#"{"log":{"entries":[1,null,"x",[],{}]}}"#),
            own(&[""; 5]),
            "what is not an entry is an empty one"
        );
        for none in [
            r#"{"log":{}}"#,
            "[]",
            "3",
            r#"{"log":[{"entries":[]}]}"#,
            r#"{"entries":[]}"#,
            r#"{"log":{"entries":3}}"#,
            r#""log""#,
        ] {
            assert_eq!(urls(none), Ok((Vec::new(), false)), "{none}");
        }
    }

    #[test]
    fn a_mistake_has_a_place() {
        assert_eq!(urls("{\"log\": {\n \"entries\": [x"), Err("2:14: not JSON: expected value".to_owned()));
        let cut = urls("{\"log\":{\"entries\":[{\"request\":{\"url\":\"http").unwrap_err();
        assert!(cut.starts_with("1:") && cut.contains("the archive ends here, in the middle"), "{cut}");
        assert!(urls("{\"log\":{\"entries\":[]}} x").unwrap_err().contains("trailing characters"));
    }

    proptest! {
        /// Whatever is changed in an archive, it is read or refused.
        #[test]
        fn a_changed_archive_does_not_panic(at in 0usize..1_200, with in any::<u8>(), cut in 0usize..1_200) {
            let text = include_str!("tests/mitmproxy.har");
            let mut bytes = text.as_bytes().to_vec();
            let place = at % bytes.len();
            bytes[place] = with;
            bytes.truncate(bytes.len().saturating_sub(cut % 7 * (cut / 7)));
            let mut seen = 0;
            let _ = entries_of(bytes.as_slice(), &mut |_| seen += 1);
            prop_assert!(seen <= 20);
        }
    }
}
