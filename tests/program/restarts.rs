//! An agent that is restarted within cases: what it loses of what is declared durable is found, and nothing else is.

use a2a_reference_agent::Unshared;
use serde_json::Value;

use super::program::{self, Folder, Ran, Running};

/// An agent that SIGUSR1 restarts, its URL, and the command that sends it.
struct Agent {
    running: Running,
    url: String,
}

impl Agent {
    fn start(unshared: Option<Unshared>) -> Self {
        let unshared = unshared.map(|it| it.to_string());
        Self::with(&unshared.iter().flat_map(|it| ["--unshared", it.as_str()]).collect::<Vec<_>>())
    }

    fn with(flags: &[&str]) -> Self {
        let args = [&["agent", "--port", "0", "--only", "1.0"], flags].concat();
        let running = program::start(&args, &[]);
        let line = running.stdout_line("reference agent at");
        let url = line.rsplit(' ').next().unwrap().to_owned();
        Self { running, url }
    }

    fn restart(&self) -> String {
        format!("kill -USR1 {}", self.running.id())
    }

    /// Checks with a restart by this command.
    fn check_by(&self, command: &str, durable: &str, more: &[&str]) -> Ran {
        let args = ["check", &self.url, "--restart-command", command, "--durable", durable, "--timeout", "60"];
        program::run(&[&args[..], more].concat(), &[])
    }

    fn report(&self, durable: &str, more: &[&str]) -> (i32, Value) {
        let ran = self.check_by(&self.restart(), durable, &[more, &["--report", "json"]].concat());
        (ran.code, serde_json::from_str(&ran.stdout).expect(&ran.stderr))
    }
}

/// The cases within which the agent is restarted, and others beside them.
const CASES: [&str; 15] = [
    "get/existing",
    "get/repeatable",
    "get/unknown-id",
    "cancel/input-required",
    "cancel/stays-canceled",
    "send/follow-up-same-task",
    "states/terminal-never-changes",
    "states/legal-transitions",
    "list/contains-created",
    "list/walk-covers",
    "list/stable-while-tasks-arrive",
    "push/read",
    "push/list",
    "push/posted-to-each",
    "subscribe/interrupted-task",
];

fn only<'a>(cases: &[&'a str]) -> Vec<&'a str> {
    cases.iter().flat_map(|case| ["--only", case]).collect()
}

/// The results of a report, each as case, verdict, and verdict without a restart.
fn outcomes(report: &Value) -> Vec<(&str, &str, Option<&str>)> {
    let results = report["results"].as_array().unwrap().iter();
    results
        .map(|it| (it["case"].as_str().unwrap(), it["verdict"].as_str().unwrap(), it["without"]["verdict"].as_str()))
        .collect()
}

fn causes(report: &Value) -> Vec<&str> {
    report["root_causes"].as_array().unwrap().iter().filter_map(|cause| cause["message"].as_str()).collect()
}

#[test]
fn an_agent_that_keeps_everything_passes() {
    let agent = Agent::start(None);
    let (code, report) = agent.report("page-tokens,push-configs,subscriptions", &only(&CASES));
    let wrong: Vec<_> =
        outcomes(&report).into_iter().filter(|(_, verdict, without)| *verdict != "pass" || without.is_some()).collect();
    assert!(wrong.is_empty() && code == 0, "{wrong:?} {report}");
    assert!(outcomes(&report).len() >= 3 * (CASES.len() - 1));
    assert_eq!(causes(&report), [""; 0]);
}

#[test]
fn what_is_lost_is_found_and_named() {
    for (unshared, lost, failed, kept) in [
        (Unshared::Tasks, "tasks", "get/existing", "get/unknown-id"),
        (Unshared::Tasks, "tasks", "get/repeatable", "get/unknown-id"),
        (Unshared::PushConfigs, "push configurations", "push/read", "get/existing"),
        (Unshared::PageTokens, "page tokens", "list/stable-while-tasks-arrive", "list/walk-covers"),
        (Unshared::Streams, "subscriptions", "subscribe/interrupted-task", "get/repeatable"),
    ] {
        let agent = Agent::start(Some(unshared));
        let (code, report) = agent.report("page-tokens,push-configs,subscriptions", &only(&[failed, kept]));
        assert_eq!(code, 1, "{unshared}: {report}");
        let message = format!("the agent loses in a restart what --durable declares durable: {lost} (violations: ");
        assert!(
            causes(&report).iter().all(|cause| cause.starts_with(&message)) && causes(&report).len() == 1,
            "{report}"
        );
        for (case, verdict, without) in outcomes(&report) {
            let wanted = if case == failed { ("fail", Some("pass")) } else { ("pass", None) };
            assert_eq!((verdict, without), wanted, "{unshared}: {case}");
        }
    }
}

/// Nothing is demanded that is not declared, and what is wrong without a restart is no loss.
#[test]
fn only_a_loss_is_a_loss() {
    let agent = Agent::start(Some(Unshared::PushConfigs));
    let (code, report) = agent.report("tasks", &only(&["push/read", "get/existing"]));
    assert_eq!((code, causes(&report).len()), (0, 0), "{report}");
    for (case, said) in [
        ("get/existing", "the agent will be restarted once, within 3 cases at the end"),
        ("push/read", "the agent will not be restarted: no selected case is about what --durable names"),
    ] {
        let ran = agent.check_by(&agent.restart(), "tasks", &only(&[case]));
        assert!(ran.code == 0 && ran.stderr.contains(said), "{}", ran.stderr);
    }

    let agent = Agent::with(&["--fault", "get/other-task"]);
    let (code, report) = agent.report("tasks", &only(&["get/existing"]));
    assert_eq!((code, causes(&report).len()), (1, 0), "{report}");
    assert!(outcomes(&report).iter().all(|it| *it == ("get/existing", "fail", None)), "{report}");
}

/// A command that restarts nothing proves nothing.
#[test]
fn a_restart_that_is_not_seen_tests_nothing() {
    let agent = Agent::start(None);
    let cases = only(&["get/existing", "get/unknown-id"]);
    for (command, said, code) in
        [("true", "no connection to the agent broke", 2), ("exit 3", "the command `exit 3` fails (exit status: 3)", 2)]
    {
        let ran = agent.check_by(command, "tasks", &[&cases[..], &["--report", "json"]].concat());
        let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        assert_eq!(ran.code, code, "{}", ran.stdout);
        for (case, verdict, without) in outcomes(&report) {
            let wanted = if case == "get/existing" { "unreached" } else { "pass" };
            assert_eq!((verdict, without), (wanted, None), "{command}: {case}");
        }
        assert!(ran.stdout.contains(said), "{command}: {}", ran.stdout);
    }
}

#[test]
fn wrong_settings_are_refused() {
    let run = |more: &[&str]| {
        let ran = program::run(&[&["check", "http://127.0.0.1:1"], more].concat(), &[]);
        (ran.code, ran.stderr)
    };
    for (more, said) in [
        (&["--restart-command", "true"][..], "the restart command has nothing to check without --durable"),
        (&["--durable", "tasks"], "there is no command for it"),
        (&["--restart-command", "true", "--durable", "task"], "expected one of tasks, page-tokens"),
        (&["--restart-command", "true", "--durable", "tasks", "--load", "5"], "cannot be used with"),
        (&["--self", "--restart-command", "true", "--durable", "tasks"], "cannot be used with"),
    ] {
        let (code, stderr) = run(more);
        assert_eq!(code, 2, "{more:?}: {stderr}");
        assert!(stderr.contains(said), "{more:?}: {stderr}");
    }
}

/// A file that was found may restart nothing before its user trusts it.
#[test]
fn a_file_that_is_found_needs_trust_for_its_command() {
    let folder = Folder::new();
    let text = "url = 'http://127.0.0.1:1'\nrestart-command = 'echo restarted'\ndurable = ['tasks']\n";
    folder.write("a2aspec.toml", text);
    let line = format!("cd {} && exec \"$@\"", folder.path().display());
    let refused = program::start_by_shell(&line, &["check"]).wait();
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    // The reference agent has no use for the command.
    let own = program::start_by_shell(&line, &["check", "--self", "--only", "get/existing", "--profile", "1.0"]).wait();
    assert_eq!(own.code, 0, "{}", own.stderr);
    assert!(
        refused.stderr.contains("runs the command `echo restarted` for restarts of the agent"),
        "{}",
        refused.stderr
    );
}
