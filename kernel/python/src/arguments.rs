//! Conventions and measures, as `Convention.spec()` and `Measure.spec()` write them: plain values, read here.

mod conventions;
mod measures;

pub use conventions::{convention, dialect, duplicates, order};
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

/// What `gainful.conventions` validates never gets here; this is for callers of the engine.
pub fn unknown<T>(key: &str, value: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{key}={value}")))
}
