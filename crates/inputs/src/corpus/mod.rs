//! Inputs for parsers, ours and other people's: what a reader must accept, what it may refuse, and what it must read.
//!
//! Enters: a kind of input, a version where the kind has any, and [`Choices`]. Leaves: an [`Input`] with its class, its
//! verdict, the section of the standard it rests on, and the value that a right reader reads. Every input is made from bytes,
//! so a smaller one is made from fewer. [`folder`] writes them to files. Knows no parser.
//!
//! ```
//! use a2aspec_inputs::corpus::{Kind, Makers, Verdict};
//! use a2aspec_inputs::generate::{Choices, seeded};
//!
//! let makers = Makers::new(Kind::Json, None)?;
//! for class in makers.classes() {
//!     let input = makers.make(class, &mut Choices::new(&seeded(1, 7, 256))).expect("a JSON text");
//!     let read = serde_json::from_slice::<serde_json::Value>(&input.bytes);
//!     match input.verdict {
//!         Verdict::Accept => assert!(read.is_ok(), "{}", class.name),
//!         Verdict::Reject => assert!(read.is_err(), "{}", class.name),
//!         Verdict::Either => {}
//!     }
//! }
//! # Ok::<(), a2aspec_inputs::corpus::NoSuchKind>(())
//! ```

mod envelope;
pub mod folder;
mod grpc;
mod json;
mod kind;
mod object;
mod protojson;
mod request;
mod sse;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use kind::{Kind, NoSuchKind};

use crate::generate::Choices;
use crate::profile::Profile;
use crate::verdict::Level;
use object::Objects;
use protojson::Events;

/// What a reader should do with an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Read it, as the value beside it.
    Accept,
    /// Refuse it.
    Reject,
    /// One or the other: the standard leaves it open, or readers differ for good reasons.
    Either,
}

impl Verdict {
    /// The letter at the start of file names, in the manner of JSONTestSuite.
    pub fn letter(self) -> char {
        match self {
            Self::Accept => 'y',
            Self::Reject => 'n',
            Self::Either => 'i',
        }
    }
}

/// What inputs of one class have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// What a reader should do.
    pub verdict: Verdict,
    /// How much it matters that a reader does so: MUST where the standard demands it of readers, MAY where it only says that
    /// nobody should have sent this.
    pub level: Level,
    /// Where the standard says it.
    pub section: String,
    /// Why, in a few words.
    pub reason: String,
}

/// One input of a parser.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What the parser is given.
    pub bytes: Vec<u8>,
    /// What it should do with them.
    pub verdict: Verdict,
    /// The value that is read from them, where they may be accepted and the value is known.
    pub value: Option<Value>,
    /// JSON pointer to what the class is about, where there is one place.
    pub place: Option<String>,
}

impl Input {
    fn new(bytes: impl Into<Vec<u8>>, verdict: Verdict, value: Option<Value>) -> Self {
        Self { bytes: bytes.into(), verdict, value, place: None }
    }
}

/// A class of fixed words, as the kinds list them.
struct Fixed {
    name: &'static str,
    verdict: Verdict,
    level: Level,
    section: &'static str,
    reason: &'static str,
}

/// Makes the inputs of one kind.
#[derive(Debug)]
pub struct Makers {
    kind: Kind,
    profile: Option<String>,
    objects: Option<Objects>,
    events: Option<Events>,
    classes: Vec<Class>,
}

impl Makers {
    /// Those of a kind; of a version, where the kind has one.
    ///
    /// # Errors
    /// The version has no such objects, or none was named where the kind needs one.
    pub fn new(kind: Kind, profile: Option<&Arc<Profile>>) -> Result<Self, NoSuchKind> {
        let (objects, events) = match (kind.is_of_a_version(), profile) {
            (false, _) => (None, None),
            (true, Some(profile)) if kind == Kind::ProtoJson => (None, Some(Events::new(profile)?)),
            (true, Some(profile)) => (Some(Objects::new(kind, profile)?), None),
            (true, None) => return Err(NoSuchKind { kind, profile: None }),
        };
        let fixed = match kind {
            Kind::Json => json::CLASSES,
            Kind::Sse => sse::CLASSES,
            Kind::Envelope => envelope::CLASSES,
            Kind::Request => request::CLASSES,
            Kind::Grpc => grpc::CLASSES,
            Kind::ProtoJson => protojson::CLASSES,
            Kind::Card | Kind::Task | Kind::Message | Kind::Event => &[],
        };
        let fixed = fixed.iter().map(|class| Class {
            name: class.name,
            verdict: class.verdict,
            level: class.level,
            section: class.section.to_owned(),
            reason: class.reason.to_owned(),
        });
        let classes = objects.as_ref().map_or_else(|| fixed.collect(), Objects::classes);
        let profile = profile.filter(|_| kind.is_of_a_version()).map(|profile| profile.name().to_owned());
        Ok(Self { kind, profile, objects, events, classes })
    }

    /// What the inputs are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The version that they are of, where the kind has one.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// The classes, those that must be accepted and are plain first.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// An input of a class. `None` where these choices make none.
    pub fn make(&self, class: &Class, choices: &mut Choices<'_>) -> Option<Input> {
        let mut input = match (&self.objects, self.kind) {
            (Some(objects), _) => objects.make(class.name, choices)?,
            (None, Kind::Sse) => sse::make(class.name, choices)?,
            (None, Kind::Envelope) => envelope::make(class.name, choices)?,
            (None, Kind::Request) => request::make(class.name, choices)?,
            (None, Kind::Grpc) => grpc::make(class.name, choices)?,
            (None, Kind::ProtoJson) => self.events.as_ref()?.make(class.name, choices)?,
            (None, _) => json::make(class.name, choices)?,
        };
        input.verdict = class.verdict;
        Some(input)
    }

    /// An input of any class: the first two bytes choose it.
    pub fn any(&self, choices: &mut Choices<'_>) -> Option<(&Class, Input)> {
        let class = choices.pick(&self.classes)?;
        Some((class, self.make(class, choices)?))
    }
}
