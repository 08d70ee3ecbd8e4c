//! Changes of a list in its file: entries that stay keep their lines, and what people wrote between them.

use jiff::civil::Date;

use super::{Baseline, Known, State};
use crate::report::gate::FailOn;
use crate::report::model::Report;
use crate::verdict::TrialResult;
use crate::yaml::Tree;

/// What somebody writes about entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Note {
    /// Why they are let pass.
    pub reason: Option<String>,
    /// Where they are tracked.
    pub bug: Option<String>,
    /// The last day on which they are let pass.
    pub until: Option<Date>,
}

impl Note {
    /// The entry with what the note says, where it says something.
    fn on(&self, known: Known) -> Known {
        let Self { reason, bug, until } = self.clone();
        Known { reason: reason.or(known.reason), bug: bug.or(known.bug), until: until.or(known.until), ..known }
    }
}

/// What becomes of a list.
#[derive(Debug)]
pub(crate) struct Edit<'b> {
    older: &'b Baseline,
    /// What becomes of each of its entries; nothing where it is deleted.
    entries: Vec<Option<Known>>,
    added: Vec<Known>,
}

impl<'b> Edit<'b> {
    /// No change.
    fn none(older: &'b Baseline) -> Self {
        Self { older, entries: older.known.iter().cloned().map(Some).collect(), added: Vec::new() }
    }

    /// Adds an entry, or writes its assertions, where it names some, and the note on one that is about the same.
    pub fn adding(older: &'b Baseline, known: Known, note: &Note) -> Self {
        let mut edit = Self::none(older);
        match older.known.iter().position(|entry| entry.name() == known.name()) {
            Some(index) => {
                let named = Some(known.violated).filter(|names| !names.is_empty());
                let entry = older.known[index].clone();
                edit.entries[index] = Some(note.on(Known { violated: named.unwrap_or(entry.violated), ..entry }));
            }
            None => edit.added.push(note.on(known)),
        }
        edit
    }

    /// Lets pass those results of a report that fail at a level and are selected. Entries keep what people wrote, and lose a day that is
    /// over.
    pub fn accepting(
        older: &'b Baseline,
        report: &Report,
        fail_on: FailOn,
        selects: impl Fn(&TrialResult) -> bool,
        (note, today): (&Note, Date),
    ) -> Self {
        let mut edit = Self::none(older);
        let results = report.results.iter().enumerate();
        for it in results.filter(|(_, result)| fail_on.fails_at(result.verdict) && selects(result)) {
            let result = it.1;
            let before = older.known.iter().position(|known| known.is_about(result));
            let Some(index) = before else {
                edit.added.push(note.on(Known::of(report, it, None)));
                continue;
            };
            let known = &older.known[index];
            let new = match known.covers(result) {
                true => known.clone(),
                false => Known::of(report, it, Some(known)),
            };
            let until = new.until.filter(|_| !known.is_over(today));
            edit.entries[index] = Some(note.on(Known { until, ..new }));
        }
        edit
    }

    /// Deletes the entries that a report shows to be no longer true.
    pub fn pruning(older: &'b Baseline, report: &Report, today: Date) -> Self {
        let is_stale = |known: &Known| matches!(known.state(report, FailOn::Must, today), State::Stale);
        let entries = older.known.iter().map(|known| (!is_stale(known)).then(|| known.clone())).collect();
        Self { older, entries, added: Vec::new() }
    }

    /// The names of what is added, of what is changed, and of what is deleted.
    pub fn changes(&self) -> [Vec<String>; 3] {
        let pairs = || self.older.known.iter().zip(&self.entries);
        let changed = pairs().filter(|(old, new)| new.as_ref().is_some_and(|new| new != *old));
        let deleted = pairs().filter(|(_, new)| new.is_none());
        [
            self.added.iter().map(Known::name).collect(),
            changed.map(|(old, _)| old.name()).collect(),
            deleted.map(|(old, _)| old.name()).collect(),
        ]
    }

    /// The list as it is afterwards.
    pub fn list(&self) -> Baseline {
        Baseline { known: self.entries.iter().flatten().chain(&self.added).cloned().collect() }
    }

    /// The text of the file afterwards. One whose entries have no lines of their own is written anew.
    ///
    /// # Errors
    /// None that a list can cause.
    pub fn text(&self, file: &str, older: &str) -> Result<String, String> {
        let list = self.list();
        let in_place = self.in_place(file, older)?;
        in_place.filter(|text| Baseline::read(file, text).as_ref() == Ok(&list)).map_or_else(|| list.text(), Ok)
    }

    fn in_place(&self, file: &str, text: &str) -> Result<Option<String>, String> {
        let Ok(tree) = Tree::read(file, text) else { return Ok(None) };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let Some(heading) = lines.iter().position(|line| line.starts_with("known:")) else { return Ok(None) };
        let first_line = |index| usize::try_from(tree.line(&format!("/known/{index}"))).unwrap_or_default();
        let starts: Vec<usize> = (0..self.entries.len()).map(|index| first_line(index).saturating_sub(1)).collect();
        let begins = |start: &usize| lines.get(*start).is_some_and(|line| line.trim_start().starts_with("- "));
        if !starts.iter().all(begins) || !starts.is_sorted_by(|one, next| one < next) {
            return Ok(None);
        }
        let indent = starts.first().map_or(0, |start| lines[*start].len() - lines[*start].trim_start().len());
        let mut page = Page { lines: &lines, out: String::new(), next: 0 };
        let mut last = heading + 1;
        page.copy(heading);
        page.out.push_str(if self.list().known.is_empty() { "known: []\n" } else { "known:\n" });
        page.next = last;
        for (index, start) in starts.iter().enumerate() {
            last = page.end(*start, starts.get(index + 1).copied().unwrap_or(lines.len()));
            match &self.entries[index] {
                Some(new) if *new == self.older.known[index] => {}
                Some(new) => {
                    page.copy(*start);
                    page.add(new, indent)?;
                    page.next = last;
                }
                None => {
                    page.copy(page.lead(*start));
                    page.next = last;
                }
            }
        }
        page.copy(last);
        for known in &self.added {
            page.add(known, indent)?;
        }
        page.copy(lines.len());
        Ok(Some(page.out))
    }
}

/// A text that is copied line by line, apart from what is changed.
struct Page<'t> {
    lines: &'t [&'t str],
    out: String,
    /// The first line that is neither copied nor left out.
    next: usize,
}

impl Page<'_> {
    /// Copies up to a line.
    fn copy(&mut self, end: usize) {
        for line in self.lines.get(self.next..end).unwrap_or_default() {
            self.out.push_str(line);
            if !line.ends_with('\n') {
                self.out.push('\n');
            }
        }
        self.next = self.next.max(end);
    }

    /// Where an entry ends that begins at one line, and before the next entry: comments above that are the next one's.
    fn end(&self, start: usize, next: usize) -> usize {
        let is_between = |line: &usize| {
            let line = self.lines[*line].trim();
            line.is_empty() || line.starts_with('#')
        };
        (start + 1..next).rev().find(|line| !is_between(line)).map_or(start + 1, |line| line + 1)
    }

    /// The first of the comments directly above an entry, which go with it; the entry's first line where there are none.
    fn lead(&self, start: usize) -> usize {
        let is_comment = |line: &usize| self.lines[*line].trim_start().starts_with('#');
        (self.next..start).rev().take_while(is_comment).last().unwrap_or(start)
    }

    /// Writes an entry, as far from the left as the others.
    fn add(&mut self, known: &Known, indent: usize) -> Result<(), String> {
        let list = Baseline { known: vec![known.clone()] };
        let text = serde_saphyr::to_string(&list).map_err(|error| error.to_string())?;
        for line in text.lines().skip(1) {
            self.out.push_str(&format!("{:indent$}{line}\n", ""));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
