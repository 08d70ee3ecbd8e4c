//! `.ci/spec-changes`, on two commits of a repository that is made for the test; and the texts that `docs/versions.md` names.

use std::process::Command;

use a2aspec::profile;

use super::{ROOT, document};
use crate::common::program::Folder;
use crate::common::tools::not_run;

/// The text before and after: a statement moves, one is new, one section goes, and a list changes without a statement.
const BEFORE: &str = "# A2A\n\nAbout.\n\n## 3.1.3. Get Task\n\nThe agent **MUST** answer with the task. It reads, e.g. by id.\n\n\
                      ```\n# no heading\n```\n\n### 3.1.4. List Tasks\n\nPages have an order.\n\n## 9. Old\n\nAgents MAY wait.\n";
const AFTER: &str = "# A2A\n\nAbout.\n\n## 3.1.3. Get Task\n\nThe agent MUST answer\nwith the task. The agent SHOULD be quick, e.g. in a second.\n\n\
                     ```\n# no heading\n```\n\n### 3.1.4. List Tasks\n\nPages have a fixed order.\n\n## 9.1 New\n\nNothing.\n";

const PROTO_BEFORE: &str = r#"
option java_package = "org.a2a"; // not a member = 1;
message Task {
  // The `id`; see "https://a2a.example".
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  oneof what { string text = 2; }
  repeated Part parts = 3;
  reserved 9;
  message Inner { bool gone = 1; }
}
service A2A { rpc Get(GetRequest) returns (Task) { option (google.api.http) = { get: "/tasks/{id=*}" }; } }
"#;
const PROTO_AFTER: &str = r#"
option java_package = "org.a2a";
message Task {
  string id = 1;
  oneof what { string text = 2; int64 number = 5; }
  repeated Part parts = 4;
  optional int64 generation = 7;
  message Inner {}
}
service A2A { rpc Get(GetRequest) returns (stream Task) { option (google.api.http) = { get: "/tasks/{id=*}" }; } }
"#;

fn git(folder: &Folder, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder.path()).args(["-c", "user.name=a2aspec", "-c", "user.email=a2aspec@example.org"]);
    let ran = git.args(arguments).output().expect("there is git");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A repository with the tags `old` and `new`.
fn repository() -> Folder {
    let folder = Folder::new();
    git(&folder, &["init", "-q"]);
    for name in ["docs", "specification"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder can be made");
    }
    for (tag, text, proto) in [("old", BEFORE, PROTO_BEFORE), ("new", AFTER, PROTO_AFTER)] {
        folder.write("docs/specification.md", text);
        folder.write("specification/a2a.proto", proto);
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "-q", "-m", tag]);
        git(&folder, &["tag", tag]);
    }
    folder
}

/// The exit code, what is printed, and what is complained of; nothing without Python.
fn compare(folder: &Folder, arguments: &[&str]) -> Option<(i32, String, String)> {
    let mut script = Command::new("python3");
    script.arg(".ci/spec-changes").arg(folder.path()).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    let Ok(ran) = script.current_dir(ROOT).output() else {
        not_run(".ci/spec-changes", "there is no python3");
        return None;
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((ran.status.code().unwrap_or(-1), text(&ran.stdout), text(&ran.stderr)))
}

#[test]
fn what_changed_in_a_text_is_listed_with_its_requirements() {
    let folder = repository();
    let Some((code, printed, _)) = compare(&folder, &["old", "new"]) else { return };
    assert_eq!(code, 1);
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("spec-changes", printed);
    });
    let flags = ["old", "new", "--profile", "1.0", "--program", env!("CARGO_BIN_EXE_a2aspec")];
    let (code, printed, complaint) = compare(&folder, &flags).expect("it has just run");
    assert_eq!(code, 1, "{complaint}");
    assert!(printed.contains("requirements: 1.0-3.1.3-1, ") && printed.contains("\n  get/unknown-id\n"), "{printed}");
    // Where no statement changed, no case is to be read.
    assert!(printed.contains("requirements: 1.0-3.1.4-1, ") && !printed.contains("\n  list/"), "{printed}");
}

#[test]
fn equal_revisions_and_unknown_ones_are_told_apart() {
    let folder = repository();
    let Some((code, printed, _)) = compare(&folder, &["new", "new"]) else { return };
    assert_eq!((code, printed.as_str()), (0, "nothing changed\n"));
    let (code, printed, complaint) = compare(&folder, &["new", "v9"]).expect("it has just run");
    assert_eq!((code, printed.as_str()), (2, ""));
    assert!(complaint.starts_with("error: ") && complaint.contains("v9"), "{complaint}");
}

/// Each profile has a row with the day of its text.
#[test]
fn every_profile_has_its_text() {
    let table = document("docs/versions.md");
    for profile in profile::bundled().expect("the profiles can be read") {
        let name = profile.name();
        let row = table.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/versions.md has no row for {name}"));
        let facts = document(&format!("schemas/{name}/profile.yaml"));
        let day = facts.lines().find_map(|line| line.strip_prefix("published: ")?.split(' ').next());
        assert!(day.is_some_and(|day| row.contains(&format!("| {day} |"))), "{row}");
    }
}
