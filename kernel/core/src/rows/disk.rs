//! Rows on disk, one block per query. Only the ids of the queries and the positions of their rows are in
//! memory.

mod block;
mod header;
mod level;
mod writer;

use std::fs::File;
use std::sync::Arc;

use super::digest::Digested;
use super::{QueryRows, Rows};
use crate::error::{Error, Kind, Result};
use crate::read::source::read_at;

pub use block::DiskBlock;
pub(super) use level::DiskLevel;
pub(super) use writer::Writer;

/// Rows in memory or on disk.
#[derive(Debug)]
pub enum AnyRows {
    Memory(Rows),
    Disk(DiskRows),
}

/// The position of the rows of a query in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct DiskExtent {
    at: u64,
    length: u64,
    rows: u32,
    /// The number of labels; 0 if the rows have none.
    labels: u32,
}

/// Rows in an unnamed temporary file.
#[derive(Debug)]
pub struct DiskRows {
    queries: Rows,
    file: Arc<File>,
    extents: Vec<DiskExtent>,
    rows: u64,
    labels: Vec<Vec<u8>>,
    facts: Facts,
}

/// Summary of all values.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    pub least: f64,
    pub most: f64,
    /// A value that is not a whole number, if any.
    pub fraction: Option<f64>,
}

impl Default for Facts {
    fn default() -> Self {
        Self { least: f64::INFINITY, most: f64::NEG_INFINITY, fraction: None }
    }
}

impl Facts {
    fn note(&mut self, values: &[f64]) {
        for &value in values {
            self.least = self.least.min(value);
            self.most = self.most.max(value);
            if value.fract() != 0.0 {
                self.fraction = Some(value);
            }
        }
    }
}

impl DiskRows {
    /// The queries, without their rows.
    #[must_use]
    pub fn queries(&self) -> &Rows {
        &self.queries
    }

    /// The number of rows of all queries.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.rows
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    #[must_use]
    pub fn has_labels(&self) -> bool {
        !self.labels.is_empty()
    }

    /// The names of the labels, in order of first appearance.
    #[must_use]
    pub fn label_names(&self) -> &[Vec<u8>] {
        &self.labels
    }

    #[must_use]
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// Loads the rows of a query into a block.
    pub fn load<'b>(&'b self, query: usize, block: &'b mut DiskBlock) -> Result<QueryRows<'b>> {
        let extent = self.extents.get(query).copied().unwrap_or_default();
        block.read(&self.file, extent)?;
        Ok(block.rows(self.queries.query_id(query)))
    }

    /// As [`Rows::one_grade`].
    pub fn one_grade(&self) -> Result<()> {
        let mut block = DiskBlock::default();
        (0..self.queries.queries()).try_for_each(|query| self.load(query, &mut block)?.one_grade())
    }

    /// Computes the digest, which equals [`Rows::digest`] of the same rows in memory.
    pub fn digest(&self) -> Result<[u8; 32]> {
        let mut digested = Digested::new(true);
        let mut block = DiskBlock::default();
        for &query in self.queries.sorted() {
            digested.add(&self.load(query as usize, &mut block)?);
        }
        Ok(digested.finish())
    }
}

/// Fills a buffer from an offset in the file.
pub(crate) fn read_exactly(file: &File, into: &mut [u8], at: u64) -> Result<()> {
    let mut have = 0;
    while let Some(rest) = into.get_mut(have..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, at + have as u64) {
            Ok(0) => return Err(unreadable("it is truncated")),
            Ok(read) => have += read,
            Err(error) => return Err(unreadable(&error.to_string())),
        }
    }
    Ok(())
}

/// Builds the error for a temporary file that cannot be read.
#[cold]
pub(crate) fn unreadable(what: &str) -> Box<Error> {
    Error::statement(Kind::Source, format!("cannot read a temporary file ({what})"))
        .file(std::env::temp_dir().display().to_string())
}

/// Builds the error for a temporary file that cannot be written.
#[cold]
fn unwritable(error: &std::io::Error) -> Box<Error> {
    Error::statement(Kind::Source, format!("cannot write judgments to a temporary file ({error})"))
        .file(std::env::temp_dir().display().to_string())
        .hint("set TMPDIR to another folder, or raise GAINFUL_JUDGMENTS_MEMORY")
}
