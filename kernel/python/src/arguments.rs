//! Parses conventions and measures from the plain values that `Convention.spec()` and `Measure.spec()`
//! return.

mod conventions;
mod measures;

pub use conventions::{convention, dialect, duplicates, missing, no_relevant, order, rounding};
pub use measures::{Needs, Parameters, measure, needs};

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn need<'py>(dict: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    dict.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
}

fn number(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<f64> {
    need(dict, key)?.extract()
}

fn word(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<String> {
    need(dict, key)?.extract()
}

/// Returns the choice with this name. `gainful.conventions` checks names before; the error is for direct
/// callers of the kernel.
pub fn choice<T: Clone>(key: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let chosen = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| choice.clone());
    chosen.ok_or_else(|| PyValueError::new_err(format!("{key}={word}")))
}
