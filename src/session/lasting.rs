//! Whether the work that a trigger begins takes long.
//!
//! That a task was shown as working does not tell: the work of a quick agent has ended before its answer has come. Cases about
//! running tasks need one that still runs a while later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};

use super::{Session, StepError};
use crate::case::Fixture;
use crate::profile::Operation;
use crate::transcript::task_in;

/// How long work takes that takes long, at least.
pub(super) const LONG: Duration = Duration::from_millis(250);

/// The texts whose work was seen to take long.
pub(super) type Lasting = Mutex<HashMap<String, Arc<OnceCell<()>>>>;

impl Session {
    /// Makes sure that the work of a fixture's trigger takes long, by this task of it, which was shown as running. Once in a run is
    /// enough for each text.
    ///
    /// # Errors
    /// The task has ended by then, or cannot be read: it proves nothing.
    pub(super) async fn takes_long(&self, fixture: &Fixture, task: &Value, purpose: &str) -> Result<(), StepError> {
        let text = self.options.words.say(fixture.trigger).text;
        let cell = {
            let mut lasting = self.lasting.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(lasting.entry(text).or_default())
        };
        let look = || async {
            let began = Instant::now();
            sleep(LONG).await;
            let params = json!({ "id": task.get("id").cloned().unwrap_or_default() });
            let answer = self.call(Operation::GetTask, params, purpose).await?;
            match answer.result().and_then(task_in) {
                Some(later) if self.is_running(later) => Ok(()),
                Some(later) => {
                    let state = later.pointer("/status/state").and_then(Value::as_str).unwrap_or("no state");
                    let received = format!("a task in {state} {:.2} s later", began.elapsed().as_secs_f32());
                    Err(self.off(fixture, received))
                }
                None => Err(self.off_with(fixture, &answer)),
            }
        };
        cell.get_or_try_init(look).await.copied()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::mpsc;

    use super::*;
    use crate::auth::Credentials;
    use crate::case::{Goal, Trigger};
    use crate::discovery::triggers::Triggers;
    use crate::event::EventSink;
    use crate::interface::Interface;
    use crate::profile::{self, Binding};
    use crate::session::places::Places;
    use crate::session::words::Words;
    use crate::session::{Options, StepError};
    use crate::transport::Connection;
    use crate::transport::http::{Http, Settings};
    use crate::transport::memory::{Memory, Reply};

    /// What comes of a running task of an agent whose tasks are shown as working first, and then so when they are read.
    async fn made(later: &'static str) -> Result<(), StepError> {
        let agent = Memory::new(move |request| {
            let is_read = request.operation == Some(Operation::GetTask);
            let state = if is_read { later } else { "TASK_STATE_WORKING" };
            let task = json!({ "id": "t", "contextId": "c", "status": { "state": state } });
            let result = if is_read { task } else { json!({ "task": task }) };
            Reply::json(200, &json!({ "jsonrpc": "2.0", "id": request.rpc_id, "result": result }))
        });
        let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) };
        let http = Arc::new(Http::over(Arc::new(agent), settings));
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let interface = Interface::new(profile, Binding::Jsonrpc, "http://agent.test/".to_owned()).unwrap();
        let options = Options {
            max_messages: None,
            messages: Arc::default(),
            words: Arc::new(Words::new(Triggers::default(), None)),
            places: Places::new(1),
            trust: Arc::default(),
            webhooks: None,
        };
        let (events, _heard) = mpsc::unbounded_channel();
        let sink = EventSink::new(events, tokio::time::Instant::now(), crate::secrets::Secrets::default());
        let session = Session::new(Connection::new(interface, Arc::clone(&http)), http, options, sink);
        let fixture = Fixture { task: Goal::Working, trigger: Trigger::Slow, fresh: true, count: 1 };
        session.fixture(&fixture, false).await.map(drop)
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_is_shown_as_working_need_not_be_at_work() {
        assert_eq!(made("TASK_STATE_WORKING").await, Ok(()));
        for quick in ["TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED"] {
            let error = made(quick).await.unwrap_err();
            let StepError::Unreached(reason) = &error else { panic!("{error:?}") };
            assert!(reason.to_string().contains(&format!("a task in {quick} 0.25 s later")), "{reason}");
        }
    }
}
