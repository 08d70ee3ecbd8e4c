//! Jobs for clusters: valid by the schemas of Kubernetes, and their scripts run here in parallel processes, with the variables that a
//! cluster would set.

use std::path::Path;

use a2aspec::yaml;
use serde_json::Value;

use super::ROOT;
use super::lint::{KUBERNETES, TOOLS};
use super::page::agent;
use crate::common::program::{self, Folder, Ran, Running};

fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join("deploy/kubernetes").join(name)).unwrap()
}

/// Runs all pods of a job at the same time, each as one process, with some variables of its container replaced.
fn run(name: &str, variables: &[(&str, &str)]) -> Vec<Ran> {
    let job: Value = yaml::read(name, &text(name)).expect("it is YAML");
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    let [shell, flags, script] = [0, 1, 2].map(|at| container["command"][at].as_str().unwrap().to_owned());
    let programs = Path::new(env!("CARGO_BIN_EXE_a2aspec")).parent().unwrap().display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let start = |index: u64| {
        let mut command = program::command::command(&shell);
        command.args([&flags, &script]).env("PATH", &path).env("JOB_COMPLETION_INDEX", index.to_string());
        for variable in container["env"].as_array().unwrap() {
            let (key, value) = (variable["name"].as_str().unwrap(), variable["value"].as_str().unwrap());
            let replaced = variables.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
            if key != "PATH" {
                command.env(key, replaced.unwrap_or(value));
            }
        }
        Running::of(&mut command).unwrap()
    };
    // Each is started before the first is waited for.
    let pods: Vec<Running> = (0..job["spec"]["completions"].as_u64().unwrap_or(1)).map(start).collect();
    pods.into_iter().map(Running::wait).collect()
}

#[test]
fn jobs_are_valid() {
    let Some(_) = TOOLS.ready() else { return };
    for (name, from, to) in [
        ("check.yaml", "completions: 4", "completions: four"),
        ("merge.yaml", "operator: In", "operators: In"),
        ("fuzz.yaml", "parallelism: 4", "parallel: 4"),
    ] {
        KUBERNETES.takes(name, &text(name), from, to);
    }
}

#[test]
fn parts_of_a_check_are_joined() {
    let (_agent, url) = agent("--only 1.0 --fault get/other-task");
    let folder = Folder::new();
    let reports = folder.path().display().to_string();
    let selection = "--profile 1.0 --binding jsonrpc --only get --timeout 60";
    for pod in run("check.yaml", &[("AGENT_URL", &url), ("REPORTS", &reports), ("ARGS", selection)]) {
        assert_eq!(pod.code, 0, "{}{}", pod.stdout, pod.stderr);
    }
    let merged = run("merge.yaml", &[("REPORTS", &reports)]);
    // The gate is that of the whole.
    assert_eq!(merged[0].code, 1, "{}{}", merged[0].stdout, merged[0].stderr);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(folder.file("report.json")).unwrap()).unwrap();
    assert_eq!(report["shards"].as_array().map(Vec::len), Some(4));
    let failed: Vec<&str> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|result| result["verdict"] == "fail")
        .map(|result| result["case"].as_str().unwrap())
        .collect();
    assert!(failed.contains(&"get/existing"), "{failed:?}");
}

#[test]
fn findings_of_all_seeds_are_in_one_folder() {
    let (_agent, url) = agent("--only 1.0 --fault get/unknown-is-internal");
    let folder = Folder::new();
    let reports = folder.path().display().to_string();
    let selection = "--profile 1.0 --binding jsonrpc";
    let variables = [("AGENT_URL", url.as_str()), ("REPORTS", &reports), ("ARGS", selection), ("SECONDS_EACH", "5")];
    for pod in run("fuzz.yaml", &variables) {
        assert_eq!(pod.code, 0, "{}{}", pod.stdout, pod.stderr);
    }
    let names = |folder: &Path| -> std::collections::BTreeSet<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".yaml")).collect()
    };
    let seeds = (0..4).map(|seed| names(&folder.path().join(format!("seeds/{seed}"))));
    let all = seeds.reduce(|all, own| &all | &own).unwrap();
    assert!(!all.is_empty(), "no seed has a finding");
    assert_eq!(names(&folder.path().join("findings")), all);
}
