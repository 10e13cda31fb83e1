//! Restores evaluations from exported rows, in any order and from any number of exports.

use std::collections::BTreeMap;

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use gainful_core::columns::{IdColumn, NumberColumn};
use gainful_core::evaluate::TablePart;
use gainful_core::known::Known;
use gainful_core::{Code, Error, Kind, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Column, ColumnKind, ColumnSpec, MARKS, parse_columns};
use crate::arrow::open;
use crate::errors::raise;
use crate::evaluate::{Evaluated, bounded_plan};

/// Restores the evaluation of each system from rows of `query_rows`. Each object exports an Arrow stream.
#[pyfunction]
#[pyo3(signature = (objects, made_by, columns, convention, measures, *, bounds = None))]
pub(crate) fn evaluated_rows<'py>(
    py: Python<'py>,
    objects: &Bound<'py, PyAny>,
    made_by: &str,
    columns: Vec<ColumnSpec>,
    convention: &Bound<'py, PyDict>,
    measures: Vec<(String, String, Bound<'py, PyDict>)>,
    bounds: Option<(String, Vec<f64>)>,
) -> PyResult<Vec<(String, Evaluated)>> {
    let columns = parse_columns(columns)?;
    let plan = bounded_plan(py, convention, measures, bounds)?;
    let mut systems: BTreeMap<String, System> = BTreeMap::new();
    let mut before = 0;
    for object in objects.try_iter()? {
        let reader = open(&object?)?;
        for batch in reader {
            let batch = batch.map_err(|error| {
                let found = format!("cannot read the Arrow stream ({error})");
                raise(py, &Error::statement(Kind::Source, found))
            })?;
            py.check_signals()?;
            let layout = Layout {
                made_by,
                columns: &columns,
                width: plan.width(),
                measures: plan.measures.len(),
                before,
            };
            layout.read_rows(&batch, &mut systems).map_err(|error| raise(py, &error))?;
            before += batch.num_rows() as u64;
        }
    }
    let skips = plan.convention.missing == gainful_core::convention::Missing::Skip;
    systems
        .into_iter()
        .map(|(system, System { mut piece, named })| {
            check_whole(&piece, named).map_err(|error| raise(py, &error))?;
            piece.counts.judged = piece.ids.len() as u64 + if skips { piece.counts.missing } else { 0 };
            let evaluated =
                Evaluated::joined(vec![piece], plan.clone(), false).map_err(|error| raise(py, &error))?;
            Ok((system, evaluated))
        })
        .collect()
}

/// The rows of one system.
#[derive(Default)]
struct System {
    piece: TablePart,
    /// The ids of queries without values, and whether they lack judgments (rather than a ranking).
    named: Vec<(Vec<u8>, bool)>,
}

/// Refuses a query with rows of two kinds or two rankings: its data were split over several parts.
fn check_whole(piece: &TablePart, mut named: Vec<(Vec<u8>, bool)>) -> Result<()> {
    named.sort_unstable();
    let refused = |twice: bool, id: &[u8]| {
        let (code, found) = if twice {
            (Code::QueryInTwoParts, "its ranking is in two parts")
        } else {
            (Code::QuerySplit, "its judgments and its ranking are in different parts")
        };
        Err(Error::statement(Kind::Match, found).code(code).query(id))
    };
    for pair in named.windows(2) {
        if let [(id, one), (other, two)] = pair
            && id == other
        {
            return refused(one == two, id);
        }
    }
    let find_named = |id: &Vec<u8>| named.binary_search_by(|(other, _)| other.cmp(id)).ok();
    if !named.is_empty()
        && let Some((id, at)) = piece.ids.iter().find_map(|id| Some((id, find_named(id)?)))
    {
        return refused(!named.known(at).1, id);
    }
    Ok(())
}

/// The expected layout of the rows.
struct Layout<'a> {
    made_by: &'a str,
    columns: &'a [Column],
    width: usize,
    measures: usize,
    /// The number of rows before this batch.
    before: u64,
}

impl Layout<'_> {
    /// Checks the rows of a batch and adds them to the systems.
    fn read_rows(&self, batch: &RecordBatch, systems: &mut BTreeMap<String, System>) -> Result<()> {
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
            let null = |column: &str| {
                Error::statement(Kind::Column, format!("null in column '{column}'")).line(place)
            };
            let convention = made_by.get(row, a);
            if convention != Some(self.made_by.as_bytes()) {
                let own = convention.map_or("null".into(), String::from_utf8_lossy).into_owned();
                return Err(Error::new(
                    Kind::Match,
                    format!("rows made by {own}"),
                    format!("rows made by {}", self.made_by),
                )
                .hint("use the same convention, measures in the same order, and bounds"));
            }
            let name = names.get(row, b).map(String::from_utf8_lossy);
            let Some(name) = name else { return Err(null("system")) };
            let System { piece, named } = match systems.get_mut(&*name) {
                Some(system) => system,
                None => systems.entry(name.into_owned()).or_default(),
            };
            if unknown.get(row) == Some(&true) {
                return Err(null("queries"));
            }
            let count = *queries.known(row);
            if !(0.0..=9e15).contains(&count) || count.fract() != 0.0 {
                return Err(wrong(format!("{count} queries"), "the number of queries of the row"));
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
                return Err(null("query_id"));
            };
            let mut digits = [0; 20];
            let mark = marks.get(row, &mut digits).unwrap_or_default();
            let flags: Option<Vec<u8>> = mark.iter().map(|&mark| parse_flag(mark)).collect();
            let Some(flags) = flags.filter(|flags| flags.len() == self.measures) else {
                return Err(wrong(
                    format!("the flags '{}'", String::from_utf8_lossy(mark)),
                    "one of '.', 'n' and 's' for each measure",
                )
                .query(id));
            };
            let first = piece.values.len();
            piece.values.resize(first + self.width, f64::NAN);
            for (column, (values, nulls)) in self.columns.iter().zip(&filled) {
                // A query with no relevant documents may count as NaN, which some data frames turn into null.
                let may_lack = matches!(column.kind, ColumnKind::Value | ColumnKind::Bound)
                    && *flags.known(column.measure) != 0;
                let lacks = nulls.get(row) == Some(&true);
                if lacks && !may_lack {
                    return Err(null(&column.name).query(id));
                }
                let value = if lacks { f64::NAN } else { *values.known(row) };
                let counts = matches!(column.kind, ColumnKind::Count | ColumnKind::Tie);
                let counted = (0.0..=9e15).contains(&value) && value.fract() == 0.0;
                if if counts { !counted } else { value.is_nan() && !may_lack } {
                    let expected = if counts { "a count" } else { "a number" };
                    return Err(wrong(format!("{value} in column '{}'", column.name), expected).query(id));
                }
                *piece.values.known_mut(first + column.column) = value;
            }
            piece.flags.extend_from_slice(&flags);
            piece.ids.push(id.to_vec());
        }
        Ok(())
    }
}

/// Returns the flag of a mark; None for an unknown mark.
fn parse_flag(mark: u8) -> Option<u8> {
    MARKS.iter().zip(0..).find_map(|(&known, flag)| (known == char::from(mark)).then_some(flag))
}

/// A column of texts, which may have nulls.
struct Texts<'a> {
    ids: IdColumn<'a>,
    nulls: Option<arrow_array::BooleanArray>,
}

impl<'a> Texts<'a> {
    fn new(batch: &'a RecordBatch, name: &str) -> Result<Self> {
        let array = column(batch, name)?;
        let ids = IdColumn::of(array);
        // A column in which all values are null may have lost its type.
        if array.data_type() == &DataType::Null {
            let nulls = arrow_array::BooleanArray::from(vec![true; array.len()]);
            return Ok(Self { ids: IdColumn::Offsets32(&[], &[]), nulls: Some(nulls) });
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
    let valid = array.logical_nulls().filter(|nulls| nulls.null_count() > 0)?;
    Some(arrow_array::BooleanArray::from(valid.iter().map(|valid| !valid).collect::<Vec<_>>()))
}

/// Reads the numbers of a column, and which of them are null (empty if none is).
fn numbers(batch: &RecordBatch, name: &str) -> Result<(Vec<f64>, Vec<bool>)> {
    let array = column(batch, name)?;
    if array.data_type() == &DataType::Null {
        return Ok((vec![f64::NAN; array.len()], vec![true; array.len()]));
    }
    let numbers = NumberColumn::of(array).ok_or_else(|| wrong_type(name, array, "numbers"))?;
    let mut values = vec![f64::NAN; array.len()];
    // Do not require finite values.
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
            .hint("use rows that score_partition returned for the same measures")
    })
}

fn wrong_type(name: &str, array: &dyn Array, expected: &str) -> Box<Error> {
    Error::new(Kind::Column, format!("column '{name}' of type {}", array.data_type()), expected)
}
