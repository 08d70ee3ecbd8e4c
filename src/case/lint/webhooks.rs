//! The webhooks of a case: each is given to the agent, and what is waited for has one.

use std::collections::BTreeSet;

use super::Lint;
use crate::case::convert::inner;
use crate::case::{Act, Case};
use crate::diagnostic::near;
use crate::yaml::tree::Part;

impl Lint<'_> {
    pub(super) fn check_webhooks(&mut self, case: &Case) {
        let references = case.references();
        let given: BTreeSet<&str> = references.iter().filter_map(|name| name.strip_prefix("webhook.")).collect();
        for name in case.webhooks.keys().filter(|name| !given.contains(name.as_str())) {
            let help = Some(format!("write `${{webhook.{name}}}` where its address stands"));
            let at = inner(&inner(&case.at, "webhooks"), name);
            self.wrong(case, &at, &Part::Name, format!("the agent is never told of the webhook `{name}`"), help);
        }
        for step in case.all_steps() {
            if let Act::Deliveries(wanted) = &step.act
                && !case.webhooks.contains_key(&wanted.to)
            {
                let at = inner(&inner(&step.at, "deliveries"), "to");
                let help = near::help(&wanted.to, case.webhooks.keys().map(String::as_str));
                self.wrong(case, &at, &Part::Value, format!("no webhook is called `{}`", wanted.to), help);
            }
        }
    }
}
