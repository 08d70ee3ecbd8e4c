//! HTTP+JSON, also called REST: operations as verbs and addresses (1.0, section 11; 0.3, section 3.2.3).

mod media_type;
mod parameters;
mod refusal;
mod routes;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use self::refusal::{Fault, Refusal};
pub use self::routes::{find, split_base};
use super::{event_stream, http};
use crate::config::RestDialect;
use crate::core::{Caller, Engine, Error, Outcome};
use crate::version::{Json, RestVersion, Version};

/// Answers an HTTP request for 1.0 or 0.3, whose path is given from the base of their interfaces on. `form` is that of
/// answers in 0.3 to requests that show none.
pub async fn serve(engine: Arc<Engine>, form: RestDialect, request: Request) -> Response {
    let (version, path) = routes::split_base(request.uri().path());
    let dialect = match version {
        Version::V1_0 => RestVersion::V1_0,
        // Older ones are not spoken over HTTP+JSON.
        _ => RestVersion::V0_3(form),
    };
    let path = path.to_owned();
    serve_in(&engine, dialect, &path, request).await
}

/// Answers an HTTP request for the draft of 1.0, whose path is given from behind `/v1` on.
pub async fn serve_draft(engine: Arc<Engine>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    serve_in(&engine, RestVersion::V1_0Draft, &path, request).await
}

async fn serve_in(engine: &Arc<Engine>, dialect: RestVersion, path: &str, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let version = dialect.version();
    let requested = http::requested_version(&parts);
    let negotiated = dialect.interface().choose(requested.as_deref());
    let is_negotiated = negotiated.is_ok();

    let answer = answer(engine, dialect, negotiated, path, &parts, body).await;
    let mut response = answer.unwrap_or_else(|refusal| refuse(dialect, &parts.headers, &refusal));
    if is_negotiated {
        http::confirm_extensions(version, &parts.headers, response.headers_mut());
    }
    response
}

async fn answer(
    engine: &Arc<Engine>,
    dialect: RestVersion,
    negotiated: Result<Version, Error>,
    path: &str,
    parts: &Parts,
    body: Body,
) -> Result<Response, Refusal> {
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
    let dialect = dialect.of_request(name, &params);
    let operation = dialect.read(name, params)?;

    let caller = Caller {
        is_authenticated: http::has_bearer_token(&parts.headers),
        echo: http::echo(version, &parts.headers),
        rules: version.rules(),
    };
    match engine.perform(operation, caller).await? {
        Outcome::Answer(answer) => {
            let media_type = media_type::of_answer(version, &parts.headers);
            Ok(http::written(StatusCode::OK, media_type, dialect.write_answer(&answer)?.into_text()))
        }
        Outcome::Stream(events) => Ok(event_stream::respond(events, move |event, is_last| {
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
    match serde_json::from_slice(&body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Fault::NotAnObject.into()),
        Err(_) => Err(Fault::NotJson.into()),
    }
}

fn refuse(dialect: RestVersion, headers: &HeaderMap, refusal: &Refusal) -> Response {
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
        Refusal::Agent(Error::Unauthenticated) => {
            // Section 7.4: HTTP says what is missing.
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Refusal::Http(Fault::NoSuchMethod(allow)) => {
            if let Ok(allow) = HeaderValue::from_str(allow) {
                response.headers_mut().insert(ALLOW, allow);
            }
        }
        _ => {}
    }
    response
}
