//! `a2aspec trust`, and what a settings file may do: anybody may have written the one that is found in the working directory.
//!
//! Credentials of a file go only to the origins that the file names. A found file runs commands only after the user has trusted its
//! path and content.

mod brought;
mod scope;
mod store;

use std::path::Path;
use std::sync::Once;

use self::brought::Command;
use self::store::{Known, Store};
use super::args::{TargetArgs, TrustArgs};
use super::config::{self, Config, Place};
use super::fail::Failure;
use super::{Exit, print, settings};
use crate::report::Secrets;

pub(super) use store::digest;

/// The variable with which a pipeline trusts the file of its repository.
const VARIABLE: &str = "A2ASPEC_TRUST";

/// The settings as they count for a run: without credentials that are not for its agent.
///
/// # Errors
/// The file needs the user's trust for what it does, or a flag names an identity that is not for this agent.
pub(super) fn admitted(args: &TargetArgs, config: &Config, is_own_agent: bool) -> Result<Config, Failure> {
    let config = match is_own_agent {
        // The reference agent needs none, and has no right to any.
        true => config.without_credentials(),
        false => {
            let (config, told) = scope::narrowed(args, config)?;
            static TOLD: Once = Once::new();
            if let Some(told) = told {
                TOLD.call_once(|| print::warn(&Secrets::default(), &told));
            }
            config
        }
    };
    let commands = brought::commands(brought::of_run(args, &config));
    static NAMED: Once = Once::new();
    admit(&config.place, &commands, &NAMED)?;
    Ok(config)
}

/// Requires the user's trust for the command that restarts the agent.
///
/// # Errors
/// The file needs it.
pub(super) fn admit_restart(config: &Config) -> Result<(), Failure> {
    static NAMED: Once = Once::new();
    admit(&config.place, brought::restart(config).as_slice(), &NAMED)
}

/// Requires the user's trust for commands of the file, and prints them once.
fn admit(place: &Place, commands: &[Command<'_>], named: &Once) -> Result<(), Failure> {
    require(place, commands)?;
    name_commands(place, commands, named);
    Ok(())
}

/// Requires the user's trust for the commands of a found file.
fn require(place: &Place, commands: &[Command<'_>]) -> Result<(), Failure> {
    let Place::Found { path, digest } = place else { return Ok(()) };
    if commands.is_empty() || is_trusted_by_environment()? {
        return Ok(());
    }
    let message = match Store::read()?.knows(path, digest) {
        Known::Trusted => return Ok(()),
        Known::Changed => format!("{} has changed since you trusted it, and it", config::DEFAULT_FILE),
        Known::Unknown => format!("{} is not trusted, and it", config::DEFAULT_FILE),
    };
    let what: Vec<String> = commands.iter().map(Command::to_string).collect();
    let help = format!("read the file; if you trust it, run `a2aspec trust`. In CI, set {VARIABLE}=1");
    Err(Failure::listing(Exit::Usage, &message, &what, Some(&help)))
}

fn is_trusted_by_environment() -> Result<bool, Failure> {
    match std::env::var(VARIABLE).as_deref() {
        Ok("1") => Ok(true),
        Ok("" | "0") | Err(_) => Ok(false),
        Ok(other) => {
            let message = format!("{VARIABLE} is {other:?}; expected 1 or 0");
            Err(Failure::new(Exit::Usage, &message, Some("1 trusts the a2aspec.toml of the working directory")))
        }
    }
}

/// Prints commands of the file before any of them runs, and once.
fn name_commands(place: &Place, commands: &[Command<'_>], named: &Once) {
    if commands.is_empty() || *place == Place::Nowhere {
        return;
    }
    named.call_once(|| {
        for command in commands {
            print::note(&Secrets::default(), &format!("note: {} {command}", place.shown()));
        }
    });
}

/// Trusts a file, or no longer, or lists the trusted files.
pub(super) fn run(args: &TrustArgs) -> Result<Exit, Failure> {
    let mut store = Store::read()?;
    if args.list {
        return print::found(listed(&store));
    }
    let named = args.file.as_deref().unwrap_or(Path::new(config::DEFAULT_FILE));
    let missing = |error| {
        let message = format!("the settings file {} cannot be read: {error}", named.display());
        Failure::new(Exit::Usage, &message, Some("name the file, or run the command in its folder"))
    };
    if args.revoke {
        // A file that was deleted can still be revoked.
        let path = std::fs::canonicalize(named).or_else(|_| std::path::absolute(named)).map_err(missing)?;
        return match store.remove(&path)? {
            true => print::found(format!("no longer trusted: {}\n", path.display())),
            false => {
                let message = format!("{} is not trusted", path.display());
                Err(Failure::new(Exit::Usage, &message, Some("`a2aspec trust --list` lists the trusted files")))
            }
        };
    }
    let path = std::fs::canonicalize(named).map_err(missing)?;
    // What cannot be read as settings is not worth trust.
    let config = settings::file(Some(&path))?;
    let Place::Named { digest, .. } = &config.place else {
        return Err(Failure::broken("a file without a place"));
    };
    let mut commands = brought::commands(brought::of_file(&config));
    commands.extend(brought::restart(&config));
    store.add(&path, digest.clone())?;
    let mut out = format!("trusted: {} (SHA-256 {digest})\n", path.display());
    match commands.as_slice() {
        [] => out.push_str("  it runs no command, so it needs no trust\n"),
        commands => commands.iter().for_each(|command| out.push_str(&format!("  it {command}\n"))),
    }
    print::found(out)
}

fn listed(store: &Store) -> String {
    let mut out = String::new();
    for (file, known) in store.files() {
        let state = match std::fs::read_to_string(file) {
            Ok(text) if digest(&text) == known => "trusted",
            Ok(_) => "changed",
            Err(_) => "missing",
        };
        out.push_str(&format!("{state:<8} {file}\n"));
    }
    if out.is_empty() { "no settings file is trusted\n".to_owned() } else { out }
}
