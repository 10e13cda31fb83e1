//! Evaluates many runs, given as dictionaries, with judgments and measures that are loaded once.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use gainful_core::evaluate::{BatchEvaluator, Outcome, Plan, QueryBatch};
use gainful_core::judgments::Judgments;
use gainful_core::known::Known;
use gainful_core::{Error, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyMapping, PyString};

use crate::arguments;
use crate::entries::Entries;
use crate::errors::{describe, raise};
use crate::evaluate::plan;
use crate::ids::{bytes, string_bytes};
use crate::mapping::float;
use crate::rows::Rows;

/// Evaluates runs against judgments that are loaded once.
///
/// A run is `{query: {document: score}}`. The result is `{query: {name: value}}` for the queries that both
/// have, in the order of the run.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Evaluator {
    judgments: Judgments<'static>,
    plan: Plan,
    columns: Vec<(Py<PyString>, Column)>,
    /// Returns the number of threads; called only for runs that are large enough for more than one.
    threads: Py<PyAny>,
    /// The buffers of the last small run, to be reused.
    spare: Mutex<Option<BatchEvaluator>>,
}

/// The value reported under a name: that of a measure, the logarithm of a measure's value with a minimum, or
/// a constant.
#[derive(FromPyObject)]
enum Column {
    Measure(usize),
    Logarithm(usize, f64),
    Constant(f64),
}

/// A query of the run that has judgments.
struct JudgedQuery<'py> {
    query: Bound<'py, PyAny>,
    judged: usize,
}

#[pymethods]
impl Evaluator {
    #[new]
    fn new(
        py: Python<'_>,
        qrels: PyRef<'_, Rows>,
        convention: &Bound<'_, PyDict>,
        measures: Vec<(String, String, Bound<'_, PyDict>)>,
        columns: Vec<(Py<PyString>, Column)>,
        threads: Py<PyAny>,
    ) -> PyResult<Self> {
        let convention = arguments::convention(convention)?;
        let plan = Plan { counts: false, ..plan(&convention, measures, py)? };
        let judgments =
            Judgments::shared(qrels.inner.clone(), &plan.convention).map_err(|error| raise(py, &error))?;
        Ok(Self { judgments, plan, columns, threads, spare: Mutex::default() })
    }

    fn evaluate<'py>(&self, run: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = run.py();
        let Some(run) = mapping(run)? else {
            let error = Error::new(Kind::Argument, describe(run)?, "a dictionary {query: {document: score}}");
            return Err(raise(py, &error));
        };
        let mut stream = self.lock().take().unwrap_or_default();
        let mut queries_found = Vec::with_capacity(run.len().min(self.judgments.rows().queries()));
        let mut repeats = false;
        let mut queries = Entries::of(&run);
        let threads = || Ok(self.threads.call0(py)?.extract(py)?);
        let outcomes = stream.measure(&self.plan, &self.judgments, threads, |batch: &mut QueryBatch, _| {
            py.check_signals()?;
            for entry in queries.by_ref() {
                let (query, documents) = entry?;
                // Distinct keys may be the same id: 1 and "1".
                repeats |= !query.is_exact_instance_of::<PyString>();
                let id = id(&query, None)?;
                let Some(judged) = self.judgments.rows().find(&id) else { continue };
                batch.query(judged);
                gather(&documents, &id, batch)?;
                drop(id);
                queries_found.push(JudgedQuery { query, judged });
                if batch.is_full() {
                    return Ok::<bool, Failure>(true);
                }
            }
            Ok(false)
        });
        let outcomes = outcomes.map_err(|failure| failure.raised(py))?;
        if repeats {
            refuse_repeats(py, &queries_found)?;
        }
        let result = self.result(py, &queries_found, &stream.outcome, &outcomes)?;
        if outcomes.is_empty() && !stream.has_grown() {
            *self.lock() = Some(stream);
        }
        Ok(result)
    }
}

impl Evaluator {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<BatchEvaluator>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts the outcomes of all threads to dictionaries in the order of the run.
    fn result<'py>(
        &self,
        py: Python<'py>,
        queries_found: &[JudgedQuery<'py>],
        first: &Outcome,
        others: &[Outcome],
    ) -> PyResult<Bound<'py, PyDict>> {
        let width = self.plan.width();
        let mut places = Vec::new();
        if !others.is_empty() {
            places.resize(self.judgments.rows().queries(), (first, 0));
            for outcome in others {
                for (row, &query) in outcome.queries.iter().enumerate() {
                    *places.known_mut(query as usize) = (outcome, row);
                }
            }
        }
        let result = PyDict::new(py);
        for (number, JudgedQuery { query, judged }) in queries_found.iter().enumerate() {
            let (outcome, row) = if others.is_empty() { (first, number) } else { *places.known(*judged) };
            let row = outcome.values.known(row * width..(row + 1) * width);
            let values = PyDict::new(py);
            for (name, column) in &self.columns {
                let value = match *column {
                    Column::Measure(column) => *row.known(column),
                    Column::Logarithm(column, least) => row.known(column).max(least).ln(),
                    Column::Constant(value) => value,
                };
                values.set_item(name, value)?;
            }
            result.set_item(query, values)?;
        }
        Ok(result)
    }
}

/// Adds the documents of a query to a batch.
fn gather(documents: &Bound<'_, PyAny>, query: &[u8], batch: &mut QueryBatch) -> Result<(), Failure> {
    let Some(documents) = mapping(documents)? else {
        let error = Error::new(Kind::Argument, describe(documents)?, "a dictionary {document: score}");
        return Err(error.query(query).into());
    };
    for entry in Entries::of(&documents) {
        let (document, score) = entry?;
        let value = match score.cast_exact::<PyFloat>() {
            Ok(float) => float.value(),
            Err(_) => match float(&score) {
                Ok(value) => value,
                Err(_) => return Err(bad_score(Kind::Argument, &score, query, &document)),
            },
        };
        if value.is_nan() {
            return Err(bad_score(Kind::Format, &score, query, &document));
        }
        match document.cast_exact::<PyString>().map(|text| text.to_str()) {
            Ok(Ok(text)) => batch.row(text.as_bytes(), value),
            _ => batch.row(&id(&document, Some(query))?, value),
        }
    }
    Ok(())
}

/// Converts a mapping to a dictionary; returns None for other objects.
fn mapping<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    if let Ok(dict) = object.cast::<PyDict>() {
        return Ok(Some(dict.clone()));
    }
    if object.is_none() || object.cast::<PyMapping>().is_err() {
        return Ok(None);
    }
    let dict = object.py().get_type::<PyDict>().call1((object,))?;
    Ok(Some(dict.cast_into::<PyDict>()?))
}

/// Returns the bytes of a query id or, if `query` is given, of the id of one of its documents.
fn id<'a>(object: &'a Bound<'_, PyAny>, query: Option<&[u8]>) -> Result<std::borrow::Cow<'a, [u8]>, Failure> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(string_bytes(text)?);
    }
    let what = if query.is_some() { "document id" } else { "query id" };
    bytes(object, what).or_else(|_| {
        let error =
            Error::new(Kind::Argument, format!("{what} {}", describe(object)?), "text or a whole number");
        Err(match query {
            Some(query) => error.query(query),
            None => error,
        }
        .into())
    })
}

fn bad_score(kind: Kind, score: &Bound<'_, PyAny>, query: &[u8], document: &Bound<'_, PyAny>) -> Failure {
    let hint = match kind {
        Kind::Format => "NaN cannot be ranked; check how the system computed it",
        _ => "convert it to a number",
    };
    let build = || -> Result<Failure, Failure> {
        let document = id(document, Some(query))?;
        let error = Error::new(kind, describe(score)?, "a score (a number)");
        Ok(error.query(query).document(&document).hint(hint).into())
    };
    build().unwrap_or_else(|failure| failure)
}

/// Refuses a query that is in the run both as a number and as its text.
fn refuse_repeats(py: Python<'_>, queries_found: &[JudgedQuery<'_>]) -> PyResult<()> {
    let mut seen = HashSet::new();
    for JudgedQuery { query, judged, .. } in queries_found {
        if !seen.insert(judged) {
            let error = Error::statement(Kind::Duplicate, format!("duplicate query {}", describe(query)?))
                .hint("an integer and its text are the same id");
            return Err(raise(py, &error));
        }
    }
    Ok(())
}

/// The reason that an evaluation ended early.
enum Failure {
    Raised(PyErr),
    Kernel(Box<Error>),
}

impl Failure {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Raised(error) => error,
            Self::Kernel(error) => raise(py, &error),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<Box<Error>> for Failure {
    fn from(error: Box<Error>) -> Self {
        Self::Kernel(error)
    }
}
