//! The extended card of versions that have it by HTTP alone (0.2.5, section 7.10).

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::http;
use crate::card::AgentCard;
use crate::core::{Caller, Engine, Error, Operation};
use crate::version::{ErrorNames, Version};

/// Answers a GET with `card`, which is the extended one in the words of `version`, where the agent allows it. Errors
/// are statuses of HTTP; the text gives their bodies no form.
pub async fn serve(engine: Arc<Engine>, version: Version, card: Arc<AgentCard>, request: Request) -> Response {
    let headers = request.headers();
    let caller = Caller {
        is_authenticated: http::has_bearer_token(headers),
        echo: http::echo(version, headers),
        rules: version.rules(),
    };
    match engine.perform(Operation::GetExtendedAgentCard, caller).await {
        Ok(_) => http::json(StatusCode::OK, http::JSON, card.as_ref()),
        Err(error) => refuse(&error, version),
    }
}

fn refuse(error: &Error, version: Version) -> Response {
    let status = StatusCode::from_u16(ErrorNames::of(error, version).http);
    let mut response = (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), error.to_string()).into_response();
    if *error == Error::Unauthenticated {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
