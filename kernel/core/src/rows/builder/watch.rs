//! Detects duplicates as rows are added, so that an error is reported at its row and not at the end of the
//! file.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::super::duplicate;
use super::RowsBuilder;
use super::duplicates::PAIRWISE;
use crate::error::Result;
use crate::memory;

impl RowsBuilder {
    /// Makes [`RowsBuilder::check`] report a duplicate right after it was pushed, as long as the rows of each
    /// query are consecutive. Otherwise duplicates are detected at the end.
    #[must_use]
    pub fn refusing_duplicates(mut self) -> Self {
        self.watch = Some(Box::default());
        self
    }

    /// Returns the error of the last row, or of writing to disk, if any.
    #[inline]
    pub fn check(&mut self) -> Result<()> {
        if let Some(error) = self.watch.as_mut().and_then(|watch| watch.failed.take()) {
            return Err(error);
        }
        self.check_spill()
    }

    /// Whether all rows have been checked for duplicates.
    pub(super) fn is_watched(&self) -> bool {
        self.grouped && self.watch.is_some()
    }

    /// Checks whether the last row is a duplicate.
    pub(super) fn watch_last(&mut self) {
        let Some(mut watch) = self.watch.take() else { return };
        let (Some(piece), Some(row)) = (self.pieces.last(), self.documents.len().checked_sub(1)) else {
            return;
        };
        if !self.grouped {
            return;
        }
        if watch.piece != piece.first {
            watch.piece = piece.first;
            if watch.seen.capacity() > 1 << 10 {
                watch.seen = HashTable::new();
            } else {
                watch.seen.clear();
            }
        }
        let id_of = |row: usize| self.documents.get(row).map_or(&[][..], |span| span.of(&self.arena));
        let key_of = |row: usize| (id_of(row), self.labels.get(row));
        let before = watch.piece..row;
        let repeated = if before.len() < PAIRWISE {
            before.clone().any(|other| key_of(other) == key_of(row))
        } else {
            let hash_of = |row: usize| watch.hasher.hash_one(key_of(row));
            if watch.seen.is_empty() {
                for other in before {
                    watch.seen.insert_unique(hash_of(other), other, |&other| hash_of(other));
                }
            }
            let hash = hash_of(row);
            let repeated = watch.seen.find(hash, |&other| key_of(other) == key_of(row)).is_some();
            if watch.seen.try_reserve(1, |&other| hash_of(other)).is_err() {
                watch.failed = Some(memory::exhausted());
            } else if !repeated {
                watch.seen.insert_unique(hash, row, |&other| hash_of(other));
            }
            repeated
        };
        if repeated {
            let query =
                self.names.spans.get(piece.query as usize).map_or(&[][..], |span| span.of(&self.arena));
            watch.failed = Some(duplicate(query, id_of(row)));
        }
        self.watch = Some(watch);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::convention::Duplicates;

    fn pushed(rows: &[(&str, String)]) -> (RowsBuilder, Option<usize>) {
        let mut builder = RowsBuilder::new(false).refusing_duplicates();
        for (place, (query, document)) in (0..).zip(rows) {
            builder.push(query.as_bytes(), document.as_bytes(), 1.0, f64::NAN, place);
            if builder.check().is_err() {
                return (builder, usize::try_from(place).ok());
            }
        }
        (builder, None)
    }

    #[test]
    fn reports_a_duplicate_at_its_row() {
        for length in [1, PAIRWISE - 1, PAIRWISE, PAIRWISE + 1, 3000] {
            for repeated in [0, length / 2, length - 1] {
                let mut rows: Vec<_> = (0..50).map(|number| ("before", number.to_string())).collect();
                rows.extend((0..length).map(|number| ("q", number.to_string())));
                rows.push(("q", repeated.to_string()));
                rows.extend((0..50).map(|number| ("after", number.to_string())));
                assert_eq!(pushed(&rows).1, Some(50 + length), "{length} {repeated}");
            }
        }
    }

    #[test]
    fn checks_scattered_rows_at_the_end() {
        let rows = ["a", "b", "a"].map(|query| (query, "d".to_owned()));
        let (builder, at) = pushed(&rows);
        assert_eq!(at, None);
        assert_eq!(builder.finish(Duplicates::Error).unwrap_err().0, 2);
        let rows = ["a", "b", "c"].map(|query| (query, "d".to_owned()));
        assert_eq!(pushed(&rows).0.finish(Duplicates::Error).unwrap().len(), 3);
    }
}
