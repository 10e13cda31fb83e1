//! Document ids, wherever they stand.

use std::cmp::Ordering;

use crate::rows::Span;

/// Document ids, borrowed from wherever they stand: bytes, of which each id is a part.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ids<'a> {
    pub arena: &'a [u8],
    pub spans: &'a [Span],
}

impl<'a> Ids<'a> {
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    #[inline(always)]
    #[must_use]
    pub fn get(&self, row: usize) -> &'a [u8] {
        self.spans.get(row).map_or(&[], |span| span.of(self.arena))
    }

    pub fn compare(&self, a: usize, b: usize) -> Ordering {
        self.get(a).cmp(self.get(b))
    }
}
