//! The library's facade: a whole run, from a URL to a report.
//!
//! Enters: a [`SuiteBuilder`], which says what to check and how. Leaves: a [`Suite`], which has found the agent and knows what
//! to run, and then a [`Report`]. It composes the other modules and does nothing of its own; it never prints.
//!
//! ```no_run
//! # async fn check() -> Result<(), a2aspec::SuiteError> {
//! let suite = a2aspec::Suite::builder("http://localhost:8080").only("stream").prepare().await?;
//! println!("{} cases over {} interfaces", suite.plan().trials.len(), suite.interfaces().count());
//! let report = suite.run_with(|event| println!("{event:?}")).await;
//! # Ok(())
//! # }
//! ```

mod again;
mod builder;
mod choose;
mod error;
mod find;
mod fuzz;
mod notice;
mod patience;
mod prepare;
#[cfg(feature = "cli")]
mod pulse;
mod replicas;
mod who;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

#[cfg(feature = "cli")]
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use url::Url;

pub use again::CommandLine;
pub use builder::SuiteBuilder;
pub(crate) use builder::TIMEOUT;
pub use choose::is_unwanted;
pub use error::{SuiteError, UrlError};
pub use fuzz::{Fuzzed, Hit};
pub use notice::Notice;
#[cfg(feature = "cli")]
pub(crate) use prepare::look;
#[cfg(feature = "cli")]
pub(crate) use pulse::Pulse;

use crate::case::Library;
use crate::discovery::find::Flaws;
use crate::discovery::reach::{self, Concern};
use crate::discovery::triggers::Triggers;
use crate::event::Event;
use crate::interface::{Agent, Interface, InterfaceInfo, Listed};
use crate::judge::oracle;
use crate::plan::{Plan, Sample, Shard, Trial};
use crate::profile::Profile;
use crate::report::model::ShardInfo;
use crate::report::outline::{Ingredients, Outline};
use crate::report::security::IdentityInfo;
use crate::report::{Report, ReportBuilder, Secrets};
use crate::run::{self, Options};
use crate::transport::http::Http;

/// An agent that was found, and what is run against it.
#[derive(Clone)]
pub struct Suite {
    url: Url,
    agent: Agent,
    /// What its cards say.
    #[cfg(feature = "cli")]
    cards: Vec<Value>,
    /// In what its cards break their schemas.
    flaws: Vec<Flaws>,
    plan: Arc<Plan>,
    library: Arc<Library>,
    options: Options,
    http: Arc<Http>,
    secrets: Secrets,
    /// Who asks.
    identities: Vec<IdentityInfo>,
    /// The command line that does the same again, and those of interfaces that need one of their own.
    command: String,
    exceptions: Vec<(String, String, String)>,
    /// Whether the plan has every case that there is for the agent.
    is_everything: bool,
    /// Which part of a plan the plan is, and the fingerprint of the whole.
    shard: Option<(Shard, String)>,
    stop: watch::Receiver<bool>,
}

impl Suite {
    /// The settings of a run against the agent at a URL.
    pub fn builder(url: impl AsRef<str>) -> SuiteBuilder {
        SuiteBuilder::default().url(url)
    }

    /// What is run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The agent, with every interface that its card declares.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The interfaces that are checked.
    pub fn interfaces(&self) -> impl Iterator<Item = &Interface> {
        self.agent.checked().map(|(_, interface)| interface)
    }

    /// In what the cards break their schemas.
    pub fn flaws(&self) -> &[Flaws] {
        &self.flaws
    }

    /// What a user must know of where the interfaces are.
    pub fn concerns(&self) -> impl Iterator<Item = (&InterfaceInfo, Concern)> {
        let of = |interface| reach::concerns(interface, &self.url, &self.http);
        self.agent
            .checked()
            .flat_map(move |(info, interface)| of(interface).into_iter().map(move |concern| (info, concern)))
    }

    /// What must not be shown of this run.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// What the cards say.
    #[cfg(feature = "cli")]
    pub(crate) fn cards(&self) -> &[Value] {
        &self.cards
    }

    /// Where the agent is, as the user gave it, without credentials.
    #[cfg(feature = "cli")]
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// What carries the requests.
    #[cfg(feature = "cli")]
    pub(crate) fn http(&self) -> &Arc<Http> {
        &self.http
    }

    /// Within how many cases the agent is restarted; nothing where it is not to be.
    #[cfg(feature = "cli")]
    pub(crate) fn restarting(&self) -> Option<usize> {
        let restart = self.options.restart.as_ref()?;
        Some(self.plan.trials.iter().filter(|trial| restart.concerns(trial)).count())
    }

    /// What brings the agent into its states.
    #[cfg(feature = "cli")]
    pub(crate) fn triggers(&self) -> &Triggers {
        &self.options.triggers
    }

    /// What ends the run.
    #[cfg(feature = "cli")]
    pub(crate) fn stopped(&self) -> &watch::Receiver<bool> {
        &self.stop
    }

    /// Keeps the steps of every case for whoever sees the events of the run.
    #[cfg(feature = "cli")]
    pub(crate) fn keep_steps(&mut self) {
        self.options.keeps_steps = true;
    }

    /// Ends the run when this turns true, in place of the signal in its settings.
    #[cfg(feature = "cli")]
    pub(crate) fn end_with(&mut self, stop: watch::Receiver<bool>) {
        self.stop = stop;
    }

    /// A report of the whole plan, in which nothing has run.
    pub(crate) fn new_report(&self) -> ReportBuilder {
        let plan = Arc::clone(&self.plan);
        let mut builder =
            ReportBuilder::new(self.url.as_str(), &self.command, plan, self.secrets.clone(), crate::clock::now());
        if self.shard.is_some() {
            builder.of_part();
        }
        if self.is_everything {
            builder.of_everything();
        }
        builder.asked_by(self.identities.clone());
        for (profile, binding, command) in &self.exceptions {
            builder.run_again_by(profile, binding, command.clone());
        }
        builder
    }

    /// Leaves out the trials that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&Trial) -> bool) {
        let trials = &mut Arc::make_mut(&mut self.plan).trials;
        let all = trials.len();
        trials.retain(|trial| keep(trial));
        self.is_everything &= trials.len() == all;
    }

    /// What it would do.
    pub(crate) fn outline(&self) -> Outline {
        Outline::new(Ingredients {
            command: &self.command,
            agent: &self.agent,
            plan: &self.plan,
            credentials: self.http.credentials(),
            max_messages: self.options.max_messages,
            webhook: self.options.webhooks.as_ref().map(|receiver| receiver.url()),
            is_unwanted,
        })
    }

    /// Leaves only the trials on which most of the others depend: what they show is known in a minute.
    pub(crate) fn sample(&mut self) -> Vec<Sample> {
        self.is_everything = false;
        let samples = self.plan.samples();
        Arc::make_mut(&mut self.plan).keep_samples(&samples);
        samples
    }

    /// Puts the trials into another order. Cases that judge a whole interface wait for the others all the same.
    pub fn arrange(&mut self, arrange: impl FnOnce(&mut [Arc<Trial>])) {
        arrange(&mut Arc::make_mut(&mut self.plan).trials);
    }

    /// Runs it.
    pub async fn run(self) -> Report {
        self.run_with(|_| {}).await
    }

    /// Runs it and tells what happens.
    pub async fn run_with(mut self, mut listener: impl FnMut(&Event)) -> Report {
        for Listed { info, interface } in &mut self.agent.interfaces {
            let interface = interface.iter();
            let concerns = interface.flat_map(|at| reach::concerns(at, &self.url, &self.http));
            concerns.for_each(|concern| info.add_note(&concern.to_string()));
        }
        let began = Instant::now();
        let mut builder = self.new_report();
        let (events, mut heard) = mpsc::unbounded_channel();
        let work = Box::pin(run::execute(self.plan, self.agent, self.http, self.options, events, self.stop));
        let listen = async {
            while let Some(event) = heard.recv().await {
                listener(&event);
                builder.see(&event);
                if matches!(event, Event::Done { .. }) {
                    break;
                }
            }
        };
        tokio::join!(work, listen);
        let mut report = builder.finish(began.elapsed());
        if let Some((shard, plan)) = self.shard {
            report.shards = vec![ShardInfo::of(shard, plan, self.is_everything, &report)];
        }
        report
    }
}

/// The cases of the program, and those of a user's folder: a folder with catalogues of its own is a whole library.
///
/// # Errors
/// [`SuiteError::Cases`]: every mistake in them.
pub fn library(own: Option<&Path>) -> Result<Library, SuiteError> {
    let profiles = builder::profiles()?;
    let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::load(own, &profiles, &oracle::all());
    library.map_err(|(mistakes, sources)| SuiteError::Cases { mistakes, sources })
}

#[cfg(test)]
#[cfg(feature = "cli")]
mod tests;
