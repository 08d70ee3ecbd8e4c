//! HTTP+JSON: routes, media types, and bodies of errors.

use serde_json::{Value, json};

use super::script::Script;
use super::{Row, broken, compared, findings, hold, right, unseen, wrong};
use crate::profile::Binding::HttpJson;
use crate::profile::Operation::{self, CancelTask, GetTask, ListTasks, SendStreamingMessage, SubscribeToTask};
use crate::transcript::Ended;

fn v1_0() -> Script {
    Script::v1_0().over(HttpJson)
}

fn draft() -> Script {
    Script::v1_0_draft().over(HttpJson)
}

fn v0_3() -> Script {
    Script::v0_3().over(HttpJson)
}

/// An answer with a status and a body.
fn then(script: Script, step: &str, operation: Operation, status: u16, body: &str) -> Script {
    script.answer(step, operation, body).but(|draft| draft.status = status)
}

fn answered(status: u16, body: &str) -> Script {
    then(v1_0(), "s", GetTask, status, body)
}

fn refused(status: u16, error: Value) -> Script {
    answered(status, &json!({ "error": error }).to_string())
}

/// An error of A2A with one detail.
fn with_detail(status: u16, detail: Value) -> Script {
    refused(status, json!({ "code": status, "status": "NOT_FOUND", "message": "m", "details": [detail] }))
}

fn info(reason: &str) -> Value {
    json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org" })
}

fn but(mut value: Value, member: &str, other: Value) -> Value {
    value[member] = other;
    value
}

/// An answer to exact bytes.
fn raw(script: Script) -> Script {
    script.but(|draft| draft.request = Some("{}".to_owned()))
}

fn to(script: Script, url: &str) -> Script {
    script.but(|draft| draft.url = Some(format!("http://agent.example{url}")))
}

fn typed(script: Script, content_type: &str) -> Script {
    script.but(|draft| draft.headers = vec![("content-type".to_owned(), content_type.to_owned())])
}

const TASK: &str = r#"{"id":"t","status":{"state":"TASK_STATE_WORKING"}}"#;
/// An error of JSON-RPC.
const RPC: &str = r#"{"jsonrpc":"2.0","id":"ID","error":{"code":-32001,"message":"m"}}"#;
const NOT_FOUND: &str = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no such task"}}"#;

pub(super) fn rows() -> Vec<Row> {
    let tables =
        [routes(), texts(), forms(), of_the_server(), codes_and_statuses(), consistency(), details(), problems()];
    tables.into_iter().flatten().collect()
}

fn routes() -> Vec<Row> {
    let allow = || json!({ "status": 405, "field": "allow" });
    let with_allow = |draft: &mut super::script::Draft| draft.headers.push(("allow".to_owned(), String::new()));
    let pair = || json!(["post", "get"]);
    let tried = |post: (u16, &str), get: (u16, &str)| {
        then(then(v1_0(), "post", SubscribeToTask, post.0, post.1), "get", SubscribeToTask, get.0, get.1)
    };
    let both = || json!(["declared", "other"]);
    let at_slash = |url: &str, declared: (u16, &str), other: (u16, &str)| {
        let at = |draft: &mut super::script::Draft| draft.url = Some(url.to_owned());
        let script = Script::v1_0().answer("declared", GetTask, declared.1);
        let script = script.but(|draft| draft.status = declared.0).but(at);
        script.answer("other", GetTask, other.1).but(|draft| draft.status = other.0)
    };
    let only_info = json!({ "error": { "details": [info("TASK_NOT_FOUND")] } }).to_string();
    let in_0_3 = |body: &str| then(then(v0_3(), "post", GetTask, 405, ""), "get", GetTask, 404, body);
    vec![
        right("status-field", allow(), answered(405, "").but(with_allow)),
        wrong("status-field", allow(), answered(405, ""), "lacks the header"),
        unseen("status-field", allow(), answered(200, TASK), "no answer with HTTP 405"),
        broken("status-field", json!({ "status": 405 }), answered(405, ""), "the key `field` is missing"),
        right("slash-either-way", both(), at_slash("http://h/a2a", (200, RPC), (200, RPC))),
        right("slash-either-way", both(), at_slash("http://h/a2a", (200, RPC), (404, RPC))),
        right("slash-either-way", both(), at_slash("http://h/a2a", (200, RPC), (400, ""))),
        wrong(
            "slash-either-way",
            both(),
            at_slash("http://h/a2a", (200, RPC), (404, "Not Found")),
            "the URL of the interface works only with, or only without, its trailing slash",
        ),
        wrong(
            "slash-either-way",
            both(),
            at_slash("http://h/a2a/", (404, RPC), (405, "")),
            "the URL of the interface works only with, or only without, its trailing slash",
        ),
        wrong(
            "slash-either-way",
            both(),
            at_slash("http://h/a2a", (200, RPC), (404, r#"{"detail":"x"}"#)),
            "trailing slash",
        ),
        unseen("slash-either-way", both(), at_slash("http://h", (200, RPC), (404, "")), "no path"),
        unseen("slash-either-way", both(), at_slash("http://h/", (200, RPC), (404, "")), "no path"),
        unseen("slash-either-way", both(), at_slash("http://h/a?b=c", (200, RPC), (404, "")), "no path"),
        unseen(
            "slash-either-way",
            both(),
            at_slash("http://h/a2a", (200, RPC), (502, "")),
            "a proxy or gateway answers instead of the agent (",
        ),
        unseen("slash-either-way", both(), at_slash("http://h/a2a", (404, ""), (404, "")), "answered with"),
        right("a-route-of", pair(), tried((404, NOT_FOUND), (405, ""))),
        right("a-route-of", pair(), tried((404, "Not Found"), (400, ""))),
        wrong("a-route-of", pair(), tried((404, "Not Found"), (405, "")), "has no route"),
        wrong("a-route-of", pair(), tried((404, r#"{"detail":"Not Found"}"#), (501, "")), "has no route"),
        wrong("a-route-of", pair(), tried((404, r#"{"error":{"code":404}}"#), (405, "")), "has no route"),
        wrong("a-route-of", pair(), tried((404, r#"{"error":{"message":"m"}}"#), (405, "")), "has no route"),
        wrong("a-route-of", pair(), tried((404, r#"{"code":404,"message":"m"}"#), (405, "")), "has no route"),
        right("a-route-of", pair(), tried((404, &only_info), (405, ""))),
        unseen("a-route-of", pair(), tried((401, ""), (405, "")), "a proxy or gateway answers instead of the agent ("),
        // Nothing says what errors look like in 0.3.
        right("a-route-of", pair(), in_0_3(r#"{"detail":"Not Found"}"#)),
        wrong("a-route-of", pair(), in_0_3("Not Found"), "has no route"),
    ]
}

fn texts() -> Vec<Row> {
    let nothing = || json!(null);
    let problem = r#"{"title":"no such task"}"#;
    let problem = |script| typed(then(script, "s", GetTask, 404, problem), "application/problem+json");
    let events = |data: &str| v1_0().raw_stream("s", &format!("data: {data}\n\n"));
    vec![
        right("json-text", nothing(), answered(200, TASK)),
        wrong("json-text", nothing(), typed(answered(200, "{,}"), "application/a2a+json"), "not JSON"),
        wrong("json-text", nothing(), typed(answered(400, "{,}"), "application/problem+json"), "not JSON"),
        right("json-text", nothing(), events("{}")),
        wrong("json-text", nothing(), events("{,}"), "the data of an event"),
        unseen("json-text", nothing(), typed(answered(404, "Not Found"), "text/plain"), "no JSON body"),
        wrong("duplicate-keys", nothing(), answered(400, r#"{"error":{"code":1,"code":2}}"#), "\"code\" twice"),
        unseen("duplicate-keys", nothing(), answered(404, "Not Found"), "no response"),
        right("media-type", nothing(), answered(200, TASK)),
        right("media-type", nothing(), typed(answered(200, TASK), "application/a2a+json; charset=utf-8")),
        wrong("media-type", nothing(), typed(answered(200, TASK), "text/plain"), "not declared as JSON"),
        wrong("media-type", nothing(), typed(answered(404, NOT_FOUND), "text/html"), "not declared as JSON"),
        // The examples of 1.0 show it (6.4, 6.5).
        right("media-type", nothing(), problem(v1_0())),
        right("media-type", nothing(), problem(v0_3())),
        unseen("media-type", nothing(), typed(answered(404, "Not Found"), "text/plain"), "no response"),
        unseen("media-type", nothing(), typed(answered(400, "Bad Request"), "text/plain"), "no response"),
        unseen("media-type", nothing(), answered(204, "").but(|draft| draft.headers.clear()), "no response"),
        unseen("media-type", nothing(), typed(answered(403, NOT_FOUND), "text/html"), "no response"),
    ]
}

/// What the draft of A2A 1.0 has for errors.
fn problems() -> Vec<Row> {
    let problem = |body: Value| typed(then(draft(), "s", GetTask, 404, &body.to_string()), "application/problem+json");
    let not_found =
        || json!({ "type": "https://a2a-protocol.org/errors/task-not-found", "status": 404, "detail": "no such task" });
    let aspect = |name: &str| json!(name);
    let pair = || json!(["post", "get"]);
    let tried = |body: Value| {
        let post = then(draft(), "post", SubscribeToTask, 404, &body.to_string());
        then(post, "get", SubscribeToTask, 405, "")
    };
    vec![
        right("http-error", aspect("problem"), problem(not_found())),
        wrong(
            "http-error",
            aspect("problem"),
            problem(json!(["no"])),
            "the body of an error is not problem details (RFC 9457)",
        ),
        wrong(
            "http-error",
            aspect("problem"),
            then(draft(), "s", GetTask, 400, "Bad Request"),
            "the body of an error is not problem details (RFC 9457)",
        ),
        wrong("http-error", aspect("problem"), typed(problem(not_found()), "application/json"), "not declared"),
        unseen("http-error", aspect("problem"), then(draft(), "s", GetTask, 405, ""), "no error"),
        right("http-error", aspect("problem-status"), problem(not_found())),
        wrong("http-error", aspect("problem-status"), problem(but(not_found(), "status", json!(400))), "HTTP status"),
        wrong("http-error", aspect("problem-status"), problem(json!({ "detail": "m" })), "HTTP status"),
        right("http-error", aspect("problem-detail"), problem(not_found())),
        wrong("http-error", aspect("problem-detail"), problem(but(not_found(), "detail", json!(" "))), "no `detail`"),
        right("media-type", json!(null), problem(not_found())),
        wrong("media-type", json!(null), typed(problem(not_found()), "application/json"), "not declared as JSON"),
        right("a-route-of", pair(), tried(not_found())),
        wrong("a-route-of", pair(), tried(json!({ "type": "about:blank", "status": 404 })), "has no route"),
        wrong("a-route-of", pair(), tried(json!({ "status": 404, "detail": "Not Found" })), "has no route"),
    ]
}

fn forms() -> Vec<Row> {
    let form = || json!("form");
    let subscribed = then(v1_0(), "s", SubscribeToTask, 404, "Not Found");
    vec![
        right("http-error", form(), answered(404, NOT_FOUND)),
        wrong("http-error", form(), answered(400, "Bad Request"), "is not JSON"),
        wrong("http-error", form(), answered(400, "[]"), "has no error object"),
        wrong("http-error", form(), answered(400, r#"{"detail":"m"}"#), "has no error object"),
        wrong("http-error", form(), refused(400, json!({ "code": "400", "message": "m" })), "has no code"),
        wrong("http-error", form(), refused(400, json!({ "code": 400.5, "message": "m" })), "has no code"),
        wrong("http-error", form(), refused(400, json!({ "code": 400, "message": " " })), "no message for people"),
        // A 404 in answer to a call is the agent's; in answer to anything else it may be the router's.
        wrong("http-error", form(), answered(404, "Not Found"), "is not JSON"),
        unseen("http-error", form(), raw(answered(404, "Not Found")), "no error"),
        wrong("http-error", form(), raw(answered(404, "{}")), "has no error object"),
        unseen("http-error", form(), to(answered(404, "Not Found"), "/tasks/a%2Fb"), "no error"),
        unseen("http-error", form(), to(answered(404, "Not Found"), "/tasks/"), "no error"),
        unseen("http-error", form(), to(answered(404, "Not Found"), "/tasks//a"), "no error"),
        unseen("http-error", form(), to(answered(404, "Not Found"), "/tasks/:cancel"), "no error"),
        unseen("http-error", form(), to(answered(404, "Not Found"), "/tasks/../a"), "no error"),
        wrong("http-error", form(), to(answered(404, "Not Found"), "/tasks/a?b=%2F"), "is not JSON"),
        unseen("http-error", form(), to(answered(404, "{}"), "/tasks/a%2Fb"), "no error"),
        unseen("http-error", form(), answered(404, "Not Found").asked(json!({ "tenant": "a" })), "no error"),
        unseen("http-error", form(), subscribed, "no error"),
        unseen("http-error", form(), then(v1_0(), "s", SubscribeToTask, 404, r#"{"detail":"m"}"#), "no error"),
        wrong("http-error", form(), then(v1_0(), "s", SubscribeToTask, 404, r#"{"error":{}}"#), "has no code"),
        // An address that no server need decode.
        unseen("http-error", form(), to(raw(answered(400, "Bad Request")), "/tasks/%FF"), "no error"),
        wrong("http-error", form(), to(raw(answered(400, "{}")), "/tasks/%FF"), "has no error object"),
        unseen("http-error", form(), answered(400, "Bad").but(|draft| draft.operation = None), "no error"),
        unseen("http-error", form(), answered(400, "Bad").ended(Ended::HungUp), "no error"),
        unseen(
            "http-error",
            form(),
            answered(400, "Bad").but(|draft| {
                draft.request_headers.insert("A2A-Version".to_owned(), Some("9.9".to_owned()));
            }),
            "no error",
        ),
        broken("http-error", json!("colour"), answered(404, NOT_FOUND), "`colour` is nothing that"),
    ]
}

/// Statuses with which a server speaks before the agent does, or something that stands before it, and others.
fn of_the_server() -> Vec<Row> {
    let of_the_server = [405, 406, 408, 411, 413, 414, 415, 417, 431, 501, 505];
    let before_it = [401, 403, 407, 429, 502, 503, 504];
    let theirs = of_the_server.into_iter().chain(before_it);
    let theirs = theirs.map(|status| unseen("http-error", json!("form"), answered(status, "no JSON"), "no error"));
    let of_the_agent = [400, 402, 404, 409, 410, 412, 418, 422, 500, 506];
    let its = of_the_agent.map(|status| wrong("http-error", json!("form"), answered(status, "no JSON"), "is not JSON"));
    theirs.chain(its).collect()
}

fn codes_and_statuses() -> Vec<Row> {
    let error = |code: u16, status: Value| refused(404, json!({ "code": code, "status": status, "message": "m" }));
    let named = |status: &str| {
        let reason = info("TASK_NOT_FOUND");
        refused(404, json!({ "code": 404, "status": status, "message": "m", "details": [reason] }))
    };
    vec![
        right("http-error", json!("code"), error(404, json!("NOT_FOUND"))),
        wrong("http-error", json!("code"), error(5, json!("NOT_FOUND")), "not its HTTP status"),
        unseen("http-error", json!("code"), refused(404, json!({ "code": "NOT_FOUND" })), "no error"),
        right("http-error", json!("status"), error(404, json!("NOT_FOUND"))),
        // An error of the agent's own may have any code.
        right("http-error", json!("status"), error(404, json!("ABORTED"))),
        wrong("http-error", json!("status"), error(404, json!("Not Found")), "name of its gRPC code"),
        wrong("http-error", json!("status"), error(404, json!(null)), "name of its gRPC code"),
        right("http-error", json!("status"), named("NOT_FOUND")),
        wrong("http-error", json!("status"), named("FAILED_PRECONDITION"), "name of its gRPC code"),
        unseen("http-error", json!("status"), answered(404, r#"{"detail":"m"}"#), "no error"),
        unseen("http-error", json!("status"), answered(404, r#"{"error":"m"}"#), "no error"),
    ]
}

fn consistency() -> Vec<Row> {
    let both = |first: &str, second: &str| then(then(v0_3(), "a", GetTask, 404, first), "b", CancelTask, 409, second);
    let row = |judge: fn(&'static str, Value, Script, &'static str) -> Row, first: &str, second: &str, says| {
        judge("http-error", json!("consistent"), both(first, second), says)
    };
    let lacking = |path: &str, body: &str| {
        let script = both(r#"{"message":"m"}"#, r#"{"message":"n"}"#);
        let script =
            then(script, "none", GetTask, 404, r#"{"detail":"Not Found"}"#).but(|draft| draft.operation = None);
        to(then(script, "s", ListTasks, 404, body), path)
    };
    // An error of the same body as, or of another than, those where there is no route.
    let beside = |status: u16, body: &str| {
        let script = both(r#"{"message":"m"}"#, r#"{"message":"n"}"#);
        let script =
            then(script, "none", GetTask, 404, r#"{"detail":"Not Found"}"#).but(|draft| draft.operation = None);
        then(script, "s", GetTask, status, body)
    };
    let fine = |first: &str, second: &str| right("http-error", json!("consistent"), both(first, second));
    vec![
        fine(r#"{"code":404,"message":"m"}"#, r#"{"code":409,"message":"n","data":{"id":"t"}}"#),
        fine(r#"{"error":{"code":404}}"#, r#"{"error":{"code":409}}"#),
        fine(r#"{"message":"m","data":null,"hint":null}"#, r#"{"message":"m","data":[],"hint":"h"}"#),
        fine(r#"{"message":"m","data":{"id":"t"}}"#, r#"{"message":"m","data":["t"]}"#),
        row(wrong, r#"{"detail":"m"}"#, r#"{"message":"m"}"#, "different forms"),
        row(wrong, r#"{"error":{"message":"m"}}"#, r#"{"message":"m"}"#, "different forms"),
        row(wrong, r#"{"error":"m"}"#, r#"{"error":{"message":"m"}}"#, "different forms"),
        row(wrong, r#"{"code":404}"#, r#"{"code":"conflict"}"#, "different forms"),
        row(wrong, r#"{"error":{"code":404}}"#, r#"{"error":{"code":"409"}}"#, "different forms"),
        row(wrong, r#"{"code":404}"#, "Conflict", "the body of an error is not a JSON object"),
        row(wrong, r#"{"code":404}"#, "[404]", "the body of an error is not a JSON object"),
        row(unseen, "Not Found", r#"{"code":409}"#, "no two errors"),
        // What the server says of any address, it may say of one that the agent lacks or that it cannot tell apart.
        right("http-error", json!("consistent"), lacking("/v1/tasks", r#"{"detail":"Not Found"}"#)),
        right("http-error", json!("consistent"), lacking("/v1/tasks", r#"{"detail":"No task"}"#)),
        right("http-error", json!("consistent"), lacking("/v1/tasks/..%2Ftasks", r#"{"detail":"No task"}"#)),
        right("http-error", json!("consistent"), lacking("/v1/tasks", r#"{"error":{"code":404}}"#)),
        right("http-error", json!("consistent"), beside(404, r#"{"detail":"Not Found"}"#)),
        wrong("http-error", json!("consistent"), beside(404, r#"{"detail":"No task"}"#), "different forms"),
        wrong("http-error", json!("consistent"), beside(400, r#"{"detail":"Not Found"}"#), "different forms"),
        unseen("http-error", json!("consistent"), then(v0_3(), "s", ListTasks, 400, "{}"), "no two errors"),
    ]
}

fn details() -> Vec<Row> {
    let nothing = || json!(null);
    let found = || info("TASK_NOT_FOUND");
    let s = || json!("s");
    let foreign = || but(info("INVALID_PARAMS"), "domain", json!("a.example"));
    let bad_request = || json!({ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [] });
    let late = |detail: Value| {
        let error = json!({ "error": { "code": 5, "message": "m", "details": [detail] } });
        v1_0().raw_stream("s", &format!("data: {error}\n\n")).but(|draft| draft.operation = Some(SendStreamingMessage))
    };
    vec![
        right("error-details", nothing(), with_detail(404, found())),
        wrong("error-details", nothing(), with_detail(404, json!({ "reason": "r" })), "does not name its type"),
        wrong("error-details", nothing(), refused(404, json!({ "details": { "id": "t" } })), "not an array"),
        unseen("error-details", nothing(), answered(404, r#"{"details":"m"}"#), "no error with details"),
        right("error-info", nothing(), with_detail(404, found())),
        right("error-info", nothing(), with_detail(409, info("TASK_NOT_CANCELABLE"))),
        wrong("error-info", nothing(), with_detail(409, found()), "has a status of another error"),
        wrong("error-info", nothing(), with_detail(404, but(found(), "domain", json!("a.example"))), "another domain"),
        wrong(
            "error-info",
            nothing(),
            with_detail(404, but(found(), "@type", json!("google.rpc.ErrorInfo"))),
            "another type",
        ),
        // An opened stream has no status to give any more.
        right("error-info", nothing(), late(found())),
        wrong("error-info", nothing(), late(but(found(), "domain", json!(null))), "another domain"),
        right("invalid-params-named", s(), with_detail(400, info("INVALID_PARAMS"))),
        right("invalid-params-named", s(), with_detail(422, info("INVALID_REQUEST"))),
        wrong("invalid-params-named", s(), with_detail(400, info("BAD_INPUT")), "has no ErrorInfo"),
        wrong("invalid-params-named", s(), with_detail(400, foreign()), "has no ErrorInfo"),
        wrong("invalid-params-named", s(), with_detail(400, bad_request()), "has no ErrorInfo"),
        wrong("invalid-params-named", s(), refused(400, json!({ "code": 400, "message": "m" })), "has no ErrorInfo"),
        wrong("invalid-params-named", s(), answered(400, ""), "has no ErrorInfo"),
        // These are not about parameters, or may not be.
        unseen("invalid-params-named", s(), with_detail(400, info("UNSUPPORTED_OPERATION")), "invalid parameters"),
        unseen("invalid-params-named", s(), refused(500, json!({ "code": 500, "message": "m" })), "invalid parameters"),
        unseen("invalid-params-named", s(), refused(404, json!({ "code": 404, "message": "m" })), "invalid parameters"),
        unseen("invalid-params-named", s(), answered(200, TASK), "invalid parameters"),
        unseen("invalid-params-named", s(), then(v0_3(), "s", GetTask, 400, "{}"), "not have ErrorInfo"),
        // What A2A does not name is the agent's own.
        unseen("error-info", nothing(), with_detail(400, info("INVALID_PARAMS")), "no ErrorInfo"),
        unseen(
            "error-info",
            nothing(),
            with_detail(404, but(found(), "@type", json!("a.example/Other"))),
            "no ErrorInfo",
        ),
        unseen("error-info", nothing(), answered(404, NOT_FOUND), "no ErrorInfo"),
        unseen("error-info", nothing(), then(v0_3(), "s", GetTask, 404, NOT_FOUND), "not have ErrorInfo"),
    ]
}

#[test]
fn http_is_judged() {
    hold(&rows());
}

/// What is wrong with an error is cited by the member that is wrong.
#[test]
fn members_of_errors_are_cited() {
    let cited =
        |aspect: &str, error: Value| findings("http-error", json!(aspect), refused(404, error)).remove(0).pointer;
    assert_eq!(cited("form", json!({ "code": "404", "message": "m" })).as_deref(), Some("/error/code"));
    assert_eq!(cited("form", json!({ "code": 404, "message": " " })).as_deref(), Some("/error/message"));
    assert_eq!(cited("code", json!({ "code": 400, "message": "m" })).as_deref(), Some("/error/code"));
    let (bare, inner) = (r#"{"message":"m"}"#, r#"{"error":{"message":"m"}}"#);
    let different = then(then(v0_3(), "a", GetTask, 404, bare), "b", CancelTask, 409, inner);
    assert_eq!(findings("http-error", json!("consistent"), different).remove(0).pointer.as_deref(), Some("/error"));
    assert_eq!(cited("status", json!({ "code": 404, "status": 5 })).as_deref(), Some("/error/status"));
}

#[test]
fn what_stands_instead_of_json_is_shown() {
    let shown = |body: &str| {
        let findings = findings("http-error", json!("form"), typed(answered(400, body), "text/plain"));
        compared(&findings).first().map(|(_, actual)| (*actual).to_owned())
    };
    assert_eq!(shown("Bad Request").as_deref(), Some("HTTP 400 with a body of text/plain"));
    assert_eq!(shown("").as_deref(), Some("HTTP 400 with an empty body"));
}

/// Both of the exchanges that were compared are cited.
#[test]
fn two_forms_are_shown_side_by_side() {
    let script = then(then(v0_3(), "a", GetTask, 404, r#"{"detail":"m"}"#), "b", CancelTask, 409, r#"{"code":1}"#);
    assert_eq!(
        findings("http-error", json!("consistent"), script)
            .iter()
            .map(|finding| (finding.exchange, finding.against))
            .collect::<Vec<_>>(),
        [(Some(2), Some(1))]
    );
}
