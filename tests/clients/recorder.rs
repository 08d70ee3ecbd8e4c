//! The reference agent behind something that writes down what it is asked.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use a2a_reference_agent::{Config, RunningAgent};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode, Version};
use axum::response::IntoResponse as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// The longest request of a client, in bytes.
const LONGEST: usize = 1 << 20;

/// A request of a client.
#[derive(Clone)]
pub struct Recorded {
    pub method: String,
    /// The path with the query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The agent. Its card names the address of what is in front.
pub struct Agent {
    pub url: String,
    recorded: Arc<Mutex<Vec<Recorded>>>,
    runtime: Option<Runtime>,
}

impl Agent {
    pub fn start(config: Config) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&recorded);
        let url = runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let url = format!("http://{}", listener.local_addr()?);
            let config = Config { public_url: Some(url.clone()), ..config };
            let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await?;
            let agent = Arc::new(agent);
            let routes = Router::new().fallback(move |request: Request| {
                let (agent, into) = (Arc::clone(&agent), Arc::clone(&into));
                async move { pass_on(&agent, &into, request).await.unwrap_or_else(failed) }
            });
            tokio::spawn(async move { axum::serve(listener, routes).await });
            Ok::<_, std::io::Error>(url)
        });
        let url = url.map_err(|error| format!("the agent cannot be started: {error}"))?;
        Ok(Self { url, recorded, runtime: Some(runtime) })
    }

    /// What was asked, in the order in which it came.
    pub fn recorded(&self) -> Vec<Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Streams may be open that nobody ends.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn failed(error: Failure) -> Response<Body> {
    (StatusCode::BAD_GATEWAY, error.to_string()).into_response()
}

/// Writes a request down and lets the agent answer it: in the same version of HTTP, over a connection of its own.
async fn pass_on(
    agent: &RunningAgent,
    into: &Mutex<Vec<Recorded>>,
    request: Request,
) -> Result<Response<Body>, Failure> {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, LONGEST).await?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let recorded =
        Recorded { method: head.method.to_string(), path, headers: head.headers.clone(), body: body.clone() };
    into.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);

    let address = agent.url().trim_start_matches("http://").to_owned();
    let io = TokioIo::new(TcpStream::connect(&address).await?);
    let mut request = hyper::Request::from_parts(head, Full::new(body));
    let response = if request.version() == Version::HTTP_2 {
        *request.uri_mut() = format!("http://{address}{}", request.uri().path()).parse()?;
        let (mut sender, connection) = conn::http2::handshake(TokioExecutor::new(), io).await?;
        tokio::spawn(connection);
        sender.send_request(request).await?
    } else {
        let (mut sender, connection) = conn::http1::handshake(io).await?;
        tokio::spawn(connection);
        sender.send_request(request).await?
    };
    let (mut head, body) = response.into_parts();
    // These are of the connection to the agent.
    for name in ["connection", "transfer-encoding"] {
        head.headers.remove(name);
    }
    Ok(Response::from_parts(head, Body::new(body.map_err(axum::Error::new))))
}
