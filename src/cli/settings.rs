//! The settings of a check: flags over the file over defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum as _;
use url::Url;

use super::Exit;
use super::args::{CheckArgs, FailOn};
use super::fail::Failure;
use crate::case::{Source, Trigger};
use crate::plan::Selection;
use crate::profile::Binding;
use crate::report::{Output, Secrets};
use crate::target::config::{self, Config};
use crate::target::discovery::Lookup;
use crate::target::triggers::{Preset, Say};

/// How many cases go on at once: enough to hide the latency of an agent, few enough for one that works slowly.
const JOBS: usize = 8;
/// The same for the agent that the suite brings along, which does not drown.
const OWN_JOBS: usize = 16;
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
    pub headers: Vec<(String, String)>,
    pub secrets: Secrets,
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

/// Puts flags over the file over the defaults.
pub(super) fn settle(args: CheckArgs) -> Result<Settings, Failure> {
    let config = config::read(args.config.as_deref()).map_err(|(mistake, text)| {
        let source = text.map(|text| Source { file: mistake.file.clone(), text });
        Failure::mistakes(&[mistake], source.as_slice())
    })?;
    // What is said of the reference agent is said to check it, whatever the file names.
    let is_about_own_agent = !args.without.is_empty() || args.rest_form.is_some() || !args.fault.is_empty();
    let url = args.url.or(config.url.clone()).filter(|_| !is_about_own_agent);
    let url = url.as_deref().map(parse_url).transpose()?;
    let (headers, mut secrets) = headers(&args.header, args.bearer.as_deref(), &config)?;
    secrets.extend(url.as_ref().and_then(Url::password).map(str::to_owned));
    let fail_on = match (args.fail_on, &config.fail_on) {
        (Some(fail_on), _) => fail_on,
        (None, Some(name)) => FailOn::from_str(name, false)
            .map_err(|_| Failure::usage(format!("`fail-on` is {name:?}; there is must, should and never")))?,
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
    let default_jobs = if url.is_some() { JOBS } else { OWN_JOBS };
    Ok(Settings {
        lookup: lookup(args.card.or(config.card).as_deref())?,
        url,
        profiles: if args.profile.is_empty() { config.profile } else { args.profile },
        bindings,
        selection: Selection {
            areas: if args.area.is_empty() { config.area } else { args.area },
            only: if args.only.is_empty() { config.only } else { args.only },
            skip: if args.skip.is_empty() { config.skip } else { args.skip },
        },
        headers,
        secrets: Secrets::new(secrets),
        jobs: positive("jobs", args.jobs.or(config.jobs))?.unwrap_or(default_jobs),
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

fn lookup(card: Option<&str>) -> Result<Lookup, Failure> {
    match card {
        None => Ok(Lookup::WellKnown),
        Some(text) if text.contains("://") => parse_url(text).map(Lookup::Url),
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

/// Name and value.
type Header = (String, String);

/// The headers of every request, and the secrets in them.
fn headers(flags: &[String], bearer: Option<&str>, config: &Config) -> Result<(Vec<Header>, Vec<String>), Failure> {
    let mut headers: Vec<Header> = config.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    for flag in flags {
        let Some((name, value)) = flag.split_once(':') else {
            let help = "write it as 'Name: value'";
            return Err(Failure::new(Exit::Usage, "what --header gives has no colon", Some(help)));
        };
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        headers.push((name, value));
    }
    for (name, value) in &headers {
        if reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err() {
            return Err(Failure::usage(format!("{name:?} cannot be the name of an HTTP header")));
        }
        if reqwest::header::HeaderValue::from_str(value).is_err() {
            return Err(Failure::usage(format!("the value of the header {name:?} cannot be sent over HTTP")));
        }
    }
    let mut secrets: Vec<String> = headers.iter().map(|(_, value)| value.clone()).collect();
    if let Some(source) = bearer.or(config.bearer.as_deref()) {
        let Some(name) = source.strip_prefix("env:") else {
            let help = "write --bearer env:NAME, so that the token stands in no shell history";
            return Err(Failure::new(Exit::Usage, "a bearer token comes from the environment", Some(help)));
        };
        let token = std::env::var(name).map_err(|_| {
            Failure::usage(format!("the environment variable {name}, which holds the bearer token, is not set"))
        })?;
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case("authorization"));
        headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        secrets.push(token);
    }
    // The bare token of `Authorization: Bearer x` may come back in an answer, too.
    let tokens: Vec<String> =
        secrets.iter().filter_map(|secret| secret.split_once(' ')).map(|(_, token)| token.to_owned()).collect();
    secrets.extend(tokens);
    Ok((headers, secrets))
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
