//! Iterates over a dictionary that may change meanwhile, through another thread or a score object's own
//! `__float__`. PyO3's own iterator panics in that case.

use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyDict;
use pyo3::types::dict::BoundDictIterator;

use crate::errors::raise;

/// Iterator over the entries of a dictionary; yields an error if their number changes.
pub(crate) struct Entries<'py> {
    dict: Bound<'py, PyDict>,
    iterator: BoundDictIterator<'py>,
    size: usize,
    left: usize,
}

impl<'py> Entries<'py> {
    pub(crate) fn of(dict: &Bound<'py, PyDict>) -> Self {
        with_critical_section(dict, || {
            let size = dict.len();
            Self { dict: dict.clone(), iterator: dict.iter(), size, left: size }
        })
    }
}

impl<'py> Iterator for Entries<'py> {
    type Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Self { dict, iterator, size, left } = self;
        // Without the GIL another thread may change it between the check and the step, after which PyO3 panics.
        with_critical_section(dict, || {
            if dict.len() != *size {
                let error = Error::statement(Kind::Argument, "the dictionary changed while it was read")
                    .hint("pass a copy if another thread changes it");
                return Some(Err(raise(dict.py(), &error)));
            }
            // Stop after the initial number of entries: keys may have been replaced without a change in size.
            *left = left.checked_sub(1)?;
            iterator.next().map(Ok)
        })
    }
}
