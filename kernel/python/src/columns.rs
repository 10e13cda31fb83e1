//! The columns of tables in memory, by their names and values.

use gainful_core::columns::{RowNames, Sought};
use gainful_core::read::trec::TableKind;
use gainful_core::roles::{Field, Meaning, Naming, Role, Value, meanings, plain};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::errors::raise;
use crate::mapping::value;
use crate::rows::table;

/// The number of values that show what a column has.
const PEEK: isize = 100;

/// Finds the columns of judgments or of a run: their roles and places. `named` has the words of roles and the
/// names that the caller gives; the values of a column may be unknown.
#[pyfunction]
pub(crate) fn find_columns(
    py: Python<'_>,
    columns: Vec<(String, Option<Bound<'_, PyAny>>)>,
    table: &str,
    named: Vec<(String, String)>,
    labelled: bool,
    numbered: bool,
    ignores_offsets: bool,
) -> PyResult<Vec<(&'static str, usize)>> {
    let table = self::table(table);
    let mut shape = Field::new("", 0);
    let is_beir = columns.iter().any(|(name, _)| plain(name) == "corpusid");
    for (name, cells) in &columns {
        let field = shape.member(name, 0);
        let Some(cells) = cells else { continue };
        // Scores are grades only if all are whole.
        let all =
            table == TableKind::Qrels && !is_beir && meanings(name).contains(&Meaning::Role(Role::Grade, 1));
        // What is no column is refused when it is read.
        for cell in first(cells, all).and_then(|first| first.try_iter()).into_iter().flatten() {
            cell.and_then(|cell| value(&cell)).unwrap_or(Value::Null).see(field, 0);
        }
    }
    let names: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
    let naming = Naming { ignores_offsets, ..Naming::of(&named) };
    let sought = Sought { table, naming: &naming, labelled, numbered };
    let found = sought.among(&names, shape).map_err(|error| raise(py, &error))?;
    let RowNames { query, document, value: number, rank, label, weight, system, offsets, .. } = found;
    let role = if table == TableKind::Qrels { "grade" } else { "score" };
    let [start, end] = offsets.as_ref().map_or(["start", "end"], |offsets| offsets.counting.words());
    let roles = [
        ("query_id", Some(query)),
        ("doc_id", Some(document)),
        (role, number),
        ("rank", rank),
        ("subtopic", label.filter(|_| labelled)),
        ("weight", weight.filter(|_| labelled)),
        (start, offsets.as_ref().map(|offsets| offsets.start.clone())),
        (end, offsets.as_ref().map(|offsets| offsets.end.clone())),
        ("tokens", offsets.and_then(|offsets| offsets.tokens)),
        ("system", system),
    ];
    let place = |name: String| names.iter().position(|other| *other == name);
    let roles = roles.into_iter().filter_map(|(role, name)| Some((role, place(name?)?)));
    Ok(roles.collect())
}

/// The first cells of a column, or all: those of a list, an array or a series.
fn first<'py>(cells: &Bound<'py, PyAny>, all: bool) -> PyResult<Bound<'py, PyAny>> {
    let part = if all { cells.clone() } else { cells.get_item(PySlice::new(cells.py(), 0, PEEK, 1))? };
    for method in ["tolist", "to_list"] {
        if part.hasattr(method)? {
            return part.call_method0(method);
        }
    }
    Ok(part)
}

/// Whether names are those of columns with a query, a document and, if `numbered`, a number in each row.
#[pyfunction]
pub(crate) fn are_columns(names: Vec<String>, numbered: bool) -> bool {
    let any = |roles: &[Role]| {
        let has = |meaning: &Meaning| matches!(meaning, Meaning::Role(role, _) if roles.contains(role));
        names.iter().any(|name| meanings(name).iter().any(has))
    };
    let number = || any(&[Role::Grade, Role::Score, Role::Rank]);
    any(&[Role::Query]) && any(&[Role::Document]) && (!numbered || number())
}

/// Whether names are those of ids: a mapping by query hardly has queries of these names.
#[pyfunction]
pub(crate) fn are_ids(names: Vec<String>) -> bool {
    let any = |role: Role, last: u8| {
        let has = |meaning: &Meaning| matches!(meaning, Meaning::Role(other, tier) if *other == role && *tier <= last);
        names.iter().any(|name| meanings(name).iter().any(has))
    };
    any(Role::Query, 1) && any(Role::Document, 3)
}
