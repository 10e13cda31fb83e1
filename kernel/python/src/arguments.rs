//! Parses conventions and measures from the plain values that `Convention.spec()` and `Measure.spec()`
//! return.

mod conventions;
mod measures;

pub(crate) use conventions::{convention, dialect, duplicates, missing, no_relevant, order, rounding};
pub(crate) use measures::{Needs, Parameters, measure, needs};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns the choice with this name. `gainful.conventions` checks names before; the error is for direct
/// callers of the kernel.
pub(crate) fn choice<T: Clone>(key: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let chosen = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| choice.clone());
    chosen.ok_or_else(|| PyValueError::new_err(format!("{key}={word}")))
}
