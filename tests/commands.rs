//! Every command block of the documents is run, as a reader would run it, or says why not.
//!
//! A command block is a fenced block with the language `sh`, or an indented block whose first word is a program; of a pipeline
//! (`yaml`, `groovy`) it is the lines that check or merge. Blocks of one page run in order, in one folder that is empty at first.
//! The reader's agent is the one of `examples/minimal-agent`. A comment right before a block changes how it is run:
//!
//! - `<!-- not run: REASON -->`: it is not run;
//! - `<!-- exit: N -->`: it ends with this exit code, and not with 0;
//! - `<!-- file: PATH -->`: it is no commands, but a file that later commands need;
//! - `<!-- before: COMMANDS -->`: these make what the block needs, such as a file of the reader's own;
//! - `<!-- agent: FLAGS -->`: the reader's agent is `a2aspec agent FLAGS`, for this block.
//!
//! A fenced block with the language `text` right behind a command block has lines of its output, in their order; `...` stands for
//! any others.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "commands/agents.rs"]
mod agents;
#[path = "commands/blocks.rs"]
pub mod blocks;
#[path = "commands/shell.rs"]
mod shell;

use std::path::Path;

use agents::Agents;
use blocks::{Block, blocks};
use shell::Shell;

/// The pages with commands that are run; each has a test below.
const RUN: [&str; 23] = [
    "README.md",
    "docs/acts.md",
    "docs/agents.md",
    "docs/ci.md",
    "docs/clients.md",
    "docs/commands.md",
    "docs/credentials.md",
    "docs/extensions.md",
    "docs/fuzzing.md",
    "docs/gate.md",
    "docs/gateways.md",
    "docs/many-agents.md",
    "docs/migrating.md",
    "docs/parsers.md",
    "docs/proxy.md",
    "docs/replicas.md",
    "docs/reports.md",
    "docs/robustness.md",
    "docs/settings.md",
    "docs/signed-cards.md",
    "docs/start.md",
    "docs/traffic.md",
    "docs/webhooks.md",
];

/// The pages whose commands need a package, which `cargo test --test program packages` installs; it runs them.
const RUN_WITH_PACKAGES: [&str; 2] = ["docs/javascript.md", "docs/python.md"];

fn read(page: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    blocks(&text).unwrap_or_else(|error| panic!("{page}:{error}"))
}

/// Runs a page from its first block to its last.
fn follow(page: &str) {
    let agents = Agents::start();
    let mut shell = Shell::new(page);
    let mut ran = 0;
    for block in read(page).iter().filter(|block| block.reason.is_none()) {
        let places = agents.places(block);
        let done = shell.run(&places.fill(&block.script()), places.port);
        let place = format!("{page}:{}", block.line);
        assert_eq!(done.code, block.exit, "{place}:\n{}\n{}", block.text, done.output);
        if let Some(missing) = block.missing_in(&places.back(&done.output)) {
            panic!("{place}: the output has no line {missing:?} where the page shows it:\n{}", done.output);
        }
        ran += 1;
    }
    assert!(ran > 0, "{page}: no block is run");
}

macro_rules! pages {
    ($($test:ident: $page:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            follow($page);
        })*

        #[test]
        fn each_page_has_its_test() {
            let mut tested = [$($page),*];
            tested.sort_unstable();
            assert_eq!(tested, RUN);
        }
    };
}

pages! {
    readme_is_followed: "README.md",
    acts_is_followed: "docs/acts.md",
    agents_is_followed: "docs/agents.md",
    ci_is_followed: "docs/ci.md",
    clients_is_followed: "docs/clients.md",
    commands_is_followed: "docs/commands.md",
    credentials_is_followed: "docs/credentials.md",
    extensions_is_followed: "docs/extensions.md",
    fuzzing_is_followed: "docs/fuzzing.md",
    gate_is_followed: "docs/gate.md",
    gateways_is_followed: "docs/gateways.md",
    many_agents_is_followed: "docs/many-agents.md",
    migrating_is_followed: "docs/migrating.md",
    parsers_is_followed: "docs/parsers.md",
    proxy_is_followed: "docs/proxy.md",
    replicas_is_followed: "docs/replicas.md",
    reports_is_followed: "docs/reports.md",
    robustness_is_followed: "docs/robustness.md",
    settings_is_followed: "docs/settings.md",
    signed_cards_is_followed: "docs/signed-cards.md",
    start_is_followed: "docs/start.md",
    traffic_is_followed: "docs/traffic.md",
    webhooks_is_followed: "docs/webhooks.md",
}

/// A page with commands that no test above runs has a reason at each of them.
#[test]
fn what_is_not_run_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).expect("there are documents");
    let docs = docs.map(|entry| format!("docs/{}", entry.expect("it can be read").file_name().to_string_lossy()));
    let pages = docs.filter(|page| page.ends_with(".md"));
    let others = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/contributing/case.md",
        "docs/contributing/fault.md",
        "docs/contributing/requirement.md",
        "reference-agent/README.md",
    ];
    for page in pages.chain(others.map(str::to_owned)) {
        for block in read(&page) {
            let is_run = RUN.contains(&page.as_str()) || RUN_WITH_PACKAGES.contains(&page.as_str());
            assert!(is_run || block.reason.is_some(), "{page}:{}: say why it is not run:\n{}", block.line, block.text);
            assert!(block.reason.is_none_or(|reason| reason.len() > 10), "{page}:{}: give a reason", block.line);
        }
    }
}
