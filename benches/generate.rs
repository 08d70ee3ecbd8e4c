//! How many values the generators make in a second, on one core: `cargo bench --bench generate`.
//!
//! Each row says what is made, how many a second, and how many bytes of JSON they have on average. The last column is the
//! rate as part of that of parsing the same texts with serde_json, which does not change with the machine as the rate does.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use a2aspec::generate::{Choices, Values, seeded};
use a2aspec::profile;
use serde_json::Value;

const COUNT: u64 = 20_000;

fn main() {
    println!("{:<34} {:>10} {:>8} {:>14}", "made", "a second", "bytes", "against parsing");
    for profile in profile::bundled().unwrap().into_iter().filter(|profile| ["0.3", "1.0"].contains(&profile.name())) {
        let started = Instant::now();
        let values = Values::new(Arc::clone(&profile.dialects["json"].schemas));
        println!("{:<34} {:>10.1?}", format!("{} forms of all types", profile.name()), started.elapsed());
        for kind in ["Message", "Task", "AgentCard"] {
            let texts = row(&format!("{} {kind}", profile.name()), |choices| values.valid(kind, choices));
            black_box(texts);
            row(&format!("{} {kind}, wrong", profile.name()), |choices| {
                values.wrong(kind, choices).map(|(value, _)| value).unwrap_or_default()
            });
        }
    }
}

fn row(name: &str, make: impl Fn(&mut Choices<'_>) -> Value) -> usize {
    let inputs: Vec<Vec<u8>> = (0..COUNT).map(|number| seeded(1, number, 256)).collect();
    let started = Instant::now();
    let made: Vec<Value> = inputs.iter().map(|bytes| make(&mut Choices::new(bytes))).collect();
    let making = started.elapsed();
    let texts: Vec<String> = made.iter().map(Value::to_string).collect();
    let started = Instant::now();
    for text in &texts {
        black_box(serde_json::from_str::<Value>(text).unwrap());
    }
    let parsing = started.elapsed();
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let rate = COUNT as f64 / making.as_secs_f64();
    let share = parsing.as_secs_f64() / making.as_secs_f64();
    println!("{name:<34} {rate:>10.0} {:>8} {share:>14.2}", bytes / texts.len());
    bytes
}
