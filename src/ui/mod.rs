//! A page to work with: the cases of an agent while they run, the conversation of each, and a console for requests by hand.
//!
//! Enters: a way to find the agent, anew for each run. Leaves: a server on the loopback interface, until it is to end. Whoever opens
//! the page needs the token in its URL; requests that other pages make are refused ([`guard`]). The page gets data as JSON and as
//! events, and builds what it shows from text alone, so that nothing of what an agent sends becomes markup.

mod console;
mod detail;
mod guard;
mod kept;
mod known;
mod rounds;
mod serve;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc, watch};

use crate::secrets::random::unguessable;
use crate::suite::{Pulse, Suite};
use known::Known;
use rounds::{Choice, Rounds};

/// How many events may wait for a page that is slow; one that misses some reads everything anew.
const MOST_WAITING: usize = 4_096;

/// An agent that was found, and a way to see whether it is still the same.
pub(crate) struct Found {
    /// The agent and the whole plan.
    pub suite: Suite,
    /// The way to look at it.
    pub pulse: Pulse,
}

/// Why there is no agent to work on: what is wrong, more about it, and what to do.
#[derive(Clone, Serialize)]
pub(crate) struct Missing {
    /// What is wrong, in one sentence.
    pub message: String,
    /// More about it, line by line.
    pub details: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// A way to look whether it has come.
    #[serde(skip)]
    pub pulse: Option<Arc<Pulse>>,
}

/// Finds the agent. A run begins with it, as cards and settings may be others by then.
pub(crate) type Find<'a> = dyn Fn() -> LocalBoxFuture<'a, Result<Found, Missing>> + 'a;

/// The page, with what it needs to run cases.
pub(crate) struct Ui {
    listener: TcpListener,
    url: String,
    token: String,
}

impl Ui {
    /// Begins to listen on a port of the loopback interface; 0 takes a free one.
    ///
    /// # Errors
    /// The port cannot be listened on, or the machine has no random numbers.
    pub async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let token = unguessable()?;
        Ok(Self { listener, url: format!("http://{address}/{token}/"), token })
    }

    /// Where the page is, with its token.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves the page and runs what it asks for, until `stop` turns true.
    ///
    /// # Errors
    /// The listener fails.
    pub async fn serve<'f>(self, find: &'f Find<'f>, stop: watch::Receiver<bool>) -> io::Result<()> {
        let Self { listener, token, .. } = self;
        let address = listener.local_addr()?;
        let (choices, chosen) = mpsc::channel(1);
        let shared = Arc::new(Shared::new(address, choices));
        let app = serve::router(&token, Arc::clone(&shared));
        let ended = {
            let mut stop = stop.clone();
            async move {
                // Who would turn it true is gone: then this ends, too.
                let _ended = stop.wait_for(|is_over| *is_over).await;
            }
        };
        let mut server = tokio::spawn(axum::serve(listener, app).with_graceful_shutdown(ended).into_future());
        let rounds = Rounds::new(find, Arc::clone(&shared), chosen, stop);
        tokio::select! {
            () = rounds.go_on() => {}
            served = &mut server => return served.map_err(io::Error::other)?,
        }
        // Streams of events are open as long as pages are: they end with the program.
        server.abort();
        Ok(())
    }
}

/// What the runs and the pages share.
struct Shared {
    address: SocketAddr,
    known: Mutex<Known>,
    /// What happens, for the pages: a name and JSON.
    events: broadcast::Sender<(&'static str, String)>,
    choices: mpsc::Sender<Choice>,
    /// What ends the run that goes on.
    stopper: watch::Sender<bool>,
    is_running: AtomicBool,
    /// Whether what failed runs again when the agent is another.
    is_watching: watch::Sender<bool>,
}

impl Shared {
    fn new(address: SocketAddr, choices: mpsc::Sender<Choice>) -> Self {
        Self {
            address,
            known: Mutex::default(),
            events: broadcast::Sender::new(MOST_WAITING),
            choices,
            stopper: watch::Sender::new(false),
            is_running: AtomicBool::new(false),
            is_watching: watch::Sender::new(false),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports to every page.
    fn report(&self, name: &'static str, data: &Value) {
        // Without a page there is nobody to report to.
        let _pages = self.events.send((name, data.to_string()));
    }
}
