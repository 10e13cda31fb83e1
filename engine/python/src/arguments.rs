//! Conventions and measures, as `Convention.engine()` and `Measure.kernel()` write them: plain values, read here.

mod conventions;
mod cwl;
mod gains;
mod measures;

pub use conventions::{convention, dialect, duplicates, labels, order};
pub use gains::{discount, gain};
pub use measures::measure;

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

/// Whether the caller wants what only the drop-in for trec_eval asks for.
fn wants(values: &Bound<'_, PyDict>, key: &str) -> PyResult<bool> {
    values.get_item(key)?.map_or(Ok(false), |value| value.extract())
}

/// What `gainful.conventions` validates never gets here; this is for callers of the engine.
pub fn unknown<T>(key: &str, value: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{key}={value}")))
}
