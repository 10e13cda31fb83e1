//! Exports columns as Arrow C streams.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, LargeStringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch,
    RecordBatchIterator,
};
use arrow_schema::{ArrowError, Field, Schema};
use gainful_core::known::Known;
use gainful_core::read::trec::TableKind;
use gainful_core::rows::is_whole;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyFloat, PyInt, PyList, PyString};

use super::STREAM;
use crate::ids::string_bytes;
use crate::rows::{Rows, table};

/// Exports columns as an Arrow stream of one batch. Each column is a list of strings, floats, integers or
/// Booleans; None is null.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    names: Vec<String>,
    columns: Vec<Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    if names.len() != columns.len() {
        return Err(PyValueError::new_err(format!("{} names for {} columns", names.len(), columns.len())));
    }
    let arrays = columns.iter().map(array).collect::<PyResult<Vec<_>>>()?;
    export(py, names, arrays)
}

/// Exports judgments or a run as an Arrow stream.
///
/// Judgments have the columns query_id, subtopic (if they have subtopics), doc_id and grade. A run has
/// query_id, doc_id, score (if it has scores) and rank. Rows are in their given order; a query without
/// documents is a row of nulls.
#[pyfunction]
pub(crate) fn rows_stream<'py>(
    py: Python<'py>,
    rows: PyRef<'_, Rows>,
    table: &str,
) -> PyResult<Bound<'py, PyCapsule>> {
    let table = self::table(table);
    let loaded = rows.inner.clone();
    drop(rows);
    let (names, arrays) = py.detach(|| {
        let mut queries = Texts::default();
        let mut documents = Texts::default();
        let mut labels = Texts::default();
        let mut values = Vec::with_capacity(loaded.rows.len());
        let mut ranks = Vec::with_capacity(loaded.rows.len());
        for query in loaded.rows.iter() {
            for row in 0..query.documents.len() {
                queries.push(Some(query.id));
                documents.push(Some(query.document(row)));
                labels.push(query.label(row));
                values.push(Some(*query.values.known(row)));
            }
            if table == TableKind::Run {
                ranks.extend(query.written_ranks(loaded.scored).into_iter().map(Some));
            }
            if query.documents.is_empty() {
                queries.push(Some(query.id));
                documents.push(None);
                labels.push(None);
                values.push(None);
                ranks.push(None);
            }
        }
        let mut names = vec!["query_id", "doc_id"];
        let mut arrays = vec![queries.array(), documents.array()];
        if loaded.rows.has_labels() {
            names.insert(1, "subtopic");
            arrays.insert(1, labels.array());
        }
        match table {
            TableKind::Qrels => {
                names.push("grade");
                arrays.push(numbers(values));
            }
            TableKind::Run => {
                if loaded.scored {
                    names.push("score");
                    arrays.push(Arc::new(Float64Array::from(values)) as ArrayRef);
                }
                names.push("rank");
                arrays.push(numbers(ranks));
            }
        }
        (names.into_iter().map(str::to_owned).collect(), arrays)
    });
    export(py, names, arrays)
}

/// A column of numbers: integers if all are.
fn numbers(values: Vec<Option<f64>>) -> ArrayRef {
    if values.iter().flatten().all(|&value| is_whole(value)) {
        Arc::new(values.into_iter().map(|value| value.map(|value| value as i64)).collect::<Int64Array>())
    } else {
        Arc::new(Float64Array::from(values))
    }
}

/// A column of ids: text, or bytes if any id is not valid UTF-8.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    lengths: Vec<Option<usize>>,
}

impl Texts {
    fn push(&mut self, id: Option<&[u8]>) {
        self.bytes.extend_from_slice(id.unwrap_or_default());
        self.lengths.push(id.map(<[u8]>::len));
    }

    fn array(self) -> ArrayRef {
        let mut at = 0;
        let slices = self.lengths.iter().map(|length| {
            let start = at;
            at += (*length)?;
            Some(self.bytes.known(start..at))
        });
        let binary = LargeBinaryArray::from_iter(slices);
        match LargeStringArray::try_from_binary(binary.clone()) {
            Ok(text) => Arc::new(text),
            Err(_) => Arc::new(binary),
        }
    }
}

fn array(column: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let first = column.iter().find(|value| !value.is_none());
    let Some(first) = first else {
        return Ok(Arc::new(Float64Array::from(vec![None; column.len()])));
    };
    // Check bool before int, because bool is a subclass of int.
    if first.is_instance_of::<PyBool>() {
        let mut builder = BooleanBuilder::with_capacity(column.len());
        for value in column.iter() {
            builder.append_option(value.extract::<Option<bool>>()?);
        }
        return Ok(Arc::new(builder.finish()));
    }
    if first.is_instance_of::<PyString>() {
        let mut builder = LargeStringBuilder::new();
        for value in column.iter() {
            if value.is_none() {
                builder.append_null();
            } else {
                // Invalid UTF-8 in an id becomes the replacement character.
                builder.append_value(String::from_utf8_lossy(&string_bytes(value.cast::<PyString>()?)?));
            }
        }
        return Ok(Arc::new(builder.finish()));
    }
    let whole = column.iter().all(|value| value.is_none() || value.is_instance_of::<PyInt>());
    if whole {
        let mut builder = Int64Builder::with_capacity(column.len());
        for value in column.iter() {
            builder.append_option(value.extract::<Option<i64>>()?);
        }
        return Ok(Arc::new(builder.finish()));
    }
    if first.is_instance_of::<PyFloat>() || first.is_instance_of::<PyInt>() {
        let mut builder = Float64Builder::with_capacity(column.len());
        for value in column.iter() {
            builder.append_option(value.extract::<Option<f64>>()?);
        }
        return Ok(Arc::new(builder.finish()));
    }
    Err(PyTypeError::new_err(format!("a column of {}", first.get_type().name()?)))
}

fn export(py: Python<'_>, names: Vec<String>, arrays: Vec<ArrayRef>) -> PyResult<Bound<'_, PyCapsule>> {
    let failed = |error: ArrowError| PyValueError::new_err(error.to_string());
    let fields: Vec<Field> = names
        .into_iter()
        .zip(&arrays)
        .map(|(name, array)| Field::new(name, array.data_type().clone(), array.null_count() > 0))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(failed)?;
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, STREAM)
}
