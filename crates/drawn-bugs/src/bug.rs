//! A bug as data: where it is, when it shows, and what it does.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A bug that was drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bug {
    /// Its name, `SEED-INDEX` or `SEED-INDEX-ATTEMPT`: drawing it again gives the same bug.
    pub id: String,
    /// The operation whose calls show it.
    pub operation: String,
    /// The bindings that have it.
    pub binding: Bindings,
    /// What must hold, all at once. With more than one, the answer changes a little with each that holds, in this order.
    pub conditions: Vec<Condition>,
    /// The name of a member that answers get as soon as the first of several conditions hold, for each but the last.
    pub hints: Vec<String>,
    /// What the agent does then.
    pub effect: Effect,
    /// How seldom the conditions hold for random values of their types.
    pub rarity: Rarity,
}

/// The bindings that have a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bindings {
    /// Both.
    Both,
    /// JSON-RPC only.
    JsonRpc,
    /// HTTP+JSON only.
    HttpJson,
}

/// How seldom conditions hold for random values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rarity {
    /// They depend on what was before, and not on a value.
    State,
    /// At least one value in 8.
    Common,
    /// At least one in 256.
    Seldom,
    /// At least one in 4,096.
    Rare,
    /// Fewer: chance does not find it.
    Needle,
}

/// A relation at a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The place.
    pub place: Place,
    /// The relation.
    pub relation: Relation,
}

/// Where a condition looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A member of the request, by JSON pointer with `*` for any item.
    Member(String),
    /// A field of the request's head.
    Header(String),
    /// All fields of the head: their number, or their length.
    Head,
    /// The query as it is written.
    Query,
    /// The body as it is written.
    Body,
    /// The `id` of the JSON-RPC request.
    Envelope,
    /// Which page a page token leads to; the second is 2.
    Page,
    /// The call before this one, on the same task if the call names one.
    Order,
    /// How many calls of the operation there were, this one included.
    Calls(Scope),
    /// How many requests came over the connection, this one included.
    Connection,
    /// How many requests are in flight, this one included.
    InFlight,
    /// The request before this one on the connection was refused.
    BehindRefusal,
    /// The state of the task that the call names.
    State,
    /// How many messages are in the history of that task.
    Messages,
    /// How many webhooks that task has.
    Webhooks,
    /// The sizes of two members.
    Ratio(String, String),
}

/// What calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All.
    Agent,
    /// Those on one task.
    Task,
}

/// What must hold there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It is this value.
    Equals(Value),
    /// The number is at least this.
    AtLeast(i64),
    /// The number is at most this.
    AtMost(i64),
    /// The number, or the length of the text, leaves this rest.
    Remainder {
        /// What it is divided by.
        by: i64,
        /// The rest.
        rest: i64,
    },
    /// The text, or the JSON, is longer than so many bytes.
    LongerThan(usize),
    /// The text has this text in it.
    Contains(String),
    /// The text has a character of this range.
    Range(char, char),
    /// It differs in one character from an id or a token that the agent gave.
    OneOff,
    /// The time is before this one, in seconds since 1970.
    Before(i64),
    /// The time is after this one.
    After(i64),
    /// The time has so many digits of a fraction of a second.
    Digits(usize),
    /// The time is written with an offset.
    Offset,
    /// The list has at least so many items.
    Items(usize),
    /// The list has an item twice, or the query a name.
    Twice,
    /// The value is nested so deep.
    Deep(usize),
    /// An object in it has so many members.
    Wide(usize),
    /// There is such a value in it.
    Holds(Sort),
    /// It is there.
    Present,
    /// The first size is at least so many times the second.
    Times(u64),
}

/// A sort of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// null.
    Null,
    /// true or false.
    Flag,
    /// A text.
    Text,
    /// A number below 0.
    Negative,
    /// A number that is not whole.
    Fraction,
    /// A whole number beyond 32 bits.
    Large,
    /// An empty list or object.
    Empty,
}

/// What the agent does when the conditions hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It fails with an internal error of the protocol.
    InternalError,
    /// It fails with this HTTP status, and a body that is not JSON.
    Status(u16),
    /// It never answers; a stream stops behind its first event.
    Hang,
    /// It closes the connection: before the answer, or within it.
    Close {
        /// Within it.
        is_inside: bool,
    },
    /// A member is lost.
    Lose(String),
    /// A text is cut to so many characters.
    Cut(String, usize),
    /// A text, or a number, is replaced by what somebody took for the same.
    Normalise(String, How),
    /// Another id is given.
    OtherId(String, OtherId),
    /// Two items of a list are swapped.
    Swap(String),
    /// An item of a list is given twice.
    Repeat(String),
    /// What an earlier call of the same kind was answered is answered again.
    Stale,
    /// A foreign task, or webhook, is given.
    Leak,
    /// A page has its tasks in the wrong order.
    WrongOrder,
    /// A page has more items than were asked for (`true`), or lacks one.
    WrongPageSize(bool),
    /// A value of the request is written into this field of the head.
    Reflect(String, String),
    /// A refusal shows a stack trace.
    Trace(Language),
    /// An event of a stream comes twice.
    EventTwice,
    /// An event of a stream is lost.
    EventLost,
    /// Two events of a stream are swapped.
    EventsSwapped,
    /// An event of another task is in a stream.
    EventForeign,
    /// A webhook gets each delivery twice.
    DeliveryTwice,
    /// A webhook gets no delivery.
    DeliveryNone,
    /// A delivery goes to the webhook of another task.
    DeliveryForeign,
}

/// How values are normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// To lower case.
    Lower,
    /// Without white space at the ends.
    Trim,
    /// With one space for each run of white space.
    Squeeze,
    /// With `?` for what is not ASCII.
    Ascii,
    /// Without control characters.
    Controls,
    /// With entities of HTML.
    Html,
    /// Numbers in single precision.
    Single,
    /// Numbers without their fraction.
    Whole,
}

/// What another id is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherId {
    /// One with another last character.
    Near,
    /// That of another object.
    Known,
}

/// The language of a stack trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// Python.
    Python,
    /// Java.
    Java,
    /// JavaScript.
    JavaScript,
    /// Go.
    Go,
    /// Rust.
    Rust,
}

impl Bindings {
    /// Whether `binding`, which is one of the two, has the bug.
    #[must_use]
    pub fn has(self, is_jsonrpc: bool) -> bool {
        match self {
            Self::Both => true,
            Self::JsonRpc => is_jsonrpc,
            Self::HttpJson => !is_jsonrpc,
        }
    }

    /// A name for tables.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::JsonRpc => "jsonrpc",
            Self::HttpJson => "http-json",
        }
    }
}

impl Rarity {
    /// A name for tables.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Common => "common",
            Self::Seldom => "seldom",
            Self::Rare => "rare",
            Self::Needle => "needle",
        }
    }
}

impl Place {
    /// A name for tables.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Member(_) => "member",
            Self::Header(_) => "header",
            Self::Head => "head",
            Self::Query => "query",
            Self::Body => "body",
            Self::Envelope => "envelope",
            Self::Page => "page",
            Self::Order => "order",
            Self::Calls(_) => "calls",
            Self::Connection | Self::InFlight | Self::BehindRefusal => "connection",
            Self::State | Self::Messages | Self::Webhooks => "task",
            Self::Ratio(..) => "ratio",
        }
    }

    /// The word by which a reader would know the place.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Member(pointer) | Self::Ratio(pointer, _) => pointer.rsplit('/').find(|step| *step != "*"),
            Self::Header(name) => Some(name),
            _ => None,
        }
    }
}

impl Relation {
    /// A name for tables.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Equals(_) => "equals",
            Self::AtLeast(_) => "at-least",
            Self::AtMost(_) => "at-most",
            Self::Remainder { .. } => "remainder",
            Self::LongerThan(_) => "longer-than",
            Self::Contains(_) => "contains",
            Self::Range(..) => "range",
            Self::OneOff => "one-off",
            Self::Before(_) | Self::After(_) => "earlier-or-later",
            Self::Digits(_) | Self::Offset => "spelling-of-time",
            Self::Items(_) => "items",
            Self::Twice => "twice",
            Self::Deep(_) => "deep",
            Self::Wide(_) => "wide",
            Self::Holds(_) => "holds",
            Self::Present => "present",
            Self::Times(_) => "times",
        }
    }
}

impl Effect {
    /// Every class of effects.
    pub const CLASSES: [&str; 23] = [
        "internal-error",
        "http-5xx",
        "hang",
        "close",
        "lose",
        "cut",
        "normalise",
        "other-id",
        "swap",
        "repeat",
        "stale",
        "leak",
        "wrong-order",
        "wrong-page-size",
        "reflect",
        "trace",
        "event-twice",
        "event-lost",
        "events-swapped",
        "event-foreign",
        "delivery-twice",
        "delivery-none",
        "delivery-foreign",
    ];

    /// A name for tables.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::InternalError => "internal-error",
            Self::Status(_) => "http-5xx",
            Self::Hang => "hang",
            Self::Close { .. } => "close",
            Self::Lose(_) => "lose",
            Self::Cut(..) => "cut",
            Self::Normalise(..) => "normalise",
            Self::OtherId(..) => "other-id",
            Self::Swap(_) => "swap",
            Self::Repeat(_) => "repeat",
            Self::Stale => "stale",
            Self::Leak => "leak",
            Self::WrongOrder => "wrong-order",
            Self::WrongPageSize(_) => "wrong-page-size",
            Self::Reflect(..) => "reflect",
            Self::Trace(_) => "trace",
            Self::EventTwice => "event-twice",
            Self::EventLost => "event-lost",
            Self::EventsSwapped => "events-swapped",
            Self::EventForeign => "event-foreign",
            Self::DeliveryTwice => "delivery-twice",
            Self::DeliveryNone => "delivery-none",
            Self::DeliveryForeign => "delivery-foreign",
        }
    }

    /// Whether it is about what a webhook gets.
    #[must_use]
    pub const fn is_delivery(&self) -> bool {
        matches!(self, Self::DeliveryTwice | Self::DeliveryNone | Self::DeliveryForeign)
    }
}

impl Bug {
    /// The conditions in a line.
    #[must_use]
    pub fn when(&self) -> String {
        let line = |condition: &Condition| {
            // Neither type has anything that JSON cannot say.
            let place = serde_json::to_string(&condition.place).unwrap_or_default();
            let relation = serde_json::to_string(&condition.relation).unwrap_or_default();
            format!("{place} {}", shortened(&relation))
        };
        self.conditions.iter().map(line).collect::<Vec<_>>().join(" and ").replace('"', "")
    }

    /// The effect in a line.
    #[must_use]
    pub fn what(&self) -> String {
        serde_json::to_string(&self.effect).unwrap_or_default().replace('"', "")
    }

    /// All of it in a line.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {} ({}), {}, if {}", self.id, self.operation, self.binding.class(), self.what(), self.when())
    }

    /// Whether the same calls show it again: the nth call does not come twice, and who is in flight beside it is chance.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.conditions.iter().all(|condition| match condition.place {
            Place::Calls(_) => matches!(condition.relation, Relation::AtLeast(_)),
            Place::InFlight => false,
            _ => true,
        })
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
