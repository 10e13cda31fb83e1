//! The bytes of a Parquet file, page by page.

use std::cell::RefCell;
use std::io::{self, BufReader};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, Kind, Result};
use crate::read::source::{Content, Opened, Positioned, Source};
use crate::read::stamp::Stamp;

/// A file that any thread reads anywhere, without a cursor that they would share.
pub(super) struct Bytewise {
    pub file: Content,
    length: u64,
    /// Its state on disk when it was opened.
    stamp: Option<Stamp>,
}

impl Bytewise {
    pub fn open(source: &Source) -> Result<Self> {
        match source.open()? {
            Opened::File { file, length } => {
                let stamp = file.stamp();
                Ok(Self { file, length, stamp })
            }
            Opened::Stream(_) => {
                let (found, hint) = if source.reopens() {
                    ("Parquet in a compressed file", "decompress it: Parquet is compressed within")
                } else {
                    (
                        "Parquet in what can only be read from its beginning",
                        "what Parquet holds stands at its end; write it to a file first",
                    )
                };
                Err(Error::new(Kind::Source, found, "a file").file(source.name()).hint(hint))
            }
        }
    }
}

impl Bytewise {
    /// What another opening of the same file has in common with this one.
    pub fn state(&self) -> State {
        (self.length, self.stamp)
    }

    /// Reads bytes that are there, all of them.
    pub fn read_exact_at(&self, into: &mut [u8], start: u64) -> io::Result<()> {
        let mut have = 0;
        while let Some(rest) = into.get_mut(have..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, start + have as u64)? {
                0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, BREAKS_OFF)),
                more => have += more,
            }
        }
        Ok(())
    }
}

/// Length, and the state on disk.
pub(super) type State = (u64, Option<Stamp>);

impl Length for Bytewise {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Bytewise {
    type T = BufReader<Positioned>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // Only headers are read this way, of some ten bytes; statistics in them may be longer.
        Ok(BufReader::with_capacity(1 << 10, Positioned { file: self.file.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        if start.saturating_add(length as u64) > self.length {
            return Err(ParquetError::EOF(BREAKS_OFF.to_owned()));
        }
        let mut page = Page::new(length);
        self.read_exact_at(&mut page.bytes, start).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ParquetError::EOF(BREAKS_OFF.to_owned()),
            _ => error.into(),
        })?;
        Ok(Bytes::from_owner(page))
    }
}

const BREAKS_OFF: &str = "it ends before its columns do";

/// A page, in room that the thread that lets go of it uses again: fresh room costs as much as reading does.
struct Page {
    bytes: Vec<u8>,
}

/// How much room a thread keeps: that many pages, none of them longer.
const SPARES: usize = 4;
const LONGEST: usize = 4 << 20;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

impl Page {
    fn new(length: usize) -> Self {
        let mut bytes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        bytes.resize(length, 0);
        Self { bytes }
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
        // A thread that ends has no use for it any more.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < SPARES && bytes.capacity() <= LONGEST {
                spare.push(bytes);
            }
        });
    }
}
