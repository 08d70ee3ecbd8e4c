//! How far a run is, on standard error, for as long as it goes on: a line that moves where that is a terminal, and else, as in the
//! log of a pipeline, a new line from time to time.

use std::cell::RefCell;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::print::{self, Loudness};
use crate::clock;
use crate::diagnostic::words::{duration, one_line, shorten};
use crate::event::Event;
use crate::fuzz;
use crate::verdict::{Level, TrialResult, Verdict};

/// How often a log is told how far a run is.
const EVERY: Duration = Duration::from_secs(10);

/// A line that says how many cases are done and how many failed; on a terminal it is gone when this is dropped.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    failed: usize,
    /// How many cases were run again, as often as they were.
    again: usize,
    log: Option<Log>,
}

/// The lines of a log.
#[derive(Debug)]
struct Log {
    began: Instant,
    told: Instant,
}

impl Log {
    fn new() -> Self {
        let now = Instant::now();
        Self { began: now, told: now }
    }

    /// Whether it is time for a line.
    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.told) >= EVERY;
        if is_due {
            self.told = now;
        }
        is_due
    }
}

impl Progress {
    /// A line on standard error for a run of so many trials; none where that is no terminal.
    pub fn new(trials: usize) -> Self {
        let is_heard = print::loudness() > Loudness::Quiet;
        let log = (is_heard && !std::io::stderr().is_terminal()).then(Log::new);
        let target = if is_heard { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let mut progress = Self::on(trials, target);
        progress.log = log;
        progress
    }

    fn on(trials: usize, target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(trials as u64), target);
        dress(&bar, "{prefix:.bold} {pos}/{len} cases{msg}");
        bar.set_prefix("checking");
        Self { bar, failed: 0, again: 0, log: None }
    }

    /// Takes what happened.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Started { case } => self.bar.set_message(self.message(case)),
            Event::Finished { result, .. } => {
                if result.verdict == Verdict::Fail {
                    self.failed += 1;
                }
                self.bar.inc(1);
                self.bar.set_message(self.message(&result.case));
                if print::loudness() == Loudness::Verbose {
                    self.suspend(|| print::err(&ended(result)));
                }
            }
            Event::Again { result } | Event::Without { result, .. } => {
                self.again += 1;
                self.bar.set_message(self.message(&result.case));
            }
            Event::Met(_)
            | Event::Exchanged(_)
            | Event::Lost { .. }
            | Event::Changed { .. }
            | Event::Inferred { .. }
            | Event::Condition { .. }
            | Event::Traffic(_)
            | Event::Words(_) => self.bar.tick(),
            Event::Done { .. } => self.bar.finish_and_clear(),
        }
        if let Some(log) = &mut self.log
            && log.is_due(Instant::now())
        {
            let (done, all, time) = (self.bar.position(), self.bar.length().unwrap_or_default(), log.began.elapsed());
            print::err(&so_far(done, all, &self.counts(), time));
        }
    }

    fn message(&self, case: &str) -> String {
        format!("{}  {}", self.counts(), shorten(&one_line(case), 48))
    }

    /// How many failed, and how many were run again.
    fn counts(&self) -> String {
        let counts = [(self.failed, "failed"), (self.again, "run again")];
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect()
    }

    /// Prints something without disturbing the line: takes it away meanwhile.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

/// How far a run is, as a log has it.
fn so_far(done: u64, all: u64, counts: &str, time: Duration) -> String {
    format!("checking: {done} of {all} cases{counts}, after {}\n", duration(time))
}

/// What came of a case.
fn ended(result: &TrialResult) -> String {
    let TrialResult { case, profile, binding, verdict, times, .. } = result;
    let took = times.map(|times| format!(" after {}", duration(clock::milliseconds(times.duration_ms))));
    format!("{:<9} {case} over {binding} in {profile}{}\n", verdict.name(), took.unwrap_or_default())
}

/// A line that says how far a hunt of the fuzzer's is: first its time, then the findings that are made smaller.
#[derive(Debug)]
pub(super) struct Hunting {
    bar: ProgressBar,
    log: Option<RefCell<Log>>,
}

impl Hunting {
    /// A line on standard error for a hunt that takes so long.
    pub fn new(time: Duration) -> Self {
        let is_heard = print::loudness() > Loudness::Quiet;
        let target = if is_heard { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(time.as_secs()), target);
        dress(&bar, "{prefix:.bold} {pos}/{len} {msg}");
        bar.set_prefix("fuzzing");
        let log = (is_heard && !std::io::stderr().is_terminal()).then(|| RefCell::new(Log::new()));
        Self { bar, log }
    }

    /// Takes how far it is.
    pub fn see(&self, progress: &fuzz::Progress) {
        let seconds = progress.elapsed.as_secs_f64().max(0.001);
        let found = Level::ALL.iter().filter_map(|level| Some(format!("{} {level}", progress.found.get(level)?)));
        let found: Vec<String> = found.collect();
        let found = if found.is_empty() { String::new() } else { format!(", found {}", found.join(", ")) };
        #[allow(clippy::cast_precision_loss, reason = "nobody reads so many digits")]
        let rate = progress.requests as f64 / seconds;
        if let Some((done, all)) = progress.shrunk {
            self.bar.set_prefix(progress.what);
            self.bar.set_length(all as u64);
            self.bar.set_position(done as u64);
            self.bar.set_message(format!("findings made smaller{found}"));
        } else {
            self.bar.set_position(progress.elapsed.as_secs());
            self.bar.set_message(format!("s  {}: {} requests, {rate:.0}/s{found}", progress.what, progress.requests));
        }
        if let Some(log) = &self.log
            && log.borrow_mut().is_due(Instant::now())
        {
            print::err(&hunted_so_far(progress, &found));
        }
    }

    /// Prints something where the line is not in the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Hunting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How far a hunt is, as a log has it.
fn hunted_so_far(progress: &fuzz::Progress, found: &str) -> String {
    match progress.shrunk {
        Some((done, all)) => format!("shrinking: {done} of {all} findings made smaller\n"),
        None => format!("fuzzing: {} requests{found}, after {}\n", progress.requests, duration(progress.elapsed)),
    }
}

/// Gives the line its form. Templates are constants of ours; with a bad one the line would only be less pretty.
fn dress(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::sample;

    #[test]
    fn counts_what_is_done_and_what_failed() {
        let report = sample::full();
        let mut progress = Progress::on(report.results.len(), ProgressDrawTarget::hidden());
        progress.see(&Event::Met(report.target.clone()));
        progress.see(&Event::Started { case: "get/existing".into() });
        assert_eq!(progress.bar.message(), "  get/existing");
        for result in report.results {
            progress.see(&Event::Finished { result: Box::new(result), cited: Vec::new() });
        }
        assert!(progress.bar.message().starts_with(", 5 failed  "), "{}", progress.bar.message());
        assert_eq!(progress.bar.position(), 14);
        progress.see(&Event::Again { result: Box::new(sample::full().results[0].clone()) });
        assert!(progress.bar.message().starts_with(", 5 failed, 1 run again  "), "{}", progress.bar.message());
    }

    #[test]
    fn a_log_is_told_from_time_to_time() {
        let mut log = Log::new();
        let began = log.began;
        let due: Vec<bool> = [1, 9, 10, 11, 19, 21].map(|after| log.is_due(began + Duration::from_secs(after))).into();
        assert_eq!(due, [false, false, true, false, false, true]);
        assert_eq!(so_far(512, 4038, "", Duration::from_secs(20)), "checking: 512 of 4038 cases, after 20 s\n");
        let counts = ", 1 failed, 1 run again";
        assert_eq!(
            so_far(1, 2, counts, Duration::from_secs(3)),
            format!("checking: 1 of 2 cases{counts}, after 3 s\n")
        );
    }

    #[test]
    fn making_findings_smaller_has_a_line_of_its_own() {
        let found = BTreeMap::from([(Level::Must, 3)]);
        let at = |shrunk| {
            let elapsed = Duration::from_secs(20);
            fuzz::Progress { what: "shrinking", shrunk, requests: 512, elapsed, found: found.clone() }
        };
        let hunting = Hunting { bar: ProgressBar::with_draw_target(Some(25), ProgressDrawTarget::hidden()), log: None };
        hunting.see(&at(None));
        assert_eq!((hunting.bar.position(), hunting.bar.length()), (20, Some(25)));
        hunting.see(&at(Some((1, 3))));
        assert_eq!((hunting.bar.position(), hunting.bar.length()), (1, Some(3)));
        assert_eq!(
            (&*hunting.bar.prefix(), &*hunting.bar.message()),
            ("shrinking", "findings made smaller, found 3 MUST")
        );
        assert_eq!(hunted_so_far(&at(Some((1, 3))), ""), "shrinking: 1 of 3 findings made smaller\n");
        assert_eq!(hunted_so_far(&at(None), ", found 3 MUST"), "fuzzing: 512 requests, found 3 MUST, after 20 s\n");
    }
}
