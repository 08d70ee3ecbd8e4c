use std::collections::BTreeMap;

use super::*;
use crate::case::{Action, Asserts, Catalogue, Fixture, Goal, OracleCall, Requirement, Trigger};
use crate::finding::{Finding, Kind};
use crate::profile::Binding;
use crate::report::sample;
use crate::verdict::Level;
use crate::yaml;

const CATALOGUE: &str = "
catalogue: '1.0'
title: for tests
source: none
requirements:
  - { id: 1.0-3.10-1, section: '3.10', level: MUST, text: ten, cases: [a/one, b/two] }
  - { id: 1.0-3.2-1, section: '3.2', level: SHOULD, text: two, cases: [b/two] }
  - { id: 1.0-3.1-1, section: '3.1', level: MAY, text: one, cases: [b/two] }
";

fn requirements(ids: &[&str]) -> Vec<Arc<Requirement>> {
    let catalogue: Catalogue = yaml::read("test", CATALOGUE).unwrap();
    catalogue.requirements.into_iter().filter(|requirement| ids.contains(&requirement.id.value.as_str())).collect()
}

fn trial(case: &str, profile: &str, rules: &[&str], skipped: Option<&str>) -> Arc<Trial> {
    let fixture = Fixture { task: Goal::Working, trigger: Trigger::Slow, fresh: false, count: 1 };
    let requirements = requirements(rules);
    Arc::new(Trial {
        case: Arc::new(Case {
            id: case.into(),
            title: format!("what {case} checks"),
            why: "because".into(),
            right: String::new(),
            wrong: String::new(),
            fix: "do better".into(),
            needs: Vec::new(),
            without: Vec::new(),
            bindings: Vec::new(),
            across: false,
            extension: Vec::new(),
            dialects: Vec::new(),
            claim: false,
            object: None,
            given: BTreeMap::from([("task".to_owned(), fixture)]),
            webhooks: BTreeMap::new(),
            action: Action::Steps(Vec::new()),
            holds: Vec::new(),
            own: None,
            file: "test".into(),
            at: String::new(),
            beyond: Vec::new(),
        }),
        level: requirements.iter().map(|requirement| requirement.level).min().unwrap_or(Level::May),
        requirements,
        interface: 0,
        second: None,
        other: None,
        profile: profile.into(),
        binding: Binding::Jsonrpc,
        skipped: skipped.map(|capability| Reason::NotDeclared { capability: capability.to_owned() }),
    })
}

fn result(trial: &Trial, verdict: Verdict) -> TrialResult {
    TrialResult {
        case: trial.case.id.clone(),
        title: trial.case.title.clone(),
        requirements: trial.requirements.iter().map(|requirement| requirement.id.value.clone()).collect(),
        level: trial.level,
        section: trial.sections(),
        profile: trial.profile.clone(),
        binding: trial.binding.to_string(),
        verdict,
        reason: None,
        held: if verdict == Verdict::Pass { vec!["result".to_owned()] } else { Vec::new() },
        violated: Vec::new(),
        findings: Vec::new(),
        findings_left_out: 0,
        steps: Vec::new(),
        steps_left_out: 0,
        again: Vec::new(),
        without: None,
        foreign: None,
        shards: BTreeMap::new(),
        times: None,
    }
}

fn builder(secret: &str, trials: &[Arc<Trial>]) -> ReportBuilder {
    let secrets = Secrets::new(vec![secret.into()]);
    let (url, command) = ("http://a.example", "a2aspec check http://a.example");
    let plan = Arc::new(Plan { trials: trials.to_vec() });
    let mut builder = ReportBuilder::new(url, command, plan, secrets, jiff::Timestamp::UNIX_EPOCH);
    let target = TargetInfo { url: url.into(), ..TargetInfo::default() };
    builder.see(&Event::Met(target));
    builder
}

#[test]
fn a_whole_run() {
    let trials = [
        trial("b/two", "1.0", &["1.0-3.10-1", "1.0-3.2-1", "1.0-3.1-1"], None),
        trial("a/one", "1.0", &["1.0-3.10-1"], None),
        trial("a/one", "0.3", &["1.0-3.10-1"], None),
    ];
    let mut builder = builder("hunter22", &trials);
    let exchanges =
        [3, 4].map(|number| Arc::new(sample::exchange(number, "b/two", "{\"token\":\"hunter22\"}", Some("{}"))));
    for exchange in &exchanges {
        builder.see(&Event::Exchanged(Arc::clone(exchange)));
    }
    let mut failed = result(&trials[0], Verdict::Fail);
    failed.violated = vec!["it".to_owned()];
    failed.findings = vec![
        Finding::new(Kind::ErrorInStream { error: "it said hunter22".into() })
            .at(4, "/a")
            .compare("silence", "\"hunter22\""),
    ];
    builder.see(&Event::Finished { result: Box::new(failed), cited: exchanges.to_vec() });
    builder.see(&Event::Finished { result: Box::new(result(&trials[1], Verdict::Pass)), cited: Vec::new() });
    builder.see(&Event::Finished { result: Box::new(result(&trials[2], Verdict::Pass)), cited: Vec::new() });
    builder.see(&Event::Done { messages_sent: 9, stopped: None });
    let report = builder.finish(Duration::from_millis(1_234));

    let order: Vec<_> = report.results.iter().map(|result| (result.profile.as_str(), result.case.as_str())).collect();
    assert_eq!(order, [("0.3", "a/one"), ("1.0", "a/one"), ("1.0", "b/two")]);
    let rules: Vec<_> = report
        .requirements
        .iter()
        .map(|rule| (rule.profile.as_str(), rule.id.as_str(), rule.verdict, rule.cases.len()))
        .collect();
    assert_eq!(
        rules,
        [
            ("0.3", "1.0-3.10-1", Verdict::Pass, 1),
            ("1.0", "1.0-3.1-1", Verdict::Note, 1),
            ("1.0", "1.0-3.2-1", Verdict::Warn, 1),
            ("1.0", "1.0-3.10-1", Verdict::Fail, 2),
        ]
    );
    assert_eq!(report.exchanges.iter().map(|exchange| exchange.id).collect::<Vec<_>>(), [4]);
    assert!(!serde_json::to_string(&report).unwrap().contains("hunter22"));
    assert_eq!(report.exchanges[0].request.body.text(), "{\"token\":\"***\"}");
    assert_eq!(
        report.cases,
        [CaseInfo {
            id: "b/two".into(),
            why: "because".into(),
            fix: "do better".into(),
            triggers: vec![Trigger::Slow],
            rerun: vec![Rerun {
                profile: "1.0".into(),
                binding: "jsonrpc".into(),
                command: "a2aspec check http://a.example --only b/two --profile 1.0 --binding jsonrpc".into(),
            }],
        }]
    );
    assert_eq!((report.messages_sent, report.duration_ms, report.stopped), (9, 1_234, None));
    assert_eq!(report.started, "1970-01-01T00:00:00.000Z");
    assert_eq!((report.summary.must.pass, report.summary.must.fail), (2, 1));
}

#[test]
fn an_interrupted_run_counts_the_rest_as_unreached() {
    let trials = [
        trial("a/one", "1.0", &["1.0-3.10-1"], None),
        trial("b/two", "1.0", &["1.0-3.10-1"], None),
        trial("c/three", "1.0", &["1.0-3.2-1"], Some("the card does not declare streaming")),
    ];
    let mut builder = builder("", &trials);
    builder.see(&Event::Finished { result: Box::new(result(&trials[0], Verdict::Pass)), cited: Vec::new() });
    let report = builder.finish(Duration::ZERO);
    let verdicts: Vec<_> = report.results.iter().map(|result| result.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Unreached, Verdict::Skipped]);
    assert_eq!(report.results[1].reason, Some(Reason::NotRun));
    assert_eq!(report.stopped, Some(Stopped::Interrupted));
    let rules: Vec<_> = report.requirements.iter().map(|rule| rule.verdict).collect();
    assert_eq!(rules, [Verdict::Skipped, Verdict::Unreached]);
}

#[test]
fn a_run_that_found_nothing_has_a_report() {
    let report = builder("", &[]).finish(Duration::ZERO);
    assert_eq!(report.target.url, "http://a.example");
    assert!(report.results.is_empty() && report.stopped.is_some());
}

/// What an observing case has seen in answers to a case across two bindings takes both to be seen again.
#[test]
fn a_line_names_the_cases_that_made_what_was_seen_and_their_bindings() {
    let change = |trial: Arc<Trial>, change: &dyn Fn(&mut Trial)| {
        let mut trial = Arc::unwrap_or_clone(trial);
        change(&mut trial);
        Arc::new(trial)
    };
    let across = change(trial("a/one", "1.0", &["1.0-3.10-1"], None), &|trial| trial.other = Some(Binding::Grpc));
    let observing = change(trial("b/two", "1.0", &["1.0-3.10-1"], None), &|trial| {
        let (args, asserts) = (serde_json::Value::Null, Asserts::One);
        let call = OracleCall { name: "answered".into(), args, asserts, at: String::new() };
        Arc::make_mut(&mut trial.case).action = Action::Observe(call);
    });
    let mut builder = builder("", &[across, Arc::clone(&observing)]);
    let exchange = Arc::new(sample::exchange(3, "a/one", "{}", Some("{}")));
    let mut failed = result(&observing, Verdict::Fail);
    failed.findings = vec![Finding::new(Kind::ErrorInStream { error: "it".into() }).in_exchange(3)];
    builder.see(&Event::Finished { result: Box::new(failed), cited: vec![exchange] });
    let report = builder.finish(Duration::ZERO);
    let lines = report.cases.iter().find(|case| case.id == "b/two").unwrap();
    assert_eq!(
        lines.rerun[0].command,
        "a2aspec check http://a.example --only b/two --only a/one --profile 1.0 --binding jsonrpc --binding grpc"
    );
}
