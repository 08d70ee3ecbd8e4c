//! `a2aspec card`: what is wrong with an agent card, what clients rely on in it, and its signatures.

mod canonical;
mod fleet;
mod lint;
pub(super) mod lock;
mod notes;
mod sign;
mod verify;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::args::{CardArgs, CardCommand, CardPlaceArgs};
use super::fail::{Failure, discovery_failure, profile, profiles};
use super::{Exit, dialing, machine};
use crate::auth::Credentials;
use crate::diagnostic::words::list;
use crate::discovery::card::{self, Lookup};
use crate::discovery::interfaces;
use crate::files;
use crate::profile::{Descriptors, Profile};
use crate::signature::{Keys, read};
use crate::transport::http::{Http, Settings};

/// How long a card, or keys, may take to come.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn run(args: CardArgs) -> Result<Exit, Failure> {
    match args.command {
        CardCommand::Lint(args) => lint::run(&args).await,
        CardCommand::Lock(args) => lock::run(&args).await,
        CardCommand::Canonical(args) => canonical::run(&args).await,
        CardCommand::Verify(args) => verify::run(&args).await,
        CardCommand::Sign(args) => sign::run(&args).await,
    }
}

/// The keys of a file.
///
/// # Errors
/// It cannot be read, or has no keys.
pub(super) fn keys(file: &Path) -> Result<Keys, Failure> {
    let bytes = bytes(file)?;
    Keys::read(&bytes).map_err(|error| Failure::usage(format!("the key file {}: {error}", file.display())))
}

fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    files::bytes(file, files::LONGEST)
        .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", file.display())))
}

/// A card, where it was, and the versions by which it is read.
struct Card {
    shown: String,
    bytes: Vec<u8>,
    /// The one that was named, or those that it serves, the newest first.
    profiles: Vec<Arc<Profile>>,
    /// Whether the version is a guess, since the card names none that is known.
    is_guess: bool,
    http: Http,
}

impl Card {
    /// Finds a card and the versions that it is of, unless one is named.
    async fn find(args: &CardPlaceArgs) -> Result<Self, Failure> {
        let settings = Settings { credentials: Credentials::default(), timeout: TIMEOUT };
        let http = Http::dialing(dialing::of_environment()?, settings).map_err(Failure::broken)?;
        let profiles = profiles()?;
        let (shown, document) = match args.place.contains("://") {
            true => {
                machine::check()?;
                let wrong = |error| Failure::usage(format!("the URL {:?} cannot be read: {error}", args.place));
                let url = Url::parse(&args.place).map_err(wrong)?;
                // A path that names a file is that of the card itself.
                let lookup = if url.path().ends_with(".json") { Lookup::Url(url.clone()) } else { Lookup::WellKnown };
                let found = card::find(&http, &url, &lookup, &profiles).await;
                let found = found.map_err(|error| discovery_failure(&error, Some("name an agent, or its card")))?;
                (found.shown, found.document)
            }
            false => {
                let document = card::parse(&args.place, &bytes(Path::new(&args.place))?);
                (args.place.clone(), document.map_err(|error| discovery_failure(&error, None))?)
            }
        };
        let all = profiles;
        let mut profiles = match &args.profile {
            Some(name) => vec![profile(name)?],
            None => interfaces::versions(&document.value(), &all),
        };
        let is_guess = profiles.is_empty();
        if is_guess {
            let message = format!("{shown} is no A2A card: it has not even a name and two other members of one");
            let guessed = interfaces::guessed(&document.value(), &all).ok_or_else(|| {
                let help = "a card has a name, a description, skills, and says where the agent is; --profile VERSION reads it as one all the same";
                Failure::new(Exit::Usage, &message, Some(help))
            })?;
            profiles.push(guessed);
        }
        Ok(Self { shown, bytes: document.bytes().to_vec(), profiles, is_guess, http })
    }

    /// What it says, whatever its form.
    fn parsed(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    /// What it says, as far as it can be written in canonical form.
    fn value(&self) -> Result<Value, Failure> {
        let no_form = |error| format!("the card {} has no canonical form (RFC 8785): {error}", self.shown);
        read(&self.bytes).map_err(|error| Failure::new(Exit::Fails, &no_form(error), None))
    }

    /// The newest version that it is of and that says what is signed of a card, and what that says of its members.
    fn signing(&self) -> Result<(&Profile, &Descriptors), Failure> {
        let mut all = self.profiles.iter().filter_map(|profile| Some((&**profile, profile.descriptors.as_ref()?)));
        let found = all.find(|(profile, descriptors)| {
            descriptors.message("AgentCard").is_some() && profile.facts.card.canonical_form
        });
        found.ok_or_else(|| {
            let names: Vec<String> = self.profiles.iter().map(|profile| profile.name().to_owned()).collect();
            let message =
                format!("the card is one of A2A {}, which does not say what is signed of a card", list(&names));
            Failure::new(Exit::Usage, &message, Some("--profile 1.0 reads it as one of that version"))
        })
    }
}
