//! Pages of the documents whose commands need a package.

use std::path::Path;

use super::blocks::blocks;
use super::{LIMIT, ROOT, deadline};
use crate::common::program::{Running, command};

/// The block's agent runs already: the line of the script that would start it does nothing.
const STARTS: &str = "starts() { :; }\n";

/// The address that pages show.
const SHOWN: &str = "http://localhost:8080";

/// Runs the blocks of a page in a folder, with programs from other folders before those of the path.
pub fn follow(page: &str, folder: &Path, programs: &[&Path], variables: &[(&str, &str)]) {
    let text = std::fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
    let path = programs.iter().map(|program| program.display().to_string()).chain(std::env::var("PATH").ok());
    let path = path.collect::<Vec<_>>().join(":");
    let mut ran = 0;
    for block in blocks(&text).unwrap().iter().filter(|block| block.reason.is_none()) {
        let agent = block.text.contains(SHOWN).then(|| agent(block.agent.as_deref().unwrap_or("--only 1.0")));
        let url = agent.as_ref().map_or(SHOWN, |(_, url)| url);
        let script = format!("{STARTS}{}", block.script().replace(SHOWN, url));
        let mut shell = command::command("sh");
        shell.args(["-e", "-c", &script]).current_dir(folder).env("PATH", &path).envs(variables.iter().copied());
        let done = deadline::run(&mut shell, LIMIT).unwrap();
        assert_eq!(done.code, Some(block.exit), "{page}:{}: {done}", block.line);
        assert_eq!(block.missing_in(&done.stdout), None, "{page}:{}: {done}", block.line);
        ran += 1;
    }
    assert!(ran > 0, "{page}: no block is run");
}

/// A reference agent with these flags, and its URL.
pub fn agent(flags: &str) -> (Running, String) {
    let mut command = command::command(env!("CARGO_BIN_EXE_a2aspec"));
    let agent = Running::of(command.args(["agent", "--port", "0"]).args(flags.split_whitespace())).unwrap();
    let line = agent.stdout_line("reference agent at ");
    let url = line.rsplit(' ').next().unwrap().trim().to_owned();
    (agent, url)
}
