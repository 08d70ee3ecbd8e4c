//! A client that shares no code with the suite and was written without its cases (`clients/good`): it passes every case. What turns red when it
//! makes one mistake (`clients/broken`) is in `deviations.txt`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use super::{AT_ONCE, RED, program};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// A mistake and a case that it turns red, or `-`.
const FOUND: &str = include_str!("deviations.txt");

/// The clients, which are other packages of the workspace: built once, beside the program.
pub static CLIENTS: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
    let packages = ["-p", "a2aspec-good-client", "-p", "a2aspec-broken-client"];
    let built = Command::new(env!("CARGO")).args(["build", "--quiet"]).args(packages).current_dir(ROOT).status();
    assert!(built.unwrap().success(), "the clients cannot be built");
    ["a2aspec-good-client", "a2aspec-broken-client"]
        .map(|name| PathBuf::from(env!("CARGO_BIN_EXE_a2aspec")).with_file_name(name))
});

/// Its results with these flags, and the exit code.
pub fn check(name: &str, flags: &[&str], client: &[&str]) -> (Vec<Value>, i32) {
    let path = super::file(&format!("independent-{}", name.replace('/', "-")));
    let report = format!("json={}", path.display());
    let ran = program::run(&[&["client", "--report", &report], flags, &["--"], client].concat(), &[]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).expect(&ran.stderr)).unwrap();
    let results = report["results"].as_array();
    (results.expect(&ran.stderr).clone(), ran.code)
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    FOUND.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once(' ').unwrap())
}

#[test]
fn an_independent_client_passes_every_case() {
    let (results, code) = check("good", &[], &[CLIENTS[0].to_str().unwrap()]);
    let others: Vec<&Value> = results.iter().filter(|result| result["verdict"] != "pass").collect();
    assert!(others.is_empty() && results.len() > 100, "{others:#?}");
    assert_eq!(code, 0);
}

#[test]
fn each_mistake_of_an_independent_client_is_listed() {
    let listed = Command::new(&CLIENTS[1]).arg("--deviations").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let ids: BTreeSet<&str> = listed.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(ids, rows().map(|(mistake, _)| mistake).collect());
}

#[test]
fn mistakes_of_an_independent_client_turn_cases_red() {
    // All of them take a minute more.
    let found: Vec<_> = rows().filter(|(_, case)| *case != "-").step_by(3).collect();
    let judge = |(mistake, case): &(&str, &str)| {
        let client = [CLIENTS[1].to_str().unwrap(), "--deviation", mistake];
        let (results, _) = check(mistake, &["--quiet", "--only", case], &client);
        let is_red = results.iter().any(|result| RED.contains(&result["verdict"].as_str().unwrap()));
        (!is_red).then(|| format!("{mistake}: {case}"))
    };
    let missed: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = found
            .chunks(found.len().div_ceil(AT_ONCE))
            .map(|part| scope.spawn(move || part.iter().filter_map(judge).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(missed.is_empty(), "not red: {}", missed.join(", "));
}
