//! Addresses and verbs (1.0 and its draft, sections 5.3 and 11.3; 0.3, section 3.5.6).

use axum::http::Method;

use crate::core::{OperationName, Violation};
use crate::version::Version;

/// Something that has an address, and what can be done with it.
#[derive(Debug)]
struct Resource {
    /// Below the base of the interface; `{}` stands for an id.
    template: &'static str,
    operations: &'static [(Method, OperationName)],
}

/// The resources that all versions have. Where two templates fit, the first one counts.
const SHARED: [Resource; 8] = [
    Resource { template: "message:send", operations: &[(Method::POST, OperationName::SendMessage)] },
    Resource { template: "message:stream", operations: &[(Method::POST, OperationName::SendStreamingMessage)] },
    Resource { template: "tasks", operations: &[(Method::GET, OperationName::ListTasks)] },
    Resource { template: "tasks/{}:cancel", operations: &[(Method::POST, OperationName::CancelTask)] },
    Resource {
        template: "tasks/{}:subscribe",
        // POST in the text of all versions, GET in their protobuf definitions.
        operations: &[(Method::POST, OperationName::SubscribeToTask), (Method::GET, OperationName::SubscribeToTask)],
    },
    Resource { template: "tasks/{}", operations: &[(Method::GET, OperationName::GetTask)] },
    Resource {
        template: "tasks/{}/pushNotificationConfigs",
        operations: &[(Method::POST, OperationName::CreatePushConfig), (Method::GET, OperationName::ListPushConfigs)],
    },
    Resource {
        template: "tasks/{}/pushNotificationConfigs/{}",
        operations: &[(Method::GET, OperationName::GetPushConfig), (Method::DELETE, OperationName::DeletePushConfig)],
    },
];

const CARD: [(Method, OperationName); 1] = [(Method::GET, OperationName::GetExtendedAgentCard)];

/// The extended card has another name in each version.
const fn card(version: Version) -> Resource {
    let template = match version {
        Version::V1_0 | Version::V1_1Draft | Version::V1_0Draft => "extendedAgentCard",
        _ => "card",
    };
    Resource { template, operations: &CARD }
}

/// The names that the ids in an address have among the parameters of an operation.
const fn id_names(version: Version, operation: OperationName) -> &'static [&'static str] {
    use OperationName::{
        CancelTask, CreatePushConfig, DeletePushConfig, GetPushConfig, GetTask, ListPushConfigs, SubscribeToTask,
    };
    match (version, operation) {
        (_, GetTask | CancelTask | SubscribeToTask) | (Version::V0_3, ListPushConfigs) => &["id"],
        (_, CreatePushConfig) | (Version::V1_0 | Version::V1_1Draft | Version::V1_0Draft, ListPushConfigs) => {
            &["taskId"]
        }
        (Version::V1_0 | Version::V1_1Draft | Version::V1_0Draft, GetPushConfig | DeletePushConfig) => {
            &["taskId", "id"]
        }
        (Version::V0_3, GetPushConfig | DeletePushConfig) => &["id", "pushNotificationConfigId"],
        _ => &[],
    }
}

/// The version whose addresses a path belongs to, and the path below its base. Those of 0.3 begin with `/v1`, so no
/// tenant of 1.0 can have that name. A slash too many, which comes of a base that ends with one, does no harm.
pub fn split_base(path: &str) -> (Version, &str) {
    let path = path.trim_start_matches('/');
    match path.strip_prefix("v1") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => (Version::V0_3, rest.trim_start_matches('/')),
        _ => (Version::V1_0, path),
    }
}

/// A resource that a path leads to.
#[derive(Debug)]
pub struct Route {
    version: Version,
    operations: &'static [(Method, OperationName)],
    ids: Vec<String>,
    tenant: Option<String>,
}

/// Finds what is at `path`, below the base of `version`.
///
/// # Errors
/// A path that is not percent-encoded UTF-8.
pub fn find(version: Version, path: &str) -> Result<Option<Route>, Violation> {
    let segments: Vec<Segment> = path.split('/').map(Segment::read).collect::<Result<_, _>>()?;
    let at = |segments: &[Segment], tenant: Option<&Segment>| {
        let card = card(version);
        SHARED.iter().chain([&card]).find_map(|resource| {
            let ids = resource.ids(segments)?;
            let tenant = tenant.map(|segment| segment.text.clone());
            Some(Route { version, operations: resource.operations, ids, tenant })
        })
    };
    Ok(at(&segments, None).or_else(|| match (version, segments.split_first()) {
        // Every address of 1.0 is there a second time for each tenant, below its name.
        (Version::V1_0 | Version::V1_1Draft, Some((tenant, rest))) => at(rest, Some(tenant)),
        _ => None,
    }))
}

impl Route {
    /// What `method` does here; HEAD does what GET does.
    pub fn operation(&self, method: &Method) -> Option<OperationName> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.operations.iter().find(|(known, _)| known == method).map(|(_, operation)| *operation)
    }

    /// The methods that can be used here, as the header `Allow` lists them.
    pub fn allow(&self) -> String {
        let methods = self.operations.iter().map(|(method, _)| method);
        let with_head = methods.flat_map(|method| match *method {
            Method::GET => vec!["GET", "HEAD"],
            ref other => vec![other.as_str()],
        });
        with_head.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
    }

    /// The parameters in the path, for `operation`.
    pub fn parameters(self, operation: OperationName) -> Vec<(&'static str, String)> {
        let names = id_names(self.version, operation).iter().copied();
        let ids = names.zip(self.ids);
        ids.chain(self.tenant.map(|tenant| ("tenant", tenant))).collect()
    }
}

impl Resource {
    /// The ids in a path that this resource has the template for.
    fn ids(&self, segments: &[Segment]) -> Option<Vec<String>> {
        let pieces: Vec<&str> = self.template.split('/').collect();
        if pieces.len() != segments.len() {
            return None;
        }
        let mut ids = Vec::new();
        for (piece, segment) in pieces.into_iter().zip(segments) {
            match piece.strip_prefix("{}") {
                None if segment.text == piece => {}
                None => return None,
                Some("") => ids.push(segment.text.clone()),
                // Like the slash, the colon before a verb is one that is not percent-encoded.
                Some(verb) => ids.push(decode(segment.raw.strip_suffix(verb)?)?),
            }
        }
        Some(ids)
    }
}

/// What stands between two slashes.
struct Segment<'a> {
    raw: &'a str,
    text: String,
}

impl<'a> Segment<'a> {
    fn read(raw: &'a str) -> Result<Self, Violation> {
        let text = decode(raw).ok_or_else(|| Violation::new("path", "must be percent-encoded UTF-8"))?;
        Ok(Self { raw, text })
    }
}

/// Undoes percent-encoding (RFC 3986, section 2.1).
fn decode(raw: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? * 16 + digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a request is about: the operation, and its parameters in the path.
    fn found(version: Version, method: &str, path: &str) -> Option<String> {
        let route = find(version, path).unwrap()?;
        let operation = route.operation(&method.parse().unwrap())?;
        let parameters: Vec<String> =
            route.parameters(operation).into_iter().map(|(name, value)| format!(" {name}={value}")).collect();
        Some(format!("{operation:?}{}", parameters.concat()))
    }

    #[test]
    fn every_operation_has_its_address() {
        for (method, path, v1_0, v0_3) in [
            ("POST", "message:send", "SendMessage", "SendMessage"),
            ("POST", "message:stream", "SendStreamingMessage", "SendStreamingMessage"),
            ("GET", "tasks", "ListTasks", "ListTasks"),
            ("HEAD", "tasks", "ListTasks", "ListTasks"),
            ("GET", "tasks/a", "GetTask id=a", "GetTask id=a"),
            ("POST", "tasks/a:cancel", "CancelTask id=a", "CancelTask id=a"),
            ("POST", "tasks/a:subscribe", "SubscribeToTask id=a", "SubscribeToTask id=a"),
            ("GET", "tasks/a:subscribe", "SubscribeToTask id=a", "SubscribeToTask id=a"),
            ("POST", "tasks/a/pushNotificationConfigs", "CreatePushConfig taskId=a", "CreatePushConfig taskId=a"),
            ("GET", "tasks/a/pushNotificationConfigs", "ListPushConfigs taskId=a", "ListPushConfigs id=a"),
            (
                "GET",
                "tasks/a/pushNotificationConfigs/b",
                "GetPushConfig taskId=a id=b",
                "GetPushConfig id=a pushNotificationConfigId=b",
            ),
            (
                "DELETE",
                "tasks/a/pushNotificationConfigs/b",
                "DeletePushConfig taskId=a id=b",
                "DeletePushConfig id=a pushNotificationConfigId=b",
            ),
        ] {
            assert_eq!(found(Version::V1_0, method, path).as_deref(), Some(v1_0), "{method} {path}");
            assert_eq!(found(Version::V0_3, method, path).as_deref(), Some(v0_3), "{method} {path}");
            assert_eq!(found(Version::V1_0Draft, method, path).as_deref(), Some(v1_0), "{method} {path}");
            let tenant = found(Version::V1_0, method, &format!("acme/{path}")).unwrap();
            assert_eq!(tenant, format!("{v1_0} tenant=acme"));
            assert_eq!(found(Version::V0_3, method, &format!("acme/{path}")), None);
        }
        for version in [Version::V1_0, Version::V1_0Draft] {
            assert_eq!(found(version, "GET", "extendedAgentCard").as_deref(), Some("GetExtendedAgentCard"));
        }
        assert_eq!(found(Version::V0_3, "GET", "card").as_deref(), Some("GetExtendedAgentCard"));
        for path in
            ["", "x", "task", "tasks/a/b", "tasks/a/pushNotificationConfigs/b/c", "message", "message:x", "card"]
        {
            assert_eq!(found(Version::V1_0, "GET", path), None, "{path}");
        }
    }

    #[test]
    fn ids_are_decoded_and_verbs_are_not() {
        let v1_0 = |method, path| found(Version::V1_0, method, path).unwrap_or_default();
        assert_eq!(v1_0("GET", "tasks/a%2Fb%3Ac%25d%20%C3%A9"), "GetTask id=a/b:c%d é");
        assert_eq!(v1_0("GET", "tasks/a:b"), "GetTask id=a:b");
        assert_eq!(v1_0("GET", "tasks/a%3Acancel"), "GetTask id=a:cancel");
        assert_eq!(v1_0("GET", "tasks/a:cancel"), "");
        assert_eq!(v1_0("POST", "tasks/a%3Acancel"), "");
        assert_eq!(v1_0("POST", "tasks/a:b:cancel"), "CancelTask id=a:b");
        assert_eq!(v1_0("POST", "tasks/a:cancel:cancel"), "CancelTask id=a:cancel");
        assert_eq!(v1_0("POST", "tasks/:cancel"), "CancelTask id=");
        assert_eq!(v1_0("GET", "tasks/"), "GetTask id=");
        assert_eq!(v1_0("GET", "a%2Fb/tasks"), "ListTasks tenant=a/b");
        assert_eq!(v1_0("GET", "tasks/tasks"), "GetTask id=tasks");
        for bad in ["tasks/%", "tasks/%4", "tasks/%+4", "tasks/%zz", "tasks/%ff", "%ff/tasks"] {
            assert_eq!(find(Version::V1_0, bad).unwrap_err().field, "path", "{bad}");
        }
    }

    #[test]
    fn the_base_tells_the_version() {
        for (path, version, rest) in [
            ("/tasks", Version::V1_0, "tasks"),
            ("//tasks/", Version::V1_0, "tasks/"),
            ("/", Version::V1_0, ""),
            ("/v1/tasks", Version::V0_3, "tasks"),
            ("//v1/tasks", Version::V0_3, "tasks"),
            ("/v1//tasks", Version::V0_3, "tasks"),
            ("/v1", Version::V0_3, ""),
            ("/v10/tasks", Version::V1_0, "v10/tasks"),
        ] {
            assert_eq!(split_base(path), (version, rest), "{path}");
        }
    }

    #[test]
    fn other_methods_are_told_what_there_is() {
        let allow = |path| find(Version::V1_0, path).unwrap().unwrap().allow();
        assert_eq!(allow("message:send"), "POST, OPTIONS");
        assert_eq!(allow("tasks/a"), "GET, HEAD, OPTIONS");
        assert_eq!(allow("tasks/a:subscribe"), "POST, GET, HEAD, OPTIONS");
        assert_eq!(allow("tasks/a/pushNotificationConfigs/b"), "GET, HEAD, DELETE, OPTIONS");
    }
}
