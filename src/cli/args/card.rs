//! What the command line can say of cards.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardArgs {
    #[command(subcommand)]
    pub command: CardCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CardCommand {
    /// Say all that is wrong with a card, by the requirements of its version; fails where a MUST is violated
    Lint(CardLintArgs),
    /// Verify the signatures of a card; fails unless one holds
    Verify(CardVerifyArgs),
    /// Print a card with one signature more
    Sign(CardSignArgs),
    /// Print the bytes of a card that are signed
    Canonical(CardCanonicalArgs),
}

/// A card.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardPlaceArgs {
    /// The card: a file, its URL, or the URL of an agent
    #[arg(value_name = "FILE|URL")]
    pub place: String,

    /// Read it as a card of this protocol version [default: the one that it looks like]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardLintArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// Verify its signatures, too, with this key: a file with a JWK, a JWKS or a public key in PEM; may be repeated
    #[arg(long, value_name = "FILE")]
    pub key: Vec<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardVerifyArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// Trust this key: a file with a JWK, a JWKS or a public key in PEM; may be repeated
    #[arg(long, value_name = "FILE")]
    pub key: Vec<PathBuf>,

    /// Trust the keys at this URL; may be repeated
    #[arg(long, value_name = "URL")]
    pub jwks: Vec<String>,

    /// Trust the keys to which the card itself points (jku), where they are on this host; may be repeated
    #[arg(long, value_name = "HOST[:PORT]")]
    pub allow_jku: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardSignArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// The private key: a file with PKCS #8 in PEM, or a JWK
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,

    /// The name of the key, by which clients look it up
    #[arg(long, value_name = "ID")]
    pub kid: String,

    /// The algorithm, such as ES256, PS256 or EdDSA [default: the one of the key; RS256 for keys of RSA]
    #[arg(long, value_name = "ALG")]
    pub algorithm: Option<String>,

    /// Where clients find the public key
    #[arg(long, value_name = "URL")]
    pub jku: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardCanonicalArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// Show member by member what is signed and what is left out, and by which rule
    #[arg(long)]
    pub explain: bool,

    /// Keep members that the version does not know, as implementations do that work on the JSON alone
    #[arg(long)]
    pub keep_unknown: bool,
}
