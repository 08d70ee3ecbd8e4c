//! A run without a wrapper: each case is at a URL of its own, and whoever visits it is judged by the requests that come.
//!
//! Nothing is reported here, so what a case requires of reports is not reached, and only cases are offered that anybody can drive:
//! `offer` decides which.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_reference_agent::scripted::path_of;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::ClientError;
use super::board::Board;
use super::offer::{self, Offer, lacking};
use super::plan::{self, Speaks};
use super::trial::{SETTLE, verdict};
use crate::case::Library;
use crate::event::{Event, Stopped};
use crate::interface::{ClientInfo, TargetInfo};
use crate::judge::visit::Met;
use crate::plan::{Plan, Selection};
use crate::profile;
use crate::reason::Reason;
use crate::report::{Report, ReportBuilder};
use crate::secrets::Secrets;
use crate::session::stop::stopped;
use crate::stage::{Host, Scene, Visiting};
use crate::transcript::Exchange;
use crate::verdict::{Times, TrialResult, Verdict};

/// How long a case goes on once its requests have come: what a client does too much comes soon after.
const LINGER: Duration = Duration::from_secs(2);
/// Longer than any run.
const EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// What is wanted.
pub(crate) struct Wanted {
    /// Where to listen.
    pub address: String,
    /// The cases and the catalogues.
    pub library: Arc<Library>,
    /// Which of the cases.
    pub selection: Selection,
    /// What the client speaks.
    pub speaks: Speaks,
    /// How long a case waits for further requests after the first.
    pub wait: Duration,
    /// How long the run may take.
    pub deadline: Option<Duration>,
    /// The flags of the command line that does the same again, without any selection of cases.
    pub flags: Vec<String>,
    /// Turns true when the run is to end.
    pub stop: watch::Receiver<bool>,
}

/// Cases that wait for visitors.
pub(crate) struct Serving {
    wanted: Wanted,
    plan: Arc<Plan>,
    target: TargetInfo,
    board: Arc<Board>,
    visits: Vec<Visiting>,
    url: String,
    /// The port of all cases closes with it.
    _host: Host,
}

impl Serving {
    /// The URL of the page that lists the cases.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many cases there are.
    pub fn trials(&self) -> usize {
        self.plan.trials.len()
    }

    /// Where each case is, for programs.
    pub fn urls(&self) -> Value {
        self.board.offers().iter().map(Offer::json).collect()
    }
}

/// Listens, and puts every case at its URL.
pub(crate) async fn prepare(wanted: Wanted) -> Result<Serving, ClientError> {
    let profiles = profile::bundled().map_err(|mistake| ClientError::Nothing(mistake.message))?;
    let pairs = plan::named(&profiles, &wanted.library, &wanted.speaks)?;
    let mut plan = plan::make(&wanted.library, &pairs, &wanted.selection)?;
    offer::keep(&mut plan, &pairs);
    if plan.trials.is_empty() {
        let what = "no selected case can be driven without a wrapper: requests alone show nothing of it";
        return Err(ClientError::NotServed(what.to_owned()));
    }
    let listener = TcpListener::bind(&wanted.address).await?;
    let address = listener.local_addr()?;
    let host = wanted.address.rsplit_once(':').map_or("127.0.0.1", |(host, _)| host);
    let authority = format!("{host}:{}", address.port());
    let url = format!("http://{authority}");
    let offers = offer::offers(&plan, &pairs, |name| format!("{url}{}", path_of(name)));
    let board = Arc::new(Board::new(authority, offers));
    let front = Arc::<Board>::clone(&board);
    let host = Host::at(listener, url.clone(), front)?;
    let open = |offer: &Offer| {
        let agent = offer.trial.case.visit().map(|visit| visit.agent.clone()).unwrap_or_default();
        let (profile, purpose) = (Arc::clone(&offer.pair.profile), offer.trial.case.id.clone());
        host.open_at(offer.name.clone(), Scene { profile, binding: offer.pair.binding, agent, purpose })
    };
    let visits = board.offers().iter().map(open).collect::<Result<Vec<Visiting>, _>>()?;
    let target = TargetInfo {
        url: format!("the client that visits {url}"),
        client: Some(ClientInfo { name: "unknown".to_owned(), version: "without a wrapper".to_owned() }),
        interfaces: plan::interfaces(&pairs, &url),
        ..TargetInfo::default()
    };
    let url = format!("{url}/");
    Ok(Serving { wanted, plan: Arc::new(plan), target, board, visits, url, _host: host })
}

/// Waits for visits until every case is judged, the page is deleted, or the time is over.
pub(crate) async fn run(serving: Serving, mut listener: impl FnMut(&Event)) -> Report {
    let Serving { wanted, plan, target, board, visits, .. } = &serving;
    let began = Instant::now();
    let command = super::again(&wanted.flags);
    let mut builder =
        ReportBuilder::new(&target.url, &command, Arc::clone(plan), Secrets::default(), crate::clock::now());
    let mut tell = |event: Event| {
        listener(&event);
        builder.see(&event);
    };
    tell(Event::Met(target.clone()));
    let mut under_way: FuturesUnordered<_> = visits
        .iter()
        .zip(board.offers())
        .enumerate()
        .map(|(index, (visiting, offer))| async move {
            let started = began.elapsed();
            let (mut result, cited) = attend(index, offer, visiting, board, wanted.wait).await;
            board.judged(index, result.verdict);
            if result.verdict != Verdict::Skipped {
                let took = began.elapsed().saturating_sub(started);
                result.times = Some(Times::new(started, took, took));
            }
            Event::Finished { result: Box::new(result), cited }
        })
        .collect();
    let mut ended: Option<Stopped> = None;
    let mut deadline = std::pin::pin!(tokio::time::sleep(wanted.deadline.unwrap_or(EVER)));
    let mut is_late = false;
    loop {
        tokio::select! {
            done = under_way.next() => match done {
                Some(event) => tell(event),
                None => break,
            },
            () = stopped(&wanted.stop), if ended.is_none() => {
                ended = Some(Stopped::Interrupted);
                board.end();
            }
            () = &mut deadline, if !is_late => {
                is_late = true;
                board.end();
            }
        }
    }
    tell(Event::Done { messages_sent: 0, stopped: ended });
    builder.finish(began.elapsed())
}

/// Waits for the visit of a case, and judges it.
async fn attend(
    index: usize,
    offer: &Offer,
    visiting: &Visiting,
    board: &Board,
    wait: Duration,
) -> (TrialResult, Vec<Arc<Exchange>>) {
    let trial = &offer.trial;
    let without = |verdict: Verdict, reason: Reason| (trial.without_findings(verdict, reason), Vec::new());
    let Some(visit) = trial.case.visit() else {
        return without(Verdict::Broken, Reason::mistake(format!("{} is not about clients", trial.case.id)));
    };
    let over = board.over();
    let until = async |limit: Duration, is_enough: &(dyn Fn(&[Met]) -> bool + Sync)| {
        let waiting = visiting.wait(limit, |met| {
            board.came(index, met);
            is_enough(met)
        });
        tokio::select! {
            came = waiting => came,
            () = stopped(&over) => false,
        }
    };
    until(EVER, &|met| !met.is_empty()).await;
    if visiting.met().is_empty() {
        return without(Verdict::Skipped, Reason::NotVisited);
    }
    until(wait, &|met| lacking(visit, met).is_none()).await;
    loop {
        let before = visiting.met().len();
        if !until(LINGER, &|met| met.len() > before).await {
            break;
        }
    }
    visiting.settle(SETTLE).await;
    let met = visiting.met();
    board.came(index, &met);
    let (result, cited) = verdict(trial, visit, &met, &BTreeMap::new());
    match lacking(visit, &met) {
        // What was left undone shows nothing of the rest.
        Some(operation) if result.violated.is_empty() => {
            without(Verdict::Unreached, Reason::NoRequest { of: operation.to_string() })
        }
        _ => (result, cited),
    }
}
