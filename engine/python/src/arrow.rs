//! Tables from and to the Arrow C stream, which data frames share their columns by.
//!
//! One of two modules of this crate with unsafe code (the other is `formulas/numbers.rs`): taking a stream out of its capsule, and marking as
//! filled what the threads filled.

mod export;
mod ids;
mod numbers;

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;
use gainful_core::convention::Duplicates;
use gainful_core::formats::Loaded;
use gainful_core::parallel::{Pace, run};
use gainful_core::read::trec::Table;
use gainful_core::rows::{RowsBuilder, Span};
use gainful_core::{Error, Kind, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::arguments;
use crate::errors::raise;
use crate::pace::work;
use crate::rows::{Rows, table};

pub use export::{arrow_stream, rows_stream};
use ids::Ids;
use numbers::Numbers;

/// The name that the Arrow PyCapsule interface gives a stream.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// Rows that are worth a thread.
const ROWS_PER_JOB: usize = 1 << 16;

/// Reads the table that an object exports. `find` gets the names of its columns and returns which is
/// which, as `gainful.data.columns.find_columns` does. The line number of an error is a row number,
/// counted from 0.
#[pyfunction]
#[pyo3(signature = (object, table, find, *, threads, duplicates = "error"))]
pub fn rows_from_stream(
    object: &Bound<'_, PyAny>,
    table: &str,
    find: &Bound<'_, PyAny>,
    threads: usize,
    duplicates: &str,
) -> PyResult<Rows> {
    let py = object.py();
    let duplicates = arguments::duplicates(duplicates)?;
    let reader = open(object)?;
    let schema = reader.schema();
    let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    let found = find.call1((names,))?.cast_into::<PyDict>()?;
    let columns = Columns::new(self::table(table), &schema, &found)?;
    let loaded = work(py, threads, None, |pace| {
        let mut batches = Vec::new();
        for batch in reader {
            batches.push(batch.map_err(|error| broken(&error.to_string()))?);
            if !(pace.tick)(pace.progress) {
                return Err(Error::interrupted());
            }
        }
        columns.read(&batches, duplicates, pace)
    })?;
    Ok(Rows::new(loaded))
}

/// Takes the stream out of the capsule that an object exports.
#[allow(unsafe_code)]
fn open(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let exported = object.call_method0("__arrow_c_stream__")?;
    let capsule = exported
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_stream__ returned no capsule"))?;
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name points to an ArrowArrayStream, aligned and initialised, that lives
    // as long as the capsule, which `exported` keeps alive here; that is the contract of the Arrow
    // PyCapsule interface, and the name was checked. `from_raw` moves the stream out and leaves a
    // released one behind, so the capsule's destructor has nothing to release a second time; nobody
    // else uses the stream meanwhile, since the capsule was made by our own call and the interpreter
    // is held.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    RecordBatchStreamReader::try_new(stream).map_err(|error| {
        let found = format!("an Arrow stream that is no table ({error})");
        let error =
            Error::new(Kind::Format, found, "a table").hint("give the whole data frame, not a column");
        raise(object.py(), &error)
    })
}

fn broken(message: &str) -> Box<Error> {
    Error::new(Kind::Source, format!("an Arrow stream that cannot be read ({message})"), "a table")
}

/// Which column is which, and of what kind of table.
struct Columns {
    table: Table,
    queries: usize,
    documents: usize,
    values: Option<usize>,
    ranks: Option<usize>,
    labels: Option<usize>,
    names: Vec<String>,
}

/// One batch's columns.
struct Batch<'a> {
    queries: Ids<'a>,
    documents: Ids<'a>,
    values: Option<Numbers<'a>>,
    ranks: Option<Numbers<'a>>,
    labels: Option<Ids<'a>>,
    /// The first null of each column: row and column.
    nulls: Vec<(usize, usize)>,
    rows: usize,
    /// Rows in the batches before it.
    before: usize,
}

/// Some rows of a batch.
struct Job {
    batch: usize,
    rows: Range<usize>,
}

/// Where a job's rows go.
struct Target<'a> {
    at: u64,
    arena: &'a mut [u8],
    documents: &'a mut [MaybeUninit<Span>],
    values: &'a mut [f64],
    ranks: &'a mut [f64],
}

impl Columns {
    fn new(table: Table, schema: &SchemaRef, found: &Bound<'_, PyDict>) -> PyResult<Self> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let place = |role: &str| -> PyResult<Option<usize>> {
            let Some(name) = found.get_item(role)? else { return Ok(None) };
            let name: String = name.extract()?;
            Ok(names.iter().position(|other| *other == name))
        };
        let needed =
            |role: &str| place(role)?.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(role.to_owned()));
        let values = place(if table == Table::Qrels { "grade" } else { "score" })?;
        let (queries, documents, mut ranks) = (needed("query_id")?, needed("doc_id")?, place("rank")?);
        // Ranks that are no numbers matter only where they are what orders the documents.
        let numeric = |column: usize| {
            let field = schema.fields().get(column);
            field.is_some_and(|field| field.data_type().is_numeric())
        };
        if values.is_some() && !ranks.is_some_and(numeric) {
            ranks = None;
        }
        let labels = place("subtopic")?;
        Ok(Self { table, queries, documents, values, ranks, labels, names })
    }

    fn read(&self, batches: &[RecordBatch], duplicates: Duplicates, pace: &mut Pace<'_>) -> Result<Loaded> {
        let mut before = 0;
        let mut prepared = Vec::with_capacity(batches.len());
        for batch in batches {
            prepared.push(self.batch(batch, before)?);
            before += batch.num_rows();
        }
        if before == 0 {
            let what = if self.table == Table::Qrels { "judgments" } else { "a run" };
            return Err(Error::new(Kind::Format, "a table without rows", what));
        }
        let mut jobs = Vec::new();
        for (number, batch) in batches.iter().enumerate() {
            for first in (0..batch.num_rows()).step_by(ROWS_PER_JOB) {
                let rows = first..batch.num_rows().min(first + ROWS_PER_JOB);
                jobs.push(Job { batch: number, rows });
            }
        }
        let rooms = run(
            jobs.len(),
            pace,
            || (),
            |(), number| {
                let job = jobs.get(number).zip(jobs.get(number).and_then(|job| prepared.get(job.batch)));
                Ok(job.map_or(0, |(job, batch)| batch.documents.room(job.rows.clone())))
            },
        )?;
        let mut arena = vec![0; rooms.iter().sum()];
        let mut documents: Vec<Span> = Vec::with_capacity(before);
        let mut values = vec![0.0; before];
        let mut ranks = vec![0.0; if self.ranks.is_some() { before } else { 0 }];
        let starts = {
            let spare = documents.spare_capacity_mut();
            let targets = hand_out(&jobs, &rooms, &mut arena, spare, &mut values, &mut ranks);
            run(
                jobs.len(),
                pace,
                || (),
                |(), number| {
                    let (Some(job), Some(target)) = (jobs.get(number), targets.get(number)) else {
                        return Err(broken("a job without rows"));
                    };
                    let target = target.lock().unwrap_or_else(PoisonError::into_inner).take();
                    match (prepared.get(job.batch), target) {
                        (Some(batch), Some(target)) => self.fill(batch, &job.rows, target),
                        _ => Err(broken("a job without rows")),
                    }
                },
            )?
        };
        filled(&mut documents, before);
        let mut builder = RowsBuilder::over(arena, documents, values, ranks);
        for (job, starts) in jobs.iter().zip(&starts) {
            let Some(batch) = prepared.get(job.batch) else { continue };
            for &row in starts {
                builder.piece(batch.queries.get(row, &mut [0; 20]), batch.before + row);
            }
        }
        for batch in &prepared {
            if let Some(labels) = &batch.labels {
                (0..batch.rows).for_each(|row| builder.label_next(labels.get(row, &mut [0; 20])));
            }
        }
        let scored = self.values.is_some();
        if !scored {
            builder.order_by_rank().map_err(|(row, error)| error.line(row))?;
        }
        let rows = builder.finish(duplicates).map_err(|(row, error)| error.line(row))?;
        Ok(Loaded { rows, scored, tag: Vec::new() })
    }

    fn batch<'a>(&self, batch: &'a RecordBatch, before: usize) -> Result<Batch<'a>> {
        let column = |number: usize| -> Result<&'a dyn Array> {
            let column = batch.columns().get(number).map(|column| &**column);
            column.ok_or_else(|| broken("a batch lacks a column"))
        };
        let ids = |number: usize| {
            let array = column(number)?;
            Ids::of(array).ok_or_else(|| self.wrong_ids(number, array))
        };
        let numbers = |number: Option<usize>| match number {
            None => Ok(None),
            Some(number) => {
                let array = column(number)?;
                match Numbers::of(array) {
                    Some(numbers) => Ok(Some(numbers)),
                    None => Err(Error::new(
                        Kind::Column,
                        format!("column '{}' of type {}", self.name(number), array.data_type()),
                        "numbers",
                    )
                    .hint("cast the column to a floating-point type")),
                }
            }
        };
        let mut nulls = Vec::new();
        for number in [Some(self.queries), Some(self.documents), self.values, self.ranks, self.labels]
            .into_iter()
            .flatten()
        {
            let array = column(number)?;
            if let Some(own) = array.logical_nulls()
                && own.null_count() > 0
                && let Some(row) = (0..array.len()).find(|&row| own.is_null(row))
            {
                nulls.push((row, number));
            }
        }
        nulls.sort_unstable();
        Ok(Batch {
            queries: ids(self.queries)?,
            documents: ids(self.documents)?,
            values: numbers(self.values)?,
            ranks: numbers(self.ranks)?,
            labels: self.labels.map(ids).transpose()?,
            nulls,
            rows: batch.num_rows(),
            before,
        })
    }

    /// Copies a job's rows; returns the rows at which another query begins.
    fn fill(&self, batch: &Batch<'_>, rows: &Range<usize>, target: Target<'_>) -> Result<Vec<usize>> {
        let written = batch.documents.fill(rows.clone(), target.at, target.arena, target.documents);
        if written != rows.len() {
            return Err(broken("a column is shorter than its batch"));
        }
        let null = batch.nulls.iter().find(|(row, _)| rows.contains(row));
        let bad = match &batch.values {
            Some(numbers) => numbers
                .fill(rows.clone(), self.table == Table::Qrels, target.values)
                .map(|row| (rows.start + row, target.values.get(row).copied().unwrap_or_default())),
            None => {
                target.values.fill(f64::NAN);
                None
            }
        };
        if let Some(numbers) = &batch.ranks {
            // A rank that is no number matters only where it orders the documents.
            numbers.fill(rows.clone(), false, target.ranks);
        }
        match (null, bad) {
            (Some(&(row, column)), bad) if bad.is_none_or(|(other, _)| row <= other) => {
                return Err(Error::new(
                    Kind::Column,
                    format!("a null in column '{}'", self.name(column)),
                    "a value in every row",
                )
                .line((batch.before + row) as u64)
                .hint("fill the gap, or leave the row out"));
            }
            (_, Some((row, value))) => return Err(self.wrong_number(batch, row, value)),
            _ => {}
        }
        Ok(batch.queries.starts(rows.clone()))
    }

    fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", String::as_str)
    }

    fn wrong_ids(&self, column: usize, array: &dyn Array) -> Box<Error> {
        let error = Error::new(
            Kind::Column,
            format!("column '{}' of type {}", self.name(column), array.data_type()),
            "text, bytes or integers",
        );
        if array.data_type().is_floating() {
            error.hint(
                "a data frame turns integers with gaps into floats; convert the column to text or integers",
            )
        } else {
            error.hint("cast the column to text")
        }
    }

    fn wrong_number(&self, batch: &Batch<'_>, row: usize, value: f64) -> Box<Error> {
        let column = self.values.map_or("", |column| self.name(column));
        let finite = value.is_finite();
        let (expected, hint) = match self.table {
            Table::Qrels => ("a grade (a finite number within ±2^53)", ""),
            Table::Run if finite => {
                ("a score within ±2^53 where it is an integer", "convert the column to floats")
            }
            Table::Run => (
                "a score (a finite number)",
                "a score that is not finite has no place in an order; find out where the system made it",
            ),
        };
        Error::new(Kind::Format, format!("{value} in column '{column}'"), expected)
            .line((batch.before + row) as u64)
            .query(batch.queries.get(row, &mut [0; 20]))
            .document(batch.documents.get(row, &mut [0; 20]))
            .hint(hint)
    }
}

/// Cuts the columns into what each job fills.
fn hand_out<'a>(
    jobs: &[Job],
    rooms: &[usize],
    mut arena: &'a mut [u8],
    mut documents: &'a mut [MaybeUninit<Span>],
    mut values: &'a mut [f64],
    mut ranks: &'a mut [f64],
) -> Vec<Mutex<Option<Target<'a>>>> {
    fn cut<'a, T>(whole: &mut &'a mut [T], count: usize) -> &'a mut [T] {
        let count = count.min(whole.len());
        let (own, rest) = std::mem::take(whole).split_at_mut(count);
        *whole = rest;
        own
    }
    let mut at = 0;
    let mut targets = Vec::with_capacity(jobs.len());
    for (job, &room) in jobs.iter().zip(rooms) {
        let count = job.rows.len();
        targets.push(Mutex::new(Some(Target {
            at,
            arena: cut(&mut arena, room),
            documents: cut(&mut documents, count),
            values: cut(&mut values, count),
            ranks: cut(&mut ranks, count),
        })));
        at += room as u64;
    }
    targets
}

/// Tells a vector that its first `count` elements are there.
#[allow(unsafe_code)]
fn filled(documents: &mut Vec<Span>, count: usize) {
    assert!(count <= documents.capacity());
    // SAFETY: the capacity is large enough (just checked). `hand_out` cut the vector's spare room into
    // consecutive parts, one a job, that together hold `count` elements, the number of rows. Every job
    // has run, and has checked that `Ids::fill` wrote all spans of its part: otherwise it, and so `run`,
    // had returned an error, and this would not be reached.
    unsafe { documents.set_len(count) };
}
