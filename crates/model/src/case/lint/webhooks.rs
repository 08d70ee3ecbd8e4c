//! The webhooks of a case: each is given to the agent, and what is waited for has one.

use std::collections::BTreeSet;

use super::Lint;
use crate::case::convert::inner;
use crate::case::{Act, Case, HookAnswer};
use crate::diagnostic::near;
use crate::yaml::tree::Part;

impl Lint<'_> {
    pub(super) fn check_webhooks(&mut self, case: &Case) {
        let references = case.references();
        let of_redirects =
            case.webhooks.values().flat_map(|webhook| &webhook.answer).filter_map(HookAnswer::redirects_to);
        let given = references.iter().filter_map(|name| name.strip_prefix("webhook."));
        let given: BTreeSet<&str> = given.chain(of_redirects).collect();
        for name in case.webhooks.keys().filter(|name| !given.contains(name.as_str())) {
            let help = Some(format!("write `${{webhook.{name}}}` where its address stands"));
            let at = inner(&inner(&case.at, "webhooks"), name);
            self.wrong(case, &at, &Part::Name, format!("the agent is never told of the webhook `{name}`"), help);
        }
        for (name, webhook) in &case.webhooks {
            let at = inner(&inner(&inner(&case.at, "webhooks"), name), "answer");
            for (index, answer) in webhook.answer.iter().enumerate() {
                if let Some(to) = answer.redirects_to() {
                    self.check_webhook(case, to, &inner(&inner(&at, index), "redirect"));
                }
            }
        }
        for step in case.all_steps() {
            match &step.act {
                Act::Deliveries(wanted) => {
                    self.check_webhook(case, &wanted.to, &inner(&inner(&step.at, "deliveries"), "to"));
                }
                Act::Release(name) => self.check_release(case, name, &inner(&step.at, "release")),
                _ => {}
            }
        }
    }

    /// Whether there is a webhook of this name.
    fn check_webhook(&mut self, case: &Case, name: &str, at: &str) -> bool {
        let is_there = case.webhooks.contains_key(name);
        if !is_there {
            let help = near::help(name, case.webhooks.keys().map(String::as_str));
            self.wrong(case, at, &Part::Value, format!("no webhook is called `{name}`"), help);
        }
        is_there
    }

    /// Only what is held back can be released.
    fn check_release(&mut self, case: &Case, name: &str, at: &str) {
        let holds = case.webhooks.get(name).is_some_and(|webhook| webhook.answer.contains(&HookAnswer::Held));
        if self.check_webhook(case, name, at) && !holds {
            let help = Some("write `held` among its answers".to_owned());
            self.wrong(case, at, &Part::Value, format!("the webhook `{name}` holds nothing back"), help);
        }
    }
}
