//! Judgments and runs as Python objects hold them.

use std::sync::Arc;

use gainful_core::formats::{self, Loaded, Request};
use gainful_core::read::source::Source;
use gainful_core::read::trec::Table;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arguments;
use crate::ids::{bytes, text};
use crate::pace::work;

/// Rows of query, document and value, grouped by query. Immutable.
#[pyclass(frozen, module = "gainful._engine")]
pub struct Rows {
    pub inner: Arc<Loaded>,
}

impl Rows {
    pub fn new(loaded: Loaded) -> Self {
        Self { inner: Arc::new(loaded) }
    }
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.inner.rows.len()
    }

    #[getter]
    fn queries(&self) -> usize {
        self.inner.rows.queries()
    }

    #[getter]
    fn scored(&self) -> bool {
        self.inner.scored
    }

    /// Query ids in order of first appearance.
    fn query_ids<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        self.inner.rows.iter().map(|query| text(py, query.id)).collect()
    }

    fn __contains__(&self, query: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.inner.rows.find(&bytes(query, "query id")?).is_some())
    }

    /// The documents of a query with their values, in the order given; None for an unknown query.
    fn get<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let rows = &self.inner.rows;
        let Some(query) = rows.find(&bytes(query, "query id")?) else { return Ok(None) };
        let query = rows.query(query);
        let found = PyDict::new(py);
        for (row, &value) in query.values.iter().enumerate() {
            found.set_item(text(py, query.document(row))?, value)?;
        }
        Ok(Some(found))
    }
}

pub fn table(name: &str) -> Table {
    if name == "qrels" { Table::Qrels } else { Table::Run }
}

/// Reads files as one table.
#[pyfunction]
#[pyo3(signature = (paths, table, *, comments = false, duplicates = "error", report = None))]
pub fn read(
    py: Python<'_>,
    paths: Vec<std::path::PathBuf>,
    table: &str,
    comments: bool,
    duplicates: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Rows> {
    let request = Request {
        sources: paths.into_iter().map(Source::new).collect(),
        table: self::table(table),
        comments,
        duplicates: arguments::duplicates(duplicates)?,
    };
    let loaded = work(py, 1, report, |pace| read_watched(&request, pace))?;
    Ok(Rows::new(loaded))
}

/// Reading is one job on a thread of its own, so that the calling thread can look for signals.
fn read_watched(
    request: &Request,
    pace: &mut gainful_core::parallel::Pace<'_>,
) -> gainful_core::Result<Loaded> {
    let progress = pace.progress;
    let mut loaded =
        gainful_core::parallel::run(1, pace, || (), |(), _| formats::trec::read(request, progress))?;
    loaded.pop().ok_or_else(gainful_core::Error::interrupted)
}

