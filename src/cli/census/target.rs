//! The agents of a census.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use super::super::args::{CheckArgs, SelectionArgs, TargetArgs};
use super::super::config::{self, Config};
use super::super::fail::Failure;
use super::super::{Exit, saved};
use crate::auth::userinfo::hidden;
use crate::case::Source;
use crate::files;

/// An agent.
pub(super) struct Target {
    /// What it is called; so are its reports.
    pub name: String,
    pub url: String,
    /// The host of its URL, which is not to be asked by too many at once.
    pub host: String,
    pub settings: Config,
}

/// The file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Agents of a census: a2aspec census")]
pub(in crate::cli) struct Listed {
    /// The settings of each agent, by its name.
    targets: BTreeMap<String, Config>,
}

/// Reads the file.
///
/// # Errors
/// It cannot be read, or says something of an agent that cannot be.
pub(super) fn read(path: &Path) -> Result<Vec<Target>, Failure> {
    let help = "it has a table for each agent, such as [targets.weather] with url = \"https://weather.example\"";
    let file = path.display().to_string();
    let text = files::text(path, files::LONGEST).map_err(|error| {
        Failure::new(Exit::Usage, &format!("the list of agents {file} cannot be read: {error}"), Some(help))
    })?;
    let listed: Listed = config::parse(&file, &text)
        .map_err(|mistake| Failure::mistakes(&[mistake], &[Source { file: file.clone(), text: text.clone() }]))?;
    let mut wrong = Vec::new();
    let mut targets = Vec::new();
    for (name, settings) in listed.targets {
        match Target::new(name, settings) {
            Ok(target) => targets.push(target),
            Err(mistake) => wrong.push(mistake),
        }
    }
    match wrong.is_empty() {
        true if targets.is_empty() => Err(Failure::new(Exit::Usage, &format!("{file} lists no agent"), Some(help))),
        true => Ok(targets),
        false => Err(Failure::listing(Exit::Usage, &format!("{file} cannot be used"), &wrong, Some(help))),
    }
}

impl Target {
    fn new(name: String, settings: Config) -> Result<Self, String> {
        let is_letter = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_letter) {
            return Err(format!(
                "{name:?} is no name for an agent: its reports are called by it, so letters, digits, - and _ do"
            ));
        }
        // A census has its own.
        let own = [
            ("report", !settings.report.is_empty()),
            ("trace", settings.trace.is_some()),
            ("baseline", settings.baseline.is_some()),
            ("lock", settings.lock.is_some()),
        ];
        if let Some((key, _)) = own.iter().find(|(_, is_set)| *is_set) {
            return Err(format!("{name}: a census has no use for `{key}`: each agent has a report in the folder"));
        }
        let Some(url) = settings.url.clone() else { return Err(format!("{name} has no url")) };
        let host = Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        Ok(Self { name, url, host, settings })
    }

    /// Where its report is.
    pub fn report(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.name))
    }

    /// Whether its report is there.
    ///
    /// # Errors
    /// What is there is the report of another agent, or none.
    pub fn is_done(&self, folder: &Path) -> Result<bool, Failure> {
        let path = self.report(folder);
        if !path.exists() {
            return Ok(false);
        }
        let (file, text) = saved::text(&path)?;
        let url = saved::url(&file, &text)?;
        let parsed = |url: &str| Url::parse(&hidden(url)).map_or_else(|_| url.to_owned(), String::from);
        match parsed(&url) == parsed(&self.url) {
            true => Ok(true),
            false => {
                let message = format!("{file} is about {url}, and {} is at {}", self.name, hidden(&self.url));
                Err(Failure::new(Exit::Usage, &message, Some("choose another --folder, or remove the file")))
            }
        }
    }

    /// Whether nothing is said of how connections to it are made.
    pub fn is_plain(&self) -> bool {
        let Config { cacert, cert, insecure, proxy, resolve, timeout, .. } = &self.settings;
        cacert.is_empty()
            && cert.is_none()
            && insecure.is_none()
            && proxy.is_none()
            && resolve.is_empty()
            && timeout.is_none()
    }

    /// What a check of it is told beside its own settings, which count where they say the same.
    pub fn args(&self, quick: bool, only: &[String], deadline: f64) -> CheckArgs {
        CheckArgs {
            target: TargetArgs { url: Some(self.url.clone()), ..TargetArgs::default() },
            selection: SelectionArgs {
                quick,
                only: if self.settings.only.is_empty() { only.to_vec() } else { Vec::new() },
                ..SelectionArgs::default()
            },
            deadline: Some(self.settings.deadline.unwrap_or(deadline)),
            ..CheckArgs::default()
        }
    }
}
