//! Runs with something beside the cases: a verdict that changes is reported with both outcomes.

use super::*;
use crate::report::root_causes::RootKind;
use crate::verdict::Without;

/// How long the agent takes for a message.
const WORK: Duration = Duration::from_millis(20);
/// The case about which the agents are wrong.
const UNKNOWN: &str = "get/unknown-id";
/// Where the other replica of an agent is.
const OTHER: &[&str] = &["http://other.example/"];

/// How a case came out with what went on beside it, and without.
fn both(report: &Report, case: &str) -> (Verdict, Option<Verdict>) {
    let result = report.results.iter().find(|result| result.case == case).unwrap();
    (result.verdict, result.without.map(|without| without.verdict))
}

fn root_causes(report: &Report) -> Vec<RootKind> {
    report.root_causes.iter().map(|cause| cause.kind).collect()
}

/// An agent that finds any task while it works on a message.
fn confused_at_work() -> impl Fn(&Outgoing) -> Reply + Send + Sync + 'static {
    let small = Small { is_quick: true, ..Small::default() };
    let last = Mutex::new(None::<Instant>);
    move |request| {
        let mut last = last.lock().unwrap();
        if method(request) == "SendMessage" {
            *last = Some(Instant::now());
            return small.answer(request).late(WORK);
        }
        let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let is_known = call["params"]["id"].as_str().is_some_and(|id| id.starts_with("task-"));
        let is_at_work = last.is_some_and(|last| last.elapsed() < WORK);
        match method(request) == "GetTask" && !is_known && is_at_work {
            true => Reply::json(200, &error(&call["id"], -32603)),
            false => small.answer(request),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_fails_beside_traffic_is_run_again_without() {
    let run = async |beside| {
        let run = Run { beside, ..of(&["get/repeatable", UNKNOWN]) };
        run.against(confused_at_work()).await.0
    };
    let quiet = run(None).await;
    assert_eq!(both(&quiet, UNKNOWN), (Verdict::Pass, None), "by itself it is right");
    let report = run(Some(Beside::Load(400))).await;
    assert_eq!(both(&report, UNKNOWN), (Verdict::Fail, Some(Verdict::Pass)));
    assert_eq!(both(&report, "get/repeatable"), (Verdict::Pass, None), "what passes is not run again");
    assert_eq!(root_causes(&report), [RootKind::FailsUnderLoad]);
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Fails, "what was seen to be wrong is wrong");
    let note = report.target.interfaces[0].note.as_deref().unwrap_or_default();
    assert!(note.contains("400 requests a second") && note.ends_with(" 0 without a result"), "{note}");
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_anyway_has_no_cause_beside_it() {
    let small = Small { is_quick: true, ..Small::default() };
    let run = Run { beside: Some(Beside::Load(10)), ..of(&[UNKNOWN]) };
    let (report, _) = run
        .against(move |request| {
            let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            match method(request) == "GetTask" && !call["params"]["id"].as_str().unwrap_or_default().contains("task-") {
                true => Reply::json(200, &error(&call["id"], -32603)),
                false => small.answer(request),
            }
        })
        .await;
    assert_eq!(both(&report, UNKNOWN), (Verdict::Fail, Some(Verdict::Fail)));
    assert_eq!(root_causes(&report), []);
}

#[tokio::test(start_paused = true)]
async fn what_depends_on_the_replica_is_run_again_over_one() {
    let run = async |is_shared: bool| {
        let stores = [false, true].map(|_| Small { is_quick: true, ..Small::default() });
        let asked = Arc::new(Mutex::new([0, 0]));
        let counted = Arc::clone(&asked);
        let agent = move |request: &Outgoing| {
            let at = usize::from(request.url.starts_with(OTHER[0]));
            counted.lock().unwrap()[at] += 1;
            stores[if is_shared { 0 } else { at }].answer(request)
        };
        let cases = &["get/repeatable", UNKNOWN];
        let run = Run { beside: Some(Beside::Replicas), replicas: OTHER, ..of(cases) };
        let report = run.against(agent).await.0;
        let asked = *asked.lock().unwrap();
        (report, asked)
    };
    let (report, asked) = run(true).await;
    assert!(report.results.iter().all(|result| result.without.is_none()), "{:?}", told(&report));
    assert!(asked.iter().all(|count| *count > 1), "{asked:?}");
    assert_eq!(root_causes(&report), []);

    let (report, _) = run(false).await;
    assert_eq!(both(&report, "get/repeatable"), (Verdict::Fail, Some(Verdict::Pass)));
    assert_eq!(both(&report, UNKNOWN), (Verdict::Pass, None), "no replica has it");
    assert_eq!(root_causes(&report), [RootKind::DiffersByReplica]);
    let result = report.results.iter().find(|result| result.case == "get/repeatable").unwrap();
    let without = Without { condition: SideCondition::Replicas, verdict: Verdict::Pass };
    assert_eq!(
        (result.without, result.told_again().as_deref()),
        (Some(without), Some("it passed with the first replica alone"))
    );
}
