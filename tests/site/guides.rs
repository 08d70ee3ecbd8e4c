//! The documents of the repository as pages.

use std::path::Path;

use super::template::{escape, page};
use super::{Site, markdown, program, reference};

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
    guide("Begin", "a2aspec", "index.html", None),
    guide("Begin", "Overview", "overview.html", Some("README.md")),
    guide("Begin", "Ten-minute start", "start.html", Some("docs/start.md")),
    guide("Begin", "Questions", "faq.html", Some("docs/faq.md")),
    guide("Begin", "All commands", "commands.html", Some("docs/commands.md")),
    guide("Use", "Agents", "agents.html", Some("docs/agents.md")),
    guide("Use", "A page to work with", "ui.html", Some("docs/ui.md")),
    guide("Use", "Credentials", "credentials.html", Some("docs/credentials.md")),
    guide("Use", "Webhooks", "webhooks.html", Some("docs/webhooks.md")),
    guide("Use", "Triggers", "triggers.html", Some("docs/triggers.md")),
    guide("Use", "Reports", "reports.html", Some("docs/reports.md")),
    guide("Use", "The gate", "gate.html", Some("docs/gate.md")),
    guide("Use", "Pipelines", "ci.html", Some("docs/ci.md")),
    guide("Use", "Python", "python.html", Some("docs/python.md")),
    guide("Use", "JavaScript", "javascript.html", Some("docs/javascript.md")),
    guide("Use", "What changed in 1.0 and 1.1", "changed.html", None),
    guide("Use", "Migrating to a new version", "migrating.html", Some("docs/migrating.md")),
    guide("Use", "Many agents", "many-agents.html", Some("docs/many-agents.md")),
    guide("Use", "Fuzzing", "fuzzing.html", Some("docs/fuzzing.md")),
    guide("Use", "Bad input", "robustness.html", Some("docs/robustness.md")),
    guide("Use", "Parsers", "parsers.html", Some("docs/parsers.md")),
    guide("Use", "Clients", "clients.html", Some("docs/clients.md")),
    guide("Use", "Recorded traffic", "traffic.html", Some("docs/traffic.md")),
    guide("Use", "Traffic as it passes", "proxy.html", Some("docs/proxy.md")),
    guide("Use", "Gateways", "gateways.html", Some("docs/gateways.md")),
    guide("Use", "Replicas and load", "replicas.html", Some("docs/replicas.md")),
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
    guide("Extend", "Your own cases", "overview.html#your-own-cases", None),
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
    changed(site);
    landing(site);
}

/// The picture of the entry page.
const PICTURE: &str = "docs/report.png";

/// The entry page.
fn landing(site: &mut Site) {
    let (requirements, cases) = reference::numbers();
    let ways = [
        ("start.html", "Ten-minute start"),
        ("changed.html", "What changed in 1.0 and 1.1"),
        ("cases/index.html", "All cases"),
    ];
    let ways: String = ways.iter().map(|(page, title)| format!("<li><a href=\"{page}\">{title}</a></li>\n")).collect();
    let body = format!(
        "<h1>Does your agent speak A2A?</h1>\n\
         <p class=\"lead\">a2aspec checks agents and clients of the Agent2Agent protocol: {requirements} requirements, {cases} cases, each \
         version from the first proposal to the draft of 1.1, over JSON-RPC, HTTP+JSON and gRPC. It also fuzzes them.</p>\n\
         <pre tabindex=\"0\">pip install a2aspec\na2aspec check http://localhost:8080</pre>\n\
         <ul class=\"ways\">\n{ways}</ul>\n\
         <p><img src=\"{PICTURE}\" alt=\"A report: the root causes, and each problem with the exchange that proves it\"></p>\n\
         <p>A violation comes with the requirement, the exchange that proves it, and a fix. A correct agent never fails. The \
         <a href=\"overview.html\">overview</a> has the details, and <a href=\"javascript.html\">npm</a> works, too.</p>\n"
    );
    site.pictures.insert(PICTURE.to_owned());
    site.pages.insert("index.html".to_owned(), page("index.html", "Conformance of A2A agents", &body));
}

/// What developers of agents ask: what the current version and the next one change.
fn changed(site: &mut Site) {
    let mut body = "<h1>What changed in 1.0 and 1.1</h1>\n\
                    <p class=\"lead\">Names on the wire first, then the forms of objects, then cases. \
                    <a href=\"migrating.html\">The guide to migrating</a> shows how to move an agent.</p>\n"
        .to_owned();
    for (before, after) in [("0.3", "1.0"), ("1.0", "1.1-draft")] {
        body.push_str(&format!(
            "<h2 id=\"{after}\">From {before} to {after}</h2>\n{}",
            told(&["diff-spec", before, after])
        ));
    }
    site.pages.insert("changed.html".to_owned(), page("changed.html", "What changed in 1.0 and 1.1", &body));
}

/// What the program prints.
fn told(arguments: &[&str]) -> String {
    let ran = program::run(arguments, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    format!("<pre tabindex=\"0\">{}</pre>\n", escape(&ran.stdout))
}

/// What there is, and what changes from each version to the next, as the program tells it.
fn versions(site: &mut Site) {
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
