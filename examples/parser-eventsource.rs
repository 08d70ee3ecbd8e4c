//! An adapter of the crate eventsource-stream, for `a2aspec fuzz --kind sse`:
//!
//! ```text
//! cargo build --example parser-eventsource
//! a2aspec fuzz --kind sse --parser target/debug/examples/parser-eventsource
//! ```
//!
//! Inputs come from standard input, each behind its length, and each is answered by a line of JSON. The crate panics at a
//! leading byte order mark, which ends the adapter: that is what is to be found.

use std::convert::Infallible;
use std::io::{self, Read as _, Write as _};

use eventsource_stream::Eventsource as _;
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};

/// The adapter.
pub fn main() -> io::Result<()> {
    let (mut inputs, mut answers) = (io::stdin().lock(), io::stdout().lock());
    let mut length = [0; 4];
    while inputs.read_exact(&mut length).is_ok() {
        let mut input = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap_or_default()];
        inputs.read_exact(&mut input)?;
        writeln!(answers, "{}", answer(&input))?;
        answers.flush()?;
    }
    Ok(())
}

fn answer(input: &[u8]) -> Value {
    let mut stream = futures_util::stream::iter([Ok::<_, Infallible>(input)]).eventsource();
    let mut events = Vec::new();
    while let Some(Some(next)) = stream.next().now_or_never() {
        match next {
            Ok(event) => events.push(json!({ "event": event.event, "data": event.data, "id": event.id })),
            Err(error) => return json!({ "accepted": false, "error": error.to_string() }),
        }
    }
    json!({ "accepted": true, "value": events })
}
