//! gRPC (1.0, section 10; 0.3, section 3.2.2): a service for each version, and reflection on those of 1.0 and 0.3.
//!
//! The draft of 1.0 gave its service the name that 0.3 has, for other messages, and that of 1.1 has the service of 1.0 with more
//! fields. Here the version that a request asks for tells those of one name apart. Reflection knows one definition by each name:
//! that of 0.3, whose clients name no version, and that of 1.1, which is one of 1.0, too.

mod deadline;
mod rpc;
mod services;
mod status;

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::post_service;
use futures_util::future::BoxFuture;
use tonic::Status;
use tonic::codegen::Service;
use tonic::server::NamedService;
use tonic_reflection::server::{Builder, Error as ReflectionError};

use self::rpc::Rpcs;
use self::services::{v0_3, v1_0, v1_0_draft};
use super::http;
use crate::config::Config;
use crate::core::Users;
use crate::version::v0_3::proto::a2a_service_server::A2aServiceServer as ServerOf0_3;
use crate::version::v1_0::draft::proto::a2a_service_server::A2aServiceServer as ServerOfDraft;
use crate::version::v1_0::proto::a2a_service_server::A2aServiceServer as ServerOf1_0;
use crate::version::{Interface, RpcCode, Version};

/// The definitions of the services of 1.0 and 0.3, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The definition of the service of the draft.
pub const DRAFT_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/draft/descriptors.bin"));

/// The largest message, in bytes: what gRPC's own libraries take.
const LARGEST_MESSAGE: usize = 4 * 1024 * 1024;

/// The routes of the services of all versions that are spoken. An rpc is found by the name of its service, so these share
/// an address with whatever else the agent serves.
///
/// # Errors
/// None that the definitions can cause.
pub fn routes(users: &Arc<Users>, config: &Config) -> Result<Router, ReflectionError> {
    let v1_0 =
        ServerOf1_0::new(v1_0::Service(Rpcs::new(users, &Interface::V1_0))).max_decoding_message_size(LARGEST_MESSAGE);
    let v1_1 = ServerOf1_0::new(v1_0::Service(Rpcs::new(users, &Interface::V1_1_DRAFT)))
        .max_decoding_message_size(LARGEST_MESSAGE);
    let draft = ServerOfDraft::new(v1_0_draft::Service(Rpcs::new(users, &Interface::V1_0_DRAFT)))
        .max_decoding_message_size(LARGEST_MESSAGE);
    let v0_3 =
        ServerOf0_3::new(v0_3::Service(Rpcs::new(users, &Interface::V0_3))).max_decoding_message_size(LARGEST_MESSAGE);
    let services = match config.only {
        None => {
            let of_1_0 = Namesakes { draft: v1_1, settled: v1_0 };
            route(of_1_0).merge(route(Namesakes { draft, settled: v0_3 }))
        }
        Some(Version::V1_1Draft) => route(v1_1),
        Some(Version::V1_0) => route(v1_0),
        Some(Version::V1_0Draft) => route(draft),
        Some(Version::V0_3) => route(v0_3),
        Some(_) => return Ok(Router::new()),
    };
    Ok(services.merge(reflections(config.only)?).layer(from_fn(around)))
}

/// The services of reflection. Those of an agent of all versions are made once: to read the definitions takes longer than
/// the rest of its start.
fn reflections(only: Option<Version>) -> Result<Router, ReflectionError> {
    static OF_ALL: OnceLock<Router> = OnceLock::new();
    let make = || Ok(route(reflection(only).build_v1()?).merge(route(reflection(only).build_v1alpha()?)));
    match (only, OF_ALL.get()) {
        (Some(_), _) => make(),
        (None, Some(made)) => Ok(made.clone()),
        (None, None) => make().map(|made| OF_ALL.get_or_init(|| made).clone()),
    }
}

/// Reflection on the services of 1.0 and 0.3, or on that of the only version.
fn reflection(only: Option<Version>) -> Builder<'static> {
    let of = |descriptors| Builder::configure().register_encoded_file_descriptor_set(descriptors);
    match only {
        Some(Version::V1_0 | Version::V1_1Draft) => {
            of(DESCRIPTORS).with_service_name(<ServerOf1_0<v1_0::Service> as NamedService>::NAME)
        }
        Some(Version::V0_3) => of(DESCRIPTORS).with_service_name(<ServerOf0_3<v0_3::Service> as NamedService>::NAME),
        Some(Version::V1_0Draft) => of(DRAFT_DESCRIPTORS),
        _ => of(DESCRIPTORS),
    }
}

/// The addresses of the rpcs of a service, those that it does not have included.
fn route<S>(service: S) -> Router
where
    S: Service<Request, Error = Infallible, Response: IntoResponse, Future: Send>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static,
{
    Router::new().route(&format!("/{}/{{*rpc}}", S::NAME), post_service(service))
}

/// The two services of one name.
#[derive(Debug, Clone)]
struct Namesakes<D, S> {
    draft: D,
    settled: S,
}

impl<D, S: NamedService> NamedService for Namesakes<D, S> {
    const NAME: &'static str = S::NAME;
}

impl<D, S> Service<Request> for Namesakes<D, S>
where
    S: Service<Request, Error = Infallible, Future: Send + 'static>,
    D: Service<Request, Response = S::Response, Error = Infallible, Future: Send + 'static>,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<S::Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Whichever it will be; neither ever has to wait.
        ready!(self.draft.poll_ready(context))?;
        self.settled.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match version_at(request.uri().path(), request.headers()) {
            Version::V1_1Draft | Version::V1_0Draft => Box::pin(self.draft.call(request)),
            _ => Box::pin(self.settled.call(request)),
        }
    }
}

/// Whether bytes are a message of an rpc that the version has, such as `GetTask`, with parameters that it reads. What the agent then
/// makes of them is not asked: it is the reader alone, for who fuzzes it.
pub fn reads_over_grpc(version: Version, rpc: &str, message: &[u8]) -> bool {
    match version {
        Version::V1_0 | Version::V1_1Draft => v1_0::reads(rpc, message),
        Version::V1_0Draft => v1_0_draft::reads(rpc, message),
        Version::V0_3 => v0_3::reads(rpc, message),
        _ => false,
    }
}

/// The version whose service is called at `path`. By the name that two have in common, whoever names a version other than
/// 0.3 calls the draft's, be it to hear that there is none of that name.
pub fn version_at(path: &str, headers: &HeaderMap) -> Version {
    let requested = http::version_header(headers);
    if !path.starts_with("/a2a.v1.") {
        return Interface::V1_1_DRAFT.choose(requested.as_deref()).unwrap_or(Version::V1_0);
    }
    match Interface::V0_3.choose(requested.as_deref()) {
        Ok(version) => version,
        Err(_) => Version::V1_0Draft,
    }
}

/// Answers what no route knows: for gRPC that is an rpc which is not there.
pub async fn unknown(request: Request) -> Response {
    if is_grpc(request.headers()) {
        return Status::unimplemented("there is no such service").into_http::<Body>();
    }
    StatusCode::NOT_FOUND.into_response()
}

/// What gRPC says about requests that the library does not keep by itself.
async fn around(request: Request, next: Next) -> Response {
    if !is_grpc(request.headers()) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let mut response = next.run(request).await;
    // The library says OUT_OF_RANGE of a message that is too large, where gRPC has RESOURCE_EXHAUSTED; nothing else
    // here is ever out of range.
    if let Some(code) = response.headers_mut().get_mut("grpc-status").filter(|code| *code == OUT_OF_RANGE) {
        *code = HeaderValue::from(RpcCode::ResourceExhausted as u16);
    }
    response
}

/// The number of the status OUT_OF_RANGE.
const OUT_OF_RANGE: &str = "11";

/// Whether a request carries messages of protobuf (gRPC over HTTP/2, "Requests").
fn is_grpc(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "application/grpc" | "application/grpc+proto")
}
