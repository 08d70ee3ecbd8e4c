//! The requirement catalogues: what a version of the specification demands, and which cases check it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::CheckRef;
use crate::profile::Binding;
use crate::verdict::{Layer, Level};
use crate::yaml::Placed;

/// One catalogue file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Catalogue {
    /// The profile or standard that it describes, equal to its file name.
    pub catalogue: String,
    /// Another catalogue, whose requirements hold here, too, as far as this one does not say them anew.
    #[serde(default)]
    pub like: Option<Placed<String>>,
    /// Name for people.
    pub title: String,
    /// Where the text is published.
    pub source: String,
    /// Whether its cases run where nobody asks for them.
    #[serde(default)]
    pub default: Unasked,
    /// What of an agent it is about.
    #[serde(default)]
    pub layer: Layer,
    /// Catalogues of standards that this one builds on.
    #[serde(default)]
    pub includes: Vec<Placed<String>>,
    /// Where sections are: what follows the source, such as `#313-get-task`, or a whole URL.
    #[serde(default)]
    pub sections: BTreeMap<String, String>,
    /// The requirements, which the trials of a plan share.
    pub requirements: Vec<Arc<Requirement>>,
}

/// Whether the cases of a catalogue run where nobody asks for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unasked {
    /// They do.
    #[default]
    On,
    /// They run where their area, or they themselves, are named.
    Off,
}

/// One normative requirement.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Requirement {
    /// Stable id, such as `1.0-3.1.3-1`.
    pub id: Placed<String>,
    /// The section that states it.
    pub section: String,
    /// How strongly.
    pub level: Level,
    /// Whom it binds.
    #[serde(default)]
    pub binds: Binds,
    /// The bindings of which it speaks; empty: all.
    #[serde(default)]
    pub bindings: Vec<Binding>,
    /// What it says, in our words.
    pub text: String,
    /// Whether a client can see it kept or broken.
    #[serde(default)]
    pub visible: Visible,
    /// Why it cannot be seen, or not wholly.
    #[serde(default)]
    pub because: Option<String>,
    /// What it takes to see it beyond a plain client. The suite lacks that yet: there are no cases, or not all.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// The cases that check it, or what of them does.
    #[serde(default)]
    pub cases: Vec<Placed<CheckRef>>,
    /// The id that it has now. What stands here then is what was once published under the old one, and checks nothing.
    #[serde(default)]
    pub renamed_to: Option<Placed<String>>,
    /// Where its sections are, as its catalogue says.
    #[serde(skip)]
    pub links: Vec<SectionLink>,
    /// What of an agent it is about, as its catalogue says.
    #[serde(skip)]
    pub layer: Layer,
}

/// Where a section is published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct SectionLink {
    /// The section, such as `3.1.3`.
    pub section: String,
    /// Its URL.
    pub url: String,
}

impl Catalogue {
    /// The requirements that hold, without the ids that became others.
    pub fn current_requirements(&self) -> impl Iterator<Item = &Arc<Requirement>> {
        self.requirements.iter().filter(|requirement| requirement.renamed_to.is_none())
    }

    /// Takes what `base` has from it: what it includes, where its sections are, and its requirements under ids of this catalogue. A
    /// requirement that this one has by the same id stands in place of that of the base.
    pub(super) fn inherit(&mut self, base: &Self) {
        let own_id = |id: &str| match id.strip_prefix(&base.catalogue) {
            Some(rest) => format!("{}{rest}", self.catalogue),
            None => id.to_owned(),
        };
        let mut own = std::mem::take(&mut self.requirements);
        let mut all: Vec<Arc<Requirement>> = Vec::with_capacity(base.requirements.len() + own.len());
        for inherited in base.current_requirements() {
            let id = own_id(&inherited.id.value);
            match own.iter().position(|requirement| requirement.id.value == id) {
                Some(place) => all.push(own.remove(place)),
                None => all.push(Arc::new(Requirement { id: Placed::nowhere(id), ..Requirement::clone(inherited) })),
            }
        }
        all.append(&mut own);
        self.requirements = all;
        let is_new = |include: &&Placed<String>| self.includes.iter().all(|own| own.value != include.value);
        let includes: Vec<_> = base.includes.iter().filter(is_new).cloned().collect();
        self.includes.extend(includes);
        for (section, place) in &base.sections {
            self.sections.entry(section.clone()).or_insert_with(|| place.clone());
        }
    }

    /// Gives each requirement what the catalogue says of all: where sections are, and the layer.
    pub(super) fn hand_down(&mut self) {
        let Self { source, sections, requirements, layer, .. } = self;
        let link = |section: &str| {
            let place = sections.get(section)?;
            let url = if place.contains("://") { place.clone() } else { format!("{source}{place}") };
            Some(SectionLink { section: section.to_owned(), url })
        };
        for requirement in requirements.iter_mut().map(Arc::make_mut) {
            requirement.links = requirement.named_sections().filter_map(link).collect();
            requirement.layer = *layer;
        }
    }
}

impl Requirement {
    /// The level of the verdict where it is violated.
    pub fn weight(&self) -> Level {
        self.layer.weight(self.level)
    }

    /// The sections that state it, one by one.
    pub fn named_sections(&self) -> impl Iterator<Item = &str> {
        self.section.split([',', ';']).map(str::trim).filter(|section| !section.is_empty())
    }

    /// The cases that check it, each once.
    pub fn case_ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for check in &self.cases {
            if !ids.contains(&check.value.case.as_str()) {
                ids.push(&check.value.case);
            }
        }
        ids
    }

    /// What of a case decides it.
    pub fn checks_of<'a>(&'a self, case: &'a str) -> impl Iterator<Item = &'a CheckRef> {
        self.cases.iter().map(|check| &check.value).filter(move |check| check.case == case)
    }

    /// Whether an assertion of a case is among those that decide it by being violated.
    pub fn is_violated_by(&self, case: &str, assertion: &str) -> bool {
        self.checks_of(case).any(|check| check.is_violated_by(case, assertion))
    }

    /// Whether it says something of any of these bindings.
    pub fn speaks_of(&self, bindings: &[Binding]) -> bool {
        self.bindings.is_empty() || self.bindings.iter().any(|binding| bindings.contains(binding))
    }

    /// The same requirement as if it named the case `new` where it names `old`; nothing where it does not name that.
    pub fn as_of(&self, old: &str, new: &str) -> Option<Self> {
        let checks: Vec<CheckRef> =
            self.checks_of(old).map(|check| CheckRef { case: new.to_owned(), ..check.clone() }).collect();
        (!checks.is_empty()).then(|| self.with_checks(checks))
    }

    /// The same with other checks.
    pub fn with_checks(&self, checks: Vec<CheckRef>) -> Self {
        Self { cases: checks.into_iter().map(Placed::nowhere).collect(), ..self.clone() }
    }

    /// What stands for a requirement where a user's own case brings none.
    pub fn of_own_case(case: &super::Case) -> Option<Self> {
        let own = case.own.as_ref()?;
        Some(Self {
            id: Placed::nowhere(format!("own-{}", case.id)),
            section: own.section.clone(),
            level: own.level,
            binds: Binds::Server,
            bindings: Vec::new(),
            text: case.title.clone(),
            visible: Visible::Yes,
            because: None,
            needs: Vec::new(),
            renamed_to: None,
            cases: vec![Placed::nowhere(CheckRef::whole(&case.id))],
            links: Vec::new(),
            layer: Layer::Agent,
        })
    }
}

/// Whom a requirement binds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binds {
    /// The agent.
    #[default]
    Server,
    /// Its client.
    Client,
}

/// Whether a requirement can be seen from outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visible {
    /// Wholly.
    #[default]
    Yes,
    /// In part.
    Partly,
    /// Not at all.
    No,
}

/// What it takes to see a requirement kept or broken, beyond a client that anybody may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Credentials that the agent accepts, and such as it refuses.
    Credentials,
    /// Two callers that may see different things.
    TwoIdentities,
    /// A receiver of push notifications.
    Webhooks,
    /// Keys to verify signatures with.
    Signatures,
    /// A look at the connection below HTTP.
    Tls,
    /// An agent with an extension that the suite knows.
    Extensions,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Credentials => "credentials",
            Self::TwoIdentities => "two-identities",
            Self::Webhooks => "webhooks",
            Self::Signatures => "signatures",
            Self::Tls => "tls",
            Self::Extensions => "extensions",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn a_catalogue_takes_what_it_does_not_say_from_another() {
        let read = |text: &str| yaml::read::<Catalogue>("c.yaml", text).unwrap();
        let base = read(
            "{ catalogue: '1.0', title: t, source: 's/', includes: [json], sections: { '1': '#one', '2': '#two' }, requirements: [\
             { id: 1.0-1-1, section: '1', level: MUST, text: first, cases: [a/b] },\
             { id: 1.0-1-2, section: '1', level: MUST, text: second, cases: [a/c] },\
             { id: 1.0-1-3, section: '1', level: MUST, text: old, renamed-to: 1.0-1-1 }] }",
        );
        let mut later = read(
            "{ catalogue: 1.1-draft, like: '1.0', title: t, source: 'u/', sections: { '2': '#other' }, requirements: [\
             { id: 1.1-draft-1-2, section: '2', level: SHOULD, text: other, cases: [a/d] },\
             { id: 1.1-draft-2-1, section: '2', level: MAY, text: new, cases: [a/e] }] }",
        );
        later.inherit(&base);
        later.hand_down();
        let all: Vec<_> = later.requirements.iter().map(|one| (one.id.value.as_str(), one.text.as_str())).collect();
        assert_eq!(all, [("1.1-draft-1-1", "first"), ("1.1-draft-1-2", "other"), ("1.1-draft-2-1", "new")]);
        assert_eq!(later.includes.len(), 1);
        let urls: Vec<_> = later.requirements.iter().flat_map(|one| &one.links).map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["u/#one", "u/#other", "u/#other"]);
    }
}
