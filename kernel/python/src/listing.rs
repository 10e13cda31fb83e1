//! Lists the first ranks of several runs in columns.

use gainful_core::explain::{AccountQuestion, Detail, Listing as Core};
use gainful_core::judgments::Judgments;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::explain::parse_question;
use crate::id_texts::text;
use crate::pace::work;
use crate::rows::Rows;

/// Columns of numbers (64-bit, little-endian) by name; grades and contributions by code; and the common start
/// of ids that end in numbers.
type Columns<'py> = (Bound<'py, PyDict>, Vec<f64>, Vec<f64>, Option<Bound<'py, PyString>>);

/// The first ranks of several runs. Queries are numbered in the order of the judgments.
#[pyclass(module = "gainful._kernel")]
#[derive(Default)]
pub struct Listing {
    inner: Core,
}

#[pymethods]
impl Listing {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds the first `depth` ranks of each judged query.
    #[pyo3(signature = (qrels, run, convention, measure, *, depth, threads, report = None))]
    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        py: Python<'_>,
        qrels: PyRef<'_, Rows>,
        run: PyRef<'_, Rows>,
        convention: &Bound<'_, PyDict>,
        measure: (String, String, Bound<'_, PyDict>),
        depth: usize,
        threads: usize,
        report: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (convention, measure) = parse_question(convention, measure)?;
        let (qrels, run) = (qrels.inner.clone(), run.inner.clone());
        let question = AccountQuestion {
            convention: &convention,
            measure: &measure,
            depth: Some(depth),
            parts: Detail::Ranks,
        };
        work(py, threads, report, |pace| {
            let judgments = Judgments::new(&qrels.rows, &convention)?;
            self.inner.add(question, &judgments, &run.rows, run.scored, pace)
        })
    }

    /// Whether the measure is a sum of contributions by rank.
    #[getter]
    fn sums(&self) -> bool {
        self.inner.sums()
    }

    /// Counts the documents; a document of several queries counts for each.
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Returns the ids of the documents of some queries in the order of the columns. Default: of all.
    #[pyo3(signature = (queries = None))]
    fn documents<'py>(
        &self,
        py: Python<'py>,
        queries: Option<Vec<usize>>,
    ) -> PyResult<Vec<Bound<'py, PyString>>> {
        let queries = queries.unwrap_or_else(|| (0..self.inner.queries()).collect());
        self.inner.documents(queries).map(|id| text(py, id)).collect()
    }

    /// Returns the rankings of some queries.
    fn columns<'py>(&self, py: Python<'py>, queries: Vec<usize>) -> PyResult<Columns<'py>> {
        let columns = py.detach(|| self.inner.columns(&queries));
        let numbers = PyDict::new(py);
        for (name, column) in columns.numbers {
            let bytes = PyBytes::new_with(py, 8 * column.len(), |into| {
                for (slot, number) in into.chunks_exact_mut(8).zip(column) {
                    slot.copy_from_slice(&number.to_le_bytes());
                }
                Ok(())
            })?;
            numbers.set_item(name, bytes)?;
        }
        let start = columns.start.map(|start| text(py, &start)).transpose()?;
        Ok((numbers, columns.grades, columns.adds, start))
    }
}
