//! What a run tells while it runs: the contract between doing and telling.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::interface::TargetInfo;
use crate::profile::Miss;
use crate::secrets::Secrets;
use crate::transcript::Exchange;
use crate::typed_text::typed_texts;
use crate::verdict::{SideCondition, TrialResult};

/// What of an agent bears on the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// It serves one request at a time: the run goes on one case after the other.
    OneByOne,
    /// It reads requests with string ids alone: the run goes on with such ids.
    OnlyStringIds,
    /// It takes no message that names no context: the run goes on with messages that name one.
    OnlyWithContext,
    /// It answers every message with a message, and makes no tasks.
    MakesNoTasks,
    /// It gives every request the same kind of answer.
    AnswersAlike,
    /// It serves messages, and denies every other operation.
    MessagesAlone,
    /// It left requests unanswered beside others, and answered by itself again: what saw no answer ran again, one case after the other.
    Overwhelmed {
        /// How many requests had been under way, at most.
        requests: usize,
    },
    /// It stops answering after so many streams are left, as was shown with nothing else under way.
    HangsAfterStreams {
        /// How many.
        streams: usize,
    },
}

impl Condition {
    /// Whether it shows only in the middle of a run.
    pub fn is_late(self) -> bool {
        matches!(self, Self::Overwhelmed { .. } | Self::HangsAfterStreams { .. })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overwhelmed { requests } => {
                return write!(
                    f,
                    "it left requests unanswered while up to {requests} were under way, and answered again with nothing else under way: \
                     cases that saw no answer ran again, one at a time"
                );
            }
            Self::HangsAfterStreams { streams } => {
                return write!(
                    f,
                    "it stops answering after clients left streams before their end (number of streams: {streams}), as \
                     `robustness/answered` reports"
                );
            }
            Self::OneByOne => {
                "it serves nothing else while a stream is open: the cases ran one after the other, as with --jobs 1"
            }
            Self::OnlyStringIds => "it reads no requests whose id is a number: the suite gives it strings",
            Self::OnlyWithContext => "it takes no message without the id of a context: the suite makes one for each",
            Self::MakesNoTasks => {
                "it makes no tasks"
            }
            Self::MessagesAlone => {
                "it serves messages alone"
            }
            Self::AnswersAlike => {
                "it gives every request the same kind of answer, so that nothing but its card can be checked"
            }
        })
    }
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// It is known how the agent speaks over each of its interfaces; nothing has been judged yet.
    Met(TargetInfo),
    /// A trial begins.
    Started {
        /// Its case.
        case: String,
    },
    /// A trial is over. Every trial of the plan ends exactly once, in no order.
    Finished {
        /// How it came out.
        result: Box<TrialResult>,
        /// The exchanges that its findings cite: nobody else keeps them.
        cited: Vec<Arc<Exchange>>,
    },
    /// A trial that failed was run again, at the end and alone.
    Again {
        /// How it came out then.
        result: Box<TrialResult>,
    },
    /// A trial that was not right was run again without the side condition of the run, at the end and alone.
    Without {
        /// What was left out.
        condition: SideCondition,
        /// How it came out then.
        result: Box<TrialResult>,
    },
    /// The traffic beside the cases is over.
    Traffic(Traffic),
    /// An exchange is over.
    Exchanged(Arc<Exchange>),
    /// An interface stopped answering, or never did: its cases cannot be reached any more.
    Lost {
        /// Which: its place in the list of all.
        interface: usize,
        /// What became of it.
        reason: String,
    },
    /// A finished task that cases share has changed, though they only read it.
    Changed {
        /// Over which interface.
        interface: usize,
        /// In what.
        what: String,
    },
    /// Values of an interface do not have the form of their type, and were read as what they were meant to be.
    Inferred {
        /// Over which interface.
        interface: usize,
        /// The canonical name of the type.
        kind: String,
        /// How they miss the form.
        miss: Miss,
        /// In how many answers.
        answers: usize,
    },
    /// Something of the agent bears on the whole run, as was seen over this interface.
    Condition {
        /// Over which interface it was seen.
        interface: usize,
        /// What it is.
        what: Condition,
    },
    /// What is known of the triggers: once, at the end.
    Words(Vec<OtherWords>),
    /// The run is over.
    Done {
        /// How many messages the agent was sent.
        messages_sent: u64,
        /// Why it ended before its plan did, if it did.
        stopped: Option<Stopped>,
    },
}

/// What was sent beside the cases of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// How many requests a second there were to be.
    pub per_second: u32,
    /// How many there were.
    pub sent: u64,
    /// How many of them were not answered by a result.
    pub without_result: u64,
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { per_second, sent, without_result } = self;
        write!(
            f,
            "beside the cases the agent was sent {per_second} requests a second: {sent} in all, {without_result} without a result"
        )
    }
}

/// A trigger of which a run knows whether its own words do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherWords {
    /// The trigger.
    pub trigger: String,
    /// Whether its own words do.
    pub does: bool,
    /// What does in their place, if anything that was tried.
    pub text: Option<String>,
    /// What the message's id begins with, where that is part of it.
    pub message_id_prefix: Option<String>,
    /// Whether it is an example in the card.
    pub is_example: bool,
}

impl Event {
    /// The same without secrets.
    pub fn masked(mut self, secrets: &Secrets) -> Self {
        let mask = |text: &mut String| secrets.mask_in_place(text);
        match &mut self {
            Self::Finished { result, cited } => {
                result.texts_mut().for_each(mask);
                *cited = std::mem::take(cited).into_iter().map(|exchange| exchange.masked(secrets)).collect();
            }
            Self::Again { result } | Self::Without { result, .. } => result.texts_mut().for_each(mask),
            Self::Exchanged(exchange) => *exchange = Arc::clone(exchange).masked(secrets),
            Self::Lost { reason: text, .. } | Self::Changed { what: text, .. } => mask(text),
            Self::Words(words) => words.iter_mut().filter_map(|words| words.text.as_mut()).for_each(mask),
            Self::Done { stopped, .. } => stopped.iter_mut().flat_map(Stopped::texts_mut).for_each(mask),
            // What the user and the program have named, and what a report masks as a whole.
            Self::Met(_) | Self::Started { .. } | Self::Inferred { .. } | Self::Condition { .. } | Self::Traffic(_) => {
            }
        }
        self
    }
}

/// The way by which a run tells what happens. Secrets end here: whoever hears of a run never holds one.
#[derive(Debug, Clone)]
pub struct EventSink {
    events: mpsc::UnboundedSender<Event>,
    began: Instant,
    secrets: Secrets,
}

impl EventSink {
    /// A sink for a run that began then, and of which nobody may see these.
    pub fn new(events: mpsc::UnboundedSender<Event>, began: Instant, secrets: Secrets) -> Self {
        Self { events, began, secrets }
    }

    /// When the run began.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// Tells. Nobody listens any more when the program is about to end: that is no error of the run.
    pub fn send(&self, event: Event) {
        let _ = self.events.send(event.masked(&self.secrets));
    }
}

typed_texts! {
    /// What ends a run before its plan does. The names are stable.
    pub enum Stopped {
        plain {
            // The user.
            Interrupted "the run was interrupted"
        }
        with {
            // No interface answers any more; what became of the first.
            Gone { how; } "{how}"
            // What the user has said beforehand.
            TimeOver { ; limit } "the run was given {limit} s (--deadline), and they were over"
            FirstFailure { ; case } "`{case}` failed, and the run ends at the first failure (--fail-fast)"
            // Whoever asks is no longer known.
            TokenOver { why; identity } "the token of the identity `{identity}` has ended, and there is no other: {why}"
        }
    }
}

impl Serialize for Stopped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let details = self.details();
        let mut object = serializer.serialize_struct("Stopped", 3)?;
        object.serialize_field("stopped_kind", &self.name())?;
        object.serialize_field("stopped", &self.to_string())?;
        match details.is_empty() {
            true => object.skip_field("stopped_details")?,
            false => object.serialize_field("stopped_details", &details)?,
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for Stopped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Form {
            stopped_kind: String,
            #[serde(default)]
            stopped_details: BTreeMap<String, String>,
        }
        let Form { stopped_kind: name, stopped_details: details } = Form::deserialize(deserializer)?;
        Self::read(&name, &details).ok_or_else(|| D::Error::custom(format!("`{name}` with other details than its own")))
    }
}
