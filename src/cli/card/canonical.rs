//! `a2aspec card canonical`: the bytes that are signed.

use super::{Card, Exit, Failure};
use crate::cli::args::CardCanonicalArgs;
use crate::cli::print;
use crate::signature::{Canonical, Unknown};

pub(super) async fn run(args: &CardCanonicalArgs) -> Result<Exit, Failure> {
    let card = Card::find(&args.card).await?;
    let unknown = if args.keep_unknown { Unknown::Kept } else { Unknown::LeftOut };
    let (profile, descriptors) = card.signing()?;
    let canonical = Canonical::by(descriptors, &card.value()?, unknown);
    let canonical = canonical.ok_or_else(|| Failure::broken("the card has no canonical form"))?;
    let text = String::from_utf8_lossy(&canonical.bytes);
    match args.explain {
        // Nothing is added: it may go into a file, or a pipe to a program that signs.
        false => print::made(text),
        true => print::found(explained(&card.shown, profile.name(), &canonical)),
    }
}

fn explained(shown: &str, version: &str, canonical: &Canonical) -> String {
    let longest = canonical.decisions.iter().map(|decision| decision.pointer.chars().count()).max().unwrap_or_default();
    let row = |decision: &crate::signature::Decision| {
        let word = if decision.is_kept { "signed" } else { "left out" };
        format!("{word:<9} {:<longest$}  {}\n", decision.pointer, decision.rule)
    };
    let rows: String = canonical.decisions.iter().map(row).collect();
    let left = canonical.decisions.iter().filter(|decision| !decision.is_kept).count();
    format!(
        "what is signed of {shown}, by A2A {version}, section 8.4.1\n\n{rows}\n{left} of {} members are left out; {} bytes are signed:\n{}\n",
        canonical.decisions.len(),
        canonical.bytes.len(),
        String::from_utf8_lossy(&canonical.bytes),
    )
}
