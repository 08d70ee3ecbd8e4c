//! Requests over HTTP, ready to be sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use a2aspec_model::profile::Operation;
use bytes::Bytes;
use serde_json::Value;

/// A request, ready to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// HTTP method.
    pub method: String,
    /// Where it goes.
    pub url: String,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Bytes,
    /// The operation that it calls.
    pub operation: Option<Operation>,
    /// The canonical parameters of the call.
    pub params: Arc<Value>,
    /// Its JSON-RPC id.
    pub rpc_id: Option<Value>,
    /// What it is for.
    pub purpose: String,
}

/// The profile's headers with a step's own put over them; `None` leaves one out.
pub fn merge_headers(profile: &BTreeMap<String, String>, step: &[(String, Option<String>)]) -> Vec<(String, String)> {
    let overridden = |name: &str| step.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let kept = profile.iter().filter(|(name, _)| !overridden(name)).map(|(name, value)| (name.clone(), value.clone()));
    let own = step.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    kept.chain(own).collect()
}
