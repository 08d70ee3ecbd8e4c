//! Linters of pipelines and recipes: what the services and package managers that read them would refuse.

use std::path::Path;

use super::release::formula;
use super::tools::Tools;
use super::{LIMIT, ROOT, command, deadline, empty};
use crate::common::program;
use crate::common::proxy::{reference_agent, unchanged};

pub static TOOLS: Tools = Tools::of("packages/lint");

/// A linter: a program with the arguments before the file.
pub struct Linter(&'static str, &'static [&'static str]);

const WORKFLOW: Linter = Linter("check-jsonschema", &["--builtin-schema", "vendor.github-workflows"]);
const ACTION: Linter = Linter("check-jsonschema", &["--builtin-schema", "vendor.github-actions"]);
const SECURITY: Linter = Linter("zizmor", &["--offline", "--quiet"]);
const GITLAB: Linter = Linter("check-jsonschema", &["--builtin-schema", "vendor.gitlab-ci"]);
const HOOKS: Linter = Linter("pre-commit", &["validate-manifest"]);
const HOOKS_IN_USE: Linter = Linter("pre-commit", &["validate-config"]);
pub const KUBERNETES: Linter = Linter("kubernetes-validate", &["--strict", "--quiet"]);
const GROOVY: Linter = Linter("python", &["tests/packages/lint/parse.py", "groovy"]);
const NIX: Linter = Linter("python", &["tests/packages/lint/parse.py", "nix"]);
const RUBY: Linter = Linter("python", &["tests/packages/lint/parse.py", "ruby"]);

/// A command into which the name of a branch can bring commands.
const INJECTED: &str = "- run: echo ${{ github.head_ref }}";

impl Linter {
    /// Takes a text as the file of this name, and refuses it once a part of it is another: it does read the file.
    #[track_caller]
    pub fn takes(&self, name: &str, text: &str, from: &str, to: &str) {
        let folder = empty(&format!("lint-{}", name.replace('/', "-")));
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        assert!(text.contains(from), "{name} has no {from:?}");
        for (text, is_right) in [(text.to_owned(), true), (text.replacen(from, to, 1), false)] {
            std::fs::write(&file, &text).unwrap();
            let tool = Path::new(ROOT).join("tests/packages/lint/.venv-tools/bin").join(self.0);
            let mut command = command(tool, Path::new(ROOT), self.1, &[]);
            let done = deadline::run(command.arg(&file), LIMIT).unwrap();
            assert_eq!(done.code == Some(0), is_right, "{name}: {done}\n{text}");
        }
    }
}

/// A file of the repository.
fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap()
}

/// The pipeline that `init` writes for a system.
fn written(system: &str, name: &str) -> String {
    let agent = reference_agent(|_, answer| unchanged(answer));
    let folder = program::Folder::new();
    let dir = folder.path().display().to_string();
    let interface = ["--profile", "1.0", "--binding", "jsonrpc", "--timeout", "60"];
    let ran = program::run(&[&["init", &agent.url, "--dir", &dir, "--ci", system], &interface[..]].concat(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn workflows_and_the_action() {
    let Some(_) = TOOLS.ready() else { return };
    for (name, command) in [("ci.yml", "- run: .ci/run quick"), ("release.yml", "- run: cargo build")] {
        let name = format!(".github/workflows/{name}");
        WORKFLOW.takes(&name, &file(&name), "runs-on:", "runs-at:");
        SECURITY.takes(&name, &file(&name), command, INJECTED);
    }
    ACTION.takes("action.yml", &file("action.yml"), "using: composite", "using: nothing");
    SECURITY.takes("action.yml", &file("action.yml"), "a2aspec \"${check[@]}\"", "a2aspec ${{ inputs.args }}");
    let name = ".github/workflows/a2aspec.yml";
    let workflow = written("github", name);
    WORKFLOW.takes(name, &workflow, "runs-on:", "runs-at:");
    SECURITY.takes(name, &workflow, "- run: ./start-agent", INJECTED);
}

#[test]
fn pipelines_of_other_systems() {
    let Some(_) = TOOLS.ready() else { return };
    // The inputs of a component are a document of their own.
    let component = file("templates/check.yml");
    let (inputs, job) = component.split_once("\n---\n").unwrap();
    for name in ["url", "stage", "version", "image", "args"] {
        assert!(inputs.contains(&format!("    {name}:\n")) && job.contains(&format!("$[[ inputs.{name} ]]")), "{name}");
    }
    assert!(inputs.contains(&format!("default: \"{}\"", env!("CARGO_PKG_VERSION"))), "{inputs}");
    GITLAB.takes("templates/check.yml", job, "script:", "scripts:");
    GITLAB.takes("a2aspec.yml", &written("gitlab", ".gitlab/a2aspec.yml"), "script:", "scripts:");
    GROOVY.takes("Jenkinsfile", &written("jenkins", "Jenkinsfile.a2aspec"), "stages {", "stages {{");
    let recipes = file("docs/ci.md");
    let hooks = recipes.split("```yaml\n").find(|recipe| recipe.starts_with("repos:")).unwrap();
    HOOKS_IN_USE.takes(".pre-commit-config.yaml", hooks.split("```").next().unwrap(), "hooks:", "hook:");
    HOOKS.takes(".pre-commit-hooks.yaml", &file(".pre-commit-hooks.yaml"), "entry:", "enter:");
}

#[test]
fn recipes_of_package_managers() {
    let Some(_) = TOOLS.ready() else { return };
    NIX.takes("flake.nix", &file("flake.nix"), "outputs =", "outputs");
    RUBY.takes("a2aspec.rb", &formula(), "def install", "def");
}
