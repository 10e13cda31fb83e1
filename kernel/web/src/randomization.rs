//! The randomization test of `gainful.compare`, without its correction for skewness.

use gainful_core::Result;
use gainful_core::parallel::Pace;
use gainful_core::resample::flip_sums;
use serde_json::{Value, json};

/// Up to this number of differences, all choices of signs are enumerated.
const EXACT_UP_TO: usize = 20;
const RESAMPLES: usize = 100_000;
/// Sums that are as close as this share of all contributions are equal: they were added in another order.
const TOLERANCE: f64 = 1e-12;

/// The two-sided p-value, how many choices of signs it is based on, and whether these are all.
pub(crate) fn test(differences: &[f64], pace: &mut Pace<'_>) -> Result<Value> {
    let moved: Vec<f64> = differences.iter().copied().filter(|each| *each != 0.0).collect();
    let total: f64 = moved.iter().sum();
    let size: f64 = moved.iter().map(|each| each.abs()).sum();
    let least = total.abs() - TOLERANCE * size;
    if moved.len() > EXACT_UP_TO {
        let sums = flip_sums(&moved, RESAMPLES, 0, pace)?;
        let extreme = sums.iter().filter(|sum| sum.abs() >= least).count();
        let p = (extreme + 1) as f64 / (RESAMPLES + 1) as f64;
        return Ok(json!({ "p": p, "resamples": RESAMPLES, "exact": false }));
    }
    let mut sums = vec![0.0];
    for each in &moved {
        sums = sums.iter().flat_map(|sum| [sum + each, sum - each]).collect();
    }
    let extreme = sums.iter().filter(|sum| sum.abs() >= least).count();
    Ok(json!({ "p": extreme as f64 / sums.len() as f64, "resamples": sums.len(), "exact": true }))
}
