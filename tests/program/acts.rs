//! Files of ACTS, the format that was proposed to the A2A project: what is read of them, and what is said of the rest.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{program, snapshot};

/// The verdicts of the cases of a folder on the reference agent, by case and binding.
fn verdicts(folder: &str, flags: &[&str]) -> BTreeMap<[String; 2], String> {
    report(&[&["--cases", folder, "--area", "acts"], flags].concat())
}

/// The verdicts of a run on the reference agent, by case and binding.
fn report(flags: &[&str]) -> BTreeMap<[String; 2], String> {
    let mut arguments = vec!["selftest", "--profile", "1.0", "--report", "json"];
    arguments.extend(flags);
    let ran = program::run(&arguments, &[]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let text = |result: &Value, name: &str| result[name].as_str().unwrap().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    results.map(|one| (["case", "binding"].map(|name| text(one, name)), text(one, "verdict"))).collect()
}

/// The verdict of one case over JSON-RPC.
fn verdict(all: &BTreeMap<[String; 2], String>, case: &str) -> String {
    all.get(&[case.to_owned(), "jsonrpc".to_owned()]).cloned().unwrap_or_default()
}

#[test]
fn samples_pass_on_an_agent_that_conforms() {
    let all = verdicts("tests/acts", &[]);
    assert_eq!(all.len(), 22, "{all:#?}");
    assert!(all.values().all(|verdict| verdict == "pass"), "{all:#?}");
    // A card is one, whatever the bindings; tests of a transport run over it alone.
    assert_eq!(all.keys().filter(|[case, _]| case == "acts/wire/rest-raw-101").count(), 1);
    assert_eq!(all.keys().filter(|[case, _]| case == "acts/core/dm-serial-105").count(), 2);
}

#[test]
fn samples_fail_on_an_agent_that_is_wrong() {
    for (fault, case) in
        [("get/other-task", "acts/core/core-send-101"), ("get/unknown-is-internal", "acts/core/core-err-101")]
    {
        let all = verdicts("tests/acts", &["--fault", fault]);
        assert_eq!(verdict(&all, case), "fail", "{fault}: {all:#?}");
    }
}

#[test]
fn a_test_with_something_that_cases_do_not_have_does_not_run() {
    let all = verdicts("tests/acts-beyond", &[]);
    let verdicts = ["a-1", "a-2", "a-3", "a-4", "a-5"].map(|id| verdict(&all, &format!("acts/beyond/{id}")));
    assert_eq!(verdicts, ["skipped", "skipped", "skipped", "skipped", "pass"]);
    let ran = program::run(&["lint", "tests/acts-beyond"], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // How many cases the program has is no matter here.
    let (named, _) = ran.stdout.split_once(" will not run").unwrap();
    snapshot::check("acts-beyond", named);
}

#[test]
fn mistakes_are_told_in_their_places() {
    let ran = program::run(&["lint", "tests/acts-wrong"], &[]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    snapshot::check("acts-wrong", &snapshot::told(&ran));
}

#[test]
fn what_is_written_reads_as_the_same_cases() {
    let folder = program::Folder::new();
    let written = folder.file("written");
    let ran = program::run(&["export", "acts", &written], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let index: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.file("written/index.json")).unwrap()).unwrap();
    let (tests, left_out) = (index["written"].as_object().unwrap(), index["left-out"].as_object().unwrap());
    assert!(tests.len() > 50 && left_out.len() > 40, "{} and {}", tests.len(), left_out.len());
    let again = program::run(&["export", "acts", &written], &[]);
    assert!(again.code == 2 && again.stderr.contains("is not empty"), "{}", again.stderr);

    // Every test that was written runs, and says of an agent what the case says of it.
    let only: Vec<&str> = tests.keys().flat_map(|case| ["--only", case.as_str()]).collect();
    for flags in [&[][..], &["--fault", "get/unknown-is-internal"], &["--fault", "cancel/ended-is-internal"]] {
        let of_tests = verdicts(&written, flags);
        let of_cases = report(&[flags, &only].concat());
        let mut failed = 0;
        for ([case, binding], verdict) in &of_cases {
            let Some(test) = tests.get(case).and_then(Value::as_str) else { continue };
            let area = case.split('/').next().unwrap();
            let key = [format!("acts/{area}/{}", test.to_lowercase()), binding.clone()];
            failed += usize::from(verdict == "fail");
            assert_eq!(of_tests.get(&key), Some(verdict), "{key:?} with {flags:?}");
        }
        assert_eq!(failed > 0, !flags.is_empty(), "{flags:?}");
    }
}
