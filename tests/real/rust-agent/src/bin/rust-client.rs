//! The whole surface of the published Rust client (a2a-client-lf with a2a-grpc), over one interface of an agent. It is the
//! counterpart of the agent beside it, and built with it; `tests/clients` runs it.
//!
//!     rust-client URL VERSION BINDING

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use a2a::{
    A2AError, AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTasksRequest,
    Message, Part, Role, SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, TaskState,
};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::auth::AuthInterceptor;
use a2a_client::{A2AClient, A2AClientFactory, Transport};
use a2a_grpc::GrpcTransportFactory;
use futures::StreamExt as _;
use serde_json::json;

/// Nobody listens there, and nothing that this program does is posted.
const WEBHOOK: &str = "http://127.0.0.1:9/hook";

/// Longer than any step takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

type Failure = Box<dyn std::error::Error>;
type Client = A2AClient<Box<dyn Transport>>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [url, version, binding] = given.as_slice() else { return Err("wanted: URL VERSION BINDING".into()) };
    let mut card = None;
    step("card", async {
        let read = AgentCardResolver::new(None).resolve(url).await?;
        Ok(card.insert(read).name.clone())
    })
    .await;
    let mut card: AgentCard = card.ok_or("there is no card")?;
    // Which interface is used is for the test to say.
    card.supported_interfaces.retain(|one| one.protocol_version == *version && one.protocol_binding == *binding);
    let factory = A2AClientFactory::builder()
        .register(Arc::new(GrpcTransportFactory::new()))
        .with_interceptor(Arc::new(AuthInterceptor::bearer("reference")))
        .build();
    let client = factory.create_from_card(&card).await.map_err(|error| format!("{error:?}"))?;
    surface(&Surface { client }).await;
    Ok(())
}

/// Does all steps.
async fn surface(surface: &Surface) {
    let Surface { client } = surface;
    let mut done = String::new();
    step("send", async {
        let task = surface.task("complete", None).await?;
        done.clone_from(&task.id);
        Ok(name(&task.status.state))
    })
    .await;
    step("send-message", async { Ok(kind(&surface.send("message", None).await?)) }).await;
    step("stream", async {
        let events = client.send_streaming_message(&request("chunks", None)).await?;
        from_to(Vec::new(), events).await
    })
    .await;
    let get = |id: &str| GetTaskRequest { id: id.to_owned(), history_length: None, tenant: None };
    step("get", async { Ok(name(&client.get_task(&get(&done)).await?.status.state)) }).await;
    step("list", async {
        let wanted = ListTasksRequest {
            context_id: None,
            status: None,
            page_size: Some(10),
            page_token: None,
            history_length: None,
            status_timestamp_after: None,
            include_artifacts: None,
            tenant: None,
        };
        let listed = client.list_tasks(&wanted).await?.tasks;
        let is_there = listed.iter().any(|task| task.id == done);
        Ok(if is_there { "the task is there" } else { "the task is missing" })
    })
    .await;
    let cancel = |id: &str| CancelTaskRequest { id: id.to_owned(), metadata: None, tenant: None };
    step("cancel", async {
        let waiting = surface.task("input-required", None).await?;
        Ok(name(&client.cancel_task(&cancel(&waiting.id)).await?.status.state))
    })
    .await;
    step("subscribe", async {
        let waiting = surface.task("input-required", None).await?;
        let wanted = SubscribeToTaskRequest { id: waiting.id.clone(), tenant: None };
        let mut events = client.subscribe_to_task(&wanted).await?;
        let first = events.next().await.ok_or_else(|| A2AError::internal("the stream is empty"))??;
        surface.task("complete", Some(&waiting)).await?;
        from_to(state_in(&first).into_iter().collect(), events).await
    })
    .await;
    let mut waiting = String::new();
    step("push-set", async {
        waiting = surface.task("input-required", None).await?.id;
        let wanted = TaskPushNotificationConfig {
            url: WEBHOOK.to_owned(),
            id: Some("hook".to_owned()),
            task_id: waiting.clone(),
            token: None,
            authentication: None,
            tenant: None,
        };
        Ok(shown(&client.create_push_config(&wanted).await?))
    })
    .await;
    let (task_id, id) = (waiting.clone(), "hook".to_owned());
    step("push-get", async {
        let wanted = GetTaskPushNotificationConfigRequest { task_id: task_id.clone(), id: id.clone(), tenant: None };
        Ok(shown(&client.get_push_config(&wanted).await?))
    })
    .await;
    step("push-list", async {
        let wanted = ListTaskPushNotificationConfigsRequest {
            task_id: task_id.clone(),
            page_size: None,
            page_token: None,
            tenant: None,
        };
        let configs = client.list_push_configs(&wanted).await?.configs;
        Ok(configs.iter().map(shown).collect::<Vec<_>>().join(", "))
    })
    .await;
    step("push-delete", async {
        let wanted = DeleteTaskPushNotificationConfigRequest { task_id: task_id.clone(), id: id.clone(), tenant: None };
        client.delete_push_config(&wanted).await?;
        Ok("deleted")
    })
    .await;
    step("extended-card", async {
        let card = client.get_extended_agent_card(&GetExtendedAgentCardRequest { tenant: None }).await?;
        Ok(format!("{} skills", card.skills.len()))
    })
    .await;
    step("get-unknown", async { Ok(name(&client.get_task(&get("unknown")).await?.status.state)) }).await;
    step("cancel-ended", async { Ok(name(&client.cancel_task(&cancel(&done)).await?.status.state)) }).await;
    step("send-without-parts", async { Ok(kind(&surface.send("", None).await?)) }).await;
}

/// The client, and what every step does with it.
struct Surface {
    client: Client,
}

impl Surface {
    async fn send(&self, text: &str, to: Option<&Task>) -> Result<SendMessageResponse, A2AError> {
        self.client.send_message(&request(text, to)).await
    }

    async fn task(&self, text: &str, to: Option<&Task>) -> Result<Task, A2AError> {
        match self.send(text, to).await? {
            SendMessageResponse::Task(task) => Ok(task),
            SendMessageResponse::Message(_) => Err(A2AError::internal("a message came in place of a task")),
        }
    }
}

fn request(text: &str, to: Option<&Task>) -> SendMessageRequest {
    let parts = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
    let mut message = Message::new(Role::User, parts);
    message.task_id = to.map(|task| task.id.clone());
    message.context_id = to.map(|task| task.context_id.clone());
    SendMessageRequest { message, configuration: None, metadata: None, tenant: None }
}

/// Does one step, and says what came of it in a line of JSON.
async fn step<T: Display>(name: &str, does: impl Future<Output = Result<T, A2AError>>) {
    let saw = match tokio::time::timeout(PATIENCE, does).await {
        Ok(Ok(saw)) => saw.to_string(),
        Ok(Err(error)) => error_name(&error),
        Err(_) => "silence".to_owned(),
    };
    println!("{}", json!({ "step": name, "saw": saw }));
}

/// What tells an error from others for the client's user: its code.
fn error_name(error: &A2AError) -> String {
    match error.code {
        -32001 => "TaskNotFoundError".to_owned(),
        -32002 => "TaskNotCancelableError".to_owned(),
        -32602 => "InvalidParamsError".to_owned(),
        code => format!("{code}: {}", error.message),
    }
}

fn kind(sent: &SendMessageResponse) -> &'static str {
    match sent {
        SendMessageResponse::Task(_) => "task",
        SendMessageResponse::Message(_) => "message",
    }
}

fn shown(config: &TaskPushNotificationConfig) -> String {
    format!("{} {}", config.id.as_deref().unwrap_or_default(), config.url)
}

fn name(state: &TaskState) -> &'static str {
    match state {
        TaskState::Unspecified => "unspecified",
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Canceled => "canceled",
        TaskState::InputRequired => "input-required",
        TaskState::Rejected => "rejected",
        TaskState::AuthRequired => "auth-required",
    }
}

fn state_in(event: &StreamResponse) -> Option<&'static str> {
    match event {
        StreamResponse::Task(task) => Some(name(&task.status.state)),
        StreamResponse::StatusUpdate(update) => Some(name(&update.status.state)),
        StreamResponse::Message(_) | StreamResponse::ArtifactUpdate(_) => None,
    }
}

/// The states from the first to the last, once the stream has ended.
async fn from_to(
    mut seen: Vec<&'static str>,
    mut events: futures::stream::BoxStream<'static, Result<StreamResponse, A2AError>>,
) -> Result<String, A2AError> {
    while let Some(event) = events.next().await {
        seen.extend(state_in(&event?));
    }
    match (seen.first(), seen.last()) {
        (Some(first), Some(last)) => Ok(format!("{first} to {last}")),
        _ => Err(A2AError::internal("the stream shows no state")),
    }
}
