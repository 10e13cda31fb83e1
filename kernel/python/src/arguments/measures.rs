//! Parses measures from the values of `Measure.spec()`, and reports their requirements.

use gainful_core::convention::{Convention, Negative};
use gainful_core::measures::{Extremes, Measure, Ranks, TieSupport};
use gainful_core::values::{Parameter, Values};
use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::errors::raise;

/// The parameters in a dictionary of plain values.
pub(crate) struct Parameters<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl Values for Parameters<'_, '_> {
    fn get(&self, key: &str) -> gainful_core::Result<Option<Parameter>> {
        let value = self.0.get_item(key).ok().flatten().filter(|value| !value.is_none());
        value.map_or(Ok(None), |value| {
            let illegal = |_| Error::new(Kind::Argument, format!("{key}={value}"), "a valid value");
            parameter(&value).map(Some).map_err(illegal)
        })
    }
}

fn parameter(value: &Bound<'_, PyAny>) -> PyResult<Parameter> {
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Parameter::Number(number.value()));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Parameter::Flag(flag.is_true()));
    }
    if let Ok(word) = value.cast::<PyString>() {
        return Ok(Parameter::Word(word.to_str()?.to_owned()));
    }
    if value.is_instance_of::<PyInt>()
        && let Ok(whole) = value.extract()
    {
        return Ok(Parameter::Whole(whole));
    }
    if let Ok(number) = value.extract() {
        return Ok(Parameter::Number(number));
    }
    if value.is_instance_of::<PyTuple>()
        && let Ok((word, number)) = value.extract()
    {
        return Ok(Parameter::Named(word, number));
    }
    let numbers = value.extract().map(Parameter::Numbers);
    let numbers = numbers.or_else(|_| value.extract().map(Parameter::Pairs));
    numbers.or_else(|_| value.extract().map(Parameter::Words))
}

/// Parses a measure from its name, its formula and the formula's parameters.
pub(crate) fn measure(
    name: String,
    formula: &str,
    values: &Bound<'_, PyDict>,
    convention: &Convention,
) -> PyResult<Measure> {
    let signed = convention.negative == Negative::Signed;
    Measure::parse(name, formula, &Parameters(values), signed).map_err(|error| raise(values.py(), &error))
}

/// The requirements of a measure, and the features that support it.
#[pyclass(frozen, get_all, module = "gainful._kernel")]
pub(crate) struct Needs {
    /// The grade from which a document is relevant; None for measures that use the grades themselves.
    level: Option<f64>,
    /// Whether the judgments need labels (true) or must not have any (false); None if both are allowed.
    labels: Option<bool>,
    /// Whether the measure depends on which document is at a rank, not only on its grade.
    documents: bool,
    preferences: bool,
    /// Whether the measure is defined only if a tie policy orders tied documents.
    order: bool,
    /// Whether `explain` reports the contribution of each rank.
    explained: bool,
    /// Whether bounds over the labels of unjudged documents are defined.
    bounded: bool,
}

/// Returns the requirements of a measure.
#[pyfunction]
pub(crate) fn needs(measure: (String, String, Bound<'_, PyDict>)) -> PyResult<Needs> {
    let (name, formula, values) = measure;
    let measure = self::measure(name, &formula, &values, &Convention::default())?;
    let needs = measure.needs();
    Ok(Needs {
        level: needs.relevant.level(),
        labels: needs.reads.labels(),
        documents: needs.reads.documents(),
        preferences: needs.reads.preferences().is_some(),
        order: needs.ties == TieSupport::Settled,
        explained: needs.ranks != Ranks::Nothing,
        bounded: needs.bounds != Extremes::Unknown && !measure.judged_only,
    })
}
