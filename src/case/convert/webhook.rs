//! The webhooks of a case, and what is waited for there.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Converter, inner};
use crate::case::file::{DeliveriesEntry, ExpectEntry, WebhookEntry};
use crate::case::{Awaited, Deliveries, Enough, HookAnswer, Webhook};
use crate::yaml::tree::Part;

impl Converter<'_> {
    pub(super) fn webhooks(&mut self, entries: BTreeMap<String, WebhookEntry>, at: &str) -> BTreeMap<String, Webhook> {
        let mut all = BTreeMap::new();
        for (name, entry) in entries {
            let at = inner(&inner(at, &name), "answer");
            let answer = entry.answer.iter().enumerate();
            let answer = answer.filter_map(|(index, value)| self.hook_answer(value, &inner(&at, index))).collect();
            all.insert(name, Webhook { answer });
        }
        all
    }

    fn hook_answer(&mut self, value: &Value, at: &str) -> Option<HookAnswer> {
        let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
        let answer = match (status, value.as_str()) {
            (Some(status @ 200..=599), _) => Some(HookAnswer::Status(status)),
            (_, Some("close")) => Some(HookAnswer::Close),
            (_, Some("silence")) => Some(HookAnswer::Silence),
            _ => None,
        };
        if answer.is_none() {
            let words = HookAnswer::WORDS.map(|word| format!("`{word}`")).join(" and ");
            self.wrong(at, Part::Value, format!("an answer is an HTTP status from 200 to 599, or one of {words}"));
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
