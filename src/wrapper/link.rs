//! The connection to a wrapper: lines of JSON, and which of them answers which command.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{Command, LONGEST_LINE, Shared};
use crate::diagnostic::words::shorten;

/// What a wrapper says of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// An item of a stream, or a notification.
    Event(Value),
    /// A receiver waits.
    Ready {
        /// Where.
        url: String,
        /// The header in which it looks for the token.
        token_header: Option<String>,
    },
    /// The last of it.
    Final(Final),
    /// The contract was broken, so that nothing can be taken from this.
    Broken(String),
    /// Nothing came in time.
    Silent,
    /// The wrapper is no longer there.
    Gone,
}

/// A final answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Final {
    /// It was done.
    Result(Value),
    /// A stream is over.
    End(String),
    /// The SDK reported an error.
    Error {
        /// Its kind.
        kind: String,
        /// Its code, as the SDK shows it.
        code: Value,
        /// Its name in A2A 1.0, where the SDK tells it apart.
        name: Option<String>,
        /// What it says.
        message: String,
    },
    /// The SDK has no public way to do it.
    Unsupported(String),
}

/// A command that was given.
#[derive(Debug)]
pub struct Pending {
    id: u64,
    limit: Duration,
    said: mpsc::UnboundedReceiver<Said>,
    state: Shared<State>,
}

/// The connection.
#[derive(Debug)]
pub(super) struct Link {
    state: Shared<State>,
    lines: mpsc::UnboundedSender<Vec<u8>>,
    grace: Duration,
    tasks: [JoinHandle<()>; 2],
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    open: BTreeMap<u64, Open>,
    /// The cases of commands that have their final answer.
    over: BTreeMap<u64, String>,
    /// What broke the contract, by case.
    broken: BTreeMap<String, String>,
    /// How often in a row nothing came.
    silences: usize,
    /// What became of the connection.
    gone: Option<String>,
    is_closed: bool,
}

#[derive(Debug)]
struct Open {
    case: String,
    said: mpsc::UnboundedSender<Said>,
}

/// Locks the state; whoever panicked with it has left it whole.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// The rest of a connection whose greeting is over; `rest` came behind that.
    pub fn new(stream: TcpStream, rest: Vec<u8>, grace: Duration) -> Self {
        let (reader, mut writer) = stream.into_split();
        let state: Shared<State> = Arc::default();
        let (lines, mut to_write) = mpsc::unbounded_channel::<Vec<u8>>();
        let write = tokio::spawn(async move {
            while let Some(line) = to_write.recv().await {
                // Who does not read any more is noticed by what does not come.
                if writer.write_all(&line).await.is_err() {
                    break;
                }
            }
        });
        let read = tokio::spawn(read(reader, rest, Arc::clone(&state)));
        Self { state, lines, grace, tasks: [write, read] }
    }

    /// Says something that is no command.
    pub fn say(&self, value: &Value) {
        let _ = self.lines.send(line(value));
    }

    /// Gives a command.
    pub fn begin(&self, command: Command) -> Pending {
        let Command { case, word, members, limit } = command;
        let (sender, said) = mpsc::unbounded_channel();
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let mut state = locked(&self.state);
        state.next += 1;
        let id = state.next;
        if state.gone.is_some() {
            let _ = sender.send(Said::Gone);
        }
        let mut value = json!({ "id": id, "case": case, "do": word, "limit": milliseconds });
        if let Value::Object(all) = &mut value {
            all.extend(members);
        }
        state.open.insert(id, Open { case, said: sender });
        drop(state);
        self.say(&value);
        // A receiver waits as long as its case goes on.
        let limit = if word == "receive" { Duration::MAX } else { limit.saturating_add(self.grace) };
        Pending { id, limit, said, state: Arc::clone(&self.state) }
    }

    pub fn broken(&self, case: &str) -> Option<String> {
        locked(&self.state).broken.get(case).cloned()
    }

    pub fn silences(&self) -> usize {
        locked(&self.state).silences
    }

    pub fn gone(&self) -> Option<String> {
        locked(&self.state).gone.clone()
    }

    /// Closes the connection.
    pub fn close(&self) {
        locked(&self.state).is_closed = true;
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close();
    }
}

impl Pending {
    /// The id of the command.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What the wrapper says next of it.
    pub async fn next(&mut self) -> Said {
        let said = match tokio::time::timeout(self.limit, self.said.recv()).await {
            Ok(said) => said.unwrap_or(Said::Gone),
            Err(_) => Said::Silent,
        };
        let mut state = locked(&self.state);
        match &said {
            Said::Silent => {
                state.silences += 1;
                // What comes later comes too late.
                if let Some(open) = state.open.remove(&self.id) {
                    state.over.insert(self.id, open.case);
                }
            }
            Said::Gone => {}
            _ => state.silences = 0,
        }
        said
    }

    /// The final answer of a command that is no stream; what comes before it is left out.
    pub async fn last(&mut self) -> Said {
        loop {
            match self.next().await {
                Said::Event(_) | Said::Ready { .. } => {}
                last => return last,
            }
        }
    }
}

/// A value on a line of its own.
fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Says why, and closes.
pub(super) async fn refuse(mut stream: TcpStream, why: &str) {
    let line = line(&json!({ "do": "refuse", "message": why }));
    // The wrapper may be gone already.
    let _said = stream.write_all(&line).await;
    let _closed = stream.shutdown().await;
}

/// The first line of a connection, without its end, and what came behind it.
///
/// # Errors
/// What came in place of a line.
pub(super) async fn first_line(stream: &mut TcpStream) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut came = Vec::new();
    let mut piece = vec![0; 4 << 10];
    loop {
        let count = stream.read(&mut piece).await.unwrap_or_default();
        if count == 0 {
            return Err("it closed the connection before it said hello".to_owned());
        }
        came.extend_from_slice(piece.get(..count).unwrap_or_default());
        if let Some(end) = came.iter().position(|byte| *byte == b'\n') {
            let rest = came.split_off(end + 1);
            came.truncate(end);
            return Ok((came, rest));
        }
        if came.len() > LONGEST_LINE {
            return Err("its first line is longer than 16 MiB".to_owned());
        }
    }
}

/// Reads lines until the connection ends.
async fn read(mut reader: impl AsyncRead + Unpin, rest: Vec<u8>, state: Shared<State>) {
    let mut came = rest;
    let mut piece = vec![0; 64 << 10];
    let mut is_too_long = false;
    loop {
        let mut begin = 0;
        while let Some(end) = came.get(begin..).and_then(|left| left.iter().position(|byte| *byte == b'\n')) {
            let line = came.get(begin..begin + end).unwrap_or_default();
            if !std::mem::take(&mut is_too_long) {
                take(&state, line);
            }
            begin += end + 1;
        }
        came.drain(..begin);
        if came.len() > LONGEST_LINE {
            // Its end is waited for, and nothing of it is kept.
            if !std::mem::replace(&mut is_too_long, true) {
                locked(&state).blame_all("it said a line of more than 16 MiB");
            }
            came.clear();
        }
        match reader.read(&mut piece).await {
            Ok(count @ 1..) => came.extend_from_slice(piece.get(..count).unwrap_or_default()),
            ended => {
                let how = match ended {
                    Err(error) => format!("its connection was lost: {error}"),
                    Ok(_) => "it closed the connection".to_owned(),
                };
                let mut state = locked(&state);
                state.gone = Some(how);
                for open in state.open.values() {
                    let _ = open.said.send(Said::Gone);
                }
                return;
            }
        }
    }
}

/// Gives a line to whoever waits for it.
fn take(state: &Mutex<State>, line: &[u8]) {
    const LONGEST: usize = 120;
    let mut state = locked(state);
    let shown = || shorten(&String::from_utf8_lossy(line), LONGEST);
    let Ok(value @ Value::Object(_)) = serde_json::from_slice::<Value>(line) else {
        return state.blame_all(&format!("it said what is no JSON object: {}", shown()));
    };
    let Some(id) = value.get("id").and_then(Value::as_u64) else {
        return state.blame_all(&format!("it said something without the id of a command: {}", shown()));
    };
    if let Some(case) = state.over.get(&id).cloned() {
        return state
            .blame(&case, &format!("it said something of the command {id} after its final answer: {}", shown()));
    }
    if !state.open.contains_key(&id) {
        return state.blame_all(&format!("it answered the command {id}, which was never given: {}", shown()));
    }
    match said(&value) {
        Ok(said) => {
            let is_final = matches!(said, Said::Final(_));
            if let Some(open) = state.open.get(&id) {
                let _ = open.said.send(said);
            }
            if is_final && let Some(open) = state.open.remove(&id) {
                state.over.insert(id, open.case);
            }
        }
        Err(why) => {
            let case = state.open.get(&id).map(|open| open.case.clone()).unwrap_or_default();
            state.blame(&case, &format!("{why}: {}", shown()));
        }
    }
}

impl State {
    /// Notes what broke the contract in a case, and lets whoever waits there know.
    fn blame(&mut self, case: &str, why: &str) {
        self.broken.entry(case.to_owned()).or_insert_with(|| why.to_owned());
        for open in self.open.values().filter(|open| open.case == case) {
            let _ = open.said.send(Said::Broken(why.to_owned()));
        }
    }

    /// The same where nobody knows which case it was about: any that is under way.
    fn blame_all(&mut self, why: &str) {
        let cases: BTreeSet<String> = self.open.values().map(|open| open.case.clone()).collect();
        cases.iter().for_each(|case| self.blame(case, why));
    }
}

/// What a message says.
///
/// # Errors
/// What is wrong with it.
fn said(value: &Value) -> Result<Said, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let needed = |name: &str| text(name).ok_or_else(|| format!("its answer lacks `{name}`"));
    // Null and an absent member are the same.
    let held = || value.get("value").cloned().unwrap_or_default();
    Ok(match value.get("say").and_then(Value::as_str) {
        Some("result") => Said::Final(Final::Result(held())),
        Some("event") => Said::Event(held()),
        Some("ready") => Said::Ready { url: needed("url")?, token_header: text("token-header") },
        Some("end") => Said::Final(Final::End(text("by").unwrap_or_default())),
        Some("error") => Said::Final(Final::Error {
            kind: needed("kind")?,
            code: value.get("code").cloned().unwrap_or_default(),
            name: text("name"),
            message: text("message").unwrap_or_default(),
        }),
        Some("unsupported") => Said::Final(Final::Unsupported(text("why").unwrap_or_default())),
        Some(other) => return Err(format!("it says `{other}`, which the contract does not have")),
        None => return Err("its answer lacks `say`".to_owned()),
    })
}
