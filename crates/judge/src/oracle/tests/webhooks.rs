//! How the agent deals with webhooks.

use serde_json::{Value, json};

use super::script::{COMPLETED, INPUT_REQUIRED, Posted, Script, WORKING, task};
use super::{Row, hold, right, unseen, wrong};
use crate::profile::Operation;

fn status(state: &str, time: &str) -> Value {
    let status = json!({ "state": state, "timestamp": time });
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } })
}

fn working() -> Value {
    status(WORKING, "2026-01-31T12:00:00.000Z")
}

fn ended() -> Value {
    status(COMPLETED, "2026-01-31T12:00:01.000Z")
}

fn artifact() -> Value {
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": "done" }] });
    json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact } })
}

fn plain(body: &Value) -> Posted {
    (Vec::new(), body.to_string())
}

/// A conversation in which these were posted.
fn posted(bodies: &[Value]) -> Script {
    Script::v1_0().delivered("d", bodies.iter().map(plain).collect())
}

/// Deliveries with these headers, and behind a redirect such as these.
fn redirected(at_first: &[(&'static str, &'static str)], behind: &[&[(&'static str, &'static str)]]) -> Script {
    let with = |headers: &[(&'static str, &'static str)]| (headers.to_vec(), working().to_string());
    let behind = behind.iter().map(|headers| with(headers)).collect();
    Script::v1_0().delivered("d", vec![with(at_first)]).delivered("e", behind)
}

fn redirects() -> Vec<Row> {
    let args = || json!({ "deliveries": "d", "elsewhere": "e", "secrets": ["token-1", "secret-2"] });
    let oracle = "delivery-credentials-kept";
    let all: &[(&str, &str)] = &[("x-token", "token-1"), ("authorization", "Bearer secret-2")];
    vec![
        right(oracle, args(), redirected(all, &[])),
        right(oracle, args(), redirected(all, &[&[("content-type", "application/json")]])),
        // What it did not bring in the first place it does not take along.
        right(oracle, args(), redirected(&all[..1], &[&[("authorization", "Bearer secret-2")]])),
        wrong(oracle, args(), redirected(all, &[all]), "to another origin"),
        wrong(oracle, args(), redirected(all, &[&[], &[("x-token", "token-1")]]), "to another origin"),
        wrong(oracle, args(), redirected(all, &[&[("authorization", "Bearer secret-2")]]), "to another origin"),
        unseen(
            oracle,
            args(),
            redirected(&[], &[&[]]),
            "the delivery has no credentials that a redirect could forward",
        ),
        unseen(
            oracle,
            args(),
            Script::v1_0().delivered("d", Vec::new()).delivered("e", Vec::new()),
            "no delivery reached the webhooks",
        ),
    ]
}

/// A webhook that was set at this address, and called at this target.
fn called(address: &str, target: &'static str) -> Script {
    let config = json!({ "id": "a", "taskId": "t", "url": address });
    let set = Script::v1_0().result("set", Operation::CreateTaskPushNotificationConfig, config);
    let set = set.asked(json!({ "taskId": "t", "url": address }));
    set.delivered("d", vec![(vec![(":path", target)], working().to_string())])
}

fn targets() -> Vec<Row> {
    let args = || json!({ "asked": "set", "deliveries": "d" });
    let oracle = "delivery-target";
    let at = |further: &str| format!("https://tunnel.example/in/0123456789abcdef0123{further}");
    vec![
        right(oracle, args(), called(&at(""), "/0123456789abcdef0123")),
        right(oracle, args(), called(&at("/a%20b?c=%C3%A9"), "/0123456789abcdef0123/a%20b?c=%c3%a9")),
        wrong(oracle, args(), called(&at("?a=1"), "/0123456789abcdef0123"), "for another path or query"),
        wrong(oracle, args(), called(&at("?a=1&a=2"), "/0123456789abcdef0123?a=2"), "for another path or query"),
        wrong(oracle, args(), called(&at("/a/b"), "/0123456789abcdef0123/a"), "for another path or query"),
        unseen(
            oracle,
            args(),
            Script::v1_0().result("set", Operation::GetTask, task("t", WORKING)).delivered("d", Vec::new()),
            "no delivery reached the webhooks",
        ),
    ]
}

fn tokens() -> Vec<Row> {
    let args = || json!({ "deliveries": "d", "token": "token-1" });
    let oracle = "delivery-token-as-set";
    let with = |headers: &[(&'static str, &'static str)]| {
        Script::v1_0().delivered("d", vec![(headers.to_vec(), working().to_string())])
    };
    vec![
        right(oracle, args(), with(&[("x-a2a-notification-token", "token-1")])),
        wrong(oracle, args(), with(&[("x-a2a-notification-token", "token-")]), "a webhook is not shown as it was sent"),
        unseen(oracle, args(), with(&[("authorization", "Bearer token-2")]), "`d`"),
    ]
}

fn courses() -> Vec<Row> {
    let d = || json!("d");
    let whole = |state: &str| json!({ "task": task("t", state) });
    vec![
        right("deliveries-go-on", d(), posted(&[working(), ended()])),
        right("deliveries-go-on", d(), posted(&[working(), working()])),
        wrong(
            "deliveries-go-on",
            d(),
            posted(&[working()]),
            "the agent stops posting to a webhook after one failed delivery",
        ),
        wrong(
            "deliveries-go-on",
            d(),
            posted(&[artifact()]),
            "the agent stops posting to a webhook after one failed delivery",
        ),
        unseen("deliveries-go-on", d(), posted(&[ended()]), "the first delivery already reports the end of the task"),
        unseen("deliveries-go-on", d(), posted(&[json!({ "own": "form" })]), "no update"),
        unseen("deliveries-go-on", d(), posted(&[]), "no delivery reached the webhooks"),
        right("delivery-order", d(), posted(&[working(), artifact(), ended()])),
        right("delivery-order", d(), posted(&[whole(WORKING), whole(COMPLETED)])),
        // What comes once more is no news, and the end may be told as an update and as a task.
        right("delivery-order", d(), posted(&[working(), ended(), working(), whole(COMPLETED)])),
        wrong("delivery-order", d(), posted(&[ended(), working()]), "after the end of the task"),
        wrong("delivery-order", d(), posted(&[working(), ended(), artifact()]), "after the end of the task"),
        unseen("delivery-order", d(), posted(&[working(), artifact()]), "no delivery reports the end of the task"),
        unseen("delivery-order", d(), posted(&[]), "no delivery reports the end of the task"),
        right("delivery-once", d(), posted(&[working(), working(), ended()])),
        right("delivery-once", d(), posted(&[ended(), whole(COMPLETED)])),
        wrong(
            "delivery-once",
            d(),
            posted(&[working(), ended(), ended()]),
            "the end of a task is posted again, although the webhook acknowledged it",
        ),
        unseen("delivery-once", d(), posted(&[working(), working()]), "no delivery reports the end of the task"),
    ]
}

fn streamed() -> Vec<Row> {
    let args = || json!({ "deliveries": "d", "stream": "s" });
    let shown = |bodies: &[Value]| {
        let events = [json!({ "task": task("t", WORKING) }), artifact(), ended()];
        posted(bodies).stream("s", &events)
    };
    let cut = posted(&[working()]).stream("s", &[json!({ "task": task("t", WORKING) })]);
    let oracle = "delivery-as-streamed";
    vec![
        right(oracle, args(), shown(&[working(), artifact(), ended()])),
        right(oracle, args(), shown(&[ended()])),
        right(oracle, args(), shown(&[working(), json!({ "task": task("t", WORKING) }), ended()])),
        wrong(
            oracle,
            args(),
            shown(&[status(INPUT_REQUIRED, "x"), ended()]),
            "the deliveries report other states than the stream",
        ),
        wrong(oracle, args(), shown(&[ended(), working()]), "the deliveries report other states than the stream"),
        unseen(oracle, args(), shown(&[artifact()]), "no update"),
        unseen(oracle, args(), shown(&[]), "no delivery reached the webhooks"),
        unseen(oracle, args(), cut, "no state"),
    ]
}

fn held() -> Vec<Row> {
    let args = || json!({ "held": "h", "released": "r" });
    let read = |before: &str, after: &str| {
        let script = Script::v1_0().result("h", Operation::GetTask, task("t", before));
        script.result("r", Operation::GetTask, task("t", after))
    };
    let oracle = "webhook-holds-nothing-up";
    vec![
        right(oracle, args(), read(COMPLETED, COMPLETED)),
        wrong(oracle, args(), read(WORKING, COMPLETED), "the task waits for the response of its webhook"),
        unseen(oracle, args(), read(WORKING, INPUT_REQUIRED), "no state"),
    ]
}

fn answers() -> Vec<Row> {
    let args = || json!({ "answer": "a", "until": "u" });
    let sent = |script: Script, step: &str| {
        script.result(step, Operation::SendMessage, json!({ "task": task("t", COMPLETED) }))
    };
    let oracle = "webhook-holds-no-answer";
    vec![
        right(oracle, args(), sent(sent(Script::v1_0(), "a"), "u")),
        wrong(
            oracle,
            args(),
            sent(sent(Script::v1_0(), "u"), "a"),
            "the response to a message waits for the response of the webhook",
        ),
        unseen(oracle, args(), sent(Script::v1_0(), "a"), "u"),
    ]
}

fn addresses() -> Vec<Row> {
    let oracle = "webhook-addresses-refused";
    let set = Operation::CreateTaskPushNotificationConfig;
    let error = json!({ "code": -32602, "message": "no" });
    let refused = |script: Script, step: &str| script.error(step, set, error.clone());
    let taken = |script: Script, step: &str| {
        let config = json!({ "id": "1", "taskId": "t", "url": "file:///x" });
        script.result(step, set, config).asked(json!({ "taskId": "t", "url": "file:///x" }))
    };
    let both = || json!(["a-file", "an-address-of-FTP"]);
    vec![
        right(oracle, both(), refused(refused(Script::v1_0(), "a-file"), "an-address-of-FTP")),
        wrong(oracle, both(), refused(taken(Script::v1_0(), "a-file"), "an-address-of-FTP"), "accepts a file"),
        wrong(oracle, json!("a-file"), taken(Script::v1_0(), "a-file"), "accepts a file"),
    ]
}

pub(super) fn rows() -> Vec<Row> {
    [redirects(), targets(), tokens(), courses(), streamed(), held(), answers(), addresses()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn judges_how_the_agent_deals_with_webhooks() {
    hold(&rows());
}
