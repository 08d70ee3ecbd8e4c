//! Subjects of commits.

use std::path::Path;
use std::process::Command;

use super::ROOT;

/// What the hook prints about a message; nothing if it accepts it.
fn complaint(message: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commit-{}", message.len()));
    std::fs::write(&file, message).expect("a file can be written");
    let ran = Command::new("bash").arg(".ci/commit-msg").arg(&file).current_dir(ROOT).output().expect("there is bash");
    assert_eq!(ran.status.success(), ran.stderr.is_empty(), "{message}");
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

#[test]
fn a_subject_is_one_short_sentence() {
    assert_eq!(complaint("Reject duplicate Host headers\n\nBecause RFC 9112 does.\n"), "");
    assert_eq!(complaint(&format!("A{}", "a".repeat(71))), "");
    assert!(complaint(&format!("A{}", "a".repeat(72))).contains("73 characters"));
    assert!(complaint("Reject duplicate headers.").contains("full stop"));
    assert!(complaint("reject duplicate headers").contains("capital"));
    assert!(complaint("# a comment\n").contains("empty"));
}
