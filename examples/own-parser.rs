//! Your own reader of A2A, tested with values of every kind: what stands here stands in `tests/` of your client's package.
//!
//! Its `Cargo.toml` says so:
//!
//! ```toml
//! [dev-dependencies]
//! a2aspec = { version = "0.1", default-features = false }
//! proptest = "1"
//! ```
//!
//! Every value is read from bytes. Here proptest makes them, and makes them smaller where something fails. A target of
//! cargo-fuzz gets them from its engine:
//!
//! ```text
//! fuzz_target!(|bytes: &[u8]| {
//!     let task = values.valid("Task", &mut Choices::new(bytes));
//!     assert!(my_client::read_task(&task.to_string()).is_ok());
//! });
//! ```
//!
//! Here it is `cargo run --example own-parser`.

use std::sync::Arc;

use a2aspec::generate::{Choices, Values};
use a2aspec::profile;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;

/// The reader under test: it stands for the types of your client.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    id: String,
    status: Status,
    #[serde(default)]
    artifacts: Option<Vec<Artifact>>,
}

#[derive(Debug, Deserialize)]
struct Status {
    state: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    artifact_id: String,
}

const STATES: [&str; 8] = [
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
];

fn read_task(text: &str) -> Result<Task, String> {
    let task: Task = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match STATES.contains(&task.status.state.as_str()) {
        true => Ok(task),
        false => Err(format!("there is no state {:?}", task.status.state)),
    }
}

/// The tests.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let profiles = profile::bundled().map_err(|mistake| mistake.message)?;
    let a2a = profiles.iter().find(|profile| profile.name() == "1.0").ok_or("there is A2A 1.0")?;
    let dialect = a2a.dialects.get("json").ok_or("it is written as JSON")?;
    let values = Values::new(Arc::clone(&dialect.schemas));

    // Every right task is read, and says what it said.
    let bytes = prop::collection::vec(any::<u8>(), 0..1024);
    TestRunner::new(Config { failure_persistence: None, ..Config::default() }).run(&bytes, |bytes| {
        let value = values.valid("Task", &mut Choices::new(&bytes));
        let task: Task = serde_json::from_str(&value.to_string())
            .map_err(|error| TestCaseError::fail(format!("{error}: {value}")))?;
        prop_assert_eq!(Some(task.id.as_str()), value["id"].as_str());
        let artifacts = task.artifacts.unwrap_or_default();
        let ids = artifacts.iter().map(|artifact| artifact.artifact_id.as_str());
        let expected =
            value["artifacts"].as_array().into_iter().flatten().filter_map(|each| each["artifactId"].as_str());
        prop_assert!(ids.eq(expected));
        Ok(())
    })?;

    // No task without a known state is read.
    let bytes = prop::collection::vec(any::<u8>(), 16..1024);
    TestRunner::new(Config { failure_persistence: None, ..Config::default() }).run(&bytes, |bytes| {
        let Some((value, wrong)) = values.wrong("Task", &mut Choices::new(&bytes)) else { return Ok(()) };
        if wrong.pointer == "/status/state" {
            let read = read_task(&value.to_string());
            prop_assert!(read.is_err(), "{}: {:?} from {}", wrong.class, read.map(|task| task.status.state), value);
        }
        Ok(())
    })?;
    Ok(())
}
