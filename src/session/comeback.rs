//! An agent that was restarted: the suite waits until it serves A2A again.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::Session;
use super::question::Heard;
use crate::binding::address;
use crate::profile::Operation;
use crate::transcript::Content;
use crate::transport::unique;

const PURPOSE: &str = "is the agent back?";
/// How long until the agent is asked again. Nothing reports when it begins to listen.
const PAUSE: Duration = Duration::from_millis(100);

impl Session {
    /// Waits until the agent serves A2A again. The suite then forgets what it left unanswered before.
    ///
    /// # Errors
    /// What came of the last request, where the agent is not back in time.
    pub(crate) async fn is_back_within(&self, limit: Duration) -> Result<(), String> {
        let began = Instant::now();
        loop {
            let how = match self.is_back().await {
                Ok(()) => {
                    self.begin_anew();
                    self.start_over();
                    return Ok(());
                }
                Err(how) => how,
            };
            if began.elapsed() + PAUSE > limit {
                return Err(how);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// # Errors
    /// What came of the request.
    async fn is_back(&self) -> Result<(), String> {
        self.http.connects(&address(&self.connection.interface)).await.map_err(|ended| ended.to_string())?;
        if self.has_no(Operation::GetTask) {
            return Ok(());
        }
        match self.ask_now(Operation::GetTask, json!({ "id": unique() }), PURPOSE).await {
            Heard::Answered(answer) => match &answer.content {
                Content::Result(_) | Content::Error(_) => Ok(()),
                // Something before it, such as a gateway, says that it is not there.
                _ => Err(answer.ended_how()),
            },
            Heard::Silence(answer) => Err(answer.ended_how()),
            Heard::NotAsked => Ok(()),
        }
    }
}
