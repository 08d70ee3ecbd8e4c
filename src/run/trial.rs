//! Runs one trial: its fixtures, its steps, its judgement.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::Value;

use super::Sides;
use super::lost;
use super::purged;
use super::scope::Scope;
use super::step::{Streams, act};
use super::steps;
use super::together;
use super::trust::Trusted;
use crate::case::{Act, Action, BytesCall, Expect, Goal, Matcher, Step, Trigger, resolve};
use crate::discovery::triggers::Say;
use crate::finding::{Finding, Kind};
use crate::judge::{self, CaseView, Judged, Judgement, Observation, RunView, StepRecord, oracle};
use crate::plan::Trial;
use crate::profile::{Dialect, Operation};
use crate::reason::Reason;
use crate::session::record::Ordered;
use crate::session::{Session, StepError};
use crate::transcript::{Answer, Ended, Exchange, TransportError};
use crate::transport::inbound::Hook;
use crate::verdict::{Level, TrialResult, Verdict};

/// The most violated assertions that a result names: a hostile card may have any number of wrong places.
const MOST_VIOLATED: usize = 200;

/// The case that tells of an agent that reads no requests whose id is a number.
const TELLS_OF_NUMBERS: &str = "jsonrpc/id-integer";

/// A trial that is over: how it came out, and the exchanges that its findings cite.
pub(super) struct Done {
    pub result: TrialResult,
    pub cited: Vec<Arc<Exchange>>,
    /// What the requests of its steps took, all together; nothing where it did not run, or not to its end.
    pub waited: Option<Duration>,
}

impl Done {
    /// A trial that did not run, or not to its end.
    pub fn without_findings(trial: &Trial, verdict: Verdict, reason: Reason) -> Self {
        Self { result: trial.without_findings(verdict, reason), cited: Vec::new(), waited: None }
    }

    /// Adds exchanges, each once. A stream that was opened and then drained is there twice, at last as a whole.
    fn cite<'a>(&mut self, exchanges: impl Iterator<Item = &'a Arc<Exchange>>) {
        let known = self.cited.drain(..).chain(exchanges.cloned());
        let cited: BTreeMap<u64, _> = known.map(|exchange| (exchange.number, exchange)).collect();
        self.cited = cited.into_values().collect();
    }
}

/// Holds the conversation of a trial, and judges it.
pub(super) async fn run(trial: &Trial, sides: &Sides) -> Done {
    let Action::Steps(steps) = &trial.case.action else {
        let reason = Reason::mistake(format!("{} has no steps", trial.case.id));
        return Done::without_findings(trial, Verdict::Broken, reason);
    };
    if let Some(operation) = denied(trial, sides) {
        let reason = Reason::MessagesAlone { operation: operation.to_string() };
        return Done::without_findings(trial, Verdict::Skipped, reason);
    }
    let said = Said::by(trial, sides);
    let mut conversation = Conversation::new(trial, sides);
    let mut judged = conversation.hold(steps).await;
    if let Judgement::Unseen(reason) = &judged.judgement
        // There is one restart, and it was in the first conversation.
        && sides.restart.is_none()
        && said.is_replaced_after(reason, sides).await
    {
        conversation = Conversation::new(trial, sides);
        judged = conversation.hold(steps).await;
    }
    if let Judgement::Unseen(reason) = &judged.judgement
        && sides.all().any(|session| session.lacks_tasks_for(reason))
    {
        judged.judgement = Judgement::Unseen(Reason::MakesNoTasks);
    }
    let seen = conversation.played.iter().flat_map(|played| played.seen.answers());
    if let Some(reason) = purged::look(&judged.judgement, &conversation.scope.fixtures, seen.clone(), sides).await {
        judged.judgement = Judgement::Unseen(reason);
        judged.violated.clear();
    }
    if let Some(played) = conversation.before_restart.and_then(|before| conversation.played.get(before..))
        && let Some(lost) = lost::look(&judged.judgement, played, sides).await
    {
        judged = Judged { judgement: Judgement::Wrong(vec![lost]), held: Vec::new(), violated: Vec::new() };
    }
    // By the time of the second request the first has been served to its end.
    if let Judgement::Unseen(reason) = &judged.judgement
        && reason.is_about_the_course()
        && sides.first.serves_single_requests()
        && speaks_beside_itself(trial)
    {
        judged.judgement = Judgement::Unseen(Reason::OneAtATime);
    }
    let waited = seen.clone().map(|answer| answer.exchange.elapsed).sum();
    let mut done = done(trial, sides.all(), judged, seen.clone());
    if sides.keeps_steps || !done.result.findings.is_empty() {
        (done.result.steps, done.result.steps_left_out) = steps::of(&conversation.played);
        let numbers: BTreeSet<u64> = done.result.steps.iter().map(|step| step.exchange).collect();
        done.cite(seen.map(|answer| &answer.exchange).filter(|exchange| numbers.contains(&exchange.number)));
    }
    Done { waited: Some(waited), ..done }
}

/// Whether a trial has a request under way while it makes another one.
fn speaks_beside_itself(trial: &Trial) -> bool {
    trial.case.all_steps().iter().any(|step| matches!(step.act, Act::Open(_) | Act::Together(_)))
}

/// An operation that a trial needs and its interface does not have, which serves messages alone.
fn denied(trial: &Trial, sides: &Sides) -> Option<Operation> {
    let of_step = |step: &&Step| match &step.act {
        Act::Call(call) | Act::Stream(call) | Act::Open(call) | Act::Bytes(BytesCall { call, .. }) => {
            Some(call.operation).filter(|operation| sides.session_of(step).has_no(*operation))
        }
        _ => None,
    };
    let cancels = trial.case.given.values().any(|fixture| fixture.task == Goal::Canceled);
    let of_fixtures = (cancels && sides.first.has_no(Operation::CancelTask)).then_some(Operation::CancelTask);
    of_fixtures.or_else(|| trial.case.all_steps().iter().find_map(of_step))
}

/// Judges what a run has seen over one interface.
pub(super) fn observe(trial: &Trial, session: &Arc<Session>) -> Done {
    let Action::Observe(call) = &trial.case.action else {
        let reason = Reason::mistake(format!("{} does not observe", trial.case.id));
        return Done::without_findings(trial, Verdict::Broken, reason);
    };
    let Ordered { calls: answers, beside } = session.record.ordered(&session.connection);
    let interface = &session.connection.interface;
    let service = session.service();
    let tried = session.tried_answers();
    let is_open = |answer: &&Answer| trial.judges_by("operations-served") || !session.shows_messages_alone(answer);
    let answers: Cow<'_, [Answer]> = match session.messages_alone() {
        Some(_) => answers.iter().filter(is_open).cloned().collect(),
        None => Cow::Borrowed(&answers),
    };
    let view = RunView {
        profile: session.profile(),
        dialect: &interface.dialect,
        binding: interface.binding,
        answers: &answers,
        beside: &beside,
        tried: &tried,
        service: &service,
        asked_twice: &session.asked_twice(),
    };
    let mut judged = oracle::over_run(view, call).naming(|own| format!("{}{own}", call.name));
    let saw_too_little =
        matches!(judged.judgement, Judgement::Unseen(Reason::RunSawNo { .. } | Reason::TooFewTimestamps));
    if saw_too_little && session.messages_alone().is_some() {
        judged.judgement = Judgement::Unseen(Reason::MessagesAlone { operation: Operation::GetTask.to_string() });
    }
    let judged = done(trial, std::iter::once(session), judged, answers.iter().chain(beside.iter()).chain(&tried));
    Done { waited: Some(Duration::ZERO), ..judged }
}

/// What a judgement comes to; `seen` is what it was made of.
fn done<'a>(
    trial: &Trial,
    mut sessions: impl Iterator<Item = &'a Arc<Session>> + Clone,
    judged: Judged,
    seen: impl Iterator<Item = &'a Answer> + Clone,
) -> Done {
    let Judged { mut judgement, held, violated } = judged;
    if let Some(session) = sessions.clone().next() {
        spell(&session.connection.interface.dialect, &mut judgement, seen.clone());
    }
    let refuses = trial.case.operations_to_refuse();
    let undiscerning =
        sessions.clone().find_map(|session| refuses.iter().find_map(|operation| session.undiscerning(*operation)));
    let constant = sessions.find_map(|session| session.constant()).or(undiscerning);
    let constant = constant.filter(|_| !trial.case.needs_no_control());
    // An agent that says the same to everything shows nothing by what is right of it.
    let held = if constant.is_some() { Vec::new() } else { trial.as_named(held, &violated) };
    let judgement = match (judgement, constant) {
        (Judgement::Right, Some(reason)) => Judgement::Unseen(reason.clone()),
        (judgement, _) => judgement,
    };
    let result = conclude(trial, Judged { judgement, held, violated });
    let mut done = Done { result, cited: Vec::new(), waited: None };
    let numbers = cited_by(&done.result.findings);
    done.cite(seen.map(|answer| &answer.exchange).filter(|exchange| numbers.contains(&exchange.number)));
    done
}

/// The numbers of the exchanges that findings cite.
pub(crate) fn cited_by(findings: &[Finding]) -> BTreeSet<u64> {
    findings.iter().flat_map(|finding| [finding.exchange, finding.against]).flatten().collect()
}

/// The result of a trial that was judged. The names of its assertions are those that requirements use.
pub(crate) fn conclude(trial: &Trial, judged: Judged) -> TrialResult {
    let Judged { judgement, held, violated } = judged;
    let level = trial.level_of(&violated);
    let verdict = judgement.verdict(level);
    let mut result = match judgement {
        Judgement::Right => trial.result(verdict, None, Vec::new()),
        Judgement::Wrong(findings) => trial.result(verdict, None, findings),
        Judgement::Unseen(reason) | Judgement::Broken(reason) => trial.without_findings(verdict, reason),
    };
    (result.level, result.held, result.violated) = (level, held, violated);
    // What no requirement names is the last that a report needs.
    let is_named = |name: &String| trial.requirements.iter().any(|one| one.is_violated_by(&trial.case.id, name));
    result.violated.sort_by_cached_key(|name| !is_named(name));
    result.violated.truncate(MOST_VIOLATED);
    result
}

/// Says what was expected and received in the spelling of the version. What the agent wrote is shown as it wrote it.
pub(crate) fn spell<'a>(dialect: &Dialect, judgement: &mut Judgement, seen: impl Iterator<Item = &'a Answer> + Clone) {
    match judgement {
        Judgement::Wrong(findings) => {
            for finding in findings {
                let cited = || seen.clone().filter(|answer| Some(answer.exchange.number) == finding.exchange);
                let wrote = |word: &str| cited().any(|answer| answer.exchange.holds(word));
                if let Some(received) = &mut finding.received {
                    *received = dialect.in_own_words(received, wrote);
                }
                if let Some(expected) = &mut finding.expected {
                    *expected = dialect.in_own_words(expected, |_| false);
                }
            }
        }
        Judgement::Unseen(reason) | Judgement::Broken(reason) => {
            for text in reason.texts_mut() {
                *text = dialect.in_own_words(text, |_| false);
            }
        }
        Judgement::Right => {}
    }
}

/// What a case said to bring the agent into its states.
struct Said(Vec<(Trigger, Say)>);

impl Said {
    fn by(trial: &Trial, sides: &Sides) -> Self {
        let words = &sides.first.options.words;
        Self(trial.case.triggers().into_iter().map(|trigger| (trigger, words.say(trigger))).collect())
    }

    /// Whether there are other words now, because of what kept the case from its state.
    async fn is_replaced_after(&self, reason: &Reason, sides: &Sides) -> bool {
        if !reason.may_be_for_the_words() {
            return false;
        }
        let session = &sides.first;
        for (trigger, _) in self.0.iter().filter(|(trigger, _)| reason.trigger().is_none_or(|is| is == trigger.name()))
        {
            // A task that was to be canceled may have worked long enough all the same.
            let missed = matches!(reason, Reason::TriggerMissed { .. }) && *trigger != Trigger::Slow;
            session.find_words(*trigger, missed).await;
        }
        self.0.iter().any(|(trigger, said)| session.options.words.say(*trigger) != *said)
    }
}

/// One case's conversation with the agent.
struct Conversation<'a> {
    trial: &'a Trial,
    sides: &'a Sides,
    scope: Scope<'a>,
    streams: Streams,
    played: Vec<StepRecord>,
    /// How many steps were over when the agent was restarted, if it was.
    before_restart: Option<usize>,
    /// The assertions that were seen to hold.
    held: Vec<String>,
}

impl<'a> Conversation<'a> {
    fn new(trial: &'a Trial, sides: &'a Sides) -> Self {
        Self {
            trial,
            sides,
            scope: Scope::new(&sides.first, &trial.case),
            streams: Streams::default(),
            played: Vec::new(),
            before_restart: None,
            held: Vec::new(),
        }
    }

    async fn hold(&mut self, steps: &[Step]) -> Judged {
        let mut judged = self.converse(steps).boxed().await;
        self.held.append(&mut judged.held);
        judged.held = std::mem::take(&mut self.held);
        judged
    }

    /// Goes on until something is not right.
    async fn converse(&mut self, steps: &[Step]) -> Judged {
        let sends_wrong_requests = self.trial.case.sends_wrong_requests();
        for (name, fixture) in &self.trial.case.given {
            match self.sides.first.fixture(fixture, sends_wrong_requests).await {
                Ok(task) => {
                    self.scope.fixtures.insert(name.clone(), task);
                }
                Err(error) => return stopped_by(error),
            }
        }
        if let Err(error) = self.hang_hooks() {
            return stopped_by(error);
        }
        for step in steps {
            if step.after_restart.is_some()
                && let Some(member) = &self.sides.restart
            {
                if let Err(reason) = member.restarted().await {
                    return Judgement::Unseen(reason).into();
                }
                self.before_restart = Some(self.played.len());
            }
            let judged = match &step.act {
                Act::Together(inner) => self.do_together(inner).await,
                _ => self.do_one(step).await,
            };
            if let Some(end) = self.end(judged) {
                return end;
            }
        }
        let trusted = Trusted::after(&self.sides.first, &self.trial.case.holds, &self.played).await;
        for call in &self.trial.case.holds {
            let view = CaseView {
                profile: self.sides.first.profile(),
                played: &self.played,
                fixtures: &self.scope.fixtures,
                speaks: self.sides.first.connection.interface.speaks.as_deref(),
                methods_of: self.sides.first.connection.interface.methods.as_ref().map(|other| other.name()),
                keys: &trusted.trust.keys,
            };
            let call = match resolve(&call.args, &self.scope) {
                Ok(args) => crate::case::OracleCall { args, ..call.clone() },
                Err(unresolved) => return stopped_by(unresolved.into()),
            };
            let assertion = self.trial.case.oracle_assertion(&call);
            let judged = match oracle::is_over_the_run(&call.name) {
                true => self.judge_as_a_run(&call),
                false => trusted.explain(oracle::over_case(view, &call)),
            };
            let judged = judged.naming(|own| format!("{assertion}{own}"));
            if let Some(end) = self.end(judged) {
                return end;
            }
        }
        Judged::new([], Vec::new())
    }

    /// Makes the webhooks, and then has them answer: one may redirect to another.
    fn hang_hooks(&mut self) -> Result<(), StepError> {
        let case = &self.trial.case;
        for (name, webhook) in &case.webhooks {
            let hook = self.sides.first.hook(webhook, &case.id)?;
            self.scope.hooks.insert(name.clone(), hook);
        }
        let hooks = &self.scope.hooks;
        for (name, webhook) in &case.webhooks {
            if let Some(hook) = hooks.get(name) {
                Session::set_answers(hook, webhook, |other| hooks.get(other).map(Hook::url))?;
            }
        }
        Ok(())
    }

    /// Asks an oracle over the run about this conversation alone.
    fn judge_as_a_run(&self, call: &crate::case::OracleCall) -> Judged {
        let session = &self.sides.first;
        let interface = &session.connection.interface;
        let mut answers: Vec<Answer> = self.played.iter().flat_map(|played| played.seen.answers()).cloned().collect();
        answers.sort_by_key(|answer| answer.exchange.number);
        let service = session.service();
        let view = RunView {
            profile: session.profile(),
            dialect: &interface.dialect,
            binding: interface.binding,
            answers: &answers,
            beside: &[],
            tried: &[],
            service: &service,
            asked_twice: &[],
        };
        oracle::over_run(view, call)
    }

    /// Where something is not right, the conversation ends; else what it has shown is kept.
    fn end(&mut self, mut judged: Judged) -> Option<Judged> {
        if judged.judgement != Judgement::Right {
            return Some(judged);
        }
        self.held.append(&mut judged.held);
        None
    }

    async fn do_one(&mut self, step: &Step) -> Judged {
        let seen = act(self.sides, &self.scope, &self.streams, step, &self.trial.case.id).boxed().await;
        self.judge(step, seen)
    }

    async fn do_together(&mut self, steps: &[Step]) -> Judged {
        let do_one = |step| act(self.sides, &self.scope, &self.streams, step, &self.trial.case.id);
        let all = together::all(steps, do_one).await;
        let first = self.played.len();
        let mut turns = Vec::new();
        for (step, (turn, seen)) in steps.iter().zip(all) {
            let judged = seen.map(|seen| self.judge(step, seen));
            if let Some(end) = judged.and_then(|judged| self.end(judged)) {
                return end;
            }
            turns.resize(self.played.len() - first, turn);
        }
        // Oracles may ask which was over first.
        let mut played: Vec<_> = turns.into_iter().zip(self.played.drain(first..)).collect();
        played.sort_by_key(|(turn, _)| *turn);
        self.played.extend(played.into_iter().map(|(_, played)| played));
        Judged::new([], Vec::new())
    }

    fn judge(&mut self, step: &Step, seen: Result<Option<Observation>, StepError>) -> Judged {
        let seen = match seen {
            Ok(Some(seen)) => seen,
            Ok(None) => return Judged::new([], Vec::new()),
            Err(error) => return stopped_by(error),
        };
        if let Some(name) = &step.name {
            self.scope.remember(name, &seen);
        }
        let played = match self.fill_in(step, seen) {
            Ok(played) => played,
            Err(error) => return stopped_by(error),
        };
        if let Some(reason) = judge::unanswered(&played) {
            self.played.push(played);
            return Judgement::Unseen(reason).into();
        }
        if self.trial.case.id != TELLS_OF_NUMBERS
            && played.seen.answer().is_some_and(|answer| self.sides.of(step).is_for_a_number(answer))
        {
            self.played.push(played);
            return Judgement::Unseen(Reason::NumberIdUnread { case: TELLS_OF_NUMBERS.to_owned() }).into();
        }
        let of_no_message = played
            .seen
            .answer()
            .filter(|_| is_a_variant(step))
            .and_then(|answer| self.sides.of(step).refuses_each_message_so(answer));
        if let Some(reason) = of_no_message {
            self.played.push(played);
            return Judgement::Unseen(reason).into();
        }
        if played.seen.answer().is_some_and(|answer| self.sides.of(step).shows_messages_alone(answer)) {
            let operation = played.seen.answer().and_then(|answer| answer.exchange.request.operation);
            let operation = operation.map_or_else(|| "such method".to_owned(), |operation| operation.to_string());
            self.played.push(played);
            return Judgement::Unseen(Reason::MessagesAlone { operation }).into();
        }
        let exchange = played.seen.answer().map(|answer| &answer.exchange);
        let is_lost = |exchange: &&Arc<Exchange>| {
            let is_ours = matches!(exchange.ended, Ended::Failed(TransportError::OwnLimit(_)));
            exchange.response.is_none() || is_ours
        };
        let lost = exchange.filter(is_lost).map(|exchange| &exchange.ended);
        let profile = self.sides.first.profile();
        let judged = match judge::reached(profile, &played) {
            // Whoever lost the connection does not know what state the agent is in.
            Err(_) if let Some(Ended::Failed(transport_error)) = lost => {
                Judgement::Broken(Reason::ConnectionLost { how: transport_error.to_string() }).into()
            }
            Ok(()) => {
                let prefix = |name: &str| format!("{}{name}", self.trial.case.prefix(step));
                let may_serve = step.expect.as_ref().is_none_or(Expect::takes_for_right);
                judge::step(profile, &played).naming(prefix).of_input(&self.trial.input(step), may_serve)
            }
            Err(reason) => Judgement::Unseen(self.name_trigger(step, reason)).into(),
        };
        // Where a version only recommends or allows what is denied, the case says so itself.
        if let Judgement::Wrong(findings) = &judged.judgement
            && self.trial.level_of(&judged.violated) == Level::Must
            && findings.iter().any(|finding| match &finding.kind {
                // What is not there need not be found: only what a result is expected of shows that there is no route.
                Kind::NotFoundOverHttp { .. } => step.expect.as_ref().is_some_and(Expect::allows_result),
                // Nor need what is not supported be looked at.
                Kind::WrongError { received, .. } if received == judge::UNSUPPORTED => {
                    step.expect.as_ref().is_some_and(Expect::allows_result)
                }
                kind => matches!(kind, Kind::OperationDenied { .. }),
            })
            && let Some(answer) = played.seen.answer()
        {
            self.sides.of(step).note_denial(answer);
        }
        self.played.push(played);
        judged
    }

    /// Which trigger would help, where the step has one.
    fn name_trigger(&self, step: &Step, reason: Reason) -> Reason {
        let (Act::Call(call) | Act::Stream(call) | Act::Open(call) | Act::Bytes(BytesCall { call, .. })) = &step.act
        else {
            return reason;
        };
        match call.trigger {
            // The agent was brought there, or no words would bring it.
            Some(_) if reason == Reason::NotRefused || reason.is_for_other_agents() => reason,
            Some(trigger) => {
                let say = self.sides.first.options.words.say(trigger);
                Reason::StepMissed { text: say.text, why: reason.to_string(), trigger: trigger.to_string() }
            }
            None => reason,
        }
    }

    fn fill_in_id(&self, step: &Step, id: &Matcher) -> Result<Matcher, StepError> {
        let (session, case) = (self.sides.of(step), &self.trial.case.id);
        let fill = |value: &Value| resolve(value, &self.scope).map(|value| session.asks_with(value, case));
        Ok(id.map_values(&mut |value| fill(value))?)
    }

    fn fill_in(&self, step: &Step, seen: Observation) -> Result<StepRecord, StepError> {
        let fill = |matcher: &Matcher| matcher.map_values(&mut |value| resolve(value, &self.scope));
        let fill_all = |places: &BTreeMap<String, Matcher>| {
            places.iter().map(|(place, matcher)| Ok((place.clone(), fill(matcher)?))).collect::<Result<_, StepError>>()
        };
        let expect = match &step.expect {
            Some(expect) => Some(Expect {
                outcome: expect.outcome.clone(),
                at: fill_all(&expect.at)?,
                error_at: fill_all(&expect.error_at)?,
                http: fill_all(&expect.http)?,
                grpc: fill_all(&expect.grpc)?,
                connection: fill_all(&expect.connection)?,
                extensions: expect.extensions.as_ref().map(fill).transpose()?,
                rpc_id: expect.rpc_id.as_ref().map(|id| self.fill_in_id(step, id)).transpose()?,
            }),
            None => None,
        };
        Ok(StepRecord {
            name: step.name.clone(),
            seen,
            applies: fill_all(&step.applies)?,
            reach: fill_all(&step.reach)?,
            written: step.expect.clone(),
            expect,
            source: step.line.map(|line| format!("{}:{line}", self.trial.case.file)),
        })
    }
}

/// Whether a step sends another message than a plain one.
fn is_a_variant(step: &Step) -> bool {
    let call = match &step.act {
        Act::Call(call) | Act::Stream(call) | Act::Open(call) => call,
        act => return matches!(act, Act::Raw(_)),
    };
    let has_members = call.with.as_object().is_some_and(|with| !with.is_empty());
    let has_headers = !step.headers.is_empty() || !step.extensions.is_empty();
    call.operation.sends_a_message() && (has_members || has_headers)
}

fn stopped_by(error: StepError) -> Judged {
    let judgement = match error {
        StepError::Unreached(reason) => Judgement::Unseen(reason),
        StepError::Broken(reason) => Judgement::Broken(reason),
    };
    judgement.into()
}
