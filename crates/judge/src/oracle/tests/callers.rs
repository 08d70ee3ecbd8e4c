//! Who asks.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, task};
use super::{Row, findings, hold, right, unseen, wrong};
use crate::profile::Binding;
use crate::profile::Operation::{
    DeleteTaskPushNotificationConfig as Delete, GetTask, GetTaskPushNotificationConfig as Read,
};
use crate::transcript::{Ended, TransportError};
use crate::wire::base64;

fn error(code: i64, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

/// What somebody without credentials is answered: an error, a status and its headers.
fn turned_away(status: u16, headers: &[(&str, &str)]) -> Script {
    let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Script::v1_0().error("n", GetTask, error(-32000, "no")).but(|draft| {
        draft.status = status;
        draft.headers = headers;
    })
}

/// The status of gRPC that somebody without credentials is answered, in detail: only then does a script read it as an error.
fn ended(code: u8) -> Script {
    let (number, details) = (code.to_string(), base64::encode(&[8, code, 18, 2, b'n', b'o']));
    let trailers = [("grpc-status", number.as_str()), ("grpc-status-details-bin", &details)];
    Script::v1_0().over(Binding::Grpc).call("n", Some(GetTask), &[], &trailers)
}

fn not_let_in() -> Ended {
    Ended::Failed(TransportError::NotLetIn("received fatal alert: CertificateRequired".to_owned()))
}

/// What the other caller is answered: of the task `t`, and of two that do not exist, each answer being an error.
fn answers(theirs: Value, missing: Value, again: Value) -> Script {
    let ask = |script: Script, step: &str, id: &str, with: Value| {
        script.error(step, GetTask, with).asked(json!({ "id": id }))
    };
    let script = ask(Script::v1_0(), "t", "t-1", theirs);
    ask(ask(script, "m", "m-22", missing), "a", "a-333", again)
}

fn not_found(id: &str) -> Value {
    error(-32001, &format!("there is no task {id}"))
}

pub(super) fn rows() -> Vec<Row> {
    let (nobody, list) = ("unauthenticated", || json!(["n"]));
    let (other, of) = ("unauthorized", || json!({ "theirs": "t", "missing": ["m", "a"] }));
    let bearer = &[("www-authenticate", "Bearer realm=\"a\"")][..];
    let served = Script::v1_0().result("n", GetTask, task("t", COMPLETED));
    let shown = Script::v1_0().result("t", GetTask, task("t-1", COMPLETED));
    let shown = shown.error("m", GetTask, not_found("m-22")).error("a", GetTask, not_found("a-333"));
    let of_nobody = vec![
        right(nobody, list(), turned_away(401, bearer)),
        right(nobody, list(), turned_away(401, &[("www-authenticate", "Negotiate, Basic realm=\"a\"")])),
        right(nobody, list(), turned_away(403, &[])),
        right(nobody, list(), ended(16)),
        right(nobody, list(), ended(7)),
        wrong(nobody, list(), served, "the agent accepts a request without valid credentials"),
        // An error of the protocol refuses, and says nothing of credentials.
        wrong(
            nobody,
            list(),
            turned_away(200, &[]),
            "unauthenticated request refused with an error other than 401 or UNAUTHENTICATED",
        ),
        wrong(
            nobody,
            list(),
            turned_away(500, &[]),
            "unauthenticated request refused with an error other than 401 or UNAUTHENTICATED",
        ),
        wrong(
            nobody,
            list(),
            ended(5),
            "unauthenticated request refused with an error other than 401 or UNAUTHENTICATED",
        ),
        wrong(nobody, list(), turned_away(401, &[]), "HTTP 401 lacks the header www-authenticate"),
        wrong(nobody, list(), turned_away(401, &[("www-authenticate", "realm=\"a\"")]), "names no scheme"),
        wrong(nobody, list(), turned_away(401, &[("www-authenticate", "")]), "names no scheme"),
        unseen(nobody, list(), turned_away(429, &[]), "the agent is not available"),
        unseen(nobody, list(), turned_away(401, bearer).but(|draft| draft.is_lost = true), "no response"),
        // With mutual TLS the handshake refuses who has no certificate; one that fails otherwise says nothing of who asks.
        right(nobody, list(), Script::v1_0().hello("n", not_let_in())),
        unseen(nobody, list(), Script::v1_0().hello("n", Ended::Failed(TransportError::Reset)), "no response"),
    ];
    let of_others = vec![
        right(other, of(), answers(not_found("t-1"), not_found("m-22"), not_found("a-333"))),
        // What repeats nothing of the request is the same for all.
        right(other, of(), answers(error(-32001, "gone"), error(-32001, "gone"), error(-32001, "gone"))),
        // Texts that differ of themselves tell nothing.
        right(other, of(), answers(error(-32001, "trace 1"), error(-32001, "trace 2"), error(-32001, "trace 3"))),
        wrong(other, of(), shown, "the agent lets one caller use what belongs to another"),
        wrong(
            other,
            of(),
            answers(error(-32002, "no"), not_found("m-22"), not_found("a-333")),
            "one caller can see which tasks of another exist",
        ),
        wrong(
            other,
            of(),
            answers(error(-32001, "t-1 is not yours"), not_found("m-22"), not_found("a-333")),
            "one caller can see which tasks of another exist",
        ),
        wrong(
            other,
            of(),
            answers(error(-32000, "no"), not_found("m-22"), not_found("a-333")).but(|draft| draft.status = 200),
            "one caller can see which tasks of another exist",
        ),
        unseen(
            other,
            of(),
            answers(not_found("t-1"), not_found("m-22"), error(-32000, "who?")).but(|draft| draft.status = 401),
            "the agent refuses the second identity (HTTP 401)",
        ),
        // An operation that does what it is asked to anything shows no refusal to compare with.
        right(
            other,
            of(),
            Script::v1_0().error("t", GetTask, error(-32002, "no")).result("m", GetTask, task("m", COMPLETED)).result(
                "a",
                GetTask,
                task("a", COMPLETED),
            ),
        ),
    ];
    let (kept, of) = ("kept", || json!({ "theirs": "t", "before": "b", "after": "a" }));
    let read = || Script::v1_0().result("b", Read, json!({ "id": "c", "url": "https://a.example" }));
    let asked = || read().error("t", Delete, not_found("t-1"));
    let of_deletions = vec![
        right(kept, of(), asked().result("a", Read, json!({ "id": "c" }))),
        // An acknowledgement deletes nothing by itself.
        right(kept, of(), read().result("t", Delete, json!({})).result("a", Read, json!({ "id": "c" }))),
        wrong(
            kept,
            of(),
            asked().error("a", Read, error(-32603, "gone")),
            "the agent lets one caller use what belongs to another",
        ),
        wrong(
            kept,
            of(),
            asked().result("a", Read, json!({ "id": "d" })),
            "the agent lets one caller use what belongs to another",
        ),
        unseen(
            kept,
            of(),
            asked().error("a", Read, error(-32000, "later")).but(|draft| draft.status = 503),
            "the agent is not available",
        ),
    ];
    let of_bad = rows_of_malformed().into_iter().chain(rows_of_existence());
    of_nobody.into_iter().chain(of_bad).chain(of_others).chain(of_deletions).collect()
}

fn rows_of_malformed() -> Vec<Row> {
    let (bad, of) = ("malformed-credentials", || json!(["n"]));
    let bearer = &[("www-authenticate", "Bearer realm=\"a\"")][..];
    vec![
        right(bad, of(), turned_away(401, bearer)),
        // Without a challenge, too, which other cases look for; and as malformed.
        right(bad, of(), turned_away(401, &[])),
        right(bad, of(), turned_away(400, &[])),
        right(bad, of(), turned_away(403, &[])),
        right(bad, of(), ended(16)),
        right(bad, of(), ended(3)),
        wrong(
            bad,
            of(),
            Script::v1_0().result("n", GetTask, task("t", COMPLETED)),
            "the agent accepts a request without valid credentials",
        ),
        wrong(
            bad,
            of(),
            turned_away(404, &[]),
            "unauthenticated request refused with an error other than 401 or UNAUTHENTICATED",
        ),
        wrong(bad, of(), ended(5), "unauthenticated request refused with an error other than 401 or UNAUTHENTICATED"),
        unseen(bad, of(), turned_away(503, &[]), "the agent is not available"),
    ]
}

fn rows_of_existence() -> Vec<Row> {
    let (untold, of) = ("existence-untold", || json!(["t", "m"]));
    let both = |theirs: Value, missing: Value| Script::v1_0().error("t", GetTask, theirs).error("m", GetTask, missing);
    vec![
        right(untold, of(), both(error(-32000, "who are you?"), error(-32000, "who?"))),
        // Who is refused for want of credentials learns nothing, be it by another status.
        right(
            untold,
            of(),
            both(error(-32000, "who?"), error(-32001, "who?"))
                .but(|draft| draft.status = 403)
                .error("t", GetTask, error(-32000, "who?"))
                .but(|draft| draft.status = 401),
        ),
        // Who is told that nothing exists learns nothing.
        right(untold, of(), both(not_found("t-1"), not_found("m-2"))),
        wrong(
            untold,
            of(),
            both(error(-32000, "who?"), not_found("m-2")),
            "callers without credentials can see which tasks exist",
        ),
        unseen(
            untold,
            of(),
            Script::v1_0().result("t", GetTask, task("t-1", COMPLETED)).error("m", GetTask, not_found("m-2")),
            "the agent accepts the request (reported elsewhere); this case needs a refusal",
        ),
        unseen(
            untold,
            of(),
            both(not_found("t-1"), error(-32000, "later")).but(|draft| draft.status = 429),
            "the agent is not available",
        ),
    ]
}

#[test]
fn callers_are_told_apart() {
    hold(&rows());
}

/// What follows from a request that is served is not told beside it.
#[test]
fn each_request_is_judged_by_itself() {
    let script = turned_away(401, &[]).result("s", GetTask, task("t", COMPLETED));
    let found = findings("unauthenticated", json!(["n", "s"]), script);
    let names: Vec<&str> = found.iter().map(|finding| finding.assertion.as_str()).collect();
    assert_eq!(names, [":challenge", ":refused"]);
}
