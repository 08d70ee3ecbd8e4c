//! `docs/start.md`, followed to the letter by somebody who has nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::deadline::run;

/// The agent of the document, as it is written there.
const AGENT: &str = "http://127.0.0.1:8080";

/// How long one step may take.
const STEP: Duration = Duration::from_secs(120);

/// What is written before a block that is to be run.
const MARK: &str = "<!-- run: exit ";

/// A block of the document: what the shell is told, and how it ends.
#[derive(Debug, PartialEq)]
struct Step<'a> {
    text: &'a str,
    exit: i32,
}

fn steps(document: &str) -> Result<Vec<Step<'_>>, String> {
    let blocks = document.split(MARK).skip(1).map(|rest| {
        let (exit, rest) = rest.split_once(" -->\n```sh\n")?;
        Some(Step { text: rest.split("```").next()?, exit: exit.parse().ok()? })
    });
    blocks.collect::<Option<Vec<_>>>().ok_or_else(|| "a step is written in another form".to_owned())
}

/// Follows the document with the agent at this URL, in a folder that is empty.
///
/// # Errors
/// A step ends otherwise than the document says.
pub fn follow(document: &str, agent: &str, folder: &Path) -> Result<String, String> {
    let began = Instant::now();
    let steps = steps(document)?;
    let exits: Vec<i32> = steps.iter().map(|step| step.exit).collect();
    if !exits.contains(&1) || exits.last() != Some(&0) {
        return Err(format!("the document has no failing and then a passing gate: {exits:?}"));
    }
    let program = Path::new(env!("CARGO_BIN_EXE_a2aspec"));
    let others = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{others}", program.parent().unwrap_or(Path::new("/")).display());
    let mut told = String::new();
    for step in steps {
        let text = step.text.replace(AGENT, agent.trim_end_matches('/'));
        let done = run(Command::new("sh").args(["-e", "-c", &text]).current_dir(folder).env("PATH", &path), STEP)?;
        if done.code != Some(step.exit) {
            return Err(format!("expected exit code {} of\n{text}\n{done}", step.exit));
        }
        let _ = writeln!(told, "{:>5.1} s  {}", began.elapsed().as_secs_f64(), text.trim());
    }
    for file in ["known.yaml", "a2aspec.xml", "a2aspec.html"] {
        if !folder.join(file).is_file() {
            return Err(format!("the document says that {file} is written, and it is not there"));
        }
    }
    Ok(told)
}
