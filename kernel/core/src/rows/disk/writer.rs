//! Rows on their way to disk.
//!
//! A query's rows stand behind a header. **Levels** are what memory held at a time: their queries stand in
//! ascending order of their numbers, each with the places of its rows behind it. Most queries are in one
//! level, and stay where they are; the rows of the others are put together at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use super::block::encode;
use super::{DiskRows, Extent, Facts, Level, unwritable};
use crate::convention::Duplicates;
use crate::error::{Error, Result};
use crate::parallel::Progress;
use crate::rows::{QueryRows, Rows, RowsBuilder};

/// Bytes of a header.
pub(super) const HEADER: usize = 24;

/// What stands before a query's rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub query: u32,
    pub rows: u32,
    pub labels: u32,
    /// Whether the places of the rows follow.
    pub placed: bool,
    /// Bytes of the rows.
    pub length: u64,
}

impl Header {
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let (words, length) = bytes.split_at_checked(HEADER - 8)?;
        let &[query, rows, labels, placed] = words.as_chunks().0 else { return None };
        let length = u64::from_le_bytes(length.try_into().ok()?);
        let [query, rows, labels, placed] = [query, rows, labels, placed].map(u32::from_le_bytes);
        Some(Self { query, rows, labels, placed: placed != 0, length })
    }

    fn bytes(self) -> impl Iterator<Item = u8> {
        let words = [self.query, self.rows, self.labels, u32::from(self.placed)];
        words.into_iter().flat_map(u32::to_le_bytes).chain(self.length.to_le_bytes())
    }

    /// Bytes of the places.
    pub fn places(self) -> u64 {
        if self.placed { 8 * u64::from(self.rows) } else { 0 }
    }
}

/// Writes rows into a file without a name.
#[derive(Debug)]
pub struct Writer {
    file: Arc<File>,
    buffered: BufWriter<Arc<File>>,
    at: u64,
    /// By the number of the query.
    extents: Vec<Extent>,
    /// Queries of which several levels have rows.
    several: Vec<u32>,
    /// Where levels end.
    levels: Vec<u64>,
    facts: Facts,
    entry: Vec<u8>,
}

/// What is wrong first, and at which place.
pub type Earliest = Option<(u64, Box<Error>)>;

impl Writer {
    pub fn new() -> Result<Self> {
        let file = Arc::new(tempfile::tempfile().map_err(|error| unwritable(&error))?);
        Ok(Self {
            buffered: BufWriter::with_capacity(1 << 20, file.clone()),
            file,
            at: 0,
            extents: Vec::new(),
            several: Vec::new(),
            levels: Vec::new(),
            facts: Facts::default(),
            entry: Vec::new(),
        })
    }

    /// Writes the rows of a query. A level has each of its queries once.
    pub fn put(&mut self, query: u32, rows: &QueryRows<'_>, places: &[u64]) -> Result<()> {
        let known = query as usize;
        if self.extents.len() <= known {
            self.extents.resize(known + 1, Extent::default());
        }
        self.entry.clear();
        let labels = encode(rows, &mut self.entry);
        let length = self.entry.len() as u64;
        let count = u32::try_from(rows.values.len()).unwrap_or(u32::MAX);
        let header = Header { query, rows: count, labels, placed: !places.is_empty(), length };
        self.entry.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        let head: Vec<u8> = header.bytes().collect();
        self.buffered.write_all(&head).map_err(|error| unwritable(&error))?;
        self.buffered.write_all(&self.entry).map_err(|error| unwritable(&error))?;
        let extent = Extent { at: self.at + HEADER as u64, length, rows: count, labels };
        self.at += (HEADER + self.entry.len()) as u64;
        if let Some(slot) = self.extents.get_mut(known) {
            if slot.rows > 0 && header.placed {
                self.several.push(query);
            }
            *slot = extent;
        }
        self.facts.note(rows.values);
        Ok(())
    }

    /// What follows is another level.
    pub fn end_level(&mut self) -> Result<()> {
        self.buffered.flush().map_err(|error| unwritable(&error))?;
        self.levels.push(self.at);
        Ok(())
    }

    /// Puts together the rows of queries that several levels have. Returns what is wrong with them first.
    pub fn merge(&mut self, queries: &Rows, duplicates: Duplicates, progress: &Progress) -> Result<Earliest> {
        let mut starts = 0;
        let mut levels: Vec<Level> = Vec::with_capacity(self.levels.len());
        for &end in &self.levels {
            levels.push(Level::new(std::mem::replace(&mut starts, end), end));
        }
        let mut several = std::mem::take(&mut self.several);
        several.sort_unstable();
        several.dedup();
        let mut earliest: Earliest = None;
        for query in several {
            progress.advance(0)?;
            let id = queries.query_id(query as usize);
            let mut builder = RowsBuilder::new(false);
            for level in &mut levels {
                let Some((rows, places)) = level.query(&self.file, query, id)? else { continue };
                for (row, (&value, &place)) in rows.values.iter().zip(places).enumerate() {
                    if let Some(label) = rows.label(row) {
                        builder.label(label);
                    }
                    builder.push(id, rows.document(row), value, f64::NAN, place);
                }
            }
            match builder.finish(duplicates) {
                Ok(rows) => self.put(query, &rows.query(0), &[])?,
                Err(error) => note(&mut earliest, error),
            }
        }
        Ok(earliest)
    }

    /// The rows, of queries whose numbers are those of the writer.
    pub fn finish(mut self, queries: Rows, labels: Vec<Vec<u8>>) -> Result<DiskRows> {
        self.buffered.flush().map_err(|error| unwritable(&error))?;
        self.extents.resize(queries.queries(), Extent::default());
        Ok(DiskRows {
            rows: self.extents.iter().map(|extent| u64::from(extent.rows)).sum(),
            queries,
            file: self.file,
            extents: self.extents,
            labels,
            facts: self.facts,
        })
    }
}

/// Keeps the earlier of two errors.
pub fn note(earliest: &mut Earliest, other: (u64, Box<Error>)) {
    if earliest.as_ref().is_none_or(|(place, _)| other.0 < *place) {
        *earliest = Some(other);
    }
}
