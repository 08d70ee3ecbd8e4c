//! Changes to what is posted to webhooks.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::data::Fault;
use super::objects::member;

/// What is done to a push notification before it is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct DeliveryChange {
    /// Only those of configurations whose id contains this.
    pub config: Option<String>,
    /// Only those whose body contains this.
    pub holds: Option<String>,
    /// It is not posted.
    pub skip: bool,
    /// It is posted twice.
    pub twice: bool,
    /// The method of HTTP.
    pub method: Option<String>,
    /// Headers; null: dropped.
    pub headers: BTreeMap<String, Option<String>>,
    /// Values by pointer, in the place of what is there.
    pub set: BTreeMap<String, Value>,
    /// Members that get lost, by their pointers.
    pub remove: Vec<String>,
    /// What is in the only member is posted by itself.
    pub bare: bool,
    /// A piece of the body and what stands in its place.
    pub replace: Option<(String, String)>,
    /// The whole body.
    pub body: Option<String>,
}

/// A push notification that is about to be posted.
#[derive(Debug)]
pub(crate) struct Posted {
    /// How often it is posted, whatever it is answered.
    pub times: usize,
    /// The method of HTTP.
    pub method: String,
    /// Headers, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

/// A push notification of the configuration with this id as these faults have it posted; `None` where they keep it back.
pub(crate) fn change(faults: &[&'static Fault], config: &str, mut posted: Posted) -> Option<Posted> {
    for change in faults.iter().filter_map(|fault| fault.delivery.as_ref()) {
        let text = String::from_utf8_lossy(&posted.body).into_owned();
        let is_meant = change.config.as_ref().is_none_or(|wanted| config.contains(wanted))
            && change.holds.as_ref().is_none_or(|wanted| text.contains(wanted));
        if !is_meant {
            continue;
        }
        if change.skip {
            return None;
        }
        posted = change.applied(posted, &text);
    }
    Some(posted)
}

impl DeliveryChange {
    fn applied(&self, mut posted: Posted, text: &str) -> Posted {
        if self.twice {
            posted.times = 2;
        }
        posted.method = self.method.clone().unwrap_or(posted.method);
        for (name, value) in &self.headers {
            match value {
                Some(value) => posted.headers.insert(name.clone(), value.clone()),
                None => posted.headers.remove(name),
            };
        }
        if let Ok(mut json) = serde_json::from_str::<Value>(text) {
            for (pointer, value) in &self.set {
                if let Some(held) = member(&mut json, pointer) {
                    *held = value.clone();
                }
            }
            for pointer in &self.remove {
                super::edit::take(&mut json, pointer);
            }
            if self.bare
                && let Some(only) = json.as_object_mut().and_then(|members| members.values_mut().next())
            {
                json = only.take();
            }
            posted.body = json.to_string().into_bytes();
        }
        if let Some((from, to)) = &self.replace {
            posted.body = String::from_utf8_lossy(&posted.body).replace(from, to).into_bytes();
        }
        if let Some(body) = &self.body {
            posted.body = body.clone().into_bytes();
        }
        posted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(change: &str, config: &str) -> Option<(String, BTreeMap<String, String>, String)> {
        let fault = format!("{{ id: f, breaks: it, delivery: {change} }}");
        let fault: &'static Fault = Box::leak(Box::new(serde_saphyr::from_str(&fault).unwrap()));
        let headers = BTreeMap::from([("authorization".to_owned(), "Bearer x".to_owned())]);
        let body = r#"{"statusUpdate":{"taskId":"t","status":{"state":"done"}}}"#.as_bytes().to_vec();
        let posted = Posted { times: 1, method: "POST".to_owned(), headers, body };
        let posted = super::change(&[fault], config, posted)?;
        Some((posted.method, posted.headers, String::from_utf8(posted.body).unwrap()))
    }

    #[test]
    fn each_change_does_one_thing() {
        let body = |change: &str| changed(change, "c").unwrap().2;
        assert_eq!(changed("{ skip: true }", "c"), None);
        assert!(changed("{ skip: true, config: other }", "c").is_some());
        assert!(changed("{ skip: true, holds: other }", "c").is_some());
        assert_eq!(changed("{ method: PUT }", "c").unwrap().0, "PUT");
        assert!(changed("{ headers: { authorization: null } }", "c").unwrap().1.is_empty());
        assert_eq!(
            body("{ set: { /statusUpdate/taskId: o, /task/id: o } }"),
            r#"{"statusUpdate":{"taskId":"o","status":{"state":"done"}}}"#
        );
        assert_eq!(body("{ remove: [/statusUpdate/status] }"), r#"{"statusUpdate":{"taskId":"t"}}"#);
        assert_eq!(body("{ bare: true }"), r#"{"taskId":"t","status":{"state":"done"}}"#);
        assert!(body("{ replace: [done, failed] }").contains("failed"));
        assert_eq!(body("{ body: '[]' }"), "[]");
    }
}
