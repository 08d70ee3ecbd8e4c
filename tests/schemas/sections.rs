//! Where the sections are published that catalogues name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use a2aspec::case::{Catalogue, Library};

use super::ROOT;

/// What no text says.
const OF_NO_TEXT: [&str; 1] = ["good sense"];

fn catalogues() -> BTreeMap<String, Catalogue> {
    let profiles = a2aspec::profile::bundled().expect("the profiles are right");
    let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
    Library::load(None, &profiles, &a2aspec::judge::oracle::all()).expect("the cases are right").catalogues
}

#[test]
fn every_section_has_a_place_and_every_place_a_section() {
    for catalogue in catalogues().values() {
        let named: BTreeSet<&str> = catalogue
            .requirements
            .iter()
            .flat_map(|requirement| requirement.named_sections())
            .filter(|section| !OF_NO_TEXT.contains(section))
            .collect();
        let placed: BTreeSet<&str> = catalogue.sections.keys().map(String::as_str).collect();
        let different: Vec<&&str> = named.symmetric_difference(&placed).collect();
        assert!(different.is_empty(), "{}: {different:?}", catalogue.catalogue);
        let links = catalogue.requirements.iter().flat_map(|requirement| &requirement.links);
        for link in links {
            assert!(link.url.starts_with("https://"), "{}: {link:?}", catalogue.catalogue);
        }
    }
}

/// The anchors are those that the headings get where they are published: on the web site of the project, or on GitHub.
#[test]
fn every_anchor_is_that_of_the_heading() {
    let mut seen = 0;
    for catalogue in catalogues().values() {
        let Some(text) = specification(&catalogue.catalogue) else { continue };
        let is_web_site = catalogue.source.starts_with("https://a2a-protocol.org/");
        let headings = headings(&text, is_web_site);
        for (section, place) in &catalogue.sections {
            let Some((_, anchor)) = place.split_once('#') else { continue };
            // What a page of another site has is read there.
            let is_here = place.starts_with('#');
            let known = headings.iter().any(|(heading, own)| own == anchor && is_of(heading, section));
            assert!(known || !is_here, "{}: {section} is not at #{anchor}", catalogue.catalogue);
            seen += usize::from(known);
        }
    }
    let is_absent = !Path::new(ROOT).join("../shared/spec").is_dir();
    assert!(is_absent || seen > 500, "only {seen} anchors seen");
}

fn specification(version: &str) -> Option<String> {
    let folder = Path::new(ROOT).join("../shared/spec").join(version);
    folder.is_dir().then(|| fs::read_to_string(folder.join("specification.md")).expect("the text is there"))
}

/// Each heading with its anchor.
fn headings(text: &str, is_web_site: bool) -> Vec<(String, String)> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let heading = heading.trim().replace('`', "");
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
        let plain = kept.collect::<String>().to_lowercase();
        // The site makes one sign of several, GitHub does not.
        let anchor = match is_web_site {
            true => plain.split([' ', '-']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-"),
            false => plain.replace(' ', "-"),
        };
        let before = times.entry(anchor.clone()).or_default();
        let anchor = match (*before, is_web_site) {
            (0, _) => anchor,
            (number, true) => format!("{anchor}_{number}"),
            (number, false) => format!("{anchor}-{number}"),
        };
        *before += 1;
        found.push((heading, anchor));
    }
    found
}

/// Whether a heading is that of a section: it begins with its number, or is its name.
fn is_of(heading: &str, section: &str) -> bool {
    heading.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '.']))
}
