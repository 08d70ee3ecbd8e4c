//! Requests, notifications and batches (sections 4 and 6).

use super::response::check_version;
use super::{Id, Problem};
use crate::json::{Document, JsonError, Kind, Limits, Node, parse};

/// What a body is to a server.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// A request that wants an answer.
    Call(Call),
    /// A request without id, which must not be answered.
    Notification {
        /// The method.
        method: String,
        /// Its parameters.
        params: Params,
    },
    /// An array of one or more, each by itself. None of them is a batch.
    Batch(Vec<Request>),
    /// No JSON: the answer is -32700 with id null.
    ParseError(JsonError),
    /// JSON that is no request: the answer is -32600.
    Invalid(Invalid),
}

/// A request that wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What the answer must carry.
    pub id: Id,
    /// The method, matched exactly.
    pub method: String,
    /// Its parameters.
    pub params: Params,
}

/// In which structure the parameters come (section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Params {
    /// Left out.
    Absent,
    /// An array.
    ByPosition,
    /// An object.
    ByName,
}

/// JSON that is no request.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The id where there is a valid one; a server may echo it or answer null.
    pub id: Option<Id>,
    /// Why it is none.
    pub problems: Vec<Problem>,
}

/// Says what a body is, under the default limits of the JSON reader.
#[must_use]
pub fn classify(bytes: &[u8]) -> Request {
    match parse(bytes, &Limits::default()) {
        Ok(document) => classify_document(&document),
        Err(error) => Request::ParseError(error),
    }
}

/// Says what a body is that was read before.
#[must_use]
pub fn classify_document(document: &Document) -> Request {
    match document.root().as_array() {
        // Section 6: an empty array is answered like any other invalid request, by a single object.
        Some([]) => invalid(None, vec![Problem::new("", "a request or a batch", "an empty batch")]),
        Some(items) => Request::Batch(items.iter().map(classify_single).collect()),
        None => classify_single(document.root()),
    }
}

fn classify_single(node: &Node) -> Request {
    let Some(members) = node.as_object() else {
        let problem = Problem::new("", "a request object", node.describe());
        return invalid(None, vec![problem]);
    };
    let mut problems = Vec::new();
    // Two readers may choose differently between duplicates, so a filter before the agent could be passed by.
    for name in ["jsonrpc", "id", "method", "params"] {
        if members.iter().filter(|member| member.key.as_str() == name).count() > 1 {
            problems.push(Problem::new(&format!("/{name}"), "one member of this name", "several"));
        }
    }
    check_version(node, &mut problems);
    let id = match node.get("id") {
        None => None,
        Some(value) => {
            let id = Id::from_node(value);
            if id.is_none() {
                problems.push(Problem::new("/id", "a string, a number or null", value.describe()));
            }
            id
        }
    };
    let method = match node.get("method") {
        None => {
            problems.push(Problem::new("/method", "a string", "nothing"));
            None
        }
        Some(value) => {
            if value.as_str().is_none() {
                problems.push(Problem::new("/method", "a string", value.describe()));
            }
            value.as_str()
        }
    };
    let params = match node.get("params").map(|params| (params, &params.kind)) {
        None => Params::Absent,
        Some((_, Kind::Array(_))) => Params::ByPosition,
        Some((_, Kind::Object(_))) => Params::ByName,
        Some((other, _)) => {
            problems.push(Problem::new("/params", "an array or an object", other.describe()));
            Params::Absent
        }
    };
    match (method.map(str::to_owned), id) {
        (Some(method), Some(id)) if problems.is_empty() => Request::Call(Call { id, method, params }),
        (Some(method), None) if problems.is_empty() => Request::Notification { method, params },
        (_, id) => invalid(id, problems),
    }
}

fn invalid(id: Option<Id>, problems: Vec<Problem>) -> Request {
    Request::Invalid(Invalid { id, problems })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_calls_from_notifications() {
        assert_eq!(
            classify(br#"{"jsonrpc":"2.0","id":null,"method":"m","params":{}}"#),
            Request::Call(Call { id: Id::Null, method: "m".into(), params: Params::ByName })
        );
        assert_eq!(
            classify(br#"{"jsonrpc":"2.0","method":"m"}"#),
            Request::Notification { method: "m".into(), params: Params::Absent }
        );
    }

    #[test]
    fn names_every_problem() {
        let Request::Invalid(invalid) = classify(br#"{"jsonrpc":"1.0","id":5,"id":6,"method":7,"params":"x"}"#) else {
            panic!("not invalid");
        };
        assert_eq!(invalid.id, Some(6.into()));
        let pointers: Vec<&str> = invalid.problems.iter().map(|p| p.pointer.as_str()).collect();
        assert_eq!(pointers, ["/id", "/jsonrpc", "/method", "/params"]);
    }

    #[test]
    fn members_are_there_once() {
        for name in ["jsonrpc", "id", "method", "params"] {
            let text = format!(r#"{{"{name}":[],"jsonrpc":"2.0","id":1,"method":"m","params":{{}}}}"#);
            let Request::Invalid(invalid) = classify(text.as_bytes()) else {
                panic!("not invalid");
            };
            let found: Vec<(&str, &str)> =
                invalid.problems.iter().map(|p| (p.pointer.as_str(), p.actual.as_str())).collect();
            assert_eq!(found, [(format!("/{name}").as_str(), "several")]);
        }
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_named() {
        for (text, pointer, actual) in [
            (r#"{"jsonrpc":"2.0","id":1}"#, "/method", "nothing"),
            (r#"{"jsonrpc":"2.0","id":[],"method":"m"}"#, "/id", "array of 0"),
        ] {
            let Request::Invalid(invalid) = classify(text.as_bytes()) else {
                panic!("not invalid");
            };
            let [problem] = invalid.problems.as_slice() else { panic!("{:?}", invalid.problems) };
            assert_eq!((problem.pointer.as_str(), problem.actual.as_str()), (pointer, actual));
        }
    }

    #[test]
    fn what_has_problems_is_no_call() {
        for text in [r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, r#"{"jsonrpc":"1.0","method":"m"}"#] {
            let request = classify(text.as_bytes());
            assert!(matches!(&request, Request::Invalid(_)), "{request:?}");
        }
    }

    #[test]
    fn a_batch_holds_no_batch() {
        let Request::Batch(items) = classify(br#"[[],{"jsonrpc":"2.0","method":"m"}]"#) else {
            panic!("no batch");
        };
        assert!(matches!(items.as_slice(), [Request::Invalid(_), Request::Notification { .. }]));
        assert!(matches!(classify(b"[]"), Request::Invalid(Invalid { id: None, .. })));
        assert!(matches!(classify(b"[1"), Request::ParseError(_)));
    }
}
