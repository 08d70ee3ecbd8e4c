//! `a2aspec explain`: what a case or a requirement demands, why, and how to fix an agent.

mod readings;
mod several;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Exit;
use super::args::ExplainArgs;
use super::fail::{Failure, library, profiles};
use crate::binding::{self, CallRequest};
use crate::case::{Act, Case, Library, RawBody, Requirement, Step, Until, Visible};
use crate::diagnostic::{near, words};
use crate::interface::Interface;
use crate::profile::{Binding, Profile};

/// The explanation.
pub(super) fn run(args: &ExplainArgs) -> Result<String, Failure> {
    let library = library(args.cases.as_deref())?;
    let of_section = || several::section(&library, &args.id, args.profile.as_deref());
    match several::area(&library, &args.id).or_else(of_section) {
        Some(text) => Ok(text),
        None => explain(&library, &args.id),
    }
}

/// The explanation of a case or requirement.
pub(super) fn explain(library: &Library, id: &str) -> Result<String, Failure> {
    if let Some(case) = library.cases.get(id) {
        return explain_case(library, case);
    }
    let mut requirements = library.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
    if let Some(requirement) = requirements.find(|requirement| requirement.id.value == id) {
        let Some(new) = &requirement.renamed_to else { return Ok(explain_requirement(library, requirement)) };
        let text = explain(library, &new.value)?;
        return Ok(format!("{id} is called {} now\n\n{text}", new.value));
    }
    let mut alike: Vec<&str> = library.ids().filter(|known| known.contains(id) || id.contains(known)).collect();
    alike.truncate(5);
    if alike.is_empty() {
        alike.extend(near::nearest(id, library.ids()));
    }
    let help = match alike.is_empty() {
        true => "`a2aspec list` prints all cases, `a2aspec list --requirements` all requirements".to_owned(),
        false => format!("did you mean {}?", alike.join(", ")),
    };
    Err(Failure::new(Exit::Usage, &format!("there is no case, requirement, area or section `{id}`"), Some(&help)))
}

fn explain_case(library: &Library, case: &Case) -> Result<String, Failure> {
    let mut text = format!("{}\n  {}\n", case.id, sentence(&case.title));
    let mut chapter = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            text.push_str(&format!("\n{title}\n  {}\n", lines.join("\n  ")));
        }
    };
    chapter("Why it matters", &[sentence(&case.why)]);
    chapter("A right answer", &[sentence(&case.right)]);
    chapter("A wrong answer", &[sentence(&case.wrong)]);
    chapter("How to fix it", &[sentence(&case.fix)]);
    let cases = if case.own.is_some() { " --cases DIR" } else { "" };
    let mut run = vec![format!("a2aspec check URL{cases} --only {}", case.id)];
    if !library.unasked().contains(case.id.as_str()) {
        run.push(format!("It runs only when it is asked for: so, or by --area {}.", case.area()));
    }
    chapter("Run it with", &run);
    chapter("Only for agents whose card declares the extension", &case.extension);
    let needs = case.given.iter().map(|(name, fixture)| format!("{name}: the trigger `{}`", fixture.trigger));
    chapter("What it needs first", &needs.collect::<Vec<_>>());
    chapter("What is sent", &requests(library, case)?);
    chapter("What it asserts", &case.assertions());
    let readings = readings::of(&case.id).flat_map(|(link, title)| [title.to_owned(), link]);
    chapter("What the texts leave open, and how the suite reads it", &readings.collect::<Vec<_>>());
    if let Some(own) = &case.own {
        text.push_str(&format!("\nA case of your own, {}\n", own.level));
    }
    let profiles = profiles()?;
    for profile in profiles.iter().rev() {
        let checks = library.checks_of(profile.name(), case.role());
        let own: Vec<_> =
            checks.iter().filter(|check| check.case.id == case.id).map(|check| check.requirement).collect();
        if !own.is_empty() {
            text.push_str(&format!("\nWhat A2A {} says\n", profile.name()));
        }
        for requirement in own {
            text.push_str(&format!(
                "  {} ({}, section {})\n  {}\n{}",
                requirement.id.value,
                requirement.level,
                requirement.section,
                sentence(&requirement.text),
                links(requirement, 1),
            ));
        }
    }
    Ok(text)
}

fn explain_requirement(library: &Library, requirement: &Requirement) -> String {
    let mut text = format!(
        "{} ({}, section {})\n  {}\n{}",
        requirement.id.value,
        requirement.level,
        requirement.section,
        sentence(&requirement.text),
        links(requirement, usize::MAX),
    );
    if !requirement.layer.is_agent() {
        text.push_str("\nOf the HTTP server below the agent\n  A violation is a warning: A2A does not demand this.\n");
    }
    if requirement.visible != Visible::Yes {
        let seen = if requirement.visible == Visible::No { "not at all" } else { "in part" };
        let because = requirement.because.as_deref().unwrap_or_default();
        text.push_str(&format!("\nSeen from outside\n  {seen}: {because}\n"));
    }
    if !requirement.needs.is_empty() {
        text.push_str(&format!("\nNeeds what the suite does not have yet\n  {}\n", words::join(&requirement.needs)));
    }
    text.push_str("\nChecked by\n");
    for check in &requirement.cases {
        let Some(case) = library.cases.get(&check.value.case) else { continue };
        text.push_str(&format!(
            "  {}: {}\n    why: {}\n    right: {}\n    wrong: {}\n    fix: {}\n",
            check.value,
            sentence(&case.title),
            sentence(&case.why),
            sentence(&case.right),
            sentence(&case.wrong),
            sentence(&case.fix),
        ));
    }
    if requirement.cases.is_empty() {
        text.push_str("  no case yet\n");
    }
    text
}

/// Where its sections can be read, the first so many of them.
fn links(requirement: &Requirement, most: usize) -> String {
    requirement.links.iter().take(most).map(|link| format!("  {}\n", link.url)).collect()
}

/// The requests of a case as they go over the wire, a line each for where they go and what they are, references left as they are
/// in the case.
fn requests(library: &Library, case: &Case) -> Result<Vec<String>, Failure> {
    let applies =
        |profile: &&Arc<Profile>| case.own.is_some() || library.levels(profile.name()).contains_key(case.id.as_str());
    let profiles = profiles()?;
    let Some(profile) = profiles.iter().rev().find(applies) else { return Ok(Vec::new()) };
    let steps = case.all_steps();
    Ok((1..).zip(steps).filter_map(|(number, step)| render_request(profile, case, step, number)).flatten().collect())
}

fn render_request(profile: &Arc<Profile>, case: &Case, step: &Step, number: u64) -> Option<Vec<String>> {
    let call = match &step.act {
        Act::Call(call) | Act::Stream(call) | Act::Open(call) => call,
        Act::Bytes(bytes) => &bytes.call,
        Act::Raw(raw) => {
            let RawBody::Text(body) = &raw.body else { return None };
            return Some(vec![format!("{} URL{}", raw.method, raw.suffix), body.clone()]);
        }
        Act::Walk(walk) => {
            let way = if walk.until.is_empty() { "page by page" } else { "page by page, until it has seen enough" };
            return Some(vec![format!("ListTasks, {way}"), walk.with.to_string()]);
        }
        Act::Wait(wait) => {
            let or = if wait.until == Until::SettledOrNot { ", or for as long as the suite waits" } else { "" };
            return Some(vec![format!("GetTask of {}, until it has come to rest{or}", wait.task)]);
        }
        Act::Drain(name) => return Some(vec![format!("(reads the stream {name:?} to its end)")]),
        Act::Close(name) => return Some(vec![format!("(drops the connection of the stream {name:?})")]),
        Act::Card(card) => return Some(vec![format!("{} CARD", card.method)]),
        Act::Hello(offer) => return Some(vec![format!("(offers TLS: {offer})")]),
        Act::Deliveries(wanted) => {
            return Some(vec![format!("(waits for what is posted to the webhook {:?})", wanted.to)]);
        }
        Act::Release(name) => return Some(vec![format!("(answers what the webhook {name:?} has held back)")]),
        Act::Together(_) => return None,
    };
    let mut params = Value::Object(Map::new());
    if let Some(trigger) = call.trigger {
        params = json!({
            "message": { "messageId": "...", "role": "ROLE_USER", "parts": [{ "text": format!("<{trigger}>") }] }
        });
    }
    crate::session::message::merge(&mut params, &call.with);
    let is_allowed = |binding: &Binding| case.bindings.is_empty() || case.bindings.contains(binding);
    let mut bindings = Binding::ALL.into_iter().filter(is_allowed);
    let binding = bindings.find(|binding| profile.offers(call.operation, *binding))?;
    let interface = Interface::new(profile, binding, "URL".to_owned())?;
    let of_extensions = match step.asks_for_extensions() {
        true => interface.extension_headers(&step.extensions, step.required_extensions),
        false => Vec::new(),
    };
    let headers = step.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let call = CallRequest {
        operation: call.operation,
        params: params.into(),
        rpc_id: call.rpc_id.clone(),
        headers: headers.chain(of_extensions).collect(),
        purpose: String::new(),
    };
    let outgoing = binding::preview(&interface, &call, number)?;
    // What every request carries anyway would only be in the way.
    let telling = outgoing.headers.iter().filter(|(name, _)| !matches!(name.as_str(), "accept" | "content-type"));
    let headers: Vec<String> = telling.map(|(name, value)| format!("{name}: {value}")).collect();
    let headers = if headers.is_empty() { String::new() } else { format!(" ({})", headers.join(", ")) };
    let body = String::from_utf8_lossy(&outgoing.body).into_owned();
    Some(vec![format!("{} {}{headers}", outgoing.method, outgoing.url), body])
}

/// A text of a case file as a sentence: first letter large, full stop at the end, one line.
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = text.chars();
    let head: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{head}{}{end}", letters.as_str())
}
