//! The fuzzer, held against the reference agent: nothing is found in what is right, and what is planted is found.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::{Config, Fault, RunningAgent, Tenant, User};
use a2aspec::Suite;
use a2aspec::auth::{Caller, Identity};
use a2aspec::fuzz::{Budget, Phase};
use a2aspec::profile::{Binding, Operation};
use a2aspec::report::Report;
use a2aspec::suite::{Fuzzed, library};
use a2aspec::verdict::{Level, Verdict};

/// So that a hunt ends by the number of its requests, however slow the machine is.
const LONG: Duration = Duration::from_secs(600);

/// How long an answer is waited for: what stays unanswered takes as long, and what is answered comes within it on a machine with much
/// else to do.
const TIMEOUT: Duration = Duration::from_secs(6);

fn budget(requests: u64, seed: u64) -> Budget {
    Budget { requests: Some(requests), ..Budget::lasting(LONG, seed) }
}

/// A budget that is spent only if nothing is found.
fn until_found(requests: u64, seed: u64) -> Budget {
    Budget { ends_at: Some(Level::May), ..budget(requests, seed) }
}

async fn start(faults: &[&str]) -> RunningAgent {
    start_slow(faults, Duration::from_millis(300)).await
}

/// An agent whose long work takes so long.
async fn start_slow(faults: &[&str], slow: Duration) -> RunningAgent {
    let faults = faults.iter().map(|id| Fault::find(id).unwrap()).collect();
    let config = Config { faults, slow, ..Config::default() };
    a2a_reference_agent::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap()
}

async fn fuzz(agent: &RunningAgent, profile: &str, budget: &Budget) -> Fuzzed {
    fuzz_over(agent, (profile, None), budget).await
}

/// The same over one binding alone, where one is named.
async fn fuzz_over(agent: &RunningAgent, (profile, binding): (&str, Option<Binding>), budget: &Budget) -> Fuzzed {
    let suite = Suite::builder(agent.url()).profiles([profile]).bindings(binding).timeout(TIMEOUT);
    let suite = agent.bases().into_iter().fold(suite, |suite, (profile, base)| suite.card_of(profile, base));
    let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
    suite.fuzz(budget, |_| {}, |_| {}).await.unwrap()
}

/// The headlines of what a report tells, with the operations.
fn told(report: &Report) -> Vec<String> {
    let wrong =
        report.results.iter().filter(|result| matches!(result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Note));
    wrong
        .map(|result| {
            let headline = result.findings.first().map(a2aspec::finding::Finding::headline).unwrap_or_default();
            format!("{} {}: {headline}", result.verdict.name(), result.title)
        })
        .collect()
}

/// What no list of changes has: that an answer is not what its request asked for, or what is shown not what was sent.
#[tokio::test]
async fn an_answer_that_contradicts_its_request_is_found() {
    for (fault, headline) in [
        ("list/borders-lost", "pages of another size have other tasks, or another order (ListTasks)"),
        (
            "push/list-keeps-what-is-deleted",
            "a list changed in another way than by the request between: it has fewer items than it should (ListTaskPushNotificationConfigs)",
        ),
        ("list/other-contexts", "a list has items that its `contextId` excludes (ListTasks)"),
    ] {
        let agent = start(&[fault]).await;
        let budget = Budget { phases: vec![Phase::Across], ..until_found(1500, 3) };
        let fuzzed = fuzz(&agent, "1.0", &budget).await;
        let told = told(&fuzzed.report);
        assert!(told.iter().any(|line| line.starts_with("fail ") && line.ends_with(headline)), "{fault}: {told:#?}");
        agent.stop().await;
    }
}

#[tokio::test]
async fn nothing_is_found_in_an_agent_that_is_right() {
    let agent = start(&[]).await;
    for profile in a2aspec::profile::bundled().unwrap() {
        let fuzzed = fuzz(&agent, profile.name(), &budget(300, 11)).await;
        assert_eq!(told(&fuzzed.report), Vec::<String>::new(), "{}", profile.name());
        let info = fuzzed.report.fuzz.unwrap();
        assert!(info.requests >= 300 && info.dead.is_none(), "{}: {info:?}", profile.name());
    }
    agent.stop().await;
}

/// An agent with tenants, and what a hunt over the interfaces of one of them finds.
async fn fuzz_for_tenant(faults: &[&str], binding: Option<Binding>, budget: &Budget) -> (RunningAgent, Fuzzed) {
    let faults = faults.iter().map(|id| Fault::find(id).unwrap()).collect();
    let slow = Duration::from_millis(300);
    let config = Config { tenants: Tenant::two().to_vec(), faults, slow, ..Config::default() };
    let agent = a2a_reference_agent::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
    let suite = Suite::builder(agent.url()).tenant("acme").bindings(binding).timeout(TIMEOUT);
    let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
    let fuzzed = suite.fuzz(budget, |_| {}, |_| {}).await.unwrap();
    (agent, fuzzed)
}

/// Two callers at an agent with users, and what a hunt finds that knows the tokens of these.
///
/// Ids that tell nothing of others let what the second one makes be asked for by the first, too.
async fn fuzz_as(faults: &[&str], (own, other): (&str, &str), profile: &str, budget: &Budget) -> Fuzzed {
    fuzz_with_ids(faults, (own, other), true, profile, budget).await
}

/// The same of an agent that scatters its ids, or counts them for each caller.
async fn fuzz_with_ids(
    faults: &[&str],
    (own, other): (&str, &str),
    scatters_ids: bool,
    profile: &str,
    budget: &Budget,
) -> Fuzzed {
    let faults = faults.iter().map(|id| Fault::find(id).unwrap()).collect();
    let (users, slow) = (User::known_to_faults().to_vec(), Duration::from_millis(300));
    let config = Config { faults, slow, users, scatters_ids, ..Config::default() };
    let agent = a2a_reference_agent::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
    let suite = Suite::builder(agent.url()).profiles([profile]).timeout(TIMEOUT);
    let suite = agent.bases().into_iter().fold(suite, |suite, (profile, base)| suite.card_of(profile, base));
    let identities = [(Caller::Own, own), (Caller::Other, other)];
    let suite = identities.into_iter().fold(suite, |suite, (caller, token)| {
        let identity = Identity::at(agent.url(), format!("Bearer {token}"));
        suite.identity_of(caller, identity.unwrap())
    });
    let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
    let fuzzed = suite.fuzz(budget, |_| {}, |_| {}).await.unwrap();
    agent.stop().await;
    fuzzed
}

#[tokio::test]
async fn what_is_kept_from_another_caller_is_no_finding() {
    let budget = Budget { phases: vec![Phase::Sequences], ..budget(500, 11) };
    for profile in a2aspec::profile::bundled().unwrap() {
        for scatters_ids in [true, false] {
            let fuzzed = fuzz_with_ids(&[], ("reference", "another"), scatters_ids, profile.name(), &budget).await;
            assert_eq!(told(&fuzzed.report), Vec::<String>::new(), "{} {scatters_ids}", profile.name());
        }
    }
}

/// What the second caller has made, the first one asks for.
#[tokio::test]
async fn a_task_that_is_shown_in_one_direction_alone_is_found() {
    let operations = vec![Operation::SendMessage, Operation::GetTask];
    let budget = Budget { phases: vec![Phase::Sequences], operations, ..until_found(3000, 5) };
    let fuzzed = fuzz_as(&["planted/read-by-others-elsewhere"], ("another", "reference"), "1.0", &budget).await;
    let told = told(&fuzzed.report);
    let [line] = told.as_slice() else { panic!("{told:#?}") };
    assert!(line.starts_with("fail GetTask: a request for what belongs to another caller"), "{line}");
    let [hit] = fuzzed.hits.as_slice() else { panic!("{:#?}", fuzzed.hits) };
    assert_eq!((hit.file.matches("call: ").count(), hit.file.matches("by: other").count()), (4, 1), "{}", hit.file);
}

/// Lists of another caller are asked for through each filter, and by tokens that were given to the first.
#[tokio::test]
async fn a_list_that_shows_what_belongs_to_another_caller_is_found() {
    let operations = vec![Operation::SendMessage, Operation::ListTasks];
    let budget = Budget { phases: vec![Phase::Sequences], operations, ..until_found(3000, 5) };
    let title = |class: &str| format!("fail ListTasks: a {class}, for another caller than the one whose ");
    let faults = [
        ("shows-others-by-context", title("list")),
        ("shows-others-by-time", title("list")),
        ("pages-of-others", title("page")),
    ];
    for (fault, begin) in faults {
        let fault = format!("security/{fault}");
        let fuzzed = fuzz_as(&[&fault], ("reference", "another"), "1.0", &budget).await;
        let told = told(&fuzzed.report);
        assert!(!told.is_empty() && told.iter().all(|line| line.starts_with(&begin)), "{fault}: {told:#?}");
    }
}

/// The case about it makes the task over the binding over which it is asked for.
#[tokio::test]
async fn a_task_that_another_caller_reads_over_another_binding_is_found() {
    let fault = ["planted/read-by-others-elsewhere"];
    let operations = vec![Operation::SendMessage, Operation::GetTask];
    let budget = Budget { phases: vec![Phase::Sequences], operations, ..until_found(1500, 5) };
    let fuzzed = fuzz_as(&fault, ("reference", "another"), "1.0", &budget).await;
    let told = told(&fuzzed.report);
    let [line] = told.as_slice() else { panic!("{told:#?}") };
    assert!(line.starts_with("fail GetTask: a request for what belongs to another caller"), "{line}");
    let [hit] = fuzzed.hits.as_slice() else { panic!("{:#?}", fuzzed.hits) };
    assert!(hit.file.contains("by: other") && hit.file.contains("- unauthorized:"), "{}", hit.file);
    // Nothing but the message, and what the other caller asks for.
    assert_eq!(hit.file.matches("call: ").count(), 4, "{}", hit.file);
    let seen = &fuzzed.report.fuzz.unwrap().seen;
    assert!(seen.iter().all(|seen| seen.came == 3 && seen.again == 3), "{seen:?}");
}

/// Each operation that the version keeps from others is tried, and what is found has the level of its requirement.
#[tokio::test]
async fn whatever_is_served_to_another_caller_is_found() {
    use Operation::{
        CancelTask, CreateTaskPushNotificationConfig, DeleteTaskPushNotificationConfig, GetTask,
        GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs, ListTasks, SendMessage, SendStreamingMessage,
        SubscribeToTask,
    };
    for (hunted, silent) in [
        (vec![GetTask, SendMessage, SendStreamingMessage], vec![]),
        (vec![CancelTask, ListTasks, SubscribeToTask], vec![SendMessage]),
        (
            vec![CreateTaskPushNotificationConfig, GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs],
            // Whether a webhook was deleted is seen where its owner reads it.
            vec![SendMessage, DeleteTaskPushNotificationConfig],
        ),
    ] {
        let operations = [hunted.clone(), silent].concat();
        let budget = Budget { phases: vec![Phase::Sequences], operations, ..budget(1000, 5) };
        let fuzzed = fuzz_as(&["security/shows-others"], ("reference", "another"), "1.0", &budget).await;
        let told = told(&fuzzed.report);
        for operation in hunted {
            let begin = format!("fail {operation}: ");
            assert!(told.iter().any(|line| line.starts_with(&begin)), "{operation}: {told:#?}");
        }
    }
}

#[tokio::test]
async fn a_second_identity_that_is_missing_or_not_let_in_is_told() {
    let budget = Budget { phases: vec![Phase::Sequences], ..budget(100, 5) };
    let fuzzed = fuzz_as(&["security/shows-others"], ("reference", "no-good.expired"), "1.0", &budget).await;
    let missing = start(&[]).await;
    let alone = fuzz(&missing, "1.0", &budget).await;
    missing.stop().await;
    for (fuzzed, why) in
        [(fuzzed, "the agent refuses the second identity ("), (alone, "needs credentials: --bearer, --header or --as")]
    {
        assert_eq!(told(&fuzzed.report), Vec::<String>::new());
        let not_tried = fuzzed.report.fuzz.unwrap().not_tried;
        let is_told =
            |one: &String| one.starts_with("requests for what belongs to another caller: ") && one.contains(why);
        assert!(not_tried.iter().any(is_told), "{why}: {not_tried:?}");
    }
}

#[tokio::test]
async fn requests_are_for_the_tenant_of_the_interface() {
    let (agent, fuzzed) = fuzz_for_tenant(&[], None, &budget(300, 11)).await;
    assert_eq!(told(&fuzzed.report), Vec::<String>::new());
    let info = fuzzed.report.fuzz.unwrap();
    assert!(info.requests >= 300 && info.dead.is_none(), "{info:?}");
    let listed = async |below: &str| {
        let url = format!("{}/rest{below}/tasks", agent.url());
        let answer = reqwest::Client::builder()
            .no_proxy()
            .build()
            .unwrap()
            .get(url)
            .header("A2A-Version", "1.0")
            .send()
            .await
            .unwrap();
        let page: serde_json::Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        page["totalSize"].as_u64().unwrap()
    };
    assert_eq!(listed("").await, 0);
    assert!(listed("/acme").await > 0);
    agent.stop().await;
}

/// Over HTTP+JSON the paths of what is sent as it stands are those of the tenant.
#[tokio::test]
async fn exact_bytes_are_for_the_tenant_of_the_interface() {
    let budget = Budget { phases: vec![Phase::Boundaries], ..until_found(900, 5) };
    let faults = ["http-json/bad-bodies-are-failures"];
    let (agent, fuzzed) = fuzz_for_tenant(&faults, Some(Binding::HttpJson), &budget).await;
    let told = told(&fuzzed.report);
    assert!(
        told.iter().any(|line| line.contains("a body that breaks off") && line.contains("InternalError")),
        "{told:#?}"
    );
    agent.stop().await;
}

/// What is planted, the phase that finds it, and what is said of it.
async fn is_found(fault: &str, phase: Phase, requests: u64, words: &[&str]) -> Fuzzed {
    is_found_within(fault, &Budget { phases: vec![phase], ..until_found(requests, 5) }, words).await
}

async fn is_found_within(fault: &str, budget: &Budget, words: &[&str]) -> Fuzzed {
    let agent = start(&[fault]).await;
    let fuzzed = fuzz(&agent, "1.0", budget).await;
    let told = told(&fuzzed.report);
    assert!(told.iter().any(|line| words.iter().all(|word| line.contains(word))), "{fault}: {told:#?}");
    agent.stop().await;
    fuzzed
}

#[tokio::test]
async fn a_failure_at_one_number_is_found() {
    is_found("planted/largest-length", Phase::Boundaries, 1500, &["GetTask", "InternalError"]).await;
}

#[tokio::test]
async fn a_wrong_member_now_and_then_is_found() {
    is_found("planted/one-in-thirteen", Phase::Boundaries, 1000, &["fail", "`/contextId` of Task"]).await;
}

#[tokio::test]
async fn what_was_deleted_is_found_to_be_there() {
    let agent = start(&["planted/read-after-delete"]).await;
    let operations = vec![
        Operation::SendMessage,
        Operation::CreateTaskPushNotificationConfig,
        Operation::GetTaskPushNotificationConfig,
        Operation::DeleteTaskPushNotificationConfig,
    ];
    let budget = Budget { phases: vec![Phase::Sequences], operations, ..until_found(900, 5) };
    let told = told(&fuzz(&agent, "1.0", &budget).await.report);
    assert!(told.iter().any(|line| line.contains("deleted before")), "{told:#?}");
    agent.stop().await;
}

#[tokio::test]
async fn a_webhook_that_is_read_under_another_task_is_found() {
    let agent = start(&["planted/config-of-another-task"]).await;
    let operations = vec![
        Operation::SendMessage,
        Operation::CreateTaskPushNotificationConfig,
        Operation::GetTaskPushNotificationConfig,
    ];
    let budget = Budget { phases: vec![Phase::Sequences], operations, ..until_found(900, 5) };
    for (profile, level) in [("1.0", "fail"), ("0.3", "warn")] {
        let told = told(&fuzz(&agent, profile, &budget).await.report);
        let [line] = told.as_slice() else { panic!("{profile}: {told:#?}") };
        assert!(line.starts_with(level) && line.contains("of one task under another"), "{profile}: {line}");
    }
    agent.stop().await;
}

#[tokio::test]
async fn what_lists_and_answers_show_otherwise_than_the_task_is_found() {
    for fault in ["list/artifacts-abridged", "get/without-artifacts"] {
        is_found(fault, Phase::Across, 300, &["GetTask", "`/artifacts"]).await;
    }
}

#[tokio::test]
async fn a_request_that_stays_unanswered_is_found() {
    is_found("planted/silent-at-a-number", Phase::Boundaries, 2000, &["fail GetTask", "no response"]).await;
}

#[tokio::test]
async fn a_role_that_is_no_role_is_found_to_be_taken() {
    let fuzzed =
        is_found("planted/takes-a-list", Phase::Boundaries, 10_000, &["fail SendMessage", "/message/role"]).await;
    // As small as it can be, and a case that anybody can run.
    let file = &fuzzed.hits.iter().find(|hit| hit.file.contains("/message/role")).unwrap().file;
    assert!(file.contains("call: SendMessage") && !file.contains("referenceTaskIds"), "{file}");
    // With what it is found again, and what it rests on.
    let comments: String = file.lines().take_while(|line| line.starts_with("# ")).collect();
    for part in ["SendMessage of A2A 1.0 over ", "in the phase boundaries by --seed 5", "# 1.0-", " (MUST, section "] {
        assert!(comments.contains(part), "{part}: {file}");
    }
}

/// Also with what is asked again in the end: each may cost money.
#[tokio::test]
async fn an_agent_is_given_no_more_messages_than_it_may_be() {
    const MOST: u64 = 16;
    let agent = start(&["planted/takes-a-list"]).await;
    let budget = Budget { phases: vec![Phase::Boundaries], messages: Some(MOST), ..budget(4000, 5) };
    let report = fuzz_over(&agent, ("1.0", Some(Binding::Jsonrpc)), &budget).await.report;
    let list = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": { "pageSize": 1 } });
    let url = format!("{}/1.0", agent.url().trim_end_matches('/'));
    let request = reqwest::Client::builder().no_proxy().build().unwrap().post(url).header("A2A-Version", "1.0");
    let request = request.header("Content-Type", "application/json").body(list.to_string());
    let listed = request.send().await.unwrap().bytes().await.unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed).unwrap();
    let made = listed["result"]["totalSize"].as_u64().unwrap_or_else(|| panic!("{listed}"));
    assert!((1..=MOST).contains(&made) && report.messages_sent <= MOST, "{made} {}", report.messages_sent);
    let fuzz = report.fuzz.unwrap();
    assert_eq!(fuzz.messages, report.messages_sent);
    let again: Vec<(u64, u64)> = fuzz.seen.iter().map(|seen| (seen.again, seen.came)).collect();
    // Fewer times than there would be with more messages, and each time it came.
    assert!(again.iter().any(|(again, came)| (1..3).contains(again) && came == again), "{again:?}");
    agent.stop().await;
}

/// What is refused by one error with the change and without it shows nothing of the change; by another, it does.
#[tokio::test]
async fn the_error_that_a_request_has_anyway_is_not_held_against_its_change() {
    let cancel = || vec![Operation::CancelTask];
    for (fault, is_found) in [("planted/looks-at-the-task-first", false), ("planted/wrong-error-for-parameters", true)]
    {
        let agent = start(&[fault]).await;
        let budget = Budget { phases: vec![Phase::Boundaries], operations: cancel(), ..until_found(600, 5) };
        let told = told(&fuzz(&agent, "1.0", &budget).await.report);
        let is_told = told.iter().any(|line| line.contains("CancelTask") && line.contains("TaskNotFoundError"));
        assert_eq!((told.is_empty(), is_told), (!is_found, is_found), "{fault}: {told:#?}");
        agent.stop().await;
    }
}

#[tokio::test]
async fn what_is_known_is_counted_and_fails_nothing() {
    let found = is_found("planted/largest-length", Phase::Boundaries, 1500, &["GetTask", "InternalError"]).await;
    let known: BTreeSet<String> =
        found.hits.into_iter().map(|hit| hit.bucket).chain(["0123456789ab".to_owned()]).collect();
    let agent = start(&["planted/largest-length"]).await;
    let budget = Budget { known: known.clone(), phases: vec![Phase::Boundaries], ..budget(1500, 5) };
    let again = fuzz(&agent, "1.0", &budget).await;
    let info = again.report.fuzz.clone().unwrap();
    assert_eq!((told(&again.report), info.not_seen), (Vec::new(), vec!["0123456789ab".to_owned()]));
    assert_eq!(info.known.len() + 1, known.len());
    agent.stop().await;
}

#[tokio::test]
async fn a_failure_at_some_bytes_is_found() {
    let fuzzed = is_found("planted/bytes", Phase::Mutation, 6_000, &["HTTP 500"]).await;
    // In what form it fails is no second cause.
    let told = told(&fuzzed.report);
    assert!(told.iter().all(|line| line.contains("HTTP 500")), "{told:#?}");
}

#[tokio::test]
async fn the_request_of_which_an_agent_dies_is_found_and_the_hunt_goes_on() {
    let budget = Budget { phases: vec![Phase::Mutation], ..budget(1500, 5) };
    let fuzzed = is_found_within("planted/crash", &budget, &["of which some"]).await;
    let fuzz = fuzzed.report.fuzz.unwrap();
    assert!(fuzz.falls > 0 && fuzz.dead.is_none() && fuzz.requests >= 1500, "{fuzz:?}");
    // One cause, and a case that anybody can run: the last request alone does it.
    let [hit] = fuzzed.hits.as_slice() else { panic!("{:#?}", fuzzed.hits) };
    assert!(hit.file.contains("ud800") && hit.file.contains("- answered"), "{}", hit.file);
    assert_eq!(fuzz.seen.first().map(|seen| (seen.came, seen.again)), Some((3, 3)), "{:?}", fuzz.seen);
}

#[tokio::test]
async fn an_agent_that_stays_dead_ends_the_hunt() {
    let agent = start(&["planted/crash-for-good"]).await;
    // Of several that are under way, nobody could know which it was.
    let budget = Budget { jobs: 1, phases: vec![Phase::Mutation], ..budget(6_000, 5) };
    let fuzzed = fuzz(&agent, "1.0", &budget).await;
    agent.stop().await;
    let told = told(&fuzzed.report);
    assert!(told.iter().any(|line| line.contains("of which some")), "{told:#?}");
    let fuzz = fuzzed.report.fuzz.unwrap();
    assert!(fuzz.dead.is_some() && fuzz.requests < 6_000, "{fuzz:?}");
    assert_eq!(fuzzed.hits.len(), 1, "{:#?}", fuzzed.hits);
}

/// No request is blamed that may have been under way by chance.
#[tokio::test]
async fn of_several_requests_under_way_none_is_blamed_alone() {
    let agent = start(&["planted/crash-for-good"]).await;
    let budget = Budget { phases: vec![Phase::Mutation], ..budget(6_000, 5) };
    let fuzzed = fuzz(&agent, "1.0", &budget).await;
    agent.stop().await;
    assert!(fuzzed.report.fuzz.unwrap().dead.is_some());
    let shown = fuzzed.report.results.iter().flat_map(|result| result.findings.iter().map(move |one| (result, one)));
    let falls: Vec<_> = shown.filter(|(result, _)| result.verdict == Verdict::Fail).collect();
    let [(result, finding)] = falls.as_slice() else { panic!("{falls:#?}") };
    let is_shared = finding.received.as_ref().is_some_and(|came| came.contains("it may have been any of them"));
    assert!(is_shared || result.title.contains("of which some"), "{}: {finding:?}", result.title);
}

#[tokio::test]
async fn an_agent_that_fails_from_then_on_is_as_good_as_dead() {
    let fuzzed = is_found("planted/fails-from-then-on", Phase::Boundaries, 12_000, &["GetTask", "InternalError"]).await;
    assert!(fuzzed.report.fuzz.unwrap().dead.is_some());
}

/// Questions are answered as ever: only a plain message shows it.
#[tokio::test]
async fn what_an_agent_works_on_no_message_after_is_found() {
    let agent = start(&["planted/works-no-more"]).await;
    let operations = vec![Operation::SendMessage, Operation::GetTask];
    let budget = Budget { phases: vec![Phase::Boundaries], operations, ..until_found(4_000, 5) };
    let fuzzed = fuzz(&agent, "1.0", &budget).await;
    let told = told(&fuzzed.report);
    let [line] = told.as_slice() else { panic!("{told:#?}") };
    assert!(line.contains("SendMessage") && line.contains("InternalError"), "{line}");
    let [hit] = fuzzed.hits.as_slice() else { panic!("{:#?}", fuzzed.hits) };
    assert!(hit.file.contains("ud800") && hit.file.matches("as: ").count() <= 2, "{}", hit.file);
    let fuzz = fuzzed.report.fuzz.unwrap();
    assert!(fuzz.falls > 0 && fuzz.dead.is_none(), "{fuzz:?}");
    assert_eq!(fuzz.seen.first().map(|seen| (seen.came, seen.again)), Some((3, 3)), "{:?}", fuzz.seen);
    agent.stop().await;
}

#[tokio::test]
async fn an_update_that_is_lost_between_two_requests_at_once_is_found() {
    let agent = start(&["planted/lost-update"]).await;
    let operations = vec![Operation::SendMessage, Operation::CancelTask, Operation::GetTask];
    let budget = Budget { phases: vec![Phase::Sequences], operations, ..until_found(4_000, 5) };
    let fuzzed = fuzz(&agent, "1.0", &budget).await;
    let told = told(&fuzzed.report);
    assert!(told.iter().any(|line| line.contains("leaves the terminal state")), "{told:#?}");
    assert!(fuzzed.hits.iter().any(|hit| hit.file.contains("together:")), "{:#?}", fuzzed.hits);
    agent.stop().await;
}

#[tokio::test]
async fn what_another_binding_cannot_read_is_found() {
    let words = ["fail GetTask", "over one binding", "InternalError"];
    let fuzzed = is_found("planted/unreadable-elsewhere", Phase::Across, 700, &words).await;
    let file = &fuzzed.hits.iter().find(|hit| hit.file.contains("GetTask: a question")).unwrap().file;
    assert!(file.contains("across: true") && file.contains("over: second"), "{file}");
}

#[tokio::test]
async fn what_differs_between_bindings_is_found() {
    is_found("equivalence/another-context", Phase::Across, 200, &["fail GetTask", "disagree"]).await;
}

#[tokio::test]
async fn a_right_request_that_is_not_read_is_found() {
    let fuzzed = is_found("planted/names-in-one-spelling", Phase::Transport, 150, &["GetTask", "/names"]).await;
    assert!(fuzzed.hits.iter().any(|hit| hit.file.contains("bytes: GetTask")), "{:#?}", fuzzed.hits);
}

#[tokio::test]
async fn the_first_of_two_requests_that_stays_unanswered_is_found() {
    is_found("http1/last-request-counts", Phase::Transport, 300, &["GetTask", "/pipelined"]).await;
}

#[tokio::test]
async fn chunks_that_are_not_read_are_found() {
    let agent = start(&["http1/no-chunk-extensions"]).await;
    let budget = Budget { phases: vec![Phase::Transport], ..until_found(700, 5) };
    let told = told(&fuzz(&agent, "0.2.5", &budget).await.report);
    assert!(told.iter().any(|line| line.contains("warn GetTask") && line.contains("/chunks")), "{told:#?}");
    agent.stop().await;
}

#[tokio::test]
async fn a_webhook_that_another_binding_cannot_read_is_found() {
    let words = ["GetTaskPushNotificationConfig", "over one binding", "InternalError"];
    is_found("planted/config-unreadable-elsewhere", Phase::Across, 900, &words).await;
}

/// What comes to webhooks is held against the task, and against what was set.
#[tokio::test]
async fn what_is_posted_wrongly_is_found() {
    for (fault, words) in [
        ("push/posts-about-another-task", ["fail", "another task, or does not name"]),
        ("push/posts-without-credentials", ["fail", "lacks the credentials of its webhook"]),
        ("push/posts-another-end", ["fail", "another final state"]),
        ("push/posts-after-deletion", ["fail", "after it was deleted"]),
        ("push/posts-by-put", ["fail", "the method of a delivery"]),
    ] {
        is_found(fault, Phase::Webhooks, 250, &words).await;
    }
}

/// Versions before 1.0 leave open what is posted, and want the token.
#[tokio::test]
async fn a_delivery_without_its_token_is_found_where_the_version_wants_it() {
    let agent = start(&["push/posts-without-token"]).await;
    let budget = Budget { phases: vec![Phase::Webhooks], ..budget(300, 5) };
    for (profile, wanted) in [("0.3", vec!["warn"]), ("1.0", Vec::new())] {
        let told = told(&fuzz(&agent, profile, &budget).await.report);
        let levels: Vec<&str> = told.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(levels, wanted, "{profile}: {told:#?}");
    }
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_is_right_posts_what_it_should() {
    let agent = start(&[]).await;
    let budget = Budget { phases: vec![Phase::Webhooks], ..budget(150, 7) };
    for profile in a2aspec::profile::bundled().unwrap() {
        let fuzzed = fuzz(&agent, profile.name(), &budget).await;
        assert_eq!(told(&fuzzed.report), Vec::<String>::new(), "{}", profile.name());
        let info = fuzzed.report.fuzz.unwrap();
        assert!(info.requests >= 100 && info.not_tried.is_empty(), "{}: {info:?}", profile.name());
    }
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_fails_in_a_crowd_is_found() {
    is_found("planted/fails-in-a-crowd", Phase::Stress, 400, &["SubscribeToTask", "InternalError"]).await;
}

#[tokio::test]
async fn a_wrong_length_that_is_taken_is_found() {
    is_found("http1/lengths-with-signs", Phase::Transport, 1200, &["GetTask", "/length"]).await;
}

#[tokio::test]
async fn an_odd_call_that_stays_unanswered_is_found() {
    let words = ["GetTask", "the metadata are no right ones", "no response"];
    let fuzzed = is_found("planted/silent-at-a-media-type", Phase::Transport, 1400, &words).await;
    assert!(fuzzed.hits.iter().any(|hit| hit.file.contains("content-type: application/grpcx")), "{:#?}", fuzzed.hits);
}

#[tokio::test]
async fn a_stream_that_does_not_end_is_found() {
    // Long enough for a client to leave and come back while the task is at work.
    let agent = start_slow(&["planted/endless-after-leaving"], Duration::from_millis(1200)).await;
    let budget = Budget { phases: vec![Phase::Streams], ..until_found(100, 5) };
    let fuzzed = fuzz(&agent, "1.0", &budget).await;
    let told = told(&fuzzed.report);
    assert!(told.iter().any(|line| line.contains("does not end as it must")), "{told:#?}");
    assert!(fuzzed.hits.iter().any(|hit| hit.file.contains("stream-closes: joined")), "{:#?}", fuzzed.hits);
    agent.stop().await;
}

/// Of an agent whose responses do not depend on how busy the machine is.
#[tokio::test]
async fn the_same_seed_makes_the_same_requests() {
    let mut tried = Vec::new();
    for _ in 0..2 {
        let agent = start_slow(&[], Duration::ZERO).await;
        let budget = Budget { jobs: 1, phases: vec![Phase::Mutation, Phase::Sequences], ..budget(200, 3) };
        let fuzzed = fuzz(&agent, "0.3", &budget).await;
        tried.push(fuzzed.report.fuzz.unwrap().tried);
        agent.stop().await;
    }
    assert_eq!(tried[0], tried[1]);
}

/// What is found over gRPC alone, where an agent has other interfaces.
async fn is_found_over_grpc(fault: &str, requests: u64, words: &[&str]) -> Fuzzed {
    let agent = start(&[fault]).await;
    let budget = Budget { phases: vec![Phase::Transport], ..until_found(requests, 5) };
    let fuzzed = fuzz_over(&agent, ("1.0", Some(Binding::Grpc)), &budget).await;
    let told = told(&fuzzed.report);
    assert!(told.iter().any(|line| words.iter().all(|word| line.contains(word))), "{fault}: {told:#?}");
    agent.stop().await;
    fuzzed
}

#[tokio::test]
async fn a_message_that_is_not_whole_and_served_is_found() {
    let fuzzed = is_found_over_grpc("planted/any-length", 400, &["GetTask", "whose message is not whole"]).await;
    let [hit] = fuzzed.hits.as_slice() else { panic!("{:#?}", fuzzed.hits) };
    assert!(hit.file.contains("not-one-of:"), "{}", hit.file);
}

#[tokio::test]
async fn a_frame_of_an_unknown_type_that_is_refused_is_found() {
    let words = ["GetTask", "few clients write so", "/unknown-frame"];
    let fuzzed = is_found_over_grpc("planted/refuses-unknown-frames", 1500, &words).await;
    assert!(fuzzed.hits.iter().any(|hit| hit.file.contains("type: unknown")), "{:#?}", fuzzed.hits);
}

#[tokio::test]
async fn a_call_over_odd_frames_that_stays_unanswered_is_found() {
    let words = ["GetTask", "the metadata are no right ones", "/fields", "no response"];
    is_found_over_grpc("planted/silent-without-te", 2000, &words).await;
}

#[tokio::test]
async fn an_agent_that_answers_nobody_beside_a_stream_that_nobody_reads_is_found() {
    // The task is at work for longer than an answer is waited for.
    let agent = start_slow(&["planted/silent-beside-a-stream"], Duration::from_secs(20)).await;
    let budget = Budget { jobs: 1, phases: vec![Phase::Streams], ..until_found(60, 5) };
    let fuzzed = fuzz_over(&agent, ("1.0", Some(Binding::Jsonrpc)), &budget).await;
    let told = told(&fuzzed.report);
    assert!(
        told.iter().any(|line| line.contains("GetTask") && line.contains("no response")),
        "{told:#?} {:?}",
        fuzzed.report.fuzz
    );
    assert!(fuzzed.hits.iter().any(|hit| hit.file.contains("- close: made")), "{:#?}", fuzzed.hits);
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_dies_of_calls_that_are_taken_back_is_found() {
    let agent = start(&["planted/dies-of-resets"]).await;
    // Of several that are under way, nobody could know which it was.
    let budget = Budget { jobs: 1, phases: vec![Phase::Stress], ..budget(600, 5) };
    let fuzzed = fuzz_over(&agent, ("1.0", Some(Binding::Grpc)), &budget).await;
    agent.stop().await;
    let [hit] = fuzzed.hits.as_slice() else { panic!("{:#?}", fuzzed.hits) };
    assert!(hit.file.contains("resets: ") && hit.file.contains("- answered"), "{}", hit.file);
    assert!(fuzzed.report.fuzz.unwrap().dead.is_some());
}

#[tokio::test]
async fn nothing_is_found_in_an_agent_that_is_right_under_stress() {
    let agent = start(&[]).await;
    let fuzzed = fuzz(&agent, "1.0", &Budget { phases: vec![Phase::Stress, Phase::Streams], ..budget(900, 3) }).await;
    assert_eq!(told(&fuzzed.report), Vec::<String>::new());
    assert!(fuzzed.report.fuzz.unwrap().dead.is_none());
    agent.stop().await;
}

/// No change makes such a value: cases send it.
#[tokio::test]
async fn what_an_agent_fails_at_that_cases_send_is_found() {
    let agent = start(&["planted/fails-at-a-media-type"]).await;
    let operations = vec![Operation::SendMessage];
    let budget = Budget { phases: vec![Phase::Mutation], operations, ..until_found(1500, 5) };
    let fuzzed = fuzz(&agent, "1.0", &budget).await;
    let told = told(&fuzzed.report);
    assert!(told.iter().any(|line| line.contains("SendMessage") && line.contains("InternalError")), "{told:#?}");
    agent.stop().await;
}
