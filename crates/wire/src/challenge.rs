//! The challenges of HTTP authentication (RFC 9110, sections 11.3 and 11.6.1).

use super::http::{is_space, token};

/// The names of the schemes that the values of `WWW-Authenticate` ask for, in their order. A value may hold several challenges, and
/// the commas between them are those between the parameters of one, too: what begins with a token alone, or with one and a space, is
/// a challenge. What is neither that nor a parameter is left out.
pub fn schemes<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    values.flat_map(elements).filter_map(scheme).collect()
}

/// The elements of a list, which are between commas outside of quotes (sections 5.6.1 and 5.6.4).
fn elements(value: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    value.split(move |c| {
        let ends = c == ',' && !is_quoted;
        let is_quote = c == '"' && !is_escaped;
        is_escaped = c == '\\' && is_quoted && !is_escaped;
        is_quoted ^= is_quote;
        ends
    })
}

/// The scheme with which an element begins; nothing where it is a parameter, which may have white space around its `=`.
fn scheme(element: &str) -> Option<&str> {
    let (name, rest) = token(element.trim_matches(is_space))?;
    let is_alone = rest.is_empty() || rest.starts_with(is_space);
    (is_alone && !rest.trim_start_matches(is_space).starts_with('=')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_told_from_their_parameters() {
        for (values, wanted) in [
            (&["Bearer"][..], &["Bearer"][..]),
            (&[r#"Bearer realm="a, b", error="invalid_token""#], &["Bearer"]),
            (
                &[r#"Newauth realm="apps", type=1, title="Login to \"apps\", now", Basic realm="simple""#],
                &["Newauth", "Basic"],
            ),
            (&["Negotiate", r#"Basic realm="a""#], &["Negotiate", "Basic"]),
            (&["Negotiate YII=, \tDPoP algs=\"ES256\" "], &["Negotiate", "DPoP"]),
            (&["Digest realm = \"a\" , nonce = x,, Bearer"], &["Digest", "Bearer"]),
            (&[r#"Bearer realm="never, Basic"#], &["Bearer"]),
            (&[r#""a2a""#, r#"realm="a""#, "", " , ", "é"], &[]),
        ] {
            assert_eq!(schemes(values.iter().copied()), wanted, "{values:?}");
        }
    }
}
