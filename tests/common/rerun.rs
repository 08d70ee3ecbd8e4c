//! The command lines by which a report says how to run a case again, read as the program reads them, and run in this
//! process: to start the program takes longer than many a run.

use std::sync::Arc;

use a2aspec::case::Library;
use a2aspec::profile::Binding;
use a2aspec::transport::http::Http;
use a2aspec::{Report, Suite, SuiteBuilder};
use clap::parser::ValueSource;

/// What a command line asks for.
pub struct Line {
    url: String,
    only: Vec<String>,
    profiles: Vec<String>,
    bindings: Vec<Binding>,
}

impl Line {
    /// Reads a line by the arguments that the program knows.
    ///
    /// # Errors
    /// The program would refuse it, or it says more than these tests know how to do.
    pub fn read(line: &str) -> Result<Self, String> {
        Self::read_beside(line, &[])
    }

    /// The same of a line that says more, of which the caller takes care.
    ///
    /// # Errors
    /// Those of [`Line::read`].
    pub fn read_beside(line: &str, more: &[&str]) -> Result<Self, String> {
        let matches =
            a2aspec::cli::command().try_get_matches_from(words(line)).map_err(|error| format!("{line}: {error}"))?;
        let check = matches.subcommand_matches("check").ok_or_else(|| format!("{line}: it checks nothing"))?;
        let said = check
            .ids()
            .map(clap::Id::as_str)
            .filter(|id| check.try_contains_id(id).is_ok() && check.value_source(id) == Some(ValueSource::CommandLine));
        // Groups are ids of their own.
        const KNOWN: [&str; 7] = ["url", "only", "profile", "binding", "CheckArgs", "SelectionArgs", "TargetArgs"];
        if let Some(other) = said.into_iter().find(|id| !KNOWN.contains(id) && !more.contains(id)) {
            return Err(format!("{line}: it says --{other}, too"));
        }
        let all = |id: &str| check.get_many::<String>(id).into_iter().flatten().cloned().collect::<Vec<_>>();
        let bindings =
            all("binding").into_iter().map(|name| name.parse::<Binding>().map_err(|error| error.to_string()));
        Ok(Self {
            url: all("url").pop().ok_or_else(|| format!("{line}: it names no agent"))?,
            only: all("only"),
            profiles: all("profile"),
            bindings: bindings.collect::<Result<_, _>>()?,
        })
    }

    /// The run that it asks for.
    pub fn suite(&self, library: &Arc<Library>, http: &Http) -> SuiteBuilder {
        let suite = Suite::builder(&self.url).library(Arc::clone(library)).client(http);
        let suite = self.only.iter().fold(suite, |suite, pattern| suite.only(pattern));
        suite.profiles(&self.profiles).bindings(self.bindings.clone())
    }
}

/// The words of a line as a shell reads them; what stands in single quotes is part of one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (at, piece) in line.split('\'').enumerate() {
        let mut parts = if at % 2 == 1 { vec![piece] } else { piece.split(char::is_whitespace).collect() }.into_iter();
        if let (Some(word), Some(more)) = (words.last_mut(), parts.next()) {
            word.push_str(more);
        }
        words.extend(parts.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a line is to show again.
pub struct Shown<'a> {
    pub case: &'a str,
    pub profile: &'a str,
    pub binding: &'a str,
    pub verdict: &'a str,
}

impl Shown<'_> {
    /// In what a run of the line differs from what it is to show again, if it does.
    pub fn differs_from(&self, report: &Report) -> Option<String> {
        let is_it = |(case, profile, binding): (&str, &str, &str)| {
            (case, profile, binding) == (self.case, self.profile, self.binding)
        };
        let again = report.results.iter().find(|again| is_it((&again.case, &again.profile, &again.binding)));
        let came = match again {
            Some(again) if again.verdict.name() == self.verdict => return None,
            Some(again) => {
                let reason = again.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
                format!("{}{reason}", again.verdict.name())
            }
            None => "not run".to_owned(),
        };
        let Self { case, profile, binding, verdict } = self;
        Some(format!("{case} in {profile} over {binding} was {verdict}, and is {came}"))
    }
}
