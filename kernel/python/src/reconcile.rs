//! Searches for the conventions that reproduce a published number.

use gainful_core::convention::{Convention, Negative};
use gainful_core::reconcile::{
    Aggregation, Data, Member, MemberGroup, SearchOutcome, SearchPlan, Series, Space, Target, Way, search,
    survey,
};
use gainful_core::rows::Rows as CoreRows;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arguments;
use crate::errors::raise;
use crate::ids::bytes;
use crate::pace::work;
use crate::rows::Rows;

/// (measure name, formula, its parameters, cutoffs, cost of each cutoff, rounding within sums, digits)
type SeriesArgument<'py> = (String, String, Bound<'py, PyDict>, Vec<Option<usize>>, Vec<u32>, String, u32);
/// (policy for no relevant documents, its value, policy for missing queries, rounding, digits, aggregation,
/// additional queries of a mean)
type WayArgument = (String, f64, String, String, u32, String, i32);

/// Surveys judgments and runs.
///
/// Returns the number of judged queries of the run with the fewest, the lengths of the longest ranking and the largest pool, the
/// distinct grades, and a fingerprint or an error for each convention. Conventions with equal rankings have
/// equal fingerprints.
#[pyfunction]
#[pyo3(signature = (qrels, runs, conventions, *, threads, report = None))]
#[allow(clippy::type_complexity)]
pub(crate) fn reconcile_survey(
    py: Python<'_>,
    qrels: PyRef<'_, Rows>,
    runs: Vec<PyRef<'_, Rows>>,
    conventions: Vec<Bound<'_, PyDict>>,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<(usize, usize, usize, Vec<f64>, Vec<Py<PyAny>>)> {
    let conventions = conventions.iter().map(arguments::convention).collect::<PyResult<Vec<_>>>()?;
    let judgments = qrels.inner.clone();
    let loaded: Vec<_> = runs.iter().map(|run| run.inner.clone()).collect();
    let runs: Vec<_> = loaded.iter().map(|run| (&run.rows, run.scored)).collect();
    let found = work(py, threads, report, |pace| {
        let data = Data { judgments: &judgments.rows, runs: &runs };
        survey(&data, &conventions, pace)
    })?;
    let fingerprints = found.fingerprints.into_iter().map(|result| {
        Ok(match result {
            Ok(fingerprint) => fingerprint.into_pyobject(py)?.into_any().unbind(),
            Err(error) => raise(py, &error).into_value(py).into_any(),
        })
    });
    let fingerprints = fingerprints.collect::<PyResult<_>>()?;
    Ok((found.common, found.longest, found.deepest, found.grades, fingerprints))
}

/// Searches a space of conventions, measures and means for combinations that reproduce a number.
#[pyfunction]
#[pyo3(signature = (qrels, runs, space, target, *, threads, report = None))]
pub(crate) fn reconcile_search<'py>(
    py: Python<'py>,
    qrels: PyRef<'_, Rows>,
    runs: Vec<PyRef<'_, Rows>>,
    space: &Bound<'py, PyDict>,
    target: &Bound<'py, PyDict>,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let judgments = qrels.inner.clone();
    let loaded: Vec<_> = runs.iter().map(|run| run.inner.clone()).collect();
    let runs: Vec<_> = loaded.iter().map(|run| (&run.rows, run.scored)).collect();
    let space = space_of(space)?;
    space.check().map_err(|error| raise(py, &error))?;
    let target = target_of(target, &judgments.rows)?;
    let found = work(py, threads, report, |pace| {
        let data = Data { judgments: &judgments.rows, runs: &runs };
        search(&data, &space, &target, pace)
    })?;
    to_dict(py, &found)
}

fn get<'py, T>(dict: &Bound<'py, PyDict>, key: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    dict.as_any().get_item(key)?.extract::<T>().map_err(Into::into)
}

fn space_of(dict: &Bound<'_, PyDict>) -> PyResult<Space> {
    let conventions: Vec<Bound<'_, PyDict>> = get(dict, "conventions")?;
    let series: Vec<SeriesArgument<'_>> = get(dict, "series")?;
    let ways: Vec<WayArgument> = get(dict, "ways")?;
    let plans: Vec<(Vec<usize>, Vec<usize>)> = get(dict, "plans")?;
    Ok(Space {
        conventions: conventions.iter().map(arguments::convention).collect::<PyResult<_>>()?,
        plan_of: get(dict, "plan_of")?,
        series: series.into_iter().map(series_of).collect::<PyResult<_>>()?,
        ways: ways.into_iter().map(way_of).collect::<PyResult<_>>()?,
        plans: plans.into_iter().map(|(series, ways)| SearchPlan { series, ways }).collect(),
        convention_far: get(dict, "convention_far")?,
        series_far: get(dict, "series_far")?,
        way_far: get(dict, "way_far")?,
        budget: get(dict, "budget")?,
    })
}

fn series_of(given: SeriesArgument<'_>) -> PyResult<Series> {
    let (name, formula, values, cutoffs, costs, rounding, digits) = given;
    let parse = |negative| {
        let convention = Convention { negative, ..Convention::default() };
        arguments::measure(name.clone(), &formula, &values, &convention)
    };
    let measures = [parse(Negative::Zero)?, parse(Negative::Signed)?];
    Ok(Series { measures, cutoffs, costs, rounding: arguments::rounding(&rounding, digits)? })
}

fn way_of(given: WayArgument) -> PyResult<Way> {
    let (nothing, value, missing, rounding, digits, aggregation, extra) = given;
    let aggregations =
        [("mean", Aggregation::Mean), ("median", Aggregation::Median), ("sum", Aggregation::Sum)];
    Ok(Way {
        nothing: arguments::no_relevant(&nothing, value)?,
        missing: arguments::missing(&missing)?,
        rounding: arguments::rounding(&rounding, digits)?,
        aggregation: arguments::choice("aggregation", &aggregation, &aggregations)?,
        extra,
    })
}

fn target_of(dict: &Bound<'_, PyDict>, judgments: &CoreRows) -> PyResult<Target> {
    let known: Vec<(Bound<'_, PyAny>, f64, f64)> = get(dict, "per_query")?;
    let mut per_query = Vec::with_capacity(known.len());
    for (query, low, high) in known {
        let number = judgments.find(&bytes(&query, "query id")?);
        let row = judgments.sorted().iter().position(|&query| Some(query as usize) == number);
        per_query.push((row.unwrap_or(usize::MAX), low, high));
    }
    Ok(Target {
        low: get(dict, "low")?,
        high: get(dict, "high")?,
        further: get(dict, "further")?,
        near: get(dict, "near")?,
        per_query,
        groups: get(dict, "groups")?,
        nearest: get(dict, "nearest")?,
    })
}

/// (number of differing policies, known convention, convention, series, index of the cutoff, way, value)
fn member(member: &Member) -> (u8, usize, usize, usize, usize, usize, f64) {
    let &Member { far, preset, convention, series, cutoff, way, value, .. } = member;
    (far, preset, convention, series, cutoff, way, value)
}

fn to_dict<'py>(py: Python<'py>, found: &SearchOutcome) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("searched", found.searched)?;
    result.set_item("matching", found.matching)?;
    result.set_item("contradicted", found.contradicted)?;
    result.set_item("groups", found.groups)?;
    result.set_item("around", found.around)?;
    result.set_item("farthest", (!found.whole).then_some(found.farthest))?;
    let best = found.best.iter().map(|MemberGroup { best, also, count, around }| {
        (member(best), also.iter().map(member).collect::<Vec<_>>(), *count, around.clone())
    });
    result.set_item("best", PyList::new(py, best.collect::<Vec<_>>())?)?;
    result.set_item("nearest", found.nearest.iter().map(member).collect::<Vec<_>>())?;
    let refused = found.refused.iter().map(|(number, error)| (*number, raise(py, error).into_value(py)));
    result.set_item("refused", refused.collect::<Vec<_>>())?;
    let undefined = found.undefined.iter().take(1000);
    let undefined =
        undefined.map(|(number, series, error)| (*number, *series, raise(py, error).into_value(py)));
    result.set_item("undefined", undefined.collect::<Vec<_>>())?;
    Ok(result)
}
