//! A sender that knows a bug, and shows it if any client can.
//!
//! What it cannot show is drawn again, so that a bug which the fuzzer does not find was at least there to be found.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bug::{Bug, Effect, Place, Relation};
use crate::call::task_member;
use crate::client::{Ask, Client, Webhook};
use crate::draw;
use crate::proxy::{Broken, Proxy, Tally};
use crate::satisfy::satisfy;
use crate::schema::Operation;

/// How often a bug is drawn again.
const ATTEMPTS: u64 = 200;

/// After this an attempt is given up: it waits for what does not come.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the agent works on a slow task for the sender, who only wants to meet it at work.
pub const SLOW: Duration = Duration::from_millis(500);

/// What the agent is asked to do with a task, by the first word of the message.
const WORDS: [&str; 10] =
    ["complete", "input-required", "chunks", "data", "file", "fail", "reject", "auth-required", "slow", "message"];
/// What becomes of a task that asked for input: it gets some, or is canceled.
const ANSWERED: &str = "answered";
const CANCELED: &str = "canceled";

/// The first bug at an index of a seed that the sender can show, with the number of those that it could not.
///
/// # Errors
/// If the agent cannot be reached, or nothing that was drawn can.
pub async fn reachable(seed: u64, index: u64, agent: SocketAddr) -> Result<(Bug, u64), Broken> {
    for attempt in 0..ATTEMPTS {
        let bug = draw::one(seed, index, attempt);
        if reach(&bug, agent).await?.shown > 0 {
            return Ok((bug, attempt));
        }
    }
    Err(format!("bug {seed}-{index} is out of reach in {ATTEMPTS} attempts").into())
}

/// Tries to show a bug, in front of an agent without any, and says what was met and shown.
///
/// # Errors
/// If the agent cannot be reached.
pub async fn reach(bug: &Bug, agent: SocketAddr) -> Result<Tally, Broken> {
    let proxy = Proxy::start(agent, Some(bug.clone())).await?;
    let webhook = Webhook::start().await?;
    let sender = Sender { bug, proxy: &proxy, agent, webhook: webhook.address };
    for is_jsonrpc in [true, false].into_iter().filter(|is_jsonrpc| bug.binding.has(*is_jsonrpc)) {
        for word in Sender::subjects() {
            // What breaks the connection, or keeps silent, is what some bugs do.
            let _tried = tokio::time::timeout(PATIENCE, sender.attempt(is_jsonrpc, word)).await;
            if proxy.tally().shown > 0 {
                break;
            }
        }
    }
    let tally = proxy.tally();
    proxy.stop().await;
    Ok(tally)
}

struct Sender<'a> {
    bug: &'a Bug,
    proxy: &'a Proxy,
    agent: SocketAddr,
    webhook: SocketAddr,
}

impl Sender<'_> {
    /// What the subject of an attempt is: a task of each kind, or one that is not there.
    fn subjects() -> impl Iterator<Item = Option<&'static str>> {
        WORDS.into_iter().chain([ANSWERED, CANCELED]).map(Some).chain([None])
    }

    async fn attempt(&self, is_jsonrpc: bool, word: Option<&str>) -> Result<(), Broken> {
        let operation = Operation::named(&self.bug.operation).ok_or("the operation is known")?;
        let mut client = Client::connect(self.proxy.address).await?;
        // What other bugs are about must not come before this one.
        let mut aside = Client::connect(self.proxy.address).await?;
        let subject = self.subject(operation, word, &mut aside).await?;
        let mut ask = Ask::new(operation, is_jsonrpc, subject.params);
        let given = subject.task.as_deref().unwrap_or("task-000001");
        let mut later = Vec::new();
        for condition in &self.bug.conditions {
            if !satisfy(&mut ask, condition, given) {
                later.push(condition);
            }
        }
        if let Effect::Reflect(_, at) = &self.bug.effect
            && crate::pointer::at(&ask.params, at).is_empty()
        {
            crate::pointer::put(&mut ask.params, at, json!("reflected-value"));
        }
        if self.bug.effect == Effect::Stale {
            // The question whose answer is old later; over a connection of its own, and before what changes the answer.
            let _first = self.finish(&mut aside, &ask).await;
            self.change(operation, &subject.task, &subject.context, &ask, &mut aside).await?;
        }
        let mut times = 1;
        let mut beside = Vec::new();
        for condition in later {
            match (&condition.place, &condition.relation) {
                (Place::Page, Relation::AtLeast(wanted)) => self.turn_pages(&mut ask, *wanted, &mut aside).await?,
                (Place::Order, Relation::Equals(before)) => {
                    let before = before.as_str().and_then(Operation::named).ok_or("the operation is known")?;
                    self.before(before, subject.task.as_deref(), &subject.context, &mut aside).await?;
                }
                (Place::Calls(crate::bug::Scope::Agent), relation) => {
                    let known = self.proxy.calls(&operation.name);
                    for _ in 0..fillers(known, relation) {
                        self.finish(&mut aside, &refused(operation, is_jsonrpc)).await?;
                    }
                }
                (Place::Connection, relation) => {
                    for _ in 0..fillers(client.sent, relation) {
                        self.finish(&mut client, &unrelated()).await?;
                    }
                }
                (Place::BehindRefusal, _) => self.finish(&mut client, &unrelated()).await?,
                (Place::InFlight, Relation::AtLeast(wanted)) => {
                    for _ in 1..*wanted {
                        beside.push(hold(self.proxy.address).await?);
                    }
                    let wanted = u64::try_from(*wanted - 1).unwrap_or_default();
                    self.proxy.wait(|tally| tally.in_flight >= wanted).await;
                }
                (Place::Webhooks, relation) => {
                    let task = subject.task.as_deref().ok_or("there is a task")?;
                    for _ in 0..fillers(0, relation) + 1 {
                        aside.ask(&self.webhook_of(task)?).await?;
                    }
                }
                (Place::Messages, relation) => {
                    let task = subject.task.as_deref().ok_or("there is a task")?;
                    for _ in 0..fillers(1, relation) + 1 {
                        aside.ask(&message(true, "input-required", Some(task), None)?).await?;
                    }
                }
                _ => times = 10,
            }
        }
        for _ in 0..times {
            self.finish(&mut client, &ask).await?;
            if self.proxy.tally().shown > 0 {
                return Ok(());
            }
        }
        if self.bug.effect.is_delivery() && self.proxy.tally().met > 0 {
            self.deliver(&subject.task, &mut aside).await?;
        }
        drop(beside);
        Ok(())
    }

    /// Asks, until the answer is there or the bug has shown itself: it may be that there is no answer.
    async fn finish(&self, client: &mut Client, ask: &Ask) -> Result<(), Broken> {
        let before = self.proxy.tally();
        tokio::select! {
            answer = client.ask(ask) => answer.map(|_| ()),
            () = self.proxy.wait(|tally| tally.shown > before.shown) => Ok(()),
            error = self.bring_on(ask, before), if ask.operation.is_stream => Err(error),
        }
    }

    /// Brings the task of a stream to its end as soon as the stream has begun: it may wait for that. Comes back only with an error.
    async fn bring_on(&self, ask: &Ask, before: Tally) -> Broken {
        let work = async {
            let task = task_member(&ask.operation.name).and_then(|at| ask.params.pointer(at)?.as_str());
            let Some(task) = task else { return Ok(()) };
            self.proxy.wait(|tally| tally.requests > before.requests && tally.in_flight <= before.in_flight).await;
            let mut client = Client::connect(self.agent).await?;
            let mut chunks = message(true, "chunks", Some(task), None)?;
            // One at work takes no message before it has ended.
            chunks.params["configuration"] = json!({ "returnImmediately": true });
            client.ask(&chunks).await?;
            let cancel = Operation::named("CancelTask").ok_or("the operation is known")?;
            client.ask(&Ask::new(cancel, true, json!({ "id": task }))).await?;
            Ok(())
        };
        match work.await {
            Ok(()) => std::future::pending().await,
            Err(error) => error,
        }
    }

    /// What the call is about: a task that a word made, in a context with other tasks; or one that is not there.
    async fn subject(&self, operation: &Operation, word: Option<&str>, client: &mut Client) -> Result<Subject, Broken> {
        let mut subject = Subject { params: json!({}), task: None, context: String::new() };
        // Something to mistake others for, in another context.
        let other = made(&client.ask(&message(true, "complete", None, None)?).await?);
        let Some(word) = word else {
            subject.params = refused(Operation::named(&operation.name).ok_or("the operation is known")?, true).params;
            return Ok(subject);
        };
        // Of a message the subject is the task that it answers.
        let is_new = operation.name.starts_with("Send") && WORDS.contains(&word);
        let (task, context) = if is_new { (None, None) } else { self.task(operation, word).await? };
        subject.context = context.unwrap_or_default();
        subject.params = match operation.name.as_str() {
            "SendMessage" | "SendStreamingMessage" => {
                let word = if WORDS.contains(&word) { word } else { "complete" };
                let mut params = message(true, word, task.as_deref(), None)?.params;
                if self.bug.effect.is_delivery() {
                    let url = format!("http://{}/hook", self.webhook);
                    params["configuration"]["taskPushNotificationConfig"] = json!({ "url": url, "token": "t" });
                }
                params
            }
            "ListTasks" => {
                let word = if WORDS.contains(&word) { word } else { "complete" };
                for _ in 0..6 {
                    client.ask(&message(true, word, None, Some(&subject.context))?).await?;
                }
                json!({ "contextId": subject.context, "pageSize": 2, "includeArtifacts": true, "historyLength": 9 })
            }
            "GetExtendedAgentCard" => json!({}),
            "CreateTaskPushNotificationConfig" => self.webhook_of(task.as_deref().unwrap_or_default())?.params,
            name if name.contains("PushNotification") => {
                let task = task.clone().unwrap_or_default();
                let mut params = json!({ "taskId": task });
                for _ in 0..6 {
                    let made = client.ask(&self.webhook_of(&task)?).await?;
                    if !name.starts_with("List") {
                        params["id"] = made.first().map(|made| made["id"].clone()).unwrap_or_default();
                    }
                }
                if name.starts_with("List") {
                    params["pageSize"] = json!(2);
                }
                params
            }
            _ => json!({ "id": task }),
        };
        if self.bug.effect == Effect::DeliveryForeign || self.bug.effect == Effect::Leak {
            // A webhook of the other task.
            let mut webhook = self.webhook_of(other.0.as_deref().unwrap_or_default())?;
            webhook.params["url"] = json!(format!("http://{}/other", self.webhook));
            client.ask(&webhook).await?;
        }
        subject.task = task;
        Ok(subject)
    }

    /// Makes a task, past the proxy: the bug itself may break what prepares it.
    async fn task(&self, operation: &Operation, word: &str) -> Result<(Option<String>, Option<String>), Broken> {
        let mut client = Client::connect(self.agent).await?;
        let first = if WORDS.contains(&word) { word } else { "input-required" };
        let made = made(&client.ask(&message(true, first, None, None)?).await?);
        match (word, &made.0) {
            // A message is the answer itself.
            (ANSWERED, Some(task)) if !operation.name.starts_with("Send") => {
                client.ask(&message(true, "complete", Some(task), None)?).await?;
            }
            (CANCELED, Some(task)) => {
                let cancel = Operation::named("CancelTask").ok_or("the operation is known")?;
                client.ask(&Ask::new(cancel, true, json!({ "id": task }))).await?;
            }
            _ => {}
        }
        Ok(made)
    }

    fn webhook_of(&self, task: &str) -> Result<Ask, Broken> {
        let operation = Operation::named("CreateTaskPushNotificationConfig").ok_or("the operation is known")?;
        let url = format!("http://{}/Hook?a=1", self.webhook);
        let authentication = json!({ "scheme": "Bearer", "credentials": "c" });
        let params = json!({ "taskId": task, "url": url, "token": "t", "authentication": authentication });
        Ok(Ask::new(operation, true, params))
    }

    /// Changes what a question is about, so that its answer is another one.
    async fn change(
        &self,
        operation: &Operation,
        task: &Option<String>,
        context: &str,
        ask: &Ask,
        client: &mut Client,
    ) -> Result<(), Broken> {
        match operation.name.as_str() {
            "ListTasks" => {
                client.ask(&message(true, "complete", None, Some(context))?).await?;
            }
            "GetTask" => {
                client.ask(&message(true, "complete", task.as_deref(), None)?).await?;
            }
            "ListTaskPushNotificationConfigs" => {
                client.ask(&self.webhook_of(task.as_deref().unwrap_or_default())?).await?;
            }
            _ => {
                let delete = Operation::named("DeleteTaskPushNotificationConfig").ok_or("the operation is known")?;
                client.ask(&Ask::new(delete, true, ask.params.clone())).await?;
            }
        }
        Ok(())
    }

    /// Goes on to a page, by the tokens of those before it.
    async fn turn_pages(&self, ask: &mut Ask, wanted: i64, client: &mut Client) -> Result<(), Broken> {
        for _ in 1..wanted {
            ask.params["pageSize"] = json!(1);
            let mut page = ask.clone();
            page.padding = 0;
            let answer = client.ask(&page).await?;
            let token = answer.first().and_then(|answer| answer["nextPageToken"].as_str());
            let token = token.filter(|token| !token.is_empty()).ok_or("there is no further page")?;
            ask.params["pageToken"] = json!(token);
        }
        Ok(())
    }

    /// Makes a call that has to be before another, on the same task.
    async fn before(
        &self,
        before: &'static Operation,
        task: Option<&str>,
        context: &str,
        client: &mut Client,
    ) -> Result<(), Broken> {
        let mut params = match before.name.as_str() {
            name if name.starts_with("Send") => message(true, "input-required", task, None)?.params,
            "ListTasks" => json!({ "contextId": context }),
            _ => json!({}),
        };
        if let (Some(at), Some(task)) = (task_member(&before.name), task) {
            crate::pointer::put(&mut params, at, json!(task));
        }
        if before.name.contains("PushNotification") && !before.name.starts_with("List") {
            let made = self.webhook_of(task.unwrap_or_default())?;
            if before.name.starts_with("Create") {
                params = made.params;
            } else {
                params["id"] = client.ask(&made).await?.first().map(|made| made["id"].clone()).unwrap_or_default();
            }
        }
        self.finish(client, &Ask::new(before, true, params)).await
    }

    /// Brings a task on, so that its webhooks get something.
    async fn deliver(&self, task: &Option<String>, client: &mut Client) -> Result<(), Broken> {
        if let Some(task) = task.as_deref().filter(|_| !self.bug.operation.starts_with("Send")) {
            let answer = client.ask(&message(true, "complete", Some(task), None)?).await?;
            if answer.first().is_none_or(Value::is_null) {
                // The task has ended, and nothing comes of it any more.
                return Ok(());
            }
        }
        self.proxy.wait(|tally| tally.shown > 0).await;
        Ok(())
    }
}

/// What a call is about.
struct Subject {
    params: Value,
    task: Option<String>,
    context: String,
}

/// A message with something of everything that effects are about.
fn message(is_jsonrpc: bool, word: &str, task: Option<&str>, context: Option<&str>) -> Result<Ask, Broken> {
    let operation = Operation::named("SendMessage").ok_or("the operation is known")?;
    let text = format!("{word}  Ab é <b>&\u{1} 1.5 ");
    let mut message = json!({
        "messageId": "message-A1",
        "role": "ROLE_USER",
        "parts": [
            { "text": text, "metadata": { "aB": " X  é<\u{1}", "n": 0.1 }, "filename": " A  é<\u{1}.txt", "mediaType": "Text/Plain; a=\" é<\u{1}  b\" " },
            { "data": { "kB": " X  é<\u{1}", "n": 0.1, "list": [1.7, " Y "] } },
            { "url": "http://Example.test/A?b=é&c=<  x> ", "mediaType": "text/plain" },
            { "raw": "QUJD" },
        ],
        "metadata": { "aB": " X  é<\u{1}", "n": 0.1 },
        "extensions": ["urn:A", "urn:b"],
        "referenceTaskIds": ["task-000001", "task-000002"],
    });
    if let Some(task) = task {
        message["taskId"] = json!(task);
    }
    if let Some(context) = context.filter(|context| !context.is_empty()) {
        message["contextId"] = json!(context);
    }
    let mut params = json!({ "message": message });
    if word == "slow" {
        // So that its task is met at work.
        params["configuration"] = json!({ "returnImmediately": true });
    }
    Ok(Ask::new(operation, is_jsonrpc, params))
}

/// The task and the context of an answer to a message.
fn made(answers: &[Value]) -> (Option<String>, Option<String>) {
    let object =
        answers.first().map(|answer| if answer["task"].is_null() { &answer["message"] } else { &answer["task"] });
    let text = |name: &str| object.and_then(|object| object[name].as_str()).map(str::to_owned);
    (text("id"), text("contextId"))
}

/// A call that the agent refuses.
fn refused(operation: &'static Operation, is_jsonrpc: bool) -> Ask {
    let params = match operation.name.as_str() {
        "SendMessage" | "SendStreamingMessage" => {
            json!({ "message": { "messageId": "m", "role": "ROLE_USER", "taskId": "task-none", "parts": [{ "text": "a" }] } })
        }
        "ListTasks" => json!({ "pageSize": -1 }),
        "GetExtendedAgentCard" => json!({ "tenant": 1 }),
        "CreateTaskPushNotificationConfig" => json!({ "taskId": "task-none", "url": "http://127.0.0.1:9/" }),
        "ListTaskPushNotificationConfigs" => json!({ "taskId": "task-none" }),
        "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig" => {
            json!({ "taskId": "task-none", "id": "none" })
        }
        _ => json!({ "id": "task-none" }),
    };
    Ask::new(operation, is_jsonrpc, params)
}

/// A request that has to do with no operation: the agent knows no such address.
fn unrelated() -> Ask {
    #[allow(clippy::expect_used, reason = "the operation is in the definition")]
    let operation = Operation::named("GetTask").expect("the operation is known");
    Ask::new(operation, false, json!({ "id": "task-none" }))
}

/// How many calls have to come before the one for which a count holds.
fn fillers(known: u64, relation: &Relation) -> u64 {
    let holds = |count: u64| {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        match relation {
            Relation::Equals(wanted) => wanted.as_i64() == Some(count),
            Relation::AtLeast(least) => count >= *least,
            Relation::Remainder { by, rest } => count.rem_euclid(*by) == *rest,
            _ => true,
        }
    };
    (0..2000).find(|more| holds(known + more + 1)).unwrap_or_default()
}

/// A request that stays in flight: its body does not come.
async fn hold(proxy: SocketAddr) -> Result<tokio::net::TcpStream, Broken> {
    use tokio::io::AsyncWriteExt;
    let mut stream = tokio::net::TcpStream::connect(proxy).await?;
    let head =
        format!("POST /1.0 HTTP/1.1\r\nHost: {proxy}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    Ok(stream)
}
