//! What clients ask of the suite: agents scripted for one case each, and the record of every request that comes to them.
//!
//! Enters: the agent of a case ([`crate::case::visit::ScriptedAgent`]). Leaves: a [`Met`] for each request, as a transcript with
//! [`Direction::Inbound`](crate::transcript::Direction::Inbound) and as a document that conditions of cases point into. Judges nothing.

pub mod card;
pub mod read;
#[cfg(test)]
mod tests;
pub mod write;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::case::visit::{Behind, Of};
use crate::profile::Operation;
use crate::transcript::Exchange;

/// The header of the version, which is also the name of a parameter of the query.
const VERSION: &str = "a2a-version";

/// A request of a client.
#[derive(Debug, Clone)]
pub struct Met {
    /// What it asks for.
    pub what: What,
    /// The path of the interface that it came to, below that of the case.
    pub place: Option<String>,
    /// What is at that interface.
    pub is: Behind,
    /// What conditions point into: see [`document`].
    pub document: Value,
    /// Where the parameters stand in the body, as a pointer; nothing where they do not all stand there.
    pub base: Option<String>,
    /// The request, and what it was answered with.
    pub exchange: Arc<Exchange>,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The card.
    Card,
    /// An operation.
    Operation(Operation),
    /// Something at an interface that is no operation of its version.
    Unknown,
    /// Something that is not there.
    Elsewhere,
}

impl Met {
    /// Whether a demand on these requests is about it.
    pub fn is_of(&self, of: Of) -> bool {
        match of {
            Of::Card => self.what == What::Card,
            Of::Operation(operation) => self.what == What::Operation(operation),
            Of::Any => matches!(self.what, What::Operation(_)),
            Of::Unknown => self.what == What::Unknown,
        }
    }

    /// Whether it came to an interface of this path, or of this kind.
    pub fn is_at(&self, place: Option<&str>) -> bool {
        match place {
            None => true,
            Some("served") => self.is == Behind::Served,
            Some("foreign") => self.is == Behind::Foreign,
            Some(place) => self.place.as_deref() == Some(place),
        }
    }
}

/// What a request is for conditions: `at` (its canonical parameters), `headers`, `http` (`method`, `target`, `path`, `query`), `rpc`
/// (the envelope of JSON-RPC), `call` (its `number` among the requests for the same, and the kind of its JSON-RPC `id`: `missing`,
/// `null`, `string`, `integer`, `fraction` or `other`), and `answer` (`status`, and whether the client has `left` before the end). A header that came in
/// several fields is an array. The version may be in the query instead of its header (A2A 1.0, 3.6.1).
pub fn document(exchange: &Exchange, params: &Value, rpc: &Value, path: &str, (number, left): (usize, bool)) -> Value {
    let request = &exchange.request;
    let mut headers = Map::new();
    for (name, value) in &request.headers {
        match headers.get_mut(name) {
            None => {
                headers.insert(name.clone(), Value::from(value.clone()));
            }
            Some(Value::Array(values)) => values.push(Value::from(value.clone())),
            Some(one) => *one = json!([one.clone(), value]),
        }
    }
    let query = request.url.split_once('?').map(|(_, query)| query);
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    if let Some((_, version)) = pairs.find(|(name, _)| name.eq_ignore_ascii_case(VERSION)) {
        headers.entry(VERSION).or_insert_with(|| Value::from(version.into_owned()));
    }
    let mut http = json!({ "method": request.method, "target": request.url, "path": path });
    if let (Some(query), Value::Object(members)) = (query, &mut http) {
        members.insert("query".to_owned(), Value::from(query));
    }
    let mut document = json!({ "at": params, "headers": headers, "http": http });
    if let Value::Object(members) = &mut document {
        let mut call = json!({ "number": number });
        if !rpc.is_null() {
            members.insert("rpc".to_owned(), rpc.clone());
            call = json!({ "number": number, "id": kind_of_id(rpc.get("id")) });
        }
        members.insert("call".to_owned(), call);
        if let Some(response) = &exchange.response {
            members.insert("answer".to_owned(), json!({ "status": response.status, "left": left }));
        }
    }
    document
}

fn kind_of_id(id: Option<&Value>) -> &'static str {
    match id {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::String(_)) => "string",
        Some(Value::Number(number)) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => "fraction",
        Some(Value::Number(_)) => "integer",
        Some(_) => "other",
    }
}
