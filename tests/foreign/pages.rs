//! Pages in Chromium.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::browser::{BROWSER, assert_right, open};
use super::program;
use super::reports::{FOUND, with_results};

/// Scripts, filters, widths, colours, keyboard and paper of every page that there is.
#[test]
fn every_page_can_be_used() {
    let Some(browser) = BROWSER.ready() else { return };
    let coverage = program::run(&["coverage", "--report", "html"], &[]).stdout;
    let coverage = FOUND.write("coverage.html", &coverage);
    let (report, matrix) = (FOUND.file("report.json"), FOUND.file("matrix.html"));
    let (one, other, to) = (format!("one={report}"), format!("other={report}"), format!("html={matrix}"));
    assert_eq!(program::run(&["matrix", &one, &other, "--report", &to], &[]).code, 0);
    for opened in open(browser, &[&FOUND.file("report.html"), &coverage, &matrix]) {
        assert_right(&opened);
        assert!(opened.rows > 100, "{opened:?}");
    }
}

/// The page of a matrix, as a step of `agents.mjs` leaves it.
#[derive(Debug, Deserialize)]
struct Compared {
    heads: Vec<String>,
    shown: Vec<Vec<String>>,
    rows: usize,
    told: String,
    expected: String,
    search: String,
    wrong: Vec<String>,
}

/// The requirements that one agent violates and another one meets.
#[test]
fn two_agents_can_be_compared() {
    let Some(browser) = BROWSER.ready() else { return };
    let text = std::fs::read_to_string(FOUND.file("report.json")).unwrap();
    let mut other: Value = serde_json::from_str(&text).unwrap();
    let is = |requirement: &Value, wanted: &str| requirement["verdict"] == wanted;
    // The other agent is right in half of what the first one violates, and wrong in what the first one meets.
    let (mut fixed, mut violated) = (Vec::new(), 0);
    for requirement in other["requirements"].as_array_mut().unwrap() {
        if is(requirement, "fail") {
            violated += 1;
            if violated % 2 == 1 {
                requirement["verdict"] = json!("pass");
                fixed.push(requirement["id"].as_str().unwrap().to_owned());
            }
        } else if is(requirement, "pass") {
            requirement["verdict"] = json!("fail");
        }
    }
    assert!(violated > 1, "{violated}");
    let other = FOUND.write("other.json", &other.to_string());
    let (report, page) = (FOUND.file("report.json"), FOUND.file("compared.html"));
    let named = [format!("wrong agent={report}"), format!("fixed={other}")];
    let run = |more: &[&str]| program::run(&[&["matrix", &named[0], &named[1]], more].concat(), &[]);
    let ran = run(&["--report", &format!("html={page}")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let steps: Vec<Compared> = BROWSER.ask("agents.mjs", &[browser, &page, "wrong agent", "fails", "fixed", "passes"]);
    let [whole, chosen, again, reset] = steps.as_slice() else { panic!("{steps:?}") };
    for step in &steps {
        assert!(step.wrong.is_empty() && step.told == step.expected, "{step:?}");
    }
    for all in [whole, reset] {
        assert_eq!((all.shown.len(), all.search.as_str()), (all.rows, ""), "{all:?}");
    }
    let place = |name: &str| whole.heads.iter().position(|head| head == name).unwrap();
    for step in [chosen, again] {
        let ids: BTreeSet<&str> = step.shown.iter().map(|cells| cells[place("id")].as_str()).collect();
        assert_eq!((ids, step.shown.len()), (fixed.iter().map(String::as_str).collect(), fixed.len()));
        for cells in &step.shown {
            assert!(["fail", "warn"].contains(&cells[place("wrong agent")].as_str()), "{cells:?}");
            assert_eq!(cells[place("fixed")], "pass", "{cells:?}");
        }
        assert_eq!(step.search, "?A=wrong+agent&A-is=fail&B=fixed&B-is=pass");
    }

    // The command line finds the same.
    let ran = run(&["--where", "wrong agent=fail", "--where", "fixed=pass", "--report", "json"]);
    let matrix: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(matrix["requirements"].as_array().unwrap().len(), fixed.len(), "{}", ran.stderr);
}

#[test]
fn a_page_without_results_can_be_used() {
    let Some(browser) = BROWSER.ready() else { return };
    let page = FOUND.file("not-run.html");
    let ran = program::run(&["check", "http://127.0.0.1:1", "--report", &format!("html={page}")], &[]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for opened in open(browser, &[&page]) {
        assert_right(&opened);
        assert_eq!(opened.rows, 0, "{opened:?}");
    }
}

/// The most times that of 20 results which the first paint of 5,000 may take: their first screens are alike. How long it takes is
/// measured by `cargo bench --bench pages`.
const MOST_TIMES: f64 = 20.0;

#[test]
fn a_page_of_5000_results_is_there_about_as_soon_as_one_of_20() {
    let Some(browser) = BROWSER.ready() else { return };
    let opened = open(browser, &[&with_results(20), &with_results(5_000)]);
    let [few, many] = opened.as_slice() else { panic!("{opened:?}") };
    println!("the first paint of 20 results took {:.0} ms, of 5,000 {:.0} ms", few.paint, many.paint);
    assert_right(many);
    assert!(many.rows > 5_000, "{many:?}");
    assert!(many.paint < MOST_TIMES * few.paint, "{:.0} ms, and {:.0} ms", few.paint, many.paint);
}

/// What looks for mistakes finds them.
#[test]
fn a_wrong_page_is_found() {
    let Some(browser) = BROWSER.ready() else { return };
    let page = std::fs::read_to_string(with_results(20)).unwrap();
    // The policy of a page lets no other script run, a spoiled one included.
    let page = page.replace("Content-Security-Policy", "no-policy");
    let spoiled = [
        ("script", page.replace("form.hidden = false;", "nothing.here = false;")),
        ("px wide", page.replace("</h1>", &format!("</h1><p style=\"white-space: pre\">{}</p>", "wide ".repeat(400)))),
        ("verdict", page.replace("const fits = ", "const fits = () => true; const never = ")),
        ("axe-core", page.replace("</h1>", "</h1><p style=\"color: #ccc; background: #fff\">pale</p>")),
        ("keyboard", page.replace("</h1>", "</h1><p inert><button>unreachable</button></p>")),
        ("paper", page.replace("@media print {", "@media print { pre { white-space: pre !important; }")),
    ];
    let files = spoiled.iter().enumerate().map(|(number, (expected, text))| {
        assert_ne!(*text, page, "{expected}");
        FOUND.write(&format!("spoiled-{number}.html"), text)
    });
    let files: Vec<String> = files.collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for ((expected, _), opened) in spoiled.iter().zip(open(browser, &files)) {
        assert!(opened.wrong.iter().any(|wrong| wrong.contains(expected)), "{expected}: {opened:?}");
    }
}

/// The pictures of the documents can be taken: `A2ASPEC_PICTURES=docs cargo test --test program foreign pictures` takes them anew.
#[test]
fn pictures_are_small() {
    let Some(browser) = BROWSER.ready() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var("A2ASPEC_PICTURES").map_or_else(|_| FOUND.path().to_owned(), |folder| root.join(folder));
    for (name, scheme) in [("report.png", "light"), ("report-dark.png", "dark")] {
        let picture = folder.join(name).display().to_string();
        let sizes: Vec<u64> = BROWSER.ask("picture.mjs", &[browser, &FOUND.file("report.html"), &picture, scheme]);
        assert!((10_000..150_000).contains(&sizes[0]), "{name}: {sizes:?}");
    }
}
