//! The bench and what it measures share no code.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// The packages that a package needs, itself included, in any kind of dependency.
fn needs<'a>(metadata: &'a Value, name: &str) -> BTreeSet<&'a str> {
    let names = |id: &Value| {
        let packages = metadata["packages"].as_array().unwrap();
        packages.iter().find(|package| package["id"] == *id).unwrap()["name"].as_str().unwrap()
    };
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let (mut found, mut open) = (BTreeSet::new(), Vec::new());
    open.extend(nodes.iter().find(|node| names(&node["id"]) == name));
    assert!(!open.is_empty(), "there is a package {name}");
    while let Some(node) = open.pop() {
        if found.insert(node["id"].as_str().unwrap()) {
            for needed in node["deps"].as_array().unwrap() {
                open.extend(nodes.iter().find(|node| node["id"] == needed["pkg"]));
            }
        }
    }
    found.into_iter().map(|id| names(&Value::from(id))).collect()
}

#[test]
fn neither_crate_depends_on_the_other() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (suite, bench) = (needs(&metadata, "a2aspec"), needs(&metadata, "drawn-bugs"));
    assert!(!bench.contains("a2aspec"));
    assert!(!suite.contains("drawn-bugs"));
    assert!(bench.contains("a2a-reference-agent"));
    // What draws for the fuzzer must not draw for the bench. `fastrand` may be there for others, and is not named here.
    assert!(!bench.contains("arbitrary"));
}
