//! The last bytes of the JSON that is read. They have the text of an integer beyond 64 bits, which the parser
//! rounds.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use serde::de::DeserializeSeed;

use crate::known::Known;
use crate::roles::{Any, Value};

/// More bytes than the 309 digits and the sign of the largest finite integer.
const LENGTH: usize = 512;

/// The last bytes of a reader.
pub(super) struct Recent {
    bytes: [Cell<u8>; LENGTH],
    count: Cell<usize>,
}

impl Recent {
    pub(super) fn new() -> Self {
        Self { bytes: [const { Cell::new(0) }; LENGTH], count: Cell::new(0) }
    }

    fn push(&self, byte: u8) {
        self.bytes.known(self.count.get() % LENGTH).set(byte);
        self.count.set(self.count.get() + 1);
    }

    /// Forgets the bytes, before text is read that another reader gets.
    pub(super) fn clear(&self) {
        self.count.set(0);
    }

    fn backward(&self) -> impl Iterator<Item = u8> {
        let count = self.count.get();
        (count.saturating_sub(LENGTH)..count).rev().map(|place| self.bytes.known(place % LENGTH).get())
    }

    pub(super) fn last(&self) -> Option<u8> {
        self.backward().next()
    }

    /// The text of the number that was just read, before at most one byte that ended it. None if it may be
    /// incomplete.
    pub(super) fn number(&self) -> Option<Vec<u8>> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E');
        let end = usize::from(self.last().is_some_and(|byte| !is_part(&byte)));
        let mut text: Vec<u8> = self.backward().skip(end).take_while(is_part).collect();
        text.reverse();
        (1..LENGTH - 1).contains(&text.len()).then_some(text)
    }
}

/// Counts lines and keeps the last bytes. The JSON reader takes one byte at a time, so both are right to the
/// byte.
pub(super) struct Tracked<R> {
    pub reader: R,
    pub line: Rc<Cell<u64>>,
    pub recent: Rc<Recent>,
}

impl<R: BufRead> Read for Tracked<R> {
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.reader.fill_buf()?;
        let Some(&byte) = available.first() else { return Ok(0) };
        let Some(slot) = into.first_mut() else { return Ok(0) };
        *slot = byte;
        self.reader.consume(1);
        if byte == b'\n' {
            self.line.set(self.line.get() + 1);
        }
        self.recent.push(byte);
        Ok(1)
    }
}

/// Whether there may be 19 digits in a row, of which one of these chunks has ten.
pub(super) fn may_have_long_integer(line: &[u8]) -> bool {
    line.chunks_exact(10).any(|chunk| chunk.iter().all(u8::is_ascii_digit))
}

/// Parses a value; long integers keep their digits.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    if !may_have_long_integer(text) {
        return serde_json::from_slice(text);
    }
    let recent = Rc::new(Recent::new());
    let tracked = Tracked { reader: text, line: Rc::default(), recent: Rc::clone(&recent) };
    let mut json = serde_json::Deserializer::from_reader(tracked);
    let value = Any(&|| recent.number()).deserialize(&mut json)?;
    json.end().map(|()| value)
}
