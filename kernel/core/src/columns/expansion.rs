//! Limits the size of decoded columns, as the environment sets it.
//!
//! Encodings, dictionaries and views repeat a value in a few bits, so that a small file can have any number
//! of rows and long ids. The limit applies to the text and numbers of the rows.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{Array, RecordBatch};

use super::{Columns, IdColumn};
use crate::error::{Error, Result};
use crate::read::limits::Limits;
use crate::read::source::note;

/// Bytes of a number, whatever its type.
const NUMBER: u64 = 8;

/// The decoded size of the columns of one file so far.
#[derive(Debug)]
pub(super) struct Expansion {
    limits: Limits,
    expanded: AtomicU64,
}

impl Expansion {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, expanded: AtomicU64::new(0) }
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Counts a batch of a file with `file` bytes; `part` is the size of its part of the file.
    pub(super) fn count(
        &self,
        columns: &Columns,
        batch: &RecordBatch,
        file: u64,
        part: &AtomicU64,
    ) -> Result<()> {
        let kept = columns.all().filter_map(|column| batch.columns().get(column));
        // Each row takes one number, even in columns whose values have no bytes.
        let numbers = NUMBER.saturating_mul(batch.num_rows() as u64);
        let bytes = kept.map(|array| bytes_of(&**array)).fold(numbers, u64::saturating_add);
        part.fetch_add(bytes, Ordering::Relaxed);
        let expanded = self.expanded.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        // A file that does not expand has no limits, like uncompressed text.
        if expanded > file { self.limits.check(file, expanded) } else { Ok(()) }
    }

    /// Forgets a part that will be decoded again.
    pub(super) fn forget(&self, part: &AtomicU64) {
        self.expanded.fetch_sub(part.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// How many bytes the values of a column have.
fn bytes_of(array: &dyn Array) -> u64 {
    match IdColumn::of(array) {
        Some(ids) => ids.bytes(array.len()),
        None => NUMBER.saturating_mul(array.len() as u64),
    }
}

/// Wraps an error so that a library in between does not turn it into text.
#[cold]
pub(super) fn passed(error: Error) -> io::Error {
    let error = io::Error::other(error);
    note(&error);
    error
}
