//! Walks the pages of a list, no further than it takes to know the answer: an agent may hold any number of tasks.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::scope::Scope;
use crate::case::{Matcher, Step, Walk, resolve};
use crate::judge::{self, Observation};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::session::message;
use crate::session::{Session, StepError};
use crate::transcript::Answer;

/// The most pages of a walk: several times what the suite's own tasks fill.
const MOST_PAGES: usize = 20;

/// Walks until the list ends, until the step's `until` holds, or until `each` of its expectation has failed. A token is never
/// asked for twice: a list that leads back to where it was is over, and the judge sees that it had no last page.
pub(super) async fn walk(
    session: &Session,
    scope: &Scope<'_>,
    step: &Step,
    walk: &Walk,
    purpose: &str,
) -> Result<Observation, StepError> {
    let enough = Enough::new(scope, step, walk)?;
    let mut params = resolve(&walk.with, scope)?;
    let mut asked: BTreeSet<String> = token_in(&params, "pageToken").into_iter().collect();
    let mut pages = Vec::new();
    loop {
        let answer = session.call(Operation::ListTasks, params.clone(), purpose).await?;
        let next = answer.result().and_then(|page| token_in(page, "nextPageToken"));
        pages.push(answer);
        let Some(token) = next.filter(|token| !enough.is_seen(&pages) && asked.insert(token.clone())) else {
            return Ok(Observation::Walk(pages));
        };
        if pages.len() == MOST_PAGES {
            let (all, tasks) = (MOST_PAGES.to_string(), tasks_on(&pages).to_string());
            return Err(StepError::Unreached(Reason::ListTooLong { pages: all, tasks }));
        }
        message::merge(&mut params, &json!({ "pageToken": token }));
    }
}

/// What ends a walk before its last page; references are filled in.
struct Enough {
    until: BTreeMap<String, Matcher>,
    expected: BTreeMap<String, Matcher>,
}

impl Enough {
    fn new(scope: &Scope<'_>, step: &Step, walk: &Walk) -> Result<Self, StepError> {
        let fill = |matcher: &Matcher| matcher.map_values(&mut |value| resolve(value, scope));
        let until = walk.until.iter().map(|(place, matcher)| Ok((place.clone(), fill(matcher)?)));
        // An expectation may name the step's own answer, which is not there before the walk is over.
        let expected = step.expect.iter().flat_map(|expect| &expect.at);
        let expected = expected.filter_map(|(place, matcher)| Some((place.clone(), fill(matcher).ok()?)));
        Ok(Self { until: until.collect::<Result<_, StepError>>()?, expected: expected.collect() })
    }

    fn is_seen(&self, pages: &[Answer]) -> bool {
        let Some(root) = judge::walked(pages) else { return true };
        let holds = self.until.iter().all(|(place, matcher)| judge::check(&root, place, matcher).is_empty());
        let is_refuted = self.expected.iter().any(|(place, matcher)| judge::refutes(&root, place, matcher));
        (holds && !self.until.is_empty()) || is_refuted
    }
}

/// A page token; the empty one leads nowhere.
fn token_in(value: &Value, member: &str) -> Option<String> {
    value.get(member).and_then(Value::as_str).filter(|token| !token.is_empty()).map(str::to_owned)
}

fn tasks_on(pages: &[Answer]) -> usize {
    let tasks = pages.iter().filter_map(|page| page.result()?.get("tasks")?.as_array());
    tasks.map(Vec::len).sum()
}
