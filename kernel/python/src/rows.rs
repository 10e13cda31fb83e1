//! The Python classes of judgments and runs.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gainful_core::chunks::same_chunks;
use gainful_core::convention::{Duplicates, Order};
use gainful_core::formats::{Judged, Loaded};
use gainful_core::known::Known;
use gainful_core::read::trec::TableKind;
use gainful_core::rows::{Members, QueryRows, RowsBuilder, is_whole};
use gainful_core::{Error, Kind};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::arguments;
use crate::errors::raise;
use crate::id_texts::text;
use crate::ids::bytes;

type Columns<'py> = (Vec<Bound<'py, PyString>>, Option<Vec<f64>>, Option<Vec<f64>>);

/// Rows of query, document and value, grouped by query. Immutable.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Rows {
    pub inner: Arc<Loaded>,
    /// Whether all query ids were integers in the source.
    #[pyo3(get)]
    pub integers: bool,
}

impl Rows {
    pub fn new(loaded: Loaded) -> Self {
        Self { inner: Arc::new(loaded), integers: false }
    }
}

/// Judgments on disk; only the ids of the queries are in memory.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct DiskRows {
    pub inner: Arc<gainful_core::rows::DiskRows>,
    /// Whether all query ids were integers in the source.
    #[pyo3(get)]
    integers: bool,
}

#[pymethods]
impl DiskRows {
    fn __len__(&self) -> usize {
        usize::try_from(self.inner.len()).unwrap_or(usize::MAX)
    }

    #[getter]
    fn queries(&self) -> usize {
        self.inner.queries().queries()
    }

    #[getter]
    fn labelled(&self) -> bool {
        self.inner.has_labels()
    }

    fn label_names<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        self.inner.label_names().iter().map(|name| text(py, name)).collect()
    }

    fn query_ids<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        self.inner.queries().iter().map(|query| text(py, query.id)).collect()
    }

    /// Returns the same digest as `Rows.digest` of these rows.
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        let digest = py.detach(|| self.inner.digest()).map_err(|error| raise(py, &error))?;
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Judgments that were read, in memory or on disk.
#[derive(IntoPyObject)]
pub(crate) enum ReadJudgments {
    Memory(Rows),
    Disk(DiskRows),
}

impl ReadJudgments {
    pub(crate) fn new(judged: Judged, integers: bool) -> Self {
        match judged {
            Judged::Memory(loaded) => Self::Memory(Rows { integers, ..Rows::new(loaded) }),
            Judged::Disk(rows) => Self::Disk(DiskRows { inner: Arc::new(rows), integers }),
        }
    }
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.inner.rows.len()
    }

    #[getter]
    fn queries(&self) -> usize {
        self.inner.rows.queries()
    }

    /// The number of documents of lists that have no grade of their own, and so the grade 1.
    #[getter]
    fn ungraded(&self) -> u64 {
        self.inner.ungraded
    }

    /// Whether one JSON object had the rows as records.
    #[getter]
    fn enveloped(&self) -> bool {
        self.inner.enveloped
    }

    /// Whether the rows are those of a table of features, which other files count.
    #[getter]
    fn of_features(&self) -> bool {
        self.inner.of_features
    }

    /// Returns the rows of a run that counts the rows of these judgments, with their documents; None if it does not.
    fn of_positions(&self, run: &Self) -> Option<Self> {
        let rows = gainful_core::formats::of_positions(&run.inner.rows, &self.inner.rows)?;
        Some(Self::new(Loaded { tag: run.inner.tag.clone(), ..Loaded::new(rows, run.inner.scored) }))
    }

    /// Refuses grades that are all timestamps.
    fn refuse_times(&self, py: Python<'_>) -> PyResult<()> {
        let grades = self.inner.rows.iter().flat_map(|query| query.values.iter().copied());
        gainful_core::formats::refuse_times(grades).map_err(|error| raise(py, &error))
    }

    #[getter]
    fn scored(&self) -> bool {
        self.inner.scored
    }

    /// Whether each row has a label: a subtopic or a group of judgments.
    #[getter]
    fn labelled(&self) -> bool {
        self.inner.rows.has_labels()
    }

    /// Returns the names of the labels in order of first appearance.
    fn label_names<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        let rows = &self.inner.rows;
        rows.label_names().iter().map(|name| text(py, name.of(rows.arena()))).collect()
    }

    /// Merges the labels: returns one row per document, with its largest value or the sum of its values.
    fn merged(&self, py: Python<'_>, sum: bool) -> Self {
        py.detach(|| self.like(self.inner.rows.merged(sum)))
    }

    /// The column or field with the system of each row, so that the rows are those of several runs.
    #[getter]
    fn systems(&self) -> Option<&str> {
        self.inner.systems.as_deref()
    }

    /// Returns the runs by system, and whether a query has the same document in several of them.
    #[allow(clippy::type_complexity)]
    fn by_system<'py>(&self, py: Python<'py>) -> PyResult<(Vec<(Bound<'py, PyString>, Self)>, bool)> {
        let systems = py.detach(|| self.inner.rows.by_system()).map_err(|error| raise(py, &error))?;
        let run = |(name, rows): (Vec<u8>, _)| Ok((text(py, &name)?, self.like(rows)));
        Ok((systems.runs.into_iter().map(run).collect::<PyResult<_>>()?, systems.overlap))
    }

    /// The tag of the last line of a TREC run; empty if the run has none.
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.inner.tag)
    }

    /// Returns the query ids in order of first appearance.
    fn query_ids<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        self.inner.rows.iter().map(|query| text(py, query.id)).collect()
    }

    /// Returns the distinct values, ascending.
    fn grades(&self, py: Python<'_>) -> Vec<f64> {
        py.detach(|| {
            let values = self.inner.rows.iter().flat_map(|query| query.values.iter().copied());
            let mut grades: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
            grades.sort_unstable_by(f64::total_cmp);
            grades.dedup();
            grades
        })
    }

    fn __contains__(&self, query: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.inner.rows.find(&bytes(query, "query id")?).is_some())
    }

    /// Returns `{document: value}` of a query in the given order, or `{label: {document: value}}` for rows
    /// with labels; None for an unknown query. Values are int if those of all rows are whole numbers.
    fn documents<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(query) = self.find(query)? else { return Ok(None) };
        self.values(py, &query, self.inner.rows.whole()).map(Some)
    }

    /// Returns `[(document, score), ...]` of a query in rank order; None for an unknown query. The scores of
    /// a run without scores are None.
    fn ranking<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(query) = self.find(query)? else { return Ok(None) };
        let scored = self.inner.scored;
        let ranking = PyList::empty(py);
        for row in query.order(scored) {
            let score = scored.then(|| *query.values.known(row));
            ranking.append((text(py, query.document(row))?, score))?;
        }
        Ok(Some(ranking))
    }

    /// Returns `{query: {document: value}}`, or `{query: [document, ...]}` without scores; of the first
    /// queries only, if their number is given.
    #[pyo3(signature = (first=None))]
    fn to_dict<'py>(&self, py: Python<'py>, first: Option<usize>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for query in self.inner.rows.iter().take(first.unwrap_or(usize::MAX)) {
            let id = text(py, query.id)?;
            if self.inner.scored {
                all.set_item(id, self.values(py, &query, self.inner.rows.whole())?)?;
            } else {
                let ranking = PyList::empty(py);
                for row in 0..query.values.len() {
                    ranking.append(text(py, query.document(row))?)?;
                }
                all.set_item(id, ranking)?;
            }
        }
        Ok(all)
    }

    /// Returns the rows of these queries, in their order.
    fn select(&self, queries: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rows = &self.inner.rows;
        let mut builder = RowsBuilder::like(rows);
        let mut seen = HashSet::new();
        for id in queries.try_iter()? {
            let id = id?;
            let Some(query) = self.find(&id)? else {
                let error =
                    Error::statement(Kind::Match, format!("not among the {} queries", rows.queries()))
                        .query(&bytes(&id, "query id")?);
                return Err(raise(queries.py(), &error));
            };
            // Ignore repeated ids.
            if seen.insert(query.id) {
                builder.copy(&query, 0..query.values.len());
            }
        }
        Ok(self.like(builder.build()))
    }

    /// Returns the first `k` documents of each query, in rank order.
    fn top(&self, py: Python<'_>, k: usize) -> Self {
        py.detach(|| {
            self.like(self.inner.rows.select(|query| {
                let mut order = query.order(self.inner.scored);
                order.truncate(k);
                Some(order)
            }))
        })
    }

    /// Returns the first `depth` rows of each query in this order, and all rows tied with the last of them.
    fn head(&self, py: Python<'_>, depth: usize, order: &str) -> PyResult<Self> {
        let order = if self.inner.scored { arguments::order(order)? } else { Order::Given };
        Ok(py.detach(|| self.like(self.inner.rows.head(depth, order))))
    }

    /// Returns the rows of a run: query, document, score (if documents have scores) and rank. A query without
    /// documents is a row of None.
    fn run_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let scored = self.inner.scored;
        let all = PyList::empty(py);
        let add = |id, document: Option<Bound<'py, PyString>>, score: Option<f64>, rank: Option<f64>| {
            let rank = match rank {
                Some(rank) if is_whole(rank) => Some((rank as i64).into_bound_py_any(py)?),
                Some(rank) => Some(rank.into_bound_py_any(py)?),
                None => None,
            };
            if scored { all.append((id, document, score, rank)) } else { all.append((id, document, rank)) }
        };
        for query in self.inner.rows.iter() {
            let id = text(py, query.id)?;
            for (row, rank) in query.written_ranks(scored).into_iter().enumerate() {
                let score = *query.values.known(row);
                add(id.clone(), Some(text(py, query.document(row))?), Some(score), Some(rank))?;
            }
            if query.documents.is_empty() {
                add(id, None, None, None)?;
            }
        }
        Ok(all)
    }

    /// Returns the columns of a query in the order of its rows: documents, scores or None, ranks or None.
    fn columns<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Option<Columns<'py>>> {
        let Some(query) = self.find(query)? else { return Ok(None) };
        let documents = (0..query.values.len()).map(|row| text(py, query.document(row)));
        let scores = self.inner.scored.then(|| query.values.to_vec());
        let ranks = (!query.ranks.is_empty()).then(|| query.ranks.to_vec());
        Ok(Some((documents.collect::<PyResult<_>>()?, scores, ranks)))
    }

    /// Returns the rows with at least this value. Queries without such rows remain.
    fn at_least(&self, py: Python<'_>, value: f64) -> Self {
        py.detach(|| {
            self.like(self.inner.rows.select(|query| {
                let rows = query.values.iter().enumerate().filter(|(_, found)| **found >= value);
                Some(rows.map(|(row, _)| row).collect())
            }))
        })
    }

    /// Returns the rows whose query and document are not a row of others. Queries without rows left remain.
    fn without(&self, py: Python<'_>, others: &Self) -> Self {
        py.detach(|| self.like(self.inner.rows.without(&others.inner.rows)))
    }

    /// Returns the rows with the class of each document as its id, and how many rows have one. The callable returns
    /// the class, or None. `members` says which rows of a class remain: "largest", or in an order "first" or "all".
    fn by_class(
        &self,
        py: Python<'_>,
        classes: &Bound<'_, PyAny>,
        members: &str,
        order: &str,
    ) -> PyResult<(Self, usize)> {
        let order = if self.inner.scored { arguments::order(order)? } else { Order::Given };
        let members = match members {
            "largest" => Members::Largest,
            "first" => Members::First(order),
            _ => Members::All(order),
        };
        let (rows, classed) = self.inner.rows.by_class(members, |document| {
            let class = classes.call1((text(py, document)?,))?;
            if class.is_none() {
                Ok(None)
            } else {
                bytes(&class, "class").map(|class| Some(class.into_owned()))
            }
        })?;
        Ok((self.like(rows), classed))
    }

    /// Returns the rows with new ids, which the callables compute from the old ones; None keeps the ids.
    #[pyo3(signature = (queries, documents))]
    fn rename(
        &self,
        py: Python<'_>,
        queries: Option<Bound<'_, PyAny>>,
        documents: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rows = &self.inner.rows;
        let mut names: HashMap<&[u8], Vec<u8>> = HashMap::new();
        let mut builder = RowsBuilder::like(rows);
        for query in rows.iter() {
            let id = match &queries {
                Some(queries) => Cow::Owned(new_id(py, queries, query.id, "query id")?),
                None => Cow::Borrowed(query.id),
            };
            builder.piece(&id, builder.len());
            for row in 0..query.values.len() {
                let own = query.document(row);
                if let Some(label) = query.label(row) {
                    builder.label(label);
                }
                let value = *query.values.known(row);
                let rank = query.ranks.get(row).copied().unwrap_or(f64::NAN);
                let Some(documents) = &documents else {
                    builder.add(own, value, rank);
                    continue;
                };
                let name = match names.entry(own) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(new_id(py, documents, own, "document id")?),
                };
                builder.add(name, value, rank);
            }
        }
        let rows = builder.finish(Duplicates::Error).map_err(|(_, error)| {
            let hint = "two documents have the same new name, or two queries with a common document do";
            raise(py, &error.hint(hint))
        })?;
        Ok(Self { integers: self.integers && queries.is_none(), ..self.like(rows) })
    }

    /// Whether both tables have the same queries, documents and values, or without scores the same order of
    /// documents.
    fn same(&self, py: Python<'_>, other: PyRef<'_, Self>) -> bool {
        let (a, b) = (self.inner.clone(), other.inner.clone());
        drop(other);
        py.detach(|| a.scored == b.scored && a.rows.same(&b.rows, a.scored))
    }

    /// Whether both runs return chunks of one division of the texts.
    fn same_chunks(&self, py: Python<'_>, other: PyRef<'_, Self>) -> PyResult<bool> {
        let (a, b) = (self.inner.clone(), other.inner.clone());
        drop(other);
        py.detach(|| same_chunks(&a.rows, &b.rows)).map_err(|error| raise(py, &error))
    }

    /// Returns the SHA-256 of the content in hexadecimal, which is equal for tables that are the `same`.
    fn digest(&self, py: Python<'_>) -> String {
        let digest = py.detach(|| self.inner.rows.digest(self.inner.scored));
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the state from which `rows_from_state` restores the rows.
    fn state<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, bool, bool) {
        let bytes = py.detach(|| self.inner.rows.to_bytes());
        (PyBytes::new(py, &bytes), self.inner.scored, self.integers)
    }
}

impl Rows {
    fn find(&self, query: &Bound<'_, PyAny>) -> PyResult<Option<QueryRows<'_>>> {
        let rows = &self.inner.rows;
        Ok(rows.find(&bytes(query, "query id")?).map(|query| rows.query(query)))
    }

    /// Wraps other rows of the same kind.
    fn like(&self, rows: gainful_core::rows::Rows) -> Self {
        let loaded = Loaded { tag: self.inner.tag.clone(), ..Loaded::new(rows, self.inner.scored) };
        Self { integers: self.integers, ..Self::new(loaded) }
    }

    fn values<'py>(
        &self,
        py: Python<'py>,
        query: &QueryRows<'_>,
        whole: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (row, &value) in query.values.iter().enumerate() {
            let document = text(py, query.document(row))?;
            let target = match query.label(row) {
                None => found.clone(),
                Some(label) => {
                    let label = text(py, label)?;
                    match found.get_item(&label)? {
                        Some(target) => target.cast_into::<PyDict>()?,
                        None => {
                            let target = PyDict::new(py);
                            found.set_item(label, &target)?;
                            target
                        }
                    }
                }
            };
            if whole {
                target.set_item(document, value as i64)?;
            } else {
                target.set_item(document, value)?;
            }
        }
        Ok(found)
    }
}

fn new_id(py: Python<'_>, names: &Bound<'_, PyAny>, id: &[u8], what: &str) -> PyResult<Vec<u8>> {
    let name = names.call1((text(py, id)?,))?;
    Ok(bytes(&name, what)?.into_owned())
}

/// Restores rows from `Rows.state`.
#[pyfunction]
pub(crate) fn rows_from_state(state: &[u8], scored: bool, integers: bool) -> PyResult<Rows> {
    let rows = gainful_core::rows::Rows::from_bytes(state)
        .ok_or_else(|| PyValueError::new_err("no state of judgments or a run"))?;
    Ok(Rows { integers, ..Rows::new(Loaded::new(rows, scored)) })
}

pub(crate) fn table(name: &str) -> TableKind {
    if name == "qrels" { TableKind::Qrels } else { TableKind::Run }
}
