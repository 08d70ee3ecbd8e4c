//! The command line: arguments in, exit code out. The only reader of arguments, environment and configuration.

mod agent;
mod args;
mod baseline;
mod card;
mod census;
mod check;
mod choices;
mod client;
mod compare;
pub mod config;
mod corpus;
mod coverage;
mod credentials;
mod dialing;
mod diff;
mod doctor;
mod examples;
mod explain;
mod export;
mod fail;
mod fuzz;
mod identities;
mod init;
mod judge;
mod line;
mod lint;
mod list;
mod machine;
mod matrix;
mod merge;
mod oauth;
mod outcome;
mod own_agent;
mod parser;
mod print;
mod private;
mod profiles;
mod progress;
mod proxy;
mod replay;
mod restart;
mod saved;
mod schema;
mod sets;
mod settings;
mod shell;
mod signals;
mod tell;
mod trust;
mod ui;
mod undone;
mod watch;
mod webhook;

use std::process::ExitCode;

use clap::FromArgMatches as _;
use tokio::runtime::Runtime;

use args::{Args, Command};
use fail::Failure;

/// How a command ended, for whoever started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The gate passes: nothing is violated at the level of `--fail-on`.
    Holds = 0,
    /// It fails.
    Fails = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// The target, or an interface of it, cannot be reached, or it has no usable card.
    Target = 3,
    /// The suite broke.
    Broken = 4,
    /// A signal ended the run early: 128 and the number of SIGINT, as shells have it, whichever the signal was.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What a command runs in.
///
/// # Errors
/// What the machine lacks for it.
fn runtime(command: &Command) -> Result<Runtime, Failure> {
    // A check waits for the agent, as a rule: one thread is as fast as several, and takes half their memory.
    let mut runtime = match command {
        Command::Agent(_) | Command::Proxy(_) | Command::Ui(_) => {
            // It starts threads, and ends the process if there are none.
            machine::check()?;
            tokio::runtime::Builder::new_multi_thread()
        }
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    runtime.enable_all().build().map_err(|error| Failure::broken(format!("the runtime cannot be started: {error}")))
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let args = match command().try_get_matches().and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => return help(&error).unwrap_or_else(|failure| fail::show(&failure)).into(),
    };
    print::be(args.loudness());
    let runtime = match runtime(&args.command) {
        Ok(runtime) => runtime,
        Err(failure) => return fail::show(&failure).into(),
    };
    let exit = runtime.block_on(async {
        match args.command {
            Command::Check(args) => check::run(*args).await,
            Command::Selftest(args) => check::run_self(*args).await,
            Command::Doctor(args) => doctor::run(*args).await,
            Command::Client(args) => client::run(*args).await,
            Command::Judge(args) => judge::run(*args).await,
            Command::Proxy(args) => proxy::run(*args).await,
            Command::Compare(args) => compare::run(*args).await,
            Command::Watch(args) => watch::run(*args).await,
            Command::Ui(args) => ui::run(*args).await,
            Command::Init(args) => init::run(*args).await,
            Command::Fuzz(args) => fuzz::run(*args).await,
            Command::Replay(args) => replay::run(*args).await,
            Command::Agent(args) => agent::run(&args).await,
            Command::List(args) => list::run(&args),
            Command::Explain(args) => explain::run(&args).and_then(print::found),
            Command::Coverage(args) => coverage::run(&args),
            Command::Profiles => profiles::list().and_then(print::found),
            Command::Matrix(args) => matrix::run(args),
            Command::Census(args) => census::run(args).await,
            Command::Merge(args) => merge::run(args),
            Command::Diff(args) => diff::run(&args),
            Command::DiffSpec(args) => profiles::diff(&args).and_then(print::found),
            Command::Export(args) => export::run(&args).and_then(print::found),
            Command::Corpus(args) => corpus::run(&args).and_then(print::found),
            Command::Schema(args) => schema::of(args.file).and_then(print::made),
            Command::Completions(args) => print::made(shell::completions(&args)),
            Command::Man(args) => shell::man(&args).and_then(print::made),
            Command::Card(args) => card::run(args).await,
            Command::Baseline(args) => baseline::run(args),
            Command::Trust(args) => trust::run(&args),
            Command::Webhook(args) => webhook::run(args).await,
            Command::Lint(args) => lint::run(&args).and_then(print::found),
        }
    });
    // Whatever still runs in the background (streams of an agent that never ends them) is of no use to anyone.
    runtime.shutdown_background();
    exit.unwrap_or_else(|failure| fail::show(&failure)).into()
}

/// The help or the version that was asked for, or why the arguments cannot be used.
fn help(error: &clap::Error) -> Result<Exit, Failure> {
    let text = error.render().ansi().to_string();
    match error.use_stderr() {
        true => Err(Failure::whole(Exit::Usage, text)),
        false => print::found(text),
    }
}

/// The command line as clap knows it.
pub fn command() -> clap::Command {
    examples::with_examples(<Args as clap::CommandFactory>::command())
}
