//! Returns the account of one query's value as plain tuples, which `gainful.explanation` names.

use gainful_core::convention::Convention;
use gainful_core::explain::{
    Account, AccountQuestion, Detail, Document, IdealRank, LeftOutReason, QueryRun, Rank, explain,
};
use gainful_core::judgments::Judgments;
use gainful_core::measures::Measure;
use gainful_core::rows::RowsBuilder;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::arguments;
use crate::errors::raise;
use crate::id_texts::text;
use crate::ids::bytes;
use crate::rows::Rows;

/// The id of the query of a plain list of grades.
const ONLY: &[u8] = b"";

/// Explains the value of one query. Returns None if the query has no judgments.
#[pyfunction(name = "explain")]
#[pyo3(signature = (qrels, run, query, convention, measure, *, depth = None))]
pub(crate) fn explain_query<'py>(
    py: Python<'py>,
    qrels: PyRef<'_, Rows>,
    run: PyRef<'_, Rows>,
    query: &Bound<'py, PyAny>,
    convention: &Bound<'py, PyDict>,
    measure: (String, String, Bound<'py, PyDict>),
    depth: Option<usize>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let (convention, measure) = parse_question(convention, measure)?;
    let id = bytes(query, "query id")?.into_owned();
    let (qrels, run) = (qrels.inner.clone(), run.inner.clone());
    let account = py.detach(|| {
        // Use this query's judgments only, so that the convention cannot refuse grades of other queries.
        let selected = qrels.rows.select(|query| (query.id == id).then(|| (0..query.values.len()).collect()));
        let Some(number) = selected.find(&id) else { return Ok(None) };
        let judgments = Judgments::new(&selected, &convention)?;
        let ranking =
            run.rows.find(&id).map(|number| QueryRun { rows: run.rows.query(number), scored: run.scored });
        let question =
            AccountQuestion { convention: &convention, measure: &measure, depth, parts: Detail::All };
        explain(question, &judgments, number, ranking).map(Some)
    });
    account.map_err(|error| raise(py, &error))?.map(|account| to_dict(py, &account)).transpose()
}

/// Explains the value of a list of grades in rank order, where None is an unjudged document. The documents
/// are named d1, d2 and so on.
#[pyfunction]
#[pyo3(signature = (grades, convention, measure, *, depth = None))]
pub(crate) fn explain_list<'py>(
    py: Python<'py>,
    grades: Vec<Option<f64>>,
    convention: &Bound<'py, PyDict>,
    measure: (String, String, Bound<'py, PyDict>),
    depth: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let (convention, measure) = parse_question(convention, measure)?;
    let mut judged = RowsBuilder::new(false);
    let mut listed = RowsBuilder::new(false);
    judged.query(ONLY);
    listed.query(ONLY);
    for (index, grade) in grades.iter().enumerate() {
        let id = format!("d{}", index + 1);
        if let Some(grade) = *grade {
            judged.push(ONLY, id.as_bytes(), grade, f64::NAN, 0);
        }
        listed.push(ONLY, id.as_bytes(), f64::NAN, f64::NAN, 0);
    }
    let (judged, listed) = (judged.build(), listed.build());
    let question = AccountQuestion { convention: &convention, measure: &measure, depth, parts: Detail::All };
    let ranking = QueryRun { rows: listed.query(0), scored: false };
    let account = Judgments::new(&judged, &convention)
        .and_then(|judgments| explain(question, &judgments, 0, Some(ranking)));
    to_dict(py, &account.map_err(|error| raise(py, &error))?)
}

/// Parses a convention and a measure.
pub(crate) fn parse_question(
    convention: &Bound<'_, PyDict>,
    (name, formula, values): (String, String, Bound<'_, PyDict>),
) -> PyResult<(Convention, Measure)> {
    let convention = arguments::convention(convention)?;
    let measure = arguments::measure(name, &formula, &values, &convention)?;
    Ok((convention, measure))
}

fn to_dict<'py>(py: Python<'py>, account: &Account) -> PyResult<Bound<'py, PyDict>> {
    let content = &account.content;
    let dict = PyDict::new(py);
    dict.set_item("value", account.value)?;
    dict.set_item("nothing", account.nothing)?;
    dict.set_item("skipped", account.skipped)?;
    dict.set_item("retrieved", account.retrieved)?;
    dict.set_item("judged", account.judged)?;
    dict.set_item("parts", content.parts)?;
    dict.set_item("ranks", list(py, &content.ranks, |rank| rank_tuple(py, rank))?)?;
    dict.set_item("ideal", list(py, &content.ideal, |rank| ideal_tuple(py, rank))?)?;
    dict.set_item("documents", list(py, &content.documents, |one| document_tuple(py, one))?)?;
    let left_out = list(py, &account.left_out, |row| {
        let reason = match row.reason {
            LeftOutReason::Unjudged => "unjudged",
            LeftOutReason::Duplicate => "duplicate",
            LeftOutReason::Negative => "negative",
            LeftOutReason::SameId => "same-id",
        };
        Ok((text(py, &row.document)?, reason))
    })?;
    dict.set_item("left_out", left_out)?;
    let groups = list(py, &content.groups, |group| Ok((text(py, &group.name)?, group.weight, group.rank)))?;
    dict.set_item("groups", groups)?;
    Ok(dict)
}

fn list<'py, T, U: IntoPyObject<'py>>(
    py: Python<'py>,
    items: &[T],
    tuple: impl Fn(&T) -> PyResult<U>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.iter().map(tuple).collect::<PyResult<Vec<U>>>()?)
}

/// Converts a number of an account, in which NaN means "not defined".
pub(crate) fn optional(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

type Number = Option<f64>;

#[allow(clippy::type_complexity)]
fn rank_tuple<'py>(
    py: Python<'py>,
    rank: &Rank,
) -> PyResult<(
    Bound<'py, PyString>,
    Number,
    Number,
    usize,
    Number,
    Number,
    Number,
    Number,
    Option<bool>,
    Number,
    Option<(u64, u64, Number)>,
)> {
    Ok((
        text(py, &rank.document)?,
        rank.score,
        optional(rank.grade),
        rank.tie,
        optional(rank.gain),
        optional(rank.weight),
        optional(rank.contribution),
        optional(rank.running),
        rank.relevant,
        optional(rank.precision),
        rank.read.map(|read| (read.new, read.repeated, optional(read.covered))),
    ))
}

type IdealTuple<'py> = (Option<Bound<'py, PyString>>, Number, f64, f64, f64);

fn ideal_tuple<'py>(py: Python<'py>, rank: &IdealRank) -> PyResult<IdealTuple<'py>> {
    let document = rank.document.as_deref().map(|document| text(py, document)).transpose()?;
    Ok((document, optional(rank.grade), rank.gain, rank.contribution, rank.running))
}

type DocumentTuple<'py> =
    (Bound<'py, PyString>, Number, Number, Option<usize>, Option<usize>, Number, Number);

fn document_tuple<'py>(py: Python<'py>, document: &Document) -> PyResult<DocumentTuple<'py>> {
    Ok((
        text(py, &document.id)?,
        optional(document.grade),
        optional(document.gain),
        document.rank,
        document.ideal_rank,
        optional(document.contribution),
        optional(document.ideal_contribution),
    ))
}
