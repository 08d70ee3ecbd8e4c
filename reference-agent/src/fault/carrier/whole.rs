//! An answer that was read to its end.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, HttpBody};
use axum::http::response::Parts;
use axum::http::{HeaderMap, Response};
use bytes::{Bytes, BytesMut};
use http_body::Frame;
use serde_json::Value;

use super::grpc;
use crate::fault::asked::{Asked, Binding};
use crate::fault::writing::Writing;

/// An answer.
#[derive(Debug, Clone)]
pub struct Whole {
    pub head: Parts,
    pub body: Bytes,
    /// What gRPC says at the end.
    pub trailers: HeaderMap,
}

impl Whole {
    /// Reads an answer to its end.
    pub async fn read(response: Response<Body>) -> Self {
        let (head, mut body) = response.into_parts();
        let mut whole = BytesMut::new();
        let mut trailers = HeaderMap::new();
        while let Some(frame) = next_frame(&mut body).await {
            match frame.into_data() {
                Ok(data) => whole.extend_from_slice(&data),
                Err(frame) => trailers = frame.into_trailers().unwrap_or_default(),
            }
        }
        Self { head, body: whole.freeze(), trailers }
    }

    /// The body as JSON, if it is any; of an error over gRPC, its status.
    pub fn json(&self, asked: &Asked) -> Option<Value> {
        match asked.binding {
            Some(Binding::Grpc) => {
                grpc::read_status(&self.head.headers).or_else(|| grpc::read_status(&self.trailers)).or_else(|| {
                    let (_, message) = grpc::split(&mut BytesMut::from(self.body.as_ref()))?;
                    asked.rpc()?.read_answer(&message)
                })
            }
            _ => serde_json::from_slice(&self.body).ok(),
        }
    }

    /// Puts JSON in place of what was there.
    pub fn set_json(&mut self, asked: &Asked, value: &Value) {
        if asked.binding != Some(Binding::Grpc) {
            self.body = value.to_string().into();
            return;
        }
        if grpc::read_status(&self.head.headers).is_some() {
            grpc::write_status(value, &mut self.head.headers);
        } else if grpc::read_status(&self.trailers).is_some() {
            grpc::write_status(value, &mut self.trailers);
        } else if let Some(message) = asked.rpc().and_then(|rpc| rpc.write_answer(value)) {
            self.body = grpc::frame(0, &message);
        }
    }

    /// The answer, to be sent in pieces of a body whose length is not said beforehand.
    pub fn in_pieces(mut self, writing: &Writing) -> Response<Body> {
        if self.body.is_empty() {
            return self.response();
        }
        self.head.headers.remove("content-length");
        let data = writing.pieces(&self.body).into_iter().map(Frame::data);
        let trailers = Some(self.trailers).filter(|trailers| !trailers.is_empty()).map(Frame::trailers);
        let all: Vec<_> = data.chain(trailers).map(Ok).collect();
        Response::from_parts(self.head, frames(futures_util::stream::iter(all)))
    }

    /// The answer, to be sent.
    pub fn response(mut self) -> Response<Body> {
        self.head.headers.remove("content-length");
        let data = Some(self.body).filter(|body| !body.is_empty()).map(Frame::data);
        let trailers = Some(self.trailers).filter(|trailers| !trailers.is_empty()).map(Frame::trailers);
        // Without trailers the length is known, and said.
        let body = match (data, trailers) {
            (data, None) => Body::from(data.and_then(|frame| frame.into_data().ok()).unwrap_or_default()),
            (data, trailers) => frames(futures_util::stream::iter(data.into_iter().chain(trailers).map(Ok))),
        };
        Response::from_parts(self.head, body)
    }
}

/// The next frame of a body that is not lost.
pub async fn next_frame(body: &mut Body) -> Option<Frame<Bytes>> {
    poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await?.ok()
}

/// A body of frames.
pub fn frames(frames: impl futures_util::Stream<Item = Result<Frame<Bytes>, std::io::Error>> + Send + 'static) -> Body {
    Body::new(http_body_util::StreamBody::new(frames))
}
