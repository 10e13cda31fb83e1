//! Returns the first ranks of all queries of a run, after the policies of the convention.

use gainful_core::explain::{Account, Question, explain_all};
use gainful_core::judgments::Judgments;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::explain::{optional, parse_question};
use crate::ids::text;
use crate::pace::work;
use crate::rows::Rows;

type Number = Option<f64>;
type QueryRanking<'py> = (
    Bound<'py, PyString>,
    Vec<Bound<'py, PyString>>,
    Vec<Number>,
    Option<Vec<f64>>,
    Option<Vec<bool>>,
    Vec<usize>,
    Vec<(Option<Bound<'py, PyString>>, Number, f64)>,
);

/// Returns the first `depth` ranks of each judged query.
///
/// Each is a tuple: query id, documents, grades, contributions (for a sum of gains), relevance (for other
/// measures), tie groups, and the ideal ranking (empty unless `ideal`).
#[pyfunction]
#[pyo3(signature = (qrels, run, convention, measure, *, depth, ideal, threads, report = None))]
#[allow(clippy::too_many_arguments)]
pub fn rankings<'py>(
    py: Python<'py>,
    qrels: PyRef<'_, Rows>,
    run: PyRef<'_, Rows>,
    convention: &Bound<'py, PyDict>,
    measure: (String, String, Bound<'py, PyDict>),
    depth: usize,
    ideal: bool,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<QueryRanking<'py>>> {
    let (convention, measure) = parse_question(convention, measure)?;
    let (qrels, run) = (qrels.inner.clone(), run.inner.clone());
    let question =
        Question { convention: &convention, measure: &measure, depth: Some(depth), ranks_alone: true };
    let accounts = work(py, threads, report, |pace| {
        let judgments = Judgments::new(&qrels.rows, &convention)?;
        explain_all(question, &judgments, &run.rows, run.scored, pace)
    })?;
    let ids = (0..accounts.len()).map(|query| qrels.rows.query_id(query));
    ids.zip(&accounts).map(|(id, account)| convert_ranking(py, id, account, depth, ideal)).collect()
}

fn convert_ranking<'py>(
    py: Python<'py>,
    id: &[u8],
    account: &Account,
    depth: usize,
    ideal: bool,
) -> PyResult<QueryRanking<'py>> {
    let content = &account.content;
    let ranks = &content.ranks;
    let documents = ranks.iter().map(|rank| text(py, &rank.document)).collect::<PyResult<_>>()?;
    let grades = ranks.iter().map(|rank| optional(rank.grade)).collect();
    let adds = content.parts.map(|_| ranks.iter().map(|rank| rank.contribution).collect());
    let relevant = ranks.iter().map(|rank| rank.relevant).collect::<Option<Vec<bool>>>();
    let ties = ranks.iter().map(|rank| rank.tie).collect();
    let best = content.ideal.iter().take(if ideal { depth } else { 0 });
    let best = best.map(|rank| {
        let document = rank.document.as_deref().map(|document| text(py, document)).transpose()?;
        Ok((document, optional(rank.grade), rank.contribution))
    });
    let best = best.collect::<PyResult<_>>()?;
    Ok((text(py, id)?, documents, grades, adds, relevant, ties, best))
}
