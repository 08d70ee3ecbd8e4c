//! Who asks: whether requests without credentials are turned away, and whether one caller is shown what belongs to another.

use serde::Deserialize;
use serde_json::Value;

use super::args::{Arguments, Pair, Some as Several, Step};
use super::challenges::{challenge_of, schemes_asked_for};
use super::judgement_of;
use crate::case::Named;
use crate::expectation::{barred, before_the_agent};
use crate::finding::{Finding, Kind};
use crate::frame::grpc_code;
use crate::profile::Binding;
use crate::reason::Reason;
use crate::transcript::{Answer, Content, Ended, TransportError};
use crate::wire::http::Barrier;
use crate::{CaseView, Judged, Judgement, describe};

/// What [`unauthenticated`] asserts: that the request is refused; by a status that says why; with what is missing (RFC 9110
/// section 11.6.1); and by which scheme it is to be brought.
pub(super) const UNAUTHENTICATED: &[&str] = &["refused", "status", "challenge", "scheme"];

/// Requests without credentials, or with such as are no good for them, are refused (1.0 sections 3.3.2 and 7.4, 0.3 section 4.4).
pub(super) fn unauthenticated(view: CaseView<'_>, args: &Several<Step>) -> Judged {
    let mut told = Told::default();
    for step in args.names() {
        let answer = match asked(&view, step) {
            Ok(answer) => answer,
            Err(judgement) => return judgement.into(),
        };
        match told.of_refusal(answer, wanted(answer.binding), false) {
            Ok(true) => told.of_challenge(answer),
            Ok(false) => {}
            Err(judgement) => return judgement.into(),
        }
    }
    Judged::new(told.held, told.findings)
}

/// What [`malformed_credentials`] asserts: that the request is refused; and by a status that says why.
pub(super) const MALFORMED: &[&str] = &["refused", "status"];

/// Requests whose credentials have no form that any scheme gives them are refused as those without are, or as malformed (RFC 6750
/// section 3.1).
pub(super) fn malformed_credentials(view: CaseView<'_>, args: &Several<Step>) -> Judged {
    let mut told = Told::default();
    for step in args.names() {
        let seen = asked(&view, step).and_then(|answer| {
            let wanted = match answer.binding {
                Binding::Grpc => "UNAUTHENTICATED, PERMISSION_DENIED or INVALID_ARGUMENT",
                Binding::Jsonrpc | Binding::HttpJson => "HTTP 400, 401 or 403",
            };
            told.of_refusal(answer, wanted, is_called_malformed(answer))
        });
        if let Err(judgement) = seen {
            return judgement.into();
        }
    }
    Judged::new(told.held, told.findings)
}

fn is_called_malformed(answer: &Answer) -> bool {
    match answer.binding {
        Binding::Grpc => grpc_code(answer) == Some("INVALID_ARGUMENT"),
        Binding::Jsonrpc | Binding::HttpJson => {
            answer.exchange.response.as_ref().is_some_and(|response| response.status == 400)
        }
    }
}

/// What is told of the requests of a case, by the assertions of the oracle.
#[derive(Default)]
struct Told {
    held: Vec<String>,
    findings: Vec<Finding>,
}

impl Told {
    fn add(&mut self, answer: &Answer, assertion: &str, finding: Option<Finding>) {
        let assertion = format!(":{assertion}");
        match finding {
            Some(finding) => {
                self.findings.push(Finding { assertion, ..finding.in_exchange(answer.exchange.number) });
            }
            None => self.held.push(assertion),
        }
    }

    /// Whether the request is refused, and by what says so: what stands before an agent, or something else that is as good. True
    /// where it is by the first.
    ///
    /// # Errors
    /// The agent was not there.
    fn of_refusal(&mut self, answer: &Answer, wanted: &str, is_as_good: bool) -> Result<bool, Judgement> {
        if is_served(answer) {
            let finding = Finding::new(Kind::ServedWithoutCredentials);
            self.add(answer, "refused", Some(finding.compare(wanted, describe(answer))));
            return Ok(false);
        }
        let is_as_good = is_as_good || is_not_let_in(answer);
        let barrier = barrier(answer);
        if let Some((Barrier::Unavailable, label)) = barrier {
            return Err(Judgement::Unseen(Reason::Unavailable { label }));
        }
        self.add(answer, "refused", None);
        let finding = Finding::new(Kind::RefusedForAnotherReason).compare(wanted, status(answer));
        self.add(answer, "status", (barrier.is_none() && !is_as_good).then_some(finding));
        Ok(barrier.is_some())
    }

    /// Whether HTTP 401 says what is missing.
    fn of_challenge(&mut self, answer: &Answer) {
        let challenged = answer.exchange.response.as_ref().filter(|response| response.status == 401);
        let Some(response) = challenged.filter(|_| answer.binding != Binding::Grpc) else { return };
        let challenge = match challenge_of(response) {
            Ok(challenge) => challenge,
            Err(missing) => return self.add(answer, "challenge", Some(*missing)),
        };
        self.add(answer, "challenge", None);
        let finding =
            Finding::new(Kind::ChallengeWithoutScheme).compare("the name of a scheme, such as Bearer", challenge);
        self.add(answer, "scheme", schemes_asked_for(response).is_empty().then_some(finding));
    }
}

/// What a step was answered. A handshake that the agent ends for the certificate of who asks is an answer, too: with mutual TLS there is
/// no other to who has none.
fn asked<'a>(view: &CaseView<'a>, step: &str) -> Result<&'a Answer, Judgement> {
    match view.step(step)?.seen.answer().filter(|answer| is_not_let_in(answer)) {
        Some(answer) => Ok(answer),
        None => view.heard(step),
    }
}

/// What stands before the agent, where it came to an answer.
fn barrier(answer: &Answer) -> Option<(Barrier, String)> {
    before_the_agent(answer).filter(|_| !is_not_let_in(answer))
}

fn is_not_let_in(answer: &Answer) -> bool {
    matches!(answer.exchange.ended, Ended::Failed(TransportError::NotLetIn(_)))
}

/// What refuses a request for want of credentials over a binding.
fn wanted(binding: Binding) -> &'static str {
    match binding {
        Binding::Grpc => "UNAUTHENTICATED or PERMISSION_DENIED",
        Binding::Jsonrpc | Binding::HttpJson => "HTTP 401 or 403",
    }
}

/// What is refused to who brings no credentials is refused alike, be it there or not (1.0 section 13.1). The first step asks for
/// what exists, the second for what does not.
pub(super) fn existence_untold(view: CaseView<'_>, args: &Pair<Step>) -> Judgement {
    judgement_of((|| {
        let Pair(there, missing) = args;
        let (there, missing) = (asked(&view, there)?, asked(&view, missing)?);
        for answer in [there, missing] {
            if is_served(answer) {
                return Err(Judgement::Unseen(Reason::NotRefused));
            }
            if let Some((Barrier::Unavailable, label)) = barrier(answer) {
                return Err(Judgement::Unseen(Reason::Unavailable { label }));
            }
        }
        // Who asks too often may be turned away in another way the next time.
        let is_told_who_asks = [there, missing].into_iter().all(|answer| barrier(answer).is_some());
        if is_told_who_asks || status(there) == status(missing) {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::ExistenceToldToAnybody)
            .compare(format!("{} as for what does not exist", status(missing)), status(there))
            .in_exchange(there.exchange.number)
            .against(missing.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// A request for what belongs to another caller, and two for what does not exist.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Foreign {
    theirs: Step,
    missing: Pair<Step>,
}

impl Arguments for Foreign {
    fn named(&self) -> Vec<Named> {
        [self.theirs.named(), self.missing.named()].concat()
    }
}

/// What [`unauthorized`] asserts: that the request is refused, and in the way in which one is for what does not exist.
pub(super) const UNAUTHORIZED: &[&str] = &["refused", "alike"];

/// What belongs to one caller is refused to another, by the answer to what does not exist (1.0 sections 3.3.2 and 13.1). Texts are
/// compared only where the agent has one for all that does not exist.
pub(super) fn unauthorized(view: CaseView<'_>, args: &Foreign) -> Judged {
    let seen = || {
        let Pair(first, second) = &args.missing;
        Ok::<_, Judgement>((let_in(&view, &args.theirs)?, let_in(&view, first)?, let_in(&view, second)?))
    };
    let (theirs, missing, again) = match seen() {
        Ok(seen) => seen,
        Err(judgement) => return judgement.into(),
    };
    let (refused, alike) = (":refused".to_owned(), ":alike".to_owned());
    let found = |kind: Kind, assertion: &str| Finding {
        assertion: assertion.to_owned(),
        ..Finding::new(kind).in_exchange(theirs.exchange.number).against(missing.exchange.number)
    };
    if is_served(theirs) {
        let finding = found(Kind::ServedToAnother, &refused).compare("a refusal", describe(theirs));
        return Judged::new([], vec![finding]);
    }
    // What is done to anything that does not exist shows nothing of what is told of it.
    if is_served(missing) || is_served(again) {
        return Judged::new([refused], Vec::new());
    }
    let is_steady = told(missing) == told(again);
    let differs = status(theirs) != status(missing) || is_steady && told(theirs) != told(missing);
    let finding = found(Kind::ExistenceTold, &alike);
    let finding = finding.compare(format!("{} as for what does not exist", describe(missing)), describe(theirs));
    Judged::new([refused, alike], differs.then_some(finding).into_iter().collect())
}

/// What another caller asks to be deleted, and what its owner read before and after that.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    theirs: Step,
    before: Step,
    after: Step,
}

impl Arguments for Kept {
    fn named(&self) -> Vec<Named> {
        [self.theirs.named(), self.before.named(), self.after.named()].concat()
    }
}

/// What another caller asks to be deleted is still there for its owner, under its id, whatever the answer was (1.0 section 13.1).
pub(super) fn kept(view: CaseView<'_>, args: &Kept) -> Judgement {
    let seen = || Ok::<_, Judgement>((view.heard(&args.theirs)?, view.heard(&args.before)?, view.heard(&args.after)?));
    let (theirs, before, after) = match seen() {
        Ok(seen) => seen,
        Err(judgement) => return judgement,
    };
    if let Some(reason) = barred(after) {
        return Judgement::Unseen(reason);
    }
    let id = |answer: &Answer| match &answer.content {
        Content::Result(payload) => payload.reading.value.get("id").cloned(),
        _ => None,
    };
    if is_served(after) && id(after) == id(before) {
        return Judgement::Right;
    }
    let finding =
        Finding::new(Kind::ServedToAnother).in_exchange(theirs.exchange.number).against(after.exchange.number);
    Judgement::Wrong(vec![finding.compare("that its owner can read it afterwards", describe(after))])
}

/// The answer of a step, which is not about the caller as such.
fn let_in<'a>(view: &CaseView<'a>, step: &Step) -> Result<&'a Answer, Judgement> {
    let answer = view.heard(step)?;
    match before_the_agent(answer) {
        Some((Barrier::Unavailable, label)) => Err(Judgement::Unseen(Reason::Unavailable { label })),
        Some((Barrier::Credentials, label)) if label.ends_with("401") || label == "UNAUTHENTICATED" => {
            Err(Judgement::Unseen(Reason::OtherNotLetIn { label }))
        }
        _ => Ok(answer),
    }
}

fn is_served(answer: &Answer) -> bool {
    let brings = matches!(answer.content, Content::Result(_) | Content::Stream(_));
    brings && answer.refusal().is_none() && !is_not_let_in(answer)
}

/// By what a request was refused: the code of the error, or the status where there is none.
fn status(answer: &Answer) -> String {
    match (answer.refusal(), &answer.exchange.response) {
        (Some(error), _) if error.code.is_some() => error.label.clone(),
        (_, Some(response)) => format!("HTTP {}", response.status),
        (_, None) => answer.exchange.ended.to_string(),
    }
}

/// The text of a refusal without what it repeats of the request.
fn told(answer: &Answer) -> Option<String> {
    let mut text = answer.refusal()?.value.get("message")?.as_str()?.to_owned();
    let mut said = Vec::new();
    strings(&answer.exchange.request.params, &mut said);
    // The longest first: one may be in another.
    said.sort_by_key(|said| std::cmp::Reverse(said.len()));
    for said in said.into_iter().filter(|said| !said.is_empty()) {
        text = text.replace(said, "…");
    }
    Some(text)
}

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.values().for_each(|member| strings(member, found)),
        _ => {}
    }
}
