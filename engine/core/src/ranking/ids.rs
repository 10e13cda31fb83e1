//! Document ids, wherever they stand.

use std::cmp::Ordering;

use crate::rows::Span;

/// Document ids, borrowed from wherever they stand.
#[derive(Debug, Clone, Copy)]
pub enum Ids<'a> {
    Text {
        arena: &'a [u8],
        spans: &'a [Span],
    },
    /// An integer id is its decimal text; the digits are written out only where a tie asks for them.
    Integers(&'a [i64]),
}

/// Room for the decimal text of an `i64`.
type Digits = [u8; 20];

impl<'a> Ids<'a> {
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text { spans, .. } => spans.len(),
            Self::Integers(ids) => ids.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn get<'b>(&'b self, row: usize, digits: &'b mut Digits) -> &'b [u8] {
        match self {
            Self::Text { arena, spans } => spans.get(row).map_or(&[], |span| span.of(arena)),
            Self::Integers(ids) => decimal(ids.get(row).copied().unwrap_or_default(), digits),
        }
    }

    #[must_use]
    pub fn to_vec(&self, row: usize) -> Vec<u8> {
        self.get(row, &mut [0; 20]).to_vec()
    }

    pub fn compare(&self, a: usize, b: usize) -> Ordering {
        self.get(a, &mut [0; 20]).cmp(self.get(b, &mut [0; 20]))
    }

    #[inline(always)]
    pub fn same(&self, a: usize, b: usize) -> bool {
        match self {
            Self::Text { arena, spans } => match (spans.get(a), spans.get(b)) {
                (Some(a), Some(b)) => a.length == b.length && a.of(arena) == b.of(arena),
                _ => false,
            },
            Self::Integers(ids) => ids.get(a) == ids.get(b),
        }
    }
}

fn decimal(value: i64, digits: &mut Digits) -> &[u8] {
    let mut rest = value.unsigned_abs();
    let mut start = digits.len();
    loop {
        start -= 1;
        if let Some(digit) = digits.get_mut(start) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        start -= 1;
        if let Some(sign) = digits.get_mut(start) {
            *sign = b'-';
        }
    }
    digits.get(start..).unwrap_or_default()
}

/// The integer that a text is the decimal form of, if it is one: no sign but a minus, no leading zero.
#[must_use]
pub fn canonical_integer(text: &[u8]) -> Option<i64> {
    let value: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (decimal(value, &mut [0; 20]) == text).then_some(value)
}
