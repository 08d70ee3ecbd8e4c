//! The parameters of an operation, gathered from the path, the query and the body (1.0, section 11.5).

use serde_json::{Map, Value};

use crate::core::{OperationName, Violation};
use crate::version::Version;

/// How the text of a query parameter becomes JSON.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// As it is; names of enum values and timestamps, too.
    Text,
    /// Decimal digits.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// The query parameters of an operation. All others are ignored.
const fn query_parameters(version: Version, operation: OperationName) -> &'static [(&'static str, Kind)] {
    use Kind::{Boolean, Number, Text};
    match (version, operation) {
        (Version::V1_0, OperationName::GetTask) => &[("tenant", Text), ("historyLength", Number)],
        (Version::V1_1Draft, OperationName::GetTask) => {
            &[("tenant", Text), ("historyLength", Number), ("currentGeneration", Number)]
        }
        (Version::V1_0 | Version::V1_1Draft, OperationName::ListTasks) => &[
            ("tenant", Text),
            ("contextId", Text),
            ("status", Text),
            ("pageSize", Number),
            ("pageToken", Text),
            ("historyLength", Number),
            ("statusTimestampAfter", Text),
            ("includeArtifacts", Boolean),
        ],
        (Version::V1_0Draft, OperationName::ListTasks) => &[
            ("contextId", Text),
            ("status", Text),
            ("pageSize", Number),
            ("pageToken", Text),
            ("historyLength", Number),
            ("lastUpdatedAfter", Number),
            ("includeArtifacts", Boolean),
        ],
        (Version::V1_0Draft, OperationName::ListPushConfigs) => &[("pageSize", Number), ("pageToken", Text)],
        (Version::V1_0 | Version::V1_1Draft, OperationName::ListPushConfigs) => {
            &[("tenant", Text), ("pageSize", Number), ("pageToken", Text)]
        }
        (
            Version::V1_0 | Version::V1_1Draft,
            OperationName::SubscribeToTask
            | OperationName::GetPushConfig
            | OperationName::DeletePushConfig
            | OperationName::GetExtendedAgentCard,
        ) => &[("tenant", Text)],
        (Version::V0_3 | Version::V1_0Draft, OperationName::GetTask) => &[("historyLength", Number)],
        // Where the protobuf definition puts it, as its body is the configuration alone.
        (Version::V0_3 | Version::V1_0Draft, OperationName::CreatePushConfig) => &[("configId", Text)],
        _ => &[],
    }
}

/// Adds to the members of the body, if there is one, what the query and the path say.
///
/// # Errors
/// A parameter that the body or the query contradicts the path about.
pub fn gather(
    version: Version,
    operation: OperationName,
    body: Map<String, Value>,
    query: Vec<(String, String)>,
    path: Vec<(&'static str, String)>,
) -> Result<Map<String, Value>, Violation> {
    let mut params = body;
    for (name, text) in query {
        let known = query_parameters(version, operation).iter().find(|(known, _)| *known == name);
        if let Some((_, kind)) = known {
            params.insert(name, kind.read(text));
        }
    }
    for (name, id) in path {
        let said = params.insert(name.to_owned(), Value::String(id.clone()));
        let contradicts = |said: Value| !said.is_null() && said != "" && said != id.as_str();
        if said.is_some_and(contradicts) {
            return Err(Violation::new(name, "must be what the path says, or be left out"));
        }
    }
    Ok(params)
}

impl Kind {
    /// What cannot be read stays text: whoever wants something else will say so.
    fn read(self, text: String) -> Value {
        let number = || text.parse::<i64>().ok().filter(|_| !text.starts_with('+')).map(Value::from);
        let read = match self {
            Self::Text => None,
            Self::Number => number(),
            Self::Boolean => text.parse::<bool>().ok().map(Value::from),
        };
        read.unwrap_or(Value::String(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn gathered(operation: OperationName, body: Value, query: &[(&str, &str)], id: &str) -> Result<Value, String> {
        let body = body.as_object().unwrap().clone();
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let path = if id.is_empty() { vec![] } else { vec![("id", id.to_owned())] };
        let params = gather(Version::V1_0, operation, body, query, path);
        params.map(Value::Object).map_err(|violation| violation.field)
    }

    #[test]
    fn queries_become_json() {
        let query = [
            ("contextId", "c"),
            ("status", "TASK_STATE_WORKING"),
            ("pageSize", "5"),
            ("historyLength", "-1"),
            ("includeArtifacts", "true"),
            ("unknown", "x"),
            ("pagesize", "7"),
        ];
        assert_eq!(
            gathered(OperationName::ListTasks, json!({}), &query, ""),
            Ok(json!({
                "contextId": "c",
                "status": "TASK_STATE_WORKING",
                "pageSize": 5,
                "historyLength": -1,
                "includeArtifacts": true,
            })),
        );
        let wrong = [("pageSize", "abc"), ("historyLength", "+1"), ("includeArtifacts", "TRUE")];
        assert_eq!(
            gathered(OperationName::ListTasks, json!({}), &wrong, ""),
            Ok(json!({"pageSize": "abc", "historyLength": "+1", "includeArtifacts": "TRUE"})),
        );
    }

    #[test]
    fn the_path_is_not_to_be_contradicted() {
        let cancel = |body| gathered(OperationName::CancelTask, body, &[("tenant", "x")], "t");
        for body in [json!({}), json!({"id": null}), json!({"id": ""}), json!({"id": "t"})] {
            assert_eq!(cancel(body), Ok(json!({"id": "t"})));
        }
        for body in [json!({"id": "u"}), json!({"id": 5})] {
            assert_eq!(cancel(body), Err("id".to_owned()));
        }
    }
}
