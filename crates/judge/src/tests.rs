//! Steps held against their expectations. A row is what is expected, what the agent did, and what the step comes to.

mod connections;
mod deliveries;
mod outcomes;
mod places;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::script::{COMPLETED, Draft, Script, WORKING, task};
use super::{Judgement, StepRecord, describe, step};
use crate::case::{Expect, Matcher, Outcome};
use crate::finding::{Finding, Kind};
use crate::profile::Binding::{Grpc, HttpJson};
use crate::profile::Operation::{GetTask, SendMessage};
use crate::reason::Reason;
use crate::transcript::Ended;
use crate::verdict::Level;
use crate::verdict::Verdict;
use crate::wire::base64;

/// What a step comes to, in a line.
fn told(judgement: &Judgement) -> String {
    let tell = |finding: &Finding| {
        let compared = finding.expected.iter().zip(&finding.received);
        let compared = compared.map(|(wanted, got)| format!(": wanted {wanted}, got {got}"));
        format!("{}{}", finding.kind, compared.collect::<String>())
    };
    match judgement {
        Judgement::Right => "right".to_owned(),
        Judgement::Wrong(findings) => findings.iter().map(tell).collect::<Vec<_>>().join("; "),
        Judgement::Unseen(reason) => format!("unseen: {reason}"),
        Judgement::Broken(reason) => format!("broken: {reason}"),
    }
}

/// The last step of a conversation, with what was expected of it.
fn played(expect: &Expect, script: &Script) -> StepRecord {
    StepRecord {
        expect: Some(expect.clone()),
        source: Some("cases/a.yaml:3".to_owned()),
        ..script.play().last().clone()
    }
}

/// Whether a step of 1.0 got where it had to.
fn reached(played: &StepRecord) -> Result<(), Reason> {
    super::reached(Script::v1_0().play().profile(), played)
}

fn judge(expect: &Expect, script: &Script) -> Judgement {
    step(script.play().profile(), &played(expect, script)).judgement
}

fn findings(expect: &Expect, script: &Script) -> Vec<Finding> {
    match judge(expect, script) {
        Judgement::Wrong(findings) => findings,
        other => panic!("nothing was found: {other:?}"),
    }
}

/// Asks about every row, and tells of all that came out otherwise.
fn hold(rows: Vec<(Expect, Script, &str)>) {
    let content = rows.iter().map(|(expect, script, _)| told(&judge(expect, script)));
    let wanted = rows.iter().map(|(.., wanted)| *wanted);
    let surprises: Vec<String> = (content.zip(wanted).enumerate())
        .filter(|(_, (content, wanted))| content != wanted)
        .map(|(index, (content, wanted))| format!("row {index}\n  wanted {wanted}\n  got    {content}"))
        .collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

/// An expectation of these outcomes.
fn any_of(outcomes: &[Outcome]) -> Expect {
    Expect { outcome: outcomes.to_vec(), ..Expect::default() }
}

fn named(name: &str) -> Expect {
    any_of(&[Outcome::Error(name.to_owned())])
}

/// A condition on one place.
fn on(place: &str, condition: Value) -> BTreeMap<String, Matcher> {
    BTreeMap::from([(place.to_owned(), Matcher::read(&condition).unwrap())])
}

/// A result with a condition on one place of it.
fn at(place: &str, condition: Value) -> Expect {
    Expect { at: on(place, condition), ..Expect::default() }
}

/// An HTTP answer with a condition on its status or on a header.
fn over_http(name: &str, condition: Value) -> Expect {
    Expect { http: on(name, condition), ..any_of(&[Outcome::Http]) }
}

/// A gRPC status with a condition on it or on a field of metadata.
fn over_grpc(name: &str, condition: Value) -> Expect {
    Expect { grpc: on(name, condition), ..any_of(&[Outcome::Grpc]) }
}

fn got(result: Value) -> Script {
    Script::v1_0().result("s", GetTask, result)
}

fn refused(code: i64) -> Script {
    Script::v1_0().error("s", GetTask, json!({ "code": code, "message": "no" }))
}

fn body(text: &str) -> Script {
    Script::v1_0().answer("s", GetTask, text)
}

fn status(script: Script, status: u16) -> Script {
    script.but(|draft| draft.status = status)
}

fn lost(ended: Ended) -> Script {
    body("").but(|draft: &mut Draft| draft.is_lost = true).ended(ended)
}

fn too_slow() -> Ended {
    Ended::TimedOut(Duration::from_secs(10))
}

/// A call over gRPC that ends with a status, in detail: only then does a script read it as an error.
fn called(code: u8) -> Script {
    let number = code.to_string();
    let details = base64::encode(&[8, code, 18, 2, b'n', b'o']);
    let trailers = [("grpc-status", number.as_str()), ("grpc-status-details-bin", &details), ("retry-after", "3")];
    Script::v1_0().over(Grpc).call("s", Some(GetTask), &[], &trailers)
}

#[test]
fn a_verdict_follows_from_the_judgement_and_the_level() {
    let wrong = Judgement::of(vec![Finding::new(Kind::StreamsDiffer)]);
    assert_eq!(Judgement::of(Vec::new()), Judgement::Right);
    assert_eq!(Judgement::Right.verdict(Level::Must), Verdict::Pass);
    assert_eq!(wrong.verdict(Level::Must), Verdict::Fail);
    assert_eq!(wrong.verdict(Level::Should), Verdict::Warn);
    assert_eq!(wrong.verdict(Level::May), Verdict::Note);
    assert_eq!(Judgement::Unseen(Reason::NothingCame).verdict(Level::Must), Verdict::Unreached);
    assert_eq!(Judgement::Broken(Reason::mistake("b")).verdict(Level::Must), Verdict::Broken);
}
