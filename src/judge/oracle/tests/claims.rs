//! What a card claims.

use serde_json::{Value, json};

use super::script::Script;
use super::{Row, right, unseen, wrong};
use crate::profile::Operation::SendMessage;

fn refused(code: i32) -> Script {
    Script::v1_0().error("s", SendMessage, json!({ "code": code, "message": "no" }))
}

pub(super) fn rows() -> Vec<Row> {
    let of = || Value::from("s");
    let silent = refused(-32602).but(|draft| draft.is_lost = true);
    vec![
        right("speaks-as-claimed", of(), refused(-32602)),
        right("speaks-as-claimed", of(), refused(-32600)),
        wrong("speaks-as-claimed", of(), refused(-32601), "the interface knows no method of it"),
        wrong("speaks-as-claimed", of(), refused(-32009), "the interface knows no method of it"),
        wrong("speaks-as-claimed", of(), refused(-32600).heard_to_speak("0.3"), "the interface speaks A2A 0.3"),
        unseen("speaks-as-claimed", of(), silent, "nothing came back"),
    ]
}
