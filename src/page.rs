//! Pages of HTML that need no other file and no network. A short script hides what is not looked for; without it the whole page
//! is there.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sha2::{Digest as _, Sha256};

use crate::diagnostic::words::printable;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/filter.js");

/// What rows can be hidden by: the name of a member of their `data-*`, or `text` for all that they say.
pub(crate) enum Filter {
    /// One of the values that rows have.
    One(&'static str),
    /// What is typed, with an example.
    Typed(&'static str, &'static str),
    /// Two of these agents, each with how it came out. The `data-agents` of a row has a letter for each agent: the first of a result.
    Two {
        /// The agents, in the order of the letters.
        names: Vec<String>,
        /// Each result, as addresses and as people write it.
        results: [(&'static str, &'static str); 3],
    },
}

/// A page: what stands in its head and at its end is the same for all.
pub(crate) fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    let (style, script) = (format!("\n{STYLE}"), format!("\n{SCRIPT}"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <script>{script}</script>\n</body>\n</html>\n",
        source(&style),
        source(&script)
    )
}

/// What a policy lets run: this text and no other (Content Security Policy Level 3, section 2.3.1).
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// The form by which rows are hidden, for the script to fill; a page has one.
pub(crate) fn filters(filters: &[Filter]) -> String {
    let mut out = "<form id=\"filters\" hidden>\n".to_owned();
    for filter in filters {
        out.push_str(&match filter {
            Filter::One(name) => {
                format!("<label>{name} <select name=\"{name}\"><option value=\"\">all</option></select></label>\n")
            }
            Filter::Typed(name, example) => format!(
                "<label>{name} <input name=\"{name}\" type=\"search\" size=\"8\" placeholder=\"{example}\"></label>\n"
            ),
            // What only one of two agents gets wrong is what most look for.
            Filter::Two { names, results } => {
                format!("{}{}", side("A", 0, names, results), side("B", 1, names, results))
            }
        });
    }
    out.push_str("<button type=\"reset\">show all</button>\n<output aria-live=\"polite\"></output>\n</form>\n");
    out
}

/// The choice of one of two agents and of how it came out, of which one is chosen at first.
fn side(letter: &str, first: usize, names: &[String], results: &[(&str, &str)]) -> String {
    let names: String = names.iter().map(|name| format!("<option>{}</option>", escape(name))).collect();
    let results = results.iter().enumerate().map(|(place, (value, words))| {
        let selected = if place == first { " selected" } else { "" };
        format!("<option value=\"{value}\"{selected}>{words}</option>")
    });
    format!(
        "<label>agent {letter} <select name=\"{letter}\"><option value=\"\">any</option>{names}</select></label>\n\
         <label>result of {letter} <select name=\"{letter}-is\" data-of=\"{letter}\">{}</select></label>\n",
        results.collect::<String>()
    )
}

/// A table, which scrolls by itself where the page is narrow.
pub(crate) fn table(out: &mut String, heads: &[&str], rows: impl FnOnce(&mut String)) {
    table_with(out, "", heads, rows);
}

fn table_with(out: &mut String, attributes: &str, heads: &[&str], rows: impl FnOnce(&mut String)) {
    out.push_str(&format!("<div class=\"table\"><table{attributes}>\n<thead><tr>"));
    for head in heads {
        out.push_str(&format!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    rows(out);
    out.push_str("</tbody>\n</table></div>\n");
}

/// A table of many rows that can be hidden by what their cells say: the heads are the names of filters, and the area of a case is the
/// beginning of its name. So no row needs attributes, which were half of a page.
pub(crate) fn table_of_facts(out: &mut String, heads: &[&str], rows: impl FnOnce(&mut String)) {
    table_with(out, " data-facts", heads, rows);
}

/// A row of [`table_of_facts`], of cells that are markup; an empty anchor is none. The end of cells and rows may be left out (HTML,
/// section 13.1.2.4).
pub(crate) fn brief_row(anchor: &str, cells: &[String]) -> String {
    let id = if anchor.is_empty() { String::new() } else { format!(" id=\"{anchor}\"") };
    format!("<tr{id}><td>{}\n", cells.join("<td>"))
}

/// As [`badge`], in a [`brief_row`].
pub(crate) fn brief_badge(title: &str) -> String {
    format!("<b class=\"{title}\">{title}</b>")
}

/// What a row can be found by, as attributes: several values of one name stand between `|`.
pub(crate) fn attributes(facts: &[(&str, impl AsRef<str>)]) -> String {
    facts.iter().map(|(name, value)| format!(" data-{name}=\"{}\"", escape(value.as_ref()))).collect()
}

/// What leads to a file, by its path: letters that steer a URL are spelled out.
pub(crate) fn href(path: &str) -> String {
    const STEERING: &AsciiSet =
        &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b':');
    escape(&utf8_percent_encode(path, STEERING).to_string())
}

/// A line of a table that can be hidden, by what `data` says of it; an empty anchor is none.
pub(crate) fn row_with(out: &mut String, anchor: &str, data: &str, cells: impl IntoIterator<Item = String>) {
    let id = if anchor.is_empty() { String::new() } else { format!(" id=\"{anchor}\"") };
    out.push_str(&format!("<tr{id}{data}>"));
    out.extend(cells);
    out.push_str("</tr>\n");
}

/// A line of a table; an empty anchor is none.
pub(crate) fn row(out: &mut String, anchor: &str, cells: impl IntoIterator<Item = String>) {
    row_with(out, anchor, "", cells);
}

/// A cell with a text.
pub(crate) fn text(text: &str) -> String {
    format!("<td>{}</td>", escape(text))
}

/// A cell with a number: nothing for none, so that what is there stands out.
pub(crate) fn number(number: usize) -> String {
    let number = if number == 0 { String::new() } else { number.to_string() };
    format!("<td class=\"number\">{number}</td>")
}

/// A word whose colour tells it from others of its kind.
pub(crate) fn badge(title: &str) -> String {
    format!("<span class=\"state {}\">{title}</span>", title.replace(' ', "-"))
}

/// A link to a place of the page.
pub(crate) fn link(kind: &str, id: &str) -> String {
    format!("<a href=\"#{}\">{}</a>", anchor(kind, id), escape(id))
}

/// The name of a place in the page, the same for a place and for what leads there.
pub(crate) fn anchor(kind: &str, id: &str) -> String {
    let mut anchor = format!("{kind}-");
    for letter in id.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' | '/' => anchor.push(letter),
            other => anchor.push_str(&format!("~{:x}", u32::from(other))),
        }
    }
    anchor
}

/// A text as it is to be read, and nothing of it as markup. What steers a terminal or the direction of writing is spelled out.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}

/// The first tag of a page that is not closed where it should be.
#[cfg(test)]
pub(crate) fn unbalanced(page: &str) -> Option<String> {
    const EMPTY: [&str; 4] = ["br", "input", "meta", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    // Within a table of facts, the ends of cells and rows are left out.
    let (mut is_of_facts, mut is_brief) = (false, false);
    // The script compares numbers.
    let text = page.split("<script>").next().unwrap_or(page);
    for tag in text.split('<').skip(1) {
        let name = tag.split([' ', '>', '\n']).next().unwrap_or(tag);
        let ended: &[&str] = match name {
            "td" if is_brief => &["td"],
            "tr" | "/tbody" if is_brief => &["td", "tr"],
            _ => &[],
        };
        for end in ended {
            open.pop_if(|last| last == end);
        }
        // Its head has all ends.
        is_brief = (is_brief || (name == "tbody" && is_of_facts)) && name != "/tbody";
        is_of_facts = tag.starts_with("table data-facts") || (is_of_facts && name != "/table");
        match name.strip_prefix('/') {
            Some(end) if open.pop() == Some(end) => {}
            Some(_) => return Some(tag.to_owned()),
            None if EMPTY.contains(&name) => {}
            None => open.push(name),
        }
    }
    // What stands behind the script.
    (open != ["html", "body"]).then(|| open.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        assert_eq!(escape("<b> & \"c\" 'd'\u{7}"), "&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\\u{7}");
        assert_eq!(anchor("case", "get/it\"<> x"), "case-get/it~22~3c~3e~20x");
        assert_eq!(href("runs/a b#1:'.html"), "runs/a%20b%231%3A&#39;.html");
        assert!(document("</title>", "").contains("<title>&lt;/title&gt;</title>"));
    }

    #[test]
    fn a_tag_that_is_not_closed_is_found() {
        assert_eq!(unbalanced(&document("t", "<p>a<br>b</p>\n<ul>\n<li>c</li></ul>")), None);
        assert_eq!(unbalanced(&document("t", "<p><b>a</p>")).as_deref(), Some("/p>"));
        let facts = |cell: &str| {
            let mut out = String::new();
            table_of_facts(&mut out, &["verdict"], |out| {
                out.push_str(&brief_row("a", &[cell.to_owned(), brief_badge("pass")]))
            });
            unbalanced(&document("t", &out))
        };
        assert_eq!((facts("<i>a</i>"), facts("<i>a").as_deref()), (None, Some("/tbody>\n")));
        assert!(unbalanced(&document("t", "<p>")).is_some());
    }
}
