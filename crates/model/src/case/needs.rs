//! What the steps of a case refer to.

use serde_json::Value;

use super::reference::references;
use super::{Act, Case, Matcher, RawBody, Step};

impl Case {
    /// Every reference of its steps and of what must hold after them: `name.path`.
    pub fn references(&self) -> Vec<String> {
        let of_steps = self.all_steps().into_iter().flat_map(Step::references);
        let of_oracles = self.holds.iter().flat_map(|call| references(&call.args)).map(str::to_owned);
        of_steps.chain(of_oracles).collect()
    }
}

impl Step {
    /// Its references.
    pub fn references(&self) -> Vec<String> {
        let of_text = |text: &str| owned(&Value::String(text.to_owned()));
        let mut all = match &self.act {
            Act::Call(call) | Act::Stream(call) | Act::Open(call) => {
                owned(&call.with).into_iter().chain(call.rpc_id.iter().flat_map(owned)).collect()
            }
            Act::Bytes(bytes) => {
                let texts = bytes.texts().flat_map(of_text);
                owned(&bytes.call.with)
                    .into_iter()
                    .chain(bytes.call.rpc_id.iter().flat_map(owned))
                    .chain(texts)
                    .collect()
            }
            Act::Raw(raw) => match &raw.body {
                RawBody::Text(body) => [of_text(&raw.suffix), of_text(body)].concat(),
                RawBody::Bytes(_) => of_text(&raw.suffix),
            },
            Act::Wait(wait) => of_text(&wait.task),
            Act::Walk(walk) => owned(&walk.with),
            Act::Drain(_)
            | Act::Close(_)
            | Act::Card(_)
            | Act::Hello(_)
            | Act::Deliveries(_)
            | Act::Release(_)
            | Act::Together(_) => Vec::new(),
        };
        all.extend(self.extensions.iter().flat_map(|uri| of_text(uri)));
        all.extend(self.headers.values().flatten().flat_map(|value| of_text(value)));
        let mut note = |value: &Value| -> Result<Value, std::convert::Infallible> {
            all.extend(owned(value));
            Ok(value.clone())
        };
        for matcher in self.matchers() {
            let Ok(_) = matcher.map_values(&mut note);
        }
        all
    }

    /// Every matcher in it.
    fn matchers(&self) -> Vec<&Matcher> {
        let until = match &self.act {
            Act::Walk(walk) => Some(walk.until.values()),
            _ => None,
        };
        let expected = self.expect.iter().flat_map(|expect| {
            let places = expect.at.values().chain(expect.error_at.values());
            places
                .chain(expect.http.values())
                .chain(expect.grpc.values())
                .chain(expect.connection.values())
                .chain(&expect.extensions)
                .chain(&expect.rpc_id)
        });
        expected.chain(self.applies.values()).chain(self.reach.values()).chain(until.into_iter().flatten()).collect()
    }
}

fn owned(value: &Value) -> Vec<String> {
    references(value).into_iter().map(str::to_owned).collect()
}
