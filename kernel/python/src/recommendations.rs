//! Evaluates recommendations block by block. Held-out interactions and recommendations are compressed sparse
//! rows (CSR): one row per user, one column per item.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use gainful_core::convention::{Duplicates, Order};
use gainful_core::evaluate::{BatchEvaluator, Outcome, Plan, QueryBatch, Table};
use gainful_core::formats::Loaded;
use gainful_core::judgments::Judgments;
use gainful_core::known::Known;
use gainful_core::rows::RowsBuilder;
use gainful_core::{Error, Kind};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::errors::raise;
use crate::evaluate::{Evaluated, plan};
use crate::ids::{bytes, is_integer};
use crate::rows::Rows;

/// The ids of the rows or columns of a matrix: given ones, or else their numbers.
struct Names(Option<Vec<Vec<u8>>>);

impl Names {
    fn of(ids: Option<Vec<Bound<'_, PyAny>>>, what: &str) -> PyResult<Self> {
        let read = |ids: Vec<Bound<'_, PyAny>>| {
            ids.iter().map(|id| Ok(bytes(id, what)?.into_owned())).collect::<PyResult<Vec<_>>>()
        };
        ids.map(read).transpose().map(Self)
    }

    /// Returns the id of a row or column. `digits` is a buffer for ids that are numbers.
    fn get<'a>(&'a self, number: i64, digits: &'a mut Vec<u8>) -> &'a [u8] {
        match &self.0 {
            Some(ids) => ids.known(number as usize),
            None => {
                digits.clear();
                // Writing to memory cannot fail.
                let _ = write!(digits, "{number}");
                digits
            }
        }
    }
}

/// Returns the range of a row in compressed sparse rows.
fn range(offsets: &[i64], row: usize) -> std::ops::Range<usize> {
    *offsets.known(row) as usize..*offsets.known(row + 1) as usize
}

/// Reads judgments from a sparse matrix, one query for each row number in `rows`. Without `values` all grades
/// are 1.
#[pyfunction]
#[pyo3(signature = (offsets, columns, values, rows, users, items))]
pub(crate) fn rows_from_sparse(
    py: Python<'_>,
    offsets: PyBuffer<i64>,
    columns: PyBuffer<i64>,
    values: Option<PyBuffer<f64>>,
    rows: PyBuffer<i64>,
    users: Option<Vec<Bound<'_, PyAny>>>,
    items: Option<Vec<Bound<'_, PyAny>>>,
) -> PyResult<Rows> {
    let (offsets, columns, numbers) = (offsets.to_vec(py)?, columns.to_vec(py)?, rows.to_vec(py)?);
    let values = values.map(|values| values.to_vec(py)).transpose()?;
    let integers = users.iter().flatten().all(is_integer);
    let (users, items) = (Names::of(users, "user id")?, Names::of(items, "item id")?);
    let built = py.detach(|| {
        let mut builder = RowsBuilder::new(false);
        builder.reserve(columns.len());
        let (mut user, mut item) = (Vec::new(), Vec::new());
        for (place, &number) in (0..).zip(&numbers) {
            let id = users.get(number, &mut user);
            builder.piece(id, builder.len());
            if builder.query(id) != place {
                return Err(Error::statement(Kind::Duplicate, "duplicate user id").query(id));
            }
            for at in range(&offsets, number as usize) {
                let value = values.as_ref().map_or(1.0, |values| *values.known(at));
                builder.add(items.get(*columns.known(at), &mut item), value, f64::NAN);
            }
        }
        builder.finish(Duplicates::Error).map_err(|(_, error)| error)
    });
    let rows = built.map_err(|error| raise(py, &error.file("held_out")))?;
    Ok(Rows { integers, ..Rows::new(Loaded::new(rows, true)) })
}

/// Evaluates rankings that arrive in blocks of users, and collects them in one table.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct BlockEvaluator {
    judgments: Judgments<'static>,
    loaded: Arc<Loaded>,
    plan: Plan,
    items: Names,
    threads: usize,
    outcomes: Mutex<Vec<Outcome>>,
}

#[pymethods]
impl BlockEvaluator {
    #[new]
    #[pyo3(signature = (qrels, convention, measures, items, *, threads, depth = None))]
    fn new(
        py: Python<'_>,
        qrels: PyRef<'_, Rows>,
        convention: &Bound<'_, PyDict>,
        measures: Vec<(String, String, Bound<'_, PyDict>)>,
        items: Option<Vec<Bound<'_, PyAny>>>,
        threads: usize,
        depth: Option<usize>,
    ) -> PyResult<Self> {
        let convention = arguments::convention(convention)?;
        let plan = Plan { depth, ..plan(&convention, measures, py)? };
        let loaded = qrels.inner.clone();
        for measure in &plan.measures {
            measure
                .fits(loaded.rows.has_labels(), || loaded.rows.one_grade())
                .map_err(|error| raise(py, &error))?;
        }
        let judgments =
            Judgments::shared(loaded.clone(), &plan.convention).map_err(|error| raise(py, &error))?;
        let items = Names::of(items, "item id")?;
        Ok(Self { judgments, loaded, plan, items, threads, outcomes: Mutex::default() })
    }

    /// Adds the rankings of consecutive queries of the judgments, starting with query number `first`.
    ///
    /// `columns` and `scores` list the items of each query, best first, in compressed sparse rows with
    /// `offsets`.
    fn add(
        &self,
        py: Python<'_>,
        first: usize,
        offsets: PyBuffer<i64>,
        columns: PyBuffer<i64>,
        scores: PyBuffer<f64>,
    ) -> PyResult<()> {
        let (offsets, columns, scores) = (offsets.to_vec(py)?, columns.to_vec(py)?, scores.to_vec(py)?);
        let by_rank = self.plan.convention.order == Order::Rank;
        let done = py.detach(|| {
            let mut stream = BatchEvaluator::default();
            let mut rows = 0..offsets.len().saturating_sub(1);
            let mut digits = Vec::new();
            let threads = || Ok::<_, Box<Error>>(self.threads);
            let mut outcomes = stream.measure(
                &self.plan,
                &self.judgments,
                threads,
                |batch: &mut QueryBatch, _: &mut Outcome| {
                    for row in rows.by_ref() {
                        batch.query(first + row);
                        for (rank, at) in range(&offsets, row).enumerate() {
                            let key = if by_rank { -(rank as f64) } else { *scores.known(at) };
                            batch.row(self.items.get(*columns.known(at), &mut digits), key);
                        }
                        if batch.is_full() {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                },
            )?;
            outcomes.push(std::mem::take(&mut stream.outcome));
            Ok(outcomes)
        });
        let outcomes = done.map_err(|error: Box<Error>| raise(py, &error))?;
        self.lock().extend(outcomes.into_iter().filter(|outcome| !outcome.queries.is_empty()));
        Ok(())
    }

    /// Returns the table of all rankings that were added, and resets the evaluator.
    fn finish(&self, py: Python<'_>) -> PyResult<Evaluated> {
        let outcomes = std::mem::take(&mut *self.lock());
        let table = py
            .detach(|| Table::assemble(outcomes, &self.judgments, &self.plan))
            .map_err(|error| raise(py, &error))?;
        Ok(Evaluated::new(table, self.loaded.clone(), self.plan.clone()))
    }
}

impl BlockEvaluator {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Outcome>> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
