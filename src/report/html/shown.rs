//! What of a report a page shows. Few reports have more than a page has room for: those of an agent that is wrong in many versions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::model::{ExchangeInfo, Report};
use super::{exchanges, problems, results};
use crate::diagnostic::words::count;
use crate::verdict::{TrialResult, Verdict};

/// How many bytes a page may have: browsers open it at once, and mail and issue trackers take it.
pub(super) const MOST_BYTES: usize = 2_900_000;

/// What the sentences about what is left out take.
const SENTENCES: usize = 1_000;

/// A report, with what of it has room.
#[derive(Debug, Clone)]
pub(super) struct Shown<'r> {
    pub report: &'r Report,
    /// So many problems have their evidence; the worst are first.
    whole: usize,
    /// The exchanges, by number.
    exchanges: BTreeSet<u64>,
    /// Which results have a row.
    rows: Vec<bool>,
    places: BTreeMap<(&'r str, &'r str, &'r str), usize>,
}

impl<'r> Shown<'r> {
    /// Everything.
    pub fn all(report: &'r Report) -> Self {
        let places = report.results.iter().enumerate().map(|(index, result)| (key(result), index));
        Self {
            report,
            whole: report.problems.len(),
            exchanges: report.exchanges.iter().map(|exchange| exchange.id).collect(),
            rows: vec![true; report.results.len()],
            places: places.collect(),
        }
    }

    /// What fits into so many bytes of a page that has `size` bytes with everything.
    ///
    /// What is left of it by the rest goes to the evidence of problems, a half at most, then to exchanges, a quarter at most, then to
    /// results, the passed and skipped ones last.
    pub fn within(self, size: usize, most: usize) -> Self {
        if size <= most {
            return self;
        }
        let report = self.report;
        let evidence = (0..report.problems.len()).map(|index| {
            let [whole, brief] = [true, false].map(|is_whole| problems::one(&self, index, is_whole).len());
            whole.saturating_sub(brief)
        });
        let evidence: Vec<usize> = evidence.collect();
        let exchanges: Vec<(u64, usize)> =
            by_problems(report).into_iter().map(|exchange| (exchange.id, exchanges::one(exchange).len())).collect();
        let rows: Vec<usize> = (0..report.results.len()).map(|index| results::row(report, index).len()).collect();
        let all = evidence.iter().chain(exchanges.iter().map(|(_, size)| size)).chain(&rows).sum::<usize>();
        let mut room = most.saturating_sub(size.saturating_sub(all) + SENTENCES);
        let whole = take(&mut room, 2, evidence.iter().copied());
        let exchanges_shown = take(&mut room, 2, exchanges.iter().map(|(_, size)| *size));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|index| Reverse(report.results.get(*index).map(|result| weight(result.verdict))));
        let rows_shown = take(&mut room, 1, order.iter().filter_map(|index| rows.get(*index)).copied());
        let rows_shown: BTreeSet<usize> = order.into_iter().take(rows_shown).collect();
        Self {
            whole,
            exchanges: exchanges.into_iter().take(exchanges_shown).map(|(number, _)| number).collect(),
            rows: (0..rows.len()).map(|index| rows_shown.contains(&index)).collect(),
            ..self
        }
    }

    /// Whether a problem has its evidence.
    pub fn is_whole(&self, problem: usize) -> bool {
        problem < self.whole
    }

    /// The results that have a row.
    pub fn results(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().enumerate().filter_map(|(index, is_shown)| is_shown.then_some(index))
    }

    /// The index of a result that has a row.
    pub fn place_of(&self, result: &TrialResult) -> Option<usize> {
        let index = *self.places.get(&key(result))?;
        self.rows.get(index).copied().unwrap_or_default().then_some(index)
    }

    /// Whether an exchange is shown.
    pub fn has_exchange(&self, number: u64) -> bool {
        self.exchanges.contains(&number)
    }

    /// A link to an exchange that is shown.
    pub fn link_to_exchange(&self, number: u64) -> Option<String> {
        self.has_exchange(number).then(|| format!("<a href=\"#exchange-{number}\">#{number}</a>"))
    }

    /// The sentence about the evidence that has no room.
    pub fn evidence_left_out(&self) -> String {
        left_out(self.report.problems.len().saturating_sub(self.whole), "problem", "no evidence here")
    }

    /// The sentence about the exchanges that have no room.
    pub fn exchanges_left_out(&self) -> String {
        left_out(self.report.exchanges.len().saturating_sub(self.exchanges.len()), "exchange", "no room here")
    }

    /// The sentence about the results that have no room.
    pub fn results_left_out(&self) -> String {
        left_out(self.rows.iter().filter(|is_shown| !**is_shown).count(), "result", "no row here")
    }
}

fn left_out(number: usize, what: &str, lacks: &str) -> String {
    if number == 0 {
        return String::new();
    }
    let have = if number == 1 { "has" } else { "have" };
    format!(
        "<p>{} {have} {lacks}, so that the page stays under 3 MB. The JSON report (<code>--report json=FILE</code>) has \
         everything.</p>\n",
        count(number, what)
    )
}

/// How many of these have room, one after the other, in a part of it; they take it.
fn take(room: &mut usize, part: usize, sizes: impl Iterator<Item = usize>) -> usize {
    let mut left = *room / part;
    let mut taken = 0;
    for size in sizes {
        let Some(rest) = left.checked_sub(size) else { break };
        (left, *room) = (rest, room.saturating_sub(size));
        taken += 1;
    }
    taken
}

/// The exchanges, those that show the worst problems first.
fn by_problems(report: &Report) -> Vec<&ExchangeInfo> {
    let shown = report.problems.iter().filter_map(|problem| problem.shown(report));
    let cited = shown.flat_map(|(_, finding)| [finding.exchange, finding.against]).flatten();
    let mut ranks: BTreeMap<u64, usize> = BTreeMap::new();
    for (rank, number) in cited.enumerate() {
        ranks.entry(number).or_insert(rank);
    }
    let mut exchanges: Vec<&ExchangeInfo> = report.exchanges.iter().collect();
    exchanges.sort_by_key(|exchange| ranks.get(&exchange.id).copied().unwrap_or(usize::MAX));
    exchanges
}

/// What of two results is shown first.
fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Skipped => 1,
        Verdict::Unreached => 2,
        Verdict::Note => 3,
        Verdict::Broken | Verdict::Flaky => 4,
        Verdict::Warn => 5,
        Verdict::Fail => 6,
    }
}

fn key(result: &TrialResult) -> (&str, &str, &str) {
    (&result.profile, &result.binding, &result.case)
}
