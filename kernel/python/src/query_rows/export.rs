//! Exports evaluations: one row per system and query, and rows for queries that are only counted.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use gainful_core::known::Known;
use gainful_core::{Error, Kind, Result};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::{Column, ColumnKind, ColumnSpec, MARKS, parse_columns};
use crate::arrow::STREAM;
use crate::errors::raise;
use crate::evaluate::{CountedRow, Evaluated};

/// The maximum number of rows of an exported record batch.
const BATCH_ROWS: usize = 1 << 16;

/// Exports the rows of each system, followed by rows for the queries that are only counted: judged queries
/// missing from the run, and queries without judgments. In a partial evaluation each of these queries has a
/// row with its id; otherwise one row has their number.
#[pyfunction]
#[pyo3(signature = (systems, made_by, columns, *, binary = false))]
pub(crate) fn query_rows<'py>(
    py: Python<'py>,
    systems: Vec<(String, Py<Evaluated>)>,
    made_by: &str,
    columns: Vec<ColumnSpec>,
    binary: bool,
) -> PyResult<Bound<'py, PyCapsule>> {
    let columns = parse_columns(columns)?;
    let schema = schema(&columns, binary);
    let batches = py.detach(|| -> Result<Vec<RecordBatch>> {
        let mut all = Vec::new();
        for (system, evaluated) in &systems {
            all.extend(batches(evaluated.get(), system, made_by, &columns, &schema, binary)?);
        }
        Ok(all)
    });
    let batches = batches.map_err(|error| raise(py, &error))?;
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok::<_, ArrowError>), schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}

fn batches(
    evaluated: &Evaluated,
    system: &str,
    made_by: &str,
    columns: &[Column],
    schema: &SchemaRef,
    binary: bool,
) -> Result<Vec<RecordBatch>> {
    let rows = evaluated.table.queries.len();
    let counted = evaluated.counted_rows();
    let mut batches = Vec::new();
    let whole = rows + counted.len();
    for first in (0..whole).step_by(BATCH_ROWS) {
        let last = whole.min(first + BATCH_ROWS);
        let own_rows = first.min(rows)..last.min(rows);
        let tail = counted.known(first.max(rows) - rows..last.max(rows) - rows);
        let arrays = arrays(evaluated, system, made_by, columns, own_rows, tail, binary)?;
        let batch = RecordBatch::try_new(schema.clone(), arrays)
            .map_err(|error| Error::statement(Kind::Source, format!("the rows are not a table ({error})")))?;
        batches.push(batch);
    }
    Ok(batches)
}

fn schema(columns: &[Column], binary: bool) -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let mut fields = vec![
        text("system"),
        Field::new("query_id", if binary { DataType::Binary } else { DataType::Utf8 }, true),
    ];
    fields.extend(columns.iter().map(|column| {
        let kind = match column.kind {
            ColumnKind::Value | ColumnKind::Number | ColumnKind::Bound => DataType::Float64,
            ColumnKind::Count => DataType::Int64,
            ColumnKind::Tie => DataType::Boolean,
        };
        Field::new(&column.name, kind, true)
    }));
    fields.extend([
        text("status"),
        Field::new("queries", DataType::Int64, true),
        text("flags"),
        text("convention"),
    ]);
    Arc::new(Schema::new(fields))
}

fn arrays(
    evaluated: &Evaluated,
    system: &str,
    made_by: &str,
    columns: &[Column],
    rows: std::ops::Range<usize>,
    tail: &[CountedRow<'_>],
    binary: bool,
) -> Result<Vec<ArrayRef>> {
    let table = &evaluated.table;
    let count = rows.len() + tail.len();
    let constant =
        |text: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values((0..count).map(|_| text))) };
    let mut arrays = vec![constant(system), ids(evaluated, rows.clone(), tail, binary)?];
    let measures = evaluated.plan.measures.len();
    for column in columns {
        let value = |row: usize| *table.row(row).known(column.column);
        arrays.push(match column.kind {
            ColumnKind::Value | ColumnKind::Number | ColumnKind::Bound => {
                let mut builder = Float64Builder::with_capacity(count);
                for row in rows.clone() {
                    let value = value(row);
                    let left_out = column.leaves_out(value, table.row_flags(row));
                    builder.append_option((!left_out).then_some(value));
                }
                tail.iter().for_each(|_| builder.append_null());
                Arc::new(builder.finish())
            }
            ColumnKind::Count => {
                let mut builder = Int64Builder::with_capacity(count);
                rows.clone().for_each(|row| builder.append_value(value(row) as i64));
                tail.iter().for_each(|_| builder.append_null());
                Arc::new(builder.finish())
            }
            ColumnKind::Tie => {
                let mut builder = BooleanBuilder::with_capacity(count);
                rows.clone().for_each(|row| builder.append_value(value(row) > 0.0));
                tail.iter().for_each(|_| builder.append_null());
                Arc::new(builder.finish())
            }
        });
    }
    let status = rows.clone().map(|_| "evaluated").chain(tail.iter().map(|&(status, _, _)| status));
    arrays.push(Arc::new(StringArray::from_iter_values(status)));
    let mut queries = Int64Builder::with_capacity(count);
    rows.clone().for_each(|_| queries.append_value(1));
    tail.iter().for_each(|&(_, _, count)| queries.append_value(i64::try_from(count).unwrap_or(i64::MAX)));
    arrays.push(Arc::new(queries.finish()));
    let mut marks = StringBuilder::with_capacity(count, count * measures);
    let mut text = String::new();
    for row in rows {
        text.clear();
        let flags = table.row_flags(row).iter();
        text.extend(flags.map(|&flags| MARKS.known(usize::from(flags & 3))));
        marks.append_value(&text);
    }
    tail.iter().for_each(|_| marks.append_null());
    arrays.push(Arc::new(marks.finish()));
    arrays.push(constant(made_by));
    Ok(arrays)
}

fn ids(
    evaluated: &Evaluated,
    rows: std::ops::Range<usize>,
    tail: &[CountedRow<'_>],
    binary: bool,
) -> Result<ArrayRef> {
    let queries = evaluated.table.queries.known(rows).iter();
    let ids = queries.map(|&query| Some(evaluated.query_id(query))).chain(tail.iter().map(|&(_, id, _)| id));
    if binary {
        return Ok(Arc::new(BinaryArray::from_iter(ids)));
    }
    let mut builder = StringBuilder::new();
    for id in ids {
        let Some(id) = id else {
            builder.append_null();
            continue;
        };
        let text = std::str::from_utf8(id).map_err(|_| {
            Error::statement(Kind::Column, "the query id is not UTF-8")
                .query(id)
                .hint("ids=\"binary\" writes ids as bytes")
        })?;
        builder.append_value(text);
    }
    Ok(Arc::new(builder.finish()))
}
