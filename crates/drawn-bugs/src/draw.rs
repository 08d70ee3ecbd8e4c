//! Draws bugs: the same seed gives the same bugs.
//!
//! The places come from the public definition of the protocol, and the values from the whole range of their types. Nothing
//! here is a list of values.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::bug::{Bindings, Bug, Condition, Effect, How, Language, OtherId, Place, Rarity, Relation, Scope, Sort};
use crate::call::task_member;
use crate::chance::Chance;
use crate::schema::{self, Member, MemberKind, Operation};
use crate::{hold, value};

/// How many values are tried for the rarity of a condition.
const TRIED: usize = 4096;

/// The first `n` bugs of a seed. Some may be out of reach for every client: see [`crate::reach`].
#[must_use]
pub fn draw(seed: u64, n: u64) -> Vec<Bug> {
    (0..n).map(|index| one(seed, index, 0)).collect()
}

/// The bug at an index, drawn again for each further attempt.
#[must_use]
pub fn one(seed: u64, index: u64, attempt: u64) -> Bug {
    let mut chance = Chance::new(seed);
    let mut mixed = Chance::new(chance.next() ^ index.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut chance = Chance::new(mixed.next() ^ attempt.wrapping_mul(0x9e6c_63d0_876a_68ee));
    let chance = &mut chance;
    // The effect comes first, so that each class is as likely as any other.
    let (operation, effect) = loop {
        let class = chance.pick(&Effect::CLASSES);
        let operation = chance.pick(schema::all());
        if let Some(effect) = effect(class, operation, chance) {
            break (operation, effect);
        }
    };
    let mut binding = match chance.below(4) {
        0 => Bindings::JsonRpc,
        1 => Bindings::HttpJson,
        _ => Bindings::Both,
    };
    let wanted = if chance.one_in(4) { chance.between(2, 3) } else { 1 };
    let mut conditions: Vec<Condition> = Vec::new();
    // An operation with few members may not have so many places.
    for _ in 0..wanted * 8 {
        if conditions.len() as u64 == wanted {
            break;
        }
        let is_new = |place: &Place| {
            conditions.iter().all(|other| {
                other.place.class() != place.class()
                    || matches!((&other.place, place),
                (Place::Member(left), Place::Member(right)) if left != right)
            })
        };
        if let Some(condition) = condition(operation, &mut binding, chance)
            && is_new(&condition.place)
        {
            conditions.push(condition);
        }
    }
    let rarity = conditions.iter().filter_map(|condition| rarity(operation, condition)).max().unwrap_or(Rarity::State);
    let hints = (1..conditions.len()).map(|_| name(chance)).collect();
    let id = if attempt == 0 { format!("{seed}-{index}") } else { format!("{seed}-{index}-{attempt}") };
    Bug { id, operation: operation.name.clone(), binding, conditions, hints, effect, rarity }
}

/// A name of a few letters.
fn name(chance: &mut Chance) -> String {
    let length = chance.between(3, 8);
    (0..length).map(|_| char::from(b'a' + u8::try_from(chance.below(26)).unwrap_or_default())).collect()
}

/// Members of the answer in which a change is a violation. A time, a secret, and what an agent may leave out or word as it likes
/// is none of them.
fn judged<'a>(operation: &'a Operation, is_it: &dyn Fn(&Member) -> bool) -> Vec<&'a str> {
    const SENT: [&str; 3] = ["/history/*/", "/artifacts/*/", "/artifactUpdate/artifact/"];
    // The card belongs to the agent.
    let is_config = operation.name.contains("Config");
    let is_judged = |member: &&Member| {
        let at = member.pointer.as_str();
        let is_kept = SENT.iter().any(|part| at.contains(part)) || is_config || member.is_required;
        is_kept
            && is_it(member)
            && !["/token", "/credentials", "/timestamp", "/tenant"].iter().any(|end| at.ends_with(end))
    };
    operation.answered.iter().filter(is_judged).map(|member| member.pointer.as_str()).collect()
}

/// An effect of a class, if the operation can have one.
fn effect(class: &str, operation: &Operation, chance: &mut Chance) -> Option<Effect> {
    let name_of = operation.name.as_str();
    let is_list = name_of.starts_with("List");
    let is_card = name_of == "GetExtendedAgentCard";
    let some = |at: Vec<&str>, chance: &mut Chance| (!at.is_empty()).then(|| (*chance.pick(&at)).to_owned());
    let is_id = |member: &Member| member.kind == MemberKind::Text && ends_in_id(&member.pointer);
    let is_text = |member: &Member| member.kind == MemberKind::Text && !ends_in_id(&member.pointer);
    let is_value = |member: &Member| is_text(member) || matches!(member.kind, MemberKind::Free(_));
    let is_list_of_objects = |member: &Member| member.kind == MemberKind::List && !member.pointer.ends_with("/tasks");
    Some(match class {
        "internal-error" => Effect::InternalError,
        "http-5xx" => Effect::Status(u16::try_from(chance.between(500, 599)).ok()?),
        "hang" => Effect::Hang,
        "close" => Effect::Close { is_inside: chance.one_in(2) },
        "lose" => Effect::Lose(some(judged(operation, &|_| true), chance)?),
        "cut" if !is_card => {
            Effect::Cut(some(judged(operation, &is_text), chance)?, usize::try_from(chance.sized(9)).ok()?)
        }
        "normalise" if !is_card => {
            let hows =
                [How::Lower, How::Trim, How::Squeeze, How::Ascii, How::Controls, How::Html, How::Single, How::Whole];
            Effect::Normalise(some(judged(operation, &is_value), chance)?, *chance.pick(&hows))
        }
        "other-id" if !is_card => {
            let kind = *chance.pick(&[OtherId::Near, OtherId::Known]);
            Effect::OtherId(some(judged(operation, &is_id), chance)?, kind)
        }
        "swap" if !is_card => Effect::Swap(some(judged(operation, &is_list_of_objects), chance)?),
        "repeat" if !is_card => {
            let at = judged(operation, &|member| member.kind == MemberKind::List);
            Effect::Repeat(some(at, chance)?)
        }
        "stale" if is_list || name_of == "GetTask" || name_of.starts_with("GetTaskPush") => Effect::Stale,
        "leak" if is_list || name_of == "GetTask" => Effect::Leak,
        "wrong-order" if name_of == "ListTasks" => Effect::WrongOrder,
        "wrong-page-size" if name_of == "ListTasks" => Effect::WrongPageSize(chance.one_in(2)),
        "reflect" => {
            let texts: Vec<&str> = operation
                .asked
                .iter()
                .filter(|member| member.kind == MemberKind::Text)
                .map(|member| member.pointer.as_str())
                .collect();
            Effect::Reflect(format!("x-{}", name(chance)), some(texts, chance)?)
        }
        "trace" => {
            let languages = [Language::Python, Language::Java, Language::JavaScript, Language::Go, Language::Rust];
            Effect::Trace(*chance.pick(&languages))
        }
        "event-twice" if operation.is_stream => Effect::EventTwice,
        "event-lost" if operation.is_stream => Effect::EventLost,
        "events-swapped" if operation.is_stream => Effect::EventsSwapped,
        "event-foreign" if operation.is_stream => Effect::EventForeign,
        "delivery-twice" if makes_webhooks(operation) => Effect::DeliveryTwice,
        "delivery-none" if makes_webhooks(operation) => Effect::DeliveryNone,
        "delivery-foreign" if makes_webhooks(operation) => Effect::DeliveryForeign,
        _ => return None,
    })
}

/// Whether a call can come with a webhook.
fn makes_webhooks(operation: &Operation) -> bool {
    operation.name.starts_with("Send") || operation.name == "CreateTaskPushNotificationConfig"
}

fn ends_in_id(pointer: &str) -> bool {
    let last = pointer.trim_end_matches("/*").rsplit('/').next().unwrap_or_default();
    last.ends_with("id") || last.ends_with("Id") || last.ends_with("Ids") || last.ends_with("Token")
}

/// A condition at a random place; `None` if the operation has no such place.
fn condition(operation: &Operation, binding: &mut Bindings, chance: &mut Chance) -> Option<Condition> {
    let has_body = operation.verb == "POST" || *binding == Bindings::JsonRpc;
    let has_task = task_member(&operation.name).is_some();
    let (place, relation) = match chance.below(22) {
        0 => header(chance),
        1 => match chance.one_in(2) {
            true => (Place::Head, Relation::LongerThan(usize::try_from(chance.sized(13)).ok()?)),
            false => (Place::Head, Relation::Items(usize::try_from(chance.sized(6)).ok()?)),
        },
        2 if operation.verb == "GET" && *binding != Bindings::JsonRpc => {
            *binding = Bindings::HttpJson;
            let relation = match chance.below(4) {
                0 => Relation::LongerThan(usize::try_from(chance.sized(11)).ok()?),
                1 => Relation::Twice,
                2 => Relation::Items(usize::try_from(chance.sized(5)).ok()?),
                _ => Relation::Contains(ascii(chance)),
            };
            (Place::Query, relation)
        }
        3 if has_body => {
            let relation = match chance.below(3) {
                0 => Relation::LongerThan(usize::try_from(chance.sized(16)).ok()?),
                1 => Relation::Contains(ascii(chance)),
                _ => range(chance),
            };
            (Place::Body, relation)
        }
        4 if *binding != Bindings::HttpJson => {
            *binding = Bindings::JsonRpc;
            let sorts = [Sort::Text, Sort::Negative, Sort::Fraction, Sort::Large, Sort::Null];
            let relation = match chance.below(3) {
                0 => Relation::Holds(*chance.pick(&sorts)),
                1 => Relation::LongerThan(usize::try_from(chance.sized(9)).ok()?),
                _ => counted(chance, 10),
            };
            (Place::Envelope, relation)
        }
        5 if operation.name.starts_with("List") => {
            (Place::Page, Relation::AtLeast(i64::try_from(chance.between(2, 5)).ok()?))
        }
        6 => {
            let before = chance.pick(schema::all()).name.clone();
            (Place::Order, Relation::Equals(json!(before)))
        }
        7 => {
            let scope = if has_task && chance.one_in(2) { Scope::Task } else { Scope::Agent };
            (Place::Calls(scope), counted(chance, if scope == Scope::Task { 3 } else { 8 }))
        }
        8 => match chance.below(3) {
            0 => (Place::Connection, counted(chance, 7)),
            1 => (Place::InFlight, Relation::AtLeast(i64::try_from(chance.between(2, 8)).ok()?)),
            _ => (Place::BehindRefusal, Relation::Present),
        },
        9 if has_task => match chance.below(3) {
            0 => {
                let states =
                    schema::all().iter().flat_map(|operation| &operation.asked).find_map(|member| match &member.kind {
                        MemberKind::Enum(names) if member.pointer == "/status" => Some(names),
                        _ => None,
                    });
                (Place::State, Relation::Equals(json!(chance.pick(states?))))
            }
            1 => (Place::Messages, counted(chance, 3)),
            _ => (Place::Webhooks, counted(chance, 3)),
        },
        10 | 11 => ratio(operation, chance)?,
        _ => {
            let members: Vec<&Member> = operation.asked.iter().collect();
            let member = (*chance.pick(&members)).clone();
            let relation = relation(&member, chance);
            (Place::Member(member.pointer), relation)
        }
    };
    Some(Condition { place, relation })
}

fn header(chance: &mut Chance) -> (Place, Relation) {
    // Fields that requests of the protocol can have: a random name would be a needle.
    let names =
        ["a2a-version", "a2a-extensions", "accept", "accept-encoding", "authorization", "content-type", "user-agent"];
    let relation = match chance.below(3) {
        0 => Relation::Present,
        1 => Relation::LongerThan(usize::try_from(chance.sized(10)).unwrap_or_default()),
        _ => Relation::Contains(ascii(chance)),
    };
    (Place::Header((*chance.pick(&names)).to_owned()), relation)
}

/// A printable character.
fn ascii(chance: &mut Chance) -> String {
    char::from(u8::try_from(chance.between(0x21, 0x7e)).unwrap_or(b'!')).to_string()
}

/// A range of characters, somewhere in Unicode and of a random size.
fn range(chance: &mut Chance) -> Relation {
    let first = chance.character();
    let last = u64::from(u32::from(first)) + chance.sized(12);
    let last = u32::try_from(last).ok().and_then(char::from_u32).unwrap_or(first);
    Relation::Range(first, last)
}

/// A relation of a count.
fn counted(chance: &mut Chance, bits: u64) -> Relation {
    let number = |chance: &mut Chance| i64::try_from(chance.sized(bits).max(1)).unwrap_or(1);
    match chance.below(3) {
        0 => Relation::Equals(json!(number(chance))),
        1 => Relation::AtLeast(number(chance)),
        _ => remainder(chance, bits),
    }
}

fn remainder(chance: &mut Chance, bits: u64) -> Relation {
    let by = i64::try_from(chance.sized(bits)).unwrap_or_default().max(2);
    let rest = i64::try_from(chance.below(u64::try_from(by).unwrap_or(2))).unwrap_or_default();
    Relation::Remainder { by, rest }
}

fn ratio(operation: &Operation, chance: &mut Chance) -> Option<(Place, Relation)> {
    let has_size = |member: &&Member| matches!(member.kind, MemberKind::Int | MemberKind::Text | MemberKind::List);
    let sized: Vec<&Member> = operation.asked.iter().filter(has_size).collect();
    let (left, right) = (*chance.pick(&sized), *chance.pick(&sized));
    (left.pointer != right.pointer)
        .then(|| (Place::Ratio(left.pointer.clone(), right.pointer.clone()), Relation::Times(chance.sized(6).max(1))))
}

/// A relation that a value of the member can have.
fn relation(member: &Member, chance: &mut Chance) -> Relation {
    let size = |chance: &mut Chance, bits| usize::try_from(chance.sized(bits)).unwrap_or_default();
    match &member.kind {
        MemberKind::Text => match chance.below(if ends_in_id(&member.pointer) { 7 } else { 6 }) {
            0 => Relation::Equals(json!(chance.text(8))),
            1 => Relation::LongerThan(size(chance, 15)),
            2 => Relation::Contains(chance.character().to_string()),
            3 => range(chance),
            4 => remainder(chance, 6),
            5 => Relation::Present,
            _ => Relation::OneOff,
        },
        MemberKind::Bytes => match chance.below(3) {
            0 => Relation::LongerThan(size(chance, 15)),
            1 => remainder(chance, 6),
            _ => Relation::Present,
        },
        MemberKind::Int => match chance.below(4) {
            0 => Relation::Equals(json!(value::int(chance))),
            1 => Relation::AtLeast(value::int(chance)),
            2 => Relation::AtMost(value::int(chance)),
            _ => remainder(chance, 8),
        },
        MemberKind::Flag => Relation::Equals(json!(chance.one_in(2))),
        MemberKind::Enum(names) => Relation::Equals(json!(chance.pick(names))),
        MemberKind::Time => match chance.below(4) {
            0 => Relation::Before(value::moment(chance)),
            1 => Relation::After(value::moment(chance)),
            2 => Relation::Digits(usize::try_from(chance.below(10)).unwrap_or_default()),
            _ => Relation::Offset,
        },
        MemberKind::Free(_) => match chance.below(6) {
            0 => Relation::Deep(size(chance, 5).max(1)),
            1 => Relation::Wide(size(chance, 8).max(1)),
            2 => Relation::LongerThan(size(chance, 14)),
            3 => range(chance),
            4 => Relation::Contains(chance.character().to_string()),
            _ => {
                let sorts =
                    [Sort::Null, Sort::Flag, Sort::Text, Sort::Negative, Sort::Fraction, Sort::Large, Sort::Empty];
                Relation::Holds(*chance.pick(&sorts))
            }
        },
        MemberKind::List => match chance.below(3) {
            0 => Relation::Twice,
            _ => Relation::Items(size(chance, 6)),
        },
        MemberKind::Object => Relation::Present,
    }
}

/// How seldom a condition holds for random values of its type; `None` if it is not about a value.
fn rarity(operation: &Operation, condition: &Condition) -> Option<Rarity> {
    let kind = |pointer: &str| {
        operation.asked.iter().find(|member| member.pointer == pointer).map(|member| member.kind.clone())
    };
    let share = match (&condition.place, &condition.relation) {
        // Nearness is known by looking at what was given, and presence is not about a value.
        (Place::Member(_) | Place::Header(_), Relation::OneOff | Relation::Present) => 1.0,
        (Place::Member(pointer), relation) => hold::share(relation, &values(&kind(pointer)?)),
        (Place::Head | Place::Query, Relation::Items(_) | Relation::Twice) => 1.0,
        (Place::Header(_) | Place::Head | Place::Query | Place::Body, relation) => {
            hold::share(relation, &values(&MemberKind::Text))
        }
        (Place::Envelope, relation) => hold::share(relation, &values(&MemberKind::Free(false))),
        (Place::Ratio(left, right), Relation::Times(times)) => {
            let (left, right) = (values(&kind(left)?), values(&kind(right)?));
            // Not the same one on both sides.
            let pairs = left.iter().zip(right.iter().rev());
            let held = pairs.filter(|(left, right)| hold::is_ratio(left, right, *times)).count();
            held as f64 / TRIED as f64
        }
        _ => return None,
    };
    Some(match share {
        share if share >= 1.0 / 8.0 => Rarity::Common,
        share if share >= 1.0 / 256.0 => Rarity::Seldom,
        share if share > 0.0 => Rarity::Rare,
        _ => Rarity::Needle,
    })
}

/// Random values of a kind, the same each time.
fn values(kind: &MemberKind) -> Arc<Vec<Value>> {
    static MADE: Mutex<Vec<(MemberKind, Arc<Vec<Value>>)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, values)) = made.iter().find(|(other, _)| other == kind) {
        return Arc::clone(values);
    }
    let mut chance = Chance::new(1);
    let values: Arc<Vec<Value>> = Arc::new((0..TRIED).map(|_| value::sample(kind, &mut chance)).collect());
    made.push((kind.clone(), Arc::clone(&values)));
    values
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_seed_always_draws_the_same() {
        assert_eq!(draw(11, 50), draw(11, 50));
        assert_ne!(draw(11, 50), draw(12, 50));
        // A longer draw begins with the shorter one.
        assert_eq!(draw(11, 50)[..20], draw(11, 20));
    }

    #[test]
    fn every_class_is_drawn() {
        let bugs = draw(5, 1000);
        let effects: BTreeSet<&str> = bugs.iter().map(|bug| bug.effect.class()).collect();
        assert_eq!(effects, Effect::CLASSES.into_iter().collect());
        let conditions = || bugs.iter().flat_map(|bug| &bug.conditions);
        let places: BTreeSet<&str> = conditions().map(|condition| condition.place.class()).collect();
        assert_eq!(places.len(), 12, "{places:?}");
        let relations: BTreeSet<&str> = conditions().map(|condition| condition.relation.class()).collect();
        assert_eq!(relations.len(), 17, "{relations:?}");
        let operations: BTreeSet<&str> = bugs.iter().map(|bug| bug.operation.as_str()).collect();
        assert_eq!(operations.len(), schema::all().len());
        let several = bugs.iter().filter(|bug| bug.conditions.len() > 1).count();
        assert!((180..320).contains(&several), "{several}");
        let rarities: BTreeSet<Rarity> = bugs.iter().map(|bug| bug.rarity).collect();
        assert_eq!(rarities.len(), 5);
        assert!(bugs.iter().all(|bug| !bug.conditions.is_empty() && bug.hints.len() + 1 == bug.conditions.len()));
    }

    #[test]
    fn a_bug_is_written_and_read() {
        for bug in draw(3, 200) {
            let text = serde_json::to_string(&bug).unwrap();
            assert_eq!(serde_json::from_str::<Bug>(&text).unwrap(), bug);
        }
    }
}
