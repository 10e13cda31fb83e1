//! Reads files that may be damaged. The libraries detect some damage by a panic, which becomes an error of
//! the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::source::{Piece, Pieces};
use crate::error::{Error, Kind, Result};
use crate::read::source::{Source, failure};

thread_local! {
    /// Whether this thread reads a file that may be damaged.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader of a file. A panic prints nothing and becomes an error. Errors of reading stay distinct from
/// damage in the data.
pub(super) fn reading<T>(source: &Source, what: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !READING.get() {
                before(panic);
            }
        }));
    });
    let outer = READING.replace(true);
    drop(failure());
    let done = catch_unwind(AssertUnwindSafe(read));
    READING.set(outer);
    let done = done.unwrap_or_else(|_| Err(damaged(source, what, "its parts do not fit together")));
    done.map_err(|error| match failure() {
        Some(unread) if error.kind == Kind::Source => source.failed(&unread),
        _ => error,
    })
}

/// The error of a file of some kind that cannot be read.
#[cold]
pub(super) fn damaged(source: &Source, what: &str, said: &str) -> Box<Error> {
    // Further lines of some messages have the path to the field.
    let said = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let hint = if said.ends_with(" not supported") {
        "write the file again without that column, or with the column as text"
    } else {
        "the file is damaged or truncated; copy or write it again"
    };
    Error::statement(Kind::Source, format!("cannot read {what} ({said})")).file(source.name()).hint(hint)
}

/// Pieces of a file that may be damaged.
pub(super) struct WatchedPieces {
    pub pieces: Pieces<'static>,
    pub source: Source,
    pub what: &'static str,
    pub ended: bool,
}

impl Iterator for WatchedPieces {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let pieces = &mut self.pieces;
        let next = reading(&self.source, self.what, || pieces.next().transpose()).transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
