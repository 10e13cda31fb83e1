//! A reused buffer that moves over a source and always shows whole lines.

use std::io::{self, Read};

use crate::error::{Code, Error, Kind, Result};
use crate::known::Known;
use crate::memory;

/// Bytes asked of the source at a time: large enough to amortise the call, small enough to stay in
/// a second-level cache.
pub const STEP: usize = 256 * 1024;

/// No line of judgments or of a run is longer; a file with one is something else.
pub const LONGEST_LINE: usize = 1 << 20;

pub struct Window<R> {
    source: R,
    buffer: Vec<u8>,
    /// End of the bytes read.
    filled: usize,
    /// End of the last whole line.
    whole: usize,
    /// Offset in the source of the first byte in the buffer.
    pub at: u64,
    /// Lines that have left the buffer.
    pub lines: u64,
    count_lines: bool,
    ended: bool,
}

impl<R: Read> Window<R> {
    /// `at` is the offset of the source's next byte. Lines are counted only where they cannot be
    /// counted afterwards.
    pub fn new(source: R, at: u64, count_lines: bool) -> Self {
        Self { source, buffer: Vec::new(), filled: 0, whole: 0, at, lines: 0, count_lines, ended: false }
    }

    #[must_use]
    pub fn counts_lines(&self) -> bool {
        self.count_lines
    }

    /// The whole lines in the buffer.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.buffer.known(..self.whole)
    }

    /// Number of the line that starts at or around `offset` (into the buffer), counted from 1.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> u64 {
        let before = self.buffer.known(..offset);
        self.lines + memchr::memchr_iter(b'\n', before).count() as u64 + 1
    }

    /// Drops the bytes before `keep`, and reads on until there is at least one more whole line. Returns false
    /// at the end of the source. The byte at offset `keep` is at 0 afterwards, in every case.
    pub fn advance(&mut self, keep: usize) -> std::result::Result<bool, Halt> {
        if self.count_lines {
            let gone = self.buffer.known(..keep);
            self.lines += memchr::memchr_iter(b'\n', gone).count() as u64;
        }
        self.buffer.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.whole -= keep;
        self.at += keep as u64;
        let before = self.whole;
        while self.whole == before && !self.ended {
            self.read()?;
            if self.filled - self.whole > LONGEST_LINE {
                return Err(Halt::LongLine { offset: self.whole });
            }
        }
        Ok(self.whole > before)
    }

    fn read(&mut self) -> io::Result<()> {
        if self.buffer.len() < self.filled + STEP / 2 {
            // A query larger than the window makes the window grow; doubling keeps that linear.
            let room = (self.buffer.len() * 2).max(STEP).max(self.filled + STEP);
            self.buffer.try_reserve_exact(room - self.buffer.len()).map_err(memory::unreadable)?;
            self.buffer.resize(room, 0);
        }
        let start = self.filled;
        let read = loop {
            let Some(room) = self.buffer.get_mut(start..) else { break 0 };
            match self.source.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.filled += read;
        if read == 0 {
            self.ended = true;
            self.whole = self.filled;
        } else {
            let new = self.buffer.known(start..self.filled);
            if let Some(newline) = memchr::memrchr(b'\n', new) {
                self.whole = start + newline + 1;
            }
        }
        Ok(())
    }
}

/// Why a window could not advance.
#[derive(Debug)]
pub enum Halt {
    Io(io::Error),
    LongLine { offset: usize },
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The error for a line without an end.
#[must_use]
pub fn long_line() -> Box<Error> {
    Error::statement(Kind::Format, "the line is longer than 1 MiB")
        .code(Code::LongLine)
        .hint("is this the right file? Choose JSON or another format with ⟪format⟫")
}

/// The number of the line at a byte offset of a stream that is read again from its start.
pub fn count_lines(mut source: impl Read, offset: u64) -> Result<u64> {
    // Small: it counts the lines before an error, which may be that memory is exhausted.
    let mut buffer = [0; 1 << 13];
    let mut left = offset;
    let mut lines = 1;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let Some(room) = buffer.get_mut(..most) else { break };
        match source.read(room) {
            Ok(0) => break,
            Ok(read) => {
                lines += memchr::memchr_iter(b'\n', room.known(..read)).count() as u64;
                left -= read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The line number is a courtesy; the error that asked for it matters more.
            Err(_) => break,
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_whole_lines_only() {
        let text = b"one\ntwo\nthree without an end";
        // A reader that gives three bytes at a time.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let most = into.len().min(3).min(self.0.len());
                into[..most].copy_from_slice(&self.0[..most]);
                self.0 = &self.0[most..];
                Ok(most)
            }
        }
        let mut window = Window::new(Slow(text), 0, true);
        let mut seen = Vec::new();
        let mut keep = 0;
        while window.advance(keep).unwrap() {
            keep = window.bytes().len();
            seen.extend_from_slice(window.bytes());
        }
        assert_eq!(seen, text);
        assert_eq!(window.at, text.len() as u64);
    }

    #[test]
    fn refuses_a_line_without_end() {
        let text = vec![b'a'; LONGEST_LINE * 2];
        let mut window = Window::new(&text[..], 0, false);
        assert!(matches!(window.advance(0), Err(Halt::LongLine { offset: 0 })));
    }
}
