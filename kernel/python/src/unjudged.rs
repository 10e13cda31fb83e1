//! Finds unjudged documents, samples labels for them, and computes the effect of single labels.

use gainful_core::convention::Convention;
use gainful_core::measures::Measure;
use gainful_core::unjudged::{Candidates, Prior, Retrieved, Sampling, documents, effects, samples};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arguments;
use crate::id_texts::text;
use crate::ids::bytes;
use crate::pace::work;
use crate::rows::Rows;

type MeasureSpec<'py> = (String, String, Bound<'py, PyDict>);

fn measure(convention: &Convention, spec: &MeasureSpec<'_>) -> PyResult<Measure> {
    let (name, formula, values) = spec;
    arguments::measure(name.clone(), formula, values, convention)
}

/// Returns for each judged query its id and the unjudged documents that can rank above a depth, with their
/// ranks.
#[pyfunction]
#[pyo3(signature = (qrels, run, convention, depth, *, threads))]
#[allow(clippy::type_complexity)]
pub(crate) fn unjudged_documents<'py>(
    py: Python<'py>,
    qrels: PyRef<'_, Rows>,
    run: PyRef<'_, Rows>,
    convention: &Bound<'py, PyDict>,
    depth: Option<usize>,
    threads: usize,
) -> PyResult<Vec<(Bound<'py, PyString>, Vec<(Bound<'py, PyString>, usize)>)>> {
    let convention = arguments::convention(convention)?;
    let (loaded, run) = (qrels.inner.clone(), run.inner.clone());
    let found = work(py, threads, None, |pace| {
        let judgments = gainful_core::judgments::Judgments::new(&loaded.rows, &convention)?;
        documents(&judgments, Retrieved { rows: &run.rows, scored: run.scored }, &convention, depth, pace)
    })?;
    found
        .into_iter()
        .map(|(query, documents)| {
            let documents =
                documents.iter().map(|(id, rank)| Ok((text(py, id)?, *rank))).collect::<PyResult<_>>()?;
            Ok((text(py, loaded.rows.query_id(query))?, documents))
        })
        .collect()
}

/// (query, value without labels, least and greatest value over all labels, values of each candidate with each
/// grade, values of all combinations of labels if these are few)
type Effect<'py> = (Bound<'py, PyString>, f64, (f64, f64), Vec<f64>, Vec<f64>);

/// Returns for each judged query the values of the measure when candidate documents have labels.
#[pyfunction]
#[pyo3(signature = (qrels, run, convention, kernel, candidates, grades, *, threads))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn label_effects<'py>(
    py: Python<'py>,
    qrels: PyRef<'_, Rows>,
    run: PyRef<'_, Rows>,
    convention: &Bound<'py, PyDict>,
    kernel: MeasureSpec<'py>,
    candidates: Vec<(Bound<'py, PyAny>, Vec<Bound<'py, PyAny>>)>,
    grades: Vec<f64>,
    threads: usize,
) -> PyResult<Vec<Effect<'py>>> {
    let convention = arguments::convention(convention)?;
    let measure = measure(&convention, &kernel)?;
    let (loaded, run) = (qrels.inner.clone(), run.inner.clone());
    let mut known = Candidates::new();
    for (query, ids) in &candidates {
        if let Some(number) = loaded.rows.find(&bytes(query, "query id")?) {
            let ids = ids.iter().map(|id| Ok(bytes(id, "document id")?.into_owned()));
            known.insert(number, ids.collect::<PyResult<_>>()?);
        }
    }
    let found = work(py, threads, None, |pace| {
        let judgments = gainful_core::judgments::Judgments::new(&loaded.rows, &convention)?;
        let retrieved = Retrieved { rows: &run.rows, scored: run.scored };
        effects(&judgments, retrieved, &convention, &measure, (&known, &grades), pace)
    })?;
    found
        .into_iter()
        .map(|one| {
            Ok((text(py, loaded.rows.query_id(one.query))?, one.value, one.bounds, one.values, one.joint))
        })
        .collect()
}

/// Returns for each measure its mean over the queries, one per sample of labels. `prior` is "pool", "run", or
/// grades with their probabilities.
#[pyfunction]
#[pyo3(signature = (qrels, run, convention, kernels, prior, count, seed, *, weights = None, threads, report = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn sample_labels(
    py: Python<'_>,
    qrels: PyRef<'_, Rows>,
    run: PyRef<'_, Rows>,
    convention: &Bound<'_, PyDict>,
    kernels: Vec<MeasureSpec<'_>>,
    prior: PriorLike,
    count: usize,
    seed: u64,
    weights: Option<Vec<f64>>,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<Vec<f64>>> {
    let convention = arguments::convention(convention)?;
    let measures = kernels.iter().map(|kernel| measure(&convention, kernel)).collect::<PyResult<Vec<_>>>()?;
    let prior = match prior {
        PriorLike::Named(name) => {
            arguments::choice("prior", &name, &[("pool", Prior::Pool), ("run", Prior::Run)])?
        }
        PriorLike::Given(given) => Prior::Given(given),
    };
    let (loaded, run) = (qrels.inner.clone(), run.inner.clone());
    work(py, threads, report, |pace| {
        let judgments = gainful_core::judgments::Judgments::new(&loaded.rows, &convention)?;
        let sampling = Sampling { prior, samples: count, seed };
        let retrieved = Retrieved { rows: &run.rows, scored: run.scored };
        samples(&judgments, retrieved, &convention, &measures, &sampling, weights.as_deref(), pace)
    })
}

#[derive(FromPyObject)]
pub(crate) enum PriorLike {
    Named(String),
    Given(Vec<(f64, f64)>),
}
