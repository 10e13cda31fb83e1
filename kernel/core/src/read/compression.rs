//! Compressed files, which are recognized by their first bytes. Every checksum in them is compared.

pub(super) mod errors;
#[cfg(any(test, target_family = "wasm"))]
mod portable;
#[cfg(not(target_family = "wasm"))]
mod zstandard;

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

#[cfg(target_family = "wasm")]
use portable::PortableFrames as Frames;
#[cfg(not(target_family = "wasm"))]
use zstandard::Frames;

use super::limits::{CountedStream, Limited, Limits};

/// The longest magic number, in bytes.
pub const MAGIC: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstandard,
}

impl Compression {
    /// By content, since a suffix may be wrong.
    #[must_use]
    pub fn of(magic: &[u8]) -> Option<Self> {
        match magic {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Some(Self::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstandard),
            // A frame without data, which pzstd and seekable files begin with.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstandard),
            _ => None,
        }
    }
}

/// Memory that the window of an xz file may take, in KiB. A file states it without needing it.
const XZ_WINDOW: u32 = 1 << 20;

/// The decompressed bytes of a stream, within the limits of the environment; uncompressed streams are
/// returned unchanged.
pub fn decompressed<'a>(mut raw: Box<dyn Read + Send + 'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut magic = Vec::with_capacity(MAGIC);
    raw.by_ref().take(MAGIC as u64).read_to_end(&mut magic)?;
    let kind = Compression::of(&magic);
    let whole = Cursor::new(magic).chain(raw);
    let Some(kind) = kind else { return Ok(Box::new(whole)) };
    let limits = Limits::of_environment().map_err(|error| io::Error::other(*error))?;
    let compressed = Arc::new(AtomicU64::new(0));
    let counted = CountedStream { stream: whole, count: Arc::clone(&compressed) };
    let raw = BufReader::with_capacity(1 << 16, counted);
    let stream: Box<dyn Read + Send + 'a> = match kind {
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        Compression::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(raw, true, XZ_WINDOW)),
        Compression::Zstandard => Box::new(Frames::new(raw)?),
    };
    Ok(Box::new(Limited { stream, limits, compressed, expanded: 0 }))
}
