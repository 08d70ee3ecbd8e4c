//! The root causes of a run: the few facts about an agent that decide most results. Readers see them first, with what follows from
//! each folded and counted.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::model::Report;
use super::problems::Problem;
use super::security::IdentityInfo;
use crate::auth::Caller;
use crate::case::Durable;
use crate::diagnostic::words::{count, list};
use crate::event::Condition;
use crate::finding::{Finding, Kind};
use crate::plan::Plan;
use crate::reason::Reason;
use crate::verdict::{SideCondition, TrialResult, Verdict};

/// A fact about an agent from which results follow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct RootCause {
    /// Which of them.
    pub kind: RootKind,
    /// The interfaces that show it, each as version and binding.
    pub interfaces: Vec<String>,
    /// The fact, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// The problem that proves it, where it violates something: an index into the report's problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<usize>,
    /// The results that were not tested because of it: indexes into the report's results.
    pub follows: Vec<usize>,
}

/// The root causes by name, in the order in which reports show them. The names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootKind {
    /// Nothing listens at the URL of the interface.
    Unreachable,
    /// A gateway answers instead of the agent.
    Unavailable,
    /// The agent wants credentials, and the run has none for it.
    WantsCredentials,
    /// The agent refuses the credentials of the run.
    RefusesCredentials,
    /// The card cannot be used.
    CardUnusable,
    /// The interface does not speak JSON-RPC, or A2A at all.
    NoA2a,
    /// The interface speaks another version than the card declares.
    OtherVersion,
    /// The agent answers everything alike.
    AnswersAlike,
    /// The agent refuses every message.
    AcceptsNoMessage,
    /// The agent serves messages and nothing else.
    MessagesAlone,
    /// The agent answers messages by messages.
    MakesNoTasks,
    /// The agent does not serve some operations.
    OperationsMissing,
    /// The answers of an operation cannot be read.
    AnswersUnreadable,
    /// The events of streams cannot be read.
    StreamsUnreadable,
    /// The events of streams come when the work is over.
    StreamsHeldBack,
    /// Answers depend on which replica of the agent is asked.
    DiffersByReplica,
    /// The agent loses in a restart what is declared durable.
    LosesInRestart,
    /// The agent is right alone, and wrong beside other traffic.
    FailsUnderLoad,
    /// The agent stops answering while several requests are under way.
    StopsUnderLoad,
    /// The agent stops answering.
    StopsAnswering,
}

impl RootKind {
    /// The one for which a result was not tested.
    fn of_reason(reason: &Reason) -> Option<Self> {
        Some(match reason {
            Reason::Unreachable { .. } => Self::Unreachable,
            Reason::Unavailable { .. } | Reason::BarredBefore { .. } => Self::Unavailable,
            Reason::CredentialsWanted { .. } | Reason::CredentialsWithheld { .. } => Self::WantsCredentials,
            Reason::CardUnreadable | Reason::NoCard => Self::CardUnusable,
            Reason::NoJsonRpc { .. } | Reason::NoRoutes { .. } => Self::NoA2a,
            Reason::AnsweredAlike { .. } => Self::AnswersAlike,
            Reason::AcceptsNoMessage { .. } => Self::AcceptsNoMessage,
            Reason::MessagesAlone { .. } => Self::MessagesAlone,
            Reason::MakesNoTasks => Self::MakesNoTasks,
            Reason::NotServed { .. } => Self::OperationsMissing,
            Reason::NoResponses { .. } | Reason::ResultNoObject { .. } => Self::AnswersUnreadable,
            Reason::StreamsUnread { .. } => Self::StreamsUnreadable,
            Reason::StoppedAnswering { .. } | Reason::StoppedServing { .. } | Reason::SilentOperation { .. } => {
                Self::StopsAnswering
            }
            _ => return None,
        })
    }

    /// The one that a finding proves, whether or not anything follows from it.
    fn of_finding(kind: &Kind) -> Option<Self> {
        Some(match kind {
            Kind::CardNotJson { .. } => Self::CardUnusable,
            Kind::OtherVersionSpoken { .. } | Kind::VersionUnknown { .. } => Self::OtherVersion,
            Kind::AnswersAlike => Self::AnswersAlike,
            Kind::MessagesAlone => Self::MessagesAlone,
            Kind::EventsLate => Self::StreamsHeldBack,
            Kind::UnansweredAfterStreams { .. } => Self::StopsUnderLoad,
            _ => return None,
        })
    }

    /// The one of which a finding is the evidence, if results follow from it.
    fn proven_by(finding: &Finding) -> Option<Self> {
        Some(match &finding.kind {
            Kind::OperationDenied { .. } | Kind::OperationUnsupported { .. } | Kind::NotFoundOverHttp { .. } => {
                Self::OperationsMissing
            }
            Kind::NoResponseObject => Self::AnswersUnreadable,
            Kind::EventUnreadable { .. }
            | Kind::EventDataUnreadable { .. }
            | Kind::EventNotJson { .. }
            | Kind::StreamUnreadable { .. }
            | Kind::StreamNotUtf8 { .. } => Self::StreamsUnreadable,
            Kind::RequestUnanswered | Kind::ConnectionClosed => Self::StopsAnswering,
            kind => return Self::of_finding(kind),
        })
    }

    /// Whether it is one only if it bars a whole interface: a single case may need credentials of its own.
    fn is_of_whole_interface(self) -> bool {
        matches!(self, Self::WantsCredentials | Self::RefusesCredentials | Self::Unavailable)
    }

    /// What to do about it.
    fn help(self) -> &'static str {
        match self {
            Self::Unreachable => "check what listens there, and the URL of the interface in the card",
            Self::Unavailable => {
                "wait until the agent answers (--wait), or pass a URL that does not go through the gateway"
            }
            Self::WantsCredentials => "pass credentials with --bearer env:VARIABLE, --header or --identity",
            Self::RefusesCredentials => "check that the token is valid for this agent and has not expired",
            Self::CardUnusable => "serve the card as JSON; `a2aspec card lint FILE` lists its mistakes",
            Self::NoA2a => "correct the URL of the interface in the card, or pass the URL of the A2A endpoint",
            Self::OtherVersion => "declare the version that the interface speaks in the card",
            Self::AnswersAlike => "check that the URL leads to the agent, and that requests reach its methods",
            Self::AcceptsNoMessage => "send a message by hand and read the error of the agent",
            Self::MessagesAlone => "add the other operations of A2A; SDKs have handlers for them",
            Self::MakesNoTasks => {
                "this is allowed; if some texts do make tasks, set them under [triggers] in a2aspec.toml"
            }
            Self::OperationsMissing => {
                "add these operations, or answer them with the error that the specification names"
            }
            Self::AnswersUnreadable => "repair the form of the answers first, then check again",
            Self::StreamsUnreadable => "repair the form of the events first, then check again",
            Self::StreamsHeldBack => "send each event when it happens, and turn off buffering in proxies",
            Self::DiffersByReplica => {
                "keep what a request changes where every replica finds it: tasks, events of running tasks, page tokens, configurations"
            }
            Self::LosesInRestart => {
                "store it outside the process, before the response; or take it out of --durable if it need not last"
            }
            Self::FailsUnderLoad => {
                "look for state that requests share without a lock, and for limits that requests run into"
            }
            Self::StopsUnderLoad => "look for a lock or a pool that requests wait for; --jobs 1 checks without load",
            Self::StopsAnswering => "read the log of the agent; --jobs 1 --verbose prints after which case it stopped",
        }
    }
}

/// What a run shows of one kind.
#[derive(Default)]
struct Shown {
    interfaces: BTreeSet<String>,
    operations: BTreeSet<String>,
    message: Option<String>,
    problem: Option<usize>,
    follows: Vec<usize>,
}

/// The root causes that a run shows, in their order.
pub(super) fn find(results: &[TrialResult], problems: &[Problem], identities: &[IdentityInfo]) -> Vec<RootCause> {
    let mut shown: BTreeMap<(RootKind, String), Shown> = BTreeMap::new();
    let own = identities.iter().find(|identity| identity.caller == Caller::Own.name());
    let credentials = own.map(|own| own.brings.join(", ")).filter(|brings| !brings.is_empty());
    for (index, result) in results.iter().enumerate() {
        let Some(reason) = &result.reason else { continue };
        let Some(kind) = RootKind::of_reason(reason) else { continue };
        let (kind, message) = told(kind, reason, credentials.as_deref());
        let of_kind = shown.entry((kind, reason.name())).or_default();
        of_kind.follows.push(index);
        of_kind.message.get_or_insert(message);
        of_kind.operations.extend(operation(reason).map(str::to_owned));
        of_kind.interfaces.extend(interfaces(result));
    }
    shown.retain(|(kind, _), shown| !kind.is_of_whole_interface() || shown.keeps_most(results));
    for (index, problem) in problems.iter().enumerate() {
        let evidence =
            problem.evidence.first().and_then(|first| Some((results.get(first.result)?, first.of(results)?)));
        let Some((result, finding)) = evidence else { continue };
        let alone = RootKind::of_finding(&finding.kind);
        let reported = |kind: RootKind| shown.keys().find(|(known, _)| *known == kind).cloned();
        let proven = RootKind::proven_by(finding).and_then(reported);
        let Some(key) = proven.or(alone.map(|kind| (kind, String::new()))) else { continue };
        let of_kind = shown.entry(key).or_default();
        of_kind.problem.get_or_insert(index);
        of_kind.message.get_or_insert_with(|| problem.message.clone());
        of_kind.interfaces.extend(interfaces(result));
    }
    shown.into_iter().map(|((kind, _), shown)| shown.into_cause(kind)).collect()
}

impl Shown {
    /// Whether at least half of what applies to its interfaces follows from it.
    fn keeps_most(&self, results: &[TrialResult]) -> bool {
        let is_here = |result: &&TrialResult| interfaces(result).any(|interface| self.interfaces.contains(&interface));
        let apply = results.iter().filter(|result| result.verdict != Verdict::Skipped).filter(is_here).count();
        2 * self.follows.len() >= apply
    }

    fn into_cause(self, kind: RootKind) -> RootCause {
        let operations: Vec<String> = self.operations.into_iter().collect();
        let message = match kind {
            RootKind::OperationsMissing => format!("the agent does not serve {}", list(&operations)),
            _ => self.message.unwrap_or_default(),
        };
        RootCause {
            kind,
            interfaces: self.interfaces.into_iter().collect(),
            message,
            help: kind.help().to_owned(),
            problem: self.problem,
            follows: self.follows,
        }
    }
}

/// The kind and the sentence for a reason, for a run with these credentials.
fn told(kind: RootKind, reason: &Reason, credentials: Option<&str>) -> (RootKind, String) {
    let text = match (reason, credentials) {
        (Reason::CredentialsWanted { label }, Some(brings)) => {
            return (
                RootKind::RefusesCredentials,
                format!("the agent refuses the credentials of the run: {brings} ({label})"),
            );
        }
        (Reason::CredentialsWanted { label }, None) => format!("the agent requires credentials ({label})"),
        (Reason::MakesNoTasks, _) => "the agent answers every message with a message and makes no tasks".to_owned(),
        (Reason::MessagesAlone { .. }, _) => "the agent serves messages and denies every other operation".to_owned(),
        (Reason::StreamsUnread { .. }, _) => "the events of the agent's streams cannot be read".to_owned(),
        (Reason::NoResponses { .. }, _) => "answers of the agent are not JSON-RPC responses".to_owned(),
        (Reason::ResultNoObject { operation, .. }, _) => format!("the result of {operation} is not an object"),
        (Reason::AnsweredAlike { received }, _) => format!("the agent answers every request alike: {received}"),
        (reason, _) => reason.to_string(),
    };
    (kind, text)
}

fn operation(reason: &Reason) -> Option<&str> {
    match reason {
        Reason::NotServed { operation } => Some(operation),
        _ => None,
    }
}

/// The interfaces of a result, each as version and binding.
fn interfaces(result: &TrialResult) -> impl Iterator<Item = String> {
    result.binding.split('+').map(|binding| format!("{} {binding}", result.profile))
}

/// Adds that cases come out otherwise without the side condition of the run.
pub(super) fn add_side_condition(causes: &mut Vec<RootCause>, plan: &Plan, results: &[TrialResult]) {
    for condition in [SideCondition::Replicas, SideCondition::Restart, SideCondition::Load] {
        let changed = || results.iter().enumerate().filter(|(_, result)| result.changes_under() == Some(condition));
        let are_failed = changed().filter(|(_, result)| result.verdict.is_violation()).count();
        let follows: Vec<usize> =
            changed().filter(|(_, result)| !result.verdict.is_violation()).map(|(index, _)| index).collect();
        if are_failed + follows.len() == 0 {
            continue;
        }
        let (kind, message) = match condition {
            SideCondition::Replicas => (
                RootKind::DiffersByReplica,
                "the agent's answers depend on which replica is asked: cases that pass with the first replica alone do not pass with all replicas".to_owned(),
            ),
            SideCondition::Restart => {
                let lost = lost(plan, changed().map(|(_, result)| result.case.as_str()));
                (RootKind::LosesInRestart, format!("the agent loses in a restart what --durable declares durable: {lost}"))
            }
            SideCondition::Load => (
                RootKind::FailsUnderLoad,
                "cases that pass by themselves do not pass beside the traffic of --load".to_owned(),
            ),
        };
        causes.push(RootCause {
            kind,
            interfaces: changed()
                .flat_map(|(_, result)| interfaces(result))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            message: format!("{message} (violations: {are_failed})"),
            help: kind.help().to_owned(),
            problem: None,
            follows,
        });
    }
}

/// What an agent loses that passes these cases only without a restart.
fn lost<'a>(plan: &Plan, cases: impl Iterator<Item = &'a str>) -> String {
    let cases: BTreeSet<&str> = cases.collect();
    let of_cases = plan.trials.iter().filter(|trial| cases.contains(trial.case.id.as_str()));
    let lost: BTreeSet<Durable> = of_cases.filter_map(|trial| trial.case.lasts_by()).collect();
    // Everything else is about tasks, and cannot last without them.
    let lost = if lost.contains(&Durable::Tasks) { BTreeSet::from([Durable::Tasks]) } else { lost };
    list(&lost.iter().map(|kind| kind.words().to_owned()).collect::<Vec<_>>())
}

/// Adds what the run met as a whole and no result shows: an agent that stopped answering under load, and answered again.
pub(super) fn add_conditions(causes: &mut Vec<RootCause>, plan: &Plan, conditions: &[(usize, Condition)]) {
    for (interface, condition) in conditions {
        let kind = RootKind::StopsUnderLoad;
        if !matches!(condition, Condition::Overwhelmed { .. }) || causes.iter().any(|cause| cause.kind == kind) {
            continue;
        }
        let name = plan.trials.iter().find(|trial| trial.interface == *interface && trial.other.is_none());
        causes.push(RootCause {
            kind,
            interfaces: name.map(|trial| format!("{} {}", trial.profile, trial.binding)).into_iter().collect(),
            message: condition.to_string().replacen("it ", "the agent ", 1),
            help: kind.help().to_owned(),
            problem: None,
            follows: Vec::new(),
        });
    }
    causes.sort_by_key(|cause| cause.kind);
}

impl RootCause {
    /// How many cases follow from it, in words; nothing where none does.
    pub(super) fn consequences(&self) -> Option<String> {
        let cases = self.follows.len();
        let follow = if cases == 1 { "follows" } else { "follow" };
        (cases > 0).then(|| format!("{} {follow} from it and could not be tested", count(cases, "case")))
    }

    /// The results that follow from it.
    pub(super) fn results<'a>(&self, report: &'a Report) -> impl Iterator<Item = &'a TrialResult> {
        self.follows.iter().filter_map(|index| report.results.get(*index))
    }

    /// The interfaces that show it, in words.
    pub(super) fn over(&self) -> String {
        self.interfaces.join(", ")
    }
}

/// The results that follow from a root cause: reports count them there.
pub(super) fn folded(causes: &[RootCause]) -> BTreeSet<usize> {
    causes.iter().flat_map(|cause| cause.follows.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::problems;
    use super::super::sample;
    use super::*;

    fn untested(case: &str, reason: Reason) -> TrialResult {
        TrialResult {
            case: case.to_owned(),
            verdict: Verdict::Unreached,
            reason: Some(reason),
            findings: Vec::new(),
            ..sample::stream().results[0].clone()
        }
    }

    fn causes(results: &[TrialResult], brings: &[&str]) -> Vec<RootCause> {
        let brings: Vec<String> = brings.iter().map(|name| (*name).to_owned()).collect();
        let own = IdentityInfo { caller: Caller::Own.name().to_owned(), brings };
        find(results, &problems::find(results, &[]), &[own])
    }

    #[test]
    fn what_follows_from_one_fact_is_counted_once() {
        let not_served = |operation: &str| Reason::NotServed { operation: operation.to_owned() };
        let results = [
            untested("get/a", Reason::MakesNoTasks),
            untested("get/b", Reason::MakesNoTasks),
            untested("get/c", Reason::NoUpdate),
            untested("list/a", not_served("ListTasks")),
            untested("cancel/a", not_served("CancelTask")),
        ];
        let found = causes(&results, &[]);
        let told: Vec<(RootKind, &str, &[usize])> =
            found.iter().map(|cause| (cause.kind, cause.message.as_str(), cause.follows.as_slice())).collect();
        assert_eq!(
            told,
            [
                (
                    RootKind::MakesNoTasks,
                    "the agent answers every message with a message and makes no tasks",
                    [0, 1].as_slice()
                ),
                (RootKind::OperationsMissing, "the agent does not serve CancelTask and ListTasks", &[3, 4]),
            ]
        );
        assert_eq!(folded(&found), BTreeSet::from([0, 1, 3, 4]));
    }

    #[test]
    fn credentials_that_are_refused_are_not_asked_for() {
        let wanted = || [untested("get/a", Reason::CredentialsWanted { label: "HTTP 401".to_owned() })];
        assert_eq!(causes(&wanted(), &[])[0].kind, RootKind::WantsCredentials);
        let refused = causes(&wanted(), &["Authorization"]);
        assert_eq!(refused[0].kind, RootKind::RefusesCredentials);
        assert_eq!(refused[0].message, "the agent refuses the credentials of the run: Authorization (HTTP 401)");
        assert!(!refused[0].help.contains("pass credentials"), "{}", refused[0].help);
    }

    #[test]
    fn credentials_for_one_case_are_no_root_cause() {
        let wanted = untested("card/extended", Reason::CredentialsWanted { label: "HTTP 401".to_owned() });
        let others = ["get/a", "get/b"].map(|case| untested(case, Reason::NoUpdate));
        let results: Vec<TrialResult> = others.into_iter().chain([wanted]).collect();
        assert_eq!(causes(&results, &[]), []);
    }

    #[test]
    fn a_problem_that_is_a_root_cause_is_its_evidence() {
        let mut late = untested("stream/incremental", Reason::NoUpdate);
        late.reason = None;
        late.verdict = Verdict::Fail;
        late.findings = vec![Finding::new(Kind::EventsLate)];
        let found = causes(&[late], &[]);
        assert_eq!((found[0].kind, found[0].problem), (RootKind::StreamsHeldBack, Some(0)));
        assert_eq!(found[0].message, "all events of a stream arrive at once, when the work is over");
    }
}
