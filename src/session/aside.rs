//! Requests beside those of the cases, which no case sees.

use serde_json::Value;

use super::Session;
use crate::binding::CallRequest;
use crate::profile::Operation;
use crate::transcript::Answer;

impl Session {
    /// Calls a unary operation while no case runs that is to run alone, and notes nothing of the answer: it is no part of what the
    /// session has seen, and does not count for whether the agent is silent. Nothing where cases may not ask, either.
    pub(crate) async fn ask_aside(&self, operation: Operation, params: Value) -> Option<Answer> {
        let mut call = CallRequest {
            operation,
            params: params.into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: "traffic beside the cases".to_owned(),
        };
        let _turn = self.options.places.load().turn().await;
        self.prepare(&mut call, false).ok()?;
        Some(self.connection.call(&call).await)
    }
}
