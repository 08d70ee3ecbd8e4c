//! Tasks in the order of List Tasks (section 3.1.4), kept so that a page costs what it shows, however many tasks there are.

use crate::model::{TaskState, Timestamp};

/// The place of a task in the order of List Tasks. Of tasks with equal timestamps the one that was made first is the older
/// one, so the order is total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When the task entered its status.
    pub timestamp: Timestamp,
    /// The number of the task: how many were made before it.
    pub task: usize,
}

/// A set of tasks, in order for each state. A list without a state is a merger of all states, so whatever a client filters
/// by, the tasks that it gets are next to each other, and how many there are is known without looking at them.
#[derive(Debug, Default)]
pub struct Order {
    /// The states that some task is in.
    states: Vec<(TaskState, Timeline)>,
}

impl Order {
    /// Adds a task.
    pub fn insert(&mut self, state: TaskState, place: Place) {
        match self.states.iter_mut().find(|(known, _)| *known == state) {
            Some((_, timeline)) => timeline.insert(place),
            None => {
                // Most contexts have one task, and so one state: room for more is made when it is needed.
                self.states.reserve_exact(1);
                self.states.push((state, Timeline::of(place)));
            }
        }
    }

    /// Takes a task away.
    pub fn remove(&mut self, state: TaskState, place: Place) {
        if let Some(index) = self.states.iter().position(|(known, _)| *known == state)
            && let Some((_, timeline)) = self.states.get_mut(index)
        {
            timeline.remove(place);
            if timeline.is_empty() {
                self.states.swap_remove(index);
            }
        }
    }

    /// How many tasks are in `state`, or in any, with a timestamp of `earliest` or later.
    pub fn count(&self, state: Option<TaskState>, earliest: Option<Timestamp>) -> usize {
        self.timelines(state).map(|timeline| timeline.count_from(earliest)).sum()
    }

    /// The tasks in `state`, or in any, the newest first, from the one after `after` on.
    pub fn newest_first(&self, state: Option<TaskState>, after: Option<Place>) -> impl Iterator<Item = Place> {
        // The next task of each state, with those behind it.
        let mut sources: Vec<_> = self
            .timelines(state)
            .map(|timeline| timeline.newest_first(after))
            .map(|mut rest| (rest.next(), rest))
            .collect();
        // The newest of them; a state that has nothing left compares least.
        std::iter::from_fn(move || {
            let (newest, rest) = sources.iter_mut().max_by_key(|(next, _)| *next)?;
            std::mem::replace(newest, rest.next())
        })
    }

    fn timelines(&self, state: Option<TaskState>) -> impl Iterator<Item = &Timeline> {
        self.states
            .iter()
            .filter(move |(known, _)| state.is_none_or(|state| state == *known))
            .map(|(_, timeline)| timeline)
    }
}

/// The most places of a block: few enough to be moved at once, and many enough that a million tasks are a few thousand blocks.
const BLOCK: usize = 512;

/// Places in order, the oldest first.
///
/// They lie in blocks, so that each can be found, added and taken away in the midst of a million, and so that those from a
/// moment on can be counted block by block: what a search tree of the standard library cannot do. New places are almost
/// always the newest, which fills the blocks to the brim.
#[derive(Debug)]
struct Timeline {
    /// None is empty.
    blocks: Vec<Vec<Place>>,
}

impl Timeline {
    fn of(place: Place) -> Self {
        Self { blocks: vec![vec![place]] }
    }

    fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The first block that ends with `place` or behind it.
    fn block_of(&self, place: Place) -> usize {
        self.blocks.partition_point(|block| block.last().is_some_and(|last| *last < place))
    }

    fn insert(&mut self, place: Place) {
        let index = self.block_of(place);
        let is_newest = index == self.blocks.len();
        let index = if is_newest { index.saturating_sub(1) } else { index };
        match self.blocks.get_mut(index) {
            Some(block) if block.len() < BLOCK => {
                let position = block.partition_point(|known| *known < place);
                block.insert(position, place);
            }
            Some(_) if is_newest => self.blocks.push(vec![place]),
            Some(block) => {
                let upper = block.split_off(BLOCK / 2);
                self.blocks.insert(index + 1, upper);
                self.insert(place);
            }
            None => self.blocks.push(vec![place]),
        }
    }

    fn remove(&mut self, place: Place) {
        let index = self.block_of(place);
        let Some(block) = self.blocks.get_mut(index) else { return };
        let Ok(position) = block.binary_search(&place) else { return };
        block.remove(position);
        if block.is_empty() {
            self.blocks.remove(index);
        } else {
            self.join(index);
            self.join(index.saturating_sub(1));
        }
    }

    /// Makes one block of two neighbours that have become small, so that there are never many blocks for few places.
    fn join(&mut self, index: usize) {
        if let Some([left, right]) = self.blocks.get_mut(index..index + 2)
            && left.len() + right.len() <= BLOCK / 2
        {
            left.append(right);
            self.blocks.remove(index + 1);
        }
    }

    /// How many places have a timestamp of `earliest` or later.
    fn count_from(&self, earliest: Option<Timestamp>) -> usize {
        let length = |blocks: &[Vec<Place>]| blocks.iter().map(Vec::len).sum();
        let Some(earliest) = earliest else { return length(&self.blocks) };
        let first = Place { timestamp: earliest, task: 0 };
        match self.blocks.get(self.block_of(first)..) {
            Some([block, later @ ..]) => block.len() - block.partition_point(|place| *place < first) + length(later),
            _ => 0,
        }
    }

    /// The places before `end`, or all, the newest first.
    fn newest_first(&self, end: Option<Place>) -> impl Iterator<Item = Place> {
        let index = end.map_or(self.blocks.len(), |end| self.block_of(end));
        let older = self.blocks.get(..index).unwrap_or_default();
        let partial = match (self.blocks.get(index), end) {
            (Some(block), Some(end)) => block.get(..block.partition_point(|place| *place < end)).unwrap_or_default(),
            _ => &[],
        };
        partial.iter().rev().chain(older.iter().rev().flat_map(|block| block.iter().rev())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn place(milliseconds: i64, task: usize) -> Place {
        Place { timestamp: Timestamp::from_milliseconds(milliseconds), task }
    }

    const STATES: [TaskState; 3] = [TaskState::Working, TaskState::Completed, TaskState::Failed];

    proptest! {
        /// Tasks go from state to state and from time to time; each question has the answer that a plain search gives.
        #[test]
        fn agrees_with_a_search(changes in vec((0..40_usize, 0..20_i64, 0..4_usize), 0..200), asked in 0..20_i64) {
            let mut order = Order::default();
            let mut tasks: BTreeMap<usize, (TaskState, Place)> = BTreeMap::new();
            for (task, milliseconds, state) in changes {
                if let Some((state, place)) = tasks.remove(&task) {
                    order.remove(state, place);
                }
                if let Some(state) = STATES.get(state) {
                    order.insert(*state, place(milliseconds, task));
                    tasks.insert(task, (*state, place(milliseconds, task)));
                }
            }
            for state in STATES.map(Some).into_iter().chain([None, Some(TaskState::Rejected)]) {
                let mut all: Vec<Place> = tasks
                    .values()
                    .filter(|(known, _)| state.is_none_or(|state| state == *known))
                    .map(|(_, place)| *place)
                    .collect();
                all.sort_unstable_by(|one, other| other.cmp(one));
                prop_assert_eq!(order.newest_first(state, None).collect::<Vec<_>>(), all.clone());
                prop_assert_eq!(order.count(state, None), all.len());
                let after = place(asked, 7);
                let rest: Vec<Place> = all.iter().copied().filter(|place| *place < after).collect();
                prop_assert_eq!(order.newest_first(state, Some(after)).collect::<Vec<_>>(), rest);
                let earliest = Timestamp::from_milliseconds(asked);
                let later = all.iter().filter(|place| place.timestamp >= earliest).count();
                prop_assert_eq!(order.count(state, Some(earliest)), later);
            }
        }
    }

    #[test]
    fn blocks_stay_few() {
        const TASKS: usize = 20 * BLOCK;
        let mut timeline = Timeline::of(place(0, 0));
        for task in 1..TASKS {
            timeline.insert(place(i64::try_from(task).unwrap(), task));
        }
        assert_eq!(timeline.blocks.len(), 20);
        // In no order, so that all blocks become small together.
        for step in 0..TASKS {
            let task = step * 4093 % TASKS;
            timeline.remove(place(i64::try_from(task).unwrap(), task));
            let left = TASKS - 1 - step;
            assert_eq!(timeline.count_from(None), left);
            // Each two neighbours hold more than half a block.
            let most = 1 + 4 * left / BLOCK;
            assert!(timeline.blocks.len() <= most, "{} blocks for {left} places", timeline.blocks.len());
        }
        assert!(timeline.is_empty());
        for task in (0..TASKS).rev() {
            timeline.insert(place(i64::try_from(task).unwrap(), task));
        }
        assert_eq!(timeline.count_from(None), TASKS);
        assert!(timeline.blocks.len() <= 40);
        assert!(timeline.newest_first(None).is_sorted_by(|newer, older| newer > older));
    }
}
