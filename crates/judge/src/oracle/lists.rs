//! Lists of tasks: order, completeness, totals (A2A 1.0 section 3.1.4).

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::across;
use super::args::{AtOrAfter, Covers, ListedAsRead, ListedOnce, Nothing, Tasks, Walk};
use super::judgement_of;
use crate::finding::{Finding, Kind, show, show_found};
use crate::profile::{Operation, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, task_in};
use crate::wire::timestamp::{Instant, iso8601_lenient};
use crate::{CaseView, Judgement, Observation, RunView, items};

fn id(task: &Value) -> &str {
    task.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn instant(task: &Value) -> Option<Instant> {
    moment(task.pointer("/status/timestamp")?.as_str()?)
}

fn moment(text: &str) -> Option<Instant> {
    iso8601_lenient(text).ok().map(|timestamp| timestamp.instant)
}

fn exchange(view: &CaseView<'_>, name: &str) -> Option<u64> {
    let answer = view.step(name).ok()?.seen.answer()?;
    Some(answer.exchange.number)
}

fn cite(finding: Finding, view: &CaseView<'_>, name: &str) -> Finding {
    match exchange(view, name) {
        Some(number) => finding.in_exchange(number),
        None => finding,
    }
}

/// The most recently updated task comes first.
pub(super) fn newest_first(view: CaseView<'_>, args: &Tasks) -> Judgement {
    judgement_of((|| {
        let name: &str = args;
        let tasks = view.tasks(name)?;
        let timed: Vec<(&Value, Instant)> = tasks.iter().filter_map(|task| Some((task, instant(task)?))).collect();
        if timed.len() < 2 {
            return Err(Judgement::Unseen(Reason::TooFewTimestamps));
        }
        let wrong = first_too_early(&timed).map(|pair| cite(too_early(pair), &view, name));
        Ok(Judgement::of(wrong.into_iter().collect()))
    })())
}

/// The first task that stands before a more recent one, and that one.
fn first_too_early<'a>(timed: &[(&'a Value, Instant)]) -> Option<[&'a Value; 2]> {
    timed.windows(2).find_map(|pair| match pair {
        [(before, earlier), (after, later)] if earlier < later => Some([*before, *after]),
        _ => None,
    })
}

fn too_early([before, after]: [&Value; 2]) -> Finding {
    let kind = Kind::NotNewestFirst { task: id(before).to_owned(), other: id(after).to_owned() };
    let times = |task: &Value| task.pointer("/status/timestamp").map(show).unwrap_or_default();
    let received = format!("{} before {}", times(before), times(after));
    Finding::new(kind).compare("descending status timestamps", received)
}

/// Every list of the run is in this order, as far as it holds tasks that had ended before it was asked for: what changes
/// while a list is made may be shown with another time than it was sorted by.
pub(super) fn listed_newest_first(view: RunView<'_>, _: &Nothing) -> Judgement {
    // Of most answers that are judged together none is a list.
    let rested = LazyCell::new(|| ends(view.profile, view.answers));
    let makers = LazyCell::new(|| Makers::of(view.answers));
    let mut best: Option<(Telling, Finding)> = None;
    let mut seen = 0;
    let lists = view.answers.iter().filter(|answer| answer.exchange.request.operation == Some(Operation::ListTasks));
    for answer in lists {
        let Some(page) = answer.result() else { continue };
        let had_ended = |task: &&Value| {
            let end = rested.get(&(id(task), task.pointer("/status/timestamp").and_then(Value::as_str)));
            end.is_some_and(|end| *end <= answer.exchange.started)
        };
        let listed = items(page, "tasks").iter().filter(had_ended);
        let timed: Vec<(&Value, Instant)> = listed.filter_map(|task| Some((task, instant(task)?))).collect();
        seen += usize::from(timed.len() > 1);
        let Some(pair) = first_too_early(&timed) else { continue };
        let telling = match answer.exchange.request.params.get("contextId").and_then(Value::as_str) {
            Some(context) if makers.are_one(context, pair) => Telling::OneMaker,
            Some(_) => Telling::OneContext,
            None => Telling::Everything,
        };
        if best.as_ref().is_none_or(|(known, _)| telling < *known) {
            best = Some((telling, too_early(pair).in_exchange(answer.exchange.number)));
        }
    }
    match seen {
        0 => Judgement::Unseen(Reason::TooFewTimestamps),
        // The tasks differ from list to list, the mistake does not.
        _ => Judgement::of(best.map(|(_, finding)| finding).into_iter().collect()),
    }
}

/// How surely a list shows a mistake again when its case alone runs again; the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Telling {
    /// Who made the context has made both tasks: whoever lists them needs them both.
    OneMaker,
    /// They are of one context, to which other cases may have added.
    OneContext,
    /// They are what the agent holds.
    Everything,
}

/// For what each task and each context was first asked for, by their ids.
struct Makers<'a> {
    tasks: BTreeMap<&'a str, &'a str>,
    contexts: BTreeMap<&'a str, &'a str>,
}

impl<'a> Makers<'a> {
    fn of(answers: &'a [Answer]) -> Self {
        let mut makers = Self { tasks: BTreeMap::new(), contexts: BTreeMap::new() };
        let sent = answers.iter().filter(|it| it.exchange.request.operation.is_some_and(Operation::sends_a_message));
        for answer in sent {
            let Some(task) = answer.result().and_then(task_in) else { continue };
            let purpose = answer.exchange.purpose.as_str();
            makers.tasks.entry(id(task)).or_insert(purpose);
            if let Some(context) = task.get("contextId").and_then(Value::as_str) {
                makers.contexts.entry(context).or_insert(purpose);
            }
        }
        makers
    }

    /// Whether both tasks and their context were asked for by one case, or for one set of tasks that cases share.
    fn are_one(&self, context: &str, pair: [&Value; 2]) -> bool {
        let maker = self.contexts.get(context);
        maker.is_some() && pair.iter().all(|task| self.tasks.get(id(task)) == maker)
    }
}

/// When a task was first seen to have ended, by its id and the time of its status.
fn ends<'a>(profile: &Profile, answers: &'a [Answer]) -> BTreeMap<(&'a str, Option<&'a str>), Duration> {
    let mut ends = BTreeMap::new();
    for answer in answers.iter().filter(|answer| answer.exchange.request.operation.is_some()) {
        let Some(result) = answer.result() else { continue };
        let answered = answer.exchange.started + answer.exchange.elapsed;
        for task in items(result, "tasks").iter().chain(task_in(result)) {
            let state = task.pointer("/status/state").and_then(Value::as_str);
            if state.is_some_and(|state| profile.is_terminal(state)) {
                let time = task.pointer("/status/timestamp").and_then(Value::as_str);
                let end = ends.entry((id(task), time)).or_insert(answered);
                *end = answered.min(*end);
            }
        }
    }
    ends
}

/// No task is on two pages.
pub(super) fn no_repeats(view: CaseView<'_>, args: &Tasks) -> Judgement {
    judgement_of((|| {
        let name: &str = args;
        let tasks = view.tasks(name)?;
        if tasks.len() < 2 {
            return Err(Judgement::Unseen(Reason::TooFewTasks));
        }
        let mut seen = BTreeSet::new();
        let twice = tasks.iter().filter(|task| !seen.insert(id(task)));
        let findings =
            twice.map(|task| cite(Finding::new(Kind::TaskRepeated { task: id(task).to_owned() }), &view, name));
        Ok(Judgement::of(findings.collect()))
    })())
}

/// The walk shows each of the wanted tasks exactly once.
pub(super) fn covers(view: CaseView<'_>, args: &Covers) -> Judgement {
    judgement_of((|| {
        let name: &str = &args.walk;
        let walked = view.tasks(name)?;
        let wanted = view.tasks(&args.tasks)?;
        if wanted.is_empty() {
            return Err(Judgement::Unseen(Reason::NoTaskToShow));
        }
        let findings = wanted.iter().filter_map(|task| not_once(task, &walked));
        Ok(Judgement::of(findings.map(|finding| cite(finding, &view, name)).collect()))
    })())
}

/// What is wrong where tasks do not show one exactly once.
fn not_once(task: &Value, among: &[Value]) -> Option<Finding> {
    let times = among.iter().filter(|other| id(other) == id(task)).count();
    let finding = || Finding::new(Kind::TaskNotOnce { task: id(task).to_owned() });
    (times != 1).then(|| finding().compare("once", format!("{times} times")))
}

/// A list that has one page alone shows the task exactly once.
pub(super) fn listed_once(view: CaseView<'_>, args: &ListedOnce) -> Judgement {
    judgement_of((|| {
        let name: &str = &args.list;
        let listed = view.tasks(name)?;
        let root = view.step(name)?.seen.root();
        // Of a walk it is the last page that may say of a next one.
        let page = root.as_deref().map(|root| items(root, "pages").last().unwrap_or(root));
        let token = page.and_then(|page| page.get("nextPageToken")?.as_str());
        if token.is_some_and(|token| !token.is_empty()) {
            return Err(Judgement::Unseen(Reason::SeveralPages { step: name.to_owned() }));
        }
        let finding = not_once(view.task(&args.task)?, &listed);
        Ok(Judgement::of(finding.map(|finding| cite(finding, &view, name)).into_iter().collect()))
    })())
}

/// A task that has ended is listed as it is read: in its state, with the time of it, and with its artifacts where the client asks for
/// these (1.0 sections 3.1.3 and 3.1.4).
pub(super) fn listed_as_read(view: CaseView<'_>, args: &ListedAsRead) -> Judgement {
    judgement_of((|| {
        let (task, again) = (view.task(&args.task)?, view.task(&args.again)?);
        let state = |task: &Value| task.pointer("/status/state").and_then(Value::as_str).map(str::to_owned);
        if task != again || !state(task).is_some_and(|state| view.profile.is_terminal(&state)) {
            return Err(Judgement::Unseen(Reason::TaskGoesOn));
        }
        let name: &str = &args.list;
        let tasks = view.tasks(name)?;
        let Some(place) = tasks.iter().position(|other| id(other) == id(task)) else {
            return Err(Judgement::Unseen(Reason::NoTaskToShow));
        };
        let asked = view.step(name)?.seen.answer().map(|answer| &answer.exchange.request.params);
        let has_artifacts = asked.is_some_and(|params| params.get("includeArtifacts") == Some(&Value::Bool(true)));
        let shown = |task: &Value| {
            let mut shown = serde_json::Map::new();
            let places = ["/contextId", "/status/state", "/status/timestamp", "/status/message", "/artifacts"];
            for place in places.into_iter().take(if has_artifacts { 5 } else { 4 }) {
                let name = place.rsplit('/').next().unwrap_or_default();
                shown.extend(task.pointer(place).map(|value| (name.to_owned(), value.clone())));
            }
            Value::Object(shown)
        };
        let listed = tasks.get(place).map(shown).unwrap_or_default();
        let read = shown(task);
        let Some(differs) = across::differing(view.profile, &read, &listed) else { return Ok(Judgement::Right) };
        let (wanted, got) = (show_found(read.pointer(&differs)), show_found(listed.pointer(&differs)));
        let kind = Kind::AnswersDiffer { place: differs };
        Ok(Judgement::Wrong(vec![cite(Finding::new(kind).compare(wanted, got), &view, name)]))
    })())
}

/// `totalSize` is how many tasks the pages hold together.
pub(super) fn same_total(view: CaseView<'_>, args: &Walk) -> Judgement {
    judgement_of((|| {
        let name: &str = args;
        let tasks = view.tasks(name)?;
        let Observation::Walk(pages) = &view.step(name)?.seen else {
            return Err(Judgement::Unseen(Reason::NoWalk { step: name.to_owned() }));
        };
        let mut findings = Vec::new();
        let total_of = |page: &Answer| page.result().and_then(|page| page.get("totalSize")).cloned();
        // That there is a number is for the schema of the page.
        if !pages.iter().any(|page| total_of(page).is_some_and(|total| total.is_number())) {
            return Err(Judgement::Unseen(Reason::NoTotalSize { step: name.to_owned() }));
        }
        for page in pages {
            let total = total_of(page);
            let total = total.as_ref();
            if total.and_then(Value::as_f64) != Some(tasks.len() as f64) {
                findings.push(
                    Finding::new(Kind::TotalSizeWrong)
                        .compare(tasks.len().to_string(), show_found(total))
                        .at(page.exchange.number, "/result/totalSize"),
                );
            }
        }
        Ok(Judgement::of(findings))
    })())
}

/// Every task was updated at the given time or later; with `unit: milliseconds` what is within one counts as one time. With
/// `of` only those tasks are judged.
pub(super) fn at_or_after(view: CaseView<'_>, args: &AtOrAfter) -> Judgement {
    judgement_of((|| {
        let name: &str = &args.list;
        let time = args.time.as_str();
        let is_cut = args.unit.is_some();
        let cut = |time: Instant| if is_cut { time.to_milliseconds() } else { time };
        let Some(bound) = moment(time).map(cut) else {
            return Err(Judgement::Unseen(Reason::NoTimestamp { text: time.to_owned() }));
        };
        let judged = args.of.as_ref().map(|of| view.tasks(of)).transpose()?;
        let is_judged = |task: &Value| judged.as_ref().is_none_or(|all| all.iter().any(|known| id(known) == id(task)));
        let listed = view.tasks(name)?.into_iter().filter(is_judged);
        let early = listed.filter(|task| instant(task).is_some_and(|time| cut(time) < bound));
        let findings = early.map(|task| {
            let finding = Finding::new(Kind::TaskTooOld { task: id(&task).to_owned() })
                .compare(format!("{time} or later"), task.pointer("/status/timestamp").map(show).unwrap_or_default());
            cite(finding, &view, name)
        });
        Ok(Judgement::of(findings.collect()))
    })())
}
