//! What a variation can say: the shape of `variations.yaml`.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::fault::{
    Asked, DeliveryChange, Edit, EventChange, Fault, GrpcChange, HttpChange, RequestChange, SocketChange, When,
    Writing, apply_edit,
};
use crate::version::Version;

/// One legal way to behave.
#[derive(Debug)]
pub struct Variation {
    /// Its name, such as `sse/cr`.
    pub id: String,
    /// What the agent does, in a sentence.
    pub what: String,
    /// What allows it: ids of requirements, or sections of other documents.
    pub allowed: Vec<String>,
    /// What a client must do about it.
    pub client: String,
    /// Why the suite has a warning under it, where it has.
    pub warns: Option<String>,
    pub(crate) habits: Vec<Habit>,
    /// What it changes: it is done as a fault is.
    pub(crate) change: Fault,
}

/// What only the inside of the agent can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Habit {
    /// Each first message is answered with a message.
    AlwaysMessage,
    /// Each task is rejected.
    AlwaysRejects,
    /// Each task fails.
    AlwaysFails,
    /// Each task begins with a question.
    AlwaysAsks,
    /// Each task begins by asking for authorization.
    AlwaysAsksAuthorization,
    /// Each task gives files.
    AlwaysFiles,
    /// Each task gives data.
    AlwaysData,
    /// Each task gives an artifact in chunks and a whole one.
    AlwaysChunks,
    /// Ids of which none tells of another.
    ScatteredIds,
    /// Ids of 200 characters.
    LongIds,
    /// Ids with all characters that paths of URLs allow.
    OddIds,
    /// Ids with characters that JSON, paths and queries spell otherwise.
    SignsInIds,
    /// A page of a list has two tasks at most.
    ShortPages,
    /// The first page of a list has no task, and a token.
    EmptyPages,
    /// Tokens of pages have 400 characters, some of which URLs reserve.
    LongTokens,
    /// A task at work is told of twice more.
    MoreUpdates,
    /// The artifact of a plain task comes in chunks.
    ChunkedArtifacts,
    /// A plain task has a further artifact.
    MoreArtifacts,
    /// The chunks of two artifacts come in turn.
    InterleavedArtifacts,
    /// A task that ends says something at its end.
    LastWords,
    /// Streams stay open while their task waits for credentials.
    AwaitsCredentials,
}

/// An entry of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    id: String,
    what: String,
    allowed: Vec<String>,
    client: String,
    #[serde(default)]
    warns: Option<String>,
    #[serde(default)]
    habits: Vec<Habit>,
    #[serde(default)]
    when: When,
    #[serde(default)]
    request: Option<RequestChange>,
    #[serde(default)]
    delay: Option<u64>,
    #[serde(default)]
    edit: Vec<Edit>,
    #[serde(default)]
    card: Vec<Edit>,
    #[serde(default)]
    events: Vec<EventChange>,
    #[serde(default)]
    http: Option<HttpChange>,
    #[serde(default)]
    grpc: Option<GrpcChange>,
    #[serde(default)]
    writing: Option<Writing>,
    #[serde(default)]
    socket: Option<SocketChange>,
    #[serde(default)]
    delivery: Option<DeliveryChange>,
}

impl From<Entry> for Variation {
    fn from(entry: Entry) -> Self {
        let Entry { id, what, allowed, client, warns, habits, when, request, delay, edit, card, events, .. } = entry;
        let Entry { http, grpc, writing, socket, delivery, .. } = entry;
        let named =
            Fault { id: id.clone(), breaks: what.clone(), when, request, delay, edit, card, ..Fault::default() };
        let change = Fault { events, http, grpc, writing, socket, delivery, ..named };
        Self { id, what, allowed, client, warns, habits, change }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    variations: Vec<Entry>,
}

/// All, in the order of the file.
static ALL: LazyLock<Result<Vec<Variation>, String>> = LazyLock::new(|| {
    let read = serde_saphyr::from_str::<File>(include_str!("../../variations.yaml"));
    let read = read.map_err(|error| error.to_string())?;
    Ok(read.variations.into_iter().map(Variation::from).collect())
});

impl Variation {
    /// Every variation.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn all() -> Result<&'static [Self], &'static str> {
        ALL.as_ref().map(Vec::as_slice).map_err(String::as_str)
    }

    /// The variation with this id.
    ///
    /// # Errors
    /// There is none, or the file is wrong.
    pub fn find(id: &str) -> Result<&'static Self, UnknownVariation> {
        let all = Self::all().map_err(UnknownVariation::File)?;
        all.iter().find(|variation| variation.id == id).ok_or_else(|| UnknownVariation::Id(id.to_owned()))
    }

    /// Whether it acts in this version, by its name: `1.0`.
    #[must_use]
    pub fn acts_in(&self, version: &str) -> bool {
        self.change.acts_in(version)
    }

    /// Whether it acts in this version and over this binding, by their names: `1.0`, `grpc`.
    #[must_use]
    pub fn acts_over(&self, version: &str, binding: &str) -> bool {
        self.change.acts_over(version, binding)
    }

    /// Whether it is about whole connections, so that it cannot be one agent's among several at a port.
    #[must_use]
    pub fn is_of_connections(&self) -> bool {
        self.change.socket.is_some()
    }

    /// Whether it writes the same in another way: of several such only one acts at a time.
    #[must_use]
    pub fn is_of_writing(&self) -> bool {
        self.change.writing.is_some()
    }

    /// Whether one exchange can have it and the next one not.
    #[must_use]
    pub fn is_of_exchanges(&self) -> bool {
        self.habits.is_empty() && !self.is_of_connections() && self.change.delivery.is_none()
    }

    /// A public card of this version as an agent with the variation writes it.
    #[must_use]
    pub fn card(&self, mut card: Value, version: Version) -> Vec<u8> {
        let asked = Asked::of_card(version);
        for edit in &self.change.card {
            apply_edit(edit, &mut card, &asked);
        }
        let body = card.to_string().into_bytes();
        let writing = self.change.writing.as_ref().filter(|_| self.change.meets(&asked));
        writing.and_then(|writing| writing.body(&body)).map_or(body, Vec::from)
    }
}

/// An id that no variation has, or a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownVariation {
    /// No variation has this id.
    #[error("there is no variation `{0}`; `a2aspec agent --list-variations` names them all")]
    Id(String),
    /// The file is wrong.
    #[error("variations.yaml: {0}")]
    File(&'static str),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_file_can_be_read_and_names_each_variation_once() {
        let all = Variation::all().unwrap();
        let ids: BTreeSet<&str> = all.iter().map(|variation| variation.id.as_str()).collect();
        assert_eq!(ids.len(), all.len(), "two variations have one id");
        assert!(all.len() >= 100, "{} variations", all.len());
        for variation in all {
            let id = &variation.id;
            assert!(id.split('/').count() == 2, "{id} has no area");
            assert!(!variation.allowed.is_empty(), "{id} is not allowed by anything");
            assert!(!variation.client.is_empty() && !variation.what.is_empty(), "{id} has no words");
            assert_eq!(Variation::find(id).unwrap().id, *id);
        }
        assert_eq!(Variation::find("no/such").unwrap_err(), UnknownVariation::Id("no/such".to_owned()));
    }

    #[test]
    fn every_variation_does_something() {
        for Variation { id, habits, change, .. } in Variation::all().unwrap() {
            let does = [
                !habits.is_empty(),
                change.request.is_some(),
                change.delay.is_some(),
                !change.edit.is_empty(),
                !change.card.is_empty(),
                !change.events.is_empty(),
                change.http.is_some(),
                change.grpc.is_some(),
                change.writing.is_some(),
                change.socket.is_some(),
                change.delivery.is_some(),
            ];
            assert!(does.contains(&true), "{id} does nothing");
        }
    }
}
