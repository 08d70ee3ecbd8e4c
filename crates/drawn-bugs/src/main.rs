//! Draws bugs, hunts each with the fuzzer, and prints what was found.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use drawn_bugs::hunt::{self, Options, Outcome};
use drawn_bugs::proxy::Broken;
use drawn_bugs::{draw, reach, report};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Draw bugs at random, hunt each with the fuzzer, and report what it finds.
#[derive(Debug, Parser)]
struct Args {
    /// The program whose `fuzz` and `replay` are measured.
    #[arg(long, value_name = "FILE", default_value = "target/debug/a2aspec")]
    program: PathBuf,
    /// Draw by this seed [default: another each time].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Draw so many bugs.
    #[arg(long, value_name = "N", default_value_t = 30)]
    bugs: u64,
    /// Hunt only the bug at this index; may be repeated.
    #[arg(long, value_name = "N")]
    index: Vec<u64>,
    /// Hunt each for so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time: u64,
    /// Hunt so often without a bug.
    #[arg(long, value_name = "N", default_value_t = 2)]
    controls: u64,
    /// Hunt so many at once.
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Let each hunt send so many messages.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    messages: u64,
    /// Write reports and findings into this folder.
    #[arg(long, value_name = "DIR", default_value = "target/drawn-bugs")]
    folder: PathBuf,
    /// Only print the bugs, one JSON object a line.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map_err(Broken::from).and_then(|runtime| runtime.block_on(run(args))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), Broken> {
    // Nobody knows it before the bench starts.
    let seed = args.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish() % 1_000_000);
    eprintln!("--seed {seed} draws the same bugs again");
    let indices = if args.index.is_empty() { (0..args.bugs).collect() } else { args.index.clone() };
    if args.list {
        for index in indices {
            println!("{}", serde_json::to_string(&draw::one(seed, index, 0))?);
        }
        return Ok(());
    }
    let options = Arc::new(Options {
        // Each hunt has a folder of its own as its current one.
        program: std::path::absolute(&args.program)?,
        seconds: args.time,
        messages: args.messages,
        folder: std::path::absolute(&args.folder)?.join(seed.to_string()),
    });
    std::fs::create_dir_all(&options.folder)?;
    // All of them first: what the sender does is no part of what is measured.
    let mut hunts: Vec<(Option<drawn_bugs::bug::Bug>, u64, u64)> = Vec::new();
    let (agent, address) = hunt::agent(reach::SLOW).await?;
    for index in indices {
        let (bug, out_of_reach) = reach::reachable(seed, index, address).await?;
        hunts.push((Some(bug), out_of_reach, index));
    }
    agent.stop().await;
    hunts.extend((0..args.controls).map(|control| (None, 0, control)));
    let (room, total) = (Arc::new(Semaphore::new(args.jobs.max(1))), hunts.len());
    let mut tasks = JoinSet::new();
    for (at, (bug, out_of_reach, index)) in hunts.into_iter().enumerate() {
        let (room, options) = (Arc::clone(&room), Arc::clone(&options));
        tasks.spawn(async move {
            let _room = room.acquire().await?;
            // Each hunt has a seed of its own, the same in each bench of a seed.
            let outcome = hunt::hunt(&options, bug, out_of_reach, seed.wrapping_add(index)).await?;
            Ok::<_, Broken>((at, outcome))
        });
    }
    let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
    while let Some(outcome) = tasks.join_next().await {
        let (at, outcome) = outcome??;
        eprintln!("{}/{total} {}", outcomes.len() + 1, line(&outcome));
        outcomes.push((at, outcome));
    }
    outcomes.sort_by_key(|(at, _)| *at);
    let (bugs, controls): (Vec<Outcome>, Vec<Outcome>) =
        outcomes.into_iter().map(|(_, outcome)| outcome).partition(|outcome| outcome.bug.is_some());
    let table = report::markdown(seed, args.time, &bugs, &controls);
    let (rate, classes) = report::rates(&bugs);
    let results = json!({ "seed": seed, "seconds": args.time, "rate": rate, "classes": classes, "bugs": bugs, "controls": controls });
    std::fs::write(options.folder.join("rates.json"), serde_json::to_string_pretty(&results)?)?;
    std::fs::write(options.folder.join("rates.md"), &table)?;
    println!("{table}");
    eprintln!("written to {}", options.folder.display());
    Ok(())
}

/// What came of one hunt.
fn line(outcome: &Outcome) -> String {
    let word = match (outcome.is_met(), outcome.is_told(), outcome.is_named) {
        (_, _, true) => "named",
        (_, true, _) => "told",
        (true, ..) => "met",
        _ => "not met",
    };
    let name = outcome.bug.as_ref().map_or_else(
        || "without a bug".to_owned(),
        |bug| format!("{} {} {} if {}", bug.id, bug.operation, bug.what(), bug.when()),
    );
    format!(
        "{word:<8} {:>5.1} s {:>6} requests, {} files  {name}",
        outcome.seconds, outcome.tally.requests, outcome.files
    )
}
