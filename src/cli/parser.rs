//! `a2aspec fuzz --parser`: what is wrong with a parser behind an adapter.

mod again;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::fail::{Failure, profile, profiles, unwritable};
use super::{Exit, corpus, machine, print};
use crate::corpus::{Kind, Makers};
use crate::diagnostic::words::{count, count_as, duration, one_line, shorten};
use crate::files;
use crate::parsers::{Adapter, AdapterError, Finding, Outcome, Plan, What, fuzz};
use crate::report::json;
use crate::verdict::Level;

pub(super) use again::run as again;

/// Seconds that a parser may take for one input, unless it is said.
pub(super) const TIMEOUT: f64 = 2.0;

/// What is wanted of `a2aspec fuzz --parser`.
pub(super) struct Wanted {
    /// The command that starts the parser.
    pub parser: String,
    /// What it reads.
    pub kind: String,
    /// The version of what it reads; the newest where none is named.
    pub profile: Option<String>,
    /// Seconds in which inputs are made.
    pub time: f64,
    /// The most inputs.
    pub inputs: usize,
    /// Seconds that it may take for one input.
    pub timeout: f64,
    /// What decides which inputs are made.
    pub seed: u64,
    /// Findings that are known: the id of one, or a file of them.
    pub known: Vec<String>,
    /// Where findings are written, where there are any.
    pub findings: PathBuf,
    /// `terminal` or `json`.
    pub report: String,
}

/// Fuzzes the parser, tells what is wrong with it, and fails where it breaks a MUST.
pub(super) fn run(args: &Wanted) -> Result<Exit, Failure> {
    machine::check()?;
    let kind = corpus::kind(&args.kind)?;
    let profile = match &args.profile {
        Some(name) => Some(profile(name)?),
        None => profiles()?.pop(),
    };
    let makers = Makers::new(kind, profile.as_ref()).map_err(|error| Failure::usage(error.to_string()))?;
    let known = known(&args.known)?;
    let plan = Plan { seed: args.seed, time: seconds(args.time, "--time")?, inputs: args.inputs };
    let mut adapter = Adapter::new(&args.parser, seconds(args.timeout, "--timeout")?);
    let outcome = fuzz(&makers, &mut adapter, &plan).map_err(|error| failure(&error));
    let outcome = match outcome {
        Err(failure) if args.report == "json" => {
            print::data(&not_done(args, &failure))?;
            return Err(failure);
        }
        outcome => outcome?,
    };
    if !outcome.findings.is_empty() {
        write(&args.findings, kind, &outcome.findings)?;
    }
    let version = profile.filter(|_| kind.is_of_a_version()).map(|profile| profile.name().to_owned());
    match args.report.as_str() {
        "json" => print::data(&as_json(args, version, &outcome, &known)?)?,
        _ => print::out(&terminal(args, kind, version.as_deref(), &outcome, &known))?,
    }
    let fails = outcome.findings.iter().any(|finding| finding.level == Level::Must && !known.contains(&finding.id));
    Ok(if fails { Exit::Fails } else { Exit::Holds })
}

/// The ids of known findings: each is one, or stands in a file of them, in which `#` begins what is for people.
fn known(given: &[String]) -> Result<BTreeSet<String>, Failure> {
    let mut known = BTreeSet::new();
    for one in given {
        if !Path::new(one).exists() && What::ALL.iter().any(|what| one.starts_with(what.name())) {
            known.insert(one.clone());
            continue;
        }
        let text = files::text(Path::new(one), files::LONGEST).map_err(|error| {
            Failure::usage(format!("`--known {one}` is no id of a finding about a parser, and no file: {error}"))
        })?;
        let ids = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        known.extend(ids.filter(|id| !id.is_empty()).map(str::to_owned));
    }
    Ok(known)
}

/// Those of the known findings that did not come.
fn not_seen<'k>(known: &'k BTreeSet<String>, outcome: &Outcome) -> Vec<&'k str> {
    let came = |id: &str| outcome.findings.iter().any(|finding| finding.id == id);
    known.iter().map(String::as_str).filter(|id| !came(id)).collect()
}

fn seconds(value: f64, flag: &str) -> Result<Duration, Failure> {
    crate::clock::seconds(value)
        .filter(|time| !time.is_zero())
        .ok_or_else(|| Failure::usage(format!("{flag} takes a number of seconds above 0, and not {value}")))
}

fn failure(error: &AdapterError) -> Failure {
    let help = match error {
        AdapterError::Start(_) | AdapterError::EndsAtOnce(_) => "run the command by itself to see what it says",
        AdapterError::Answer { .. } => {
            r#"an answer is one line: {"accepted": true, "value": ...} or {"accepted": false, "error": "..."}"#
        }
        AdapterError::Silent(_) => {
            "each input is four bytes of length, the highest first, and the bytes; flush each answer"
        }
    };
    Failure::new(Exit::Target, &error.to_string(), Some(help))
}

/// Two files for each finding: the input, and what is wrong.
fn write(folder: &Path, kind: Kind, findings: &[Finding]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    for finding in findings {
        let name: String = finding.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let told = serde_json::to_string_pretty(finding).map_err(|error| Failure::broken(error.to_string()))?;
        let files = [
            (folder.join(format!("{name}.input.{}", kind.extension())), finding.input.clone()),
            (folder.join(format!("{name}.finding.json")), (told + "\n").into_bytes()),
        ];
        for (path, bytes) in files {
            std::fs::write(&path, bytes).map_err(|error| unwritable(&path, &error))?;
        }
    }
    Ok(())
}

/// The version of the report as JSON.
const FORMAT: u32 = 1;

/// The report as JSON.
#[derive(Serialize)]
struct Told<'t> {
    format: u32,
    parser: &'t str,
    kind: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    seed: u64,
    inputs: usize,
    seconds: f64,
    restarts: usize,
    classes: &'t std::collections::BTreeMap<&'static str, usize>,
    /// Those of the findings that were known, and what was known and did not come.
    known: Vec<&'t str>,
    not_seen: Vec<&'t str>,
    findings: &'t [Finding],
}

fn as_json(
    args: &Wanted,
    profile: Option<String>,
    outcome: &Outcome,
    known: &BTreeSet<String>,
) -> Result<String, Failure> {
    let told = Told {
        format: FORMAT,
        parser: &args.parser,
        kind: &args.kind,
        profile,
        seed: args.seed,
        inputs: outcome.inputs,
        seconds: outcome.time.as_secs_f64(),
        restarts: outcome.restarts,
        classes: &outcome.classes,
        known: outcome.findings.iter().map(|finding| finding.id.as_str()).filter(|id| known.contains(*id)).collect(),
        not_seen: not_seen(known, outcome),
        findings: &outcome.findings,
    };
    serde_json::to_string_pretty(&told).map(|text| text + "\n").map_err(|error| Failure::broken(error.to_string()))
}

/// The report of a parser that could not be fuzzed, as JSON: why, in place of findings.
fn not_done(args: &Wanted, failure: &Failure) -> String {
    json::indented(&json!({
        "format": FORMAT,
        "parser": args.parser,
        "kind": args.kind,
        "error": failure.info(),
        "findings": [],
    }))
}

/// The report for people.
fn terminal(args: &Wanted, kind: Kind, profile: Option<&str>, outcome: &Outcome, known: &BTreeSet<String>) -> String {
    const LONGEST: usize = 160;
    let version = profile.map(|profile| format!(" of A2A {profile}")).unwrap_or_default();
    let mut out = format!("{kind}{version}, read by {}\n\n", one_line(&args.parser));
    for finding in &outcome.findings {
        let cut = |text: &str| shorten(&one_line(text), LONGEST);
        out.push_str(&format!("{:<6} {}: {}\n", finding.level.to_string(), finding.class.name, finding.what));
        let mut row = |label: &str, text: &str| out.push_str(&format!("       {label:<9} {text}\n"));
        row("why", &format!("{} ({})", finding.class.reason, finding.class.section));
        row("input", &format!("{} ({})", cut(&shown(&finding.input)), count(finding.input.len(), "byte")));
        if let Some(about) = &finding.about {
            row("where", if about.is_empty() { "the whole of it" } else { about });
        }
        if let Some(expected) = &finding.expected {
            row("expected", &cut(&expected.to_string()));
        }
        if let Some(place) = finding.place.as_deref().filter(|place| !place.is_empty()) {
            row("differs", &format!("at {place}"));
        }
        row("answer", &cut(&finding.said));
        let again = match finding.again {
            3 => String::new(),
            again => format!("; {again} of 3 times when the smallest input was given again"),
        };
        row("seen", &format!("{}{again}", count(finding.seen, "time")));
        let is_known = if known.contains(&finding.id) { ", which is known: it fails nothing" } else { "" };
        row("id", &format!("{}{is_known}", finding.id));
        out.push('\n');
    }
    let of = |level| outcome.findings.iter().filter(|finding| finding.level == level).count();
    let found = match outcome.findings.len() {
        0 => "no findings".to_owned(),
        all => {
            let levels = Level::ALL.map(|level| format!("{} {level}", of(level)));
            format!("{}: {}", count(all, "finding"), levels.join(", "))
        }
    };
    for id in not_seen(known, outcome) {
        out.push_str(&format!("known, and not met: {}\n", one_line(id)));
    }
    let rate = outcome.inputs as f64 / outcome.time.as_secs_f64().max(f64::MIN_POSITIVE);
    out.push_str(&format!(
        "{found}; {} of {} in {}, {rate:.0} a second; seed {}\n",
        count(outcome.inputs, "input"),
        count_as(outcome.classes.len(), "class", "classes"),
        duration(outcome.time),
        args.seed
    ));
    out
}

/// The bytes as text, where they are text.
fn shown(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.escape_ascii().to_string(), one_line)
}
