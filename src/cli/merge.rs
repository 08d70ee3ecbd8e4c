//! `a2aspec merge`: the reports of all parts of a run as one.

use super::args::MergeArgs;
use super::check::{self, Known};
use super::fail::{Failure, library};
use super::undone::Reports;
use super::{Exit, saved, sets, settings, tell};
use crate::report::Secrets;
use crate::report::gate::Threshold;
use crate::report::merge::{MergeError, merge};
use crate::report::saved::SavedError;

/// Puts the reports together, and says what they come to.
pub(super) fn run(args: MergeArgs) -> Result<Exit, Failure> {
    let config = settings::file(args.config.as_deref())?;
    let fail_on = settings::fail_on(args.fail_on, &config)?;
    let min_tested = settings::min_tested(args.min_tested, args.fail_on_unreached, &config)?;
    // Own cases are in no set and in no part of a version, so they need not be here.
    let library = library(None)?;
    let set = match args.requirements.or(config.requirements.clone()) {
        Some(date) => sets::named(Some(&date), &library)?,
        None => None,
    };
    // The reports of the settings are those of the parts.
    let outputs = settings::outputs(args.report)?;
    let location = settings::sarif_location(args.sarif_location, &config)?;
    let mut known = Known::read(args.baseline.or(config.baseline))?;
    let texts = args.files.iter().map(|path| saved::text(path)).collect::<Result<Vec<_>, _>>()?;
    let url = texts.iter().find_map(|(file, text)| saved::url(file, text).ok()).unwrap_or_default();
    let place = Reports::at(&outputs, None, url, Secrets::default(), fail_on)?.located(location);
    let mut report = merge(&texts, &library).map_err(|error| place.write(failure(&error)))?;
    set.iter().for_each(|set| report.hold_to(set));
    let is_listed = known.apply(&mut report, fail_on, args.write_baseline.as_deref());
    let exit = check::gate(&mut report, Threshold { fail_on, min_tested });
    let is_written = place.finish(&mut report) && is_listed;
    tell::ended(&report);
    Ok(if is_written { exit } else { Exit::Usage })
}

fn failure(error: &MergeError) -> Failure {
    let help = match error {
        MergeError::NoReport(SavedError::NotRun { .. }) => Some("repeat the run of this part"),
        MergeError::NoReport(_) => Some(saved::HELP),
        MergeError::Missing { .. } => {
            Some("name the reports of all parts; the run of a part that has none is to be repeated")
        }
        MergeError::OtherAgent { .. } => Some("all parts are to check instances of one agent"),
        MergeError::NoPart { .. }
        | MergeError::OtherTool { .. }
        | MergeError::OtherPlan { .. }
        | MergeError::Doubled { .. } => None,
    };
    Failure::new(Exit::Usage, &error.to_string(), help)
}
