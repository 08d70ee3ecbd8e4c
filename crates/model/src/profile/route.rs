//! The routes of HTTP+JSON: from operations to methods and paths.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::descriptors::Descriptors;
use super::facts::{Binding, Facts, Operation};
use super::template::Template;

/// What stands for itself in a path: the unreserved characters (RFC 3986 section 2.3).
const IN_PATHS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One way to call an operation over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// HTTP method.
    pub verb: String,
    /// Path below the interface's URL; in braces stand canonical members of the parameters.
    pub path: Template,
}

impl Route {
    /// Whether requests have a body; else what the path does not hold goes into the query.
    pub fn has_body(&self) -> bool {
        matches!(self.verb.as_str(), "POST" | "PUT" | "PATCH")
    }

    /// The path for these parameters; `None` where one that it needs is missing.
    pub fn fill(&self, params: &Map<String, Value>) -> Option<String> {
        self.path.fill(params, segment)
    }

    fn read(text: &str) -> Result<Self, String> {
        let (verb, path) = text.split_once(' ').ok_or_else(|| format!("`{text}` is no route such as `GET /tasks`"))?;
        Ok(Self { verb: verb.to_owned(), path: Template::try_from(path.trim().to_owned())? })
    }
}

/// A text as one segment of a path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, IN_PATHS).to_string()
}

/// Every route of a version that is spoken over HTTP+JSON, by operation.
///
/// # Errors
/// A route that is none.
pub fn all(facts: &Facts, descriptors: Option<&Descriptors>) -> Result<BTreeMap<Operation, Vec<Route>>, String> {
    let Some(binding) = facts.bindings.get(&Binding::HttpJson) else { return Ok(BTreeMap::new()) };
    let mut routes: BTreeMap<Operation, Vec<Route>> = BTreeMap::new();
    for (operation, facts) in &facts.operations {
        let mut own = facts.http.iter().map(|text| Route::read(text)).collect::<Result<Vec<_>, _>>()?;
        let annotated = descriptors.filter(|_| binding.annotated_routes);
        if let Some((descriptors, rpc)) = annotated.and_then(|all| Some((all, all.rpc(*operation, facts)?))) {
            for annotation in descriptors.annotations(&rpc) {
                let route = Route { verb: annotation.verb, path: Template::try_from(annotation.path)? };
                if !own.contains(&route) {
                    own.push(route);
                }
            }
        }
        if !own.is_empty() {
            routes.insert(*operation, own);
        }
    }
    Ok(routes)
}

/// The routes that these parameters can take, those that use most of them first: a tenant's own path before the common
/// one.
pub fn choose<'a>(routes: &'a [Route], params: &Map<String, Value>) -> Vec<(&'a Route, String)> {
    let mut fitting: Vec<(&Route, String)> =
        routes.iter().filter_map(|route| Some((route, route.fill(params)?))).collect();
    let most = fitting.iter().map(|(route, _)| route.path.members().count()).max().unwrap_or_default();
    fitting.retain(|(route, _)| route.path.members().count() == most);
    fitting
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tenant_takes_its_own_path_and_ids_are_encoded() {
        let routes =
            ["POST /tasks/{id}:cancel", "POST /{tenant}/tasks/{id}:cancel"].map(|text| Route::read(text).unwrap());
        let paths = |params: Value| -> Vec<String> {
            choose(&routes, params.as_object().unwrap()).into_iter().map(|(_, path)| path).collect()
        };
        assert_eq!(paths(json!({ "id": "a/b:c é" })), ["/tasks/a%2Fb%3Ac%20%C3%A9:cancel"]);
        assert_eq!(paths(json!({ "id": "7", "tenant": "x~1" })), ["/x~1/tasks/7:cancel"]);
        assert!(paths(json!({ "tenant": "x" })).is_empty());
    }

    #[test]
    fn a_route_has_a_method_and_a_path() {
        assert!(Route::read("/tasks").is_err());
        assert!(Route::read("GET /tasks/{id").is_err());
        assert!(!Route::read("DELETE /tasks/{id}").unwrap().has_body());
    }
}
