//! Oracles: judgements that no matcher can express, each a named function that cases call.

mod across;
mod answered;
mod answers;
mod args;
mod artifacts;
mod asked;
mod callers;
mod card;
mod card_security;
mod card_texts;
mod challenges;
mod choices;
mod claim;
mod course;
mod deliveries;
mod dialects;
mod envelope;
mod errors;
mod extensions;
mod framing;
mod generations;
mod grpc;
pub mod heads;
mod http_errors;
mod leaks;
mod lists;
mod observed;
mod parts;
mod problems;
mod relations;
mod routes;
mod sent;
mod served;
mod shown;
mod signatures;
mod sites;
mod streams;
mod tasks;
mod texts;
mod tls;
mod webhooks;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{CaseView, Delivered, Judged, Judgement, RunView, StepRecord};
use crate::case::Asserts::{self, Each, One, Places};
use crate::case::{Named, Oracle, OracleCall, Over, WrongArguments};
use crate::finding::Finding;
use crate::reason::Reason;
use crate::transcript::{Answer, Content};
use args::{Arguments, Stream};
pub(super) use envelope::no_response;

/// One oracle: how it is called, how its arguments are read, and how it is asked.
struct Row<V> {
    name: &'static str,
    asserts: Asserts,
    read: fn(&Value) -> Result<Vec<Named>, WrongArguments>,
    ask: V,
}

impl<V> Row<V> {
    fn oracle(&self, over: Over) -> Oracle {
        Oracle { name: self.name, over, asserts: self.asserts, read: self.read }
    }
}

type OverCase = Row<fn(CaseView<'_>, &Value) -> Judged>;
type OverRun = Row<fn(RunView<'_>, &Value) -> Judged>;

/// An oracle over one case, whose arguments have the type that its function takes.
macro_rules! over_case {
    ($name:literal, $asserts:expr, $oracle:path) => {
        Row {
            name: $name,
            asserts: $asserts,
            read: |args| named(args, |view: CaseView<'_>, args| $oracle(view, args)),
            ask: |view, args| read_and_ask(args, |args| $oracle(view, args)),
        }
    };
}

/// The same over the run.
macro_rules! over_run {
    ($name:literal, $asserts:expr, $oracle:path) => {
        Row {
            name: $name,
            asserts: $asserts,
            read: |args| named(args, |view: RunView<'_>, args| $oracle(view, args)),
            ask: |view, args| read_and_ask(args, |args| $oracle(view, args)),
        }
    };
}

/// What arguments name; `_` tells of which type they are.
fn named<V, A: Arguments, J>(args: &Value, _: impl FnOnce(V, &A) -> J) -> Result<Vec<Named>, WrongArguments> {
    args::read::<A>(args).map(|args| args.named())
}

/// Asks an oracle. What its arguments refer to may have another type than they want; all else was found when the case was
/// read.
fn read_and_ask<A: Arguments, J: Into<Judged>>(args: &Value, ask: impl FnOnce(&A) -> J) -> Judged {
    match args::read(args) {
        Ok(args) => ask(&args).into(),
        Err(wrong) => {
            Judgement::Broken(Reason::mistake(format!("an argument of an oracle is wrong: {}", wrong.message))).into()
        }
    }
}

/// Oracles over one case, by the name that cases use.
const OVER_A_CASE: &[OverCase] = &[
    over_case!("stream-pattern", Each(streams::PATTERN), streams::pattern),
    over_case!("stream-closes", One, streams::closes),
    over_case!("stream-ids", Each(streams::IDS), streams::ids),
    over_case!("stream-rpc-id", One, envelope::stream_rpc_id),
    over_case!("final-flag", One, streams::final_flag),
    over_case!("final-is-last", One, streams::final_is_last),
    over_case!("final-status-is-last", One, streams::final_status_is_last),
    over_case!("shows-state", One, streams::shows_state),
    over_case!("chunk-flags", Each(artifacts::CHUNK_FLAGS), artifacts::chunk_flags),
    over_case!("artifacts-match", Each(artifacts::ARTIFACTS_MATCH), artifacts::artifacts_match),
    over_case!("same-events", One, streams::same_events),
    over_case!("generations", Each(generations::GENERATIONS), generations::generations),
    over_case!("delivery-generations", Each(generations::POSTED), generations::posted),
    over_case!("answered-at-once", One, generations::answered_at_once),
    over_case!("one-accepted", One, generations::one_accepted),
    over_case!("same-answers", One, across::same_answers),
    over_case!("same-time", One, across::same_time),
    over_case!("status-message-as-read", Each(course::STATUS_MESSAGE), course::status_message_as_read),
    over_case!("end-as-read", One, course::end_as_read),
    over_case!("stream-in-time", One, course::in_time),
    over_case!("stream-carries", One, streams::carries),
    over_case!("stream-media-type", One, framing::media_type),
    over_case!("newest-first", One, lists::newest_first),
    over_case!("no-repeats", One, lists::no_repeats),
    over_case!("covers", One, lists::covers),
    over_case!("list-changed", One, relations::list_changed),
    over_case!("pages-agree", One, relations::pages_agree),
    over_case!("listed-once", One, lists::listed_once),
    over_case!("listed-as-read", One, lists::listed_as_read),
    over_case!("same-total", One, lists::same_total),
    over_case!("at-or-after", One, lists::at_or_after),
    over_case!("unchanged", One, tasks::unchanged),
    over_case!("agree", One, tasks::agree),
    over_case!("history-keeps-task", One, tasks::history_keeps_task),
    over_case!("exactly-one", One, tasks::exactly_one),
    over_case!("history-keeps-context", One, tasks::history_keeps_context),
    over_case!("parts-with", One, parts::parts_with),
    over_case!("file-media-types", One, parts::file_media_types),
    over_case!("file-urls", One, parts::file_urls),
    over_case!("not-served", One, served::not_served),
    over_case!("served", One, served::served),
    over_case!("a-route-of", One, routes::a_route_of),
    over_case!("slash-either-way", One, routes::slash_either_way),
    over_case!("invalid-params-named", One, errors::invalid_params_named),
    over_case!("most-recent", One, tasks::most_recent),
    over_case!("batch-answers", One, envelope::batch_answers),
    over_case!("speaks-as-claimed", One, claim::speaks_as_claimed),
    over_case!("secured-as-declared", Each(claim::SECURED), claim::secured_as_declared),
    over_case!("unauthenticated", Each(callers::UNAUTHENTICATED), callers::unauthenticated),
    over_case!("malformed-credentials", Each(callers::MALFORMED), callers::malformed_credentials),
    over_case!("existence-untold", One, callers::existence_untold),
    over_case!("challenge-fits", One, challenges::challenge_fits),
    over_case!("unauthorized", Each(callers::UNAUTHORIZED), callers::unauthorized),
    over_case!("kept", One, callers::kept),
    over_case!("delivery-payload", Each(deliveries::PAYLOAD), deliveries::payload),
    over_case!("delivery-media-type", One, deliveries::media_type),
    over_case!("delivery-task", Each(deliveries::TASK), deliveries::task),
    over_case!("delivery-target", One, webhooks::target),
    over_case!("delivery-state", Each(deliveries::STATE), deliveries::state),
    over_case!("delivery-shows", One, deliveries::shows),
    over_case!("delivery-message", One, deliveries::message),
    over_case!("delivery-end-untold", One, deliveries::end_untold),
    over_case!("delivery-authorization", One, deliveries::authorization),
    over_case!("delivery-token", One, deliveries::token),
    over_case!("delivery-token-as-set", One, webhooks::token_as_set),
    over_case!("delivery-time", One, deliveries::time),
    over_case!("delivery-credentials-kept", One, webhooks::credentials_kept),
    over_case!("deliveries-go-on", One, webhooks::go_on),
    over_case!("delivery-order", One, webhooks::order),
    over_case!("delivery-once", One, webhooks::once),
    over_case!("delivery-as-streamed", One, webhooks::as_streamed),
    over_case!("webhook-holds-nothing-up", One, webhooks::holds_nothing_up),
    over_case!("webhook-holds-no-answer", One, webhooks::holds_no_answer),
    over_case!("webhook-refused", One, deliveries::refused),
    over_case!("webhook-addresses-refused", One, webhooks::addresses_refused),
    over_case!("extension-data", One, extensions::data),
    over_case!("extension-data-kept", One, extensions::kept),
    over_case!("extension-data-there", One, extensions::there),
    over_case!("encrypted", One, tls::encrypted),
    over_case!("tls-refused", One, tls::refused),
    over_case!("hsts", One, tls::hsts),
    over_case!("card-valid", Places, card::valid),
    over_case!("card-interfaces", Each(card::INTERFACES), card::interfaces),
    over_case!("card-main-listed", One, card::main_listed),
    over_case!("card-deprecated-list", One, card::deprecated_list),
    over_case!("card-modes", One, card::modes),
    over_case!("card-versions", One, card::versions),
    over_case!("card-skill-ids", One, card::skill_ids),
    over_case!("card-urls", One, card_texts::urls),
    over_case!("card-camel-case", One, card_texts::camel_case),
    over_case!("card-binding-names", One, card_texts::binding_names),
    over_case!("card-auth-schemes", One, card_texts::auth_schemes),
    over_case!("card-oauth", Each(card_texts::OAUTH), card_texts::oauth),
    over_case!("card-security", Each(card_security::SECURITY), card_security::security),
    over_case!("card-signatures", One, signatures::written),
    over_case!("card-signature-headers", Each(signatures::HEADERS), signatures::headers),
    over_case!("card-signed", Each(signatures::SIGNED), signatures::signed),
    over_case!("card-max-age", One, card::max_age),
    over_case!("card-json-text", One, card::json_text),
];

/// Oracles over the whole run, by the name that cases use.
const OVER_THE_RUN: &[OverRun] = &[
    over_run!("answered", One, answered::answered),
    over_run!("operations-served", Each(served::OPERATIONS), served::operations_served),
    over_run!("schema", Places, observed::schema),
    over_run!("camel-case", One, observed::camel_case),
    over_run!("timestamps", Each(observed::TIMESTAMPS), observed::timestamps),
    over_run!("timestamps-in-utc", One, observed::timestamps_in_utc),
    over_run!("milliseconds", One, observed::milliseconds),
    over_run!("base64", One, observed::base64),
    over_run!("spelled", One, choices::spelled),
    over_run!("formed", One, choices::formed),
    over_run!("one-dialect", One, dialects::one_dialect),
    over_run!("transitions", One, tasks::transitions),
    over_run!("listed-newest-first", One, lists::listed_newest_first),
    over_run!("messages-as-sent", One, sent::messages_as_sent),
    over_run!("webhooks-as-set", One, sent::webhooks_as_set),
    over_run!("as-asked", Each(asked::AS_ASKED), asked::as_asked),
    over_run!("shown-alike", One, shown::shown_alike),
    over_run!("heads", Each(heads::HEADS), heads::heads),
    over_run!("history-within-limit", One, tasks::history_within_limit),
    over_run!("unique-message-ids", One, tasks::unique_message_ids),
    over_run!("unique-artifact-ids", One, tasks::unique_artifact_ids),
    over_run!("agent-role", One, tasks::agent_role),
    over_run!("json-text", One, texts::json_text),
    over_run!("duplicate-keys", One, texts::duplicate_keys),
    over_run!("envelope", Each(envelope::ENVELOPE), envelope::envelope),
    over_run!("response-id", One, envelope::response_id),
    over_run!("unreadable-id", One, envelope::unreadable_id),
    over_run!("media-type", One, texts::media_type),
    over_run!("error-details", One, errors::error_details),
    over_run!("error-data", One, errors::error_data),
    over_run!("error-info", One, errors::error_info),
    over_run!("error-message", One, errors::error_message),
    over_run!("plain-errors", Each(leaks::PLAIN), leaks::plain_errors),
    over_run!("stack-traces", One, leaks::stack_traces),
    over_run!("http-error", One, http_errors::http_error),
    over_run!("status-field", One, routes::status_field),
    over_run!("grpc-content-type", One, grpc::content_type),
    over_run!("grpc-status", One, grpc::status),
    over_run!("grpc-message", One, grpc::message),
    over_run!("grpc-framing", One, grpc::framing),
    over_run!("grpc-status-details", One, grpc::status_details),
    over_run!("stream-framing", Each(framing::FRAMING), framing::framing),
    over_run!("stream-last-chunk", One, framing::last_chunk),
    over_run!("ordinary-client", One, framing::ordinary_client),
];

/// Every oracle, for the cases that name them.
pub fn all() -> Vec<Oracle> {
    let over_case = OVER_A_CASE.iter().map(|row| row.oracle(Over::Case));
    over_case.chain(OVER_THE_RUN.iter().map(|row| row.oracle(Over::Run))).collect()
}

/// Whether an oracle is one over the run. In the `holds` of a case it is asked about the conversation of that case alone.
pub fn is_over_the_run(name: &str) -> bool {
    OVER_THE_RUN.iter().any(|row| row.name == name)
}

/// Asks an oracle about one case. Assertions are named within the oracle: its own has no name, others have one after a colon.
pub fn over_case(view: CaseView<'_>, call: &OracleCall) -> Judged {
    match OVER_A_CASE.iter().find(|row| row.name == call.name) {
        Some(row) => (row.ask)(view, &call.args),
        None => Judgement::Broken(Reason::mistake(format!("`{}` is no oracle over one case", call.name))).into(),
    }
}

/// Asks an oracle about the whole run, likewise.
pub fn over_run(view: RunView<'_>, call: &OracleCall) -> Judged {
    match OVER_THE_RUN.iter().find(|row| row.name == call.name) {
        Some(row) => (row.ask)(view, &call.args),
        None => Judgement::Broken(Reason::mistake(format!("`{}` is no oracle over the run", call.name))).into(),
    }
}

impl<'a> CaseView<'a> {
    /// The step of this name that was done last: a stream that was opened and then drained is one under two names.
    fn step(&self, name: &str) -> Result<&'a StepRecord, Judgement> {
        self.played
            .iter()
            .rev()
            .find(|played| played.name.as_deref() == Some(name))
            .ok_or_else(|| Judgement::Unseen(Reason::NothingOf { step: name.to_owned() }))
    }

    /// What a step was answered, as far as anything came back.
    fn heard(&self, name: &str) -> Result<&'a Answer, Judgement> {
        let answer = self.step(name)?.seen.answer().filter(|answer| !matches!(answer.content, Content::Lost));
        answer.ok_or(Judgement::Unseen(Reason::NothingCame))
    }

    /// The stream that a step read.
    fn stream(&self, name: &Stream) -> Result<&'a Answer, Judgement> {
        let answer = self.step(name)?.seen.answer();
        match answer {
            Some(answer) if matches!(&answer.content, Content::Stream(events) if !events.is_empty()) => {
                match answer.refusal() {
                    Some(_) => {
                        let received = super::expectation::describe(answer);
                        Err(Judgement::Unseen(Reason::StreamRefused { received }))
                    }
                    None => Ok(answer),
                }
            }
            Some(answer) => {
                let received = super::expectation::describe(answer);
                Err(Judgement::Unseen(Reason::OtherThanStream { received }))
            }
            None => Err(Judgement::Unseen(Reason::NoStream)),
        }
    }

    /// What was delivered to the webhook that a step waits for.
    fn delivered(&self, name: &str) -> Result<&'a Delivered, Judgement> {
        let delivered = self.step(name)?.seen.delivered();
        delivered.ok_or_else(|| Judgement::Unseen(Reason::NothingOf { step: name.to_owned() }))
    }

    /// A task: a fixture, or what a step brought.
    fn task(&self, name: &str) -> Result<&'a Value, Judgement> {
        if let Some(task) = self.fixtures.get(name) {
            return Ok(task);
        }
        self.step(name)?.seen.task().ok_or_else(|| Judgement::Unseen(Reason::NoTask { step: name.to_owned() }))
    }

    /// A finding with its place in the task that a step brought; a fixture has no exchange of this case to cite.
    fn cite(&self, finding: Finding, name: &str, place: &str) -> Finding {
        let location = self.step(name).ok().and_then(|played| {
            let (task, _) = played.seen.placed_task()?;
            played.seen.locate(&format!("{task}{place}"))
        });
        let Some(location) = location else { return finding };
        let finding = finding.at(location.exchange, location.pointer);
        Finding { event: location.event, ..finding }
    }

    /// The tasks of a fixture, a walk or a page.
    fn tasks(&self, name: &str) -> Result<Vec<Value>, Judgement> {
        if let Some(fixture) = self.fixtures.get(name) {
            return Ok(match &**fixture {
                Value::Array(tasks) => tasks.clone(),
                task => vec![task.clone()],
            });
        }
        let root = self.step(name)?.seen.root();
        let tasks = root.as_ref().and_then(|root| root.get("tasks")).and_then(Value::as_array);
        tasks.cloned().ok_or_else(|| Judgement::Unseen(Reason::NoTasks { step: name.to_owned() }))
    }
}

/// What was found in everything of a kind that a run saw: where that is nothing, the behaviour was not shown.
fn judged(seen: usize, what: &str, findings: Vec<Finding>) -> Judgement {
    match seen {
        0 => Judgement::Unseen(Reason::run_saw_no(what)),
        _ => Judgement::of(tasks::first_few(findings.into_iter())),
    }
}

/// What an oracle found that asserts several things: which of them were seen to hold, unless they are violated elsewhere.
/// Of each that is violated a finding is kept.
fn judged_apart(held: BTreeSet<&str>, findings: Vec<Finding>) -> Judged {
    let all = Judged::new(held.into_iter().map(|name| format!(":{name}")), findings);
    match all.judgement {
        Judgement::Wrong(findings) => {
            Judged { judgement: Judgement::of(tasks::first_few(findings.into_iter())), ..all }
        }
        _ => all,
    }
}

/// A finding that violates one of the things that an oracle asserts.
fn violates(name: &str, finding: Finding) -> Finding {
    Finding { assertion: format!(":{name}"), ..finding }
}

/// Turns the early end of an oracle into its judgement.
fn judgement_of(result: Result<Judgement, Judgement>) -> Judgement {
    result.unwrap_or_else(|judgement| judgement)
}

/// The same where it asserts several things.
fn judged_of(result: Result<Judged, Judgement>) -> Judged {
    result.unwrap_or_else(Judged::from)
}

#[cfg(test)]
mod tests;
