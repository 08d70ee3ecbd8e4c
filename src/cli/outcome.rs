//! What becomes of a run that reads no settings file: known failures, the gate, and the reports.

use std::path::Path;

use super::args::OutcomeArgs;
use super::check::{Known, gate};
use super::config::Config;
use super::fail::{Failure, library};
use super::undone::Reports;
use super::{Exit, print, sets, settings, tell};
use crate::report::gate::Threshold;
use crate::report::{Report, Secrets};

/// Does the work of a run about something, with the user's own cases, and writes what came of it.
pub(super) async fn of(
    args: OutcomeArgs,
    cases: Option<&Path>,
    about: String,
    work: impl Future<Output = Result<Report, Failure>>,
) -> Result<Exit, Failure> {
    let threshold = Threshold { fail_on: args.fail_on.unwrap_or_default(), min_tested: args.min_tested };
    let set = match &args.requirements {
        Some(date) => sets::named(Some(date), &library(cases)?)?,
        None => None,
    };
    let mut known = Known::read(args.baseline)?;
    let location = settings::sarif_location(args.sarif_location, &Config::default())?;
    let outputs = settings::outputs(args.report)?;
    let place = Reports::at(&outputs, None, about, Secrets::default(), threshold.fail_on)?.located(location);
    let mut report = place.or_write(work).await?;
    set.iter().for_each(|set| report.hold_to(set));
    let is_listed = known.apply(&mut report, threshold.fail_on, args.write_baseline.as_deref());
    let exit = gate(&mut report, threshold);
    let is_written = place.finish(&mut report) && is_listed;
    match exit {
        Exit::Interrupted => print::warn(&Secrets::default(), &tell::interrupted(&report, is_written)),
        _ => tell::ended(&report),
    }
    Ok(if is_written || exit == Exit::Interrupted { exit } else { Exit::Usage })
}
