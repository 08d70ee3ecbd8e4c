use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A free-form key-value map (section 3.2.5); an empty one stands for an unset one. Most are empty, and an agent that keeps
/// many tasks keeps many of them, so an empty one takes a word.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata(Option<Box<Map<String, Value>>>);

impl Metadata {
    /// Without members.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The values of the members.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().flat_map(|members| members.values())
    }

    /// The value of the member `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// Adds the members of `other`, in the place of those with the same name.
    pub fn extend(&mut self, other: Self) {
        if let Some(members) = other.0 {
            self.0.get_or_insert_default().extend(*members);
        }
    }

    /// The members as a JSON object.
    pub fn into_members(self) -> Map<String, Value> {
        self.0.map(|members| *members).unwrap_or_default()
    }
}

impl From<Map<String, Value>> for Metadata {
    fn from(members: Map<String, Value>) -> Self {
        Self((!members.is_empty()).then(|| Box::new(members)))
    }
}

impl FromIterator<(String, Value)> for Metadata {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        members.into_iter().collect::<Map<String, Value>>().into()
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(members) => members.serialize(serializer),
            None => Map::new().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_empty_map_takes_a_word() {
        assert_eq!(size_of::<Metadata>(), size_of::<usize>());
        let empty: Metadata = serde_json::from_value(json!({})).unwrap();
        assert!(empty.is_empty());
        assert_eq!(empty, Metadata::new());
        assert_eq!(serde_json::to_value(&empty).unwrap(), json!({}));
    }

    #[test]
    fn members_come_and_stay() {
        let read = |json| serde_json::from_value::<Metadata>(json).unwrap();
        let mut metadata = read(json!({ "a": 1, "b": 2 }));
        metadata.extend(Metadata::new());
        metadata.extend(read(json!({ "b": 3, "c": null })));
        assert_eq!(serde_json::to_value(&metadata).unwrap(), json!({ "a": 1, "b": 3, "c": null }));
        assert_eq!(metadata.values().count(), 3);
    }
}
