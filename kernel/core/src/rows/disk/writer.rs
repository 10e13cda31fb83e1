//! Writes rows to disk.
//!
//! A header precedes the rows of a query. A **level** has the rows that were in memory at one time, in
//! ascending order of query number, with the places of each query's rows after them. The rows of a query that
//! is in one level, as most are, stay there; those of a query in several levels are merged at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use super::block::encode;
use super::header::{HEADER, RowsHeader};
use super::{DiskExtent, DiskRows, Facts, unwritable};
use crate::error::Result;
use crate::rows::{QueryRows, Rows};

/// Writes rows into an unnamed temporary file.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(in crate::rows) file: Arc<File>,
    buffered: BufWriter<Arc<File>>,
    at: u64,
    /// The extent of each query, by its number.
    extents: Vec<DiskExtent>,
    /// Queries with rows in several levels.
    pub(in crate::rows) several: Vec<u32>,
    /// The ends of the levels.
    pub(in crate::rows) levels: Vec<u64>,
    facts: Facts,
    entry: Vec<u8>,
}

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
            self.extents.resize(known + 1, DiskExtent::default());
        }
        self.entry.clear();
        let labels = encode(rows, &mut self.entry);
        let length = self.entry.len() as u64;
        let count = u32::try_from(rows.values.len()).unwrap_or(u32::MAX);
        let header = RowsHeader { query, rows: count, labels, placed: !places.is_empty(), length };
        self.entry.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        let head: Vec<u8> = header.bytes().collect();
        self.buffered.write_all(&head).map_err(|error| unwritable(&error))?;
        self.buffered.write_all(&self.entry).map_err(|error| unwritable(&error))?;
        let extent = DiskExtent { at: self.at + HEADER as u64, length, rows: count, labels };
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

    /// Returns the rows. `queries` has the numbers that were given to [`Writer::put`].
    pub(crate) fn finish(mut self, queries: Rows, labels: Vec<Vec<u8>>) -> Result<DiskRows> {
        self.buffered.flush().map_err(|error| unwritable(&error))?;
        self.extents.resize(queries.queries(), DiskExtent::default());
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
