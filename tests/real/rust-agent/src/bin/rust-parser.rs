//! An adapter of what the published Rust client reads of A2A 1.0: `a2aspec fuzz --parser` asks it, and `tests/parsers.rs` has it
//! asked.
//!
//!     rust-parser KIND

use std::io::{Read as _, Write as _};

use a2a::{AgentCard, Message, StreamResponse, Task};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kind = std::env::args().nth(1).unwrap_or_default();
    let read: fn(&[u8]) -> Value = match kind.as_str() {
        "card" => answer::<AgentCard>,
        "event" => answer::<StreamResponse>,
        "message" => answer::<Message>,
        "task" => answer::<Task>,
        _ => return Err("wanted: card, event, message or task".into()),
    };
    let (mut inputs, mut answers) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut length = [0; 4];
    while inputs.read_exact(&mut length).is_ok() {
        let mut input = vec![0; usize::try_from(u32::from_be_bytes(length))?];
        inputs.read_exact(&mut input)?;
        writeln!(answers, "{}", read(&input))?;
        answers.flush()?;
    }
    Ok(())
}

/// As the transports of the client read a result.
fn answer<T: DeserializeOwned + Serialize>(input: &[u8]) -> Value {
    match serde_json::from_slice::<T>(input) {
        Ok(value) => match serde_json::to_value(&value) {
            Ok(value) => json!({ "accepted": true, "value": value }),
            Err(_) => json!({ "accepted": true }),
        },
        Err(error) => json!({ "accepted": false, "error": error.to_string() }),
    }
}
