//! `a2aspec card verify`: whether the signatures of a card hold, and whether clients still have what they rely on.

use url::Url;

use super::lock::Locked;
use super::{Card, Exit, Failure, keys, notes};
use crate::cli::args::CardVerifyArgs;
use crate::cli::print;
use crate::diagnostic::words::{count, one_line};
use crate::discovery::jku;
use crate::signature::{Canonical, Keys, OtherForm, Refusal, Signature, Unknown, signatures};

/// Verifies each signature; the command fails unless one holds, which is what a client asks before it trusts a card
/// (8.4.3).
pub(super) async fn run(args: &CardVerifyArgs) -> Result<Exit, Failure> {
    let locked = args.lock.as_deref().map(Locked::read).transpose()?;
    let card = Card::find(&args.card).await?;
    let (drift, is_lost) = locked.as_ref().map(|locked| locked.compare(&card)).transpose()?.unwrap_or_default();
    // What was not signed is held against the lock alone.
    if locked.as_ref().is_some_and(|locked| !locked.is_signed()) && signatures(&card.parsed()).is_empty() {
        print::out(&format!("{}\n{drift}", one_line(&card.shown)))?;
        return Ok(if is_lost { Exit::Fails } else { Exit::Holds });
    }
    let (profile, descriptors) = card.signing()?;
    let value = card.value()?;
    let trusted = trusted(args, &card, &value).await?;
    let of = |unknown| Canonical::by(descriptors, &value, unknown);
    let (Some(known), Some(whole)) = (of(Unknown::LeftOut), of(Unknown::Kept)) else {
        return Err(Failure::broken("the card has no canonical form"));
    };
    let mut out = format!("{}, read as a card of A2A {}\n", one_line(&card.shown), profile.name());
    let (mut held, mut holds_without_unknown) = (0, false);
    let all = signatures(&value);
    for (pointer, signature) in &all {
        let verified = signature.as_ref().map_err(Refusal::clone).and_then(|signature| {
            let by = named(signature);
            match signature.verify(&known.bytes, &trusted) {
                Ok(()) => {
                    holds_without_unknown = true;
                    Ok(by)
                }
                Err(Refusal::Wrong(_)) if signature.verify(&whole.bytes, &trusted).is_ok() => {
                    Ok(format!("{by}; with the members that A2A {} does not know", profile.name()))
                }
                Err(refusal) => Err(refusal),
            }
        });
        let in_place = |signature: &Signature| OtherForm::signed(signature, descriptors, &value, &trusted);
        let told = match &verified {
            Ok(how) => format!("holds      {how}"),
            Err(refusal) if refusal.is_ours() => format!("unknown    {refusal}"),
            // The form that was signed names the mistake of the signer.
            Err(refusal @ Refusal::Wrong(_)) => match signature.as_ref().ok().and_then(in_place) {
                Some(form) => format!("REFUSED    {refusal}, but {form}"),
                None => format!("REFUSED    {refusal}"),
            },
            Err(refusal) => format!("REFUSED    {refusal}"),
        };
        held += usize::from(verified.is_ok());
        out.push_str(&format!("{pointer}  {}\n", one_line(&told)));
    }
    if holds_without_unknown {
        out.push_str(&notes::unsigned(&known));
    }
    if held > 0 {
        out.push_str(&notes::inexact(&card.bytes));
    }
    out.push_str(&match (all.len(), held) {
        (0, _) => "the card is not signed\n".to_owned(),
        (_, 0) => "no signature holds: the card is not to be trusted\n".to_owned(),
        (1, _) => "the signature holds: the card is the one that was signed\n".to_owned(),
        (all, held) => format!("{held} of {} hold: the card is the one that was signed\n", count(all, "signature")),
    });
    print::out(&(out + &drift))?;
    Ok(if held > 0 && !is_lost { Exit::Holds } else { Exit::Fails })
}

/// The algorithm and the key of a signature.
fn named(signature: &Signature) -> String {
    let text = |name| signature.header.text(name).unwrap_or_default();
    format!("{} by the key {:?}", text("alg"), text("kid"))
}

/// The keys of files, of sets that the user names, and of those to which the card points and that the user allows.
async fn trusted(args: &CardVerifyArgs, card: &Card, value: &serde_json::Value) -> Result<Keys, Failure> {
    let mut trusted = Keys::default();
    for file in &args.key {
        trusted.add(keys(file)?);
    }
    for url in &args.jwks {
        trusted.add(fetched(card, url).await?);
    }
    let (fetched, failed) = jku::keys(&card.http, value, &args.allow_jku).await;
    trusted.add(fetched);
    if let Some((place, error)) = failed.first() {
        let message = format!("no keys came from {place}, to which a signature of the card points: {error}");
        return Err(Failure::new(Exit::Target, &message, None));
    }
    if trusted.is_empty() && !signatures(value).is_empty() {
        let help = "--key FILE names a JWK, a JWKS or a public key in PEM; --jwks URL fetches keys; --allow-jku HOST lets them \
                    be fetched from where the card says";
        return Err(Failure::new(Exit::Usage, "there is no key to verify the signatures with", Some(help)));
    }
    Ok(trusted)
}

/// The keys at a URL that the user names.
async fn fetched(card: &Card, url: &str) -> Result<Keys, Failure> {
    if Url::parse(url).is_err() {
        let help = format!("--key {url} reads keys from a file");
        return Err(Failure::new(Exit::Usage, &format!("--jwks {url} is not a URL"), Some(&help)));
    }
    let exchange = card.http.fetch("GET", url, &[], "keys").await;
    let wrong = |why: String| Failure::new(Exit::Target, &format!("no keys came from {url}: {why}"), None);
    match &exchange.response {
        Some(response) if response.status == 200 => {
            Keys::read(&response.body).map_err(|error| wrong(error.to_string()))
        }
        Some(response) => Err(wrong(format!("HTTP {}", response.status))),
        None => Err(wrong(exchange.ended.to_string())),
    }
}
