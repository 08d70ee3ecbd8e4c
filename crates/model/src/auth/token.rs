//! Bearer tokens that hold for a time, and are renewed while a run goes on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::Instant;

use super::Header;
use super::given::why_unusable;
use crate::clock;

/// How long before its end a token is renewed at the latest; one that holds for a short time, in the last quarter of it.
const AHEAD: Duration = Duration::from_secs(60);
/// How long before its end a token is sent no more, since it might end on the way; of one that holds for a short time, a tenth.
const ON_THE_WAY: Duration = Duration::from_secs(5);
/// How often at most an issuer is asked again that could not be asked.
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

/// What an issuer gives.
pub struct Grant {
    /// What is shown to the agent.
    pub access: String,
    /// For how long it holds, where the issuer says so; any other is taken as one that holds for the whole run.
    pub lifetime: Option<Duration>,
    /// What nobody may see beside it, such as what gets the next one.
    pub secrets: Vec<String>,
}

/// Why there is no next token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRenewed {
    /// It may be had a little later.
    Yet(String),
    /// It is not to be had in this run.
    Ever(String),
}

/// Who gets the next token.
pub trait Renew: Send + Sync {
    /// Gets it, without a person.
    fn renew(&self) -> BoxFuture<'_, Result<Grant, NotRenewed>>;
}

/// A token has ended, and there is no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Over {
    /// The name of the identity.
    pub identity: String,
    /// Why it was not renewed.
    pub why: String,
}

/// A token that all who send it share.
#[derive(Clone)]
pub struct Token(Arc<Shared>);

struct Shared {
    identity: String,
    renew: Box<dyn Renew>,
    state: Mutex<State>,
    /// Hears of each change.
    changes: watch::Sender<u64>,
}

struct State {
    header: Header,
    /// Nothing where nobody knows.
    ends: Option<Ends>,
    /// Whether the next one is being got.
    is_under_way: bool,
    /// Why there will be none.
    never: Option<String>,
    over: Option<Over>,
    /// Everything that nobody may see, the oldest first.
    secrets: Vec<String>,
}

/// When a token ends.
struct Ends {
    /// From when on the next one is got.
    renewed: Instant,
    /// From when on it is sent no more.
    unused: Instant,
}

impl Ends {
    fn new(from: Instant, lifetime: Duration) -> Self {
        // An issuer may say any number of seconds.
        let lifetime = clock::bounded(lifetime);
        let before = |most: Duration, part: u32| from + lifetime.saturating_sub(most.min(lifetime / part));
        Self { renewed: before(AHEAD, 4), unused: before(ON_THE_WAY, 10) }
    }
}

/// What becomes of a request.
enum Turn {
    /// It goes.
    Goes,
    /// It waits for the next token.
    Waits,
    /// There is no token for it.
    Never(Over),
}

impl Token {
    /// A token of an identity that was got at `asked`, and who gets the next one.
    ///
    /// # Errors
    /// HTTP cannot carry it, and why.
    pub fn new(
        identity: &str,
        grant: Grant,
        asked: Instant,
        renew: impl Renew + 'static,
    ) -> Result<Self, &'static str> {
        if let Some(why) = why_unusable(&grant.access) {
            return Err(why);
        }
        let mut state = State {
            header: (String::new(), String::new()),
            ends: None,
            is_under_way: false,
            never: None,
            over: None,
            secrets: Vec::new(),
        };
        state.take(grant, asked);
        let shared = Shared {
            identity: identity.to_owned(),
            renew: Box::new(renew),
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
        };
        Ok(Self(Arc::new(shared)))
    }

    /// The header that shows it, as it is now.
    pub(super) fn header(&self) -> Header {
        self.0.state().header.clone()
    }

    /// Waits until there is one that holds. All who wait do so for one renewal, and as long as the old one holds nobody waits.
    ///
    /// # Errors
    /// There is none, and will be none.
    pub(super) async fn holds(&self) -> Result<(), Over> {
        let mut changes = self.0.changes.subscribe();
        match self.turn() {
            Turn::Goes => Ok(()),
            Turn::Never(over) => Err(over),
            Turn::Waits => {
                let _ = changes.changed().await;
                // One that holds for no time at all is no reason to get another.
                self.0.state().over.clone().map_or(Ok(()), Err)
            }
        }
    }

    /// Waits until it has ended and there is no other, which may be never.
    pub(super) async fn over(&self) -> Over {
        let mut changes = self.0.changes.subscribe();
        loop {
            if let Some(over) = self.0.state().over.clone() {
                return over;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// What nobody may see of it, and of those before it.
    pub fn secrets(&self) -> Vec<String> {
        self.0.state().secrets.clone()
    }

    /// How much that is: it never gets less.
    pub fn count_secrets(&self) -> usize {
        self.0.state().secrets.len()
    }

    fn turn(&self) -> Turn {
        let now = Instant::now();
        let mut state = self.0.state();
        if let Some(over) = &state.over {
            return Turn::Never(over.clone());
        }
        let Some(&Ends { renewed, unused }) = state.ends.as_ref() else { return Turn::Goes };
        let holds = now < unused;
        if holds && (now < renewed || state.is_under_way || state.never.is_some()) {
            return Turn::Goes;
        }
        if let Some(why) = state.never.clone() {
            return Turn::Never(self.0.end(&mut state, why));
        }
        if !state.is_under_way {
            state.is_under_way = true;
            // Who asked first may be dropped, and what the issuer has given by then would be lost for all.
            tokio::spawn(renewed_by(Arc::clone(&self.0), now));
        }
        if holds { Turn::Goes } else { Turn::Waits }
    }
}

/// Without the values, which are secrets.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("identity", &self.0.identity).finish_non_exhaustive()
    }
}

impl State {
    fn take(&mut self, grant: Grant, asked: Instant) {
        self.header = ("authorization".to_owned(), format!("Bearer {}", grant.access));
        self.ends = grant.lifetime.map(|lifetime| Ends::new(asked, lifetime));
        let new = std::iter::once(grant.access).chain(grant.secrets);
        for secret in new {
            if !self.secrets.contains(&secret) {
                self.secrets.push(secret);
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, state: &mut State, why: String) -> Over {
        let over = Over { identity: self.identity.clone(), why };
        state.over = Some(over.clone());
        self.changes.send_modify(|changes| *changes += 1);
        over
    }
}

async fn renewed_by(shared: Arc<Shared>, asked: Instant) {
    let came = shared.renew.renew().await;
    let came = came.and_then(|grant| match why_unusable(&grant.access) {
        None => Ok(grant),
        Some(why) => Err(NotRenewed::Ever(format!("the new token {why}"))),
    });
    let now = Instant::now();
    let mut state = shared.state();
    state.is_under_way = false;
    let holds = state.ends.as_ref().is_none_or(|ends| now < ends.unused);
    match came {
        Ok(grant) => state.take(grant, asked),
        Err(NotRenewed::Yet(_)) if holds => {
            if let Some(ends) = &mut state.ends {
                ends.renewed = now + BETWEEN_TRIES;
            }
        }
        Err(NotRenewed::Ever(why)) if holds => state.never = Some(why),
        Err(NotRenewed::Yet(why) | NotRenewed::Ever(why)) => {
            shared.end(&mut state, why);
        }
    }
    drop(state);
    shared.changes.send_modify(|changes| *changes += 1);
}

#[cfg(test)]
pub(crate) mod tests;
