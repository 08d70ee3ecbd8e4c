//! `a2aspec fuzz`: odd, broken and hostile requests.

use std::collections::BTreeSet;
use std::path::Path;

use super::args::FuzzArgs;
use super::check::{TraceFile, Tracer};
use super::fail::{Failure, library, unwritable};
use super::parser::{self, Wanted};
use super::progress::Hunting;
use super::settings::{self, Settings};
use super::undone::Reports;
use super::{Exit, check, own_agent, print, signals, tell};
use crate::clock;
use crate::event::{Event, Stopped};
use crate::files;
use crate::fuzz::Budget;
use crate::report::Secrets;
use crate::suite::{Fuzzed, Hit};

/// How many messages an agent at a URL is given to work on where nobody says how many: each may cost money.
const MESSAGES: u64 = 200;

/// Fuzzes an agent, or a parser.
pub(super) async fn run(args: FuzzArgs) -> Result<Exit, Failure> {
    let FuzzArgs { target, time, parser, kind, requests, seed, phase, pid, only, known, fail_fast, findings, receiver } =
        args;
    if let (Some(parser), Some(kind)) = (parser, kind) {
        return parser::run(&Wanted {
            parser,
            kind,
            profile: target.profile.into_iter().next(),
            time,
            inputs: requests.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX),
            timeout: target.timeout.unwrap_or(parser::TIMEOUT),
            seed: seed.unwrap_or(1),
            known,
            findings,
            report: target.report.into_iter().next().unwrap_or_else(|| "terminal".to_owned()),
        });
    }
    check_folder(&findings)?;
    let config = settings::read(&target)?;
    let jobs = target.jobs.or(config.jobs);
    let most = target.max_messages.or(config.max_messages);
    let mut settings = settings::of_target(target, &config, Some(&findings))?;
    let (fail_on, is_own) = (settings.fail_on, settings.own.is_some());
    let time = clock::seconds(time)
        .ok_or_else(|| Failure::usage(format!("`time` is {time}; it must be a number of seconds")))?;
    let budget = Budget {
        time,
        requests,
        messages: most.or((!is_own).then_some(MESSAGES)),
        jobs: jobs.unwrap_or(Budget::JOBS),
        seed: seed.unwrap_or_else(|| u64::from(std::process::id()) ^ clock::now().as_nanosecond() as u64 >> 10),
        phases: phase,
        operations: only,
        // The reference agent is part of this process.
        pid: pid.or(is_own.then(std::process::id)),
        known: names(&known)?,
        ends_at: fail_on.level().filter(|_| fail_fast || config.fail_fast == Some(true)),
        is_led: true,
    };
    settings.suite = settings::webhooks(settings.suite, receiver, &config)?.validate()?;
    let trace = settings.trace.take();
    let mut place = Reports::of(&settings, trace.as_deref())?;
    let trace = place.trace.take();
    let Done { fuzzed, secrets, is_traced } = place.or_write(hunt(settings, &budget, trace)).await?;
    let mut report = fuzzed.report;
    let exit = check::gate(&mut report, fail_on);
    let is_written = place.finish(&mut report) && is_traced;
    if let Some(stopped @ Stopped::TokenOver { .. }) = &report.stopped {
        print::warn(&secrets, &format!("ended before its time: {stopped}"));
    }
    tell::ended(&report);
    let unsaved = save(&fuzzed.hits, &findings);
    let saved = fuzzed.hits.len() - unsaved.len();
    if saved > 0 {
        print::note(&secrets, &tell::saved(saved, &findings));
    }
    for failure in &unsaved {
        print::err(&secrets.mask(&failure.text));
    }
    Ok(if is_written && unsaved.is_empty() { exit } else { Exit::Usage })
}

/// What came of a hunt.
struct Done {
    fuzzed: Fuzzed,
    secrets: Secrets,
    /// Whether all of the trace was written, if one is wanted.
    is_traced: bool,
}

/// Finds the agent and fuzzes it.
async fn hunt(settings: Settings, budget: &Budget, trace: Option<TraceFile>) -> Result<Done, Failure> {
    let stop = signals::heard()?;
    let Settings { suite, own, .. } = settings.authorized().await?;
    let suite = suite.stop(stop).library(library(None)?);
    let (suite, own) = own_agent::find(suite, own).await?;
    let secrets = suite.secrets().clone();
    tell::fuzzed(&suite, budget);
    let hunting = Hunting::new(budget.time);
    let mut tracer = Tracer::new(trace, &secrets);
    let listener = |event: &Event| tracer.see(event, |warn| hunting.suspend(warn));
    let fuzzed = suite.fuzz(budget, |progress| hunting.see(progress), listener).await.map_err(Failure::from)?;
    drop(hunting);
    if let Some(agent) = own {
        agent.stop().await;
    }
    Ok(Done { fuzzed, secrets, is_traced: tracer.is_written })
}

/// The names of known findings: each is one, or a file of them, in which `#` begins what is for people.
fn names(known: &[String]) -> Result<BTreeSet<String>, Failure> {
    let is_name = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut names = BTreeSet::new();
    for one in known {
        if is_name(one) {
            names.insert(one.clone());
            continue;
        }
        let text = files::text(Path::new(one), files::LONGEST).map_err(|error| {
            Failure::usage(format!("`--known {one}` is no name of a finding, and no file: {error}"))
        })?;
        for (number, line) in text.lines().enumerate() {
            let name = line.split('#').next().unwrap_or_default().trim().trim_start_matches("fuzz/");
            match name {
                "" => {}
                name if is_name(name) => {
                    names.insert(name.to_owned());
                }
                name => {
                    let message =
                        format!("{one}:{}: `{name}` is no name of a finding, such as 788a5dc56000", number + 1);
                    return Err(Failure::usage(message));
                }
            }
        }
    }
    Ok(names)
}

/// Writes each finding into a file of its own; one that is there from an earlier run is written anew. Returns a failure for each that
/// cannot be written: the others are written all the same.
fn save(hits: &[Hit], folder: &Path) -> Vec<Failure> {
    let write = |hit: &Hit| {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let path = folder.join(format!("{}.yaml", hit.bucket));
        let written = std::fs::write(&path, &hit.file);
        written.map_err(|error| {
            // Half a file would be read as another finding, or as none.
            let _ = std::fs::remove_file(&path);
            unwritable(&path, &error)
        })
    };
    hits.iter().filter_map(|hit| write(hit).err()).collect()
}

/// Rejects a place that cannot be a folder before anything is sent, so that no finding is lost over it.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    let existing = folder.ancestors().find(|path| path.exists());
    match existing.filter(|path| !path.is_dir()) {
        Some(file) => {
            Err(Failure::usage(format!("--findings {}: {} is not a folder", folder.display(), file.display())))
        }
        None => Ok(()),
    }
}
