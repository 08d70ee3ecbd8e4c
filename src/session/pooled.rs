//! Tasks that are kept for cases to come.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;

/// A task, or several, kept as text while no case uses it: a tree takes up to twenty times as much.
#[derive(Debug)]
pub(crate) struct Pooled {
    text: String,
    tree: Mutex<Weak<Value>>,
}

impl Pooled {
    /// Keeps a value.
    pub fn new(value: &Arc<Value>) -> Self {
        Self { text: value.to_string(), tree: Mutex::new(Arc::downgrade(value)) }
    }

    /// The value, which all who use it at the same time share.
    pub fn get(&self) -> Arc<Value> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        tree.upgrade().unwrap_or_else(|| {
            // What was written as JSON is JSON.
            let read = Arc::new(serde_json::from_str(&self.text).unwrap_or_default());
            *tree = Arc::downgrade(&read);
            read
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_shared_and_comes_back_as_it_was() {
        let value = Arc::new(json!({ "z": 0.1, "a": [1, -0.0, 1e300, 9_007_199_254_740_993_u64], "t": "\u{7}ä" }));
        let pooled = Pooled::new(&value);
        assert!(Arc::ptr_eq(&pooled.get(), &value));
        let was = value.to_string();
        drop(value);
        let again = pooled.get();
        assert_eq!(again.to_string(), was);
        assert!(Arc::ptr_eq(&pooled.get(), &again));
    }

    proptest::proptest! {
        #[test]
        fn numbers_come_back_as_they_were(number: f64) {
            let value = Arc::new(json!(number));
            let pooled = Pooled::new(&value);
            let was = Arc::try_unwrap(value).unwrap_or_default();
            proptest::prop_assert_eq!(&*pooled.get(), &was);
        }
    }
}
