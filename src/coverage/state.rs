//! Where a requirement stands, and how many stand there.

use serde::Serialize;

use crate::case::{Requirement, Visible};
use crate::verdict::Level;

/// Where a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Cases check the whole of it.
    Checked,
    /// Cases check what of it can be seen, or can be seen without further equipment.
    Partly,
    /// It takes equipment to see it that the suite does not have yet.
    NeedsEquipment,
    /// No client can see it kept or broken.
    CannotBeSeen,
    /// A client could see it, and no case looks.
    NotChecked,
}

impl State {
    /// Every state, from the best on.
    pub(crate) const ALL: [Self; 5] =
        [Self::Checked, Self::Partly, Self::NeedsEquipment, Self::CannotBeSeen, Self::NotChecked];

    /// Where a requirement of servers stands.
    pub(crate) fn of(requirement: &Requirement) -> Self {
        let is_whole = requirement.visible == Visible::Yes && requirement.needs.is_empty();
        match (requirement.visible, requirement.cases.is_empty()) {
            (Visible::No, _) => Self::CannotBeSeen,
            (_, false) if is_whole => Self::Checked,
            (_, false) => Self::Partly,
            (_, true) if requirement.needs.is_empty() => Self::NotChecked,
            (_, true) => Self::NeedsEquipment,
        }
    }

    /// Its name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Partly => "in part",
            Self::NeedsEquipment => "needs equipment",
            Self::CannotBeSeen => "cannot be seen",
            Self::NotChecked => "not checked yet",
        }
    }

    /// What it means, as a sentence without a full stop.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Checked => "cases check the whole of it",
            Self::Partly => "cases check what of it can be seen, or can be seen without further equipment",
            Self::NeedsEquipment => "it takes equipment to see it that the suite does not have yet",
            Self::CannotBeSeen => "no client can see whether an agent conforms to it",
            Self::NotChecked => "a client could see it, and no case looks",
        }
    }
}

/// How many requirements stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All of them.
    pub total: usize,
    /// [`State::Checked`].
    pub checked: usize,
    /// [`State::Partly`].
    pub partly: usize,
    /// [`State::NeedsEquipment`].
    pub needs_equipment: usize,
    /// [`State::CannotBeSeen`].
    pub cannot_be_seen: usize,
    /// [`State::NotChecked`].
    pub not_checked: usize,
}

impl Counts {
    /// How many stand there.
    pub(crate) fn of(&self, state: State) -> usize {
        match state {
            State::Checked => self.checked,
            State::Partly => self.partly,
            State::NeedsEquipment => self.needs_equipment,
            State::CannotBeSeen => self.cannot_be_seen,
            State::NotChecked => self.not_checked,
        }
    }

    fn add(&mut self, state: State) {
        self.total += 1;
        *match state {
            State::Checked => &mut self.checked,
            State::Partly => &mut self.partly,
            State::NeedsEquipment => &mut self.needs_equipment,
            State::CannotBeSeen => &mut self.cannot_be_seen,
            State::NotChecked => &mut self.not_checked,
        } += 1;
    }
}

/// Requirements counted by level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Of those at level MUST.
    pub must: Counts,
    /// Of those at level SHOULD.
    pub should: Counts,
    /// Of those at level MAY.
    pub may: Counts,
}

impl Summary {
    /// Counts requirements, each with its level and where it stands.
    pub(crate) fn of(requirements: impl IntoIterator<Item = (Level, State)>) -> Self {
        let mut summary = Self::default();
        for (level, state) in requirements {
            summary.level_mut(level).add(state);
        }
        summary
    }

    /// Those of a level.
    pub(crate) fn level(&self, level: Level) -> &Counts {
        match level {
            Level::Must => &self.must,
            Level::Should => &self.should,
            Level::May => &self.may,
        }
    }

    /// How many of any level stand there.
    pub(crate) fn total_of(&self, state: State) -> usize {
        Level::ALL.iter().map(|level| self.level(*level).of(state)).sum()
    }

    fn level_mut(&mut self, level: Level) -> &mut Counts {
        match level {
            Level::Must => &mut self.must,
            Level::Should => &mut self.should,
            Level::May => &mut self.may,
        }
    }
}
