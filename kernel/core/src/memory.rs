//! Reserves memory whose size follows from data: without enough there is an error, and the process goes on.

pub mod spare;

use std::collections::TryReserveError;
use std::io;

use crate::error::{Error, Kind, Result};

/// Reserves room for more items, at least doubling the capacity as pushing would.
pub fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    items.try_reserve(more).map_err(|_| exhausted())
}

/// Reserves room for more items, and for no others.
pub fn reserve_exact<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    items.try_reserve_exact(more).map_err(|_| exhausted())
}

/// Reserves room for so many items in total.
pub fn reserve_total<T>(items: &mut Vec<T>, total: usize) -> Result<()> {
    reserve(items, total.saturating_sub(items.len()))
}

/// Sets the length as [`Vec::resize`] does.
pub fn resize<T: Clone>(items: &mut Vec<T>, length: usize, value: T) -> Result<()> {
    reserve_total(items, length)?;
    items.resize(length, value);
    Ok(())
}

/// So many bytes, all zero, for what is read into them.
pub fn zeros(length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(unreadable)?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// Checks that so many bytes are available to what follows, which cannot fail without ending the process.
/// Other threads may take them in between.
pub fn check(bytes: usize) -> Result<()> {
    if spare::is_in_use() { Err(exhausted()) } else { reserve(&mut Vec::<u8>::new(), bytes) }
}

/// The error of too little memory.
#[cold]
#[must_use]
pub fn exhausted() -> Box<Error> {
    Error::statement(Kind::Source, "not enough memory for the data")
}

/// The same as an error of reading.
#[cold]
#[must_use]
pub fn unreadable(_: TryReserveError) -> io::Error {
    io::Error::other(*exhausted())
}
