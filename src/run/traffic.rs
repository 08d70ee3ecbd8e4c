//! Ordinary traffic beside the cases: a side condition of a run, and no test of load. What the agent answers to it is counted and not
//! judged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::case::Trigger;
use crate::event::Traffic;
use crate::profile::Operation;
use crate::session::{Session, message};
use crate::transcript::task_in;

/// How many seconds' worth of requests may wait for their answers: an agent that does not keep up is asked no faster than it answers.
const MOST_SECONDS: u32 = 4;

/// What is under way beside the cases.
#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    without_result: AtomicU64,
    /// The task that was made last.
    task: Mutex<Option<String>>,
}

/// Does something while the agent is sent so many requests a second over these interfaces in turn, and waits until they are answered.
pub(super) async fn beside(per_second: u32, sessions: &[Arc<Session>], what: impl Future<Output = ()>) -> Traffic {
    let most = usize::try_from(per_second.saturating_mul(MOST_SECONDS)).unwrap_or(usize::MAX);
    let counts: Vec<Counts> = sessions.iter().map(|_| Counts::default()).collect();
    let mut turns = sessions.iter().zip(&counts).cycle();
    let mut clock = clock(per_second);
    let mut under_way = FuturesUnordered::new();
    let mut what = std::pin::pin!(what);
    loop {
        tokio::select! {
            biased;
            _ = clock.tick(), if under_way.len() < most => {
                under_way.extend(turns.next().map(|(session, counts)| one(session, counts)));
            }
            Some(()) = under_way.next() => {}
            () = &mut what => break,
        }
    }
    while under_way.next().await.is_some() {}
    let sum = |of: fn(&Counts) -> &AtomicU64| counts.iter().map(|it| of(it).load(Relaxed)).sum();
    Traffic { per_second, sent: sum(|it| &it.sent), without_result: sum(|it| &it.without_result) }
}

fn clock(per_second: u32) -> Interval {
    let mut clock = interval(Duration::from_secs(1) / per_second.max(1));
    clock.set_missed_tick_behavior(MissedTickBehavior::Skip);
    clock
}

/// One request: a message, or after one that made a task a question for that task.
async fn one(session: &Session, counts: &Counts) {
    let task = counts.task.lock().unwrap_or_else(PoisonError::into_inner).take();
    let asked = match &task {
        Some(id) => session.ask_aside(Operation::GetTask, json!({ "id": id })).await,
        None => {
            let params = message::params(&session.options.words.say(Trigger::Complete));
            session.ask_aside(Operation::SendMessage, params).await
        }
    };
    let Some(answer) = asked else { return };
    counts.sent.fetch_add(1, Relaxed);
    counts.without_result.fetch_add(u64::from(answer.result().is_none()), Relaxed);
    if task.is_none() {
        let made = answer.result().and_then(task_in).and_then(|task| task.get("id")?.as_str().map(str::to_owned));
        *counts.task.lock().unwrap_or_else(PoisonError::into_inner) = made;
    }
}
