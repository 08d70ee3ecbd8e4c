//! What happens when a client leaves a stream, where that is wrong.

use std::fmt;

/// Does something when it is dropped.
pub(crate) struct Leaving(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Leaving {
    /// Something to be done then.
    pub(crate) fn new(act: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(act)))
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(act) = self.0.take() {
            act();
        }
    }
}

impl fmt::Debug for Leaving {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Leaving")
    }
}
