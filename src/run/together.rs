//! Steps that are done at once, some of them only once another is over.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::sync::watch;

use crate::case::Step;

/// Does the steps. Of each, in their order: as which of them it was over, and what came of it.
pub(super) async fn all<'a, T, F: Future<Output = T>>(
    steps: &'a [Step],
    do_one: impl Fn(&'a Step) -> F,
) -> Vec<(usize, T)> {
    let over: Vec<watch::Sender<bool>> = steps.iter().map(|_| watch::Sender::new(false)).collect();
    let turns = AtomicUsize::new(0);
    let each = steps.iter().zip(&over).enumerate().map(|(place, (step, is_over))| {
        // The lint has seen to it that this is an earlier one.
        let is_before = |(other, _): &(&Step, _)| other.name.is_some() && other.name == step.after;
        let before = steps.iter().zip(&over).take(place).rev().find(is_before).map(|(_, before)| before.subscribe());
        let turns = &turns;
        let done = async { do_one(step).await };
        async move {
            if let Some(mut before) = before {
                // Nobody drops its sender before all are done.
                let _is_over = before.wait_for(|is_over| *is_over).await;
            }
            let seen = done.await;
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

    fn step(name: &str, after: Option<&str>) -> Step {
        Step {
            act: Act::Close(name.to_owned()),
            name: Some(name.to_owned()),
            after: after.map(str::to_owned),
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
        let steps = [step("long", None), step("short", None), step("next", Some("short")), step("last", Some("long"))];
        let began = tokio::time::Instant::now();
        let do_one = |step: &Step| {
            let millis = if step.name.as_deref() == Some("long") { 50 } else { 10 };
            async move {
                tokio::time::sleep(std::time::Duration::from_millis(millis)).await;
                began.elapsed().as_millis()
            }
        };
        assert_eq!(all(&steps, do_one).await, [(2, 50), (0, 10), (1, 20), (3, 60)]);
    }
}
