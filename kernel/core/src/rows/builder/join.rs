//! Joins rows that were collected in parts.

use std::vec::IntoIter;

use super::super::Span;
use super::{MANY_ROWS, QueryPiece, RowsBuilder};
use crate::error::Result;
use crate::known::Known;
use crate::memory;
use crate::parallel::together;

/// Rows that are added to others.
struct JoinedPart {
    columns: RowsBuilder,
    /// What is added to their places.
    offset: u64,
    /// The number of each label among the others.
    labels: Vec<u32>,
    /// Where their bytes begin among those of the others.
    base: u64,
    /// The number of the first row among the others.
    before: usize,
}

impl JoinedPart {
    fn label(&self, own: u32) -> u32 {
        *self.labels.known(own as usize)
    }
}

impl RowsBuilder {
    /// Creates a builder for a part of the rows, which [`RowsBuilder::append`] adds.
    #[must_use]
    pub fn part(&self) -> Self {
        let part = Self::new(self.with_ranks);
        if self.watch.is_some() { part.refusing_duplicates() } else { part }
    }

    /// Whether the last row belongs to this query.
    #[must_use]
    pub fn is_in(&self, query: &[u8]) -> bool {
        let last = self.last.and_then(|last| self.names.spans.get(last as usize));
        last.is_some_and(|span| span.of(&self.arena) == query)
    }

    /// Adds the rows of other builders, in order, with their places plus an offset.
    pub fn append(&mut self, parts: Vec<(Self, u64)>, threads: usize) -> Result<()> {
        let sum = |length: fn(&Self) -> usize| parts.iter().map(|(part, _)| length(part)).sum();
        let rows: usize = sum(|part| part.documents.len());
        memory::reserve(&mut self.documents, rows)?;
        memory::reserve(&mut self.values, rows)?;
        if self.with_ranks {
            memory::reserve(&mut self.ranks, rows)?;
        }
        memory::reserve(&mut self.labels, sum(|part| part.labels.len()))?;
        memory::reserve(&mut self.pieces, sum(|part| part.pieces.len()))?;
        memory::reserve(&mut self.names.spans, sum(|part| part.names.spans.len()))?;
        let labels: Vec<Vec<u32>> = parts.iter().map(|(part, _)| self.label_numbers(part)).collect();
        memory::reserve(&mut self.arena, sum(|part| part.arena.len()))?;
        let mut joined = Vec::with_capacity(parts.len());
        let (mut base, mut before) = (self.arena.len(), self.documents.len());
        let mut numbered = self.places.is_empty();
        for ((part, offset), labels) in parts.into_iter().zip(labels) {
            numbered &= part.places.is_empty() && offset == self.first + before as u64;
            let (bytes, rows) = (part.arena.len(), part.documents.len());
            joined.push(JoinedPart { columns: part, offset, labels, base: base as u64, before });
            base += bytes;
            before += rows;
        }
        if !numbered {
            self.write_places();
            memory::reserve(&mut self.places, rows)?;
        }
        self.append_columns(&mut joined, if rows < MANY_ROWS { 1 } else { threads }, numbered);
        let mut watched = self.is_watched();
        for part in &joined {
            watched &= part.columns.is_watched();
            self.label = part.columns.label.map(|own| part.label(own)).or(self.label);
            self.append_pieces(&part.columns, part.base, part.before);
        }
        self.is_joined = true;
        if !watched {
            self.watch = None;
        }
        self.spill_if_full();
        self.check_spill()
    }

    /// Moves the columns of the parts to the end of these, and frees each as soon as it was copied. `numbered`
    /// rows need no places.
    fn append_columns(&mut self, parts: &mut [JoinedPart], threads: usize, numbered: bool) {
        fn taken<T>(
            parts: &mut [JoinedPart],
            column: fn(&mut RowsBuilder) -> &mut Vec<T>,
        ) -> IntoIter<Vec<T>> {
            let columns = parts.iter_mut().map(|part| std::mem::take(column(&mut part.columns)));
            columns.collect::<Vec<_>>().into_iter()
        }
        let rows: Vec<usize> = parts.iter().map(|part| part.columns.documents.len()).collect();
        let arenas = taken(parts, |part| &mut part.arena);
        let spans = taken(parts, |part| &mut part.documents);
        let numbers = taken(parts, |part| &mut part.values);
        let ordered = taken(parts, |part| &mut part.ranks);
        let located = taken(parts, |part| &mut part.places);
        let labelled = taken(parts, |part| &mut part.labels);
        let parts = &*parts;
        let Self { arena, documents, values, ranks, places, labels, .. } = self;
        together(
            threads,
            vec![
                Box::new(|| arenas.for_each(|own| arena.extend_from_slice(&own))),
                Box::new(|| {
                    for (part, own) in parts.iter().zip(spans) {
                        documents.extend(own.iter().map(|span| Span { at: part.base + span.at, ..*span }));
                    }
                }),
                Box::new(|| {
                    numbers.for_each(|own| values.extend_from_slice(&own));
                    ordered.for_each(|own| ranks.extend_from_slice(&own));
                }),
                Box::new(|| {
                    for ((part, own), rows) in parts.iter().zip(located).zip(rows) {
                        if own.is_empty() && !numbered {
                            places.extend((part.offset..).take(rows));
                        } else {
                            places.extend(own.iter().map(|place| place + part.offset));
                        }
                    }
                    for (part, own) in parts.iter().zip(labelled) {
                        labels.extend(own.iter().map(|&label| part.label(label)));
                    }
                }),
            ],
        );
    }

    /// The number here of each label of a part.
    fn label_numbers(&mut self, part: &Self) -> Vec<u32> {
        part.label_names.iter().map(|name| self.label_number(name.of(&part.arena))).collect()
    }

    /// Gives queries of several parts one number each.
    pub(super) fn merge_names(&mut self) {
        if !std::mem::take(&mut self.is_joined) {
            return;
        }
        if let Some(numbers) = self.names.merge(&self.arena) {
            let merged = |number: u32| *numbers.known(number as usize);
            self.last = self.last.map(merged);
            for piece in &mut self.pieces {
                piece.query = merged(piece.query);
            }
            self.grouped = false;
        }
    }

    /// Adds the queries of a part, whose bytes and rows were copied to `base` and `before`.
    fn append_pieces(&mut self, part: &Self, base: u64, before: usize) {
        let Some(head) = part.names.spans.first() else { return };
        let head = Span { at: base + head.at, ..*head };
        // Rows of one query may go on in the next part.
        let last = self.last.filter(|&last| {
            self.names
                .spans
                .get(last as usize)
                .is_some_and(|span| span.of(&self.arena) == head.of(&self.arena))
        });
        let known = usize::from(last.is_some());
        let names = self.names.spans.len();
        let number = |own: u32| match (own, last) {
            (0, Some(last)) => last,
            (own, _) => u32::try_from(names + own as usize - known).unwrap_or(u32::MAX),
        };
        self.names.append(&part.names, known, base, &self.arena);
        for piece in &part.pieces {
            let query = number(piece.query);
            if self.pieces.last().is_none_or(|own| own.query != query) {
                self.pieces.push(QueryPiece { query, first: before + piece.first });
            }
        }
        self.grouped &= part.grouped;
        self.last = part.last.map(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convention::Duplicates;
    use crate::rows::Rows;

    /// Rows of queries and documents that follow no order, with some duplicates.
    fn scattered(count: u64) -> Vec<(String, String, f64)> {
        let mixed = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let rows = (0..count).map(|row| {
            let (query, document) = (mixed(row) % (count / 3), mixed(row + count) % 400);
            (format!("q{query}"), format!("d{document}"), (row % 5) as f64)
        });
        rows.collect()
    }

    fn add(builder: &mut RowsBuilder, rows: &[(String, String, f64)], label: bool) {
        for (query, document, value) in rows {
            if label {
                builder.label(query.split_at(query.len() - 1).1.as_bytes());
            }
            builder.extend(
                query.as_bytes(),
                |arena, spans| {
                    spans.push(Span { at: arena.len() as u64, length: document.len() as u32 });
                    arena.extend_from_slice(document.as_bytes());
                },
                &[*value],
            );
        }
    }

    /// Adds the rows in so many rounds of parts with so many rows each.
    fn joined(rows: &[(String, String, f64)], rounds: usize, each: usize, label: bool) -> RowsBuilder {
        let mut builder = RowsBuilder::new(false);
        let mut before = 0;
        for round in rows.chunks(rows.len().div_ceil(rounds)) {
            let mut parts = Vec::new();
            for own in round.chunks(each) {
                let mut part = builder.part();
                add(&mut part, own, label);
                parts.push((part, before));
                before += own.len() as u64;
            }
            builder.append(parts, 3).unwrap();
        }
        builder
    }

    #[test]
    fn parts_give_what_one_builder_gives() {
        let rows = scattered(80_000);
        let finished = |builder: RowsBuilder, duplicates| -> std::result::Result<Rows, String> {
            builder.finish_on(3, duplicates).map_err(|(place, error)| format!("{place}: {error:?}"))
        };
        for (rounds, each, label) in [(1, 7_000, false), (2, 31, false), (3, 30_011, true)] {
            for duplicates in [Duplicates::Error, Duplicates::First, Duplicates::Last, Duplicates::Best] {
                let mut whole = RowsBuilder::new(false);
                add(&mut whole, &rows, label);
                let expected = finished(whole, duplicates);
                let found = finished(joined(&rows, rounds, each, label), duplicates);
                match (expected, found) {
                    (Ok(expected), Ok(found)) => {
                        assert!(found.same(&expected, false));
                        assert_eq!(found.sorted(), expected.sorted());
                        assert!((0..50).all(|row| found.query_id(row) == expected.query_id(row)));
                    }
                    (Err(expected), Err(found)) => assert_eq!(expected, found),
                    _ => panic!("one of them failed"),
                }
            }
        }
    }

    #[test]
    fn rows_may_follow_the_parts() {
        let rows = scattered(3_000);
        let (first, rest) = rows.split_at(2_000);
        let mut builder = joined(first, 2, 90, false);
        add(&mut builder, rest, false);
        let mut whole = RowsBuilder::new(false);
        add(&mut whole, &rows, false);
        let finished = |builder: RowsBuilder| builder.finish(Duplicates::Last).unwrap();
        assert!(finished(builder).same(&finished(whole), false));
    }
}
