//! How many rows of a row group are decoded at a time, as its pages allow.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parquet::errors::{ParquetError, Result};

use crate::read::limits::Limits;

/// What the library allocates for these rows besides pages and long texts.
pub(super) const BATCH: usize = 4 << 20;

/// Bytes that the values of a column may take in a batch. Encodings repeat a long value in a few bits.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// The state that the pages of a row group share outside the library that decodes them.
#[derive(Debug)]
pub(super) struct Batches {
    /// The limits of the size of pages.
    pub limits: Limits,
    /// How many rows are decoded at a time.
    rows: AtomicUsize,
    /// Whether the number has been reduced.
    fewer: AtomicBool,
    /// What is wrong with a page.
    wrong: OnceLock<&'static str>,
}

impl Batches {
    pub(super) fn new(limits: Limits) -> Self {
        let (rows, fewer) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { limits, rows, fewer, wrong: OnceLock::new() }
    }

    /// Starts decoding with this number of rows at a time.
    pub(super) fn start(&self, rows: usize) {
        self.rows.store(rows, Ordering::Relaxed);
    }

    /// The number of rows at a time to continue decoding with, if decoding ended only to reduce it.
    pub(super) fn fewer(&self) -> Option<usize> {
        self.fewer.swap(false, Ordering::Relaxed).then(|| self.rows.load(Ordering::Relaxed))
    }

    /// The fault of a page, if one was found.
    pub(super) fn wrong(&self) -> Option<&'static str> {
        self.wrong.get().copied()
    }

    /// The error for a page with an impossible size.
    pub(super) fn refuse(&self, said: &'static str) -> ParquetError {
        let _ = self.wrong.set(said);
        claimed(said)
    }

    /// Ends decoding if a batch of values of this length could exceed the limit.
    pub(super) fn fit(&self, longest: u64) -> Result<()> {
        let longest = usize::try_from(longest).unwrap_or(usize::MAX).max(1);
        let rows = (MOST_BYTES / longest).max(1);
        if rows >= self.rows.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.rows.store(rows, Ordering::Relaxed);
        self.fewer.store(true, Ordering::Relaxed);
        Err(claimed("values are too long for the number of rows"))
    }
}

#[cold]
pub(super) fn claimed(found: &str) -> ParquetError {
    ParquetError::General(found.to_owned())
}
