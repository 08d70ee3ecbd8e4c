//! What is judged of the answers of a hunt: each by itself as it comes, and many together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use crate::case::{Action, Asserts, Expect, FUZZED, Library, Matcher, OracleCall, References, Requirement, resolve};
use crate::finding::{Finding, Kind};
use crate::fuzz::aim::{Aim, side};
use crate::fuzz::bucket::{Buckets, Found, Sighting};
use crate::fuzz::class::Classes;
use crate::fuzz::hunt::Phase;
use crate::fuzz::hunt::messages::Messages;
use crate::fuzz::hunt::observed::{is_for_observers, over_another, together};
use crate::fuzz::hunt::payoff::Payoff;
use crate::fuzz::level::{at_least, may_take_long, of_sense};
use crate::fuzz::probe::{Hold, Probe};
use crate::fuzz::watch::{SHOWN_ALIKE, rests_on};
use crate::fuzz::{across, posted, steps, walk};
use crate::judge::{self, CaseView, Judgement, Observation, StepRecord, oracle};
use crate::profile::Operation;
use crate::signature::Keys;
use crate::transcript::{Answer, Ended, Exchange, Unanswered, task_in};
use crate::verdict::Level;

/// So many answers are judged together.
const BATCH: usize = 128;
/// The bytes that large answers may take which wait to be judged: a part of the room that all answers share. What stands still for
/// want of room takes the time of the hunt.
const MOST_WAITING: usize = 4 << 20;
/// The oracle about two answers that are to be the same.
pub(in crate::fuzz) const AGREES: &str = "same-answers";
/// The oracle about a place of two tasks that have ended.
pub(in crate::fuzz) const AGREE: &str = "agree";
/// The class of a question for what was deleted before.
const USE_AFTER_DELETE: &str = "use-after-delete";
/// The case that is about requests without an answer.
const ANSWERED: &str = "robustness/answered";

/// Steps that were made together.
pub(in crate::fuzz) struct Attempt {
    pub phase: Phase,
    /// The interface of its first step, by its place in the agent's list.
    pub interface: usize,
    pub steps: Vec<Probe>,
}

impl Attempt {
    /// The steps up to one of them.
    fn until(&self, index: usize) -> Vec<Probe> {
        steps::until(&self.steps, index)
    }
}

/// The judge of a hunt.
pub(in crate::fuzz) struct Judge<'a> {
    pub library: &'a Library,
    pub classes: &'a Classes,
    pub buckets: Buckets,
    /// Those on which the agent worked.
    pub messages: Rc<Messages>,
    /// What is new in what the agent does.
    pub payoff: Rc<Payoff>,
    batches: HashMap<usize, Vec<(Arc<Attempt>, usize, Answer)>>,
    /// The bytes that the large ones among their answers take.
    waiting: usize,
}

impl<'a> Judge<'a> {
    pub fn new(library: &'a Library, classes: &'a Classes) -> Self {
        Self {
            library,
            classes,
            buckets: Buckets::default(),
            messages: Rc::default(),
            payoff: Rc::default(),
            batches: HashMap::new(),
            waiting: 0,
        }
    }

    /// Takes the answers to an attempt.
    pub fn see(&mut self, aims: &[Aim], aim: &Aim, attempt: &Arc<Attempt>, answers: Vec<Answer>) {
        let phase = attempt.phase;
        let mut seen = BTreeSet::new();
        self.messages.see((aims, aim), &attempt.steps, &answers);
        for (index, answer) in answers.iter().enumerate() {
            let Some(probe) = attempt.steps.get(index) else { continue };
            let on = side(aims, aim, probe.over);
            if !probe.listens() {
                self.payoff.see(phase, on.index, (probe, answer));
                on.learned.hear(answer);
                on.feedback.hear(probe, answer);
                on.usual.learn(probe.operation, answer, on.session.connection.timeout());
            }
            if let Some(sighting) = sighting((aims, aim), attempt, &answers, index)
                && (!self.is_new(&sighting) || !follows((aims, aim), attempt, &answers, &sighting))
            {
                self.note(sighting);
            }
            // They are judged with their task.
            if probe.listens() {
                continue;
            }
            seen.insert(on.index);
            self.waiting += answer.exchange.share.as_ref().map_or(0, |share| share.bytes());
            self.batches.entry(on.index).or_default().push((Arc::clone(attempt), index, answer.clone()));
        }
        if self.waiting > MOST_WAITING {
            self.end(aims);
        }
        for on in aims.iter().filter(|on| seen.contains(&on.index)) {
            if self.batches.get(&on.index).is_some_and(|batch| batch.len() >= BATCH) {
                self.judge_batch(aims, on);
            }
        }
    }

    /// Whether something is wrong with an answer to an attempt of which nothing is known yet.
    pub(super) fn sees_something_new(&self, aims: &[Aim], aim: &Aim, attempt: &Attempt, answers: &[Answer]) -> bool {
        (0..answers.len())
            .any(|index| sighting((aims, aim), attempt, answers, index).is_some_and(|sighting| self.is_new(&sighting)))
    }

    /// Whether nothing is known yet of what was seen.
    pub(super) fn is_new(&self, sighting: &Sighting<'_>) -> bool {
        sighting.bucket().is_some_and(|bucket| !self.buckets.has(&bucket, Level::May))
    }

    /// Judges what has not been judged.
    pub fn end(&mut self, aims: &[Aim]) {
        for aim in aims {
            self.judge_batch(aims, aim);
        }
    }

    fn judge_batch(&mut self, aims: &[Aim], aim: &Aim) {
        let batch = std::mem::take(self.batches.entry(aim.index).or_default());
        let held = batch.iter().filter_map(|(.., answer)| answer.exchange.share.as_ref());
        self.waiting = self.waiting.saturating_sub(held.map(|share| share.bytes()).sum());
        let heard = batch.iter().filter_map(|(attempt, index, answer)| Some((attempt.steps.get(*index)?, answer)));
        let heard: Vec<(&Probe, &Answer)> = heard.collect();
        let made = batch.iter().map(|(attempt, index, answer)| (answer.exchange.number, (attempt, index)));
        let made: HashMap<u64, (&Arc<Attempt>, &usize)> = made.collect();
        for (witness, finding) in together(aim, &heard) {
            let cited: BTreeSet<u64> = [finding.against, finding.exchange].into_iter().flatten().collect();
            // Of one attempt, as far as it had come; of two that contradict each other, both.
            let mut last: BTreeMap<*const Attempt, (&Arc<Attempt>, usize)> = BTreeMap::new();
            for (attempt, index) in cited.iter().filter_map(|number| made.get(number)) {
                let place = last.entry(Arc::as_ptr(attempt)).or_insert((attempt, **index));
                place.1 = place.1.max(**index);
            }
            let Some((attempt, _)) = last.values().next() else { continue };
            let (phase, first) = (attempt.phase, side(aims, aim, Some(attempt.interface)));
            // A case begins over one interface.
            let of_first = last.values().filter(|(other, _)| other.interface == attempt.interface);
            let mut probes: Vec<Probe> = of_first.flat_map(|(attempt, index)| attempt.until(*index)).collect();
            if witness.hold().is_some_and(|hold| hold.oracle == SHOWN_ALIKE)
                && let Some(all) = before_and_after(&made, &finding)
            {
                probes = all;
            }
            let second = second(aims, &probes);
            let evidence = heard.iter().map(|(_, answer)| &answer.exchange);
            let evidence = evidence.filter(|exchange| cited.contains(&exchange.number)).map(Arc::clone).collect();
            self.note(Sighting {
                aim,
                first,
                second,
                phase,
                probes,
                finding,
                observer: witness.case(),
                hold: witness.hold(),
                is_fatal: false,
                evidence,
            });
        }
    }

    pub(super) fn note(&mut self, sighting: Sighting<'_>) {
        let Some(bucket) = sighting.bucket() else { return };
        let Some(class) = sighting.probes.last().map(|probe| probe.class.as_str()) else { return };
        let binding = sighting.aim.session.connection.interface.binding;
        let Some(place) = sighting.place() else { return };
        if self.buckets.hit(&bucket, (class, binding), &place) {
            return;
        }
        if let Some(found) = self.found(bucket, &sighting) {
            self.buckets.add(found);
        }
    }

    /// How strongly what was seen to be violated is demanded.
    pub(super) fn level(&self, sighting: &Sighting<'_>) -> Level {
        let found = sighting.bucket().and_then(|bucket| self.found(bucket, sighting));
        found.map_or(Level::May, |found| found.level)
    }

    /// What a sighting of something new comes to.
    fn found(&self, bucket: String, sighting: &Sighting<'_>) -> Option<Found> {
        let probe = sighting.probes.last()?;
        let interface = &sighting.aim.session.connection.interface;
        let case = format!("{FUZZED}/{bucket}");
        let profile = interface.profile.name();
        let requirements: Vec<Arc<Requirement>> = match (sighting.observer, &sighting.finding.kind) {
            (Some(trial), _) => {
                let own = trial.requirements.iter().filter_map(|one| one.as_of(&trial.case.id, &case));
                own.map(Arc::new).collect()
            }
            (None, _) if let Some(hold) = sighting.hold => {
                let all = self.library.requirements(profile).into_iter();
                let speak = all.filter(|one| one.speaks_of(&[interface.binding]));
                let rests_on = rests_on(&sighting.finding.assertion);
                let like = rests_on.unwrap_or(&hold.like);
                let own: Vec<_> = speak.filter_map(|one| one.as_of(like, &case)).map(Arc::new).collect();
                // What holds of several answers in other versions says nothing of this one.
                if own.is_empty() && (rests_on.is_some() || !hold.is_of_sense) {
                    return None;
                }
                own
            }
            // Nobody says how long work may take.
            (None, Kind::RequestUnanswered) if may_take_long(probe) => Vec::new(),
            (None, Kind::RequestUnanswered | Kind::ConnectionClosed | Kind::AnswerNoHttp) => {
                let all = self.library.requirements(profile).into_iter();
                let speak = all.filter(|one| one.speaks_of(&[interface.binding]));
                speak.filter_map(|one| one.as_of(ANSWERED, &case)).map(Arc::new).collect()
            }
            (None, _) => {
                let class = self.classes.get(&probe.class)?;
                let at = (probe.operation, probe.place.as_str());
                class.requirements(self.library, (profile, interface.binding), at, &case)
            }
        };
        let decides = |one: &&Arc<Requirement>| one.is_violated_by(&case, &sighting.finding.assertion);
        let levels = |all: &mut dyn Iterator<Item = &Arc<Requirement>>| all.map(|one| one.weight()).min();
        let level = levels(&mut requirements.iter().filter(decides)).or_else(|| levels(&mut requirements.iter()));
        let oracle = match sighting.observer {
            Some(trial) => match &trial.case.action {
                Action::Observe(call) => Some(call.clone()),
                Action::Steps(_) | Action::Visit(_) => None,
            },
            None => sighting.hold.map(call_of),
        };
        let binding = |aim: &Aim| aim.session.connection.interface.binding;
        Some(Found {
            bucket,
            finding: sighting.finding.clone(),
            level: level.unwrap_or_else(|| of_sense(sighting)).min(at_least(sighting)),
            requirements,
            profile: profile.to_owned(),
            binding: binding(sighting.first),
            interface: sighting.first.index,
            second: sighting.second.map(|second| (second.index, binding(second))),
            phase: sighting.phase,
            operation: probe.operation,
            class: probe.class.clone(),
            classes: BTreeSet::from([(probe.class.clone(), interface.binding)]),
            places: sighting.place().into_iter().collect(),
            oracle,
            is_fatal: sighting.is_fatal,
            came: None,
            is_as_found: false,
            hits: 1,
            probes: sighting.probes.clone(),
            evidence: sighting.evidence.clone(),
        })
    }
}

/// What shows something otherwise, between what shows it as ever: steps that do so in one attempt, or alone.
fn before_and_after(made: &HashMap<u64, (&Arc<Attempt>, &usize)>, finding: &Finding) -> Option<Vec<Probe>> {
    let (usual, at) = made.get(&finding.against?)?;
    let (odd, index) = made.get(&finding.exchange?)?;
    let before = usual.until(**at);
    let again = before.last()?.clone();
    let mut all = match Arc::ptr_eq(usual, odd) {
        true => odd.until(**index),
        false if before.len() == 1 => before.into_iter().chain(odd.until(**index)).collect(),
        false => return None,
    };
    all.push(Probe { name: String::new(), is_beside: false, ..again });
    Some(all)
}

/// What is wrong with the answer to one of the steps of an attempt.
fn sighting<'a>(
    (aims, aim): (&'a [Aim], &'a Aim),
    attempt: &'a Attempt,
    answers: &[Answer],
    index: usize,
) -> Option<Sighting<'a>> {
    let (hold, finding) = wrong((aims, aim), &attempt.steps, answers, index)?;
    let cites = |exchange: &&Arc<Exchange>| {
        let number = Some(exchange.number);
        number == finding.exchange || number == finding.against
    };
    let evidence = answers.iter().flat_map(posted::exchanges).filter(cites).map(Arc::clone).collect();
    let (phase, probes, first, observer, is_fatal) = (attempt.phase, attempt.until(index), aim, None, false);
    let (aim, second) = (side(aims, aim, probes.last()?.over), second(aims, &probes));
    Some(Sighting { aim, first, second, phase, probes, finding, observer, hold, is_fatal, evidence })
}

/// Whether something may be wrong because an answer before it was: it is about that answer, or about what that answer said. The
/// cases that judge everything seen tell of that one.
fn follows((aims, aim): (&[Aim], &Aim), attempt: &Attempt, answers: &[Answer], sighting: &Sighting<'_>) -> bool {
    let last = answers.iter().position(|answer| Some(answer.exchange.number) == sighting.finding.exchange);
    // What two answers do not agree about is but the second sign of one that is wrong by itself.
    let mut steps = attempt.steps.iter().zip(answers);
    if sighting.hold.is_some()
        && steps.any(|(step, answer)| by_itself(side(aims, aim, step.over), step, answer).is_some())
    {
        return true;
    }
    if last.is_some_and(|last| is_again((aims, aim), &attempt.steps, answers, last)) {
        return true;
    }
    aims.iter().any(|on| {
        let own = attempt.steps.iter().zip(answers).take(last.map_or(answers.len(), |last| last + 1));
        let own = own.filter(|(step, answer)| {
            // What is wrong with an answer by itself is its own cause.
            let is_another = sighting.hold.is_some() || Some(answer.exchange.number) != sighting.finding.exchange;
            is_another && side(aims, aim, step.over).index == on.index && is_for_observers(on, step, answer)
        });
        let own: Vec<(&Probe, &Answer)> = own.collect();
        !own.is_empty() && together(on, &own).iter().any(|(witness, _)| witness.case().is_some())
    })
}

/// Whether a step shows once more what one before it has shown, asked for by the same caller in another way.
fn is_again((aims, aim): (&[Aim], &Aim), steps: &[Probe], answers: &[Answer], index: usize) -> bool {
    let is_about = |place: usize| steps.get(place).map(|step| (step.operation, step.by));
    let own = |place: usize| wrong((aims, aim), steps, answers, place).filter(|(hold, _)| hold.is_none());
    let what = |place: usize| own(place).map(|(_, finding)| (finding.kind.name(), finding.pointer));
    let shown = what(index);
    let mut before = (0..index).filter(|place| is_about(*place) == is_about(index));
    shown.is_some() && before.any(|place| what(place) == shown)
}

/// The other interface of steps that were made over two.
pub(in crate::fuzz) fn second<'a>(aims: &'a [Aim], probes: &[Probe]) -> Option<&'a Aim> {
    let over = probes.iter().find_map(|probe| probe.over)?;
    aims.iter().find(|aim| aim.index == over)
}

/// An oracle over a case, as a case calls it.
pub(super) fn call_of(hold: &Hold) -> OracleCall {
    OracleCall {
        name: hold.oracle.to_owned(),
        args: hold.args.clone(),
        asserts: Asserts::One,
        at: "/holds/0".to_owned(),
    }
}

/// What is wrong with the answer to one of some steps: by itself, or by what holds of the steps up to it.
pub(in crate::fuzz) fn wrong<'p>(
    (aims, aim): (&[Aim], &Aim),
    steps: &'p [Probe],
    answers: &[Answer],
    index: usize,
) -> Option<(Option<&'p Hold>, Finding)> {
    let probe = steps.get(index)?;
    if probe.listens() {
        return posted::wrong(aim, steps, answers, index);
    }
    // An agent may have put both messages into one task.
    if walk::is_of_another_task(probe) && !is_about_another_task(steps, answers, index) {
        return None;
    }
    // What could not be deleted may be there.
    if probe.class == USE_AFTER_DELETE && !was_deleted(steps, answers, index) {
        return None;
    }
    match by_itself(side(aims, aim, probe.over), &filled(probe, steps, answers, index), answers.get(index)?) {
        Some(finding) => Some((None, finding)),
        None => {
            let of_two = || over_another(aim, steps, answers.get(..=index)?);
            held(aim, steps, answers, index).or_else(of_two).map(|(hold, finding)| (Some(hold), finding))
        }
    }
}

/// Whether each webhook that steps before one have asked to delete was deleted.
fn was_deleted(steps: &[Probe], answers: &[Answer], index: usize) -> bool {
    let before = steps.iter().zip(answers).take(index);
    let mut deletions = before.filter(|(step, _)| step.operation == Operation::DeleteTaskPushNotificationConfig);
    deletions.all(|(_, answer)| answer.unanswered().is_none() && answer.refusal().is_none())
}

/// Whether a step is about another task than the first one.
fn is_about_another_task(steps: &[Probe], answers: &[Answer], index: usize) -> bool {
    let first = steps.iter().zip(answers).find(|(step, _)| step.name == walk::FIRST);
    let first = first.and_then(|(_, answer)| task_in(answer.result()?)?.get("id").cloned());
    let asked = answers.get(index).and_then(|answer| answer.exchange.request.params.get("taskId"));
    first.is_some() && asked.is_some() && first.as_ref() != asked
}

/// The same step, with what steps before it came to where what is expected of it refers to that. What refers to nothing that came is
/// expected no more.
fn filled<'p>(probe: &'p Probe, steps: &[Probe], answers: &[Answer], index: usize) -> Cow<'p, Probe> {
    if probe.expect.at.is_empty() {
        return Cow::Borrowed(probe);
    }
    let before = Before(steps.iter().zip(answers).take(index).collect());
    let fill = |matcher: &Matcher| matcher.map_values(&mut |value| resolve(value, &before)).ok();
    let at = probe.expect.at.iter().filter_map(|(place, matcher)| Some((place.clone(), fill(matcher)?))).collect();
    Cow::Owned(Probe { expect: Expect { at, ..probe.expect.clone() }, ..probe.clone() })
}

/// What references to steps stand for once these were answered.
struct Before<'a>(Vec<(&'a Probe, &'a Answer)>);

impl References for Before<'_> {
    fn value(&self, reference: &str) -> Option<Cow<'_, Value>> {
        let (name, path) = reference.split_once('.')?;
        let (_, answer) = self.0.iter().rev().find(|(step, _)| step.name == name)?;
        Observation::Answer((*answer).clone()).refer(path).map(Cow::Owned)
    }
}

/// What does not hold of the steps up to one.
pub(in crate::fuzz) fn held<'p>(
    aim: &Aim,
    steps: &'p [Probe],
    answers: &[Answer],
    index: usize,
) -> Option<(&'p Hold, Finding)> {
    let probe = steps.get(index)?;
    if probe.holds.is_empty() {
        return None;
    }
    let named = steps.iter().zip(answers).take(index + 1).filter(|(step, _)| !step.name.is_empty());
    let played: Vec<StepRecord> = named
        .map(|(step, answer)| StepRecord {
            name: Some(step.name.clone()),
            seen: posted::seen(answer),
            applies: BTreeMap::new(),
            reach: BTreeMap::new(),
            expect: None,
            written: None,
            source: None,
        })
        .collect();
    let fixtures = BTreeMap::new();
    let keys = Keys::default();
    let view = CaseView {
        profile: aim.session.profile(),
        played: &played,
        fixtures: &fixtures,
        speaks: None,
        methods_of: None,
        keys: &keys,
    };
    probe.holds.iter().find_map(|hold| {
        let compares = match hold.oracle {
            AGREES => is_unchanged(aim, &played, answers.get(index)?) && is_told(steps, answers),
            AGREE => have_ended(aim, &played),
            _ => true,
        };
        if !compares {
            return None;
        }
        let judged = oracle::over_case(view, &call_of(hold)).naming(|own| format!("{}{own}", hold.oracle));
        match judged.judgement {
            Judgement::Wrong(findings) => findings.into_iter().next().map(|finding| (hold, finding)),
            _ => None,
        }
    })
}

/// Whether each question was answered that an agent may refuse for how it is asked.
fn is_told(steps: &[Probe], answers: &[Answer]) -> bool {
    let mut open = steps.iter().zip(answers).filter(|(step, _)| step.class == "open" && !step.name.is_empty());
    open.all(|(_, answer)| answer.result().is_some() || !answer.events().is_empty())
}

/// Whether a task that has ended is as it was when it was read first: one that goes on may be another each time. Of a list all have to
/// have ended.
fn is_unchanged(aim: &Aim, played: &[StepRecord], again: &Answer) -> bool {
    let has_ended = |task: &Value| {
        let state = task.pointer("/status/state").and_then(Value::as_str);
        state.is_some_and(|state| aim.session.profile().is_terminal(state))
    };
    let list = played.iter().find(|step| step.name.as_deref() == Some(across::HERE));
    let list = list.and_then(|step| step.seen.answer()?.result());
    if let Some(tasks) = list.and_then(|list| list.get("tasks")?.as_array()) {
        return list == again.result() && tasks.iter().all(has_ended);
    }
    let first = played.iter().find_map(|step| step.seen.answer()?.result().filter(|result| result.get("id").is_some()));
    let state = first.and_then(|task| task.pointer("/status/state")?.as_str());
    first == again.result() && state.is_some_and(|state| aim.session.profile().is_terminal(state))
}

/// Whether each task that these steps have brought had ended.
fn have_ended(aim: &Aim, played: &[StepRecord]) -> bool {
    let mut states =
        played.iter().map(|step| step.seen.task().and_then(|task| task.pointer("/status/state")?.as_str()));
    states.all(|state| state.is_some_and(|state| aim.session.profile().is_terminal(state)))
}

/// What is wrong with an answer by itself.
pub(super) fn by_itself(aim: &Aim, probe: &Probe, answer: &Answer) -> Option<Finding> {
    // Whoever leaves, or is sent away, has no answer to be judged; nor has who waits for what is posted.
    if probe.listens() {
        return None;
    }
    if answer.exchange.ended == Ended::HungUp && answer.exchange.response.is_none() {
        return None;
    }
    if let Some(how) = answer.unanswered() {
        // Who writes bytes that are no request may be waited for in turn; a call that is whole is answered, whatever it says.
        if probe.may_be_dropped() && (probe.may_be_waited_for() || matches!(how, Unanswered::Closed(_))) {
            return None;
        }
        let kind = match how {
            Unanswered::Closed(Ended::Failed(error)) if error.breaks_http() => Kind::AnswerNoHttp,
            Unanswered::Closed(_) => Kind::ConnectionClosed,
            // What an agent works on may take it long, if it ever takes it long.
            Unanswered::Silent(_) if may_take_long(probe) && !aim.usual.is_quick(probe.operation) => return None,
            Unanswered::Silent(_) => Kind::RequestUnanswered,
        };
        let finding = Finding::new(kind).in_exchange(answer.exchange.number);
        return Some(Finding { assertion: "answered".to_owned(), ..finding });
    }
    let record = StepRecord {
        name: None,
        seen: Observation::Answer(answer.clone()),
        applies: BTreeMap::new(),
        reach: BTreeMap::new(),
        expect: Some(probe.expect.clone()),
        written: None,
        source: None,
    };
    match judge::step(aim.session.profile(), &record).judgement {
        Judgement::Wrong(findings) => findings.into_iter().next(),
        _ => None,
    }
}
