//! Where the versions up to 0.1 have what faults name as later versions do. Faults are written once: an edit of a task's
//! `/contextId` is one of its `/sessionId` there.

use std::borrow::Cow;

use super::data::Kind;
use crate::version::{Family, Version};

/// Where a message says which task it is for.
pub const TASK_OF_MESSAGE: &str = "/message/taskId";

/// Names, and what they are up to 0.1.
type Names = &'static [(&'static str, &'static str)];

const OF_REQUEST: Names = &[
    (TASK_OF_MESSAGE, "/id"),
    ("/taskId", "/id"),
    ("/message/contextId", "/sessionId"),
    ("/configuration/historyLength", "/historyLength"),
    ("/configuration/pushNotificationConfig", "/pushNotification"),
    ("/configuration/taskPushNotificationConfig", "/pushNotification"),
];

/// The pointer by which this version has what later ones have at `pointer`, in objects of this kind or in parameters.
pub fn place(version: Version, of: Option<Kind>, pointer: &str) -> Cow<'_, str> {
    if !matches!(version.family(), Family::V0_1(_)) {
        return Cow::Borrowed(pointer);
    }
    let names: Names = match of {
        None => OF_REQUEST,
        Some(Kind::Task) => &[("/contextId", "/sessionId")],
        Some(Kind::StatusUpdate) => &[("/taskId", "/id")],
        Some(Kind::ArtifactUpdate) => {
            &[("/taskId", "/id"), ("/append", "/artifact/append"), ("/lastChunk", "/artifact/lastChunk")]
        }
        Some(Kind::Artifact) => &[("/artifactId", "/index")],
        Some(Kind::Part) => &[("/kind", "/type")],
        // The answer about a push configuration.
        Some(Kind::Envelope) => &[("/result/taskId", "/result/id")],
        Some(_) => &[],
    };
    let found = names.iter().find_map(|(later, here)| {
        let rest = pointer.strip_prefix(later)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{here}{rest}"))
    });
    found.map_or(Cow::Borrowed(pointer), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_versions_have_other_places() {
        for (of, pointer, expected) in [
            (None, "/message/taskId", "/id"),
            (None, "/message/taskIds", "/message/taskIds"),
            (None, "/configuration/pushNotificationConfig/url", "/pushNotification/url"),
            (Some(Kind::Task), "/contextId", "/sessionId"),
            (Some(Kind::Message), "/contextId", "/contextId"),
            (Some(Kind::ArtifactUpdate), "/lastChunk", "/artifact/lastChunk"),
        ] {
            assert_eq!(place(Version::V0_1, of, pointer), expected);
            assert_eq!(place(Version::Proposal, of, pointer), expected);
            assert_eq!(place(Version::V0_2_1, of, pointer), pointer);
        }
    }
}
