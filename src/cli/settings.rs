//! The settings of a check: flags over the file over defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{CheckArgs, ReceiverArgs, SelectionArgs, TargetArgs};
use super::config::{self, Config};
use super::credentials::Credentials;
use super::fail::{Failure, profile};
use super::identities::Identities;
use super::oauth::OAuth;
use super::restart::Restart;
use super::{Exit, dialing, own_agent, trust};
use crate::auth::{Caller, origin};
use crate::case::Source;
use crate::clock;
use crate::discovery::triggers::Say;
use crate::plan::Selection;
use crate::profile::Binding;
use crate::report::gate::FailOn;
use crate::report::sarif;
use crate::report::tested::MinTested;
use crate::report::{Output, Secrets};
use crate::suite::{CommandLine, Pulse, Suite, SuiteBuilder, TIMEOUT};
use crate::transport::Dialing;

/// Everything that a check needs to know.
pub(super) struct Settings {
    /// What is checked, and how; of an agent that is to be started without its URL.
    pub suite: SuiteBuilder,
    /// The agent that is to be started and checked, where the user names none.
    pub own: Option<a2a_reference_agent::Config>,
    pub cases: Option<PathBuf>,
    pub fail_on: FailOn,
    /// The date of the set of requirements that counts.
    pub requirements: Option<String>,
    pub min_tested: Option<MinTested>,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    pub outputs: Vec<Output>,
    /// Whether the user named them.
    pub are_outputs_asked: bool,
    pub trace: Option<PathBuf>,
    /// The file of the repository in which code scanning shows what is wrong.
    pub sarif_location: Option<String>,
    /// The file of known failures, and where they are to be written.
    pub baseline: Option<PathBuf>,
    pub write_baseline: Option<PathBuf>,
    /// The file that says what clients rely on in the card.
    pub lock: Option<PathBuf>,
    /// Tokens that the identities have yet to get.
    tokens: Tokens,
}

/// Who gets tokens, and how connections to the issuers are made.
#[derive(Default)]
struct Tokens {
    issuers: Vec<(Caller, OAuth)>,
    dialing: Dialing,
    timeout: Duration,
}

impl Settings {
    /// The same with the tokens that the identities have got from their issuers.
    pub async fn authorized(mut self) -> Result<Self, Failure> {
        let Tokens { issuers, dialing, timeout } = std::mem::take(&mut self.tokens);
        for (caller, oauth) in issuers {
            let token = oauth.token(dialing.clone(), timeout).await?;
            self.suite = self.suite.token_of(caller, token);
        }
        Ok(self)
    }
}

/// Puts flags over the file over the defaults.
pub(super) fn resolve(args: CheckArgs) -> Result<Settings, Failure> {
    let config = read(&args.target)?;
    with(args, config)
}

/// A way to look at the agent again: at its cards, where it was found, and else at where the user says that it is.
pub(super) fn pulse(args: &CheckArgs, found: Option<&Suite>) -> Result<(Pulse, Secrets), Failure> {
    let Settings { suite, .. } = resolve(args.clone())?;
    let secrets = suite.secrets();
    let pulse = match found {
        Some(found) => suite.url(found.url()).pulse(&found.agent().cards)?,
        None => suite.pulse(&[])?,
    };
    Ok((pulse, secrets))
}

/// Puts flags over settings over the defaults.
pub(super) fn with(args: CheckArgs, config: Config) -> Result<Settings, Failure> {
    let CheckArgs {
        target,
        selection: SelectionArgs { area, level, only, skip, quick, cases },
        shard,
        requirements,
        min_tested,
        fail_on_unreached,
        fail_fast,
        retries,
        replica,
        load,
        restart_command,
        durable,
        deadline,
        dry_run: _,
        receiver,
        baseline,
        write_baseline,
        lock,
    } = args;
    let target = TargetArgs { replicas: replica.clone(), ..target };
    let mut settings = of_target(target, &config, cases.as_ref())?;
    settings.min_tested = self::min_tested(min_tested, fail_on_unreached, &config)?;
    settings.requirements = requirements.or(config.requirements.clone());
    settings.suite = webhooks(settings.suite, receiver, &config)?;
    // The reference agent has no use for commands of the file.
    let restart = match settings.own {
        None => Restart::read(restart_command, durable, &config)?,
        Some(_) => None,
    };
    let quick = quick || config.quick == Some(true);
    settings.suite = settings.suite.selection(Selection {
        areas: first(area, config.area),
        levels: if level.is_empty() { config.level } else { level },
        only: first(only, config.only),
        skip: first(skip, config.skip),
    });
    if quick {
        settings.suite = settings.suite.quick();
    }
    settings.suite = shard.into_iter().fold(settings.suite, SuiteBuilder::shard);
    let deadline = deadline.or(config.deadline).map(|seconds| above_zero("deadline", seconds)).transpose()?;
    settings.suite = deadline.into_iter().fold(settings.suite, SuiteBuilder::deadline);
    settings.suite = retries.or(config.retries).into_iter().fold(settings.suite, SuiteBuilder::retries);
    if settings.own.is_none() {
        settings.suite = first(replica, config.replica).iter().fold(settings.suite, |suite, url| suite.replica(url));
        settings.suite = restart.into_iter().fold(settings.suite, |suite, restart| restart.of(suite));
    }
    settings.suite = self::load(load.or(config.load))?.into_iter().fold(settings.suite, SuiteBuilder::load);
    settings.fail_fast = fail_fast || config.fail_fast == Some(true);
    settings.cases = cases.or(config.cases);
    settings.baseline = baseline.or(config.baseline);
    settings.write_baseline = write_baseline;
    settings.lock = lock.or(config.lock);
    settings.suite = settings.suite.validate()?;
    Ok(settings)
}

/// The file.
pub(super) fn read(args: &TargetArgs) -> Result<Config, Failure> {
    file(args.config.as_deref())
}

/// The file of this name, or else the one that is there.
pub(super) fn file(named: Option<&Path>) -> Result<Config, Failure> {
    config::read(named).map_err(|(mistake, text)| {
        let source = text.map(|text| Source { file: mistake.file.clone(), text });
        Failure::mistakes(&[mistake], source.as_slice())
    })
}

/// Refuses a trace where a command writes none.
pub(super) fn without_trace(command: &str, args: &TargetArgs) -> Result<(), Failure> {
    match args.trace {
        Some(_) => {
            let help = "`a2aspec check URL --trace FILE` writes one";
            Err(Failure::new(Exit::Usage, &format!("{command} writes no trace"), Some(help)))
        }
        None => Ok(()),
    }
}

/// Refuses the flags about reports, where a command writes none.
pub(super) fn without_reports(command: &str, target: &TargetArgs) -> Result<(), Failure> {
    let given = [
        ("--fail-on", target.fail_on.is_some()),
        ("--report", !target.report.is_empty()),
        ("--sarif-location", target.sarif_location.is_some()),
        ("--trace", target.trace.is_some()),
    ];
    let Some((flag, _)) = given.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let message = format!("{flag} has no effect here: {command} writes no report");
    Err(Failure::new(Exit::Usage, &message, Some("leave it out; `a2aspec check` writes reports")))
}

/// What every command needs to know that talks to an agent.
pub(super) fn of_target(args: TargetArgs, config: &Config, cases: Option<&PathBuf>) -> Result<Settings, Failure> {
    // What is said of the reference agent is said to check it, whatever the file names.
    let url = match own_agent::is_meant(&args) {
        true => None,
        false => {
            Some(args.url.clone().or(config.url.clone()).filter(|url| !url.is_empty()).ok_or_else(|| no_agent(&args))?)
        }
    };
    let config = &trust::admitted(&args, config, url.is_none())?;
    let (suite, mut tokens) = agent(SuiteBuilder::default(), url.as_deref(), &args, config, cases)?;
    tokens.timeout = timeout(&args, config)?.unwrap_or(TIMEOUT);
    let suite = interfaces(suite, &args, config)?;
    let suite = limits(suite, &args, config)?;
    Ok(Settings {
        suite,
        own: url.is_none().then(|| own_agent::config(&args)),
        fail_on: fail_on(args.fail_on, config)?,
        are_outputs_asked: !args.report.is_empty() || !config.report.is_empty(),
        outputs: outputs(first(args.report, config.report.clone()))?,
        sarif_location: sarif_location(args.sarif_location, config)?,
        trace: args.trace.or(config.trace.clone()),
        cases: None,
        requirements: None,
        min_tested: None,
        fail_fast: false,
        baseline: None,
        write_baseline: None,
        lock: None,
        tokens,
    })
}

/// A command without an agent: a script in which a variable is not set must not check another one instead.
fn no_agent(args: &TargetArgs) -> Failure {
    let file = args.config.as_deref().unwrap_or(Path::new(config::DEFAULT_FILE)).display();
    let message = match args.url.is_some() {
        true => "the agent's URL is empty".to_owned(),
        false => format!("no agent URL: pass one, or set `url` in {file}"),
    };
    Failure::new(
        Exit::Usage,
        &message,
        Some("for example, a2aspec check http://localhost:8080; or --self for the reference agent"),
    )
}

/// Where and how webhooks are received.
pub(super) fn webhooks(suite: SuiteBuilder, args: ReceiverArgs, config: &Config) -> Result<SuiteBuilder, Failure> {
    let ReceiverArgs { webhook_listen, webhook_url, webhook_tls, webhook_cert, webhook_key } = args;
    let (listen, url) = (webhook_listen.or(config.webhook_listen.clone()), webhook_url.or(config.webhook_url.clone()));
    let suite = listen.iter().fold(suite, |suite, at| suite.webhook_listen(at));
    let suite = url.iter().fold(suite, |suite, url| suite.webhook_url(url));
    let of_config = || match (&config.webhook_cert, &config.webhook_key) {
        (Some(_), None) | (None, Some(_)) => {
            Err(Failure::usage("`webhook-cert` and `webhook-key` go together: a certificate is shown with its key"))
        }
        (chain, key) => Ok(chain.clone().zip(key.clone())),
    };
    let named = match webhook_cert.zip(webhook_key) {
        None if !webhook_tls => of_config()?,
        named => named,
    };
    match named {
        Some((chain, key)) => dialing::receiving(suite, &chain, &key),
        None if webhook_tls || config.webhook_tls == Some(true) => Ok(suite.webhook_made_tls()),
        None => Ok(suite),
    }
}

/// The agent and what it is sent along.
fn agent(
    mut suite: SuiteBuilder,
    url: Option<&str>,
    args: &TargetArgs,
    config: &Config,
    cases: Option<&PathBuf>,
) -> Result<(SuiteBuilder, Tokens), Failure> {
    let identities = Identities::read(args, config)?;
    let credentials = Credentials::read(&args.header, args.bearer.as_deref(), config)?;
    for (caller, brings) in &identities.callers {
        suite = brings.headers.iter().fold(suite, |suite, (name, value)| suite.header_of(*caller, name, value));
        suite = brings.query.iter().fold(suite, |suite, (name, value)| suite.parameter_of(*caller, name, value));
    }
    suite = credentials.headers.iter().fold(suite, |suite, (name, value)| suite.header(name, value));
    suite = credentials.bearer.iter().fold(suite, |suite, token| suite.bearer(token));
    // After a header of that name, which they would be part of.
    for (caller, brings) in &identities.callers {
        suite = brings.cookies.iter().fold(suite, |suite, (name, value)| suite.cookie_of(*caller, name, value));
    }
    let flags = [credentials.flags, identities.flags].concat();
    match url {
        Some(url) => {
            let bases = first(args.base_url.clone(), config.base_url.clone());
            suite = bases.iter().fold(suite.url(url), |suite, base| suite.base_url(base));
        }
        None => {
            let of_url = [("--base-url", args.base_url.is_empty()), ("--replica", args.replicas.is_empty())];
            if let Some((flag, _)) = of_url.into_iter().find(|(_, is_empty)| !is_empty) {
                let help = "leave it out, or name the agent's URL instead of --self";
                let message = format!("{flag} is about an agent at a URL, and not about the reference agent");
                return Err(Failure::new(Exit::Usage, &message, Some(help)));
            }
        }
    }
    let (mut dialing, of_dialing) = super::dialing::read(args, config)?;
    for (caller, brings) in &identities.callers {
        if let Some((chain, key)) = &brings.certificate {
            super::dialing::show_as(&mut dialing, *caller, chain, key)?;
        }
    }
    // What is said of this run comes before what the identity gets.
    let is_said = |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
    let is_own_said = credentials.bearer.is_some() || credentials.headers.iter().any(is_said);
    let at = url.map(origin::shown).unwrap_or_default();
    let issuers = identities.callers.into_iter().filter_map(|(caller, brings)| Some((caller, brings.oauth?.at(&at))));
    let issuers: Vec<_> = issuers.filter(|(caller, _)| *caller != Caller::Own || !is_own_said).collect();
    let secrets = issuers.iter().filter_map(|(_, oauth)| oauth.secret());
    suite = secrets.fold(suite, |suite, secret| suite.secret(secret));
    let tokens = Tokens { issuers, dialing: dialing.clone(), timeout: Duration::ZERO };
    suite = suite.dialing(dialing);
    let origins = first(args.allow_origin.clone(), config.allow_origin.clone());
    suite = origins.iter().fold(suite, |suite, origin| suite.allow_origin(origin));
    let keys = if args.card_key.is_empty() { &config.card_key } else { &args.card_key };
    for file in keys {
        suite = suite.card_keys(super::card::keys(file)?);
    }
    let hosts = first(args.allow_jku.clone(), config.allow_jku.clone());
    suite = hosts.iter().fold(suite, |suite, host| suite.allow_jku(host));
    suite = args.card.iter().chain(&config.card).take(1).fold(suite, SuiteBuilder::card);
    let paths = [("--config", args.config.as_ref()), ("--cases", cases.or(config.cases.as_ref()))];
    let paths = paths.into_iter().filter_map(|(flag, path)| Some([flag.to_owned(), path?.display().to_string()]));
    let of_keys = keys.iter().flat_map(|file| ["--card-key".to_owned(), file.display().to_string()]);
    let of_hosts = hosts.iter().flat_map(|host| ["--allow-jku".to_owned(), host.clone()]);
    let more = of_dialing
        .into_iter()
        .chain(paths.flatten())
        .chain(of_keys)
        .chain(of_hosts)
        .chain(own_agent::flags(args))
        .collect();
    Ok((suite.command(CommandLine { names_url: url.is_some(), credentials: flags, more }), tokens))
}

/// Over what the agent is spoken to, and by which triggers.
fn interfaces(suite: SuiteBuilder, args: &TargetArgs, config: &Config) -> Result<SuiteBuilder, Failure> {
    let bindings = bindings(&first(args.binding.clone(), config.binding.clone()))?;
    let suite = suite.profiles(first(args.profile.clone(), config.profile.clone())).bindings(bindings);
    let suite = args.tenant.iter().chain(&config.tenant).take(1).fold(suite, SuiteBuilder::tenant);
    let suite = args.triggers.or(config.preset).into_iter().fold(suite, SuiteBuilder::preset);
    let triggers = config.triggers.iter();
    Ok(triggers.fold(suite, |suite, (trigger, entry)| suite.trigger(*trigger, Say::from(entry.clone()))))
}

/// How many things may be done at once.
pub(super) fn jobs(jobs: Option<usize>) -> Result<Option<usize>, Failure> {
    match jobs {
        Some(0) => Err(Failure::usage("`jobs` must be 1 or more")),
        jobs => Ok(jobs),
    }
}

/// How many requests a second there are beside the cases.
fn load(load: Option<u32>) -> Result<Option<u32>, Failure> {
    match load {
        Some(load) if !(1..=1000).contains(&load) => {
            Err(Failure::usage(format!("`load` is {load}; it must be 1 to 1000")))
        }
        load => Ok(load),
    }
}

/// How long, how many, how much.
fn limits(suite: SuiteBuilder, args: &TargetArgs, config: &Config) -> Result<SuiteBuilder, Failure> {
    let suite = jobs(args.jobs.or(config.jobs))?.into_iter().fold(suite, SuiteBuilder::jobs);
    let rate = args.rate.or(config.rate);
    if let Some(rate) = rate.filter(|rate| !rate.is_finite() || *rate <= 0.0) {
        return Err(Failure::usage(format!("`rate` is {rate}; it must be a number above 0")));
    }
    let suite = rate.into_iter().fold(suite, SuiteBuilder::rate);
    let suite = timeout(args, config)?.into_iter().fold(suite, SuiteBuilder::timeout);
    let wait = args.wait.or(config.wait).map(wait).transpose()?;
    let suite = wait.into_iter().fold(suite, SuiteBuilder::wait);
    let most = args.max_messages.or(config.max_messages);
    Ok(most.into_iter().fold(suite, SuiteBuilder::max_messages))
}

/// How long to wait for an answer, where that is said.
fn timeout(args: &TargetArgs, config: &Config) -> Result<Option<Duration>, Failure> {
    args.timeout.or(config.timeout).map(|seconds| above_zero("timeout", seconds)).transpose()
}

/// From which level on a broken requirement fails the gate.
pub(super) fn fail_on(flag: Option<FailOn>, config: &Config) -> Result<FailOn, Failure> {
    match (flag, &config.fail_on) {
        (Some(fail_on), _) => Ok(fail_on),
        (None, Some(name)) => name.parse().map_err(|error| Failure::usage(format!("`fail-on` is {error}"))),
        (None, None) => Ok(FailOn::Must),
    }
}

/// How much must be tested.
pub(super) fn min_tested(
    flag: Option<MinTested>,
    fail_on_unreached: bool,
    config: &Config,
) -> Result<Option<MinTested>, Failure> {
    match (flag, &config.min_tested) {
        _ if fail_on_unreached => Ok(Some(MinTested::Percent(100))),
        (Some(wanted), _) => Ok(Some(wanted)),
        (None, Some(text)) => {
            text.parse().map(Some).map_err(|error| Failure::usage(format!("`min-tested` is {error}")))
        }
        (None, None) => Ok(None),
    }
}

/// The file of the repository in which code scanning shows what is wrong.
pub(super) fn sarif_location(flag: Option<String>, config: &Config) -> Result<Option<String>, Failure> {
    let Some(file) = flag.or(config.sarif_location.clone()) else { return Ok(None) };
    match sarif::is_location(&file) {
        true => Ok(Some(file)),
        false => {
            let help = "name a file relative to the root of the repository, as in config/a2aspec.toml";
            Err(Failure::new(Exit::Usage, &format!("`sarif-location` is {file:?}"), Some(help)))
        }
    }
}

pub(super) fn outputs(reports: Vec<String>) -> Result<Vec<Output>, Failure> {
    let reports = first(reports, vec!["terminal".to_owned()]);
    let read = |report: &String| report.parse::<Output>().map_err(|error| Failure::usage(error.to_string()));
    reports.iter().map(read).collect()
}

/// The bindings of these names.
pub(super) fn bindings(names: &[String]) -> Result<Vec<Binding>, Failure> {
    let read = |name: &String| name.parse::<Binding>().map_err(|error| Failure::usage(format!("`{name}`: {error}")));
    names.iter().map(read).collect()
}

/// The names of the versions that these name, which may be those of releases.
pub(super) fn versions(names: &[String]) -> Result<Vec<String>, Failure> {
    names.iter().map(|name| Ok(profile(name)?.name().to_owned())).collect()
}

/// The flags, or what stands in their place where there are none.
fn first(flags: Vec<String>, others: Vec<String>) -> Vec<String> {
    if flags.is_empty() { others } else { flags }
}

fn wait(seconds: f64) -> Result<Duration, Failure> {
    clock::seconds(seconds)
        .ok_or_else(|| Failure::usage(format!("`wait` is {seconds}; it must be a number of seconds, 0 or more")))
}

pub(super) fn above_zero(name: &str, seconds: f64) -> Result<Duration, Failure> {
    match clock::seconds(seconds) {
        Some(time) if !time.is_zero() => Ok(time),
        _ => Err(Failure::usage(format!("`{name}` is {seconds}; it must be a number of seconds above 0"))),
    }
}
