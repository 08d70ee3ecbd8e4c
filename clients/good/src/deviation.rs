//! The mistake that a broken client makes. The good client never chooses one.

use std::sync::OnceLock;

static CHOSEN: OnceLock<String> = OnceLock::new();

/// Makes this process deviate by the id of `clients/broken`. The first choice counts.
pub fn choose(id: &str) {
    let _ = CHOSEN.set(id.to_owned());
}

/// Whether this process makes the mistake of this id. Each id is asked for in one place.
pub(crate) fn deviates(id: &str) -> bool {
    CHOSEN.get().is_some_and(|chosen| chosen == id)
}
