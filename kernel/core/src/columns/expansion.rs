//! How large columns become when they are decoded, within the limits that the environment sets.
//!
//! Encodings, dictionaries and views repeat a value in a few bits, so that a small file can have any number of
//! rows and long ids. What is counted is what the rows have as text and numbers.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{Array, RecordBatch};

use super::{Columns, Ids};
use crate::error::{Error, Result};
use crate::read::limits::Limits;
use crate::read::source::note;

/// Bytes of a number, whatever its type.
const NUMBER: u64 = 8;

/// What the columns of one file take, as far as they have been decoded.
#[derive(Debug)]
pub(super) struct Expansion {
    limits: Limits,
    expanded: AtomicU64,
}

impl Expansion {
    pub fn new(limits: Limits) -> Self {
        Self { limits, expanded: AtomicU64::new(0) }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Counts a batch of a file that has so many bytes; `part` is what its part of the file takes.
    pub fn count(&self, columns: &Columns, batch: &RecordBatch, file: u64, part: &AtomicU64) -> Result<()> {
        let kept = columns.all().filter_map(|column| batch.columns().get(column));
        // Each row takes a number, even of columns whose values have no bytes.
        let numbers = NUMBER.saturating_mul(batch.num_rows() as u64);
        let bytes = kept.map(|array| bytes_of(&**array)).fold(numbers, u64::saturating_add);
        part.fetch_add(bytes, Ordering::Relaxed);
        let expanded = self.expanded.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        // A file that does not expand has no limits, as text has none that is not compressed.
        if expanded > file { self.limits.check(file, expanded) } else { Ok(()) }
    }

    /// Forgets a part, which is decoded again.
    pub fn forget(&self, part: &AtomicU64) {
        self.expanded.fetch_sub(part.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// How many bytes the values of a column have.
fn bytes_of(array: &dyn Array) -> u64 {
    match Ids::of(array) {
        Some(ids) => ids.bytes(array.len()),
        None => NUMBER.saturating_mul(array.len() as u64),
    }
}

/// Passes an error on that a library between would make a text of.
#[cold]
pub(super) fn passed(error: Error) -> io::Error {
    let error = io::Error::other(error);
    note(&error);
    error
}
