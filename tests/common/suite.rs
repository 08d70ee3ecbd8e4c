//! The suite against the reference agent, both in this process.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_reference_agent::Config;
use a2aspec::auth::{Credentials, Identity};
use a2aspec::binding::http::{Http, Settings};
use a2aspec::case::Library;
use a2aspec::discovery::find::Lookup;
use a2aspec::discovery::triggers::{self, Triggers};
use a2aspec::discovery::{self, bases::Bases};
use a2aspec::event::Event;
use a2aspec::interface::Endpoint;
use a2aspec::plan::{self, Plan, Selection, Trial};
use a2aspec::profile::Profile;
use a2aspec::report::model::Report;
use a2aspec::report::{ReportBuilder, Secrets};
use a2aspec::run::{self, Options};
use tokio::sync::{mpsc, watch};
use url::Url;

/// What opens the agent's extended card.
const TOKEN: &str = "Bearer reference";

/// Every case over every binding in every profile, whether or not an agent serves them.
pub fn matrix(library: &Library, profiles: &[Arc<Profile>]) -> Plan {
    let endpoints: Vec<Endpoint> = profiles
        .iter()
        .flat_map(|profile| {
            let bindings = profile.facts.bindings.keys();
            bindings.filter_map(|binding| Endpoint::new(profile, *binding, String::new()))
        })
        .collect();
    plan::make(library, &endpoints, &BTreeMap::new(), &everything()).expect("there is something")
}

/// Every case, also those that no run has unless they are asked for.
pub fn everything() -> Selection {
    Selection { only: vec!["*".to_owned()], ..Selection::default() }
}

/// A client that waits so long for an answer. To set one up takes longer than many a run.
pub fn http(timeout: Duration) -> Http {
    Http::new(Settings { credentials: Credentials::default(), timeout }).expect("the client is set up")
}

/// A run of the suite.
pub struct Run<'a> {
    pub library: &'a Library,
    pub profiles: &'a [Arc<Profile>],
    pub selection: &'a Selection,
    /// How the agent is.
    pub config: Config,
    /// The version whose card leads to the agent; nothing for that of the agent itself, which names several.
    pub at: Option<&'a str>,
    /// The versions that are checked.
    pub of_interest: &'a (dyn Fn(&Profile) -> bool + Sync),
    /// The trials that are worth while; the others are left out.
    pub is_worth: &'a (dyn Fn(&Trial) -> bool + Sync),
    /// Is told what happens.
    pub see: &'a (dyn Fn(&Event) + Sync),
    /// The client, which runs may share.
    pub http: &'a Http,
    pub jobs: usize,
}

impl Run<'_> {
    /// Starts an agent and checks it; nothing where no selected case applies to what is checked.
    ///
    /// # Errors
    /// The agent has no card that the suite can use.
    pub async fn report(self) -> Result<Option<Report>, String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let agent = a2a_reference_agent::start(self.config, address).await.expect("the reference agent starts");
        let bases = agent.bases();
        let base = bases.iter().find(|(name, _)| self.at == Some(*name)).map_or(agent.url(), |(_, base)| base.as_str());
        let url = Url::parse(base).unwrap();
        let http = Arc::new(self.http.anew(Credentials::default().and(Identity::at(agent.url(), TOKEN.to_owned()))));
        let wanted: Vec<String> = self.at.map(str::to_owned).into_iter().collect();
        let found =
            discovery::discover(&http, &url, &Lookup::WellKnown, self.profiles, &wanted, &Bases::default()).await;
        let mut found = found.map_err(|error| error.to_string())?;
        found.endpoints.retain(|endpoint| (self.of_interest)(&endpoint.profile));
        let is_checked =
            |name: &str| self.profiles.iter().any(|known| known.name() == name && (self.of_interest)(known));
        found.info.interfaces.retain(|shown| shown.profile.as_deref().is_some_and(is_checked));
        let plan = plan::make(self.library, &found.endpoints, &found.capabilities, self.selection);
        let Ok(mut plan) = plan else { return Ok(None) };
        plan.trials.retain(|trial| (self.is_worth)(trial));
        let plan = Arc::new(plan);
        let options = Options {
            jobs: self.jobs,
            max_messages: None,
            triggers: Triggers::new(BTreeMap::new(), triggers::announced(&found.extensions), None),
        };
        let (events, mut heard) = mpsc::unbounded_channel();
        let (_stopper, stop) = watch::channel(false);
        let began = Instant::now();
        agent.go_wrong();
        run::execute(Arc::clone(&plan), found.info, found.endpoints, http, options, events, stop).await;
        let mut builder =
            ReportBuilder::new(agent.url(), "a2aspec check", plan, Secrets::default(), jiff::Timestamp::now());
        while let Some(event) = heard.recv().await {
            (self.see)(&event);
            builder.see(&event);
            if matches!(event, Event::Done { .. }) {
                break;
            }
        }
        agent.stop().await;
        Ok(Some(builder.finish(began.elapsed())))
    }
}
