//! From settings to a suite that can be run: the agent is found, its interfaces are chosen, the run is planned.

use std::sync::Arc;

use serde_json::Value;

use super::again::{command, exceptions};
use super::builder::{SuiteBuilder, profiles};
use super::error::SuiteError;
use super::notice::Notice;
use super::{Suite, choose, library, patience, replicas, who};
use crate::auth::token::Over;
use crate::auth::userinfo::hidden;
use crate::discovery::Trust;
#[cfg(feature = "cli")]
use crate::discovery::find::Discovered;
use crate::discovery::triggers::{self, Triggers};
use crate::plan::{self, Means};
use crate::run::{Deadline, Options};
use crate::session::stop::stopped;
use crate::transport::http::Http;
use crate::transport::inbound::{Listen, Receiver};

/// Finds the agent, and runs nothing.
///
/// # Errors
/// There is none, or nothing of it is wanted.
#[cfg(feature = "cli")]
pub(crate) async fn look(settings: SuiteBuilder) -> Result<Discovered, SuiteError> {
    let settings = settings.validate()?;
    let url = settings.url.clone().ok_or(SuiteError::NoAgent)?;
    let http = Arc::new(settings.http(&url)?);
    let profiles = profiles()?;
    let stop = settings.stopped();
    let found = tokio::select! {
        found = patience::find_when_up(&http, &url, &settings, &profiles) => found,
        () = stopped(&stop) => Err(SuiteError::Interrupted),
    };
    let mut found = found?;
    let secrets = settings.secrets().and(std::mem::take(&mut found.secrets));
    let chosen = choose::choose(&mut found.agent, &settings);
    chosen.map_err(|error| error.masked(|text| hidden(&secrets.mask(text))))?;
    Ok(found)
}

pub(super) async fn prepare(settings: SuiteBuilder) -> Result<Suite, SuiteError> {
    let mut settings = settings.validate()?;
    let deadline = settings.deadline.map(Deadline::after);
    let profiles = profiles()?;
    let library = match settings.library.take() {
        Some(library) => library,
        None => Arc::new(library(None)?),
    };
    for (old, new) in settings.selection.follow(|id| library.renamed(id)) {
        settings.tell(&Notice::Renamed { old: &old, new });
    }
    let url = settings.url.clone().ok_or(SuiteError::NoAgent)?;
    let http = Arc::new(settings.http(&url)?);
    let stop = settings.stopped();
    let found = tokio::select! {
        found = patience::find_when_up(&http, &url, &settings, &profiles) => found,
        () = stopped(&stop) => return Err(SuiteError::Interrupted),
        Over { identity, why } = http.credentials().over() => return Err(SuiteError::TokenOver { identity, why }),
        limit = Deadline::over(deadline) => return Err(SuiteError::TimeOver { limit }),
    };
    let mut found = found?;
    // Agents may show in a card what they were sent.
    let secrets = settings.secrets().and(std::mem::take(&mut found.secrets));
    let chosen = choose::choose(&mut found.agent, &settings);
    chosen.map_err(|error| error.masked(|text| hidden(&secrets.mask(text))))?;
    let http = http.knowing(std::mem::take(&mut found.identities));
    let http = match &found.only_public {
        Some(beside) => Arc::new(http.only_public(beside).map_err(SuiteError::Client)?),
        None => Arc::new(http),
    };
    replicas::find(&mut found.agent, &url, &settings.replicas, &http).await?;
    found.agent.schemes = who::schemes(&found, &http);
    let identities = who::identities(&found.agent, http.credentials());
    let trust = trust(&http, &found.cards, &mut settings).await;
    let (mut listen, has_webhooks) = settings.listen()?;
    let lets_in_by_certificate = who::lets_in_by_certificate(&found, &http);
    let means = Means { has_webhooks, lets_in_by_certificate, credentials: http.credentials() };
    let mut plan = plan::make(&library, &found.agent.interfaces, &found.capabilities, &settings.selection, means)?;
    let private = http.private_among(plan.public_names(&found.agent.interfaces)).await;
    plan.skip_private(&found.agent.interfaces, &private);
    if settings.quick {
        plan.quicken();
        settings.selection.leaves(plan.trials.len())?;
    }
    if settings.max_messages.is_some() {
        plan.spread();
    }
    let is_everything = settings.selection.is_everything() && !settings.quick && settings.bindings.is_empty();
    let shard = settings.shard.map(|shard| (shard, plan.fingerprint()));
    settings.shard.into_iter().for_each(|shard| plan.keep(shard));
    listen.is_elsewhere_too = plan.trials.iter().any(|trial| trial.receives() && trial.case.has_webhooks_elsewhere());
    let webhooks = match plan.trials.iter().any(|trial| trial.receives()) {
        true => Some(Arc::new(receiver(&http, &listen).await?)),
        false => None,
    };
    let announced = triggers::announced(&found.extensions);
    let configured = std::mem::take(&mut settings.triggers);
    Ok(Suite {
        plan: Arc::new(plan),
        library,
        options: Options {
            jobs: settings.jobs,
            deadline,
            fail_fast: settings.fail_fast.take(),
            retries: settings.retries,
            keeps_steps: false,
            beside: settings.beside(),
            restart: settings.restart.clone(),
            max_messages: settings.max_messages,
            triggers: Triggers::new(configured, announced, settings.preset).with_examples(found.examples),
            trust: Arc::new(trust),
            webhooks,
            secrets: secrets.clone(),
        },
        secrets,
        identities,
        command: command(&settings),
        shard,
        is_everything,
        exceptions: exceptions(&settings, &found.agent, http.credentials()),
        http,
        url,
        agent: found.agent,
        #[cfg(feature = "cli")]
        cards: found.cards,
        flaws: found.flaws,
        stop,
    })
}

/// What receives deliveries to webhooks.
async fn receiver(http: &Http, listen: &Listen) -> Result<Receiver, SuiteError> {
    let address = listen.address;
    Receiver::start(http, listen).await.map_err(|error| SuiteError::Listen { address, error })
}

/// The keys that are trusted: those that the user names, and those from the places that the user allows.
async fn trust(http: &Http, cards: &[Value], settings: &mut SuiteBuilder) -> Trust {
    let keys = std::mem::take(&mut settings.keys);
    let mut trust = Trust { keys, hosts: settings.allowed_jku.clone(), asked: Vec::new() };
    for card in cards {
        for (place, error) in trust.learn(http, card).await {
            settings.tell(&Notice::NoKeysAt { jku: place.as_str(), error: &error });
        }
    }
    trust
}
