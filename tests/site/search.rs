//! The page that searches the site, also from a folder: it has the titles in itself, and loads the texts of all pages in parts.

use serde::Serialize;
use serde_json::json;

use super::Site;
use super::template::page;

/// Where it is.
pub const PAGE: &str = "search.html";

/// A place of the site: a page, or a chapter of one.
#[derive(Debug, Serialize)]
pub struct Entry {
    pub url: String,
    /// The page that it is in.
    pub page: String,
    pub title: String,
    pub text: String,
}

/// So much of the text of a page of data is enough to find it; all of it would make the index as large as the site.
const OF_DATA: usize = 600;

/// Writes the page, once all others are there.
pub fn write(site: &mut Site) {
    let index = index(site);
    let names: Vec<_> = index.iter().map(name).collect();
    let names = json!(names).to_string().replace("</", "<\\/");
    let parts = parts(&index);
    let count = parts.len();
    for (number, part) in parts.into_iter().enumerate() {
        site.pages.insert(format!("search/{number}.js"), part);
    }
    let body = format!(
        "<h1>Search</h1>\n<form id=\"search\">\n\
         <label>Words <input type=\"search\" name=\"q\" autocomplete=\"off\" spellcheck=\"false\"></label>\n\
         <button>Search</button>\n<output></output>\n</form>\n\
         <noscript><p>Searching takes JavaScript. Everything is in the contents and in the lists of cases and versions.</p></noscript>\n\
         <ol id=\"found\"></ol>\n<script type=\"application/json\" id=\"index\" data-parts=\"{count}\">{names}</script>\n<script type=\"module\">\n{}</script>\n",
        include_str!("search.js")
    );
    site.pages.insert(PAGE.to_owned(), page(PAGE, "Search", &body));
}

/// How many bytes of texts are loaded at once.
const PART: usize = 250_000;

/// What the page has of an entry: the address of a page of data, which says its title, or address, page and title.
fn name(entry: &Entry) -> serde_json::Value {
    let said =
        entry.url.strip_suffix(".html").filter(|url| url.split_once('/').is_some_and(|(_, rest)| rest == entry.title));
    said.map_or_else(|| json!([entry.url, entry.page, entry.title]), |url| json!(url))
}

/// The texts in the order of the entries, in parts that each say with which entry they begin.
fn parts(index: &[Entry]) -> Vec<String> {
    let mut parts: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut size = PART;
    for (number, entry) in index.iter().enumerate() {
        if size + entry.text.len() > PART {
            parts.push((number, Vec::new()));
            size = 0;
        }
        size += entry.text.len();
        parts.last_mut().unwrap().1.push(&entry.text);
    }
    parts.into_iter().map(|(first, texts)| format!("take({first}, {});\n", json!(texts))).collect()
}

/// Every page, and every chapter of those that have chapters.
pub fn index(site: &Site) -> Vec<Entry> {
    let pages = site.pages.iter().filter(|(path, _)| path.ends_with(".html") && *path != PAGE);
    pages.flat_map(|(path, text)| chapters(path, text)).collect()
}

fn chapters(path: &str, text: &str) -> Vec<Entry> {
    let body = text.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>")).unwrap().0;
    let title = between(text, "<title>", " - a2aspec</title>").unwrap();
    let name = plain(title);
    let mut entries =
        vec![Entry { url: path.to_owned(), page: name.clone(), title: name.clone(), text: String::new() }];
    // Chapters without a name of their own belong to what is before them.
    for part in body.split_inclusive("</h2>").flat_map(|part| part.split_inclusive("</h3>")) {
        let heading = ["<h2 id=\"", "<h3 id=\""].iter().find_map(|begin| part.rfind(begin));
        let (before, heading) = part.split_at(heading.unwrap_or(part.len()));
        entries.last_mut().unwrap().text.push_str(&plain(before));
        if let Some(id) = between(heading, "id=\"", "\"") {
            let title = plain(heading);
            entries.push(Entry { url: format!("{path}#{id}"), page: name.clone(), title, text: String::new() });
        }
    }
    if path.contains('/') {
        entries.iter_mut().for_each(|entry| entry.text = entry.text.chars().take(OF_DATA).collect());
    }
    entries
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(begin)?.1.split_once(end)?.0)
}

/// What a reader sees of markup.
fn plain(markup: &str) -> String {
    let mut text = String::new();
    for (index, part) in markup.split('<').enumerate() {
        let said = if index == 0 { part } else { part.split_once('>').map_or("", |(_, said)| said) };
        text.push_str(said);
        text.push(' ');
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
