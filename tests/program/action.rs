//! The action of `action.yml`: its steps run as the service runs them, by bash, with the files and variables that it gives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use a2aspec::yaml;
use axum::body::Body;
use serde_json::Value;

use super::program;
use super::proxy::{reference_agent, unchanged};

/// A job of the service, of which an action is a part.
struct Job {
    folder: program::Folder,
    inputs: BTreeMap<String, String>,
    /// What steps have put out, as `steps.ID.outputs.NAME`.
    outputs: BTreeMap<String, String>,
    /// What they have put before the path of programs.
    path: Vec<String>,
    /// What the last step wrote, and how it ended.
    last: program::Ran,
}

impl Job {
    /// Runs the action with these inputs, until a step fails. The release has the program.
    fn run(inputs: &[(&str, &str)]) -> Self {
        Self::run_with(inputs, |_| ())
    }

    /// The same of a release that is changed before.
    fn run_with(inputs: &[(&str, &str)], change: impl FnOnce(&Path)) -> Self {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/action.yml")).unwrap();
        let action: Value = yaml::read("action.yml", &text).expect("it is YAML");
        let given = |name: &str| inputs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let default = |input: &Value| input["default"].as_str().unwrap_or_default().to_owned();
        let known = action["inputs"].as_object().unwrap().iter();
        let inputs = known.map(|(name, input)| (name.clone(), given(name).unwrap_or_else(|| default(input)))).collect();
        let last = program::Ran { code: 0, stdout: String::new(), stderr: String::new() };
        let folder = program::Folder::new();
        change(&release(folder.path()));
        let mut job = Self { folder, inputs, outputs: BTreeMap::new(), path: Vec::new(), last };
        for step in action["runs"]["steps"].as_array().unwrap() {
            job.step(step);
            if job.last.code != 0 {
                break;
            }
        }
        for (name, output) in action["outputs"].as_object().unwrap() {
            let value = job.filled(output["value"].as_str().unwrap());
            job.outputs.insert(name.clone(), value);
        }
        job
    }

    fn step(&mut self, step: &Value) {
        let name = step["id"].as_str().unwrap_or("a step");
        if !step["if"].as_str().is_none_or(|condition| condition.split(" && ").all(|part| self.holds(part))) {
            return;
        }
        if step["uses"].as_str().is_some_and(|uses| uses.starts_with("actions/cache@")) {
            self.restore(step);
            return;
        }
        assert_eq!(step["shell"], "bash", "{name}");
        let files = ["GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"].map(|file| (file, self.folder.file(file)));
        let folder = step["working-directory"].as_str().map(|folder| self.filled(folder));
        let path = self.path.iter().cloned().chain(std::env::var("PATH").ok()).collect::<Vec<_>>().join(":");
        let mut command = program::command::command("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().unwrap()]);
        command.current_dir(folder.unwrap_or_else(|| self.folder.path().display().to_string()));
        command.env("PATH", path).env("RUNNER_TEMP", self.folder.path()).envs(files.clone());
        for (variable, value) in step["env"].as_object().into_iter().flatten() {
            command.env(variable, self.filled(value.as_str().unwrap()));
        }
        self.last = program::Running::of(&mut command).unwrap().wait();
        let written = |file: &str| std::fs::read_to_string(self.folder.file(file)).unwrap_or_default();
        let outputs = written("GITHUB_OUTPUT");
        let outputs = outputs.lines().filter_map(|line| line.split_once('='));
        self.outputs
            .extend(outputs.map(|(output, value)| (format!("steps.{name}.outputs.{output}"), value.to_owned())));
        let before = written("GITHUB_PATH");
        self.path.splice(0..0, before.lines().map(str::to_owned));
        for file in ["GITHUB_OUTPUT", "GITHUB_PATH"] {
            let _ = std::fs::remove_file(self.folder.file(file));
        }
    }

    /// Whether a comparison of a condition holds.
    fn holds(&self, comparison: &str) -> bool {
        let (is_equal, (left, right)) = match comparison.split_once(" == ") {
            Some(sides) => (true, sides),
            None => (false, comparison.split_once(" != ").unwrap_or_else(|| panic!("what is {comparison}?"))),
        };
        (self.value(left) == right.trim_matches('\'')) == is_equal
    }

    /// The cache holds the program, where the step looks for it.
    fn restore(&mut self, step: &Value) {
        let key = self.filled(step["with"]["key"].as_str().unwrap());
        let sum = key.rsplit('-').next().unwrap();
        assert!(sum.len() == 32 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        let folder = std::path::PathBuf::from(self.filled(step["with"]["path"].as_str().unwrap())).join("bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_a2aspec"), folder.join("a2aspec")).unwrap();
        self.outputs.insert("steps.cache.outputs.cache-hit".to_owned(), "true".to_owned());
    }

    /// A text with its expressions filled in.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${{") {
            let (expression, after) = after.split_once("}}").expect("an expression has an end");
            filled.push_str(before);
            let values = expression.split(" || ").map(|part| self.value(part.trim()));
            filled.push_str(&values.into_iter().find(|value| !value.is_empty()).unwrap_or_default());
            rest = after;
        }
        filled + rest
    }

    /// The value of a name in an expression. What a step did not put out is nothing.
    fn value(&self, name: &str) -> String {
        match name {
            "github.action_path" => env!("CARGO_MANIFEST_DIR").to_owned(),
            "github.action_repository" => "maker/a2aspec".to_owned(),
            "github.server_url" => format!("file://{}", self.folder.path().display()),
            "runner.os" => "Linux".to_owned(),
            "runner.arch" => "X64".to_owned(),
            other => match other.strip_prefix("inputs.") {
                Some(input) => self.inputs[input].clone(),
                None => self.outputs.get(other).cloned().unwrap_or_default(),
            },
        }
    }

    /// What a file of the job holds.
    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

/// Makes the release of this version, as the workflow publishes it, in the folder of a server; the folder of its files. The program is
/// a line that starts the one that is tested.
fn release(server: &Path) -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    let folder = server.join(format!("maker/a2aspec/releases/download/v{version}"));
    let name = format!("a2aspec-{version}-x86_64-unknown-linux-musl");
    std::fs::create_dir_all(folder.join(&name)).unwrap();
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_a2aspec"));
    std::fs::write(folder.join(&name).join("a2aspec"), script).unwrap();
    let pack = format!(
        "chmod +x {name}/a2aspec && tar -czf {name}.tar.gz {name} && rm -r {name} && sha256sum -- a2aspec-* >SHA256SUMS"
    );
    let mut command = program::command::command("sh");
    let packed = program::Running::of(command.args(["-e", "-c", &pack]).current_dir(&folder)).unwrap().wait();
    assert_eq!(packed.code, 0, "{}", packed.stderr);
    folder
}

/// Each an argument of its own, whatever the shell makes of it.
const ARGS: &str = "--profile=1.0\n--binding=jsonrpc\n--only=get/unknown-id\n";

#[test]
fn an_agent_that_is_right_passes_with_all_reports() {
    let agent = reference_agent(|_, answer| unchanged(answer));
    let last = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/no-such-report.json");
    let inputs = [
        ("url", agent.url.as_str()),
        ("args", "--binding=jsonrpc\n--only=get/unknown-id"),
        ("fail-on", "should"),
        ("profile", "1.0"),
    ];
    let job = Job::run(&[&inputs[..], &[("compare-with", last)]].concat());
    assert_eq!((job.last.code, job.outputs["exit-code"].as_str()), (0, "0"), "{}", job.last.stderr);
    assert!(job.last.stderr.contains("the gate passes") && !job.last.stdout.contains("::error"), "{}", job.last.stdout);
    let summary = job.file("GITHUB_STEP_SUMMARY");
    assert!(summary.contains("the gate passes"), "{summary}");
    for (output, begins) in [("json", "{"), ("html", "<!doctype html>"), ("junit", "<?xml"), ("sarif", "{")] {
        let report = job.file(&job.outputs[output]);
        assert!(report.to_ascii_lowercase().starts_with(begins), "{output}: {report:.80}");
    }
}

#[test]
fn an_agent_that_is_wrong_fails_with_annotations() {
    let agent = reference_agent(|_, answer| {
        let text = String::from_utf8_lossy(answer.body()).replace("-32001", "-32603");
        answer.map(|_| Body::from(text))
    });
    let earlier = reference_agent(|_, answer| unchanged(answer));
    let passed = Job::run(&[("url", &earlier.url), ("args", ARGS)]);
    let last = passed.folder.file(&passed.outputs["json"]);
    let job = Job::run(&[("url", &agent.url), ("args", ARGS), ("compare-with", &last)]);
    assert_eq!((job.last.code, job.outputs["exit-code"].as_str()), (1, "1"), "{}", job.last.stderr);
    assert!(job.file("GITHUB_STEP_SUMMARY").contains("### New problems"), "{}", job.file("GITHUB_STEP_SUMMARY"));
    assert!(job.last.stdout.lines().any(|line| line.starts_with("::error ")), "{}", job.last.stdout);
    assert!(job.file("GITHUB_STEP_SUMMARY").contains("get/unknown-id"));
    let quiet = Job::run(&[("url", &agent.url), ("args", ARGS), ("summary", "false"), ("fail-on", "never")]);
    assert_eq!(quiet.last.code, 0, "{}", quiet.last.stderr);
    assert_eq!((quiet.last.stdout.as_str(), quiet.file("GITHUB_STEP_SUMMARY").as_str()), ("", ""));
}

/// Without an agent the program is installed, downloaded or built, and nothing is checked.
#[test]
fn without_a_url_the_program_is_there() {
    for inputs in [&[][..], &[("build", "true")]] {
        let job = Job::run(inputs);
        assert_eq!((job.last.code, job.outputs["exit-code"].as_str()), (0, ""), "{}", job.last.stderr);
        let installed = job.path.first().map(|folder| Path::new(folder).join("a2aspec"));
        assert!(installed.is_some_and(|program| program.exists()), "{:?}", job.path);
    }
}

/// An archive that the release does not vouch for, or that is not the one that the user expects, is not unpacked.
#[test]
fn an_archive_with_another_checksum_is_refused() {
    let change = |release: &Path| {
        let archive = std::fs::read_dir(release).unwrap().map(|entry| entry.unwrap().path());
        let archive = archive.into_iter().find(|path| path.extension().is_some_and(|end| end == "gz")).unwrap();
        let mut bytes = std::fs::read(&archive).unwrap();
        bytes.push(0);
        std::fs::write(archive, bytes).unwrap();
    };
    let unexpected = "0".repeat(64);
    for job in [Job::run_with(&[], change), Job::run(&[("sha256", &unexpected)])] {
        assert_eq!(job.last.code, 1, "{}", job.last.stderr);
        assert!(job.last.stdout.contains("does not have the checksum of the release"), "{}", job.last.stdout);
        assert!(!job.folder.path().join("a2aspec/bin/a2aspec").exists() && job.path.is_empty());
    }
    let unknown = Job::run(&[("version", "9.9.9")]);
    assert!(unknown.last.code != 0 && unknown.path.is_empty(), "{}", unknown.last.stderr);
}
