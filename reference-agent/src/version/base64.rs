//! Bytes as text (RFC 4648).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes `bytes` with the standard alphabet and padding, as the JSON form of protobuf does.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| (group << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let index = usize::try_from((group >> (18 - 6 * position)) & 63).unwrap_or_default();
            let digit = ALPHABET.get(index).filter(|_| position <= chunk.len());
            text.push(digit.map_or('=', |byte| char::from(*byte)));
        }
    }
    text
}

/// Reads either alphabet, padded or not, as the JSON form of protobuf asks; `None` for anything else, a mixture of both
/// alphabets included.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if text.contains(['+', '/']) && text.contains(['-', '_']) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let needed = (4 - digits.len() % 4) % 4;
    if needed == 3 || (padding != 0 && padding != needed) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        bits = (bits << 6) | u32::from(value(digit)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap_or_default());
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

const fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "+/8=");
        assert_eq!(decode("-_8"), Some(vec![0xfb, 0xff]));
    }

    #[test]
    fn refuses_what_is_no_base64() {
        for bad in ["A", "Zg=", "Zg===", "Zm9v=", "Zm 9v", "Zm9v\n", "Zg==Zg==", "!!!!", "Zmé=", "===="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn either_alphabet_but_not_both() {
        let bytes = decode("+/+/+/+/");
        assert!(bytes.is_some());
        assert_eq!(decode("-_-_-_-_"), bytes);
        for mixed in ["+/+/-_-_", "-_-_+/+/", "AA+_", "AA-/", "A-+A", "A_/A"] {
            assert_eq!(decode(mixed), None, "{mixed}");
        }
    }

    #[test]
    fn every_byte_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..bytes.len() {
            assert_eq!(decode(&encode(&bytes[..length])).as_deref(), Some(&bytes[..length]));
        }
    }
}
