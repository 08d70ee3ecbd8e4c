//! The tables of a version that are compared.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Table;
use crate::profile::facts::{InterfaceFacts, Timestamps};
use crate::profile::shape::Shape;
use crate::profile::{Binding, Dialect, Operation, Profile};

/// A topic with its table of the first version; some need to know of the second, too.
type Topic = (&'static str, fn(&Profile, &Profile) -> Table);

/// Every topic but the demands, in the order in which they are told.
pub(super) const TOPICS: &[Topic] = &[
    ("The agent card", card),
    ("Headers of every request", |profile, _| profile.facts.headers.clone()),
    ("Bindings", bindings),
    ("Methods of JSON-RPC", methods),
    ("Routes of HTTP+JSON", routes),
    ("Rpcs of gRPC", rpcs),
    ("Results over JSON-RPC", results),
    ("Values in JSON", values),
    ("Members in JSON", members),
    ("Errors", errors),
    ("Spelling", spelling),
];

fn table<K: ToString, V: ToString>(rows: impl IntoIterator<Item = (K, V)>) -> Table {
    rows.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn card(profile: &Profile, _: &Profile) -> Table {
    let facts = &profile.facts.card;
    let mut rows =
        table(facts.capabilities.iter().map(|(capability, pointer)| (format!("says {capability} at"), pointer)));
    rows.insert("is at".to_owned(), facts.well_known.join(", "));
    rows.insert("declares interfaces at".to_owned(), facts.interfaces.iter().map(place).collect::<Vec<_>>().join(", "));
    rows.insert("names its version".to_owned(), profile.facts.declared_as.join(", "));
    rows
}

fn place(facts: &InterfaceFacts) -> String {
    facts.list.clone().unwrap_or_else(|| facts.url.clone())
}

fn bindings(profile: &Profile, _: &Profile) -> Table {
    table(profile.facts.bindings.iter().map(|(binding, facts)| {
        let types = facts.media_types.join(" or ");
        let service = facts.service.clone().unwrap_or_default();
        (
            binding,
            [facts.declared_as.clone(), types, service]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        )
    }))
}

fn methods(profile: &Profile, _: &Profile) -> Table {
    table(profile.facts.operations.iter().filter_map(|(operation, facts)| Some((operation, facts.method.clone()?))))
}

fn routes(profile: &Profile, _: &Profile) -> Table {
    table(profile.routes.iter().map(|(operation, routes)| {
        let routes: Vec<String> = routes.iter().map(|route| format!("{} {}", route.verb, route.path)).collect();
        (operation, routes.join(", "))
    }))
}

fn rpcs(profile: &Profile, _: &Profile) -> Table {
    let Some(descriptors) = &profile.descriptors else { return Table::new() };
    table(profile.facts.operations.iter().filter_map(|(operation, facts)| {
        let rpc = descriptors.rpc(*operation, facts)?;
        Some((operation, descriptors.path(rpc.name())))
    }))
}

/// The dialect of JSON-RPC, which every version has.
fn json(profile: &Profile) -> Option<&Dialect> {
    profile.dialects_over(Binding::Jsonrpc).next().map(AsRef::as_ref)
}

/// How results that may be one thing or another say which they are.
fn results(profile: &Profile, other: &Profile) -> Table {
    let Some(dialect) = json(profile) else { return Table::new() };
    let alternatives = |kind: &str| -> BTreeSet<&str> {
        let shapes = [profile, other].into_iter().filter_map(json).filter_map(|dialect| dialect.types.get(kind));
        shapes.flat_map(Shape::alternatives).collect()
    };
    let of_operation = |operation: Operation, kind: &str| {
        let rows = alternatives(kind).into_iter().filter_map(|name| {
            let wire = dialect.to_wire(kind, &json!({ name: {} }));
            let members = wire.as_object()?;
            let tag = || members.iter().find_map(|(tag, value)| Some((tag, value.as_str()?)));
            let told = match (members.get(name), tag()) {
                (Some(_), _) => format!("in the member {name}"),
                (None, Some((tag, value))) => format!("told by {tag}: {value}"),
                (None, None) => "told by its members".to_owned(),
            };
            let is_known = dialect.types.get(kind).is_some_and(|shape| shape.alternatives().any(|known| known == name));
            is_known.then(|| (format!("{operation}, {name}"), told))
        });
        rows.collect::<Vec<_>>()
    };
    let unions = [Operation::SendMessage, Operation::SendStreamingMessage];
    table(
        unions
            .into_iter()
            .filter_map(|one| Some((one, profile.operation(one)?.result.as_deref()?)))
            .flat_map(|(operation, kind)| of_operation(operation, kind)),
    )
}

/// How a version spells the values of the canonical enumerations; where it says nothing, they are its own.
fn values(profile: &Profile, other: &Profile) -> Table {
    let Some(dialect) = json(profile) else { return Table::new() };
    let canonical: BTreeMap<&str, &str> = [profile, other]
        .into_iter()
        .filter_map(json)
        .flat_map(|dialect| &dialect.types)
        .filter_map(|(kind, shape)| Some((kind.as_str(), shape.values.as_ref()?)))
        .flat_map(|(kind, values)| values.keys().map(move |name| (name.as_str(), kind)))
        .collect();
    table(canonical.into_iter().filter_map(|(name, kind)| {
        let wire = dialect.to_wire(kind, &Value::from(name));
        let is_known = dialect.violations(kind, &wire).is_empty();
        is_known.then(|| (name, wire.as_str().unwrap_or_default().to_owned()))
    }))
}

/// The members of all that operations and the card are made of, by their names on the wire, and whether they are required.
fn members(profile: &Profile, other: &Profile) -> Table {
    let Some(dialect) = json(profile) else { return Table::new() };
    let operations = profile.facts.operations.values().flat_map(|facts| [&facts.params, &facts.result]);
    let roots = operations.flatten().chain([&profile.facts.card.kind]).map(|kind| dialect.wire_type(kind));
    let wire: BTreeSet<&str> = roots.flat_map(|root| dialect.schemas.within(root)).collect();
    // What has another name on this wire, or one name for several, goes by its canonical ones.
    let mut canonical: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for kind in [profile, other].into_iter().filter_map(json).flat_map(|dialect| dialect.types.keys()) {
        canonical.entry(dialect.wire_type(kind)).or_default().insert(kind);
    }
    let of_type = |wire: &str| {
        let required = dialect.schemas.required(wire);
        let kinds = canonical.get(wire).cloned().unwrap_or_else(|| BTreeSet::from([wire]));
        let properties = dialect.schemas.properties(wire);
        let rows = kinds.iter().flat_map(|kind| {
            let need = |name: &str| if required.contains(&name) { "required" } else { "optional" };
            properties.iter().map(move |name| (format!("{kind}.{name}"), need(name)))
        });
        rows.collect::<Vec<_>>()
    };
    table(wire.into_iter().flat_map(of_type))
}

fn errors(profile: &Profile, _: &Profile) -> Table {
    table(profile.facts.errors.iter().map(|(name, facts)| {
        let parts = [
            facts.jsonrpc.map(|code| code.to_string()),
            (!facts.http.is_empty()).then(|| format!("HTTP {}", facts.http.join(" or "))),
            (!facts.grpc.is_empty()).then(|| facts.grpc.join(" or ")),
            facts.reason.clone(),
            facts.kind.clone(),
        ];
        (name, parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }))
}

fn spelling(profile: &Profile, _: &Profile) -> Table {
    let timestamps = match profile.facts.timestamps {
        Timestamps::Utc => "RFC 3339 in UTC, with Z",
        Timestamps::Iso8601 => "any date and time of ISO 8601",
    };
    table([("timestamps", timestamps)])
}
