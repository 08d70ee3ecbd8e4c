//! What a settings file may do that somebody else may have written, and where its credentials go.

use std::sync::{Arc, Mutex};

use super::agent::Agent;
use super::program::{self, Folder, Ran};
use super::proxy::{reference_agent, unchanged};

/// The reference agent, and the values of `X-Key` that it was sent.
fn agent() -> (Agent, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keys = Arc::clone(&seen);
    let agent = reference_agent(move |asked, answer| {
        keys.lock().unwrap().extend(asked.headers.get("x-key").map(|key| key.to_str().unwrap().to_owned()));
        unchanged(answer)
    });
    (agent, seen)
}

/// Runs the program in a folder, with settings of the user's own.
fn run_in(folder: &Folder, environment: &str, arguments: &[&str]) -> Ran {
    let here = folder.path().display();
    let home = format!("HOME='{here}/home' XDG_CONFIG_HOME='{here}/home'");
    program::start_by_shell(&format!("cd '{here}' && {home} {environment} \"$@\""), arguments).wait()
}

const ONE: [&str; 6] = ["--profile", "1.0", "--binding", "jsonrpc", "--only", "get/existing"];

fn check<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["check"], arguments, &ONE[..]].concat()
}

#[test]
fn credentials_of_a_file_go_to_its_own_origins() {
    let ((own, _), (other, seen)) = (agent(), agent());
    let folder = Folder::new();
    let settings = format!("url = '{}'\n[headers]\nX-Key = 's3cr3t'\n", own.url);
    let config = folder.write("a2aspec.toml", &settings);
    let named = [&other.url, "--config", &config];
    for arguments in [&[other.url.as_str()][..], &named] {
        let ran = run_in(&folder, "", &check(arguments));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains(&format!("are not sent to {}: they are for {}", other.url, own.url)),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("the header \"X-Key\""), "{}", ran.stderr);
        assert_eq!(seen.lock().unwrap().len(), 0, "{arguments:?}");
    }
    let ran = run_in(&folder, "", &check(&[&other.url, "--allow-origin", &other.url]));
    assert!(ran.code == 0 && !ran.stderr.contains("not sent"), "{}", ran.stderr);
    assert!(!seen.lock().unwrap().is_empty());
    let ran = run_in(&folder, "", &["check", "--self", "--profile", "1.0", "--only", "get/existing"]);
    assert!(ran.code == 0 && !ran.stdout.contains("X-Key"), "{}{}", ran.stdout, ran.stderr);
    // A file that names no agent is for none if it was found, and for the one that it is named with.
    folder.write("a2aspec.toml", "[headers]\nX-Key = 's3cr3t'\n");
    seen.lock().unwrap().clear();
    assert!(run_in(&folder, "", &check(&[&other.url])).stderr.contains("names no agent"));
    assert!(seen.lock().unwrap().is_empty());
    assert_eq!(run_in(&folder, "", &check(&named)).code, 0);
    assert!(!seen.lock().unwrap().is_empty());
}

#[test]
fn an_identity_of_a_file_is_not_shown_to_another_agent() {
    let (own, _) = agent();
    let folder = Folder::new();
    folder.write("a2aspec.toml", "url = 'http://127.0.0.1:1'\n[identities.ann]\nheaders = { X-Key = 's3cr3t' }\n");
    let ran = run_in(&folder, "", &check(&[&own.url, "--as", "ann"]));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("identity `ann` in a2aspec.toml are not for"), "{}", ran.stderr);
}

#[test]
fn a_command_of_a_found_file_runs_once_the_user_trusts_it() {
    let (agent, seen) = agent();
    let folder = Folder::new();
    let text = format!("url = '{}'\n[headers]\nX-Key = 'command:touch ran; echo k3y'\n", agent.url);
    let config = folder.write("a2aspec.toml", &text);
    let has_run = || std::fs::remove_file(folder.path().join("ran")).is_ok();
    let refused = run_in(&folder, "", &check(&[]));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let wanted = "error: a2aspec.toml is not trusted, and it\n  runs the command `touch ran; echo k3y` for the header \"X-Key\"\nhelp: read the \
                  file; if you trust it, run `a2aspec trust`. In CI, set A2ASPEC_TRUST=1\n";
    assert_eq!((refused.stderr.as_str(), has_run()), (wanted, false));
    // Of the reference agent nothing is run, whatever the file says.
    assert_eq!(run_in(&folder, "", &["selftest", "--profile", "1.0", "--only", "get/existing"]).code, 0);
    assert!(!has_run());

    let first = "note: a2aspec.toml runs the command `touch ran; echo k3y` for the header \"X-Key\"\n";
    let ran = run_in(&folder, "A2ASPEC_TRUST=1", &check(&[]));
    assert!(ran.code == 0 && ran.stderr.starts_with(first) && has_run(), "{}", ran.stderr);
    assert!(seen.lock().unwrap().contains(&"k3y".to_owned()));
    assert_eq!(run_in(&folder, "A2ASPEC_TRUST=0", &check(&[])).code, 2);
    let wrong = run_in(&folder, "A2ASPEC_TRUST=yes", &check(&[]));
    assert!(wrong.code == 2 && wrong.stderr.contains("expected 1 or 0"), "{}", wrong.stderr);
    assert_eq!(run_in(&folder, "", &check(&["--config", &config])).code, 0);
    assert!(has_run());

    let trusted = run_in(&folder, "", &["trust"]);
    assert!(trusted.code == 0 && trusted.stdout.contains("runs the command `touch ran"), "{}", trusted.stderr);
    assert_eq!(run_in(&folder, "", &check(&[])).code, 0);
    assert!(has_run());
    let list = run_in(&folder, "", &["trust", "--list"]);
    assert!(list.stdout.starts_with("trusted ") && list.stdout.ends_with("a2aspec.toml\n"), "{}", list.stdout);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let store = std::fs::metadata(folder.path().join("home/a2aspec/trusted.json")).unwrap();
        assert_eq!(store.permissions().mode() & 0o777, 0o600);
    }

    // Another content is another file.
    folder.write("a2aspec.toml", &text.replace("k3y", "0ther"));
    let changed = run_in(&folder, "", &check(&[]));
    assert!(changed.code == 2 && changed.stderr.contains("has changed since you trusted it"), "{}", changed.stderr);
    assert!(!has_run());
    assert!(run_in(&folder, "", &["trust", "--list"]).stdout.starts_with("changed "));
    folder.write("a2aspec.toml", &text);
    assert_eq!(run_in(&folder, "", &["trust", "--revoke"]).code, 0);
    assert_eq!(run_in(&folder, "", &check(&[])).code, 2);
    let twice = run_in(&folder, "", &["trust", "--revoke"]);
    assert!(twice.code == 2 && twice.stderr.contains("is not trusted"), "{}", twice.stderr);
    folder.write("home/a2aspec/trusted.json", "{");
    let broken = run_in(&folder, "", &check(&[]));
    assert!(broken.code == 2 && broken.stderr.contains("cannot be read"), "{}", broken.stderr);
}

/// What `init` and docs/ci.md write: the file names the agent, and the environment has the token.
#[test]
fn a_found_file_needs_no_trust_to_send_a_variable_to_its_own_agent() {
    let (agent, seen) = agent();
    let folder = Folder::new();
    folder.write("key", "fr0m-file\n");
    for (value, wanted) in [("env:AGENT_KEY", "fr0m-env"), ("file:key", "fr0m-file")] {
        folder.write("a2aspec.toml", &format!("url = '{}'\n[headers]\nX-Key = '{value}'\n", agent.url));
        let ran = run_in(&folder, "AGENT_KEY=fr0m-env", &check(&[]));
        assert_eq!((ran.code, ran.stderr.contains("warning")), (0, false), "{}{}", ran.stdout, ran.stderr);
        assert!(seen.lock().unwrap().iter().any(|key| key == wanted), "{value}");
    }
}

/// A card that says where its agent is by the address, under a name that is public.
#[test]
fn the_card_of_a_public_agent_leads_to_no_address_of_this_machine() {
    let (agent, _) = agent();
    let (_, port) = agent.url.rsplit_once(':').unwrap();
    let public = format!("http://agent.example.com:{port}");
    let arguments = [public.as_str(), "--resolve", "agent.example.com=127.0.0.1"];
    let ran = program::run(&[&["check"], &arguments[..], &["--only", "get/existing"]].concat(), &[]);
    assert_ne!(ran.code, 0, "{}", ran.stderr);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    let wanted = format!(
        "127.0.0.1 is not a public address, and {public} is public; to call it there: --allow-origin {}",
        agent.url
    );
    assert!(said.split_whitespace().collect::<Vec<_>>().join(" ").contains(&wanted), "{said}");
    let allowed = [&["check"], &arguments[..], &["--allow-origin", &agent.url, "--only", "get/existing"]].concat();
    let ran = program::run(&allowed, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// An interface whose URL swallows what is added to it.
#[test]
fn an_interface_with_a_query_is_not_called() {
    let agent = reference_agent(|asked, answer| {
        if asked.is_call() {
            return unchanged(answer);
        }
        let mut card: serde_json::Value = serde_json::from_slice(answer.body()).unwrap_or_default();
        for interface in card["supportedInterfaces"].as_array_mut().into_iter().flatten() {
            if interface["protocolBinding"] == "HTTP+JSON" {
                let url = format!("{}?x=", interface["url"].as_str().unwrap());
                interface["url"] = url.into();
            }
        }
        answer.map(|_| card.to_string().into())
    });
    let arguments = ["check", &agent.url, "--profile", "1.0", "--only", "card/interfaces", "--report", "json"];
    let ran = program::run(&arguments, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = report.to_string();
    assert!(text.contains("its URL has a query or a fragment"), "{text}");
    assert!(text.contains("interface-url-not-plain"), "{text}");
}
