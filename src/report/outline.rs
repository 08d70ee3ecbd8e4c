//! What a run would do, told instead of it (`--dry-run`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::json;
use super::model::Tool;
use super::style::{FAINT, STRONG, paint};
use crate::auth::{Caller, Credentials};
use crate::diagnostic::words::{count, one_line, printable_with_styles, wrap};
use crate::discovery::reach;
use crate::interface::{Agent, Interface, for_tenant};
use crate::plan::{Plan, Trial};
use crate::reason::Reason;
use crate::verdict::Level;

/// The JSON schema of an outline (draft 2020-12).
pub(crate) const SCHEMA: &str = include_str!("../../schemas/outline.schema.json");

/// The version of its JSON: it grows when what was there means something else, or is no longer there.
const SCHEMA_VERSION: u32 = 1;

/// The columns before the reason for which cases do not run.
const INDENT: usize = 16;

/// What is run against which agent, and what that takes.
#[derive(Debug, Serialize)]
pub(crate) struct Outline {
    schema_version: u32,
    tool: Tool,
    /// The command line that does it, without what selects cases.
    command: String,
    agent: Option<String>,
    url: String,
    cards: Vec<String>,
    messages: Messages,
    webhooks: Webhooks,
    interfaces: Vec<Outlined>,
    /// What the card declares and is not checked, with the reason.
    left_out: Vec<LeftOut>,
    cases: Vec<OutlinedCase>,
}

/// How many messages it sends.
#[derive(Debug, Serialize)]
struct Messages {
    /// What steps and fixtures send, if all goes well.
    about: u64,
    /// The limit of the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<u64>,
}

/// What is received.
#[derive(Debug, Serialize)]
struct Webhooks {
    /// How many cases wait for deliveries.
    cases: usize,
    /// The URL that the agent is told; its last segment differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// One interface.
#[derive(Debug, Serialize)]
struct Outlined {
    profile: String,
    binding: String,
    url: String,
    /// The tenant that its requests name.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// The names of the headers with credentials that go there.
    credentials: Vec<String>,
    /// Those of the second identity.
    other_credentials: Vec<String>,
    /// How many cases run.
    run: usize,
    /// How many do not.
    skipped: usize,
    messages: u64,
}

/// An interface that is not checked.
#[derive(Debug, Serialize)]
struct LeftOut {
    interface: String,
    reason: String,
}

/// One case over one interface.
#[derive(Debug, Serialize)]
struct OutlinedCase {
    case: String,
    profile: String,
    binding: String,
    level: Level,
    /// Why it does not run.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
}

/// What an outline is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ingredients<'a> {
    pub command: &'a str,
    pub agent: &'a Agent,
    pub plan: &'a Plan,
    pub credentials: &'a Credentials,
    pub max_messages: Option<u64>,
    pub webhook: Option<&'a str>,
    /// Whether a reason is that the user's own flags leave an interface out: of that nobody has to be told.
    pub is_unwanted: fn(&str) -> bool,
}

impl Outline {
    pub fn new(of: Ingredients<'_>) -> Self {
        let Ingredients { command, agent, plan, credentials, max_messages, webhook, is_unwanted } = of;
        let left_out = agent.interfaces.iter().filter_map(|listed| {
            let reason = listed.info.skipped.clone().filter(|reason| !is_unwanted(reason))?;
            Some(LeftOut { interface: listed.info.title(), reason })
        });
        let checked =
            agent.interfaces.iter().enumerate().filter_map(|(index, listed)| Some((index, listed.interface.as_ref()?)));
        Self {
            schema_version: SCHEMA_VERSION,
            tool: Tool::default(),
            command: command.to_owned(),
            agent: agent.name.clone(),
            url: agent.url.clone(),
            cards: agent.cards.clone(),
            messages: Messages { about: plan.messages(), at_most: max_messages },
            webhooks: Webhooks {
                cases: plan.trials.iter().filter(|trial| trial.receives()).count(),
                url: webhook.map(str::to_owned),
            },
            interfaces: checked.map(|(index, interface)| Outlined::new(plan, index, interface, credentials)).collect(),
            left_out: left_out.collect(),
            cases: plan.trials.iter().map(|trial| OutlinedCase::from(&**trial)).collect(),
        }
    }

    /// For programs.
    pub fn json(&self) -> String {
        json::indented(self)
    }

    /// For people.
    pub fn terminal(&self, width: usize) -> String {
        let name = self.agent.as_deref().unwrap_or("an agent without a name");
        let mut out = format!("nothing is run: this is what a check of {name} would do\n");
        for interface in &self.interfaces {
            out.push_str(&self.interface(interface, width));
        }
        for LeftOut { interface, reason } in &self.left_out {
            let interface = paint(STRONG, one_line(interface));
            out.push_str(&format!("\n{interface}\n  not checked: {}\n", one_line(reason)));
        }
        let run = self.cases.iter().filter(|case| case.reason.is_none()).count();
        out.push_str(&format!("\n{} of {} run\n", run, count(self.cases.len(), "case")));
        let Messages { about, at_most } = self.messages;
        let limit = match at_most {
            Some(most) => format!(", and no more than {most} (--max-messages)"),
            None => "; --max-messages limits them".to_owned(),
        };
        let about = usize::try_from(about).unwrap_or(usize::MAX);
        out.push_str(&format!("about {} to the agent{limit}\n", count(about, "message")));
        let webhooks = match (&self.webhooks.url, self.webhooks.cases) {
            (Some(url), cases @ 1..) => format!("{} at {}", count(cases, "case"), one_line(url)),
            _ => "none".to_owned(),
        };
        out.push_str(&format!("webhooks: {webhooks}\n"));
        printable_with_styles(&out)
    }

    fn interface(&self, interface: &Outlined, width: usize) -> String {
        let Outlined { profile, binding, url, tenant, credentials, other_credentials, run, messages, .. } = interface;
        let place = one_line(&format!("{url}{}", for_tenant(tenant.as_deref())));
        let mut out = format!("\n{} at {place}\n", paint(STRONG, format!("A2A {profile} over {binding}")));
        let messages = count(usize::try_from(*messages).unwrap_or(usize::MAX), "message");
        out.push_str(&format!("  {} run, with about {messages}\n", count(*run, "case")));
        out.push_str(&format!("  credentials: {}\n", named(credentials)));
        if !other_credentials.is_empty() {
            out.push_str(&format!("  of the second identity: {}\n", named(other_credentials)));
        }
        let of_it = self.cases.iter().filter(|case| case.is_over(interface));
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for reason in of_it.filter_map(|case| case.reason.as_ref()) {
            *reasons.entry(one_line(&reason.to_string())).or_default() += 1;
        }
        let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, cases)| std::cmp::Reverse(*cases));
        for (reason, cases) in reasons {
            let cases = count(cases, "case");
            for (index, line) in wrap(&reason, width.saturating_sub(INDENT)).into_iter().enumerate() {
                let cases = if index == 0 { cases.as_str() } else { "" };
                out.push_str(&format!("  {} {line}\n", paint(FAINT, format_args!("{cases:<13}"))));
            }
        }
        out
    }
}

impl Outlined {
    fn new(plan: &Plan, index: usize, interface: &Interface, credentials: &Credentials) -> Self {
        let trials: Vec<Arc<Trial>> =
            plan.trials.iter().filter(|trial| trial.interface == index).map(Arc::clone).collect();
        // The card may name a channel of gRPC without its scheme, and credentials belong to origins.
        let address = reach::address(interface);
        let headers = |caller: Caller| {
            let of_caller = credentials.of(caller);
            of_caller.headers_for(&address).into_iter().map(|(name, _)| name).collect()
        };
        let skipped = trials.iter().filter(|trial| trial.skipped.is_some()).count();
        Self {
            profile: interface.profile.name().to_owned(),
            binding: interface.binding.to_string(),
            url: interface.url.clone(),
            tenant: interface.tenant.clone(),
            credentials: headers(Caller::Own),
            other_credentials: headers(Caller::Other),
            run: trials.len() - skipped,
            skipped,
            messages: Plan { trials }.messages(),
        }
    }
}

impl OutlinedCase {
    fn is_over(&self, interface: &Outlined) -> bool {
        let first = self.binding.split('+').next();
        self.profile == interface.profile && first == Some(interface.binding.as_str())
    }
}

impl From<&Trial> for OutlinedCase {
    fn from(trial: &Trial) -> Self {
        Self {
            case: trial.case.id.clone(),
            profile: trial.profile.clone(),
            binding: trial.bindings(),
            level: trial.level,
            reason: trial.skipped.clone(),
        }
    }
}

/// The names of headers; nothing else of them is told.
fn named(headers: &[String]) -> String {
    if headers.is_empty() { "none".to_owned() } else { headers.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::auth::Identity;
    use crate::plan::whole::plan_at;

    fn outline(max_messages: Option<u64>) -> Outline {
        let (plan, listed) = plan_at("http://127.0.0.1:8080/");
        let agent = Agent {
            url: "http://127.0.0.1:8080/".to_owned(),
            cards: vec!["http://127.0.0.1:8080/.well-known/agent-card.json".to_owned()],
            name: Some("An agent".to_owned()),
            interfaces: listed.into(),
            schemes: Vec::new(),
            demands: Vec::new(),
        };
        let own = Identity::at("http://127.0.0.1:8080/", "Bearer secret".to_owned()).unwrap();
        let webhook = plan.trials.iter().any(|trial| trial.receives()).then_some("http://127.0.0.1:9000");
        Outline::new(Ingredients {
            command: "a2aspec check http://127.0.0.1:8080/",
            agent: &agent,
            plan: &plan,
            credentials: &Credentials::new(Vec::new(), vec![own]),
            max_messages,
            webhook,
            is_unwanted: |_| false,
        })
    }

    #[test]
    fn an_outline_is_valid_against_its_schema() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert!(jsonschema::meta::is_valid(&schema));
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for outline in [outline(None), outline(Some(7))] {
            let told: Value = serde_json::from_str(&outline.json()).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&told).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
            assert_eq!(told["interfaces"][0]["credentials"][0], "authorization");
            assert!(!outline.json().contains("secret"));
        }
    }

    #[test]
    fn a_limit_is_told() {
        assert!(outline(None).terminal(100).contains("; --max-messages limits them\n"));
        assert!(outline(Some(7)).terminal(100).contains(", and no more than 7 (--max-messages)\n"));
    }
}
