//! What the page asks for.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use bytes::Bytes;
use futures_util::{Stream, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::console::{Blank, Call, Console, params};
use super::known::Place;
use super::rounds::Choice;
use super::{Shared, detail, guard};

/// The files of the page: name, type and text.
const FILES: [(&str, &str, &str); 8] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/base.css", STYLE, include_str!("../page/style.css")),
    ("/style.css", STYLE, include_str!("page/style.css")),
    ("/main.js", SCRIPT, include_str!("page/main.js")),
    ("/dom.js", SCRIPT, include_str!("page/dom.js")),
    ("/list.js", SCRIPT, include_str!("page/list.js")),
    ("/case.js", SCRIPT, include_str!("page/case.js")),
    ("/console.js", SCRIPT, include_str!("page/console.js")),
];
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// The page below its token. Whatever else is asked for is not there.
pub(super) fn router(token: &str, shared: Arc<Shared>) -> Router {
    let files = FILES.into_iter().fold(Router::new(), |router, (path, kind, text)| {
        router.route(path, get(move || async move { ([(CONTENT_TYPE, kind)], text) }))
    });
    let page = files
        .route("/state", get(state))
        .route("/events", get(events))
        .route("/case", post(case))
        .route("/run", post(run))
        .route("/stop", post(stop))
        .route("/watch", post(watch))
        .route("/params", post(blank))
        .route("/call", post(call));
    let guarded = middleware::from_fn_with_state(Arc::clone(&shared), guard::guard);
    let root = format!("/{token}");
    Router::new()
        .nest(&format!("{root}/"), page)
        .fallback(|| async { missing("open the URL that a2aspec printed: it has a token") })
        .layer(guarded)
        .with_state(shared)
}

type Known = State<Arc<Shared>>;

async fn state(State(shared): Known) -> Json<Value> {
    let mut state = shared.known().state();
    state["busy"] = json!(shared.is_running.load(Ordering::Acquire));
    state["watching"] = json!(*shared.is_watching.borrow());
    Json(state)
}

/// What happens, from now on.
async fn events(State(shared): Known) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = stream::unfold(shared.events.subscribe(), |mut events| async {
        let event = match events.recv().await {
            Ok((name, data)) => Event::default().event(name).data(data),
            // It has missed some.
            Err(RecvError::Lagged(_)) => Event::default().event("changed").data("{}"),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), events))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn case(State(shared): Known, Json(place): Json<Place>) -> Response {
    match detail::of(&shared.known(), &place) {
        Some(detail) => Json(detail).into_response(),
        None => missing("no such case is planned"),
    }
}

async fn run(State(shared): Known, Json(choice): Json<Choice>) -> Response {
    // From now on it counts as running, so that nobody takes the state before it for the one after it.
    let is_free = !shared.is_running.swap(true, Ordering::AcqRel);
    match is_free && shared.choices.try_send(choice).is_ok() {
        true => StatusCode::ACCEPTED.into_response(),
        false => (StatusCode::CONFLICT, "a run goes on; stop it first\n").into_response(),
    }
}

async fn stop(State(shared): Known) -> StatusCode {
    shared.stopper.send_replace(true);
    StatusCode::ACCEPTED
}

#[derive(Deserialize)]
struct Watch {
    on: bool,
}

async fn watch(State(shared): Known, Json(Watch { on }): Json<Watch>) -> StatusCode {
    shared.is_watching.send_replace(on);
    shared.report("changed", &json!({}));
    StatusCode::ACCEPTED
}

async fn blank(State(shared): Known, Json(blank): Json<Blank>) -> Response {
    match params(&shared.known(), &blank) {
        Some(params) => Json(params).into_response(),
        None => missing("no such interface is checked"),
    }
}

/// A call by hand: one line of JSON for each thing that happens.
async fn call(State(shared): Known, Json(call): Json<Call>) -> Response {
    let Some(console) = Console::new(&shared.known(), call) else {
        return missing("no such interface is checked");
    };
    let lines = stream::unfold(console.start(), |mut lines| async {
        let line = lines.recv().await?;
        Some((Ok::<_, Infallible>(Bytes::from(format!("{line}\n"))), lines))
    });
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}

fn missing(why: &str) -> Response {
    (StatusCode::NOT_FOUND, format!("{why}\n")).into_response()
}
