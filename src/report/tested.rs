//! How much must have been tested for a report to mean something.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::model::Report;
use crate::diagnostic::words::count;

/// How many of the cases that apply to an agent must be tested: neither unreached nor broken.
///
/// ```
/// use a2aspec::MinTested;
///
/// assert_eq!("90%".parse(), Ok(MinTested::Percent(90)));
/// assert_eq!("300".parse(), Ok(MinTested::Cases(300)));
/// assert!("101%".parse::<MinTested>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinTested {
    /// So many of a hundred.
    Percent(u8),
    /// So many.
    Cases(usize),
}

impl FromStr for MinTested {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = match text.strip_suffix('%') {
            Some(share) => share.trim_end().parse().ok().filter(|share| *share <= 100).map(Self::Percent),
            None => text.parse().ok().map(Self::Cases),
        };
        read.ok_or_else(|| {
            format!("{text:?}; write a share of the cases that apply, such as 90%, or a number of cases")
        })
    }
}

impl fmt::Display for MinTested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(share) => write!(f, "{share}%"),
            Self::Cases(cases) => write!(f, "{cases}"),
        }
    }
}

impl Serialize for MinTested {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// That too little was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TooFew {
    /// How many cases were tested.
    pub tested: usize,
    /// How many apply to the agent.
    pub apply: usize,
    /// How many were to be tested.
    pub wanted: MinTested,
}

impl TooFew {
    /// What `report` lacks of what is wanted.
    pub(super) fn of(report: &Report, wanted: MinTested) -> Option<Self> {
        let (tested, apply) = report.tested();
        let is_enough = match wanted {
            // Rounded neither up nor down.
            MinTested::Percent(share) => tested * 100 >= apply * usize::from(share),
            MinTested::Cases(cases) => tested >= cases,
        };
        (!is_enough).then_some(Self { tested, apply, wanted })
    }
}

impl fmt::Display for TooFew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tested, apply, wanted } = self;
        let wanted = match wanted {
            MinTested::Percent(share) => format!("{share} %"),
            MinTested::Cases(cases) => cases.to_string(),
        };
        write!(
            f,
            "too little was tested: {tested} of the {} that apply, and --min-tested wants {wanted}",
            count(*apply, "case")
        )
    }
}
