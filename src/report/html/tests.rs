//! Pages of reports, small and large.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::auth::Credentials;
use crate::event::Event;
use crate::interface::{Interface, Listed};
use crate::plan::{self, Means, Selection};
use crate::profile::{self, Binding, Capability, Profile};
use crate::report::builder::ReportBuilder;
use crate::report::sample;
use crate::secrets::Secrets;
use crate::verdict::{Times, Verdict};

/// What stands between the head, which all pages share, and the script.
fn body(page: &str) -> &str {
    page.split("<main>\n").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap()
}

#[test]
fn every_verdict() {
    insta::assert_snapshot!(body(&render(&sample::full())));
}

#[test]
fn a_run_without_findings() {
    insta::assert_snapshot!(body(&render(&sample::clean())));
}

#[test]
fn who_may_do_what() {
    let page = render(&sample::secured());
    let section = page.split("<h2 id=\"security\">").nth(1).and_then(|rest| rest.split("</section>").next());
    insta::assert_snapshot!(section.unwrap());
}

#[test]
fn every_link_leads_to_one_place() {
    let page = render(&sample::full());
    assert!(page.matches("href=\"#").count() > 5);
    assert_links_lead_to_one_place(&page);
}

fn assert_links_lead_to_one_place(page: &str) {
    let quoted = |before| page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect::<Vec<_>>();
    let places = quoted(" id=\"");
    let unique: BTreeSet<&str> = places.iter().copied().collect();
    assert_eq!(unique.len(), places.len(), "{places:?}");
    for link in quoted("href=\"#") {
        assert!(unique.contains(link), "{link}");
    }
}

#[test]
fn every_tag_is_closed() {
    for report in [sample::full(), sample::clean(), sample::interrupted(), sample::secured()] {
        assert_eq!(crate::page::unbalanced(&render(&report)), None);
    }
}

#[test]
fn nothing_of_an_agent_is_markup() {
    let mut report = sample::full();
    report.target.url = "http://a/<script>alert(1)</script>".to_owned();
    report.target.name = Some("\u{202e}<b>".to_owned());
    for exchange in &mut report.exchanges {
        exchange.request.url = "http://a/'\"<img src=x>".to_owned();
    }
    let page = render(&report);
    assert!(!body(&page).contains("<script") && !page.contains("<img") && !page.contains('\u{202e}'));
}

/// The most bytes of a page.
const MOST: usize = 3_000_000;

/// The page of a run of every case there is, over every binding of every version, in which each comes out like this.
fn page_of_everything(verdict: Verdict) -> String {
    let library = crate::suite::library(None).unwrap();
    let profiles = profile::bundled().unwrap();
    let interfaces = profiles.iter().flat_map(|profile| {
        Binding::ALL
            .into_iter()
            .filter_map(|binding| Interface::new(profile, binding, "http://127.0.0.1:8080/".to_owned()))
    });
    let interfaces: Vec<Listed> = interfaces.map(Listed::named).collect();
    let capabilities: BTreeSet<Capability> = library.cases.values().flat_map(|case| &case.needs).copied().collect();
    let all = |profile: &Arc<Profile>| (profile.name().to_owned(), capabilities.clone());
    let declared = profiles.iter().map(all).collect();
    let credentials = Credentials::default();
    let means = Means { has_webhooks: true, lets_in_by_certificate: true, credentials: &credentials };
    let plan = plan::make(&library, &interfaces, &declared, &Selection::default(), means).unwrap();
    let (url, start) = ("http://127.0.0.1:8080/", jiff::Timestamp::UNIX_EPOCH);
    let mut builder = ReportBuilder::new(url, "a2aspec check", Arc::new(plan.clone()), Secrets::default(), start);
    let finding = sample::stream().results[0].findings[0].clone();
    for trial in plan.trials {
        let mut result = trial.result(verdict, None, Vec::new());
        let took = Duration::from_millis(150);
        result.times = Some(Times::new(took, took, took));
        if verdict.is_violation() {
            result.violated = trial
                .requirements
                .iter()
                .flat_map(|rule| rule.checks_of(&trial.case.id))
                .map(|check| check.assertion.clone().unwrap_or_else(|| "result".to_owned()))
                .collect();
            result.findings = vec![finding.clone()];
        }
        builder.see(&Event::Finished { result: Box::new(result), cited: Vec::new() });
    }
    render(&builder.finish(Duration::from_secs(20)))
}

/// The rows of results.
fn rows(page: &str) -> impl Iterator<Item = &str> {
    let results = page.split("<h2 id=\"results\">").nth(1).and_then(|rest| rest.split("</section>").next());
    results.into_iter().flat_map(|results| results.split("<tr id=").skip(1))
}

#[test]
fn a_page_of_every_case_in_every_version_leaves_out_nothing() {
    let page = page_of_everything(Verdict::Pass);
    let rows = rows(&page).count();
    assert!(rows > 6_000, "{rows}");
    assert!(page.len() < MOST && !page.contains("so that the page stays under"), "{} bytes", page.len());
}

#[test]
fn a_page_names_what_it_has_no_room_for() {
    let page = page_of_everything(Verdict::Fail);
    assert!(page.len() < MOST, "{} bytes", page.len());
    assert!(page.contains(" results have no row here, so that the page stays under 3 MB."));
    assert_links_lead_to_one_place(&page);
    // Whatever the room is, what has none is counted.
    let report = sample::full();
    let whole = render(&report);
    let [of_problem, of_exchange] = ["<summary>As an issue", "<details id=\"exchange-"];
    let count = |page: &str, what: &str| page.matches(what).count();
    let (problems, exchanges, results) = (count(&whole, of_problem), report.exchanges.len(), report.results.len());
    let mut seen = BTreeSet::new();
    for room in (0..=whole.len()).step_by(500) {
        let page = within(&report, room);
        assert_eq!(crate::page::unbalanced(&page), None, "{room}");
        assert_links_lead_to_one_place(&page);
        let left_out = |lacks: &str| {
            let before = page.split(lacks).next().filter(|before| before.len() < page.len());
            let number =
                before.and_then(|before| before.rsplit("<p>").next()?.split(' ').next()?.parse::<usize>().ok());
            number.unwrap_or_default()
        };
        assert_eq!(count(&page, of_problem) + left_out(" no evidence here"), problems, "{room}");
        assert_eq!(count(&page, of_exchange) + left_out(" no room here"), exchanges, "{room}");
        let rows = rows(&page).count();
        assert_eq!(rows + left_out(" no row here"), results, "{room}");
        seen.insert((count(&page, of_problem), count(&page, of_exchange), rows));
    }
    assert!(seen.len() > 3, "{seen:?}");
}

/// What is wrong is shown before what is right.
#[test]
fn of_the_results_those_that_are_wrong_come_first() {
    let mut report = sample::full();
    (report.exchanges, report.problems) = (Vec::new(), Vec::new());
    let whole = render(&report);
    let verdicts = |page: &str| {
        let verdicts = rows(page).filter_map(|row| row.split("<b class=\"").nth(1)?.split('"').next());
        verdicts.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(verdicts(&whole).iter().any(|verdict| verdict == "pass"));
    let shown = verdicts(&within(&report, whole.len() - 1));
    assert!(shown.len() < report.results.len(), "{shown:?}");
    let wrong = |shown: &[String]| shown.iter().filter(|verdict| *verdict == "fail").count();
    assert_eq!(wrong(&shown), wrong(&verdicts(&whole)), "{shown:?}");
}
