//! Reads a stream line by line.

use std::io::{BufRead, BufReader, Read};

use super::input::{Input, Watched};
use crate::error::{Error, Kind, Result};
use crate::read::binary::nul;
use crate::read::source::Source;

/// Lines without their ends, numbered from 1, none longer than a limit and none with a NUL byte.
pub(super) struct Lines<'a> {
    reader: BufReader<Watched<'a>>,
    source: Source,
    longest: usize,
    line: Vec<u8>,
    /// The number of the last line.
    pub number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &mut Input<'a>, longest: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(1 << 17, input.watched()),
            source: input.source().clone(),
            longest,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>> {
        self.line.clear();
        let read = self
            .reader
            .by_ref()
            .take(self.longest as u64 + 1)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| self.source.failed(&error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.len() > self.longest {
            return Err(too_long(self.longest).line(self.number));
        }
        if memchr::memchr(0, &self.line).is_some() {
            return Err(nul().line(self.number));
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

pub(super) fn too_long(longest: usize) -> Box<Error> {
    let found = format!("the line is longer than {} MiB", longest >> 20);
    Error::statement(Kind::Format, found).hint("is this the right file, and the right ⟪format⟫?")
}

/// The words of a line, between ASCII white space.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| crate::read::scan::is_space(byte)).filter(|word| !word.is_empty())
}
