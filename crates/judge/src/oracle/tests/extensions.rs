//! Data of extensions.

use serde_json::{Value, json};

use super::script::{COMPLETED, Script, task_with};
use super::{Row, hold, right, unseen, wrong};
use crate::profile::Operation;

const KEY: &str = "example.com/ext/v1/time";

/// A conversation in which a task was read twice, with these data in its artifact.
fn read(first: Option<Value>, second: Option<Value>) -> Script {
    let script = Script::v1_0();
    [("a", first), ("b", second)].into_iter().fold(script, |script, (step, data)| {
        let metadata = data.map_or_else(|| json!({ "other": 1 }), |data| json!({ (KEY): data }));
        let artifact = json!({ "artifactId": "x", "parts": [{ "text": "done" }], "metadata": metadata });
        script.result(step, Operation::GetTask, task_with("t", COMPLETED, json!({ "artifacts": [artifact] })))
    })
}

/// A conversation whose task has data only in places that are the client's, or of free form.
fn elsewhere() -> Script {
    let metadata = json!({ (KEY): 7 });
    let sent = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x" }], "metadata": metadata });
    let free = json!({ "artifactId": "nested", "metadata": metadata });
    let members = json!({ "history": [sent], "metadata": free });
    Script::v1_0().result("a", Operation::GetTask, task_with("t", COMPLETED, members))
}

fn forms() -> Vec<Row> {
    let of = || json!({ "of": ["a", "b"], "keys": [KEY], "schema": { "type": "string" }, "expected": "a time" });
    let of_defined = || json!({ "of": ["a"], "keys": [KEY], "schema": { "properties": { "at": { "$ref": "#/$defs/T" } }, "$defs": { "T": { "type": "string" } } } });
    let (text, number) = (Some(json!("x")), Some(json!(7)));
    vec![
        right("extension-data", of(), read(text.clone(), None)),
        wrong("extension-data", of(), read(text, number), "`/` of the data of an extension is 7, expected a time"),
        right("extension-data", of_defined(), read(Some(json!({ "at": "x" })), None)),
        wrong("extension-data", of_defined(), read(Some(json!({ "at": 1 })), None), "`/at`"),
        unseen("extension-data", of(), read(None, None), "no data of the extension"),
        unseen(
            "extension-data",
            json!({ "of": ["a"], "keys": [KEY], "schema": {} }),
            elsewhere(),
            "no message of the agent",
        ),
    ]
}

fn presence() -> Vec<Row> {
    let of = || json!({ "of": ["a", "b"], "keys": ["another", KEY] });
    let (one, other) = (Some(json!("x")), Some(json!("y")));
    vec![
        right("extension-data-there", of(), read(None, one.clone())),
        wrong("extension-data-there", of(), read(None, None), "has the data of an active extension"),
        unseen("extension-data-there", json!({ "of": ["a"], "keys": [KEY] }), elsewhere(), "no message of the agent"),
        right("extension-data-kept", of(), read(one.clone(), one.clone())),
        wrong("extension-data-kept", of(), read(one.clone(), other), "differ between two readings"),
        unseen("extension-data-kept", of(), read(one, None), "no data of the extension twice"),
    ]
}

pub(super) fn rows() -> Vec<Row> {
    [forms(), presence()].into_iter().flatten().collect()
}

#[test]
fn data_of_extensions_are_judged() {
    hold(&rows());
}
