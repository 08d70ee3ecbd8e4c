//! What a check says on standard error while it goes on.

use std::path::Path;

use super::fail::WIDTH;
use super::{fail, print};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::words::{count, one_line};
use crate::discovery::{Flaw, Flaws};
use crate::event::Stopped;
use crate::fuzz::Budget;
use crate::interface::{Listed, SchemeInfo, Unmet, for_tenant};
use crate::reason::Reason;
use crate::report::{self, Report, Secrets};
use crate::suite::{Notice, Suite, is_unwanted};
use crate::verdict::Verdict;

/// From so many messages on, a user is told before they are sent: each may cost money.
const MANY_MESSAGES: u64 = 50;

/// So many violations of a card are shown before a run: the card is read again for each, and a card can have thousands.
const MOST_FLAWS: usize = 20;

/// What is worth knowing while the agent is looked for.
pub(super) fn notice(secrets: &Secrets, notice: &Notice<'_>) {
    match notice {
        Notice::Renamed { old, new } => {
            print::note(secrets, &format!("note: {old} is called {new} now; that is what is meant"));
        }
        Notice::CardWithoutCredentials { card, origin } => {
            let text = "is fetched without credentials; to send them: --allow-origin";
            print::note(secrets, &format!("note: the card at {card} {text} {origin}"));
        }
        Notice::NoKeysAt { jku, error } => {
            print::warn(secrets, &format!("warning: no keys for the signatures of the card from {jku}: {error}"));
        }
        Notice::Waiting { error, limit } => {
            let text = format!("waiting up to {} s for the agent: {}", limit.as_secs_f64(), error.in_short());
            print::note(secrets, &text);
        }
        Notice::WithoutCard(error) => {
            let warning = fail::discovery_failure(error, None).masked(secrets);
            print::err(&warning.text.replacen("error", "warning", 1));
        }
    }
}

/// What is about to be checked, so that a wrong target shows at once.
pub(super) fn found(suite: &Suite) {
    let (agent, secrets) = (suite.agent(), suite.secrets());
    let name = agent.name.as_deref().unwrap_or("an agent without a name");
    let trials = &suite.plan().trials;
    let runnable = trials.iter().filter(|trial| trial.skipped.is_none()).count();
    let interfaces: Vec<String> = agent
        .checked()
        .map(|(info, interface)| {
            let (name, tenant) = (interface.profile.name(), for_tenant(interface.tenant.as_deref()));
            let version = match info.version == name {
                true => name.to_owned(),
                false => format!("{} (checked as {name})", one_line(&info.version)),
            };
            format!("A2A {version} over {} at {}{tenant}", interface.binding, interface.url)
        })
        .collect();
    let text = format!("found {name}: {}; {runnable} of {} cases apply", interfaces.join(", "), trials.len());
    print::note(secrets, &text);
    for Listed { info: interface, .. } in &agent.interfaces {
        let (word, text) = match (&interface.skipped, &interface.note) {
            (Some(reason), _) if !is_unwanted(reason) => ("not checked", reason),
            (None, Some(note)) => ("note", note),
            _ => continue,
        };
        print::note(secrets, &format!("{word}: {}: {text}", interface.title()));
    }
    for unmet in agent.unmet() {
        print::note(secrets, &format!("note: {}", told(&unmet)));
    }
    for flaws in suite.flaws() {
        let is_checked = |profile: &str| suite.interfaces().any(|interface| interface.profile.name() == profile);
        for text in shown(flaws, is_checked) {
            print::err(&secrets.mask(&text));
        }
    }
    for (interface, concern) in suite.concerns() {
        match concern.is_warning() {
            true => print::warn(secrets, &format!("warning: {}: {concern}", interface.title())),
            false => print::note(secrets, &format!("note: {}: {concern}", interface.title())),
        }
    }
}

/// What is wrong with a card in the versions that are checked: the first of it, and how much more there is.
fn shown(flaws: &Flaws, is_checked: impl Fn(&str) -> bool) -> Vec<String> {
    let found: Vec<_> = flaws.found.iter().filter(|flaw| is_checked(&flaw.profile)).collect();
    let warning = |flaw: &&Flaw| {
        let message = format!("as a card of A2A {}: {}", flaw.profile, flaw.message);
        Diagnostic::at_pointer(&flaws.place, flaws.document.text(), &flaw.pointer, message).warning().render(WIDTH)
    };
    let mut texts: Vec<String> = found.iter().take(MOST_FLAWS).map(warning).collect();
    let more = found.len().saturating_sub(MOST_FLAWS);
    if more > 0 {
        let text = format!("warning: the card has {}; `a2aspec card lint` lists all\n", count(more, "more violation"));
        texts.push(text);
    }
    texts
}

/// What it takes, where that is much.
pub(super) fn cost(suite: &Suite) {
    let messages = suite.plan().messages();
    if messages >= MANY_MESSAGES {
        let text = "--max-messages limits them, --quick runs only what the specification demands, over one binding";
        print::note(suite.secrets(), &format!("about {messages} messages will be sent; {text}"));
    }
    match suite.restarting() {
        None => {}
        Some(0) => {
            let text = "the agent will not be restarted: no selected case is about what --durable names";
            print::warn(suite.secrets(), text);
        }
        Some(cases) => {
            let cases = count(cases, "case");
            print::note(suite.secrets(), &format!("the agent will be restarted once, within {cases} at the end"));
        }
    }
}

/// What a card demands that the run does not bring.
fn told(unmet: &Unmet<'_>) -> String {
    let who = unmet.skill.map_or_else(|| "the card".to_owned(), |skill| format!("the skill `{skill}`"));
    let together = |schemes: &Vec<&SchemeInfo>| schemes.iter().map(|scheme| missing(scheme)).collect::<Vec<_>>();
    let alternatives = unmet.alternatives.iter().map(|schemes| together(schemes).join("; and ")).collect::<Vec<_>>();
    format!("{who} demands credentials that the run does not bring: {}", alternatives.join("; or "))
}

/// A scheme of the card, and how the suite is given what it takes.
fn missing(scheme: &SchemeInfo) -> String {
    let SchemeInfo { name, kind, help, .. } = scheme;
    let help = help.as_deref().map_or_else(|| "which the suite cannot bring".to_owned(), |help| format!("with {help}"));
    format!("{name} ({kind}), {help}")
}

/// What is about to be fuzzed.
pub(super) fn fuzzed(suite: &Suite, budget: &Budget) {
    let name = suite.agent().name.as_deref().unwrap_or("an agent without a name");
    let interfaces: Vec<String> = suite
        .interfaces()
        .map(|interface| format!("A2A {} over {}", interface.profile.name(), interface.binding))
        .collect();
    let text = format!("fuzzing {name}: {}; --seed {} does the same again", interfaces.join(", "), budget.seed);
    print::note(suite.secrets(), &text);
    if let Some(most) = budget.messages {
        let text = format!("at most {most} messages are sent that it may work on; --max-messages sets another limit");
        print::note(suite.secrets(), &text);
    }
}

/// What it has come to, on the last line, wherever the reports went. What a report says is masked.
pub(super) fn ended(report: &Report) {
    print::note(&Secrets::default(), &report::in_one_line(report));
}

/// Where findings were written.
pub(super) fn saved(findings: usize, folder: &Path) -> String {
    let folder = folder.display();
    let them = if findings == 1 { "it" } else { "them" };
    format!("{} written to {folder}; `a2aspec replay {folder}` runs {them} again", count(findings, "finding"))
}

/// How far an interrupted run has come.
pub(super) fn interrupted(report: &Report, is_written: bool) -> String {
    let applies = report.results.iter().filter(|result| result.verdict != Verdict::Skipped);
    let (not_run, run): (Vec<_>, Vec<_>) =
        applies.partition(|result| result.reason.as_ref().is_some_and(Reason::is_end_of_run));
    let all = count(run.len() + not_run.len(), "case");
    let stopped = &report.stopped;
    let report = if is_written { "; the report has their results" } else { "" };
    let done = format!("after {} of {all}{report}", run.len());
    match stopped {
        Some(Stopped::TimeOver { .. }) => format!("the time of --deadline was over {done}"),
        Some(Stopped::TokenOver { .. }) => {
            format!("ended {done}: {}", stopped.as_ref().map(ToString::to_string).unwrap_or_default())
        }
        _ => format!("interrupted {done}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json;

    #[test]
    fn a_card_with_thousands_of_violations_shows_the_first() {
        let flaw = |n| Flaw { profile: "1.0".to_owned(), pointer: format!("/a/{n}"), message: format!("no {n}.") };
        let document = json::parse(br#"{"a": []}"#, &json::Limits::default()).unwrap();
        let mut flaws = Flaws { place: "card".to_owned(), document, found: (0..20_000).map(flaw).collect() };
        let texts = shown(&flaws, |profile| profile == "1.0");
        assert_eq!(texts.len(), MOST_FLAWS + 1);
        assert!(texts[0].contains("no 0.") && texts[MOST_FLAWS - 1].contains("no 19."), "{}", texts[0]);
        assert!(texts[MOST_FLAWS].ends_with("19980 more violations; `a2aspec card lint` lists all\n"));
        flaws.found.truncate(MOST_FLAWS);
        assert_eq!(shown(&flaws, |_| true).len(), MOST_FLAWS);
        assert_eq!(shown(&flaws, |_| false), Vec::<String>::new());
    }
}
