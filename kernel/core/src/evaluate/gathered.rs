//! Gathers the rows of one query from several batches.

use std::ops::Range;

use crate::columns;
use crate::error::Result;
use crate::memory;
use crate::ranking::{BlockIds, Ids, Numbers};
use crate::rows::Span;

/// Consecutive rows of one query.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub query: Vec<u8>,
    /// Its number in the judgments; the rows of other queries are not kept.
    pub judged: Option<usize>,
    documents: GatheredIds,
    pub keys: Vec<f64>,
    /// The place of some rows; the following rows have consecutive places.
    places: Vec<(usize, u64)>,
}

/// The documents: integers while all of them are integers of one kind, otherwise their texts.
#[derive(Debug, Default)]
struct GatheredIds {
    bits: Vec<u64>,
    signed: bool,
    arena: Vec<u8>,
    spans: Vec<Span>,
}

impl Gathered {
    /// Begins the rows of another query.
    pub(super) fn begin(&mut self, query: &[u8], judged: Option<usize>) {
        self.query.clear();
        self.query.extend_from_slice(query);
        self.judged = judged;
        self.documents.bits.clear();
        self.documents.arena.clear();
        self.documents.spans.clear();
        self.keys.clear();
        self.places.clear();
    }

    /// Adds a row of text.
    #[inline]
    pub(super) fn push(&mut self, document: &[u8], key: f64) -> Result<()> {
        let documents = &mut self.documents;
        if self.keys.len() == self.keys.capacity() {
            memory::reserve(&mut self.keys, 1)?;
        }
        self.keys.push(key);
        if documents.spans.is_empty() {
            if let Some(bits) = (Numbers { bits: &[], signed: true }).parse(document) {
                documents.signed = true;
                if documents.bits.len() == documents.bits.capacity() {
                    memory::reserve(&mut documents.bits, 1)?;
                }
                documents.bits.push(bits);
                return Ok(());
            }
            documents.spell()?;
        }
        memory::reserve(&mut documents.arena, document.len())?;
        memory::reserve(&mut documents.spans, 1)?;
        documents.push(document);
        Ok(())
    }

    /// Adds rows of a batch; `place` is that of the first.
    pub(super) fn add(
        &mut self,
        ids: &columns::IdColumn<'_>,
        rows: Range<usize>,
        place: u64,
        keys: &[f64],
    ) -> Result<()> {
        memory::reserve(&mut self.places, 1)?;
        memory::reserve(&mut self.keys, keys.len())?;
        self.places.push((self.documents.len(), place));
        self.keys.extend_from_slice(keys);
        if self.documents.spans.is_empty()
            && let Some(signed) = ids.signed()
            && (self.documents.bits.is_empty() || self.documents.signed == signed)
        {
            self.documents.signed = signed;
            memory::reserve(&mut self.documents.bits, rows.len())?;
            ids.bits(rows, &mut self.documents.bits);
            return Ok(());
        }
        self.documents.spell()?;
        memory::reserve(&mut self.documents.arena, ids.room(rows.clone()))?;
        memory::reserve(&mut self.documents.spans, rows.len())?;
        ids.append(rows, &mut self.documents.arena, &mut self.documents.spans);
        Ok(())
    }

    /// Adds the rows of another part of the query.
    pub(super) fn append(&mut self, other: &Self) -> Result<()> {
        let (rows, own) = (self.documents.len(), &mut self.documents);
        memory::reserve(&mut self.places, other.places.len())?;
        memory::reserve(&mut self.keys, other.keys.len())?;
        self.places.extend(other.places.iter().map(|&(first, place)| (first + rows, place)));
        self.keys.extend_from_slice(&other.keys);
        match other.ids() {
            BlockIds::Numbers(numbers)
                if own.spans.is_empty() && (own.bits.is_empty() || own.signed == numbers.signed) =>
            {
                own.signed = numbers.signed;
                memory::reserve(&mut own.bits, numbers.bits.len())?;
                own.bits.extend_from_slice(numbers.bits);
            }
            ids => {
                own.spell()?;
                own.extend(ids)?;
            }
        }
        Ok(())
    }

    #[must_use]
    pub(super) fn ids(&self) -> BlockIds<'_> {
        let GatheredIds { bits, signed, arena, spans } = &self.documents;
        if bits.is_empty() {
            BlockIds::Bytes(Ids { arena, spans })
        } else {
            BlockIds::Numbers(Numbers { bits, signed: *signed })
        }
    }

    /// The place of a row.
    #[must_use]
    pub(super) fn place(&self, row: usize) -> u64 {
        let before = self.places.partition_point(|&(first, _)| first <= row);
        match before.checked_sub(1).and_then(|at| self.places.get(at)) {
            Some(&(first, place)) => place + (row - first) as u64,
            None => 0,
        }
    }
}

impl GatheredIds {
    fn len(&self) -> usize {
        self.bits.len().max(self.spans.len())
    }

    fn push(&mut self, id: &[u8]) {
        let length = u32::try_from(id.len()).unwrap_or(u32::MAX);
        self.spans.push(Span { at: self.arena.len() as u64, length });
        self.arena.extend_from_slice(id);
    }

    /// Converts integers to text once an id is not an integer.
    fn spell(&mut self) -> Result<()> {
        let bits = std::mem::take(&mut self.bits);
        self.extend(BlockIds::Numbers(Numbers { bits: &bits, signed: self.signed }))
    }

    /// Adds the texts of ids.
    fn extend(&mut self, ids: BlockIds<'_>) -> Result<()> {
        memory::reserve(&mut self.spans, ids.len())?;
        for row in 0..ids.len() {
            let id = ids.get(row);
            memory::reserve(&mut self.arena, id.len())?;
            self.push(&id);
        }
        Ok(())
    }
}
