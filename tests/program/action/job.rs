//! A job of the service, of which the action is a part.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use a2aspec::yaml;
use serde_json::Value;

use super::super::program;

/// The jobs' cache: files by their keys, the newest last, each with where it was in the folder of its job.
pub type Cache = Rc<RefCell<Vec<(String, PathBuf, Vec<u8>)>>>;

/// A job of the service, of which an action is a part.
pub struct Job {
    pub folder: program::Folder,
    inputs: BTreeMap<String, String>,
    /// What the service says of the run, as `github.NAME`.
    context: BTreeMap<String, String>,
    cache: Cache,
    /// What steps have put out, as `steps.ID.outputs.NAME`.
    pub outputs: BTreeMap<String, String>,
    /// What they have put before the path of programs.
    pub path: Vec<String>,
    /// What the last step wrote, and how it ended.
    pub last: program::Ran,
    /// Whether a step failed.
    pub has_failed: bool,
}

impl Job {
    /// Runs the action with these inputs. The release has the program.
    pub fn run(inputs: &[(&str, &str)]) -> Self {
        Self::run_for(&Cache::default(), &[], inputs, |_| ())
    }

    /// The same of a release that is changed before.
    pub fn run_with(inputs: &[(&str, &str)], change: impl FnOnce(&Path)) -> Self {
        Self::run_for(&Cache::default(), &[], inputs, change)
    }

    /// The same in a run of which the service says this, with the cache of its repository.
    pub fn run_for(
        cache: &Cache,
        context: &[(&str, &str)],
        inputs: &[(&str, &str)],
        change: impl FnOnce(&Path),
    ) -> Self {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/action.yml")).unwrap();
        let action: Value = yaml::read("action.yml", &text).expect("it is YAML");
        let given = |name: &str| inputs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let default = |input: &Value| input["default"].as_str().unwrap_or_default().to_owned();
        let known = action["inputs"].as_object().unwrap().iter();
        let inputs = known.map(|(name, input)| (name.clone(), given(name).unwrap_or_else(|| default(input)))).collect();
        let last = program::Ran { code: 0, stdout: String::new(), stderr: String::new() };
        let folder = program::Folder::new();
        change(&release(folder.path()));
        let context = context.iter().map(|(name, value)| (format!("github.{name}"), (*value).to_owned())).collect();
        let (outputs, path, cache) = (BTreeMap::new(), Vec::new(), Rc::clone(cache));
        let mut job = Self { folder, inputs, context, cache, outputs, path, last, has_failed: false };
        for step in action["runs"]["steps"].as_array().unwrap() {
            job.step(step);
        }
        for (name, output) in action["outputs"].as_object().unwrap() {
            let value = job.filled(output["value"].as_str().unwrap());
            job.outputs.insert(name.clone(), value);
        }
        job
    }

    fn step(&mut self, step: &Value) {
        let name = step["id"].as_str().unwrap_or("a step");
        let condition = step["if"].as_str().unwrap_or_default();
        let condition = condition.trim_start_matches("${{").trim_end_matches("}}").trim();
        let mut parts: Vec<&str> = condition.split(" && ").filter(|part| !part.is_empty()).collect();
        // A step that does not ask for more runs as long as none has failed. No run of these tests is cancelled.
        if parts.first() == Some(&"!cancelled()") {
            parts.remove(0);
        } else if self.has_failed {
            return;
        }
        if !parts.into_iter().all(|part| self.holds(part)) {
            return;
        }
        match step["uses"].as_str().map(|uses| uses.split('@').next().unwrap()) {
            Some("actions/cache") => return self.restore_program(step),
            Some("actions/cache/restore") => return self.restore(step),
            Some("actions/cache/save") => return self.save(step),
            Some(other) => panic!("{other} is not known here"),
            None => {}
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
        self.has_failed |= self.last.code != 0;
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

    /// A step's key of the cache, and the file, in the folder of the job.
    fn cached(&self, step: &Value) -> (String, PathBuf) {
        let [key, path] = ["key", "path"].map(|name| self.filled(step["with"][name].as_str().unwrap()));
        assert!(!key.contains(',') && key.len() < 512, "{key}");
        (key, Path::new(&path).strip_prefix(self.folder.path()).unwrap().to_owned())
    }

    /// The newest file of the cache whose key begins so, if it was at the same place.
    fn restore(&mut self, step: &Value) {
        let path = self.cached(step).1;
        let begin = self.filled(step["with"]["restore-keys"].as_str().unwrap());
        let cache = self.cache.borrow();
        let newest = cache.iter().rfind(|(known, place, _)| known.starts_with(&begin) && *place == path);
        if let Some((_, _, bytes)) = newest {
            std::fs::write(self.folder.path().join(path), bytes).unwrap();
        }
    }

    fn save(&mut self, step: &Value) {
        let (key, path) = self.cached(step);
        let bytes = std::fs::read(self.folder.path().join(&path)).unwrap();
        let mut cache = self.cache.borrow_mut();
        assert!(cache.iter().all(|(known, ..)| *known != key), "{key} is saved twice");
        cache.push((key, path, bytes));
    }

    /// The cache holds the program, where the step looks for it.
    fn restore_program(&mut self, step: &Value) {
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
                None => self.context.get(other).or_else(|| self.outputs.get(other)).cloned().unwrap_or_default(),
            },
        }
    }

    /// What a file of the job holds.
    pub fn file(&self, name: &str) -> String {
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
