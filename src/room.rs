//! Room in memory for the answers that are held at once.
//!
//! Each answer is bounded, but many are held at the same time, and what is read from a body takes several times its bytes.
//! An ordinary answer is read as it comes. What is larger waits until there is room for it; the answers that others hold
//! are let go when their cases are over. A body takes all the room that it could need before more of it is read, so that
//! several do not wait for each other half read; a stream may last long, and takes room as it grows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// The KiB that large answers may take together, by estimate.
const POOL: usize = 32 << 10;
/// The KiB that one body may take.
const OF_A_BODY: usize = 20 << 10;
/// The bytes that every answer may take without asking.
const FREE: usize = 1 << 20;
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

/// What one answer takes while it comes, and the room that it has for it.
#[derive(Debug, Default)]
pub struct Holding {
    /// What it takes.
    pub weight: Weight,
    share: Option<Arc<Share>>,
    paused: Duration,
}

impl Holding {
    /// Waits until there is room for the answer, which may be a body that comes `at_once`; `false` where there is none for as
    /// long as `patience`.
    pub async fn fits(&mut self, room: &Room, at_once: bool, patience: Duration) -> bool {
        let began = Instant::now();
        let made = tokio::time::timeout(patience, room.make(&self.weight, at_once, &mut self.share)).await;
        self.paused += began.elapsed();
        made.is_ok()
    }

    /// How long the answer waited for room: that is not the agent's time.
    pub fn paused(&self) -> Duration {
        self.paused
    }

    /// The room that it has, for whoever keeps it.
    pub fn share(&self) -> Option<Arc<Share>> {
        self.share.clone()
    }

    /// The answer is read: what it does not take is given back; all of it, where nothing of the answer is `kept`.
    pub fn end(&mut self, kept: bool) {
        match &self.share {
            Some(share) if kept => share.shrink(&self.weight),
            _ => self.share = None,
        }
    }
}

impl Default for Room {
    fn default() -> Self {
        Self { pool: Arc::new(Semaphore::new(POOL)) }
    }
}

impl Room {
    /// Enlarges a share to what an answer takes, or could take where it is a body that comes `at_once`; waits until there is
    /// room.
    ///
    /// An answer that takes more than there is gets all of it.
    async fn make(&self, weight: &Weight, at_once: bool, share: &mut Option<Arc<Share>>) {
        let wanted = match weight.charged() {
            0 => 0,
            _ if at_once => OF_A_BODY,
            charged => charged.min(POOL),
        };
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

    /// Gives back what an answer does not take, now that it is read.
    fn shrink(&self, weight: &Weight) {
        let mut permit = self.lock();
        let spare = permit.num_permits().saturating_sub(weight.charged());
        drop(permit.split(spare));
    }

    fn lock(&self) -> MutexGuard<'_, OwnedSemaphorePermit> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Weight {
    /// The KiB for which it must have room.
    fn charged(&self) -> usize {
        self.bytes.saturating_sub(FREE).div_ceil(1 << 10)
    }

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
        room.make(&large, false, &mut first).await;
        assert!(first.is_some());
        assert!(room.make(&large, false, &mut second).now_or_never().is_none(), "there is no room for both");
        room.make(&text(1_000), false, &mut small).await;
        assert!(small.is_none());
        drop(first);
        room.make(&large, false, &mut second).await;
        assert!(second.is_some());
    }

    #[tokio::test]
    async fn a_share_grows_and_has_an_end() {
        let room = Room::default();
        let mut share = None;
        room.make(&text(1 << 20), false, &mut share).await;
        let before = share.as_ref().map(|share| share.bytes());
        room.make(&text(64 << 20), false, &mut share).await;
        assert!(before < share.as_ref().map(|share| share.bytes()));
        assert_eq!(share.as_ref().map(|share| share.bytes()), Some(POOL << 10));
        drop(share);
        assert_eq!(room.pool.available_permits(), POOL);
    }

    #[tokio::test]
    async fn a_body_has_all_its_room_before_it_is_read() {
        let room = Room::default();
        let (mut first, mut second) = (None, None);
        let begun = text(FREE / OF_A_BYTE + 1_000);
        room.make(&begun, true, &mut first).await;
        assert!(room.make(&begun, true, &mut second).now_or_never().is_none(), "there is room for one");
        // It needs no more however long it gets, and gives back what it did not need.
        let whole = text((OF_A_BODY << 10) / OF_A_BYTE);
        assert!(room.make(&whole, true, &mut first).now_or_never().is_some());
        let share = first.as_ref().unwrap();
        share.shrink(&begun);
        assert_eq!(share.bytes(), begun.charged() << 10);
        room.make(&begun, true, &mut second).await;
        assert!(second.is_some());
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
