//! Converts ids between Python and the kernel. Strings are UTF-8 (invalid bytes by surrogateescape), and an
//! integer is its decimal text.

use std::borrow::Cow;

use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};

use crate::errors::raise;

/// Converts a Python object to the bytes of an id. `what` names it in messages.
pub(crate) fn bytes<'a>(object: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = object.cast::<PyString>() {
        return string_bytes(text);
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    let py = object.py();
    let float = object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyBool>();
    if !float {
        if object.is_instance_of::<PyInt>() {
            return Ok(Cow::Owned(object.str()?.to_str()?.as_bytes().to_vec()));
        }
        // NumPy's integers are not int, but have an integer value.
        if let Ok(index) = object.call_method0("__index__") {
            return Ok(Cow::Owned(index.str()?.to_str()?.as_bytes().to_vec()));
        }
    }
    let error = Error::new(
        Kind::Column,
        format!("{what} {} of type {}", object.repr()?, object.get_type().name()?),
        "text or a whole number",
    );
    let error = if float {
        error.hint("data frames convert integers with missing values to floats; convert the column to text")
    } else {
        error
    };
    Err(raise(py, &error))
}

/// Whether an id is an integer of at most 64 bits.
pub(crate) fn is_integer(object: &Bound<'_, PyAny>) -> bool {
    !object.is_instance_of::<PyString>() && object.extract::<i64>().is_ok()
}

/// Returns the bytes of a string, without a copy if it is valid UTF-8.
pub(crate) fn string_bytes<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(valid) = text.to_str() {
        return Ok(Cow::Borrowed(valid.as_bytes()));
    }
    let encoded = text.call_method1("encode", ("utf-8", "surrogateescape")).or_else(|_| {
        let found = format!("the id {} is not valid Unicode", text.repr()?.to_string_lossy());
        let error = Error::statement(Kind::Format, found)
            .hint("such text results from splitting a UTF-16 surrogate pair");
        Err(raise(text.py(), &error))
    })?;
    Ok(Cow::Owned(encoded.cast_into::<PyBytes>()?.as_bytes().to_vec()))
}
