//! What a run has seen of one interface: every answer, and the tasks by the states in which they were shown.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::pooled::Pooled;
use crate::binding::is_call;
use crate::profile::{Miss, Operation};
use crate::transcript::{Answer, Content, Exchange, StreamEvent, task_in};
use crate::transport::Connection;

/// The most bytes that large answers may take here: a part of the room that all answers share.
const MOST_LARGE: usize = 2 << 20;

/// The answers to calls of A2A, and those to all else that was sent, each in the order of the exchanges.
#[derive(Clone)]
pub(crate) struct Ordered {
    pub calls: Arc<Vec<Answer>>,
    pub beside: Arc<Vec<Answer>>,
}

/// The record. Answers are kept for the cases that judge the run as a whole.
#[derive(Default)]
pub(crate) struct Record {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    answers: Vec<Kept>,
    /// The answers in order, made when they are asked for: every case that observes reads the same.
    ordered: Option<Ordered>,
    /// The first task that was shown in each state, for cases that cannot make one.
    tasks: HashMap<String, Pooled>,
    /// The first plain reading of each task: one that asks for all of it.
    readings: HashMap<String, Pooled>,
    /// The id of the first task that was shown.
    first_id: Option<String>,
    /// What was read as it was meant to be, by type, and in how many answers.
    inferred: BTreeMap<(String, Miss), usize>,
    /// The bytes that large answers take, which wait here for the cases that judge an interface as a whole.
    large: usize,
    /// Whether what is read of the answers is all that there will be.
    is_complete: bool,
}

impl Record {
    /// Adds an answer.
    pub fn add(&self, answer: &Answer) {
        let mut inner = self.lock();
        let results = answer.result().into_iter();
        let events = answer.events().iter().filter_map(StreamEvent::value);
        for task in results.chain(events).filter_map(task_in) {
            if let (None, Some(id)) = (&inner.first_id, task.get("id").and_then(Value::as_str)) {
                inner.first_id = Some(id.to_owned());
            }
            if let Some(state) = task.pointer("/status/state").and_then(Value::as_str) {
                inner.tasks.entry(state.to_owned()).or_insert_with(|| Pooled::new(&Arc::new(task.clone())));
            }
        }
        let payloads = answer.payloads().into_iter();
        let missed: BTreeSet<(&str, &Miss)> = payloads
            .flat_map(|payload| &payload.reading.inferred)
            .map(|inferred| (inferred.kind.as_str(), &inferred.miss))
            .collect();
        for (kind, miss) in missed {
            *inner.inferred.entry((kind.to_owned(), miss.clone())).or_default() += 1;
        }
        if let Some((id, task)) = plain_reading(answer) {
            inner.readings.entry(id.to_owned()).or_insert_with(|| Pooled::new(&Arc::new(task.clone())));
        }
        // What is too much to be read proves nothing, and what is large takes the room of others.
        let share = answer.exchange.share.as_ref().map_or(0, |share| share.bytes());
        if !inner.is_complete && answer.too_much().is_none() && inner.large + share <= MOST_LARGE {
            inner.large += share;
            inner.answers.push(Kept::new(answer));
            inner.ordered = None;
        }
    }

    /// Every answer to a call of A2A so far, in the order of the exchanges.
    pub fn answers(&self, connection: &Connection) -> Arc<Vec<Answer>> {
        self.ordered(connection).calls
    }

    /// Every answer so far.
    pub fn ordered(&self, connection: &Connection) -> Ordered {
        let mut inner = self.lock();
        if let Some(ordered) = &inner.ordered {
            return ordered.clone();
        }
        let mut answers: Vec<Answer> = inner.answers.iter().map(|kept| kept.answer(connection)).collect();
        answers.sort_by_key(|answer| answer.exchange.number);
        let is_call = |answer: &Answer| is_call(&connection.interface, &answer.exchange.request);
        let (calls, beside) = answers.into_iter().partition(is_call);
        let ordered = Ordered { calls: Arc::new(calls), beside: Arc::new(beside) };
        inner.ordered = Some(ordered.clone());
        ordered
    }

    /// Keeps no more answers: who judges the run is to see the same, whatever goes on beside.
    pub fn complete(&self) {
        self.lock().is_complete = true;
    }

    /// Lets go of the answers: nobody will ask for them again.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.is_complete = true;
        inner.answers = Vec::new();
        inner.ordered = None;
        inner.readings = HashMap::new();
    }

    /// A task as it was when it was first read.
    pub fn first_reading(&self, id: &str) -> Option<Arc<Value>> {
        self.lock().readings.get(id).map(Pooled::get)
    }

    /// A task that was seen in this state by chance.
    pub fn task_in_state(&self, state: &str) -> Option<Arc<Value>> {
        self.lock().tasks.get(state).map(Pooled::get)
    }

    /// What was read as it was meant to be: of which type, how it misses its form, and in how many answers.
    pub fn inferred(&self) -> Vec<(String, Miss, usize)> {
        let inner = self.lock();
        inner.inferred.iter().map(|((kind, miss), count)| (kind.clone(), miss.clone(), *count)).collect()
    }

    /// The id of a task of this agent, whichever.
    pub fn some_id(&self) -> Option<String> {
        self.lock().first_id.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that an answer shows to who asks for all of it, and its id.
fn plain_reading(answer: &Answer) -> Option<(&str, &Value)> {
    let request = &answer.exchange.request;
    let is_plain =
        || request.params.as_object()?.keys().all(|member| matches!(&**member, "id" | "tenant")).then_some(());
    is_plain().filter(|()| request.operation == Some(Operation::GetTask))?;
    let task = answer.result().and_then(task_in)?;
    Some((task.get("id")?.as_str()?, task))
}

/// An answer as it is kept. The trees that are read from a body take many times its bytes, and are made again when somebody
/// asks for them.
enum Kept {
    /// What can be read again: the bytes, and when the events of a stream came.
    Bytes { exchange: Arc<Exchange>, events: Option<Vec<Duration>> },
    /// What is not worth it.
    Whole(Answer),
}

impl Kept {
    fn new(answer: &Answer) -> Self {
        let exchange = Arc::clone(&answer.exchange);
        match &answer.content {
            Content::Result(_) => Self::Bytes { exchange, events: None },
            Content::Stream(events) if events.iter().all(|event| event.payload().is_some()) => {
                Self::Bytes { exchange, events: Some(events.iter().map(|event| event.after).collect()) }
            }
            _ => Self::Whole(answer.clone()),
        }
    }

    fn answer(&self, connection: &Connection) -> Answer {
        match self {
            Self::Bytes { exchange, events } => connection.read_again(Arc::clone(exchange), events.as_deref()),
            Self::Whole(answer) => answer.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Credentials;
    use crate::interface::Interface;
    use crate::profile::{self, Binding};
    use crate::report::sample;
    use crate::transport::http::{Http, Settings};

    fn connection() -> Connection {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let interface = Interface::new(profile, Binding::Jsonrpc, "http://agent.example/".to_owned()).unwrap();
        let http =
            Http::new(Settings { credentials: Credentials::default(), timeout: Duration::from_secs(1) }).unwrap();
        Connection::new(interface, Arc::new(http))
    }

    #[test]
    fn what_is_read_again_is_what_was_read() {
        let connection = connection();
        let task = r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}"#;
        let result = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{task}}}"#);
        let event = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"task\":{task}}}}}\n\n");
        let times = [Duration::from_millis(3), Duration::from_millis(5)];
        let all =
            [(Operation::GetTask, result, None), (Operation::SendStreamingMessage, event.repeat(3), Some(&times[..]))];
        for (operation, body, times) in all {
            let mut exchange = sample::exchange(7, "test", "{}", Some(&body));
            exchange.request.operation = Some(operation);
            exchange.request.url = "http://agent.example/".to_owned();
            let answer = connection.read_again(Arc::new(exchange), times);
            assert_eq!(answer.payloads().len(), times.map_or(1, <[_]>::len));
            let record = Record::default();
            record.add(&answer);
            assert!(matches!(record.lock().answers.as_slice(), [Kept::Bytes { .. }]));
            let again = record.answers(&connection);
            assert_eq!(format!("{again:?}"), format!("{:?}", [&answer]));
        }
    }

    #[test]
    fn answers_to_what_is_no_call_are_kept_apart() {
        let connection = connection();
        let record = Record::default();
        let kinds = [("application/json", "/"), ("text/plain", "/"), ("application/json", "/no-such-path")];
        for (number, (kind, path)) in (1..).zip(kinds) {
            let mut exchange = sample::exchange(number, "test", "{}", Some(r#"{"error":"no"}"#));
            exchange.request.method = "POST".to_owned();
            exchange.request.url = format!("http://agent.example{path}");
            exchange.request.headers = vec![("content-type".to_owned(), kind.to_owned())];
            record.add(&connection.read_again(Arc::new(exchange), None));
        }
        let numbers = |answers: &[Answer]| answers.iter().map(|answer| answer.exchange.number).collect::<Vec<_>>();
        let Ordered { calls, beside } = record.ordered(&connection);
        assert_eq!((numbers(&calls), numbers(&beside)), (vec![1], vec![2, 3]));
    }
}
