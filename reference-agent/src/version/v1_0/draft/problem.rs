//! Errors as JSON: the error object of JSON-RPC (9.5), and problem details over HTTP+JSON (11.6; RFC 9457).

use serde_json::{Map, Value, json};

use crate::core::Error;
use crate::version::{ErrorNames, ErrorObject, Version};

/// What the types of problems begin with (5.4).
const TYPES: &str = "https://a2a-protocol.org/errors/";

/// Writes an error as JSON-RPC has it. Its data is one object.
pub fn write_error(error: &Error) -> ErrorObject {
    let names = ErrorNames::of(error, Version::V1_0Draft);
    let details = details(error, &names);
    let data = (!details.is_empty()).then_some(Value::Object(details));
    ErrorObject { code: names.json_rpc, message: error.to_string(), data }
}

/// Writes an error as the body of an answer. Those that every protocol knows have no type of A2A's.
pub fn write_problem(error: &Error, names: &ErrorNames) -> Value {
    let mut problem = Map::new();
    let is_of_a2a = !matches!(error, Error::InvalidParams(_));
    if let Some(info) = names.info.as_ref().filter(|_| is_of_a2a) {
        let words = info.reason.to_ascii_lowercase();
        problem.insert("type".to_owned(), Value::from(format!("{TYPES}{}", words.replace('_', "-"))));
        problem.insert("title".to_owned(), Value::from(words.replace('_', " ")));
    }
    problem.insert("status".to_owned(), Value::from(names.http));
    problem.insert("detail".to_owned(), Value::from(error.to_string()));
    problem.extend(details(error, names));
    Value::Object(problem)
}

/// Writes what has nothing to do with A2A.
pub fn write_plain_problem(status: u16, detail: &str) -> Value {
    json!({ "status": status, "detail": detail })
}

/// What an error tells to programs: what it is about, or which parameter is wrong.
fn details(error: &Error, names: &ErrorNames) -> Map<String, Value> {
    let about = names.info.iter().flat_map(|info| &info.metadata);
    let about = about.map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str())));
    let wrong = match error {
        Error::InvalidParams(violation) => {
            // The form of the example in 6.5.
            let errors = [json!({ "field": violation.field, "message": violation.description })];
            Some(("errors".to_owned(), json!(errors)))
        }
        _ => None,
    };
    about.chain(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Violation;
    use crate::model::TaskState;

    #[test]
    fn problems_have_types_and_say_what_they_are_about() {
        let problem = |error: Error| write_problem(&error, &ErrorNames::of(&error, Version::V1_0Draft));
        assert_eq!(
            problem(Error::TaskNotCancelable { task_id: "x".to_owned(), state: TaskState::Canceled }),
            json!({
                "type": "https://a2a-protocol.org/errors/task-not-cancelable",
                "title": "task not cancelable",
                "status": 409,
                "detail": "task `x` cannot be canceled: it has already ended",
                "taskId": "x",
                "state": "cancelled",
            }),
        );
        assert_eq!(
            problem(Violation::new("message.parts", "is required").into()),
            json!({
                "status": 400,
                "detail": "invalid parameters: message.parts: is required",
                "errors": [{"field": "message.parts", "message": "is required"}],
            }),
        );
    }

    #[test]
    fn the_data_of_an_error_is_an_object() {
        let error = write_error(&Error::TaskNotFound { task_id: "x".to_owned() });
        assert_eq!((error.code, error.data), (-32001, Some(json!({"taskId": "x"}))));
        assert_eq!(write_error(&Error::Internal).data, None);
    }
}
