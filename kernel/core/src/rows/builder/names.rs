//! Numbers the ids of the queries in order of appearance.

use super::super::ordered::in_byte_order;
use super::super::{Index, Span};
use crate::error::Result;
use crate::memory;

/// Ids with an index. While each new id is greater than all before it, as in a sorted file, it cannot be a
/// known one. Lookups are then skipped, and the index is built at the end.
#[derive(Debug)]
pub(super) struct Names {
    pub spans: Vec<Span>,
    index: Index,
    /// Whether the index has been built.
    indexed: bool,
    /// Whether the ids are in ascending byte order.
    by_bytes: bool,
    /// Whether the ids ascend by length and then by bytes, as decimal numbers do.
    by_length: bool,
}

impl Names {
    pub fn new() -> Self {
        Self { spans: Vec::new(), index: Index::default(), indexed: false, by_bytes: true, by_length: true }
    }

    /// Returns the number of an id; `None` if it is unknown.
    pub fn find(&mut self, id: &[u8], arena: &[u8]) -> Option<u32> {
        if !self.indexed {
            let greatest = self.spans.last()?.of(arena);
            self.by_bytes &= id > greatest;
            self.by_length &= (id.len(), id) > (greatest.len(), greatest);
            if self.by_bytes || self.by_length {
                return None;
            }
            self.index = self.build_index(arena);
            self.indexed = true;
        }
        self.index.find(id, |number| of(&self.spans, number, arena))
    }

    /// Whether another id can be added without more memory.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.spans.len() < self.spans.capacity()
    }

    /// Makes room for another id.
    pub fn grow(&mut self) -> Result<()> {
        memory::reserve(&mut self.spans, 1)?;
        if self.indexed { self.index.try_reserve(self.spans.capacity() - self.spans.len()) } else { Ok(()) }
    }

    /// Adds an unknown id, whose bytes are in the arena already; returns its number.
    pub fn add(&mut self, span: Span, arena: &[u8]) -> u32 {
        let number = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(span);
        if self.indexed {
            self.index.insert(span.of(arena), number);
        }
        number
    }

    fn build_index(&self, arena: &[u8]) -> Index {
        let mut index = Index::default();
        index.reserve(self.spans.len());
        for (span, number) in self.spans.iter().zip(0..) {
            index.insert(span.of(arena), number);
        }
        index
    }

    /// Returns the index, if it has not been built yet, and the numbers in byte order of the ids.
    pub fn index_and_sort(&self, arena: &[u8]) -> (Option<Index>, Vec<u32>) {
        let sorted = if self.by_bytes && !self.indexed {
            (0..u32::try_from(self.spans.len()).unwrap_or(u32::MAX)).collect()
        } else {
            in_byte_order(&self.spans, arena)
        };
        ((!self.indexed).then(|| self.build_index(arena)), sorted)
    }

    pub fn into_index(self) -> Index {
        self.index
    }
}

fn of<'a>(spans: &[Span], number: u32, arena: &'a [u8]) -> &'a [u8] {
    spans.get(number as usize).map_or(&[], |span| span.of(arena))
}
