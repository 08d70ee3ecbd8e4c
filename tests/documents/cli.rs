//! The page of the command line is made of what clap knows.

use std::collections::BTreeMap;

use clap::{Arg, Command};

use super::{ROOT, document};

/// The page, below the root.
const PAGE: &str = "docs/cli.md";

/// Set, it writes the page in place of comparing it.
const UPDATE: &str = "A2ASPEC_UPDATE_DOCS";

const HEAD: &str = "# Command line\n\n\
    <!-- Generated: A2ASPEC_UPDATE_DOCS=1 cargo test --test program the_command_line -->\n\n\
    [Settings](settings.md) can replace most flags, and flags override settings. `a2aspec COMMAND --help` prints the same text.\n\n";

#[test]
fn the_command_line_is_that_of_the_program() {
    let page = page();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(std::path::Path::new(ROOT).join(PAGE), &page).expect("the page can be written");
    }
    assert!(document(PAGE) == page, "{PAGE} is old: {UPDATE}=1 cargo test --test program the_command_line");
}

fn page() -> String {
    let mut program = a2aspec::cli::command();
    program.build();
    let check = program.find_subcommand("check").map(flags).unwrap_or_default();
    let mut out = HEAD.to_owned();
    out.push_str("Every command has these flags:\n\n");
    table(&mut out, &flags(&program).into_values().collect::<Vec<_>>());
    out.push_str(&format!("\n{}\n", one_line(program.get_after_help())));
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        section(&mut out, command, "a2aspec", &flags(&program), &check);
    }
    out
}

/// The flags of a command, by name, as rows: flag, heading, help.
fn flags(command: &Command) -> BTreeMap<String, [String; 3]> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_long().is_some());
    shown.map(|arg| (arg.get_long().unwrap_or_default().to_owned(), row(arg))).collect()
}

fn row(arg: &Arg) -> [String; 3] {
    let mut flag = arg.to_string();
    if let Some(short) = arg.get_short() {
        flag = format!("-{short}, {flag}");
    }
    let mut help = one_line(arg.get_help());
    let values = arg.get_possible_values();
    let named =
        values.iter().filter(|value| !value.is_hide_set() && arg.get_num_args().is_some_and(|n| n.takes_values()));
    let named: Vec<String> = named
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({})", value.get_name(), lower(&help.to_string())),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if !named.is_empty() && !arg.is_hide_possible_values_set() {
        help.push_str(&format!(". Values: {}", named.join(", ")));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if !defaults.is_empty() && arg.get_num_args().is_some_and(|n| n.takes_values()) {
        help.push_str(&format!(" [default: {}]", defaults.join(", ")));
    }
    [flag, arg.get_help_heading().unwrap_or_default().to_owned(), help]
}

fn section(
    out: &mut String,
    command: &Command,
    before: &str,
    global: &BTreeMap<String, [String; 3]>,
    check: &BTreeMap<String, [String; 3]>,
) {
    let name = format!("{before} {}", command.get_name());
    out.push_str(&format!("\n## {name}\n\n{}.\n", one_line(command.get_about())));
    let positionals: Vec<[String; 3]> = command
        .get_positionals()
        .map(|arg| {
            let [flag, heading, help] = row(arg);
            // One that may be left out is in brackets; its dots follow them.
            let name = flag.strip_prefix('[').map_or_else(|| flag.clone(), |name| name.replacen(']', "", 1));
            [name, heading, help]
        })
        .collect();
    let own = flags(command).into_iter().filter(|(flag, _)| !global.contains_key(flag));
    let is_check = command.get_name() == "check";
    let (shared, own): (Vec<_>, Vec<_>) =
        own.partition(|(flag, row)| !is_check && check.get(flag).is_some_and(|other| other == row));
    let rows: Vec<[String; 3]> = positionals.into_iter().chain(own.into_iter().map(|(_, row)| row)).collect();
    let mut headings: Vec<String> = rows.iter().map(|[_, heading, _]| heading.clone()).collect();
    headings.sort_unstable();
    headings.dedup();
    for heading in headings {
        let rows: Vec<_> = rows.iter().filter(|[_, own, _]| *own == heading).cloned().collect();
        out.push('\n');
        if !heading.is_empty() {
            out.push_str(&format!("**{heading}**\n\n"));
        }
        table(out, &rows);
    }
    if !shared.is_empty() {
        let names: Vec<String> = shared.iter().map(|(flag, _)| format!("`--{flag}`")).collect();
        out.push_str(&format!("\nIt also has these flags of [`check`](#a2aspec-check): {}.\n", names.join(", ")));
    }
    if let Some(after) = command.get_after_help() {
        out.push_str(&format!("\n```text\n{}\n```\n", after.to_string().trim()));
    }
    for inner in command.get_subcommands().filter(|command| command.get_name() != "help") {
        section(out, inner, &name, global, check);
    }
}

fn table(out: &mut String, rows: &[[String; 3]]) {
    if rows.is_empty() {
        return;
    }
    out.push_str("| argument | meaning |\n|---|---|\n");
    for [flag, _, help] in rows {
        out.push_str(&format!("| `{}` | {} |\n", flag.replace('|', "\\|"), help.replace('|', "\\|")));
    }
}

fn one_line(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(|text| text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
