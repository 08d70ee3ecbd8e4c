//! What the case language knows of oracles: their names, and what they are asked about. The judge declares them.

use serde_json::Value;

/// An oracle that cases may name.
#[derive(Debug, Clone, Copy)]
pub struct Oracle {
    /// Its name.
    pub name: &'static str,
    /// What it judges.
    pub over: Over,
    /// What it asserts.
    pub asserts: Asserts,
    /// Reads its arguments, and says what they name.
    pub read: fn(&Value) -> Result<Vec<Named>, WrongArguments>,
}

/// What an oracle asserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asserts {
    /// One thing, by its own name.
    One,
    /// These things, each by a name below its own: `stream-ids:/task/id`.
    Each(&'static [&'static str]),
    /// One thing for each place of what it reads, which nobody knows before: `card-valid:/skills/0/id`.
    Places,
}

/// What an oracle judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// One case: it stands under `holds`.
    Case,
    /// Everything that the run has seen: it stands under `observe`.
    Run,
}

/// Something that arguments name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What it is the name of.
    pub what: What,
}

/// What a name in the arguments of an oracle is the name of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A step.
    Step,
    /// A step that reads a stream.
    Stream,
    /// A step that walks.
    Walk,
    /// A step that waits for deliveries.
    Deliveries,
    /// A fixture of one task, or a step that brings one.
    Task,
    /// A fixture, or a step that brings a page of tasks or walks.
    Tasks,
    /// A canonical type.
    TypeName,
    /// A type in the schemas of a version.
    Schema,
    /// A member of the result of the step of this name.
    ResultOf(String),
    /// A pointer into a task.
    PlaceInTask,
}

/// What is wrong with the arguments of an oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongArguments {
    /// Where, as a pointer into the arguments.
    pub at: String,
    /// Whether the name of the member there is wrong, and not its value.
    pub is_name: bool,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}
