//! What contradicts itself in a run: numbers of queries, counted while they are evaluated.

use crate::convention::Order;
use crate::ranking::Ranker;

/// The ranks of the first queries in the judgments are compared with their scores.
pub(super) const COMPARED: usize = 100;

/// Numbers of queries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contradictions {
    /// Queries with two or more scores.
    pub scored: u64,
    /// Of these, the queries whose scores rise from row to row, and their pairs of neighbors.
    pub rising: u64,
    pub pairs: u64,
    /// Queries with equal scores of documents with different grades in the first ten ranks.
    pub tied: u64,
    /// Queries whose ranks were compared with their scores; of these, queries with a document of a better rank
    /// and a lower score than its neighbor, and queries with a rank that is not whole.
    pub ranked: u64,
    pub contrary: u64,
    pub fractional: u64,
}

impl Contradictions {
    #[must_use]
    pub fn to_array(self) -> [u64; 7] {
        let Self { scored, rising, pairs, tied, ranked, contrary, fractional } = self;
        [scored, rising, pairs, tied, ranked, contrary, fractional]
    }

    #[must_use]
    pub fn from_array(numbers: [u64; 7]) -> Self {
        let [scored, rising, pairs, tied, ranked, contrary, fractional] = numbers;
        Self { scored, rising, pairs, tied, ranked, contrary, fractional }
    }

    /// Adds those of other queries.
    pub fn add(&mut self, other: Self) {
        let both = self.to_array().into_iter().zip(other.to_array());
        let mut sums = [0; 7];
        for (sum, (mine, theirs)) in sums.iter_mut().zip(both) {
            *sum = mine + theirs;
        }
        *self = Self::from_array(sums);
    }

    /// Counts the query that was ranked last.
    pub(super) fn see(&mut self, ranker: &Ranker) {
        let pairs = ranker.pairs();
        self.scored += u64::from(pairs > 0);
        self.tied += u64::from(ranker.ties_decide());
        if ranker.rises() {
            self.rising += 1;
            self.pairs += pairs as u64;
        }
    }

    /// Whether the ranks of this judged query are compared.
    pub(super) fn compares(judged: usize, order: Order) -> bool {
        judged < COMPARED && order == Order::Score
    }

    /// Compares the ranks of a query, NaN where a row has none, with its scores.
    pub(super) fn compare(&mut self, ranks: &[f64], scores: &[f64]) {
        let differs = |pair: &[f64]| matches!(pair, [before, after] if before < after);
        let falls = |pair: &[f64]| matches!(pair, [before, after] if before > after);
        let mut neighbors = ranks.windows(2).zip(scores.windows(2));
        self.ranked += u64::from(ranks.iter().any(|rank| !rank.is_nan()));
        self.contrary += u64::from(
            neighbors
                .any(|(ranks, scores)| differs(ranks) && differs(scores) || falls(ranks) && falls(scores)),
        );
        self.fractional += u64::from(ranks.iter().any(|rank| rank.is_finite() && rank.fract() != 0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_contradict_scores_if_both_rise_or_both_fall() {
        for (ranks, scores, expected) in [
            ([1.0, 2.0, 3.0], [0.9, 0.8, 0.7], [1, 0, 0]),
            ([1.0, 2.0, 3.0], [0.9, 0.7, 0.8], [1, 1, 0]),
            ([3.0, 2.0, 1.0], [0.9, 0.8, 0.7], [1, 1, 0]),
            ([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], [1, 0, 0]),
            ([0.0, 0.0, 0.0], [0.7, 0.8, 0.9], [1, 0, 0]),
            ([9.5, 8.5, 7.0], [1.0, 2.0, 3.0], [1, 0, 1]),
            ([f64::NAN; 3], [0.7, 0.8, 0.9], [0, 0, 0]),
        ] {
            let mut numbers = Contradictions::default();
            numbers.compare(&ranks, &scores);
            assert_eq!(numbers.to_array().last_chunk::<3>(), Some(&expected), "{ranks:?} {scores:?}");
        }
    }

    #[test]
    fn numbers_are_added() {
        let numbers = Contradictions::from_array([1, 2, 3, 4, 5, 6, 7]);
        let mut sums = numbers;
        sums.add(numbers);
        assert_eq!(sums.to_array(), [2, 4, 6, 8, 10, 12, 14]);
    }
}
