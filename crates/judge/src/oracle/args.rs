//! What oracles are asked about: the type of each oracle's arguments.
//!
//! Cases are held against these types when they are read, and the judge reads the same types when it asks: an oracle never
//! meets arguments that it cannot use.

use std::ops::Deref;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::case::{Named, What, WrongArguments};
use crate::diagnostic::near;
use crate::profile::schema;
use crate::wire::json::pointer;
use crate::wire::jsonrpc::Id;

/// Arguments of an oracle.
pub(super) trait Arguments: DeserializeOwned {
    /// Whether they are written as an array: the reader would take one for the members of a struct, in their order.
    const IS_LIST: bool = false;

    /// What they name.
    fn named(&self) -> Vec<Named> {
        Vec::new()
    }
}

/// No arguments.
#[derive(Debug, Deserialize)]
pub(super) struct Nothing;

impl Arguments for Nothing {}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Deserialize)]
            #[serde(transparent)]
            pub(super) struct $name(String);

            impl Deref for $name {
                type Target = str;

                fn deref(&self) -> &str {
                    &self.0
                }
            }

            impl Arguments for $name {
                fn named(&self) -> Vec<Named> {
                    vec![Named { name: self.0.clone(), what: What::$name }]
                }
            }
        )*
    };
}

names! {
    /// The name of a step.
    Step;
    /// The name of a step that reads a stream.
    Stream;
    /// The name of a step that walks.
    Walk;
    /// The name of a step that waits for deliveries.
    Deliveries;
    /// The name of a fixture, or of a step that brings a task.
    Task;
    /// The name of a fixture, or of a step that brings tasks.
    Tasks;
    /// The name of a canonical type.
    TypeName;
    /// The name of a type in the schemas of a version.
    Schema;
}

/// Two of a kind.
#[derive(Debug, Deserialize)]
pub(super) struct Pair<T>(pub T, pub T);

impl<T: Arguments> Arguments for Pair<T> {
    const IS_LIST: bool = true;

    fn named(&self) -> Vec<Named> {
        [self.0.named(), self.1.named()].concat()
    }
}

/// Two answers to compare, and where there is a third the first request once more, as a control.
#[derive(Debug)]
pub(super) struct Compared {
    pub first: Step,
    pub second: Step,
    pub again: Option<Step>,
}

impl<'de> Deserialize<'de> for Compared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut steps = Vec::deserialize(deserializer)?.into_iter();
        match (steps.next(), steps.next(), steps.next(), steps.next()) {
            (Option::Some(first), Option::Some(second), again, None) => Ok(Self { first, second, again }),
            _ => Err(D::Error::custom("expected an array of two or three names")),
        }
    }
}

impl Arguments for Compared {
    const IS_LIST: bool = true;

    fn named(&self) -> Vec<Named> {
        [&self.first, &self.second].into_iter().chain(&self.again).flat_map(Arguments::named).collect()
    }
}

/// Some of a kind, at least one.
#[derive(Debug)]
pub(super) struct Some<T>(Vec<T>);

/// Canonical types.
pub(super) type TypeNames = Some<TypeName>;

/// Types in the schemas of a version.
pub(super) type Schemas = Some<Schema>;

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Some<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Vec::deserialize(deserializer)?;
        if all.is_empty() { Err(D::Error::custom("expected at least one")) } else { Ok(Self(all)) }
    }
}

impl<T: Arguments> Arguments for Some<T> {
    const IS_LIST: bool = true;

    fn named(&self) -> Vec<Named> {
        self.0.iter().flat_map(Arguments::named).collect()
    }
}

impl<T: Deref<Target = str>> Some<T> {
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(Deref::deref).collect()
    }
}

/// One of a kind by itself, or some.
#[derive(Debug)]
pub(super) struct OneOrSome<T>(Some<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for OneOrSome<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let args = Value::deserialize(deserializer)?;
        let all =
            if args.is_array() { Some::deserialize(args) } else { T::deserialize(args).map(|one| Some(vec![one])) };
        all.map(Self).map_err(D::Error::custom)
    }
}

impl<T: Arguments> Arguments for OneOrSome<T> {
    const IS_LIST: bool = true;

    fn named(&self) -> Vec<Named> {
        self.0.named()
    }
}

impl<T> OneOrSome<T> {
    pub fn all(&self) -> &[T] {
        &self.0.0
    }
}

/// A stream, and the task that it is about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamAndTask {
    pub stream: Stream,
    pub task: Task,
}

impl Arguments for StreamAndTask {
    fn named(&self) -> Vec<Named> {
        [self.stream.named(), self.task.named()].concat()
    }
}

/// A stream, and a step that waited for another task meanwhile.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamAndClock {
    pub stream: Stream,
    pub clock: Task,
}

impl Arguments for StreamAndClock {
    fn named(&self) -> Vec<Named> {
        [self.stream.named(), self.clock.named()].concat()
    }
}

/// Deliveries, and the task that they are about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveriesAndTask {
    pub deliveries: Deliveries,
    pub task: Task,
}

impl Arguments for DeliveriesAndTask {
    fn named(&self) -> Vec<Named> {
        [self.deliveries.named(), self.task.named()].concat()
    }
}

/// Deliveries, and a stream of the same task.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveriesAndStream {
    pub deliveries: Deliveries,
    pub stream: Stream,
}

impl Arguments for DeliveriesAndStream {
    fn named(&self) -> Vec<Named> {
        [self.deliveries.named(), self.stream.named()].concat()
    }
}

/// Arguments of `delivery-credentials-kept`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CredentialsKept {
    pub deliveries: Deliveries,
    /// What came to the origin to which the first was redirected.
    pub elsewhere: Deliveries,
    /// What the configuration has the agent bring to its address.
    pub secrets: Vec<String>,
}

impl Arguments for CredentialsKept {
    fn named(&self) -> Vec<Named> {
        [self.deliveries.named(), self.elsewhere.named()].concat()
    }
}

/// A task while its webhook did not answer, and once that had answered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeldUp {
    pub held: Task,
    pub released: Task,
}

impl Arguments for HeldUp {
    fn named(&self) -> Vec<Named> {
        [self.held.named(), self.released.named()].concat()
    }
}

/// A request, and a step before the end of which it must be answered, of those that were done together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerHeldUp {
    pub answer: Step,
    pub until: Step,
}

impl Arguments for AnswerHeldUp {
    fn named(&self) -> Vec<Named> {
        [self.answer.named(), self.until.named()].concat()
    }
}

/// Requests to set webhooks, each named for what is wrong with the address.
pub(super) type RefusedAddresses = OneOrSome<Step>;

/// A request that names a webhook, and what came to that.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedAndDeliveries {
    pub asked: Step,
    pub deliveries: Deliveries,
}

impl Arguments for AskedAndDeliveries {
    fn named(&self) -> Vec<Named> {
        [self.asked.named(), self.deliveries.named()].concat()
    }
}

/// Where data of an extension are looked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtensionKeys {
    pub of: Some<Step>,
    /// The names under which metadata may have them.
    pub keys: Vec<String>,
}

impl Arguments for ExtensionKeys {
    fn named(&self) -> Vec<Named> {
        self.of.named()
    }
}

/// The same, with the form of the data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtensionData {
    pub of: Some<Step>,
    pub keys: Vec<String>,
    pub schema: JsonSchema,
    /// What the schema as a whole expects, in words.
    #[serde(default)]
    pub expected: Option<String>,
}

impl Arguments for ExtensionData {
    fn named(&self) -> Vec<Named> {
        self.of.named()
    }
}

/// A JSON Schema that a case has in itself.
#[derive(Debug)]
pub(super) struct JsonSchema(Value);

impl JsonSchema {
    /// What it is called once it is compiled.
    pub const NAME: &str = "Data";

    pub fn compiled(&self) -> schema::Schemas {
        schema::Schemas::of(Self::NAME, &self.0)
    }
}

impl<'de> Deserialize<'de> for JsonSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let schema = Self(Value::deserialize(deserializer)?);
        let is_usable = schema.compiled().unusable().is_empty();
        if is_usable { Ok(schema) } else { Err(D::Error::custom("expected a JSON Schema")) }
    }
}

/// Arguments of `delivery-authorization`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Authorization {
    pub deliveries: Deliveries,
    /// The scheme of HTTP authentication.
    pub scheme: String,
    /// What follows it; anything, where it is not said.
    #[serde(default)]
    pub credentials: Option<String>,
}

impl Arguments for Authorization {
    fn named(&self) -> Vec<Named> {
        self.deliveries.named()
    }
}

/// Arguments of `delivery-token`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveryToken {
    pub deliveries: Deliveries,
    pub token: String,
}

impl Arguments for DeliveryToken {
    fn named(&self) -> Vec<Named> {
        self.deliveries.named()
    }
}

/// Arguments of `tls-refused`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offered {
    /// The step that offers what is to be refused.
    pub offer: Step,
    /// One that shows that the agent agrees on TLS otherwise.
    pub served: Step,
}

impl Arguments for Offered {
    fn named(&self) -> Vec<Named> {
        [self.offer.named(), self.served.named()].concat()
    }
}

/// Arguments of `artifacts-match`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArtifactsMatch {
    pub stream: Stream,
    pub task: Task,
    #[serde(default)]
    pub shared: Option<Shared>,
}

/// What is said of ids that several artifacts may have.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shared {
    LeftOut,
}

impl Arguments for ArtifactsMatch {
    fn named(&self) -> Vec<Named> {
        [self.stream.named(), self.task.named()].concat()
    }
}

/// Arguments of `stream-carries`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Carries {
    pub stream: Stream,
    pub text: String,
}

impl Arguments for Carries {
    fn named(&self) -> Vec<Named> {
        self.stream.named()
    }
}

/// Arguments of `stream-rpc-id`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamRpcId {
    pub stream: Stream,
    pub id: RpcId,
}

/// The id of a JSON-RPC request, and how it is written.
#[derive(Debug)]
pub(super) struct RpcId {
    pub id: Id,
    pub value: Value,
}

impl<'de> Deserialize<'de> for RpcId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match Id::from_value(&value) {
            Option::Some(id) => Ok(Self { id, value }),
            None => Err(D::Error::custom("expected a string, a number or null")),
        }
    }
}

impl Arguments for StreamRpcId {
    fn named(&self) -> Vec<Named> {
        self.stream.named()
    }
}

/// Arguments of `batch-answers`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchAnswers {
    pub step: Step,
    pub ids: Vec<Value>,
}

impl Arguments for BatchAnswers {
    fn named(&self) -> Vec<Named> {
        self.step.named()
    }
}

/// Arguments of `covers`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Covers {
    pub walk: Tasks,
    pub tasks: Tasks,
}

impl Arguments for Covers {
    fn named(&self) -> Vec<Named> {
        [self.walk.named(), self.tasks.named()].concat()
    }
}

/// Arguments of `list-changed`: two lists, and what was made or taken away between them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListChanged {
    pub before: Step,
    pub after: Step,
    #[serde(default)]
    pub made: Option<Step>,
    #[serde(default)]
    pub gone: Option<Step>,
}

impl Arguments for ListChanged {
    fn named(&self) -> Vec<Named> {
        let change = self.made.iter().chain(&self.gone).flat_map(Arguments::named);
        self.before.named().into_iter().chain(self.after.named()).chain(change).collect()
    }
}

/// Arguments of `pages-agree`: one large page, and small ones that lead from one to the next.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PagesAgree {
    pub whole: Step,
    pub pages: OneOrSome<Step>,
}

impl Arguments for PagesAgree {
    fn named(&self) -> Vec<Named> {
        [self.whole.named(), self.pages.named()].concat()
    }
}

/// Arguments of `listed-once`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedOnce {
    pub list: Tasks,
    pub task: Task,
}

impl Arguments for ListedOnce {
    fn named(&self) -> Vec<Named> {
        [self.list.named(), self.task.named()].concat()
    }
}

/// Arguments of `listed-as-read`: two readings of a task, and a list between them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedAsRead {
    pub list: Tasks,
    pub task: Task,
    pub again: Task,
}

impl Arguments for ListedAsRead {
    fn named(&self) -> Vec<Named> {
        [self.list.named(), self.task.named(), self.again.named()].concat()
    }
}

/// Arguments of `at-or-after`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AtOrAfter {
    pub list: Tasks,
    pub time: String,
    #[serde(default)]
    pub unit: Option<Unit>,
    #[serde(default)]
    pub of: Option<Tasks>,
}

/// What counts as one time.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    Milliseconds,
}

impl Arguments for AtOrAfter {
    fn named(&self) -> Vec<Named> {
        self.list.named().into_iter().chain(self.of.iter().flat_map(Arguments::named)).collect()
    }
}

/// Arguments of `card-security`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardSecurity {
    /// The step that fetched the card.
    pub card: Step,
    /// The member of the card, and of its skills, that has the requirements.
    pub of: String,
}

impl Arguments for CardSecurity {
    fn named(&self) -> Vec<Named> {
        self.card.named()
    }
}

/// Arguments of `agree`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Agree {
    pub on: String,
    pub tasks: Pair<Task>,
    /// Two views of a task that show whether the agent shows this place alike in both ways.
    pub like: Option<Pair<Task>>,
}

impl Arguments for Agree {
    fn named(&self) -> Vec<Named> {
        let on = Named { name: self.on.clone(), what: What::PlaceInTask };
        let like = self.like.iter().flat_map(Arguments::named);
        std::iter::once(on).chain(self.tasks.named()).chain(like).collect()
    }
}

/// Arguments of `exactly-one`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExactlyOne {
    #[serde(rename = "in")]
    pub step: Step,
    pub of: Vec<String>,
}

impl Arguments for ExactlyOne {
    fn named(&self) -> Vec<Named> {
        let of = |name: &String| Named { name: name.clone(), what: What::ResultOf(self.step.0.clone()) };
        self.step.named().into_iter().chain(self.of.iter().map(of)).collect()
    }
}

/// Arguments of `most-recent`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MostRecent {
    pub part: Task,
    pub whole: Task,
}

impl Arguments for MostRecent {
    fn named(&self) -> Vec<Named> {
        [self.part.named(), self.whole.named()].concat()
    }
}

/// Arguments of `parts-with`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartsWith {
    pub task: Task,
    pub members: Vec<Content>,
}

/// What a part can hold.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Content {
    Text,
    Raw,
    Url,
    Data,
}

impl Content {
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Raw => "raw",
            Self::Url => "url",
            Self::Data => "data",
        }
    }
}

impl Arguments for PartsWith {
    fn named(&self) -> Vec<Named> {
        self.task.named()
    }
}

/// Arguments of `status-field`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusField {
    pub status: u16,
    pub field: String,
}

impl Arguments for StatusField {}

/// The aspect of `http-error`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum HttpErrorAspect {
    Form,
    Code,
    Status,
    Consistent,
    Problem,
    ProblemStatus,
    ProblemDetail,
}

impl Arguments for HttpErrorAspect {}

/// The aspect of `grpc-status-details`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StatusDetails {
    Readable,
    Code,
    Message,
}

impl Arguments for StatusDetails {}

/// Reads arguments.
///
/// # Errors
/// What is wrong with them, in its place.
pub(super) fn read<A: Arguments>(args: &Value) -> Result<A, WrongArguments> {
    if args.is_array() && !A::IS_LIST {
        return Err(told(String::new(), "expected a map or a name", args));
    }
    serde_path_to_error::deserialize(args).map_err(|error| {
        let mut at = String::new();
        for segment in error.path() {
            match segment {
                serde_path_to_error::Segment::Seq { index } => pointer::push(&mut at, &index.to_string()),
                serde_path_to_error::Segment::Map { key } => pointer::push(&mut at, key),
                _ => {}
            }
        }
        told(at, &error.into_inner().to_string(), args)
    })
}

/// The reader's complaint in the words of this program.
fn told(at: String, complaint: &str, args: &Value) -> WrongArguments {
    let mut quoted = complaint.split('`').skip(1).step_by(2);
    let first = quoted.next().unwrap_or_default().to_owned();
    let help = || near::help(&first, quoted.clone());
    if complaint.starts_with("unknown field") {
        let (around, is_told) = match at.rsplit_once('/') {
            Option::Some((around, last)) if last == first => (around.to_owned(), true),
            _ => (at.clone(), false),
        };
        let at = if is_told { at } else { format!("{around}/{first}") };
        return WrongArguments { at, is_name: true, message: format!("unknown key `{first}`"), help: help() };
    }
    let wrong =
        |message: String, help: Option<String>| WrongArguments { at: at.clone(), is_name: false, message, help };
    if complaint.starts_with("unknown variant") {
        return wrong(format!("`{first}` is nothing that this oracle knows"), help());
    }
    if complaint.starts_with("missing field") {
        return wrong(format!("the key `{first}` is missing"), None);
    }
    let wanted = complaint.split_once("expected ").map_or(complaint, |(_, wanted)| wanted);
    let wanted = match wanted {
        "tuple struct Pair with 2 elements" | "tuple struct Pair" => "an array of two names",
        "unit struct Nothing" => return wrong("this oracle takes no arguments".to_owned(), None),
        other if other.starts_with("struct ") => "a map",
        other if other.starts_with("string or map") || other.starts_with("enum ") => "a name",
        "a sequence" => "an array",
        other => other,
    };
    let held = args.pointer(&at).map_or_else(|| "nothing".to_owned(), |held| held.to_string());
    let held = if held == "null" { "nothing".to_owned() } else { format!("`{held}`") };
    wrong(format!("expected {wanted}, not {held}"), None)
}
