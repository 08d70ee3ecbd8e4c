use std::sync::Arc;

use axum::http::HeaderMap;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Request, Response, Status};

use super::deadline::Deadline;
use super::status;
use crate::binding::credentials::{self, Shown};
use crate::binding::http;
use crate::core::{Answer, Error, Operation, Outcome, TaskStream, Users, Violation};
use crate::model::StreamEvent;
use crate::version::{Interface, Version};

/// The responses of an rpc that streams.
pub type Events<T> = BoxStream<'static, Result<T, Status>>;

/// How the rpcs of one service are served: each is a way to tell for whom a request is, a way to read it and a
/// way to write its answer.
#[derive(Debug, Clone)]
pub struct Rpcs {
    users: Arc<Users>,
    interface: &'static Interface,
}

impl Rpcs {
    /// Rpcs of the version that `interface` speaks.
    pub fn new(users: &Arc<Users>, interface: &'static Interface) -> Self {
        Self { users: Arc::clone(users), interface }
    }

    /// Serves an rpc that has one answer.
    ///
    /// # Errors
    /// What the client is refused with.
    pub async fn answer<Q, A>(
        &self,
        request: Request<Q>,
        tenant: fn(&Q) -> Option<&str>,
        read: impl FnOnce(Q) -> Result<Operation, Violation>,
        write: impl FnOnce(Answer) -> Option<A>,
    ) -> Result<Response<A>, Status> {
        self.serve(request, tenant, read, |outcome, _| match outcome {
            Outcome::Answer(answer) => write(*answer),
            Outcome::Stream(_) => None,
        })
        .await
    }

    /// Serves an rpc that streams.
    ///
    /// # Errors
    /// What the client is refused with before there is a stream.
    pub async fn stream<Q, A: 'static>(
        &self,
        request: Request<Q>,
        tenant: fn(&Q) -> Option<&str>,
        read: impl FnOnce(Q) -> Result<Operation, Violation>,
        write: fn(StreamEvent, bool) -> A,
    ) -> Result<Response<Events<A>>, Status> {
        let version = self.interface.default_version();
        self.serve(request, tenant, read, |outcome, deadline| match outcome {
            Outcome::Stream(stream) => Some(events(stream, deadline, version, write)),
            Outcome::Answer(_) => None,
        })
        .await
    }

    /// Serves a request within its deadline. The client is gone when this is dropped; its task goes on without it.
    async fn serve<Q, A>(
        &self,
        request: Request<Q>,
        tenant: fn(&Q) -> Option<&str>,
        read: impl FnOnce(Q) -> Result<Operation, Violation>,
        write: impl FnOnce(Outcome, Deadline) -> Option<A>,
    ) -> Result<Response<A>, Status> {
        let (metadata, extensions, message) = request.into_parts();
        let headers = metadata.as_ref();
        let shown = Shown::over_grpc(headers, &extensions);
        let tenants = credentials::tenants(&self.users, shown)
            .map_err(|error| status::of(&error, self.interface.default_version()))?;
        let version = match self.interface.choose(http::version_header(headers).as_deref()) {
            Ok(version) => version,
            Err(error) => return Err(status::of(&error, self.interface.default_version())),
        };
        let deadline = Deadline::of(headers);
        let caller = http::caller(credentials::is_authenticated(&self.users, shown), headers, version);
        let perform = async {
            let engine = tenants.engine(tenant(&message))?;
            let outcome = engine.perform(read(message)?, caller).await?;
            write(outcome, deadline).ok_or(Error::Internal)
        };
        let mut confirmed = HeaderMap::new();
        http::confirm_extensions(version, headers, &mut confirmed);
        let confirmed = MetadataMap::from_headers(confirmed);
        match deadline.limit(perform).await {
            Some(Ok(answer)) => Ok(Response::from_parts(confirmed, answer, Extensions::new())),
            Some(Err(error)) => Err(with_metadata(status::of(&error, version), confirmed)),
            None => Err(with_metadata(status::deadline_exceeded(), confirmed)),
        }
    }
}

fn with_metadata(mut status: Status, metadata: MetadataMap) -> Status {
    *status.metadata_mut() = metadata;
    status
}

/// The elements of a stream. It ends with OK after the last one; dropping it, because the client has gone, leaves the
/// task alone (section 3.5.2).
fn events<A: 'static>(
    stream: TaskStream,
    deadline: Deadline,
    version: Version,
    write: fn(StreamEvent, bool) -> A,
) -> Events<A> {
    let next = move |stream: Option<TaskStream>| async move {
        let mut stream = stream?;
        Some(match deadline.limit(stream.next()).await {
            Some(Some((event, is_last))) => (Ok(write(event, is_last)), Some(stream).filter(|_| !is_last)),
            // Only an agent that stops leaves a stream without its last element.
            Some(None) => (Err(status::of(&Error::ShuttingDown, version)), None),
            None => (Err(status::deadline_exceeded()), None),
        })
    };
    stream::unfold(Some(stream), next).boxed()
}
