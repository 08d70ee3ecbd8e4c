//! The page to work with, in Chromium.

use std::path::Path;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::agent::Agent;
use super::browser::BROWSER;
use super::program::{self, Folder, Running};

/// What a person saw who worked with it.
#[derive(Debug, Deserialize)]
struct Worked {
    before: Before,
    filtered: Vec<String>,
    counts: String,
    detail: String,
    marked: String,
    steps: usize,
    buttons: Vec<String>,
    again: String,
    views: Value,
    console: ByHand,
    wrong: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Before {
    agent: String,
    rows: usize,
    verdicts: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ByHand {
    events: usize,
    judged: String,
    task: String,
}

fn page(arguments: &[&str]) -> (Running, String) {
    let ui = program::start(&[&["ui"], arguments].concat(), &[]);
    let url = ui.stdout_line("ui at ").replace("ui at ", "").trim().to_owned();
    (ui, url)
}

/// `A2ASPEC_PICTURES=docs cargo test --test program foreign::ui` takes the picture of the documents anew.
#[test]
fn a_person_can_work_with_it() {
    let Some(browser) = BROWSER.ready() else { return };
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pictures = std::env::var("A2ASPEC_PICTURES").map_or_else(|_| folder.path().to_owned(), |to| root.join(to));
    let (_ui, url) = page(&["--self", "--fault", "get/unknown-is-internal", "--profile", "1.0"]);
    let case = "get/unknown-id";
    let worked: Vec<Worked> = BROWSER.ask("ui.mjs", &[browser, &url, case, &pictures.display().to_string()]);
    let [worked] = worked.as_slice() else { panic!("{worked:?}") };
    assert!(worked.wrong.is_empty(), "{:#?}", worked.wrong);
    assert_eq!((worked.before.agent.as_str(), worked.before.verdicts.len()), ("Reference agent", 2));
    assert!(worked.before.rows > 1_000, "{:?}", worked.before);
    assert_eq!(worked.filtered, [case]);
    assert!(worked.counts.starts_with("3 fail, "), "{}", worked.counts);
    for words in ["TaskNotFoundError", "How to fix it", "1.0-3.1.3-3", "Conversation", "GetTask {\"id\":"] {
        assert!(worked.detail.contains(words), "{words}: {}", worked.detail);
    }
    assert_eq!((worked.marked.as_str(), worked.steps), ("13", 1));
    for button in ["Run this case", "Copy the command", "Copy an issue", "Copy as a command"] {
        assert!(worked.buttons.iter().any(|known| known == button), "{button}: {:?}", worked.buttons);
    }
    assert_eq!(worked.again, format!("{case} over grpc in 1.0"));
    assert!(worked.views["problems"].as_str().unwrap().contains("and 2 more"), "{}", worked.views["problems"]);
    assert!(worked.views["card"].as_str().unwrap().contains("None: the card has the form"), "{}", worked.views["card"]);
    assert!(worked.console.events > 1 && !worked.console.task.is_empty(), "{:?}", worked.console);
    assert!(worked.console.judged.ends_with("cases judged the answer: 0 failed"), "{:?}", worked.console);
    assert!(std::fs::metadata(pictures.join("ui.png")).unwrap().len() > 10_000);
}

/// What became of texts that are markup.
#[derive(Debug, Deserialize)]
struct Looked {
    made: Vec<String>,
    shown: Value,
    wrong: Vec<String>,
}

const MARKUP: &str = "<img src=x onerror=alert(1)></script><iframe src=//agent.example>";

/// An agent that says markup wherever it can.
fn spiteful() -> Agent {
    Agent::serve(async move |url| {
        let card = json!({
            "name": MARKUP, "description": MARKUP, "version": MARKUP,
            "supportedInterfaces": [{ "url": format!("{url}/"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
            "capabilities": { "streaming": MARKUP }, "defaultInputModes": [MARKUP], "defaultOutputModes": [MARKUP],
            "skills": [{ "id": MARKUP, "name": MARKUP, "description": MARKUP, "tags": [MARKUP] }],
        });
        Router::new().fallback(move |request: Request| {
            let card = card.clone();
            async move {
                if request.method() == "GET" {
                    return Json(card).into_response();
                }
                let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
                let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
                let error = json!({ "code": -32001, "message": MARKUP, "data": [{ "@type": MARKUP }] });
                Json(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).into_response()
            }
        })
    })
}

#[test]
fn texts_of_an_agent_never_become_markup() {
    let Some(browser) = BROWSER.ready() else { return };
    let agent = spiteful();
    let (_ui, url) = page(&[&agent.url, "--only", "card", "--only", "get", "--only", "send"]);
    let looked: Vec<Looked> = BROWSER.ask("markup.mjs", &[browser, &url]);
    let [looked] = looked.as_slice() else { panic!("{looked:?}") };
    assert!(looked.wrong.is_empty() && looked.made.is_empty(), "{:?} {:?}", looked.made, looked.wrong);
    for view in ["cases", "card", "console"] {
        assert!(looked.shown[view].as_str().unwrap().contains("<img src=x"), "{view}: {}", looked.shown[view]);
    }
}
