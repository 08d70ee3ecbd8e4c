//! `a2aspec card lock`: what clients rely on in a card, for a file that later cards are held against.

use std::path::Path;

use serde_json::Value;

use super::{Card, Exit, Failure, bytes};
use crate::cli::args::CardLockArgs;
use crate::cli::fail::profiles;
use crate::cli::print;
use crate::discovery::interfaces;
use crate::discovery::lock::Lock;
use crate::report::lock::LockInfo;

pub(super) async fn run(args: &CardLockArgs) -> Result<Exit, Failure> {
    let card = Card::find(&args.card).await?;
    let text = serde_json::to_string_pretty(&of(&card)?).map_err(|error| Failure::broken(error.to_string()))?;
    print::made(text + "\n")
}

/// What a card offers.
pub(super) fn of(card: &Card) -> Result<Lock, Failure> {
    Ok(Lock::of(&card.parsed(), &profiles()?, &card.profiles))
}

/// What a card is held against.
pub(in crate::cli) struct Locked {
    file: String,
    lock: Lock,
}

impl Locked {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = path.display().to_string();
        let lock = serde_json::from_slice(&bytes(path)?).map_err(|error| {
            let help = "`a2aspec card lock URL` prints what belongs into the file";
            Failure::new(Exit::Usage, &format!("{file} is no lock of a card: {error}"), Some(help))
        })?;
        Ok(Self { file, lock })
    }

    /// Whether the card was signed.
    pub fn is_signed(&self) -> bool {
        !self.lock.keys.is_empty()
    }

    /// What clients lose with this card, line by line, and whether they lose anything.
    pub(super) fn compare(&self, card: &Card) -> Result<(String, bool), Failure> {
        let info = self.against(&of(card)?);
        let lines: String = info.lost.iter().map(|loss| format!("LOST       {loss}\n")).collect();
        Ok((format!("{lines}{}\n", info.sentence()), info.is_broken()))
    }

    /// What clients lose with the cards of an agent.
    ///
    /// # Errors
    /// There is no card.
    pub fn against_all(&self, cards: &[Value]) -> Result<LockInfo, Failure> {
        let all = profiles()?;
        let offers = cards.iter().map(|card| Lock::of(card, &all, &interfaces::versions(card, &all)));
        let together = offers.reduce(Lock::and).ok_or_else(|| {
            let message = format!("the agent has no card that could be held against {}", self.file);
            Failure::new(Exit::Usage, &message, Some("leave out --lock, or check the agent by its card"))
        })?;
        Ok(self.against(&together))
    }

    fn against(&self, now: &Lock) -> LockInfo {
        LockInfo { file: self.file.clone(), lost: self.lock.lost(now) }
    }
}
