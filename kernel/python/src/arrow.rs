//! Imports and exports tables as Arrow C streams, the interface that data frames share.
//!
//! This module and `formulas/numbers.rs` are the only ones of this crate with unsafe code. Here it moves a
//! stream out of its capsule, and sets the length of a vector that several threads filled.

mod export;

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::ffi_stream::RecordBatchStreamReader;

use arrow_schema::Schema;
use gainful_core::columns::{
    Batch, Columns, Origin, Piece, Pieces, RowError, RowNames, Sought, locate, parquet_file, shape,
};
use gainful_core::convention::Duplicates;
use gainful_core::formats::{Loaded, Recoding};
use gainful_core::known::Known;
use gainful_core::memory;
use gainful_core::parallel::{Pace, run};
use gainful_core::read::number::bad_rank;
use gainful_core::read::trec::TableKind;
use gainful_core::roles::Naming;
use gainful_core::rows::{RowsBuilder, Span};
use gainful_core::{Code, Error, Kind, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::errors::raise;

pub(crate) use export::{arrow_stream, rows_stream};

/// The capsule name of a stream in the Arrow PyCapsule interface.
pub(crate) const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// The number of rows per job.
const ROWS_PER_JOB: usize = 1 << 16;

/// Finds the columns of a schema.
pub(crate) fn names(schema: &Schema, table: TableKind, naming: &Naming, labelled: bool) -> Result<RowNames> {
    let all: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut found = Sought { table, naming, labelled, numbered: false }.among(&all, shape(schema))?;
    found.label = found.label.filter(|_| labelled);
    found.weight = found.weight.filter(|_| labelled);
    Ok(found)
}

/// Opens the Arrow stream that an object exports.
#[allow(unsafe_code)]
pub(crate) fn open(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let exported = object.call_method0("__arrow_c_stream__")?;
    let capsule = exported
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_stream__ returned no capsule"))?;
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: the name was checked, and by the contract of the Arrow PyCapsule interface a capsule of
    // this name points to an aligned, initialized ArrowArrayStream that lives as long as the capsule,
    // which `exported` keeps alive. `from_raw` moves the stream out and leaves a released one behind,
    // so the capsule's destructor does not release it a second time. No other code uses the stream
    // meanwhile, because our own call created the capsule and this thread is attached to the
    // interpreter.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    RecordBatchStreamReader::try_new(stream).map_err(|error| {
        let found = format!("the Arrow stream is not a table ({error})");
        let error = Error::statement(Kind::Format, found)
            .hint("pass a data frame, not a column, with columns of standard types");
        raise(object.py(), &error)
    })
}

/// Returns a table that exports an Arrow stream as a Parquet file.
#[pyfunction]
pub(crate) fn parquet_bytes<'py>(table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = table.py();
    let reader = open(table)?;
    let file = py.detach(|| parquet_file(reader).map_err(|error| stream_error(&error.to_string())));
    Ok(PyBytes::new(py, &file.map_err(|error| raise(py, &error))?))
}

/// Returns the batches of a stream as pieces of a table, with only the columns that are needed.
pub(crate) fn pieces(reader: RecordBatchStreamReader, columns: &Columns) -> Pieces<'static> {
    let (kept, columns) = columns.alone();
    let columns = Arc::new(columns);
    let mut row = 0;
    Box::new(reader.map(move |batch| {
        let batch = batch.and_then(|batch| batch.project(&kept)).and_then(|batch| columns.plain(batch));
        let batch = batch.map_err(|error| stream_error(&error.to_string()))?;
        let origin = Origin { row, ..Origin::default() };
        row += batch.num_rows() as u64;
        Ok(Piece { columns: columns.clone(), batch, origin, empty: false })
    }))
}

/// Builds the error for a failed Arrow producer from the first line of its message. A KeyboardInterrupt in a
/// Python producer becomes an interruption.
fn stream_error(message: &str) -> Box<Error> {
    if message.lines().any(|line| line.trim() == "KeyboardInterrupt") {
        return Error::interrupted();
    }
    if message.contains(r#"The datatype "Null""#) {
        return Error::statement(Kind::Column, "a column of type Null has no values")
            .hint("remove the column");
    }
    let message = message.rsplit("Producer error: ").next().unwrap_or_default();
    let message = message.split(". Detail: ").next().unwrap_or_default();
    let message = message.lines().next().unwrap_or_default();
    Error::statement(Kind::Source, format!("cannot read the Arrow stream ({message})"))
}

/// Consecutive rows of a batch.
struct Job {
    batch: usize,
    rows: Range<usize>,
}

/// The parts of the columns that a job fills.
struct Target<'a> {
    at: u64,
    arena: &'a mut [u8],
    documents: &'a mut [MaybeUninit<Span>],
    values: &'a mut [f64],
    ranks: &'a mut [f64],
}

/// Reads a whole table into memory.
///
/// `files` are the names of the files of the pieces, for messages. A `partial` table is part of a larger one
/// and may have no rows.
pub(crate) fn read(
    pieces: Pieces<'_>,
    files: &[String],
    scored: bool,
    (duplicates, recoding): (Duplicates, &Recoding),
    partial: bool,
    pace: &mut Pace<'_>,
) -> Result<Loaded> {
    let mut whole = Vec::new();
    for piece in pieces {
        for part in piece?.parts() {
            let origin = part.origin;
            let located = |(row, error): RowError| {
                locate(files, Origin { row: origin.row + row as u64, ..origin }, error)
            };
            whole.push(part.recoded(recoding).map_err(located)?);
        }
        if !(pace.tick)(pace.progress) {
            return Err(Error::interrupted());
        }
    }
    let mut before = 0;
    let mut batches = Vec::with_capacity(whole.len());
    let mut firsts = Vec::with_capacity(whole.len());
    for piece in &whole {
        let named = |error: Box<Error>| match files.get(piece.origin.file) {
            Some(name) => error.file(name.clone()),
            None => error,
        };
        batches.push(Batch::new(&piece.columns, &piece.batch).map_err(named)?);
        firsts.push(before);
        before += if piece.empty { 0 } else { piece.batch.num_rows() };
    }
    let has_empty = whole.iter().any(|piece| piece.empty);
    if before == 0 && !has_empty && !partial {
        let error = Error::statement(Kind::Format, "the table has no rows").code(Code::EmptyTable);
        return Err(match files.first() {
            Some(name) => error.file(name.clone()),
            None => error,
        });
    }
    let located = |row: u64, error: Box<Error>| {
        let after = firsts.partition_point(|&first| first as u64 <= row);
        let (first, piece) = (*firsts.known(after - 1) as u64, whole.known(after - 1));
        locate(files, Origin { row: piece.origin.row + (row - first), ..piece.origin }, error)
    };
    let mut jobs = Vec::new();
    for (number, (batch, piece)) in batches.iter().zip(&whole).enumerate() {
        if piece.empty {
            continue;
        }
        for first in (0..batch.rows).step_by(ROWS_PER_JOB) {
            let rows = first..batch.rows.min(first + ROWS_PER_JOB);
            jobs.push(Job { batch: number, rows });
        }
    }
    let rooms = run(
        jobs.len(),
        pace,
        || (),
        |(), number| {
            let job = jobs.known(number);
            Ok(batches.known(job.batch).documents.room(job.rows.clone()))
        },
    )?;
    let ranked = whole.first().is_some_and(|piece| piece.columns.ranks.is_some());
    let (mut arena, mut documents) = (Vec::new(), Vec::<Span>::new());
    let (mut values, mut ranks) = (Vec::new(), Vec::new());
    memory::resize(&mut arena, rooms.iter().sum(), 0)?;
    memory::reserve(&mut documents, before)?;
    memory::resize(&mut values, before, 0.0)?;
    memory::resize(&mut ranks, if ranked { before } else { 0 }, 0.0)?;
    let starts = {
        let spare = documents.spare_capacity_mut();
        let targets = hand_out(&jobs, &rooms, &mut arena, spare, &mut values, &mut ranks);
        run(
            jobs.len(),
            pace,
            || (),
            |(), number| {
                let job = jobs.known(number);
                let target = targets.known(number).lock().unwrap_or_else(PoisonError::into_inner).take();
                let target = target.ok_or_else(|| stream_error("a job without rows"))?;
                fill(batches.known(job.batch), &job.rows, target)
                    .map_err(|(row, error)| located((firsts.known(job.batch) + row) as u64, error))
            },
        )?
    };
    set_length(&mut documents, before);
    let mut builder = RowsBuilder::over(arena, documents, values, ranks);
    let mut filled = jobs.iter().zip(&starts).peekable();
    for (number, (batch, first)) in batches.iter().zip(&firsts).enumerate() {
        if whole.known(number).empty {
            for row in batch.queries.starts(0..batch.rows) {
                builder.query(batch.queries.get(row, &mut [0; 20]));
            }
        }
        while let Some((_, starts)) = filled.next_if(|(job, _)| job.batch == number) {
            for &row in starts {
                builder.piece(batch.queries.get(row, &mut [0; 20]), first + row);
            }
        }
    }
    for (batch, _) in batches.iter().zip(&whole).filter(|(_, piece)| !piece.empty) {
        if let Some(labels) = &batch.labels {
            (0..batch.rows).for_each(|row| builder.label_next(labels.get(row, &mut [0; 20])));
        }
    }
    if !scored && ranked {
        builder.order_by_rank().map_err(|(row, error)| located(row, error))?;
    }
    let rows = builder.finish_on(pace.threads, duplicates).map_err(|(row, error)| located(row, error))?;
    // Judgments without grades have the grade 1.
    let columns = whole.first().map(|piece| &piece.columns);
    let judged = columns.is_some_and(|columns| columns.table == TableKind::Qrels);
    let systems = columns.and_then(|columns| columns.systems.map(|system| columns.name(system).to_owned()));
    Ok(Loaded { systems, ..Loaded::new(rows, scored || judged) })
}

/// Copies a job's rows; returns the rows at which a new query starts.
fn fill(
    batch: &Batch<'_>,
    rows: &Range<usize>,
    target: Target<'_>,
) -> std::result::Result<Vec<usize>, (usize, Box<Error>)> {
    let written = batch.documents.fill(rows.clone(), target.at, target.arena, target.documents);
    if written != rows.len() {
        return Err((rows.start, stream_error("a column is shorter than its batch")));
    }
    let wrong = batch.fill_values(rows, target.values, true);
    if let Some(numbers) = &batch.ranks {
        // A rank that is not a number is an error only if ranks order the documents.
        let bad = numbers.fill(rows.clone(), false, target.ranks).map(|row| rows.start + row);
        if let (Some(row), None) = (bad, &batch.values)
            && let Some(text) = numbers.text(row)
        {
            return Err((row, bad_rank(text.as_bytes())));
        }
    }
    wrong?;
    Ok(batch.queries.starts(rows.clone()))
}

/// Splits the columns into the parts that the jobs fill.
fn hand_out<'a>(
    jobs: &[Job],
    rooms: &[usize],
    mut arena: &'a mut [u8],
    mut documents: &'a mut [MaybeUninit<Span>],
    mut values: &'a mut [f64],
    mut ranks: &'a mut [f64],
) -> Vec<Mutex<Option<Target<'a>>>> {
    fn cut<'a, T>(whole: &mut &'a mut [T], count: usize) -> &'a mut [T] {
        let (part, rest) = std::mem::take(whole).split_at_mut(count);
        *whole = rest;
        part
    }
    let (mut at, ranked) = (0, !ranks.is_empty());
    let mut targets = Vec::with_capacity(jobs.len());
    for (job, &room) in jobs.iter().zip(rooms) {
        let count = job.rows.len();
        targets.push(Mutex::new(Some(Target {
            at,
            arena: cut(&mut arena, room),
            documents: cut(&mut documents, count),
            values: cut(&mut values, count),
            ranks: if ranked { cut(&mut ranks, count) } else { &mut [] },
        })));
        at += room as u64;
    }
    targets
}

/// Sets the length of a vector whose first `count` elements are initialized.
#[allow(unsafe_code)]
fn set_length(documents: &mut Vec<Span>, count: usize) {
    assert!(count <= documents.capacity());
    // SAFETY: the capacity is large enough (just checked). `hand_out` split the vector's spare capacity
    // into consecutive parts, one per job, with `count` elements in total, the number of rows. Every job
    // has run and checked that `IdColumn::fill` wrote all spans of its part. Otherwise `run` would have
    // returned an error, and this code would not be reached.
    unsafe { documents.set_len(count) };
}
