//! Tables in columns that are measured while they are read, or read into memory.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_schema::DataType;
use gainful_core::columns::{Columns, Files, Piece, Pieces, Reopen, Stream, read_within};
use gainful_core::convention::Duplicates;
use gainful_core::evaluate::{Columnar as Source, ColumnarRun, Plan, Table as Evaluation, evaluate_columns};
use gainful_core::formats::{Format, Judged};
use gainful_core::judgments::Judgments;
use gainful_core::parallel::Pace;
use gainful_core::read::source::Source as File;
use gainful_core::{Code, Error, Kind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::arrow::{self, columns, names, pieces};
use crate::errors::raise;
use crate::pace::work;
use crate::remote::Place;
use crate::rows::{Held, Rows, table};

/// Judgments or a run in columns. One that is a stream can be read once.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Columnar {
    scored: bool,
    ranked: bool,
    /// Whether the rows can be read again.
    again: bool,
    /// Whether the column of query ids of a stream has integers.
    integers: bool,
    inner: Inner,
}

enum Inner {
    Files(Files),
    Stream(Mutex<Option<Taken>>),
}

/// An Arrow stream, and the object it is of, which may have another one.
struct Taken {
    reader: RecordBatchStreamReader,
    columns: Arc<Columns>,
    object: Option<Py<PyAny>>,
}

/// Opens Parquet or Arrow files as one table. `find` gets the names of the first one's columns and
/// returns which is which, as `gainful.data.columns.find_columns` does.
#[pyfunction]
pub fn columns_of_files(
    py: Python<'_>,
    paths: Vec<Place>,
    format: &str,
    table: &str,
    find: &Bound<'_, PyAny>,
) -> PyResult<Columnar> {
    let format = Format::parse(format).map_err(|error| raise(py, &error))?;
    let sources: Vec<File> = paths.into_iter().map(File::from).collect();
    let table = self::table(table);
    let files = Files::open(&sources, format, table, |all| {
        let found = find.call1((all,)).map_err(Refused::Raised)?;
        let found = found.cast_into::<PyDict>().map_err(|error| Refused::Raised(error.into()))?;
        names(&found).map_err(Refused::Raised)
    });
    match files {
        Ok(files) => {
            let (scored, ranked) = (files.scored(), files.ranked());
            let again = files.reopens();
            Ok(Columnar { scored, ranked, again, integers: false, inner: Inner::Files(files) })
        }
        Err(Refused::Raised(error)) => Err(error),
        Err(Refused::Kernel(error)) => Err(raise(py, &error)),
    }
}

/// Why files could not be opened.
enum Refused {
    Raised(PyErr),
    Kernel(Box<Error>),
}

impl From<Box<Error>> for Refused {
    fn from(error: Box<Error>) -> Self {
        Self::Kernel(error)
    }
}

/// Takes the Arrow stream that an object exports. `again` says that it exports the same one each time.
#[pyfunction]
pub fn columns_of_stream(
    object: &Bound<'_, PyAny>,
    table: &str,
    find: &Bound<'_, PyAny>,
    again: bool,
) -> PyResult<Columnar> {
    let reader = arrow::open(object)?;
    let table = self::table(table);
    let columns = columns(&reader.schema(), table, find)?;
    let (scored, ranked) = (columns.values.is_some(), columns.ranks.is_some());
    let object = again.then(|| object.clone().unbind());
    let integers = reader.schema().fields().get(columns.queries).is_some_and(|field| {
        // Ids of 64 bits without a sign are often hashes, which no signed integer holds.
        field.data_type().is_integer() && *field.data_type() != DataType::UInt64
    });
    let taken = Taken { reader, columns: Arc::new(columns), object };
    Ok(Columnar { scored, ranked, again, integers, inner: Inner::Stream(Mutex::new(Some(taken))) })
}

#[pymethods]
impl Columnar {
    /// Whether there are scores, or grades.
    #[getter]
    fn scored(&self) -> bool {
        self.scored
    }

    /// All rows, in memory. The line number of an error in a stream is a row number, counted from 0.
    /// A table without rows is an error, unless it is part of a larger one.
    #[pyo3(signature = (*, threads, duplicates = "error", report = None, partial = false))]
    fn rows(
        &self,
        py: Python<'_>,
        threads: usize,
        duplicates: &str,
        report: Option<Py<PyAny>>,
        partial: bool,
    ) -> PyResult<Rows> {
        let duplicates = arguments::duplicates(duplicates)?;
        let stream = self.stream().map_err(|error| raise(py, &error))?;
        let loaded = work(py, threads, report, |pace| {
            let (pieces, names) = (stream.pieces, &stream.names);
            let loaded = arrow::read(pieces, names, self.scored, duplicates, partial, pace);
            loaded.map_err(|error| self.exhausted(error))
        })?;
        Ok(Rows { integers: self.integers, ..Rows::new(loaded) })
    }

    /// As `rows`, of judgments that go to disk where they take more than so many bytes of memory.
    #[pyo3(signature = (*, memory, threads, duplicates = "error", report = None))]
    fn judged(
        &self,
        py: Python<'_>,
        memory: usize,
        threads: usize,
        duplicates: &str,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Held> {
        let duplicates = arguments::duplicates(duplicates)?;
        let Stream { pieces, names, .. } = self.stream().map_err(|error| raise(py, &error))?;
        let judged = work(py, threads, report, |pace| {
            let judged = self.judged_pieces(pieces, &names, memory, duplicates, pace);
            judged.map_err(|error| self.exhausted(error))
        })?;
        Ok(Held::new(judged, self.integers))
    }
}

/// Bytes of batches up to which all of them are kept in memory together with their rows.
const FEW: usize = 64 << 20;

impl Columnar {
    /// Reads few judgments on several threads, and many within the memory that they may take.
    fn judged_pieces(
        &self,
        mut pieces: Pieces<'_>,
        names: &[String],
        memory: usize,
        duplicates: Duplicates,
        pace: &mut Pace<'_>,
    ) -> gainful_core::Result<Judged> {
        let few = FEW.min(memory);
        let (mut first, mut bytes) = (Vec::new(), 0);
        while bytes < few {
            let Some(piece) = pieces.next().transpose()? else {
                let pieces: Pieces<'_> = Box::new(first.into_iter().map(Ok));
                let loaded = arrow::read(pieces, names, self.scored, duplicates, false, pace)?;
                return Ok(Judged::Memory(loaded));
            };
            bytes += piece.batch.get_array_memory_size();
            first.push(piece);
            if !(pace.tick)(pace.progress) {
                return Err(Error::interrupted());
            }
        }
        let first = first.into_iter().map(Ok::<Piece, Box<Error>>);
        read_within(memory, Box::new(first.chain(pieces)), names, duplicates, pace)
    }

    /// Evaluates a run with scores; also returns whether queries were scattered.
    pub fn evaluate(
        &self,
        plan: &Plan,
        judgments: &Judgments<'_>,
        memory: usize,
        pace: &mut Pace<'_>,
    ) -> gainful_core::Result<(Evaluation, bool)> {
        let source = match &self.inner {
            Inner::Files(Files::Parquet(files)) => Source::Parquet(files),
            _ => Source::Stream(self.stream()?),
        };
        let run = ColumnarRun { source, scored: self.scored, memory };
        let measured = evaluate_columns(plan, judgments, run, self.ranked, pace);
        measured.map_err(|error| self.exhausted(error))
    }

    /// A reader without rows may have had some.
    fn exhausted(&self, error: Box<Error>) -> Box<Error> {
        match &self.inner {
            Inner::Stream(_) if !self.again && error.code == Some(Code::EmptyTable) => {
                error.hint("a reader can be read only once; was it read before?")
            }
            _ => error,
        }
    }

    fn stream<'a>(&self) -> gainful_core::Result<Stream<'a>> {
        match &self.inner {
            Inner::Files(files) => {
                let again = files.clone();
                let reopen: Reopen<'a> = Box::new(move || Ok(again.pieces()));
                let reopen = files.reopens().then_some(reopen);
                Ok(Stream { pieces: files.pieces(), reopen, names: files.names() })
            }
            Inner::Stream(taken) => {
                let taken = taken.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(Taken { reader, columns, object }) = taken else {
                    return Err(Error::statement(Kind::Argument, "the stream can be read only once"));
                };
                let reopen = object.map(|object| -> Reopen<'a> {
                    let columns = columns.clone();
                    Box::new(move || {
                        let reader = Python::attach(|py| arrow::open(object.bind(py)));
                        let reader = reader.map_err(|error| {
                            let found = format!("the table does not export its stream again ({error})");
                            Error::statement(Kind::Source, found)
                        })?;
                        Ok(pieces(reader, &columns))
                    })
                });
                Ok(Stream { pieces: pieces(reader, &columns), reopen, names: Vec::new() })
            }
        }
    }
}
