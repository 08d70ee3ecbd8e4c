//! `a2aspec proxy`: passes traffic on between clients and an agent, and judges both by it.

use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{Child, Command};

use super::args::{ProxyArgs, TargetArgs};
use super::credentials::Credentials;
use super::dialing::{self, file};
use super::fail::{Failure, library};
use super::{Exit, config, judge, outcome, print, settings, signals, tell};
use crate::binding::address;
use crate::diagnostic::shell;
use crate::interface::Listed;
use crate::proxy::{Proxy, ProxyError, Recording, Vary, Wanted};
use crate::report::Report;
use crate::report::Secrets;
use crate::suite::{SuiteBuilder, look};
use crate::traffic::{Found, Traffic, TrafficError};
use crate::transport::inbound::ServerTls;

/// The variable in which a command finds the proxy.
const URL: &str = "A2ASPEC_PROXY_URL";

/// Proxies until it is to end.
pub(super) async fn run(mut args: ProxyArgs) -> Result<Exit, Failure> {
    let (about, mut is_done) = (args.to.clone(), true);
    let (outcome, cases) = (std::mem::take(&mut args.outcome), args.by.cases.clone());
    let exit = outcome::of(outcome, cases.as_deref(), about, proxied(args, &mut is_done)).await?;
    Ok(if exit == Exit::Holds && !is_done { Exit::Fails } else { exit })
}

/// The report of what passed; `is_done` turns false if the command fails.
async fn proxied(args: ProxyArgs, is_done: &mut bool) -> Result<Report, Failure> {
    let stop = signals::heard()?;
    let lasting = args.lasting.map(|seconds| settings::above_zero("for", seconds)).transpose()?;
    let library = library(args.by.cases.as_deref())?;
    let tls = args.tls.as_deref().zip(args.tls_key.as_deref()).map(|(chain, key)| shown(chain, key)).transpose()?;
    let target = TargetArgs {
        certificates: args.certificates.clone(),
        insecure: args.insecure,
        resolve: args.resolve.clone(),
        ..TargetArgs::default()
    };
    let config = config::Config::default();
    let (dialing, _) = dialing::read(&target, &config)?;
    let credentials = Credentials::read(&args.header, args.bearer.as_deref(), &config)?;
    let suite = SuiteBuilder::default()
        .url(&args.to)
        .stop(stop.clone())
        .dialing(dialing.clone())
        .profiles(settings::versions(&args.profile)?)
        .bindings(settings::bindings(&args.binding)?);
    let suite = args.card.iter().fold(suite, SuiteBuilder::card);
    let suite = credentials.headers.iter().fold(suite, |suite, (name, value)| suite.header(name, value));
    let suite = credentials.bearer.iter().fold(suite, |suite, token| suite.bearer(token));
    let wait = args.wait.map(|seconds| settings::above_zero("wait", seconds)).transpose()?;
    let suite = wait.into_iter().fold(suite, SuiteBuilder::wait);
    let secrets = suite.secrets();
    let masks = secrets.clone();
    let suite = suite.on_notice(move |notice| tell::notice(&masks, notice));
    let found = look(suite).await.map_err(|error| Failure::from(error).masked(&secrets))?;
    if !args.keep_card && found.cards.iter().any(|card| card.get("signatures").is_some()) {
        print::warn(
            &secrets,
            "the card is signed; clients that verify it reject the card with the proxy's addresses. --keep-card passes it unchanged",
        );
    }
    // The card may name a channel of gRPC without its scheme.
    let url_of = |listed: &Listed| listed.interface.as_ref().map_or_else(|| listed.info.url.clone(), address);
    let listed = found.agent.interfaces.iter().map(url_of);
    let urls = std::iter::once(found.agent.url.clone()).chain(listed).collect();
    let command = again(&args);
    let found = Found::by_cards(found.agent, &found.cards, found.capabilities, crate::clock::now());
    let traffic = Traffic::new(found, &library, &args.by.selection()).map_err(judge::failure)?;
    let archive = args.record.as_deref().map(archive).transpose()?;
    let seed = args.seed.unwrap_or(1);
    let wanted = Wanted {
        urls,
        address: args.listen,
        tls,
        dialing,
        keeps_card: args.keep_card,
        sample: args.sample.unwrap_or(1.0),
        vary: Vary {
            delay: args.delay.map(Duration::from_millis),
            splits: args.split,
            cut: args.cut.unwrap_or_default(),
            seed,
        },
    };
    let report = Box::new(|line: &str| print::note(&Secrets::default(), line));
    let proxy = Proxy::start(wanted, traffic, Recording { report, archive }).await.map_err(not_started)?;
    for (url, origin) in proxy.places() {
        print::note(&secrets, &format!("proxy at {url} for {origin}"));
    }
    let url = proxy.places().next().map(|(url, _)| url).unwrap_or_default();
    let child = start(&args.command, &url)?;
    let over = async {
        match lasting {
            Some(lasting) => tokio::time::sleep(lasting).await,
            None => std::future::pending().await,
        }
    };
    let ended = tokio::select! {
        ended = ended(child) => Some(ended),
        () = over => None,
        () = signals::stopped(&stop) => None,
    };
    if let Some(Err(how)) = &ended {
        print::warn(&secrets, &format!("the command {how}"));
        *is_done = false;
    }
    proxy.finish(&command).await.map(judge::told).map_err(|error| match error {
        error @ TrafficError::NoCalls { .. } => {
            let help = format!("lead a client to {url}");
            Failure::new(Exit::Target, &error.to_string(), Some(&help))
        }
        error => judge::failure(error),
    })
}

/// What is shown to clients.
fn shown(chain: &Path, key: &Path) -> Result<ServerTls, Failure> {
    ServerTls::read(&file(chain)?, &file(key)?).map_err(|error| dialing::unusable(chain, &error))
}

/// A new archive.
fn archive(path: &Path) -> Result<std::fs::File, Failure> {
    let opened = std::fs::File::options().read(true).write(true).create(true).truncate(true).open(path);
    opened.map_err(|error| Failure::usage(format!("the archive {} cannot be written: {error}", path.display())))
}

fn not_started(error: ProxyError) -> Failure {
    let help = match &error {
        ProxyError::Listen { .. } => Some("choose another port with --listen; 0 takes a free one"),
        ProxyError::Client(_) => None,
    };
    Failure::new(Exit::Usage, &error.to_string(), help)
}

/// Starts the command; nothing where there is none.
fn start(command: &[String], url: &str) -> Result<Option<Child>, Failure> {
    let Some((program, arguments)) = command.split_first() else { return Ok(None) };
    // It ends with what waits for it.
    let started = Command::new(program).args(arguments).env(URL, url).kill_on_drop(true).spawn();
    started.map(Some).map_err(|error| {
        let help = "name a program that can be started, and its arguments";
        Failure::new(Exit::Usage, &format!("{program:?} cannot be started: {error}"), Some(help))
    })
}

/// Waits for the end of the command, for ever where there is none.
///
/// # Errors
/// It failed; how.
async fn ended(child: Option<Child>) -> Result<(), String> {
    let Some(mut child) = child else { return std::future::pending().await };
    match child.wait().await {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status)),
        Err(error) => Err(format!("cannot be waited for: {error}")),
    }
}

fn failed(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

/// The command line that does the same again, without any selection of cases.
fn again(args: &ProxyArgs) -> String {
    let mut words = ["a2aspec", "proxy", "--to", &args.to].map(str::to_owned).to_vec();
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    args.card.iter().for_each(|card| flag("--card", card.clone()));
    args.by.cases.iter().for_each(|cases| flag("--cases", cases.display().to_string()));
    shell::line(&words)
}
