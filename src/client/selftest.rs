//! The self-test of a wrapper: twelve exchanges with a plain agent, which show that the wrapper drives its client.
//!
//! A word that the wrapper does not know is passed over. What fails here says nothing about the client, so that the run is refused.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::plan::Pair;
use super::trial::CLOSE;
use crate::case::visit::{Asked, Ends, Says, Scripted, ScriptedAgent, Writing};
use crate::judge::visit::{Met, What};
use crate::profile::Operation;
use crate::stage::{Host, Scene, Visiting};
use crate::wrapper::{Command, Final, Pending, Said, Wrapper};

/// How long what has begun may take to be seen.
const SEEN: Duration = Duration::from_secs(2);
/// A text with letters beyond ASCII, and one beyond the first plane.
const SENT: &str = "gr\u{fc}\u{df}e \u{65e5}\u{672c} \u{1f600}";
/// What comes back.
const BACK: &str = "\u{442}\u{430}\u{43a} \u{e9}\u{301} \u{1f680}";
/// An id that nobody knew before.
const UNKNOWN: &str = "a2aspec-0d9f7c31-nobody";
/// The id of the task that the agent shows.
const TASK: &str = "a2aspec-task";

/// Runs it.
///
/// # Errors
/// The first exchange that failed, and what was seen.
pub(super) async fn run(wrapper: &Wrapper, host: &Host, pair: &Pair, limit: Duration) -> Result<(), String> {
    let test = SelfTest { wrapper, host, pair, limit };
    test.cards().await?;
    test.messages().await?;
    test.errors().await?;
    if wrapper.hello().does("SendStreamingMessage") {
        test.streams().await?;
    }
    if wrapper.jobs() > 1 {
        test.at_once().await?;
    }
    test.names().await
}

struct SelfTest<'a> {
    wrapper: &'a Wrapper,
    host: &'a Host,
    pair: &'a Pair,
    limit: Duration,
}

/// A message of the client with this text.
fn message(text: &str) -> Value {
    json!({ "message": { "parts": [{ "text": text }] } })
}

/// A task with every member that a client may need: that it reads one without them is for cases to see.
fn task(state: &str, text: &str) -> Value {
    let parts = json!([{ "text": text }]);
    let message = |id: &str, role: &str| json!({ "messageId": id, "role": role, "parts": parts });
    json!({
        "id": TASK, "contextId": "a2aspec-context",
        "status": { "state": state, "timestamp": "2026-01-01T00:00:00.000Z", "message": message("a2aspec-status", "ROLE_AGENT") },
        "artifacts": [{ "artifactId": "a2aspec-artifact", "name": "text", "parts": parts }],
        "history": [message("a2aspec-history", "ROLE_USER")],
        "metadata": {}
    })
}

/// An answer of the agent.
fn says(says: Says) -> Scripted {
    Scripted { says, envelope: None, pause: 0, ends: Ends::Closed, writing: Writing::default() }
}

/// That an exchange failed.
fn failed(number: u8, wanted: &str, seen: impl std::fmt::Display) -> String {
    format!("exchange {number} of 12: {wanted}; {seen}")
}

/// What a wrapper said, in words.
fn shown(said: &Said) -> String {
    match said {
        Said::Event(_) => "the wrapper said an event".to_owned(),
        Said::Ready { .. } => "the wrapper said ready".to_owned(),
        Said::Final(Final::Result(value)) => format!("the wrapper said the result {}", crate::finding::show(value)),
        Said::Final(Final::End(by)) => format!("the wrapper said that the stream ended ({by})"),
        Said::Final(Final::Error { kind, message, .. }) => format!("the wrapper said the error {kind}: {message}"),
        Said::Final(Final::Unsupported(why)) => format!("the wrapper said that it cannot do it: {why}"),
        Said::Broken(how) => format!("the wrapper did not keep to its contract: {how}"),
        Said::Silent => "the wrapper did not answer".to_owned(),
        Said::Gone => "the wrapper is gone".to_owned(),
    }
}

/// Whether a request has a text: in a string of its body, or in its target.
fn holds(met: &Met, text: &str) -> bool {
    fn has(value: &Value, text: &str) -> bool {
        match value {
            Value::String(held) => held == text,
            Value::Array(items) => items.iter().any(|item| has(item, text)),
            Value::Object(members) => members.values().any(|member| has(member, text)),
            _ => false,
        }
    }
    let request = &met.exchange.request;
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let target = percent_encoding::percent_decode_str(&request.url).decode_utf8_lossy();
    has(&body, text) || target.contains(text)
}

/// Whether a request calls an operation, or something that the agent does not know.
fn is_call(met: &&Met) -> bool {
    matches!(met.what, What::Operation(_) | What::Unknown)
}

fn is_of(operation: Operation) -> impl Fn(&&Met) -> bool {
    move |met: &&Met| met.what == What::Operation(operation)
}

impl SelfTest<'_> {
    fn open(&self, script: impl IntoIterator<Item = (Operation, Vec<Scripted>)>) -> Result<Visiting, String> {
        let script = script.into_iter().map(|(operation, answers)| (Asked::Operation(operation), answers)).collect();
        let agent = ScriptedAgent { script, ..ScriptedAgent::default() };
        let (profile, binding) = (Arc::clone(&self.pair.profile), self.pair.binding);
        let scene = Scene { profile, binding, agent, purpose: "self-test".to_owned() };
        self.host.open(scene).map_err(|error| format!("the suite cannot serve its agent: {error}"))
    }

    fn begin(&self, case: &str, word: &str, members: Value) -> Pending {
        let members: Map<String, Value> = match members {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let (case, word) = (case.to_owned(), word.to_owned());
        self.wrapper.begin(Command { case, word, members, limit: self.limit })
    }

    async fn ask(&self, case: &str, word: &str, members: Value) -> Said {
        self.begin(case, word, members).last().await
    }

    async fn close(&self, case: &str) {
        let (case, word, members) = (case.to_owned(), "close".to_owned(), Map::new());
        // What it says of that is tried at the end.
        let _said = self.wrapper.begin(Command { case, word, members, limit: CLOSE }).last().await;
    }

    /// Makes a client for an agent.
    async fn client(&self, number: u8, visiting: &Visiting) -> Result<(), String> {
        let made = self.ask(visiting.name(), "client", json!({ "as": "c", "url": visiting.url() })).await;
        match made {
            Said::Final(Final::Result(_)) => Ok(()),
            other => Err(failed(number, "a client is made for a plain agent", shown(&other))),
        }
    }

    /// (1) The card is asked of the given URL, by a request; (2) a new case asks again.
    async fn cards(&self) -> Result<(), String> {
        let visiting = self.open([])?;
        let cards = || visiting.met().iter().filter(|met| met.what == What::Card).count();
        for (number, case, wanted) in
            [(1, "first", "the card is asked of the given URL"), (2, "second", "a new case asks for the card again")]
        {
            let case = format!("{}-{case}", visiting.name());
            let before = cards();
            let said = self.ask(&case, "resolve", json!({ "url": visiting.url(), "as": "card" })).await;
            let Said::Final(Final::Result(card)) = &said else { return Err(failed(number, wanted, shown(&said))) };
            if card.get("name").and_then(Value::as_str).is_none() {
                return Err(failed(number, "the card has its name", shown(&said)));
            }
            if cards() == before {
                return Err(failed(number, wanted, "no request for it came"));
            }
            self.close(&case).await;
        }
        Ok(())
    }

    /// (3) An id that nobody knew reaches the agent; (4) a text arrives and (5) one comes back; (11) a header comes from the SDK.
    async fn messages(&self) -> Result<(), String> {
        let back = json!({ "task": task("TASK_STATE_COMPLETED", BACK) });
        let visiting = self.open([(Operation::SendMessage, vec![says(Says::Result(back))])])?;
        self.client(4, &visiting).await?;
        if self.wrapper.hello().does("GetTask") {
            let said = self.ask(visiting.name(), "GetTask", json!({ "client": "c", "with": { "id": UNKNOWN } })).await;
            let is_unsupported = matches!(&said, Said::Final(Final::Unsupported(_)));
            if !is_unsupported && !visiting.met().iter().any(|met| holds(met, UNKNOWN)) {
                return Err(failed(3, &format!("GetTask reaches the agent with the id {UNKNOWN}"), shown(&said)));
            }
        }
        let with = json!({ "client": "c", "with": message(SENT) });
        let said = self.ask(visiting.name(), "SendMessage", with).await;
        let met = visiting.met();
        let Some(sent) = met.iter().find(|met| holds(met, SENT)) else {
            return Err(failed(4, &format!("a message with the text {SENT:?} reaches the agent"), shown(&said)));
        };
        // A client may lose some of a task, which cases are about.
        let is_back = |value: &Value| value.to_string().contains(BACK);
        match &said {
            Said::Final(Final::Result(value)) if is_back(value) => {}
            // What the agent does not know as SendMessage it has not answered so; cases are about that.
            Said::Final(Final::Error { .. }) if sent.what == What::Unknown => {}
            other => return Err(failed(5, &format!("the text {BACK:?} comes back"), shown(other))),
        }
        // A client that forgets the version is one that cases judge, as long as something else shows that the request is its own.
        let own = self.pair.profile.facts.headers.keys().map(|name| name.to_ascii_lowercase());
        let mut own = own.chain(["user-agent", "accept", "accept-encoding"].map(str::to_owned));
        if !own.any(|name| sent.exchange.request.header(&name).is_some()) {
            let wanted = "a header that the wrapper did not describe comes from the SDK, such as A2A-Version";
            return Err(failed(11, wanted, "its request has none"));
        }
        self.close(visiting.name()).await;
        Ok(())
    }

    /// (6) An error of the agent is an error, (7) a dead port, too.
    async fn errors(&self) -> Result<(), String> {
        let refusal = says(Says::Error("UnsupportedOperationError".to_owned()));
        let visiting = self.open([(Operation::SendMessage, vec![refusal])])?;
        self.client(6, &visiting).await?;
        let with = json!({ "client": "c", "with": message("hi") });
        match self.ask(visiting.name(), "SendMessage", with).await {
            Said::Final(Final::Error { .. }) => {}
            other => return Err(failed(6, "an error of the agent is reported as an error", shown(&other))),
        }
        self.close(visiting.name()).await;
        let (case, wanted) = (format!("{}-dead", visiting.name()), "a port at which nobody listens is an error");
        match self.ask(&case, "resolve", json!({ "url": self.host.dead_url(), "as": "card" })).await {
            Said::Final(Final::Error { .. }) => {}
            other => return Err(failed(7, wanted, shown(&other))),
        }
        self.close(&case).await;
        Ok(())
    }

    /// (8) Three events arrive as three, before the stream ends; (9) the connection is closed when the stream is left.
    async fn streams(&self) -> Result<(), String> {
        let update = |text: &str| {
            let Value::Object(mut update) = task("TASK_STATE_WORKING", text) else { return Value::Null };
            update.retain(|name, _| ["contextId", "status"].contains(&name.as_str()));
            update.insert("taskId".to_owned(), json!(TASK));
            json!({ "statusUpdate": update })
        };
        let first = json!({ "task": task("TASK_STATE_WORKING", "zero") });
        let events = Says::Events(vec![first, update("one"), update("two")]);
        let scripted = Scripted { ends: Ends::Open, ..says(events) };
        let visiting = self.open([(Operation::SendStreamingMessage, vec![scripted])])?;
        self.client(8, &visiting).await?;
        let with = json!({ "client": "c", "with": message("hi") });
        let mut stream = self.begin(visiting.name(), "SendStreamingMessage", with);
        for number in 1..=3 {
            match stream.next().await {
                Said::Event(_) => {}
                Said::Final(Final::Unsupported(_)) => {
                    self.close(visiting.name()).await;
                    return Ok(());
                }
                // Of a request that the agent does not know there are no events; cases are about that.
                Said::Final(Final::Error { .. }) if visiting.met().iter().any(|met| met.what == What::Unknown) => {
                    self.close(visiting.name()).await;
                    return Ok(());
                }
                other => {
                    let wanted = format!("three events arrive before the stream ends; in place of event {number}");
                    return Err(failed(8, &wanted, shown(&other)));
                }
            }
        }
        if self.wrapper.hello().does("cancel-stream") {
            let said = self.ask(visiting.name(), "cancel-stream", json!({ "stream": stream.id() })).await;
            let has_left = |met: &[Met]| {
                let mut streams = met.iter().filter(is_of(Operation::SendStreamingMessage));
                streams.all(|met| met.document.pointer("/answer/left") == Some(&Value::Bool(true)))
            };
            if matches!(&said, Said::Final(Final::Unsupported(_))) {
                self.close(visiting.name()).await;
                return Ok(());
            }
            if !visiting.wait(SEEN, has_left).await {
                let wanted = "`cancel-stream` closes the connection of the stream";
                return Err(failed(9, wanted, format!("it was open 2 s later, and {}", shown(&said))));
            }
            match stream.last().await {
                Said::Final(Final::End(_)) => {}
                other => return Err(failed(9, "a stream that was left has its `end`", shown(&other))),
            }
        }
        self.close(visiting.name()).await;
        Ok(())
    }

    /// (10) Two commands are under way at once.
    async fn at_once(&self) -> Result<(), String> {
        const PAUSE: u64 = 1_000;
        let answer = json!({ "task": task("TASK_STATE_COMPLETED", "later") });
        let slow = Scripted { pause: PAUSE, ..says(Says::Result(answer)) };
        let visiting = self.open([(Operation::SendMessage, vec![slow.clone(), slow])])?;
        self.client(10, &visiting).await?;
        let with = || json!({ "client": "c", "with": message("hi") });
        let mut first = self.begin(visiting.name(), "SendMessage", with());
        let other = format!("{}-other", visiting.name());
        let made = self.ask(&other, "client", json!({ "as": "c", "url": visiting.url() })).await;
        let mut second = self.begin(&other, "SendMessage", with());
        let both = |met: &[Met]| met.iter().filter(is_call).count() >= 2;
        let are_both = visiting.wait(SEEN, both).await;
        let met = visiting.met();
        let began: Vec<Duration> = met.iter().filter(is_call).map(|met| met.exchange.started).collect();
        let apart = began.iter().max().zip(began.iter().min()).map(|(last, first)| last.saturating_sub(*first));
        let is_at_once = are_both && apart.is_some_and(|apart| apart < Duration::from_millis(PAUSE));
        let (first, second) = (first.last().await, second.last().await);
        if !is_at_once {
            let wanted =
                "two commands of two cases are under way at once (a wrapper that cannot do that says \"jobs\": 1)";
            let seen = format!("{}; {}; {}", shown(&made), shown(&first), shown(&second));
            return Err(failed(10, wanted, seen));
        }
        self.close(visiting.name()).await;
        self.close(&other).await;
        Ok(())
    }

    /// (12) `close` frees the names.
    async fn names(&self) -> Result<(), String> {
        let visiting = self.open([])?;
        self.client(12, &visiting).await?;
        let (case, word, members) = (visiting.name().to_owned(), "close".to_owned(), Map::new());
        match self.wrapper.begin(Command { case, word, members, limit: CLOSE }).last().await {
            Said::Final(Final::Result(_)) => {}
            other => return Err(failed(12, "`close` is answered by a result", shown(&other))),
        }
        let with = json!({ "client": "c", "with": message("hi") });
        match self.ask(visiting.name(), "SendMessage", with).await {
            Said::Final(Final::Error { .. }) => Ok(()),
            other => Err(failed(12, "`close` frees the names of its case", shown(&other))),
        }
    }
}
