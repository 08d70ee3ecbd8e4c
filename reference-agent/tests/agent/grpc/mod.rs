//! gRPC: every rpc of all versions, and what carries them.

mod v0_3;
mod v1_0;
mod v1_0_draft;
mod wire;

use std::fmt::Debug;

use a2a_reference_agent::RunningAgent;
use prost_types::value::Kind;
use prost_types::{Struct, Value};
use tonic::metadata::{MetadataKey, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Response, Status, Streaming};
use tonic_types::StatusExt;

use crate::client::PATIENCE;

/// The messages and clients, made of the definitions at build time.
#[allow(clippy::all, reason = "generated")]
pub mod proto {
    pub mod v1_0 {
        include!(concat!(env!("OUT_DIR"), "/client/lf.a2a.v1.rs"));
    }
    #[allow(deprecated, reason = "generated")]
    pub mod v1_0_draft {
        include!(concat!(env!("OUT_DIR"), "/client/draft/a2a.v1.rs"));
    }
    pub mod v0_3 {
        include!(concat!(env!("OUT_DIR"), "/client/a2a.v1.rs"));
    }
}

/// A connection to an agent: to its own address, where everything else is served, too.
pub async fn channel(agent: &RunningAgent) -> Channel {
    Endpoint::from_shared(agent.url().to_owned()).unwrap().timeout(PATIENCE).connect().await.unwrap()
}

/// A request with metadata.
pub fn with<T>(message: T, metadata: &[(&'static str, &str)]) -> Request<T> {
    let mut request = Request::new(message);
    for (name, value) in metadata {
        request.metadata_mut().append(MetadataKey::from_static(name), MetadataValue::try_from(*value).unwrap());
    }
    request
}

/// The elements of a stream that ends with OK.
async fn all<T: Debug>(response: Result<Response<Streaming<T>>, Status>) -> Vec<T> {
    let mut stream = response.unwrap().into_inner();
    let mut elements = Vec::new();
    while let Some(element) = next(&mut stream).await.unwrap() {
        elements.push(element);
    }
    elements
}

async fn next<T>(stream: &mut Streaming<T>) -> Result<Option<T>, Status> {
    tokio::time::timeout(PATIENCE, stream.message()).await.expect("a message or the end of the stream")
}

/// The reason in a status, and that it is one of A2A's.
fn reason(status: &Status) -> String {
    let info = status.get_details_error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
    assert_eq!(info.domain, "a2a-protocol.org");
    info.reason
}

/// The field that a status complains about.
fn field(status: &Status) -> String {
    let request = status.get_details_bad_request().unwrap_or_else(|| panic!("no BadRequest in {status:?}"));
    request.field_violations[0].field.clone()
}

fn value(kind: Kind) -> Value {
    Value { kind: Some(kind) }
}

/// An object with one member.
fn object(name: &str, value: Value) -> Struct {
    Struct { fields: [(name.to_owned(), value)].into() }
}
