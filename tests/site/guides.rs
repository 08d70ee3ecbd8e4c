//! The documents of the repository as pages.

use std::path::Path;

use super::template::{escape, page};
use super::{Site, markdown, program};

/// An entry of the contents.
pub struct Guide {
    pub group: &'static str,
    pub title: &'static str,
    /// The page, maybe with a chapter of it.
    pub page: &'static str,
    /// The document that it is made of; nothing where other entries, or data, make the page.
    pub source: Option<&'static str>,
}

const fn guide(group: &'static str, title: &'static str, page: &'static str, source: Option<&'static str>) -> Guide {
    Guide { group, title, page, source }
}

/// The contents, in the order in which one would read them.
pub const GUIDES: &[Guide] = &[
    guide("Begin", "Overview", "index.html", Some("README.md")),
    guide("Begin", "Ten-minute start", "start.html", Some("docs/start.md")),
    guide("Begin", "Questions", "faq.html", Some("docs/faq.md")),
    guide("Begin", "All commands", "commands.html", Some("docs/commands.md")),
    guide("Use", "Agents", "agents.html", Some("docs/agents.md")),
    guide("Use", "Credentials", "credentials.html", Some("docs/credentials.md")),
    guide("Use", "Webhooks", "webhooks.html", Some("docs/webhooks.md")),
    guide("Use", "Triggers", "triggers.html", Some("docs/triggers.md")),
    guide("Use", "Reports", "reports.html", Some("docs/reports.md")),
    guide("Use", "The gate", "gate.html", Some("docs/gate.md")),
    guide("Use", "Pipelines", "ci.html", Some("docs/ci.md")),
    guide("Use", "Python", "python.html", Some("docs/python.md")),
    guide("Use", "JavaScript", "javascript.html", Some("docs/javascript.md")),
    guide("Use", "Migrating to a new version", "migrating.html", Some("docs/migrating.md")),
    guide("Use", "Many agents", "many-agents.html", Some("docs/many-agents.md")),
    guide("Use", "Fuzzing", "fuzzing.html", Some("docs/fuzzing.md")),
    guide("Use", "Bad input", "robustness.html", Some("docs/robustness.md")),
    guide("Use", "Parsers", "parsers.html", Some("docs/parsers.md")),
    guide("Use", "Clients", "clients.html", Some("docs/clients.md")),
    guide("Use", "Recorded traffic", "traffic.html", Some("docs/traffic.md")),
    guide("Use", "Traffic as it passes", "proxy.html", Some("docs/proxy.md")),
    guide("Use", "Gateways", "gateways.html", Some("docs/gateways.md")),
    guide("Use", "Signed cards", "signed-cards.html", Some("docs/signed-cards.md")),
    guide("Look up", "Command line", "cli.html", Some("docs/cli.md")),
    guide("Look up", "Settings", "settings.html", Some("docs/settings.md")),
    guide("Look up", "Extensions", "extensions.html", Some("docs/extensions.md")),
    guide("Look up", "ACTS", "acts.html", Some("docs/acts.md")),
    guide("Look up", "Versions", "versions.html", None),
    guide("Look up", "Texts of the versions", "texts.html", Some("docs/versions.md")),
    guide("Look up", "What stays the same", "stability.html", Some("docs/stability.md")),
    guide("Look up", "Cases", "cases/index.html", None),
    guide("Look up", "Coverage", "coverage.html", Some("docs/coverage.md")),
    guide("Look up", "Open questions of the texts", "interpretations.html", Some("docs/interpretations.md")),
    guide("Look up", "What other kits check", "peers.html", Some("docs/peers.md")),
    guide("Extend", "Your own cases", "index.html#your-own-cases", None),
    guide("Extend", "The case language", "case-language.html", Some("docs/cases.md")),
    guide("Extend", "Architecture", "architecture.html", Some("docs/architecture.md")),
    guide("Extend", "Contributing", "contributing.html", Some("CONTRIBUTING.md")),
    guide("Extend", "Add a case", "contributing-case.html", Some("docs/contributing/case.md")),
    guide("Extend", "Add a requirement", "contributing-requirement.html", Some("docs/contributing/requirement.md")),
    guide("Extend", "Add an oracle", "contributing-oracle.html", Some("docs/contributing/oracle.md")),
    guide("Extend", "Add a version", "contributing-version.html", Some("docs/contributing/version.md")),
    guide("Extend", "Add a binding", "contributing-binding.html", Some("docs/contributing/binding.md")),
    guide("Extend", "Make a release", "contributing-release.html", Some("docs/contributing/release.md")),
    guide("Extend", "Change the reference agent", "contributing-agent.html", Some("docs/contributing/agent.md")),
    guide("Extend", "How we write", "contributing-words.html", Some("docs/contributing/words.md")),
    guide("Extend", "Add a fault", "contributing-fault.html", Some("docs/contributing/fault.md")),
    guide("Extend", "The reference agent", "reference-agent.html", Some("reference-agent/README.md")),
    guide("Extend", "Real agents", "real-agents.html", Some("tests/real/README.md")),
    guide("Extend", "Published clients", "published-clients.html", Some("tests/clients/README.md")),
    guide("More", "Security", "security.html", Some("SECURITY.md")),
    guide("More", "Changelog", "changelog.html", Some("CHANGELOG.md")),
];

/// Every document that is a page.
pub fn sources() -> Vec<&'static str> {
    GUIDES.iter().filter_map(|guide| guide.source).collect()
}

/// The page of a document.
pub fn page_of(source: &str) -> Option<&'static str> {
    GUIDES.iter().find(|guide| guide.source == Some(source)).map(|guide| guide.page)
}

/// Writes them, with what they lead to.
pub fn write(site: &mut Site) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for guide in GUIDES {
        let Some(source) = guide.source else { continue };
        let text = std::fs::read_to_string(root.join(source)).unwrap_or_else(|error| panic!("{source}: {error}"));
        let body = markdown::render(source, &text, site);
        site.pages.insert(guide.page.to_owned(), page(guide.page, guide.title, &body));
    }
    versions(site);
}

/// What there is, and what changes from each version to the next, as the program tells it.
fn versions(site: &mut Site) {
    let told = |arguments: &[&str]| {
        let ran = program::run(arguments, &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        format!("<pre tabindex=\"0\">{}</pre>\n", escape(&ran.stdout))
    };
    let profiles = a2aspec::profile::bundled().unwrap();
    let names: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
    let mut body = format!("<h1>Versions</h1>\n{}", told(&["profiles"]));
    let lists = names
        .iter()
        .rev()
        .map(|name| format!("<li><a href=\"versions/{name}.html\">Requirements of {name}</a></li>\n"));
    body.push_str(&format!("<ul>\n{}</ul>\n", lists.collect::<String>()));
    for (before, after) in names.iter().zip(names.iter().skip(1)).rev() {
        body.push_str(&format!(
            "<h2 id=\"{before}-{after}\">From {before} to {after}</h2>\n{}",
            told(&["diff-spec", before, after])
        ));
    }
    site.pages.insert("versions.html".to_owned(), page("versions.html", "Versions", &body));
}
