//! `a2aspec check`: the main job.

use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_reference_agent::RunningAgent;
use tokio::sync::{mpsc, watch};
use url::Url;

use super::Exit;
use super::args::{CheckArgs, FailOn};
use super::fail::{Failure, WIDTH, library, profiles};
use super::settings::{self, Settings};
use crate::binding::http::{self, Http};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::words::list;
use crate::plan::{self, Endpoint, NothingMatches};
use crate::profile::Profile;
use crate::report::model::{Report, TrialResult, Verdict};
use crate::report::output::{self, Destination};
use crate::report::terminal::progress::Progress;
use crate::report::{self, Format, ReportBuilder, Trace};
use crate::run::{self, Event, Options};
use crate::target::discovery::{self, Discovered, DiscoveryError};
use crate::target::triggers::{self, Triggers};

/// How long the `slow` task of the reference agent works when the suite checks itself: long enough to be met at work,
/// short enough not to be waited for.
const SLOW: Duration = Duration::from_millis(900);

/// Checks an agent.
pub(super) async fn run(args: CheckArgs) -> Result<Exit, Failure> {
    let mut settings = settings::settle(args)?;
    let library = library(settings.cases.as_deref())?;
    for (old, new) in settings.selection.follow(|id| library.renamed(id)) {
        anstream::eprintln!("note: {old} is called {new} now; that is what is meant");
    }
    let profiles = profiles()?;
    output::prepare(&settings.outputs).map_err(|error| Failure::usage(error.to_string()))?;
    let mut trace = open_trace(&settings)?;

    let own = start_own_agent(&settings).await?;
    let url = match (&settings.url, &own) {
        (Some(url), _) => url.clone(),
        (None, Some(agent)) => settings::parse_url(&own_base(agent, &settings.profiles)?)?,
        (None, None) => return Err(Failure::broken("there is no agent to check")),
    };
    let mut headers = settings.headers.clone();
    if own.is_some() {
        // It shows its extended card to whoever has a token, and to nobody else.
        headers.push(("authorization".to_owned(), "Bearer reference".to_owned()));
    }
    let http = http::Settings { headers, timeout: settings.timeout };
    let http =
        Http::new(http).map_err(|error| Failure::broken(format!("the HTTP client cannot be set up: {error}")))?;
    let http = Arc::new(http);
    // Agents may show in a card, or in what they send in its place, what they were sent.
    let mask = |failure: Failure| Failure { text: settings.secrets.mask(&failure.text), ..failure };
    let mut found = find(&http, &url, &settings, &profiles).await.map_err(mask)?;
    choose(&mut found, &settings, &profiles).map_err(mask)?;

    let plan = plan::make(&library, &found.endpoints, &found.capabilities, &settings.selection)
        .map_err(|error| nothing_matches(&error))?;
    tell_what_was_found(&found, &plan, &settings);

    let options = Options {
        jobs: settings.jobs,
        max_messages: settings.max_messages,
        triggers: Triggers::new(settings.triggers.clone(), triggers::announced(&found.extensions), settings.preset),
        card: found.place.clone(),
    };
    let began = Instant::now();
    let command = command(&settings);
    let started = jiff::Timestamp::now();
    let mut builder = ReportBuilder::new(url.as_str(), &command, settings.secrets.clone(), started);
    let (events, mut heard) = mpsc::unbounded_channel();
    let (stopper, stop) = watch::channel(false);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = stopper.send(true);
        }
        // The run keeps its receiver: the sender must live as long as it does.
        std::future::pending::<()>().await;
    });
    let work = run::execute(Arc::new(plan), found.info, found.endpoints, http, options, events, stop);
    let listen = async {
        let mut progress = Progress::new();
        while let Some(event) = heard.recv().await {
            progress.see(&event);
            builder.see(&event);
            if let Some(trace) = trace.as_mut()
                && let Err(error) = trace.see(&event)
            {
                progress.suspend(|| anstream::eprintln!("warning: the trace cannot be written: {error}"));
            }
            if matches!(event, Event::Done { .. }) {
                break;
            }
        }
    };
    tokio::join!(work, listen);
    let report = builder.finish(began.elapsed());
    if let Some(agent) = own {
        agent.stop().await;
    }
    write(&report, &settings)?;
    Ok(verdict(&report, settings.fail_on))
}

fn nothing_matches(error: &NothingMatches) -> Failure {
    let help = match error {
        NothingMatches::Pattern { .. } => {
            "`a2aspec list` shows what there is; `*` stands for any characters".to_owned()
        }
        NothingMatches::NoArea { near, all, .. } if near.is_empty() => format!("there are {}", list(all)),
        NothingMatches::NoArea { near, .. } => format!("did you mean {}?", near.join(", ")),
        NothingMatches::IdleArea { .. } => "`a2aspec list` shows for which versions its cases are".to_owned(),
    };
    Failure::new(Exit::Usage, &error.to_string(), Some(&help))
}

/// The command line that does the same again, for the hints in the report.
fn command(settings: &Settings) -> String {
    let mut command = "a2aspec check".to_owned();
    if let Some(url) = &settings.url {
        command.push_str(&format!(" {url}"));
    }
    if let Some(folder) = &settings.cases {
        command.push_str(&format!(" --cases {}", folder.display()));
    }
    let without: Vec<String> = settings.without.iter().map(ToString::to_string).collect();
    if !without.is_empty() {
        command.push_str(&format!(" --without {}", without.join(",")));
    }
    if let Some(form) = settings.rest_form {
        command.push_str(&format!(" --rest-form {form}"));
    }
    for fault in &settings.faults {
        command.push_str(&format!(" --fault {}", fault.id));
    }
    command
}

fn open_trace(settings: &Settings) -> Result<Option<Trace<std::io::BufWriter<std::fs::File>>>, Failure> {
    let Some(path) = &settings.trace else { return Ok(None) };
    Trace::create(path, settings.secrets.clone())
        .map(Some)
        .map_err(|error| Failure::usage(format!("the trace {} cannot be written: {error}", path.display())))
}

async fn start_own_agent(settings: &Settings) -> Result<Option<RunningAgent>, Failure> {
    if settings.url.is_some() {
        return Ok(None);
    }
    let config = a2a_reference_agent::Config {
        without: settings.without.iter().copied().collect(),
        slow: SLOW,
        faults: settings.faults.clone(),
        rest_form: settings.rest_form.unwrap_or_default(),
        ..a2a_reference_agent::Config::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = a2a_reference_agent::start(config, address).await;
    agent.map(Some).map_err(|error| Failure::broken(format!("the reference agent cannot be started: {error}")))
}

/// Where the reference agent has the card for these profiles: those that a card can name share one, each of the others has
/// its own.
fn own_base(agent: &RunningAgent, wanted: &[String]) -> Result<String, Failure> {
    let bases = agent.bases();
    let mut of_wanted =
        bases.iter().filter(|(name, _)| wanted.iter().any(|wanted| wanted == name)).map(|(_, base)| base);
    let Some(first) = of_wanted.next() else { return Ok(agent.url().to_owned()) };
    match of_wanted.all(|base| base == first) {
        true => Ok(first.clone()),
        false => {
            let message = format!("A2A {} have cards of their own: check one at a time", wanted.join(" and "));
            Err(Failure::usage(message))
        }
    }
}

async fn find(http: &Http, url: &Url, settings: &Settings, profiles: &[Arc<Profile>]) -> Result<Discovered, Failure> {
    let error = match discovery::discover(http, url, &settings.lookup, profiles, &settings.profiles).await {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let help = "name the card with --card URL|FILE, or, for an agent without one, its interface with \
                --profile and --binding";
    match &error {
        DiscoveryError::NoCard { .. } | DiscoveryError::NotJson { .. } | DiscoveryError::NotAnObject { .. } => {
            if let ([profile], [binding]) = (settings.profiles.as_slice(), settings.bindings.as_slice())
                && let Some(profile) = profiles.iter().find(|known| known.name() == profile)
            {
                let warning = discovery_failure(&error, None).text.replacen("error", "warning", 1);
                anstream::eprint!("{}", settings.secrets.mask(&warning));
                return Ok(discovery::without_card(url, profile, *binding));
            }
            Err(discovery_failure(&error, Some(help)))
        }
        DiscoveryError::Unreachable { .. } => {
            let help = "is the agent running, and is the URL right? --timeout gives a slow one more time";
            Err(discovery_failure(&error, Some(help)))
        }
        DiscoveryError::TooLarge { .. } | DiscoveryError::File { .. } => Err(discovery_failure(&error, None)),
    }
}

fn discovery_failure(error: &DiscoveryError, help: Option<&str>) -> Failure {
    match error {
        DiscoveryError::NotJson { place, error: inner, text } => {
            let message = format!("the card is not JSON: {}", inner.kind);
            let mut diagnostic = Diagnostic::at_offset(place, text, inner.offset, message);
            diagnostic.help = help.map(str::to_owned);
            Failure::diagnostic(Exit::Target, &diagnostic)
        }
        other => Failure::new(Exit::Target, &other.to_string(), help),
    }
}

/// Why an interface is not checked when the user wants others.
const LEFT_OUT: &str = "--profile and --binding leave it out";

/// Keeps the endpoints that the user wants.
fn choose(found: &mut Discovered, settings: &Settings, profiles: &[Arc<Profile>]) -> Result<(), Failure> {
    let known: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
    if let Some(unknown) = settings.profiles.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::usage(format!("there is no profile `{unknown}`; there is {}", known.join(", "))));
    }
    let wants = |endpoint: &Endpoint| {
        let profile =
            settings.profiles.is_empty() || settings.profiles.iter().any(|name| name == endpoint.profile.name());
        profile && (settings.bindings.is_empty() || settings.bindings.contains(&endpoint.binding))
    };
    let offered: Vec<String> = found
        .endpoints
        .iter()
        .map(|endpoint| format!("A2A {} over {}", endpoint.profile.name(), endpoint.binding))
        .collect();
    // Every interface that is not skipped has its endpoint, in the same order.
    let usable = found.info.interfaces.iter_mut().filter(|interface| interface.skipped.is_none());
    for (interface, _) in usable.zip(&found.endpoints).filter(|(_, endpoint)| !wants(endpoint)) {
        interface.skipped = Some(LEFT_OUT.to_owned());
    }
    found.endpoints.retain(wants);
    if !found.endpoints.is_empty() {
        return Ok(());
    }
    let message = if offered.is_empty() {
        let reasons: Vec<String> = found
            .info
            .interfaces
            .iter()
            .map(|interface| {
                let reason = interface.skipped.as_deref().unwrap_or("not usable");
                format!("\n  {}: {reason}", interface.title())
            })
            .collect();
        match reasons.is_empty() {
            true => "the card declares no interface".to_owned(),
            false => format!("the card declares no interface that can be checked{}", reasons.concat()),
        }
    } else {
        format!("the card does not declare what --profile and --binding ask for; it declares {}", offered.join(", "))
    };
    Err(Failure::new(Exit::Target, &message, None))
}

/// Says on standard error what is about to be checked, so that a wrong target shows at once.
fn tell_what_was_found(found: &Discovered, plan: &plan::Plan, settings: &Settings) {
    let name = found.info.name.as_deref().unwrap_or("an agent without a name");
    let runnable = plan.trials.iter().filter(|trial| trial.skipped.is_none()).count();
    let endpoints: Vec<String> = found
        .endpoints
        .iter()
        .map(|endpoint| format!("A2A {} over {} at {}", endpoint.profile.name(), endpoint.binding, endpoint.url))
        .collect();
    let text = format!("found {name}: {}; {runnable} of {} cases apply\n", endpoints.join(", "), plan.trials.len());
    anstream::eprint!("{}", settings.secrets.mask(&text));
    for interface in &found.info.interfaces {
        let (word, text) = match (&interface.skipped, &interface.note) {
            (Some(reason), _) if reason != LEFT_OUT => ("not checked", reason),
            (None, Some(note)) => ("note", note),
            _ => continue,
        };
        let text = format!("{word}: {}: {text}\n", interface.title());
        anstream::eprint!("{}", settings.secrets.mask(&text));
    }
    if let Some(flaws) = &found.flaws {
        let place = found.info.card.as_deref().unwrap_or("card");
        let is_checked = |profile: &str| found.endpoints.iter().any(|endpoint| endpoint.profile.name() == profile);
        for flaw in flaws.found.iter().filter(|flaw| is_checked(&flaw.profile)) {
            let message = format!("as a card of A2A {}: {}", flaw.profile, flaw.message);
            let diagnostic = Diagnostic::at_pointer(place, flaws.document.text(), &flaw.pointer, message).warning();
            anstream::eprint!("{}", settings.secrets.mask(&diagnostic.render(WIDTH)));
        }
    }
}

fn write(report: &Report, settings: &Settings) -> Result<(), Failure> {
    for output in &settings.outputs {
        let text = report::render(report, output.format, width());
        match &output.destination {
            Destination::Stdout => anstream::print!("{text}"),
            Destination::File(path) => {
                // Nobody wants escape sequences in a file.
                let text = match output.format {
                    Format::Terminal => anstream::adapter::strip_str(&text).to_string(),
                    Format::Json | Format::Junit => text,
                };
                output::write(path, &text).map_err(|error| Failure::usage(error.to_string()))?;
            }
        }
    }
    Ok(())
}

/// Columns of the terminal; as many as read well where there is none.
fn width() -> usize {
    const READABLE: usize = 100;
    if !std::io::stdout().is_terminal() {
        return READABLE;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(READABLE).clamp(60, 160)
}

fn verdict(report: &Report, fail_on: FailOn) -> Exit {
    let any = |verdict: Verdict| report.results.iter().any(|result| result.verdict == verdict);
    let is_about_card = |result: &TrialResult| result.case.starts_with("card/");
    let does = |verdict: Verdict| report.results.iter().any(|it| it.verdict == verdict && !is_about_card(it));
    let gate_fails = match fail_on {
        FailOn::Must => any(Verdict::Fail),
        FailOn::Should => any(Verdict::Fail) || any(Verdict::Warn),
        FailOn::Never => false,
    };
    let is_lost = report.target.interfaces.iter().any(|interface| interface.lost.is_some());
    match &report.stopped {
        Some(reason) if reason != run::INTERRUPTED => Exit::Target,
        _ if gate_fails => Exit::Fails,
        Some(_) => Exit::Fails,
        // The gate holds for what was tested, but a declared interface was not.
        None if is_lost => Exit::Target,
        None if any(Verdict::Broken) => Exit::Broken,
        // A run that could show nothing is no evidence that the gate holds; a card alone shows nothing of what an agent does.
        None if does(Verdict::Unreached) && !does(Verdict::Pass) => Exit::Fails,
        None => Exit::Holds,
    }
}
