//! Room in memory for the answers that are held at once.
//!
//! Each answer is bounded, but many are held at the same time, and what is read from a body takes several times its bytes.
//! An ordinary answer is read as it comes. What is larger waits until there is room for it; the answers that others hold
//! are let go when their cases are over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The KiB that large answers may take together, by estimate.
const POOL: usize = 32 << 10;
/// The bytes that every answer may take without asking.
const FREE: usize = 256 << 10;
/// What a byte of a body takes: it is held as bytes, as text, and as the strings of several trees.
const OF_A_BYTE: usize = 5;
/// What a value of JSON takes in the trees that are made of it.
const OF_A_VALUE: usize = 400;
/// What a byte of protobuf takes, whose values are not counted.
const OF_A_BINARY_BYTE: usize = 12;

/// The room for all answers of a run.
#[derive(Debug, Clone)]
pub struct Room {
    pool: Arc<Semaphore>,
}

/// The part of the room that one answer has. It is given back when the last who holds it lets go.
#[derive(Debug)]
pub struct Share {
    permit: Mutex<OwnedSemaphorePermit>,
}

/// What an answer takes, counted while it comes.
#[derive(Debug, Default)]
pub struct Weight {
    bytes: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl Default for Room {
    fn default() -> Self {
        Self { pool: Arc::new(Semaphore::new(POOL)) }
    }
}

impl Room {
    /// Enlarges a share to what an answer takes; waits until there is room.
    ///
    /// An answer that takes more than there is gets all of it.
    pub async fn make(&self, weight: &Weight, share: &mut Option<Arc<Share>>) {
        let wanted = weight.bytes.saturating_sub(FREE).div_ceil(1 << 10).min(POOL);
        let held = share.as_ref().map_or(0, |share| share.lock().num_permits());
        let missing = u32::try_from(wanted.saturating_sub(held)).unwrap_or_default();
        if missing == 0 {
            return;
        }
        // The pool is never closed.
        let Ok(permit) = Arc::clone(&self.pool).acquire_many_owned(missing).await else { return };
        match share {
            Some(share) => share.lock().merge(permit),
            None => *share = Some(Arc::new(Share { permit: Mutex::new(permit) })),
        }
    }
}

impl Share {
    /// The bytes that it stands for.
    pub fn bytes(&self) -> usize {
        self.lock().num_permits() << 10
    }

    fn lock(&self) -> MutexGuard<'_, OwnedSemaphorePermit> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Weight {
    /// Adds a piece of a body that is text, of JSON as a rule.
    pub fn add_text(&mut self, piece: &[u8]) {
        self.bytes += piece.len() * OF_A_BYTE;
        for byte in piece {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                b',' | b':' | b'[' | b'{' if !self.is_in_string => self.bytes += OF_A_VALUE,
                _ => {}
            }
        }
    }

    /// Adds a piece of a body that is protobuf.
    pub fn add_binary(&mut self, piece: &[u8]) {
        self.bytes += piece.len() * OF_A_BINARY_BYTE;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn text(bytes: usize) -> Weight {
        let mut weight = Weight::default();
        weight.add_text(&vec![b'x'; bytes]);
        weight
    }

    #[tokio::test]
    async fn large_answers_wait_for_each_other_and_small_ones_do_not() {
        let room = Room::default();
        let (mut first, mut second, mut small) = (None, None, None);
        let large = text((POOL << 10) / OF_A_BYTE / 3 * 2);
        room.make(&large, &mut first).await;
        assert!(first.is_some());
        assert!(room.make(&large, &mut second).now_or_never().is_none(), "there is no room for both");
        room.make(&text(1_000), &mut small).await;
        assert!(small.is_none());
        drop(first);
        room.make(&large, &mut second).await;
        assert!(second.is_some());
    }

    #[tokio::test]
    async fn a_share_grows_and_has_an_end() {
        let room = Room::default();
        let mut share = None;
        room.make(&text(1 << 20), &mut share).await;
        let before = share.as_ref().map(|share| share.bytes());
        room.make(&text(64 << 20), &mut share).await;
        assert!(before < share.as_ref().map(|share| share.bytes()));
        assert_eq!(share.as_ref().map(|share| share.bytes()), Some(POOL << 10));
        drop(share);
        assert_eq!(room.pool.available_permits(), POOL);
    }

    #[test]
    fn values_count_outside_of_strings_only() {
        let mut list = Weight::default();
        // Pieces end anywhere.
        for piece in [&b"[\"a,b\\\"["[..], b",\",", b"1]"] {
            list.add_text(piece);
        }
        assert_eq!(list.bytes, 13 * OF_A_BYTE + 2 * OF_A_VALUE);
    }
}
