//! What somebody may have meant who wrote a name that is not known.

use std::collections::BTreeSet;

/// The most names that a help lists.
const MOST: usize = 24;

/// The known name that is nearest to the one that was written, if it is near enough to have been meant.
///
/// About one character in three may be wrong, exchanged, missing or too many; the case of letters does not count.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let wanted = plain(written);
    let most = (wanted.chars().count() / 3).max(1);
    let near = known.into_iter().filter(|name| *name != written).filter_map(|name| {
        let distance = strsim::damerau_levenshtein(&wanted, &plain(name));
        (distance <= most && distance < wanted.chars().count()).then_some((distance, name))
    });
    near.min().map(|(_, name)| name)
}

/// What to do about a name that is not known: the one that was meant, or those that there are. `None` where there is none.
pub fn help<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: BTreeSet<&str> = known.into_iter().collect();
    if let Some(near) = nearest(written, known.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let mut listed: Vec<&str> = known.iter().copied().take(MOST).collect();
    if known.len() > MOST {
        listed.push("...");
    }
    match listed.as_slice() {
        [] => None,
        [only] => Some(format!("there is only {only}")),
        all => Some(format!("there are {}", all.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood() {
        let keys = ["with", "walk", "wait", "when", "expect", "rpc-id", "outcome"];
        let rows = [
            ("wiht", Some("with")),
            ("rpcId", Some("rpc-id")),
            ("Expect", Some("expect")),
            ("outcom", Some("outcome")),
            ("outcomes", Some("outcome")),
            ("given", None),
            ("x", None),
            ("", None),
        ];
        for (written, meant) in rows {
            assert_eq!(nearest(written, keys), meant, "{written}");
        }
        assert_eq!(nearest("artefacts", ["artifacts", "history"]), Some("artifacts"));
        assert_eq!(nearest("idd", ["id", "contextId"]), Some("id"));
    }

    #[test]
    fn where_nothing_is_near_everything_is_named() {
        assert_eq!(help("given", ["b", "a"]).as_deref(), Some("there are a, b"));
        assert_eq!(help("given", ["a"]).as_deref(), Some("there is only a"));
        assert_eq!(help("given", []), None);
        assert_eq!(help("gvien", ["given"]).as_deref(), Some("did you mean `given`?"));
    }
}
