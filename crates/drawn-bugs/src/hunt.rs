//! Starts the fuzzer as a program on a drawn bug, and reads what it found.

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::bug::{Bug, Effect};
use crate::proxy::{Broken, Proxy, Tally};

/// Each caller has a token, so that the extended card is served; the agent takes any.
const TOKEN: &str = "DRAWN_BUGS_TOKEN";
/// How long a slow task takes, as by default.
const SLOW: Duration = Duration::from_secs(4);
/// A hunt may take so much longer than it was told to before it is ended.
const PATIENCE: Duration = Duration::from_secs(180);

/// How to hunt.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program, which has the commands `fuzz` and `replay`.
    pub program: PathBuf,
    /// How long a hunt makes requests.
    pub seconds: u64,
    /// The most messages of a hunt.
    pub messages: u64,
    /// Where reports and findings go.
    pub folder: PathBuf,
}

/// What came of a hunt.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The bug; none in a control.
    pub bug: Option<Bug>,
    /// How many draws before it were out of reach.
    pub out_of_reach: u64,
    /// The seed of the hunt.
    pub seed: u64,
    /// What the proxy saw of the hunt, before the replay.
    pub tally: Tally,
    /// What was found, a line each.
    pub findings: Vec<String>,
    /// Whether a finding names the operation and the effect.
    pub is_named: bool,
    /// Whether that finding, or another one with the operation, names the place, too.
    pub is_placed: bool,
    /// Files of findings.
    pub files: usize,
    /// The verdict of the replay on each.
    pub replay: Vec<String>,
    /// From the start of the program to its end.
    pub seconds: f64,
    /// What went wrong with the hunt itself.
    pub error: Option<String>,
}

impl Outcome {
    /// Whether the bug was met.
    #[must_use]
    pub const fn is_met(&self) -> bool {
        self.tally.met > 0
    }

    /// Whether anything was found.
    #[must_use]
    pub const fn is_told(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Why it was missed, in a line.
    #[must_use]
    pub fn why(&self) -> String {
        let Tally { calls, met, shown, steps, .. } = self.tally;
        let several = self.bug.as_ref().is_some_and(|bug| bug.conditions.len() > 1);
        let steps = if several {
            format!(", the first condition held {} times, the first two {}", steps[0], steps[1])
        } else {
            String::new()
        };
        match (&self.error, met, shown) {
            (Some(error), ..) => format!("the hunt failed: {error}"),
            (_, 0, _) => format!("not met in {calls} calls{steps}"),
            (_, _, 0) if self.bug.as_ref().is_some_and(|bug| bug.effect.is_delivery()) => {
                format!("met {met} times in {calls} calls, none of which brought a webhook that got a delivery{steps}")
            }
            (_, _, 0) => {
                format!("met {met} times in {calls} calls, none of whose answers had what the bug changes{steps}")
            }
            _ if !self.is_told() => {
                format!("met {met} times in {calls} calls, changed {shown} answers, nothing told{steps}")
            }
            _ => format!("changed {shown} answers, told by another name: {}", self.findings[0]),
        }
    }
}

/// Starts a reference agent that speaks 1.0 only, and takes so long for a slow task.
///
/// # Errors
/// Those of the port.
pub async fn agent(slow: Duration) -> Result<(a2a_reference_agent::RunningAgent, SocketAddr), Broken> {
    let config =
        a2a_reference_agent::Config { only: Some("1.0".parse()?), slow, ..a2a_reference_agent::Config::default() };
    let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await?;
    let address = agent.url().trim_start_matches("http://").trim_end_matches('/').parse()?;
    Ok((agent, address))
}

/// Hunts a bug, or nothing as a control, and replays what was found.
///
/// # Errors
/// If the agent or the proxy cannot be started.
pub async fn hunt(options: &Options, bug: Option<Bug>, out_of_reach: u64, seed: u64) -> Result<Outcome, Broken> {
    let (agent, address) = agent(SLOW).await?;
    let proxy = Proxy::start(address, bug.clone()).await?;
    let name = bug.as_ref().map_or_else(|| format!("control-{seed}"), |bug| bug.id.clone());
    let folder = options.folder.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let (report, findings) = (folder.join("report.json"), folder.join("findings"));
    let own = |words: &[OsString]| {
        let url = format!("http://{}", proxy.address);
        let mut command = Command::new(&options.program);
        command.args(words).arg(&url).args(["--base-url", &url, "--profile", "1.0"]);
        command.args(["--binding", "jsonrpc", "--binding", "http-json", "--bearer", &format!("env:{TOKEN}")]);
        command.env(TOKEN, "drawn").current_dir(&folder).stdin(Stdio::null());
        command
    };
    let mut command = own(&["fuzz".into()]);
    command.args(["--time", &options.seconds.to_string(), "--seed", &seed.to_string()]);
    command.args(["--max-messages", &options.messages.to_string()]);
    command.arg("--findings").arg(&findings).arg("--report").arg(join("json=", &report));
    let began = Instant::now();
    let most = Duration::from_secs(options.seconds) + PATIENCE;
    let mut error = run(command, &folder.join("hunt"), most).await.err().map(|error| error.to_string());
    let (seconds, tally) = (began.elapsed().as_secs_f64(), proxy.tally());
    let found =
        match fs::read(&report).map_err(Broken::from).and_then(|text| Ok(serde_json::from_slice::<Value>(&text)?)) {
            Ok(report) => found(&report),
            Err(wrong) => {
                error.get_or_insert(format!("there is no report: {wrong}"));
                Vec::new()
            }
        };
    let files = fs::read_dir(&findings).map_or(0, Iterator::count);
    let mut replay = Vec::new();
    if files > 0 {
        let command = own(&["replay".into(), findings.into()]);
        // Its exit code says that something came again.
        let _code = run(command, &folder.join("replay"), most).await;
        let text = fs::read_to_string(folder.join("replay.out")).unwrap_or_default();
        replay = text.lines().filter(|line| line.contains(" fuzz/")).filter_map(first_word).collect();
    }
    proxy.stop().await;
    agent.stop().await;
    let (is_named, is_placed) = bug.as_ref().map_or((false, false), |bug| named(bug, &found));
    Ok(Outcome { bug, out_of_reach, seed, tally, findings: found, is_named, is_placed, files, replay, seconds, error })
}

fn join(prefix: &str, path: &Path) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(path);
    word
}

fn first_word(line: &str) -> Option<String> {
    line.split_whitespace().next().map(str::to_owned)
}

/// Runs a program to its end, its output in files.
async fn run(mut command: Command, output: &Path, most: Duration) -> Result<(), Broken> {
    command.stdout(fs::File::create(output.with_extension("out"))?);
    command.stderr(fs::File::create(output.with_extension("err"))?);
    let mut child = command.spawn()?;
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            // 1 says that something was found.
            return match status.code() {
                Some(0 | 1) => Ok(()),
                _ => Err(format!("it ended with {status}").into()),
            };
        }
        if began.elapsed() > most {
            child.kill()?;
            child.wait()?;
            return Err("it did not end".into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What a report has found: the title and everything that is said of it.
#[must_use]
pub fn found(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_found = |result: &&Value| matches!(result["verdict"].as_str(), Some("fail" | "warn" | "note"));
    let results = report["results"].as_array().into_iter().flatten().filter(is_found).map(|result| {
        let findings = result["findings"].as_array().into_iter().flatten();
        let lines: Vec<String> =
            findings.map(|finding| format!("{} [{}]", text(&finding["message"]), text(&finding["kind"]))).collect();
        format!("{}: {}", text(&result["title"]), lines.join("; "))
    });
    let grows = report["fuzz"]["growth"].as_array().into_iter().flatten();
    results.chain(grows.map(|growth| format!("{}: {}", text(&growth["operation"]), text(&growth["what"])))).collect()
}

/// Whether one of the findings names the operation and the effect, and whether one of these names a place of the bug.
#[must_use]
pub fn named(bug: &Bug, findings: &[String]) -> (bool, bool) {
    let words = words(&bug.effect);
    let of_it: Vec<String> = findings
        .iter()
        .filter(|finding| finding.contains(&bug.operation) || bug.effect.is_delivery())
        .map(|finding| finding.to_lowercase())
        .filter(|finding| words.iter().any(|word| finding.contains(word)))
        .collect();
    let places: Vec<String> =
        bug.conditions.iter().filter_map(|condition| condition.place.word()).map(str::to_lowercase).collect();
    let is_placed = of_it.iter().any(|finding| places.iter().any(|place| finding.contains(place)));
    (!of_it.is_empty(), is_placed)
}

/// Words by which a reader would know an effect, in lower case. They are of this crate: whoever words a finding need not know them,
/// only say what happened.
const fn words(effect: &Effect) -> &'static [&'static str] {
    match effect {
        Effect::InternalError => &["internalerror", "internal error", "-32603", "http 5", "internal"],
        Effect::Status(_) => &["http 5", "status 5"],
        Effect::Hang => {
            &["unanswered", "no answer", "no response", "does not end", "hang", "timeout", "silent", "in time"]
        }
        Effect::Close { .. } => {
            &["close", "unanswered", "connection", "breaks off", "reset", "incomplete", "no answer", "cut"]
        }
        Effect::Lose(_) => &[
            "missing",
            "lost",
            "lack",
            "absent",
            "without",
            "not there",
            "gone",
            "differ",
            "required",
            "the member",
            "other than",
            "changed",
        ],
        Effect::Cut(..) | Effect::Normalise(..) => &[
            "cut",
            "shortened",
            "differ",
            "other than",
            "changed",
            "not the same",
            "normal",
            "not what was sent",
            "lost",
        ],
        Effect::OtherId(..) => {
            &["other id", "another", "foreign", "differ", "other than", "of the request", "not the one", "same"]
        }
        Effect::Swap(_) | Effect::WrongOrder | Effect::EventsSwapped => {
            &["order", "swapped", "sorted", "differ", "before", "newest"]
        }
        Effect::Repeat(_) | Effect::EventTwice | Effect::DeliveryTwice => {
            &["twice", "repeat", "again", "once", "duplicate", "more than"]
        }
        Effect::Stale => &["stale", "old", "deleted", "not the newest", "differ", "once", "changed", "behind"],
        Effect::Leak => &["foreign", "other", "another", "not of", "leak", "filter", "context"],
        Effect::WrongPageSize(_) => &["page", "more than", "too many", "fewer", "once", "totalsize"],
        Effect::Reflect(..) => &["header", "head", "reflect"],
        Effect::Trace(_) => &["stack", "trace", "internals", "backtrace", "file name"],
        Effect::EventLost => &["lost", "missing", "gone", "lack", "not there", "differ", "without"],
        Effect::EventForeign => &["foreign", "another", "other task", "other", "not of"],
        Effect::DeliveryNone => &["deliver", "webhook", "push"],
        Effect::DeliveryForeign => &["deliver", "webhook", "push"],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bug::{Bindings, Condition, Place, Rarity, Relation};

    #[test]
    fn a_report_is_read_and_judged() {
        let finding = json!({ "kind": "failed-instead", "message": "the agent fails with InternalError (-32603)" });
        let report = json!({
            "results": [
                { "title": "GetTask: a large number, at /historyLength", "verdict": "fail", "findings": [finding] },
                { "title": "SendMessage: something", "verdict": "pass", "findings": [] },
            ],
            "fuzz": { "growth": [{ "operation": "ListTasks", "what": "the memory grows" }] },
        });
        let lines = found(&report);
        assert_eq!(lines.len(), 2);
        let mut bug = Bug {
            id: "1-1".to_owned(),
            operation: "GetTask".to_owned(),
            binding: Bindings::Both,
            conditions: vec![Condition {
                place: Place::Member("/historyLength".to_owned()),
                relation: Relation::AtLeast(7),
            }],
            hints: Vec::new(),
            effect: Effect::InternalError,
            rarity: Rarity::Common,
        };
        assert_eq!(named(&bug, &lines), (true, true));
        bug.conditions[0].place = Place::Member("/id".to_owned());
        bug.effect = Effect::Reflect("x-a".to_owned(), "/id".to_owned());
        assert_eq!(named(&bug, &lines), (false, false));
        bug.operation = "CancelTask".to_owned();
        bug.effect = Effect::InternalError;
        assert_eq!(named(&bug, &lines), (false, false));
    }
}
