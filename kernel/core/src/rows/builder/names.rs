//! The queries' ids, numbered as they come.

use super::super::ordered::in_byte_order;
use super::super::{Index, Span};

/// Ids that are looked up as they come. While each is greater than all before it, as in files that are
/// sorted, none can be a known one: then nothing is looked up, and the index is made at the end.
#[derive(Debug)]
pub(super) struct Names {
    pub spans: Vec<Span>,
    index: Index,
    /// Whether all are in the index.
    indexed: bool,
    /// Whether they ascend byte by byte.
    by_bytes: bool,
    /// Whether they ascend by length, and byte by byte within one: as decimal numbers do.
    by_length: bool,
}

impl Names {
    pub fn new() -> Self {
        Self { spans: Vec::new(), index: Index::default(), indexed: false, by_bytes: true, by_length: true }
    }

    /// The number of an id, `None` for one that is not known.
    pub fn find(&mut self, id: &[u8], arena: &[u8]) -> Option<u32> {
        if !self.indexed {
            let greatest = self.spans.last()?.of(arena);
            self.by_bytes &= id > greatest;
            self.by_length &= (id.len(), id) > (greatest.len(), greatest);
            if self.by_bytes || self.by_length {
                return None;
            }
            self.index = self.made_index(arena);
            self.indexed = true;
        }
        self.index.find(id, |number| of(&self.spans, number, arena))
    }

    /// Adds an id that is not known; its bytes stand in the arena already.
    pub fn add(&mut self, span: Span, arena: &[u8]) -> u32 {
        let number = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(span);
        if self.indexed {
            self.index.insert(span.of(arena), number);
        }
        number
    }

    fn made_index(&self, arena: &[u8]) -> Index {
        let mut index = Index::default();
        index.reserve(self.spans.len());
        for (span, number) in self.spans.iter().zip(0..) {
            index.insert(span.of(arena), number);
        }
        index
    }

    /// The index of all, where it was not made so far, and the numbers in byte order of the ids.
    pub fn looked_through(&self, arena: &[u8]) -> (Option<Index>, Vec<u32>) {
        let sorted = if self.by_bytes && !self.indexed {
            (0..u32::try_from(self.spans.len()).unwrap_or(u32::MAX)).collect()
        } else {
            in_byte_order(&self.spans, arena)
        };
        ((!self.indexed).then(|| self.made_index(arena)), sorted)
    }

    pub fn into_index(self) -> Index {
        self.index
    }
}

fn of<'a>(spans: &[Span], number: u32, arena: &'a [u8]) -> &'a [u8] {
    spans.get(number as usize).map_or(&[], |span| span.of(arena))
}
