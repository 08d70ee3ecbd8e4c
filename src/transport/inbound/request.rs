//! What the agent sends to a hook.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

use crate::binding::LONGEST_BODY;
use crate::transcript::{Ended, Limit, TransportError};
use crate::transport::http::KEPT_OF_TOO_MUCH;

/// A request that was received.
#[derive(Debug)]
pub(super) struct Received {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: BytesMut,
}

impl Received {
    /// A request of which the head has come.
    pub fn new(head: &hyper::http::request::Parts) -> Self {
        let headers = head.headers.iter();
        Self {
            method: head.method.as_str().to_owned(),
            target: head.uri.to_string(),
            headers: headers.map(|(name, value)| (name.as_str().to_owned(), lossy(value.as_bytes()))).collect(),
            body: BytesMut::new(),
        }
    }

    /// Whether it brings something. What only asks whether there is a webhook does not.
    pub fn is_delivery(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }

    /// What an agent wants to get back that makes sure of the webhook before it uses it: the token in the query (0.3, topic
    /// "Streaming & Asynchronous Operations", Webhook URL Validation); nothing where it does not ask.
    pub fn asked_back(&self) -> Bytes {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        let mut members = url::form_urlencoded::parse(query.as_bytes());
        let token = members.find(|(name, _)| name == "validationToken").map(|(_, token)| token.into_owned());
        Bytes::from(token.unwrap_or_default())
    }

    /// Reads the body on until more than `most` bytes are there, and returns whether that was all of it.
    ///
    /// # Errors
    /// How it ended before its end.
    pub async fn read(&mut self, body: &mut hyper::body::Incoming, most: usize) -> Result<bool, Ended> {
        while self.body.len() <= most {
            let Some(frame) = body.frame().await else { return Ok(true) };
            let frame = frame.map_err(|_| Ended::Failed(TransportError::Reset))?;
            let Ok(data) = frame.into_data() else { continue };
            if self.body.len() + data.len() > LONGEST_BODY {
                self.body = beginning(&self.body);
                return Err(Ended::Endless(Limit::Bytes(LONGEST_BODY)));
            }
            self.body.extend_from_slice(&data);
        }
        Ok(false)
    }
}

/// What is kept of too much, in memory of its own: a body that is only cut keeps all of its memory.
fn beginning(body: &BytesMut) -> BytesMut {
    BytesMut::from(body.get(..KEPT_OF_TOO_MUCH).unwrap_or(body))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn too_much_takes_no_more_memory_than_is_kept() {
    let kept = beginning(&BytesMut::zeroed(LONGEST_BODY));
    assert_eq!(kept.len(), KEPT_OF_TOO_MUCH);
    assert!(kept.capacity() < 2 * KEPT_OF_TOO_MUCH, "{}", kept.capacity());
    assert_eq!(beginning(&BytesMut::from("short")), "short");
}
