//! Plain requests of the suite's own, by which it finds out how an agent is. What keeps cases from asking does not keep these.

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::fixture::task_of;
use super::{Session, StepError, message};
use crate::binding::{CallRequest, address};
use crate::case::Trigger;
use crate::profile::Operation;
use crate::transcript::{Answer, Content};
use crate::transport::{OpenStream, unique};

/// What came of a plain request.
pub(super) enum Heard {
    /// An answer, whatever it says.
    Answered(Answer),
    /// No answer, or one without an end.
    Silence(Answer),
    /// The agent has nothing that it could be asked.
    NotAsked,
}

impl Session {
    /// Asks for a task that is there, if one is known: an agent may hang on others. Sends a message if the agent has only those. The
    /// agent is to see first which requests were given up.
    pub(super) async fn ask_plainly(&self, purpose: &str) -> Heard {
        self.is_seen_closed().await;
        match (self.has_no(Operation::GetTask), self.has_no(Operation::SendMessage)) {
            (true, true) => Heard::NotAsked,
            (true, false) => {
                let params = message::params(&self.options.words.say(Trigger::Complete));
                self.ask_now(Operation::SendMessage, params, purpose).await
            }
            (false, _) => {
                let id = self.record.some_id().unwrap_or_else(unique);
                self.ask_now(Operation::GetTask, json!({ "id": id }), purpose).await
            }
        }
    }

    /// Waits until the agent sees that connections were closed.
    pub(crate) async fn is_seen_closed(&self) {
        self.http.is_seen_closed(&address(&self.connection.interface)).await;
    }

    /// Calls a unary operation.
    pub(super) async fn ask_now(&self, operation: Operation, params: Value, purpose: &str) -> Heard {
        let mut call = call(operation, params, purpose);
        if self.complete(&mut call, false).is_err() {
            return Heard::NotAsked;
        }
        let answer = self.options.places.take(self.connection.call(&call)).boxed().await;
        self.note(&answer);
        match matches!(answer.content, Content::Lost) || answer.is_silence() {
            true => Heard::Silence(answer),
            false => Heard::Answered(answer),
        }
    }

    /// Opens a stream whose work takes long, and reads its first event, which may name a task. The task is canceled at the end of
    /// the run.
    pub(super) async fn begin_slow_stream(&self, purpose: &str) -> Result<(OpenStream, Option<Value>), StepError> {
        let params = message::params(&self.options.words.say(Trigger::Slow));
        let mut call = call(Operation::SendStreamingMessage, params, purpose);
        self.complete(&mut call, false)?;
        let mut stream = self.open_now(call, false).await;
        let first = self.connection.next(&mut stream, None).await;
        let task = first.as_ref().and_then(|event| event.value()).and_then(task_of);
        task.iter().for_each(|task| self.will_tidy_up(task));
        Ok((stream, task))
    }
}

fn call(operation: Operation, params: Value, purpose: &str) -> CallRequest {
    CallRequest { operation, params: params.into(), rpc_id: None, headers: Vec::new(), purpose: purpose.to_owned() }
}
