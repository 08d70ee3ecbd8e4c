//! The suite against the reference agent, both in this process.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use a2a_reference_agent::{Config, Issuer, Scheme, Tenant, Tls, User};
use a2aspec::auth::{Caller, Credentials, Identity};
use a2aspec::case::Library;
use a2aspec::event::Event;
use a2aspec::interface::{Interface, Listed};
use a2aspec::plan::{self, Means, Plan, Selection, Trial};
use a2aspec::profile::Profile;
use a2aspec::signature::Keys;
use a2aspec::transport::Dialing;
use a2aspec::transport::http::{Http, Settings};
use a2aspec::{Report, Suite, SuiteError};

/// The name of the agent where it is at a public address: one that is kept for documents, so that nobody is there.
const NAME: &str = "agent.example.com";

/// Its certificate.
static CERTIFICATE: LazyLock<Tls> = LazyLock::new(|| {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).expect("a certificate can be made");
    let key = made.signing_key.serialize_der();
    Tls { chain: pem("CERTIFICATE", made.cert.der()), key: pem("PRIVATE KEY", &key) }
});

/// A text in PEM (RFC 7468).
fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n").into_bytes()
}

/// Whether a trial is about where the agent is: over TLS, or at a public address. No agent of this machine can show it.
pub fn is_about_the_address(trial: &Trial) -> bool {
    trial.case.needs.iter().any(|capability| capability.is_of_the_address())
}

/// Every case over every binding in every profile, whether or not an agent serves them.
pub fn matrix(library: &Library, profiles: &[Arc<Profile>]) -> Plan {
    let interfaces: Vec<Listed> = profiles
        .iter()
        .flat_map(|profile| {
            let bindings = profile.facts.bindings.keys();
            bindings.filter_map(|binding| Interface::new(profile, *binding, String::new())).map(Listed::named)
        })
        .collect();
    let means = Means { has_webhooks: false, lets_in_by_certificate: false, credentials: &Credentials::default() };
    plan::make(library, &interfaces, &BTreeMap::new(), &everything(), means).expect("there is something")
}

/// Every case, also those that no run has unless they are asked for.
pub fn everything() -> Selection {
    Selection { only: vec!["*".to_owned()], ..Selection::default() }
}

/// A client that waits so long for an answer, and finds agents at a public address. To set one up takes longer than many a run.
pub fn http(timeout: Duration) -> Http {
    let mut dialing = Dialing::default();
    dialing.trust(&CERTIFICATE.chain).expect("it is a certificate");
    dialing.find_at(NAME, Ipv4Addr::LOCALHOST.into());
    Http::dialing(dialing, Settings { credentials: Credentials::default(), timeout }).expect("the client is set up")
}

/// A run of the suite.
pub struct Run<'a> {
    pub library: &'a Arc<Library>,
    pub profiles: &'a [Arc<Profile>],
    pub selection: &'a Selection,
    /// How the agent is.
    pub config: Config,
    /// Whether the agent is at a public address, with TLS. Only cases about that are run then, and else they are skipped.
    pub is_public: bool,
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
    /// Puts the trials into an order.
    pub arrange: &'a (dyn Fn(&mut [Arc<Trial>]) + Sync),
}

/// The order of the plan.
pub fn as_planned(_: &mut [Arc<Trial>]) {}

impl Run<'_> {
    /// Starts an agent and checks it; nothing where no selected case applies to what is checked.
    ///
    /// # Errors
    /// The agent has no card that the suite can use.
    pub async fn report(self) -> Result<Option<Report>, String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let users = User::known_to_faults();
        let (tls, host) = match self.is_public {
            true => (Some(CERTIFICATE.clone()), Some(NAME.to_owned())),
            false => (None, None),
        };
        let agent = a2a_reference_agent::start(
            Config {
                users: users.to_vec(),
                tenants: Tenant::two().to_vec(),
                schemes: vec![Scheme::Bearer, Scheme::Oauth2],
                issuer: Issuer::new("https://login.example.com", None).ok(),
                tls,
                host,
                ..self.config
            },
            address,
        )
        .await
        .expect("the reference agent starts");
        let bases = agent.bases();
        let base = bases.iter().find(|(name, _)| self.at == Some(*name)).map_or(agent.url(), |(_, base)| base.as_str());
        let keys = Keys::read(a2a_reference_agent::public_keys().to_string().as_bytes()).expect("they are keys");
        let suite = Caller::GIVEN.into_iter().zip(users).fold(Suite::builder(base), |suite, (caller, user)| {
            let identity =
                Identity::at(agent.url(), format!("Bearer {}", user.token)).expect("the agent has an origin");
            suite.identity_of(caller, identity)
        });
        let suite = suite
            .card_keys(keys)
            .profiles(self.at)
            .library(Arc::clone(self.library))
            .selection(self.selection.clone())
            .client(self.http)
            .jobs(self.jobs);
        let mut suite = match suite.prepare().await {
            Ok(suite) => suite,
            Err(SuiteError::NothingMatches(_)) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let profiles = self.profiles.iter().filter(|profile| (self.of_interest)(profile));
        let of_interest: Vec<&str> = profiles.map(|profile| profile.name()).collect();
        suite.retain(|trial| {
            of_interest.contains(&trial.profile.as_str())
                && (!self.is_public || is_about_the_address(trial))
                && (self.is_worth)(trial)
        });
        if suite.plan().trials.is_empty() {
            return Ok(None);
        }
        suite.arrange(self.arrange);
        agent.go_wrong();
        let report = suite.run_with(self.see).await;
        agent.stop().await;
        Ok(Some(report))
    }
}
