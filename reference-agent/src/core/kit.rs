//! What the messages of the official kit (a2aproject/a2a-tck) ask for, by the beginning of their ids.
//!
//! The kit sends the same texts for everything, so the ids decide. What it expects to see then, down to the contents, is in
//! one table; the kit names these things in its scenarios and in its agents.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::behaviour::{Ended, Work};
use crate::model::{Content, Part, TaskState};

/// Something that is done about a message of the kit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// The task goes to a state.
    Enter(TaskState),
    /// The task goes to a state, with these words.
    Say(TaskState, &'static str),
    /// Nothing happens for so many times of what the kit gives a stream.
    Wait(u32),
    /// An artifact in one piece.
    Whole(Piece),
    /// An artifact of texts that come one after the other.
    Chunks(&'static [&'static str]),
}

/// The one part of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Text(&'static str),
    File,
    FileUrl,
    Data,
}

/// What a message of the kit asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Course {
    /// What the id of the message begins with.
    prefix: &'static str,
    acts: &'static [Act],
}

/// How many times of what the kit gives a stream a slow task takes, such as [`crate::Config::slow`]: 2 s are one.
const TIMES_OF_SLOW: u32 = 2;

/// The id of the message that is answered by another one where it begins a task.
const ANSWERED: &str = "tck-message-response";

const COURSES: &[Course] = {
    use Act::{Chunks, Enter, Say, Wait, Whole};
    use Piece::{Data, File, FileUrl, Text};
    use TaskState::{AuthRequired, Completed, InputRequired, Rejected, Working};
    &[
        of("tck-complete-task", &[Say(Completed, "Hello from TCK")]),
        of("tck-delayed-complete", &[Enter(Working), Wait(1), Say(Completed, "Done after delay")]),
        of("tck-artifact-text", &[Whole(Text("Generated text content")), Enter(Completed)]),
        of("tck-artifact-file", &[Whole(File), Enter(Completed)]),
        of("tck-artifact-file-url", &[Whole(FileUrl), Enter(Completed)]),
        of("tck-artifact-data", &[Whole(Data), Enter(Completed)]),
        of(ANSWERED, &[Say(Completed, "Direct message response")]),
        of("tck-input-required", &[Say(InputRequired, "Please say more.")]),
        of("tck-auth-required", &[Say(AuthRequired, "Please grant access, then send any message.")]),
        of("tck-reject-task", &[Say(Rejected, "rejected")]),
        of("tck-stream-001", &[Enter(Working), Whole(Text("Stream hello from TCK")), Enter(Completed)]),
        of("tck-stream-002", &[Enter(Completed)]),
        of("tck-stream-003", &[Enter(Working), Whole(Text("Stream task lifecycle")), Enter(Completed)]),
        of("tck-stream-ordering-001", &[Enter(Working), Whole(Text("Ordered output")), Enter(Completed)]),
        of("tck-stream-artifact-text", &[Enter(Working), Whole(Text("Streamed text content")), Enter(Completed)]),
        of("tck-stream-artifact-file", &[Enter(Working), Whole(File), Enter(Completed)]),
        of("tck-stream-artifact-chunked", &[Enter(Working), Chunks(&["chunk-1 ", "chunk-2"]), Enter(Completed)]),
        of("test-resubscribe-message-id", &[Enter(Working), Wait(2), Enter(Completed)]),
    ]
};

const fn of(prefix: &'static str, acts: &'static [Act]) -> Course {
    Course { prefix, acts }
}

impl Course {
    /// What a message with this id asks for. One prefix can begin with another: the longest decides.
    pub fn of(message_id: &str) -> Option<&'static Self> {
        let meant = COURSES.iter().filter(|course| message_id.starts_with(course.prefix));
        meant.max_by_key(|course| course.prefix.len())
    }

    /// The text of the message that is the whole answer, where there is to be no task.
    pub fn reply(&self) -> Option<&'static str> {
        match self.acts {
            [Act::Say(_, text)] if self.prefix == ANSWERED => Some(text),
            _ => None,
        }
    }

    /// Whether it takes longer than a client should be kept waiting for.
    pub fn is_long(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::Wait(_)))
    }

    /// Does it.
    ///
    /// # Errors
    /// [`Ended`] as soon as the task is ended by somebody else.
    pub async fn play(&self, work: &Work) -> Result<(), Ended> {
        for act in self.acts {
            match *act {
                Act::Enter(state) => work.enter(state, None)?,
                Act::Say(state, text) => work.enter(state, Some(text))?,
                Act::Wait(times) => sleep(time(work.slow(), times)).await,
                Act::Whole(piece) => work.whole("output", vec![piece.part()])?,
                Act::Chunks(texts) => {
                    let mut artifact = work.begin("output");
                    for (index, text) in texts.iter().enumerate() {
                        artifact.chunk(text, index + 1 == texts.len())?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn time(slow: Duration, times: u32) -> Duration {
    slow * times / TIMES_OF_SLOW
}

impl Piece {
    fn part(self) -> Part {
        let file = |content| Part {
            filename: Some("output.txt".to_owned()),
            media_type: Some("text/plain".to_owned()),
            ..Part::new(content)
        };
        match self {
            Self::Text(text) => Part::text(text),
            Self::File => file(Content::Raw(b"tck".to_vec())),
            Self::FileUrl => file(Content::Url("https://example.com/output.txt".to_owned())),
            Self::Data => Part::new(Content::Data(json!({ "key": "value", "count": 42 }))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_decides() {
        for course in COURSES {
            for id in [course.prefix.to_owned(), format!("{}-0a1b2c3d", course.prefix)] {
                assert_eq!(Course::of(&id), Some(course), "{id}");
            }
        }
        for other in ["", "tck-", "tck-infer-ctx-0a1b2c3d", "a-tck-complete-task", "TCK-COMPLETE-TASK"] {
            assert_eq!(Course::of(other), None, "{other}");
        }
    }

    #[test]
    fn every_course_comes_to_rest() {
        for course in COURSES {
            let state = match course.acts.last() {
                Some(Act::Enter(state) | Act::Say(state, _)) => *state,
                other => panic!("{}: {other:?}", course.prefix),
            };
            assert!(state.is_at_rest(), "{}", course.prefix);
            assert_eq!(course.reply().is_some(), course.prefix == ANSWERED);
        }
    }

    #[test]
    fn waits_are_counted_in_what_the_kit_gives_a_stream() {
        assert_eq!(time(Duration::from_secs(4), 1), Duration::from_secs(2));
        assert_eq!(time(Duration::from_secs(4), 2), Duration::from_secs(4));
    }
}
