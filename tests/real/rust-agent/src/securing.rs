//! How the agent knows its users: each has a bearer token, and nobody else is let in.
//!
//! The crates leave it to a layer to say who asks. Over HTTP that is a middleware of axum, over gRPC an interceptor of
//! tonic.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tonic::Status;

const REFUSAL: &str = "a bearer token is needed";

/// Their tokens: the crates have no place for a name.
#[derive(Default)]
pub struct Users(HashSet<String>);

impl Users {
    /// Adds one that is written `NAME=TOKEN`.
    pub fn add(&mut self, user: &str) -> Result<(), String> {
        let (_, token) = user.split_once('=').ok_or_else(|| format!("{user} is not NAME=TOKEN"))?;
        self.0.insert(token.to_owned());
        Ok(())
    }

    /// Nobody is named, so that everybody is let in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lets in whoever shows the token of a user in this value of `Authorization`.
    fn let_in(&self, authorization: Option<&str>) -> bool {
        let token = authorization.and_then(|value| value.split_once(' '));
        self.is_empty()
            || token.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && self.0.contains(token))
    }
}

/// Lets nobody in over HTTP whom the agent does not know.
pub async fn guard(State(users): State<Arc<Users>>, request: Request, next: Next) -> Response {
    let authorization = request.headers().get(header::AUTHORIZATION);
    if users.let_in(authorization.and_then(|value| value.to_str().ok())) {
        return next.run(request).await;
    }
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], REFUSAL).into_response()
}

/// The same over gRPC.
pub fn intercept(users: &Users, request: tonic::Request<()>) -> Result<tonic::Request<()>, Status> {
    let authorization = request.metadata().get("authorization");
    if users.let_in(authorization.and_then(|value| value.to_str().ok())) {
        return Ok(request);
    }
    Err(Status::unauthenticated(REFUSAL))
}
