//! How this project reads YAML: one set of options for every file, and errors that keep their place.

pub mod node;
pub mod pack;
mod placed;
pub mod tree;
mod typed;

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::de::DeserializeOwned;

pub use placed::Placed;
pub use tree::Tree;

/// A mistake in a file that a person wrote, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// The file, as the user named it or as the bundle does.
    pub file: String,
    /// Byte offset into the file's text, where it is known.
    pub offset: Option<usize>,
    /// How many bytes from there are wrong; 0 where that is not known, so that the word that begins there is.
    pub length: usize,
    /// What is wrong: a lower-case fragment without a full stop.
    pub message: String,
    /// What to do, where that is knowable.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake whose place is the file as a whole.
    pub fn whole(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), offset: None, length: 0, message: message.into(), help: None }
    }

    /// A mistake at a place that the reader noted.
    pub fn at<T>(file: &str, place: &Placed<T>, message: impl Into<String>) -> Self {
        let range = place.span.map(tree::range);
        let length = range.as_ref().map_or(0, ExactSizeIterator::len);
        Self { offset: range.map(|range| range.start), length, ..Self::whole(file, message) }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What is read of each item, in their order. The items are shared out to as many threads as there are cores: to make cases of what the
/// program carries is most of its start.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], read: impl Fn(&T) -> R + Sync) -> Vec<R> {
    /// More would have too little to do.
    const MOST: usize = 4;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST).min(items.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.map_while(|number| Some((number, read(items.get(number)?)))).collect::<Vec<_>>()
    };
    let mut all = thread::scope(|scope| {
        // Without another thread this one reads them all.
        let others = (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = others.collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, read)| read).collect()
}

/// Reads `text`, which came from `file`.
///
/// # Errors
/// The first mistake that keeps the text from being a `T`.
pub fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Mistake> {
    Tree::read(file, text)?.typed()
}

/// The most bytes of a YAML text: what people and this program write has far fewer, and the reader takes seconds for more.
pub const LONGEST: usize = 4 << 20;
/// The most bytes of one line: the reader looks through a long key again and again. What stands in quotes on one line, such as a body
/// in base64, has fewer.
const LONGEST_LINE: usize = 1 << 20;
/// Refuses a text that takes the reader too long.
fn check_size(file: &str, text: &str) -> Result<(), Mistake> {
    if text.len() > LONGEST {
        let message = format!("the file has {} bytes; the limit is {} MiB", text.len(), LONGEST >> 20);
        return Err(Mistake::whole(file, message).help("split it into several files"));
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.len() > LONGEST_LINE {
            let message = format!("a line of {} bytes; the limit is {} MiB", line.len(), LONGEST_LINE >> 20);
            return Err(Mistake { offset: Some(start), length: 1, ..Mistake::whole(file, message) });
        }
        start += line.len();
    }
    Ok(())
}

/// What the reader complains of, in its place.
fn mistake(file: &str, text: &str, error: &serde_saphyr::Error) -> Mistake {
    let message = tidy(&error.without_snippet().to_string());
    let offset = error.location().map(|location| {
        let known = location.span().byte_offset().and_then(|offset| usize::try_from(offset).ok());
        known.unwrap_or_else(|| node::offset_of(text, location.line(), location.column()))
    });
    Mistake { offset, ..Mistake::whole(file, message) }
}

/// The sentence without the place, which the diagnostic shows by itself.
fn tidy(message: &str) -> String {
    let message = message.lines().next().unwrap_or(message);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    match message.rsplit_once(" at line ") {
        Some((head, _)) => head.to_owned(),
        None => message.to_owned(),
    }
}
