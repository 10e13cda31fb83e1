//! Which column of a table is which.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema};

use super::uuids::{are_uuids, written_out};
use super::{Ids, Numbers};
use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::Table;

/// The names of a table's columns, by what they hold.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub query: String,
    pub document: String,
    /// The grade of a judgment, the score of a run.
    pub value: Option<String>,
    pub rank: Option<String>,
    pub label: Option<String>,
}

/// Which column is which, by number, and of what kind of table.
#[derive(Debug, Clone)]
pub struct Columns {
    pub table: Table,
    pub queries: usize,
    pub documents: usize,
    pub values: Option<usize>,
    pub ranks: Option<usize>,
    pub labels: Option<usize>,
    names: Vec<String>,
    /// Those of them that are ids of 16 bytes, to be written out.
    uuids: Vec<usize>,
}

impl Columns {
    /// The columns of a schema that have these names, which must be there.
    pub fn new(table: Table, schema: &Schema, names: &Names) -> Result<Self> {
        let place = |name: &String| {
            let found = schema.fields().iter().position(|field| field.name() == name);
            found.ok_or_else(|| {
                let columns: Vec<String> =
                    schema.fields().iter().take(12).map(|field| quoted(field.name().as_bytes())).collect();
                Error::new(
                    Kind::Column,
                    format!("columns {}", columns.join(", ")),
                    format!("a column {}", quoted(name.as_bytes())),
                )
                .hint("several files that are read as one have the same columns")
            })
        };
        let mut seen = std::collections::HashSet::new();
        let chosen = [Some(&names.query), Some(&names.document), names.value.as_ref(), names.label.as_ref()];
        for name in chosen.into_iter().flatten().filter(|name| seen.insert(name.as_str())) {
            if schema.fields().iter().filter(|field| field.name() == name).count() > 1 {
                let found = format!("several columns {}", quoted(name.as_bytes()));
                return Err(Error::new(Kind::Column, found, "one").hint("leave out or rename the others"));
            }
        }
        let values = names.value.as_ref().map(place).transpose()?;
        let mut ranks = names.rank.as_ref().map(place).transpose()?;
        // Ranks that are no numbers matter only where they are what orders the documents.
        let numeric =
            |column: usize| schema.fields().get(column).is_some_and(|field| field.data_type().is_numeric());
        if values.is_some() && !ranks.is_some_and(numeric) {
            ranks = None;
        }
        let mut columns = Self {
            table,
            queries: place(&names.query)?,
            documents: place(&names.document)?,
            values,
            ranks,
            labels: names.label.as_ref().map(place).transpose()?,
            names: schema.fields().iter().map(|field| field.name().clone()).collect(),
            uuids: Vec::new(),
        };
        columns.check(schema)?;
        let uuids =
            columns.ids().filter(|&column| schema.fields().get(column).is_some_and(|field| are_uuids(field)));
        columns.uuids = uuids.collect();
        Ok(columns)
    }

    /// Refuses columns of types that hold no ids or no numbers. What has no type, for it has no values, is
    /// refused where its rows come.
    fn check(&self, schema: &Schema) -> Result<()> {
        let kind = |column: usize| {
            let kind = schema.fields().get(column).map(|field| field.data_type());
            kind.filter(|kind| **kind != DataType::Null)
        };
        for column in self.ids() {
            if let Some(kind) = kind(column).filter(|kind| !Ids::takes(kind)) {
                return Err(self.wrong_ids(column, kind));
            }
        }
        for column in [self.values, self.ranks].into_iter().flatten() {
            if let Some(kind) = kind(column).filter(|kind| !Numbers::takes(kind)) {
                return Err(self.wrong_numbers(column, kind));
            }
        }
        Ok(())
    }

    /// The numbers of those that are ids.
    fn ids(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.queries), Some(self.documents), self.labels].into_iter().flatten()
    }

    /// A batch of these columns as it is measured: ids that stand in it in another way than in text are
    /// written out.
    pub fn plain(&self, batch: RecordBatch) -> std::result::Result<RecordBatch, ArrowError> {
        if self.uuids.is_empty() { Ok(batch) } else { written_out(&batch, &self.uuids) }
    }

    /// The numbers of all of them.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        [Some(self.queries), Some(self.documents), self.values, self.ranks, self.labels].into_iter().flatten()
    }

    /// Only the columns that are used, as they are numbered where the others are left out.
    #[must_use]
    pub fn alone(&self) -> (Vec<usize>, Self) {
        let mut kept: Vec<usize> = self.all().collect();
        kept.sort_unstable();
        kept.dedup();
        let place = |column: usize| kept.iter().position(|&other| other == column).unwrap_or(0);
        let alone = Self {
            table: self.table,
            queries: place(self.queries),
            documents: place(self.documents),
            values: self.values.map(place),
            ranks: self.ranks.map(place),
            labels: self.labels.map(place),
            names: kept.iter().map(|&column| self.name(column).to_owned()).collect(),
            uuids: self.uuids.iter().map(|&column| place(column)).collect(),
        };
        (kept, alone)
    }

    #[must_use]
    pub fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", String::as_str)
    }

    pub(super) fn wrong_ids(&self, column: usize, kind: &DataType) -> Box<Error> {
        let error = Error::new(
            Kind::Column,
            format!("column '{}' of type {kind}", self.name(column)),
            "text, bytes or integers",
        );
        if kind.is_floating() {
            error.hint(
                "a data frame turns integers with gaps into floats; convert the column to text or integers",
            )
        } else {
            error.hint("cast the column to text")
        }
    }

    pub(super) fn wrong_numbers(&self, column: usize, kind: &DataType) -> Box<Error> {
        Error::new(Kind::Column, format!("column '{}' of type {kind}", self.name(column)), "numbers")
            .hint("cast the column to a floating-point type")
    }
}
