//! What the extensions of a request put on all that the agent makes of its message: the mark of `urn:a2aspec:echo:v1`, and what the
//! extensions "timestamp" and "traceability" of the A2A project's samples add.

use serde_json::{Value, json};

use super::echo::Mark;
use crate::model::{Artifact, Message, Metadata, Timestamp};

/// The URI of the extension that adds the time of creation.
pub const TIMESTAMP_EXTENSION: &str = "https://github.com/a2aproject/a2a-samples/extensions/timestamp/v1";
/// The URI of the extension that adds a trace.
pub const TRACEABILITY_EXTENSION: &str = "https://github.com/a2aproject/a2a-samples/extensions/traceability/v1";

const TIMESTAMP_KEY: &str = "github.com/a2aproject/a2a-samples/extensions/timestamp/v1/timestamp";
const TRACE_KEY: &str = "github.com/a2aproject/a2a-samples/extensions/traceability/v1/traceability";

/// Which of the sample extensions a request has active.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Samples {
    /// That which adds the time of creation.
    pub timestamp: bool,
    /// That which adds a trace.
    pub trace: bool,
}

/// What is put on messages and artifacts.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// The mark that comes back.
    pub echo: Option<Mark>,
    /// The sample extensions.
    pub samples: Samples,
}

impl Marks {
    /// Puts them on an artifact that is made now; the time is asked for only where one of them has it.
    pub fn put_on_artifact(&self, artifact: &mut Artifact, now: impl FnOnce() -> Timestamp) {
        let time = self.time(now);
        self.put(&mut artifact.metadata, &mut artifact.extensions, &time);
        if self.samples.trace {
            let trace_id = format!("trace-of-{}", artifact.artifact_id);
            let step = json!({
                "step_id": "step-1", "trace_id": trace_id, "call_type": "AGENT", "latency": 0, "start_time": time, "end_time": time,
            });
            let trace = json!({ "trace_id": trace_id, "steps": [step] });
            add(&mut artifact.metadata, &mut artifact.extensions, (TRACEABILITY_EXTENSION, TRACE_KEY, trace));
        }
    }

    /// Puts them on a message of the agent that is made now, likewise.
    pub fn put_on_message(&self, message: &mut Message, now: impl FnOnce() -> Timestamp) {
        self.put(&mut message.metadata, &mut message.extensions, &self.time(now));
    }

    fn time(&self, now: impl FnOnce() -> Timestamp) -> Option<String> {
        (self.samples.timestamp || self.samples.trace).then(|| now().to_string())
    }

    fn put(&self, metadata: &mut Metadata, extensions: &mut Vec<String>, time: &Option<String>) {
        if let Some(mark) = &self.echo {
            mark.put(metadata, extensions);
        }
        if self.samples.timestamp {
            add(metadata, extensions, (TIMESTAMP_EXTENSION, TIMESTAMP_KEY, json!(time)));
        }
    }
}

fn add(metadata: &mut Metadata, extensions: &mut Vec<String>, (uri, key, data): (&str, &str, Value)) {
    metadata.extend(Metadata::from_iter([(key.to_owned(), data)]));
    extensions.push(uri.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Part;

    #[test]
    fn what_is_asked_for_is_added_and_named() {
        let made = |samples| {
            let mut artifact = Artifact::new("a".to_owned(), "a", vec![Part::text("x")]);
            Marks { echo: None, samples }.put_on_artifact(&mut artifact, || Timestamp::UNIX_EPOCH);
            artifact
        };
        let both = made(Samples { timestamp: true, trace: true });
        assert_eq!(both.extensions, [TIMESTAMP_EXTENSION, TRACEABILITY_EXTENSION]);
        assert_eq!(both.metadata.get(TIMESTAMP_KEY), Some(&json!("1970-01-01T00:00:00.000Z")));
        assert_eq!(both.metadata.get(TRACE_KEY).and_then(|trace| trace.get("trace_id")), Some(&json!("trace-of-a")));
        assert_eq!(made(Samples::default()).extensions, [""; 0]);
    }
}
