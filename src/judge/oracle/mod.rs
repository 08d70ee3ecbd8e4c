//! Oracles: judgements that no matcher can express, each a named function that cases call.

mod across;
mod answers;
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

use super::{CaseView, Judgement, Played, RunView};
use crate::case::OracleCall;
use crate::finding::Finding;
use crate::reason::Reason;
use crate::transcript::{Answer, Said};

type CaseOracle = fn(CaseView<'_>, &Value) -> Judgement;
type RunOracle = fn(RunView<'_>, &Value) -> Judgement;

/// Oracles over one case, by the name that cases use.
const OVER_A_CASE: &[(&str, CaseOracle)] = &[
    ("stream-pattern", streams::pattern),
    ("stream-closes", streams::closes),
    ("stream-ids", streams::ids),
    ("stream-rpc-id", envelope::stream_rpc_id),
    ("final-flag", streams::final_flag),
    ("final-is-last", streams::final_is_last),
    ("final-status-is-last", streams::final_status_is_last),
    ("shows-state", streams::shows_state),
    ("chunk-flags", artifacts::chunk_flags),
    ("artifacts-match", artifacts::artifacts_match),
    ("same-events", streams::same_events),
    ("same-answers", across::same_answers),
    ("stream-carries", streams::carries),
    ("stream-media-type", framing::media_type),
    ("newest-first", lists::newest_first),
    ("no-repeats", lists::no_repeats),
    ("covers", lists::covers),
    ("same-total", lists::same_total),
    ("at-or-after", lists::at_or_after),
    ("unchanged", tasks::unchanged),
    ("agree", tasks::agree),
    ("exactly-one", tasks::exactly_one),
    ("history-keeps-context", tasks::history_keeps_context),
    ("parts-with", parts::parts_with),
    ("file-media-types", parts::file_media_types),
    ("file-urls", parts::file_urls),
    ("not-served", served::not_served),
    ("served", served::served),
    ("a-route-of", routes::a_route_of),
    ("most-recent", tasks::most_recent),
    ("batch-answers", envelope::batch_answers),
    ("speaks-as-claimed", claim::speaks_as_claimed),
    ("card-valid", card::valid),
    ("card-interfaces", card::interfaces),
    ("card-main-listed", card::main_listed),
    ("card-deprecated-list", card::deprecated_list),
    ("card-modes", card::modes),
    ("card-versions", card::versions),
    ("card-skill-ids", card::skill_ids),
    ("card-urls", card_texts::urls),
    ("card-binding-names", card_texts::binding_names),
    ("card-auth-schemes", card_texts::auth_schemes),
    ("card-max-age", card::max_age),
    ("card-json-text", card::json_text),
];

/// Oracles over the whole run, by the name that cases use.
const OVER_THE_RUN: &[(&str, RunOracle)] = &[
    ("schema", observed::schema),
    ("camel-case", observed::camel_case),
    ("timestamps", observed::timestamps),
    ("timestamps-in-utc", observed::timestamps_in_utc),
    ("milliseconds", observed::milliseconds),
    ("base64", observed::base64),
    ("spelled", choices::spelled),
    ("formed", choices::formed),
    ("transitions", tasks::transitions),
    ("unique-message-ids", tasks::unique_message_ids),
    ("unique-artifact-ids", tasks::unique_artifact_ids),
    ("agent-role", tasks::agent_role),
    ("json-text", texts::json_text),
    ("duplicate-keys", texts::duplicate_keys),
    ("envelope", envelope::envelope),
    ("response-id", envelope::response_id),
    ("unreadable-id", envelope::unreadable_id),
    ("media-type", texts::media_type),
    ("error-details", errors::error_details),
    ("error-data", errors::error_data),
    ("error-info", errors::error_info),
    ("error-message", errors::error_message),
    ("http-error", http_errors::http_error),
    ("status-field", routes::status_field),
    ("grpc-content-type", grpc::content_type),
    ("grpc-status", grpc::status),
    ("grpc-message", grpc::message),
    ("grpc-framing", grpc::framing),
    ("grpc-status-details", grpc::status_details),
    ("stream-framing", framing::framing),
    ("ordinary-client", framing::ordinary_client),
];

/// The names of all oracles.
pub fn names() -> Vec<&'static str> {
    let over_a_case = OVER_A_CASE.iter().map(|(name, _)| *name);
    over_a_case.chain(OVER_THE_RUN.iter().map(|(name, _)| *name)).collect()
}

/// Asks an oracle about one case.
pub fn over_case(view: CaseView<'_>, call: &OracleCall) -> Judgement {
    match OVER_A_CASE.iter().find(|(name, _)| *name == call.name) {
        Some((_, oracle)) => oracle(view, &call.args),
        None => Judgement::Broken(Reason::mistake(format!("`{}` is no oracle over one case", call.name))),
    }
}

/// Asks an oracle about the whole run.
pub fn over_run(view: RunView<'_>, call: &OracleCall) -> Judgement {
    match OVER_THE_RUN.iter().find(|(name, _)| *name == call.name) {
        Some((_, oracle)) => oracle(view, &call.args),
        None => Judgement::Broken(Reason::mistake(format!("`{}` is no oracle over the run", call.name))),
    }
}

/// An argument that names a step: the whole argument, or one member of it.
fn text(args: &Value) -> Result<&str, Judgement> {
    args.as_str()
        .ok_or_else(|| Judgement::Broken(Reason::mistake(format!("an oracle got {args} where a name should be"))))
}

fn member<'a>(args: &'a Value, name: &str) -> Result<&'a Value, Judgement> {
    args.get(name).ok_or_else(|| Judgement::Broken(Reason::mistake(format!("an oracle lacks its argument `{name}`"))))
}

fn pair(args: &Value) -> Result<(&str, &str), Judgement> {
    match args.as_array().map(Vec::as_slice) {
        Some([a, b]) => Ok((text(a)?, text(b)?)),
        _ => Err(Judgement::Broken(Reason::mistake(format!("an oracle got {args} where two names should be")))),
    }
}

impl<'a> CaseView<'a> {
    /// The step of this name that was done last: a stream that was opened and then drained is one under two names.
    fn step(&self, name: &str) -> Result<&'a Played, Judgement> {
        self.played
            .iter()
            .rev()
            .find(|played| played.name.as_deref() == Some(name))
            .ok_or_else(|| Judgement::Unseen(Reason::NothingOf { step: name.to_owned() }))
    }

    /// The stream that a step read.
    fn stream(&self, args: &Value) -> Result<&'a Answer, Judgement> {
        let name = text(args)?;
        let answer = self.step(name)?.seen.answer();
        match answer {
            Some(answer) if matches!(&answer.said, Said::Stream(events) if !events.is_empty()) => {
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
fn settle(result: Result<Judgement, Judgement>) -> Judgement {
    result.unwrap_or_else(|judgement| judgement)
}

#[cfg(test)]
mod tests;
