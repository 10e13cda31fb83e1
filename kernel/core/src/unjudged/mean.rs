//! Computes the bounds of a mean.

use crate::evaluate::{LEAST, SKIPPED, Table};
use crate::known::Known;

impl Table {
    /// Returns the least and the greatest mean of a measure, from the columns of its bounds.
    ///
    /// The labels of different queries are independent, so each extreme is the mean of the queries' extremes.
    /// A query that the convention leaves out unless it has relevant documents counts only if that makes the
    /// mean more extreme.
    #[must_use]
    pub fn mean_bounds(
        &self,
        measure: usize,
        columns: [usize; 2],
        weights: Option<&[f64]>,
        geometric: bool,
    ) -> (f64, f64) {
        let [low, high] = columns;
        let extreme = |column: usize, sign: f64| {
            let (mut sum, mut whole, mut optional) = (0.0, 0.0, Vec::new());
            let rows = self.column(column).zip(self.flags(measure)).enumerate();
            for (row, (value, flags)) in rows {
                let weight = weights.map_or(1.0, |weights| *weights.known(row));
                let value = if geometric { value.max(LEAST).ln() } else { value };
                if flags & SKIPPED == 0 {
                    sum += if weights.is_some() { value * weight } else { value };
                    whole += weight;
                } else if !value.is_nan() && weight > 0.0 {
                    optional.push((value, weight));
                }
            }
            // Add queries from the most extreme value while they make the mean more extreme.
            optional.sort_by(|a, b| (sign * b.0).total_cmp(&(sign * a.0)));
            for (value, weight) in optional {
                if whole > 0.0 && sign * value <= sign * (sum / whole) {
                    break;
                }
                sum += value * weight;
                whole += weight;
            }
            let mean = sum / whole;
            if geometric { mean.exp() } else { mean }
        };
        (extreme(low, -1.0), extreme(high, 1.0))
    }
}
