//! Zstandard by its library in C.

use std::io::{self, BufRead, BufReader, Read};

use zstd::zstd_safe::{DCtx, InBuffer, OutBuffer};

use super::errors::damaged;
use crate::error::{Error, Kind};
use crate::memory;

/// Codes of the library's errors.
const WINDOW_TOO_LARGE: usize = 16;
const OUT_OF_MEMORY: usize = 64;

/// The frames of a file, decompressed. The library refuses windows of more than 128 MiB, and wrong checksums.
pub(super) struct Frames<R> {
    raw: BufReader<R>,
    context: DCtx<'static>,
    /// Whether a frame has begun and not ended.
    within: bool,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(raw: BufReader<R>) -> io::Result<Self> {
        let context = DCtx::try_create().ok_or_else(|| io::Error::other(*memory::exhausted()))?;
        Ok(Self { raw, context, within: false })
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let bytes = self.raw.fill_buf()?;
            let ended = bytes.is_empty();
            if ended && !self.within {
                return Ok(0);
            }
            let (mut from, mut to) = (InBuffer::around(bytes), OutBuffer::around(&mut *into));
            let left = self.context.decompress_stream(&mut to, &mut from).map_err(refused)?;
            let (used, written) = (from.pos(), to.pos());
            self.raw.consume(used);
            self.within = left > 0;
            if written > 0 {
                return Ok(written);
            }
            if ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// The library returns the code as a negative number.
#[cold]
fn refused(code: usize) -> io::Error {
    match code.wrapping_neg() {
        OUT_OF_MEMORY => io::Error::other(*memory::exhausted()),
        WINDOW_TOO_LARGE => {
            let error =
                Error::statement(Kind::Source, "the window of the Zstandard file is larger than 128 MiB");
            io::Error::other(*error.hint("compress the file again without --long"))
        }
        _ => damaged(),
    }
}
