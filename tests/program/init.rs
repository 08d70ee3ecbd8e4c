//! Files that are made for an agent.

use super::agent::Agent;
use super::program::{self, Folder};
use super::proxy::{reference_agent, unchanged};
use super::snapshot;

const WHAT: [&str; 4] = ["--profile", "1.0", "--binding", "jsonrpc"];

fn init(agent: &Agent, folder: &Folder, more: &[&str]) -> program::Ran {
    let dir = folder.path().display().to_string();
    program::run(&[&["init", &agent.url, "--dir", &dir, "--timeout", "20"], &WHAT[..], more].concat(), &[])
}

#[test]
fn files_are_written_once() {
    let agent = reference_agent(|_, answer| unchanged(answer));
    let folder = Folder::new();
    let written = init(&agent, &folder, &["--header", "X-Team: s3cr3t"]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (settings, workflow) = (read("a2aspec.toml"), read(".github/workflows/a2aspec.yml"));
    assert!(settings.contains(&format!("url = \"{}\"\n", agent.url)), "{settings}");
    assert!(!settings.contains("s3cr3t") && settings.contains("# \"X-Team\" = \"env:NAME\""), "{settings}");
    assert!(workflow.contains(".a2aspec/bin/a2aspec check ") && !workflow.contains("OWNER"), "{workflow}");
    // What was written leads to the agent.
    let config = folder.path().join("a2aspec.toml").display().to_string();
    let checked = program::run(&["check", "--config", &config, "--only", "get/unknown-id", "--timeout", "60"], &[]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    // And stays.
    std::fs::write(folder.path().join("a2aspec.toml"), "# mine\n").unwrap();
    let again = init(&agent, &folder, &[]);
    snapshot::check("init-twice", &snapshot::told(&again));
    assert_eq!(read("a2aspec.toml"), "# mine\n");
    assert_eq!(init(&agent, &folder, &["--force", "--no-workflow"]).code, 0);
    assert_ne!(read("a2aspec.toml"), "# mine\n");
}

/// Each system has its file, and only it.
#[test]
fn pipelines_of_other_systems() {
    let agent = reference_agent(|_, answer| unchanged(answer));
    for (system, file, says) in [
        ("gitlab", ".gitlab/a2aspec.yml", "- .a2aspec/bin/a2aspec check "),
        ("jenkins", "Jenkinsfile.a2aspec", "sh '.a2aspec/bin/a2aspec check "),
    ] {
        let folder = Folder::new();
        let written = init(&agent, &folder, &["--ci", system]);
        assert_eq!(written.code, 0, "{}", written.stderr);
        assert!(
            written.stdout.contains(file) && written.stdout.contains("how your agent is started"),
            "{}",
            written.stdout
        );
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains(says), "{text}");
        assert!(folder.path().join("a2aspec.toml").is_file() && !folder.path().join(".github").exists());
        // A pipeline that somebody has changed stays.
        assert_eq!(init(&agent, &folder, &["--ci", system]).code, 2);
    }
}

#[test]
fn nothing_is_written_of_an_agent_that_is_not_there() {
    let folder = Folder::new();
    let dir = folder.path().display().to_string();
    assert_eq!(program::run(&["init", "http://127.0.0.1:1", "--dir", &dir], &[]).code, 3);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
