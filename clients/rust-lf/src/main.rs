//! The Rust SDK (a2a-client-lf) as a wrapper for `a2aspec client`, around its public client.
//!
//!     a2aspec client -- clients/rust-lf/target/debug/rust-lf

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a::{A2AError, AgentCard};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::auth::AuthInterceptor;
use a2a_client::jsonrpc::JsonRpcTransportFactory;
use a2a_client::middleware::CallInterceptor;
use a2a_client::rest::RestTransportFactory;
use a2a_client::{A2AClient, A2AClientFactory, ServiceParams, Transport};
use futures::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

const DOES: [&str; 15] = [
    "resolve",
    "client",
    "cancel-stream",
    "close",
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];
const NAMES: [(i32, &str); 13] = [
    (-32001, "TaskNotFoundError"),
    (-32002, "TaskNotCancelableError"),
    (-32003, "PushNotificationNotSupportedError"),
    (-32004, "UnsupportedOperationError"),
    (-32005, "ContentTypeNotSupportedError"),
    (-32006, "InvalidAgentResponseError"),
    (-32007, "ExtendedAgentCardNotConfiguredError"),
    (-32008, "ExtensionSupportRequiredError"),
    (-32009, "VersionNotSupportedError"),
    (-32700, "JSONParseError"),
    (-32600, "InvalidRequestError"),
    (-32601, "MethodNotFoundError"),
    (-32602, "InvalidParamsError"),
];

type Client = A2AClient<Box<dyn Transport>>;
type Say = mpsc::UnboundedSender<Value>;

/// Why there is no result.
enum Wrong {
    Sdk(A2AError),
    Told(&'static str, String),
    Unsupported(String),
}

impl From<A2AError> for Wrong {
    fn from(error: A2AError) -> Self {
        Self::Sdk(error)
    }
}

/// What a case keeps.
#[derive(Default)]
struct Case {
    cards: Mutex<HashMap<String, AgentCard>>,
    clients: Mutex<HashMap<String, Arc<Client>>>,
    /// To stop a stream, and to wait for its end.
    open: Mutex<HashMap<u64, (watch::Sender<&'static str>, watch::Receiver<()>)>>,
}

/// Asks for extensions with each request.
struct Extensions(String);

#[async_trait::async_trait]
impl CallInterceptor for Extensions {
    async fn before(&self, _: &str, parameters: &mut ServiceParams) -> Result<(), A2AError> {
        parameters.insert("A2A-Extensions".to_owned(), vec![self.0.clone()]);
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = std::env::var("A2ASPEC_WRAPPER")?;
    let connection = tokio::net::TcpStream::connect(place.trim_start_matches("tcp:")).await?;
    let (reader, mut writer) = connection.into_split();
    let (say, mut said) = mpsc::unbounded_channel::<Value>();
    tokio::spawn(async move {
        while let Some(answer) = said.recv().await {
            let _ = writer.write_all(format!("{answer}\n").as_bytes()).await;
        }
    });
    let token = std::env::var("A2ASPEC_WRAPPER_TOKEN")?;
    say.send(
        json!({ "say": "hello", "contract": 1, "token": token, "sdk": { "name": "a2a-client-lf", "version": "0.2.9" },
        "does": DOES, "bindings": ["JSONRPC", "HTTP+JSON"], "versions": ["1.0"] }),
    )?;
    let mut cases: HashMap<String, Arc<Case>> = HashMap::new();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        let c: Value = serde_json::from_str(&line)?;
        if c["id"].is_u64() {
            let name = text(&c, "case").to_owned();
            let case = Arc::clone(cases.entry(name.clone()).or_default());
            if c["do"] == "close" {
                cases.remove(&name);
            }
            tokio::spawn(perform(c, case, say.clone()));
        }
    }
    Ok(())
}

async fn perform(c: Value, case: Arc<Case>, say: Say) {
    let limit = Duration::from_millis(c["limit"].as_u64().unwrap_or(10_000));
    // The end of a stream is said before whoever stopped it is answered: it is dropped last.
    let mut done = None;
    let told = match text(&c, "do") {
        "SendStreamingMessage" | "SubscribeToTask" => stream(&c, &case, &say, limit).await.map(|(end, sender)| {
            done = Some(sender);
            end
        }),
        "cancel-stream" | "close" => {
            let cancels = c["do"] == "cancel-stream";
            let open: Vec<_> = case.open.lock().unwrap().extract_if(|id, _| !cancels || c["stream"] == *id).collect();
            for (_, (stop, mut done)) in open {
                stop.send_replace(if cancels { "cancel" } else { "close" });
                while done.changed().await.is_ok() {}
            }
            Ok(json!({ "say": "result", "value": null }))
        }
        _ => match timeout(limit, simple(&c, &case)).await {
            Ok(told) => told.map(|value| json!({ "say": "result", "value": value })),
            Err(_) => Err(Wrong::Told("timeout", "the limit was over".to_owned())),
        },
    };
    let mut answer = told.unwrap_or_else(|wrong| match wrong {
        Wrong::Unsupported(why) => json!({ "say": "unsupported", "why": why }),
        Wrong::Told(kind, message) => json!({ "say": "error", "kind": kind, "message": message }),
        // The SDK says InternalError for whatever went wrong on its own side, too.
        Wrong::Sdk(error) => {
            let name = NAMES.iter().find(|(code, _)| *code == error.code).map(|(_, name)| name);
            let kind = if name.is_some() { "agent" } else { "other" };
            json!({ "say": "error", "kind": kind, "code": error.code, "name": name, "message": error.message })
        }
    });
    answer["id"] = c["id"].clone();
    let _ = say.send(answer);
    drop(done);
}

async fn simple(c: &Value, case: &Case) -> Result<Value, Wrong> {
    match text(c, "do") {
        "resolve" => {
            let card = resolve(c).await?;
            let told = written(&card)?;
            case.cards.lock().unwrap().insert(text(c, "as").to_owned(), card);
            Ok(told)
        }
        "client" => client(c, case).await,
        _ => operate(c, &*named(c, case)?).await,
    }
}

async fn resolve(c: &Value) -> Result<AgentCard, Wrong> {
    let url = text(c, "url").trim_end_matches("/.well-known/agent-card.json");
    if url.ends_with(".json") {
        return Err(Wrong::Unsupported("the SDK reads cards at the well-known path alone".to_owned()));
    }
    Ok(AgentCardResolver::new(None).resolve(url).await?)
}

async fn client(c: &Value, case: &Case) -> Result<Value, Wrong> {
    if let Some(option) = ["trust", "keys", "output-modes"].iter().find(|option| !c[**option].is_null()) {
        return Err(Wrong::Unsupported(format!("the SDK has no option for {option}, or is built without")));
    }
    let card = match c["card"].as_str() {
        Some(name) => case.cards.lock().unwrap().get(name).cloned(),
        None => Some(resolve(c).await?),
    };
    let card = card.ok_or_else(|| Wrong::Told("usage", "no such card".to_owned()))?;
    let wanted =
        |name: &str| c["bindings"].as_array().is_none_or(|all| all.is_empty() || all.iter().any(|one| one == name));
    let mut factory = A2AClientFactory::builder().no_defaults();
    if wanted("JSONRPC") {
        factory = factory.register(Arc::new(JsonRpcTransportFactory::new(None)));
    }
    if wanted("HTTP+JSON") {
        factory = factory.register(Arc::new(RestTransportFactory::new(None)));
    }
    for given in c["auth"].as_object().into_iter().flat_map(|all| all.values()) {
        let token = given["token"].as_str();
        let token = token
            .ok_or_else(|| Wrong::Unsupported("the SDK knows no schemes: an application sets headers".to_owned()))?;
        factory = factory.with_interceptor(Arc::new(AuthInterceptor::bearer(token)));
    }
    let extensions: Vec<&str> = c["extensions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !extensions.is_empty() {
        factory = factory.with_interceptor(Arc::new(Extensions(extensions.join(","))));
    }
    let (client, interface) = factory
        .build()
        .create_from_card_with_interface(&card)
        .await
        .map_err(|error| Wrong::Told("refused", error.message))?;
    case.clients.lock().unwrap().insert(text(c, "as").to_owned(), Arc::new(client));
    Ok(json!({ "binding": interface.protocol_binding, "url": interface.url, "version": interface.protocol_version }))
}

async fn operate(c: &Value, client: &Client) -> Result<Value, Wrong> {
    match text(c, "do") {
        "SendMessage" => written(&client.send_message(&asked(c)?).await?),
        "GetTask" => written(&client.get_task(&asked(c)?).await?),
        "ListTasks" => written(&client.list_tasks(&asked(c)?).await?),
        "CancelTask" => written(&client.cancel_task(&asked(c)?).await?),
        "CreateTaskPushNotificationConfig" => written(&client.create_push_config(&asked(c)?).await?),
        "GetTaskPushNotificationConfig" => written(&client.get_push_config(&asked(c)?).await?),
        "ListTaskPushNotificationConfigs" => written(&client.list_push_configs(&asked(c)?).await?),
        "DeleteTaskPushNotificationConfig" => {
            client.delete_push_config(&asked(c)?).await.map(|()| json!({})).map_err(Wrong::Sdk)
        }
        "GetExtendedAgentCard" => written(&client.get_extended_agent_card(&asked(c)?).await?),
        other => Err(Wrong::Unsupported(format!("no {other}"))),
    }
}

async fn stream(c: &Value, case: &Case, say: &Say, limit: Duration) -> Result<(Value, watch::Sender<()>), Wrong> {
    let (stop, mut stopped) = watch::channel("");
    let (done, finished) = watch::channel(());
    case.open.lock().unwrap().insert(c["id"].as_u64().unwrap_or_default(), (stop, finished));
    let late = |_| Wrong::Told("timeout", "no event within the limit".to_owned());
    let events = async {
        let client = named(c, case)?;
        let mut events = if c["do"] == "SubscribeToTask" {
            timeout(limit, client.subscribe_to_task(&asked(c)?)).await.map_err(late)??
        } else {
            timeout(limit, client.send_streaming_message(&asked(c)?)).await.map_err(late)??
        };
        while let Some(event) = timeout(limit, events.next()).await.map_err(late)? {
            let _ = say.send(json!({ "say": "event", "id": c["id"], "value": written(&event?)? }));
        }
        Ok("agent")
    };
    let ended = tokio::select! {
        by = stopped.wait_for(|by| !by.is_empty()) => Ok(by.map_or("close", |by| *by)),
        ended = events => ended,
    };
    ended.map(|by| (json!({ "say": "end", "by": by }), done))
}

fn named(c: &Value, case: &Case) -> Result<Arc<Client>, Wrong> {
    let client = case.clients.lock().unwrap().get(text(c, "client")).cloned();
    client.ok_or_else(|| Wrong::Told("usage", "no such client".to_owned()))
}

/// The request of the SDK. Its messages must have an id and a role.
fn asked<T: DeserializeOwned>(c: &Value) -> Result<T, Wrong> {
    let mut with = if c["with"].is_object() { c["with"].clone() } else { json!({}) };
    if let Some(message) = with.get_mut("message").and_then(Value::as_object_mut) {
        message.entry("messageId").or_insert_with(|| json!(uuid::Uuid::new_v4().to_string()));
        message.entry("role").or_insert_with(|| json!("ROLE_USER"));
    }
    serde_json::from_value(with).map_err(|error| Wrong::Told("usage", error.to_string()))
}

fn written<T: serde::Serialize>(value: &T) -> Result<Value, Wrong> {
    serde_json::to_value(value).map_err(|error| Wrong::Told("other", error.to_string()))
}

fn text<'a>(c: &'a Value, name: &str) -> &'a str {
    c[name].as_str().unwrap_or_default()
}
