//! Summarizes the measures of a table over its queries.

use super::Table;
use super::measurer::{NOTHING, SKIPPED};
use crate::convention::Unweighted;
use crate::known::Known;

/// The summary of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Queries that count.
    pub n: u64,
    pub mean: f64,
    pub sum: f64,
    /// Sample standard deviation; NaN for fewer than two queries. Weighted: the standard error of the
    /// weighted mean, times √n. For a geometric mean, that of the logarithms.
    pub deviation: f64,
    pub low: f64,
    pub quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub high: f64,
    /// Queries with no relevant documents for the measure, counted or left out.
    pub nothing: u64,
}

impl Table {
    /// The mean of a measure over the queries that count: summed in byte order of query id, divided once.
    /// `geometric`: the exponential of the mean logarithm.
    #[must_use]
    pub fn summary(
        &self,
        measure: usize,
        weights: Option<&[f64]>,
        geometric: bool,
        unweighted: Unweighted,
    ) -> Summary {
        let mut values = Vec::with_capacity(self.queries.len());
        let mut own_weights = Vec::new();
        let mut nothing = 0;
        // The contribution of values that count without their weight to the weighted sum.
        let mut beyond = 0.0;
        for (row, (value, flags)) in self.column(measure).zip(self.flags(measure)).enumerate() {
            nothing += u64::from(flags & NOTHING != 0);
            if flags & SKIPPED == 0 {
                values.push(value);
                if let Some(weights) = weights {
                    let weight = *weights.known(row);
                    own_weights.push(weight);
                    if unweighted == Unweighted::NoRelevant && flags & NOTHING != 0 {
                        beyond += value * (1.0 - weight);
                    }
                }
            }
        }
        let weights = weights.map(|_| own_weights.as_slice());
        let logarithms = geometric.then(|| {
            let mut logarithms: Vec<f64> = values.iter().map(|value| value.max(LEAST).ln()).collect();
            summarise(&mut logarithms, weights)
        });
        let mut summary = summarise(&mut values, weights);
        if let Some(logarithms) = logarithms {
            summary.mean = logarithms.mean.exp();
            summary.deviation = logarithms.deviation;
        }
        if beyond != 0.0 {
            summary.mean += beyond / own_weights.iter().sum::<f64>();
        }
        summary.nothing = nothing;
        summary
    }

    /// The sums of columns, each added from the first query to the last; with a minimum, the sums of the
    /// logarithms of the values, raised to the minimum.
    #[must_use]
    pub fn sums(&self, columns: &[usize], least: Option<f64>) -> Vec<f64> {
        let rows = || (0..self.queries.len()).map(|row| self.row(row));
        if let Some(least) = least {
            let logarithm =
                |row: &[f64], column: usize| row.get(column).map_or(f64::NAN, |v| v.max(least).ln());
            return columns
                .iter()
                .map(|&column| rows().fold(0.0, |sum, row| sum + logarithm(row, column)))
                .collect();
        }
        // All columns at once, which uses vector instructions.
        let mut sums = vec![0.0; rows().next().map_or(0, <[f64]>::len)];
        for row in rows() {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        columns.iter().map(|&column| *sums.known(column)).collect()
    }
}

/// The value that replaces 0 in a geometric mean, as in trec_eval.
pub const LEAST: f64 = 0.00001;

/// Mean, deviation and quantiles; reorders the values. Quantiles interpolate linearly between the two nearest
/// order statistics and are not weighted.
#[must_use]
pub fn summarise(values: &mut [f64], weights: Option<&[f64]>) -> Summary {
    let n = values.len();
    let sum = values.iter().fold(0.0, |sum, value| sum + value);
    let (mean, deviation) = match weights {
        None => {
            let mean = sum / n as f64;
            let squares = values.iter().fold(0.0, |sum, value| sum + (value - mean) * (value - mean));
            (mean, if n < 2 { f64::NAN } else { (squares / (n - 1) as f64).sqrt() })
        }
        Some(weights) => {
            let whole = weights.iter().fold(0.0, |sum, weight| sum + weight);
            let mean =
                values.iter().zip(weights).fold(0.0, |sum, (value, weight)| sum + value * weight) / whole;
            // So that deviation / √n is the standard error of a ratio estimator.
            let squares = values.iter().zip(weights).fold(0.0, |sum, (value, weight)| {
                let term = weight * (value - mean);
                sum + term * term
            });
            let count = n as f64;
            (mean, if n < 2 { f64::NAN } else { count * (squares / (count - 1.0)).sqrt() / whole })
        }
    };
    let defined = n > 0 && !values.iter().any(|value| value.is_nan());
    let mut quantile = |share: f64| if defined { order_statistic(values, share) } else { f64::NAN };
    Summary {
        n: n as u64,
        mean,
        sum,
        deviation,
        low: quantile(0.0),
        quartile: quantile(0.25),
        median: quantile(0.5),
        upper_quartile: quantile(0.75),
        high: quantile(1.0),
        nothing: 0,
    }
}

/// The median; reorders the values.
#[must_use]
pub fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        f64::NAN
    } else {
        order_statistic(values, 0.5)
    }
}

/// A quantile of at least one number; by selection, not sorting, since there may be a million.
fn order_statistic(values: &mut [f64], share: f64) -> f64 {
    let at = share * (values.len() - 1) as f64;
    let below = at.floor();
    let (_, low, above) = values.select_nth_unstable_by(below as usize, f64::total_cmp);
    let high = if at > below { above.iter().copied().min_by(f64::total_cmp).unwrap_or(*low) } else { *low };
    *low + (high - *low) * (at - below)
}
