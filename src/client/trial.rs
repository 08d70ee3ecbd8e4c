//! One case: its agent is put in place, the client is told what to do, and what came of it is judged.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::plan::{Pair, unspoken};
use crate::case::visit::{Doing, Told, Visit, Word};
use crate::judge::client::{Seen, StepReport, client};
use crate::judge::visit::Met;
use crate::plan::Trial;
use crate::reason::Reason;
use crate::stage::{Host, Scene, Visiting};
use crate::transcript::Exchange;
use crate::verdict::{Times, TrialResult, Verdict};
use crate::wrapper::{Command, Final, Pending, Said, Wrapper};

/// How long a case may take to be closed.
pub(super) const CLOSE: Duration = Duration::from_secs(5);
/// How long a request may go on once its case is closed.
pub(super) const SETTLE: Duration = Duration::from_secs(2);
/// The most events of one stream that are kept.
const MOST_EVENTS: usize = 10_000;

/// Where trials take place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage<'a> {
    pub wrapper: &'a Wrapper,
    pub host: &'a Host,
    pub limit: Duration,
}

/// What ends a visit before its steps are over.
enum Cut {
    /// The client has no way to do it.
    Skipped(Reason),
    /// Nothing can be taken from it.
    Broken(Reason),
}

/// Runs a case.
pub(super) async fn run(
    trial: &Trial,
    pair: &Pair,
    stage: Stage<'_>,
    began: Instant,
) -> (TrialResult, Vec<Arc<Exchange>>) {
    let started = began.elapsed();
    let (mut result, cited) = judged(trial, pair, stage).await;
    let took = began.elapsed().saturating_sub(started);
    if result.verdict != Verdict::Skipped {
        result.times = Some(Times::new(started, took, took));
    }
    (result, cited)
}

async fn judged(trial: &Trial, pair: &Pair, stage: Stage<'_>) -> (TrialResult, Vec<Arc<Exchange>>) {
    let without = |verdict: Verdict, reason: Reason| (trial.without_findings(verdict, reason), Vec::new());
    let Some(visit) = trial.case.visit() else {
        return without(Verdict::Broken, Reason::mistake(format!("{} is not about clients", trial.case.id)));
    };
    let words = visit.words();
    if let Some(word) = words.into_iter().find(|word| !stage.wrapper.hello().does(&word.to_string())) {
        return without(Verdict::Skipped, Reason::WrapperLacks { word: word.to_string() });
    }
    if let Some(binding) = unspoken(visit, pair, &stage.wrapper.hello().bindings) {
        return without(Verdict::Skipped, Reason::ClientSpeaksNot { binding });
    }
    let scene = Scene {
        profile: Arc::clone(&pair.profile),
        binding: pair.binding,
        agent: visit.agent.clone(),
        purpose: trial.case.id.clone(),
    };
    let visiting = match stage.host.open(scene) {
        Ok(visiting) => visiting,
        Err(error) => return without(Verdict::Broken, Reason::mistake(error.to_string())),
    };
    let mut conversation = Conversation::new(visit, &visiting, stage);
    let cut = conversation.hold().await.err();
    let closed = close(stage.wrapper, visiting.name()).await.err();
    visiting.settle(SETTLE).await;
    let broken = stage.wrapper.broken(visiting.name()).map(|how| Cut::Broken(Reason::WrapperBroke { how }));
    match broken.or(cut).or(closed) {
        Some(Cut::Skipped(reason)) => return without(Verdict::Skipped, reason),
        Some(Cut::Broken(reason)) => return without(Verdict::Broken, reason),
        None => {}
    }
    let met = visiting.met();
    verdict(trial, visit, &met, &conversation.reports)
}

/// What came of a visit, and the exchanges that show it.
pub(super) fn verdict(
    trial: &Trial,
    visit: &Visit,
    met: &[Met],
    reports: &BTreeMap<usize, StepReport>,
) -> (TrialResult, Vec<Arc<Exchange>>) {
    let judged = client(visit, Seen { met, reports, file: &trial.case.file });
    let violated = judged.violated();
    let (verdict, reason) = match (violated.is_empty(), judged.unseen) {
        (false, _) => (Verdict::broken_at(trial.level_of(&violated)), None),
        (true, Some(reason)) => (Verdict::Unreached, Some(reason)),
        (true, None) => (Verdict::Pass, None),
    };
    let cited: Vec<u64> = judged.findings.iter().filter_map(|finding| finding.exchange).collect();
    let mut result = trial.result(verdict, reason, judged.findings);
    if !violated.is_empty() {
        result.level = trial.level_of(&violated);
    }
    result.held = trial.as_named(judged.held, &violated);
    result.violated = violated;
    let exchanges = met.iter().map(|met| &met.exchange).filter(|exchange| cited.contains(&exchange.number));
    (result, exchanges.cloned().collect())
}

/// Closes a case.
async fn close(wrapper: &Wrapper, case: &str) -> Result<(), Cut> {
    let (case, word, members) = (case.to_owned(), "close".to_owned(), Map::new());
    let mut pending = wrapper.begin(Command { case, word, members, limit: CLOSE });
    match pending.last().await {
        Said::Final(_) => Ok(()),
        other => Err(cut(wrapper, &other, "close", CLOSE)),
    }
}

/// What something that is no answer makes of a visit.
fn cut(wrapper: &Wrapper, said: &Said, word: &str, limit: Duration) -> Cut {
    Cut::Broken(match said {
        Said::Broken(how) => Reason::WrapperBroke { how: how.clone() },
        Said::Gone => Reason::WrapperGone { how: wrapper.gone().unwrap_or_else(|| "nobody knows why".to_owned()) },
        _ => Reason::WrapperSilent { limit: limit.as_secs_f32().to_string(), word: word.to_owned() },
    })
}

/// The steps of a visit while they are done.
struct Conversation<'a> {
    visit: &'a Visit,
    visiting: &'a Visiting,
    stage: Stage<'a>,
    reports: BTreeMap<usize, StepReport>,
    /// The names that the wrapper knows, by those of the case.
    cards: Vec<String>,
    clients: Vec<String>,
    /// The streams that go on, by name: their step, and what has come.
    streams: HashMap<String, (usize, Pending, Vec<Value>)>,
}

impl<'a> Conversation<'a> {
    fn new(visit: &'a Visit, visiting: &'a Visiting, stage: Stage<'a>) -> Self {
        let (reports, cards, clients, streams) = (BTreeMap::new(), Vec::new(), Vec::new(), HashMap::new());
        Self { visit, visiting, stage, reports, cards, clients, streams }
    }

    async fn hold(&mut self) -> Result<(), Cut> {
        for (index, step) in self.visit.steps.iter().enumerate() {
            if step.word == Word::CancelStream {
                self.leave(index, step).await?;
            } else if let Some(members) = self.members(index, step) {
                self.give(index, step, members).await?;
            }
        }
        Ok(())
    }

    /// The members of a command; nothing where a name that it takes was never made.
    fn members(&self, index: usize, step: &Doing) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        let own_name = || step.name.clone().unwrap_or_else(|| format!("n{index}"));
        match step.word {
            Word::Resolve => {
                put("url", Value::from(self.visiting.url()));
                put("as", Value::from(own_name()));
            }
            Word::Client => {
                put("as", Value::from(own_name()));
                let wanted = step.options.get("card").and_then(Value::as_str);
                let is_resolved = |name: &&str| self.cards.iter().any(|known| known == name);
                let resolves = self.visit.steps.iter().take(index).any(|step| step.word == Word::Resolve);
                match (wanted, self.cards.last()) {
                    (Some(name), _) => put("card", Value::from(Some(name).filter(is_resolved)?)),
                    (None, Some(last)) => put("card", Value::from(last.clone())),
                    // A card that was to be there and is not.
                    (None, None) if resolves => return None,
                    (None, None) => put("url", Value::from(self.visiting.url())),
                };
            }
            _ => {
                let is_made = |name: &&String| self.clients.contains(name);
                let client = match &step.client {
                    Some(name) => Some(name).filter(is_made),
                    None => self.clients.last(),
                };
                put("client", Value::from(client?.clone()));
                if step.word != Word::Card {
                    put("with", step.with.clone().unwrap_or_else(|| json!({})));
                }
            }
        }
        for (name, value) in &step.options {
            members.entry((*name).to_owned()).or_insert_with(|| value.clone());
        }
        Some(members)
    }

    async fn give(&mut self, index: usize, step: &Doing, members: Map<String, Value>) -> Result<(), Cut> {
        let made = members.get("as").and_then(Value::as_str).map(str::to_owned);
        let (case, word, limit) = (self.visiting.name().to_owned(), step.word.to_string(), self.stage.limit);
        let mut pending = self.stage.wrapper.begin(Command { case, word: word.clone(), members, limit });
        let mut events = Vec::new();
        loop {
            match pending.next().await {
                Said::Event(event) => {
                    if events.len() < MOST_EVENTS {
                        events.push(event);
                    }
                    if let Some(name) = step.name.clone().filter(|_| self.visit.is_left(step)) {
                        self.streams.insert(name, (index, pending, events));
                        return Ok(());
                    }
                }
                Said::Ready { .. } => {}
                Said::Final(Final::Unsupported(why)) => {
                    return Err(Cut::Skipped(Reason::ClientCannot { why, word }));
                }
                Said::Final(last) => {
                    if let (Final::Result(_), Some(name)) = (&last, made) {
                        match step.word {
                            Word::Resolve => self.cards.push(name),
                            Word::Client => self.clients.push(name),
                            _ => {}
                        }
                    }
                    let report = reported(step.word, last, events);
                    self.reports.insert(index, report);
                    return Ok(());
                }
                other => return Err(cut(self.stage.wrapper, &other, &word, limit)),
            }
        }
    }

    /// Leaves a stream that goes on; one that is over cannot be left any more.
    async fn leave(&mut self, index: usize, step: &Doing) -> Result<(), Cut> {
        let Some((of, mut stream, mut events)) = step.stream.as_ref().and_then(|name| self.streams.remove(name)) else {
            return Ok(());
        };
        let members: Map<String, Value> = [("stream".to_owned(), Value::from(stream.id()))].into_iter().collect();
        let (case, word, limit) = (self.visiting.name().to_owned(), step.word.to_string(), self.stage.limit);
        let mut pending = self.stage.wrapper.begin(Command { case, word: word.clone(), members, limit });
        match pending.last().await {
            Said::Final(Final::Unsupported(why)) => return Err(Cut::Skipped(Reason::ClientCannot { why, word })),
            Said::Final(last) => {
                self.reports.insert(index, reported(step.word, last, Vec::new()));
            }
            other => return Err(cut(self.stage.wrapper, &other, &word, limit)),
        }
        loop {
            match stream.next().await {
                Said::Event(event) => events.push(event),
                Said::Ready { .. } => {}
                Said::Final(last) => {
                    let word = self.visit.steps.get(of).map_or(Word::SendStreamingMessage, |step| step.word);
                    self.reports.insert(of, reported(word, last, events));
                    return Ok(());
                }
                other => return Err(cut(self.stage.wrapper, &other, "a stream that was left", limit)),
            }
        }
    }
}

/// What a final answer reports of a step.
fn reported(word: Word, last: Final, events: Vec<Value>) -> StepReport {
    let value = |value: Value| if word.streams() { Value::Array(events.clone()) } else { value };
    match last {
        Final::Result(result) => {
            StepReport { told: Told::Result, value: value(result), name: None, message: String::new() }
        }
        Final::End(_) => StepReport { told: Told::End, value: value(Value::Null), name: None, message: String::new() },
        Final::Error { kind, code, name, message } => {
            let told = Told::KINDS.into_iter().find(|told| told.name() == kind).unwrap_or(Told::Other);
            let code = match code {
                Value::Null => String::new(),
                Value::String(code) => format!("{code} "),
                code => format!("{code} "),
            };
            StepReport { told, value: value(Value::Null), name, message: format!("{code}{message}") }
        }
        Final::Unsupported(why) => StepReport { told: Told::Other, value: Value::Null, name: None, message: why },
    }
}
