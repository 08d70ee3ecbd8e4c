//! `a2aspec init`: the settings of an agent, with the triggers that it was found to know, and a pipeline that checks it.

mod content;
mod pipeline;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::args::{InitArgs, System, TargetArgs};
use super::config::DEFAULT_FILE;
use super::fail::{Failure, library};
use super::settings::{self, Settings};
use super::{Exit, own_agent, print, signals, tell};
use crate::report::gate::{FailOn, Gate};
use content::Given;

/// Finds out which triggers bring the agent into its states, and writes both files.
pub(super) async fn run(args: InitArgs) -> Result<Exit, Failure> {
    let stop = signals::heard()?;
    let InitArgs { url, card, base_url, profile, binding, header, bearer, timeout, dir, force, ci, no_workflow } = args;
    let settings_file = dir.join(DEFAULT_FILE);
    let system = (!no_workflow).then_some(ci);
    let pipeline = system.map(|system| dir.join(system.file()));
    let files: Vec<&PathBuf> = std::iter::once(&settings_file).chain(&pipeline).collect();
    if !force {
        refuse_to_replace(&files)?;
    }
    let given = Given { url, card, base_url, profile, binding, header, bearer, timeout };
    // Nothing of a file that is there counts: it is what is made anew.
    let config = super::config::Config::default();
    let Settings { suite, own, .. } = settings::of_target(given.target(), &config, None)?.authorized().await?;
    let suite = suite.validate()?.stop(stop).library(library(None)?);
    let (mut suite, own) = own_agent::find(suite, own).await?;
    tell::found(&suite);
    suite.sample();
    let secrets = suite.secrets().clone();
    let report = suite.run().await;
    if let Some(agent) = own {
        agent.stop().await;
    }
    if let gate @ (Gate::Unreachable | Gate::Interrupted) = report.gate(FailOn::Never) {
        let message = "the agent could not be asked to the end, and nothing is written";
        return Err(Failure::new(Exit::from(gate), message, Some("`a2aspec doctor` says what is wrong")));
    }
    let mut told = String::new();
    let texts = [Some(content::settings(&given, &report)), system.map(|system| system.pipeline(&given))];
    for (path, text) in files.into_iter().zip(texts.into_iter().flatten()) {
        write(path, &secrets.mask(&text), force)?;
        told.push_str(&format!("{} is written\n", path.display()));
    }
    told.push_str("`a2aspec check` checks the agent as it says there; `a2aspec doctor` says what can be tested\n");
    told.push_str(system.map_or("", System::next));
    print::found(told)
}

/// What somebody has written stays.
fn refuse_to_replace(files: &[&PathBuf]) -> Result<(), Failure> {
    let there: Vec<String> = files.iter().filter(|path| path.exists()).map(|path| path.display().to_string()).collect();
    match there.as_slice() {
        [] => Ok(()),
        there => {
            let verb = if there.len() == 1 { "is" } else { "are" };
            let message = format!("{} {verb} there already", there.join(" and "));
            Err(Failure::new(Exit::Usage, &message, Some("--force writes anew; --dir names another folder")))
        }
    }
}

/// A new file, or with force one in the place of another.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let written = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        let options = options.write(true);
        let mut file = match force {
            true => options.create(true).truncate(true).open(path)?,
            false => options.create_new(true).open(path)?,
        };
        file.write_all(text.as_bytes())
    };
    written().map_err(|error| Failure::usage(format!("{} cannot be written: {error}", path.display())))
}

impl Given {
    /// What the flags say of the agent.
    fn target(&self) -> TargetArgs {
        TargetArgs {
            url: Some(self.url.clone()),
            card: self.card.clone(),
            base_url: self.base_url.clone(),
            profile: self.profile.clone(),
            binding: self.binding.clone(),
            header: self.header.clone(),
            bearer: self.bearer.clone(),
            timeout: self.timeout,
            ..TargetArgs::default()
        }
    }
}
