//! The Dockerfile: read by a linter, held to what it names, and built where docker can.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::deadline::{Run, run};
use super::program;
use super::tools::{Tools, not_run};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A linter of Dockerfiles.
static HADOLINT: Tools = Tools::of("dockerfile");

/// How long a question to docker or cargo may take.
const ASK: Duration = Duration::from_secs(240);

/// How long the image may take, all of which is built anew.
const BUILD: Duration = Duration::from_secs(3_600);

fn document(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn lint(hadolint: &str, file: &str) -> Run {
    // Nothing that the machine's own settings say is left out.
    let config = Path::new(ROOT).join("tests/dockerfile/hadolint.yaml");
    run(Command::new(hadolint).arg("--no-color").arg("--config").arg(config).arg(file), ASK).unwrap()
}

#[test]
fn the_linter_finds_nothing() {
    let Some(hadolint) = HADOLINT.ready() else { return };
    let found = lint(hadolint, "Dockerfile");
    assert_eq!(found.code, Some(0), "{found}");
}

/// What looks for mistakes finds them: those of the language, of good practice, and of the shell.
#[test]
fn the_linter_finds_mistakes() {
    let Some(hadolint) = HADOLINT.ready() else { return };
    let (folder, text) = (program::Folder::new(), document("Dockerfile"));
    for (from, to) in [
        ("COPY . .", "COPI . ."),
        ("COPY --from=build /built", "COPY --from=bulid /built"),
        ("WORKDIR /source", "WORKDIR source"),
        ("rust:1.95.0-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2", "rust"),
        ("--root /built", "--root $BUILT"),
    ] {
        let spoiled = text.replacen(from, to, 1);
        assert_ne!(spoiled, text, "the Dockerfile has {from:?}");
        let found = lint(hadolint, &folder.write("Dockerfile", &spoiled));
        assert_eq!(found.code, Some(1), "{to:?} is not noticed: {found}");
    }
}

/// An instruction: its word, and its arguments.
type Instruction = (String, Vec<String>);

/// The instructions, each on one line, without comments.
fn instructions() -> Vec<Instruction> {
    let text = document("Dockerfile");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let whole = lines.join("\n").replace("\\\n", " ");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let split = whole.lines().map(words).filter(|line| !line.is_empty());
    split.map(|mut line| (line.remove(0), line)).collect()
}

/// Stages, files, the toolchain, the program: each thing that an instruction names is there, or made by an earlier one.
#[test]
fn what_the_dockerfile_names_is_there() {
    let toolchain = document("rust-toolchain.toml");
    let (mut stages, mut made, mut copied) = (Vec::new(), Vec::new(), Vec::new());
    for (word, arguments) in instructions() {
        let options: Vec<&String> = arguments.iter().take_while(|word| word.starts_with("--")).collect();
        let rest: Vec<&str> = arguments.iter().skip(options.len()).map(String::as_str).collect();
        match word.as_str() {
            "FROM" => {
                if let Some(version) = rest[0].strip_prefix("rust:").and_then(|tag| tag.split('-').next()) {
                    assert!(toolchain.contains(&format!("channel = \"{version}\"")), "{rest:?} beside {toolchain}");
                }
                stages.extend(rest.get(2).map(|&name| name.to_owned()));
                copied.clear();
            }
            "RUN" if rest[..2] == ["apk", "add"] && rest.contains(&"ca-certificates") => {
                made.push("/etc/ssl/certs/ca-certificates.crt".to_owned());
            }
            "RUN" => made.push(installed(&rest)),
            "COPY" => {
                let (to, from) = rest.split_last().unwrap();
                let stage = options.iter().find_map(|option| option.strip_prefix("--from="));
                for path in from {
                    match stage {
                        Some(stage) => assert!(stages.iter().any(|known| known == stage), "no stage is named {stage}"),
                        None => assert!(Path::new(ROOT).join(path).exists(), "{path} is not there"),
                    }
                    assert!(stage.is_none() || made.iter().any(|known| known == path), "{path} is not made: {made:?}");
                }
                copied.push(format!("[\"{to}\"]"));
            }
            "ENTRYPOINT" => assert!(copied.contains(&rest.join(" ")), "{rest:?} is none of {copied:?}"),
            "USER" | "WORKDIR" => {}
            other => panic!("what is {other}?"),
        }
    }
    assert_eq!((stages.len(), made.len(), copied.len()), (1, 2, 2), "{stages:?} {made:?} {copied:?}");
}

/// The path of the program that `cargo install` with these arguments makes.
fn installed(words: &[&str]) -> String {
    let ["cargo", "install", arguments @ ..] = words else { panic!("what does {words:?} make?") };
    let help = run(Command::new("cargo").args(["install", "--help"]), ASK).unwrap().stdout;
    for flag in arguments.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(*flag), "cargo install has no {flag}");
    }
    let after = |flag: &str| arguments.iter().skip_while(|word| **word != flag).nth(1).unwrap();
    assert!(Path::new(ROOT).join(after("--path")).join("Cargo.toml").exists(), "{arguments:?}");
    let program = Path::new(env!("CARGO_BIN_EXE_a2aspec")).file_stem().unwrap().to_str().unwrap();
    format!("{}/bin/{program}", after("--root"))
}

/// The build gets whatever it takes, and not what tests have fetched.
#[test]
fn what_docker_is_given_is_enough() {
    let text = document(".dockerignore");
    let patterns: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let is_ignored = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        patterns.iter().any(|pattern| match pattern.strip_prefix("**/") {
            Some(name) => match name.strip_suffix('*') {
                Some(start) => parts.iter().any(|part| part.starts_with(start)),
                None => parts.contains(&name),
            },
            None => Path::new(path).starts_with(pattern),
        })
    };
    // Cargo wants to see the source of each target, also of those that it does not build.
    let mut asked = Command::new("cargo");
    asked.args(["metadata", "--no-deps", "--offline", "--locked", "--format-version=1"]).current_dir(ROOT);
    let told = run(&mut asked, ASK).unwrap();
    let known: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let targets = known["packages"].as_array().unwrap().iter().flat_map(|package| {
        let sources = package["targets"].as_array().unwrap().iter().map(|target| &target["src_path"]);
        sources.chain([&package["manifest_path"]])
    });
    let targets = targets.map(|path| Path::new(path.as_str().unwrap()).strip_prefix(ROOT).unwrap().to_path_buf());
    let needed: Vec<PathBuf> =
        targets.chain(["Cargo.lock", "cases", "schemas", "README.md"].map(PathBuf::from)).collect();
    assert!(needed.len() > 30, "{needed:?}");
    for path in needed {
        assert!(!is_ignored(path.to_str().unwrap()), "{} is kept from docker", path.display());
    }
    for path in
        ["target/debug", "tests/validators/node_modules", "tests/real/.venv-1.0", "tests/real/rust-agent/target"]
    {
        assert!(is_ignored(path), "{path} is given to docker");
    }
}

#[test]
fn the_image_is_built_where_docker_can() {
    let docker = |arguments: &[&str], limit| run(Command::new("docker").args(arguments).current_dir(ROOT), limit);
    let can = |arguments: &[&str]| docker(arguments, ASK).is_ok_and(|told| told.code == Some(0));
    if !can(&["info"]) {
        return not_run("image", "docker is not installed, or its daemon does not run");
    }
    if !can(&["buildx", "version"]) {
        return not_run("image", "docker has no buildx");
    }
    let built = docker(&["buildx", "build", "--load", "--tag", "a2aspec-test", "."], BUILD).unwrap();
    assert_eq!(built.code, Some(0), "{built}");
    let said = docker(&["run", "--rm", "a2aspec-test", "--version"], ASK).unwrap();
    assert_eq!(said.stdout.trim(), concat!("a2aspec ", env!("CARGO_PKG_VERSION")), "{said}");
}
