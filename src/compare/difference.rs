//! What a comparison leads to: differences, and what they were found among.

use serde::Serialize;

use super::kind::Kind;
use crate::report::failure::ErrorInfo;
use crate::report::model::{ExchangeInfo, Tool};
use crate::secrets::Secrets;

/// The version of the JSON form of a comparison.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// That form, as a JSON Schema.
pub(crate) const SCHEMA: &str = include_str!("../../schemas/comparison.schema.json");

/// One of the two ways to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The first URL.
    Direct,
    /// The second URL.
    Gateway,
}

impl Side {
    /// Both.
    pub(crate) const BOTH: [Self; 2] = [Self::Direct, Self::Gateway];

    /// Its name, as an adverb.
    pub(crate) fn way(self) -> &'static str {
        match self {
            Self::Direct => "directly",
            Self::Gateway => "through the gateway",
        }
    }
}

/// A whole comparison.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The version of this form.
    pub schema_version: u32,
    /// What made it.
    pub tool: Tool,
    /// The first URL.
    pub direct: String,
    /// The second URL.
    pub gateway: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How many messages the agent was sent, both ways together.
    pub messages_sent: u64,
    /// The exit code of the program.
    pub exit_code: u8,
    /// Why the two could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// What differs as it should.
    pub notes: Vec<String>,
    /// What differs, the most important first.
    pub differences: Vec<Difference>,
    /// How the cases came out.
    pub cases: Counts,
    /// The cases that differed in one run alone.
    pub unsteady: Vec<String>,
}

/// One difference.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Difference {
    /// What differs, by name.
    pub kind: Kind,
    /// What differs, in one line.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// The interfaces that show it, each as version and binding.
    pub interfaces: Vec<String>,
    /// How it is directly.
    pub direct: String,
    /// How it is through the gateway.
    pub gateway: String,
    /// The cases that come out differently because of it.
    pub cases: Vec<String>,
    /// The exchanges that show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The cases that showed it, by id, version and binding.
    #[serde(skip)]
    pub shown_by: Vec<Trial>,
    /// Whether the plainest request shows it, so that whatever else differs over its interfaces may follow from it.
    #[serde(skip)]
    pub is_plain: bool,
}

/// A case over an interface.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Trial {
    /// The case.
    pub case: String,
    /// Version and binding, such as `1.0 jsonrpc`.
    pub over: String,
}

/// One exchange of each side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Evidence {
    /// The exchange of the direct way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct: Option<ExchangeInfo>,
    /// The exchange through the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway: Option<ExchangeInfo>,
}

/// How the cases of a comparison came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    /// Those that were compared.
    pub compared: usize,
    /// Those that fail on both sides in the same way.
    pub failing_alike: usize,
    /// Those that could be tested on neither side.
    pub untested: usize,
    /// Cases that differed in one run alone.
    pub unsteady: usize,
}

impl Difference {
    /// One of a kind.
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: kind.help().to_owned(),
            interfaces: Vec::new(),
            direct: String::new(),
            gateway: String::new(),
            cases: Vec::new(),
            evidence: None,
            shown_by: Vec::new(),
            is_plain: false,
        }
    }

    /// The same with how it is on each side.
    pub(super) fn between(self, direct: impl Into<String>, gateway: impl Into<String>) -> Self {
        Self { direct: direct.into(), gateway: gateway.into(), ..self }
    }

    /// The same over these interfaces.
    pub(super) fn over(self, interfaces: impl IntoIterator<Item = String>) -> Self {
        let mut interfaces: Vec<String> = interfaces.into_iter().collect();
        interfaces.sort();
        interfaces.dedup();
        Self { interfaces, ..self }
    }

    /// The same with the exchanges that show it.
    pub(super) fn shown(self, direct: Option<ExchangeInfo>, gateway: Option<ExchangeInfo>) -> Self {
        Self { evidence: Some(Evidence { direct, gateway }), ..self }
    }

    /// Whether two runs have shown the same difference.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.message == other.message
    }
}

impl Trial {
    /// Its name for people.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.case, self.over)
    }
}

impl Comparison {
    /// Masks what must not be shown.
    pub(crate) fn mask(&mut self, secrets: &Secrets) {
        let of_differences =
            self.differences.iter_mut().flat_map(|it| [&mut it.message, &mut it.direct, &mut it.gateway, &mut it.help]);
        let texts = of_differences.chain(&mut self.notes).chain([&mut self.direct, &mut self.gateway]);
        texts.for_each(|text| secrets.mask_in_place(text));
    }
}
