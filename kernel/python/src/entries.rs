//! The entries of a dictionary that somebody may change while it is walked: another thread, or the
//! number of a score that is asked for its value. PyO3's own iterator panics then.

use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::types::dict::BoundDictIterator;

use crate::errors::raise;

/// An entry, or the error for a dictionary with more or fewer of them than at the beginning.
pub struct Entries<'py> {
    dict: Bound<'py, PyDict>,
    walked: BoundDictIterator<'py>,
    size: usize,
    left: usize,
}

impl<'py> Entries<'py> {
    pub fn of(dict: &Bound<'py, PyDict>) -> Self {
        Self { dict: dict.clone(), walked: dict.iter(), size: dict.len(), left: dict.len() }
    }
}

impl<'py> Iterator for Entries<'py> {
    type Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.dict.len() != self.size {
            let error = Error::statement(Kind::Argument, "the dictionary changed while it was read")
                .hint("pass a copy if another thread changes it");
            return Some(Err(raise(self.dict.py(), &error)));
        }
        // As many as there were: one key may have come for another.
        self.left = self.left.checked_sub(1)?;
        self.walked.next().map(Ok)
    }
}
