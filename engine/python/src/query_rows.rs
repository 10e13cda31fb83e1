//! Rows of queries out through the Arrow C stream, and back: with all that an evaluation is made of again.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use gainful_core::columns::{Ids, Numbers};
use gainful_core::evaluate::{Piece, SKIPPED};
use gainful_core::{Error, Kind, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::arrow::{STREAM, open};
use crate::errors::raise;
use crate::evaluate::{Evaluated, bounded_plan};

/// Rows of a record batch that is handed out.
const ROWS: usize = 1 << 16;

/// What stands in a column of rows: its name, kind, number in the engine's table, and the measure it is of.
type Told = (String, String, usize, usize);

/// A column of rows.
struct Column {
    name: String,
    kind: What,
    column: usize,
    measure: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// The value of a measure, null where the query is left out of it.
    Value,
    Number,
    Count,
    Tie,
    /// Null where the query is left out and no labels bring it back.
    Bound,
}

fn layout(told: Vec<Told>) -> PyResult<Vec<Column>> {
    let known = |kind: &str| match kind {
        "value" => Ok(What::Value),
        "number" => Ok(What::Number),
        "count" => Ok(What::Count),
        "tie" => Ok(What::Tie),
        "bound" => Ok(What::Bound),
        other => Err(PyValueError::new_err(format!("a column of {other}"))),
    };
    told.into_iter()
        .map(|(name, kind, column, measure)| Ok(Column { name, kind: known(&kind)?, column, measure }))
        .collect()
}

/// How a measure takes a query: it counts, it counts and nothing is relevant, or it is left out.
const MARKS: [char; 4] = ['.', 'n', 'x', 's'];

// --- out ---------------------------------------------------------------------------------------------

/// Exports the rows of each system, and after them rows for what is only counted: judged queries that the
/// run lacks, and queries without judgments. Of a part these are named, a row each; otherwise it is one row
/// that says how many.
#[pyfunction]
#[pyo3(signature = (systems, made_by, columns, *, binary = false))]
pub fn query_rows<'py>(
    py: Python<'py>,
    systems: Vec<(String, Py<Evaluated>)>,
    made_by: &str,
    columns: Vec<Told>,
    binary: bool,
) -> PyResult<Bound<'py, PyCapsule>> {
    let columns = layout(columns)?;
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

/// What is counted and has no values: the status of the row, the query if it is known, how many it is.
type Counted<'a> = (&'static str, Option<&'a [u8]>, u64);

fn counted(evaluated: &Evaluated) -> Vec<Counted<'_>> {
    let table = &evaluated.table;
    let one = |status, id| (status, Some(id), 1);
    let mut counted: Vec<Counted<'_>> =
        table.left_out.iter().map(|&query| one("missing", evaluated.query_id(query))).collect();
    if counted.is_empty() && table.counts.missing > 0 {
        counted.push(("missing", None, table.counts.missing));
    }
    if table.extra.is_empty() && table.counts.extra > 0 {
        counted.push(("extra", None, table.counts.extra));
    }
    counted.extend(table.extra.iter().map(|id| one("extra", id.as_slice())));
    counted
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
    let counted = counted(evaluated);
    let mut batches = Vec::new();
    let whole = rows + counted.len();
    for first in (0..whole).step_by(ROWS) {
        let last = whole.min(first + ROWS);
        let own = first.min(rows)..last.min(rows);
        let tail = counted.get(first.max(rows) - rows..last.max(rows) - rows).unwrap_or_default();
        let arrays = arrays(evaluated, system, made_by, columns, own, tail, binary)?;
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| {
            Error::new(Kind::Source, format!("rows that make no table ({error})"), "a table")
        })?;
        batches.push(batch);
    }
    Ok(batches)
}

/// How many rows are exported.
pub fn exported(evaluated: &Evaluated) -> usize {
    evaluated.table.queries.len() + counted(evaluated).len()
}

fn schema(columns: &[Column], binary: bool) -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let mut fields = vec![
        text("system"),
        Field::new("query_id", if binary { DataType::Binary } else { DataType::Utf8 }, true),
    ];
    fields.extend(columns.iter().map(|column| {
        let kind = match column.kind {
            What::Value | What::Number | What::Bound => DataType::Float64,
            What::Count => DataType::Int64,
            What::Tie => DataType::Boolean,
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
    tail: &[Counted<'_>],
    binary: bool,
) -> Result<Vec<ArrayRef>> {
    let table = &evaluated.table;
    let count = rows.len() + tail.len();
    let constant =
        |text: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values((0..count).map(|_| text))) };
    let mut arrays = vec![constant(system), ids(evaluated, rows.clone(), tail, binary)?];
    let measures = evaluated.plan.measures.len();
    for column in columns {
        let value = |row: usize| table.row(row).get(column.column).copied().unwrap_or(f64::NAN);
        let skipped =
            |row: usize| table.row_flags(row).get(column.measure).is_some_and(|flags| flags & SKIPPED != 0);
        arrays.push(match column.kind {
            What::Value | What::Number | What::Bound => {
                let mut builder = Float64Builder::with_capacity(count);
                for row in rows.clone() {
                    let value = value(row);
                    let left_out = match column.kind {
                        What::Value => skipped(row),
                        What::Bound => value.is_nan() && skipped(row),
                        _ => false,
                    };
                    builder.append_option((!left_out).then_some(value));
                }
                tail.iter().for_each(|_| builder.append_null());
                Arc::new(builder.finish())
            }
            What::Count => {
                let mut builder = Int64Builder::with_capacity(count);
                rows.clone().for_each(|row| builder.append_value(value(row) as i64));
                tail.iter().for_each(|_| builder.append_null());
                Arc::new(builder.finish())
            }
            What::Tie => {
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
    let mut own = String::new();
    for row in rows {
        own.clear();
        let flags = table.row_flags(row).iter();
        own.extend(flags.map(|&flags| MARKS.get(usize::from(flags & 3)).copied().unwrap_or('.')));
        marks.append_value(&own);
    }
    tail.iter().for_each(|_| marks.append_null());
    arrays.push(Arc::new(marks.finish()));
    arrays.push(constant(made_by));
    Ok(arrays)
}

fn ids(
    evaluated: &Evaluated,
    rows: std::ops::Range<usize>,
    tail: &[Counted<'_>],
    binary: bool,
) -> Result<ArrayRef> {
    let queries = evaluated.table.queries.get(rows).unwrap_or_default().iter();
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
            Error::new(Kind::Column, "a query id that is no UTF-8", "text")
                .query(id)
                .hint("ids=\"binary\" writes ids as bytes")
        })?;
        builder.append_value(text);
    }
    Ok(Arc::new(builder.finish()))
}

// --- back --------------------------------------------------------------------------------------------

/// Makes evaluations of rows that came from `query_rows`, in any order and from any number of exports: of
/// each system its table. Each object exports an Arrow stream.
#[pyfunction]
#[pyo3(signature = (objects, made_by, columns, convention, measures, *, bounds = None))]
pub fn evaluated_rows<'py>(
    py: Python<'py>,
    objects: &Bound<'py, PyAny>,
    made_by: &str,
    columns: Vec<Told>,
    convention: &Bound<'py, PyDict>,
    measures: Vec<(String, String, Bound<'py, PyDict>)>,
    bounds: Option<(String, Vec<f64>)>,
) -> PyResult<Vec<(String, Evaluated)>> {
    let columns = layout(columns)?;
    let plan = bounded_plan(py, convention, measures, bounds)?;
    let mut systems: BTreeMap<String, System> = BTreeMap::new();
    let mut before = 0;
    for object in objects.try_iter()? {
        let reader = open(&object?)?;
        for batch in reader {
            let batch = batch.map_err(|error| {
                let found = format!("an Arrow stream that cannot be read ({error})");
                raise(py, &Error::new(Kind::Source, found, "rows of queries"))
            })?;
            py.check_signals()?;
            let shape = Shape {
                made_by,
                columns: &columns,
                width: plan.width(),
                measures: plan.measures.len(),
                before,
            };
            shape.take(&batch, &mut systems).map_err(|error| raise(py, &error))?;
            before += batch.num_rows() as u64;
        }
    }
    let skips = plan.convention.missing == gainful_core::convention::Missing::Skip;
    systems
        .into_iter()
        .map(|(system, System { mut piece, named })| {
            apart(&piece, named).map_err(|error| raise(py, &error))?;
            piece.counts.judged = piece.ids.len() as u64 + if skips { piece.counts.missing } else { 0 };
            let evaluated =
                Evaluated::joined(vec![piece], plan.clone()).map_err(|error| raise(py, &error))?;
            Ok((system, evaluated))
        })
        .collect()
}

/// The rows of a system.
#[derive(Default)]
struct System {
    piece: Piece,
    /// Queries without values that are named, and whether they have no judgments.
    named: Vec<(Vec<u8>, bool)>,
}

/// Refuses a query that stands in rows of two kinds: then its judgments were in one part and its ranking
/// in another one.
fn apart(piece: &Piece, mut named: Vec<(Vec<u8>, bool)>) -> Result<()> {
    named.sort_unstable();
    let refused = |found: &str, id: &[u8]| {
        Err(Error::new(Kind::Match, found, "all rows of a query in one part").query(id))
    };
    for pair in named.windows(2) {
        if let [(id, one), (other, two)] = pair
            && id == other
        {
            return refused(if one == two { TWICE } else { TORN }, id);
        }
    }
    let stands = |id: &Vec<u8>| named.binary_search_by(|(own, _)| own.cmp(id)).ok();
    if !named.is_empty()
        && let Some((id, at)) = piece.ids.iter().find_map(|id| Some((id, stands(id)?)))
    {
        let unjudged = named.get(at).is_some_and(|&(_, unjudged)| unjudged);
        return refused(if unjudged { TORN } else { TWICE }, id);
    }
    Ok(())
}

const TWICE: &str = "rows of it in two parts";
const TORN: &str = "its judgments in one part, and its ranking in another";

/// What rows have to be.
struct Shape<'a> {
    made_by: &'a str,
    columns: &'a [Column],
    width: usize,
    measures: usize,
    /// Rows before this batch.
    before: u64,
}

impl Shape<'_> {
    fn take(&self, batch: &RecordBatch, systems: &mut BTreeMap<String, System>) -> Result<()> {
        let rows = batch.num_rows();
        let names = Texts::new(batch, "system")?;
        let ids = Texts::new(batch, "query_id")?;
        let status = Texts::new(batch, "status")?;
        let marks = Texts::new(batch, "flags")?;
        let made_by = Texts::new(batch, "convention")?;
        let (queries, unknown) = numbers(batch, "queries")?;
        let mut filled = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            filled.push(numbers(batch, &column.name)?);
        }
        let mut digits = [[0; 20]; 4];
        let [a, b, c, d] = &mut digits;
        for row in 0..rows {
            let place = self.before + row as u64;
            let wrong = |found: String, expected: &str| Error::new(Kind::Format, found, expected).line(place);
            let null = |column: &str, expected: &str| {
                Error::new(Kind::Column, format!("a null in column '{column}'"), expected).line(place)
            };
            let own = made_by.get(row, a);
            if own != Some(self.made_by.as_bytes()) {
                let own = own.map_or("null".into(), String::from_utf8_lossy).into_owned();
                return Err(Error::new(
                    Kind::Match,
                    format!("rows that were made by {own}"),
                    format!("rows that were made by {}", self.made_by),
                )
                .hint("the same convention, with the same measures in the same order and the same bounds"));
            }
            let name = names.get(row, b).map(String::from_utf8_lossy);
            let Some(name) = name else { return Err(null("system", "the name of a system")) };
            if !systems.contains_key(&*name) {
                systems.insert(name.clone().into_owned(), System::default());
            }
            let Some(System { piece, named }) = systems.get_mut(&*name) else { continue };
            if unknown.get(row) == Some(&true) {
                return Err(null("queries", "how many queries the row stands for"));
            }
            let count = queries.get(row).copied().unwrap_or(f64::NAN);
            if !(0.0..=9e15).contains(&count) {
                return Err(wrong(format!("{count} queries"), "how many queries the row stands for"));
            }
            let id = ids.get(row, d);
            let unjudged = match status.get(row, c) {
                Some(b"evaluated") => None,
                Some(b"missing") => Some(false),
                Some(b"extra") => Some(true),
                other => {
                    let found = other.map_or("null".into(), String::from_utf8_lossy);
                    return Err(wrong(format!("the status '{found}'"), "evaluated, missing or extra"));
                }
            };
            if let Some(unjudged) = unjudged {
                let counts = &mut piece.counts;
                *(if unjudged { &mut counts.extra } else { &mut counts.missing }) += count as u64;
                named.extend(id.map(|id| (id.to_vec(), unjudged)));
                continue;
            }
            let Some(id) = id else {
                return Err(null("query_id", "the id of a query"));
            };
            let flags = marks.get(row, &mut [0; 20]).map(<[u8]>::to_vec).unwrap_or_default();
            let flags: Vec<u8> = flags
                .iter()
                .filter_map(|&mark| MARKS.iter().position(|&known| known == char::from(mark)))
                .filter_map(|at| u8::try_from(at).ok())
                .collect();
            if flags.len() != self.measures {
                let found = marks.get(row, &mut [0; 20]).map(|own| String::from_utf8_lossy(own).into_owned());
                return Err(wrong(
                    format!("the flags '{}'", found.unwrap_or_default()),
                    "one of '.', 'n' and 's' for each measure",
                )
                .query(id));
            }
            let first = piece.values.len();
            piece.values.resize(first + self.width, f64::NAN);
            for (column, (values, nulls)) in self.columns.iter().zip(&filled) {
                // NaN, which a query with nothing relevant may count, is null after some data frames.
                let nothing = flags.get(column.measure).is_some_and(|&own| own != 0);
                let may_lack = nothing && matches!(column.kind, What::Value | What::Bound);
                let lacks = nulls.get(row) == Some(&true);
                if lacks && !may_lack {
                    let expected = "a value in every row of a query that was evaluated";
                    return Err(null(&column.name, expected).query(id));
                }
                let value = if lacks { f64::NAN } else { values.get(row).copied().unwrap_or(f64::NAN) };
                if let Some(slot) = piece.values.get_mut(first + column.column) {
                    *slot = value;
                }
            }
            piece.flags.extend_from_slice(&flags);
            piece.ids.push(id.to_vec());
        }
        Ok(())
    }
}

/// A column of texts, in which there may be nulls.
struct Texts<'a> {
    ids: Ids<'a>,
    nulls: Option<arrow_array::BooleanArray>,
}

impl<'a> Texts<'a> {
    fn new(batch: &'a RecordBatch, name: &str) -> Result<Self> {
        let array = column(batch, name)?;
        let ids = Ids::of(array);
        // A column of nothing but nulls may have lost its type.
        if array.data_type() == &DataType::Null {
            let nulls = arrow_array::BooleanArray::from(vec![true; array.len()]);
            return Ok(Self { ids: Ids::Offsets32(&[], &[]), nulls: Some(nulls) });
        }
        Ok(Self { ids: ids.ok_or_else(|| wrong_type(name, array, "text"))?, nulls: nulls(array) })
    }

    fn get<'b>(&'b self, row: usize, digits: &'b mut [u8; 20]) -> Option<&'b [u8]> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.value(row)) {
            return None;
        }
        Some(self.ids.get(row, digits))
    }
}

fn nulls(array: &dyn Array) -> Option<arrow_array::BooleanArray> {
    let own = array.logical_nulls().filter(|own| own.null_count() > 0)?;
    Some(arrow_array::BooleanArray::from(own.iter().map(|valid| !valid).collect::<Vec<_>>()))
}

/// The numbers of a column, and which of them are null; none of these, where it has no nulls.
fn numbers(batch: &RecordBatch, name: &str) -> Result<(Vec<f64>, Vec<bool>)> {
    let array = column(batch, name)?;
    if array.data_type() == &DataType::Null {
        return Ok((vec![f64::NAN; array.len()], vec![true; array.len()]));
    }
    let numbers = Numbers::of(array).ok_or_else(|| wrong_type(name, array, "numbers"))?;
    let mut values = vec![f64::NAN; array.len()];
    // Values that are not finite are values, too.
    numbers.fill(0..array.len(), false, &mut values);
    let nulls = nulls(array).map(|nulls| (0..array.len()).map(|row| nulls.value(row)).collect());
    Ok((values, nulls.unwrap_or_default()))
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a dyn Array> {
    let found = batch.column_by_name(name).map(|column| &**column);
    found.ok_or_else(|| {
        let schema = batch.schema();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        Error::new(Kind::Column, format!("columns {}", names.join(", ")), format!("a column '{name}'"))
            .hint("rows as score_partition returns them, of the same measures")
    })
}

fn wrong_type(name: &str, array: &dyn Array, expected: &str) -> Box<Error> {
    Error::new(Kind::Column, format!("column '{name}' of type {}", array.data_type()), expected)
}
