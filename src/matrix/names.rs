//! Which reports are of one agent, and names that no two agents have in common.

use std::collections::{BTreeMap, BTreeSet};

use super::Agent;

/// Makes one agent of all whose name the user gave: such a name counts more than a URL, which can change from run to run.
pub(super) fn joined(agents: impl IntoIterator<Item = Agent>) -> Vec<Agent> {
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    let mut joined: Vec<Agent> = Vec::new();
    for agent in agents {
        let known = given.get(&agent.name).copied().filter(|_| agent.is_named);
        match known.and_then(|place| joined.get_mut(place)) {
            Some(same) => {
                same.runs.extend(agent.runs);
                same.not_checked = same.not_checked.take().or(agent.not_checked);
            }
            None => {
                if agent.is_named {
                    given.insert(agent.name.clone(), joined.len());
                }
                joined.push(agent);
            }
        }
    }
    joined
}

/// Gives each agent a name that no other has: its own, with its URL where others have the same.
pub(super) fn distinguish(agents: &mut [Agent]) {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for agent in agents.iter() {
        *times.entry(agent.name.clone()).or_default() += 1;
    }
    let is_shared = |name: &str| times.get(name).is_some_and(|times| *times > 1);
    // A name can look like another one with its URL: the names of the cards are first.
    let mut taken: BTreeSet<String> = times.keys().filter(|name| !is_shared(name)).cloned().collect();
    for agent in agents {
        if !is_shared(&agent.name) {
            agent.label.clone_from(&agent.name);
            continue;
        }
        let mut label = format!("{} ({})", agent.name, agent.url);
        while taken.contains(&label) {
            label.push('\'');
        }
        taken.insert(label.clone());
        agent.label = label;
    }
}
