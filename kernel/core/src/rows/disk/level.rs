//! Reads a level of the file: the rows that were in memory at one time, in ascending order of query number.

use std::fs::File;

use super::header::{HEADER, RowsHeader};
use super::{DiskBlock, DiskExtent, read_exactly, unreadable};
use crate::error::Result;
use crate::memory;
use crate::rows::QueryRows;

/// The minimum number of bytes to read at once.
const WINDOW: usize = 256 << 10;

/// Reads a level from beginning to end.
#[derive(Debug)]
pub(crate) struct DiskLevel {
    /// The offset of the next query.
    at: u64,
    window: LevelWindow,
    block: DiskBlock,
    places: Vec<u64>,
}

/// The part of the file that is in memory.
#[derive(Debug)]
struct LevelWindow {
    bytes: Vec<u8>,
    /// The offset of the bytes in the file.
    first: u64,
    /// The offset of the end of the level.
    end: u64,
}

impl DiskLevel {
    pub(crate) fn new(at: u64, end: u64) -> Self {
        let window = LevelWindow { bytes: Vec::new(), first: at, end };
        Self { at, window, block: DiskBlock::default(), places: Vec::new() }
    }

    /// Returns the rows of a query and their places, if the level has any. Call with ascending query numbers.
    pub(crate) fn query<'b>(
        &'b mut self,
        file: &File,
        query: u32,
        id: &'b [u8],
    ) -> Result<Option<(QueryRows<'b>, &'b [u64])>> {
        while self.at < self.window.end {
            let header = RowsHeader::of(self.window.get(file, self.at, HEADER as u64)?)
                .ok_or_else(|| unreadable("it is truncated"))?;
            if header.query > query {
                break;
            }
            let body = self.at + HEADER as u64;
            self.at = body + header.length + header.places();
            if header.query < query {
                continue;
            }
            let extent =
                DiskExtent { at: body, length: header.length, rows: header.rows, labels: header.labels };
            self.block.fill(self.window.get(file, body, header.length)?, extent)?;
            let places = self.window.get(file, body + header.length, header.places())?;
            self.places.clear();
            self.places.extend(places.as_chunks().0.iter().map(|&place| u64::from_le_bytes(place)));
            return Ok(Some((self.block.rows(id), &self.places)));
        }
        Ok(None)
    }
}

impl LevelWindow {
    /// Returns a range of the file, and reads it if necessary.
    fn get(&mut self, file: &File, at: u64, length: u64) -> Result<&[u8]> {
        let size = |length: u64| usize::try_from(length).map_err(|_| unreadable("it is too long"));
        let (end, length) = (at + length, size(length)?);
        if at < self.first || end > self.first + self.bytes.len() as u64 {
            let rest = size(self.end.saturating_sub(at))?;
            memory::resize(&mut self.bytes, length.max(WINDOW).min(rest), 0)?;
            self.first = at;
            read_exactly(file, &mut self.bytes, at)?;
        }
        let start = size(at - self.first)?;
        self.bytes.get(start..start + length).ok_or_else(|| unreadable("it is truncated"))
    }
}
