//! Joins rows that were collected in parts.

use super::super::Span;
use super::{Piece, RowsBuilder};
use crate::error::Result;
use crate::memory;

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
    pub fn append(&mut self, parts: Vec<(Self, u64)>) -> Result<()> {
        let sum = |length: fn(&Self) -> usize| parts.iter().map(|(part, _)| length(part)).sum();
        let rows = sum(|part| part.documents.len());
        memory::reserve(&mut self.arena, sum(|part| part.arena.len()))?;
        self.write_places();
        memory::reserve(&mut self.documents, rows)?;
        memory::reserve(&mut self.values, rows)?;
        memory::reserve(&mut self.places, rows)?;
        if self.with_ranks {
            memory::reserve(&mut self.ranks, rows)?;
        }
        memory::reserve(&mut self.labels, sum(|part| part.labels.len()))?;
        memory::reserve(&mut self.pieces, sum(|part| part.pieces.len()))?;
        memory::reserve(&mut self.names.spans, sum(|part| part.names.spans.len()))?;
        let mut watched = self.is_watched();
        for (part, offset) in parts {
            watched &= part.is_watched();
            self.append_part(&part, offset);
        }
        if let Some(numbers) = self.names.merge(&self.arena) {
            let merged = |number: u32| numbers.get(number as usize).copied().unwrap_or_default();
            self.last = self.last.map(merged);
            for piece in &mut self.pieces {
                piece.query = merged(piece.query);
            }
            self.grouped = false;
        }
        if !watched {
            self.watch = None;
        }
        self.spill_if_full();
        self.check_spill()
    }

    fn append_part(&mut self, part: &Self, offset: u64) {
        let Some(head) = part.names.spans.first() else { return };
        let (base, before) = (self.arena.len() as u64, self.documents.len());
        // Rows of one query may go on in the next part.
        let last = self.last.filter(|&last| {
            self.names
                .spans
                .get(last as usize)
                .is_some_and(|span| span.of(&self.arena) == head.of(&part.arena))
        });
        let known = usize::from(last.is_some());
        let names = self.names.spans.len();
        let number = |own: u32| match (own, last) {
            (0, Some(last)) => last,
            (own, _) => u32::try_from(names + own as usize - known).unwrap_or(u32::MAX),
        };
        self.arena.extend_from_slice(&part.arena);
        self.names.append(&part.names, known, base, &self.arena);
        self.documents.extend(part.documents.iter().map(|span| Span { at: base + span.at, ..*span }));
        self.values.extend_from_slice(&part.values);
        self.places.extend((0..part.documents.len()).map(|row| part.place(row) + offset));
        if self.with_ranks {
            self.ranks.extend_from_slice(&part.ranks);
        }
        let labels: Vec<u32> =
            part.label_names.iter().map(|name| self.label_number(name.of(&part.arena))).collect();
        let label = |&own: &u32| labels.get(own as usize).copied().unwrap_or_default();
        self.labels.extend(part.labels.iter().map(label));
        self.label = part.label.as_ref().map(label).or(self.label);
        for piece in &part.pieces {
            let query = number(piece.query);
            if self.pieces.last().is_none_or(|own| own.query != query) {
                self.pieces.push(Piece { query, first: before + piece.first });
            }
        }
        self.grouped &= part.grouped;
        self.last = part.last.map(number);
    }
}
