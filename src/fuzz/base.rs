//! Right requests with all that can be changed in them, found once for each interface.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use super::aim::Aim;
use super::change::{Change, places};
use super::changed::apply;
use super::class::Classes;
use super::request;
use crate::profile::{Binding, Operation, Route};

/// A right request.
pub(super) struct Base {
    /// Its canonical parameters, with references.
    pub params: Value,
    /// The places that can be changed over the interface.
    pub spots: Vec<Spot>,
}

/// A place of a right request.
pub(super) struct Spot {
    /// Where: a JSON pointer into the canonical parameters.
    pub pointer: String,
    /// What can be done there, the simplest first.
    pub changes: Arc<[Change]>,
    /// Which of it makes the request wrong all by itself, as far as that was asked.
    wrong: Vec<OnceLock<bool>>,
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
        // What a path or a query says are texts: only a body has types.
        let is_typed = aim.session.connection.interface.binding != Binding::HttpJson || has_body(aim, operation);
        let kind = aim.type_of(operation).filter(|_| is_typed);
        let spots = kind.into_iter().flat_map(|kind| places(kind, &params)).map(|place| {
            let changes = shared(place.changes());
            let wrong = changes.iter().map(|_| OnceLock::new()).collect();
            Spot { pointer: place.pointer, changes, wrong }
        });
        let spots = spots.collect();
        Self { params, spots }
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
            rests && self.is_wrong_with(aim, operation, &spot.pointer, change).unwrap_or(false)
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

fn has_body(aim: &Aim, operation: Operation) -> bool {
    let routes = aim.session.profile().routes.get(&operation);
    routes.is_some_and(|routes| routes.iter().any(Route::has_body))
}
