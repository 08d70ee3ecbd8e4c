//! The status codes.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $variant:ident = $number:literal $name:literal,)*) => {
        /// A status code of gRPC.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])* $variant = $number,)*
        }

        impl Code {
            /// Every code, by number.
            pub const ALL: [Self; 17] = [$(Self::$variant,)*];

            /// Its name as specifications write it: `NOT_FOUND`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    /// Success.
    Ok = 0 "OK",
    /// The call was cancelled, mostly by its caller.
    Cancelled = 1 "CANCELLED",
    /// An error of which no more is known.
    Unknown = 2 "UNKNOWN",
    /// The request makes no sense in any state of the server.
    InvalidArgument = 3 "INVALID_ARGUMENT",
    /// The time that the client gave was over.
    DeadlineExceeded = 4 "DEADLINE_EXCEEDED",
    /// What was asked for is not there.
    NotFound = 5 "NOT_FOUND",
    /// What was to be created is there already.
    AlreadyExists = 6 "ALREADY_EXISTS",
    /// The caller is known and may not do this.
    PermissionDenied = 7 "PERMISSION_DENIED",
    /// A quota or a size is used up.
    ResourceExhausted = 8 "RESOURCE_EXHAUSTED",
    /// The state of the server does not allow it.
    FailedPrecondition = 9 "FAILED_PRECONDITION",
    /// A conflict with another call ended this one.
    Aborted = 10 "ABORTED",
    /// Past the end of what there is.
    OutOfRange = 11 "OUT_OF_RANGE",
    /// The server has no such method, or does not support it.
    Unimplemented = 12 "UNIMPLEMENTED",
    /// The server broke a promise that it made to itself.
    Internal = 13 "INTERNAL",
    /// The server cannot be used now.
    Unavailable = 14 "UNAVAILABLE",
    /// Data were lost or damaged for good.
    DataLoss = 15 "DATA_LOSS",
    /// The caller is not known.
    Unauthenticated = 16 "UNAUTHENTICATED",
}

impl Code {
    /// What a client takes a stream for that was reset with this error code of HTTP/2 (the protocol document, "Errors").
    #[must_use]
    pub fn of_reset(code: u32) -> Self {
        match code {
            // REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY.
            0x7 => Self::Unavailable,
            0x8 => Self::Cancelled,
            0xb => Self::ResourceExhausted,
            0xc => Self::PermissionDenied,
            _ => Self::Internal,
        }
    }

    /// What a client takes an HTTP status for that comes without one of gRPC (the document on that mapping).
    #[must_use]
    pub fn of_http(status: u16) -> Self {
        match status {
            400 => Self::Internal,
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::Unimplemented,
            429 | 502..=504 => Self::Unavailable,
            _ => Self::Unknown,
        }
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The code of a number, where it has one.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no status code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no status code of gRPC: those are OK, CANCELLED and so on to UNAUTHENTICATED, or 0 to 16")]
pub struct UnknownCode(pub String);

impl FromStr for Code {
    type Err = UnknownCode;

    /// Reads a name, or a number in decimal digits.
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let by_name = || Self::ALL.into_iter().find(|code| code.name() == text);
        let by_number = || text.parse().ok().and_then(Self::from_number);
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let found = if is_number { by_number() } else { by_name() };
        found.ok_or_else(|| UnknownCode(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        for (number, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code.number() as usize, number);
            assert_eq!(code.to_string().parse(), Ok(code));
            assert_eq!(number.to_string().parse(), Ok(code));
        }
    }

    #[test]
    fn other_protocols_have_codes() {
        for (status, code) in [
            (400, Code::Internal),
            (401, Code::Unauthenticated),
            (403, Code::PermissionDenied),
            (404, Code::Unimplemented),
            (429, Code::Unavailable),
            (500, Code::Unknown),
            (501, Code::Unknown),
            (502, Code::Unavailable),
            (503, Code::Unavailable),
            (504, Code::Unavailable),
            (505, Code::Unknown),
            (418, Code::Unknown),
        ] {
            assert_eq!(Code::of_http(status), code, "{status}");
        }
        for (reset, code) in [
            (0x0, Code::Internal),
            (0x7, Code::Unavailable),
            (0x8, Code::Cancelled),
            (0xb, Code::ResourceExhausted),
            (0xc, Code::PermissionDenied),
        ] {
            assert_eq!(Code::of_reset(reset), code, "{reset}");
        }
    }

    #[test]
    fn refuses_what_is_no_code() {
        for text in ["", "17", "-1", "+5", " 5", "not_found", "NotFound", "99999999999999999999", "5.0"] {
            assert_eq!(text.parse::<Code>(), Err(UnknownCode(text.to_owned())));
        }
    }
}
