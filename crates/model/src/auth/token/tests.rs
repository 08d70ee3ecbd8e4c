use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// An issuer that takes a second for each answer, and whose answers these are; the last one stays.
struct Issuer {
    answers: Vec<Result<u64, NotRenewed>>,
    asked: Arc<AtomicUsize>,
}

impl Renew for Issuer {
    fn renew(&self) -> BoxFuture<'_, Result<Grant, NotRenewed>> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let answer = self.answers.get(number).or(self.answers.last()).cloned();
        async move {
            tokio::time::sleep(SECOND).await;
            answer.unwrap().map(|seconds| grant(number + 1, Some(seconds)))
        }
        .boxed()
    }
}

fn grant(number: usize, seconds: Option<u64>) -> Grant {
    let lifetime = seconds.map(Duration::from_secs);
    Grant { access: format!("token-{number}"), lifetime, secrets: vec![format!("refresh-{number}")] }
}

fn token(seconds: Option<u64>, answers: Vec<Result<u64, NotRenewed>>) -> (Token, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let issuer = Issuer { answers, asked: Arc::clone(&asked) };
    (Token::new("ann", grant(0, seconds), Instant::now(), issuer).unwrap(), asked)
}

/// A token that is another for each request.
pub(crate) fn of_no_time() -> Token {
    struct AtOnce(AtomicUsize);
    impl Renew for AtOnce {
        fn renew(&self) -> BoxFuture<'_, Result<Grant, NotRenewed>> {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            async move { Ok(grant(number + 1, Some(0))) }.boxed()
        }
    }
    Token::new("ann", grant(0, Some(0)), Instant::now(), AtOnce(AtomicUsize::new(0))).unwrap()
}

fn shown(token: &Token) -> String {
    token.header().1
}

#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_ahead_once_and_nobody_waits_as_long_as_it_holds() {
    let (token, asked) = token(Some(40), vec![Ok(40)]);
    tokio::time::sleep(29 * SECOND).await;
    token.holds().await.unwrap();
    assert_eq!((asked.load(Ordering::Relaxed), shown(&token).as_str()), (0, "Bearer token-0"));
    tokio::time::sleep(2 * SECOND).await;
    let began = Instant::now();
    for held in join_all((0..8).map(|_| token.holds())).await {
        held.unwrap();
    }
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(shown(&token), "Bearer token-0", "it holds while the next one is got");
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!((asked.load(Ordering::Relaxed), shown(&token).as_str()), (1, "Bearer token-1"));
    assert_eq!(token.secrets(), ["token-0", "refresh-0", "token-1", "refresh-1"]);
}

#[tokio::test(start_paused = true)]
async fn all_who_come_after_the_end_wait_for_one_renewal_whoever_leaves() {
    let (token, asked) = token(Some(40), vec![Ok(0)]);
    tokio::time::sleep(50 * SECOND).await;
    // The first one is given up before the issuer has answered.
    assert!(tokio::time::timeout(SECOND / 2, token.holds()).await.is_err());
    for held in join_all((0..8).map(|_| token.holds())).await {
        held.unwrap();
    }
    assert_eq!((asked.load(Ordering::Relaxed), shown(&token).as_str()), (1, "Bearer token-1"));
}

#[tokio::test(start_paused = true)]
async fn an_issuer_that_is_away_is_asked_again_as_long_as_the_token_holds() {
    let away = || Err(NotRenewed::Yet("away".to_owned()));
    let (token, asked) = token(Some(40), vec![away(), away(), Ok(40)]);
    tokio::time::sleep(30 * SECOND).await;
    for _ in 0..5 {
        token.holds().await.unwrap();
        tokio::time::sleep(SECOND + SECOND / 2).await;
    }
    assert_eq!((asked.load(Ordering::Relaxed), shown(&token).as_str()), (3, "Bearer token-3"));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_renewed_is_sent_until_it_ends_and_no_longer() {
    let over = Over { identity: "ann".to_owned(), why: "no".to_owned() };
    for answer in [NotRenewed::Ever("no".to_owned()), NotRenewed::Yet("no".to_owned())] {
        let (token, _) = token(Some(40), vec![Err(answer.clone())]);
        tokio::time::sleep(31 * SECOND).await;
        token.holds().await.unwrap();
        assert!(token.over().now_or_never().is_none());
        tokio::time::sleep(9 * SECOND).await;
        assert_eq!(token.holds().await, Err(over.clone()), "{answer:?}");
        assert_eq!(token.over().now_or_never(), Some(over.clone()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_of_which_nobody_knows_the_end_stays() {
    let (token, asked) = token(None, Vec::new());
    tokio::time::sleep(86_400 * SECOND).await;
    token.holds().await.unwrap();
    assert_eq!((asked.load(Ordering::Relaxed), shown(&token).as_str()), (0, "Bearer token-0"));
}

#[test]
fn nothing_shows_the_value() {
    let (token, _) = token(None, Vec::new());
    assert_eq!(format!("{token:?}"), "Token { identity: \"ann\", .. }");
}

#[tokio::test(start_paused = true)]
async fn a_token_that_holds_for_ever_is_never_renewed() {
    for lifetime in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(i64::MAX as u64)] {
        let ends = Ends::new(Instant::now(), lifetime);
        assert!(ends.renewed > Instant::now() + Duration::from_secs(1 << 30) && ends.unused > ends.renewed);
    }
    let ends = Ends::new(Instant::now(), Duration::ZERO);
    assert!(ends.unused <= Instant::now());
}
