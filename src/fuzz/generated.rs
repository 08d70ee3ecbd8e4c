//! Whole messages that are right, made from the schemas of the version: what no case sends, and no change of a right message comes to.

use serde_json::{Value, json};

use super::aim::Aim;
use super::probe::{Probe, Send, bare};
use super::request;
use crate::generate::Choices;
use crate::profile::Operation;

/// What is left to the fuzzer: the tenant is that of the interface, a task and a context have to be there, and whatever is at an address
/// is somebody's.
const LEFT_OUT: [&str; 4] =
    ["/tenant", "/message/taskId", "/message/contextId", "/configuration/taskPushNotificationConfig"];

/// An address that nobody has (RFC 2606).
const NOBODY: &str = "https://a2aspec.invalid/file";

/// A right message, by these decisions; nothing for operations that send none. It may be served, or refused for what it says.
pub(super) fn generated(aim: &Aim, operation: Operation, choices: &mut Choices<'_>) -> Option<Probe> {
    let kind = aim.params(operation).filter(|_| operation.sends_a_message())?;
    let dialect = &aim.session.connection.interface.dialect;
    let wire = aim.values().valid(dialect.wire_type(kind), choices);
    let mut params = (*dialect.from_wire(kind, wire).value).clone();
    for place in LEFT_OUT {
        request::remove(&mut params, place);
    }
    name_nobody(&mut params);
    // An id is used up by the message that has it.
    request::put(&mut params, "/message/messageId", json!("${unique}"));
    Some(Probe { send: Send::Call { params }, class: "open".to_owned(), ..bare(operation) })
}

/// Puts an address that nobody has into the place of every other: an agent may fetch what a message refers to.
fn name_nobody(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(name_nobody),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(address) if ["url", "uri"].contains(&name.as_str()) => NOBODY.clone_into(address),
                    member => name_nobody(member),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_of_anybodys_is_named() {
        let part =
            |url: &str| json!({ "parts": [{ "url": url }, { "text": "http://a.example" }], "metadata": { "uri": 7 } });
        let mut message = part("http://127.0.0.1:8080/");
        name_nobody(&mut message);
        assert_eq!(message, part(NOBODY));
    }
}
