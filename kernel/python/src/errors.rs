//! Converts the kernel's errors to exceptions of `gainful.errors`.

use gainful_core::{Code, Error, Kind};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::id_texts::text;
use crate::remote::take_interruption;

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Source => "SourceError",
        Kind::NotFound => "SourceNotFoundError",
        Kind::Format => "FormatError",
        Kind::Duplicate => "DuplicateError",
        Kind::Tie => "TieError",
        Kind::Grade => "GradeError",
        Kind::Match => "MatchError",
        Kind::Column => "ColumnError",
        Kind::Measure => "MeasureError",
        Kind::Convention => "ConventionError",
        Kind::Parameter => "ParameterError",
        Kind::Argument => "ArgumentError",
        Kind::Interrupted => "GainfulError",
    }
}

/// Returns the value of `gainful.errors.Code` for a code.
fn code(code: Code) -> &'static str {
    match code {
        Code::ClosedPipe => "closed-pipe",
        Code::EmptyTable => "empty-table",
        Code::FieldCount => "field-count",
        Code::LongLine => "long-line",
        Code::LooksLikeRun => "looks-like-run",
        Code::QueryInTwoParts => "query-in-two-parts",
        Code::QuerySplit => "query-split",
        Code::TwoLevels => "two-levels",
        Code::TwoRelevances => "two-relevances",
        Code::UnknownFormat => "unknown-format",
        Code::WhiteSpace => "white-space",
    }
}

/// Converts an error to the exception to raise.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    if let Some(interruption) = take_interruption() {
        return interruption;
    }
    if error.kind == Kind::Interrupted {
        return PyKeyboardInterrupt::new_err(());
    }
    build(py, error).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    fields.set_item("code", error.code.map(code))?;
    fields.set_item("role", error.role)?;
    fields.set_item("policy", error.policy)?;
    fields.set_item("file", error.file.as_deref())?;
    fields.set_item("line", error.line)?;
    if let Some(query) = &error.query {
        fields.set_item("query", text(py, query)?)?;
    }
    if let Some(document) = &error.document {
        fields.set_item("document", text(py, document)?)?;
    }
    fields.set_item("found", &error.found)?;
    if !error.expected.is_empty() {
        fields.set_item("expected", &error.expected)?;
    }
    if !error.hint.is_empty() {
        fields.set_item("hint", &error.hint)?;
    }
    let class = py.import("gainful.errors")?.getattr(class(error.kind))?;
    Ok(PyErr::from_value(class.call((), Some(&fields))?))
}

/// Describes an object for a message: its repr, truncated if long, and its type.
pub(crate) fn describe(object: &Bound<'_, PyAny>) -> PyResult<String> {
    const LONGEST: usize = 60;
    let text = object.repr()?.to_string_lossy().into_owned();
    let class = object.get_type().name()?;
    Ok(match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… of type {class}", text.get(..end).unwrap_or_default()),
        None => format!("{text} of type {class}"),
    })
}

/// Builds the error for an argument of the wrong type.
pub(crate) fn argument_error(py: Python<'_>, found: &str, expected: &str, hint: &str) -> PyErr {
    raise(py, &Error::new(Kind::Argument, found, expected).hint(hint))
}

/// Builds the error for an argument with an invalid value.
pub(crate) fn parameter_error(py: Python<'_>, found: &str, expected: &str, hint: &str) -> PyErr {
    raise(py, &Error::new(Kind::Parameter, found, expected).hint(hint))
}
