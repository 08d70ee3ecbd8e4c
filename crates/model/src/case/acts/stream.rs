//! What a step expects of a stream (7).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Reader;
use super::condition::{Places, add};
use super::step::TERMINAL;
use super::template::Captured;
use crate::case::convert::inner;
use crate::case::{Expect, Matcher};
use crate::yaml::tree::Part;

const KEYS: [&str; 7] = ["min_count", "max_count", "timeout_ms", "ordering", "events", "final_event", "each_event"];
/// The kinds of events, as the format spells them and as A2A does.
const KINDS: [(&str, &str); 2] = [("status_update", "statusUpdate"), ("artifact_update", "artifactUpdate")];
const SUBMITTED: &str = "TASK_STATE_SUBMITTED";
/// Where events show a state.
const STATES: [&str; 2] = ["/task/status/state", "/statusUpdate/status/state"];

impl<'a> Reader<'a> {
    /// Conditions on the events as a list. How long to wait for them is a setting of the run.
    pub(super) fn expected_stream(&mut self, stream: &'a Value, at: &str, captured: &Captured) -> Option<Expect> {
        let stream = self.map(stream, at)?;
        self.only(stream, at, &KEYS);
        let mut places = Places::new();
        let (min, max) = (self.number(stream, at, "min_count"), self.number(stream, at, "max_count"));
        if min.is_some() || max.is_some() {
            add(&mut places, String::new(), Matcher::Length(min, max));
        }
        match self.text(stream, at, "ordering") {
            Some("monotonic_state") => {
                monotonic().into_iter().for_each(|matcher| add(&mut places, String::new(), matcher));
            }
            Some(rule) => self.wrong_name(&inner(at, "ordering"), "ordering", rule, &["monotonic_state"]),
            None => {}
        }
        for (index, event) in self.list(stream, at, "events").iter().enumerate() {
            self.event(event, &inner(&inner(at, "events"), index), index, captured, &mut places);
        }
        let last =
            stream.get("final_event").map(|event| self.event_conditions(event, &inner(at, "final_event"), captured));
        last.into_iter().for_each(|last| add(&mut places, String::new(), Matcher::Last(last)));
        let each =
            stream.get("each_event").map(|event| self.event_conditions(event, &inner(at, "each_event"), captured));
        each.into_iter().for_each(|each| add(&mut places, String::new(), Matcher::Each(each)));
        Some(Expect { at: places, ..Expect::default() })
    }

    fn number(&mut self, members: &'a Map<String, Value>, at: &str, name: &str) -> Option<usize> {
        let value = members.get(name)?;
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        if number.is_none() {
            self.wrong(&inner(at, name), &Part::Value, format!("`{name}` is a number"));
        }
        number
    }

    fn event(&mut self, event: &'a Value, at: &str, index: usize, captured: &Captured, places: &mut Places) {
        let Some(members) = self.map(event, at) else { return };
        let anywhere = match self.text(members, at, "match") {
            None | Some("exact_position") => false,
            Some("any_position") => true,
            Some(other) => {
                return self.wrong_name(&inner(at, "match"), "match", other, &["exact_position", "any_position"]);
            }
        };
        // Without an index, the position is that in the list.
        let position = self.number(members, at, "index").unwrap_or(index);
        let rest: Map<String, Value> = members
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "description" | "match" | "index"))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let conditions = self.event_conditions(&Value::Object(rest), at, captured);
        if anywhere {
            add(places, String::new(), Matcher::Some(conditions));
        } else {
            let way = inner("", position);
            conditions.into_iter().for_each(|(place, matcher)| add(places, format!("{way}{place}"), matcher));
        }
    }

    /// Conditions on one event, whose members the format spells in its own way.
    fn event_conditions(&mut self, event: &Value, at: &str, captured: &Captured) -> Places {
        if event.pointer("/status_update/final").is_some() || has_final(event) {
            self.beyond(at, &Part::Value, "events of A2A 1.0 have no `final`");
        }
        self.conditions(event, at, captured).into_iter().map(spelled).collect()
    }
}

/// States never regress (7.1): a terminal one is the last, and submitted is the first. A state may repeat.
fn monotonic() -> Vec<Matcher> {
    let shows = |matcher: &Matcher| STATES.map(|place| BTreeMap::from([(place.to_owned(), matcher.clone())])).to_vec();
    let is = |state: &str| shows(&Matcher::Equals(Value::from(state)));
    let is_other = |state: &str| shows(&Matcher::NotOneOf(vec![Value::from(state)]));
    let ends = TERMINAL.into_iter().map(|state| Matcher::NeverAfter(is(state), is_other(state)));
    ends.chain([Matcher::NeverAfter(is_other(SUBMITTED), is(SUBMITTED))]).collect()
}

fn has_final(event: &Value) -> bool {
    match event {
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| (name == "status_update" && member.get("final").is_some()) || has_final(member)),
        Value::Array(items) => items.iter().any(has_final),
        _ => false,
    }
}

fn spelled((place, matcher): (String, Matcher)) -> (String, Matcher) {
    let kind = KINDS.iter().find_map(|(theirs, ours)| {
        let rest = place.strip_prefix('/')?.strip_prefix(theirs)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("/{ours}{rest}"))
    });
    let groups = |groups: Vec<BTreeMap<String, Matcher>>| -> Vec<BTreeMap<String, Matcher>> {
        groups.into_iter().map(|group| group.into_iter().map(spelled).collect()).collect()
    };
    let matcher = match matcher {
        Matcher::AnyOf(any) if place.is_empty() => Matcher::AnyOf(groups(any)),
        Matcher::NoneOf(none) if place.is_empty() => Matcher::NoneOf(groups(none)),
        Matcher::All(parts) if place.is_empty() => {
            Matcher::All(parts.into_iter().map(|part| spelled((String::new(), part)).1).collect())
        }
        other => other,
    };
    (kind.unwrap_or(place), matcher)
}
