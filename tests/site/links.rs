//! Links within the site.

use std::collections::{BTreeMap, BTreeSet};

use super::Site;

/// Links that lead nowhere: the page, and where it wants to go.
pub fn broken(site: &Site) -> Vec<String> {
    let places: BTreeMap<&str, BTreeSet<&str>> =
        site.pages.iter().map(|(path, text)| (path.as_str(), quoted(text, "id=\"").collect())).collect();
    let mut broken = Vec::new();
    for (path, text) in site.pages.iter().filter(|(path, _)| path.ends_with(".html")) {
        for link in quoted(text, "href=\"") {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, chapter) = link.split_once('#').map_or((link, None), |(file, chapter)| (file, Some(chapter)));
            let target = if file.is_empty() { path.clone() } else { resolve(path, file) };
            let is_there =
                places.get(target.as_str()).is_some_and(|ids| chapter.is_none_or(|chapter| ids.contains(chapter)));
            if !is_there {
                broken.push(format!("{path}: {link}"));
            }
        }
    }
    broken.sort();
    broken.dedup();
    broken
}

/// What stands in quotes behind a name.
fn quoted<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(name).skip(1).filter_map(|rest| rest.split('"').next())
}

/// The path of a link, seen from the root of the site.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}
