//! Reads rows from Python containers: mappings of mappings, mappings of rankings, columns and records.

mod objects;
mod records;

use std::borrow::Cow;

use gainful_core::convention::Duplicates;
use gainful_core::formats::{Cells, Composer, Loaded, labels_hint};
use gainful_core::read::number::{self, LARGEST_GRADE};
use gainful_core::read::trec::TableKind;
use gainful_core::roles::Offsets;
use gainful_core::rows::{RowsBuilder, query_of_system};
use gainful_core::spans::{Counting, bad_weight, is_weight, write_label};
use gainful_core::{Error, Kind};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::list::BoundListIterator;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyList, PyMapping, PyString, PyTuple};

pub(crate) use self::objects::{has_lists, questions, rows_from_objects, value};
use self::records::Shape;
use crate::entries::Entries;
use crate::errors::{describe, raise};
use crate::ids::{bytes, is_integer, string_bytes};
use crate::row_rules::RowRules;
use crate::rows::{Rows, table};

/// Reads a mapping.
///
/// Judgments are `{query: {document: grade}}`, or `{query: {label: {document: grade}}}` if `labelled`. A run
/// is `{query: {document: score}}`, `{query: [document, ...]}` or `{query: [(document, score), ...]}`.
#[pyfunction]
#[pyo3(signature = (mapping, table, *, duplicates = RowRules::default(), labelled = false))]
pub(crate) fn rows_from_mapping(
    mapping: &Bound<'_, PyAny>,
    table: &str,
    duplicates: RowRules,
    labelled: bool,
) -> PyResult<Rows> {
    let mut collect = Collect::new(self::table(table), duplicates);
    let take = if labelled { Collect::labelled } else { Collect::query };
    if let Ok(dict) = mapping.cast::<PyDict>() {
        for entry in Entries::of(dict) {
            let (query, documents) = entry?;
            take(&mut collect, &query, &documents)?;
        }
    } else {
        for item in mapping.call_method0("items")?.try_iter()? {
            let (query, documents): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            take(&mut collect, &query, &documents)?;
        }
    }
    collect.finish(mapping.py())
}

/// Reads records: tuples, or objects with attributes or keys.
///
/// `names` has the names of the parts, in the order of the parts in tuples: query, document and number, or for
/// rows with labels query, label, document and number.
#[pyfunction]
#[pyo3(signature = (records, table, names, *, duplicates = RowRules::default()))]
pub(crate) fn rows_from_records(
    records: &Bound<'_, PyAny>,
    table: &str,
    names: Vec<String>,
    duplicates: RowRules,
) -> PyResult<Rows> {
    let mut collect = Collect::new(self::table(table), duplicates);
    if let Ok(names) = <[_; 4]>::try_from(names.clone()) {
        let mut shape = Shape::Unknown;
        for (number, record) in records.try_iter()?.enumerate() {
            let parts = shape.split(&record?, &names, collect.table).map_err(at(number))?;
            let [query, label, document, value] = parts;
            collect.builder.label(&bytes(&label, "subtopic").map_err(at(number))?);
            collect.row(&query, &document, Some(&value), None).map_err(at(number))?;
        }
    } else if let Ok(names) = <[_; 3]>::try_from(names) {
        let mut shape = Shape::Unknown;
        for (number, record) in records.try_iter()?.enumerate() {
            let parts = shape.split(&record?, &names, collect.table).map_err(at(number))?;
            let [query, document, value] = parts;
            collect.row(&query, &document, Some(&value), None).map_err(at(number))?;
        }
    }
    collect.finish(records.py())
}

/// Reads columns of equal length. Without values, the ranks order the documents. A row with only a query is
/// a query without documents. `offsets` are columns with their roles and names.
#[pyfunction]
#[pyo3(signature = (
    queries, documents, values, ranks, table, *, labels = None, weights = None, offsets = Vec::new(), systems = None,
    duplicates = RowRules::default()
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn rows_from_columns(
    queries: &Bound<'_, PyList>,
    documents: &Bound<'_, PyList>,
    values: Option<&Bound<'_, PyList>>,
    ranks: Option<&Bound<'_, PyList>>,
    table: &str,
    labels: Option<&Bound<'_, PyList>>,
    weights: Option<&Bound<'_, PyList>>,
    offsets: Vec<(String, String, Bound<'_, PyList>)>,
    systems: Option<(String, Bound<'_, PyList>)>,
    duplicates: RowRules,
) -> PyResult<Rows> {
    let mut collect = Collect::new(self::table(table), duplicates);
    collect.builder = RowsBuilder::new(ranks.is_some());
    let mut places = Places::of(&offsets);
    collect.composer = places.as_ref().map(|places| places.composer.clone());
    collect.plain &= places.is_none();
    let mut weights = weights.map(|weights| weights.iter());
    let mut values = values.map(|values| values.iter());
    let mut ranks = ranks.map(|ranks| ranks.iter());
    let mut labels = labels.map(|labels| labels.iter());
    let (column, systems) = systems.unzip();
    let mut systems = systems.as_ref().map(|systems| systems.iter());
    for (number, (query, document)) in queries.iter().zip(documents.iter()).enumerate() {
        let value = values.as_mut().and_then(Iterator::next);
        let rank = ranks.as_mut().and_then(Iterator::next);
        let label = labels.as_mut().and_then(Iterator::next);
        if let Some(system) = systems.as_mut().and_then(Iterator::next) {
            collect.system = Some(bytes(&system, "system").map_err(at(number))?.into_owned());
        }
        let weight = weights.as_mut().and_then(Iterator::next);
        if let Some(places) = &mut places {
            collect.place = places.next().map_err(at(number))?;
        }
        let cells = [Some(&document), value.as_ref(), rank.as_ref(), label.as_ref()];
        if cells.into_iter().flatten().all(is_missing) && collect.place == Cells::default() {
            let id = collect.query_id(&query).map_err(at(number))?;
            collect.builder.query(&id);
            continue;
        }
        if let Some(label) = label {
            let mut id = bytes(&label, "subtopic").map_err(at(number))?;
            if let Some(weight) = weight.filter(|weight| !is_missing(weight)) {
                id = Cow::Owned(weighted(&id, &weight).map_err(at(number))?);
            }
            collect.builder.label(&id);
        }
        collect.row(&query, &document, value.as_ref(), rank.as_ref()).map_err(at(number))?;
    }
    if values.is_none() && collect.table == TableKind::Run {
        collect.scored = Some(false);
    }
    if values.is_none() && ranks.is_some() {
        collect.builder.order_by_rank().map_err(|(row, error)| raise(queries.py(), &error.line(row)))?;
    }
    collect.systems = column;
    collect.finish(queries.py())
}

/// The columns with offsets.
struct Places<'py> {
    composer: Composer,
    start: BoundListIterator<'py>,
    end: BoundListIterator<'py>,
    tokens: Option<BoundListIterator<'py>>,
}

impl<'py> Places<'py> {
    fn of(columns: &[(String, String, Bound<'py, PyList>)]) -> Option<Self> {
        let counting = columns.iter().find_map(|(word, ..)| Counting::of_word(word))?;
        let column = |word: &str| columns.iter().find(|(other, ..)| other == word);
        let [start, end] = counting.words();
        let ((_, start, starts), (_, end, ends), tokens) = (column(start)?, column(end)?, column("tokens"));
        let offsets = Offsets {
            start: start.clone(),
            end: end.clone(),
            ends_with_text: false,
            tokens: tokens.map(|(_, name, _)| name.clone()),
            counting,
        };
        let tokens = tokens.map(|(.., cells)| cells.iter());
        Some(Self { composer: Composer::new(offsets, ""), start: starts.iter(), end: ends.iter(), tokens })
    }

    /// The offsets of the next row.
    fn next(&mut self) -> PyResult<Cells> {
        let offsets = self.composer.offsets();
        let cell = |cells: &mut BoundListIterator<'py>, name: &str| -> PyResult<Option<u64>> {
            let Some(cell) = cells.next().filter(|cell| !is_missing(cell)) else { return Ok(None) };
            self.composer.value(name, &value(&cell)?).map_err(|error| raise(cell.py(), &error))
        };
        let name = offsets.tokens.as_deref().unwrap_or_default();
        Ok(Cells {
            start: cell(&mut self.start, &offsets.start)?,
            end: cell(&mut self.end, &offsets.end)?,
            tokens: self.tokens.as_mut().map_or(Ok(None), |cells| cell(cells, name))?,
        })
    }
}

/// The label of a subtopic with its weight.
fn weighted(label: &[u8], weight: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let number = float(weight).unwrap_or(f64::NAN);
    if !is_weight(number) {
        return Err(raise(weight.py(), &bad_weight(&describe(weight)?)));
    }
    let mut weighted = Vec::new();
    write_label(label, number, &mut weighted);
    Ok(weighted)
}

/// Whether a cell is None, NaN or pandas' NA.
fn is_missing(cell: &Bound<'_, PyAny>) -> bool {
    cell.is_none()
        || cell.cast::<PyFloat>().is_ok_and(|float| float.value().is_nan())
        || cell.get_type().name().is_ok_and(|name| name == "NAType")
}

/// Returns a function that adds the number of a row to an error without a line, as `gainful.data.inputs`
/// expects.
fn at(row: usize) -> impl Fn(PyErr) -> PyErr {
    move |error| {
        Python::attach(|py| {
            let value = error.value(py);
            if value.getattr_opt("line").is_ok_and(|line| line.is_some_and(|line| line.is_none())) {
                // If this fails, the message only lacks the row number.
                let _ = value.setattr("line", row);
            }
        });
        error
    }
}

struct Collect {
    builder: RowsBuilder,
    table: TableKind,
    rules: RowRules,
    /// Whether ids and values are what they say.
    plain: bool,
    /// Whether rankings have scores; None until the first ranking was read.
    scored: Option<bool>,
    /// Whether two distinct keys may be the same id, such as 1 and "1".
    may_repeat: bool,
    /// Whether the ids of all queries are integers.
    integers: bool,
    /// The offsets of the next row, if a composer makes ids of them.
    place: Cells,
    composer: Option<Composer>,
    /// The system of the next rows, and the column that names it.
    system: Option<Vec<u8>>,
    systems: Option<String>,
}

impl Collect {
    fn new(table: TableKind, rules: RowRules) -> Self {
        let plain = rules.recoding.is_none();
        let integers = !rules.recoding.has_queries();
        let builder = RowsBuilder::new(false);
        let may_repeat = !plain;
        Self {
            builder,
            table,
            rules,
            plain,
            scored: None,
            may_repeat,
            integers,
            place: Cells::default(),
            composer: None,
            system: None,
            systems: None,
        }
    }

    /// Adds the judgments of a query by their labels.
    fn labelled(&mut self, query: &Bound<'_, PyAny>, labels: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = self.query_id(query)?;
        let Ok(labels) = labels.cast::<PyMapping>() else {
            let expected = "{subtopic: {document: grade}}";
            let error = Error::new(Kind::Format, describe(labels)?, expected).query(&id);
            return Err(raise(query.py(), &error));
        };
        self.builder.piece(&id, self.builder.len());
        for item in labels.items()? {
            let (label, documents): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            self.may_repeat |= !label.is_exact_instance_of::<PyString>();
            self.builder.label(&bytes(&label, "subtopic")?);
            if documents.cast::<PyMapping>().is_err() {
                let expected = "{document: grade} for each subtopic";
                let error = Error::new(Kind::Format, describe(&documents)?, expected)
                    .query(&id)
                    .hint("judgments with subtopics are {query: {subtopic: {document: grade}}}");
                return Err(raise(query.py(), &error));
            }
            self.query(query, &documents)?;
        }
        Ok(())
    }

    fn query_id<'a>(&mut self, query: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
        self.integers = self.integers && is_integer(query);
        let mut id = bytes(query, "query id")?;
        if !self.plain {
            let recoded = self.rules.recoding.query(&id).map(|id| Cow::Owned(id.to_vec()));
            id = recoded.map_err(|error| raise(query.py(), &error))?;
        }
        Ok(match &self.system {
            Some(system) => Cow::Owned(query_of_system(system, &id)),
            None => id,
        })
    }

    fn document_id<'a>(&self, query: &[u8], document: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
        let id = bytes(document, "document id")?;
        if self.plain {
            return Ok(id);
        }
        let recoded = self.rules.recoding.document(&id).and_then(|id| match &self.composer {
            None => Ok(id.to_vec()),
            Some(composer) => {
                let mut composed = Vec::new();
                composer.compose(id, self.place, &mut composed).map(|()| composed)
            }
        });
        recoded.map(Cow::Owned).map_err(|error| raise(document.py(), &error.query(query)))
    }

    fn query(&mut self, query: &Bound<'_, PyAny>, documents: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = self.query_id(query)?;
        self.may_repeat |= !query.is_exact_instance_of::<PyString>();
        self.builder.piece(&id, self.builder.len());
        if let Ok(dict) = documents.cast::<PyDict>() {
            self.scored(query, true)?;
            self.builder.reserve(dict.len());
            for entry in Entries::of(dict) {
                let (document, value) = entry?;
                self.document(&id, &document, &value, f64::NAN)?;
            }
            return Ok(());
        }
        if documents.is_instance_of::<PyString>() || documents.is_instance_of::<PyBytes>() {
            return Err(self.not_documents(query, documents));
        }
        // Check lists first: the check for a mapping would import collections.abc.
        let listed = documents.is_instance_of::<PyList>() || documents.is_instance_of::<PyTuple>();
        if !listed && let Ok(mapping) = documents.cast::<PyMapping>() {
            self.scored(query, true)?;
            for item in mapping.items()? {
                let (document, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
                self.document(&id, &document, &value, f64::NAN)?;
            }
            return Ok(());
        }
        if self.table == TableKind::Run && is_set(documents)? {
            return Err(self.not_documents(query, documents));
        }
        let Ok(ranking) = documents.try_iter() else { return Err(self.not_documents(query, documents)) };
        self.may_repeat = true;
        if self.table == TableKind::Qrels {
            return self.relevant(&id, ranking);
        }
        for item in ranking {
            let item = item?;
            if let Some((document, score)) = pair(&item)? {
                self.scored(query, true)?;
                self.document(&id, &document, &score, f64::NAN)?;
            } else {
                self.scored(query, false)?;
                let document = self.document_id(&id, &item)?;
                self.builder.add(&document, f64::NAN, f64::NAN);
            }
        }
        Ok(())
    }

    /// Adds the relevant documents of a query, in a list or set: ids, or pairs of document and grade.
    fn relevant(&mut self, query: &[u8], documents: Bound<'_, PyIterator>) -> PyResult<()> {
        for item in documents {
            let item = item?;
            if let Some((document, grade)) = pair(&item)? {
                self.document(query, &document, &grade, f64::NAN)?;
            } else {
                self.builder.add(&self.document_id(query, &item)?, 1.0, f64::NAN);
            }
        }
        Ok(())
    }

    #[inline]
    fn document(
        &mut self,
        query: &[u8],
        document: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        rank: f64,
    ) -> PyResult<()> {
        let value = match value.cast_exact::<PyFloat>() {
            Ok(float) if float.value().abs() < LARGEST_GRADE && self.plain => float.value(),
            _ => self.number(value, query, document)?,
        };
        if let Ok(text) = document.cast_exact::<PyString>()
            && self.plain
        {
            let id = string_bytes(text)?;
            self.builder.add(&id, value, rank);
        } else {
            self.may_repeat = true;
            let id = self.document_id(query, document)?;
            self.builder.add(&id, value, rank);
        }
        Ok(())
    }

    fn row(
        &mut self,
        query: &Bound<'_, PyAny>,
        document: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        rank: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.may_repeat = true;
        self.scored = Some(true);
        let id = self.query_id(query)?;
        self.builder.piece(&id, self.builder.len());
        // A rank that is not a number is an error only if ranks order the documents.
        let rank = rank.and_then(|rank| float(rank).ok()).unwrap_or(f64::NAN);
        match value {
            Some(value) => self.document(&id, document, value, rank),
            None => {
                let value = if self.table == TableKind::Qrels { 1.0 } else { f64::NAN };
                self.builder.add(&self.document_id(&id, document)?, value, rank);
                Ok(())
            }
        }
    }

    /// Records whether a ranking has scores, which must be the same for all rankings of a run.
    fn scored(&mut self, query: &Bound<'_, PyAny>, scored: bool) -> PyResult<()> {
        if *self.scored.get_or_insert(scored) == scored {
            return Ok(());
        }
        let (has, others) = if scored { ("a score", "none") } else { ("no score", "one") };
        let found = format!("the document has {has}, those before it have {others}");
        let error = Error::statement(Kind::Format, found)
            .query(&bytes(query, "query id")?)
            .hint("either all documents of a run have scores, or none");
        Err(raise(query.py(), &error))
    }

    /// Converts a grade or score that is not a plain float.
    #[cold]
    fn number(&self, value: &Bound<'_, PyAny>, query: &[u8], document: &Bound<'_, PyAny>) -> PyResult<f64> {
        if self.table == TableKind::Qrels
            && let Some(grade) = self.label(value)?
        {
            let document = bytes(document, "document id")?;
            return grade.map_err(|error| raise(value.py(), &error.query(query).document(&document)));
        }
        let number = float(value);
        if let Ok(number) = number
            && number.abs() < LARGEST_GRADE
        {
            return Ok(number);
        }
        let id = bytes(document, "document id")?;
        let largest = if self.table == TableKind::Qrels { LARGEST_GRADE } else { f64::MAX };
        // NumPy's integers are not int, but have an integer value.
        let integer = value.call_method0("__index__").ok();
        if let Ok(number) = number
            && number.abs() <= largest
        {
            match integer.filter(|integer| !integer.eq(number).unwrap_or(false)) {
                None => return Ok(number),
                Some(integer) if self.table == TableKind::Run => {
                    let error = number::rounded(integer.str()?.to_string_lossy().as_bytes());
                    return Err(raise(value.py(), &error.query(query).document(&id).hint("make it a float")));
                }
                Some(_) => {}
            }
        }
        let (expected, mut hint) = match self.table {
            TableKind::Qrels => ("a grade (a finite number within ±2^53)", ""),
            TableKind::Run => (
                "a score (a finite number)",
                "only finite scores can be ranked; check how the system computed this one",
            ),
        };
        if number.is_err() {
            hint = if value.is_none() {
                "leave out documents without a value"
            } else {
                "convert it to a number"
            };
        }
        let labels = value.cast::<PyString>().map(|text| string_bytes(text)).ok().transpose()?;
        let labels = labels
            .filter(|_| self.table == TableKind::Qrels)
            .map(|label| labels_hint("", [&*label].into_iter()));
        if let Some(labels) = &labels {
            hint = labels;
        }
        let error =
            Error::new(Kind::Format, describe(value)?, expected).query(query).document(&id).hint(hint);
        Err(raise(value.py(), &error))
    }

    /// The grade of a label, or of a number in text; none for other values.
    fn label(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<gainful_core::Result<f64>>> {
        let recoding = &self.rules.recoding;
        if let Ok(text) = value.cast::<PyString>() {
            let grade = recoding.text(&string_bytes(text)?, TableKind::Qrels);
            return Ok(Some(grade).filter(|grade| recoding.has_labels() || grade.is_ok()));
        }
        if !recoding.has_labels() || value.is_none() {
            return Ok(None);
        }
        if let Ok(truth) = value.extract::<bool>() {
            return Ok(Some(recoding.truth(truth, TableKind::Qrels)));
        }
        Ok(float(value)
            .ok()
            .filter(|number| !number.is_nan())
            .map(|number| recoding.float(number, TableKind::Qrels)))
    }

    fn not_documents(&self, query: &Bound<'_, PyAny>, documents: &Bound<'_, PyAny>) -> PyErr {
        let build = || -> PyResult<PyErr> {
            let error = Error::new(
                Kind::Format,
                describe(documents)?,
                match self.table {
                    TableKind::Qrels => {
                        "a mapping of document ids to grades, or a list of relevant documents"
                    }
                    TableKind::Run => {
                        "a mapping of document ids to scores, or a list of documents in rank order"
                    }
                },
            )
            .query(&bytes(query, "query id")?)
            .hint(match self.table {
                TableKind::Qrels => "write relevant documents as {query: [document, ...]}",
                TableKind::Run => "write a ranking as {query: [document, ...]}",
            });
            Ok(raise(query.py(), &error))
        };
        build().unwrap_or_else(|failure| failure)
    }

    fn finish(self, py: Python<'_>) -> PyResult<Rows> {
        if self.builder.is_empty() {
            let error = match self.table {
                TableKind::Qrels => Error::statement(Kind::Format, "no judgments"),
                TableKind::Run => Error::statement(Kind::Format, "no queries"),
            };
            return Err(raise(py, &error));
        }
        let duplicates = if self.may_repeat { self.rules.duplicates } else { Duplicates::Count };
        let rows = self.builder.finish(duplicates).map_err(|(_, error)| raise(py, &error))?;
        let loaded = Loaded { systems: self.systems, ..Loaded::new(rows, self.scored.unwrap_or(true)) };
        Ok(Rows { integers: self.integers, ..Rows::new(loaded) })
    }
}

/// Splits a pair of document and score; returns None for a document id.
fn pair<'py>(item: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    if item.is_exact_instance_of::<PyString>() {
        return Ok(None);
    }
    if item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>() {
        if item.len()? == 2 {
            return Ok(Some((item.get_item(0)?, item.get_item(1)?)));
        }
        let expected = "a document id, or a pair of document id and score";
        return Err(raise(item.py(), &Error::new(Kind::Format, describe(item)?, expected)));
    }
    Ok(None)
}

fn is_set(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = object.py().import(intern!(object.py(), "builtins"))?;
    Ok(object.is_instance(&class.getattr("set")?)? || object.is_instance(&class.getattr("frozenset")?)?)
}

/// Converts any number (int, bool, Decimal, Fraction, NumPy scalar) to a float.
pub(crate) fn float(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(float.value());
    }
    if let Ok(int) = value.cast::<PyInt>() {
        return int.extract::<f64>();
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err("text"));
    }
    value.extract::<f64>()
}
