//! The bytes of Arrow files and streams, message by message. Lengths are checked before memory is allocated.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::root_as_message;
use arrow_schema::{ArrowError, SchemaRef};

use super::kinds::ARROW_FILE;
use crate::known::Known;
use crate::memory;
use crate::read::source::Content;

pub(super) type ArrowResult<T> = std::result::Result<T, ArrowError>;

/// Where messages are read from.
pub(super) enum IpcInput {
    /// A file, its length, and the position.
    File { file: Content, length: u64, at: u64 },
    Stream {
        stream: BufReader<Box<dyn Read + Send>>,
        /// How many bytes of messages have been read.
        read: u64,
    },
}

impl IpcInput {
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Stream { read, .. } => *read,
        }
    }

    /// The footer of a file; `None` for a stream.
    pub(super) fn footer(&mut self) -> ArrowResult<Option<Vec<u8>>> {
        let Self::File { file, length: whole, .. } = self else { return Ok(None) };
        let mut magic = [0; ARROW_FILE.len()];
        if *whole < magic.len() as u64 {
            return Ok(None);
        }
        exactly(file, *whole, &mut magic, 0)?;
        if magic != ARROW_FILE {
            return Ok(None);
        }
        let mut end = [0; 10];
        let trailer = whole.checked_sub(end.len() as u64).ok_or_else(breaks_off)?;
        exactly(file, *whole, &mut end, trailer)?;
        let footer = read_footer_length(end)?;
        let first = trailer.checked_sub(footer as u64).ok_or_else(breaks_off)?;
        let mut bytes = memory::zeros(footer)?;
        exactly(file, *whole, &mut bytes, first)?;
        Ok(Some(bytes))
    }

    /// The schema that a stream begins with.
    pub(super) fn schema(&mut self) -> ArrowResult<SchemaRef> {
        let (metadata, body) = self.message()?.ok_or_else(|| broken("it has no schema"))?;
        let message = root_as_message(&metadata).map_err(|error| parsed("a message", &error))?;
        let schema = message.header_as_schema().ok_or_else(|| broken("it has no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(broken("its numbers have another byte order"));
        }
        self.body(body)?;
        Ok(Arc::new(try_fb_to_schema(schema)?))
    }

    pub(super) fn go_to(&mut self, place: u64) {
        if let Self::File { at, .. } = self {
            *at = place;
        }
    }

    /// Skips a body in a file, if there is one; returns its start.
    pub(super) fn passed(&mut self, body: u64) -> Option<u64> {
        let Self::File { length, at, .. } = self else { return None };
        let first = *at;
        *at = first.checked_add(body).filter(|end| end <= length)?;
        Some(first)
    }

    /// The metadata of the next message, and how long its body is; `None` at the end.
    pub(super) fn message(&mut self) -> ArrowResult<Option<(Vec<u8>, u64)>> {
        let mut four = [0; 4];
        match self.fill(&mut four)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(breaks_off()),
        }
        if four == [0xff; 4] && self.fill(&mut four)? != four.len() {
            return Err(breaks_off());
        }
        let metadata = length(i64::from(i32::from_le_bytes(four)))?;
        if metadata == 0 {
            return Ok(None);
        }
        let metadata = self.body(metadata)?;
        let message = root_as_message(&metadata).map_err(|error| parsed("a message", &error))?;
        let body = length(message.bodyLength())?;
        Ok(Some((metadata, body)))
    }

    /// The next bytes, all of them.
    pub(super) fn body(&mut self, length: u64) -> ArrowResult<Vec<u8>> {
        match self {
            Self::File { file, length: whole, at } => {
                if at.checked_add(length).is_none_or(|end| end > *whole) {
                    return Err(breaks_off());
                }
                let mut bytes = memory::zeros(usize::try_from(length).map_err(|_| breaks_off())?)?;
                exactly(file, *whole, &mut bytes, *at)?;
                *at += length;
                Ok(bytes)
            }
            Self::Stream { stream, read } => {
                let mut bytes = Vec::new();
                *read += Read::by_ref(stream).take(length).read_to_end(&mut bytes)? as u64;
                if (bytes.len() as u64) < length {
                    return Err(breaks_off());
                }
                Ok(bytes)
            }
        }
    }

    /// Reads up to the requested number of bytes; returns how many.
    fn fill(&mut self, into: &mut [u8]) -> ArrowResult<usize> {
        match self {
            Self::File { file, at, .. } => {
                let have = file.fill_at(into, *at)?;
                *at += have as u64;
                Ok(have)
            }
            Self::Stream { stream, .. } => {
                let mut bytes = Vec::with_capacity(into.len());
                Read::by_ref(stream).take(into.len() as u64).read_to_end(&mut bytes)?;
                into.known_mut(..bytes.len()).copy_from_slice(&bytes);
                Ok(bytes.len())
            }
        }
    }

    /// Bytes of a file, all of them.
    pub(super) fn read(&self, into: &mut [u8], place: u64) -> ArrowResult<()> {
        match self {
            Self::File { file, length, .. } => exactly(file, *length, into, place),
            Self::Stream { .. } => Err(breaks_off()),
        }
    }
}

fn exactly(file: &Content, length: u64, into: &mut [u8], place: u64) -> ArrowResult<()> {
    if place.checked_add(into.len() as u64).is_none_or(|end| end > length) {
        return Err(breaks_off());
    }
    if file.fill_at(into, place)? < into.len() { Err(breaks_off()) } else { Ok(()) }
}

pub(super) fn length(said: i64) -> ArrowResult<u64> {
    u64::try_from(said).map_err(|_| broken("a length is negative"))
}

#[cold]
pub(super) fn broken(found: &str) -> ArrowError {
    ArrowError::IpcError(found.to_owned())
}

#[cold]
pub(super) fn breaks_off() -> ArrowError {
    broken("it is truncated")
}

#[cold]
pub(super) fn parsed(what: &str, error: &dyn std::fmt::Display) -> ArrowError {
    ArrowError::IpcError(format!("{what} cannot be read: {error}"))
}
