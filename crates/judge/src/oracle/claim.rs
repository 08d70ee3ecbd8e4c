//! Whether an interface is what its card claims: of which version, and whether it asks for credentials.

use serde_json::Value;

use super::args::{Pair, Step};
use super::challenges::challenge_of;
use super::judgement_of;
use crate::finding::{Finding, Kind};
use crate::reason::Reason;
use crate::{CaseView, Judged, Judgement, describe};

/// What says that a request is of no version that the interface speaks.
const DENIALS: [&str; 2] = ["MethodNotFoundError", "VersionNotSupportedError"];

/// The interface knows the method of the first answer; where it was heard to speak another version than its card claims, the
/// answer is the evidence, whatever it is. The second answer is to a method that no version has: one that is the same shows
/// nothing.
pub(super) fn speaks_as_claimed(view: CaseView<'_>, args: &Pair<Step>) -> Judgement {
    judgement_of((|| {
        let Pair(asked, unknown) = args;
        let answer = view.heard(asked)?;
        let claimed = view.profile.name();
        let is_denied = answer.refusal().is_some_and(|error| DENIALS.iter().any(|name| error.is(name)));
        if let Some(spoken) = view.methods_of {
            let kind = Kind::MethodsOfAnother { claimed: claimed.to_owned(), spoken: spoken.to_owned() };
            let finding = Finding::new(kind)
                .compare(format!("the method names of A2A {claimed}"), describe(answer))
                .in_exchange(answer.exchange.number);
            return Ok(Judgement::Wrong(vec![finding]));
        }
        let kind = match view.speaks {
            Some(spoken) => Kind::OtherVersionSpoken { claimed: claimed.to_owned(), spoken: spoken.to_owned() },
            None if is_denied => Kind::VersionUnknown { claimed: claimed.to_owned() },
            None if answer.refusal().is_none() && answer.payloads().is_empty() => {
                return Err(Judgement::Unseen(Reason::OtherAnswer { received: describe(answer) }));
            }
            None if answer.says_the_same_as(view.heard(unknown)?) => {
                return Err(Judgement::Unseen(Reason::MethodsAlike { received: describe(answer) }));
            }
            None => return Ok(Judgement::Right),
        };
        let finding = Finding::new(kind)
            .compare(format!("an answer to a method of A2A {claimed}"), describe(answer))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// What `secured-as-declared` asserts: that credentials are declared, and that a 401 says how they are to be brought.
pub(super) const SECURED: &[&str] = &["declared", "challenge"];

/// An agent whose card declares no security asks for no credentials (`:declared`), and one that asks for them by HTTP 401 says
/// how (`:challenge`, RFC 9110 section 11.6.1). The first step fetched the card, the second asked for something.
pub(super) fn secured_as_declared(view: CaseView<'_>, args: &Pair<Step>) -> Judged {
    let Pair(card, asked) = args;
    let seen = view.step(card).and_then(|card| {
        let card = card.seen.root().ok_or(Judgement::Unseen(Reason::CardNotFetched))?;
        Ok((card, view.heard(asked)?))
    });
    let (card, answer) = match seen {
        Ok(seen) => seen,
        Err(judgement) => return judgement.into(),
    };
    let Some(response) = &answer.exchange.response else { return Judgement::Unseen(Reason::NothingCame).into() };
    let (declared, challenge) = (":declared".to_owned(), ":challenge".to_owned());
    if response.status != 401 {
        // With what credentials the suite was let in only its user knows.
        return match requires_security(&card) {
            true => Judgement::Unseen(Reason::SecurityDeclared).into(),
            false => Judged::new([declared], Vec::new()),
        };
    }
    let finding = |kind: Kind, assertion: &str| {
        let finding = Finding::new(kind).in_exchange(answer.exchange.number);
        Finding { assertion: assertion.to_owned(), ..finding }
    };
    let mut findings = Vec::new();
    if !declares_security(&card) {
        let kind = Kind::CredentialsUndeclared;
        findings.push(finding(kind, &declared).compare("an answer without credentials", "HTTP 401"));
    }
    if let Err(missing) = challenge_of(response) {
        findings.push(Finding { assertion: challenge.clone(), ..(*missing).in_exchange(answer.exchange.number) });
    }
    Judged::new([declared, challenge], findings)
}

/// Whether clients have to bring credentials by the card: members of all versions.
fn requires_security(card: &Value) -> bool {
    ["/securityRequirements", "/security", "/authentication/schemes"].iter().any(|place| holds(card.pointer(place)))
}

/// Whether the card speaks of security at all.
fn declares_security(card: &Value) -> bool {
    let skills = card.get("skills").and_then(Value::as_array);
    requires_security(card) || holds(card.get("securitySchemes")) || skills.into_iter().flatten().any(requires_security)
}

fn holds(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(Value::Null) | None => false,
        Some(_) => true,
    }
}
