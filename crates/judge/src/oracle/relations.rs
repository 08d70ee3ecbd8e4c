//! How two lists of the same things go together: before and after one change, and in pages of another size (1.0, section 3.1.4).

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::{ListChanged, PagesAgree, Step};
use super::judgement_of;
use crate::finding::{Finding, Kind};
use crate::reason::Reason;
use crate::transcript::{Answer, task_in};
use crate::{CaseView, Judgement, items};

/// The list after a change holds what it held before, with what was made and without what was taken away.
pub(super) fn list_changed(view: CaseView<'_>, args: &ListChanged) -> Judgement {
    judgement_of((|| {
        let (before, after) = (list(&view, &args.before)?, list(&view, &args.after)?);
        if leads_on(before) || leads_on(after) {
            return Err(unseen(&args.after));
        }
        let (was, is) = (ids(before), ids(after));
        let mut wanted: BTreeSet<&str> = was.iter().copied().collect();
        if let Some(made) = &args.made {
            wanted.insert(id_in(&view, made)?);
        }
        if let Some(gone) = &args.gone {
            wanted.remove(id_in(&view, gone)?);
        }
        let shown: BTreeSet<&str> = is.iter().copied().collect();
        if shown == wanted && shown.len() == is.len() {
            return Ok(Judgement::Right);
        }
        let how = match (shown.is_subset(&wanted), wanted.is_subset(&shown)) {
            _ if shown.len() < is.len() => "has an item twice",
            (true, _) => "has fewer items than it should",
            (_, true) => "has more items than it should",
            _ => "has other items than it should",
        };
        let finding =
            Finding::new(Kind::ListChangedOtherwise { how: how.to_owned() }).in_exchange(after.exchange.number);
        let finding = finding.against(before.exchange.number);
        let wanted: Vec<&str> = wanted.into_iter().collect();
        Ok(Judgement::Wrong(vec![finding.compare(show(&wanted), show(&is))]))
    })())
}

/// Pages that lead from one to the next hold what one large page holds, in its order, as far as they have gone.
pub(super) fn pages_agree(view: CaseView<'_>, args: &PagesAgree) -> Judgement {
    judgement_of((|| {
        let whole = list(&view, &args.whole)?;
        if leads_on(whole) {
            return Err(unseen(&args.whole));
        }
        let all = ids(whole);
        let (mut paged, mut last) = (Vec::new(), whole);
        for page in args.pages.all() {
            last = list(&view, page)?;
            paged.extend(ids(last));
        }
        let has_begun_so = all.get(..paged.len()).is_some_and(|begin| begin == paged.as_slice());
        let ends_early = !leads_on(last) && paged.len() < all.len();
        if has_begun_so && !ends_early {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::PagesDiffer).in_exchange(last.exchange.number).against(whole.exchange.number);
        Ok(Judgement::Wrong(vec![finding.compare(show(&all), show(&paged))]))
    })())
}

fn unseen(name: &Step) -> Judgement {
    Judgement::Unseen(Reason::NoTasks { step: name.to_string() })
}

/// A list that a step brought.
fn list<'a>(view: &CaseView<'a>, name: &Step) -> Result<&'a Answer, Judgement> {
    let answer = view.heard(name)?;
    let is_list = answer.result().is_some_and(|result| result.is_object());
    if is_list && answer.refusal().is_none() { Ok(answer) } else { Err(unseen(name)) }
}

fn leads_on(list: &Answer) -> bool {
    let token = list.result().and_then(|list| list.get("nextPageToken")?.as_str());
    token.is_some_and(|token| !token.is_empty())
}

fn ids(list: &Answer) -> Vec<&str> {
    let Some(list) = list.result() else { return Vec::new() };
    let all = items(list, "tasks").iter().chain(items(list, "configs"));
    all.filter_map(|item| item.get("id")?.as_str()).collect()
}

/// The id of what a step has made, or has asked to take away.
fn id_in<'a>(view: &CaseView<'a>, name: &Step) -> Result<&'a str, Judgement> {
    let answer = view.heard(name)?;
    let made = answer.result().and_then(|result| task_in(result).unwrap_or(result).get("id"));
    let asked = answer.exchange.request.params.get("id");
    made.or(asked).and_then(Value::as_str).ok_or_else(|| unseen(name))
}

fn show(ids: &[&str]) -> String {
    if ids.is_empty() { "nothing".to_owned() } else { ids.join(", ") }
}
