//! Room in memory for the answers that are held at once.
//!
//! Each answer is bounded, but many are held at the same time, and what is read from a body takes several times its bytes.
//! An ordinary answer is read as it comes. What is larger waits until there is room for it; the answers that others hold
//! are let go when their cases are over. A body takes all the room that it could need before more of it is read, so that
//! several do not wait for each other half read; a stream may last long, and takes room as it grows.
//!
//! A case that holds one large answer may need another. So that cases do not wait for each other for ever, the one that began
//! first of those that hold something waits but for a while. What it takes beyond the room is bounded by what a case asks for,
//! and nobody else is given any until that is paid back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The KiB that large answers may take together, by estimate.
const POOL: usize = 24 << 10;
/// The KiB that one body may take.
const OF_A_BODY: usize = 20 << 10;
/// The bytes that every answer may take without asking.
const FREE: usize = 512 << 10;
/// After so many answers in a row that did not end within their limits, the suite waits for room for no further one.
const FLOODS: usize = 4;
/// How long who comes first waits for the others all the same: most give back what they hold before that.
const A_WHILE: Duration = Duration::from_millis(250);
/// What a byte of a body takes: it is held as bytes, as text, and as the strings of several trees.
const OF_A_BYTE: usize = 5;
/// What a value of JSON takes in the trees that are made of it.
const OF_A_VALUE: usize = 400;
/// What a byte of protobuf takes, whose values are not counted.
const OF_A_BINARY_BYTE: usize = 12;

/// The room for all answers of a run.
#[derive(Debug, Clone, Default)]
pub struct Room {
    pool: Arc<Pool>,
    turns: Arc<Turns>,
}

/// The room itself.
#[derive(Debug)]
struct Pool {
    /// The KiB that nobody has; below zero where somebody took more than there was.
    free: Mutex<i64>,
    given_back: Notify,
    /// Who waits in line: the first has the lock.
    queue: tokio::sync::Mutex<()>,
    /// How many large answers had no end, since the last one that did.
    floods: AtomicUsize,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            free: Mutex::new(kib(POOL)),
            given_back: Notify::new(),
            queue: tokio::sync::Mutex::default(),
            floods: AtomicUsize::new(0),
        }
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, i64> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes so many KiB when they are there and, where it stands `in_line`, those who came before have theirs.
    async fn take(&self, wanted: usize, in_line: bool) {
        let _first = if in_line { Some(self.queue.lock().await) } else { None };
        loop {
            let given_back = self.given_back.notified();
            {
                let mut free = self.lock();
                if *free >= kib(wanted) {
                    *free -= kib(wanted);
                    return;
                }
            }
            given_back.await;
        }
    }

    /// Takes so many KiB, whether they are there or not.
    fn overdraw(&self, wanted: usize) {
        *self.lock() -= kib(wanted);
    }

    fn give_back(&self, taken: usize) {
        *self.lock() += kib(taken);
        self.given_back.notify_waiters();
    }

    /// Waits until no room was given back for as long as `patience`; after [`FLOODS`] answers without an end it does not wait.
    async fn stands_still(&self, patience: Duration) {
        loop {
            let given_back = self.given_back.notified();
            let is_flooded = self.floods.load(Ordering::Relaxed) >= FLOODS;
            if is_flooded || tokio::time::timeout(patience, given_back).await.is_err() {
                return;
            }
        }
    }

    /// Notes whether a large answer had an end.
    fn note_end(&self, had_end: bool) {
        match had_end {
            true => self.floods.store(0, Ordering::Relaxed),
            false => _ = self.floods.fetch_add(1, Ordering::Relaxed),
        }
    }
}

fn kib(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Which cases hold something, in the order in which they began.
#[derive(Debug, Default)]
struct Turns {
    next: AtomicU64,
    /// How many answers each of them holds.
    holders: Mutex<BTreeMap<u64, usize>>,
    changed: Notify,
}

tokio::task_local! {
    /// The turn of the case for which the future at hand works.
    static TURN: u64;
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, turn: u64) {
        *self.lock().entry(turn).or_default() += 1;
    }

    fn let_go(&self, turn: u64) {
        let mut holders = self.lock();
        if let Some(count) = holders.get_mut(&turn) {
            *count -= 1;
            if *count == 0 {
                holders.remove(&turn);
            }
        }
        drop(holders);
        self.changed.notify_waiters();
    }

    /// Ends a turn, whoever may keep its answers.
    fn end(&self, turn: u64) {
        self.lock().remove(&turn);
        self.changed.notify_waiters();
    }

    /// Waits until a case has waited for a while, holds something, and none that began before it does.
    async fn comes_first(&self, turn: Option<u64>) {
        let Some(turn) = turn else { return std::future::pending().await };
        tokio::time::sleep(A_WHILE).await;
        loop {
            let changed = self.changed.notified();
            if self.lock().first_key_value().is_some_and(|(first, _)| *first == turn) {
                return;
            }
            changed.await;
        }
    }
}

/// Ends a turn when it goes, also where the case is given up.
struct Turn {
    number: u64,
    turns: Arc<Turns>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.end(self.number);
    }
}

/// The part of the room that one answer has. It is given back when the last who holds it lets go.
#[derive(Debug)]
pub struct Share {
    /// How many KiB.
    taken: AtomicUsize,
    /// Whose it is.
    turn: Option<u64>,
    room: Room,
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(turn) = self.turn {
            self.room.turns.let_go(turn);
        }
        self.room.pool.give_back(self.taken());
    }
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
    /// Waits until there is room for the answer, which may be a body that comes `at_once`; `false` where nobody gives room back
    /// for as long as `patience`. How many stand before it in the queue says nothing about the agent.
    pub async fn fits(&mut self, room: &Room, at_once: bool, patience: Duration) -> bool {
        let began = Instant::now();
        let fits = tokio::select! {
            biased;
            () = room.make(&self.weight, at_once, &mut self.share) => true,
            () = room.pool.stands_still(patience) => false,
        };
        self.paused += began.elapsed();
        fits
    }

    /// How long the answer waited for room: that is not the agent's time.
    pub fn paused(&self) -> Duration {
        self.paused
    }

    /// The room that it has, for whoever keeps it.
    pub fn share(&self) -> Option<Arc<Share>> {
        self.share.clone()
    }

    /// The answer is read: what it does not take is given back; all of it, where it had no end and so is not `kept`.
    pub fn end(&mut self, kept: bool) {
        let Some(share) = &self.share else { return };
        share.room.pool.note_end(kept);
        match kept {
            true => share.shrink(&self.weight),
            false => self.share = None,
        }
    }
}

impl Room {
    /// Runs a case: what it waits for, others that began later do not keep from it for ever.
    pub async fn in_turn<T>(&self, case: impl Future<Output = T>) -> T {
        let number = self.turns.next.fetch_add(1, Ordering::Relaxed);
        let _turn = Turn { number, turns: Arc::clone(&self.turns) };
        TURN.scope(number, case).await
    }

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
        let missing = wanted.saturating_sub(share.as_ref().map_or(0, |share| share.taken()));
        if missing == 0 {
            return;
        }
        let turn = TURN.try_with(|turn| *turn).ok();
        tokio::select! {
            biased;
            // A stream needs little, and holds what others wait for: it does not stand behind those who need much.
            () = self.pool.take(missing, at_once) => {}
            () = self.turns.comes_first(turn) => self.pool.overdraw(missing),
        }
        match share {
            Some(share) => {
                share.taken.fetch_add(missing, Ordering::Relaxed);
            }
            None => {
                turn.into_iter().for_each(|turn| self.turns.hold(turn));
                *share = Some(Arc::new(Share { taken: AtomicUsize::new(missing), turn, room: self.clone() }));
            }
        }
    }
}

impl Share {
    fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// The bytes that it stands for.
    pub fn bytes(&self) -> usize {
        self.taken() << 10
    }

    /// Gives back what an answer does not take, now that it is read.
    fn shrink(&self, weight: &Weight) {
        let kept = weight.charged().min(self.taken());
        self.room.pool.give_back(self.taken.swap(kept, Ordering::Relaxed) - kept);
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

    /// Two cases hold what fills the room, and each needs more: the first goes on, and then the second.
    #[tokio::test(start_paused = true)]
    async fn cases_do_not_wait_for_each_other_for_ever() {
        let room = Room::default();
        let half = text((POOL << 10) / OF_A_BYTE / 2 + FREE / OF_A_BYTE);
        let both_hold = tokio::sync::Barrier::new(2);
        let case = async |_: &str| {
            room.in_turn(async {
                let (mut first, mut second) = (None, None);
                room.make(&half, false, &mut first).await;
                both_hold.wait().await;
                room.make(&half, false, &mut second).await;
                (first, second)
            })
            .await
        };
        let cases = futures_util::future::join(case("a"), case("b"));
        let (a, b) = tokio::time::timeout(std::time::Duration::from_secs(60), cases).await.expect("no lock");
        assert!(a.1.is_some() && b.1.is_some());
        assert!(*room.pool.lock() < 0, "the first took more than there was");
        drop((a, b));
        assert!(room.turns.lock().is_empty());
        assert_eq!(*room.pool.lock(), kib(POOL));
    }

    /// A queue that moves is waited in, however long it is.
    #[tokio::test(start_paused = true)]
    async fn patience_begins_anew_when_room_is_given_back() {
        let room = Room::default();
        let patience = Duration::from_secs(2);
        let fits = async |holds: Duration| {
            let mut holding = Holding { weight: text(FREE / OF_A_BYTE + 1_000), ..Holding::default() };
            let fits = holding.fits(&room, true, patience).await;
            tokio::time::sleep(holds).await;
            fits
        };
        let all = futures_util::future::join_all((0..5).map(|_| fits(Duration::from_millis(1500)))).await;
        assert_eq!(all, [true; 5]);
        let (first, second) = futures_util::future::join(fits(patience * 2), fits(Duration::ZERO)).await;
        assert!(first && !second, "there is an end to it where nothing moves");
    }

    /// Streams that have no end are under way side by side: those behind the first few are not waited for.
    #[tokio::test(start_paused = true)]
    async fn nobody_waits_behind_answers_without_an_end() {
        let room = Room::default();
        let patience = Duration::from_secs(2);
        let body = || Holding { weight: text(FREE / OF_A_BYTE + 1_000), ..Holding::default() };
        let (mut first, mut second) = (body(), body());
        for _ in 0..FLOODS {
            let mut flood = body();
            assert!(flood.fits(&room, true, patience).await);
            flood.end(false);
        }
        assert!(first.fits(&room, true, patience).await, "there is room");
        assert!(!second.fits(&room, true, patience).await);
        assert_eq!(second.paused(), Duration::ZERO);
        // One that has an end shows that it is not all the agent does.
        first.end(true);
        let mut third = body();
        assert!(third.fits(&room, true, patience).await);
        assert!(!second.fits(&room, true, patience).await);
        assert_eq!(second.paused(), patience);
    }

    /// What a case leaves to the record holds up nobody.
    #[tokio::test]
    async fn a_case_that_is_over_does_not_come_first() {
        let room = Room::default();
        let large = text((POOL << 10) / OF_A_BYTE / 3 * 2);
        let hold = async || {
            let mut share = None;
            room.make(&large, false, &mut share).await;
            share
        };
        let kept = room.in_turn(hold()).await;
        assert!(kept.is_some() && room.turns.lock().is_empty());
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
        assert_eq!(*room.pool.lock(), kib(POOL));
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
