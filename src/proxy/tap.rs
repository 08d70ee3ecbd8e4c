//! A body that passes, and is read along.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::binding::LONGEST_BODY;
use crate::har;

/// The most bytes of bodies that are kept at once, of all exchanges that are under way or wait to be judged.
const MOST_KEPT: usize = 64 << 20;

/// The room for bodies that are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Room(Arc<AtomicUsize>);

/// What was kept of a body.
#[derive(Debug)]
pub(super) struct Kept {
    room: Room,
    bytes: BytesMut,
    /// Why the rest is missing.
    lacks: Option<&'static str>,
    /// The trailers, with names in lower case.
    pub trailers: Vec<(String, String)>,
    /// Whether it came to its end.
    pub is_whole: bool,
}

impl Kept {
    /// Nothing yet.
    pub fn new(room: &Room) -> Self {
        Self { room: room.clone(), bytes: BytesMut::new(), lacks: None, trailers: Vec::new(), is_whole: false }
    }

    fn add(&mut self, data: &Bytes) {
        if self.lacks.is_some() {
            return;
        }
        let before = self.room.0.fetch_add(data.len(), Ordering::Relaxed);
        self.lacks = match (self.bytes.len() + data.len() > LONGEST_BODY, before + data.len() > MOST_KEPT) {
            (true, _) => Some("its body is larger than the suite reads"),
            (false, true) => Some("more bodies were under way at once than the proxy keeps"),
            (false, false) => None,
        };
        match self.lacks {
            None => self.bytes.extend_from_slice(data),
            Some(_) => {
                self.room.0.fetch_sub(data.len(), Ordering::Relaxed);
                self.forget();
            }
        }
    }

    fn forget(&mut self) {
        self.room.0.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        self.bytes = BytesMut::new();
    }

    /// The body as archives have it.
    pub fn body(&self) -> har::Body {
        match self.lacks {
            Some(why) => har::Body::Missing(why),
            None => har::Body::Whole(Bytes::copy_from_slice(&self.bytes)),
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.forget();
    }
}

/// What is kept of a body that is still passing.
pub(super) type Keeping = Arc<Mutex<Kept>>;

/// What is kept so far.
pub(super) fn kept(keeping: &Keeping) -> MutexGuard<'_, Kept> {
    keeping.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who is to know how a body ended: nothing where it came to its end.
type Ended = Box<dyn FnOnce(Option<&str>) + Send>;

/// A body that passes.
pub(super) struct Tapped {
    inner: Incoming,
    keeping: Keeping,
    ended: Option<Ended>,
}

impl Tapped {
    /// `ended` is called once: at its end, where it breaks off, or where its reader is gone.
    pub fn new(inner: Incoming, keeping: Keeping, ended: impl FnOnce(Option<&str>) + Send + 'static) -> Self {
        let mut tapped = Self { inner, keeping, ended: Some(Box::new(ended)) };
        if tapped.inner.is_end_stream() {
            tapped.end(None);
        }
        tapped
    }

    fn end(&mut self, why: Option<&str>) {
        if let Some(ended) = self.ended.take() {
            kept(&self.keeping).is_whole = why.is_none();
            ended(why);
        }
    }
}

impl Body for Tapped {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        match &frame {
            None => self.end(None),
            Some(Err(error)) => {
                let why = error.to_string();
                self.end(Some(&why));
            }
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    kept(&self.keeping).add(data);
                } else if let Some(trailers) = frame.trailers_ref() {
                    kept(&self.keeping).trailers = super::forward::texts(trailers);
                }
                // Whoever knows the length reads no further.
                if self.inner.is_end_stream() {
                    self.end(None);
                }
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Tapped {
    fn drop(&mut self) {
        self.end(Some("the client closed the connection"));
    }
}
