//! What the agent does with a message.

use std::time::Duration;

use a2a::{
    A2AError, Artifact, Message, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent, new_artifact_id,
};
use a2a_server::{AgentExecutor, ExecutorContext};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use serde_json::json;
use tokio::time::sleep;

/// About three seconds of work: long enough to cancel, subscribe and list while it runs.
const SLOW_CHUNKS: u32 = 15;
const SLOW_PAUSE: Duration = Duration::from_millis(200);

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

/// Does what the first word of the message asks for.
pub struct Triggered;

impl AgentExecutor for Triggered {
    fn execute(&self, context: ExecutorContext) -> Events {
        let message = context.message.as_ref();
        let trigger = message.and_then(Message::text).and_then(|text| text.split_whitespace().next());
        let trigger = trigger.unwrap_or_default().to_owned();
        let submitted = submitted(&context);
        let work = Work { task_id: context.task_id, context_id: context.context_id };
        if context.stored_task.as_ref().is_some_and(is_interrupted) {
            // A follow-up: the answer to a request for input or credentials.
            return at_once(work.complete());
        }
        if trigger == "message" {
            return at_once([work.message()]);
        }
        let events = match trigger.as_str() {
            "slow" => work.slow(),
            "chunks" => at_once(work.chunks()),
            "input-required" => at_once(work.ask(TaskState::InputRequired, "which one?")),
            "auth-required" => at_once(work.ask(TaskState::AuthRequired, "sign in, please")),
            "fail" => at_once(work.ask(TaskState::Failed, "it went wrong")),
            "reject" => at_once([work.status(TaskState::Rejected, Some("not my work"))]),
            "file" => at_once(work.finish(work.artifact("files", files()))),
            "data" => at_once(work.finish(work.artifact("data", vec![data()]))),
            _ => at_once(work.complete()),
        };
        at_once([submitted]).chain(events).boxed()
    }

    fn cancel(&self, context: ExecutorContext) -> Events {
        let work = Work { task_id: context.task_id, context_id: context.context_id };
        at_once([work.status(TaskState::Canceled, None)])
    }
}

/// The new task, with which its events begin. The crates have stored it, but send nobody what the executor does not.
fn submitted(context: &ExecutorContext) -> StreamResponse {
    StreamResponse::Task(Task {
        id: context.task_id.clone(),
        context_id: context.context_id.clone(),
        // The handler fills in the time.
        status: TaskStatus { state: TaskState::Submitted, message: None, timestamp: None },
        artifacts: None,
        history: Some(context.message.iter().cloned().collect()),
        metadata: None,
    })
}

fn is_interrupted(task: &Task) -> bool {
    matches!(task.status.state, TaskState::InputRequired | TaskState::AuthRequired)
}

fn at_once(events: impl IntoIterator<Item = StreamResponse, IntoIter: Send + 'static>) -> Events {
    stream::iter(events.into_iter().map(Ok)).boxed()
}

fn files() -> Vec<Part> {
    let bytes = Part::raw(vec![0x00, 0x01, 0xfe, 0xff]);
    let elsewhere = Part::url("https://example.com/report.pdf");
    vec![
        bytes.with_media_type("application/octet-stream").with_filename("bytes.bin"),
        elsewhere.with_media_type("application/pdf").with_filename("report.pdf"),
    ]
}

fn data() -> Part {
    Part::data(json!({ "answer": 42, "half": 0.5, "none": null, "list": [1, "a"] })).with_media_type("application/json")
}

/// The work on one message. Its methods make the events that tell of it.
struct Work {
    task_id: String,
    context_id: String,
}

impl Work {
    fn complete(&self) -> [StreamResponse; 3] {
        self.finish(self.artifact("result", vec![Part::text("done")]))
    }

    fn finish(&self, artifact: Artifact) -> [StreamResponse; 3] {
        [self.working(), self.chunk(artifact, false, true), self.status(TaskState::Completed, None)]
    }

    /// Stops with a word to the client, which it may have to answer.
    fn ask(&self, state: TaskState, text: &str) -> [StreamResponse; 2] {
        [self.working(), self.status(state, Some(text))]
    }

    fn slow(self) -> Events {
        let slow = self.artifact("slow result", Vec::new());
        let first = stream::iter([Ok(self.working())]);
        first
            .chain(stream::unfold((self, slow, 0), |(work, mut slow, number)| async move {
                if number > SLOW_CHUNKS {
                    return None;
                }
                let event = if number == SLOW_CHUNKS {
                    work.status(TaskState::Completed, None)
                } else {
                    sleep(SLOW_PAUSE).await;
                    slow.parts = vec![Part::text(format!("chunk {number}\n"))];
                    work.chunk(slow.clone(), number > 0, number + 1 == SLOW_CHUNKS)
                };
                Some((Ok(event), (work, slow, number + 1)))
            }))
            .boxed()
    }

    fn chunks(&self) -> Vec<StreamResponse> {
        let mut chunked = self.artifact("in four chunks", Vec::new());
        let mut events = vec![self.working()];
        for number in 0..4 {
            chunked.parts = vec![Part::text(format!("part {number} "))];
            events.push(self.chunk(chunked.clone(), number > 0, number == 3));
        }
        events.push(self.chunk(self.artifact("in one piece", vec![Part::text("whole")]), false, true));
        events.push(self.status(TaskState::Completed, None));
        events
    }

    fn message(&self) -> StreamResponse {
        let mut message = Message::new(Role::Agent, vec![Part::text("a message and no task")]);
        message.context_id = Some(self.context_id.clone());
        StreamResponse::Message(message)
    }

    fn working(&self) -> StreamResponse {
        self.status(TaskState::Working, None)
    }

    fn status(&self, state: TaskState, text: Option<&str>) -> StreamResponse {
        let message = text.map(|text| {
            let mut message = Message::new(Role::Agent, vec![Part::text(text)]);
            message.task_id = Some(self.task_id.clone());
            message.context_id = Some(self.context_id.clone());
            message
        });
        StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            status: TaskStatus { state, message, timestamp: None },
            metadata: None,
        })
    }

    fn artifact(&self, name: &str, parts: Vec<Part>) -> Artifact {
        Artifact {
            artifact_id: new_artifact_id(),
            name: Some(name.to_owned()),
            description: None,
            parts,
            metadata: None,
            extensions: None,
        }
    }

    fn chunk(&self, artifact: Artifact, append: bool, last_chunk: bool) -> StreamResponse {
        StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            artifact,
            append: Some(append),
            last_chunk: Some(last_chunk),
            metadata: None,
        })
    }
}
