//! Resampled differences of pairs of columns: tables of numbers in, one number or a few per pair out.

use gainful_core::resample::{self, Pair, Signs, Studentized};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use crate::pace::work;

/// Writes the maxima of the statistics of all pairs into `maxima`, one per choice of signs, and into `counts`
/// how many of them, up to each pair, are at least its observed statistic. `direct` is 1 for pairs whose
/// differences are resampled themselves. Without a seed all choices of signs are enumerated.
#[pyfunction]
#[pyo3(signature = (contributions, columns, pairs, scales, observed, direct, maxima, counts, *, seed, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "buffers of numbers and where the results go")]
pub(crate) fn step_down_pairs(
    py: Python<'_>,
    contributions: PyBuffer<f64>,
    columns: usize,
    pairs: PyBuffer<i64>,
    scales: PyBuffer<f64>,
    observed: PyBuffer<f64>,
    direct: PyBuffer<i64>,
    maxima: PyBuffer<f64>,
    counts: PyBuffer<i64>,
    seed: Option<u64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let contributions = table(py, &contributions, columns)?;
    let numbers = scales.to_vec(py)?.into_iter().zip(observed.to_vec(py)?);
    let studentized: Vec<Studentized> = pairs_of(py, &pairs)?
        .into_iter()
        .zip(numbers.zip(direct.to_vec(py)?))
        .map(|(pair, ((scale, observed), direct))| Studentized { pair, scale, observed, direct: direct != 0 })
        .collect();
    let signs = match seed {
        Some(seed) => Signs::Random { resamples: maxima.item_count(), seed },
        None => Signs::All,
    };
    let (most, reached) =
        work(py, threads, progress, |pace| resample::step_down(&contributions, &studentized, signs, pace))?;
    maxima.copy_from_slice(py, &most)?;
    write(py, &counts, reached)
}

/// Writes into `counts` how many differences under random signs have an absolute value of `least` or more,
/// for two such values per pair.
#[pyfunction]
#[pyo3(signature = (contributions, columns, pairs, least, counts, *, resamples, seed, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "buffers of numbers and where the results go")]
pub(crate) fn count_far_pairs(
    py: Python<'_>,
    contributions: PyBuffer<f64>,
    columns: usize,
    pairs: PyBuffer<i64>,
    least: PyBuffer<f64>,
    counts: PyBuffer<i64>,
    resamples: usize,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let contributions = table(py, &contributions, columns)?;
    let pairs = with(pairs_of(py, &pairs)?, &least.to_vec(py)?);
    let signs = Signs::Random { resamples, seed };
    let found = work(py, threads, progress, |pace| resample::count_far(&contributions, &pairs, signs, pace))?;
    write(py, &counts, found.into_iter().flatten())
}

/// Writes into `counts` how many differences of the numbers of two columns are below the first and above the
/// second of two values per pair.
#[pyfunction]
#[pyo3(signature = (numbers, columns, pairs, bounds, counts, *, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "buffers of numbers and where the results go")]
pub(crate) fn count_pairs_outside(
    py: Python<'_>,
    numbers: PyBuffer<f64>,
    columns: usize,
    pairs: PyBuffer<i64>,
    bounds: PyBuffer<f64>,
    counts: PyBuffer<i64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let numbers = table(py, &numbers, columns)?;
    let pairs = with(pairs_of(py, &pairs)?, &bounds.to_vec(py)?);
    let found = work(py, threads, progress, |pace| resample::count_outside(&numbers, &pairs, pace))?;
    write(py, &counts, found.into_iter().flatten())
}

/// Writes the differences of four ranks, from 0, into `found` for each pair.
#[pyfunction]
#[pyo3(signature = (numbers, columns, pairs, ranks, found, *, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "buffers of numbers and where the results go")]
pub(crate) fn order_statistics_of_pairs(
    py: Python<'_>,
    numbers: PyBuffer<f64>,
    columns: usize,
    pairs: PyBuffer<i64>,
    ranks: PyBuffer<i64>,
    found: PyBuffer<f64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let numbers = table(py, &numbers, columns)?;
    let ranks: Vec<usize> = ranks.to_vec(py)?.into_iter().map(index).collect();
    let pairs = with(pairs_of(py, &pairs)?, &ranks);
    let statistics = work(py, threads, progress, |pace| resample::order_statistics(&numbers, &pairs, pace))?;
    found.copy_from_slice(py, &statistics.concat())
}

/// Cuts a table with one column after another.
fn table(py: Python<'_>, numbers: &PyBuffer<f64>, columns: usize) -> PyResult<Vec<Vec<f64>>> {
    let numbers = numbers.to_vec(py)?;
    Ok(numbers.chunks((numbers.len() / columns.max(1)).max(1)).map(<[f64]>::to_vec).collect())
}

fn pairs_of(py: Python<'_>, pairs: &PyBuffer<i64>) -> PyResult<Vec<Pair>> {
    let pairs = pairs.to_vec(py)?;
    let (pairs, _) = pairs.as_chunks::<2>();
    Ok(pairs.iter().map(|[one, two]| Pair { one: index(*one), two: index(*two) }).collect())
}

/// Pairs with a few values each.
fn with<T: Copy, const N: usize>(pairs: Vec<Pair>, values: &[T]) -> Vec<(Pair, [T; N])> {
    pairs.into_iter().zip(values.as_chunks::<N>().0.iter().copied()).collect()
}

/// A number that indexes nothing if it is negative.
fn index(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn write(py: Python<'_>, counts: &PyBuffer<i64>, found: impl IntoIterator<Item = usize>) -> PyResult<()> {
    let found: Vec<i64> = found.into_iter().map(|count| count as i64).collect();
    counts.copy_from_slice(py, &found)
}
