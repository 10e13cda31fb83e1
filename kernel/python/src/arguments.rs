//! Conventions and measures, as `Convention.spec()` and `Measure.spec()` write them: plain values, read here.

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

/// What a word stands for. What `gainful.conventions` refuses never gets here; the error is for callers of
/// the kernel.
pub fn choice<T: Clone>(key: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let chosen = choices.iter().find(|(own, _)| *own == word).map(|(_, choice)| choice.clone());
    chosen.ok_or_else(|| PyValueError::new_err(format!("{key}={word}")))
}
