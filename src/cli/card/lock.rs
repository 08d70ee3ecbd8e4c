//! `a2aspec card lock`: what clients rely on in a card, for a file that later cards are held against.

use std::path::Path;

use super::{Card, Exit, Failure, bytes};
use crate::cli::args::CardLockArgs;
use crate::cli::fail::profiles;
use crate::cli::print;
use crate::diagnostic::words::count_as;
use crate::discovery::lock::Lock;

pub(super) async fn run(args: &CardLockArgs) -> Result<Exit, Failure> {
    let card = Card::find(&args.card).await?;
    let text = serde_json::to_string_pretty(&of(&card)?).map_err(|error| Failure::broken(error.to_string()))?;
    print::made(text + "\n")
}

fn of(card: &Card) -> Result<Lock, Failure> {
    Ok(Lock::of(&card.parsed(), &profiles()?, &card.profiles))
}

/// What a card is held against.
pub(super) struct Locked {
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
    pub fn compare(&self, card: &Card) -> Result<(String, bool), Failure> {
        let lost = self.lock.lost(&of(card)?);
        let lines: String = lost.iter().map(|loss| format!("LOST       {loss}\n")).collect();
        let sentence = match lost.len() {
            0 => format!("clients lose nothing that {} has\n", self.file),
            all => format!("clients lose {} that {} has\n", count_as(all, "thing", "things"), self.file),
        };
        Ok((lines + &sentence, !lost.is_empty()))
    }
}
