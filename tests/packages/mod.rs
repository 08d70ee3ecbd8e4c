//! The packages for other languages: made of the program that cargo has built, installed into empty folders, and used as their
//! users use them.

mod deploy;
mod lint;
mod npm;
mod page;
mod python;
mod release;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::commands::blocks;
use crate::common::{deadline, program, tools};

/// The root of the repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// How long one command may take: far more than any does, even on a machine with much to do.
const LIMIT: Duration = Duration::from_secs(300);

/// A command in a folder, with some variables.
fn command(program: impl AsRef<Path>, folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = program::command::command(program.as_ref());
    command.current_dir(folder).args(arguments).envs(variables.iter().copied());
    command
}

/// Runs a command, which succeeds, and gives its standard output.
#[track_caller]
fn run(mut command: Command) -> String {
    let done = deadline::run(&mut command, LIMIT).unwrap();
    assert_eq!(done.code, Some(0), "{command:?}: {done}");
    done.stdout
}

/// An empty folder, in which what an earlier run made is gone.
fn empty(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _none = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The built program without its symbols, which would only cost time to pack, as a file in a folder.
fn small_program(folder: &Path) -> PathBuf {
    let (built, file) = (env!("CARGO_BIN_EXE_a2aspec"), folder.join("a2aspec"));
    let stripped = Command::new("strip").args(["-o", &file.display().to_string(), built]).output();
    if !stripped.is_ok_and(|output| output.status.success()) {
        std::fs::copy(built, &file).unwrap();
    }
    file
}
