//! The shortest part of a list that still does something.

/// The most parts that are tried.
const MOST: usize = 200;

/// The shortest part of a list, in its order, that still does what the whole does; nothing where the whole does not. Halves are
/// tried first, and then the list without one part after the other, the larger ones first.
pub(super) async fn shortest<T: Clone>(all: Vec<T>, mut does: impl AsyncFnMut(&[T]) -> bool) -> Option<Vec<T>> {
    if all.is_empty() || !does(&all).await {
        return None;
    }
    let (mut best, mut left, mut parts) = (all, MOST, 2);
    while best.len() > 1 && left > 0 {
        let size = best.len().div_ceil(parts);
        let mut smaller = None;
        let alone = best.chunks(size).map(<[T]>::to_vec);
        let starts = (0..best.len()).step_by(size);
        let without = starts.map(|start| [&best[..start], &best[(start + size).min(best.len())..]].concat());
        // Of two halves each is the list without the other.
        let without = without.take(if parts > 2 { usize::MAX } else { 0 });
        for part in alone.chain(without) {
            if left == 0 {
                break;
            }
            left -= 1;
            if does(&part).await {
                smaller = Some(part);
                break;
            }
        }
        match smaller {
            Some(part) => (best, parts) = (part, 2),
            None if size == 1 => break,
            None => parts = (parts * 2).min(best.len()),
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shortest part of the numbers below a hundred that has all of these, and how many were tried.
    async fn found(wanted: &[usize]) -> (Option<Vec<usize>>, usize) {
        let mut tried = 0;
        let best = shortest((0..100).collect(), async |part: &[usize]| {
            tried += 1;
            wanted.iter().all(|one| part.contains(one))
        });
        let best = best.await;
        (best, tried)
    }

    #[tokio::test]
    async fn the_one_or_the_few_that_do_it_are_found() {
        let (one, tried) = found(&[37]).await;
        assert_eq!(one, Some(vec![37]));
        assert!(tried <= 20, "{tried}");
        assert_eq!(found(&[3, 96]).await.0, Some(vec![3, 96]));
        assert_eq!(found(&[48, 49, 50]).await.0, Some(vec![48, 49, 50]));
        assert_eq!(found(&[100]).await, (None, 1));
    }

    #[tokio::test]
    async fn no_more_than_so_many_parts_are_tried() {
        let all: Vec<usize> = (0..100).collect();
        let (best, tried) = found(&all).await;
        assert_eq!(best, Some(all));
        assert!(tried <= MOST + 1, "{tried}");
    }
}
