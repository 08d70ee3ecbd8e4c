//! Scripted agents at work: the reference agent behind the script of a case, and the record of what comes.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use a2a_reference_agent::scripted::{self, Answered, End, Front, Reply, Script, Stage, Turn};
use a2a_reference_agent::{Config, Fault, Variation, Version};
use bytes::Bytes;
use serde_json::Value;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use crate::case::visit::{Asked, Behind, Ends, Offered, Scripted, ScriptedAgent};
use crate::judge::visit::card::{self, binding_of};
use crate::judge::visit::read::{Call, Incoming, read};
use crate::judge::visit::write::{self, Answer, To};
use crate::judge::visit::{Met, What, document};
use crate::profile::{Binding, Operation, Profile};
use crate::transcript::{Direction, Ended, Exchange, Request, Response};

/// How long the `slow` behaviour of a scripted agent works.
const SLOW: Duration = Duration::from_millis(600);
/// The most requests of one visit that are kept.
const MOST_MET: usize = 1_000;

/// Where all scripted agents of a run are.
#[derive(Debug)]
pub(crate) struct Host {
    agents: scripted::Scripted,
    began: Instant,
    visits: AtomicU64,
    /// A port that is taken, and at which nobody listens.
    dead: SocketAddr,
    _holds_it: TcpSocket,
}

/// What an agent is scripted for.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// Its version.
    pub profile: Arc<Profile>,
    /// The binding of the trial.
    pub binding: Binding,
    /// The agent of the case.
    pub agent: ScriptedAgent,
    /// For which case it is.
    pub purpose: String,
}

/// A scripted agent at work. It is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Visiting {
    stage: Stage,
    keeper: Arc<Keeper>,
    /// The name of the visit.
    name: String,
}

impl Host {
    /// Begins to listen.
    ///
    /// # Errors
    /// The system's.
    pub async fn start() -> io::Result<Self> {
        Self::of(scripted::Scripted::start().await?)
    }

    /// Serves at a socket that clients find at `url`; what is asked of no agent is answered by `front`.
    ///
    /// # Errors
    /// The system's.
    pub fn at(listener: TcpListener, url: String, front: Arc<dyn Front>) -> io::Result<Self> {
        Self::of(scripted::Scripted::at(listener, url, Some(front)))
    }

    fn of(agents: scripted::Scripted) -> io::Result<Self> {
        let holder = TcpSocket::new_v4()?;
        holder.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let dead = holder.local_addr()?;
        Ok(Self { agents, began: Instant::now(), visits: AtomicU64::new(0), dead, _holds_it: holder })
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        self.agents.url()
    }

    /// A URL at which nobody listens.
    pub fn dead_url(&self) -> String {
        format!("http://{}", self.dead)
    }

    /// Puts the agent of a case at a path of its own, whose name says nothing of the case.
    ///
    /// # Errors
    /// What makes no agent.
    pub fn open(&self, scene: Scene) -> io::Result<Visiting> {
        let name = format!("k{}", self.visits.fetch_add(1, Ordering::Relaxed) + 1);
        self.open_at(name, scene)
    }

    /// Puts the agent of a case at the path of this name.
    ///
    /// # Errors
    /// What makes no agent.
    pub fn open_at(&self, name: String, scene: Scene) -> io::Result<Visiting> {
        let version: Version = scene.profile.name().parse().map_err(io::Error::other)?;
        let fault = scene.agent.fault.as_deref().map(Fault::find).transpose().map_err(io::Error::other)?;
        let variation = variation(&scene.agent)?;
        let config = Config {
            only: Some(version),
            slow: SLOW,
            faults: fault.into_iter().collect(),
            variations: variation.into_iter().collect(),
            ..Config::default()
        };
        let url = self.agents.url_of(&name);
        let offered = card::interfaces(&scene.agent);
        let at = |offered: &Offered| match offered.is {
            Behind::Dead => format!("{}/{}", self.dead_url(), offered.at),
            _ => format!("{url}/{}", offered.at),
        };
        let own = scripted::card(&config, &url)?;
        let card = card::card(&scene.profile, own, &scene.agent, scene.binding, at);
        let keeper = Arc::new(Keeper {
            began: self.began,
            url: self.agents.url().to_owned(),
            offered,
            card: match variation {
                Some(variation) => variation.card(card, version).into(),
                None => Bytes::from(card.to_string()),
            },
            state: Mutex::default(),
            changed: watch::Sender::default(),
            scene,
        });
        let script: Arc<dyn Script> = Arc::<Keeper>::clone(&keeper);
        let stage = self.agents.stage(&name, &config, script)?;
        Ok(Visiting { stage, keeper, name })
    }
}

/// The variation of an agent.
///
/// # Errors
/// There is none of this id, or it is about whole connections, which agents share here.
fn variation(agent: &ScriptedAgent) -> io::Result<Option<&'static Variation>> {
    let Some(id) = &agent.variation else { return Ok(None) };
    let found = Variation::find(id).map_err(io::Error::other)?;
    match found.is_of_connections() {
        true => Err(io::Error::other(format!("`{id}` is about connections, and scripted agents share theirs"))),
        false => Ok(Some(found)),
    }
}

impl Visiting {
    /// The URL of the agent.
    pub fn url(&self) -> &str {
        self.stage.url()
    }

    /// The name of the visit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Everything that came, in its order.
    pub fn met(&self) -> Vec<Met> {
        let state = self.keeper.state();
        let numbered = state.met.iter().enumerate().map(|(at, met)| {
            let before = state.met.iter().take(at).filter(|other| other.what == met.what).count();
            met.told(&self.keeper, before + 1)
        });
        numbered.collect()
    }

    /// Waits until `is_enough` of what has come, or for so long.
    pub async fn wait(&self, limit: Duration, is_enough: impl Fn(&[Met]) -> bool) -> bool {
        let mut changed = self.keeper.changed.subscribe();
        let waited = async {
            loop {
                changed.borrow_and_update();
                if is_enough(&self.met()) || changed.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(limit, waited).await.is_ok()
    }

    /// Waits until everything that came is answered, or for so long.
    pub async fn settle(&self, limit: Duration) {
        let _in_time =
            self.wait(limit, |met| met.iter().all(|met| met.exchange.response.is_some() || is_closed(met))).await;
    }
}

/// Whether its connection was closed without an answer.
fn is_closed(met: &Met) -> bool {
    met.exchange.ended == Ended::HungUp
}

/// The script of a case, and the record of its visit.
#[derive(Debug)]
struct Keeper {
    scene: Scene,
    began: Instant,
    url: String,
    offered: Vec<Offered>,
    card: Bytes,
    state: Mutex<State>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    /// How many answers of each script were given.
    given: HashMap<Asked, usize>,
    met: Vec<Kept>,
}

/// A request as it was kept.
#[derive(Debug)]
struct Kept {
    asked: scripted::Asked,
    what: What,
    place: Option<String>,
    is: Behind,
    call: Call,
    answered: Option<Answered>,
}

impl Keeper {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next answer that the case writes for this.
    fn next(&self, asked: Asked) -> Option<Scripted> {
        let answers = self.scene.agent.script.get(&asked)?;
        let mut state = self.state();
        let given = state.given.entry(asked).or_default();
        let next = answers.get(*given).cloned();
        *given += 1;
        next
    }

    fn binding(&self, offered: &Offered) -> Option<Binding> {
        match &offered.binding {
            Some(name) => binding_of(&self.scene.profile, name),
            None => Some(self.scene.binding),
        }
    }

    /// The interface that a path leads to, and what follows its own path.
    fn interface<'p>(&self, path: &'p str) -> Option<(&Offered, &'p str)> {
        let below = path.strip_prefix('/')?;
        let fitting = self.offered.iter().filter_map(|offered| {
            let rest = below.strip_prefix(offered.at.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then_some((offered, rest))
        });
        // Of one path below another, the longer.
        fitting.max_by_key(|(offered, _)| offered.at.len())
    }

    fn keep(&self, asked: &scripted::Asked, what: What, at: Option<&Offered>, call: Call) {
        let mut state = self.state();
        if state.met.len() >= MOST_MET {
            return;
        }
        state.met.push(Kept {
            asked: asked.clone(),
            what,
            place: at.map(|offered| offered.at.clone()),
            is: at.map(|offered| offered.is).unwrap_or_default(),
            call,
            answered: None,
        });
        drop(state);
        self.changed.send_modify(|changes| *changes += 1);
    }

    fn card(&self, asked: &scripted::Asked) -> Turn {
        let no_call = Call { operation: None, params: Value::Null, rpc: Value::Null, base: None };
        self.keep(asked, What::Card, None, no_call);
        if let Some(scripted) = self.next(Asked::Card)
            && let crate::case::visit::Says::Http { status, headers, body } = &scripted.says
        {
            return reply(Answer { ends: scripted.ends, ..write::http(*status, headers, body) });
        }
        let tag = format!("\"{}\"", self.card.len());
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("cache-control".to_owned(), "max-age=3600".to_owned()),
            ("etag".to_owned(), tag),
        ];
        for (name, value) in &self.scene.agent.headers {
            headers.retain(|(known, _)| known != name);
            headers.extend(value.iter().map(|value| (name.clone(), value.clone())));
        }
        let own = headers.iter().find(|(name, _)| name == "etag").map(|(_, tag)| tag.as_str());
        let is_known = asked.header("if-none-match").is_some_and(|tags| own.is_some_and(|own| tags.contains(own)));
        match (asked.method.as_str(), is_known) {
            ("GET" | "HEAD", true) => reply(Answer { status: 304, headers, pieces: Vec::new(), ends: Ends::Closed }),
            ("GET" | "HEAD", false) => {
                let pieces = vec![(Duration::ZERO, self.card.clone())];
                reply(Answer { status: 200, headers, pieces, ends: Ends::Closed })
            }
            _ => status(405),
        }
    }
}

impl Script for Keeper {
    fn turn(&self, asked: &scripted::Asked) -> Turn {
        let profile = &self.scene.profile;
        if profile.facts.card.well_known.contains(&asked.path) {
            return self.card(asked);
        }
        let no_call = Call { operation: None, params: Value::Null, rpc: Value::Null, base: None };
        let Some((offered, suffix)) = self.interface(&asked.path) else {
            self.keep(asked, What::Elsewhere, None, no_call);
            return status(404);
        };
        let Some(binding) = self.binding(offered).filter(|binding| *binding != Binding::Grpc) else {
            self.keep(asked, What::Unknown, Some(offered), no_call);
            return status(404);
        };
        let incoming = Incoming { method: &asked.method, suffix, query: asked.query.as_deref(), body: &asked.body };
        let call = read(profile, binding, incoming);
        let what = call.operation.map_or(What::Unknown, What::Operation);
        let id = call.rpc.get("id").cloned().unwrap_or_default();
        let operation = call.operation;
        self.keep(asked, what, Some(offered), call);
        if offered.is == Behind::Refusing {
            return status(503);
        }
        let scripted = operation.and_then(|operation| Some((operation, self.next(Asked::Operation(operation))?)));
        if let Some((operation, scripted)) = scripted {
            let to = To { profile, binding, operation, id: &id };
            if let Some(answer) = write::answer(&scripted, to) {
                return reply(answer);
            }
        }
        Turn::Agent(inner_path(profile.name(), binding, suffix, operation))
    }

    fn answered(&self, asked: &scripted::Asked, answered: Answered) {
        let mut state = self.state();
        if let Some(kept) = state.met.iter_mut().find(|kept| kept.asked.number == asked.number) {
            kept.answered = Some(answered);
        }
        drop(state);
        self.changed.send_modify(|changes| *changes += 1);
    }
}

/// Where the reference agent has what was asked for.
fn inner_path(version: &str, binding: Binding, suffix: &str, operation: Option<Operation>) -> String {
    match (binding, version) {
        (Binding::HttpJson, "1.0" | "0.3") => format!("/rest{suffix}"),
        (Binding::HttpJson, version) => format!("/{version}/v1{suffix}"),
        (_, "1.0" | "0.3") => {
            // What is no request to the address of JSON-RPC is none to that of the agent, either.
            let rest = if operation.is_some() { "" } else { suffix };
            format!("/{version}{rest}")
        }
        (_, version) => format!("/{version}/a2a"),
    }
}

fn reply(answer: Answer) -> Turn {
    let Answer { status, headers, pieces, ends } = answer;
    let end = match ends {
        Ends::Closed => End::Complete,
        Ends::Cut => End::Cut,
        Ends::Open => End::Open,
    };
    Turn::Reply(Reply { status, headers, pieces, end })
}

fn status(status: u16) -> Turn {
    reply(Answer { status, headers: Vec::new(), pieces: Vec::new(), ends: Ends::Closed })
}

impl Kept {
    /// What is told of it.
    fn told(&self, keeper: &Keeper, number: usize) -> Met {
        let Self { asked, call, answered, .. } = self;
        let has_left = answered.as_ref().is_some_and(|answered| answered.has_left);
        let response = answered.as_ref().and_then(|answered| {
            let (headers, body, trailers) = (answered.headers.clone(), answered.body.clone(), Vec::new());
            Some(Response { status: answered.status?, headers, body, trailers, text: None })
        });
        let ended = match answered {
            Some(Answered { status: None, .. }) => Ended::HungUp,
            _ => Ended::Complete,
        };
        let began = asked.at.saturating_duration_since(keeper.began);
        let exchange = Exchange {
            number: asked.number,
            purpose: keeper.scene.purpose.clone(),
            direction: Direction::Inbound,
            request: Request {
                method: asked.method.clone(),
                url: format!("{}{}", keeper.url, asked.target),
                headers: asked.headers.clone(),
                body: asked.body.clone(),
                is_verbatim: false,
                operation: call.operation,
                params: Arc::new(call.params.clone()),
                rpc_id: call.rpc.get("id").cloned(),
            },
            response,
            ended,
            started: began,
            elapsed: answered.as_ref().map_or(Duration::ZERO, |it| it.at.saturating_duration_since(asked.at)),
            share: None,
        };
        Met {
            what: self.what,
            place: self.place.clone(),
            is: self.is,
            document: document(&exchange, &call.params, &call.rpc, &asked.path, (number, has_left)),
            base: call.base.clone(),
            exchange: Arc::new(exchange),
        }
    }
}
