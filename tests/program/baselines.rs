//! `a2aspec baseline`: lists of known failures that are changed in their files.

use super::program::{self, Folder, Ran};

/// A run of the area `get` on the reference agent with these faults.
fn check(flags: &[&str], faults: &[&str]) -> Ran {
    let run = ["selftest", "--profile", "1.0", "--binding", "jsonrpc", "--only", "get"];
    let faults: Vec<&str> = faults.iter().flat_map(|fault| ["--fault", fault]).collect();
    program::run(&[&run, flags, &faults].concat(), &[])
}

/// The JSON report of such a run.
fn report(folder: &Folder, name: &str, fault: &[&str]) -> String {
    let file = folder.file(name);
    let ran = check(&["--report", &format!("json={file}")], fault);
    assert_eq!(ran.code, i32::from(!fault.is_empty()), "{}{}", ran.stdout, ran.stderr);
    file
}

fn gate(list: &str, fault: &[&str]) -> Ran {
    check(&["--baseline", list], fault)
}

fn changed(arguments: &[&str]) -> String {
    let ran = program::run(&[&["baseline"], arguments].concat(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn what_is_accepted_passes_until_it_is_fixed() {
    let folder = Folder::new();
    let list = folder.file("known.yaml");
    let fault = ["get/other-task"];
    let wrong = report(&folder, "wrong.json", &fault);
    let told = changed(&["accept", &list, &wrong, "--reason", "in review", "--until", "2999-12-31"]);
    assert!(told.contains(" added, ") && told.contains("  added   get/"), "{told}");
    assert_eq!(gate(&list, &fault).code, 0);
    // The same again changes nothing, and keeps what people write.
    let text = std::fs::read_to_string(&list).unwrap().replace("known:\n", "known:\n# Ours.\n\n");
    std::fs::write(&list, &text).unwrap();
    assert!(changed(&["accept", &list, &wrong]).contains("nothing to change"));
    assert!(changed(&["prune", &list, &wrong]).contains("nothing to change"));
    assert_eq!(std::fs::read_to_string(&list).unwrap(), text);
    // What is fixed is deleted.
    let right = report(&folder, "right.json", &[]);
    assert_eq!(gate(&list, &[]).code, 1);
    let told = changed(&["prune", &list, &right]);
    assert!(told.contains(" deleted, 0 entries"), "{told}");
    assert_eq!(gate(&list, &[]).code, 0);
    assert!(std::fs::read_to_string(&list).unwrap().ends_with("known: []\n# Ours.\n\n"));
}

#[test]
fn some_failures_are_accepted_and_others_are_not() {
    let folder = Folder::new();
    let list = folder.file("known.yaml");
    let fault = ["get/other-task"];
    let wrong = report(&folder, "wrong.json", &fault);
    let told = changed(&["accept", &list, &wrong, "--only", "get/unknown-id"]);
    assert!(told.contains("nothing to change, 0 entries"), "{told}");
    let missed = program::run(&["baseline", "accept", &list, &wrong, "--only", "get/unknown-idd"], &[]);
    assert!(missed.code == 2 && missed.stderr.contains("did you mean get/unknown-id?"), "{}", missed.stderr);
    assert!(!std::path::Path::new(&list).exists());
}

#[test]
fn an_entry_is_added_by_hand() {
    let folder = Folder::new();
    let list = folder.file("known.yaml");
    let place = ["--profile", "1.0", "--binding", "jsonrpc"];
    let told = changed(&[&["add", &list, "get/existing"], &place[..], &["--bug", "https://bugs.example/7"]].concat());
    assert!(told.contains("1 added, 1 entry"), "{told}");
    // It says that what passes fails.
    let stale = gate(&list, &[]);
    assert!(stale.code == 1 && stale.stdout.contains("no longer true"), "{}", stale.stdout);
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = Folder::new();
    let list = folder.file("known.yaml");
    let place = ["--profile", "1.0", "--binding", "grpc"];
    for (arguments, expected) in [
        (&[&["add", &list, "get/existin"], &place[..]].concat()[..], "did you mean get/existing?"),
        (&[&["add", &list, "get/existing", "--until", "soon"], &place[..]].concat(), "write it as 2027-01-31"),
        (&["add", &list, "get/existing", "--profile", "9", "--binding", "grpc"], "there is no profile `9`"),
        (&["add", &list, "get/existing", "--profile", "1.0", "--binding", "grpc+rest"], "no such binding"),
        (&["prune", &list, "no-such.json"], "cannot be read"),
        (&["accept", &list, "Cargo.toml"], "this is no JSON report"),
    ] {
        let ran = program::run(&[&["baseline"], arguments].concat(), &[]);
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
    }
    let report = report(&folder, "right.json", &[]);
    let missing = program::run(&["baseline", "prune", &list, &report], &[]);
    assert!(missing.code == 2 && missing.stderr.contains("a2aspec baseline accept"), "{}", missing.stderr);
}
