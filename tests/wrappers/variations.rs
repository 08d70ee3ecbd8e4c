//! The independent client survives every legal variation of agents: it reports what a plain agent would have said.

use std::fmt::Write as _;
use std::path::PathBuf;

use a2a_reference_agent::Variation;
use serde_json::Value;

use super::independent::{CLIENTS, check};

/// A case: what every client does, against an agent with a variation.
fn case(variation: &Variation) -> String {
    let id = &variation.id;
    // A poem in five chunks, the task before it, and what is around it: each event once, however it is written.
    let events = if id.starts_with("sse/") { ", at: { \"\": { length: 9 } }" } else { "" };
    let say = |text: &str| format!("with: {{ message: {{ parts: [{{ text: {text} }}] }} }}");
    format!(
        r#"  - id: varied/{name}
    role: client
    title: an agent that differs in a legal way is read
    why: Legal agents differ.
    right: results
    wrong: errors
    fix: Read what is legal.
    level: MUST
    profiles: ["1.0"]
    section: "5.7"
    agent: {{ variation: {id} }}
    steps:
      - {{ do: resolve, as: card, reported: {{ outcome: [result] }} }}
      - {{ do: client, card: card }}
      - {{ do: SendMessage, {complete}, reported: {{ outcome: [result] }} }}
      - {{ do: SendMessage, {data}, reported: {{ outcome: [result] }} }}
      - {{ do: SendStreamingMessage, {chunks}, reported: {{ outcome: [end]{events} }} }}
      - {{ do: SendStreamingMessage, {question}, reported: {{ outcome: [end] }} }}
      - {{ do: walk, with: {{}}, most: 20, reported: {{ outcome: [result] }} }}
      - {{ do: GetTask, with: {{ id: a2aspec-none }}, reported: {{ outcome: [agent] }} }}
    requests:
      - {{ of: SendMessage, count: 2 }}
"#,
        name = id.replace(['/', '.'], "-"),
        complete = say("complete"),
        data = say("data"),
        chunks = say("chunks"),
        question = say("input-required"),
    )
}

#[test]
fn an_independent_client_survives_every_variation() {
    let all = Variation::all().unwrap().iter();
    let all: Vec<&Variation> =
        all.filter(|variation| variation.acts_in("1.0") && !variation.is_of_connections()).collect();
    let mut text = "cases:\n".to_owned();
    for variation in &all {
        write!(text, "{}", case(variation)).unwrap();
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("variations/varied");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("all.yaml"), text).unwrap();
    let cases = folder.parent().unwrap().to_str().unwrap();
    let flags = ["--cases", cases, "--only", "varied/*"];
    let (results, code) = check("variations", &flags, &[CLIENTS[0].to_str().unwrap()]);
    let others: Vec<&Value> = results.iter().filter(|result| result["verdict"] != "pass").collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!((results.len(), code), (2 * all.len(), 0));
}
