//! The thread that judges interfaces as a whole.
//!
//! One judges all of them, one at a time: what was seen takes many times its bytes while it is judged, and each thread has
//! memory of its own.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::ending::Ending;
use super::trial::{self, Done};
use super::{not_to_be_run, tell_result};
use crate::event::{Event, EventSink};
use crate::plan::Trial;
use crate::reason::Reason;
use crate::session::Session;
use crate::transcript::{Ended, Exchange};
use crate::verdict::Verdict;

/// An interface over which no case talks any more, why it is gone, if it is, and the trials that judge it.
type Interface = (Arc<Session>, Option<Reason>, Vec<Arc<Trial>>);

/// The thread, and the way to it.
pub(super) struct Judging {
    queue: mpsc::UnboundedSender<Interface>,
    /// Closed when the thread is over.
    over: oneshot::Receiver<()>,
}

impl Judging {
    /// Starts the thread, which tells of each trial.
    pub fn start(sink: EventSink, ending: Arc<Ending>) -> Self {
        let (queue, mut waiting) = mpsc::unbounded_channel::<Interface>();
        let (running, over) = oneshot::channel::<()>();
        // A thread of its own, and none of those that the runtime waits for.
        let judge_all = move || {
            let _running = running;
            while let Some((session, gone, trials)) = waiting.blocking_recv() {
                for trial in trials {
                    sink.send(Event::Started { case: trial.case.id.clone() });
                    let began = Instant::now();
                    tell_result(&sink, began, judge(&trial, &session, gone.as_ref(), &ending));
                }
                session.record.close();
            }
        };
        // Without it nothing waits in the queue, and what was to be judged is unreached.
        let _ = std::thread::Builder::new().name("judge".to_owned()).spawn(judge_all);
        Self { queue, over }
    }

    /// Has an interface judged as soon as those before it are.
    pub fn add(&self, session: &Arc<Session>, trials: &[Arc<Trial>]) {
        session.record.complete();
        // The thread listens until nothing more can come.
        let _ = self.queue.send((Arc::clone(session), session.gone(), trials.to_vec()));
    }

    /// Waits until all are judged.
    pub async fn end(self) {
        drop(self.queue);
        // It says nothing: it goes, and so its end of the channel does.
        let _ = self.over.await;
    }
}

fn judge(trial: &Trial, session: &Arc<Session>, gone: Option<&Reason>, ending: &Ending) -> Done {
    // After a failure what was seen is judged all the same.
    if let Some(done) = not_to_be_run(trial, ending.dropped()) {
        return done;
    }
    // Of an agent that was there for a while it is judged what it answered until then.
    let has_answered =
        |reason: &Reason| matches!(reason, Reason::StoppedAnswering { .. }) && !trial.judges_by("answered");
    if let Some(reason) = gone.filter(|reason| !has_answered(reason)) {
        return Done::without_findings(trial, Verdict::Unreached, reason.clone());
    }
    let judged = std::panic::catch_unwind(AssertUnwindSafe(|| trial::observe(trial, session)));
    let done = judged.unwrap_or_else(|_| Done::without_findings(trial, Verdict::Broken, Reason::JudgePanicked));
    match gone {
        Some(reason) if !stands(&done) => Done::without_findings(trial, Verdict::Unreached, reason.clone()),
        _ => done,
    }
}

/// Whether something was seen before the agent stopped answering. What is wrong with an answer that broke off then is not its fault.
fn stands(done: &Done) -> bool {
    let is_whole = |exchange: &Arc<Exchange>| matches!(exchange.ended, Ended::Complete | Ended::LeftOpen);
    match done.result.verdict {
        Verdict::Pass | Verdict::Skipped => true,
        Verdict::Unreached | Verdict::Broken => false,
        _ => done.cited.iter().all(is_whole),
    }
}
