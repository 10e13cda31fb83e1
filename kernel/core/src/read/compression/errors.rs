//! The errors of decoders, and of the compressed streams that they read.

use std::fmt;
use std::io;

use crate::error::{Error, Kind};
use crate::memory;

/// An error of reading what a decoder decompresses.
#[derive(Debug)]
struct Unread(io::Error);

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unread {}

#[cold]
pub(in crate::read) fn unread(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), Unread(error))
}

/// The error of a decoder, or of what it reads.
#[cold]
pub(in crate::read) fn refused_by_decoder(error: io::Error) -> io::Error {
    match error.downcast() {
        Ok(Unread(error)) => error,
        Err(error) if error.get_ref().is_some_and(|inner| inner.is::<Error>()) => error,
        Err(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof => error,
            io::ErrorKind::OutOfMemory => io::Error::other(*memory::exhausted()),
            _ => damaged(),
        },
    }
}

#[cold]
pub(super) fn damaged() -> io::Error {
    let error = Error::statement(Kind::Source, "the compressed file is damaged");
    io::Error::other(*error.hint("copy or download the file again"))
}
