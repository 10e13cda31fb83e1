//! Where something stands in one of several sources: what rows remember until an error needs a line.

use super::source::Source;
use super::window::count_lines;
use crate::error::{Error, Kind};

/// Where an error stands in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Offset(u64),
    Line(u64),
    Nowhere,
}

impl Place {
    /// Gives an error its file and line, if it has none yet.
    #[must_use]
    pub fn locate(self, source: &Source, error: Box<Error>) -> Box<Error> {
        if error.file.is_some() || error.kind == Kind::Interrupted {
            return error;
        }
        let error = error.file(source.name());
        let line = match self {
            Self::Nowhere => None,
            Self::Line(line) => Some(line),
            Self::Offset(offset) => source.stream().and_then(|stream| count_lines(stream, offset)).ok(),
        };
        match line {
            Some(line) => error.line(line),
            None => error,
        }
    }
}

/// The number of a source stands in the upper bits of a packed place, its line or offset below.
const SOURCE_SHIFT: u32 = 48;

/// A place as one number, which grows in the order in which places are read. What is nowhere comes
/// after all of its source.
#[must_use]
pub fn pack(source: usize, place: Place) -> u64 {
    let within = match place {
        Place::Offset(at) | Place::Line(at) => at,
        Place::Nowhere => (1 << SOURCE_SHIFT) - 1,
    };
    (source as u64) << SOURCE_SHIFT | within
}

/// The number of the source, and the line or offset in it.
#[must_use]
pub fn unpack(packed: u64) -> (usize, u64) {
    (usize::try_from(packed >> SOURCE_SHIFT).unwrap_or(0), packed & ((1 << SOURCE_SHIFT) - 1))
}

/// The places of lines while a window moves: offsets, or in a stream, which cannot be read again to
/// count them, the numbers of the lines.
pub struct Places {
    source: usize,
    /// Offset in the source of the bytes at hand.
    at: u64,
    /// Where lines are counted: the number of the line that holds an offset of the bytes at hand.
    lines: Option<(u64, usize)>,
}

impl Places {
    #[must_use]
    pub fn new(source: usize, at: u64, counted: bool) -> Self {
        Self { source, at, lines: counted.then_some((1, 0)) }
    }

    /// The packed place of an offset of the bytes at hand, which is not before the last one asked for.
    #[inline]
    pub fn of(&mut self, bytes: &[u8], offset: usize) -> u64 {
        let place = match &mut self.lines {
            Some((number, counted)) => {
                let between = bytes.get(*counted..offset).unwrap_or_default();
                *number += memchr::memchr_iter(b'\n', between).count() as u64;
                *counted = offset;
                Place::Line(*number)
            }
            None => Place::Offset(self.at + offset as u64),
        };
        pack(self.source, place)
    }

    /// All of the bytes at hand have been read: lines are counted up to their end, so that blank lines are not
    /// kept until the next row.
    pub fn pass(&mut self, bytes: &[u8]) {
        if self.lines.is_some() {
            self.of(bytes, bytes.len());
        }
    }

    /// The first byte that is still needed to count lines; `Sink::keep`.
    #[must_use]
    pub fn keep(&self) -> Option<usize> {
        self.lines.map(|(_, counted)| counted)
    }

    /// The bytes have moved; `Sink::moved`.
    pub fn moved(&mut self, by: usize, at: u64) {
        self.at = at;
        if let Some((_, counted)) = &mut self.lines {
            *counted -= by;
        }
    }
}
