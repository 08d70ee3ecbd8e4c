//! Whether an agent serves one request at a time.
//!
//! Behind an open stream such an agent lets everything else wait, so that cases which run at once would hold each other up and
//! blame the agent for it. No text asks for more than one request at a time: the run then goes on one case after the other.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::{Session, StepError};
use crate::profile::Operation;
use crate::transport::{OpenStream, unique};

/// How long a question for a task that is not there may take beside an open stream.
const PATIENCE: Duration = Duration::from_secs(2);
/// How much longer a question must have taken beside a stream than it takes alone, and how soon after it the stream has ended.
const SHORT: Duration = Duration::from_millis(150);

/// The purpose of the control, whose stream is opened by no case.
pub(crate) const AT_ONCE: &str = "does it serve several requests at once?";

impl Session {
    /// Whether the agent answers nothing else while a stream of it is open. Costs one message, and cancels its task.
    pub(crate) async fn serves_one_at_a_time(&self) -> bool {
        self.is_held_up_by_a_stream().await.unwrap_or(false)
    }

    /// Whether it was seen that the agent serves one request at a time, and not merely that it was overwhelmed.
    pub(crate) fn serves_single_requests(&self) -> bool {
        let load = self.options.places.load();
        load.is_one_by_one() && !load.is_back()
    }

    async fn is_held_up_by_a_stream(&self) -> Result<bool, StepError> {
        let (mut stream, _) = self.begin_slow_stream(AT_ONCE).await?;
        let began = Instant::now();
        let question = timeout(PATIENCE, self.is_answered());
        tokio::pin!(question);
        let answered = tokio::select! {
            biased;
            () = self.read_to_end(&mut stream) => question.as_mut().await,
            answered = question.as_mut() => answered,
        };
        let was_answered = answered.unwrap_or(Ok(false))?;
        let beside = began.elapsed();
        // Whoever was held up is answered as soon as the stream ends, which may be seen before its end is.
        let was_held_up =
            !was_answered || (beside > SHORT && timeout(SHORT, self.read_to_end(&mut stream)).await.is_ok());
        self.note(&self.connection.finish(stream, false).await);
        // Whoever does not see that we have left goes on with the stream to its end: the first question waits for that.
        if !was_held_up || !self.is_answered().await? {
            return Ok(false);
        }
        let began = Instant::now();
        Ok(self.is_answered().await? && beside > began.elapsed() + SHORT)
    }

    async fn read_to_end(&self, stream: &mut OpenStream) {
        while self.connection.next(stream, None).await.is_some() {}
    }

    /// Whether a question for a task that is not there is answered.
    async fn is_answered(&self) -> Result<bool, StepError> {
        let params = json!({ "id": unique() });
        let answer = self.call(Operation::GetTask, params, AT_ONCE).await?;
        Ok(answer.unanswered().is_none())
    }
}
