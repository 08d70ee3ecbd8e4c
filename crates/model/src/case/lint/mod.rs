//! What a case file or a catalogue can get wrong although each part of it reads well.

mod call;
mod catalogue;
mod clients;
mod context;
mod names;
mod oracles;
mod restart;
mod webhooks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::convert::inner;
use super::{Act, Case, Library, Oracle, Outcome, Piece, Role, Side};
use crate::diagnostic::near;
use crate::profile::{Binding, Profile};
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Tree};

pub(super) use catalogue::name as catalogue_name;

/// The case files by name.
pub(super) type Trees<'a> = BTreeMap<&'a str, Tree>;

/// Two cases with one id.
pub(super) fn duplicate(case: &Case, twin: &Case, trees: &Trees<'_>) -> Mistake {
    let line = trees.get(twin.file.as_str()).map_or(0, |tree| tree.line(&twin.at));
    let mistake = place(trees, case, &inner(&case.at, "id"), &Part::Value, &format!("the id `{}` is taken", case.id));
    mistake.help(format!("it is also in {}:{line}", twin.file))
}

/// Everything that shows only when all files are known. What catalogues and cases say of each other is checked where all of
/// them could be read, since a case that is missing has been told of. Files that are `known_right` are left alone.
pub(super) fn library(
    library: &Library,
    known_right: &BTreeSet<&str>,
    profiles: &[&Profile],
    oracles: &[Oracle],
    trees: &Trees<'_>,
    is_whole: bool,
) -> Vec<Mistake> {
    let mut lint = Lint { library, profiles, trees, mistakes: Vec::new() };
    let errors: BTreeSet<&str> =
        profiles.iter().flat_map(|profile| profile.facts.errors.keys().map(String::as_str)).collect();
    let requirements = library.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
    let named: BTreeSet<&str> = requirements.flat_map(|requirement| requirement.case_ids()).collect();
    let applicable = context::Applicable::new(library, profiles, Role::Agent);
    let to_clients = context::Applicable::new(library, profiles, Role::Client);
    for case in library.cases.values().filter(|case| !known_right.contains(case.file.as_str())) {
        lint.check_id(case, named.contains(case.id.as_str()));
        lint.check_outcomes(case, &errors);
        lint.check_oracles(case, oracles, &applicable);
        lint.check_sides(case);
        lint.check_walks(case);
        lint.check_bytes(case);
        lint.check_webhooks(case);
        lint.check_restart(case);
        lint.check_profiles(case);
        lint.check_dialects(case);
        lint.check_names(case, &applicable);
        lint.check_visit(case, &to_clients);
    }
    if is_whole {
        lint.check_catalogues();
    }
    lint.mistakes
}

/// A mistake in a place of the file of a case.
fn place(trees: &Trees<'_>, case: &Case, at: &str, part: &Part, message: &str) -> Mistake {
    match trees.get(case.file.as_str()) {
        Some(tree) => tree.mistake(at, part, message),
        None => Mistake::whole(&case.file, message),
    }
}

/// Collects what is wrong.
struct Lint<'a> {
    library: &'a Library,
    profiles: &'a [&'a Profile],
    trees: &'a Trees<'a>,
    mistakes: Vec<Mistake>,
}

impl Lint<'_> {
    fn wrong(&mut self, case: &Case, at: &str, part: &Part, message: impl AsRef<str>, help: Option<String>) {
        let mistake = place(self.trees, case, at, part, message.as_ref());
        self.mistakes.push(Mistake { help, ..mistake });
    }

    fn check_id(&mut self, case: &Case, is_named: bool) {
        let is_segment = |segment: &str| {
            !segment.is_empty()
                && !segment.starts_with('-')
                && !segment.ends_with('-')
                && segment.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        let id = inner(&case.at, "id");
        if case.id.split('/').count() < 2 || !case.id.split('/').all(is_segment) {
            let message = format!("the id `{}` is not a kebab-case path of two segments or more", case.id);
            self.wrong(case, &id, &Part::Value, message, Some("such as `get/unknown-id`".to_owned()));
        }
        let folder = Path::new(&case.file).parent().and_then(Path::file_name).and_then(|name| name.to_str());
        // Where a user keeps cases of their own is their affair.
        if is_named && folder != Some(case.area()) {
            let message = format!("the area of `{}` is not its folder `{}`", case.id, folder.unwrap_or(""));
            self.wrong(case, &id, &Part::Value, message, None);
        }
        if let Some(index) = case.without.iter().position(|capability| case.needs.contains(capability)) {
            let message = format!("`{}` is both needed and unwanted", case.without[index]);
            self.wrong(case, &inner(&inner(&case.at, "without"), index), &Part::Value, message, None);
        }
    }

    fn check_profiles(&mut self, case: &Case) {
        let known: Vec<&str> = self.profiles.iter().map(|profile| profile.name()).collect();
        let own = case.own.iter().flat_map(|own| &own.profiles).enumerate();
        for (index, profile) in own.filter(|(_, name)| !known.contains(&name.as_str())) {
            let at = inner(&inner(&case.at, "profiles"), index);
            let help = near::help(profile, known.iter().copied());
            self.wrong(case, &at, &Part::Value, format!("no such profile: `{profile}`"), help);
        }
    }

    /// A case is confined to dialects between which an agent may choose.
    fn check_dialects(&mut self, case: &Case) {
        let bindings =
            || Binding::ALL.into_iter().filter(|one| case.bindings.is_empty() || case.bindings.contains(one));
        let over = |profile: &Profile| -> Vec<BTreeSet<String>> {
            bindings().map(|one| profile.dialects_over(one).map(|dialect| dialect.name.clone()).collect()).collect()
        };
        let choices = self.profiles.iter().flat_map(|profile| over(profile)).filter(|names| names.len() > 1);
        let known: BTreeSet<String> = choices.flatten().collect();
        for (index, dialect) in case.dialects.iter().enumerate().filter(|(_, name)| !known.contains(*name)) {
            let at = inner(&inner(&case.at, "dialects"), index);
            let help = near::help(dialect, known.iter().map(String::as_str));
            self.wrong(case, &at, &Part::Value, format!("no agent may choose the dialect `{dialect}` here"), help);
        }
    }

    fn check_outcomes(&mut self, case: &Case, errors: &BTreeSet<&str>) {
        for step in case.all_steps() {
            let outcomes = step.expect.iter().flat_map(|expect| &expect.outcome).enumerate();
            for (index, outcome) in outcomes {
                if let Outcome::Error(name) = outcome
                    && !errors.contains(name.as_str())
                {
                    let at = inner(&inner(&inner(&step.at, "expect"), "outcome"), index);
                    let known = Outcome::NAMES.iter().chain(errors).copied();
                    let help = near::help(name, known);
                    self.wrong(case, &at, &Part::Value, format!("no such outcome: `{name}`"), help);
                }
            }
        }
    }

    /// There is a second binding only in a case that runs across two, and there it is for something.
    fn check_sides(&mut self, case: &Case) {
        let second = case.all_steps().into_iter().find(|step| step.over == Side::Second);
        match (case.across, second) {
            (false, Some(step)) => {
                let help = "`across: true` runs a case over two".to_owned();
                let message = "there is no second binding";
                self.wrong(case, &inner(&step.at, "over"), &Part::Value, message, Some(help));
            }
            (true, None) => {
                let message = "a case that runs across two bindings does a step `over: second`";
                self.wrong(case, &inner(&case.at, "across"), &Part::Name, message, None);
            }
            _ => {}
        }
    }

    /// Texts of HTTP/1.1 do not carry gRPC, and frames of HTTP/2 nothing else.
    fn check_bytes(&mut self, case: &Case) {
        let is_over_grpc = case.bindings.is_empty() || case.bindings.contains(&Binding::Grpc);
        let is_over_others = case.bindings != [Binding::Grpc];
        for step in case.all_steps() {
            let Act::Bytes(bytes) = &step.act else { continue };
            let has_frames = bytes.send.iter().any(Piece::is_frame);
            let (message, help) = match (has_frames, is_over_grpc, is_over_others) {
                (true, _, true) => ("only gRPC has frames of HTTP/2", "confine the case with `bindings: [grpc]`"),
                (false, true, true) => {
                    ("gRPC has no requests of HTTP/1.1", "confine the case with `bindings: [jsonrpc, http-json]`")
                }
                _ => continue,
            };
            self.wrong(case, &inner(&step.at, "bytes"), &Part::Name, message, Some(help.to_owned()));
        }
    }

    /// An agent may hold any number of tasks: a walk keeps to one context, or says when it has seen enough.
    fn check_walks(&mut self, case: &Case) {
        for step in case.all_steps() {
            if let Act::Walk(walk) = &step.act
                && walk.with.get("contextId").is_none()
                && walk.until.is_empty()
            {
                let message = "a walk over the tasks of every context has no bound";
                let help = "give it a `contextId`, or say with `until` when it has seen enough";
                self.wrong(case, &inner(&step.at, "walk"), &Part::Name, message, Some(help.to_owned()));
            }
        }
    }
}
