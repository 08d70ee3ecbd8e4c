//! Which replica of the agent a request goes to: those of one case take turns, so that no step is answered by the one that answered the
//! step before.

use std::cell::Cell;

tokio::task_local! {
    /// The turns of the case for which the future at hand works.
    static TURNS: Turns;
}

/// Whose turn it is.
enum Turns {
    /// That of the replica of this number, counted from any.
    Next(Cell<usize>),
    /// That of the first, always.
    First,
}

/// Runs a case whose requests go to one replica after the other, or all to the first where that is [wanted](to_first). With which it
/// begins depends on the name of the case, so that each run of it asks the same ones.
pub(crate) async fn in_turns<T>(case: &str, steps: impl Future<Output = T>) -> T {
    if TURNS.try_with(|turns| matches!(turns, Turns::First)).unwrap_or_default() {
        return steps.await;
    }
    let first = case.bytes().map(usize::from).sum();
    TURNS.scope(Turns::Next(Cell::new(first)), steps).await
}

/// Does something whose requests go to the first replica alone.
pub(crate) async fn to_first<T>(what: impl Future<Output = T>) -> T {
    TURNS.scope(Turns::First, what).await
}

/// The number of the replica for a request, of so many that there are; the first outside of cases.
pub(super) fn next(count: usize) -> usize {
    let next = |turns: &Turns| match turns {
        Turns::Next(next) => next.replace(next.get().wrapping_add(1)) % count.max(1),
        Turns::First => 0,
    };
    TURNS.try_with(next).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_of_a_case_take_turns() {
        let three = async { [(); 4].map(|()| next(3)) };
        assert_eq!(in_turns("\u{1}", three).await, [1, 2, 0, 1]);
        assert_eq!([next(3), next(3)], [0, 0], "outside of cases");
        let both = async {
            let first = next(2);
            let aside = to_first(in_turns("b", async { [next(2), next(2)] })).await;
            (first, aside, next(2))
        };
        assert_eq!(in_turns("a", both).await, (1, [0, 0], 0), "what is for the first takes nobody's turn");
    }
}
