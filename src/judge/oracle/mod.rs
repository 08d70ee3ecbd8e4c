//! Oracles: judgements that no matcher can express, each a named function that cases call.

mod across;
mod answered;
mod answers;
mod args;
mod artifacts;
mod card;
mod card_texts;
mod choices;
mod claim;
mod envelope;
mod errors;
mod framing;
mod grpc;
mod http_errors;
mod lists;
mod observed;
mod parts;
mod problems;
mod routes;
mod served;
mod sites;
mod streams;
mod tasks;
mod texts;

use serde_json::Value;

use super::{CaseView, Judged, Judgement, RunView, StepRecord};
use crate::case::{Named, Oracle, OracleCall, Over, WrongArguments};
use crate::finding::Finding;
use crate::reason::Reason;
use crate::transcript::{Answer, Content};
use args::{Arguments, Stream};

/// One oracle: how it is called, how its arguments are read, and how it is asked.
struct Row<V> {
    name: &'static str,
    read: fn(&Value) -> Result<Vec<Named>, WrongArguments>,
    ask: V,
}

type OverCase = Row<fn(CaseView<'_>, &Value) -> Judged>;
type OverRun = Row<fn(RunView<'_>, &Value) -> Judged>;

/// An oracle over one case, whose arguments have the type that its function takes.
macro_rules! over_case {
    ($name:literal, $oracle:path) => {
        Row {
            name: $name,
            read: |args| named(args, |view: CaseView<'_>, args| $oracle(view, args)),
            ask: |view, args| read_and_ask(args, |args| $oracle(view, args)),
        }
    };
}

/// The same over the run.
macro_rules! over_run {
    ($name:literal, $oracle:path) => {
        Row {
            name: $name,
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
    over_case!("stream-pattern", streams::pattern),
    over_case!("stream-closes", streams::closes),
    over_case!("stream-ids", streams::ids),
    over_case!("stream-rpc-id", envelope::stream_rpc_id),
    over_case!("final-flag", streams::final_flag),
    over_case!("final-is-last", streams::final_is_last),
    over_case!("final-status-is-last", streams::final_status_is_last),
    over_case!("shows-state", streams::shows_state),
    over_case!("chunk-flags", artifacts::chunk_flags),
    over_case!("artifacts-match", artifacts::artifacts_match),
    over_case!("same-events", streams::same_events),
    over_case!("same-answers", across::same_answers),
    over_case!("stream-carries", streams::carries),
    over_case!("stream-media-type", framing::media_type),
    over_case!("newest-first", lists::newest_first),
    over_case!("no-repeats", lists::no_repeats),
    over_case!("covers", lists::covers),
    over_case!("same-total", lists::same_total),
    over_case!("at-or-after", lists::at_or_after),
    over_case!("unchanged", tasks::unchanged),
    over_case!("agree", tasks::agree),
    over_case!("exactly-one", tasks::exactly_one),
    over_case!("history-keeps-context", tasks::history_keeps_context),
    over_case!("parts-with", parts::parts_with),
    over_case!("file-media-types", parts::file_media_types),
    over_case!("file-urls", parts::file_urls),
    over_case!("not-served", served::not_served),
    over_case!("served", served::served),
    over_case!("a-route-of", routes::a_route_of),
    over_case!("most-recent", tasks::most_recent),
    over_case!("batch-answers", envelope::batch_answers),
    over_case!("speaks-as-claimed", claim::speaks_as_claimed),
    over_case!("card-valid", card::valid),
    over_case!("card-interfaces", card::interfaces),
    over_case!("card-main-listed", card::main_listed),
    over_case!("card-deprecated-list", card::deprecated_list),
    over_case!("card-modes", card::modes),
    over_case!("card-versions", card::versions),
    over_case!("card-skill-ids", card::skill_ids),
    over_case!("card-urls", card_texts::urls),
    over_case!("card-binding-names", card_texts::binding_names),
    over_case!("card-auth-schemes", card_texts::auth_schemes),
    over_case!("card-max-age", card::max_age),
    over_case!("card-json-text", card::json_text),
];

/// Oracles over the whole run, by the name that cases use.
const OVER_THE_RUN: &[OverRun] = &[
    over_run!("answered", answered::answered),
    over_run!("schema", observed::schema),
    over_run!("camel-case", observed::camel_case),
    over_run!("timestamps", observed::timestamps),
    over_run!("timestamps-in-utc", observed::timestamps_in_utc),
    over_run!("milliseconds", observed::milliseconds),
    over_run!("base64", observed::base64),
    over_run!("spelled", choices::spelled),
    over_run!("formed", choices::formed),
    over_run!("transitions", tasks::transitions),
    over_run!("unique-message-ids", tasks::unique_message_ids),
    over_run!("unique-artifact-ids", tasks::unique_artifact_ids),
    over_run!("agent-role", tasks::agent_role),
    over_run!("json-text", texts::json_text),
    over_run!("duplicate-keys", texts::duplicate_keys),
    over_run!("envelope", envelope::envelope),
    over_run!("response-id", envelope::response_id),
    over_run!("unreadable-id", envelope::unreadable_id),
    over_run!("media-type", texts::media_type),
    over_run!("error-details", errors::error_details),
    over_run!("error-data", errors::error_data),
    over_run!("error-info", errors::error_info),
    over_run!("error-message", errors::error_message),
    over_run!("http-error", http_errors::http_error),
    over_run!("status-field", routes::status_field),
    over_run!("grpc-content-type", grpc::content_type),
    over_run!("grpc-status", grpc::status),
    over_run!("grpc-message", grpc::message),
    over_run!("grpc-framing", grpc::framing),
    over_run!("grpc-status-details", grpc::status_details),
    over_run!("stream-framing", framing::framing),
    over_run!("ordinary-client", framing::ordinary_client),
];

/// Every oracle, for the cases that name them.
pub fn all() -> Vec<Oracle> {
    let over_case = OVER_A_CASE.iter().map(|row| Oracle { name: row.name, over: Over::Case, read: row.read });
    over_case.chain(OVER_THE_RUN.iter().map(|row| Oracle { name: row.name, over: Over::Run, read: row.read })).collect()
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

/// Turns the early end of an oracle into its judgement.
fn judgement_of(result: Result<Judgement, Judgement>) -> Judgement {
    result.unwrap_or_else(|judgement| judgement)
}

#[cfg(test)]
mod tests;
