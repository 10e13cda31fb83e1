//! Checks the headers of pages before the library decodes them. The library allocates the declared
//! decompressed size, up to 2 GiB.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::file::reader::{ChunkReader, Length};

use super::batches::{BATCH, Batches};
use super::expansion::passed;
use super::pages::Bytewise;
use super::thrift::{Event, Flaw, Struct, walk};
use crate::memory;

/// Bytes of a header that are read at once; most headers have about ten.
const AT_ONCE: usize = 1 << 10;

/// The maximum length of a header with statistics.
const LONGEST: usize = 16 << 20;

/// The bytes of a column, with checked headers.
pub(super) struct Headers {
    file: Arc<Bytewise>,
    compression: Compression,
    batches: Arc<Batches>,
}

impl Headers {
    pub(super) fn new(file: Arc<Bytewise>, compression: Compression, batches: Arc<Batches>) -> Self {
        Self { file, compression, batches }
    }
}

impl Length for Headers {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Headers {
    type T = PageHeader;

    fn get_read(&self, start: u64) -> parquet::errors::Result<PageHeader> {
        let (file, batches) = (self.file.clone(), self.batches.clone());
        Ok(PageHeader { file, compression: self.compression, batches, start, checked: None })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let bytes = self.file.get_bytes(start, length)?;
        if self.may_overrun(&bytes) {
            self.decompress(&bytes)?;
        }
        Ok(bytes)
    }
}

impl Headers {
    /// Whether decompressing a page could exceed the limits whatever its header declares: for these
    /// compressions the library decompresses to the end.
    fn may_overrun(&self, page: &[u8]) -> bool {
        matches!(self.compression, Compression::GZIP(_) | Compression::LZ4)
            && most(self.compression, page.len() as u64)
                .is_some_and(|most| self.batches.limits.check(self.file.len(), most).is_err())
    }

    /// Decompresses a page without keeping it, to see whether it exceeds the limits.
    fn decompress(&self, page: &[u8]) -> io::Result<()> {
        let mut decompressed: Box<dyn Read + '_> = match self.compression {
            Compression::GZIP(_) => Box::new(flate2::read::MultiGzDecoder::new(page)),
            _ => Box::new(lz4_flex::frame::FrameDecoder::new(page)),
        };
        let (mut room, mut bytes) = (vec![0; 1 << 16], 0_u64);
        // The library reports a damaged page.
        while let Ok(more @ 1..) = decompressed.read(&mut room) {
            bytes += more as u64;
            self.batches.limits.check(self.file.len(), bytes).map_err(|error| passed(*error))?;
        }
        Ok(())
    }
}

/// A header that is checked when its first byte is read. The library opens readers that it does not read, at
/// positions without a header.
pub(super) struct PageHeader {
    file: Arc<Bytewise>,
    compression: Compression,
    batches: Arc<Batches>,
    start: u64,
    checked: Option<Cursor<Vec<u8>>>,
}

impl Read for PageHeader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let checked = match &mut self.checked {
            Some(checked) => checked,
            none => none.insert(Cursor::new(load(&self.file, self.start, self.compression, &self.batches)?)),
        };
        checked.read(into)
    }
}

/// Reads a header and checks it.
fn load(file: &Bytewise, start: u64, compression: Compression, batches: &Batches) -> io::Result<Vec<u8>> {
    let rest = file.len().saturating_sub(start);
    let mut bytes = Vec::new();
    let mut length = AT_ONCE;
    loop {
        let have = bytes.len();
        bytes.resize(usize::try_from(rest).unwrap_or(usize::MAX).min(length), 0);
        // The buffered bytes of a remote file suffice for most headers; more would need another request.
        let more = match bytes.get_mut(have..) {
            Some(room) => file.file.read_at(room, start + have as u64)?,
            None => 0,
        };
        bytes.truncate(have + more);
        match check(&bytes, rest, compression) {
            Ok(decompressed) => {
                batches.limits.check(file.len(), decompressed).map_err(|error| passed(*error))?;
                // The library has the page twice, and then its values.
                let room = usize::try_from(decompressed.saturating_mul(3)).unwrap_or(usize::MAX);
                memory::check(room.saturating_add(BATCH)).map_err(|error| passed(*error))?;
                return Ok(bytes);
            }
            Err(Flaw::Short) if more > 0 => {
                if bytes.len() == length {
                    length = LONGEST.min(length << 7);
                }
            }
            Err(Flaw::Short) => {
                return Err(io::Error::other(batches.refuse("the header of a page is truncated")));
            }
            Err(Flaw::Wrong(said)) => return Err(io::Error::other(batches.refuse(said))),
        }
    }
}

/// Returns the decompressed size of a page; refuses a header that declares more than the rest of the file can
/// have.
fn check(bytes: &[u8], rest: u64, compression: Compression) -> Result<u64, Flaw> {
    let (mut decompressed, mut compressed) = (0, 0);
    let header = walk(bytes, Struct::PageHeader, &mut |own, id, event| {
        match (own, id, event) {
            // The library reads 64 bits and keeps 32.
            (Struct::PageHeader, 2, Event::Value(value)) => decompressed = value as i32,
            (Struct::PageHeader, 3, Event::Value(value)) => compressed = value as i32,
            _ => {}
        }
        Ok(())
    })?;
    let size = |value| u64::try_from(value).map_err(|_| Flaw::Wrong("a page has a negative size"));
    let (decompressed, compressed) = (size(decompressed)?, size(compressed)?);
    if compressed > rest.saturating_sub(header as u64) {
        return Err(Flaw::Wrong("it ends before its pages do"));
    }
    match most(compression, compressed) {
        Some(most) if decompressed > most => {
            Err(Flaw::Wrong("a page claims to be longer than its compressed bytes can make it"))
        }
        Some(_) => Ok(decompressed),
        None => Ok(compressed),
    }
}

/// The maximum decompressed size of `compressed` bytes; `None` without compression.
fn most(compression: Compression, bytes: u64) -> Option<u64> {
    let ratio = match compression {
        Compression::UNCOMPRESSED => return None,
        // 64 bytes are copied by 3.
        Compression::SNAPPY => 22,
        // 255 bytes are copied by 1.
        Compression::LZ4 | Compression::LZ4_RAW => 255,
        // 258 bytes are copied by 2 bits.
        Compression::GZIP(_) => 1032,
        // A block of 128 KiB that repeats a byte takes 4.
        _ => 1 << 15,
    };
    Some(bytes.saturating_mul(ratio).saturating_add(AT_ONCE as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_the_file() {
        // A data page of 0 bytes, 40 when compressed, and what follows it.
        let bytes = [0x15, 0x00, 0x15, 0x00, 0x15, 0x50, 0x00, 0xff];
        let found = |rest| check(&bytes, rest, Compression::SNAPPY);
        assert_eq!(found(7 + 40), Ok(0));
        assert_eq!(found(7 + 39), Err(Flaw::Wrong("it ends before its pages do")));
    }

    #[test]
    fn pages_longer_than_possible_are_refused() {
        // A data page of 2 GiB - 1 bytes, 40 when compressed.
        let bytes = [0x15, 0x00, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0x50, 0x00];
        assert_eq!(check(&bytes, 1 << 20, Compression::UNCOMPRESSED), Ok(40));
        for compression in [Compression::SNAPPY, Compression::LZ4_RAW, Compression::ZSTD(Default::default())]
        {
            assert!(matches!(check(&bytes, 1 << 20, compression), Err(Flaw::Wrong(_))));
        }
    }

    #[test]
    fn each_compression_has_its_most() {
        assert_eq!(most(Compression::UNCOMPRESSED, 1), None);
        assert_eq!(most(Compression::SNAPPY, 100), Some(2200 + 1024));
        assert_eq!(most(Compression::ZSTD(Default::default()), u64::MAX), Some(u64::MAX));
    }
}
