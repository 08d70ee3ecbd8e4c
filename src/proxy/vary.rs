//! What the proxy changes of a response on the user's wish: when it comes, in which pieces, and whether it comes to its end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, SizeHint};

/// The body of a response to a client.
pub(super) type Answer = UnsyncBoxBody<Bytes, Error>;
/// Why it breaks off.
pub(super) type Error = Box<dyn std::error::Error + Send + Sync>;

/// The longest piece of a response that is split.
const LONGEST_PIECE: usize = 16;
/// How many pieces there are of one that would be too many of those.
const MOST_PIECES: usize = 1_000;
/// The most bytes that come before a response is cut.
const LATEST_CUT: usize = 2_048;

/// What is changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vary {
    /// The longest time that a response is kept back.
    pub delay: Option<Duration>,
    /// Whether bodies come in small pieces.
    pub splits: bool,
    /// The share of the responses that break off, from 0 to 1.
    pub cut: f64,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// How one response is changed.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// How long it is kept back.
    pub delay: Duration,
    splits: bool,
    /// After how many bytes of its body it breaks off.
    cut: Option<usize>,
    random: fastrand::Rng,
}

impl Vary {
    /// How the next response is changed.
    pub(super) fn plan(&self, random: &mut fastrand::Rng) -> Plan {
        let delay = self.delay.map_or(Duration::ZERO, |longest| longest.mul_f64(random.f64()));
        let cut = (random.f64() < self.cut).then(|| random.usize(..LATEST_CUT));
        Plan { delay, splits: self.splits, cut, random: random.fork() }
    }
}

/// A body as it is planned.
pub(super) struct Varied<B> {
    inner: B,
    plan: Plan,
    /// What has come and waits to be passed on.
    rest: Bytes,
    /// The length of a piece of it.
    piece: usize,
    /// Whether the last piece is to be on its way before the next.
    waits: bool,
    passed: usize,
}

impl<B> Varied<B> {
    /// `inner` as planned.
    pub fn new(inner: B, plan: Plan) -> Self {
        Self { inner, plan, rest: Bytes::new(), piece: usize::MAX, waits: false, passed: 0 }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Varied<B>
where
    B::Error: Into<Error>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if std::mem::take(&mut self.waits) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.plan.cut.is_some_and(|cut| self.passed >= cut) {
            return Poll::Ready(Some(Err("cut, as --cut says".into())));
        }
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                Some(Ok(frame)) => match frame.into_data() {
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                    Ok(data) => {
                        self.piece = LONGEST_PIECE.max(data.len() / MOST_PIECES);
                        self.rest = data;
                    }
                },
            }
        }
        let longest = self.plan.cut.map_or(self.rest.len(), |cut| self.rest.len().min(cut - self.passed));
        let piece = if self.plan.splits { self.piece } else { usize::MAX };
        let length =
            if longest > 1 && self.plan.splits { self.plan.random.usize(1..=longest.min(piece)) } else { longest };
        self.passed += length;
        self.waits = self.plan.splits;
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.inner.size_hint();
        let rest = u64::try_from(self.rest.len()).unwrap_or_default();
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint.set_lower(hint.lower().saturating_add(rest));
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Full};
    use proptest::prelude::*;

    use super::*;

    /// The pieces of a body, and whether it broke off.
    fn read(body: &'static [u8], vary: &Vary) -> (Vec<Bytes>, bool) {
        let plan = vary.plan(&mut fastrand::Rng::with_seed(vary.seed));
        let mut varied = Varied::new(Full::new(Bytes::from_static(body)), plan);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut pieces = Vec::new();
            while let Some(frame) = varied.frame().await {
                match frame {
                    Ok(frame) => pieces.push(frame.into_data().unwrap()),
                    Err(_) => return (pieces, true),
                }
            }
            (pieces, false)
        })
    }

    const TEXT: &[u8] = &[b'x'; 5_000];

    proptest! {
        #[test]
        fn pieces_are_the_whole(seed: u64, length in 0..TEXT.len()) {
            let (pieces, is_cut) = read(&TEXT[..length], &Vary { splits: true, seed, ..Vary::default() });
            prop_assert!(!is_cut && pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= LONGEST_PIECE));
            prop_assert_eq!(pieces.concat(), &TEXT[..length]);
        }

        #[test]
        fn a_cut_body_breaks_off_in_its_first_bytes(seed: u64, splits: bool) {
            let (pieces, is_cut) = read(TEXT, &Vary { splits, cut: 1.0, seed, ..Vary::default() });
            prop_assert!(is_cut && pieces.concat().len() < LATEST_CUT);
        }
    }

    #[test]
    fn a_delay_is_no_longer_than_asked() {
        let vary = Vary { delay: Some(Duration::from_millis(80)), ..Vary::default() };
        let mut random = fastrand::Rng::with_seed(1);
        let delays: Vec<Duration> = (0..100).map(|_| vary.plan(&mut random).delay).collect();
        assert!(
            delays.iter().all(|delay| *delay <= Duration::from_millis(80)) && delays.iter().any(|it| !it.is_zero())
        );
    }
}
