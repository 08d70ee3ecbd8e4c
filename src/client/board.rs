//! The page in front of cases that wait for visitors: where each is, what to do there, and what came.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use a2a_reference_agent::scripted::{Asked, End, Front, Reply};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::offer::{Offer, to_do};
use crate::judge::visit::Met;
use crate::page;
use crate::verdict::Verdict;

/// How often a browser loads the page again, in seconds.
const REFRESH: &str = "3";
/// The most requests of a case that the page shows.
const MOST_SHOWN: usize = 20;
/// The longest target of a request that it shows, in characters.
const LONGEST_TARGET: usize = 120;

/// What the page shows. It ends the run when it is deleted.
#[derive(Debug)]
pub(super) struct Board {
    /// The host and the port at which it is.
    authority: String,
    offers: Vec<Offer>,
    cases: Mutex<Vec<Shown>>,
    over: watch::Sender<bool>,
}

/// What is shown of a case.
#[derive(Debug, Clone, Default)]
struct Shown {
    requests: Vec<String>,
    left_out: usize,
    verdict: Option<Verdict>,
}

impl Board {
    pub fn new(authority: String, offers: Vec<Offer>) -> Self {
        let cases = Mutex::new(vec![Shown::default(); offers.len()]);
        Self { authority, offers, cases, over: watch::Sender::new(false) }
    }

    /// The cases, in their order.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Turns true when no more visits are waited for.
    pub fn over(&self) -> watch::Receiver<bool> {
        self.over.subscribe()
    }

    /// Waits for no more visits.
    pub fn end(&self) {
        self.over.send_replace(true);
    }

    /// Shows what has come to a case.
    pub fn came(&self, index: usize, met: &[Met]) {
        if let Some(shown) = self.cases().get_mut(index) {
            shown.requests = met.iter().take(MOST_SHOWN).map(line).collect();
            shown.left_out = met.len().saturating_sub(MOST_SHOWN);
        }
    }

    /// Shows how a case came out.
    pub fn judged(&self, index: usize, verdict: Verdict) {
        if let Some(shown) = self.cases().get_mut(index) {
            shown.verdict = Some(verdict);
        }
    }

    fn cases(&self) -> MutexGuard<'_, Vec<Shown>> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request is made to this page under its own name: pages of other names may lead a browser here (DNS rebinding).
    fn is_for_us(&self, asked: &Asked) -> bool {
        let port = self.authority.rsplit_once(':').map_or("", |(_, port)| port);
        let own = [self.authority.clone(), format!("localhost:{port}"), format!("127.0.0.1:{port}")];
        asked.header("host").is_some_and(|host| own.iter().any(|name| name.eq_ignore_ascii_case(host)))
    }

    fn json(&self) -> Value {
        let cases = self.cases();
        let entries = self.offers.iter().zip(cases.iter()).map(|(offer, shown)| {
            let mut entry = offer.json();
            entry["state"] = json!(state(shown));
            entry["requests"] = json!(shown.requests);
            entry
        });
        entries.collect()
    }

    fn html(&self) -> String {
        let cases = self.cases();
        let judged = cases.iter().filter(|shown| shown.verdict.is_some()).count();
        let mut body = format!(
            "<h1>Cases for a client</h1>\n<p>Point the client at a URL and do what is written beside it, once. A case is judged when its \
             requests have come. {judged} of {} are judged; <code>DELETE</code> of this page ends the run.</p>\n",
            cases.len()
        );
        page::table(&mut body, &["Case", "URL", "What to do", "What came", "State"], |out| {
            for (offer, shown) in self.offers.iter().zip(cases.iter()) {
                let steps = offer.trial.case.visit().map(to_do).unwrap_or_default();
                let steps: Vec<String> =
                    steps.iter().map(|(word, text)| format!("{word} <code>{}</code>", page::escape(text))).collect();
                let mut came: Vec<String> = shown.requests.iter().map(|line| page::escape(line)).collect();
                came.extend((shown.left_out > 0).then(|| format!("and {} more", shown.left_out)));
                let case = format!(
                    "<td>{}<br>{} over {}<br>{}</td>",
                    page::escape(&offer.trial.case.id),
                    page::escape(offer.pair.profile.name()),
                    offer.pair.binding,
                    page::escape(&offer.trial.case.title)
                );
                let url = format!("<td><code>{}</code></td>", page::escape(&offer.url));
                let cells = [steps.join("<br>"), came.join("<br>"), page::badge(state(shown))];
                page::row(out, "", [case, url].into_iter().chain(cells.map(|cell| format!("<td>{cell}</td>"))));
            }
        });
        page::document("Cases for a client", &body)
    }
}

/// A request in one line.
fn line(met: &Met) -> String {
    let request = &met.exchange.request;
    let target = request.url.splitn(4, '/').nth(3).unwrap_or_default();
    let target: String = target.chars().take(LONGEST_TARGET).collect();
    let operation = request.operation.map(|operation| format!(" {operation}")).unwrap_or_default();
    let status = met.exchange.response.as_ref().map(|response| format!(": {}", response.status)).unwrap_or_default();
    format!("{} /{target}{operation}{status}", request.method)
}

fn state(shown: &Shown) -> &'static str {
    match shown.verdict {
        Some(verdict) => verdict.name(),
        None if shown.requests.is_empty() => "not visited",
        None => "visited",
    }
}

impl Front for Board {
    fn reply(&self, asked: &Asked) -> Reply {
        let plain = |status, text: &str| reply(status, "text/plain; charset=utf-8", text.to_owned());
        if !self.is_for_us(asked) {
            return plain(421, "this page has another name\n");
        }
        match (asked.method.as_str(), asked.path.as_str()) {
            ("GET" | "HEAD", "/") if asked.header("accept").is_some_and(|kinds| kinds.contains("text/html")) => {
                let mut page = reply(200, "text/html; charset=utf-8", self.html());
                page.headers.push(("refresh".to_owned(), REFRESH.to_owned()));
                page
            }
            ("GET" | "HEAD", "/") => reply(200, "application/json", format!("{:#}\n", self.json())),
            ("DELETE", "/") => {
                self.end();
                plain(202, "the run ends\n")
            }
            (_, "/") => plain(405, "GET lists the cases, DELETE ends the run\n"),
            _ => plain(404, "there is no case at this path; GET / lists them\n"),
        }
    }
}

fn reply(status: u16, kind: &str, body: String) -> Reply {
    let headers = [("content-type", kind), ("cache-control", "no-store")];
    Reply {
        status,
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        pieces: vec![(Duration::ZERO, Bytes::from(body))],
        end: End::Complete,
    }
}
