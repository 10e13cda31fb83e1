//! Places in sources, which rows keep until an error needs a line.

use super::source::Source;
use super::window::count_lines;
use crate::error::{Error, Kind};
use crate::known::Known;

/// The place of an error in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Offset(u64),
    Line(u64),
    Nowhere,
}

impl Place {
    /// Adds file and line to an error without them.
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

/// A packed place has the number of the source in the upper bits, the line or offset in the lower ones.
const SOURCE_SHIFT: u32 = 48;

/// A place as one number, in the order of reading. `Nowhere` comes after all other places of its source.
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
    /// Offset in the source of the buffered bytes.
    at: u64,
    /// If lines are counted: the number of the line at an offset in the buffered bytes.
    lines: Option<(u64, usize)>,
}

impl Places {
    #[must_use]
    pub fn new(source: usize, at: u64, counted: bool) -> Self {
        Self { source, at, lines: counted.then_some((1, 0)) }
    }

    /// The packed place of an offset in the buffered bytes; offsets must not decrease.
    #[inline]
    pub fn of(&mut self, bytes: &[u8], offset: usize) -> u64 {
        let place = match &mut self.lines {
            Some((number, counted)) => {
                let between = bytes.known(*counted..offset);
                *number += memchr::memchr_iter(b'\n', between).count() as u64;
                *counted = offset;
                Place::Line(*number)
            }
            None => Place::Offset(self.at + offset as u64),
        };
        pack(self.source, place)
    }

    /// Counts the lines of all buffered bytes, so that blank lines need not be kept until the next row.
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
