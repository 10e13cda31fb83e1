//! Converts ids to Python strings: UTF-8, with invalid bytes by surrogateescape.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Converts an id to a Python string.
pub(crate) fn text<'py>(py: Python<'py>, id: &[u8]) -> PyResult<Bound<'py, PyString>> {
    if let Ok(valid) = std::str::from_utf8(id) {
        return Ok(PyString::new(py, valid));
    }
    let bytes = PyBytes::new(py, id);
    let decoded = bytes.call_method1("decode", ("utf-8", "surrogateescape"))?;
    Ok(decoded.cast_into::<PyString>()?)
}
