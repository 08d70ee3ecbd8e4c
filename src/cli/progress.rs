//! How far a run is, on standard error, for as long as it goes on.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::diagnostic::words::{one_line, shorten};
use crate::event::Event;
use crate::fuzz;
use crate::verdict::{Level, Verdict};

/// A line that says how many cases are done and how many failed; it shows on a terminal only, and is gone when this is
/// dropped.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    failed: usize,
}

impl Progress {
    /// A line on standard error for a run of so many trials; none where that is no terminal.
    pub fn new(trials: usize) -> Self {
        Self::on(trials, ProgressDrawTarget::stderr())
    }

    fn on(trials: usize, target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(trials as u64), target);
        dress(&bar, "{prefix:.bold} {pos}/{len} cases{msg}");
        bar.set_prefix("checking");
        Self { bar, failed: 0 }
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
            }
            Event::Met(_)
            | Event::Exchanged(_)
            | Event::Lost { .. }
            | Event::Changed { .. }
            | Event::Inferred { .. }
            | Event::OneByOne { .. }
            | Event::Again { .. }
            | Event::Words(_) => self.bar.tick(),
            Event::Done { .. } => self.bar.finish_and_clear(),
        }
    }

    fn message(&self, case: &str) -> String {
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        format!("{failed}  {}", shorten(&one_line(case), 48))
    }

    /// Prints something without disturbing the line: takes it away meanwhile.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

/// A line that says how far a hunt of the fuzzer's is; it shows on a terminal only.
#[derive(Debug)]
pub(super) struct Hunting {
    bar: ProgressBar,
}

impl Hunting {
    /// A line on standard error for a hunt that takes so long.
    pub fn new(time: Duration) -> Self {
        let bar = ProgressBar::with_draw_target(Some(time.as_secs()), ProgressDrawTarget::stderr());
        dress(&bar, "{prefix:.bold} {pos}/{len} s{msg}");
        bar.set_prefix("fuzzing");
        Self { bar }
    }

    /// Takes how far it is.
    pub fn see(&self, progress: &fuzz::Progress) {
        let seconds = progress.elapsed.as_secs_f64().max(0.001);
        let found = Level::ALL.iter().filter_map(|level| Some(format!("{} {level}", progress.found.get(level)?)));
        let found: Vec<String> = found.collect();
        let found = if found.is_empty() { String::new() } else { format!(", found {}", found.join(", ")) };
        #[allow(clippy::cast_precision_loss, reason = "nobody reads so many digits")]
        let rate = progress.requests as f64 / seconds;
        self.bar.set_position(progress.elapsed.as_secs());
        self.bar.set_message(format!("  {}: {} requests, {rate:.0}/s{found}", progress.what, progress.requests));
    }
}

impl Drop for Hunting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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
    }
}
