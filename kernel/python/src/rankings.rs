//! The rankings of an evaluation, for measures that are computed in Python.

use std::borrow::Cow;
use std::ops::Range;

use gainful_core::evaluate::Rankings as Kept;
use gainful_core::known::Known;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::evaluate::Evaluated;
use crate::id_texts::text;

/// The rankings of some queries down to a rank. Columns are bytes of 64-bit numbers, one query after the other,
/// and are made when they are needed.
#[pyclass(frozen, module = "gainful._kernel")]
pub(crate) struct Rankings {
    evaluated: Py<Evaluated>,
    rows: Vec<usize>,
    depth: usize,
}

impl Rankings {
    /// The rankings of each query, and its ranks.
    fn ranked<'a>(&'a self, evaluated: &'a Evaluated) -> impl Iterator<Item = (&'a Kept, Range<usize>)> {
        self.rows.iter().map(|&row| {
            let (kept, query) = evaluated.table.ranking(row);
            let ranks = kept.ranks(query);
            (kept, ranks.start..ranks.end.min(ranks.start.saturating_add(self.depth)))
        })
    }

    /// The grades of the judged documents of each query.
    fn pools<'a>(&'a self, evaluated: &'a Evaluated) -> impl Iterator<Item = Cow<'a, [f64]>> {
        self.rows.iter().map(|&row| {
            let (kept, query) = evaluated.table.ranking(row);
            kept.pool(query, self.depth)
        })
    }
}

#[pymethods]
impl Rankings {
    /// Returns the rankings of some rows down to a rank, if `evaluate` was called with `rankings`.
    #[new]
    #[pyo3(signature = (evaluated, rows, depth = None))]
    fn new(evaluated: Py<Evaluated>, rows: Vec<usize>, depth: Option<usize>) -> Self {
        Self { evaluated, rows, depth: depth.unwrap_or(usize::MAX) }
    }

    /// Whether they have documents and scores.
    #[getter]
    fn has_documents(&self) -> bool {
        self.evaluated.get().plan.ranked_documents
    }

    /// The offsets of the queries in the ranks, one more than there are queries.
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        offsets(py, self.rows.len(), self.ranked(self.evaluated.get()).map(|(_, ranks)| ranks.len()))
    }

    /// The offsets of the queries in the pool.
    fn pool_offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        offsets(py, self.rows.len(), self.pools(self.evaluated.get()).map(|pool| pool.len()))
    }

    /// The grade of each document under the convention.
    fn grades<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let evaluated = self.evaluated.get();
        numbers(py, || self.ranked(evaluated).map(|(kept, ranks)| Cow::Borrowed(kept.grades.known(ranks))))
    }

    /// The score of each document; NaN if the order does not follow from scores.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let evaluated = self.evaluated.get();
        numbers(py, || self.ranked(evaluated).map(|(kept, ranks)| Cow::Borrowed(kept.scores.known(ranks))))
    }

    /// Whether each document has a judgment, one byte each.
    fn judged<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let parts = self.ranked(self.evaluated.get()).map(|(kept, ranks)| kept.judged.known(ranks));
        PyBytes::new(py, &parts.collect::<Vec<_>>().concat())
    }

    /// The grades of all judged documents, descending in each query.
    fn pool<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let evaluated = self.evaluated.get();
        numbers(py, || self.pools(evaluated))
    }

    /// The ids of the documents; with `query`, those of one of the queries.
    #[pyo3(signature = (query = None))]
    fn documents<'py>(&self, py: Python<'py>, query: Option<usize>) -> PyResult<Bound<'py, PyList>> {
        let (skipped, taken) = query.map_or((0, usize::MAX), |query| (query, 1));
        let ranked = self.ranked(self.evaluated.get()).skip(skipped).take(taken);
        let ids: Vec<Bound<'py, PyString>> = ranked
            .flat_map(|(kept, ranks)| ranks.map(|rank| text(py, kept.document(rank))))
            .collect::<PyResult<_>>()?;
        PyList::new(py, ids)
    }
}

const WORD: usize = size_of::<f64>();

/// Numbers of several queries as bytes, in one copy.
fn numbers<'py, 'a, Parts: Iterator<Item = Cow<'a, [f64]>>>(
    py: Python<'py>,
    parts: impl Fn() -> Parts,
) -> PyResult<Bound<'py, PyBytes>> {
    let length: usize = parts().map(|part| part.len()).sum();
    PyBytes::new_with(py, length * WORD, |mut bytes| {
        for part in parts() {
            let (own, rest) = bytes.split_at_mut(part.len() * WORD);
            for (word, number) in own.as_chunks_mut::<WORD>().0.iter_mut().zip(part.iter()) {
                *word = number.to_ne_bytes();
            }
            bytes = rest;
        }
        Ok(())
    })
}

fn offsets<'py>(
    py: Python<'py>,
    queries: usize,
    lengths: impl Iterator<Item = usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, (queries + 1) * WORD, |bytes| {
        let mut end = 0u64;
        let (first, rest) = bytes.split_at_mut(WORD);
        first.copy_from_slice(&end.to_ne_bytes());
        for (word, length) in rest.as_chunks_mut::<WORD>().0.iter_mut().zip(lengths) {
            end += length as u64;
            *word = end.to_ne_bytes();
        }
        Ok(())
    })
}
