//! The columns of one batch, checked.

use std::ops::Range;

use arrow_array::{Array, RecordBatch};

use super::uuids::is_uuid;
use super::{Columns, IdColumn, NumberColumn};
use crate::error::{Error, Kind, Result};
use crate::formats::only_whole;
use crate::known::Known;
use crate::read::number;
use crate::read::trec::TableKind;

/// One batch's columns, borrowed.
pub struct Batch<'a> {
    columns: &'a Columns,
    pub queries: IdColumn<'a>,
    pub documents: IdColumn<'a>,
    pub values: Option<NumberColumn<'a>>,
    pub ranks: Option<NumberColumn<'a>>,
    pub labels: Option<IdColumn<'a>>,
    /// The documents, if they are integers of 64 bits, as two's complement.
    pub document_bits: Option<&'a [u64]>,
    /// The first null of each column: row and column.
    nulls: Vec<(usize, usize)>,
    pub rows: usize,
}

/// An error of one row of a batch.
pub type RowError = (usize, Box<Error>);

impl<'a> Batch<'a> {
    pub fn new(columns: &'a Columns, batch: &'a RecordBatch) -> Result<Self> {
        let column = |number: usize| -> Result<&'a dyn Array> {
            let column = batch.columns().get(number).map(|column| &**column);
            column.ok_or_else(|| Error::statement(Kind::Source, "a batch lacks a column"))
        };
        let ids = |number: usize| {
            let array = column(number)?;
            let ids = IdColumn::of(array).ok_or_else(|| columns.wrong_ids(number, array.data_type()))?;
            if ids.astray(array).is_some() {
                let found = format!("column '{}' has a key that its dictionary lacks", columns.name(number));
                return Err(
                    Error::statement(Kind::Column, found).hint("the table is damaged; write it again")
                );
            }
            if !array.is_empty() && is_uuid(ids.get(0, &mut [0; 20])) {
                let found = format!("column '{}' has UUIDs as bytes", columns.name(number));
                return Err(Error::new(Kind::Column, found, "UUIDs as text").hint("convert them to text"));
            }
            Ok(ids)
        };
        let numbers = |number: Option<usize>| match number {
            None => Ok(None),
            Some(number) => {
                let array = column(number)?;
                match NumberColumn::of(array) {
                    Some(numbers) => Ok(Some(numbers)),
                    None => Err(columns.wrong_numbers(number, array.data_type())),
                }
            }
        };
        let mut nulls = Vec::new();
        for number in columns.all() {
            let array = column(number)?;
            if let Some(own) = array.logical_nulls()
                && own.null_count() > 0
                && let Some(row) = (0..array.len()).find(|&row| own.is_null(row))
            {
                nulls.push((row, number));
            }
        }
        nulls.sort_unstable();
        Ok(Self {
            columns,
            queries: ids(columns.queries)?,
            documents: ids(columns.documents)?,
            values: numbers(columns.values)?,
            ranks: numbers(columns.ranks)?,
            labels: columns.labels.map(ids).transpose()?,
            document_bits: IdColumn::borrowed_bits(column(columns.documents)?),
            nulls,
            rows: batch.num_rows(),
        })
    }

    /// Copies the values of some rows; without, judgments have the grade 1, and runs NaN. The error of the
    /// first row with a null or an invalid number comes with the number of the row in the batch. Values that
    /// are not `needed` may be null or invalid.
    pub fn fill_values(
        &self,
        rows: &Range<usize>,
        into: &mut [f64],
        needed: bool,
    ) -> std::result::Result<(), RowError> {
        let is_needed = |column: usize| needed || self.columns.values != Some(column);
        let null = self.nulls.iter().find(|(row, column)| rows.contains(row) && is_needed(*column));
        let bad = match &self.values {
            _ if !needed => None,
            Some(numbers) => numbers
                .fill(rows.clone(), self.columns.table == TableKind::Qrels, into)
                .map(|row| (rows.start + row, *into.known(row))),
            None => {
                into.fill(if self.columns.table == TableKind::Qrels { 1.0 } else { f64::NAN });
                None
            }
        };
        if self.columns.whole && null.is_none() && bad.is_none() {
            let column = self.columns.values.map_or("", |column| self.columns.name(column));
            for (row, &value) in rows.clone().zip(into.iter()) {
                only_whole(value, column).map_err(|error| (row, error))?;
            }
        }
        match (null, bad) {
            (Some(&(row, column)), bad) if bad.is_none_or(|(other, _)| row <= other) => Err((
                row,
                Error::statement(Kind::Column, format!("null in column '{}'", self.columns.name(column)))
                    .hint("fill in the value, or remove the row"),
            )),
            (_, Some((row, value))) => Err((row, self.wrong_number(row, value))),
            _ => Ok(()),
        }
    }

    fn wrong_number(&self, row: usize, value: f64) -> Box<Error> {
        let column = self.columns.values.map_or("", |column| self.columns.name(column));
        let text = self.values.as_ref().and_then(|numbers| numbers.text(row));
        let wrong = |expected| {
            let value = text.clone().unwrap_or_else(|| value.to_string());
            Error::new(Kind::Format, format!("{value} in column '{column}'"), expected)
        };
        let error = match (self.columns.table, &text) {
            (TableKind::Qrels, _) => wrong("a grade (a finite number within ±2^53)"),
            (TableKind::Run, Some(text)) => {
                number::rounded(text.as_bytes()).hint("convert the column to floats")
            }
            (TableKind::Run, None) => wrong("a score (a finite number)")
                .hint("only finite scores can be ranked; check how the system computed this one"),
        };
        error.query(self.queries.get(row, &mut [0; 20])).document(self.documents.get(row, &mut [0; 20]))
    }
}
