//! Computes formulas (DCG, nDCG, …) on lists and arrays.

mod numbers;

use gainful_core::Error;
use gainful_core::convention::{Negative, NothingRelevant, Ties};
use gainful_core::formulas::{self, ListFormula, Lists, NumberLists, Sum};
use gainful_core::known::Known;
use gainful_core::measures::{Cumulative, Discount, Gain, Ideal};
use gainful_core::values::Values;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyFloat, PyInt, PyList, PyTuple};

use self::numbers::Numbers;
use crate::arguments::Parameters;
use crate::errors::{parameter_error, raise};
use crate::pace::work;

/// The longest list that `plain` reads; longer ones would need an allocation.
const SHORT: usize = 32;

fn sum(code: u8) -> PyResult<Sum> {
    Ok(match code {
        0 => Sum::Cg,
        1 => Sum::Dcg,
        2 => Sum::Idcg,
        3 => Sum::Ndcg,
        other => return Err(PyValueError::new_err(format!("sum={other}"))),
    })
}

/// Computes a formula with default settings on a short list or tuple of floats and ints. This is the fast
/// path of the most frequent call. Returns None for other arguments; call `formula` then.
#[pyfunction]
pub(crate) fn plain(code: u8, grades: &Bound<'_, PyAny>, k: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let cutoff = if k.is_none() {
        None
    } else {
        match k.cast_exact::<PyInt>().map(|k| k.extract::<usize>()) {
            Ok(Ok(k)) if k > 0 => Some(k),
            _ => return Ok(None),
        }
    };
    let mut values = [0.0; SHORT];
    let length = if let Ok(list) = grades.cast_exact::<PyList>() {
        fill(list.iter(), &mut values)
    } else if let Ok(tuple) = grades.cast_exact::<PyTuple>() {
        fill(tuple.iter(), &mut values)
    } else {
        None
    };
    let sum = sum(code)?;
    Ok(length.and_then(|length| formulas::plain(sum, values.known(..length), cutoff)))
}

#[inline]
fn fill<'py>(items: impl ExactSizeIterator<Item = Bound<'py, PyAny>>, values: &mut [f64]) -> Option<usize> {
    let length = items.len();
    if length > values.len() {
        return None;
    }
    let mut filled = 0;
    for (item, slot) in items.zip(values) {
        *slot = if let Ok(value) = item.cast_exact::<PyFloat>() {
            value.value()
        } else {
            // Larger integers may not be exact as floats; `formula` checks them.
            f64::from(item.cast_exact::<PyInt>().ok()?.extract::<i32>().ok()?)
        };
        filled += 1;
    }
    (filled == length).then_some(length)
}

/// Computes a formula. `gainful.formulas` has checked `settings`.
///
/// Returns a float for one list, otherwise a list of floats, or their bytes in native order if `raw`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn formula<'py>(
    py: Python<'py>,
    code: u8,
    grades: &Bound<'py, PyAny>,
    scores: Option<&Bound<'py, PyAny>>,
    ideal: Option<&Bound<'py, PyAny>>,
    groups: Option<&Bound<'py, PyAny>>,
    settings: &Bound<'py, PyDict>,
    threads: usize,
    raw: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let formula = read_settings(sum(code)?, settings)?;
    formula.check().map_err(|error| raise(py, &error))?;
    let mut grades = Numbers::of(grades, "grades")?;
    let mut scores = scores.map(|scores| Numbers::of(scores, "scores")).transpose()?;
    let ideals = ideal.map(|ideal| Numbers::of(ideal, "ideal")).transpose()?;
    let mut unit = if grades.many { "row" } else { "" };
    if let Some(groups) = groups {
        unit = "group";
        let sizes = group_sizes(groups)?;
        for numbers in [Some(&mut grades), scores.as_mut()].into_iter().flatten() {
            cut(py, numbers, &sizes, groups)?;
        }
    }
    let many = !unit.is_empty();
    if let Some(scores) = &scores {
        same_shape(py, &grades, scores, "scores", many)?;
    }
    if let Some(ideals) = &ideals {
        if groups.is_some() && !ideals.many {
            return Err(parameter_error(
                py,
                "one ideal for several groups",
                "one per group",
                "write one list per group: ideal=[[…], […]]",
            ));
        }
        same_shape(py, &grades, ideals, "ideal", many)?;
    }
    let lists = Lists {
        grades: &grades,
        scores: scores.as_ref().map(|scores| scores as &dyn NumberLists),
        ideals: ideals.as_ref().map(|ideals| ideals as &dyn NumberLists),
        unit,
    };
    let values = if lists.are_many() {
        work(py, threads, None, |pace| formula.values_in_parallel(&lists, pace))?
    } else {
        formula.values(&lists).map_err(|error| raise(py, &error))?
    };
    if !many {
        let value = *values.known(0);
        return Ok(PyFloat::new(py, value).into_any());
    }
    if raw {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        return Ok(PyByteArray::new(py, &bytes).into_any());
    }
    Ok(PyList::new(py, values)?.into_any())
}

fn read_settings(sum: Sum, settings: &Bound<'_, PyDict>) -> PyResult<ListFormula> {
    let need = |key: &str| settings.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()));
    let nothing_relevant = match need("no_relevant")?.extract::<Option<f64>>()? {
        Some(value) => NothingRelevant::Value(value),
        None => NothingRelevant::Error,
    };
    let parameters: &dyn Values = &Parameters(settings);
    let refused = |error: Box<Error>| raise(settings.py(), &error);
    // Python refuses the policies that lists without ids and judgments lack.
    let negative = parameters.choice("negative", &Negative::NAMES).map_err(refused)?;
    let ties = parameters.choice("ties", &Ties::names(need("seed")?.extract()?)).map_err(refused)?;
    let ideals = [("sorted", Ideal::Judged), ("given", Ideal::GivenOrder)];
    let ideal = parameters.choice("ideal_order", &ideals).map_err(refused)?;
    let discount = match sum {
        Sum::Cg => Discount::None,
        _ => Discount::parse(parameters).map_err(refused)?,
    };
    Ok(ListFormula {
        sum,
        cumulative: Cumulative {
            gain: Gain::parse(parameters, negative == Negative::Signed).map_err(refused)?,
            discount,
            ideal,
        },
        cutoff: need("k")?.extract()?,
        ties,
        negative,
        nothing_relevant,
    })
}

fn group_sizes(groups: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let py = groups.py();
    let mut sizes = Vec::new();
    for (group, size) in groups.try_iter()?.enumerate() {
        let size = size?;
        match size.cast_exact::<PyInt>().map(|size| size.extract::<usize>()) {
            Ok(Ok(size)) if size > 0 => sizes.push(size),
            _ => {
                return Err(parameter_error(
                    py,
                    &format!("{} as the size of group {group} (counted from 0)", size.repr()?),
                    "a whole number of 1 or more",
                    "groups= takes the number of grades of each query, in order",
                ));
            }
        }
    }
    Ok(sizes)
}

fn cut(py: Python<'_>, numbers: &mut Numbers, sizes: &[usize], groups: &Bound<'_, PyAny>) -> PyResult<()> {
    if numbers.many {
        return Err(parameter_error(
            py,
            "groups= with one row per query",
            "one flat list with groups=, or rows without groups=",
            "",
        ));
    }
    let cells = numbers.cells();
    if numbers.cut(sizes) {
        return Ok(());
    }
    let hint = if sizes.len() == cells {
        "groups= takes the number of grades of each query, not the query of each grade"
    } else {
        ""
    };
    let total = sizes.iter().fold(0usize, |total, size| total.saturating_add(*size));
    Err(parameter_error(
        py,
        &format!("{} groups with {total} numbers, and {cells} numbers", groups.len()?),
        "groups with as many numbers",
        hint,
    ))
}

fn same_shape(py: Python<'_>, grades: &Numbers, others: &Numbers, what: &str, many: bool) -> PyResult<()> {
    let (wanted, found) = (grades.rows(), others.rows());
    let others_many = others.many || (many && !grades.many);
    if many != others_many || wanted != found {
        let shape = |many, rows| match (many, rows) {
            (false, _) => "one list".to_owned(),
            (true, 1) => "1 row".to_owned(),
            (true, rows) => format!("{rows} rows"),
        };
        return Err(parameter_error(
            py,
            &format!("{} of grades and {} of {what}", shape(many, wanted), shape(others_many, found)),
            &format!("{what} of the same shape as the grades"),
            "[[…], […]] has one row per query",
        ));
    }
    Ok(())
}
