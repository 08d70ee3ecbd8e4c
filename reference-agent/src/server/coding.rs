//! The transfer codings of a request. hyper looks at the last one only, and would pass on what the others have made as the body.

use axum::http::header::TRANSFER_ENCODING;
use axum::http::{HeaderMap, StatusCode};

/// Checks that a body is chunked once, and coded in no other way (RFC 9112, sections 6.1 and 7.1).
///
/// # Errors
/// What is wrong, as a status and a sentence for the client.
pub fn check(headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
    let fields = headers.get_all(TRANSFER_ENCODING).iter();
    let is_chunked = |coding: &[u8]| coding.eq_ignore_ascii_case(b"chunked");
    let codings = fields.flat_map(|field| field.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    let codings: Vec<&[u8]> = codings.filter(|coding| !coding.is_empty()).collect();
    match codings.as_slice() {
        [] => Ok(()),
        [coding] if is_chunked(coding) => Ok(()),
        many if many.iter().all(|coding| is_chunked(coding)) => {
            Err((StatusCode::BAD_REQUEST, "the body is chunked more than once"))
        }
        _ => Err((StatusCode::NOT_IMPLEMENTED, "this agent knows no transfer coding but chunked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_chunked_is_known() {
        for (fields, status) in [
            (&[][..], None),
            (&["chunked"], None),
            (&["Chunked"], None),
            (&[" , chunked ,"], None),
            (&["gzip, chunked"], Some(501)),
            (&["gzip", "chunked"], Some(501)),
            (&["identity,chunked"], Some(501)),
            (&["x;a=b, chunked"], Some(501)),
            (&["\u{e9}, chunked"], Some(501)),
            (&["chunked, chunked"], Some(400)),
            (&["chunked", "chunked"], Some(400)),
        ] {
            let mut headers = HeaderMap::new();
            for field in fields {
                headers.append(TRANSFER_ENCODING, field.parse().unwrap());
            }
            assert_eq!(check(&headers).err().map(|(status, _)| status.as_u16()), status, "{fields:?}");
        }
    }
}
