//! The documents name what the program has: nothing is added that nobody is told of.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::expect_used)]

use std::path::Path;

fn document(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("the document is there")
}

#[test]
fn every_oracle_is_explained() {
    let guide = document("CONTRIBUTING.md");
    let missing: Vec<&str> =
        a2aspec::judge::oracle::names().into_iter().filter(|name| !guide.contains(&format!("`{name}"))).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md does not explain {}", missing.join(", "));
}

#[test]
fn every_command_and_flag_of_a_check_is_shown() {
    let readme = document("README.md");
    let program = a2aspec::cli::command();
    let missing: Vec<&str> = program
        .get_subcommands()
        .map(clap::Command::get_name)
        .filter(|name| !readme.contains(&format!("a2aspec {name}")))
        .collect();
    assert!(missing.is_empty(), "README.md does not show {}", missing.join(", "));
    let check = program.find_subcommand("check").expect("there is `check`");
    let missing: Vec<String> = check
        .get_arguments()
        .filter_map(clap::Arg::get_long)
        .map(|flag| format!("--{flag}"))
        .filter(|flag| !readme.contains(flag.as_str()))
        .collect();
    assert!(missing.is_empty(), "README.md does not show {}", missing.join(", "));
}

/// The settings that README.md shows, given a value each, are settings; what is not shown is not known to anyone.
#[test]
fn every_setting_is_shown() {
    let readme = document("README.md");
    let shown =
        readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example is there");
    let config = toml::from_str::<a2aspec::target::config::Config>(shown).expect("the example can be read");
    let unset: Vec<String> = format!("{config:#?}")
        .lines()
        .filter(|line| line.starts_with("    ") && !line.starts_with("     "))
        .filter(|line| ["None,", "[],", "{},"].iter().any(|nothing| line.ends_with(nothing)))
        .map(|line| line.trim().to_owned())
        .collect();
    assert!(unset.is_empty(), "README.md does not show {}", unset.join(" "));
}
