//! Many agents side by side.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::extract::Path;
use axum::routing::get;
use serde_json::{Value, json};

use super::agent::{self, Agent, reference};
use super::{program, snapshot};

/// Agents without number: the path of each has a card of its own, and behind all is the reference agent.
fn agents() -> Agent {
    Agent::serve(|_| async {
        // It lives as long as what leads to it.
        let reference = Arc::new(reference(None).await);
        let card = move |Path(name): Path<String>| {
            let mut card = agent::card("1.0", &format!("{}/1.0", reference.url()));
            card["name"] = name.into();
            async move { axum::Json(card) }
        };
        Router::new().route("/{name}/.well-known/agent-card.json", get(card))
    })
}

/// The list of so many of them.
fn list(agents: &Agent, number: usize) -> String {
    (0..number).map(|number| format!("[targets.agent-{number:04}]\nurl = \"{}/{number:04}\"\n", agents.url)).collect()
}

/// How long a census may take: one of a thousand agents takes minutes without the optimizer.
const LIMIT: Duration = Duration::from_secs(600);

/// What is cheap and shows something.
const FEW: [&str; 6] = ["--only", "get/unknown-id", "--agents", "8", "--per-host", "8"];

fn census(targets: &str, folder: &str, more: &[&str]) -> program::Ran {
    program::run(&[&["census", targets, "--folder", folder], &FEW[..], more].concat(), &[])
}

/// The reports in a folder, with when they came into being.
fn reports(folder: &str) -> Vec<(String, SystemTime)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.map(Result::unwrap).filter(|entry| entry.path().extension().is_some_and(|end| end == "json"));
    let mut found: Vec<_> =
        files.map(|file| (file.path().display().to_string(), file.metadata().unwrap().modified().unwrap())).collect();
    found.sort();
    found
}

/// One that never answers and one that is down hold up no other, and both are told.
#[test]
fn one_that_hangs_holds_up_none() {
    let (agents, folder) = (agents(), program::Folder::new());
    // Connections wait in its queue, and nobody takes them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let more = format!(
        "[targets.down]\nurl = \"http://127.0.0.1:1\"\n[targets.silent]\nurl = \"http://{}\"\ntimeout = 2\n",
        silent.local_addr().unwrap()
    );
    let targets = folder.write("targets.toml", &(more + &list(&agents, 10)));
    let (results, json, html) = (folder.file("results"), folder.file("all.json"), folder.file("all.html"));
    let outputs = [format!("json={json}"), format!("html={html}")];
    let ran = census(&targets, &results, &["--report", &outputs[0], "--report", &outputs[1], "--report", "terminal"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(reports(&results).len(), 10, "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("Of 12 agents, 0 violated a MUST in the newest run, and 10 did not; 2 could not be checked.")
    );
    let matrix: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let names = matrix["agents"].as_array().unwrap().iter().filter(|agent| agent["not_checked"].is_string());
    assert_eq!(names.map(|agent| agent["name"].as_str().unwrap()).collect::<Vec<_>>(), ["down", "silent"]);
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains("<a href=\"results/agent-0003.html\">agent-0003</a>"), "{page}");

    // The same of the reports alone, with a name for one of them.
    let files: Vec<String> = reports(&results).into_iter().map(|(file, _)| file).take(2).collect();
    let ran = program::run(&["matrix", &format!("first={}", files[0]), &files[1]], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\nfirst ") && ran.stdout.contains("\n0001 "), "{}", ran.stdout);
}

/// A census that is killed goes on where it was, and loses nothing that was done.
#[cfg(unix)]
#[test]
fn a_census_goes_on_where_it_was_killed() {
    let (agents, folder) = (agents(), program::Folder::new());
    let targets = folder.write("targets.toml", &list(&agents, 24));
    let results = folder.file("results");
    let killed = program::start(&[&["census", &targets, "--folder", &results], &FEW[..]].concat(), &[]);
    for _ in 0..5 {
        killed.stderr_line(": checked");
    }
    drop(killed);
    let before = reports(&results);
    assert!((5..24).contains(&before.len()), "{before:?}");
    for (file, _) in &before {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{file}");
    }
    let ran = census(&targets, &results, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with(&format!("{} reports in ", before.len())), "{}", ran.stderr);
    let after = reports(&results);
    assert_eq!(after.len(), 24);
    for report in &before {
        assert!(after.contains(report), "{report:?} was made again");
    }
}

/// What is done is on disk, and nowhere else: `A2ASPEC_CENSUS=1000` makes it a thousand agents.
#[test]
fn memory_does_not_grow_with_the_number_of_agents() {
    let most = std::env::var("A2ASPEC_CENSUS").ok().and_then(|number| number.parse().ok()).unwrap_or(40);
    let agents = agents();
    let peak = |number: usize| {
        let folder = program::Folder::new();
        let targets = folder.write("targets.toml", &list(&agents, number));
        let results = folder.file("results");
        let arguments = [&["census", &targets, "--folder", &results], &FEW[..]].concat();
        let (ran, peak) = program::start(&arguments, &[]).watch_for(LIMIT);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(reports(&results).len(), number);
        println!("{number} agents took at most {peak:?} KiB");
        peak
    };
    if let (Some(few), Some(many)) = (peak(10), peak(most)) {
        assert!(many < few + few / 4, "{few} KiB for 10, {many} KiB for {most}");
    }
}

#[test]
fn mistakes_are_said() {
    let folder = program::Folder::new();
    let says = |name: &str, text: &str| {
        let targets = folder.write("targets.toml", text);
        let ran = program::run(&["census", &targets, "--folder", &folder.file("results")], &[]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        snapshot::check(name, &ran.stderr);
    };
    says("census-of-nobody", "targets = {}\n");
    says("census-misspelled", "[targets.a]\nulr = \"http://127.0.0.1:1\"\n");
    says(
        "census-wrong-names",
        "[targets.\"a/b\"]\nurl = \"http://a\"\n[targets.b]\n[targets.c]\nurl = \"http://c\"\ntrace = \"t\"\n",
    );
    says("census-wrong-settings", "[targets.a]\nurl = \"http://a\"\nprofile = [\"9.9\"]\n[targets.b]\nurl = \"b\"\n");
    folder.write("a.json", "{}");
    let ran = program::run(&["matrix", &folder.file("a.json")], &[]);
    assert_eq!(ran.code, 2);
    snapshot::check("matrix-of-no-report", &ran.stderr);
    let ran = program::run(&["matrix", "none.json", "--report", "junit"], &[]);
    assert_eq!(ran.code, 2);
    snapshot::check("matrix-of-no-form", &ran.stderr);
    let report = json!({
        "schema_version": 1,
        "tool": { "name": "a2aspec", "version": "0.1.0" },
        "started": "2026-11-25T08:30:00.000Z",
        "target": { "url": "http://127.0.0.1:9/", "name": "Weather", "cards": [], "interfaces": [] },
        "results": [],
        "requirements": [],
    });
    let report = folder.write("b.json", &report.to_string());
    for (name, condition) in [("agent", "Wether=fail"), ("result", "Weather=wrong")] {
        let ran = program::run(&["matrix", &report, "--where", condition], &[]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        snapshot::check(&format!("matrix-of-no-{name}"), &ran.stderr);
    }
}
