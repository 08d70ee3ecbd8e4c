//! The steps of an attempt: one after the other, and some at once.

use serde_json::Value;

use super::probe::{Probe, Send};

/// The steps in their order, those that are made at once together.
pub(super) fn groups(steps: &[Probe]) -> impl Iterator<Item = &[Probe]> {
    steps.chunk_by(|_, next| next.is_beside)
}

/// These steps at once.
pub(super) fn at_once(mut steps: Vec<Probe>) -> Vec<Probe> {
    for (place, step) in steps.iter_mut().enumerate() {
        step.is_beside = place > 0;
    }
    steps
}

/// The steps up to one of them, with those that are made at once with it. What is made at once has no order: the one that is
/// meant comes last.
pub(super) fn until(steps: &[Probe], index: usize) -> Vec<Probe> {
    let mut kept = Vec::new();
    for group in groups(steps) {
        let place = index - kept.len();
        let mut group = group.to_vec();
        if place < group.len() {
            let meant = group.remove(place);
            group.push(meant);
            kept.extend(at_once(group));
            break;
        }
        kept.extend(group);
    }
    kept
}

/// The steps that are to be kept; those of which some were made at once still are.
pub(super) fn keep(steps: &[Probe], is_kept: impl Fn(usize, &Probe) -> bool) -> Vec<Probe> {
    let mut index = 0;
    let mut kept = Vec::new();
    for group in groups(steps) {
        let of_group = group.iter().zip(index..).filter(|(step, at)| is_kept(*at, step));
        kept.extend(at_once(of_group.map(|(step, _)| step.clone()).collect()));
        index += group.len();
    }
    kept
}

/// The same steps under other names, so that they can stand in one case with others that have the same.
pub(super) fn renamed(steps: &[Probe], number: usize) -> Vec<Probe> {
    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).filter(|name| !name.is_empty()).collect();
    let renamed = |step: &Probe| {
        let mut step = step.clone();
        if !step.name.is_empty() {
            step.name = format!("{}{number}", step.name);
        }
        if let Send::Call { params } = &mut step.send {
            rename(params, &names, number);
        }
        step.holds.clear();
        step
    };
    steps.iter().map(renamed).collect()
}

/// Another name in every reference to one of these.
fn rename(value: &mut Value, names: &[&str], number: usize) {
    match value {
        Value::String(text) => {
            for name in names {
                *text = text.replace(&format!("${{{name}."), &format!("${{{name}{number}."));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names, number)),
        Value::Object(members) => members.values_mut().for_each(|member| rename(member, names, number)),
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fuzz::probe::bare;
    use crate::profile::Operation;

    fn step(name: &str, is_beside: bool) -> Probe {
        Probe { name: name.to_owned(), is_beside, ..bare(Operation::GetTask) }
    }

    /// The names, those that are made at once with a plus between them.
    fn shown(steps: &[Probe]) -> Vec<String> {
        let names = |group: &[Probe]| group.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join("+");
        groups(steps).map(names).collect()
    }

    #[test]
    fn steps_have_other_names_and_mean_the_same() {
        let params = json!({ "id": "${a.task.id}", "metadata": ["${ab.x}", "${done.id}"] });
        let steps = [step("a", false), Probe { send: Send::Call { params }, ..step("", false) }];
        let renamed = renamed(&steps, 2);
        assert_eq!(renamed[0].name, "a2");
        let Send::Call { params } = &renamed[1].send else { panic!("it is a call") };
        assert_eq!(*params, json!({ "id": "${a2.task.id}", "metadata": ["${ab.x}", "${done.id}"] }));
    }

    #[test]
    fn what_is_made_at_once_stays_together() {
        let steps = [step("a", false), step("b", false), step("c", true), step("d", true), step("e", false)];
        assert_eq!(shown(&steps), ["a", "b+c+d", "e"]);
        assert_eq!(shown(&until(&steps, 0)), ["a"]);
        assert_eq!(shown(&until(&steps, 1)), ["a", "c+d+b"]);
        assert_eq!(shown(&until(&steps, 3)), ["a", "b+c+d"]);
        assert_eq!(shown(&until(&steps, 4)), ["a", "b+c+d", "e"]);
        assert_eq!(shown(&keep(&steps, |at, _| at != 1)), ["a", "c+d", "e"]);
        assert_eq!(shown(&keep(&steps, |_, step| step.name.as_str() > "c")), ["d", "e"]);
    }
}
