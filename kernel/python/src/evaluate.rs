//! Evaluates one run against judgments.

use std::sync::Arc;

use gainful_core::convention::{Convention, Extra, Order};
use gainful_core::evaluate::{
    Contradictions, Counts, Plan, QueryBatch, Table, TablePart, TextRun, Unmatched, evaluate_rows,
    evaluate_stream, evaluate_text,
};
use gainful_core::formats::Loaded;
use gainful_core::judgments::Judgments;
use gainful_core::known::Known;
use gainful_core::read::source::Source;
use gainful_core::unjudged::{Bounds, Scope};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyString};

use crate::arguments;
use crate::columnar::Columnar;
use crate::entries::Entries;
use crate::errors::raise;
use crate::id_texts::text;
use crate::mapping::rows_from_mapping;
use crate::pace::work;
use crate::remote::Place;
use crate::row_rules::RowRules;
use crate::rows::{DiskRows, Rows};

/// The evaluation of one run: one row per query, in byte order of the query ids.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Evaluated {
    pub table: Table,
    ids: QueryIds,
    pub plan: Plan,
    scattered: bool,
}

/// A row without values: its status, the id of the query if it is known, and the number of queries.
pub(crate) type CountedRow<'a> = (&'static str, Option<&'a [u8]>, u64);

impl Evaluated {
    /// The rows of queries without values.
    pub(crate) fn counted_rows(&self) -> Vec<CountedRow<'_>> {
        let table = &self.table;
        let one = |status, id| (status, Some(id), 1);
        let mut counted: Vec<CountedRow<'_>> =
            table.left_out.iter().map(|&query| one("missing", self.query_id(query))).collect();
        if counted.is_empty() && table.counts.missing > 0 {
            counted.push(("missing", None, table.counts.missing));
        }
        if table.extra.is_empty() && table.counts.extra > 0 {
            counted.push(("extra", None, table.counts.extra));
        }
        counted.extend(table.extra.iter().map(|id| one("extra", id.as_slice())));
        counted
    }
}

/// Summary statistics of a measure over the queries that count.
#[pyclass(frozen, get_all, module = "gainful._kernel")]
pub(crate) struct Figures {
    n: u64,
    mean: f64,
    sum: f64,
    deviation: f64,
    low: f64,
    quartile: f64,
    median: f64,
    upper_quartile: f64,
    high: f64,
    /// Queries with no relevant documents.
    nothing: u64,
}

/// The source of the query ids of a table.
#[derive(Clone)]
enum QueryIds {
    Judgments(Arc<Loaded>),
    Disk(Arc<gainful_core::rows::DiskRows>),
    /// Stored with a table that was joined from others.
    Stored(Vec<Vec<u8>>),
}

#[pymethods]
impl Evaluated {
    fn __len__(&self) -> usize {
        self.table.queries.len()
    }

    /// The numbers of judged queries, evaluated queries, judged queries missing from the run, and queries of
    /// the run without judgments; then those of `contradictions`.
    #[getter]
    fn counts(&self) -> Vec<u64> {
        let counts = &self.table.counts;
        let mut numbers = vec![counts.judged, counts.evaluated, counts.missing, counts.extra];
        numbers.extend(counts.contradictions.to_array());
        numbers
    }

    #[pyo3(signature = (stop = None))]
    fn query_ids<'py>(&self, py: Python<'py>, stop: Option<usize>) -> PyResult<Vec<Bound<'py, PyString>>> {
        let queries = self.table.queries.iter().take(stop.unwrap_or(usize::MAX));
        queries.map(|&query| text(py, self.query_id(query))).collect()
    }

    /// The ids of the first judged queries that the run lacks, and of the first queries of the run without
    /// judgments, in byte order.
    #[getter]
    fn unmatched<'py>(&self, py: Python<'py>) -> PyResult<(Texts<'py>, Texts<'py>)> {
        let texts = |ids: &[Vec<u8>]| ids.iter().map(|id| text(py, id)).collect::<PyResult<_>>();
        let Unmatched { missing, extra } = &self.table.unmatched;
        Ok((texts(missing)?, texts(extra)?))
    }

    /// The first queries without a judged document in the first ranks, with the ids of their first documents.
    #[getter]
    fn unjudged<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyString>, Texts<'py>)>> {
        let texts = |ids: &[Vec<u8>]| ids.iter().map(|id| text(py, id)).collect::<PyResult<_>>();
        let queries = self.table.unjudged.iter();
        queries.map(|(query, ids)| Ok((text(py, self.query_id(*query))?, texts(ids)?))).collect()
    }

    /// The row numbers in the order of the queries in the judgments; None if that is byte order.
    #[getter]
    fn as_judged(&self) -> Option<Vec<u32>> {
        self.table.as_judged()
    }

    /// The tag of the last line of a TREC run; empty if the run has none.
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.table.tag)
    }

    /// Whether the rows of any query were not consecutive, so that the run was read again.
    #[getter]
    fn scattered(&self) -> bool {
        self.scattered
    }

    /// Returns a column of the table by its number; the caller knows the layout.
    fn column<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyList>> {
        let values: Vec<f64> = self.table.column(column).collect();
        PyList::new(py, values)
    }

    /// Returns the flags of a measure for each query: no relevant documents (1), left out of the mean (2).
    fn flags(&self, measure: usize) -> Vec<u8> {
        self.table.flags(measure).collect()
    }

    /// Returns the relevance of the first documents of each query, one character per document; empty unless
    /// `evaluate` was called with `relevance_strings`.
    fn relevance_strings(&self) -> Vec<&str> {
        self.table.relevance().collect()
    }

    /// Returns summary statistics of a measure over the queries.
    #[pyo3(signature = (measure, weights = None))]
    fn summary(&self, measure: usize, weights: Option<Vec<f64>>) -> Figures {
        let geometric = self.plan.measures.known(measure).geometric;
        let convention = &self.plan.convention;
        let summary = self.table.summary(measure, weights.as_deref(), geometric, convention.unweighted);
        let gainful_core::evaluate::Summary {
            n,
            mean,
            sum,
            deviation,
            low,
            quartile,
            median,
            upper_quartile,
            high,
            nothing,
        } = summary;
        let mean = convention.rounding.mean(mean);
        Figures { n, mean, sum, deviation, low, quartile, median, upper_quartile, high, nothing }
    }

    /// Returns the lower and upper bounds of a measure for each query; NaN if the query does not count.
    fn bounds(&self, measure: usize) -> (Vec<f64>, Vec<f64>) {
        let [low, high] = self.plan.bounds_columns(measure);
        (self.table.column(low).collect(), self.table.column(high).collect())
    }

    /// Returns the highest ideal value of a sum of gains over the queries; None for other measures.
    fn highest_ideal(&self, measure: usize) -> Option<f64> {
        let column = self.plan.ideal_column(measure)?;
        Some(self.table.unordered(column).fold(0.0, f64::max))
    }

    /// Returns the lower and upper bound of the mean of a measure.
    #[pyo3(signature = (measure, weights = None))]
    fn mean_bounds(&self, measure: usize, weights: Option<Vec<f64>>) -> (f64, f64) {
        let geometric = self.plan.measures.known(measure).geometric;
        let columns = self.plan.bounds_columns(measure);
        let (low, high) = self.table.mean_bounds(measure, columns, weights.as_deref(), geometric);
        let rounding = self.plan.convention.rounding;
        (rounding.mean(low), rounding.mean(high))
    }

    /// The grades that bounds assume for unjudged documents; empty if bounds were not requested.
    #[getter]
    fn bounds_grades(&self) -> Vec<f64> {
        self.plan.bounds.as_ref().map(|bounds| bounds.grades.clone()).unwrap_or_default()
    }

    /// Returns the sums of columns of counts.
    fn totals(&self, columns: Vec<usize>) -> Vec<f64> {
        self.table.totals(&columns)
    }

    /// Returns the number of queries without relevant documents for a measure.
    fn no_relevant(&self, measure: usize) -> usize {
        self.table.no_relevant(measure)
    }

    /// Returns the sums of columns, added from the first query to the last. With `least`, sums the logarithms
    /// of the values that are at least that.
    #[pyo3(signature = (columns, least = None))]
    fn sums(&self, columns: Vec<usize>, least: Option<f64>) -> Vec<f64> {
        self.table.sums(&columns, least)
    }

    /// The number of rows that `query_rows` exports.
    #[getter]
    fn exported(&self) -> usize {
        self.table.queries.len() + self.counted_rows().len()
    }

    /// Returns the state from which `evaluated` restores the table, in the order of the queries in the
    /// judgments.
    #[allow(clippy::type_complexity)]
    fn state<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Vec<Bound<'py, PyBytes>>,
        Bound<'py, PyBytes>,
        Bound<'py, PyBytes>,
        Vec<u64>,
        Bound<'py, PyBytes>,
        (Vec<Bound<'py, PyBytes>>, Vec<Bound<'py, PyBytes>>),
    )> {
        let table = &self.table;
        let rows: Vec<usize> = match table.as_judged() {
            Some(rows) => rows.into_iter().map(|row| row as usize).collect(),
            None => (0..table.queries.len()).collect(),
        };
        let queries = rows.iter().map(|&row| *table.queries.known(row));
        let ids = queries.map(|query| PyBytes::new(py, self.query_id(query))).collect();
        let mut values = Vec::with_capacity(rows.len() * self.plan.width() * size_of::<f64>());
        for &row in &rows {
            values.extend(table.row(row).iter().flat_map(|value| value.to_le_bytes()));
        }
        let flags: Vec<u8> = rows.iter().flat_map(|&row| table.row_flags(row)).copied().collect();
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        let several = |ids: &[Vec<u8>]| ids.iter().map(|id| bytes(id)).collect();
        let unmatched = (several(&table.unmatched.missing), several(&table.unmatched.extra));
        Ok((ids, bytes(&values), bytes(&flags), self.counts(), bytes(&table.tag), unmatched))
    }

    /// Returns the evaluation with the values of measures that were computed from its rankings: for each, its
    /// number, the rows, and their values.
    fn completed(&self, columns: Vec<(usize, Vec<usize>, Vec<f64>)>) -> Self {
        let table = self.table.completed(&columns, self.plan.convention.rounding);
        Self { table, ids: self.ids.clone(), plan: self.plan.clone(), scattered: self.scattered }
    }

    /// Returns the number of rows with a value above 0 in a column.
    fn positive(&self, column: usize) -> usize {
        self.table.unordered(column).filter(|&value| value > 0.0).count()
    }
}

impl Evaluated {
    pub fn new(table: Table, qrels: Arc<Loaded>, plan: Plan) -> Self {
        Self { table, ids: QueryIds::Judgments(qrels), plan, scattered: false }
    }

    /// Joins pieces with different queries into one table.
    pub fn joined(pieces: Vec<TablePart>, plan: Plan, as_given: bool) -> gainful_core::Result<Self> {
        let (table, ids) = Table::joined(pieces, &plan, as_given)?;
        Ok(Self { table, ids: QueryIds::Stored(ids), plan, scattered: false })
    }

    /// Returns the id of a query by its number.
    pub fn query_id(&self, query: u32) -> &[u8] {
        match &self.ids {
            QueryIds::Judgments(loaded) => loaded.rows.query_id(query as usize),
            QueryIds::Disk(rows) => rows.queries().query_id(query as usize),
            QueryIds::Stored(ids) => ids.known(query as usize),
        }
    }
}

type Texts<'py> = Vec<Bound<'py, PyString>>;

/// The state of a table: query ids, values and flags row by row, the counts, the tag, and the first unmatched
/// queries.
type State = (Vec<Vec<u8>>, Vec<u8>, Vec<u8>, [u64; 11], Vec<u8>, (Vec<Vec<u8>>, Vec<Vec<u8>>));

/// Joins the states of tables that have no query in common. The rows are in byte order of the query ids, or
/// in the given order with `as_given`.
#[pyfunction]
#[pyo3(signature = (states, convention, measures, *, bounds = None, scattered = false, as_given = false))]
pub(crate) fn evaluated(
    py: Python<'_>,
    states: Vec<State>,
    convention: &Bound<'_, PyDict>,
    measures: Vec<(String, String, Bound<'_, PyDict>)>,
    bounds: Option<(String, Vec<f64>)>,
    scattered: bool,
    as_given: bool,
) -> PyResult<Evaluated> {
    let plan = bounded_plan(py, convention, measures, bounds)?;
    let pieces = states.into_iter().map(|(ids, values, flags, counts, tag, (lacked, added))| {
        let [judged, _, missing, extra, contradictions @ ..] = counts;
        let contradictions = Contradictions::from_array(contradictions);
        TablePart {
            ids,
            values: values.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect(),
            flags,
            counts: Counts { judged, evaluated: 0, missing, extra, contradictions },
            tag,
            unmatched: Unmatched { missing: lacked, extra: added },
        }
    });
    let evaluated = Evaluated::joined(pieces.collect(), plan, as_given).map_err(|error| raise(py, &error))?;
    Ok(Evaluated { scattered, ..evaluated })
}

/// Builds the plan of an evaluation, with bounds over the given grades if requested.
pub(crate) fn bounded_plan(
    py: Python<'_>,
    convention: &Bound<'_, PyDict>,
    measures: Vec<(String, String, Bound<'_, PyDict>)>,
    bounds: Option<(String, Vec<f64>)>,
) -> PyResult<Plan> {
    let convention = arguments::convention(convention)?;
    let plan = plan(&convention, measures, py)?;
    let Some((scope, grades)) = bounds else { return Ok(plan) };
    let scope = if scope == "cutoff" { Scope::Cutoff } else { Scope::Retrieved };
    let bounds = Bounds::of_grades(scope, &grades, &plan.convention);
    bounds.and_then(|bounds| plan.with_bounds(bounds)).map_err(|error| raise(py, &error))
}

/// A run: rows in memory, a dictionary of dictionaries, or a columnar table or TREC files, which are
/// evaluated while they are read.
#[derive(FromPyObject)]
pub(crate) enum Run<'py> {
    Rows(PyRef<'py, Rows>),
    Columnar(Py<Columnar>),
    Mapping(Bound<'py, PyDict>),
    Paths(Vec<Place>),
}

/// Judgments in memory or on disk, as Python objects.
#[derive(FromPyObject)]
pub(crate) enum Qrels<'py> {
    Rows(PyRef<'py, Rows>),
    Disk(PyRef<'py, DiskRows>),
}

/// Judgments in memory or on disk, without references to Python objects.
enum Judged {
    Memory(Arc<Loaded>),
    Disk(Arc<gainful_core::rows::DiskRows>),
}

impl Qrels<'_> {
    fn detach(&self) -> Judged {
        match self {
            Self::Rows(rows) => Judged::Memory(rows.inner.clone()),
            Self::Disk(rows) => Judged::Disk(rows.inner.clone()),
        }
    }
}

impl Judged {
    fn judgments<'a>(&'a self, plan: &Plan) -> gainful_core::Result<Judgments<'a>> {
        match self {
            Self::Memory(loaded) => plan.judgments(&loaded.rows),
            Self::Disk(rows) => plan.judgments_on_disk(rows),
        }
    }

    fn ids(self) -> QueryIds {
        match self {
            Self::Memory(loaded) => QueryIds::Judgments(loaded),
            Self::Disk(rows) => QueryIds::Disk(rows),
        }
    }
}

/// Builds a plan from the specifications of measures.
pub(crate) fn plan(
    convention: &Convention,
    measures: Vec<(String, String, Bound<'_, PyDict>)>,
    py: Python<'_>,
) -> PyResult<Plan> {
    let measures = measures
        .into_iter()
        .map(|(name, formula, values)| arguments::measure(name, &formula, &values, convention))
        .collect::<PyResult<Vec<_>>>()?;
    Plan::new(convention.clone(), measures).map_err(|error| raise(py, &error))
}

/// The rows of a columnar run take at most this many bytes of memory; more go to disk.
const COLUMNAR_MEMORY: usize = 128 << 20;

/// Evaluates one run against judgments.
#[pyfunction]
#[pyo3(signature = (qrels, run, convention, measures, *, threads, counts = true, depth = None, relevance_strings = None, comments = false, dialect = "gainful", memory = 1 << 30, report = None, bounds = None, partial = false, rankings = false, ranked_documents = true))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn evaluate(
    py: Python<'_>,
    qrels: Qrels<'_>,
    run: Run<'_>,
    convention: &Bound<'_, PyDict>,
    measures: Vec<(String, String, Bound<'_, PyDict>)>,
    threads: usize,
    counts: bool,
    depth: Option<usize>,
    relevance_strings: Option<usize>,
    comments: bool,
    dialect: &str,
    memory: usize,
    report: Option<Py<PyAny>>,
    bounds: Option<(String, Option<Vec<f64>>)>,
    partial: bool,
    rankings: bool,
    ranked_documents: bool,
) -> PyResult<Evaluated> {
    let convention = arguments::convention(convention)?;
    let plan = plan(&convention, measures, py)?.with_relevance(relevance_strings);
    let plan = if rankings { plan.with_rankings(ranked_documents) } else { plan };
    let plan = Plan { counts, depth, partial, ..plan };
    let mut judged = qrels.detach();
    if convention.extra == Extra::NoRelevant {
        let (Judged::Memory(loaded), Run::Rows(rows)) = (&judged, &run) else {
            return Err(pyo3::exceptions::PyTypeError::new_err("extra=no-relevant requires rows in memory"));
        };
        let run = &rows.inner.rows;
        // Without a query in common, the inputs do not belong together.
        if partial || run.iter().any(|query| loaded.rows.find(query.id).is_some()) {
            let rows = loaded.rows.with_queries_of(run);
            judged = Judged::Memory(Arc::new(Loaded::new(rows, true)));
        }
    }
    let plan = match bounds {
        None => plan,
        Some((scope, grades)) => {
            work(py, 1, None, |_| with_bounds(plan.clone(), &judged, &scope, grades.clone()))?
        }
    };
    let run = match run {
        Run::Mapping(mapping) => {
            let judgments = judged.judgments(&plan).map_err(|error| raise(py, &error))?;
            if let Some(table) = mapping_table(&mapping, &plan, &judgments, threads)? {
                drop(judgments);
                return Ok(Evaluated { table, ids: judged.ids(), plan, scattered: false });
            }
            // The general reader accepts other types of scores and ids, or reports what is wrong.
            Run::Rows(
                Bound::new(py, rows_from_mapping(&mapping, "run", RowRules::keeping_all(), false)?)?.borrow(),
            )
        }
        other => other,
    };
    let mut scattered = false;
    let table = match run {
        Run::Columnar(run) => {
            let run = run.get();
            let (table, again) = work(py, threads, report, |pace| {
                let judgments = judged.judgments(&plan)?;
                run.evaluate(&plan, &judgments, memory.min(COLUMNAR_MEMORY), pace)
            })?;
            scattered = again;
            table
        }
        Run::Mapping(_) => return Err(pyo3::exceptions::PyTypeError::new_err("a run")),
        Run::Rows(rows) => {
            let run = rows.inner.clone();
            work(py, threads, report, |pace| {
                let judgments = judged.judgments(&plan)?;
                evaluate_rows(&plan, &judgments, &run.rows, run.scored, pace)
            })?
        }
        Run::Paths(paths) => {
            let text = TextRun {
                sources: paths.into_iter().map(Source::from).collect(),
                comments,
                dialect: arguments::dialect(dialect)?,
                memory,
            };
            let (table, again) = work(py, threads, report, |pace| {
                let judgments = judged.judgments(&plan)?;
                evaluate_text(&plan, &judgments, &text, pace)
            })?;
            scattered = again;
            table
        }
    };
    Ok(Evaluated { table, ids: judged.ids(), plan, scattered })
}

fn with_bounds(
    plan: Plan,
    judged: &Judged,
    scope: &str,
    grades: Option<Vec<f64>>,
) -> gainful_core::Result<Plan> {
    let scope = if scope == "cutoff" { Scope::Cutoff } else { Scope::Retrieved };
    let bounds = match grades {
        Some(grades) => Bounds::of_grades(scope, &grades, &plan.convention)?,
        None => Bounds::of_judgments(scope, &judged.judgments(&plan)?)?,
    };
    plan.with_bounds(bounds)
}

/// Evaluates `{query: {document: score}}` in one pass. Returns None unless all keys are str and all scores
/// finite floats.
fn mapping_table(
    mapping: &Bound<'_, PyDict>,
    plan: &Plan,
    judgments: &Judgments<'_>,
    threads: usize,
) -> PyResult<Option<Table>> {
    if plan.convention.order == Order::Rank {
        return Ok(None);
    }
    let py = mapping.py();
    let mut queries = Entries::of(mapping);
    let done = evaluate_stream(plan, judgments, threads, |batch: &mut QueryBatch, outcome| {
        py.check_signals().map_err(Stop::Raised)?;
        for entry in queries.by_ref() {
            let (query, documents) = entry.map_err(Stop::Raised)?;
            let (Ok(query), Ok(documents)) =
                (query.cast_exact::<PyString>(), documents.cast_exact::<PyDict>())
            else {
                return Err(Stop::Unusual);
            };
            let Ok(query) = query.to_str() else { return Err(Stop::Unusual) };
            let judged = judgments.rows().find(query.as_bytes());
            match judged {
                Some(judged) => batch.query(judged),
                None => outcome.extra.add(query.as_bytes(), plan.partial),
            }
            for entry in Entries::of(documents) {
                let (document, score) = entry.map_err(Stop::Raised)?;
                let (Ok(document), Ok(score)) =
                    (document.cast_exact::<PyString>(), score.cast_exact::<PyFloat>())
                else {
                    return Err(Stop::Unusual);
                };
                let (Ok(document), score) = (document.to_str(), score.value()) else {
                    return Err(Stop::Unusual);
                };
                if !score.is_finite() {
                    return Err(Stop::Unusual);
                }
                if judged.is_some() {
                    batch.row(document.as_bytes(), score);
                }
            }
            if batch.is_full() {
                return Ok(true);
            }
        }
        Ok(false)
    });
    match done {
        Ok(table) => Ok(Some(table)),
        Err(Stop::Unusual) => Ok(None),
        Err(Stop::Raised(error)) => Err(error),
        Err(Stop::Kernel(error)) => Err(raise(py, &error)),
    }
}

/// The reason that a pass over a mapping ended early.
enum Stop {
    Unusual,
    Raised(PyErr),
    Kernel(Box<gainful_core::Error>),
}

impl From<Box<gainful_core::Error>> for Stop {
    fn from(error: Box<gainful_core::Error>) -> Self {
        Self::Kernel(error)
    }
}
