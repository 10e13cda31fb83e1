//! Parses conventions and the rules for reading files.

use gainful_core::convention::{Convention, Duplicates, Missing, NothingRelevant, Order, Rounding};
use gainful_core::read::trec::Dialect;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::choice;
use super::measures::Parameters;
use crate::errors::raise;

pub(crate) fn convention(dict: &Bound<'_, PyDict>) -> PyResult<Convention> {
    Convention::parse(&Parameters(dict)).map_err(|error| raise(dict.py(), &error))
}

pub(crate) fn order(word: &str) -> PyResult<Order> {
    choice("order", word, &Order::NAMES)
}

pub(crate) fn no_relevant(word: &str, value: f64) -> PyResult<NothingRelevant> {
    choice("no_relevant", word, &NothingRelevant::names(value))
}

pub(crate) fn missing(word: &str) -> PyResult<Missing> {
    choice("missing", word, &Missing::NAMES)
}

pub(crate) fn rounding(word: &str, digits: u32) -> PyResult<Rounding> {
    choice("rounding", word, &Rounding::names(digits))
}

pub(crate) fn duplicates(word: &str) -> PyResult<Duplicates> {
    choice("duplicates", word, &Duplicates::NAMES)
}

pub(crate) fn dialect(word: &str) -> PyResult<Dialect> {
    choice("dialect", word, &Dialect::NAMES)
}
