//! Probability distributions.

use gainful_core::distributions;
use pyo3::prelude::*;

/// Returns P(X <= x) of the gamma distribution with scale 1.
#[pyfunction]
pub(crate) fn lower_gamma(shape: f64, x: f64) -> f64 {
    distributions::lower_gamma(shape, x)
}

/// Returns the x with P(X > x) = `upper` of the gamma distribution with scale 1.
#[pyfunction]
pub(crate) fn gamma_quantile(shape: f64, upper: f64) -> f64 {
    distributions::gamma_quantile(shape, upper)
}
