//! Records in the shapes that they come in: tuples, named tuples, objects, mappings.

use gainful_core::read::trec::Table;
use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping, PyString, PyTuple, PyType};

use super::described;
use crate::errors::raise;

/// How the records of a source tell query, document and number, and a label where there is one.
pub enum Shape<const N: usize> {
    Unknown,
    Tuple,
    /// A class of named tuples, and where in the tuple the parts stand.
    Fields(Py<PyType>, [usize; N]),
    Attributes(Py<PyType>, [Py<PyString>; N]),
    Keys([Py<PyString>; N]),
}

impl<const N: usize> Shape<N> {
    /// The parts of a record; where it is of another shape than the last, that is the shape from now on.
    pub fn split<'py>(
        &mut self,
        record: &Bound<'py, PyAny>,
        names: &[Vec<String>; N],
        table: Table,
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
        parts.ok_or_else(|| wrong(record, table, N))
    }

    /// The parts of a record, if it has this shape.
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
                // A place that is missing would be None, which is no id and no number.
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

    /// What one record looks like.
    fn of(record: &Bound<'_, PyAny>, names: &[Vec<String>; N]) -> PyResult<Option<Self>> {
        let py = record.py();
        let plain = record.is_exact_instance_of::<PyTuple>() || record.is_exact_instance_of::<PyList>();
        if plain {
            return Ok(tuple::<N>(record)?.map(|_| Self::Tuple));
        }
        if let Ok(mapping) = record.cast::<PyMapping>() {
            let keys: Vec<String> = mapping.keys()?.iter().filter_map(|key| key.extract().ok()).collect();
            // A name that the caller gave is there as it is, an alias perhaps in another spelling.
            let own = |name: &String| {
                let same = |key: &&String| *key == name || normal(key) == *name;
                keys.iter().find(same).cloned()
            };
            return Ok(choose(py, names, own).map(Self::Keys));
        }
        let own = |name: &String| record.hasattr(name.as_str()).unwrap_or(false).then(|| name.clone());
        if let Some(found) = choose(py, names, own) {
            let class = record.get_type().unbind();
            return Ok(Some(match places(record, &found) {
                Some(places) => Self::Fields(class, places),
                None => Self::Attributes(class, found),
            }));
        }
        Ok(tuple::<N>(record)?.map(|_| Self::Tuple))
    }
}

/// Where in a named tuple the attributes stand, which is a quicker way to them than their names.
fn places<const N: usize>(record: &Bound<'_, PyAny>, names: &[Py<PyString>; N]) -> Option<[usize; N]> {
    let py = record.py();
    let tuple = record.cast::<PyTuple>().ok()?;
    let fields = record.getattr("_fields").ok()?;
    let places = names.iter().map(|name| {
        let at =
            fields.try_iter().ok()?.position(|own| own.is_ok_and(|own| own.eq(name).unwrap_or(false)))?;
        // A subclass can have an attribute of this name that is something else.
        tuple.get_item(at).ok()?.is(&record.getattr(name.bind(py)).ok()?).then_some(at)
    });
    places.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Of each part the name that a record has, by what `own` makes of the names to look for. A name is
/// taken once.
fn choose<const N: usize>(
    py: Python<'_>,
    names: &[Vec<String>; N],
    own: impl Fn(&String) -> Option<String>,
) -> Option<[Py<PyString>; N]> {
    let mut taken: Vec<String> = Vec::new();
    for part in names {
        let name = part.iter().filter_map(&own).find(|name| !taken.contains(name))?;
        taken.push(name);
    }
    let taken: [String; N] = taken.try_into().ok()?;
    Some(taken.map(|name| PyString::new(py, &name).unbind()))
}

/// As `gainful.data.columns.normal` has it.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
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

fn wrong(record: &Bound<'_, PyAny>, table: Table, parts: usize) -> PyErr {
    if parts == 4 {
        let expected =
            "(query, subtopic, document, grade), or an object with query_id, subtopic, doc_id and grade";
        let error = Error::new(Kind::Format, described(record).unwrap_or_default(), expected);
        return raise(record.py(), &error);
    }
    let value = if table == Table::Qrels { "grade" } else { "score" };
    let error = Error::new(
        Kind::Format,
        described(record).unwrap_or_default(),
        format!("(query, document, {value}), or an object with query_id, doc_id and {value}"),
    );
    raise(record.py(), &error)
}
