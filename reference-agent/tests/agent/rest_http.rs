//! HTTP+JSON as HTTP, in both versions.

use reqwest::Method;
use reqwest::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use serde_json::json;

use crate::client::{agent, answer};
use crate::rest_client::{Rest, refusal};

const MESSAGE: &str = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"complete"}]}}"#;

#[tokio::test]
async fn the_card_names_the_addresses() {
    let agent = agent().await;
    let card = answer(crate::client::http().get(format!("{}/.well-known/agent-card.json", agent.url()))).await.json();
    let url = format!("{}/rest", agent.url());
    let v1_0 = json!({ "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" });
    assert!(card["supportedInterfaces"].as_array().unwrap().contains(&v1_0));
    let v0_3 = json!({ "url": url, "transport": "HTTP+JSON" });
    assert!(card["additionalInterfaces"].as_array().unwrap().contains(&v0_3));
    for what in ["A2A 1.0, HTTP+JSON", "A2A 0.3, HTTP+JSON"] {
        assert!(agent.interfaces().contains(&(url.clone(), what.to_owned())), "{what}");
    }
}

#[tokio::test]
async fn a_base_may_end_with_a_slash() {
    let agent = agent().await;
    let (v1_0, v0_3) = (Rest::v1_0(&agent), Rest::v0_3(&agent));
    assert_eq!(v1_0.get("//tasks").await["totalSize"], 0);
    assert_eq!(v0_3.get("//tasks").await, json!([]));
    let base = format!("{}/rest//v1/tasks", agent.url());
    assert_eq!(answer(crate::client::http().get(base)).await.body, "[]");
}

#[tokio::test]
async fn unknown_addresses_are_not_found() {
    let agent = agent().await;
    let v1_0 = Rest::v1_0(&agent);
    for path in ["", "/", "/task", "/tasks/a/b", "/message", "/message:send/", "/card", "/a/b/tasks", "/../rest/x"] {
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            let missing = answer(v1_0.bare(method, path)).await;
            assert_eq!(refusal(&missing), (404, None), "{path}");
            assert_eq!(missing.headers[CONTENT_TYPE], "application/a2a+json");
        }
    }
    let v0_3 = Rest::v0_3(&agent);
    for path in ["", "/", "/message:receive", "/extendedAgentCard", "/acme/tasks"] {
        let missing = v0_3.fetch(path).await;
        assert_eq!((missing.status, &missing.json()["code"]), (404, &json!(-32601)), "{path}");
        assert_eq!(missing.headers[CONTENT_TYPE], "application/json");
    }
}

#[tokio::test]
async fn each_address_has_its_methods() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    for (method, path, allow) in [
        (Method::GET, "/message:send", "POST, OPTIONS"),
        (Method::HEAD, "/message:stream", "POST, OPTIONS"),
        (Method::POST, "/tasks", "GET, HEAD, OPTIONS"),
        (Method::DELETE, "/tasks/x", "GET, HEAD, OPTIONS"),
        (Method::GET, "/tasks/x:cancel", "POST, OPTIONS"),
        (Method::PUT, "/tasks/x:subscribe", "POST, GET, HEAD, OPTIONS"),
        (Method::PATCH, "/tasks/x/pushNotificationConfigs", "POST, GET, HEAD, OPTIONS"),
        (Method::POST, "/tasks/x/pushNotificationConfigs/y", "GET, HEAD, DELETE, OPTIONS"),
        (Method::POST, "/extendedAgentCard", "GET, HEAD, OPTIONS"),
        (Method::TRACE, "/acme/tasks", "GET, HEAD, OPTIONS"),
    ] {
        let refused = answer(rest.bare(method.clone(), path)).await;
        assert_eq!(refused.status, 405, "{method} {path}");
        assert_eq!(refused.headers[ALLOW], allow);
        if method != Method::HEAD {
            assert_eq!(refusal(&refused), (405, None));
        }
        let options = answer(rest.bare(Method::OPTIONS, path)).await;
        assert_eq!((options.status, options.body.as_str()), (204, ""));
        assert_eq!(options.headers[ALLOW], allow);
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    answer(rest.posting("/message:send", MESSAGE)).await;
    for path in ["/tasks", "/tasks/task-000001", "/tasks/nobody", "/tasks?pageSize=0"] {
        let (head, get) = (answer(rest.bare(Method::HEAD, path)).await, rest.fetch(path).await);
        assert_eq!((head.status, head.body.as_str()), (get.status, ""), "{path}");
        for name in ["content-type", "content-length"] {
            assert_eq!(head.headers[name], get.headers[name], "{path}");
        }
    }
}

#[tokio::test]
async fn bodies_are_json_objects() {
    let agent = agent().await;
    for rest in [Rest::v1_0(&agent), Rest::v0_3(&agent)] {
        for body in ["", "{", "[]", "null", "\"x\"", "{}", r#"{"message":5}"#, "\u{feff}{}", &"[".repeat(100_000)] {
            for path in ["/message:send", "/message:stream"] {
                let refused = answer(rest.posting(path, body.to_owned())).await;
                assert_eq!(refused.status, 400, "{path} {body:.20}");
                assert_eq!(refused.headers[CONTENT_TYPE], rest.media_type);
                assert!(refused.json().is_object());
            }
        }
        let invalid = answer(rest.posting("/message:send", b"{\"a\":\"\xff\"}".to_vec())).await;
        assert_eq!(invalid.status, 400);
        // No body at all, not even an announced one.
        assert_eq!(answer(rest.bare(Method::POST, "/message:send")).await.status, 400);
        let large = answer(rest.posting("/message:send", vec![b' '; 16 * 1024 * 1024 + 1])).await;
        assert_eq!(large.status, 413);
        assert!(large.json().is_object());
        // Nobody asks what is in the body of a GET.
        let get = rest.bare(Method::GET, "/tasks").header(CONTENT_TYPE, "text/plain").body("?");
        assert_eq!(answer(get).await.status, 200);
    }
}

#[tokio::test]
async fn media_types_are_those_of_the_version() {
    let agent = agent().await;
    let (v1_0, v0_3) = (Rest::v1_0(&agent), Rest::v0_3(&agent));
    let status = async |rest: &Rest, media_type: Option<&str>| {
        let request = rest.bare(Method::POST, "/message:send").body(MESSAGE);
        answer(match media_type {
            Some(media_type) => request.header(CONTENT_TYPE, media_type),
            None => request,
        })
        .await
        .status
    };
    for (media_type, of_1_0, of_0_3) in [
        (Some("application/a2a+json"), 200, 415),
        (Some("application/json"), 200, 400),
        (Some("application/json; charset=utf-8"), 200, 400),
        (Some("application/a2a+json;charset=\"UTF-8\""), 200, 415),
        (Some("application/json; charset=latin1"), 415, 415),
        (Some("text/plain"), 415, 415),
        (None, 415, 415),
    ] {
        assert_eq!(status(&v1_0, media_type).await, of_1_0, "{media_type:?}");
        // There it would be another message, which shows that it has been read.
        assert_eq!(status(&v0_3, media_type).await, of_0_3, "{media_type:?}");
    }
    for (accept, expected) in [("application/json", "application/json"), ("*/*", "application/a2a+json")] {
        for path in ["/tasks", "/tasks/nobody", "/nowhere"] {
            let answered = answer(v1_0.bare(Method::GET, path).header(ACCEPT, accept)).await;
            assert_eq!(answered.headers[CONTENT_TYPE], expected, "{path}");
        }
    }
}

#[tokio::test]
async fn each_base_speaks_its_version() {
    let agent = agent().await;
    let http = crate::client::http();
    for (path, version, status) in [
        ("/rest/tasks", Some("1.0"), 200),
        ("/rest/tasks", Some("1.0.1"), 200),
        ("/rest/tasks", None, 400),
        ("/rest/tasks", Some(""), 400),
        ("/rest/tasks", Some("0.3"), 400),
        ("/rest/tasks?A2A-Version=1.0", None, 200),
        ("/rest/v1/tasks", None, 200),
        ("/rest/v1/tasks", Some(""), 200),
        ("/rest/v1/tasks", Some("0.3"), 200),
        ("/rest/v1/tasks", Some("1.0"), 400),
    ] {
        let mut request = http.get(format!("{}{path}", agent.url()));
        if let Some(version) = version {
            request = request.header("A2A-Version", version);
        }
        let answered = answer(request).await;
        assert_eq!(answered.status, status, "{path} {version:?}");
        if status == 400 && path == "/rest/tasks" {
            assert_eq!(refusal(&answered), (400, Some("VERSION_NOT_SUPPORTED".to_owned())));
        }
    }
}

#[tokio::test]
async fn extensions_that_are_asked_for_are_confirmed() {
    let agent = agent().await;
    let uri = "urn:a2aspec:triggers:v1";
    for (rest, name) in [(Rest::v1_0(&agent), "a2a-extensions"), (Rest::v0_3(&agent), "x-a2a-extensions")] {
        let asked = answer(rest.bare(Method::GET, "/tasks").header(name, format!("urn:unknown,{uri}"))).await;
        assert_eq!(asked.headers[name], uri);
        assert!(!rest.fetch("/tasks").await.headers.contains_key(name));
    }
}
