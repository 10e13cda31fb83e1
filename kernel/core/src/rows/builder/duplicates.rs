//! Applies the policy on duplicate documents.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;

use super::super::duplicate;
use super::{MANY_ROWS, RowsBuilder};
use crate::convention::Duplicates;
use crate::error::{Earliest, Error, keep_earliest};
use crate::parallel::together;

/// Up to this many rows of a query are compared pairwise, which is faster than hashing.
pub(super) const PAIRWISE: usize = 12;

/// What a policy does to rows with the same query, label and document.
#[derive(Debug, Default)]
pub(super) struct RepeatedRows {
    /// The numbers of the rows that it removes, ascending.
    dropped: Vec<usize>,
    /// Rows that get another value.
    means: Vec<(usize, f64)>,
}

/// The mean of some values; of equal ones, that value.
fn mean(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or(f64::NAN);
    if values.iter().all(|&value| value == first) {
        return first;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

impl RowsBuilder {
    /// Applies the policy to grouped rows.
    pub(super) fn resolve(&mut self, duplicates: Duplicates) -> std::result::Result<(), (u64, Box<Error>)> {
        let repeats = self.repeats(duplicates, false, 1)?;
        self.leave_out(repeats);
        Ok(())
    }

    /// Returns the grouped rows that the policy removes or changes. `watched` rows are known to have no
    /// duplicates.
    pub(super) fn repeats(
        &self,
        duplicates: Duplicates,
        watched: bool,
        threads: usize,
    ) -> std::result::Result<RepeatedRows, (u64, Box<Error>)> {
        if duplicates == Duplicates::Count || duplicates == Duplicates::Error && watched {
            return Ok(RepeatedRows::default());
        }
        let threads = if self.documents.len() < MANY_ROWS { 1 } else { threads };
        let pieces = self.pieces.len().div_ceil(threads.max(1)).max(1);
        let found = Mutex::new((None, RepeatedRows::default()));
        let look = |first: usize| {
            let (error, repeats) = self.repeats_in(duplicates, first..first + pieces);
            let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
            keep_earliest(&mut all.0, error);
            all.1.dropped.extend(repeats.dropped);
            all.1.means.extend(repeats.means);
        };
        let mut works: Vec<Box<dyn FnOnce() + Send + '_>> = Vec::new();
        for first in (0..self.pieces.len()).step_by(pieces) {
            works.push(Box::new(move || look(first)));
        }
        together(threads, works);
        let (earliest, mut repeats) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = earliest {
            return Err(error);
        }
        repeats.dropped.sort_unstable();
        Ok(repeats)
    }

    /// The earliest duplicate in some pieces, if duplicates are errors, and what the policy removes.
    fn repeats_in(&self, duplicates: Duplicates, pieces: Range<usize>) -> (Earliest, RepeatedRows) {
        let mut earliest: Earliest = None;
        let mut dropped: Vec<usize> = Vec::new();
        let mut groups: HashMap<usize, Vec<f64>> = HashMap::new();
        let mut seen: HashTable<usize> = HashTable::new();
        let hasher = foldhash::fast::RandomState::default();
        let id_of = |row: usize| self.documents.get(row).map_or(&[][..], |span| span.of(&self.arena));
        let key_of = |row: usize| (id_of(row), self.labels.get(row));
        for (query, rows) in self.pieces().skip(pieces.start).take(pieces.len()) {
            if rows.len() <= PAIRWISE
                && rows.clone().all(|row| (rows.start..row).all(|before| key_of(before) != key_of(row)))
            {
                continue;
            }
            // The time to clear a table depends on its capacity, so small queries after a large one get a new
            // table.
            if seen.capacity() > 64 + 16 * rows.len() {
                seen = HashTable::with_capacity(rows.len());
            } else {
                seen.clear();
            }
            for row in rows {
                let id = id_of(row);
                let hash = hasher.hash_one(key_of(row));
                match seen.find_mut(hash, |&other| key_of(other) == key_of(row)) {
                    None => {
                        seen.insert_unique(hash, row, |&other| hasher.hash_one(key_of(other)));
                    }
                    Some(kept) => match duplicates {
                        Duplicates::Error => {
                            let place = self.place(row);
                            if earliest.as_ref().is_none_or(|(first, _)| place < *first) {
                                let query_id = self
                                    .names
                                    .spans
                                    .get(query as usize)
                                    .map_or(&[][..], |span| span.of(&self.arena));
                                earliest = Some((place, duplicate(query_id, id)));
                            }
                        }
                        Duplicates::Last => {
                            dropped.push(*kept);
                            *kept = row;
                        }
                        Duplicates::Best if self.values.get(row) > self.values.get(*kept) => {
                            dropped.push(*kept);
                            *kept = row;
                        }
                        Duplicates::Mean => {
                            let value = |row: usize| self.values.get(row).copied().unwrap_or(f64::NAN);
                            groups.entry(*kept).or_insert_with(|| vec![value(*kept)]).push(value(row));
                            dropped.push(row);
                        }
                        Duplicates::First
                        | Duplicates::Best
                        | Duplicates::Count
                        | Duplicates::Copies
                        | Duplicates::Blank => dropped.push(row),
                    },
                }
            }
        }
        let means = groups.into_iter().map(|(row, values)| (row, mean(&values))).collect();
        (earliest, RepeatedRows { dropped, means })
    }

    /// Removes rows from grouped ones, and gives others the mean of theirs.
    pub(super) fn leave_out(&mut self, RepeatedRows { dropped, means }: RepeatedRows) {
        if dropped.is_empty() {
            return;
        }
        for (row, mean) in means {
            if let Some(value) = self.values.get_mut(row) {
                *value = mean;
            }
        }
        self.write_places();
        let mut pieces = std::mem::take(&mut self.pieces);
        let mut before = dropped.iter().peekable();
        let mut removed = 0;
        for piece in &mut pieces {
            while before.next_if(|&&row| row < piece.first).is_some() {
                removed += 1;
            }
            piece.first -= removed;
        }
        let mut dropped = dropped.into_iter().peekable();
        let order: Vec<usize> =
            (0..self.documents.len()).filter(|row| dropped.next_if(|other| other == row).is_none()).collect();
        self.reorder(&order, 1);
        self.pieces = pieces;
    }
}
