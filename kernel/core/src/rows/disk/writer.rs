//! Writes rows to disk.
//!
//! A header precedes the rows of a query. A **level** has the rows that were in memory at one time, in
//! ascending order of query number, with the places of each query's rows after them. The rows of a query that
//! is in one level, as most are, stay there; those of a query in several levels are merged at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use super::block::encode;
use super::{DiskRows, Extent, Facts, Level, unwritable};
use crate::convention::Duplicates;
use crate::error::{Error, Result};
use crate::parallel::Progress;
use crate::rows::{QueryRows, Rows, RowsBuilder};

/// The size of a header in bytes.
pub(super) const HEADER: usize = 24;

/// The header of a query's rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub query: u32,
    pub rows: u32,
    pub labels: u32,
    /// Whether the places of the rows follow.
    pub placed: bool,
    /// The size of the rows in bytes.
    pub length: u64,
}

impl Header {
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
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

    /// Returns the size of the places in bytes.
    pub(super) fn places(self) -> u64 {
        if self.placed { 8 * u64::from(self.rows) } else { 0 }
    }
}

/// Writes rows into an unnamed temporary file.
#[derive(Debug)]
pub(crate) struct Writer {
    file: Arc<File>,
    buffered: BufWriter<Arc<File>>,
    at: u64,
    /// The extent of each query, by its number.
    extents: Vec<Extent>,
    /// Queries with rows in several levels.
    several: Vec<u32>,
    /// The ends of the levels.
    levels: Vec<u64>,
    facts: Facts,
    entry: Vec<u8>,
}

/// The error at the earliest place so far, with that place.
pub(crate) type Earliest = Option<(u64, Box<Error>)>;

impl Writer {
    pub(crate) fn new() -> Result<Self> {
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

    /// Writes the rows of a query, at most once per level.
    pub(crate) fn put(&mut self, query: u32, rows: &QueryRows<'_>, places: &[u64]) -> Result<()> {
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

    /// Ends the current level.
    pub(crate) fn end_level(&mut self) -> Result<()> {
        self.buffered.flush().map_err(|error| unwritable(&error))?;
        self.levels.push(self.at);
        Ok(())
    }

    /// Merges the rows of queries with rows in several levels. Returns the error at the earliest place, if
    /// any.
    pub(crate) fn merge(
        &mut self,
        queries: &Rows,
        duplicates: Duplicates,
        progress: &Progress,
    ) -> Result<Earliest> {
        let mut starts = 0;
        let mut levels: Vec<Level> = Vec::with_capacity(self.levels.len());
        for &end in &self.levels {
            levels.push(Level::new(std::mem::replace(&mut starts, end), end));
        }
        let mut several = std::mem::take(&mut self.several);
        if duplicates == Duplicates::Mean {
            several = (0..u32::try_from(queries.queries()).unwrap_or(u32::MAX)).collect();
        }
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
                // A query may have no documents.
                Ok(rows) if rows.queries() == 0 => {}
                Ok(rows) => self.put(query, &rows.query(0), &[])?,
                Err(error) => keep_earliest(&mut earliest, error),
            }
        }
        Ok(earliest)
    }

    /// Returns the rows. `queries` has the numbers that were given to [`Writer::put`].
    pub(crate) fn finish(mut self, queries: Rows, labels: Vec<Vec<u8>>) -> Result<DiskRows> {
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
pub(crate) fn keep_earliest(earliest: &mut Earliest, other: (u64, Box<Error>)) {
    if earliest.as_ref().is_none_or(|(place, _)| other.0 < *place) {
        *earliest = Some(other);
    }
}
