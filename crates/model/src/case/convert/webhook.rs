//! The webhooks of a case, and what is waited for there.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Converter, inner};
use crate::case::file::{DeliveriesEntry, ExpectEntry, WebhookEntry};
use crate::case::webhook::AnswerEntry;
use crate::case::{Awaited, Deliveries, Enough, HookAnswer, Webhook};
use crate::yaml::tree::Part;

/// The status of a redirect that keeps method and body (RFC 9110 section 15.4.8).
const TEMPORARY_REDIRECT: u16 = 307;

impl Converter<'_> {
    pub(super) fn webhooks(&mut self, entries: BTreeMap<String, WebhookEntry>, at: &str) -> BTreeMap<String, Webhook> {
        let mut all = BTreeMap::new();
        for (name, entry) in entries {
            let at = inner(&inner(at, &name), "answer");
            let answer = entry.answer.iter().enumerate();
            let answer = answer.filter_map(|(index, value)| self.hook_answer(value, &inner(&at, index))).collect();
            all.insert(name, Webhook { answer, elsewhere: entry.elsewhere });
        }
        all
    }

    fn hook_answer(&mut self, value: &Value, at: &str) -> Option<HookAnswer> {
        let answer = match value {
            Value::Number(status) => {
                let status = status.as_u64().and_then(|status| u16::try_from(status).ok());
                status.filter(|status| is_status(*status)).map(|status| HookAnswer::Status(status, BTreeMap::new()))
            }
            Value::String(word) => match word.as_str() {
                "held" => Some(HookAnswer::Held),
                "close" => Some(HookAnswer::Close),
                "silence" => Some(HookAnswer::Silence),
                _ => None,
            },
            Value::Object(_) => serde_json::from_value(value.clone()).ok().and_then(written_out),
            Value::Null | Value::Bool(_) | Value::Array(_) => None,
        };
        if answer.is_none() {
            let words = HookAnswer::WORDS.map(|word| format!("`{word}`")).join(", ");
            let message = format!(
                "an answer is an HTTP status from 200 to 599, one of {words}, `{{ status, headers }}`, or `{{ redirect: WEBHOOK }}`"
            );
            self.wrong(at, Part::Value, message);
        }
        answer
    }

    pub(super) fn deliveries(&mut self, entry: DeliveriesEntry, at: &str) -> Deliveries {
        let enough = match (entry.count, entry.until) {
            (Some(_), Some(_)) => {
                self.wrong(
                    &inner(at, "until"),
                    Part::Name,
                    "deliveries are waited for by `count` or by `until`, not both",
                );
                Enough::Quiet
            }
            (count, None) => Enough::Count(count.unwrap_or(1)),
            (None, Some(Awaited::Terminal)) => Enough::Ended,
            (None, Some(Awaited::TerminalOrNot)) => Enough::EndedOrNot,
            (None, Some(Awaited::Quiet)) => Enough::Quiet,
        };
        Deliveries { to: entry.to, enough }
    }

    /// Deliveries are no answer: neither outcome nor error, nor what carries those.
    pub(super) fn check_deliveries(&mut self, expect: &ExpectEntry, at: &str) {
        let strays = [
            ("outcome", !expect.outcome.is_empty()),
            ("error-at", !expect.error_at.is_empty()),
            ("grpc", !expect.grpc.is_empty()),
            ("connection", !expect.connection.is_empty()),
            ("extensions", expect.extensions.is_some()),
            ("rpc-id", expect.rpc_id.is_some()),
        ];
        for (key, _) in strays.into_iter().filter(|(_, is_there)| *is_there) {
            let message = format!("`{key}` is about answers, and `deliveries` brings requests of the agent");
            self.wrong(&inner(at, key), Part::Name, message);
        }
    }
}

fn is_status(status: u16) -> bool {
    (200..=599).contains(&status)
}

/// An answer that is written with its members; nothing where they make no sense together.
fn written_out(entry: AnswerEntry) -> Option<HookAnswer> {
    let AnswerEntry { status, headers, redirect } = entry;
    match (redirect, status) {
        (Some(to), status) => {
            let status = status.unwrap_or(TEMPORARY_REDIRECT);
            ((300..=399).contains(&status) && headers.is_empty()).then_some(HookAnswer::Redirect(status, to))
        }
        (None, Some(status)) => is_status(status).then_some(HookAnswer::Status(status, headers)),
        (None, None) => None,
    }
}
