//! Whether an agent is still as it was: a plain question between all the others.

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::json;
use tokio::time::Instant;

use super::aim::Aim;
use super::class::Classes;
use super::probe::{Probe, Send, bare};
use crate::judge::{before_the_agent, describe};
use crate::profile::Operation;
use crate::transcript::{Answer, Ended};

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

/// A plain question. It is about a task that has ended, where there is one.
fn question(aim: &Aim) -> serde_json::Value {
    let id = if aim.known().has_task() { "${done.id}" } else { "${unknown-id}" };
    json!({ "id": id })
}

/// The same as the last step of what may have done harm. It must be answered, and as it should be where it is.
pub(super) fn behind(aim: &Aim, classes: &Classes, is_answered: bool) -> Option<Probe> {
    let class = if is_answered { "plain-read" } else { "still-there" };
    let expect = classes.get(class)?.expect(Operation::GetTask);
    let send = Send::Call { params: question(aim) };
    let (name, class) = (BEHIND.to_owned(), class.to_owned());
    Some(Probe { send, class, name, expect, ..bare(Operation::GetTask) })
}

/// Asks it once.
pub(super) async fn ask(aim: &Aim) -> Health {
    match answer(aim).await {
        Some(answer) => health(aim, &answer),
        None => Health::Well,
    }
}

async fn answer(aim: &Aim) -> Option<Answer> {
    let call = aim.call(Operation::GetTask, aim.fill(&question(aim))?);
    let answer = aim.session.connection.call(&call).boxed().await;
    aim.session.tell(&answer);
    Some(answer)
}

fn health(aim: &Aim, answer: &Answer) -> Health {
    let is_about_a_task = aim.known().has_task();
    // What stands before an agent says nothing of it.
    if before_the_agent(answer).is_some() {
        return Health::Well;
    }
    let is_ill = match answer.refusal() {
        _ if answer.exchange.response.is_none() => true,
        Some(error) if error.is("TaskNotFoundError") && is_about_a_task => return Health::Forgetful,
        Some(error) => aim.is_sound() && !error.refuses,
        None => aim.is_sound() && answer.payloads().is_empty(),
    };
    if is_ill { Health::Ill(describe(answer)) } else { Health::Well }
}

/// Asks it until it is certain. An agent that is away is away at once; one that is slow or fails now and then is asked again.
pub(super) async fn look(aim: &Aim) -> Health {
    let mut found = Health::Well;
    for _ in 0..CHANCES {
        let Some(answer) = answer(aim).await else { return Health::Well };
        found = health(aim, &answer);
        let is_away = matches!(answer.exchange.ended, Ended::Failed(_) | Ended::Closed | Ended::Reset(_));
        if is_away || !matches!(found, Health::Ill(_)) {
            return found;
        }
    }
    found
}

/// Waits until it is well again, and makes anew what it has forgotten; whether it has come back.
pub(super) async fn come_back(aims: &[Aim], aim: &Aim) -> bool {
    let end = Instant::now() + COMES_BACK;
    while matches!(look(aim).await, Health::Ill(_)) {
        if Instant::now() >= end {
            return false;
        }
        tokio::time::sleep(LOOKS).await;
    }
    for aim in aims {
        if ask(aim).await == Health::Forgetful {
            aim.remake().await;
        }
    }
    true
}
