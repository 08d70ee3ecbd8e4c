//! What the agent does with a message: scripts in the place of intelligence, each chosen by a word.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::engine::Engine;
use super::error::Error;
use super::kit::Course;
use crate::config::{Config, Preset};
use crate::fault::Switch;
use crate::model::{Artifact, Content, Message, Part, TaskState};
use crate::variation::Habit;

/// What the agent says when a client ends a task.
pub const ENDED_BY_CLIENT: &str = "Canceled, as you asked.";

/// The pause between the chunks of `slow`.
const SLOW_PAUSE: Duration = Duration::from_millis(50);

/// The pause between the chunks of `chunks`.
const CHUNK_PAUSE: Duration = Duration::from_millis(5);

/// The behaviours that a client can ask for by the first word of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// Completes with one text artifact; the answer to any other word, too.
    Complete,
    /// Answers with a message instead of a task.
    Message,
    /// Works for [`crate::Config::slow`] before it completes.
    Slow,
    /// Completes with an artifact in chunks, and a whole one.
    Chunks,
    /// Asks a question, and completes after the answer.
    InputRequired,
    /// Asks for authorization, and completes after the next message.
    AuthRequired,
    /// Fails.
    Fail,
    /// Is refused.
    Reject,
    /// Completes with files, as bytes and by URL.
    File,
    /// Completes with structured data.
    Data,
}

impl Trigger {
    /// All triggers, in the order in which the card lists them.
    pub const ALL: [Self; 10] = [
        Self::Complete,
        Self::Message,
        Self::Slow,
        Self::Chunks,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Fail,
        Self::Reject,
        Self::File,
        Self::Data,
    ];

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Message => "message",
            Self::Slow => "slow",
            Self::Chunks => "chunks",
            Self::InputRequired => "input-required",
            Self::AuthRequired => "auth-required",
            Self::Fail => "fail",
            Self::Reject => "reject",
            Self::File => "file",
            Self::Data => "data",
        }
    }

    /// What an agent does with each first message, whatever that says, if it has such a habit.
    pub fn always(config: &Config) -> Option<Self> {
        let habits = [
            (Habit::AlwaysMessage, Self::Message),
            (Habit::AlwaysRejects, Self::Reject),
            (Habit::AlwaysFails, Self::Fail),
            (Habit::AlwaysAsks, Self::InputRequired),
            (Habit::AlwaysAsksAuthorization, Self::AuthRequired),
            (Habit::AlwaysFiles, Self::File),
            (Habit::AlwaysData, Self::Data),
            (Habit::AlwaysChunks, Self::Chunks),
        ];
        habits.into_iter().find(|(habit, _)| config.has_habit(*habit)).map(|(_, trigger)| trigger)
    }

    /// The behaviour that `text` asks for.
    pub fn of(text: &str) -> Self {
        let word = text.split_whitespace().next().unwrap_or_default();
        Self::ALL.into_iter().find(|trigger| trigger.word() == word).unwrap_or(Self::Complete)
    }

    /// The behaviour that a text asks for in the contract of ACTS (11.2).
    fn of_acts(text: &str) -> Option<Self> {
        let prefix = text.split_whitespace().next()?;
        Some(match prefix {
            "tck-complete-task" | "tck-artifact-text" | "tck-stream-basic" => Self::Complete,
            "tck-message-response" => Self::Message,
            "tck-long-running" | "tck-cancel" => Self::Slow,
            "tck-stream-chunked" => Self::Chunks,
            "tck-input-required" | "tck-multi-turn" => Self::InputRequired,
            "tck-task-failure" => Self::Fail,
            "tck-reject-task" => Self::Reject,
            "tck-artifact-file" | "tck-artifact-file-url" => Self::File,
            "tck-artifact-data" => Self::Data,
            _ => return None,
        })
    }
}

/// A course of events.
#[derive(Debug, Clone, Copy)]
pub enum Script {
    /// What a first message asks for.
    First(Trigger),
    /// What a message of the official kit asks for, be it the first one or not.
    Kit(&'static Course),
    /// What follows the answer to a question. The task is at work already.
    Resumed,
}

impl Script {
    /// What a first message asks for, of an agent that knows the `preset` beside its own words, unless it does one thing
    /// `always`.
    pub fn first(preset: Option<Preset>, always: Option<Trigger>, message: &Message) -> Self {
        let own = || Self::First(always.unwrap_or_else(|| Trigger::of(message.first_text())));
        Self::preset(preset, message).unwrap_or_else(own)
    }

    /// What a further message asks for.
    pub fn further(preset: Option<Preset>, message: &Message) -> Self {
        Self::preset(preset, message).unwrap_or(Self::Resumed)
    }

    fn preset(preset: Option<Preset>, message: &Message) -> Option<Self> {
        match preset? {
            Preset::A2aTck => Course::of(&message.message_id).map(Self::Kit),
            Preset::Acts => Trigger::of_acts(message.first_text()).map(Self::First),
        }
    }

    /// The text of the message that is the whole answer, where there is to be no task.
    pub fn reply(self, input: &str) -> Option<String> {
        match self {
            Self::First(Trigger::Message) => Some(format!("You said: {input}")),
            Self::Kit(course) => course.reply().map(str::to_owned),
            Self::First(_) | Self::Resumed => None,
        }
    }

    /// Whether it takes longer than a client should be kept waiting for.
    pub fn is_long(self) -> bool {
        match self {
            Self::First(trigger) => trigger == Trigger::Slow,
            Self::Kit(course) => course.is_long(),
            Self::Resumed => false,
        }
    }

    /// Plays the script to its end.
    ///
    /// # Errors
    /// [`Ended`] as soon as the task is ended by somebody else.
    pub async fn play(self, work: &Work, input: &str) -> Result<(), Ended> {
        let trigger = match self {
            Self::Resumed => return echo(work, input).await,
            Self::Kit(course) => return course.play(work).await,
            Self::First(Trigger::Reject) => {
                return work.enter(TaskState::Rejected, Some("I would rather not do that."));
            }
            Self::First(trigger) => trigger,
        };
        work.enter(TaskState::Working, None)?;
        if work.engine.config.has_habit(Habit::MoreUpdates) {
            work.enter(TaskState::Working, Some("I have begun."))?;
            work.enter(TaskState::Working, Some("I am still at it."))?;
        }
        match trigger {
            // `reject` has made no work. `message` has made a task where there are no answers without.
            Trigger::Complete | Trigger::Message | Trigger::Reject => echo(work, input).await,
            Trigger::Slow => slow(work).await,
            Trigger::Chunks => chunks(work).await,
            Trigger::InputRequired => work.enter(TaskState::InputRequired, Some("Which colour would you like?")),
            Trigger::AuthRequired => work.enter(
                TaskState::AuthRequired,
                Some("Please grant this agent access to your calendar, then send any message."),
            ),
            Trigger::Fail => work.enter(TaskState::Failed, Some("Something went wrong, as you asked.")),
            Trigger::File => file(work),
            Trigger::Data => data(work),
        }
    }
}

/// Gives the input back as an artifact.
async fn echo(work: &Work, input: &str) -> Result<(), Ended> {
    let has = |habit| work.engine.config.has_habit(habit);
    if has(Habit::InterleavedArtifacts) {
        let (mut left, mut right) = (work.begin("left"), work.begin("right"));
        for (index, line) in ["one ", "two ", "three"].into_iter().enumerate() {
            left.chunk(line, index == 2)?;
            right.chunk(line, index == 2)?;
        }
    }
    match has(Habit::ChunkedArtifacts) {
        true => in_chunks(work, input)?,
        false => work.whole("echo", vec![Part::text(input)])?,
    }
    if has(Habit::MoreArtifacts) {
        work.whole("remark", vec![Part::text("That is what you wrote.")])?;
    }
    let last_words = has(Habit::LastWords).then_some("That is all.");
    work.enter(TaskState::Completed, last_words)?;
    if work.engine.config.breaks(Switch::OverwritesEndedTasks) {
        sleep(work.engine.config.slow / 2).await;
        work.overwrite();
    }
    Ok(())
}

/// Gives the input back in chunks.
fn in_chunks(work: &Work, input: &str) -> Result<(), Ended> {
    let middle = input.char_indices().nth(input.chars().count() / 2).map_or(0, |(at, _)| at);
    let (head, tail) = input.split_at(middle);
    let mut echo = work.begin("echo");
    echo.chunk(head, false)?;
    echo.chunk(tail, true)
}

/// Writes on one artifact for a while.
async fn slow(work: &Work) -> Result<(), Ended> {
    let end = Instant::now() + work.engine.config.slow;
    let mut progress = work.begin("progress");
    let mut count = 0_u32;
    while Instant::now() + SLOW_PAUSE < end {
        sleep(SLOW_PAUSE).await;
        count += 1;
        progress.chunk(&format!("step {count}\n"), false)?;
    }
    sleep_until(end).await;
    progress.chunk("done\n", true)?;
    work.enter(TaskState::Completed, None)
}

/// Gives one artifact piece by piece and another as a whole.
async fn chunks(work: &Work) -> Result<(), Ended> {
    let lines = ["Roses are red,\n", "violets are blue,\n", "chunks come in order,\n", "and so do\n", "you.\n"];
    let mut poem = work.begin("poem");
    for (index, line) in lines.into_iter().enumerate() {
        poem.chunk(line, index + 1 == lines.len())?;
        sleep(CHUNK_PAUSE).await;
    }
    work.whole("summary", vec![Part::text("A poem in five lines.")])?;
    sleep(CHUNK_PAUSE).await;
    work.enter(TaskState::Completed, None)
}

/// Gives a file as bytes, and one that lies elsewhere.
fn file(work: &Work) -> Result<(), Ended> {
    let by_value = Part {
        filename: Some("greeting.txt".to_owned()),
        media_type: Some("text/plain".to_owned()),
        ..Part::new(Content::Raw(b"Hello from the reference agent.\n".to_vec()))
    };
    let by_reference = Part {
        filename: Some("picture.png".to_owned()),
        media_type: Some("image/png".to_owned()),
        ..Part::new(Content::Url("https://example.com/picture.png".to_owned()))
    };
    work.whole("files", vec![by_value, by_reference])?;
    work.enter(TaskState::Completed, None)
}

/// Gives a JSON object with a value of every kind.
fn data(work: &Work) -> Result<(), Ended> {
    let data = serde_json::json!({
        "object": { "nested": { "text": "deep" } },
        "array": [1, "two", [3.5], {}],
        "number": 1.25,
        "integer": 42,
        "negative": -7,
        "text": "naïve 🙂",
        "true": true,
        "false": false,
        "null": null,
    });
    let part = Part { media_type: Some("application/json".to_owned()), ..Part::new(Content::Data(data)) };
    work.whole("data", vec![part])?;
    work.enter(TaskState::Completed, None)
}

/// The task of a script was ended by somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

impl From<Error> for Ended {
    fn from(_: Error) -> Self {
        Self
    }
}

/// A script's hold on its task.
#[derive(Debug)]
pub struct Work {
    engine: Arc<Engine>,
    task_id: String,
    turn: u32,
}

impl Work {
    /// A hold on the task `task_id` for one turn of work.
    pub fn new(engine: Arc<Engine>, task_id: String, turn: u32) -> Self {
        Self { engine, task_id, turn }
    }

    /// How long slow work takes.
    pub(super) fn slow(&self) -> Duration {
        self.engine.config.slow
    }

    pub(super) fn enter(&self, state: TaskState, text: Option<&str>) -> Result<(), Ended> {
        self.step(|store| store.enter(&self.task_id, state, text))
    }

    /// Adds an artifact in one piece.
    pub(super) fn whole(&self, name: &str, parts: Vec<Part>) -> Result<(), Ended> {
        self.step(|store| {
            let artifact = Artifact::new(store.ids.artifact(), name, parts);
            store.add_artifact(&self.task_id, artifact, false, true)
        })
    }

    /// Adds an artifact to a task that has ended. Only a fault asks for it.
    fn overwrite(&self) {
        let mut store = self.engine.store();
        let artifact = Artifact::new(store.ids.artifact(), "afterthought", vec![Part::text("One thing more.")]);
        // A task that is gone has nothing to be overwritten.
        let _gone = store.add_artifact(&self.task_id, artifact, false, true);
    }

    /// Begins an artifact that is given in chunks.
    pub(super) fn begin<'a>(&'a self, name: &'a str) -> Chunks<'a> {
        Chunks { work: self, artifact_id: self.engine.store().ids.artifact(), name, is_first: true }
    }

    /// Does something to the task unless it has ended, be it that it has begun anew since: what is terminal stays as it
    /// is, and what follows is not this script's.
    fn step(&self, act: impl FnOnce(&mut super::store::Store) -> Result<(), Error>) -> Result<(), Ended> {
        let mut store = self.engine.store();
        let entry = store.entry(&self.task_id)?;
        if !entry.is_at(self.turn) {
            return Err(Ended);
        }
        if entry.task.status.state.is_terminal() && !self.engine.config.breaks(Switch::WorksOnEndedTasks) {
            return Err(Ended);
        }
        Ok(act(&mut store)?)
    }
}

/// An artifact that grows.
pub(super) struct Chunks<'a> {
    work: &'a Work,
    artifact_id: String,
    name: &'a str,
    is_first: bool,
}

impl Chunks<'_> {
    pub(super) fn chunk(&mut self, text: &str, is_last: bool) -> Result<(), Ended> {
        let append = !std::mem::replace(&mut self.is_first, false);
        let parts = vec![Part::text(text)];
        let artifact = Artifact::new(self.artifact_id.clone(), self.name, parts.clone());
        let is_multiplied = self.work.engine.config.breaks(Switch::StoresForEachStream);
        self.work.step(|store| {
            store.add_artifact(&self.work.task_id, artifact, append, is_last)?;
            if is_multiplied && append {
                store.entry_mut(&self.work.task_id)?.store_for_each_reader(&parts);
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_chooses() {
        for trigger in Trigger::ALL {
            assert_eq!(Trigger::of(trigger.word()), trigger);
            assert_eq!(Trigger::of(&format!("  {} and more", trigger.word())), trigger);
        }
        for other in ["", "Slow", "slowly", "please fail"] {
            assert_eq!(Trigger::of(other), Trigger::Complete);
        }
    }
}
