//! What grades are worth, what ranks are worth, and the best ranking: the parameters that the measures of
//! gain share with the formulas.

use gainful_core::measures::{Cumulative, Discount, Gain, Ideal, Shape};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::{need, unknown, wants};

pub fn cumulative(values: &Bound<'_, PyDict>, signed: bool, with_ideal: bool) -> PyResult<Cumulative> {
    Ok(Cumulative {
        gain: gain_of(values, signed)?,
        discount: discount(&need(values, "discount")?)?,
        ideal: if with_ideal { ideal(&need(values, "ideal")?)? } else { Ideal::Judged },
    })
}

/// The gain that a measure's values name.
pub fn gain_of(values: &Bound<'_, PyDict>, signed: bool) -> PyResult<Gain> {
    let never_ideal = wants(values, "never_ideal")?;
    Ok(Gain { never_ideal, ..gain(&need(values, "gain")?, signed)? })
}

pub fn gain(value: &Bound<'_, PyAny>, signed: bool) -> PyResult<Gain> {
    let shape = if let Ok(name) = value.cast::<PyString>() {
        match name.to_str()? {
            "linear" => Shape::Linear,
            "exponential" => Shape::Exponential,
            "exponential+1" => Shape::ExponentialPlusOne,
            "binary" => Shape::Binary,
            "judged" => Shape::Judged,
            other => return unknown("gain", other),
        }
    } else {
        let mut table: Vec<(f64, f64)> = value.extract()?;
        for (grade, _) in &mut table {
            *grade += 0.0;
        }
        table.sort_by(|a, b| a.0.total_cmp(&b.0));
        Shape::Table(table)
    };
    Ok(Gain { shape, signed, never_ideal: false })
}

pub fn discount(value: &Bound<'_, PyAny>) -> PyResult<Discount> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(match name.to_str()? {
            "log2" => Discount::Log2,
            "ln" => Discount::Ln,
            "reciprocal" => Discount::Reciprocal,
            "none" => Discount::None,
            other => return unknown("discount", other),
        });
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && let Ok((_, base)) = pair.extract::<(String, f64)>()
    {
        return Ok(Discount::JarvelinKekalainen(base));
    }
    Ok(Discount::Table(value.extract()?))
}

fn ideal(value: &Bound<'_, PyAny>) -> PyResult<Ideal> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(match name.to_str()? {
            "judged" => Ideal::Judged,
            "judged-uncut" => Ideal::JudgedUncut,
            "judged-to-depth" => Ideal::JudgedToDepth,
            "list" => Ideal::List,
            "list-cut" => Ideal::ListCut,
            "given-order" => Ideal::GivenOrder,
            "ones" => Ideal::Ones,
            other => return unknown("ideal", other),
        });
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && let Ok((_, grade)) = pair.extract::<(String, f64)>()
    {
        return Ok(Ideal::MaxGrade(grade));
    }
    Ok(Ideal::Grades(value.extract()?))
}
