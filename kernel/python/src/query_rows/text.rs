//! Writes the rows of queries as delimited text or JSON.

use gainful_core::formats::cells;
use gainful_core::known::Known;
use gainful_core::parallel;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{Column, ColumnKind, ColumnSpec, parse_columns};
use crate::evaluate::Evaluated;
use crate::pace::work;

/// Rows per text, which is short enough for the processor's caches while it is written.
const JOB: usize = 512;
/// Texts at a time.
const JOBS: usize = 32;

/// Texts of consecutive rows, in the order of the judgments.
#[pyclass(module = "gainful._kernel")]
pub struct RowTexts {
    evaluated: Py<Evaluated>,
    order: Option<Vec<u32>>,
    form: Form,
    threads: usize,
    next: usize,
    /// Texts that Python has not taken yet.
    ready: std::vec::IntoIter<Vec<u8>>,
    /// The length of the longest text so far.
    longest: usize,
}

struct Form {
    columns: Vec<Column>,
    /// What precedes the id of a query and the value of each column.
    leads: Vec<Vec<u8>>,
    /// The end of a row.
    end: Vec<u8>,
    /// Between cells; rows are JSON without it.
    separator: Option<u8>,
    /// Whether ids are written as numbers.
    integers: bool,
}

/// Returns an iterator over the rows of an evaluation as text, of which Python describes what does not depend
/// on the row: `leads` precede the query id and the value of each column, `end` follows the last one.
#[pyfunction]
#[pyo3(signature = (evaluated, columns, leads, end, *, separator = None, integers = false, threads = 1))]
pub(crate) fn row_texts(
    evaluated: Py<Evaluated>,
    columns: Vec<ColumnSpec>,
    leads: Vec<Vec<u8>>,
    end: Vec<u8>,
    separator: Option<u8>,
    integers: bool,
    threads: usize,
) -> PyResult<RowTexts> {
    let order = evaluated.get().table.as_judged();
    let form = Form { columns: parse_columns(columns)?, leads, end, separator, integers };
    Ok(RowTexts { evaluated, order, form, threads, next: 0, ready: Vec::new().into_iter(), longest: 0 })
}

#[pymethods]
impl RowTexts {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if let Some(text) = self.ready.next() {
            return Ok(Some(PyBytes::new(py, &text)));
        }
        let (evaluated, order, form) = (self.evaluated.get(), self.order.as_deref(), &self.form);
        let first = self.next;
        let rows = evaluated.table.queries.len().saturating_sub(first).min(JOB * JOBS);
        if rows == 0 {
            return Ok(None);
        }
        self.next += rows;
        // With room from the start, memory is neither moved nor requested from the system again.
        let room = self.longest + self.longest / 8;
        let texts = work(py, self.threads, None, |pace| {
            parallel::run(
                rows.div_ceil(JOB),
                pace,
                || (),
                |(), job| {
                    let start = first + job * JOB;
                    let mut text = Vec::with_capacity(room);
                    let table = &evaluated.table;
                    // Rows lie apart in memory. Found one after the other without other work, many are
                    // fetched at a time.
                    let found: Vec<_> = (start..(start + JOB).min(first + rows))
                        .map(|at| match order {
                            Some(order) => *order.known(at) as usize,
                            None => at,
                        })
                        .map(|row| (*table.queries.known(row), table.row(row), table.row_flags(row)))
                        .collect();
                    for (query, values, flags) in found {
                        form.write(evaluated.query_id(query), values, flags, &mut text);
                    }
                    Ok(text)
                },
            )
        })?;
        self.longest = texts.iter().map(Vec::len).fold(self.longest, usize::max);
        self.ready = texts.into_iter();
        Ok(self.ready.next().map(|text| PyBytes::new(py, &text)))
    }
}

impl Form {
    fn write(&self, id: &[u8], values: &[f64], flags: &[u8], into: &mut Vec<u8>) {
        let mut leads = self.leads.iter();
        let mut lead = |into: &mut Vec<u8>| into.extend_from_slice(leads.next().map_or(b"", Vec::as_slice));
        lead(into);
        match self.separator {
            Some(separator) => cells::delimited(id, separator, into),
            None if self.integers => into.extend_from_slice(id),
            None => cells::json(id, into),
        }
        for column in &self.columns {
            lead(into);
            let value = *values.known(column.column);
            let left_out = column.leaves_out(value, flags);
            let is_json = self.separator.is_none();
            match column.kind {
                _ if left_out || is_json && !value.is_finite() => {
                    into.extend_from_slice(if is_json { b"null" } else { b"" });
                }
                ColumnKind::Value | ColumnKind::Number | ColumnKind::Bound => cells::number(value, into),
                ColumnKind::Count => write_count(value as u64, into),
                ColumnKind::Tie => into.extend_from_slice(match (value > 0.0, is_json) {
                    (true, true) => b"true",
                    (false, true) => b"false",
                    (true, false) => b"True",
                    (false, false) => b"False",
                }),
            }
        }
        into.extend_from_slice(&self.end);
    }
}

fn write_count(mut count: u64, into: &mut Vec<u8>) {
    let start = into.len();
    loop {
        into.push(b'0' + (count % 10) as u8);
        count /= 10;
        if count == 0 {
            break;
        }
    }
    into.known_mut(start..).reverse();
}
