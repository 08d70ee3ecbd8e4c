//! The agent that the program carries.

use serde_json::Value;

use super::{program, snapshot};

/// Where each interface listens, and how to check them.
#[cfg(unix)]
#[test]
fn it_says_where_it_listens_until_a_signal() {
    for signal in ["INT", "TERM", "HUP"] {
        let agent = program::start(&["agent", "--port", "0"], &[]);
        agent.stdout_line("check it with");
        agent.signal(signal);
        let ran = agent.wait();
        assert_eq!(ran.code, 0, "{signal}: {}", ran.stderr);
        snapshot::check("agent", &ran.stdout);
    }
}

/// An agent that was started to outlive its terminal does, whoever started it so; any other ends with its terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    for (line, is_ignored) in [("trap '' HUP; exec \"$@\"", true), ("exec nohup \"$@\"", true), ("exec \"$@\"", false)]
    {
        let agent = program::start_by_shell(line, &["agent", "--port", "0"]);
        agent.stdout_line("check it with");
        let status = std::fs::read_to_string(format!("/proc/{}/status", agent.id())).unwrap();
        // SIGHUP is the first signal, and so the lowest bit.
        let hangup_is = |what: &str| {
            let mask = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
            u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1
        };
        assert_eq!((hangup_is("SigIgn:"), hangup_is("SigCgt:")), (is_ignored, !is_ignored), "{line}\n{status}");
        agent.signal("HUP");
        if is_ignored {
            agent.signal("TERM");
        }
        let ran = agent.wait();
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    }
}

/// The report names the dialect that the agent was found to speak.
#[test]
fn the_dialect_of_http_json_can_be_chosen() {
    let dialect = |flags: &[&str]| {
        let what =
            ["selftest", "--profile", "0.3", "--binding", "http-json", "--only", "get/existing", "--timeout", "60"];
        let ran = program::run(&[&what[..], flags, &["--report", "json"]].concat(), &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let interfaces = report["target"]["interfaces"].as_array().unwrap();
        let checked = interfaces.iter().find(|interface| interface.get("skipped").is_none()).unwrap();
        checked["dialect"].as_str().unwrap().to_owned()
    };
    assert_eq!(dialect(&["--rest-dialect", "proto"]), dialect(&[]), "published clients speak it");
    assert_ne!(dialect(&["--rest-dialect", "json"]), dialect(&[]));
}
