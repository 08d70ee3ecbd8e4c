//! Whether the work that a trigger begins takes long.
//!
//! That a task was shown as working does not tell: the work of a quick agent has ended before its answer has come. Cases about
//! running tasks need one that still runs a while later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::time::sleep;

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
            sleep(LONG).await;
            let params = json!({ "id": task.get("id").cloned().unwrap_or_default() });
            let answer = self.call(Operation::GetTask, params, purpose).await?;
            match answer.result().and_then(task_in) {
                Some(later) if self.is_running(later) => Ok(()),
                Some(later) => {
                    let state = later.pointer("/status/state").and_then(Value::as_str).unwrap_or("no state");
                    let received = format!("a task in {state} {} s later", LONG.as_secs_f32());
                    Err(self.off(fixture, received))
                }
                None => Err(self.off_with(fixture, &answer)),
            }
        };
        cell.get_or_try_init(look).await.map(|()| ())
    }
}
