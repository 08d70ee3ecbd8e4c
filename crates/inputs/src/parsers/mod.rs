//! Parsers in any language, fuzzed: they are given inputs of which it is known what a reader should do.
//!
//! Enters: a command that runs an adapter of the parser, and a kind of input. Leaves: an [`Outcome`], whose findings are shrunk
//! and are one for each cause. The adapter reads inputs from its standard input, each behind its length (four bytes, the
//! highest first), and answers each by a line of JSON on its standard output: `{"accepted": true, "value": ...}` or
//! `{"accepted": false, "error": "..."}`. It is kept running, has always something to read, and is started again when it died
//! or hung. [`again`] gives a parser the input of a finding again, from its file alone.

mod adapter;
mod again;
mod answer;
mod compare;
mod finding;
mod run;
mod source;

pub use adapter::{Adapter, AdapterError, Reply};
pub use again::{Fate, Recorded, again};
pub use answer::Answer;
pub use finding::{Finding, What};
pub use run::{Outcome, Plan, fuzz};
