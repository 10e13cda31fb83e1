//! The pieces of a table, and where their rows come from.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_buffer::NullBuffer;

use super::Columns;
use crate::error::{Error, Kind, Result};

/// A record batch of a table.
#[derive(Debug, Clone)]
pub struct Piece {
    pub columns: Arc<Columns>,
    pub batch: RecordBatch,
    /// The origin of its first row.
    pub origin: Origin,
    /// The rows have only a query: it has no documents.
    pub empty: bool,
}

/// The origin of rows: the numbers of the file, of the row group in it, and of the row in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Origin {
    pub file: usize,
    pub group: Option<usize>,
    pub row: u64,
}

impl Piece {
    /// A slice of the rows.
    #[must_use]
    pub fn slice(&self, first: usize, rows: usize) -> Self {
        Self {
            columns: self.columns.clone(),
            batch: self.batch.slice(first, rows),
            origin: Origin { row: self.origin.row + first as u64, ..self.origin },
            empty: self.empty,
        }
    }

    /// Separates the rows that are queries without documents: all their other cells are null.
    #[must_use]
    pub fn parts(self) -> Vec<Self> {
        let columns = &self.columns;
        let nulls = |column: usize| {
            let nulls = self.batch.columns().get(column)?.logical_nulls()?;
            (nulls.null_count() > 0).then_some(nulls)
        };
        let rest = [Some(columns.documents), columns.values, columns.ranks, columns.labels];
        let offsets = columns.places.iter().flat_map(|places| [Some(places.start), Some(places.end)]);
        let cells: Option<Vec<NullBuffer>> = rest.into_iter().chain(offsets).flatten().map(nulls).collect();
        let Some(cells) = cells else { return vec![self] };
        let queries = nulls(columns.queries);
        let is_empty = |row: usize| {
            cells.iter().all(|nulls| nulls.is_null(row))
                && queries.as_ref().is_none_or(|nulls| nulls.is_valid(row))
        };
        let (mut parts, mut first) = (Vec::new(), 0);
        for row in 1..=self.batch.num_rows() {
            if row == self.batch.num_rows() || is_empty(row) != is_empty(first) {
                parts.push(Self { empty: is_empty(first), ..self.slice(first, row - first) });
                first = row;
            }
        }
        parts
    }
}

pub type Pieces<'a> = Box<dyn Iterator<Item = Result<Piece>> + Send + 'a>;

/// Returns the same pieces again.
pub type Reopen<'a> = Box<dyn FnMut() -> Result<Pieces<'a>> + Send + 'a>;

/// A table that is read piece by piece.
pub struct Stream<'a> {
    pub pieces: Pieces<'a>,
    /// `None` if the pieces can be read only once.
    pub reopen: Option<Reopen<'a>>,
    /// The names of the files in messages; empty for a table in memory.
    pub names: Vec<String>,
}

/// The origins of rows by their places: numbers that ascend with the rows.
#[derive(Debug, Default)]
pub struct Origins(Vec<(u64, Origin)>);

impl Origins {
    /// Adds consecutive rows of one origin, of which the first has this place.
    pub fn add(&mut self, place: u64, origin: Origin) {
        self.0.push((place, origin));
    }

    /// Adds those of rows that come after others, whose places count from `first`.
    pub fn extend(&mut self, first: u64, others: Self) {
        self.0.extend(others.0.into_iter().map(|(place, origin)| (first + place, origin)));
    }

    pub fn sort(&mut self) {
        self.0.sort_unstable_by_key(|(place, _)| *place);
    }

    /// The origin of the row at a place.
    #[must_use]
    pub fn of(&self, place: u64) -> Option<Origin> {
        let after = self.0.partition_point(|&(first, _)| first <= place);
        let &(first, origin) = after.checked_sub(1).and_then(|index| self.0.get(index))?;
        Some(Origin { row: origin.row.saturating_add(place - first), ..origin })
    }
}

/// Adds the location of a row to an error.
#[must_use]
pub fn locate(names: &[String], origin: Origin, error: Box<Error>) -> Box<Error> {
    if error.kind == Kind::Interrupted || error.file.is_some() {
        return error;
    }
    let error = match names.get(origin.file) {
        None => error,
        Some(name) => match origin.group {
            None => error.file(format!("{name}, row {}", origin.row)),
            Some(group) => error.file(format!("{name}, row group {group}, row {}", origin.row)),
        },
    };
    if names.is_empty() { error.line(origin.row) } else { error }
}
