//! Replicas of one agent that take turns: what they do not share is found, and told with both outcomes.

use std::net::{Ipv4Addr, TcpListener};

use a2a_reference_agent::{Config, RunningAgent, Unshared};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::program::{self, Folder, Ran};

async fn start(unshared: Option<Unshared>) -> RunningAgent {
    let unshared = unshared.into_iter().collect();
    let config = Config { only: "1.0".parse().ok(), more_replicas: 2, unshared, ..Config::default() };
    a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap()
}

/// Checks these cases over all replicas.
fn check(agent: &RunningAgent, only: &[&str], more: &[&str]) -> Ran {
    let replicas = agent.replicas().iter().flat_map(|url| ["--replica", url.as_str()]);
    let only = only.iter().flat_map(|case| ["--only", case]);
    let args = ["check", agent.url(), "--timeout", "60"];
    program::run(&args.into_iter().chain(replicas).chain(only).chain(more.iter().copied()).collect::<Vec<_>>(), &[])
}

fn json(agent: &RunningAgent, only: &[&str]) -> (i32, Value) {
    let ran = check(agent, only, &["--report", "json"]);
    (ran.code, serde_json::from_str(&ran.stdout).expect(&ran.stderr))
}

/// What a report says of root causes, by name.
fn causes(report: &Value) -> Vec<&str> {
    report["root_causes"].as_array().unwrap().iter().filter_map(|cause| cause["kind"].as_str()).collect()
}

/// The results of a report, each as case, verdict, and verdict over the first replica alone.
fn outcomes(report: &Value) -> Vec<(&str, &str, Option<&str>)> {
    let results = report["results"].as_array().unwrap().iter();
    results
        .map(|it| (it["case"].as_str().unwrap(), it["verdict"].as_str().unwrap(), it["without"]["verdict"].as_str()))
        .collect()
}

#[test]
fn replicas_that_share_everything_are_one_agent() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(None));
    let folder = Folder::new();
    let trace = folder.file("trace.txt");
    let only =
        ["get", "list/walk*", "list/last-page-token", "subscribe", "cancel", "push/read", "equivalence", "history"];
    let ran = check(&agent, &only, &["--fail-on", "should", "--report", "json", "--trace", &trace]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(causes(&report).is_empty(), "{report}");
    assert!(outcomes(&report).iter().all(|(.., without)| without.is_none() || *without != Some("pass")), "{report}");
    let sent = std::fs::read_to_string(trace).unwrap();
    for url in agent.replicas().iter().map(String::as_str).chain([agent.url()]) {
        let asked = sent.matches(url).count();
        assert!(asked > 50, "{url} was asked {asked} times");
    }
}

#[test]
fn what_replicas_do_not_share_is_found() {
    let runtime = Runtime::new().unwrap();
    for (unshared, case) in [
        (Unshared::Tasks, "send/task-readable"),
        (Unshared::PageTokens, "list/last-page-token"),
        (Unshared::Streams, "subscribe/completed-task"),
        (Unshared::Cancellations, "cancel/takes-effect"),
        (Unshared::PushConfigs, "push/read"),
    ] {
        let agent = runtime.block_on(start(Some(unshared)));
        let (code, report) = json(&agent, &[case]);
        assert_eq!(code, 1, "{unshared}: {report}");
        assert_eq!(causes(&report), ["differs-by-replica"], "{unshared}");
        let of_case: Vec<_> = outcomes(&report).into_iter().filter(|(known, ..)| *known == case).collect();
        assert!(!of_case.is_empty() && of_case.iter().all(|it| *it == (case, "fail", Some("pass"))), "{of_case:?}");
        runtime.block_on(agent.stop());
    }
}

/// Each replica by itself is right: nothing is found where none takes turns.
#[test]
fn nothing_is_wrong_with_one_replica() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(Some(Unshared::Tasks)));
    for url in agent.replicas().iter().map(String::as_str).chain([agent.url()]) {
        let args =
            ["check", url, "--base-url", url, "--only", "send/task-readable", "--only", "push/read", "--timeout", "60"];
        let ran = program::run(&args, &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn wrong_replicas_are_refused_before_the_first_case() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(None));
    let nobody = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let run = |more: &[&str]| {
        let ran = program::run(&[&["check", agent.url(), "--only", "get/existing"], more].concat(), &[]);
        assert_eq!(ran.stdout, "");
        (ran.code, ran.stderr.lines().find(|line| line.starts_with("error")).unwrap_or(&ran.stderr).to_owned())
    };
    let (code, error) = run(&["--replica", &nobody]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("the replica at") && error.contains(&nobody), "{error}");
    for (more, said) in [
        (&["--replica", "10.0.0.2:80"][..], "the replica \"10.0.0.2:80\" is no URL of http or https"),
        (&["--replica", "http://a.example", "--replica", "http://a.example/"], "is given twice"),
        (&["--replica", "rest=http://a.example"], "names the binding \"rest\""),
        (&["--replica", "http://a.example", "--load", "5"], "cannot be used with"),
        (&["--self", "--replica", "http://a.example"], "cannot be used with"),
        (&["--load", "0"], "0 is not in 1..=1000"),
        (&["--load", "5", "--rate", "9"], "--load sends requests beside those of the cases, and --rate limits all"),
        (&["--load", "5", "--max-messages", "9"], "and --max-messages limits all"),
    ] {
        let (code, error) = run(more);
        assert_eq!(code, 2, "{more:?}: {error}");
        assert!(error.contains(said), "{more:?}: {error}");
    }
}

/// Credentials go to replicas that the user names beside them; those of a file only to replicas that the file names.
#[test]
fn credentials_go_to_the_replicas_of_who_gives_them() {
    let runtime = Runtime::new().unwrap();
    let users = vec!["own=reference".parse().unwrap()];
    let config = Config { only: "1.0".parse().ok(), more_replicas: 1, users, ..Config::default() };
    let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into());
    let agent = runtime.block_on(agent).unwrap();
    let (url, replica) = (agent.url(), agent.replicas()[0].as_str());
    let only = ["--only", "push/read", "--only", "get/repeatable", "--timeout", "60"];
    let run = |args: &[&str]| program::run(&[&["check"], args, &only[..]].concat(), &[("TOKEN", "reference")]);
    let ran = run(&[url, "--replica", replica, "--bearer", "env:TOKEN"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);

    let folder = Folder::new();
    let of_file = format!("url = '{url}'\nbearer = 'env:TOKEN'\n");
    let alone = folder.write("alone.toml", &of_file);
    let both = folder.write("both.toml", &format!("{of_file}replica = ['{replica}']\n"));
    let ran = run(&["--config", &both]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = run(&["--config", &alone, "--replica", replica]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stderr.contains(&format!("are not sent to {replica}")), "{}", ran.stderr);
}

/// A gRPC interface at a port of its own has replicas at ports of their own, which the user names.
#[test]
fn an_interface_at_its_own_port_needs_replicas_of_its_own() {
    let runtime = Runtime::new().unwrap();
    let (agent, grpc) = runtime.block_on(async { (start(None).await, start(None).await) });
    let base = format!("grpc={}", grpc.url());
    let [replica, of_grpc] = [&agent, &grpc].map(|agent| agent.replicas()[0].clone());
    let args = ["check", agent.url(), "--base-url", agent.url(), "--base-url", &base, "--replica", &replica];
    let args = [&args[..], &["--only", "get/existing", "--only", "get/repeatable", "--timeout", "60"]].concat();
    let ran = program::run(&args, &[]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("name its replicas, too, with --replica grpc=URL"), "{}", ran.stderr);
    let ran = program::run(&[&args[..], &["--replica", &format!("grpc={of_grpc}")]].concat(), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}
