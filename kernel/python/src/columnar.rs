//! Columnar tables (Parquet, Arrow), which are evaluated while they are read or loaded into memory.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_schema::DataType;
use gainful_core::columns::{
    Columns, Files, OneQuery, Piece, Pieces, Reopen, Stream, read_files, read_within,
};
use gainful_core::evaluate::{Columnar as Source, ColumnarRun, Plan, Table as Evaluation, evaluate_columns};
use gainful_core::formats::{Format, Judged, Loaded};
use gainful_core::judgments::Judgments;
use gainful_core::parallel::{Pace, Stop};
use gainful_core::read::source::Source as File;
use gainful_core::read::trec::TableKind;
use gainful_core::roles::Naming;
use gainful_core::{Code, Error, Kind};
use pyo3::prelude::*;

use crate::arrow::{self, names, pieces};
use crate::errors::raise;
use crate::ids::bytes;
use crate::pace::work;
use crate::remote::{Place, no_signal};
use crate::row_rules::RowRules;
use crate::rows::{ReadJudgments, Rows, table};

/// Judgments or a run in columns. A stream can be read only once.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Columnar {
    judged: bool,
    scored: bool,
    ranked: bool,
    /// Whether rows have a system.
    systems: bool,
    /// Whether the rows can be read again.
    again: bool,
    /// Whether the column of query ids of a stream has integers.
    integers: bool,
    inner: Inner,
}

enum Inner {
    Files(Files),
    Stream(Mutex<Option<OpenStream>>),
}

/// An Arrow stream, and the object that exported it if it can export it again.
struct OpenStream {
    reader: RecordBatchStreamReader,
    columns: Arc<Columns>,
    object: Option<Py<PyAny>>,
}

/// Opens Parquet or Arrow files as one table. `named` has the words of roles and the names that the caller
/// gives.
#[pyfunction]
pub(crate) fn columns_of_files(
    py: Python<'_>,
    paths: Vec<Place>,
    format: &str,
    table: &str,
    named: Vec<(String, String)>,
    labelled: bool,
    ignores_offsets: bool,
) -> PyResult<Columnar> {
    let format = Format::parse(format).map_err(|error| raise(py, &error))?;
    let sources: Vec<File> = paths.into_iter().map(File::from).collect();
    let (table, naming) = (self::table(table), Naming { ignores_offsets, ..Naming::of(&named) });
    // Detached, since a pipe may be silent.
    let files = py.detach(|| {
        Files::open(&sources, format, table, &Stop::new(no_signal), |schema| {
            let name = sources.first().map(File::name).unwrap_or_default();
            names(schema, table, &naming, labelled).map_err(|error| error.file(name))
        })
    });
    let files = files.map_err(|error: Box<Error>| raise(py, &error.role(table.role())))?;
    let (scored, ranked, systems) = (files.scored(), files.ranked(), files.has_systems());
    let again = files.reopens();
    let judged = table == TableKind::Qrels;
    Ok(Columnar { judged, scored, ranked, systems, again, integers: false, inner: Inner::Files(files) })
}

/// Returns the names of the columns of a file.
#[pyfunction]
pub(crate) fn column_names(py: Python<'_>, path: Place, format: &str) -> PyResult<Vec<String>> {
    let format = Format::parse(format).map_err(|error| raise(py, &error))?;
    let mut names = Vec::new();
    let opened = Files::open(&[File::from(path)], format, TableKind::Qrels, &Stop::default(), |schema| {
        names.extend(schema.fields().iter().map(|field| field.name().clone()));
        Err(Error::statement(Kind::Column, "only the names are needed"))
    });
    match opened {
        Err(error) if names.is_empty() => Err(raise(py, &error)),
        _ => Ok(names),
    }
}

/// Opens the Arrow stream that an object exports. `again`: the object exports the same rows each time.
#[pyfunction]
pub(crate) fn columns_of_stream(
    object: &Bound<'_, PyAny>,
    table: &str,
    named: Vec<(String, String)>,
    labelled: bool,
    again: bool,
    ignores_offsets: bool,
) -> PyResult<Columnar> {
    let reader = arrow::open(object)?;
    let (table, schema) = (self::table(table), reader.schema());
    let naming = Naming { ignores_offsets, ..Naming::of(&named) };
    let columns = names(&schema, table, &naming, labelled)
        .and_then(|names| Columns::new(table, &schema, &names))
        .map_err(|error| raise(object.py(), &error.role(table.role())))?;
    let (scored, ranked) = (columns.values.is_some(), columns.ranks.is_some());
    let systems = columns.systems.is_some();
    let object = again.then(|| object.clone().unbind());
    let integers = reader.schema().fields().get(columns.queries).is_some_and(|field| {
        // Unsigned 64-bit ids are often hashes, which do not fit into a signed integer.
        field.data_type().is_integer() && *field.data_type() != DataType::UInt64
    });
    let open = OpenStream { reader, columns: Arc::new(columns), object };
    let (judged, inner) = (table == TableKind::Qrels, Inner::Stream(Mutex::new(Some(open))));
    Ok(Columnar { judged, scored, ranked, systems, again, integers, inner })
}

#[pymethods]
impl Columnar {
    /// Whether the table has scores or grades.
    #[getter]
    fn scored(&self) -> bool {
        self.scored
    }

    /// Whether neither scores nor ranks order the documents of a run, but the rows.
    #[getter]
    fn given(&self) -> bool {
        !self.scored && !self.ranked
    }

    /// Whether a column names the system of each row: then the rows are those of several runs.
    #[getter]
    fn systems(&self) -> bool {
        self.systems
    }

    /// Loads all rows into memory. The line number of an error in a stream is a row number, counted from 0.
    /// A table without rows is an error unless it is part of a larger one (`partial`).
    /// With `query`, only the rows of this query are kept, and compared with each other.
    #[pyo3(signature = (*, threads, duplicates = RowRules::default(), report = None, partial = false, query = None))]
    #[allow(clippy::too_many_arguments)]
    fn rows(
        &self,
        py: Python<'_>,
        threads: usize,
        duplicates: RowRules,
        report: Option<Py<PyAny>>,
        partial: bool,
        query: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rows> {
        let rules = &duplicates;
        let integers = self.integers && !rules.recoding.has_queries();
        if let Some(query) = query {
            let Self { judged, scored, ranked, .. } = *self;
            let query = &bytes(query, "query id")?;
            let (recoding, duplicates) = (&rules.recoding, rules.duplicates);
            let one = OneQuery { query, scored, ranked, judged, recoding, duplicates, partial };
            let loaded = work(py, threads, report, |pace| self.read_one(&one, pace))?;
            return Ok(Rows { integers, ..Rows::new(loaded) });
        }
        let stream = self.stream().map_err(|error| raise(py, &error))?;
        let loaded = work(py, threads, report, |pace| {
            let (pieces, names) = (stream.pieces, &stream.names);
            let loaded = arrow::read(pieces, names, self.scored, rules.parts(), partial, pace);
            loaded.map_err(|error| self.exhausted(error))
        })?;
        Ok(Rows { integers, ..Rows::new(loaded) })
    }

    /// Loads judgments as `rows` does, but onto disk if they take more than `memory` bytes.
    #[pyo3(signature = (*, memory, threads, duplicates = RowRules::default(), report = None))]
    fn judged(
        &self,
        py: Python<'_>,
        memory: usize,
        threads: usize,
        duplicates: RowRules,
        report: Option<Py<PyAny>>,
    ) -> PyResult<ReadJudgments> {
        let rules = &duplicates;
        let judged = work(py, threads, report, |pace| {
            let judged = match &self.inner {
                Inner::Files(Files::Parquet(files)) => {
                    read_files(memory, files, rules.duplicates, &rules.recoding, pace)
                }
                _ => {
                    let Stream { pieces, names, .. } = self.stream()?;
                    self.judged_pieces(pieces, &names, memory, rules, pace)
                }
            };
            judged.map_err(|error| self.exhausted(error))
        })?;
        Ok(ReadJudgments::new(judged, self.integers && !rules.recoding.has_queries()))
    }
}

/// Batches of up to this many bytes are kept in memory together with their rows.
const SMALL_TABLE: usize = 64 << 20;

impl Columnar {
    /// Reads a small table on several threads, and a large one within the memory limit.
    fn judged_pieces(
        &self,
        mut pieces: Pieces<'_>,
        names: &[String],
        memory: usize,
        rules: &RowRules,
        pace: &mut Pace<'_>,
    ) -> gainful_core::Result<Judged> {
        let small = SMALL_TABLE.min(memory);
        let (mut first, mut bytes) = (Vec::new(), 0);
        while bytes < small {
            let Some(piece) = pieces.next().transpose()? else {
                let pieces: Pieces<'_> = Box::new(first.into_iter().map(Ok));
                let loaded = arrow::read(pieces, names, self.scored, rules.parts(), false, pace)?;
                return Ok(Judged::Memory(loaded));
            };
            bytes += piece.batch.get_array_memory_size();
            first.push(piece);
            if !(pace.tick)(pace.progress) {
                return Err(Error::interrupted());
            }
        }
        let first = first.into_iter().map(Ok::<Piece, Box<Error>>);
        let pieces = Box::new(first.chain(pieces));
        read_within(memory, pieces, names, rules.duplicates, &rules.recoding, pace)
    }

    /// Evaluates a run; also returns whether the rows of any query were not consecutive.
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
        let evaluated = evaluate_columns(plan, judgments, run, self.ranked, pace);
        evaluated.map_err(|error| self.exhausted(error))
    }

    fn read_one(&self, one: &OneQuery<'_>, pace: &mut Pace<'_>) -> gainful_core::Result<Loaded> {
        let loaded = match &self.inner {
            Inner::Files(Files::Parquet(files)) => one.of_files(files, pace),
            _ => one.of_stream(self.stream()?, pace),
        };
        loaded.map_err(|error| self.exhausted(error))
    }

    /// Adds a hint to the error for an empty table if an earlier read may have exhausted the stream.
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
            Inner::Stream(open) => {
                let open = open.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(OpenStream { reader, columns, object }) = open else {
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
