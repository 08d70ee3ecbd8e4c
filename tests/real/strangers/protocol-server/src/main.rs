//! An agent for A2A 1.0 on the crate a2a-protocol-server.
use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use a2a_protocol_server::dispatch::CombinedDispatcher;
use a2a_protocol_server::{
    EventEmitter, EventQueueWriter, RequestContext, RequestHandlerBuilder, ServeConfig, Server, agent_executor,
};
use a2a_protocol_types::{
    A2aResult, AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill, ContextId, Message, Part,
    StreamResponse, TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use serde_json::json;
use tokio::time::sleep;

const TRIGGERS: [&str; 10] =
    ["complete", "message", "slow", "chunks", "input-required", "auth-required", "fail", "reject", "file", "data"];

struct Triggered;

agent_executor!(Triggered, |ctx, queue| async { act(ctx, queue).await });

async fn act(ctx: &RequestContext, queue: &dyn EventQueueWriter) -> A2aResult<()> {
    let emit = EventEmitter::new(ctx, queue);
    let text = ctx.message.text().unwrap_or_default();
    let waited =
        ctx.stored_task.as_ref().is_some_and(|task| task.id == ctx.task_id && task.status.state.is_interrupted());
    let trigger = if waited { "complete" } else { text.split_whitespace().next().unwrap_or_default() };
    if trigger == "message" {
        let message = Message::agent_text(format!("reply-{}", ctx.task_id), "a message and no task")
            .with_context_id(ctx.context_id.clone());
        return queue.write(StreamResponse::Message(message)).await;
    }
    emit.status(TaskState::Working).await?;
    match trigger {
        "slow" => {
            for number in 0..15 {
                sleep(Duration::from_millis(200)).await;
                if emit.is_cancelled() {
                    return Ok(());
                }
                emit.artifact(
                    "slow",
                    vec![Part::text(format!("chunk {number}\n"))],
                    Some(number > 0),
                    Some(number == 14),
                )
                .await?;
            }
        }
        "chunks" => {
            for number in 0..4 {
                emit.artifact(
                    "chunks",
                    vec![Part::text(format!("part {number} "))],
                    Some(number > 0),
                    Some(number == 3),
                )
                .await?;
            }
            emit.artifact("whole", vec![Part::text("whole")], None, Some(true)).await?;
        }
        "input-required" => return note(ctx, queue, TaskState::InputRequired, "which one?").await,
        "auth-required" => return emit.auth_required("sign in, please").await,
        "fail" => return note(ctx, queue, TaskState::Failed, "it went wrong").await,
        "reject" => return note(ctx, queue, TaskState::Rejected, "not my work").await,
        "file" => {
            let bytes = Part::raw("AAH+/w==").with_media_type("application/octet-stream").with_filename("bytes.bin");
            let link = Part::url("https://example.com/report.pdf")
                .with_media_type("application/pdf")
                .with_filename("report.pdf");
            emit.artifact("files", vec![bytes, link], None, Some(true)).await?;
        }
        "data" => {
            let data = json!({ "answer": 42, "half": 0.5, "none": null, "list": [1, "a"] });
            emit.artifact("data", vec![Part::data(data).with_media_type("application/json")], None, Some(true)).await?;
        }
        _ => emit.artifact("result", vec![Part::text("done")], None, Some(true)).await?,
    }
    emit.status(TaskState::Completed).await
}

/// A status with a word to the client.
async fn note(ctx: &RequestContext, queue: &dyn EventQueueWriter, state: TaskState, text: &str) -> A2aResult<()> {
    let context_id = ContextId::new(ctx.context_id.clone());
    let id = format!("{}-{state:?}", ctx.task_id);
    let message = Message::agent_text(id, text).with_task_id(ctx.task_id.clone()).with_context_id(context_id.clone());
    let mut status = TaskStatus::new(state);
    status.message = Some(message);
    let event = TaskStatusUpdateEvent { task_id: ctx.task_id.clone(), context_id, status, metadata: None };
    queue.write(StreamResponse::StatusUpdate(event)).await
}

fn card(url: &str) -> AgentCard {
    let mut extension = AgentExtension::new("urn:a2aspec:triggers:v1");
    extension.required = Some(false);
    extension.params = Some(TRIGGERS.iter().map(|name| ((*name).to_owned(), json!({ "text": name }))).collect());
    let mut capabilities = AgentCapabilities::none().with_streaming(true);
    capabilities.extensions = Some(vec![extension]);
    AgentCard::new("a2a-protocol-server agent", "1.0.0", AgentInterface::jsonrpc(url))
        .with_interface(AgentInterface::rest(url))
        .with_description("Does what the first word of a message asks for.")
        .with_input_modes(["text/plain"])
        .with_output_modes(["text/plain", "application/json", "application/octet-stream"])
        .with_capabilities(capabilities)
        .with_skill(
            AgentSkill::new("triggers", "Triggers", "Brings a task into the state that the first word names.")
                .with_tags(["test"]),
        )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut port = 0_u16;
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--port" => port = given.next().ok_or("--port needs a number")?.parse()?,
            "--end-with-stdin" => drop(std::thread::spawn(|| {
                let _ = std::io::stdin().read_to_end(&mut Vec::new());
                std::process::exit(0);
            })),
            other => return Err(format!("{other} is none of --port N, --end-with-stdin").into()),
        }
    }
    let server = Server::bind(("127.0.0.1", port)).await?;
    let url = format!("http://{}", server.local_addr()?);
    let handler = Arc::new(RequestHandlerBuilder::new(Triggered).with_agent_card(card(&url)).build()?);
    println!("listening on {url}");
    let ended = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    server.with_config(ServeConfig::default()).serve_with_shutdown(CombinedDispatcher::new(handler), ended).await;
    Ok(())
}
