//! Reads and writes files of judgments and runs.

use std::path::PathBuf;

use gainful_core::formats::ids::IdMap as Map;
use gainful_core::formats::{self, Format, Loaded, Request};
use gainful_core::parallel::{Pace, Progress, run};
use gainful_core::read::source::Source;
use gainful_core::read::trec::TableKind;
use gainful_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::arguments::Parameters;
use crate::errors::raise;
use crate::id_texts::text;
use crate::ids::bytes;
use crate::pace::work;
use crate::remote::Place;
use crate::row_rules::RowRules;
use crate::rows::{ReadJudgments, Rows, table};

fn request(options: &Bound<'_, PyDict>, sources: Vec<Source>, table: &str) -> PyResult<Request> {
    let request = Request::parse(sources, self::table(table), &Parameters(options))
        .map_err(|error| raise(options.py(), &error))?;
    match options.get_item("rules")? {
        Some(rules) => Ok(Request { recoding: rules.extract::<RowRules>()?.recoding, ..request }),
        None => Ok(request),
    }
}

fn format(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Format>> {
    name.map(Format::parse).transpose().map_err(|error| raise(py, &error))
}

/// Reads files as one table. For a file of scores alone, `judgments` give the query and document of each row.
/// With `query`, only the rows of this query are kept, and compared with each other.
#[pyfunction]
#[pyo3(signature = (paths, table, options, *, judgments = None, report = None, query = None, threads = 1))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn read(
    py: Python<'_>,
    paths: Vec<Place>,
    table: &str,
    options: &Bound<'_, PyDict>,
    judgments: Option<PyRef<'_, Rows>>,
    report: Option<Py<PyAny>>,
    query: Option<&Bound<'_, PyAny>>,
    threads: usize,
) -> PyResult<Rows> {
    let sources = paths.into_iter().map(Source::from).collect();
    let query = query.map(|query| Ok::<_, PyErr>(bytes(query, "query id")?.into_owned())).transpose()?;
    let request = Request { query, threads: threads.max(1), ..request(options, sources, table)? };
    let judgments = judgments.map(|rows| rows.inner.clone());
    let loaded = work(py, 1, report, |pace| {
        run_watched(pace, |progress| match &judgments {
            Some(judgments) if request.format == Some(Format::Scores) => {
                formats::read_scores(&request, &judgments.rows, progress)
            }
            _ => formats::read(&request, progress),
        })
    })?;
    Ok(Rows::new(loaded))
}

/// Reads judgments, which go to disk if they take more than `memory` bytes.
#[pyfunction]
#[pyo3(signature = (paths, options, *, memory, threads = 1, report = None))]
pub(crate) fn read_judged(
    py: Python<'_>,
    paths: Vec<Place>,
    options: &Bound<'_, PyDict>,
    memory: usize,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<ReadJudgments> {
    let sources = paths.into_iter().map(Source::from).collect();
    let threads = threads.max(1);
    let request = Request { memory: Some(memory), threads, ..request(options, sources, "qrels")? };
    let judged =
        work(py, 1, report, |pace| run_watched(pace, |progress| formats::read_judged(&request, progress)))?;
    Ok(ReadJudgments::new(judged, false))
}

/// Reads bytes as the content of a file with this name.
#[pyfunction]
pub(crate) fn read_bytes(
    py: Python<'_>,
    content: &Bound<'_, PyBytes>,
    name: &str,
    table: &str,
    options: &Bound<'_, PyDict>,
) -> PyResult<Rows> {
    let request = request(options, Vec::new(), table)?;
    let content = content.as_bytes();
    let loaded =
        work(py, 1, None, |pace| run_watched(pace, |_| formats::read_bytes(content, name, &request)))?;
    Ok(Rows::new(loaded))
}

/// Detects the format of a file and returns its name. Does not consume any input.
#[pyfunction]
pub(crate) fn detect(py: Python<'_>, path: Place, table: &str) -> PyResult<&'static str> {
    let table = self::table(table);
    let source = Source::from(path);
    Ok(work(py, 1, None, |pace| formats::detect(&source, table, pace.progress))?.name())
}

/// The names and capabilities of a format.
#[pyclass(frozen, get_all, module = "gainful._kernel")]
pub(crate) struct FormatInfo {
    /// The first name is the preferred one.
    names: Vec<&'static str>,
    suffixes: Vec<&'static str>,
    columnar: bool,
    reads_qrels: bool,
    reads_runs: bool,
    writes_qrels: bool,
    writes_runs: bool,
}

/// Lists all formats of judgments and runs.
#[pyfunction]
pub(crate) fn row_formats() -> Vec<FormatInfo> {
    // Parquet is written from an Arrow stream.
    let writes = |format: &Format, table| format.is_written(table) || *format == Format::Parquet;
    let info = |format: &Format| FormatInfo {
        names: format.names().to_vec(),
        suffixes: format.suffixes().to_vec(),
        columnar: format.is_columnar(),
        reads_qrels: format.is_read(TableKind::Qrels),
        reads_runs: format.is_read(TableKind::Run),
        writes_qrels: writes(format, TableKind::Qrels),
        writes_runs: writes(format, TableKind::Run),
    };
    Format::ALL.iter().map(info).collect()
}

/// Writes rows to a file atomically. Returns the queries without documents that the format leaves out.
#[pyfunction]
#[pyo3(signature = (rows, table, path, *, format = None, tag = "gainful", report = None))]
pub(crate) fn write(
    py: Python<'_>,
    rows: PyRef<'_, Rows>,
    table: &str,
    path: PathBuf,
    format: Option<&str>,
    tag: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<Py<PyString>>> {
    let format = self::format(py, format)?;
    let (loaded, table) = (rows.inner.clone(), self::table(table));
    drop(rows);
    let written = work(py, 1, report, |pace| {
        run_watched(pace, |progress| {
            formats::write_file(&loaded.rows, loaded.scored, table, format, tag, &path, progress)
        })
    })?;
    place(py, written)?;
    let left_out = formats::left_out(&loaded.rows, table, format, &path);
    left_out.into_iter().map(|id| text(py, id).map(Bound::unbind)).collect()
}

/// Replaces the file, unless a signal arrived since the last check.
fn place(py: Python<'_>, written: formats::Written) -> PyResult<()> {
    py.check_signals()?;
    py.detach(|| written.place()).map_err(|error| raise(py, &error))
}

/// Runs a job on a separate thread, so that the calling thread can check for signals.
fn run_watched<T: Send>(pace: &mut Pace<'_>, job: impl Fn(&Progress) -> Result<T> + Sync) -> Result<T> {
    let progress = pace.progress;
    let mut done = run(1, pace, || (), |(), _| job(progress))?;
    done.pop().ok_or_else(Error::interrupted)
}

/// A mapping from ids to numbers, for formats that cannot represent the ids.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct IdMap {
    inner: Map,
}

#[pymethods]
impl IdMap {
    /// Numbers all ids of tables that belong together.
    #[new]
    fn new(py: Python<'_>, tables: Vec<PyRef<'_, Rows>>) -> PyResult<Self> {
        let tables: Vec<_> = tables.iter().map(|table| table.inner.clone()).collect();
        let rows: Vec<_> = tables.iter().map(|table| &table.rows).collect();
        let inner = work(py, 1, None, |pace| run_watched(pace, |progress| Map::new(&rows, progress)))?;
        Ok(Self { inner })
    }

    /// Reads a map that `write` wrote.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let source = Source::new(path);
        let inner = work(py, 1, None, |pace| run_watched(pace, |progress| Map::read(&source, progress)))?;
        Ok(Self { inner })
    }

    /// Returns rows with numbers in place of ids.
    fn apply(&self, py: Python<'_>, rows: PyRef<'_, Rows>) -> PyResult<Rows> {
        let loaded = rows.inner.clone();
        drop(rows);
        let apply = |progress: &Progress| self.inner.apply(&loaded.rows, progress);
        let rows = work(py, 1, None, |pace| run_watched(pace, apply))?;
        Ok(Rows::new(Loaded { tag: loaded.tag.clone(), ..Loaded::new(rows, loaded.scored) }))
    }

    /// Writes the map as TSV: kind, number, id.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = |progress: &Progress| {
            let mut output = formats::open_output(&path, progress)?;
            self.inner.write(&mut output)?;
            output.finish()
        };
        let written = work(py, 1, None, |pace| run_watched(pace, write))?;
        place(py, written)
    }
}
