//! Changes the events of a stream as an effect says.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::{Response, header};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::apply::{self, Answer};
use crate::bug::Effect;
use crate::call::Call;
use crate::proxy::{Body, Broken, State, lock};

/// What goes to the client.
type Piece = Result<Frame<Bytes>, std::io::Error>;

/// An answer whose events are changed on the way.
pub(crate) fn change(
    state: Arc<State>,
    call: Call,
    response: Response<Incoming>,
    effect: Option<Effect>,
    hint: Option<String>,
) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    if let Some(reflect @ Effect::Reflect(..)) = &effect {
        let mut answer = Answer { is_refusal: false, payload: Value::Null, head: Vec::new() };
        if apply::apply(reflect, &call, &mut answer, &lock(&state.memory)) {
            state.shown();
        }
        for (name, value) in answer.head {
            if let (Ok(name), Ok(value)) = (http::HeaderName::from_bytes(name.as_bytes()), value.parse()) {
                head.headers.insert(name, value);
            }
        }
    }
    head.headers.remove(header::CONTENT_LENGTH);
    let (to_client, from_task) = mpsc::channel(4);
    tokio::spawn(async move {
        let changer = Changer { state, call, effect, hint, to_client, events: 0, is_done: false, held: None };
        // The client went, or the agent did: either ends the stream.
        let _ended = changer.run(body).await;
    });
    let frames = futures_util::stream::unfold(from_task, |mut from| async move {
        from.recv().await.map(|piece: Piece| (piece, from))
    });
    Response::from_parts(head, StreamBody::new(frames).boxed_unsync())
}

struct Changer {
    state: Arc<State>,
    call: Call,
    effect: Option<Effect>,
    hint: Option<String>,
    to_client: mpsc::Sender<Piece>,
    events: usize,
    /// Whether the effect was had that comes once for a stream.
    is_done: bool,
    /// An event that comes behind the next.
    held: Option<Bytes>,
}

impl Changer {
    async fn run(mut self, mut body: Incoming) -> Result<(), Broken> {
        let mut read = BytesMut::new();
        loop {
            let frame = tokio::select! {
                () = self.to_client.closed() => return Ok(()),
                frame = body.frame() => frame,
            };
            let Some(frame) = frame else { break };
            if let Ok(data) = frame?.into_data() {
                read.extend_from_slice(&data);
            }
            while let Some(end) = read.windows(2).position(|two| two == b"\n\n") {
                let event = read.split_to(end + 2).freeze();
                self.event(event).await?;
            }
        }
        if let Some(held) = self.held.take() {
            self.pass(held).await?;
        }
        if !read.is_empty() {
            self.pass(read.freeze()).await?;
        }
        Ok(())
    }

    async fn pass(&self, data: Bytes) -> Result<(), Broken> {
        Ok(self.to_client.send(Ok(Frame::data(data))).await.map_err(|_| "the client is gone")?)
    }

    async fn event(&mut self, event: Bytes) -> Result<(), Broken> {
        self.events += 1;
        let Some((mut whole, at)) = read(&event, self.call.is_jsonrpc) else { return self.pass(event).await };
        let payload = whole.pointer(at).cloned().unwrap_or_default();
        let is_artifact = payload.get("artifactUpdate").is_some();
        let is_first_artifact = is_artifact && !self.is_done;
        match self.effect.clone() {
            None => {
                let mut answer = Answer { is_refusal: false, payload, head: Vec::new() };
                if let Some(hint) = &self.hint {
                    apply::hint(hint, &mut answer);
                }
                put(&mut whole, at, answer.payload);
                self.pass(line(&whole)).await
            }
            Some(Effect::Hang) if self.events > 1 => {
                self.state.shown();
                self.to_client.closed().await;
                Err("the client is gone".into())
            }
            Some(Effect::Close { .. }) if self.events > 1 => {
                self.state.shown();
                self.to_client.send(Err(std::io::Error::other("the bug closes the connection"))).await?;
                Err("the connection is closed".into())
            }
            Some(Effect::EventTwice) if is_first_artifact => {
                self.once();
                self.pass(event.clone()).await?;
                self.pass(event).await
            }
            Some(Effect::EventLost) if is_first_artifact => {
                self.once();
                Ok(())
            }
            Some(Effect::EventsSwapped) if is_first_artifact => {
                self.is_done = true;
                self.held = Some(event);
                Ok(())
            }
            Some(Effect::EventForeign) if self.events > 1 && !self.is_done => {
                let foreign = apply::foreign(&payload, &lock(&self.state.memory));
                self.pass(event).await?;
                if let Some(foreign) = foreign {
                    self.once();
                    put(&mut whole, at, foreign);
                    self.pass(line(&whole)).await?;
                }
                Ok(())
            }
            Some(effect) => {
                let mut payload = payload;
                let is_changed = apply::change(&effect, &self.call, &mut payload, &lock(&self.state.memory));
                if is_changed {
                    self.state.shown();
                    put(&mut whole, at, payload);
                    self.pass(line(&whole)).await?;
                } else {
                    self.pass(event).await?;
                }
                if let Some(held) = self.held.take() {
                    self.state.shown();
                    self.pass(held).await?;
                }
                Ok(())
            }
        }
    }

    fn once(&mut self) {
        self.is_done = true;
        self.state.shown();
    }
}

/// The JSON of an event, and where its payload is.
fn read(event: &[u8], is_jsonrpc: bool) -> Option<(Value, &'static str)> {
    let text = std::str::from_utf8(event).ok()?;
    let data = text.lines().find_map(|line| line.strip_prefix("data:"))?;
    let whole: Value = serde_json::from_str(data.trim_start()).ok()?;
    let at = if is_jsonrpc { "/result" } else { "" };
    whole.pointer(at)?;
    Some((whole, at))
}

fn put(whole: &mut Value, at: &str, payload: Value) {
    if let Some(old) = whole.pointer_mut(at) {
        *old = payload;
    }
}

fn line(whole: &Value) -> Bytes {
    Bytes::from(format!("data: {whole}\n\n"))
}
