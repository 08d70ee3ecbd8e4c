//! `a2aspec card sign`: a card with one signature more.

use serde_json::Value;

use super::{Card, Exit, Failure, bytes};
use crate::cli::args::CardSignArgs;
use crate::cli::print;
use crate::diagnostic::words::list;
use crate::signature::{Algorithm, Canonical, Signer, Unknown};

pub(super) async fn run(args: &CardSignArgs) -> Result<Exit, Failure> {
    let algorithm = args.algorithm.as_deref().map(algorithm).transpose()?;
    let unusable = |error: &dyn std::fmt::Display| {
        let make = "openssl genpkey -algorithm ed25519 -out key.pem makes one";
        Failure::new(Exit::Usage, &format!("the key file {}: {error}", args.key.display()), Some(make))
    };
    let signer = Signer::read(&bytes(&args.key)?).map_err(|error| unusable(&error))?;
    let card = Card::find(&args.card).await?;
    let mut value = card.value()?;
    let canonical = Canonical::by(card.signing()?.1, &value, Unknown::LeftOut);
    let canonical = canonical.ok_or_else(|| Failure::broken("the card has no canonical form"))?;
    let signature = signer.sign(&canonical.bytes, algorithm, &args.kid, args.jku.as_deref());
    let signature = signature.map_err(|error| unusable(&error))?;
    match value.get_mut("signatures") {
        Some(Value::Array(signatures)) => signatures.push(signature),
        _ => value["signatures"] = Value::Array(vec![signature]),
    }
    print::made(format!("{value:#}\n"))
}

fn algorithm(name: &str) -> Result<Algorithm, Failure> {
    Algorithm::named(name).ok_or_else(|| {
        let known = Algorithm::ALL.map(|algorithm| algorithm.name().to_owned());
        Failure::usage(format!("there is no algorithm `{name}` for signatures of cards; there is {}", list(&known)))
    })
}
