//! Parts that belong together, and such as do not.

use super::*;
use crate::report::lock::LockInfo;
use crate::report::{json, sample};

const FILES: [&str; 3] = ["1.json", "2.json", "3.json"];

/// The report of a part, as a file.
fn part(shard: usize, of: usize, report: Report) -> (String, String) {
    let started = report.started.clone();
    let info = ShardInfo {
        shard,
        of,
        plan: "0123456789abcdef".to_owned(),
        every_case: false,
        url: report.target.url.clone(),
        started,
        duration_ms: report.duration_ms,
        messages_sent: report.messages_sent,
    };
    (FILES[shard - 1].to_owned(), json::render(&Report { shards: vec![info], ..report }))
}

/// The same report without its gate, which a merge makes anew, cut into so many parts; cases that are in all are by this prefix.
fn parts(whole: &Report, of: usize, observing: &str) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    for shard in 1..=of {
        let mut own = Report { gate: None, ..whole.clone() };
        let mut index = 0;
        own.results.retain(|result| {
            index += 1;
            result.case.starts_with(observing) || index % of == shard - 1
        });
        let cases: BTreeSet<String> = own.results.iter().map(|result| result.case.clone()).collect();
        own.requirements.retain_mut(|rule| {
            rule.cases.retain(|case| cases.contains(case));
            rule.checks.retain(|check| cases.contains(&check.case));
            !rule.cases.is_empty()
        });
        own.cases.retain(|case| cases.contains(&case.id));
        parts.push(part(shard, of, own));
    }
    parts
}

fn merge(texts: &[(String, String)]) -> Result<Report, MergeError> {
    super::merge(texts, &crate::suite::library(None).unwrap())
}

fn verdicts(report: &Report) -> Vec<(&str, Verdict, usize)> {
    report.results.iter().map(|result| (result.case.as_str(), result.verdict, result.findings.len())).collect()
}

#[test]
fn a_report_is_read_back_as_it_was_written() {
    for mut report in
        [sample::full(), sample::clean(), sample::stream(), sample::grpc(), sample::interrupted(), sample::flaky()]
    {
        (report.gate, report.fuzz) = (None, None);
        let text = json::render(&report);
        let mut read: Report = saved::read("report.json", &text).unwrap();
        read.problems = problems::find(&read.results, &read.requirements);
        assert_eq!(json::render(&read), text);
    }
}

#[test]
fn what_clients_lose_is_lost_in_the_whole() {
    let lock = LockInfo { file: "card.lock.json".to_owned(), lost: vec!["the skill \"a\" is gone".to_owned()] };
    let whole = Report { lock: Some(lock), ..sample::full() };
    let merged = merge(&parts(&whole, 2, "jsonrpc/")).unwrap();
    assert_eq!(merged.lock, whole.lock);
    let schema = jsonschema::draft202012::new(&serde_json::from_str(json::SCHEMA).unwrap()).unwrap();
    assert!(schema.is_valid(&serde_json::from_str(&json::render(&merged)).unwrap()));
}

#[test]
fn parts_put_together_are_the_whole() {
    let whole = sample::full();
    let schema = jsonschema::draft202012::new(&serde_json::from_str(json::SCHEMA).unwrap()).unwrap();
    for of in 1..=3 {
        let parts = parts(&whole, of, "jsonrpc/");
        let merged = merge(&parts).unwrap();
        for text in parts.iter().map(|(_, text)| text).chain([&json::render(&merged)]) {
            let report = serde_json::from_str(text).unwrap();
            let wrong: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
        assert_eq!(
            verdicts(&merged).iter().map(|it| (it.0, it.1)).collect::<Vec<_>>(),
            verdicts(&whole).iter().map(|it| (it.0, it.1)).collect::<Vec<_>>()
        );
        assert_eq!(merged.summary, whole.summary);
        let rules = |report: &Report| report.requirements.iter().map(|rule| rule.id.clone()).collect::<BTreeSet<_>>();
        assert_eq!(rules(&merged), rules(&whole));
        let messages = |report: &Report| report.problems.iter().map(|it| it.message.clone()).collect::<BTreeSet<_>>();
        assert_eq!(messages(&merged), messages(&whole));
        assert_eq!((merged.shards.len(), merged.messages_sent), (of, whole.messages_sent * of as u64));
        // Every exchange that a finding names is its own.
        let numbers: Vec<u64> = merged.exchanges.iter().map(|exchange| exchange.id).collect();
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
        let seen: BTreeSet<usize> = merged.results.iter().map(|result| result.shards.len()).collect();
        assert_eq!(seen, BTreeSet::from([1, of]));
    }
}

#[test]
fn parts_of_every_case_show_conformance_together() {
    let library = crate::suite::library(None).unwrap();
    let whole = sample::full();
    let of_library = conformance::parts(library.cases.values().map(AsRef::as_ref));
    let shown = conformance::of(&whole.requirements, &whole.results, &of_library);
    assert!(shown.iter().any(|shown| shown.outcome == conformance::Outcome::NotConformant), "{shown:?}");
    let of_every_case =
        |(file, text): (String, String)| (file, text.replace("\"plan\":", "\"every_case\": true, \"plan\":"));
    let parts = parts(&Report { conformance: Vec::new(), ..whole }, 3, "jsonrpc/");
    let mut every: Vec<(String, String)> = parts.iter().cloned().map(of_every_case).collect();
    assert_eq!(merge(&every).unwrap().conformance, shown);
    // One part of a selection is enough.
    every[1] = parts[1].clone();
    assert!(merge(&every).unwrap().conformance.is_empty());
}

#[test]
fn what_one_part_saw_the_run_saw() {
    let result = |verdict: Verdict, violated: &[&str]| TrialResult {
        verdict,
        violated: violated.iter().map(|name| (*name).to_owned()).collect(),
        held: vec!["a".to_owned(), "b".to_owned()],
        findings: Vec::new(),
        ..sample::stream().results[0].clone()
    };
    use Verdict::{Broken, Fail, Pass, Skipped, Unreached, Warn};
    for (one, other, wanted) in [
        (Pass, Fail, Fail),
        (Pass, Warn, Warn),
        (Warn, Fail, Fail),
        (Pass, Unreached, Pass),
        (Unreached, Broken, Broken),
        (Pass, Broken, Broken),
        (Skipped, Unreached, Unreached),
    ] {
        for (one, other) in [(one, other), (other, one)] {
            assert_eq!(both(result(one, &[]), result(other, &[])).verdict, wanted, "{one:?} {other:?}");
        }
    }
    let merged = both(result(Pass, &[]), result(Fail, &["b"]));
    assert_eq!((merged.held, merged.violated), (vec!["a".to_owned()], vec!["b".to_owned()]));
}

#[test]
fn reports_that_do_not_belong_together_are_told_apart() {
    let wrong = |texts: &[(String, String)]| merge(texts).unwrap_err().to_string();
    let whole = sample::full();
    let good = parts(&whole, 3, "jsonrpc/");
    assert_eq!(wrong(&good[..1]), "of 3 parts 2 and 3 are missing");
    assert_eq!(wrong(&good[1..]), "of 3 parts 1 is missing");
    let twice = ("again.json".to_owned(), good[1].1.clone());
    let doubled = [good[0].clone(), good[1].clone(), twice];
    assert_eq!(wrong(&doubled), "2.json and again.json are both part 2 of 3");
    let change = |from: &str, to: &str| {
        let mut texts = good.clone();
        assert!(texts[1].1.contains(from), "{from}");
        texts[1].1 = texts[1].1.replace(from, to);
        wrong(&texts)
    };
    let version = format!("\"version\": \"{}\"", Tool::default().version);
    let other = change(&version, "\"version\": \"9.9.9\"");
    assert!(other.starts_with("2.json was made by a2aspec 9.9.9, and this is "), "{other}");
    assert!(change("0123456789abcdef", "fedcba9876543210").starts_with("2.json is a part of another plan than 1.json"));
    assert!(change("\"of\": 3", "\"of\": 4").starts_with("2.json is a part of another plan than 1.json"));
    let name = format!("\"name\": {:?}", whole.target.name.as_deref().unwrap());
    let agent = change(&name, "\"name\": \"Another\"");
    assert!(agent.starts_with("2.json is about another agent than 1.json: Another, not "), "{agent}");
    let no_part = [("whole.json".to_owned(), json::render(&whole))];
    assert!(wrong(&no_part).contains("is not the report of a part"));
    assert!(wrong(&[("x.json".to_owned(), "{".to_owned())]).contains("is no JSON report"));
}
