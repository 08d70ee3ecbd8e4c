//! A page for each requirement and each case, made of the catalogues, the cases and the faults.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use a2a_reference_agent::Fault;
use a2aspec::case::{Binds, Case, Catalogue, Library, Requirement, Visible};

use super::Site;
use super::template::{escape, page, table};
use crate::common::readings::{Reading, readings};

static LIBRARY: LazyLock<Library> =
    LazyLock::new(|| a2aspec::suite::library(None).unwrap_or_else(|error| panic!("{error}")));

/// How the suite reads what the texts leave open.
static READINGS: LazyLock<Vec<Reading>> = LazyLock::new(readings);

/// The faults that break each requirement.
static FAULTS: LazyLock<BTreeMap<&str, Vec<&Fault>>> = LazyLock::new(|| {
    let mut faults: BTreeMap<&str, Vec<&Fault>> = BTreeMap::new();
    for fault in Fault::all().unwrap() {
        for requirement in &fault.requirements {
            faults.entry(requirement).or_default().push(fault);
        }
    }
    faults
});

/// The requirements that hold, with what they are from.
fn requirements() -> impl Iterator<Item = (&'static Catalogue, &'static Requirement)> {
    let all =
        LIBRARY.catalogues.values().flat_map(|from| from.requirements.iter().map(move |one| (from, one.as_ref())));
    all.filter(|(_, one)| one.renamed_to.is_none())
}

/// How many requirements and cases there are.
pub fn numbers() -> (usize, usize) {
    (requirements().count(), LIBRARY.cases.len())
}

/// Writes all of them.
pub fn write(site: &mut Site) {
    let mut checked_by: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
    for (from, one) in requirements() {
        for case in one.case_ids() {
            checked_by.entry(case).or_default().push(one);
        }
        let path = format!("requirements/{}.html", one.id.value);
        let text = page(&path, &one.id.value, &requirement(from, one));
        site.pages.insert(path, text);
    }
    for case in LIBRARY.cases.values() {
        let path = format!("cases/{}.html", case.id);
        let none = Vec::new();
        let text = page(&path, &case.id, &one_case(case, checked_by.get(case.id.as_str()).unwrap_or(&none)));
        site.pages.insert(path, text);
    }
    lists(site);
}

fn requirement(from: &Catalogue, one: &Requirement) -> String {
    let Requirement { id, section, level, binds, text, visible, because, .. } = one;
    let mut out = format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", escape(&id.value), sentence(text));
    let who = if *binds == Binds::Client { "clients" } else { "servers" };
    let source = if from.source.contains("://") {
        format!("<a href=\"{}\">{}</a>", escape(&from.source), escape(&from.title))
    } else {
        escape(&from.title)
    };
    out.push_str(&format!("<p>{level}, for {who}: {source}, section {}.</p>\n", escape(section)));
    match (visible, because) {
        (Visible::Yes, _) => {}
        (_, because) => {
            let seen = if *visible == Visible::No { "cannot be seen from outside" } else { "can be seen in part" };
            out.push_str(&format!("<p>It {seen}: {}.</p>\n", escape(because.as_deref().unwrap_or_default())));
        }
    }
    if !one.cases.is_empty() {
        let rows = one.case_ids().into_iter().filter_map(|id| {
            let case = LIBRARY.cases.get(id)?;
            let checks: Vec<String> = one.checks_of(id).map(|check| escape(&check.to_string())).collect();
            Some(vec![format!("<a href=\"../cases/{id}.html\">{id}</a>"), sentence(&case.title), checks.join("<br>")])
        });
        out.push_str(&format!("<h2>Cases</h2>\n{}", table(&["case", "what it checks", "what of it decides"], rows)));
    }
    out.push_str(&faults(std::iter::once(one)));
    out
}

fn one_case(case: &Case, requirements: &[&Requirement]) -> String {
    let mut out = format!(
        "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p>{}</p>\n",
        case.id,
        sentence(&case.title),
        sentence(&case.why)
    );
    out.push_str(&format!("<pre tabindex=\"0\">a2aspec check URL --only {}</pre>\n", case.id));
    let up = "../".repeat(case.id.matches('/').count() + 1);
    let rows = requirements.iter().map(|one| {
        let id = &one.id.value;
        let link = format!("<a href=\"{up}requirements/{id}.html\">{id}</a>");
        vec![link, one.level.to_string(), escape(&one.section), sentence(&one.text)]
    });
    out.push_str(&format!("<h2>Requirements</h2>\n{}", table(&["id", "level", "section", "what it says"], rows)));
    let chapters = [("A right answer", &case.right), ("A wrong answer", &case.wrong), ("How to fix it", &case.fix)];
    for (title, text) in chapters {
        out.push_str(&format!("<h2>{title}</h2>\n<p>{}</p>\n", sentence(text)));
    }
    let readings: String = READINGS
        .iter()
        .filter(|one| one.cases.contains(&case.id))
        .map(|one| format!("<li><a href=\"{up}interpretations.html#{}\">{}</a></li>\n", one.anchor, escape(&one.title)))
        .collect();
    if !readings.is_empty() {
        out.push_str(&format!("<h2>What the texts leave open</h2>\n<ul>\n{readings}</ul>\n"));
    }
    let assertions: String =
        case.assertions().iter().map(|one| format!("<li><code>{}</code></li>\n", escape(one))).collect();
    out.push_str(&format!("<h2>What it asserts</h2>\n<ul>\n{assertions}</ul>\n"));
    out.push_str(&faults(requirements.iter().copied()));
    out
}

/// How the reference agent is made to violate requirements, so that their cases can be seen to fail.
fn faults<'a>(requirements: impl Iterator<Item = &'a Requirement>) -> String {
    let found = requirements.filter_map(|one| FAULTS.get(one.id.value.as_str())).flatten();
    let found: BTreeMap<&str, &Fault> = found.map(|fault| (fault.id.as_str(), *fault)).collect();
    if found.is_empty() {
        return String::new();
    }
    let rows = found.values().map(|fault| {
        vec![format!("<code>a2aspec check --fault {}</code>", escape(&fault.id)), sentence(&fault.breaks)]
    });
    format!("<h2>See it fail</h2>\n{}", table(&["command", "what is wrong then"], rows))
}

/// The requirements of each catalogue, and the cases of each area.
fn lists(site: &mut Site) {
    let mut others = Vec::new();
    for (name, from) in &LIBRARY.catalogues {
        let rows = from.requirements.iter().filter(|one| one.renamed_to.is_none()).map(|one| {
            let id = &one.id.value;
            let link = format!("<a href=\"../requirements/{id}.html\">{id}</a>");
            vec![link, one.level.to_string(), escape(&one.section), sentence(&one.text)]
        });
        let title = escape(&from.title);
        let table = table(&["id", "level", "section", "what it says"], rows);
        let path = format!("versions/{name}.html");
        let text = page(&path, &from.title, &format!("<h1>Requirements of {title}</h1>\n{table}"));
        site.pages.insert(path, text);
        others.push(format!("<li><a href=\"../versions/{name}.html\">Requirements of {title}</a></li>\n"));
    }
    let mut areas: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in LIBRARY.cases.values() {
        areas.entry(case.area()).or_default().push(case);
    }
    let mut body =
        format!("<h1>Cases</h1>\n<p>By area. The requirements that they check:</p>\n<ul>\n{}</ul>\n", others.concat());
    for (area, cases) in areas {
        let rows =
            cases.iter().map(|case| vec![format!("<a href=\"{0}.html\">{0}</a>", case.id), sentence(&case.title)]);
        body.push_str(&format!("<h2 id=\"{area}\">{area}</h2>\n{}", table(&["case", "what it checks"], rows)));
    }
    site.pages.insert("cases/index.html".to_owned(), page("cases/index.html", "Cases", &body));
}

/// A text that begins like a sentence and ends like one.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    escape(&format!("{first}{}{end}", letters.as_str()))
}
