//! What all pages have in common.

use super::guides::{GUIDES, Guide};
use super::search;

/// Where the style of all pages is.
pub const STYLE_PAGE: &str = "style.css";

/// The colours and tables of reports, and a place for the contents.
pub const STYLE: &str = concat!(
    include_str!("../../src/page/style.css"),
    "body { display: grid; grid-template-columns: minmax(12rem, 16rem) minmax(0, 60rem); }\n\
     body > nav { display: block; padding: 1rem; } body > nav a { display: block; padding: .15rem 0; }\n\
     body > nav b { display: block; margin-top: .8rem; }\n\
     main { margin: 0; }\n\
     nav form { position: static; } nav input { width: 10rem; max-width: 100%; }\n\
     #found p { margin: .1rem 0 .7rem; }\n\
     img { max-width: 100%; }\n\
     .ways { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none; }\n\
     .ways a { display: block; padding: .6rem 1rem; border: 1px solid; border-radius: .4rem; }\n\
     @media (max-width: 50rem) { body { display: block; } }\n"
);

/// The folders with a page for each requirement and case.
const DATA: [&str; 2] = ["requirements/", "cases/"];

/// Where one goes from such a page.
const FROM_DATA: [&str; 5] = ["index.html", "start.html", "versions.html", "cases/index.html", "interpretations.html"];

/// A page; `path` is its own place in the site.
pub fn page(path: &str, title: &str, body: &str) -> String {
    let root = "../".repeat(path.matches('/').count());
    // A page of its own answers, also where pages are files.
    let mut contents = format!(
        "<form action=\"{root}{}\" role=\"search\">\
         <input type=\"search\" name=\"q\" aria-label=\"Search the documents\" required> <button>Search</button></form>\n",
        search::PAGE
    );
    let mut group = "";
    // Pages of data are many: all of the contents in each would be most of the site.
    let is_data = DATA.iter().any(|folder| path.starts_with(folder) && !path.ends_with("/index.html"));
    let listed = |guide: &&Guide| !is_data || FROM_DATA.contains(&guide.page);
    for guide in GUIDES.iter().filter(listed) {
        if guide.group != group {
            group = guide.group;
            contents.push_str(&format!("<b>{group}</b>\n"));
        }
        let current = if guide.page == path { " aria-current=\"page\"" } else { "" };
        contents.push_str(&format!("<a href=\"{root}{}\"{current}>{}</a>\n", guide.page, escape(guide.title)));
    }
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} - a2aspec</title>\n<link rel=\"stylesheet\" href=\"{root}{STYLE_PAGE}\">\n</head>\n<body>\n<nav aria-label=\"contents\">\n{contents}</nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// A text, and nothing of it as markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A table; the cells are markup.
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut out = "<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr>".to_owned();
    out.extend(heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")));
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        out.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}
