//! Whether an interface speaks the version that its card says, found out by asking.
//!
//! Two requests tell families of versions apart, and neither has an effect: GetTask for a task that was never made, and
//! SendMessage without a message. An agent that knows the methods of a version answers them with errors about their
//! parameters, one that does not with an error about the method. Versions whose methods have the same names are told
//! apart by their cards alone. Only JSON-RPC is asked: over the other bindings an unknown route looks like an unknown task.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::discovery::{self, Discovered};
use crate::binding::http::Http;
use crate::binding::{CallRequest, Connection};
use crate::plan::Endpoint;
use crate::profile::{Binding, Operation, Profile};
use crate::report::model::InterfaceInfo;
use crate::transcript::{Answer, OWN_IDS, Said};

/// How long an interface has to say whether it knows a method: one that is silent is for the cases to judge.
const PATIENCE: Duration = Duration::from_secs(5);

/// How an agent takes a request of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It knows the method.
    Known,
    /// It says that it knows no such method, or no such version.
    Denied,
    /// Neither.
    Unclear,
}

/// What an interface answers to the two requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heard {
    reads: Taken,
    sends: Taken,
}

impl Heard {
    fn is_spoken(self) -> bool {
        self.sends == Taken::Known || (self.reads == Taken::Known && self.sends != Taken::Denied)
    }

    fn says_nothing(self) -> bool {
        self == Self { reads: Taken::Unclear, sends: Taken::Unclear }
    }
}

/// Asks the interfaces over JSON-RPC, and adds to what was found the versions that they speak instead of what they claim.
pub(super) async fn ask(http: &Arc<Http>, found: Discovered, card: &Value, profiles: &[Arc<Profile>]) -> Discovered {
    let asked = found.endpoints.iter().map(|endpoint| spoken(http, endpoint, card, profiles));
    let spoken = futures_util::future::join_all(asked).await;
    amended(found, spoken, card)
}

/// The profile that an interface speaks instead of the one by which it would be checked.
async fn spoken(
    http: &Arc<Http>,
    endpoint: &Endpoint,
    card: &Value,
    profiles: &[Arc<Profile>],
) -> Option<Arc<Profile>> {
    if endpoint.binding != Binding::Jsonrpc {
        return None;
    }
    let claimed = hear(http, endpoint).await?;
    if claimed.is_spoken() {
        return None;
    }
    let mut asked = vec![methods(&endpoint.profile)];
    let mut second_best = None;
    for profile in likeliest_first(card, profiles) {
        let Some(other) = Endpoint::new(profile, Binding::Jsonrpc, endpoint.url.clone()) else { continue };
        if asked.contains(&methods(profile)) {
            continue;
        }
        asked.push(methods(profile));
        match hear(http, &other).await? {
            heard if heard.sends == Taken::Known => return Some(Arc::clone(profile)),
            heard if heard.is_spoken() => second_best = second_best.or(Some(Arc::clone(profile))),
            _ => {}
        }
    }
    // Some methods have the same name in two families: one that is known proves neither.
    second_best.filter(|_| claimed.says_nothing() || claimed.reads == Taken::Denied)
}

/// The profiles in the order in which a card speaks for them: the one that it looks most like, the newest first.
fn likeliest_first<'a>(card: &Value, profiles: &'a [Arc<Profile>]) -> Vec<&'a Arc<Profile>> {
    let mut ranked: Vec<&Arc<Profile>> = profiles.iter().rev().collect();
    ranked.sort_by_cached_key(|profile| profile.strangeness_of_card(card));
    ranked
}

/// What tells the family of a version.
fn methods(profile: &Profile) -> [Option<&str>; 2] {
    [Operation::GetTask, Operation::SendMessage]
        .map(|operation| profile.operation(operation).and_then(|facts| facts.method.as_deref()))
}

/// Asks in the words of one version; nothing where the interface does not answer at all.
async fn hear(http: &Arc<Http>, endpoint: &Endpoint) -> Option<Heard> {
    let connection = Connection::new(endpoint.clone(), Arc::clone(http));
    let call = |operation, params| CallRequest {
        operation,
        params,
        rpc_id: None,
        headers: Vec::new(),
        purpose: "discovery".to_owned(),
    };
    let reading = call(Operation::GetTask, json!({ "id": format!("{OWN_IDS}no-such-task") }));
    let sending = call(Operation::SendMessage, json!({}));
    let both = futures_util::future::join(connection.call(&reading), connection.call(&sending));
    let (reads, sends) = tokio::time::timeout(PATIENCE, both).await.ok()?;
    let is_lost = |answer: &Answer| matches!(answer.said, Said::Lost);
    (!is_lost(&reads) || !is_lost(&sends)).then(|| Heard { reads: taken(&reads), sends: taken(&sends) })
}

fn taken(answer: &Answer) -> Taken {
    // That of the protocol's own errors which is about the request, and so about a method that is known.
    const ABOUT_PARAMS: [&str; 2] = ["InvalidParamsError", "TaskNotFoundError"];
    match &answer.said {
        Said::Result(_) => Taken::Known,
        Said::Error(error) if error.is("MethodNotFoundError") || error.is("VersionNotSupportedError") => Taken::Denied,
        Said::Error(error) if ABOUT_PARAMS.iter().any(|name| error.is(name)) => Taken::Known,
        _ => Taken::Unclear,
    }
}

/// What was found, with the versions that are spoken: beside a claim that is false, in place of a mere guess.
fn amended(found: Discovered, spoken: Vec<Option<Arc<Profile>>>, card: &Value) -> Discovered {
    let Discovered { mut info, endpoints, mut capabilities, extensions, flaws } = found;
    let mut amended: Vec<Endpoint> = Vec::new();
    let mut shown: Vec<InterfaceInfo> = Vec::new();
    let known: Vec<(String, Binding)> =
        endpoints.iter().map(|known| (known.profile.name().to_owned(), known.binding)).collect();
    let mut checked = endpoints.into_iter().zip(spoken);
    for interface in info.interfaces {
        let next = if interface.skipped.is_none() { checked.next() } else { None };
        let Some((endpoint, spoken)) = next else {
            shown.push(interface);
            continue;
        };
        let Some(profile) = spoken else {
            shown.push(interface);
            amended.push(endpoint);
            continue;
        };
        let name = profile.name().to_owned();
        let is_said = endpoint.is_said;
        let other = Endpoint::new(&profile, endpoint.binding, endpoint.url.clone());
        let other = other.map(|other| Endpoint { card: endpoint.card.clone(), ..other }.speaking_to(card));
        let beside = InterfaceInfo {
            version: name.clone(),
            profile: Some(name.clone()),
            note: Some("found out by asking: the card does not say so".to_owned()),
            ..interface.clone()
        };
        if is_said {
            let note = format!("the claim is false: it does not know the methods of A2A {}", endpoint.profile.name());
            shown.push(InterfaceInfo { note: Some(note), ..interface });
            amended.push(Endpoint { speaks: Some(name.clone()), ..endpoint });
        }
        let is_known = |(profile, binding): &(String, Binding)| *profile == name && *binding == Binding::Jsonrpc;
        if let Some(other) = other.filter(|_| !known.iter().any(is_known)) {
            shown.push(beside);
            amended.push(other);
            capabilities.extend([discovery::capabilities(card, &profile)]);
        }
    }
    info.interfaces = shown;
    Discovered { info, endpoints: amended, capabilities, extensions, flaws }
}
