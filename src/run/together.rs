//! Steps that are done at once, some of them only once another is over.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::sync::watch;

use crate::case::Step;

/// Does the steps. Of each, in their order: as which of them it was over, and what came of it, if it was not left out.
pub(super) async fn all<'a, T, F: Future<Output = T>>(
    steps: &'a [Step],
    do_one: impl Fn(&'a Step) -> F,
) -> Vec<(usize, Option<T>)> {
    let over: Vec<watch::Sender<bool>> = steps.iter().map(|_| watch::Sender::new(false)).collect();
    let turns = AtomicUsize::new(0);
    let each = steps.iter().zip(&over).enumerate().map(|(place, (step, is_over))| {
        // The lint has seen to it that this is an earlier one.
        let earlier = |name: &Option<String>| {
            let is_it = |(other, _): &(&Step, _)| name.is_some() && other.name == *name;
            steps.iter().zip(&over).take(place).rev().find(is_it).map(|(_, is_over)| is_over.subscribe())
        };
        let (before, instead) = (earlier(&step.after), earlier(&step.unless));
        let turns = &turns;
        let done = async { do_one(step).await };
        async move {
            if let Some(mut before) = before {
                // Nobody drops its sender before all are done.
                let _is_over = before.wait_for(|is_over| *is_over).await;
            }
            let is_left_out = instead.is_some_and(|instead| *instead.borrow());
            let seen = if is_left_out { None } else { Some(done.await) };
            let turn = turns.fetch_add(1, Ordering::Relaxed);
            is_over.send_replace(true);
            (turn, seen)
        }
    });
    join_all(each).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Act;

    fn step(name: &str, after: Option<&str>, unless: Option<&str>) -> Step {
        Step {
            act: Act::Close(name.to_owned()),
            name: Some(name.to_owned()),
            after: after.map(str::to_owned),
            unless: unless.map(str::to_owned),
            after_restart: None,
            over: Default::default(),
            by: Default::default(),
            headers: Default::default(),
            extensions: Vec::new(),
            required_extensions: true,
            applies: Default::default(),
            reach: Default::default(),
            expect: None,
            at: String::new(),
            line: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_begins_once_the_one_before_it_is_over() {
        let (short, long) = (Some("short"), Some("long"));
        let steps =
            [step("long", None, None), step("short", None, None), step("next", short, None), step("last", long, None)];
        assert_eq!(ends(&steps).await, [(2, Some(50)), (0, Some(10)), (1, Some(20)), (3, Some(60))]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_is_left_out_if_another_is_over_by_then() {
        let (short, long) = (Some("short"), Some("long"));
        let steps =
            [step("long", None, None), step("short", None, None), step("not", long, short), step("does", short, long)];
        assert_eq!(ends(&steps).await, [(2, Some(50)), (0, Some(10)), (3, None), (1, Some(20))]);
    }

    /// As which of them each step was over, and after how many milliseconds: the one called `long` takes 50, another one 10.
    async fn ends(steps: &[Step]) -> Vec<(usize, Option<u128>)> {
        let began = tokio::time::Instant::now();
        let do_one = |step: &Step| {
            let millis = if step.name.as_deref() == Some("long") { 50 } else { 10 };
            async move {
                tokio::time::sleep(std::time::Duration::from_millis(millis)).await;
                began.elapsed().as_millis()
            }
        };
        all(steps, do_one).await
    }
}
