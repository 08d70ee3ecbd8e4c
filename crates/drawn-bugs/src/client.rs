//! A client of one connection, and the webhook that the sender gives.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::call::{HTTP_JSON, JSONRPC, encoded};
use crate::proxy::Broken;
use crate::schema::Operation;

/// A request before it is written.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The operation.
    pub operation: &'static Operation,
    /// Whether it goes over JSON-RPC.
    pub is_jsonrpc: bool,
    /// The members of the request.
    pub params: Value,
    /// Fields of the head beside the usual ones, or in their place.
    pub head: HeaderMap,
    /// The id of the JSON-RPC request.
    pub id: Value,
    /// Further parameters of the query, as they are written.
    pub query: Vec<String>,
    /// So much white space behind the body.
    pub padding: usize,
}

impl Ask {
    /// A request of an operation.
    #[must_use]
    pub fn new(operation: &'static Operation, is_jsonrpc: bool, params: Value) -> Self {
        Self { operation, is_jsonrpc, params, head: HeaderMap::new(), id: json!(1), query: Vec::new(), padding: 0 }
    }

    /// The request of HTTP.
    ///
    /// # Errors
    /// If its members cannot be written as its binding has them.
    pub fn request(&self, host: SocketAddr) -> Result<Request<Full<Bytes>>, Broken> {
        let (verb, uri, mut body) = if self.is_jsonrpc {
            let (method, params) = (&self.operation.name, &self.params);
            let body = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
            ("POST", JSONRPC.to_owned(), body.to_string())
        } else {
            let mut members = self.params.as_object().cloned().unwrap_or_default();
            let mut path = self.operation.path.clone();
            for (step, name) in [("{task_id}", "taskId"), ("{id}", "id")] {
                if path.contains(step) {
                    let value = members.shift_remove(name).and_then(|value| value.as_str().map(encoded));
                    let value = value.filter(|value| !value.is_empty()).ok_or("the path needs a value")?;
                    path = path.replace(step, &value);
                }
            }
            let body = if self.operation.verb == "POST" {
                Value::Object(std::mem::take(&mut members)).to_string()
            } else {
                String::new()
            };
            (self.operation.verb.as_str(), format!("{HTTP_JSON}{path}{}", self.query_of(&members)?), body)
        };
        if !body.is_empty() {
            body.push_str(&" ".repeat(self.padding));
        }
        let mut request = Request::builder().method(verb).uri(uri).body(Full::new(Bytes::from(body)))?;
        let head = request.headers_mut();
        head.insert(header::HOST, HeaderValue::from_str(&host.to_string())?);
        head.insert("a2a-version", HeaderValue::from_static("1.0"));
        head.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer drawn"));
        if verb == "POST" {
            head.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        head.extend(self.head.clone());
        Ok(request)
    }

    fn query_of(&self, members: &Map<String, Value>) -> Result<String, Broken> {
        let mut pairs = Vec::new();
        for (name, value) in members {
            let value = match value {
                Value::String(text) => encoded(text),
                Value::Bool(_) | Value::Number(_) => encoded(&value.to_string()),
                _ => return Err("a query has no objects".into()),
            };
            pairs.push(format!("{name}={value}"));
        }
        pairs.extend(self.query.iter().cloned());
        Ok(if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) })
    }
}

/// A connection to the proxy.
#[derive(Debug)]
pub struct Client {
    host: SocketAddr,
    sender: SendRequest<Full<Bytes>>,
    /// How many requests it sent.
    pub sent: u64,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// If nobody listens.
    pub async fn connect(host: SocketAddr) -> Result<Self, Broken> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { host, sender, sent: 0 })
    }

    /// Sends a request, and reads the answer to its end; of a stream the events, without the envelopes.
    ///
    /// # Errors
    /// If the connection breaks.
    pub async fn ask(&mut self, ask: &Ask) -> Result<Vec<Value>, Broken> {
        self.sent += 1;
        let request = ask.request(self.host)?;
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        read(response, ask.is_jsonrpc).await
    }
}

async fn read(response: Response<Incoming>, is_jsonrpc: bool) -> Result<Vec<Value>, Broken> {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let body = response.into_body().collect().await?.to_bytes();
    let text = String::from_utf8_lossy(&body);
    let wholes: Vec<&str> =
        if is_stream { text.lines().filter_map(|line| line.strip_prefix("data:")).collect() } else { vec![&text] };
    let payload = |text: &str| {
        let mut whole: Value = serde_json::from_str(text.trim()).unwrap_or_default();
        if is_jsonrpc { whole.get_mut("result").map(Value::take).unwrap_or_default() } else { whole }
    };
    Ok(wholes.into_iter().map(payload).collect())
}

/// A webhook that takes every delivery.
#[derive(Debug)]
pub struct Webhook {
    /// Where it listens.
    pub address: SocketAddr,
    /// Ends with this.
    _tasks: JoinSet<()>,
}

impl Webhook {
    /// Listens on a free port.
    ///
    /// # Errors
    /// That of the port.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(async move {
                    let service = service_fn(|request: Request<Incoming>| async move {
                        let _read = request.into_body().collect().await;
                        Ok::<_, Infallible>(Response::new(Full::new(Bytes::new())))
                    });
                    let _closed = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Ok(Self { address, _tasks: tasks })
    }
}
