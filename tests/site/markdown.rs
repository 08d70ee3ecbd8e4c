//! Markdown as HTML, with links that lead within the site.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::Site;
use super::guides::page_of;

/// The document as HTML. Files to which it links come into the site, if others than programmers read them.
pub fn render(source: &str, text: &str, site: &mut Site) -> String {
    let mut ids = Ids::default();
    let mut events: Vec<Event<'_>> = Vec::new();
    // Where the heading that is being read begins, and what it says.
    let mut heading: Option<(usize, String)> = None;
    let mut is_left_out = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                heading = Some((events.len(), String::new()));
                events.push(event);
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((at, said)) = heading.take()
                    && let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(at)
                {
                    *id = Some(CowStr::from(ids.of(&said)));
                }
                events.push(event);
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match target(source, &dest_url, site) {
                Some(target) => {
                    events.push(Event::Start(Tag::Link { link_type, dest_url: CowStr::from(target), title, id }));
                }
                None => is_left_out = true,
            },
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let picture = within(source, &dest_url);
                assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&picture).is_file(), "{source} shows {dest_url}");
                site.pictures.insert(picture.clone());
                events.push(Event::Start(Tag::Image { link_type, dest_url: CowStr::from(picture), title, id }));
            }
            Event::End(TagEnd::Link) if is_left_out => is_left_out = false,
            Event::Start(Tag::Table(_)) => {
                events.extend([Event::Html("<div class=\"table\" tabindex=\"0\">".into()), event]);
            }
            Event::End(TagEnd::Table) => events.extend([event, Event::Html("</div>".into())]),
            other => {
                if let (Some((_, said)), Event::Text(text) | Event::Code(text)) = (&mut heading, &other) {
                    said.push_str(text);
                }
                events.push(other);
            }
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out.replace("<pre>", "<pre tabindex=\"0\">")
}

/// Where a link leads in the site; nothing where it leads to a file that the site does not have.
fn target(source: &str, url: &str, site: &mut Site) -> Option<String> {
    if url.contains("://") || url.starts_with("mailto:") || url.starts_with('#') {
        return Some(url.to_owned());
    }
    let (path, chapter) = url.split_once('#').map_or((url, None), |(path, chapter)| (path, Some(chapter)));
    let file = within(source, path);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(root.join(&file).exists(), "{source} links to {url}, which is not there");
    let page = match page_of(&file) {
        Some(page) => page.to_owned(),
        None if file.starts_with("schemas/") && file.ends_with(".json") => {
            site.pages.insert(file.clone(), std::fs::read_to_string(root.join(&file)).unwrap());
            file
        }
        None => return None,
    };
    Some(chapter.map_or(page.clone(), |chapter| format!("{page}#{chapter}")))
}

/// The path of what a document names, without its detours.
fn within(source: &str, path: &str) -> String {
    let mut out = PathBuf::new();
    for part in Path::new(source).parent().unwrap_or(Path::new("")).join(path).components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out.display().to_string()
}

/// What headings are called by links, as GitHub does it.
#[derive(Default)]
struct Ids(BTreeMap<String, usize>);

impl Ids {
    fn of(&mut self, heading: &str) -> String {
        let letters = heading.chars().flat_map(char::to_lowercase).filter_map(|letter| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter),
            _ => None,
        });
        let id: String = letters.collect();
        let seen = self.0.entry(id.clone()).or_default();
        *seen += 1;
        if *seen == 1 { id } else { format!("{id}-{}", *seen - 1) }
    }
}
