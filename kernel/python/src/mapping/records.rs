//! Splits records (tuples, named tuples, objects or mappings) into their parts.

use gainful_core::read::trec::TableKind;
use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping, PyString, PyTuple, PyType};

use crate::errors::{describe, raise};

/// The shape of the records of a source, with their `N` parts: query, document, number, and maybe a label.
pub(super) enum Shape<const N: usize> {
    Unknown,
    Tuple,
    /// A class of named tuples, and the positions of the parts in the tuple.
    Fields(Py<PyType>, [usize; N]),
    Attributes(Py<PyType>, [Py<PyString>; N]),
    Keys([Py<PyString>; N]),
}

impl<const N: usize> Shape<N> {
    /// Returns the parts of a record. If its shape differs from the last one, it becomes the current shape.
    pub(super) fn split<'py>(
        &mut self,
        record: &Bound<'py, PyAny>,
        names: &[String; N],
        table: TableKind,
    ) -> PyResult<[Bound<'py, PyAny>; N]> {
        if let Some(parts) = self.apply(record)? {
            return Ok(parts);
        }
        let parts = match Self::of(record, names)? {
            Some(shape) => {
                *self = shape;
                self.apply(record)?
            }
            None => None,
        };
        parts.ok_or_else(|| shape_error(record, table, N))
    }

    /// Returns the parts of a record if it has this shape.
    fn apply<'py>(&self, record: &Bound<'py, PyAny>) -> PyResult<Option<[Bound<'py, PyAny>; N]>> {
        let py = record.py();
        Ok(match self {
            Self::Unknown => None,
            Self::Tuple => tuple(record)?,
            Self::Fields(class, places) => {
                let Ok(fields) = record.cast::<PyTuple>() else { return Ok(None) };
                if !record.get_type().is(class.bind(py)) {
                    return Ok(None);
                }
                // A missing position becomes None, which is refused as an id and as a number.
                Some(places.map(|at| fields.get_item(at).unwrap_or_else(|_| py.None().into_bound(py))))
            }
            Self::Attributes(class, names) => {
                if !record.get_type().is(class.bind(py)) {
                    return Ok(None);
                }
                let parts = names.iter().map(|name| record.getattr(name.bind(py)));
                parts.collect::<PyResult<Vec<_>>>()?.try_into().ok()
            }
            Self::Keys(names) => {
                if !record.is_instance_of::<PyMapping>() {
                    return Ok(None);
                }
                let parts = names.iter().map(|name| record.get_item(name.bind(py)).ok());
                parts.collect::<Option<Vec<_>>>().and_then(|parts| parts.try_into().ok())
            }
        })
    }

    /// Detects the shape of a record.
    fn of(record: &Bound<'_, PyAny>, names: &[String; N]) -> PyResult<Option<Self>> {
        let py = record.py();
        let plain = record.is_exact_instance_of::<PyTuple>() || record.is_exact_instance_of::<PyList>();
        if plain {
            return Ok(tuple::<N>(record)?.map(|_| Self::Tuple));
        }
        let names = names.each_ref().map(|name| PyString::new(py, name).unbind());
        if record.is_instance_of::<PyMapping>() {
            return Ok(Some(Self::Keys(names)));
        }
        if names.iter().all(|name| record.hasattr(name.bind(py)).unwrap_or(false)) {
            let class = record.get_type().unbind();
            return Ok(Some(match places(record, &names) {
                Some(places) => Self::Fields(class, places),
                None => Self::Attributes(class, names),
            }));
        }
        Ok(tuple::<N>(record)?.map(|_| Self::Tuple))
    }
}

/// Returns the positions of attributes in a named tuple, which are faster to access than attributes.
fn places<const N: usize>(record: &Bound<'_, PyAny>, names: &[Py<PyString>; N]) -> Option<[usize; N]> {
    let py = record.py();
    let tuple = record.cast::<PyTuple>().ok()?;
    let fields = record.getattr("_fields").ok()?;
    let places = names.iter().map(|name| {
        let at = fields
            .try_iter()
            .ok()?
            .position(|field| field.is_ok_and(|field| field.eq(name).unwrap_or(false)))?;
        // A subclass may have a different attribute with the same name.
        tuple.get_item(at).ok()?.is(&record.getattr(name.bind(py)).ok()?).then_some(at)
    });
    places.collect::<Option<Vec<_>>>()?.try_into().ok()
}

fn tuple<'py, const N: usize>(record: &Bound<'py, PyAny>) -> PyResult<Option<[Bound<'py, PyAny>; N]>> {
    let parts: Vec<Bound<'py, PyAny>> = if let Ok(tuple) = record.cast::<PyTuple>() {
        tuple.iter().collect()
    } else if let Ok(list) = record.cast::<PyList>() {
        list.iter().collect()
    } else {
        return Ok(None);
    };
    Ok(parts.try_into().ok())
}

fn shape_error(record: &Bound<'_, PyAny>, table: TableKind, parts: usize) -> PyErr {
    if parts == 4 {
        let expected =
            "(query, subtopic, document, grade), or an object with query_id, subtopic, doc_id and grade";
        let error = Error::new(Kind::Format, describe(record).unwrap_or_default(), expected);
        return raise(record.py(), &error);
    }
    let value = if table == TableKind::Qrels { "grade" } else { "score" };
    let error = Error::new(
        Kind::Format,
        describe(record).unwrap_or_default(),
        format!("(query, document, {value}), or an object with query_id, doc_id and {value}"),
    );
    raise(record.py(), &error)
}
