//! Responses (section 5).

use super::Problem;
use crate::json::{Document, Kind, Node};

/// What an answer holds, and everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading<'a> {
    /// The id, whatever its type.
    pub id: Option<&'a Node>,
    /// The result, `null` included.
    pub result: Option<&'a Node>,
    /// The error, unless it is missing or `null`.
    pub error: Option<ErrorObject<'a>>,
    /// Every departure from section 5, in the order of its members.
    pub problems: Vec<Problem>,
}

/// The error of an answer (section 5.1), as far as it can be read.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorObject<'a> {
    /// The code; `None` if it is missing, no whole number, or beyond an `i64`. `-32601.0` is a whole number.
    pub code: Option<i64>,
    /// The message; `None` if it is missing or no string.
    pub message: Option<String>,
    /// The data, if there is any.
    pub data: Option<&'a Node>,
    /// The error as it stands, whatever its type.
    pub node: &'a Node,
}

/// Reads one answer, leniently: a result is found even where `jsonrpc` is missing. Nothing is extracted from a batch or a
/// scalar. Whether the id is the right one only the sender can tell: [`Id::compare`](super::Id::compare). Members that
/// the specification does not know are no problem.
#[must_use]
pub fn read_response(document: &Document) -> Reading<'_> {
    read(document, document.root().get("error"))
}

/// The same where an error that is null beside a result is none, as A2A 0.1 has it in streams (section 7.2.1).
#[must_use]
pub fn read_with_null_error(document: &Document) -> Reading<'_> {
    let root = document.root();
    let is_none = |error: &&Node| error.is_null() && root.get("result").is_some();
    read(document, root.get("error").filter(|error| !is_none(error)))
}

fn read<'a>(document: &'a Document, error: Option<&'a Node>) -> Reading<'a> {
    let mut reading = Reading::default();
    let root = document.root();
    if root.as_object().is_none() {
        let problem = Problem::new("", "a single response object", root.describe());
        reading.problems.push(problem);
        return reading;
    }
    check_version(root, &mut reading.problems);
    reading.id = root.get("id");
    match reading.id.map(|id| (id, &id.kind)) {
        None => reading.missing("/id", "a string, a number or null"),
        Some((_, Kind::String(_) | Kind::Number(_) | Kind::Null)) => {}
        Some((id, _)) => reading.wrong("/id", "a string, a number or null", id),
    }
    reading.result = root.get("result");
    match (reading.result, error) {
        (None, None) => reading.problems.push(Problem::new("", "either result or error", "neither")),
        (Some(_), Some(_)) => reading.problems.push(Problem::new("", "either result or error", "both")),
        _ => {}
    }
    if let Some(node) = error {
        reading.error = reading.read_error(node);
    }
    reading
}

/// `jsonrpc` MUST be exactly "2.0", in requests (section 4) and in responses (section 5).
pub(super) fn check_version(root: &Node, problems: &mut Vec<Problem>) {
    let expected = "the string \"2.0\"";
    match root.get("jsonrpc") {
        None => problems.push(Problem::new("/jsonrpc", expected, "nothing")),
        Some(node) if node.as_str() == Some("2.0") => {}
        Some(node) => problems.push(Problem::new("/jsonrpc", expected, node.describe())),
    }
}

impl<'a> Reading<'a> {
    fn read_error(&mut self, node: &'a Node) -> Option<ErrorObject<'a>> {
        if node.as_object().is_none() {
            self.wrong("/error", "an object", node);
            let object = ErrorObject { code: None, message: None, data: None, node };
            return (!node.is_null()).then_some(object);
        }
        let code = node.get("code");
        match code.map(|code| (code, code.as_number())) {
            None => self.missing("/error/code", "an integer"),
            Some((_, Some(number))) if number.is_integral() => {}
            Some((code, _)) => self.wrong("/error/code", "an integer", code),
        }
        let message = node.get("message");
        match message {
            None => self.missing("/error/message", "a string"),
            Some(text) if text.as_str().is_some() => {}
            Some(other) => self.wrong("/error/message", "a string", other),
        }
        Some(ErrorObject {
            code: code.and_then(Node::as_number).and_then(|number| number.as_whole_i64()),
            message: message.and_then(Node::as_str).map(str::to_owned),
            data: node.get("data"),
            node,
        })
    }

    fn missing(&mut self, pointer: &str, expected: &str) {
        self.problems.push(Problem::new(pointer, expected, "nothing"));
    }

    fn wrong(&mut self, pointer: &str, expected: &str, node: &Node) {
        self.problems.push(Problem::new(pointer, expected, node.describe()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn problems(text: &str) -> Vec<String> {
        let document = parse(text.as_bytes(), &Limits::default()).unwrap();
        let reading = read_response(&document);
        reading.problems.into_iter().map(|p| format!("{}: {} / {}", p.pointer, p.expected, p.actual)).collect()
    }

    #[test]
    fn extracts_leniently() {
        let text = br#"{"id":[1],"error":{"code":-32601.0,"message":7,"data":{}},"result":null}"#;
        let document = parse(text, &Limits::default()).unwrap();
        let reading = read_response(&document);
        let error = reading.error.unwrap();
        assert_eq!((error.code, error.message), (Some(-32601), None));
        assert!(error.data.is_some() && reading.result.is_some_and(Node::is_null));
        let pointers: Vec<&str> = reading.problems.iter().map(|p| p.pointer.as_str()).collect();
        assert_eq!(pointers, ["/jsonrpc", "/id", "", "/error/message"]);
    }

    /// What is no object is no error either, unless it is there instead of a result.
    #[test]
    fn tells_whether_there_is_an_error() {
        for (error, is_there) in [("null", false), ("\"boom\"", true), ("[]", true), ("{}", true)] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#);
            let document = parse(text.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(read_response(&document).error.is_some(), is_there, "{error}");
        }
    }

    #[test]
    fn a_null_error_is_none_beside_a_result_where_that_is_allowed() {
        let problems = |text: &str| {
            let document = parse(text.as_bytes(), &Limits::default()).unwrap();
            let reading = read_with_null_error(&document);
            (reading.problems.len(), reading.result.is_some(), reading.error.is_some())
        };
        assert_eq!(problems(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#), (0, true, false));
        assert_eq!(problems(r#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#), (0, true, false));
        assert_eq!(problems(r#"{"jsonrpc":"2.0","id":1,"error":null}"#).0, 1);
        assert_eq!(
            problems(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#),
            (1, true, true)
        );
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(problems("[]"), [": a single response object / array of 0"]);
        assert_eq!(problems("7"), [": a single response object / number 7"]);
        assert_eq!(
            problems(r#"{"jsonrpc":2.0}"#),
            [
                "/jsonrpc: the string \"2.0\" / number 2.0",
                "/id: a string, a number or null / nothing",
                ": either result or error / neither",
            ]
        );
        assert_eq!(
            problems(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#),
            [": either result or error / both", "/error: an object / null"]
        );
        assert_eq!(problems(r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#), ["/error: an object / string \"boom\""]);
        assert_eq!(
            problems(r#"{"id":1,"error":{"message":""}}"#),
            ["/jsonrpc: the string \"2.0\" / nothing", "/error/code: an integer / nothing"]
        );
        assert_eq!(
            problems(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}"#),
            ["/error/code: an integer / number 1.5"]
        );
        assert_eq!(
            problems(r#"{"jsonrpc":"2.0","id":1,"error":{"code":"-1"}}"#),
            ["/error/code: an integer / string \"-1\"", "/error/message: a string / nothing"]
        );
        assert_eq!(problems(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1e0,"message":""},"x":1}"#), [""; 0]);
    }
}
