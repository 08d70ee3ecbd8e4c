//! When the cases that judge a whole interface have their turn: as soon as no other case talks over it, so that what was
//! seen of it need not be kept until the end of the run.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::plan::Trial;

/// The trials that wait for others.
pub(super) struct Schedule {
    /// By interface.
    interfaces: Vec<Watched>,
}

struct Watched {
    observing: Vec<Arc<Trial>>,
    /// How many trials still talk over it.
    talking: AtomicUsize,
}

impl Schedule {
    /// A schedule for so many interfaces.
    pub fn new(talking: &[Arc<Trial>], observing: Vec<Arc<Trial>>, interfaces: usize) -> Self {
        let mut all: Vec<Watched> =
            (0..interfaces).map(|_| Watched { observing: Vec::new(), talking: AtomicUsize::new(0) }).collect();
        for trial in talking {
            for interface in over(trial) {
                if let Some(interface) = all.get_mut(interface) {
                    *interface.talking.get_mut() += 1;
                }
            }
        }
        for trial in observing {
            if let Some(interface) = all.get_mut(trial.interface) {
                interface.observing.push(trial);
            }
        }
        Self { interfaces: all }
    }

    /// The interfaces over which no trial talks.
    pub fn silent(&self) -> Vec<usize> {
        let all = self.interfaces.iter().enumerate();
        all.filter(|(_, interface)| interface.talking.load(Ordering::Relaxed) == 0).map(|(index, _)| index).collect()
    }

    /// The trials that judge an interface as a whole.
    pub fn observing(&self, interface: usize) -> &[Arc<Trial>] {
        self.interfaces.get(interface).map_or(&[], |interface| &interface.observing)
    }

    /// Notes that a trial has talked, and gives the interfaces over which no other is to.
    pub fn finished(&self, trial: &Trial) -> Vec<usize> {
        let was_last = |index: &usize| {
            let interface = self.interfaces.get(*index);
            interface.is_some_and(|interface| interface.talking.fetch_sub(1, Ordering::AcqRel) == 1)
        };
        over(trial).filter(was_last).collect()
    }
}

/// Trials that run beside each other: those that wait for the agent's work, the longest first over all interfaces, and those that
/// fill the time. Where their order matters, they are one row.
pub(super) fn lanes(talking: &[Arc<Trial>], has_order: bool) -> [Vec<&Arc<Trial>>; 2] {
    let (mut waiting, others): (Vec<_>, Vec<_>) =
        talking.iter().partition(|trial| !has_order && trial.case.waits_for_work());
    waiting.sort_by_key(|trial| Reverse(trial.case.works()));
    [waiting, others]
}

/// The interfaces over which a trial goes, whether it talks or is skipped.
fn over(trial: &Trial) -> impl Iterator<Item = usize> {
    std::iter::once(trial.interface).chain(trial.second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::whole::plan;

    #[test]
    fn what_waits_for_the_agent_runs_beside_the_rest_and_the_longest_first() {
        let trials = plan().trials;
        let [waiting, others] = lanes(&trials, false);
        assert!(others.iter().all(|trial| trial.case.works().0 == 0));
        let works: Vec<(usize, bool)> = waiting.iter().map(|trial| trial.case.works()).collect();
        assert!(works.is_sorted_by(|one, next| one >= next) && works.last() == Some(&(1, false)), "{works:?}");
        assert_eq!(waiting.len() + others.len(), trials.len());
    }

    #[test]
    fn an_order_that_matters_is_kept() {
        let trials = plan().trials;
        let [waiting, all] = lanes(&trials, true);
        assert!(waiting.is_empty());
        assert!(all.iter().zip(&trials).all(|(one, other)| Arc::ptr_eq(one, other)) && all.len() == trials.len());
    }
}
