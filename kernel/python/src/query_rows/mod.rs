//! Rows of queries out through the Arrow C stream, and back: with all that an evaluation is made of again.

mod back;
mod out;

pub use back::evaluated_rows;
pub use out::{exported, query_rows};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What stands in a column of rows: its name, kind, number in the engine's table, and the measure it is of.
type Described = (String, String, usize, usize);

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

fn layout(described: Vec<Described>) -> PyResult<Vec<Column>> {
    let known = |kind: &str| match kind {
        "value" => Ok(What::Value),
        "number" => Ok(What::Number),
        "count" => Ok(What::Count),
        "tie" => Ok(What::Tie),
        "bound" => Ok(What::Bound),
        other => Err(PyValueError::new_err(format!("a column of {other}"))),
    };
    described
        .into_iter()
        .map(|(name, kind, column, measure)| Ok(Column { name, kind: known(&kind)?, column, measure }))
        .collect()
}

/// How a measure takes a query: it counts, it counts and nothing is relevant, or it is left out.
const MARKS: [char; 4] = ['.', 'n', 'x', 's'];
