//! Exports evaluations as Arrow streams with one row per query, and restores evaluations from such rows.

mod export;
mod import;
mod text;

pub(crate) use export::query_rows;
pub(crate) use import::evaluated_rows;
pub(crate) use text::{RowTexts, row_texts};

use gainful_core::evaluate::SKIPPED;
use gainful_core::known::Known;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A column as Python describes it: its name, kind, number in the kernel's table, and the number of its
/// measure.
type ColumnSpec = (String, String, usize, usize);

/// A column of the exported rows.
struct Column {
    name: String,
    kind: ColumnKind,
    column: usize,
    measure: usize,
}

impl Column {
    /// Whether a query with these flags is left out, so that its value is null.
    fn leaves_out(&self, value: f64, flags: &[u8]) -> bool {
        let may_be_null = match self.kind {
            ColumnKind::Value => true,
            ColumnKind::Bound => value.is_nan(),
            _ => false,
        };
        may_be_null && flags.known(self.measure) & SKIPPED != 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    /// The value of a measure; null if the query is left out of the mean.
    Value,
    Number,
    Count,
    Tie,
    /// A bound of a measure; null if the query is left out whatever the labels of its unjudged documents.
    Bound,
}

fn parse_columns(specs: Vec<ColumnSpec>) -> PyResult<Vec<Column>> {
    let known = |kind: &str| match kind {
        "value" => Ok(ColumnKind::Value),
        "number" => Ok(ColumnKind::Number),
        "count" => Ok(ColumnKind::Count),
        "tie" => Ok(ColumnKind::Tie),
        "bound" => Ok(ColumnKind::Bound),
        other => Err(PyValueError::new_err(format!("a column of {other}"))),
    };
    specs
        .into_iter()
        .map(|(name, kind, column, measure)| Ok(Column { name, kind: known(&kind)?, column, measure }))
        .collect()
}

/// Marks for the flags of a query and a measure: '.' it counts, 'n' it counts and has no relevant documents,
/// 's' it is left out and has no relevant documents. 'x' (left out alone) does not occur.
const MARKS: [char; 4] = ['.', 'n', 'x', 's'];
