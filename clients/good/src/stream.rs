//! The events of one stream, as they come.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::deviation::deviates;
use crate::failure::{Failure, Kind};
use crate::interface::Binding;
use crate::sse::Reader;
use crate::{http, http_json, jsonrpc, model, read};

/// How far the task of a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// More must come.
    Open,
    /// It waits for somebody: the stream may end, or go on.
    Interrupted,
    /// Nothing more need come.
    Over,
}

/// A stream that an agent has begun.
#[derive(Debug)]
pub(crate) struct Events {
    response: Response,
    reader: Reader,
    waiting: VecDeque<String>,
    binding: Binding,
    /// That of the JSON-RPC request.
    id: Value,
    stage: Stage,
    ended: bool,
}

impl Events {
    pub(crate) fn new(response: Response, binding: Binding, id: Value) -> Self {
        Self {
            response,
            reader: Reader::default(),
            waiting: VecDeque::new(),
            binding,
            id,
            stage: Stage::Open,
            ended: false,
        }
    }

    /// The next event, for which this waits no longer than a limit. None: the stream is over, and nothing is missing.
    pub(crate) async fn next(&mut self, limit: Duration) -> Option<Result<Value, Failure>> {
        let limit = if deviates("stream/waits-two-seconds-only") { limit.min(Duration::from_secs(2)) } else { limit };
        if self.stage == Stage::Interrupted && deviates("stream/ends-when-interrupted") {
            return None;
        }
        loop {
            if let Some(data) = self.waiting.pop_front() {
                match self.event(&data) {
                    Ok(None) => continue,
                    Err(_) if deviates("stream/error-taken-for-the-end") => return None,
                    told => {
                        self.ended |= told.is_err();
                        return told.transpose();
                    }
                }
            }
            if self.ended {
                return None;
            }
            match timeout(limit, http::piece(&mut self.response)).await {
                Ok(Ok(Some(bytes))) => match self.reader.take(&bytes) {
                    Ok(events) => self.waiting.extend(events),
                    Err(problem) => return self.fail(Failure::unreadable(problem)),
                },
                Ok(Ok(None)) => {
                    self.ended = true;
                    if self.reader.is_amid() && deviates("sse/unfinished-event-taken") {
                        self.waiting.extend(self.reader.rest());
                        continue;
                    }
                    return self.cut();
                }
                Ok(Err(_)) if deviates("stream/cut-is-the-end") => return None,
                Ok(Err(failure)) => return self.fail(failure),
                // The agent should have closed the stream.
                Err(_) if self.stage == Stage::Over => return None,
                Err(_) => return self.fail(Failure::new(Kind::Timeout, "no event within the limit")),
            }
        }
    }

    fn fail(&mut self, failure: Failure) -> Option<Result<Value, Failure>> {
        self.ended = true;
        Some(Err(failure))
    }

    /// A stream may end when its task has ended or waits; else something was lost on the way.
    fn cut(&mut self) -> Option<Result<Value, Failure>> {
        if self.reader.is_amid() {
            if deviates("stream/end-within-an-event-is-the-end") {
                return None;
            }
            return self.fail(Failure::transport("the stream ended within an event"));
        }
        if self.stage == Stage::Open && !deviates("stream/early-end-is-the-end") {
            return self.fail(Failure::transport("the stream ended while the task was at work"));
        }
        None
    }

    fn event(&mut self, data: &str) -> Result<Option<Value>, Failure> {
        let value = match self.binding {
            Binding::JsonRpc => jsonrpc::response(data.as_bytes(), &self.id)?,
            Binding::HttpJson => {
                let value: Value =
                    serde_json::from_str(data).map_err(|error| Failure::unreadable(error.to_string()))?;
                let status = value["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
                if let Some(failure) = http_json::of_error(status.unwrap_or(500), "", &value) {
                    return Err(failure);
                }
                value
            }
        };
        let event = read::message(value, "StreamResponse").map_err(Failure::unreadable)?;
        let kind = read::payload(&event).map_err(Failure::unreadable)?;
        let first = self.stage == Stage::Open && deviates("stream/message-refused");
        match kind {
            // A kind of event of a later version.
            None if deviates("stream/unknown-event-fails") => return Err(Failure::unreadable("an unknown event")),
            None => return Ok(None),
            Some("message") if first => return Err(Failure::unreadable("a message in place of a task")),
            Some("message") => self.stage = Stage::Over,
            Some(kind) => {
                if let Some(state) = event[kind]["status"]["state"].as_str() {
                    self.stage = stage(state, self.stage);
                }
            }
        }
        let task = &event["task"];
        if deviates("stream/terminal-task-lost")
            && model::is_terminal(task["status"]["state"].as_str().unwrap_or_default())
        {
            return Ok(None);
        }
        if deviates("stream/artifacts-lost") && event.get("artifactUpdate").is_some() {
            return Ok(None);
        }
        let appends = event["artifactUpdate"]["append"] == true;
        if appends && deviates("stream/appended-pieces-lost") {
            return Ok(None);
        }
        if deviates("stream/unknown-state-lost") {
            let state = event["statusUpdate"]["status"]["state"].as_str().unwrap_or("TASK_STATE_WORKING");
            if !model::STATES.contains(&state) {
                self.ended = true;
                self.waiting.clear();
                return Ok(None);
            }
        }
        Ok(Some(event))
    }
}

fn stage(state: &str, before: Stage) -> Stage {
    if model::is_terminal(state) || (before == Stage::Over && state == "TASK_STATE_UNSPECIFIED") {
        Stage::Over
    } else if model::is_interrupted(state) {
        Stage::Interrupted
    } else {
        Stage::Open
    }
}
