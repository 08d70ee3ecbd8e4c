//! The agent as the official kit drives it: by what the ids of messages begin with.

use std::time::Duration;

use a2a_reference_agent::{Config, Preset, RunningAgent};
use serde_json::{Value, json};

use crate::client::{Client, agent, start};

async fn kit_agent(slow: Duration) -> RunningAgent {
    let config = Config { triggers: Some(Preset::A2aTck), slow, ..Config::default() };
    start(config).await
}

/// A version whose messages have ids.
#[derive(Debug, Clone, Copy)]
enum Spoken {
    V1_0,
    Draft,
    /// 0.3 and those before it, by the path of JSON-RPC.
    Before(&'static str),
}

const VERSIONS: [Spoken; 5] =
    [Spoken::V1_0, Spoken::Draft, Spoken::Before("/0.3"), Spoken::Before("/0.2.5/a2a"), Spoken::Before("/0.2.1/a2a")];

impl Spoken {
    fn client(self, agent: &RunningAgent) -> Client {
        match self {
            Self::V1_0 => Client::v1_0(agent),
            Self::Draft => Client::v1_0_draft(agent),
            Self::Before("/0.3") => Client::v0_3(agent),
            Self::Before(path) => Client::below(&format!("{}{}", agent.url(), path.trim_end_matches("/a2a"))),
        }
    }

    fn message(self, id: &str, text: &str, task: Option<&Value>, blocking: bool) -> Value {
        let (role, part) = match self {
            Self::V1_0 => ("ROLE_USER", json!({ "text": text })),
            Self::Draft => ("user", json!({ "text": text })),
            Self::Before(_) => ("user", json!({ "kind": "text", "text": text })),
        };
        let mut message = json!({ "messageId": format!("{id}-0a1b2c3d"), "role": role, "parts": [part] });
        if matches!(self, Self::Before(_)) {
            message["kind"] = json!("message");
        }
        if let Some(task) = task {
            message["taskId"] = task["id"].clone();
        }
        let configuration = match self {
            Self::V1_0 => json!({ "returnImmediately": !blocking }),
            _ => json!({ "blocking": blocking, "acceptedOutputModes": ["text/plain"] }),
        };
        json!({ "message": message, "configuration": configuration })
    }

    /// The answer to a message, a task or another message.
    async fn send(self, client: &Client, params: Value) -> Value {
        match self {
            Self::V1_0 => {
                let result = client.result("SendMessage", params).await;
                result.as_object().unwrap().values().next().unwrap().clone()
            }
            Self::Draft => client.result("SendMessage", params).await,
            Self::Before(_) => client.result("message/send", params).await,
        }
    }
}

/// The state of a task, in the words of 0.3.
fn state(task: &Value) -> String {
    let state = task["status"]["state"].as_str().unwrap_or_default();
    state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-")
}

/// What the kit expects of each message, in its state and somewhere in its contents.
const EXPECTED: [(&str, &str, &str); 17] = [
    ("tck-complete-task", "completed", "\"Hello from TCK\""),
    ("tck-delayed-complete", "completed", "\"Done after delay\""),
    ("tck-artifact-text", "completed", "\"Generated text content\""),
    ("tck-artifact-file", "completed", "\"dGNr\""),
    ("tck-artifact-file-url", "completed", "\"https://example.com/output.txt\""),
    ("tck-artifact-data", "completed", "{\"key\":\"value\",\"count\":42}"),
    ("tck-input-required", "input-required", ""),
    ("tck-auth-required", "auth-required", ""),
    ("tck-reject-task", "rejected", "\"rejected\""),
    ("tck-stream-001", "completed", "\"Stream hello from TCK\""),
    ("tck-stream-002", "completed", ""),
    ("tck-stream-003", "completed", "\"Stream task lifecycle\""),
    ("tck-stream-ordering-001", "completed", "\"Ordered output\""),
    ("tck-stream-artifact-text", "completed", "\"Streamed text content\""),
    ("tck-stream-artifact-file", "completed", "\"dGNr\""),
    ("tck-stream-artifact-chunked", "completed", "\"chunk-2\""),
    ("test-resubscribe-message-id", "completed", ""),
];

#[tokio::test]
async fn each_prefix_has_its_contents_in_each_version() {
    let agent = kit_agent(Duration::from_millis(20)).await;
    for version in VERSIONS {
        let client = version.client(&agent);
        for (prefix, expected, content) in EXPECTED {
            let task = version.send(&client, version.message(prefix, "Hello", None, true)).await;
            assert_eq!(state(&task), expected, "{version:?} {prefix}");
            assert!(task.to_string().contains(content), "{version:?} {prefix}: {task}");
        }
        let reply = version.send(&client, version.message("tck-message-response", "Hello", None, true)).await;
        assert!(reply.get("status").is_none(), "{version:?}");
        assert_eq!(reply["parts"][0]["text"], "Direct message response", "{version:?}");
        let file = version.send(&client, version.message("tck-artifact-file", "Hello", None, true)).await.to_string();
        assert!(file.contains("\"output.txt\"") && file.contains("\"text/plain\""), "{version:?}: {file}");
    }
}

#[tokio::test]
async fn chunks_come_one_after_the_other() {
    let agent = kit_agent(Duration::from_millis(20)).await;
    let params = Spoken::V1_0.message("tck-stream-artifact-chunked", "Hello", None, true);
    let events = Client::v1_0(&agent).events("SendStreamingMessage", params).await;
    let chunks: Vec<_> = events.iter().filter_map(|event| event.get("artifactUpdate")).collect();
    let texts: Vec<_> = chunks.iter().map(|chunk| &chunk["artifact"]["parts"][0]["text"]).collect();
    assert_eq!(texts, ["chunk-1 ", "chunk-2"]);
    assert_eq!(chunks[1]["append"], true);
    assert_eq!(chunks[1]["lastChunk"], true);
}

#[tokio::test]
async fn what_takes_its_time_is_met_at_work() {
    let agent = kit_agent(Duration::from_secs(60)).await;
    for version in VERSIONS {
        let client = version.client(&agent);
        for prefix in ["tck-delayed-complete", "test-resubscribe-message-id"] {
            let task = version.send(&client, version.message(prefix, "Hello", None, false)).await;
            assert!(["submitted", "working"].contains(&state(&task).as_str()), "{version:?} {prefix}");
        }
    }
}

#[tokio::test]
async fn a_further_message_does_what_its_prefix_says() {
    let agent = kit_agent(Duration::from_millis(20)).await;
    for version in VERSIONS {
        let client = version.client(&agent);
        let task = version.send(&client, version.message("tck-input-required", "Hello", None, true)).await;
        for prefix in ["tck-input-required", "tck-auth-required"] {
            let next = version.send(&client, version.message(prefix, "Again", Some(&task), true)).await;
            assert_eq!((&next["id"], state(&next).as_str()), (&task["id"], &prefix["tck-".len()..]), "{version:?}");
        }
        let last = version.send(&client, version.message("tck-complete-task", "Done", Some(&task), true)).await;
        assert_eq!(state(&last), "completed", "{version:?}");
        assert!(last.to_string().contains("\"Hello from TCK\""), "{version:?}: {last}");
    }
}

#[tokio::test]
async fn the_agents_own_words_are_understood_beside_the_kit_and_alone() {
    let beside = kit_agent(Duration::from_millis(20)).await;
    let alone = agent().await;
    for (agent, id, text, expected) in [
        (&beside, "m", "fail", "failed"),
        (&beside, "tck-complete-task", "fail", "completed"),
        (&alone, "tck-reject-task", "fail", "failed"),
    ] {
        let client = Client::v1_0(agent);
        let task = Spoken::V1_0.send(&client, Spoken::V1_0.message(id, text, None, true)).await;
        assert_eq!(state(&task), expected, "{id} {text}");
    }
}
