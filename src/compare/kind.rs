//! The kinds of differences, in the order in which reports show them.

use std::fmt;

use serde::Serialize;

/// What differs. The names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// A root cause of one side only, such as nothing that listens.
    RootCause,
    /// One side serves no card.
    CardMissing,
    /// The gateway's card leads past the gateway.
    CardAddress,
    /// A signature of the card no longer verifies.
    CardSignature,
    /// A member of the card differs.
    CardChanged,
    /// A header of the card's response is lost.
    CardHeader,
    /// The A2A-Version header is lost.
    VersionLost,
    /// The A2A-Extensions header is lost.
    ExtensionsLost,
    /// Credentials are lost, or refused on the way.
    CredentialsLost,
    /// Requests without credentials are served through the gateway only.
    Unguarded,
    /// A request is delivered more than once.
    DeliveredTwice,
    /// Escapes in paths are decoded.
    PathDecoded,
    /// Queries are lost.
    QueryLost,
    /// A method of HTTP is refused.
    MethodRefused,
    /// Long bodies are refused.
    BodyLimit,
    /// Long headers are refused.
    HeaderLimit,
    /// Long calls are cut.
    TimeLimit,
    /// Many requests are refused.
    RateLimit,
    /// The gateway has no way to the agent.
    Unavailable,
    /// There is no response.
    NoResponse,
    /// Events of a stream arrive together at its end.
    StreamBuffered,
    /// A stream ends early.
    StreamCut,
    /// Fields of event streams are lost.
    StreamRewritten,
    /// The end of a body is lost.
    BodyCut,
    /// A body is compressed that the client did not ask to be.
    Compressed,
    /// A body is replaced by one that is not of A2A.
    BodyReplaced,
    /// Trailers are lost.
    TrailersLost,
    /// The media type differs.
    MediaType,
    /// The status differs.
    Status,
    /// The error differs.
    Error,
    /// A header of responses is lost or added.
    Header,
    /// A case has another verdict.
    Verdict,
    /// A case is tested on one side only.
    Untested,
}

/// Which verdicts follow from a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of the cases that showed it.
    Shown,
    /// All of its interfaces.
    Interfaces,
    /// Those of cases whose requests have a query.
    Queries,
    /// Those of cases whose paths have an escape.
    Escapes,
    /// Those of cases that name an extension.
    Extensions,
    /// Those about the card.
    Cards,
    /// Those about the time at which events arrive.
    Streams,
}

impl Kind {
    /// Every kind, in their order.
    #[cfg(test)]
    pub(super) const ALL: [Self; 33] = [
        Self::RootCause,
        Self::CardMissing,
        Self::CardAddress,
        Self::CardSignature,
        Self::CardChanged,
        Self::CardHeader,
        Self::VersionLost,
        Self::ExtensionsLost,
        Self::CredentialsLost,
        Self::Unguarded,
        Self::DeliveredTwice,
        Self::PathDecoded,
        Self::QueryLost,
        Self::MethodRefused,
        Self::BodyLimit,
        Self::HeaderLimit,
        Self::TimeLimit,
        Self::RateLimit,
        Self::Unavailable,
        Self::NoResponse,
        Self::StreamBuffered,
        Self::StreamCut,
        Self::StreamRewritten,
        Self::BodyCut,
        Self::Compressed,
        Self::BodyReplaced,
        Self::TrailersLost,
        Self::MediaType,
        Self::Status,
        Self::Error,
        Self::Header,
        Self::Verdict,
        Self::Untested,
    ];

    /// Which verdicts follow from it.
    pub(super) fn reach(self) -> Reach {
        match self {
            Self::RootCause | Self::VersionLost | Self::CredentialsLost | Self::DeliveredTwice => Reach::Interfaces,
            Self::QueryLost => Reach::Queries,
            Self::PathDecoded => Reach::Escapes,
            Self::ExtensionsLost => Reach::Extensions,
            Self::CardMissing | Self::CardSignature | Self::CardChanged | Self::CardHeader => Reach::Cards,
            Self::StreamBuffered => Reach::Streams,
            _ => Reach::Shown,
        }
    }

    /// What to do about it.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::RootCause => "check the gateway's route to the agent",
            Self::CardMissing => "route the well-known paths of the card to the agent",
            Self::CardAddress => {
                "rewrite the addresses in the card to the gateway's own, or set the agent's public URL"
            }
            Self::CardSignature => "pass the card on unchanged, or sign it again at the gateway",
            Self::CardChanged => "pass the members of the card on unchanged",
            Self::CardHeader => "pass ETag, Last-Modified and Cache-Control of the card on",
            Self::VersionLost => "pass the A2A-Version header of requests on",
            Self::ExtensionsLost => "pass the A2A-Extensions header of requests and responses on",
            Self::CredentialsLost => {
                "pass the Authorization header and API keys on, or give the gateway's credentials (--gateway-bearer, --gateway-header)"
            }
            Self::Unguarded => "check whether the gateway should let in requests without credentials",
            Self::DeliveredTwice => "turn off retries and mirroring of POST requests",
            Self::PathDecoded => "pass the path on as received, with its escapes (nginx: proxy_pass without a path)",
            Self::QueryLost => "pass the query of requests on",
            Self::MethodRefused => "allow GET, POST and DELETE",
            Self::BodyLimit => "raise the limit for request bodies (nginx: client_max_body_size)",
            Self::HeaderLimit => "raise the limit for request headers (nginx: large_client_header_buffers)",
            Self::TimeLimit => "raise the time limit for responses (nginx: proxy_read_timeout)",
            Self::RateLimit => "raise the rate limit, or lower --rate",
            Self::Unavailable => "check the gateway's route to the agent",
            Self::NoResponse => "check the gateway's log for the request",
            Self::StreamBuffered => "turn off the buffering of responses (nginx: proxy_buffering off)",
            Self::StreamCut => "raise the time limit for streams, and turn off limits on the length of responses",
            Self::StreamRewritten => "pass event streams on byte by byte",
            Self::BodyCut => "pass the whole body on",
            Self::Compressed => "compress only if the request has Accept-Encoding",
            Self::BodyReplaced => "pass error responses on, without error pages (nginx: proxy_intercept_errors off)",
            Self::TrailersLost => "carry HTTP/2 with trailers to the agent (nginx: grpc_pass)",
            Self::MediaType => "pass Content-Type on",
            Self::Status => "pass the status of responses on",
            Self::Error => "pass error responses on",
            Self::Header => "pass the header on",
            Self::Verdict | Self::Untested => "compare the two responses in the evidence",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::compare::difference::SCHEMA;

    const DOCUMENT: &str = include_str!("../../docs/gateways.md");

    #[test]
    fn the_schema_and_the_document_have_every_name() {
        let names = Kind::ALL.map(|kind| kind.to_string());
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(schema["$defs"]["kind"]["enum"], json!(names.as_slice()));
        for name in names {
            assert!(DOCUMENT.contains(&format!("`{name}`")), "docs/gateways.md does not explain {name}");
        }
    }
}
