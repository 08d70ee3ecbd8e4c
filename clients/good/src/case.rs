//! What one case has open, and its commands.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::time::timeout;

use crate::auth::Credentials;
use crate::client::{Client, Options};
use crate::deviation::deviates;
use crate::failure::{Failure, Kind};
use crate::http::Http;
use crate::operation::{self, Operation};
use crate::resolver::Resolver;
use crate::webhook::{self, Expected};
use crate::wrapper::Answers;
use crate::{follow, signature};

/// The names and streams of a case.
#[derive(Debug, Default)]
pub(crate) struct Case {
    resolver: AsyncMutex<Resolver>,
    cards: Mutex<HashMap<String, Value>>,
    clients: Mutex<HashMap<String, Arc<Client>>>,
    streams: Mutex<HashMap<String, Stream>>,
}

/// A way to end a stream or a receiver, and to wait until it has said so.
#[derive(Debug, Clone)]
struct Stream {
    /// By whom it is ended.
    stop: watch::Sender<Option<&'static str>>,
    /// Closed once its `end` was said.
    done: watch::Receiver<()>,
}

impl Case {
    /// Does one command, and answers it.
    pub(crate) async fn perform(&self, command: Value, answers: &Answers) {
        let id = command["id"].clone();
        let answer = match (word(&command), operation::named(word(&command))) {
            (_, Some(operation)) if operation.streams => return self.stream(operation, &command, answers).await,
            ("receive", _) => return self.receive(&command, answers).await,
            (_, Some(operation)) => within(&command, self.operate(operation, &command)).await,
            ("cancel-stream", _) => self.cancel(&command).await,
            ("close", _) => self.close().await,
            _ => within(&command, self.simple(&command)).await,
        };
        let _ = answers.send(match answer {
            Ok(value) => json!({ "say": "result", "id": id, "value": value }),
            Err(failure) => failure.answer(&id),
        });
    }

    async fn simple(&self, command: &Value) -> Result<Value, Failure> {
        match word(command) {
            "resolve" => {
                let card = self.resolve(command).await?;
                locked(&self.cards).insert(text(command, "as").to_owned(), card.clone());
                Ok(card)
            }
            "client" => {
                let card = match command["card"].as_str() {
                    Some(name) => self.card(name)?,
                    None => self.resolve(command).await?,
                };
                let client = Client::new(card, http(command)?, options(command)).await?;
                let chosen = client.chosen();
                locked(&self.clients).insert(text(command, "as").to_owned(), Arc::new(client));
                Ok(chosen)
            }
            "card" => Ok(self.client(command)?.card()),
            "walk" => {
                let most = command["most"].as_u64().unwrap_or(1000);
                follow::walk(&*self.client(command)?, &command["with"], most).await
            }
            "follow" => follow::follow(&*self.client(command)?, &command["with"]).await,
            "verify" => {
                let card = self.card(text(command, "card"))?;
                let keys = command["keys"].as_array().map(Vec::as_slice);
                signature::verify(&card, keys, &http(command)?).await.map_err(Failure::refused)?;
                Ok(json!({ "verified": true }))
            }
            other => Err(Failure::usage(format!("unknown: {other}"))),
        }
    }

    async fn resolve(&self, command: &Value) -> Result<Value, Failure> {
        self.resolver.lock().await.resolve(text(command, "url"), &http(command)?).await
    }

    async fn operate(&self, operation: &Operation, command: &Value) -> Result<Value, Failure> {
        if deviates("wrapper/answers-by-itself") {
            return Ok(json!({ "task": { "id": "t1", "status": { "state": "TASK_STATE_COMPLETED" } } }));
        }
        self.client(command)?.call(operation, &command["with"]).await
    }

    fn card(&self, name: &str) -> Result<Value, Failure> {
        locked(&self.cards).get(name).cloned().ok_or_else(|| Failure::usage(format!("no card {name:?}")))
    }

    fn client(&self, command: &Value) -> Result<Arc<Client>, Failure> {
        let name = text(command, "client");
        locked(&self.clients).get(name).cloned().ok_or_else(|| Failure::usage(format!("no client {name:?}")))
    }

    /// Reports each event at once, and how the stream ended.
    async fn stream(&self, operation: &Operation, command: &Value, answers: &Answers) {
        let id = &command["id"];
        let (mut stop, done) = self.begin(id);
        let events = async {
            let client = self.client(command)?;
            let mut events = within(command, client.stream(operation, &command["with"])).await?;
            let (mut kept, mut lost) = (VecDeque::new(), false);
            while let Some(event) = events.next(limit(command)).await {
                let line = json!({ "say": "event", "id": id, "value": event? });
                kept.push_back(line);
                let held = match () {
                    () if deviates("stream/told-at-the-end") => usize::MAX,
                    () if deviates("stream/last-event-lost") => 1,
                    () => 0,
                };
                while kept.len() > held {
                    let _ = kept.pop_front().map(|line| answers.send(line));
                }
                lost = held == 1;
            }
            if lost {
                kept.clear();
            }
            kept.into_iter().for_each(|line| drop(answers.send(line)));
            Ok::<_, Failure>("agent")
        };
        let ended = tokio::select! {
            biased;
            by = stopped(&mut stop) => Ok(by),
            ended = events => ended,
        };
        let _ = answers.send(match ended {
            Ok(by) => json!({ "say": "end", "id": id, "by": by }),
            Err(failure) => failure.answer(id),
        });
        drop(done);
    }

    /// Reports each notification that is taken, until it is closed.
    async fn receive(&self, command: &Value, answers: &Answers) {
        let id = &command["id"];
        let (mut stop, done) = self.begin(id);
        let tasks = command["tasks"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let token = command["token"].as_str().map(str::to_owned);
        let expected = Expected { tasks: tasks.collect(), token, authentication: command["authentication"].clone() };
        let mut receiver = match webhook::open(expected).await {
            Ok(receiver) => receiver,
            Err(problem) => {
                let _ = answers.send(Failure::transport(problem).answer(id));
                return;
            }
        };
        let ready = json!({ "say": "ready", "id": id, "url": receiver.url, "token-header": webhook::TOKEN_HEADER });
        let _ = answers.send(ready);
        let by = loop {
            tokio::select! {
                biased;
                Some(event) = receiver.events.recv() => {
                    let _ = answers.send(json!({ "say": "event", "id": id, "value": event }));
                }
                by = stopped(&mut stop) => break by,
            }
        };
        let _ = answers.send(json!({ "say": "end", "id": id, "by": by }));
        drop(done);
    }

    fn begin(&self, id: &Value) -> (watch::Receiver<Option<&'static str>>, watch::Sender<()>) {
        let (stop, stopped) = watch::channel(None);
        let (done, finished) = watch::channel(());
        locked(&self.streams).insert(id.to_string(), Stream { stop, done: finished });
        (stopped, done)
    }

    async fn cancel(&self, command: &Value) -> Result<Value, Failure> {
        let stream = locked(&self.streams).get(&command["stream"].to_string()).cloned();
        stream.ok_or_else(|| Failure::usage("no such stream"))?.end("cancel").await;
        Ok(Value::Null)
    }

    async fn close(&self) -> Result<Value, Failure> {
        let streams: Vec<Stream> = locked(&self.streams).drain().map(|(_, stream)| stream).collect();
        for stream in streams {
            stream.end("close").await;
        }
        locked(&self.clients).clear();
        locked(&self.cards).clear();
        Ok(Value::Null)
    }
}

impl Stream {
    /// Ends it, and waits until its end was said.
    async fn end(mut self, by: &'static str) {
        self.stop.send_replace(Some(by));
        while self.done.changed().await.is_ok() {}
    }
}

async fn stopped(stop: &mut watch::Receiver<Option<&'static str>>) -> &'static str {
    match stop.wait_for(Option::is_some).await.map(|by| *by) {
        Ok(Some(by)) => by,
        // The case is gone, and with it whoever could stop this.
        _ => "close",
    }
}

fn word(command: &Value) -> &str {
    text(command, "do")
}

fn text<'a>(command: &'a Value, name: &str) -> &'a str {
    command[name].as_str().unwrap_or_default()
}

fn limit(command: &Value) -> Duration {
    Duration::from_millis(command["limit"].as_u64().unwrap_or(30_000))
}

async fn within<T>(command: &Value, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let ended = timeout(limit(command), work).await;
    ended.unwrap_or_else(|_| Err(Failure::new(Kind::Timeout, "the limit was over")))
}

/// Certificates as one text, or as several.
fn http(command: &Value) -> Result<Http, Failure> {
    let pem = match &command["trust"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        one => one.as_str().unwrap_or_default().to_owned(),
    };
    Http::trusting(&pem)
}

fn options(command: &Value) -> Options {
    let texts =
        |name: &str| command[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    Options {
        bindings: texts("bindings").collect(),
        extensions: texts("extensions").collect(),
        credentials: Credentials::new(&command["auth"]),
        output_modes: command.get("output-modes").filter(|modes| modes.is_array()).cloned(),
        keys: command["keys"].as_array().cloned(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
