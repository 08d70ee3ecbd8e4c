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
    /// Report the problems of each card, and the conflicts between cards. Fail if a card violates a MUST or conflicts with another card
    Lint(CardLintArgs),
    /// Verify the signatures of a card; fail unless one is valid, or if clients lose what a lock has
    Verify(CardVerifyArgs),
    /// Print what clients rely on in a card, to verify later cards with `card verify --lock`
    Lock(CardLockArgs),
    /// Print a card with one more signature
    Sign(CardSignArgs),
    /// Print the canonical bytes that a signature covers
    Canonical(CardCanonicalArgs),
}

/// A card.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardPlaceArgs {
    /// File or URL of the card, or URL of the agent
    #[arg(value_name = "FILE|URL")]
    pub place: String,

    /// Protocol version of the card [default: detected]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardLintArgs {
    /// Files or URLs of cards, URLs of agents, or folders with cards in files that end in .json
    #[arg(value_name = "FILE|URL|DIR", required = true)]
    pub places: Vec<String>,

    /// Protocol version of the cards [default: detected]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Connect to the address of each interface, and fail if that cannot be done; nothing is sent
    #[arg(long)]
    pub connect: bool,

    /// Also verify the signatures with this key: a file with a JWK, a JWKS or a PEM public key; may be repeated
    #[arg(long, value_name = "FILE")]
    pub key: Vec<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardVerifyArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// Trust this key: a file with a JWK, a JWKS or a PEM public key; may be repeated
    #[arg(long, value_name = "FILE")]
    pub key: Vec<PathBuf>,

    /// Trust the keys at this JWKS URL; may be repeated
    #[arg(long, value_name = "URL")]
    pub jwks: Vec<String>,

    /// Trust keys that the card's `jku` header names, if they are on this host; may be repeated
    #[arg(long, value_name = "HOST[:PORT]")]
    pub allow_jku: Vec<String>,

    /// Also fail if clients lose what this file of `card lock` has; a card that was not signed need not be
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardLockArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardSignArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// Private key: a PKCS #8 PEM file or a JWK
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,

    /// Key id, by which clients find the public key
    #[arg(long, value_name = "ID")]
    pub kid: String,

    /// Algorithm, such as ES256, PS256 or EdDSA [default: by the key; RS256 for RSA keys]
    #[arg(long, value_name = "ALG")]
    pub algorithm: Option<String>,

    /// URL of the public keys (JWKS) for the `jku` header
    #[arg(long, value_name = "URL")]
    pub jku: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct CardCanonicalArgs {
    #[command(flatten)]
    pub card: CardPlaceArgs,

    /// Show for each member if it is signed, and by which rule
    #[arg(long)]
    pub explain: bool,

    /// Keep members that the protocol version does not define, as implementations that canonicalise plain JSON do
    #[arg(long)]
    pub keep_unknown: bool,
}
