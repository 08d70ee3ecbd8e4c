//! Requests by hand: one call over any interface, shown as it goes on, and judged by the cases that judge everything seen.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::detail::{finding, of_exchange};
use super::known::Known;
use crate::binding::CallRequest;
use crate::discovery::triggers::Say;
use crate::interface::{Agent, Interface};
use crate::judge::describe;
use crate::plan::Trial;
use crate::profile::Operation;
use crate::secrets::Secrets;
use crate::session::message;
use crate::traffic;
use crate::transcript::{Answer, EventContent, StreamEvent};
use crate::transport::Connection;
use crate::transport::http::Http;
use crate::verdict::Verdict;

/// What exchanges of the console are for.
const PURPOSE: &str = "console";
/// How many lines wait for a page that is slow.
const MOST_WAITING: usize = 64;
/// How long a stream may be silent: the page ends one that it has seen enough of.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// What is to be called.
#[derive(Debug, Deserialize)]
pub(super) struct Call {
    interface: usize,
    operation: Operation,
    /// Canonical parameters.
    params: Value,
}

/// For what parameters are wanted.
#[derive(Debug, Deserialize)]
pub(super) struct Blank {
    interface: usize,
    operation: Operation,
    /// What a message says.
    text: String,
    /// The id of a task, if one is known.
    task: String,
}

/// A call that is ready to be made.
pub(super) struct Console {
    agent: Agent,
    http: Arc<Http>,
    secrets: Secrets,
    trials: Vec<Arc<Trial>>,
    interface: Interface,
    call: Call,
}

/// The parameters that an operation has at least, to be changed by hand.
pub(super) fn params(known: &Known, blank: &Blank) -> Option<Value> {
    let Blank { interface, operation, text, task } = blank;
    let interface = interface_of(known, *interface)?;
    Some(match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            let say = Say { text: text.clone(), message_id_prefix: None, metadata: None };
            let mut params = message::params(&say);
            if !task.is_empty() {
                params["message"]["taskId"] = json!(task);
            }
            message::name_task(&interface.profile, *operation, &mut params);
            params
        }
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => json!({ "id": task }),
        Operation::ListTasks => json!({ "pageSize": 10 }),
        Operation::CreateTaskPushNotificationConfig => {
            json!({ "taskId": task, "url": "https://client.example/webhook" })
        }
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            json!({ "taskId": task, "id": "" })
        }
        Operation::ListTaskPushNotificationConfigs => json!({ "taskId": task }),
        Operation::GetExtendedAgentCard => json!({}),
    })
}

fn interface_of(known: &Known, index: usize) -> Option<Interface> {
    let mut interface = known.suite()?.agent().interfaces.get(index)?.interface.clone()?;
    // What the last run has heard is better than what is likeliest.
    let heard = known.dialect(index);
    let dialect = interface.profile.dialects_over(interface.binding).find(|dialect| Some(&*dialect.name) == heard);
    if let Some(dialect) = dialect.map(Arc::clone) {
        interface.dialect = dialect;
    }
    Some(interface)
}

impl Console {
    /// A call over an interface of the agent that is known; nothing where there is none.
    pub fn new(known: &Known, call: Call) -> Option<Self> {
        let interface = interface_of(known, call.interface)?;
        let suite = known.suite()?;
        let observes = |trial: &&Arc<Trial>| trial.observes() && trial.interface == call.interface;
        Some(Self {
            agent: suite.agent().clone(),
            http: Arc::clone(suite.http()),
            secrets: suite.secrets().clone(),
            trials: suite.plan().trials.iter().filter(observes).cloned().collect(),
            interface,
            call,
        })
    }

    /// Makes it. Each thing that happens is a line; the call ends with who reads them.
    pub fn start(self) -> mpsc::Receiver<Value> {
        let (lines, receiver) = mpsc::channel(MOST_WAITING);
        tokio::spawn(async move {
            tokio::select! {
                () = self.make(&lines) => {}
                () = lines.closed() => {}
            }
        });
        receiver
    }

    async fn make(&self, lines: &mpsc::Sender<Value>) {
        let connection = Connection::new(self.interface.clone(), Arc::clone(&self.http));
        let call = CallRequest {
            operation: self.call.operation,
            params: self.call.params.clone().into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: PURPOSE.to_owned(),
        };
        if let Err(why) = connection.can_carry(&call) {
            self.give(lines, json!({ "error": why })).await;
            return;
        }
        let answer = match call.operation.streams() {
            false => connection.call(&call).await,
            true => {
                let mut stream = connection.open(&call).await;
                while stream.is_stream() {
                    let Some(event) = connection.next(&mut stream, Some(PATIENCE)).await else { break };
                    self.give(lines, of_event(stream.events().len(), &event)).await;
                }
                let is_open = !stream.is_over();
                connection.finish(stream, is_open).await
            }
        };
        self.give(
            lines,
            json!({ "answer": describe(&answer), "exchange": of_exchange(&answer.exchange, &self.secrets) }),
        )
        .await;
        self.give(lines, self.judged(&answer)).await;
    }

    /// What the cases that judge everything seen say of the answer.
    fn judged(&self, answer: &Answer) -> Value {
        let results = traffic::judge_one(&self.agent, &self.trials, self.call.interface, &answer.exchange);
        let is_seen = |verdict: Verdict| verdict == Verdict::Pass || verdict.is_violation();
        let seen = results.iter().filter(|result| is_seen(result.verdict));
        let held = seen.clone().filter(|result| result.findings.is_empty()).count();
        let wrong = seen.filter(|result| !result.findings.is_empty()).map(|result| {
            let findings: Vec<Value> = result.findings.iter().map(finding).collect();
            json!({ "case": result.case, "title": result.title, "verdict": result.verdict.name(), "findings": findings })
        });
        json!({ "judged": { "held": held, "wrong": wrong.collect::<Vec<_>>() } })
    }

    async fn give(&self, lines: &mpsc::Sender<Value>, line: Value) {
        let masked = self.secrets.mask(&line.to_string());
        // A page that is gone ends the call.
        let _read = lines.send(serde_json::from_str(&masked).unwrap_or(line)).await;
    }
}

fn of_event(number: usize, event: &StreamEvent) -> Value {
    let kind = match &event.content {
        EventContent::Result(_) => "result",
        EventContent::Error(_) => "error",
        EventContent::Unreadable(_) => "unreadable",
    };
    json!({ "event": { "number": number, "after_ms": event.after.as_secs_f64() * 1e3, "kind": kind, "data": event.data } })
}
