//! The extended card of versions that have it by HTTP alone (0.2.5, section 7.10).

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::credentials::{self, Shown};
use super::http;
use crate::card::AgentCard;
use crate::config::Scheme;
use crate::core::{Error, Operation, Users};
use crate::version::{ErrorNames, Version};

/// Answers a GET with `card`, which is the extended one in the words of `version`, where the agent allows it. Errors
/// are statuses of HTTP; the text gives their bodies no form.
pub async fn serve(users: Arc<Users>, version: Version, card: Arc<AgentCard>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let shown = Shown::over_http(&parts);
    let caller = http::caller(credentials::is_authenticated(&users, shown), &parts.headers, version);
    // These versions have no tenants.
    let engine = credentials::tenants(&users, shown).and_then(|tenants| Ok(tenants.engine(None)?));
    let performed = match engine {
        Ok(engine) => engine.perform(Operation::GetExtendedAgentCard, caller).await,
        Err(error) => Err(error),
    };
    match performed {
        Ok(_) => http::json(StatusCode::OK, http::JSON, card.as_ref()),
        Err(error) => refuse(&error, users.schemes(), version),
    }
}

fn refuse(error: &Error, schemes: &[Scheme], version: Version) -> Response {
    let status = StatusCode::from_u16(ErrorNames::of(error, version).http);
    let mut response = (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), error.to_string()).into_response();
    credentials::challenge(error, schemes, &mut response);
    response
}
