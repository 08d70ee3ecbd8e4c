//! What grows: the same question is asked in equal batches, and what the agent takes for it is held against what it took before.
//!
//! A first batch is not measured: caches fill, and pools. What then grows with the batches, however many follow, is told; what
//! stops growing is not. A garbage collector lets memory grow, too, until it comes: so batches are many. An agent that serves
//! others meanwhile may give back for once what they took: so a few batches may be without growth, if the sum shows it.

use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::time::Instant;

use super::aim::Aim;
use super::probe::{Probe, step};
use super::spoken::speak;
use crate::profile::Operation;

/// How many calls are a batch, and how many batches are measured at most.
const CALLS: usize = 32;
const BATCHES: usize = 12;
/// In how many of them what grows may not have grown.
const EXCEPTIONS: usize = 2;
/// By how much memory grows with each call at least, in bytes: what an agent stores of a plain call is far less.
const BYTES_A_CALL: u64 = 64 << 10;
/// Of how many calls one leaves a handle at least.
const CALLS_A_HANDLE: u64 = 4;
/// By how much a call takes longer in the end: so many times as long, and by so much.
const TIMES_AS_LONG: u32 = 4;
const LONGER: Duration = Duration::from_millis(20);

/// Something that grows with an operation, over whichever interfaces it is called: they lead to the same agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    /// Version and binding of each over which it was seen.
    pub interfaces: Vec<String>,
    /// What was called.
    pub operation: Operation,
    /// What grows.
    pub kind: Kind,
    /// By how much, as it was first seen.
    pub what: String,
    /// After how many calls.
    pub calls: usize,
}

/// What there can be more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Resident memory.
    Memory,
    /// Open handles.
    Handles,
    /// The time that an answer takes.
    Time,
}

/// What an agent takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taken {
    /// Bytes of memory, where they can be seen.
    memory: Option<u64>,
    /// Open handles, likewise.
    handles: Option<u64>,
    /// How long an answer takes: the median of the batch.
    time: Duration,
}

/// What was found to grow, and what it took to find out.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub found: Vec<Growth>,
    /// How many requests were made.
    pub requests: u64,
    /// How many of them were messages.
    pub messages: u64,
}

impl Grown {
    /// Tells what was seen: once for an operation and what grows with it.
    fn tell(&mut self, interface: String, operation: Operation, (kind, what): (Kind, String)) {
        match self.found.iter_mut().find(|known| known.operation == operation && known.kind == kind) {
            Some(known) => known.interfaces.push(interface),
            None => {
                let interfaces = vec![interface];
                self.found.push(Growth { interfaces, operation, kind, what, calls: BATCHES * CALLS });
            }
        }
    }
}

/// How it is watched.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    /// The agent's process, where it is known.
    pub pid: Option<u32>,
    /// How many calls are under way at once.
    pub jobs: usize,
    /// Whether the agent may be given messages to work on.
    pub may_work: bool,
    /// When no further operation is begun.
    pub end: Instant,
}

/// What grows over the interfaces, told as it is seen: it may be ended at any time.
pub(super) async fn growth(aims: &[Aim], watch: Watch, grown: &mut Grown) {
    let all = aims.iter().flat_map(|aim| aim.operations.iter().map(move |operation| (aim, *operation)));
    for (aim, operation) in all {
        let is_work = operation.sends_a_message();
        if operation.streams() || (is_work && !watch.may_work) || Instant::now() >= watch.end {
            continue;
        }
        let Some(base) = aim.base(operation, false) else { continue };
        let probe = step(operation, base.params.clone());
        let mut seen = Vec::new();
        for batch in 0..=BATCHES {
            grown.requests += CALLS as u64;
            grown.messages += if is_work { CALLS as u64 } else { 0 };
            let Some(taken) = measured(aims, aim, &probe, watch).await else { break };
            seen.push(taken);
            if batch > 0 && grows(&seen).is_none() {
                break;
            }
        }
        if seen.len() > BATCHES
            && let Some(seen) = grows(&seen)
        {
            grown.tell(aim.name(), operation, seen);
        }
    }
}

/// One batch; nothing where a call is not answered: that is for others to tell.
async fn measured(aims: &[Aim], aim: &Aim, probe: &Probe, Watch { pid, jobs, .. }: Watch) -> Option<Taken> {
    let calls = (0..CALLS).map(|_| async {
        let began = Instant::now();
        let answers = speak(aims, aim, std::slice::from_ref(probe)).await;
        let is_answered = answers.first().is_some_and(|answer| answer.exchange.response.is_some());
        is_answered.then(|| began.elapsed())
    });
    let times: Vec<Option<Duration>> = futures_util::stream::iter(calls).buffer_unordered(jobs.max(1)).collect().await;
    let mut times: Vec<Duration> = times.into_iter().collect::<Option<_>>()?;
    times.sort_unstable();
    let time = *times.get(times.len() / 2)?;
    Some(Taken { memory: pid.and_then(memory), handles: pid.and_then(handles), time })
}

/// What has grown with the batches since the first, which is not counted; the most telling first.
fn grows(seen: &[Taken]) -> Option<(Kind, String)> {
    let (first, last) = (seen.first()?, seen.last()?);
    let steps = seen.len() - 1;
    let calls = steps * CALLS;
    if steps == 0 {
        return None;
    }
    let memory = |taken: &Taken| taken.memory;
    if let Some(grown) = rise(seen, memory, BYTES_A_CALL * CALLS as u64) {
        let kib = (grown / calls as u64) >> 10;
        return Some((Kind::Memory, format!("the memory of the agent grows by {kib} KiB with each call")));
    }
    if let Some(grown) = rise(seen, |taken| taken.handles, CALLS as u64 / CALLS_A_HANDLE) {
        return Some((Kind::Handles, format!("the agent has {grown} more open handles after {calls} calls")));
    }
    let nanoseconds = |taken: &Taken| u64::try_from(taken.time.as_nanos()).ok();
    // Before there are many batches, each that takes longer than the one before may be the beginning.
    let is_much = last.time >= first.time * TIMES_AS_LONG && last.time >= first.time + LONGER;
    if rise(seen, nanoseconds, 1).is_some() && (is_much || seen.len() <= BATCHES) {
        let what = format!("an answer takes {:.0?}, and took {:.0?} at first", last.time, first.time);
        return Some((Kind::Time, what));
    }
    None
}

/// By how much something has risen from the first batch to the last: by `least` with each, a few excepted, and by as much as
/// if none were.
fn rise(seen: &[Taken], of: impl Fn(&Taken) -> Option<u64>, least: u64) -> Option<u64> {
    let values: Vec<u64> = seen.iter().map(of).collect::<Option<_>>()?;
    let (first, last) = (values.first()?, values.last()?);
    let steps = values.iter().zip(values.iter().skip(1));
    let exceptions = steps.filter(|(before, after)| **after < before.saturating_add(least)).count();
    let grown = last.checked_sub(*first)?;
    (exceptions <= EXCEPTIONS && grown >= least * (values.len() as u64 - 1)).then_some(grown)
}

/// The resident memory of a process in bytes, where the system tells.
fn memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// How many handles a process has open, where the system tells.
fn handles(pid: u32) -> Option<u64> {
    Some(std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Batches with so many MiB, handles and milliseconds.
    fn seen(rows: &[(u64, u64, u64)]) -> Vec<Taken> {
        let taken = |&(memory, handles, time): &(u64, u64, u64)| Taken {
            memory: Some(memory << 20),
            handles: Some(handles),
            time: Duration::from_millis(time),
        };
        rows.iter().map(taken).collect()
    }

    #[test]
    fn what_grows_with_every_batch_is_told() {
        for (rows, wanted) in [
            (
                &[(10, 5, 9), (18, 5, 9), (26, 5, 9)][..],
                Some("the memory of the agent grows by 256 KiB with each call"),
            ),
            (&[(10, 5, 9), (18, 5, 9), (10, 5, 9)], None),
            (&[(10, 5, 9), (12, 5, 9), (12, 5, 9), (12, 5, 9), (17, 5, 9)], None),
            // Something else gives memory back for once; the sum shows what grows all the same.
            (
                &[(10, 5, 9), (18, 5, 9), (14, 5, 9), (22, 5, 9), (30, 5, 9)],
                Some("the memory of the agent grows by 160 KiB with each call"),
            ),
            (&[(10, 5, 9), (11, 5, 9), (12, 5, 9)], None),
            (&[(10, 5, 9), (10, 37, 9), (10, 69, 9)], Some("the agent has 64 more open handles after 64 calls")),
            (&[(10, 5, 9), (10, 6, 9), (10, 7, 9)], None),
            (&[(10, 5, 9), (10, 5, 12), (10, 5, 99)], Some("an answer takes 99ms, and took 9ms at first")),
            (&[(10, 5, 9), (10, 5, 12), (10, 5, 9)], None),
            (&[(10, 5, 9)], None),
        ] {
            assert_eq!(grows(&seen(rows)).map(|(_, what)| what).as_deref(), wanted, "{rows:?}");
        }
        // What takes but a little longer each time is not told in the end.
        let slowly: Vec<(u64, u64, u64)> = (0..=BATCHES as u64).map(|number| (10, 5, 100 + number)).collect();
        assert_eq!(grows(&seen(&slowly)), None);
        let (early, _) = slowly.split_at(3);
        assert!(grows(&seen(early)).is_some());
    }

    #[test]
    fn what_grows_over_several_interfaces_is_told_once() {
        let mut grown = Grown::default();
        let memory = || (Kind::Memory, "the memory grows".to_owned());
        for interface in ["1.0 jsonrpc", "1.0 grpc"] {
            grown.tell(interface.to_owned(), Operation::GetTask, memory());
        }
        grown.tell("1.0 grpc".to_owned(), Operation::GetTask, (Kind::Handles, "more handles".to_owned()));
        grown.tell("1.0 grpc".to_owned(), Operation::ListTasks, memory());
        let told = grown.found.iter().map(|growth| (growth.interfaces.len(), growth.operation, growth.kind));
        let wanted = [
            (2, Operation::GetTask, Kind::Memory),
            (1, Operation::GetTask, Kind::Handles),
            (1, Operation::ListTasks, Kind::Memory),
        ];
        assert_eq!(told.collect::<Vec<_>>(), wanted);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_shows_what_it_takes() {
        let own = std::process::id();
        assert!(memory(own).is_some_and(|bytes| bytes > 1 << 20) && handles(own).is_some_and(|count| count > 0));
    }
}
