//! Whether an agent is still as it was: a plain question, or a plain message, between all the others.

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::aim::Aim;
use super::class::Classes;
use super::hunt::messages::{Messages, was_worked_on};
use super::probe::{Probe, Send, bare};
use super::request;
use crate::judge::{before_the_agent, describe};
use crate::profile::Operation;
use crate::transcript::{Answer, Ended, ErrorObject, Unanswered};

/// How often an agent is asked that does not answer as it should, though it can be reached.
const CHANCES: usize = 3;
/// How long an agent has to come back: those who watch over others start them anew within seconds.
const COMES_BACK: Duration = Duration::from_secs(10);
/// How often it is looked for meanwhile.
const LOOKS: Duration = Duration::from_millis(50);
/// The name of a plain question that stands behind what may have done harm.
pub(super) const BEHIND: &str = "behind";

/// How an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Health {
    /// As before.
    Well,
    /// It answers, and has forgotten what it has stored.
    Forgetful,
    /// It is away, or does not answer as it should; and how.
    Ill(String),
}

/// What an agent is asked that nothing is wrong with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Question<'a> {
    /// For a task that has ended, where there is one.
    Read,
    /// To work on a message, which is counted among these.
    Message(&'a Messages),
}

impl Question<'_> {
    fn operation(self) -> Operation {
        match self {
            Self::Read => Operation::GetTask,
            Self::Message(_) => Operation::SendMessage,
        }
    }

    /// Whether the agent is to work on it.
    pub fn is_a_message(self) -> bool {
        matches!(self, Self::Message(_))
    }

    /// Its canonical parameters, with references.
    fn params(self, aim: &Aim) -> Value {
        match self {
            Self::Read if aim.known().has_task() => json!({ "id": "${done.id}" }),
            Self::Read => json!({ "id": "${unknown-id}" }),
            Self::Message(_) => {
                let interface = &aim.session.connection.interface;
                request::least(&interface.profile, &interface.dialect, self.operation(), &aim.word)
            }
        }
    }

    /// Whether it was answered as it should be before anything was tried.
    fn is_sound(self, aim: &Aim) -> bool {
        match self {
            Self::Read => aim.is_sound(),
            Self::Message(_) => aim.known().has_task(),
        }
    }

    /// What is expected of it behind what may have done harm, by whether it is answered.
    fn class(self, is_answered: bool) -> &'static str {
        match self {
            _ if !is_answered => "still-there",
            Self::Read => "plain-read",
            Self::Message(_) => "right-message",
        }
    }
}

/// The same as the last step of what may have done harm. It must be answered, and as it should be where it is.
pub(super) fn behind(aim: &Aim, classes: &Classes, question: Question<'_>, is_answered: bool) -> Option<Probe> {
    let (operation, class) = (question.operation(), question.class(is_answered).to_owned());
    let expect = classes.get(&class)?.expect(operation);
    let send = Send::Call { params: question.params(aim) };
    Some(Probe { send, class, name: BEHIND.to_owned(), expect, ..bare(operation) })
}

/// Asks it once.
pub(super) async fn ask(aim: &Aim, question: Question<'_>) -> Health {
    match answer(aim, question).await {
        Some(answer) => health(aim, question, &answer),
        None => Health::Well,
    }
}

async fn answer(aim: &Aim, question: Question<'_>) -> Option<Answer> {
    let call = aim.call(question.operation(), aim.fill(&question.params(aim))?);
    let answer = aim.session.connection.call(&call).boxed().await;
    aim.session.tell(&answer);
    if let Question::Message(messages) = question {
        messages.add(u64::from(was_worked_on(&answer)));
    }
    Some(answer)
}

fn health(aim: &Aim, question: Question<'_>, answer: &Answer) -> Health {
    // What stands before an agent says nothing of it.
    if before_the_agent(answer).is_some() {
        return Health::Well;
    }
    let forgets = |error: &ErrorObject| error.is("TaskNotFoundError") && aim.known().has_task();
    let is_ill = match question {
        Question::Read if answer.refusal().is_some_and(forgets) => return Health::Forgetful,
        // What an agent works on may take it long, if it ever takes it long.
        Question::Message(_) if matches!(answer.unanswered(), Some(Unanswered::Silent(_))) => {
            aim.usual.is_quick(question.operation())
        }
        _ => answer.exchange.response.is_none() || (question.is_sound(aim) && fails(answer)),
    };
    match question {
        _ if !is_ill => Health::Well,
        Question::Read => Health::Ill(describe(answer)),
        Question::Message(_) => Health::Ill(format!("to a message it says {}", describe(answer))),
    }
}

/// Whether what came is neither what was asked for nor a refusal of it.
pub(super) fn fails(answer: &Answer) -> bool {
    answer.refusal().map_or_else(|| answer.payloads().is_empty(), |error| !error.refuses)
}

/// Asks it until it is certain. An agent that is away is away at once; one that is slow or fails now and then is asked again.
pub(super) async fn look(aim: &Aim, question: Question<'_>) -> Health {
    let mut found = Health::Well;
    for _ in 0..CHANCES {
        let Some(answer) = answer(aim, question).await else { return Health::Well };
        found = health(aim, question, &answer);
        let is_away = matches!(answer.exchange.ended, Ended::Failed(_) | Ended::Closed | Ended::Reset(_));
        if is_away || !matches!(found, Health::Ill(_)) {
            return found;
        }
    }
    found
}

/// Waits until it is well again, and makes anew what it has forgotten; whether it has come back.
pub(super) async fn come_back(aims: &[Aim], aim: &Aim, question: Question<'_>) -> bool {
    let end = Instant::now() + COMES_BACK;
    while matches!(look(aim, question).await, Health::Ill(_)) {
        if Instant::now() >= end {
            return false;
        }
        tokio::time::sleep(LOOKS).await;
    }
    for aim in aims {
        if ask(aim, Question::Read).await == Health::Forgetful {
            aim.remake().await;
        }
    }
    true
}
