//! The bytes of a Parquet file, page by page.

use std::cell::RefCell;
use std::io::BufReader;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::expansion::passed;
use crate::error::{Error, Kind, Result};
use crate::memory;
use crate::parallel::Stop;
use crate::read::source::{Content, Opened, Positioned, Source};
use crate::read::stamp::Stamp;

/// A file that threads read at any position, without a shared cursor.
pub(super) struct Bytewise {
    pub file: Content,
    length: u64,
    /// Its state on disk when it was opened.
    stamp: Option<Stamp>,
}

impl Bytewise {
    pub(super) fn open(source: &Source, stop: &Stop) -> Result<Self> {
        match source.open(stop)? {
            Opened::File { file, length } => {
                let stamp = file.stamp();
                Ok(Self { file, length, stamp })
            }
            Opened::Stream(_) => {
                let (found, hint) = if source.reopens() {
                    ("cannot read Parquet from a compressed file", "decompress the file")
                } else {
                    ("cannot read Parquet from a stream", "save it to a file first")
                };
                Err(Error::statement(Kind::Source, found).file(source.name()).hint(hint))
            }
        }
    }
}

impl Bytewise {
    /// The state that is the same whenever the same file is opened.
    pub(super) fn state(&self) -> PageState {
        (self.length, self.stamp)
    }
}

/// Length, and the state on disk.
pub(super) type PageState = (u64, Option<Stamp>);

impl Length for Bytewise {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Bytewise {
    type T = BufReader<Positioned>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // Only headers are read this way. They have about ten bytes, more with statistics.
        Ok(BufReader::with_capacity(1 << 10, Positioned { file: self.file.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        if start.saturating_add(length as u64) > self.length {
            return Err(ParquetError::EOF(BREAKS_OFF.to_owned()));
        }
        let mut page = Page::new(length).map_err(|error| passed(*error))?;
        if self.file.fill_at(&mut page.bytes, start)? < length {
            return Err(ParquetError::EOF(BREAKS_OFF.to_owned()));
        }
        Ok(Bytes::from_owner(page))
    }
}

const BREAKS_OFF: &str = "it ends before its columns do";

/// A page in a buffer that the thread reuses: allocating one costs as much as reading.
struct Page {
    bytes: Vec<u8>,
}

/// The number of buffers that a thread keeps, and their maximum length.
const SPARES: usize = 4;
const LONGEST: usize = 4 << 20;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

impl Page {
    fn new(length: usize) -> Result<Self> {
        let mut bytes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        memory::resize(&mut bytes, length, 0)?;
        Ok(Self { bytes })
    }
}

impl AsRef<[u8]> for Page {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        // The thread is ending.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < SPARES && bytes.capacity() <= LONGEST {
                spare.push(bytes);
            }
        });
    }
}
