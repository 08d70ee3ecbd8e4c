//! What a program writes, as it comes.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// What has come through a pipe of a program so far.
#[derive(Clone, Default)]
pub struct Heard(Arc<(Mutex<Came>, Condvar)>);

#[derive(Default)]
struct Came {
    bytes: Vec<u8>,
    /// How much of it [`Heard::line`] has looked at.
    looked_at: usize,
    is_over: bool,
}

impl Came {
    /// The next whole line, or what is left at the end.
    fn next_line(&mut self) -> Option<String> {
        let rest = &self.bytes[self.looked_at..];
        let length = match rest.iter().position(|&byte| byte == b'\n') {
            Some(end) => end + 1,
            None if self.is_over && !rest.is_empty() => rest.len(),
            None => return None,
        };
        let line = String::from_utf8_lossy(&rest[..length]).trim_end_matches('\n').to_owned();
        self.looked_at += length;
        Some(line)
    }
}

impl Heard {
    /// Reads a pipe to its end, in a thread of its own.
    pub fn of(mut pipe: impl Read + Send + 'static) -> Self {
        let heard = Self::default();
        let writer = heard.clone();
        std::thread::spawn(move || {
            let mut piece = vec![0; 64 << 10];
            while let Ok(length @ 1..) = pipe.read(&mut piece) {
                writer.came().bytes.extend_from_slice(&piece[..length]);
                writer.0.1.notify_all();
            }
            writer.came().is_over = true;
            writer.0.1.notify_all();
        });
        heard
    }

    fn came(&self) -> MutexGuard<'_, Came> {
        self.0.0.lock().unwrap()
    }

    /// Waits until `look` finds something; nothing if it does not by then, or before all is over.
    fn wait<T>(&self, by: Instant, mut look: impl FnMut(&mut Came) -> Option<T>) -> Option<T> {
        let mut came = self.came();
        loop {
            if let Some(found) = look(&mut came) {
                return Some(found);
            }
            let left = by.saturating_duration_since(Instant::now());
            if left.is_zero() || came.is_over {
                return None;
            }
            came = self.0.1.wait_timeout(came, left).unwrap().0;
        }
    }

    /// The next line that has these words, among those that no earlier call has looked at.
    pub fn line(&self, words: &str, by: Instant) -> Option<String> {
        self.wait(by, |came| std::iter::from_fn(|| came.next_line()).find(|line| line.contains(words)))
    }

    /// Whether the pipe is closed by then.
    pub fn is_over(&self, by: Instant) -> bool {
        self.wait(by, |came| came.is_over.then_some(())).is_some()
    }

    /// All that has come so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.came().bytes).into_owned()
    }
}
