//! Right requests with all that can be changed in them, found once for each interface.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::aim::Aim;
use super::bytes::{self, WrittenRequest};
use super::change::{Change, Place, Takes, places};
use super::changed::apply;
use super::class::{Class, Classes};
use super::free::{self, At};
use super::ids::{names_a_task, unknown};
use super::learned::Learned;
use super::request;
use super::spelling::{Spelling, spellings};
use crate::generate::Choices;
use crate::profile::facts::TaskIds;
use crate::profile::{Binding, Operation, Route};

/// A right request.
pub(super) struct Base {
    /// Its canonical parameters, with references.
    pub params: Value,
    /// The places that can be changed over the interface.
    pub spots: Vec<Spot>,
    text: OnceLock<Option<WrittenRequest>>,
    spellings: OnceLock<Vec<Spelling>>,
}

/// A place of a right request.
pub(super) struct Spot {
    /// Where: a JSON pointer into the canonical parameters.
    pub pointer: String,
    /// What can be done there, the simplest first.
    pub changes: Arc<[Change]>,
    /// Which of it makes the request wrong all by itself, as far as that was asked.
    wrong: Vec<OnceLock<bool>>,
    part: Part,
    /// What may stand there, by its JSON type.
    takes: Takes,
    names_a_task: bool,
    /// Whether an instant stands there.
    is_time: bool,
}

impl Spot {
    /// The place, for values of no list.
    pub fn at(&self, operation: Operation) -> At<'_> {
        let is_in_a_target = matches!(self.part, Part::Path | Part::Text | Part::Query);
        let (pointer, takes, names_a_task, is_time) = (&*self.pointer, self.takes, self.names_a_task, self.is_time);
        At { operation, pointer, takes, is_in_a_target, names_a_task, is_time }
    }

    /// What is said there within one of many other values: a number that agents serve, and otherwise any right one. Nothing for one of a few names.
    pub fn within_many(&self, operation: Operation, learned: &Learned, choices: &mut Choices<'_>) -> Option<Value> {
        const LARGEST: usize = 100;
        let Takes { text, number, object, list } = self.takes;
        if self.changes.iter().any(|change| change.class == "unknown-value") {
            return None;
        }
        match (number, text || object || list) {
            (true, false) => Some(json!(choices.below(LARGEST + 1))),
            (_, true) => Some(free::value(&self.at(operation), learned, choices).0),
            // True or false.
            _ => Some(json!(choices.below(2) == 1)),
        }
    }

    /// Whether a value can be written there so that the request is still one of its operation.
    pub fn can_hold(&self, value: &Value) -> bool {
        self.part.can_say(Some(value))
    }
}

/// The right requests of an interface: of each operation a plain one, and one with all that a client may add.
#[derive(Default)]
pub(super) struct Bases(BTreeMap<(Operation, bool), OnceLock<Base>>);

impl Bases {
    /// Room for those of every operation.
    pub fn new() -> Self {
        let both = |operation| [(operation, false), (operation, true)];
        Self(Operation::ALL.into_iter().flat_map(both).map(|key| (key, OnceLock::new())).collect())
    }

    /// One of them.
    pub fn of(&self, aim: &Aim, operation: Operation, is_rich: bool) -> Option<&Base> {
        Some(self.0.get(&(operation, is_rich))?.get_or_init(|| Base::make(aim, operation, is_rich)))
    }
}

impl Base {
    fn make(aim: &Aim, operation: Operation, is_rich: bool) -> Self {
        let params = base(aim, operation, is_rich);
        let kind = aim.type_of(operation);
        let profile = aim.session.profile();
        let spots = kind.into_iter().flat_map(|kind| places(kind, &params)).filter_map(|place| {
            let mut changes = place.changes();
            let (takes, names_a_task) = (place.takes(), names_a_task(operation, &place.pointer));
            if names_a_task {
                // Where clients choose ids, there is a task under each that a message names, for whoever asks for it later.
                if operation.sends_a_message() && profile.facts.task_ids == TaskIds::Client {
                    return None;
                }
                changes = unknown(operation, changes);
            }
            let part = part(aim, operation, &place);
            changes.retain(|change| part.can_say(change.value.as_ref()));
            let changes = shared(changes);
            let wrong = changes.iter().map(|_| OnceLock::new()).collect();
            let said = params.pointer(&place.pointer).and_then(Value::as_str);
            let is_time = said.is_some_and(|said| said.parse::<Timestamp>().is_ok());
            let pointer = place.pointer;
            (!changes.is_empty()).then_some(Spot { pointer, changes, wrong, part, takes, names_a_task, is_time })
        });
        let spots = spots.collect();
        Self { params, spots, text: OnceLock::new(), spellings: OnceLock::new() }
    }

    /// How it is written over an interface that has texts.
    pub fn text(&self, aim: &Aim, operation: Operation) -> Option<&WrittenRequest> {
        self.text.get_or_init(|| bytes::written(aim, operation, self.params.clone())).as_ref()
    }

    /// In how many other ways that can be spelled; its envelope is looked at in a plain request alone.
    pub fn spellings(&self, aim: &Aim, operation: Operation, is_rich: bool) -> &[Spelling] {
        let text = || self.text(aim, operation).map(|text| text.body.as_str()).unwrap_or_default();
        self.spellings.get_or_init(|| spellings(text(), aim.session.connection.interface.binding, is_rich))
    }

    /// The class of a change that makes the request wrong, all by itself, by the schema of the version and by a requirement.
    pub fn wrong_by<'c>(
        &self,
        aim: &Aim,
        classes: &Classes,
        operation: Operation,
        (spot, number): (&'c Spot, usize),
    ) -> Option<&'c str> {
        let change = spot.changes.get(number)?;
        let is_wrong = spot.wrong.get(number)?.get_or_init(|| {
            let class = classes.get(change.class).filter(|class| class.has_models());
            let rests = class.is_some_and(|class| aim.rests(class, operation, &spot.pointer));
            // What an id means, no schema knows.
            let is_of_a_schema = class.is_some_and(Class::is_about_parameters);
            let is_wrong = || self.is_wrong_with(aim, operation, &spot.pointer, change).unwrap_or(false);
            rests && (!is_of_a_schema || is_wrong())
        });
        is_wrong.then_some(change.class)
    }

    fn is_wrong_with(&self, aim: &Aim, operation: Operation, place: &str, change: &Change) -> Option<bool> {
        let dialect = &aim.session.connection.interface.dialect;
        let kind = aim.params(operation)?;
        let wrongs = |value: &Value| Some(dialect.violations(kind, &dialect.to_wire(kind, &aim.fill(value)?)).len());
        let mut alone = self.params.clone();
        // What asks for more than a client can know is not wrong by what was changed.
        Some(apply(&mut alone, place, change) && wrongs(&self.params)? == 0 && wrongs(&alone)? > 0)
    }
}

/// A list of changes that is kept once, however many places have it.
fn shared(changes: Vec<Change>) -> Arc<[Change]> {
    static KEPT: Mutex<Vec<Arc<[Change]>>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = kept.iter().find(|same| same[..] == changes[..]) {
        return Arc::clone(same);
    }
    let changes: Arc<[Change]> = changes.into();
    kept.push(Arc::clone(&changes));
    changes
}

/// A right request of an operation.
fn base(aim: &Aim, operation: Operation, is_rich: bool) -> Value {
    let interface = &aim.session.connection.interface;
    match is_rich {
        true => request::rich(&interface.profile, &interface.dialect, operation, &aim.word),
        false => request::least(&interface.profile, &interface.dialect, operation, &aim.word),
    }
}

/// Where a member of the parameters is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// In the path of a URL, where there is always a text.
    Path,
    /// In its query, where a text may be any text.
    Text,
    /// In its query, as the text of something else, such as a number.
    Query,
    /// In a body, which has types.
    Body,
    /// Nowhere.
    None,
}

impl Part {
    /// Whether a value, or that there is none, can be written there.
    fn can_say(self, value: Option<&Value>) -> bool {
        match (self, value) {
            // What has members has no place in a query.
            (Self::None, _) => false,
            // An empty segment is another path.
            (Self::Path, value) => value.and_then(Value::as_str).is_some_and(|text| !text.is_empty()),
            (Self::Text, value) => value.is_none_or(Value::is_string),
            (Self::Query | Self::Body, _) => true,
        }
    }
}

fn part(aim: &Aim, operation: Operation, place: &Place<'_>) -> Part {
    let routes = aim.session.profile().routes.get(&operation).map_or(&[][..], Vec::as_slice);
    let name = place.pointer.trim_start_matches('/');
    match aim.session.connection.interface.binding {
        // A tenant has a path of its own.
        Binding::HttpJson if name == "tenant" => Part::Path,
        Binding::HttpJson if routes.iter().all(|route| route.path.members().any(|member| member == name)) => Part::Path,
        Binding::HttpJson if routes.iter().any(Route::has_body) => Part::Body,
        Binding::HttpJson if place.has_members() || name.contains('/') => Part::None,
        Binding::HttpJson if place.is_any_text() => Part::Text,
        Binding::HttpJson => Part::Query,
        Binding::Jsonrpc | Binding::Grpc => Part::Body,
    }
}
