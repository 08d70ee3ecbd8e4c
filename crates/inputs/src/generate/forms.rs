//! From a JSON Schema to the forms of its values: every `oneOf`, `if` and `not` is decided once and for all.
//!
//! A form is a conjunction, and the forms of a schema are its disjunctive normal form without what contradicts itself. So a
//! value is made by taking a form and filling it in, and nothing is ever tried and thrown away. Where a keyword cannot be
//! negated here, its negation has no forms: fewer values are made, and none that is wrong.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::form::{ANYTHING, Form, Member, Node, Type, Types};

/// The forms of every type of some schemas that has been asked for.
#[derive(Debug)]
pub(super) struct Forms {
    nodes: Vec<Vec<Form>>,
    named: HashMap<String, Node>,
}

impl Forms {
    /// The forms of all these definitions.
    pub fn of(definitions: &Value) -> Self {
        let mut builder =
            Builder { definitions, known: HashMap::new(), nodes: vec![Vec::new()], open: BTreeSet::new() };
        let all = definitions.as_object().into_iter().flatten();
        let named = all.map(|(name, schema)| (name.clone(), builder.node(vec![Clause(schema, true)]))).collect();
        let nodes = builder.nodes;
        Self { nodes, named }
    }

    /// The node of a type.
    pub fn named(&self, kind: &str) -> Option<Node> {
        self.named.get(kind).copied()
    }

    /// The forms of a node: none where it is anything, or where nothing satisfies it.
    pub fn at(&self, node: Node) -> &[Form] {
        self.nodes.get(node).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A schema that must hold, or must not.
#[derive(Clone, Copy)]
struct Clause<'a>(&'a Value, bool);

impl Clause<'_> {
    fn key(self) -> (usize, bool) {
        (std::ptr::from_ref(self.0) as usize, self.1)
    }
}

/// A form in the making.
#[derive(Clone)]
struct Draft<'a> {
    types: Types,
    values: Option<Vec<&'a Value>>,
    not: Vec<&'a Value>,
    members: Vec<(&'a str, Vec<Clause<'a>>)>,
    required: BTreeSet<&'a str>,
    absent: BTreeSet<&'a str>,
    rest: Vec<Clause<'a>>,
    items: Vec<Clause<'a>>,
    least_items: usize,
    least_members: usize,
    most_members: usize,
    least: Option<i64>,
    most: Option<i64>,
    leaves_out: bool,
}

impl<'a> Draft<'a> {
    fn new() -> Self {
        Self {
            types: Types::any(),
            values: None,
            not: Vec::new(),
            members: Vec::new(),
            required: BTreeSet::new(),
            absent: BTreeSet::new(),
            rest: Vec::new(),
            items: Vec::new(),
            least_items: 0,
            least_members: 0,
            most_members: usize::MAX,
            least: None,
            most: None,
            leaves_out: false,
        }
    }

    /// Adds what must hold of a member.
    fn member(&mut self, name: &'a str, clause: Clause<'a>) {
        match self.members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, clauses)) => clauses.push(clause),
            None => self.members.push((name, vec![clause])),
        }
    }

    /// Lets only these values be.
    fn among(&mut self, values: impl Iterator<Item = &'a Value> + Clone) {
        match &mut self.values {
            Some(known) => known.retain(|value| values.clone().any(|other| other == *value)),
            None => self.values = Some(values.collect()),
        }
    }

    /// Whether nothing simple contradicts itself; what the members hold is not looked at.
    fn is_possible(&mut self) -> bool {
        if let Some(values) = &mut self.values {
            values.retain(|value| self.types.hold(value) && !self.not.contains(value));
            if values.is_empty() {
                return false;
            }
        }
        let needs_object = self.types == Types::only(Type::Object);
        let contradicts = self.required.iter().any(|name| self.absent.contains(name))
            || self.least_members.max(self.required.len()) > self.most_members;
        if contradicts && !needs_object {
            // What is no object may still be.
            self.types = self.types.and(Types::only(Type::Object).others());
        }
        !(self.types.is_empty() || contradicts && needs_object)
    }
}

struct Builder<'a> {
    definitions: &'a Value,
    /// The nodes of sets of clauses.
    known: HashMap<Vec<(usize, bool)>, Node>,
    nodes: Vec<Vec<Form>>,
    /// The nodes that are being made.
    open: BTreeSet<Node>,
}

impl<'a> Builder<'a> {
    /// The node of what all these clauses leave.
    fn node(&mut self, clauses: Vec<Clause<'a>>) -> Node {
        let mut key: Vec<(usize, bool)> = clauses.iter().map(|clause| clause.key()).collect();
        key.sort_unstable();
        key.dedup();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if clauses.iter().all(|Clause(schema, holds)| *holds && says_nothing(schema)) {
            return ANYTHING;
        }
        let node = self.nodes.len();
        self.nodes.push(Vec::new());
        self.known.insert(key, node);
        self.open.insert(node);
        let drafts = clauses.iter().fold(vec![Draft::new()], |drafts, clause| self.narrow(drafts, *clause));
        let mut forms: Vec<Form> = drafts.into_iter().filter_map(|draft| self.finish(draft)).collect();
        // Null says least, and so comes last.
        forms.sort_by_key(|form| form.types == Types::only(Type::Null));
        if let Some(place) = self.nodes.get_mut(node) {
            *place = forms;
        }
        self.open.remove(&node);
        node
    }

    /// Whether anything satisfies all these clauses. Of a type that is within itself it is taken to be so.
    fn is_possible(&mut self, clauses: Vec<Clause<'a>>) -> bool {
        let node = self.node(clauses);
        node == ANYTHING || self.open.contains(&node) || self.nodes.get(node).is_some_and(|forms| !forms.is_empty())
    }

    /// What is left of some drafts when a clause must hold, too.
    fn narrow(&mut self, drafts: Vec<Draft<'a>>, Clause(schema, holds): Clause<'a>) -> Vec<Draft<'a>> {
        let keywords = match schema {
            Value::Bool(all) => return if *all == holds { drafts } else { Vec::new() },
            Value::Object(keywords) => keywords,
            _ => return drafts,
        };
        let words = || keywords.iter().filter(|(word, _)| !matches!(word.as_str(), "then" | "else" | "description"));
        if holds {
            // What is simple goes first: it leaves fewer drafts for what branches.
            let branches = |word: &str| matches!(word, "allOf" | "anyOf" | "oneOf" | "if" | "not");
            let (simple, branching): (Vec<_>, Vec<_>) = words().partition(|(word, _)| !branches(word));
            let all = simple.into_iter().chain(branching);
            return all.fold(drafts, |drafts, (word, value)| self.keyword(drafts, word, value, schema));
        }
        let mut left = Vec::new();
        for (word, value) in words() {
            left.extend(self.no_keyword(drafts.clone(), word, value));
        }
        left
    }

    /// What is left when a keyword must hold.
    fn keyword(&mut self, drafts: Vec<Draft<'a>>, word: &str, value: &'a Value, schema: &'a Value) -> Vec<Draft<'a>> {
        let list = || value.as_array().map(Vec::as_slice).unwrap_or_default();
        match word {
            "$ref" => match self.target(value) {
                Some(target) => self.narrow(drafts, Clause(target, true)),
                None => drafts,
            },
            "allOf" => list().iter().fold(drafts, |drafts, each| self.narrow(drafts, Clause(each, true))),
            "anyOf" => self.branches(drafts, list().len(), |all, draft, chosen| {
                list().get(chosen).map(|each| all.narrow(vec![draft], Clause(each, true))).unwrap_or_default()
            }),
            "oneOf" => self.branches(drafts, list().len(), |all, draft, chosen| {
                let each = list().iter().enumerate();
                each.fold(vec![draft], |drafts, (place, each)| all.narrow(drafts, Clause(each, place == chosen)))
            }),
            "not" => self.narrow(drafts, Clause(value, false)),
            "if" => self.branches(drafts, 2, |all, draft, branch| {
                let left = all.narrow(vec![draft], Clause(value, branch == 0));
                match schema.get(if branch == 0 { "then" } else { "else" }) {
                    Some(then) => all.narrow(left, Clause(then, true)),
                    None => left,
                }
            }),
            _ => self.each(drafts, |draft| match word {
                "type" => draft.types = draft.types.and(Types::named(value)),
                "const" => draft.among(std::iter::once(value)),
                "enum" => draft.among(list().iter()),
                "required" => draft.required.extend(list().iter().filter_map(Value::as_str)),
                "properties" => {
                    for (name, schema) in value.as_object().into_iter().flatten() {
                        draft.member(name, Clause(schema, true));
                    }
                }
                "additionalProperties" => draft.rest.push(Clause(value, true)),
                "items" => draft.items.push(Clause(value, true)),
                "minItems" => draft.least_items = draft.least_items.max(count(value)),
                "minProperties" => draft.least_members = draft.least_members.max(count(value)),
                // Texts are not made by a pattern: where a value may be of another type, it is.
                "pattern" => {
                    draft.types = draft.types.and(Types::only(Type::String).others());
                    draft.leaves_out = true;
                }
                "minimum" => draft.least = value.as_i64().max(draft.least),
                "maximum" => {
                    draft.most = value.as_i64().into_iter().chain(draft.most).min();
                }
                _ => {}
            }),
        }
    }

    /// Every branch of every draft, so that those of the first branches stay first.
    fn branches(
        &mut self,
        drafts: Vec<Draft<'a>>,
        count: usize,
        branch: impl Fn(&mut Self, Draft<'a>, usize) -> Vec<Draft<'a>>,
    ) -> Vec<Draft<'a>> {
        let mut left = Vec::new();
        for draft in drafts {
            for chosen in 0..count {
                left.extend(branch(self, draft.clone(), chosen));
            }
        }
        left
    }

    /// What is left when a keyword must not hold.
    fn no_keyword(&mut self, drafts: Vec<Draft<'a>>, word: &str, value: &'a Value) -> Vec<Draft<'a>> {
        let list = || value.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut left = Vec::new();
        match word {
            "$ref" => match self.target(value) {
                Some(target) => self.narrow(drafts, Clause(target, false)),
                None => Vec::new(),
            },
            "allOf" => list().iter().flat_map(|each| self.narrow(drafts.clone(), Clause(each, false))).collect(),
            "anyOf" => list().iter().fold(drafts, |drafts, each| self.narrow(drafts, Clause(each, false))),
            "not" => self.narrow(drafts, Clause(value, true)),
            "type" => self.each(drafts, |draft| draft.types = draft.types.and(Types::named(value).others())),
            "const" => self.each(drafts, |draft| draft.not.push(value)),
            "enum" => self.each(drafts, |draft| draft.not.extend(list())),
            "required" => {
                for name in list().iter().filter_map(Value::as_str) {
                    left.extend(self.each(drafts.clone(), |draft| {
                        draft.types = draft.types.and(Types::only(Type::Object));
                        draft.absent.insert(name);
                    }));
                }
                left
            }
            "properties" => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    left.extend(self.each(drafts.clone(), |draft| {
                        draft.types = draft.types.and(Types::only(Type::Object));
                        draft.required.insert(name);
                        draft.member(name, Clause(schema, false));
                    }));
                }
                left
            }
            "minProperties" => self.each(drafts, |draft| {
                draft.types = draft.types.and(Types::only(Type::Object));
                draft.most_members = draft.most_members.min(count(value).saturating_sub(1));
            }),
            _ => Vec::new(),
        }
    }

    /// Changes each draft, and keeps those that are still possible.
    fn each(&mut self, drafts: Vec<Draft<'a>>, change: impl Fn(&mut Draft<'a>)) -> Vec<Draft<'a>> {
        let mut left = Vec::new();
        for mut draft in drafts {
            change(&mut draft);
            if draft.is_possible() && self.members_are_possible(&mut draft) {
                left.push(draft);
            }
        }
        left
    }

    /// Whether every required member of an object can be; those that cannot and need not are absent from now on.
    fn members_are_possible(&mut self, draft: &mut Draft<'a>) -> bool {
        for place in 0..draft.members.len() {
            let Some((name, clauses)) = draft.members.get(place) else { continue };
            let (name, is_simple) =
                (*name, clauses.len() == 1 && clauses.iter().all(|Clause(schema, holds)| *holds && schema.is_object()));
            if is_simple || draft.absent.contains(name) {
                continue;
            }
            let clauses = clauses.clone();
            if !self.is_possible(clauses) {
                draft.absent.insert(name);
            }
        }
        draft.is_possible()
    }

    fn finish(&mut self, draft: Draft<'a>) -> Option<Form> {
        let required = draft.required;
        let mut members = Vec::new();
        for (name, clauses) in draft.members {
            if !draft.absent.contains(name) {
                let node = self.node(clauses);
                members.push(Member { name: name.to_owned(), node, is_required: required.contains(name) });
            }
        }
        let unnamed = required.iter().filter(|name| !members.iter().any(|member| member.name == **name));
        let unnamed: Vec<Member> =
            unnamed.map(|name| Member { name: (*name).to_owned(), node: ANYTHING, is_required: true }).collect();
        members.extend(unnamed);
        Some(Form {
            types: match &draft.values {
                Some(values) => values.iter().fold(Types::none(), |all, value| all.or(Types::of(value))),
                None => draft.types,
            },
            values: draft.values.map(|values| values.into_iter().cloned().collect()),
            not: draft.not.into_iter().cloned().collect(),
            members,
            rest: if draft.rest.is_empty() { None } else { Some(self.node(draft.rest)) },
            items: self.node(draft.items),
            least_items: draft.least_items,
            least_members: draft.least_members,
            most_members: draft.most_members,
            least: draft.least,
            most: draft.most,
            leaves_out: draft.leaves_out,
        })
    }

    fn target(&self, reference: &Value) -> Option<&'a Value> {
        self.definitions.get(reference.as_str()?.strip_prefix("#/$defs/")?)
    }
}

/// Whether a schema allows everything.
fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(keywords) => keywords.keys().all(|word| word == "description"),
        _ => true,
    }
}

fn count(value: &Value) -> usize {
    value.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}
