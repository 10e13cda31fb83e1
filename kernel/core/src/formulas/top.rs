//! Finds the largest of many numbers without sorting the others.

/// Up to this many are kept in order while reading; more are selected, then sorted.
const KEPT: usize = 64;

/// Numbers that are compared together. Most blocks have no number that is large enough, which needs no branch
/// per number.
const BLOCK: usize = 16;

/// Writes the `count` largest values to `best`, descending. No value may be NaN.
pub(super) fn largest(values: &[f64], count: usize, best: &mut Vec<f64>) {
    best.clear();
    if count > KEPT || !keep(values, count, best) {
        select(values, count, best);
    }
}

/// Selects the largest values, then sorts them.
fn select(values: &[f64], count: usize, best: &mut Vec<f64>) {
    best.clear();
    best.extend_from_slice(values);
    if (1..values.len()).contains(&count) {
        best.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
    }
    best.truncate(count);
    best.sort_unstable_by(|a, b| b.total_cmp(a));
}

/// Keeps the largest values so far in order. Returns false if that would be slow: most or none of the values
/// are requested, or they increase.
fn keep(values: &[f64], count: usize, best: &mut Vec<f64>) -> bool {
    let Some((first, rest)) = values.split_at_checked(count).filter(|_| count > 0) else { return false };
    // Of n numbers in random order, about count × ln(n / count) enter after the first ones.
    let usual = count as f64 * (values.len() as f64 / count as f64).ln();
    let mut patience = 32 + 2 * usual as usize;
    best.extend_from_slice(first);
    best.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut least = best.last().copied().unwrap_or(f64::INFINITY);
    for block in rest.chunks(BLOCK) {
        if !block.iter().fold(false, |any, &value| any | (value > least)) {
            continue;
        }
        for &value in block {
            if value > least {
                patience -= 1;
                if patience == 0 {
                    return false;
                }
                best.pop();
                let place = best.partition_point(|&larger| larger >= value);
                best.insert(place, value);
                least = best.last().copied().unwrap_or(f64::INFINITY);
            }
        }
    }
    true
}

/// Calls `found` with the position of every value that is not below a threshold, in order.
pub(super) fn at_least(values: &[f64], threshold: f64, mut found: impl FnMut(usize, f64)) {
    for (block, start) in values.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
        if !block.iter().fold(false, |any, &value| any | (value >= threshold)) {
            continue;
        }
        for (&value, position) in block.iter().zip(start..) {
            if value >= threshold {
                found(position, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers with many repetitions.
    fn numbers(count: usize, kinds: u64) -> Vec<f64> {
        let mut state = 7u64;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 33) % kinds) as f64 - 2.0
            })
            .collect()
    }

    #[test]
    fn largest_agrees_with_a_sort() {
        let mut best = Vec::new();
        for (length, kinds) in [(1, 3), (5, 3), (40, 4), (200, 1000), (300, 5), (1000, 1 << 30)] {
            let values = numbers(length, kinds);
            let mut sorted = values.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            for count in [0, 1, 2, 10, 64, 65, 128, length - 1, length, length + 1] {
                largest(&values, count, &mut best);
                assert_eq!(best, sorted[..count.min(length)], "{count} of {length}");
            }
        }
    }

    #[test]
    fn finds_the_largest_of_ascending_values() {
        let values: Vec<f64> = (0..3000).map(f64::from).collect();
        let mut best = Vec::new();
        largest(&values, 3, &mut best);
        assert_eq!(best, [2999.0, 2998.0, 2997.0]);
        assert!(!keep(&values, 3, &mut Vec::new()));
    }

    #[test]
    fn values_at_a_threshold_are_found_in_order() {
        let values = numbers(100, 7);
        let mut found = Vec::new();
        at_least(&values, 3.0, |position, value| found.push((position, value)));
        let expected: Vec<_> =
            values.iter().copied().enumerate().filter(|&(_, value)| value >= 3.0).collect();
        assert_eq!(found, expected);
        assert!(found.len() > 10);
    }
}
