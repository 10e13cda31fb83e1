//! The names of columns and fields.

use gainful_core::roles::{self, plain};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The names of a part of a record, best first, such as those of `query_id` or of `document.title`.
#[pyfunction]
pub(crate) fn names_of(part: &str) -> Vec<&'static str> {
    roles::names_of(part).collect()
}

/// Those of some names that are of a part of a record, best first; equal ones in their order.
#[pyfunction]
pub(crate) fn names_with<'py>(names: Vec<Bound<'py, PyString>>, part: &str) -> Vec<Bound<'py, PyString>> {
    let texts: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
    roles::names_with(&texts, part).into_iter().filter_map(|place| names.get(place).cloned()).collect()
}

/// The form in which names are compared.
#[pyfunction]
pub(crate) fn plain_name(name: &Bound<'_, PyString>) -> String {
    plain(&name.to_string_lossy())
}
