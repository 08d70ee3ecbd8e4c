//! What a fault can say: the shape of `faults.yaml`, and of `planted.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::asked::{Asked, Binding};
use super::composed::{self, NotComposed};
use super::delivery::DeliveryChange;
use super::place::Place;
use super::writing::Writing;
use crate::version::Version;

/// One way of being wrong.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fault {
    /// Its name, such as `get/other-task`.
    pub id: String,
    /// What is wrong then, in a sentence.
    pub breaks: String,
    /// The requirements that it breaks, one or more a version; none of a fault that no case meets.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// Cases that bring about what those of its requirements watch, where these do nothing of their own.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Why it turns more cases red than those of its requirements, where it does.
    #[serde(default)]
    pub blunt: Option<String>,
    /// The exchanges in which it acts; all of them where it does not say.
    #[serde(default)]
    pub(crate) when: When,
    /// Changes to the request before the agent sees it.
    #[serde(default)]
    pub(crate) request: Option<RequestChange>,
    /// An answer in place of the agent's, which does not see the request.
    #[serde(default)]
    pub(crate) respond: Option<Respond>,
    /// No answer at all, ever.
    #[serde(default)]
    pub(crate) silent: bool,
    /// Once no client waits for such an answer any more, it is as if none had left a stream.
    #[serde(default)]
    pub(crate) recovers: bool,
    /// The agent dies of the request: every connection is lost, and all that it has stored. After so many milliseconds it is
    /// there again; 0: never.
    #[serde(default)]
    pub(crate) crash: Option<u64>,
    /// Bytes that the agent takes and does not give back.
    #[serde(default)]
    pub(crate) leak: Option<usize>,
    /// Milliseconds by which each answer takes longer than the one before.
    #[serde(default)]
    pub(crate) slower: Option<u32>,
    /// Milliseconds to wait before the answer.
    #[serde(default)]
    pub(crate) delay: Option<u64>,
    /// An error in place of the agent's answer, by its name in the specification.
    #[serde(default)]
    pub(crate) error: Option<String>,
    /// A result in place of the agent's answer, which may be an error, and is no stream.
    #[serde(default)]
    pub(crate) result: Option<Value>,
    /// A stream of these events in place of the agent's answer, which may be an error.
    #[serde(default)]
    pub(crate) stream: Option<Vec<Value>>,
    /// What exchanges of one version and binding have in common that all get the answer of the first one; not where they
    /// are streams.
    #[serde(default)]
    pub(crate) cached_by: Vec<CacheKey>,
    /// Changes to objects of the answer, or of each event.
    #[serde(default)]
    pub(crate) edit: Vec<Edit>,
    /// Changes to the cards, whatever `when` says.
    #[serde(default)]
    pub(crate) card: Vec<Edit>,
    /// Changes to the order and number of events.
    #[serde(default)]
    pub(crate) events: Vec<EventChange>,
    /// Changes to the HTTP response that carries the answer.
    #[serde(default)]
    pub(crate) http: Option<HttpChange>,
    /// Changes to what gRPC adds.
    #[serde(default)]
    pub(crate) grpc: Option<GrpcChange>,
    /// Another way to write what the agent says.
    #[serde(default)]
    pub(crate) writing: Option<Writing>,
    /// Changes to bytes before they are a request.
    #[serde(default)]
    pub(crate) socket: Option<SocketChange>,
    /// Changes to what is posted to webhooks, whatever `when` says.
    #[serde(default)]
    pub(crate) delivery: Option<DeliveryChange>,
    /// A switch inside the agent.
    #[serde(default)]
    pub(crate) switch: Option<Switch>,
}

/// Conditions, all of which must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct When {
    /// Whether the request is for a public card. Where it is not said, faults with no other condition on the request
    /// leave the card alone.
    pub card: bool,
    /// Whether requests for public cards are meant beside all others.
    pub everywhere: bool,
    /// `1.0` and what is like it, `1.1-draft`, `1.0-draft`, `0.3`, `0.2.5`, `0.2.1`, `0.1`, `proposal`; `0.2.*` for all that begin so.
    pub versions: Vec<String>,
    /// `jsonrpc`, `http-json`, `grpc`.
    pub bindings: Vec<String>,
    /// The operations, by their names in 1.0.
    pub operations: Vec<String>,
    /// The methods of HTTP.
    pub methods: Vec<String>,
    /// What the path of the URL contains.
    pub path: Option<String>,
    /// What headers of the request contain, or with `=` before it what they are; null: that they are not there.
    pub headers: BTreeMap<String, Option<String>>,
    /// Parameters of the request by their pointers, which are to be equal; null: to be missing; `${any}`: to be there.
    pub params: BTreeMap<String, Value>,
    /// What the body of the request contains, byte by byte.
    pub body: Option<String>,
    /// Whether the request names a task or context that came into being over another binding.
    pub elsewhere: bool,
    /// The whole body of the request; an empty text for none.
    pub whole_body: Option<String>,
    /// Bytes that the body of the request contains, in hexadecimal.
    pub bytes: Option<String>,
    /// The names of errors that the agent answers with; `any`; `none` for a result.
    pub errors: Vec<String>,
    /// The states of the task that it answers with.
    pub states: Vec<String>,
    /// The statuses of HTTP that it answers with.
    pub statuses: Vec<u16>,
    /// What the body of its answer contains, byte by byte; no stream is looked at.
    pub answer: Option<String>,
    /// It acts once a client has left a stream before its end.
    pub after_leaving: bool,
    /// It acts as long as a stream is open.
    pub beside_a_stream: bool,
    /// What the body of a request before contained, byte by byte: it acts from then on, until it lets the agent die.
    pub after: Option<String>,
    /// In so many such exchanges from then on; 0: for ever.
    #[serde(rename = "for")]
    pub times: usize,
    /// It acts from the nth such exchange on, counted for each task by itself, or where the request names none for each
    /// message, page or public card.
    pub from: usize,
    /// It acts up to the nth such exchange; 0: for ever.
    pub until: usize,
    /// It acts in every nth such exchange, whatever it is about; 0: in each.
    pub every: usize,
    /// The places at which it acts; everywhere where there are none. No file says them.
    #[serde(skip)]
    pub places: BTreeSet<Place>,
}

/// Changes to a request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct RequestChange {
    /// Parameters that get lost, by their pointers.
    pub drop: Vec<String>,
    /// Parameters that are something else; texts are filled as those of edits are.
    pub set: BTreeMap<String, Value>,
    /// Headers; null: dropped.
    pub headers: BTreeMap<String, Option<String>>,
    /// The method of HTTP.
    pub method: Option<String>,
    /// A piece of the path and what stands in its place.
    pub path: Option<(String, String)>,
    /// A piece of the body and what stands in its place.
    pub body: Option<(String, String)>,
    /// Bytes of the body and what stands in their place, both in hexadecimal.
    pub bytes: Option<(String, String)>,
    /// The whole body.
    pub whole_body: Option<String>,
    /// Over gRPC, all that stands behind a prefix is the message, whatever length that says.
    pub any_length: bool,
}

/// An answer that the agent has no part in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Respond {
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
}

/// A change to each object of a kind in the answer. `${...}` in texts: `fresh`, `state:working`, `role:user`,
/// `request:/pointer`, `now`, `time:9` (the moment that is there, with nine digits behind its seconds).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Edit {
    /// The kind.
    pub of: Kind,
    /// A member that the object must be within, at any depth.
    #[serde(default)]
    pub under: Option<String>,
    /// A member that the object must not be within.
    #[serde(default)]
    pub not_under: Option<String>,
    /// Which of them; all where it is not said.
    #[serde(default)]
    pub which: Option<Which>,
    /// Values by pointer that the object must have; null: that it must not have; `${any}`: any.
    #[serde(default, rename = "if")]
    pub only_if: BTreeMap<String, Value>,
    /// Members that get lost, by their pointers.
    #[serde(default)]
    pub drop: Vec<String>,
    /// Values by pointer; what is not there is made.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// Members that get another name, by their pointers.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    /// Texts that get a tail, and lists a further item.
    #[serde(default)]
    pub append: BTreeMap<String, Value>,
    /// Numbers that are changed by so much.
    #[serde(default)]
    pub add: BTreeMap<String, i64>,
    /// Values that are written as texts.
    #[serde(default)]
    pub stringify: Vec<String>,
    /// Values that are copied from one pointer to another.
    #[serde(default)]
    pub copy: BTreeMap<String, String>,
    /// Lists that are turned round.
    #[serde(default)]
    pub reverse: Vec<String>,
    /// Lists whose items are all there twice.
    #[serde(default)]
    pub double: Vec<String>,
    /// Lists of which only so many items are left, counted from the front, or with a minus from the back.
    #[serde(default)]
    pub keep: BTreeMap<String, i64>,
    /// Something in place of the whole object.
    #[serde(default)]
    pub replace: Option<Value>,
}

impl Edit {
    /// Whether it changes the signatures of a card.
    pub(crate) fn is_about_signatures(&self) -> bool {
        let places = self.set.keys().chain(self.append.keys()).chain(&self.drop);
        places.into_iter().any(|pointer| pointer.starts_with("/signatures"))
    }
}

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Kind {
    /// All that the binding carries: the result, the body, the message; an event's, too.
    Answer,
    /// The response object of JSON-RPC.
    Envelope,
    Task,
    /// The page of a list, or 0.3's bare list.
    TaskList,
    StatusUpdate,
    ArtifactUpdate,
    Status,
    Message,
    Artifact,
    Part,
    PushConfig,
    Card,
    Interface,
    Skill,
    /// The error object; over gRPC `code`, `message` and `details` of the status.
    Error,
    /// A `google.rpc.ErrorInfo`.
    ErrorInfo,
}

/// Which of several objects, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Which {
    First,
    Last,
    /// All but the first.
    Later,
}

/// What is done to an event.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EventChange {
    /// The kind of the event: `task`, `message`, `status`, `artifact`.
    #[serde(default)]
    pub kind: Option<String>,
    /// Its state, such as `completed`; `terminal` for any that is.
    #[serde(default)]
    pub state: Option<String>,
    /// The number of such an event in the stream, counted from 1; every one where it is not said.
    #[serde(default)]
    pub nth: Option<usize>,
    /// Only such as come after that number.
    #[serde(default)]
    pub after: usize,
    /// What happens.
    #[serde(rename = "do")]
    pub action: EventAction,
}

/// What can happen to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EventAction {
    /// It does not come.
    Drop,
    /// It comes twice.
    Double,
    /// It comes after the next one.
    Late,
    /// It comes when the next event comes that is not held.
    Hold,
    /// The stream ends after it.
    End,
    /// The stream ends before it.
    EndBefore,
    /// The connection is lost after it.
    Cut,
    /// The stream does not end after it, though nothing more comes.
    Hang,
    /// It comes after a second.
    Delay,
}

/// Changes to what comes over connections, whoever may read it: nothing is known yet of versions and operations.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct SocketChange {
    /// Pieces of what comes together, and what stands in their place.
    pub replace: Vec<(String, String)>,
    /// Whether a connection ends whose first bytes are no whole head.
    pub whole_heads: bool,
    /// Whether of requests that come together only the last is seen.
    pub last_only: bool,
    /// Whether all that comes is taken for nonsense once a connection was lost.
    pub dies_of_resets: bool,
    /// Whether the names of header fields of answers begin with capital letters, over HTTP/1.1.
    pub title_case: bool,
    /// Of how many frames of HTTP/2 that take back a call, come together, it is from then on; 0: of none.
    pub dies_of_frames: usize,
}

/// Changes to an HTTP response.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct HttpChange {
    pub status: Option<u16>,
    /// Headers; null: dropped.
    pub headers: BTreeMap<String, Option<String>>,
    /// The whole body.
    pub body: Option<String>,
    /// What stands before the body, or before the first event.
    pub prefix: String,
    /// What stands behind the body, or behind the last event.
    pub suffix: String,
    /// A piece of the body, or of each event's text, and what stands in its place.
    pub replace: Option<(String, String)>,
    /// Bytes in place of a piece of the body, in hexadecimal.
    pub bytes: Option<(String, String)>,
}

/// Changes to what gRPC adds to a message.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct GrpcChange {
    /// `grpc-status`, as it is sent; null: none at all.
    #[serde(deserialize_with = "said")]
    pub status: Option<Option<String>>,
    /// Trailers; null: dropped.
    pub trailers: BTreeMap<String, Option<String>>,
    /// The flags byte of each message's frame.
    pub flag: Option<u8>,
    /// So much more than the message is the length in its frame.
    pub length: Option<i64>,
    /// Bytes behind each message, within its frame, in hexadecimal.
    pub tail: Option<String>,
    /// Whether each message of the answer comes twice.
    pub double: bool,
    /// Whether no message comes.
    pub no_message: bool,
    /// Bytes in place of the message, in hexadecimal.
    pub message: Option<String>,
}

/// A value that is there, null included.
fn said<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// By what an agent can mix exchanges up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CacheKey {
    /// The id of the call, over JSON-RPC.
    RpcId,
    /// The path of the URL, with the method of HTTP.
    Path,
    /// The query of the URL.
    Query,
    /// The operation.
    Operation,
    /// The parameters.
    Params,
}

/// What only the inside of the agent can get wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// A message is taken whatever generation it is for.
    TakesAnyGeneration,
    /// Whoever names no generation waits for one that never comes.
    HoldsPlainReads,
    /// Whoever waits for a later generation gets the task at once.
    HoldsNoPoll,
    /// Whoever names a generation waits for the next change, also where the task has a later one.
    HoldsEveryPoll,
    /// What was made for one tenant is there for all.
    MixesTenants,
    /// Who names a tenant that there is not gets what belongs to the first that there is.
    TakesUnknownTenants,
    /// Get Task with a history length cuts the history that is stored.
    CutsStoredHistory,
    /// An answer to a message with a history length cuts the history that is stored.
    CutsHistoryOfAnswers,
    /// A task begins with the history and the artifacts of the last one in its context.
    MixesTasksOfContext,
    /// What the card does not declare is served all the same.
    ServesUndeclared,
    /// A stream of an ended task shows the task once, in 1.0 too.
    ShowsEndedToSubscribers,
    /// A subscriber that leaves ends all streams of the task.
    LeaverEndsStreams,
    /// Chunks are stored once for each stream of the task.
    StoresForEachStream,
    /// A task is canceled when the client leaves the stream with which it sent the message.
    CancelsUnwatchedTask,
    /// Messages to ended tasks are taken.
    TakesMessagesToEndedTasks,
    /// Messages to ended tasks are refused, in versions that let them go on, too.
    RefusesMessagesToEndedTasks,
    /// A message that a task refuses is in its history all the same.
    KeepsRefusedMessages,
    /// Tasks that have ended can be canceled.
    CancelsEndedTasks,
    /// Cancel Task says that the task is canceled, and nothing comes of it.
    ForgetsCancellations,
    /// The work on a task goes on when the task has been ended, and ends it once more.
    WorksOnEndedTasks,
    /// What List Tasks leaves out of its answer is lost to the task.
    StripsListedTasks,
    /// Page tokens count the tasks that were shown, instead of naming the last of them.
    CountsPages,
    /// With one push configuration all of its task are deleted.
    DeletesAllPushConfigs,
    /// A push configuration is found by its own id, whatever task is named.
    FindsPushConfigsAnywhere,
    /// A push configuration that was deleted can be read.
    ReadsDeletedPushConfigs,
    /// A push configuration that was deleted is not shown any more, and called all the same.
    PostsToDeletedPushConfigs,
    /// Texts lose the white space at their ends.
    TrimsTexts,
    /// The work on a task stands still when the client leaves the stream with which it sent the message.
    StopsUnwatchedTask,
    /// The work on a task does not begin where the client does not want to wait for it.
    ForgetsUnawaitedTasks,
    /// A message that is answered by a message is the first of a task all the same.
    KeepsAnsweredMessages,
    /// Some time after its end a task gets a further artifact.
    OverwritesEndedTasks,
    /// What is signed of the card has members with default values.
    SignsDefaults,
    /// What is signed of the card lacks a required member that is empty.
    SignsWithoutRequired,
    /// What is signed of the card lacks an optional member that is empty.
    SignsWithoutExplicit,
    /// What is signed of the card has the list of signatures.
    SignsSignatures,
    /// What is signed of the card is not in canonical form.
    SignsUncanonical,
    /// The header of the card's signature has no type.
    SignsWithoutType,
    /// The agent is reached without TLS, although it has a certificate.
    ServesWithoutTls,
    /// The agent agrees on versions of TLS that are forbidden.
    TakesOldTls,
    /// The agent agrees on cipher suites that are forbidden.
    TakesWeakCiphers,
    /// Webhooks may be anywhere.
    TrustsWebhooks,
    /// Whoever posts to a webhook goes where that redirects.
    FollowsWebhooks,
    /// Nothing more is posted to a webhook once a delivery has failed.
    GivesWebhooksUp,
    /// A task with a webhook is shown at work for as long as a webhook has not answered.
    WaitsForWebhooks,
    /// A message whose task has a webhook, and whose client waits for the task, is answered when no webhook is being called.
    AnswersAfterWebhooks,
    /// The same where the client wants the answer at once.
    AnswersAtOnceAfterWebhooks,
    /// A message that is refused puts its task back as it was when the message came, whatever has happened to it since.
    PutsBackWhatItRead,
    /// In which form of 0.3 over HTTP+JSON a task was begun is forgotten.
    ForgetsRestDialects,
}

/// The faults that cases meet, in the order of the file.
static ALL: LazyLock<Result<Vec<Fault>, String>> = LazyLock::new(|| read(include_str!("../../faults.yaml")));

/// Those that no case meets.
static PLANTED: LazyLock<Result<Vec<Fault>, String>> = LazyLock::new(|| read(include_str!("../../planted.yaml")));

fn read(text: &str) -> Result<Vec<Fault>, String> {
    serde_saphyr::from_str::<File>(text).map(|file| file.faults).map_err(|error| error.to_string())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    faults: Vec<Fault>,
}

impl Fault {
    /// Every fault that a case of the suite meets.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn all() -> Result<&'static [Self], &'static str> {
        ALL.as_ref().map(Vec::as_slice).map_err(String::as_str)
    }

    /// Every fault that none meets: they are for the fuzzer.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn planted() -> Result<&'static [Self], &'static str> {
        PLANTED.as_ref().map(Vec::as_slice).map_err(String::as_str)
    }

    /// One that is in no file: an error, by its name in the specification, or without a name an empty result, in place of each
    /// answer at some places. It waits until the agent is told to [go wrong](crate::RunningAgent::go_wrong).
    pub fn at(id: String, error: Option<&str>, places: BTreeSet<Place>) -> Self {
        let breaks = format!("requests are answered with {}", error.unwrap_or("an empty result"));
        let when = When { places, ..When::default() };
        let result = error.is_none().then(|| Value::Object(serde_json::Map::new()));
        Self { id, breaks, error: error.map(str::to_owned), result, when, ..Self::default() }
    }

    /// Whether it acts in this version, by its name: `1.0`.
    pub fn acts_in(&self, version: &str) -> bool {
        self.when.is_about(version)
    }

    /// Whether it acts in this version and over this binding, by their names: `1.0`, `grpc`.
    pub fn acts_over(&self, version: &str, binding: &str) -> bool {
        self.acts_in(version) && one_of(&self.when.bindings, binding)
    }

    /// Whether it can act on a request of which the address is known, and outside gRPC the body; its headers need not be.
    pub fn can_meet(&self, asked: &Asked) -> bool {
        let is_known = asked.binding != Some(Binding::Grpc);
        asked.fits_by_address(&self.when) && (!is_known || asked.fits_by_content(&self.when))
    }

    /// Whether it acts on a request, as far as that tells.
    pub(crate) fn meets(&self, asked: &Asked) -> bool {
        asked.fits(&self.when)
    }

    /// The fault with this id, or the one that is put together by it.
    ///
    /// # Errors
    /// There is none, or the file is wrong.
    pub fn find(id: &str) -> Result<&'static Self, UnknownFault> {
        if id.contains('@') {
            let fault = composed::read(id).map_err(|reason| UnknownFault::NotComposed(id.to_owned(), reason))?;
            // A program is given a few, and has them as long as it runs.
            return Ok(Box::leak(Box::new(fault)));
        }
        let all = Self::all().map_err(UnknownFault::File)?;
        let planted = Self::planted().map_err(UnknownFault::File)?;
        all.iter().chain(planted).find(|fault| fault.id == id).ok_or_else(|| UnknownFault::Id(id.to_owned()))
    }

    /// How faults are written that are put together, each with what is wrong then.
    pub fn forms() -> [(&'static str, &'static str); 2] {
        composed::FORMS
    }
}

impl When {
    /// Whether a request with this answer is at one of the places that are meant; all are where it is not said.
    pub fn is_at(&self, asked: &Asked, error: Option<&str>) -> bool {
        let is_it = |place: &Place| place.error.as_deref() == error && place.request == asked.request_shape();
        self.places.is_empty() || self.places.iter().any(is_it)
    }

    /// Whether exchanges in this version are meant; all are where it is not said.
    pub fn is_about(&self, version: &str) -> bool {
        let is_named = |name: &String| match name.strip_suffix('*') {
            Some(beginning) => version.starts_with(beginning),
            // A version that is like another has its faults.
            None => name == version || (name == Version::V1_0.name() && version == Version::V1_1Draft.name()),
        };
        self.versions.is_empty() || self.versions.iter().any(is_named)
    }
}

/// Whether something is among what is wanted; everything is where nothing is said.
pub(super) fn one_of(wanted: &[String], got: &str) -> bool {
    wanted.is_empty() || wanted.iter().any(|wanted| wanted == got)
}

/// An id that no fault has, or a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownFault {
    /// No fault has this id.
    #[error("there is no fault `{0}`; `a2aspec agent --list-faults` names them all")]
    Id(String),
    /// No fault is put together in this way.
    #[error("`{0}` is no fault: {1}")]
    NotComposed(String, NotComposed),
    /// The file is wrong.
    #[error("faults.yaml: {0}")]
    File(&'static str),
}
