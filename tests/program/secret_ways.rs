//! Credentials that come from commands, go to proxies and stand in the URL of webhooks, and those of hunts: shown nowhere, either.

use std::collections::BTreeSet;

use super::program;
use super::secrets::{self, assert_hides, read, showing_what_it_is_sent, writing};

/// By the lines of commands, over a proxy that is the agent itself: it is sent the credentials for both, and shows them.
#[cfg(unix)]
#[test]
fn what_commands_print_and_proxies_are_told_is_shown_nowhere() {
    // Of a name and its password, the password is the secret.
    const BASIC: &str = "m4rked/basic+word~1";
    const OTHER: &str = "m4rked other basic~2";
    const HEADER: &str = "m4rked/printed+key~3";
    const PROXY: &str = "m4rked-proxy/word~4";
    let secrets = [BASIC, OTHER, HEADER, PROXY];
    let (agent, seen) = showing_what_it_is_sent(secrets.to_vec());
    let host = agent.url.strip_prefix("http://").unwrap();
    let proxy = format!("http://proxy-user:{}@{host}", PROXY.replace('/', "%2F"));
    let identities = [
        format!("me=basic:command:echo 'user:{BASIC}'"),
        format!("me=X-Printed: command:printf %s '{HEADER}'"),
        "you=basic:env:PLANTED_PAIR".to_owned(),
    ];
    let mut flags: Vec<&str> = identities.iter().flat_map(|identity| ["--identity", identity]).collect();
    flags.extend(["--proxy", &proxy]);
    let pair = format!("other:{OTHER}");
    for binding in ["jsonrpc", "http-json"] {
        seen.lock().unwrap().clear();
        secrets::assert_nothing_shows(binding, &agent.url, &flags, &[("PLANTED_PAIR", &pair)], &secrets);
        assert_eq!(*seen.lock().unwrap(), BTreeSet::from(secrets), "each was sent over {binding}");
    }
}

/// The agent is told the URL of webhooks, with the password that a tunnel may want; nobody else is.
#[test]
fn the_password_of_webhooks_is_shown_nowhere() {
    const SECRETS: [&str; 2] = ["m4rked/hook~5", "m4rked%2Fhook~5"];
    let folder = program::Folder::new();
    let writing = writing(&folder);
    let writing: Vec<&str> = writing.iter().map(String::as_str).collect();
    let what =
        ["selftest", "--profile", "1.0", "--binding", "jsonrpc", "--only", "push/posted", "--report", "terminal=full"];
    let url = format!("http://hook-user:{}@127.0.0.1:9/x", SECRETS[1]);
    let hooks = ["--webhook-listen", "127.0.0.1:0", "--webhook-url", &url];
    let ran = program::run(&[&what[..], &hooks, &writing].concat(), &[]);
    let files = read(&folder);
    let trace = files.iter().find(|(name, _)| *name == "trace.txt").unwrap();
    assert!(trace.1.contains("@127.0.0.1:9/x/"), "the agent was told no URL of webhooks: {}", ran.stderr);
    for (place, text) in files.iter().chain([&("standard output", ran.stdout), &("standard error", ran.stderr)]) {
        assert_hides(place, text, &SECRETS);
    }
}

/// What a hunt writes over each binding: its findings, which are case files that people share, and what their replay says.
#[test]
fn secrets_are_in_no_finding_of_a_hunt() {
    const SECRETS: [&str; 3] = ["m4rked/own+bearer~1", "m4rked own \"key\" 2", "m4rked/own key&4"];
    let (agent, seen) = showing_what_it_is_sent(SECRETS.to_vec());
    let identities = ["me=bearer:env:PLANTED_0", "me=X-Own-Key: env:PLANTED_1", "me=query api_key: env:PLANTED_2"];
    let environment = [("PLANTED_0", SECRETS[0]), ("PLANTED_1", SECRETS[1]), ("PLANTED_2", SECRETS[2])];
    let identities: Vec<&str> = identities.into_iter().flat_map(|identity| ["--identity", identity]).collect();
    for binding in ["jsonrpc", "http-json", "grpc"] {
        seen.lock().unwrap().clear();
        let target = [&[&agent.url, "--profile", "1.0", "--binding", binding, "--as", "me"][..], &identities].concat();
        let texts = hunted(&target, &environment);
        assert_eq!(*seen.lock().unwrap(), BTreeSet::from(SECRETS), "each was sent over {binding}");
        assert!(texts.iter().any(|(_, text)| text.contains("cannot serve you")), "{binding}: nothing shows the echo");
        texts.iter().for_each(|(place, text)| assert_hides(place, text, &SECRETS));
    }
}

/// Everything that a short hunt writes and says, and the replay of what it has found.
fn hunted(target: &[&str], environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let folder = program::Folder::new();
    let (findings, report, trace) = (folder.file("findings"), folder.file("report.json"), folder.file("trace.txt"));
    let json = format!("json={report}");
    let what = ["--requests", "240", "--time", "40", "--seed", "1", "--phase", "boundaries", "--findings", &findings];
    let outputs = ["--report", "terminal=full", "--report", &json, "--trace", &trace];
    let ran = program::run(&[&["fuzz"], target, &what, &outputs].concat(), environment);
    assert!(ran.code <= 1, "{}{}", ran.stdout, ran.stderr);
    let found = std::fs::read_dir(&findings).unwrap().map(|entry| entry.unwrap().path().display().to_string());
    let files: Vec<String> = found.chain([report, trace]).collect();
    assert!(files.len() > 2, "nothing was found");
    let replayed = program::run(&[&["replay", &findings], target].concat(), environment);
    assert!(replayed.stdout.contains("fuzz/"), "{}{}", replayed.stdout, replayed.stderr);
    let said = [("fuzz", ran), ("replay", replayed)]
        .into_iter()
        .flat_map(|(command, ran)| [(format!("{command} > "), ran.stdout), (format!("{command} 2> "), ran.stderr)]);
    let read = |path: String| (path.clone(), std::fs::read_to_string(&path).unwrap());
    files.into_iter().map(read).chain(said).collect()
}
