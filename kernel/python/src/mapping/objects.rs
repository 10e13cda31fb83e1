//! Reads objects in memory: dicts, models of pydantic, data of other libraries.

use gainful_core::formats::{Objects, Request};
use gainful_core::read::trec::LabelFields;
use gainful_core::roles::{Naming, Value};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString, PyTuple,
};

use crate::errors::raise;
use crate::id_texts;
use crate::ids::string_bytes;
use crate::row_rules::RowRules;
use crate::rows::{Rows, table};

/// Methods of objects that return their fields.
const DUMPS: [&str; 4] = ["model_dump", "to_dict", "_asdict", "dict"];

/// Reads records, or one object that has them; `None` if that is a mapping by query. `named` has the words of
/// roles and the names of their fields.
#[pyfunction]
#[pyo3(signature = (records, table, named, *, duplicates = RowRules::default(), labelled = false))]
pub(crate) fn rows_from_objects(
    records: &Bound<'_, PyAny>,
    table: &str,
    named: Vec<(String, String)>,
    duplicates: RowRules,
    labelled: bool,
) -> PyResult<Option<Rows>> {
    let py = records.py();
    let failed = |mut error: Box<gainful_core::Error>| {
        // In memory, rows count from 0.
        error.line = error.line.map(|line| line.saturating_sub(1));
        raise(py, &error)
    };
    let request = Request {
        named,
        labels: if labelled { LabelFields::One } else { LabelFields::Ignored },
        recoding: duplicates.recoding,
        duplicates: duplicates.duplicates,
        ..Request::new(Vec::new(), self::table(table))
    };
    let mut objects = Objects::new(&request);
    if records.is_instance_of::<PyDict>() {
        if !objects.root(value(records)?).map_err(failed)? {
            return Ok(None);
        }
    } else {
        for record in records.try_iter()? {
            objects.push(value(&record?)?).map_err(failed)?;
        }
    }
    Ok(Some(Rows::new(objects.finish().map_err(failed)?)))
}

/// Whether columns of these names have a list of documents in each row.
#[pyfunction]
pub(crate) fn has_lists(names: Vec<String>, named: Vec<(String, String)>) -> bool {
    gainful_core::formats::has_lists(&names, &Naming::of(&named))
}

/// The ids and the questions of the records of a golden set; `None` for another object.
#[pyfunction]
pub(crate) fn questions<'py>(records: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Asked<'py>>>> {
    let text = |part: Option<Vec<u8>>| part.map(|part| id_texts::text(records.py(), &part)).transpose();
    let found = gainful_core::formats::questions(value(records)?);
    found
        .map(|pairs| pairs.into_iter().map(|(id, question)| Ok((text(id)?, text(question)?))).collect())
        .transpose()
}

type Asked<'py> = (Option<Bound<'py, PyString>>, Option<Bound<'py, PyString>>);

/// Converts an object to a value of the kernel.
pub(crate) fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(string_bytes(text)?.into_owned()));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(number) = object.cast::<PyInt>() {
        return Ok(match number.extract() {
            Ok(whole) => Value::Whole(whole),
            Err(_) => text(object)?,
        });
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        return members(dict.iter().map(Ok));
    }
    let listed = object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>() && !object.hasattr("_asdict")?
        || object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyFrozenSet>();
    if listed {
        let items = object.try_iter()?.map(|item| value(&item?));
        return Ok(Value::List(items.collect::<PyResult<_>>()?));
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Value::Text(bytes.as_bytes().to_vec()));
    }
    // Arrays and numbers of NumPy, and series.
    if object.hasattr("tolist")? {
        return value(&object.call_method0("tolist")?);
    }
    for method in DUMPS {
        if let Ok(dump) = object.getattr(method)
            && dump.is_callable()
        {
            return value(&dump.call0()?);
        }
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        return members(mapping.items()?.iter().map(|item| item.extract()));
    }
    if let Ok(fields) = object.getattr("__dataclass_fields__") {
        let names = fields.try_iter()?.map(|name| {
            let name = name?;
            let field = object.getattr(name.cast::<PyString>()?)?;
            Ok((name, field))
        });
        return members(names);
    }
    // A Document of LangChain or a node of LlamaIndex.
    if let Ok(Value::Object(mut fields)) = object.getattr("metadata").and_then(|metadata| value(&metadata)) {
        for name in ["id", "node_id"] {
            if let Ok(id) = object.getattr(name)
                && id.is_truthy()?
            {
                fields.retain(|(other, _)| other != "id");
                fields.push(("id".into(), value(&id)?));
                break;
            }
        }
        return Ok(Value::Object(fields));
    }
    if let Ok(index) = object.call_method0("__index__") {
        return value(&index);
    }
    // A date is no id and no number.
    if matches!(object.get_type().name()?.to_str()?, "NAType" | "NaTType") || object.hasattr("isoformat")? {
        return Ok(Value::Null);
    }
    match object.call_method0("__float__") {
        Ok(number) => value(&number),
        Err(_) => text(object),
    }
}

fn text(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(Value::Text(string_bytes(&object.str()?)?.into_owned()))
}

fn members<'py>(
    items: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
) -> PyResult<Value> {
    let member = |item: PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>| {
        let (key, member) = item?;
        Ok((key.str()?.to_string_lossy().into_owned(), value(&member)?))
    };
    Ok(Value::Object(items.map(member).collect::<PyResult<_>>()?))
}
