//! `a2aspec::libtest`: what `cargo test` says of an agent.
//!
//! The adapter is the main function of a test program and reads the arguments of the process. So this program plays two roles:
//! its tests start it again as such a program, and look at what it prints.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
use crate::common::program;
use crate::common::snapshot;

/// The example is such a program.
#[path = "../examples/cargo-test.rs"]
mod example;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use a2a_reference_agent::{Config, Fault};
use a2aspec::{FailOn, Suite, libtest};
use libtest_mimic::{Arguments, Trial};
use program::{Ran, run_by};

/// Says which role is played: `example`, or the URL of the agent with the level that fails.
const ROLE: &str = "A2ASPEC_LIBTEST_ROLE";

fn main() -> ExitCode {
    match std::env::var(ROLE).ok().as_deref().map(|role| (role, role.split_once(' '))) {
        None => {
            let tests: Vec<Trial> = TESTS
                .iter()
                .map(|(name, test)| {
                    Trial::test(*name, || {
                        test();
                        Ok(())
                    })
                })
                .collect();
            libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
        }
        Some((_, Some((fail_on, url)))) => libtest::main_with(Suite::builder(url), fail_on.parse().unwrap()),
        Some(_) => example::main().expect("the agent starts"),
    }
}

const TESTS: [(&str, fn()); 5] = [
    ("the_example_passes", the_example_passes),
    ("what_is_broken_fails_with_its_evidence", what_is_broken_fails_with_its_evidence),
    ("what_does_not_fail_the_gate_is_ignored", what_does_not_fail_the_gate_is_ignored),
    ("the_list_is_the_plan", the_list_is_the_plan),
    ("without_an_agent_nothing_passes", without_an_agent_nothing_passes),
];

/// What `cargo test` says of the reference agent with a fault; requests go only to the cases that the arguments select.
fn of_agent(fault: &str, fail_on: FailOn, arguments: &[&str]) -> Ran {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let faults = vec![Fault::find(fault).unwrap()];
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = runtime.block_on(a2a_reference_agent::start(Config { faults, ..Config::default() }, address)).unwrap();
    as_tests(&format!("{} {}", fail_on.name(), agent.url()), arguments)
}

fn as_tests(role: &str, arguments: &[&str]) -> Ran {
    let own = std::env::current_exe().unwrap();
    run_by(own.to_str().unwrap(), arguments, &[(ROLE, role)])
}

/// What it says, without how many tests there are beside those that were selected.
fn told(ran: &Ran) -> String {
    let told = snapshot::told(ran);
    told.lines().map(|line| line.split("; 0 measured").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn the_example_passes() {
    let ran = as_tests("example", &["--test-threads", "1", "jsonrpc get/"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    snapshot::check("libtest_example", &told(&ran));
}

fn what_is_broken_fails_with_its_evidence() {
    let ran = of_agent("get/other-task", FailOn::Must, &["--exact", "1.0 jsonrpc get/existing"]);
    assert_eq!(ran.code, 101, "{}", ran.stdout);
    let said = ["get/existing ... FAILED", "/result/id", "expected \"task-000001\"", "--only get/existing", "1 failed"];
    assert!(said.iter().all(|text| ran.stdout.contains(text)), "{}", ran.stdout);
}

fn what_does_not_fail_the_gate_is_ignored() {
    let ran = of_agent("get/other-task", FailOn::Never, &["--exact", "1.0 jsonrpc get/existing"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("get/existing ... ignored (fail: "), "{}", ran.stdout);
}

fn the_list_is_the_plan() {
    let ran = as_tests("example", &["--list", "1.0 jsonrpc get/"]);
    snapshot::check("libtest_lists", &told(&ran));
}

fn without_an_agent_nothing_passes() {
    // A filter that no test fits must not hide that there is no agent.
    let ran = as_tests("must http://127.0.0.1:1", &["no-such-test"]);
    assert_eq!(ran.code, 101);
    snapshot::check("libtest_unreachable", &told(&ran));
}
