use proptest::prelude::*;

use super::*;
use crate::report::baseline::tests::{report, today};
use crate::verdict::Verdict::{self, Fail, Pass, Unreached, Warn};

const FILE: &str = "known.yaml";

/// A list as people keep it: with comments, blank lines and entries of their own form.
const KEPT: &str = "\
# Failures that we know.

known:
  # Waits for the store.
  - case: get/a   # in the old store
    profile: '1.0'
    binding: jsonrpc
    violated: [error]
    reason: the store

  # Streams.

  # Two of them.
  - { case: get/b, profile: '1.0', binding: jsonrpc }
  - case: get/c
    profile: \"1.0\"
    binding: jsonrpc
    until: 2026-11-01
  # The end.
";

type Results<'r> = &'r [(&'r str, Verdict, &'r [&'r str])];

fn read(text: &str) -> Baseline {
    Baseline::read(FILE, text).unwrap()
}

/// The file after an edit. It reads back as the list of the edit.
fn after(text: &str, edit: &Edit<'_>) -> String {
    let new = edit.text(FILE, text).unwrap();
    assert_eq!(read(&new), edit.list(), "{new}");
    new
}

fn accepted(text: &str, results: Results<'_>, note: &Note) -> String {
    let older = read(text);
    after(text, &Edit::accepting(&older, &report(results), FailOn::Must, |_| true, (note, today())))
}

fn pruned(text: &str, results: Results<'_>) -> String {
    let older = read(text);
    after(text, &Edit::pruning(&older, &report(results), today()))
}

#[test]
fn nothing_to_change_changes_nothing() {
    let results: Results<'_> = &[("get/a", Fail, &["error"]), ("get/b", Fail, &["other"]), ("get/d", Pass, &[])];
    assert_eq!(accepted(KEPT, results, &Note::default()), KEPT);
    assert_eq!(pruned(KEPT, results), KEPT);
}

#[test]
fn what_fails_is_added_and_what_people_wrote_stays() {
    let results: Results<'_> =
        &[("get/a", Fail, &["error", "refused"]), ("get/c", Fail, &["error"]), ("get/d", Fail, &["error"])];
    let bug = Some("https://bugs.example/7".to_owned());
    let new = accepted(KEPT, results, &Note { bug, ..Note::default() });
    insta::assert_snapshot!(new);
}

#[test]
fn a_day_that_is_over_is_removed_or_moved() {
    let results: Results<'_> = &[("get/c", Fail, &["error"])];
    assert_eq!(read(&accepted(KEPT, results, &Note::default())).known[2].until, None);
    let until = Some("2027-01-31".parse().unwrap());
    assert_eq!(read(&accepted(KEPT, results, &Note { until, ..Note::default() })).known[2].until, until);
}

#[test]
fn what_passes_is_deleted_with_its_comments() {
    insta::assert_snapshot!(pruned(KEPT, &[("get/a", Pass, &[]), ("get/b", Pass, &[]), ("get/c", Unreached, &[])]));
    // What fails below the level of the gate is still true.
    assert_eq!(pruned(KEPT, &[("get/a", Warn, &["error"]), ("get/c", Warn, &["error"])]), KEPT);
}

#[test]
fn an_empty_list_is_one_that_can_be_read() {
    let one = "known:\n- case: get/a\n  profile: '1.0'\n  binding: jsonrpc\n";
    let empty = pruned(one, &[("get/a", Pass, &[])]);
    assert_eq!(empty, "known: []\n");
    assert!(accepted(&empty, &[("get/d", Fail, &["error"])], &Note::default()).starts_with("known:\n- case: get/d\n"));
}

#[test]
fn entries_without_lines_of_their_own_are_written_anew() {
    let flow =
        "known: [{ case: get/a, profile: '1.0', binding: jsonrpc }, { case: get/b, profile: '1.0', binding: jsonrpc }]";
    let new = pruned(flow, &[("get/a", Pass, &[])]);
    assert!(new.contains("\nknown:\n- case: get/b\n"), "{new}");
}

#[test]
fn an_entry_is_added_by_hand_once() {
    let known = Known {
        case: "get/e".to_owned(),
        profile: "1.0".to_owned(),
        binding: "grpc".to_owned(),
        violated: Vec::new(),
        what: None,
        bug: None,
        reason: None,
        until: None,
    };
    let (older, note) = (read(KEPT), Note { reason: Some("later".to_owned()), ..Note::default() });
    let new = after(KEPT, &Edit::adding(&older, known.clone(), &note));
    assert!(new.ends_with("    binding: grpc\n    reason: later\n  # The end.\n"), "{new}");
    let older = read(&new);
    let again = Edit::adding(&older, known.clone(), &note);
    assert!(again.changes().iter().all(Vec::is_empty));
    assert_eq!(after(&new, &again), new);
    let narrowed = Edit::adding(&older, Known { violated: vec!["error".to_owned()], ..known }, &Note::default());
    let last = narrowed.list().known.pop().unwrap();
    assert_eq!((last.violated, last.reason), (vec!["error".to_owned()], note.reason));
}

proptest! {
    /// Whatever the texts of an entry are, the file reads back as the list of the edit, and lines of other entries stay.
    #[test]
    fn every_reason_is_kept(reason in "\\PC{0,40}(\n\\PC{0,20})?", at in 0_usize..3, is_flow in any::<bool>()) {
        let verdicts = [0, 1, 2].map(|index| if index == at { Fail } else { Pass });
        let results = [("get/a", verdicts[0], &["new"][..]), ("get/b", verdicts[1], &["new"]), ("get/c", verdicts[2], &["new"])];
        let text = if is_flow { read(KEPT).text().unwrap() } else { KEPT.to_owned() };
        let note = Note { reason: Some(reason.clone()), ..Note::default() };
        let new = accepted(&text, &results, &note);
        let list = read(&new);
        prop_assert_eq!(list.known[at].reason.as_ref(), Some(&reason));
        prop_assert_eq!(list.known.len(), 3);
    }
}
