//! The documents as a site: a page for each document, each requirement and each case, made of what the repository has.
//!
//! `cargo test --test program site::` writes it to `target/site`, or where `A2ASPEC_SITE` says, and fails where a link leads nowhere.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::browser;
#[path = "site/guides.rs"]
mod guides;
#[path = "site/links.rs"]
mod links;
#[path = "site/markdown.rs"]
mod markdown;
use crate::common::program;
#[path = "site/reference.rs"]
mod reference;
#[path = "site/search.rs"]
mod search;
#[path = "site/template.rs"]
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The site.
#[derive(Clone, Default)]
pub struct Site {
    /// What is text, by its path in the site.
    pub pages: BTreeMap<String, String>,
    /// What is copied as it is, by its path here and there.
    pub pictures: BTreeSet<String>,
}

static SITE: LazyLock<Site> = LazyLock::new(|| {
    let mut site = Site::default();
    guides::write(&mut site);
    reference::write(&mut site);
    search::write(&mut site);
    site.pages.insert(template::STYLE_PAGE.to_owned(), template::STYLE.to_owned());
    site
});

/// The site on disk.
static WRITTEN: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::var_os("A2ASPEC_SITE").map_or_else(default_folder, PathBuf::from);
    let _ = std::fs::remove_dir_all(&folder);
    let read = |picture: &String| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(picture)).unwrap();
    let pages = SITE.pages.iter().map(|(path, text)| (path, text.clone().into_bytes()));
    for (path, bytes) in pages.chain(SITE.pictures.iter().map(|picture| (picture, read(picture)))) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    println!("{} pages in {}", SITE.pages.len(), folder.display());
    folder
});

/// In a browser: one page of each kind.
#[test]
fn pages_can_be_used() {
    let Some(path) = browser::BROWSER.ready() else { return };
    let kinds = [
        "index",
        "changed",
        "start",
        "reports",
        "versions",
        "cases/get/unknown-id",
        "requirements/1.0-3.1.3-3",
        "search",
    ];
    let files: Vec<String> =
        kinds.iter().map(|page| WRITTEN.join(format!("{page}.html")).display().to_string()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    browser::open(path, &files).iter().for_each(browser::assert_right);
}

/// What a search shows, and where it leads.
#[derive(Debug, serde::Deserialize)]
struct Searched {
    told: String,
    links: Vec<FoundLink>,
    /// Elements that the results should not have.
    markup: usize,
    /// How many of the links the keyboard gets to.
    reached: usize,
    led: Option<String>,
    asked: Vec<String>,
    wrong: Vec<String>,
}

#[derive(Debug, serde::Deserialize)]
struct FoundLink {
    title: String,
    href: String,
}

/// In a browser, from a file, with the keyboard alone.
#[test]
fn the_site_can_be_searched() {
    let Some(path) = browser::BROWSER.ready() else { return };
    let searches = [
        ("start.html", "get/unknown-id", Some("cases/get/unknown-id.html")),
        ("cases/get/unknown-id.html", "1.0-3.1.3-3", Some("requirements/1.0-3.1.3-3.html")),
        ("versions/1.0.html", "jenkins", Some("ci.html#jenkins")),
        ("start.html", "UNKNOWN   task id", None),
        ("start.html", "<img src=x> nowhere", None),
    ];
    for (from, words, first) in searches {
        let from = WRITTEN.join(from).display().to_string();
        let found: Searched = browser::BROWSER.ask("search.mjs", &[path, &from, words]).pop().unwrap();
        assert!(found.wrong.is_empty() && found.asked.is_empty() && found.markup == 0, "{words}: {found:?}");
        assert_eq!(found.reached, found.links.len(), "{words}: {found:?}");
        if let Some(first) = first {
            assert_eq!(found.links[0].href, first, "{words}: {found:?}");
            let led = found.led.as_deref().unwrap();
            assert!(led.starts_with("file:") && led.ends_with(first), "{words}: {led}");
        } else {
            let is_there = words.starts_with("UNKNOWN");
            assert_eq!(is_there, found.links.len() > 1, "{words}: {found:?}");
            assert_eq!(is_there, found.told != "0 places", "{words}: {found:?}");
        }
        assert!(found.links.iter().all(|link| !link.title.is_empty()), "{words}: {found:?}");
    }
}

/// Every page can be found, and every chapter that has a name of its own; what is found is there.
#[test]
fn the_index_has_every_page() {
    let index = search::index(&SITE);
    let found: BTreeSet<&str> = index.iter().map(|entry| entry.url.as_str()).collect();
    let pages = SITE.pages.keys().filter(|path| path.ends_with(".html") && *path != search::PAGE);
    let missing: Vec<&String> = pages.filter(|path| !found.contains(path.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for entry in &index {
        let (page, chapter) =
            entry.url.split_once('#').map_or((entry.url.as_str(), None), |(page, id)| (page, Some(id)));
        let text = &SITE.pages[page];
        assert!(chapter.is_none_or(|id| text.contains(&format!("id=\"{id}\""))), "{entry:?}");
    }
    let of_jenkins = index.iter().find(|entry| entry.url == "ci.html#jenkins").unwrap();
    assert_eq!((of_jenkins.page.as_str(), of_jenkins.title.as_str()), ("Pipelines", "Jenkins"));
    assert!(of_jenkins.text.contains("archiveArtifacts") && !of_jenkins.text.contains('<'), "{of_jenkins:?}");
}

#[test]
fn every_link_leads_somewhere() {
    assert!(WRITTEN.join("index.html").is_file());
    let broken = links::broken(&SITE);
    assert!(broken.is_empty(), "{} links lead nowhere:\n{}", broken.len(), broken.join("\n"));
}

fn default_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("site")
}

/// Every document is a page, or it is said to be none.
#[test]
fn every_document_is_a_page() {
    let listed = guides::sources();
    let mut missing = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).unwrap() {
        let name = format!("docs/{}", entry.unwrap().file_name().display());
        if name.ends_with(".md") && !listed.contains(&name.as_str()) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "tests/site/guides.rs does not list {missing:?}");
}

#[test]
fn every_requirement_and_case_has_a_page() {
    let count = |folder: &str| SITE.pages.keys().filter(|path| path.starts_with(folder)).count();
    let (requirements, cases) = reference::numbers();
    assert!(requirements > 2_000 && count("requirements/") == requirements, "{requirements}");
    assert!(cases > 700 && count("cases/") == cases + 1, "{cases}");
    let page = &SITE.pages["cases/get/unknown-id.html"];
    for expected in ["How to fix it", "requirements/1.0-3.1.3-", "a2aspec check --fault get/"] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

/// A page is there at once, and the site is small to publish.
#[test]
fn pages_are_small() {
    let search = SITE.pages.iter().filter(|(path, _)| path.starts_with("search"));
    let large: Vec<_> =
        search.filter(|(_, text)| text.len() > 300_000).map(|(path, text)| (path, text.len())).collect();
    assert!(large.is_empty(), "{large:?}");
    let all: usize = SITE.pages.values().map(String::len).sum();
    assert!(all < 16_000_000, "the site has {all} bytes");
}

/// What looks for broken links finds them.
#[test]
fn a_broken_link_is_found() {
    let mut site = SITE.clone();
    let page =
        "<a href=\"nowhere.html\">a</a> <a href=\"start.html#no-such-chapter\">b</a> <a href=\"start.html\">c</a>";
    site.pages.insert("spoiled.html".to_owned(), page.to_owned());
    let broken = links::broken(&site);
    assert_eq!(broken, ["spoiled.html: nowhere.html", "spoiled.html: start.html#no-such-chapter"]);
}
