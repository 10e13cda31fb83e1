//! Applies the policy on duplicate documents.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;

use super::super::disk::{Earliest, keep_earliest};
use super::super::duplicate;
use super::{MANY_ROWS, RowsBuilder};
use crate::convention::Duplicates;
use crate::error::Error;
use crate::parallel::together;

/// Up to this many rows of a query are compared pairwise, which is faster than hashing.
pub(super) const PAIRWISE: usize = 12;

impl RowsBuilder {
    /// Applies the policy to grouped rows.
    pub(super) fn resolve(&mut self, duplicates: Duplicates) -> std::result::Result<(), (u64, Box<Error>)> {
        let repeats = self.repeats(duplicates, false, 1)?;
        self.leave_out(repeats);
        Ok(())
    }

    /// Returns the numbers of the grouped rows that the policy removes, ascending. `watched` rows are known
    /// to have no duplicates.
    pub(super) fn repeats(
        &self,
        duplicates: Duplicates,
        watched: bool,
        threads: usize,
    ) -> std::result::Result<Vec<usize>, (u64, Box<Error>)> {
        if duplicates == Duplicates::Count || duplicates == Duplicates::Error && watched {
            return Ok(Vec::new());
        }
        let threads = if self.documents.len() < MANY_ROWS { 1 } else { threads };
        let pieces = self.pieces.len().div_ceil(threads.max(1)).max(1);
        let found = Mutex::new((None, Vec::new()));
        let look = |first: usize| {
            let (error, dropped) = self.repeats_in(duplicates, first..first + pieces);
            let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(error) = error {
                keep_earliest(&mut all.0, error);
            }
            all.1.extend(dropped);
        };
        let mut works: Vec<Box<dyn FnOnce() + Send + '_>> = Vec::new();
        for first in (0..self.pieces.len()).step_by(pieces) {
            works.push(Box::new(move || look(first)));
        }
        together(threads, works);
        let (earliest, mut dropped) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = earliest {
            return Err(error);
        }
        dropped.sort_unstable();
        Ok(dropped)
    }

    /// The earliest duplicate in some pieces, if duplicates are errors, and the rows that the policy removes.
    fn repeats_in(&self, duplicates: Duplicates, pieces: Range<usize>) -> (Earliest, Vec<usize>) {
        let mut earliest: Earliest = None;
        let mut dropped: Vec<usize> = Vec::new();
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
                        Duplicates::First
                        | Duplicates::Best
                        | Duplicates::Count
                        | Duplicates::Copies
                        | Duplicates::Blank => dropped.push(row),
                    },
                }
            }
        }
        (earliest, dropped)
    }

    /// Removes rows from grouped ones, by their numbers in ascending order.
    pub(super) fn leave_out(&mut self, dropped: Vec<usize>) {
        if dropped.is_empty() {
            return;
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
