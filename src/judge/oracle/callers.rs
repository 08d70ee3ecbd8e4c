//! Who asks: whether requests without credentials are turned away, and whether one caller is shown what belongs to another.

use serde::Deserialize;
use serde_json::Value;

use super::args::{Arguments, Pair, Some as Several, Step};
use super::claim::challenge_of;
use crate::case::Named;
use crate::finding::{Finding, Kind};
use crate::judge::expectation::{barred, before_the_agent};
use crate::judge::{CaseView, Judged, Judgement, describe};
use crate::profile::Binding;
use crate::reason::Reason;
use crate::transcript::{Answer, Content};
use crate::wire::http::Barrier;

/// What [`unauthenticated`] asserts: that the request is refused; by a status that says why; with what is missing (RFC 9110
/// section 11.6.1); and by which scheme it is to be brought.
pub(super) const UNAUTHENTICATED: &[&str] = &["refused", "status", "challenge", "scheme"];

/// Requests without credentials, or with such as are no good for them, are refused (1.0 sections 3.3.2 and 7.4, 0.3 section 4.4).
pub(super) fn unauthenticated(view: CaseView<'_>, args: &Several<Step>) -> Judged {
    let mut held = Vec::new();
    let mut findings = Vec::new();
    for step in args.names() {
        let answer = match view.heard(step) {
            Ok(answer) => answer,
            Err(judgement) => return judgement.into(),
        };
        let number = answer.exchange.number;
        let mut add = |assertion: &str, finding: Option<Finding>| {
            let assertion = format!(":{assertion}");
            match finding {
                Some(finding) => findings.push(Finding { assertion, ..finding.in_exchange(number) }),
                None => held.push(assertion),
            }
        };
        if is_served(answer) {
            let finding = Finding::new(Kind::ServedWithoutCredentials);
            add("refused", Some(finding.compare(wanted(answer.binding), describe(answer))));
            continue;
        }
        let barrier = before_the_agent(answer);
        if let Some((Barrier::Unavailable, label)) = barrier {
            return Judgement::Unseen(Reason::Unavailable { label }).into();
        }
        add("refused", None);
        if barrier.is_none() {
            let finding = Finding::new(Kind::RefusedForAnotherReason);
            add("status", Some(finding.compare(wanted(answer.binding), status(answer))));
            continue;
        }
        add("status", None);
        let challenged = answer.exchange.response.as_ref().filter(|response| response.status == 401);
        let Some(response) = challenged.filter(|_| answer.binding != Binding::Grpc) else { continue };
        let challenge = match challenge_of(response) {
            Ok(challenge) => challenge,
            Err(missing) => {
                add("challenge", Some(*missing));
                continue;
            }
        };
        add("challenge", None);
        let finding =
            Finding::new(Kind::ChallengeWithoutScheme).compare("the name of a scheme, such as Bearer", challenge);
        add("scheme", (!names_a_scheme(challenge)).then_some(finding));
    }
    Judged::new(held, findings)
}

/// What refuses a request for want of credentials over a binding.
fn wanted(binding: Binding) -> &'static str {
    match binding {
        Binding::Grpc => "UNAUTHENTICATED or PERMISSION_DENIED",
        Binding::Jsonrpc | Binding::HttpJson => "HTTP 401 or 403",
    }
}

/// Whether a challenge begins with a token (RFC 9110 sections 5.6.2 and 11.3).
fn names_a_scheme(challenge: &str) -> bool {
    let scheme = challenge.split([' ', ',']).next().unwrap_or_default();
    !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
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
    answer.refusal().is_none() && matches!(answer.content, Content::Result(_) | Content::Stream(_))
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
