//! What passed is judged, and written into an archive, beside what passes: nothing waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::har::Entry;
use crate::report::archive::Archive;
use crate::secrets::Secrets;
use crate::traffic::{Judged, Traffic, TrafficError};

/// The most exchanges that wait to be judged.
const MOST_WAITING: usize = 1_024;
/// How often what is wrong is looked for in what has come.
const LOOK: Duration = Duration::from_millis(500);
/// What the exchanges are recorded as.
const NAME: &str = "proxy";

/// What is done with what passed, beside that it is judged.
pub(crate) struct Recording {
    /// Is given a line for each thing that is wrong, as soon as it is seen.
    pub report: Box<dyn FnMut(&str) + Send>,
    /// The archive into which everything is written.
    pub archive: Option<std::fs::File>,
}

/// The way of exchanges to who judges them.
#[derive(Clone)]
pub(super) struct Sender {
    entries: SyncSender<Entry>,
    lost: Arc<AtomicUsize>,
}

impl Sender {
    /// Has an exchange judged. If those before take too long, it is not; nothing that passes waits for it.
    pub fn send(&self, entry: Entry) {
        if self.entries.try_send(entry).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Judges on a thread of its own.
pub(super) struct Recorder {
    worker: JoinHandle<(Traffic, Duration)>,
    lost: Arc<AtomicUsize>,
}

impl Recorder {
    /// Begins, with nothing yet.
    pub fn start(traffic: Traffic, recording: Recording) -> (Self, Sender) {
        let (entries, received) = sync_channel(MOST_WAITING);
        let lost = Arc::new(AtomicUsize::new(0));
        let worker = std::thread::spawn(move || work(traffic, recording, &received));
        (Self { worker, lost: Arc::clone(&lost) }, Sender { entries, lost })
    }

    /// What came of everything, once all who send are gone; the sample has left out so many exchanges.
    ///
    /// # Errors
    /// Nothing of it was a call of A2A.
    pub async fn finish(self, command: &str, left_out: usize) -> Result<Judged, TrafficError> {
        let Self { worker, lost } = self;
        let joined = tokio::task::spawn_blocking(move || worker.join()).await;
        let Ok(Ok((mut traffic, took))) = joined else { return Err(TrafficError::Lost) };
        traffic.leave_out(lost.load(Ordering::Relaxed), "the proxy was busy");
        traffic.leave_out(left_out, "the sample leaves them out");
        traffic.finish(command, took)
    }
}

fn work(mut traffic: Traffic, recording: Recording, received: &Receiver<Entry>) -> (Traffic, Duration) {
    let Recording { mut report, archive } = recording;
    let began = Instant::now();
    let mut archive = archive.map(|file| Archive::new(file, Secrets::default(), traffic.began()));
    let (mut looked, mut is_new, mut number) = (Instant::now(), false, 0);
    loop {
        let wait = if is_new { LOOK.saturating_sub(looked.elapsed()) } else { LOOK };
        let (entry, is_over) = match received.recv_timeout(wait) {
            Ok(entry) => (Some(entry), false),
            Err(RecvTimeoutError::Timeout) => (None, false),
            Err(RecvTimeoutError::Disconnected) => (None, true),
        };
        if let Some(entry) = entry {
            number += 1;
            let entry = Entry { number, ..entry };
            if let Some(open) = &mut archive
                && let Err(error) = open.see(&Event::Exchanged(Arc::new(traffic.masked(&entry))))
            {
                report(&format!("the archive is written no further: {error}"));
                archive = None;
            }
            traffic.take(NAME, entry);
            is_new = true;
        }
        if is_new && (is_over || looked.elapsed() >= LOOK) {
            traffic.news().iter().for_each(|line| report(line));
            (looked, is_new) = (Instant::now(), false);
        }
        if is_over {
            return (traffic, began.elapsed());
        }
    }
}
