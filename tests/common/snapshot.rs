//! What the program said, as a snapshot without what differs from run to run.

use super::program::Ran;

/// What is replaced: a regular expression, and by what.
const CHANGING: [(&str, &str); 8] = [
    // A slow run says how far it is.
    (r"(?m)^checking: \d+ of .*\n", ""),
    (r"127\.0\.0\.1:\d{2,}", "127.0.0.1:PORT"),
    (r"\bin \d+(\.\d+)? m?s\b", "in TIME"),
    (r"\bafter \d+ ms\b", "after TIME"),
    // There are more oracles and errors from time to time.
    (r"= help: there are .*", "= help: there are ..."),
    (r"a2aspec-[0-9a-f]{16,}-\d+", "UNIQUE"),
    (r"/\S*/a2aspec-test-\d+-\d+", "FOLDER"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
];

/// Everything that the user sees, and what the shell is told.
pub fn told(ran: &Ran) -> String {
    let mut text = format!("exit code {}\n", ran.code);
    for (name, stream) in [("standard output", &ran.stdout), ("standard error", &ran.stderr)] {
        if !stream.is_empty() {
            text.push_str(&format!("--- {name}\n{stream}"));
        }
    }
    text
}

/// Compares with the snapshot of this name.
pub fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    for (pattern, replacement) in CHANGING {
        settings.add_filter(pattern, replacement);
    }
    settings.bind(|| insta::assert_snapshot!(name, text));
}
