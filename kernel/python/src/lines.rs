//! Writes an evaluation as the lines that trec_eval prints per topic.

use gainful_core::known::Known;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::evaluate::Evaluated;

/// The source of the topics.
#[derive(FromPyObject)]
enum Topics {
    Table(Py<Evaluated>),
    Names(Vec<Vec<u8>>),
}

/// The source of a line's values: a column of the table, or one value per topic.
#[derive(FromPyObject)]
enum Source {
    Column(usize),
    Numbers(Vec<f64>),
    Texts(Vec<Vec<u8>>),
}

/// The number format of a line's values.
#[derive(Clone, Copy)]
enum Form {
    Whole,
    /// NaN is written as negative, as 0/0 is on x86-64.
    Real,
    /// NaN is written as positive, as the logarithm of a negative number is.
    Logarithm,
    /// NaN keeps its sign.
    Signed,
}

impl<'py> FromPyObject<'_, 'py> for Form {
    type Error = PyErr;

    fn extract(word: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match word.extract::<&str>()? {
            "whole" => Ok(Self::Whole),
            "real" => Ok(Self::Real),
            "logarithm" => Ok(Self::Logarithm),
            "signed" => Ok(Self::Signed),
            _ => Err(PyValueError::new_err("no form of numbers")),
        }
    }
}

/// The lines of each topic.
///
/// Each line is given as its start (the padded name of a measure and a tab), its number format (`whole`,
/// `real`, `logarithm` or `signed`), and its values.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct TopicLines {
    topics: Topics,
    lines: Vec<(Vec<u8>, Form, Source)>,
}

#[pymethods]
impl TopicLines {
    #[new]
    fn new(topics: Topics, lines: Vec<(Vec<u8>, Form, Source)>) -> PyResult<Self> {
        let known = match &topics {
            Topics::Table(evaluated) => evaluated.get().table.queries.len(),
            Topics::Names(names) => names.len(),
        };
        for (_, _, source) in &lines {
            let count = match source {
                Source::Column(_) if matches!(topics, Topics::Names(_)) => 0,
                Source::Column(_) => known,
                Source::Numbers(numbers) => numbers.len(),
                Source::Texts(texts) => texts.len(),
            };
            if count != known {
                return Err(PyValueError::new_err("one value a topic"));
            }
        }
        Ok(Self { topics, lines })
    }

    fn __len__(&self) -> usize {
        match &self.topics {
            Topics::Table(evaluated) => evaluated.get().table.queries.len(),
            Topics::Names(names) => names.len(),
        }
    }

    /// Returns the lines of the topics `start..stop`.
    fn chunk<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> Bound<'py, PyBytes> {
        let text = py.detach(|| {
            let mut text = Vec::new();
            for topic in start..stop.min(self.__len__()) {
                self.topic(topic, &mut text);
            }
            text
        });
        PyBytes::new(py, &text)
    }
}

impl TopicLines {
    fn topic(&self, topic: usize, text: &mut Vec<u8>) {
        let (name, row) = match &self.topics {
            Topics::Table(evaluated) => {
                let evaluated = evaluated.get();
                let query = *evaluated.table.queries.known(topic);
                (evaluated.query_id(query), evaluated.table.row(topic))
            }
            Topics::Names(names) => (names.known(topic).as_slice(), &[][..]),
        };
        for (start, form, source) in &self.lines {
            text.extend_from_slice(start);
            text.extend_from_slice(name);
            text.push(b'\t');
            let value = match source {
                Source::Column(column) => *row.known(*column),
                Source::Numbers(numbers) => *numbers.known(topic),
                Source::Texts(texts) => {
                    text.extend_from_slice(texts.known(topic));
                    text.push(b'\n');
                    continue;
                }
            };
            match form {
                Form::Whole => text.extend_from_slice((value as i64).to_string().as_bytes()),
                Form::Real if value.is_nan() => four_places(f64::NAN.copysign(-1.0), text),
                Form::Logarithm if value.is_nan() => four_places(f64::NAN.copysign(1.0), text),
                Form::Real | Form::Logarithm | Form::Signed => four_places(value, text),
            }
            text.push(b'\n');
        }
    }
}

/// Appends a number as C's `%6.4f` writes it: correctly rounded, half to even. NaN is written with its sign,
/// as glibc does.
pub(crate) fn four_places(value: f64, text: &mut Vec<u8>) {
    if value.is_nan() {
        return text.extend_from_slice(if value.is_sign_negative() { b"  -nan" } else { b"   nan" });
    }
    if value.is_infinite() {
        return text.extend_from_slice(if value > 0.0 { b"   inf" } else { b"  -inf" });
    }
    let bits = value.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    // value = digits * 2^-places
    let (digits, places) = if biased == 0 { (fraction, 1074) } else { (fraction | 1 << 52, 1075 - biased) };
    if places <= 0 {
        return text.extend_from_slice(format!("{value:.4}").as_bytes());
    }
    let scaled = u128::from(digits) * 10_000;
    let rounded = if places > 100 {
        0
    } else {
        let whole = scaled >> places;
        let rest = scaled - (whole << places);
        let half = 1u128 << (places - 1);
        whole + u128::from(rest > half || rest == half && whole & 1 == 1)
    };
    if value.is_sign_negative() {
        text.push(b'-');
    }
    let (before, after) = (rounded / 10_000, (rounded % 10_000) as u32);
    match u8::try_from(before) {
        Ok(digit @ 0..=9) => text.push(b'0' + digit),
        _ => text.extend_from_slice(before.to_string().as_bytes()),
    }
    let digit = |value: u32| b'0' + (value % 10) as u8;
    text.extend_from_slice(&[b'.', digit(after / 1000), digit(after / 100), digit(after / 10), digit(after)]);
}

/// Formats each number as C's `%6.4f` does.
#[pyfunction]
pub(crate) fn fixed(py: Python<'_>, numbers: Vec<f64>) -> Vec<Bound<'_, PyBytes>> {
    let mut text = Vec::new();
    let written = |value| {
        text.clear();
        four_places(value, &mut text);
        PyBytes::new(py, &text)
    };
    numbers.into_iter().map(written).collect()
}
