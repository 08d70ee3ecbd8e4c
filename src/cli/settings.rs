//! The settings of a check: flags over the file over defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use super::Exit;
use super::args::CheckArgs;
use super::credentials::Given;
use super::fail::Failure;
use crate::auth::userinfo;
use crate::case::{Source, Trigger};
use crate::discovery::bases::{self, Bases};
use crate::discovery::config;
use crate::discovery::find::Lookup;
use crate::discovery::triggers::{Preset, Say};
use crate::plan::Selection;
use crate::profile::Binding;
use crate::report::gate::FailOn;
use crate::report::{Output, Secrets};

/// How many requests are in flight: enough to hide the latency of an agent, few enough for one that works slowly.
const JOBS: usize = 8;
/// How long to wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Everything that a check needs to know.
#[derive(Debug)]
pub(super) struct Settings {
    pub url: Option<Url>,
    pub lookup: Lookup,
    pub profiles: Vec<String>,
    pub bindings: Vec<Binding>,
    pub selection: Selection,
    /// Credentials, before it is known which agent is checked.
    pub given: Given,
    pub secrets: Secrets,
    /// Where the card's interfaces are instead, and the same as the user wrote it, without credentials.
    pub bases: Bases,
    pub base_urls: Vec<String>,
    /// What `--allow-origin` says.
    pub allowed: Vec<String>,
    /// The file that the user named.
    pub config: Option<PathBuf>,
    pub jobs: usize,
    pub timeout: Duration,
    pub max_messages: Option<u64>,
    pub fail_on: FailOn,
    pub outputs: Vec<Output>,
    pub trace: Option<PathBuf>,
    pub cases: Option<PathBuf>,
    pub preset: Option<Preset>,
    pub triggers: BTreeMap<Trigger, Say>,
    pub without: Vec<a2a_reference_agent::Capability>,
    pub rest_form: Option<a2a_reference_agent::RestForm>,
    pub faults: Vec<&'static a2a_reference_agent::Fault>,
}

impl Settings {
    /// Whether version and binding name one interface.
    pub fn names_an_interface(&self) -> bool {
        self.profiles.len() == 1 && self.bindings.len() == 1
    }
}

/// Puts flags over the file over the defaults.
pub(super) fn settle(args: CheckArgs) -> Result<Settings, Failure> {
    let config = config::read(args.config.as_deref()).map_err(|(mistake, text)| {
        let source = text.map(|text| Source { file: mistake.file.clone(), text });
        Failure::mistakes(&[mistake], source.as_slice())
    })?;
    // What is said of the reference agent is said to check it, whatever the file names.
    let is_about_own_agent = !args.without.is_empty() || args.rest_form.is_some() || !args.fault.is_empty();
    let url = args.url.or(config.url.clone()).filter(|_| !is_about_own_agent);
    let mut given = Given::read(&args.header, args.bearer.as_deref(), &config)?;
    let url = url.map(|text| {
        let (text, userinfo) = userinfo::split(&text);
        given.add_agent(userinfo);
        parse_url(&text)
    });
    let url = url.transpose()?;
    if url.is_none() && !args.base_url.is_empty() {
        let help = "name the agent: a2aspec check URL --base-url URL";
        return Err(Failure::new(Exit::Usage, "--base-url is about the agent at a URL, and there is none", Some(help)));
    }
    let base_urls = if args.base_url.is_empty() { config.base_url.clone() } else { args.base_url };
    let (bases, base_urls) = bases(if url.is_some() { base_urls } else { Vec::new() }, &mut given)?;
    let allowed = if args.allow_origin.is_empty() { config.allow_origin.clone() } else { args.allow_origin };
    allowed.iter().try_for_each(|origin| given.allow(origin))?;
    let lookup = lookup(args.card.or(config.card).as_deref(), &mut given)?;
    let fail_on = match (args.fail_on, &config.fail_on) {
        (Some(fail_on), _) => fail_on,
        (None, Some(name)) => name.parse().map_err(|error| Failure::usage(format!("`fail-on` is {error}")))?,
        (None, None) => FailOn::Must,
    };
    let reports = if args.report.is_empty() { config.report.clone() } else { args.report };
    let reports = if reports.is_empty() { vec!["terminal".to_owned()] } else { reports };
    let outputs = reports
        .iter()
        .map(|report| report.parse::<Output>().map_err(|error| Failure::usage(error.to_string())))
        .collect::<Result<Vec<_>, _>>()?;
    let bindings = if args.binding.is_empty() { config.binding.clone() } else { args.binding };
    let bindings = bindings
        .iter()
        .map(|name| name.parse::<Binding>().map_err(|error| Failure::usage(format!("`{name}`: {error}"))))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Settings {
        lookup,
        url,
        profiles: if args.profile.is_empty() { config.profile } else { args.profile },
        bindings,
        selection: Selection {
            areas: if args.area.is_empty() { config.area } else { args.area },
            only: if args.only.is_empty() { config.only } else { args.only },
            skip: if args.skip.is_empty() { config.skip } else { args.skip },
        },
        secrets: Secrets::new(given.secrets()),
        given,
        bases,
        base_urls,
        allowed,
        config: args.config,
        jobs: positive("jobs", args.jobs.or(config.jobs))?.unwrap_or(JOBS),
        timeout: timeout(args.timeout.or(config.timeout))?,
        max_messages: args.max_messages.or(config.max_messages),
        fail_on,
        outputs,
        trace: args.trace.or(config.trace),
        cases: args.cases.or(config.cases),
        preset: args.triggers.or(config.preset),
        triggers: config.triggers.into_iter().map(|(trigger, say)| (trigger, say.into())).collect(),
        without: args.without,
        faults: args.fault,
        rest_form: args.rest_form,
    })
}

/// Reads the URL of an agent.
pub(super) fn parse_url(text: &str) -> Result<Url, Failure> {
    let wrong = |what: &str, help: &str| Failure::new(Exit::Usage, &format!("the URL {text:?} {what}"), Some(help));
    let help = format!("did you mean http://{text} or https://{text}?");
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        // `localhost:8080` parses as a URL of the scheme `localhost`.
        Ok(url) if text.contains("://") => {
            Err(wrong(&format!("has the scheme {:?}", url.scheme()), "an agent is reached by http or https"))
        }
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => Err(wrong("has no scheme", &help)),
        Err(error) => Err(wrong(&format!("cannot be read: {error}"), "write it as in http://localhost:8080")),
    }
}

/// The bases that the user names, and how he does, without the credentials in them.
fn bases(texts: Vec<String>, given: &mut Given) -> Result<(Bases, Vec<String>), Failure> {
    let mut bases = Bases::default();
    let mut shown = Vec::new();
    for text in texts {
        let (binding, url) = bases::parts(&text);
        let (url, userinfo) = userinfo::split(url);
        let bare = binding.map_or_else(|| url.clone(), |binding| format!("{binding}={url}"));
        bases.add(&bare).map_err(|error| {
            let help = "write it as http://localhost:8080, or for one binding as grpc=http://localhost:50051";
            Failure::new(Exit::Usage, &format!("the base URL {bare:?} {error}"), Some(help))
        })?;
        given.add_other(&url, userinfo);
        given.trust(&url);
        shown.push(bare);
    }
    Ok((bases, shown))
}

fn lookup(card: Option<&str>, given: &mut Given) -> Result<Lookup, Failure> {
    match card {
        None => Ok(Lookup::WellKnown),
        Some(text) if text.contains("://") => {
            let (text, userinfo) = userinfo::split(text);
            let url = parse_url(&text)?;
            given.add_other(url.as_str(), userinfo);
            Ok(Lookup::Url(url))
        }
        Some(path) if Path::new(path).exists() => Ok(Lookup::File(PathBuf::from(path))),
        Some(path) => Err(Failure::new(
            Exit::Usage,
            &format!("there is no card file {path:?}"),
            Some("name a file that exists, or a URL that begins with http:// or https://"),
        )),
    }
}

fn positive(name: &str, value: Option<usize>) -> Result<Option<usize>, Failure> {
    match value {
        Some(0) => Err(Failure::usage(format!("`{name}` must be 1 or more"))),
        value => Ok(value),
    }
}

fn timeout(seconds: Option<f64>) -> Result<Duration, Failure> {
    match seconds {
        None => Ok(TIMEOUT),
        Some(seconds) => match Duration::try_from_secs_f64(seconds) {
            Ok(timeout) if !timeout.is_zero() => Ok(timeout),
            _ => Err(Failure::usage(format!("`timeout` is {seconds}; it must be a number of seconds above 0"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_scheme_is_mended_in_the_help() {
        for text in ["localhost:8080", "agent.example", "127.0.0.1:9"] {
            let failure = parse_url(text).unwrap_err();
            assert!(failure.text.contains("has no scheme"), "{}", failure.text);
            assert!(failure.text.contains(&format!("http://{text}")), "{}", failure.text);
        }
    }

    #[test]
    fn a_foreign_scheme_is_named() {
        assert!(parse_url("ftp://agent.example").unwrap_err().text.contains("has the scheme \"ftp\""));
        assert!(parse_url("https://agent.example/a").is_ok());
    }
}
