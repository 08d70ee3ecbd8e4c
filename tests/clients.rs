//! Published clients against the reference agent: their whole surface, over each binding that they speak. What each step
//! of them sees is in `tests/clients/clients.yaml`, with the argument where it is not what it should be; what each of them
//! sends is in `tests/clients/recorded`. One difference fails.
//!
//! `tests/clients/README.md` tells how to run this, and how to add a client.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "clients/calls.rs"]
mod calls;
use crate::common::deadline;
#[path = "clients/expected.rs"]
mod expected;
use crate::common::agent::Reference;
use crate::common::made;
use crate::common::program::{self, Folder};
#[path = "clients/recorder.rs"]
mod recorder;
#[path = "clients/recording.rs"]
mod recording;
#[path = "clients/signing.rs"]
mod signing;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::{Config, Fault};
use libtest_mimic::{Completion, Failed, Trial};
use serde::Deserialize;
use serde_json::Value;

use calls::Calls;
use deadline::run;
use expected::{Client, Expected};
use made::{Language, folder, made};
use recorder::Recorded;

/// How long one client may take over one binding: many times what it does take.
const SURFACE: Duration = Duration::from_secs(300);

/// An agent that is wrong in one thing that each client asks for.
const FAULT: &str = "error:InternalError@GetTask";

/// Each client over each of its bindings in each of its versions, and what its SDK signs.
///
/// # Errors
///
/// What is wrong with the list of clients, for people to read.
pub fn trials() -> Result<Vec<Trial>, String> {
    let expected = Arc::new(Expected::read(&folder().join("clients.yaml")).map_err(|error| error.to_string())?);
    let mut trials = Vec::new();
    for client in &expected.clients {
        for (version, bindings) in &client.speaks {
            for binding in bindings {
                let surface = Surface {
                    expected: Arc::clone(&expected),
                    client: client.clone(),
                    version: version.clone(),
                    binding: binding.clone(),
                };
                // Before 1.0 nothing is known that the requests of every client meet.
                let is_judged = surface.version == "1.0";
                let judged = surface.clone();
                trials.push(Trial::ignorable_test(surface.name(), move || surface.check()));
                if is_judged {
                    let name = format!("{} through the proxy", judged.name());
                    trials.push(Trial::ignorable_test(name, move || judged.passes()));
                }
            }
        }
        // It notices what an agent does wrong, so that what it says of a right one is worth something.
        if let Some((version, binding)) = client.speaks.iter().find_map(|(version, all)| Some((version, all.first()?)))
        {
            let surface = Surface {
                expected: Arc::clone(&expected),
                client: client.clone(),
                version: version.clone(),
                binding: binding.clone(),
            };
            trials.push(Trial::ignorable_test(format!("clients/{} notices a fault", client.name), move || {
                surface.notices()
            }));
        }
    }
    for client in expected.clients.iter().filter(|client| client.signatures.is_some()).cloned() {
        let name = format!("clients/{} signs and verifies", client.name);
        trials.push(Trial::ignorable_test(name, move || signs(&client)));
    }
    Ok(trials)
}

/// What the client's SDK signs holds here, and the other way round.
fn signs(client: &Client) -> Result<Completion, Failed> {
    if let Some(reason) = made(client.language)? {
        return Ok(Completion::ignored_with(reason));
    }
    let program = client.signatures.as_deref().unwrap_or_default();
    signing::check(command(client, program))?;
    Ok(Completion::Completed)
}

/// A client over one binding in one version.
#[derive(Clone)]
struct Surface {
    expected: Arc<Expected>,
    client: Client,
    version: String,
    binding: String,
}

/// One line of a client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    step: String,
    saw: String,
}

impl Surface {
    fn name(&self) -> String {
        format!("clients/{} in {} over {}", self.client.name, self.version, self.binding)
    }

    /// Holds what the client sees and sends against what is expected.
    fn check(&self) -> Result<Completion, Failed> {
        if let Some(reason) = made(self.client.language)? {
            return Ok(Completion::ignored_with(reason));
        }
        let (seen, recorded) = self.go(Config::default())?;
        let mut differences = self.differences(&seen);
        let calls = Calls::of(&self.version)?;
        let text = recording::write(&recorded, |path, body| calls.message(path, body))?;
        let file = folder().join("recorded").join(recording::file(&self.client.name, &self.version, &self.binding));
        differences.extend(recording::compare(&file, &text)?);
        match differences.is_empty() {
            true => Ok(Completion::Completed),
            false => Err(differences.concat().into()),
        }
    }

    /// The client sees the same through `a2aspec proxy`, which has nothing to report on either.
    fn passes(&self) -> Result<Completion, Failed> {
        if let Some(reason) = made(self.client.language)? {
            return Ok(Completion::ignored_with(reason));
        }
        let Self { client, version, binding, .. } = self;
        let agent = Reference::start(Config::default());
        let folder = Folder::new();
        let file = folder.file("proxy.json");
        let report = format!("json={file}");
        let proxy = program::start(&["proxy", "--to", &agent.url(), "--profile", version, "--report", &report], &[]);
        let line = proxy.stderr_line("proxy at ");
        let url = line.split(' ').find(|word| word.starts_with("http")).unwrap_or_default();
        let done = run(command(client, &client.program).args([url, version, binding]), SURFACE)?;
        if done.code != Some(0) {
            return Err(format!("{} failed: {done}", client.program).into());
        }
        proxy.signal("INT");
        let ran = proxy.wait();
        let port = url.rsplit(':').next().unwrap_or_default();
        let mut differences = self.differences(&steps(&done.stdout, port)?);
        let report = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}\n{}", ran.stderr))?;
        let report: Value = serde_json::from_str(&report).map_err(|error| error.to_string())?;
        let wrong = results(&report, &["fail", "warn", "note", "broken"]);
        if !wrong.is_empty() {
            differences.push(format!("\nthe proxy reports {wrong:?}\n{}", ran.stderr));
        }
        // What is judged by nothing is not right either.
        if !results(&report, &["pass"]).contains("client/version-on-every-operation") {
            differences.push(format!("\nthe proxy has not judged the client\n{}", ran.stderr));
        }
        match differences.is_empty() {
            true => Ok(Completion::Completed),
            false => Err(differences.concat().into()),
        }
    }

    /// The client sees another thing where the agent does another thing.
    fn notices(&self) -> Result<Completion, Failed> {
        if let Some(reason) = made(self.client.language)? {
            return Ok(Completion::ignored_with(reason));
        }
        let fault = Fault::find(FAULT).map_err(|error| error.to_string())?;
        let (seen, _) = self.go(Config { faults: vec![fault], ..Config::default() })?;
        let differences = self.differences(&seen);
        match differences.iter().any(|difference| difference.starts_with("\nget ")) {
            true => Ok(Completion::Completed),
            false => Err(format!("the client does not see that GetTask fails: {}", differences.concat()).into()),
        }
    }

    /// Runs the client against an agent of its own: what it saw at each step, and what it sent.
    fn go(&self, config: Config) -> Result<(BTreeMap<String, String>, Vec<Recorded>), Failed> {
        let agent = recorder::Agent::start(config)?;
        let done =
            run(command(&self.client, &self.client.program).args([&agent.url, &self.version, &self.binding]), SURFACE)?;
        if done.code != Some(0) {
            return Err(format!("{} failed: {done}", self.client.program).into());
        }
        let port = agent.url.rsplit(':').next().unwrap_or_default();
        Ok((steps(&done.stdout, port)?, agent.recorded()))
    }

    /// In what the client saw other things than it should, for people to read.
    fn differences(&self, seen: &BTreeMap<String, String>) -> Vec<String> {
        let Self { expected, client, version, binding } = self;
        let expected = expected.of(&client.name, version, binding);
        let unknown = seen.keys().filter(|step| !expected.contains_key(*step));
        let unknown = unknown.map(|step| format!("\n{step} is no step of clients.yaml"));
        let differences = expected.iter().filter_map(|(step, wanted)| {
            let saw = seen.get(step).map_or(expected::NO_CALL, String::as_str);
            (saw != wanted).then(|| format!("\n{step} saw {saw:?}, expected {wanted:?}"))
        });
        differences.chain(unknown).collect()
    }
}

/// What a client saw at each step of an agent at this port.
fn steps(stdout: &str, port: &str) -> Result<BTreeMap<String, String>, String> {
    let steps = stdout.lines().map(|line| {
        let step: Step = serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))?;
        Ok((step.step, step.saw.replace(port, "PORT")))
    });
    steps.collect()
}

/// The cases with these verdicts in a report.
fn results(report: &Value, verdicts: &[&str]) -> BTreeSet<String> {
    let results = report["results"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let of = results.filter(|result| result["verdict"].as_str().is_some_and(|verdict| verdicts.contains(&verdict)));
    of.filter_map(|result| result["case"].as_str().map(str::to_owned)).collect()
}

fn command(client: &Client, program: &str) -> Command {
    let real = folder().join("../real");
    match client.language {
        Language::Python => {
            let mut command = Command::new(real.join(format!(".venv-{}/bin/python", client.environment)));
            command.arg(folder().join("python").join(program));
            command
        }
        Language::Javascript => {
            let mut command = Command::new("node");
            command.arg(folder().join("javascript").join(program));
            command
        }
        Language::Rust => Command::new(real.join("rust-agent/target/debug").join(program)),
    }
}
