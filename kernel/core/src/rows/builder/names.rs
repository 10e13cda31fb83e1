//! Numbers the ids of the queries in order of appearance.

use super::super::Span;
use super::super::index::{Index, Lookup};
use super::super::ordered::in_byte_order;
use crate::error::Result;
use crate::known::Known;
use crate::memory;

/// Distinct ids. While each new id is greater than all before it, as in a sorted file, it cannot be a known
/// one, and no index is needed.
#[derive(Debug)]
pub(super) struct Names {
    pub spans: Vec<Span>,
    /// Built when an id is out of order.
    index: Option<Index>,
    /// Whether the ids ascend in byte order, as long as there is no index.
    by_bytes: bool,
    /// Whether they ascend by length and then by bytes, as decimal numbers do.
    by_length: bool,
    /// The numbers in byte order of the ids, if they have been sorted.
    sorted: Option<Vec<u32>>,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { spans: Vec::new(), index: None, by_bytes: true, by_length: true, sorted: None }
    }

    /// Returns the number of an id; `None` if it is unknown.
    pub(super) fn find(&mut self, id: &[u8], arena: &[u8]) -> Option<u32> {
        if self.index.is_none() {
            let greatest = *self.spans.last()?;
            self.ascend(greatest.of(arena), id);
            if self.by_bytes || self.by_length {
                return None;
            }
        }
        let Self { spans, index, .. } = self;
        let of = |number| of(spans, number, arena);
        index.get_or_insert_with(|| Index::of(spans.len(), of)).find(id, of)
    }

    fn ascend(&mut self, greatest: &[u8], id: &[u8]) {
        self.by_bytes &= id > greatest;
        self.by_length &= (id.len(), id) > (greatest.len(), greatest);
    }

    /// Whether another id can be added without more memory.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.spans.len() < self.spans.capacity()
    }

    /// Makes room for another id.
    pub(super) fn grow(&mut self) -> Result<()> {
        memory::reserve(&mut self.spans, 1)?;
        match &mut self.index {
            Some(index) => index.try_reserve(self.spans.capacity() - self.spans.len()),
            None => Ok(()),
        }
    }

    /// Adds an unknown id, whose bytes are in the arena already; returns its number.
    pub(super) fn add(&mut self, span: Span, arena: &[u8]) -> u32 {
        let number = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(span);
        self.sorted = None;
        if let Some(index) = &mut self.index {
            index.insert(span.of(arena), number);
        }
        number
    }

    /// Adds the ids of another table from number `first` on, whose bytes were copied into the arena from
    /// `base` on. Equal ids keep different numbers until [`Names::merge`].
    pub(super) fn append(&mut self, other: &Self, first: usize, base: u64, arena: &[u8]) {
        let added = other.spans.known(first..).iter();
        let added = added.map(|span| Span { at: base + span.at, ..*span });
        let greatest = self.spans.last().copied();
        let ascending = self.index.is_none() && other.index.is_none();
        self.by_bytes &= ascending && other.by_bytes;
        self.by_length &= ascending && other.by_length;
        if let (Some(greatest), Some(next)) = (greatest, added.clone().next()) {
            self.ascend(greatest.of(arena), next.of(arena));
        }
        self.index = None;
        self.sorted = None;
        self.spans.extend(added);
    }

    /// Gives equal ids the number of the first one, and returns the new number of each id. None if all are
    /// distinct.
    pub(super) fn merge(&mut self, arena: &[u8]) -> Option<Vec<u32>> {
        if self.by_bytes || self.by_length {
            return None;
        }
        // It may have other numbers.
        self.index = None;
        let (sorted, distinct) = in_byte_order(&self.spans, arena);
        if distinct {
            self.sorted = Some(sorted);
            return None;
        }
        let mut first_of: Vec<u32> = (0..).take(self.spans.len()).collect();
        let same = |a: &u32, b: &u32| of(&self.spans, *a, arena) == of(&self.spans, *b, arena);
        for equal in sorted.chunk_by(same) {
            let first = equal.iter().min().copied().unwrap_or_default();
            for &number in equal {
                *first_of.known_mut(number as usize) = first;
            }
        }
        Some(self.keep_first(first_of))
    }

    /// Keeps the ids that are the first of their kind, and returns the new number of each.
    fn keep_first(&mut self, first_of: Vec<u32>) -> Vec<u32> {
        let mut kept = Vec::new();
        let mut numbers: Vec<u32> = Vec::with_capacity(first_of.len());
        for ((number, first), &span) in (0..).zip(first_of).zip(&self.spans) {
            let own = match numbers.get(first as usize) {
                Some(&earlier) if first != number => earlier,
                _ => {
                    kept.push(span);
                    u32::try_from(kept.len() - 1).unwrap_or(u32::MAX)
                }
            };
            numbers.push(own);
        }
        self.spans = kept;
        numbers
    }

    /// Returns the numbers in byte order of the ids.
    pub(super) fn sort(&self, arena: &[u8]) -> Vec<u32> {
        if let Some(sorted) = &self.sorted {
            return sorted.clone();
        }
        if self.by_bytes && self.index.is_none() {
            return (0..u32::try_from(self.spans.len()).unwrap_or(u32::MAX)).collect();
        }
        in_byte_order(&self.spans, arena).0
    }

    /// Finds the ids.
    pub(super) fn lookup(self) -> Lookup {
        self.index.map(Lookup::with).unwrap_or_default()
    }
}

fn of<'a>(spans: &[Span], number: u32, arena: &'a [u8]) -> &'a [u8] {
    spans.get(number as usize).map_or(&[], |span| span.of(arena))
}
