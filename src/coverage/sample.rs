//! A small library for the tests of the renderers.

use super::Coverage;
use crate::case::{Library, Source};

const CASES: &str = r#"
cases:
  - { id: get/one, title: "a task | by <id>", why: w, right: r, wrong: w, fix: m, steps: [{ card: {} }] }
  - { id: get/two, title: pages, why: w, right: r, wrong: w, fix: m, bindings: [grpc], steps: [{ card: {} }] }
  - id: get/three
    title: both bindings
    why: w
    right: r
    wrong: w
    fix: m
    across: true
    steps: [{ card: {}, over: second }]
  - { id: own/mine, title: ours, why: w, right: r, wrong: w, fix: m, level: SHOULD, section: handbook 2, steps: [{ card: {} }] }
"#;

const VERSION: &str = r#"
catalogue: "1.0"
title: A2A <1.0>
source: https://example.org/spec?a=1&b=2
includes: [wire]
requirements:
  - { id: 1.0-3.10-1, section: "3.10, 4", level: MUST, text: "A task_id is *one* of `a|b`.", cases: [get/one, get/three] }
  - { id: 1.0-3.2-1, section: "3.2", level: MUST, text: Half of it., visible: partly, because: no more is shown, cases: [get/one] }
  - { id: 1.0-3.2-2, section: "3.2", level: SHOULD, text: With a hook., needs: [webhooks, tls], because: it is sent }
  - { id: 1.0-3.2-3, section: "3.2", level: MAY, text: A permission., visible: no, because: "<nobody> & nothing" }
  - { id: 1.0-3.2-4, section: "3.2", level: MUST, text: Forgotten. }
  - { id: 1.0-3.2-5, section: "3.2", level: MUST, text: More with a key., needs: [signatures], cases: [get/one] }
  - { id: 1.0-4-1, section: "4", level: MUST, binds: client, text: Clients wait., visible: no, because: it binds clients }
  - { id: 1.0-4-2, section: "4", level: MUST, text: An old name., renamed-to: 1.0-3.2-1 }
"#;

const STANDARD: &str = r#"
catalogue: wire
title: Wire
source: a book
requirements:
  - { id: wire-1-1, section: "1", level: MUST, bindings: [grpc], text: Frames., cases: [get/two] }
"#;

/// The library: each state, each level, a client, a renamed id, a standard, a case of the user's own, and characters
/// that mean something to Markdown and HTML.
pub(super) fn library() -> Library {
    let texts = [("own/get/get.yaml", CASES), ("requirements/1.0.yaml", VERSION), ("requirements/wire.yaml", STANDARD)];
    let sources = texts.map(|(file, text)| Source { file: file.to_owned(), text: text.to_owned() });
    Library::read(sources.into(), &[], &[]).expect("the sample is right")
}

/// Its matrix.
pub(super) fn coverage() -> Coverage {
    Coverage::whole(&library(), &["1.0"])
}
