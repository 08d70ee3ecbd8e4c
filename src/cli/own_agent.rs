//! The reference agent, where no other is to be checked.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use a2a_reference_agent::{Config, Issuer, RunningAgent, Scheme, Tenant, User};
use tokio::runtime::{Builder, Runtime};

use super::args::TargetArgs;
use super::fail::Failure;
use super::tell;
use crate::auth::{Caller, Identity};
use crate::signature::Keys;
use crate::suite::{Suite, SuiteBuilder};

/// Whether the compiler made this program as fast as it can. `build.rs` passes the level on.
const IS_OPTIMIZED: bool = !matches!(env!("OPT_LEVEL").as_bytes(), b"0" | b"1");

/// How long its `slow` task works when the suite checks itself: long enough to be met at work, short enough not to be
/// waited for. Without all of the optimizer everything that is to happen meanwhile takes several times as long.
const SLOW: Duration = Duration::from_millis(if IS_OPTIMIZED { 600 } else { 1_000 });

/// The tenant that it has beside the one that is checked.
const OTHER_TENANT: &str = "a2aspec-other";

/// How it is started.
pub(super) fn config(args: &TargetArgs) -> Config {
    Config {
        without: args.without.iter().copied().collect(),
        slow: SLOW,
        faults: args.fault.clone(),
        rest_dialect: args.rest_dialect,
        users: User::known_to_faults().to_vec(),
        tenants: tenants(args),
        requires_extension: args.require_extension,
        schemes: vec![Scheme::Bearer, Scheme::Oauth2],
        issuer: Issuer::new("https://login.example.com", None).ok(),
        ..Config::default()
    }
}

/// Its tenants: the one that is checked, and another that is to be kept apart from it.
fn tenants(args: &TargetArgs) -> Vec<Tenant> {
    let own = args.tenant.iter().flat_map(|name| [name.as_str(), OTHER_TENANT]);
    own.filter_map(|name| name.parse().ok()).collect()
}

/// Whether the arguments ask for it, or say how it is: then it is checked, whatever the file names.
pub(super) fn is_meant(args: &TargetArgs) -> bool {
    args.is_self
        || !args.without.is_empty()
        || args.rest_dialect.is_some()
        || args.require_extension
        || !args.fault.is_empty()
}

/// The flags that say how it is.
pub(super) fn flags(args: &TargetArgs) -> Vec<String> {
    let mut flags = match is_meant(args) {
        true => vec!["--self".to_owned()],
        false => Vec::new(),
    };
    let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    let without: Vec<String> = args.without.iter().map(ToString::to_string).collect();
    if !without.is_empty() {
        flag("--without", without.join(","));
    }
    if let Some(form) = args.rest_dialect {
        flag("--rest-dialect", form.to_string());
    }
    for fault in &args.fault {
        flag("--fault", fault.id.to_string());
    }
    if args.require_extension {
        flags.push("--require-extension".to_owned());
    }
    flags
}

/// It, at work on a free port of this machine, on a thread of its own: it and the run would wait for each other on one.
pub(super) struct OwnAgent {
    agent: RunningAgent,
    /// Ends with it.
    _worker: Worker,
}

impl OwnAgent {
    async fn start(config: Config) -> Result<Self, Failure> {
        let failure = |error: io::Error| Failure::broken(format!("the reference agent cannot be started: {error}"));
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("reference-agent").enable_all().build();
        let worker = Worker(Some(runtime.map_err(failure)?));
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let agent = worker.run(a2a_reference_agent::start(config, address)).await.map_err(failure)?;
        Ok(Self { agent, _worker: worker })
    }

    /// Ends it, and waits until that is done.
    pub(super) async fn stop(self) {
        self.agent.stop().await;
    }
}

/// A runtime that may be dropped wherever one may not wait. It is there until then.
struct Worker(Option<Runtime>);

impl Worker {
    async fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = io::Result<T>> + Send + 'static,
    ) -> io::Result<T> {
        let runtime = self.0.as_ref().ok_or_else(|| io::Error::other("its runtime has ended"))?;
        runtime.spawn(task).await.map_err(io::Error::other)?
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Finds the agent of a run: the one that is meant, or one of its own that is started for it.
pub(super) async fn find(suite: SuiteBuilder, own: Option<Config>) -> Result<(Suite, Option<OwnAgent>), Failure> {
    let own = start_for(&suite, own).await?;
    Ok((find_at(suite, own.as_ref()).await?, own))
}

/// Starts an agent of its own for a run, where it is to have one.
pub(super) async fn start_for(suite: &SuiteBuilder, own: Option<Config>) -> Result<Option<OwnAgent>, Failure> {
    let Some(config) = own else { return Ok(None) };
    let webhook_authorities = suite.listen()?.0.tls.map(|tls| tls.chain().to_vec());
    OwnAgent::start(Config { webhook_authorities, ..config }).await.map(Some)
}

/// Finds the agent of a run: its own one, or the one that is meant.
pub(super) async fn find_at(suite: SuiteBuilder, own: Option<&OwnAgent>) -> Result<Suite, Failure> {
    let secrets = suite.secrets();
    let masks = secrets.clone();
    let agents = own.iter().map(|own| &own.agent);
    let suite = agents.fold(suite, check).on_notice(move |notice| tell::notice(&masks, notice));
    suite.prepare().await.map_err(|error| Failure::from(error).masked(&secrets))
}

/// Leads a run to it: it has a card for each version that a common card cannot name.
fn check(suite: SuiteBuilder, agent: &RunningAgent) -> SuiteBuilder {
    let suite = suite.url(agent.url());
    let keys = Keys::read(a2a_reference_agent::public_keys().to_string().as_bytes());
    let suite = keys.into_iter().fold(suite, SuiteBuilder::card_keys);
    let suite = agent.bases().into_iter().fold(suite, |suite, (profile, base)| suite.card_of(profile, base));
    let users = Caller::GIVEN.into_iter().zip(User::known_to_faults());
    let identities = users.filter_map(|(caller, user)| {
        Identity::at(agent.url(), format!("Bearer {}", user.token)).map(|identity| (caller, identity))
    });
    identities.fold(suite, |suite, (caller, identity)| suite.identity_of(caller, identity))
}
