//! Makes choices fewer and simpler, as long as what they make keeps a property.

/// The simplest bytes that were found for which `keeps` holds, which must hold for `bytes`. It is asked so many times at most.
///
/// Bytes are taken away from the end, then spans of them from the middle, then spans are made zero, and single decisions
/// smaller. As zeros are the simplest choices, and missing bytes are zeros, whatever is made of them gets simpler, too.
///
/// ```
/// use a2aspec_inputs::generate::shrink;
///
/// let found = shrink(&[9, 8, 7, 200, 6, 5], 500, |bytes| bytes.iter().any(|byte| *byte >= 100));
/// assert_eq!(found, [100]);
/// ```
pub fn shrink(bytes: &[u8], tries: usize, mut keeps: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = bytes.to_vec();
    let mut left = tries;
    let mut ask = |candidate: &[u8]| {
        left = left.checked_sub(1)?;
        Some(keeps(candidate))
    };
    while pass(&mut best, &mut ask) == Some(true) {}
    best
}

/// Goes through every change once; whether one was kept. `None` when nothing may be asked any more.
fn pass(best: &mut Vec<u8>, ask: &mut impl FnMut(&[u8]) -> Option<bool>) -> Option<bool> {
    let mut changed = false;
    // From the end: half of it, a quarter, and so on.
    let mut length = best.len();
    while length > 0 {
        while length <= best.len() && !best.is_empty() {
            let shorter = best.get(..best.len() - length)?.to_vec();
            if !ask(&shorter)? {
                break;
            }
            *best = shorter;
            changed = true;
        }
        length /= 2;
    }
    for size in [8, 4, 2, 1] {
        let mut at = 0;
        while at < best.len() {
            let end = (at + size).min(best.len());
            let mut without = best.clone();
            without.drain(at..end);
            let mut zeroed = best.clone();
            zeroed.get_mut(at..end)?.fill(0);
            if ask(&without)? {
                *best = without;
                changed = true;
            } else {
                if zeroed != *best && ask(&zeroed)? {
                    *best = zeroed;
                    changed = true;
                }
                at += size;
            }
        }
    }
    for at in 0..best.len() {
        // The smallest value of a byte that will do, by halves and then by one.
        let mut step = best.get(at)?.div_ceil(2);
        while step > 0 {
            let mut lower = best.clone();
            let byte = lower.get_mut(at)?;
            let Some(less) = byte.checked_sub(step) else {
                step /= 2;
                continue;
            };
            *byte = less;
            if ask(&lower)? {
                *best = lower;
                changed = true;
            } else {
                step /= 2;
            }
        }
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_smallest_and_asks_no_more_than_it_may() {
        let bytes: Vec<u8> = (50..250).collect();
        let mut asked = 0;
        let found = shrink(&bytes, 2000, |bytes| {
            asked += 1;
            bytes.get(3).is_some_and(|byte| *byte >= 50) && bytes.contains(&199)
        });
        assert_eq!(found, [0, 0, 0, 199]);
        assert!(asked <= 2000, "{asked}");
        let mut asked = 0;
        let found = shrink(&bytes, 5, |_| {
            asked += 1;
            false
        });
        assert_eq!((found, asked), (bytes, 5));
    }
}
