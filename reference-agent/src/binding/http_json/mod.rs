//! HTTP+JSON, also called REST: operations as verbs and addresses (1.0, section 11; 0.3, section 3.2.3).

mod media_type;
mod parameters;
mod refusal;
mod routes;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use self::refusal::{Fault, Refusal};
pub use self::routes::{find, split_base};
use super::credentials::{self, Shown};
use super::{event_stream, http};
use crate::config::{RestDialect, Scheme};
use crate::core::{Answer, Error, OperationName, Outcome, Users};
use crate::model::{Sent, StreamEvent, Task};
use crate::version::{Json, RestVersion, Version};

/// Answers an HTTP request for 1.0 or 0.3, whose path is given from the base of their interfaces on, or for the `only` one
/// of the two.
pub async fn serve(users: Arc<Users>, only: Option<Version>, request: Request) -> Response {
    let (version, path) = routes::split_base(request.uri().path());
    if only.is_some_and(|only| only != version) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let dialect = match version {
        Version::V1_0 => RestVersion::V1_0,
        // Older ones are not spoken over HTTP+JSON.
        _ => RestVersion::V0_3(RestDialect::default()),
    };
    let path = path.to_owned();
    serve_in(&users, dialect, &path, request).await
}

/// Answers an HTTP request for a draft, whose path is given from the base of its interface on.
pub async fn serve_draft(users: Arc<Users>, dialect: RestVersion, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    serve_in(&users, dialect, &path, request).await
}

async fn serve_in(users: &Users, dialect: RestVersion, path: &str, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let version = dialect.version();
    let requested = http::requested_version(&parts);
    let negotiated = dialect.interface().choose(requested.as_deref());
    let is_negotiated = negotiated.is_ok();

    let answer = answer(users, dialect, negotiated, path, &parts, body).await;
    let mut response = answer.unwrap_or_else(|refusal| refuse(dialect, users.schemes(), &parts.headers, &refusal));
    if is_negotiated {
        http::confirm_extensions(version, &parts.headers, response.headers_mut());
    }
    response
}

async fn answer(
    users: &Users,
    dialect: RestVersion,
    negotiated: Result<Version, Error>,
    path: &str,
    parts: &Parts,
    body: Body,
) -> Result<Response, Refusal> {
    let shown = Shown::over_http(parts);
    let tenants = credentials::tenants(users, shown)?;
    let route = routes::find(dialect.version(), path)?.ok_or(Fault::NoSuchAddress)?;
    if parts.method == Method::OPTIONS {
        return Ok((StatusCode::NO_CONTENT, [(ALLOW, route.allow())]).into_response());
    }
    let name = route.operation(&parts.method).ok_or_else(|| Fault::NoSuchMethod(route.allow()))?;
    let version = negotiated?;

    // GET and DELETE have no body; one that is there all the same means nothing (RFC 9110, section 9.3.1).
    let body =
        if parts.method == Method::POST { read_object(version, &parts.headers, body).await? } else { Map::new() };
    let params = parameters::gather(version, name, body, http::query(&parts.uri), route.parameters(name))?;
    let engine = tenants.engine(version.tenant(Some(&params)))?;
    let task_id = ["id", "taskId"].into_iter().find_map(|member| params.get(member)?.as_str());
    let dialect = dialect.of_request(name, &params, |shown| engine.rest_dialect(shown, task_id));
    let operation = dialect.read(name, params)?;
    let is_send = matches!(name, OperationName::SendMessage | OperationName::SendStreamingMessage);
    let (form, keeper) = (dialect.form().filter(|_| is_send), Arc::clone(engine));
    let note = move |task: &Task| form.into_iter().for_each(|form| keeper.note_rest_dialect(&task.id, form));

    let caller = http::caller(credentials::is_authenticated(users, shown), &parts.headers, version);
    match engine.perform(operation, caller).await? {
        Outcome::Answer(answer) => {
            if let Answer::Sent(Sent::Task(task)) = &*answer {
                note(task);
            }
            let media_type = media_type::of_answer(version, &parts.headers);
            Ok(http::written(StatusCode::OK, media_type, dialect.write_answer(&answer)?.into_text()))
        }
        Outcome::Stream(events) => Ok(event_stream::respond(events, move |event, is_last| {
            if let StreamEvent::Task(task) = event {
                note(task);
            }
            dialect.write_event(event, is_last).map(Json::into_text)
        })),
    }
}

/// Reads a body. None at all is as good as an empty object: some operations need no more than their path.
async fn read_object(version: Version, headers: &HeaderMap, body: Body) -> Result<Map<String, Value>, Refusal> {
    let check_media_type = || http::check_media_type(headers, media_type::readable(version));
    if headers.contains_key(CONTENT_TYPE) {
        check_media_type()?;
    }
    let body = http::read_body(headers, body).await?;
    if body.is_empty() {
        return Ok(Map::new());
    }
    check_media_type()?;
    Ok(members(&body)?)
}

fn members(body: &[u8]) -> Result<Map<String, Value>, Fault> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Fault::NotAnObject),
        Err(_) => Err(Fault::NotJson),
    }
}

/// Whether a request is one of an operation that the version has over HTTP+JSON, with parameters that it reads; its address begins
/// below the base of the version. What the agent then makes of it is not asked: it is the reader alone, for who fuzzes it.
pub fn reads_over_http(version: Version, method: &str, address: &str, body: &[u8]) -> bool {
    let dialect = match version {
        Version::V1_0 => RestVersion::V1_0,
        Version::V1_1Draft => RestVersion::V1_1Draft,
        Version::V1_0Draft => RestVersion::V1_0Draft,
        Version::V0_3 => RestVersion::V0_3(RestDialect::default()),
        _ => return false,
    };
    let read = || {
        let (method, address) = (Method::from_bytes(method.as_bytes()).ok()?, address.parse::<Uri>().ok()?);
        let route = routes::find(version, address.path().trim_start_matches('/')).ok()??;
        let name = route.operation(&method)?;
        let has_body = method == Method::POST && !body.is_empty();
        let body = if has_body { members(body).ok()? } else { Map::new() };
        let params = parameters::gather(version, name, body, http::query(&address), route.parameters(name)).ok()?;
        let dialect = dialect.of_request(name, &params, Option::unwrap_or_default);
        dialect.read(name, params).ok()
    };
    read().is_some()
}

fn refuse(dialect: RestVersion, schemes: &[Scheme], headers: &HeaderMap, refusal: &Refusal) -> Response {
    let media_type = media_type::of_error(dialect.version(), headers);
    let (status, body) = match refusal {
        Refusal::Agent(error) => {
            let (status, body) = dialect.write_error(error);
            (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
        }
        Refusal::Http(fault) => (fault.status(), dialect.write_complaint(&fault.complaint())),
    };
    let mut response = http::json(status, media_type, &body);
    match refusal {
        // Section 7.4: HTTP says what is missing.
        Refusal::Agent(error) => credentials::challenge(error, schemes, &mut response),
        Refusal::Http(Fault::NoSuchMethod(allow)) => {
            if let Ok(allow) = HeaderValue::from_str(allow) {
                response.headers_mut().insert(ALLOW, allow);
            }
        }
        _ => {}
    }
    response
}
