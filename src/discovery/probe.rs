//! Whether an interface speaks the version that its card says, found out by asking.
//!
//! Families of versions are told apart by the names of their methods: an agent that knows the methods of a version answers
//! with errors about their parameters, one that does not with an error about the method. GetTask for a task that was never
//! made comes first; where two families name it alike the webhook of such a task follows. Neither has an effect. Only where
//! these leave it open a third goes out, SendMessage without a message, which an agent that checks nothing may take for work.
//! An error that is about neither is held against what the agent says of a method that no version has, with the same parameters:
//! if that is the same it tells nothing, if it is another one the method is known.
//! An interface that has the methods of another version may read and write the objects of its own all the same. One message shows that:
//! it is sent only where the claim is false.
//! Versions whose methods have the same names are told apart by their cards alone. Where a card names no version, the operations that
//! only some releases of it have are asked for, too: an agent that knows one is checked by it. Only JSON-RPC is asked: over the other
//! bindings an unknown route looks like an unknown task.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::find::{self, Discovered};
use super::interfaces;
use crate::binding::{CallRequest, RawRequest};
use crate::interface::{Interface, InterfaceInfo, Listed};
use crate::profile::{Binding, Operation, Profile};
use crate::transcript::{Answer, Content, ErrorObject, OWN_IDS};
use crate::transport::http::Http;
use crate::transport::{Connection, unique};

/// How long an interface has to say whether it knows a method: one that is silent is for the cases to judge.
const PATIENCE: Duration = Duration::from_secs(5);

/// How an agent takes a request of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Support {
    /// It knows the method.
    Known,
    /// It says that it knows no such method, or no such version.
    Denied,
    /// Neither.
    Unclear,
}

/// What an interface answers to the requests in the words of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Probed {
    reads: Support,
    /// Unclear, too, where it was not asked.
    sends: Support,
    /// Whether it knows a method that no other family has.
    is_proven: bool,
}

impl Probed {
    fn is_spoken(self) -> bool {
        self.is_proven || (self.reads == Support::Known && self.sends != Support::Denied)
    }

    fn says_nothing(self) -> bool {
        self == Self { reads: Support::Unclear, sends: Support::Unclear, is_proven: false }
    }
}

/// Asks the interfaces over JSON-RPC, and adds to what was found the versions that they speak instead of what they claim.
pub(super) async fn versions(
    http: &Arc<Http>,
    mut found: Discovered,
    card: &Value,
    profiles: &[Arc<Profile>],
) -> Discovered {
    let asked = found.agent.interfaces.iter().map(async |listed| match &listed.interface {
        // In a version that the user wants in spite of the card, the agent is checked even if it does not speak it.
        Some(interface) if listed.info.declares(interface) => spoken(http, interface, card, profiles).await,
        _ => None,
    });
    let spoken = futures_util::future::join_all(asked).await;
    let lent = found.agent.interfaces.iter().zip(&spoken).map(async |(listed, spoken)| {
        let (interface, other) = listed.interface.as_ref().zip(spoken.as_ref())?;
        let mixed = Interface { methods: Some(Arc::clone(other)), ..interface.clone() };
        (interface.is_said && takes_a_message(http, mixed).await).then(|| Arc::clone(other))
    });
    let lent = futures_util::future::join_all(lent).await;
    let mut others = Vec::new();
    for ((listed, spoken), lent) in found.agent.interfaces.iter_mut().zip(spoken).zip(lent) {
        let Some(interface) = listed.interface.as_mut().filter(|_| lent.is_some()) else {
            others.push(spoken);
            continue;
        };
        let name = lent.as_ref().map(|other| other.name().to_owned()).unwrap_or_default();
        listed.info.note = Some(format!("its methods have the names of A2A {name}: the suite calls them by these"));
        interface.methods = lent;
        others.push(None);
    }
    amended(found, others, card)
}

/// Whether an interface answers a message of its version with a task or a message of its version.
async fn takes_a_message(http: &Arc<Http>, interface: Interface) -> bool {
    let connection = Connection::new(interface, Arc::clone(http));
    let message = json!({ "messageId": unique(), "role": "ROLE_USER", "parts": [{ "text": "complete" }] });
    let request = CallRequest {
        operation: Operation::SendMessage,
        params: json!({ "message": message }).into(),
        rpc_id: None,
        headers: Vec::new(),
        purpose: "discovery".to_owned(),
    };
    let Some(answer) = in_time(connection.call(&request)).await else { return false };
    let has_id = |place: &str| answer.result().and_then(|result| result.pointer(place)).is_some_and(Value::is_string);
    has_id("/task/id") || has_id("/message/messageId")
}

/// Asks the interfaces whose version is a guess for what only some releases of it have, and takes what they know from what they lack.
pub(super) async fn releases(http: &Arc<Http>, found: &mut Discovered) {
    let guessed = found.agent.interfaces.iter_mut().filter_map(|listed| listed.interface.as_mut());
    futures_util::future::join_all(guessed.map(|interface| release(http, interface))).await;
}

async fn release(http: &Arc<Http>, interface: &mut Interface) {
    let is_guess = !interface.is_said || interface.is_recognised;
    if !is_guess || interface.binding != Binding::Jsonrpc {
        return;
    }
    let connection = Connection::new(interface.clone(), Arc::clone(http));
    let unknown = format!("{OWN_IDS}no-such-task");
    for operation in interface.lacks.clone() {
        let params = json!({ "taskId": unknown, "id": unknown });
        let Some((support, answer)) = ask_for(&connection, operation, params).await else { return };
        if support == Support::Known || is_about_webhooks(&answer) {
            interface.lacks.remove(&operation);
        }
    }
}

/// The profile that an interface speaks instead of the one by which it would be checked.
async fn spoken(
    http: &Arc<Http>,
    interface: &Interface,
    card: &Value,
    profiles: &[Arc<Profile>],
) -> Option<Arc<Profile>> {
    if interface.binding != Binding::Jsonrpc {
        return None;
    }
    let claimed = probe_methods(http, interface, profiles).await?;
    if claimed.is_spoken() && (interface.is_said || claimed.is_proven) {
        return None;
    }
    let mut asked = vec![methods(&interface.profile)];
    let mut second_best = None;
    for profile in likeliest_first(card, profiles) {
        let Some(other) = Interface::new(profile, Binding::Jsonrpc, interface.url.clone()) else { continue };
        if asked.contains(&methods(profile)) {
            continue;
        }
        asked.push(methods(profile));
        let heard = probe_methods(http, &other, profiles).await?;
        if heard.is_proven {
            return Some(Arc::clone(profile));
        }
        if heard.is_spoken() {
            second_best = second_best.or(Some(Arc::clone(profile)));
        }
    }
    // Some methods have the same name in two families: one that is known proves neither.
    second_best.filter(|_| claimed.says_nothing() || claimed.reads == Support::Denied)
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

/// Whether no other family has the method by which a version reads tasks.
fn reads_in_its_own_words(profile: &Profile, profiles: &[Arc<Profile>]) -> bool {
    let [own, _] = methods(profile);
    profiles.iter().all(|other| methods(other) == methods(profile) || methods(other).first() != Some(&own))
}

/// Asks in the words of one version; nothing where the interface does not answer.
async fn probe_methods(http: &Arc<Http>, interface: &Interface, profiles: &[Arc<Profile>]) -> Option<Probed> {
    let connection = Connection::new(interface.clone(), Arc::clone(http));
    let unknown = format!("{OWN_IDS}no-such-task");
    let (reads, _) = ask_for(&connection, Operation::GetTask, json!({ "id": unknown })).await?;
    let mut is_proven = reads == Support::Known && reads_in_its_own_words(&interface.profile, profiles);
    if !is_proven {
        let params = json!({ "taskId": unknown });
        let (webhooks, answer) = ask_for(&connection, Operation::GetTaskPushNotificationConfig, params).await?;
        is_proven = webhooks == Support::Known || (reads == Support::Known && is_about_webhooks(&answer));
    }
    let mut sends = Support::Unclear;
    if !is_proven {
        (sends, _) = ask_for(&connection, Operation::SendMessage, json!({})).await?;
        is_proven = sends == Support::Known;
    }
    Some(Probed { reads, sends, is_proven })
}

async fn ask_for(connection: &Connection, operation: Operation, params: Value) -> Option<(Support, Answer)> {
    let request = CallRequest {
        operation,
        params: params.into(),
        rpc_id: None,
        headers: Vec::new(),
        purpose: "discovery".to_owned(),
    };
    let mut answer = in_time(connection.call(&request)).await?;
    if support(&answer) == Support::Unclear {
        // An agent may understand ids of one kind only, and says nothing of the method in a request with another.
        let request = CallRequest { rpc_id: Some(json!(format!("{OWN_IDS}discovery"))), ..request };
        let other = in_time(connection.call(&request)).await?;
        if !other.says_the_same_as(&answer) {
            answer = other;
        }
    }
    let support = match support(&answer) {
        Support::Unclear if differs_from_unknown(connection, &answer).await? => Support::Known,
        support => support,
    };
    Some((support, answer))
}

/// What is answered within the time that an interface has.
async fn in_time(answer: impl Future<Output = Answer>) -> Option<Answer> {
    let answer = tokio::time::timeout(PATIENCE, answer).await.ok()?;
    (!matches!(answer.content, Content::Lost)).then_some(answer)
}

/// Names that no version has. There are two of them: an agent whose errors to these differ, too, tells nothing by any.
const UNKNOWN: [&str; 2] = ["a2aspec/no-such-method", "a2aspec/never-heard-of"];

/// Whether an agent gives a method another error than one that no version has; nothing where it does not answer.
async fn differs_from_unknown(connection: &Connection, answer: &Answer) -> Option<bool> {
    if answer.refusal().is_none_or(ErrorObject::is_bare) {
        return Some(false);
    }
    let request = &answer.exchange.request;
    let Ok(mut call) = serde_json::from_slice::<Value>(&request.body) else { return Some(false) };
    let mut heard = Vec::new();
    for unknown in UNKNOWN {
        if let Some(method) = call.get_mut("method") {
            *method = Value::from(unknown);
        }
        let raw = RawRequest {
            method: request.method.clone(),
            suffix: String::new(),
            body: Bytes::from(call.to_string()),
            content_type: Some("application/json".to_owned()),
            headers: Vec::new(),
            prefix: None,
            operation: None,
            rpc_id: call.get("id").cloned(),
            purpose: "discovery".to_owned(),
        };
        heard.push(in_time(connection.raw(raw)).await?);
    }
    let [first, second] = heard.as_slice() else { return Some(false) };
    let is_steady = first.says_the_same_as(second);
    Some(is_steady && !answer.says_the_same_as(first))
}

fn support(answer: &Answer) -> Support {
    // That of the protocol's own errors which is about the request, and so about a method that is known.
    const ABOUT_PARAMS: [&str; 2] = ["InvalidParamsError", "TaskNotFoundError"];
    match &answer.content {
        Content::Result(_) => Support::Known,
        Content::Error(error) if error.is("MethodNotFoundError") || error.is("VersionNotSupportedError") => {
            Support::Denied
        }
        Content::Error(error) if ABOUT_PARAMS.iter().any(|name| error.is(name)) => Support::Known,
        _ => Support::Unclear,
    }
}

/// Whether an answer says that there are no webhooks: of an agent that knows another method of the version this tells that
/// it knows this one.
fn is_about_webhooks(answer: &Answer) -> bool {
    const NONE: [&str; 2] = ["PushNotificationNotSupportedError", "UnsupportedOperationError"];
    matches!(&answer.content, Content::Error(error) if NONE.iter().any(|name| error.is(name)))
}

/// What was found, with the versions that are spoken: beside a claim that is false, in place of a mere guess.
fn amended(mut found: Discovered, spoken: Vec<Option<Arc<Profile>>>, card: &Value) -> Discovered {
    let known: Vec<(String, Binding)> =
        found.agent.checked().map(|(_, known)| (known.profile.name().to_owned(), known.binding)).collect();
    let listed = std::mem::take(&mut found.agent.interfaces);
    for (mut listed, spoken) in listed.into_iter().zip(spoken) {
        let (Some(profile), Some(claimed)) = (spoken, listed.interface.as_mut()) else {
            found.agent.interfaces.push(listed);
            continue;
        };
        let name = profile.name().to_owned();
        let beside = InterfaceInfo {
            version: name.clone(),
            profile: Some(name.clone()),
            tenant: None,
            note: Some("found out by asking: the card does not say so".to_owned()),
            ..listed.info.clone()
        };
        let other = Interface::new(&profile, claimed.binding, claimed.url.clone());
        let place = (claimed.card.clone(), claimed.mapped.clone());
        let lacks = profile.lacking_in(None);
        let other = other.map(|other| {
            Interface { card: place.0, mapped: place.1, is_recognised: true, lacks, ..other }.speaking_to(card)
        });
        if claimed.is_said {
            let note = format!("the claim is false: it does not know the methods of A2A {}", claimed.profile.name());
            listed.info.note = Some(note);
            claimed.speaks = Some(name.clone());
            found.agent.interfaces.push(listed);
        }
        let is_known = |(profile, binding): &(String, Binding)| *profile == name && *binding == Binding::Jsonrpc;
        if let Some(other) = other.filter(|_| !known.iter().any(is_known)) {
            let mut beside = beside;
            interfaces::note_of_extensions(&other).iter().for_each(|note| beside.add_note(note));
            found.agent.interfaces.push(Listed { info: beside, interface: Some(other) });
            found.capabilities.extend([find::capabilities(card, &profile)]);
        }
    }
    found
}
