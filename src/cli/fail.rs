//! How a command that cannot do its work says so: what, where, what to do, and the exit code.

use super::{Exit, print};
use crate::auth::userinfo::hidden;
use crate::case::{Library, Source};
use crate::diagnostic::words::one_line;
use crate::diagnostic::{self, Diagnostic};
use crate::judge::oracle;
use crate::profile::{self, Profile};
use crate::report::Secrets;
use crate::yaml::Mistake;

/// Columns for diagnostics, which must read well in a log, too.
pub(super) const WIDTH: usize = 100;

/// Why a command could not do its work.
#[derive(Debug)]
pub(super) struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The text for standard error, whole.
    pub text: String,
}

impl Failure {
    /// A single sentence, with what to do about it.
    pub fn new(exit: Exit, message: &str, help: Option<&str>) -> Self {
        Self::listing(exit, message, &[], help)
    }

    /// A sentence with a line for each of several things, and with what to do about them.
    pub fn listing(exit: Exit, message: &str, lines: &[String], help: Option<&str>) -> Self {
        let mut text = format!("error: {}\n", one_line(message));
        for line in lines {
            text.push_str(&format!("  {}\n", one_line(line)));
        }
        if let Some(help) = help {
            text.push_str(&format!("help: {}\n", one_line(help)));
        }
        Self { exit, text }
    }

    /// Wrong usage.
    pub fn usage(message: impl AsRef<str>) -> Self {
        Self::new(Exit::Usage, message.as_ref(), None)
    }

    /// A fault of the suite.
    pub fn broken(message: impl AsRef<str>) -> Self {
        Self::new(Exit::Broken, message.as_ref(), Some("this is a bug of a2aspec; please report it"))
    }

    /// The same without secrets.
    pub fn masked(self, secrets: &Secrets) -> Self {
        Self { text: hidden(&secrets.mask(&self.text)), ..self }
    }

    /// A mistake in a text, shown in its place.
    pub fn diagnostic(exit: Exit, diagnostic: &Diagnostic<'_>) -> Self {
        Self { exit, text: diagnostic.render(WIDTH) }
    }

    /// Mistakes in files that the user wrote.
    pub fn mistakes(mistakes: &[Mistake], sources: &[Source]) -> Self {
        let source = |file: &str| sources.iter().find(|source| source.file == file).map(|source| source.text.as_str());
        Self { exit: Exit::Usage, text: diagnostic::mistakes(mistakes, source, WIDTH) }
    }
}

/// Shows a failure and gives its exit code.
pub(super) fn show(failure: &Failure) -> Exit {
    print::err(&failure.text);
    failure.exit
}

/// The profiles of the program.
pub(super) fn profiles() -> Result<Vec<std::sync::Arc<Profile>>, Failure> {
    profile::bundled().map_err(|mistake| Failure::mistakes(&[mistake], &[]))
}

/// The names of the profiles, or of the one that is wanted.
pub(super) fn profile_names(wanted: Option<&str>) -> Result<Vec<String>, Failure> {
    let wanted = wanted.map_or_else(profiles, |name| Ok(vec![profile(name)?]))?;
    Ok(wanted.iter().map(|profile| profile.name().to_owned()).collect())
}

/// The profile of this name.
pub(super) fn profile(name: &str) -> Result<std::sync::Arc<Profile>, Failure> {
    let all = profiles()?;
    let found = all.iter().find(|profile| profile.name() == name).cloned();
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|profile| profile.name()).collect();
        Failure::usage(format!("there is no profile `{name}`; there is {}", names.join(", ")))
    })
}

/// The cases of the program and of a user's folder.
pub(super) fn library(own: Option<&std::path::Path>) -> Result<Library, Failure> {
    let profiles = profiles()?;
    let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    Library::load(own, &profiles, &oracle::all()).map_err(|(mistakes, sources)| Failure::mistakes(&mistakes, &sources))
}
