//! Exports columns as Arrow C streams.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, LargeStringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch,
    RecordBatchIterator,
};
use arrow_schema::{ArrowError, Field, Schema};
use gainful_core::read::trec::Table;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyFloat, PyInt, PyList, PyString};

use super::STREAM;
use crate::ids::string_bytes;
use crate::rows::{Rows, table};

/// Exports columns as an Arrow stream of one batch. Each column is a list of strings, floats, integers or
/// Booleans; None is null.
#[pyfunction]
pub fn arrow_stream<'py>(
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
/// query_id, doc_id, score (if it has scores) and rank, in rank order.
#[pyfunction]
pub fn rows_stream<'py>(
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
            let order = match table {
                Table::Qrels => (0..query.documents.len()).collect(),
                Table::Run => query.order(loaded.scored),
            };
            for (rank, row) in (1..).zip(order) {
                queries.push(query.id);
                documents.push(query.document(row));
                if let Some(label) = query.label(row) {
                    labels.push(label);
                }
                values.push(query.values.get(row).copied().unwrap_or_default());
                ranks.push(rank);
            }
        }
        let mut names = vec!["query_id", "doc_id"];
        let mut arrays = vec![queries.array(), documents.array()];
        if loaded.rows.has_labels() {
            names.insert(1, "subtopic");
            arrays.insert(1, labels.array());
        }
        match table {
            Table::Qrels => {
                names.push("grade");
                arrays.push(if loaded.rows.whole() {
                    let grades = values.iter().map(|&grade| grade as i64);
                    Arc::new(Int64Array::from_iter_values(grades)) as ArrayRef
                } else {
                    Arc::new(Float64Array::from(values)) as ArrayRef
                });
            }
            Table::Run => {
                if loaded.scored {
                    names.push("score");
                    arrays.push(Arc::new(Float64Array::from(values)) as ArrayRef);
                }
                names.push("rank");
                arrays.push(Arc::new(Int64Array::from(ranks)) as ArrayRef);
            }
        }
        (names.into_iter().map(str::to_owned).collect(), arrays)
    });
    export(py, names, arrays)
}

/// A column of ids: text, or bytes if any id is not valid UTF-8.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

impl Texts {
    fn push(&mut self, id: &[u8]) {
        self.bytes.extend_from_slice(id);
        self.lengths.push(id.len());
    }

    fn array(self) -> ArrayRef {
        let mut at = 0;
        let slices = self.lengths.iter().map(|length| {
            let slice = self.bytes.get(at..at + length).unwrap_or_default();
            at += length;
            slice
        });
        let binary = LargeBinaryArray::from_iter_values(slices);
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
