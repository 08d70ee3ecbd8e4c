//! Lists at which an agent fails if three members of the request have values that a seed draws. It says a little more with each that has.

use serde_json::{Value, json};

/// Of so many values of a member one is right.
const ONE_IN: u64 = 16;

/// The values of a seed.
pub struct Stairs([u64; 3]);

impl Stairs {
    pub fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        Self([(); 3].map(|()| random.u64(..ONE_IN)))
    }

    /// The page for a request; nothing where the agent fails.
    pub fn page(&self, params: &Value) -> Option<Value> {
        let step = self.step(params);
        let mut page = json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 });
        for hint in ["further", "again"].iter().take(step) {
            page[hint] = json!(true);
        }
        (step < self.0.len()).then_some(page)
    }

    /// How many of the members have the right values, from the first on.
    fn step(&self, params: &Value) -> usize {
        let length = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(|text| text.len() as u64);
        let sizes = [
            params["pageSize"].as_u64(),
            length(&params["pageToken"]),
            params["historyLength"].as_u64().map(|number| number / ONE_IN),
        ];
        let is_right = |(size, rest): &(&Option<u64>, &u64)| size.is_some_and(|size| size % ONE_IN == **rest);
        sizes.iter().zip(&self.0).take_while(is_right).count()
    }
}
