//! Every oracle, held against conversations that are right and conversations that are wrong.
//!
//! A row is an oracle, its argument, a conversation and what the oracle must say of it. The last test makes sure that
//! each oracle has been seen both to accept and to object: one that cannot fail judges nothing.

mod across;
mod answered;
mod asked;
mod callers;
mod cards;
mod claims;
mod course;
mod deliveries;
mod envelopes;
mod extensions;
mod generations;
mod grpc;
mod http;
mod lists;
mod observed;
mod signatures;
mod streams;
mod tasks;
mod tls;
mod webhooks;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{OVER_A_CASE, all, over_case, over_run};
use crate::case::{Asserts, OracleCall};
use crate::finding::{Finding, Kind};
use crate::transcript::{Content, Direction};
use crate::{Judged, Judgement, script};
use script::Script;

/// One row of a table.
struct Row {
    oracle: &'static str,
    args: Value,
    script: Script,
    wants: Wants,
}

/// Oracles that only ask whether a case has seen what it is about: they have no way to object, and must be seen to
/// leave a case unreached instead.
const GUARDS: [&str; 1] = ["stream-carries"];

/// What an oracle must say.
#[derive(Debug, Clone, Copy)]
enum Wants {
    Right,
    /// A finding whose message has this part.
    Wrong(&'static str),
    /// A reason that has this part.
    Unseen(&'static str),
    /// A reason that has this part.
    Broken(&'static str),
}

fn right(oracle: &'static str, args: Value, script: Script) -> Row {
    Row { oracle, args, script, wants: Wants::Right }
}

fn wrong(oracle: &'static str, args: Value, script: Script, message: &'static str) -> Row {
    Row { oracle, args, script, wants: Wants::Wrong(message) }
}

fn unseen(oracle: &'static str, args: Value, script: Script, reason: &'static str) -> Row {
    Row { oracle, args, script, wants: Wants::Unseen(reason) }
}

fn broken(oracle: &'static str, args: Value, script: Script, reason: &'static str) -> Row {
    Row { oracle, args, script, wants: Wants::Broken(reason) }
}

fn judge(row: &Row) -> Judgement {
    ask(row).judgement
}

fn ask(row: &Row) -> Judged {
    let call =
        OracleCall { name: row.oracle.to_owned(), args: row.args.clone(), asserts: Asserts::One, at: String::new() };
    let talk = row.script.play();
    match OVER_A_CASE.iter().any(|known| known.name == row.oracle) {
        true => over_case(talk.case_view(), &call),
        false => over_run(talk.run_view(), &call),
    }
}

/// Asks about every row, and tells of all that came out otherwise.
fn hold(rows: &[Row]) {
    let mut surprises = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let judgement = judge(row);
        let fits = match (&judgement, row.wants) {
            (Judgement::Right, Wants::Right) => true,
            (Judgement::Wrong(findings), Wants::Wrong(part)) => {
                findings.iter().any(|finding| finding.headline().contains(part))
            }
            (Judgement::Unseen(reason), Wants::Unseen(part)) => reason.to_string().contains(part),
            (Judgement::Broken(reason), Wants::Broken(part)) => reason.to_string().contains(part),
            _ => false,
        };
        if !fits {
            surprises.push(format!("row {index}, `{}`: wanted {:?}, got {judgement:#?}", row.oracle, row.wants));
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

/// What an oracle finds wrong in a conversation.
fn findings(oracle: &'static str, args: Value, script: Script) -> Vec<Finding> {
    match judge(&wrong(oracle, args, script, "")) {
        Judgement::Wrong(findings) => findings,
        other => panic!("nothing was found: {other:?}"),
    }
}

/// What was wanted and what was there, for each finding.
fn compared(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().filter_map(|finding| Some((finding.expected.as_deref()?, finding.received.as_deref()?))).collect()
}

fn all_rows() -> Vec<Row> {
    let tables = [
        across::rows(),
        answered::rows(),
        asked::rows(),
        cards::rows(),
        signatures::rows(),
        callers::rows(),
        claims::rows(),
        course::rows(),
        deliveries::rows(),
        envelopes::rows(),
        extensions::rows(),
        generations::rows(),
        grpc::rows(),
        http::rows(),
        lists::rows(),
        observed::rows(),
        streams::rows(),
        tasks::rows(),
        tls::rows(),
        webhooks::rows(),
    ];
    tables.into_iter().flatten().collect()
}

#[test]
fn every_oracle_was_seen_to_accept_and_to_object() {
    let rows = all_rows();
    let named = |wanted: fn(&Wants) -> bool| -> BTreeSet<&str> {
        rows.iter().filter(|row| wanted(&row.wants)).map(|row| row.oracle).collect()
    };
    let accepts = named(|wants| matches!(wants, Wants::Right));
    let objects = named(|wants| matches!(wants, Wants::Wrong(_)));
    let holds_back = named(|wants| matches!(wants, Wants::Unseen(_)));
    let names: BTreeSet<&str> = all().into_iter().map(|oracle| oracle.name).collect();
    assert_eq!(names, rows.iter().map(|row| row.oracle).collect());
    for oracle in names {
        assert!(accepts.contains(oracle), "no row shows what `{oracle}` accepts");
        let can_object = if GUARDS.contains(&oracle) { &holds_back } else { &objects };
        assert!(can_object.contains(oracle), "no row shows what `{oracle}` objects to");
    }
}

/// Of an oracle that asserts several things each was seen to hold and to be violated, and it names no others.
#[test]
fn each_thing_that_an_oracle_asserts_was_seen_to_hold_and_to_be_violated() {
    let mut held: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut violated = held.clone();
    for row in all_rows() {
        let judged = ask(&row);
        held.extend(judged.held.into_iter().map(|name| (row.oracle, name)));
        violated.extend(judged.violated.into_iter().map(|name| (row.oracle, name)));
    }
    let mut several = 0;
    for oracle in all() {
        let Asserts::Each(names) = oracle.asserts else { continue };
        let wanted: BTreeSet<String> = names.iter().map(|name| format!(":{name}")).collect();
        for (seen, how) in [(&held, "held"), (&violated, "violated")] {
            let seen: BTreeSet<String> =
                seen.iter().filter(|(of, _)| *of == oracle.name).map(|(_, name)| name.clone()).collect();
            assert_eq!(seen, wanted, "what `{}` asserts and what was {how}", oracle.name);
        }
        several += 1;
    }
    assert!(several > 3);
}

/// Findings are evidence only if they say in which exchange it lies.
#[test]
fn every_finding_cites_an_exchange() {
    for row in all_rows() {
        let Judgement::Wrong(findings) = judge(&row) else { continue };
        for finding in findings {
            assert!(finding.exchange.is_some(), "`{}`: {finding:#?}", row.oracle);
        }
    }
}

/// A place that is cited is there, unless it is what is missing.
#[test]
fn every_place_that_is_cited_is_there() {
    let mut surprises = Vec::new();
    for row in all_rows() {
        let Judgement::Wrong(findings) = judge(&row) else { continue };
        let talk = row.script.play();
        for finding in findings {
            let Some(pointer) = &finding.pointer else { continue };
            let mut answers = talk.run_view().answers.iter().chain(talk.run_view().tried);
            let answer = answers.find(|answer| Some(answer.exchange.number) == finding.exchange).unwrap();
            let body: Value = match (finding.event, &answer.content) {
                (Some(index), _) => serde_json::from_str(&answer.events()[index].data).unwrap_or_default(),
                (None, Content::Error(error)) => error.document.value(),
                _ if answer.exchange.direction == Direction::Inbound => {
                    serde_json::from_slice(&answer.exchange.request.body).unwrap_or_default()
                }
                _ => serde_json::from_slice(&answer.exchange.response.as_ref().unwrap().body).unwrap_or_default(),
            };
            let is_missing = matches!(finding.received.as_deref(), Some("nothing" | "missing"));
            if body.pointer(pointer).is_none() != is_missing {
                surprises.push(format!("`{}`: {finding:#?}", row.oracle));
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

/// The same mistake in every answer is told once, and not every one of many mistakes.
#[test]
fn findings_are_few_and_differ() {
    let found =
        |id: &str, received: &str| Finding::new(Kind::SkillIdRepeated { id: id.to_owned() }).compare("x", received);
    let same = [found("a", "1"), found("a", "2"), found("b", "1"), found("a", "1"), found("b", "1")];
    let kept = super::tasks::first_few(same.iter().cloned());
    assert_eq!(kept, same[..3]);
    let many = (0..9).map(|index| found("a", &index.to_string()));
    assert_eq!(super::tasks::first_few(many).len(), 5);
}

#[test]
fn an_oracle_that_is_asked_wrongly_is_our_own_fault() {
    let nothing = || Script::v1_0().result("s", crate::profile::Operation::GetTask, json!({}));
    hold(&[
        broken("no-such-oracle", Value::Null, nothing(), "no oracle"),
        broken("stream-pattern", Value::from(1), nothing(), "expected a string, not `1`"),
        broken("same-events", Value::from("s"), nothing(), "expected an array of two names"),
        broken("covers", Value::from("s"), nothing(), "expected a map"),
        broken("schema", Value::from("s"), nothing(), "expected an array, not"),
        unseen("stream-pattern", Value::from("another"), nothing(), "the step `another` had no response"),
    ]);
}

/// Whatever a row asks, the lint lets through, and what no oracle can use, no oracle takes.
#[test]
fn arguments_are_read_as_they_are_written() {
    let oracles = all();
    for row in all_rows() {
        let oracle = oracles.iter().find(|oracle| oracle.name == row.oracle).unwrap();
        let is_refused = (oracle.read)(&row.args).is_err();
        let is_wrong = matches!(row.wants, Wants::Broken(reason) if reason != "broke off");
        assert_eq!(is_refused, is_wrong, "`{}` of {}", row.args, row.oracle);
    }
    for oracle in oracles {
        for args in [json!(1.5), json!({ "no-such-key": 1 }), json!([[]])] {
            assert!((oracle.read)(&args).is_err(), "`{}` takes {args}", oracle.name);
        }
    }
}
