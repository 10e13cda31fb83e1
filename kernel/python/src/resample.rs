//! Resampling statistics: columns of numbers in, one number per resample out.

use gainful_core::resample::{self, Stratum};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use crate::errors::raise;
use crate::pace::work;

/// Writes sums of the contributions with random signs into `found`, one per resample.
#[pyfunction]
#[pyo3(signature = (contributions, found, *, seed, threads, progress=None))]
pub(crate) fn flip_sums(
    py: Python<'_>,
    contributions: PyBuffer<f64>,
    found: PyBuffer<f64>,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let contributions = contributions.to_vec(py)?;
    let count = found.item_count();
    let sums = work(py, threads, progress, |pace| resample::flip_sums(&contributions, count, seed, pace))?;
    found.copy_from_slice(py, &sums)
}

/// Writes ranges (largest minus least) of the column sums into `found`, after shuffling within each row.
#[pyfunction]
#[pyo3(signature = (rows, columns, found, *, seed, threads, progress=None))]
pub(crate) fn permutation_ranges(
    py: Python<'_>,
    rows: PyBuffer<f64>,
    columns: usize,
    found: PyBuffer<f64>,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let rows = rows.to_vec(py)?;
    let count = found.item_count();
    let ranges =
        work(py, threads, progress, |pace| resample::permutation_ranges(&rows, columns, count, seed, pace))?;
    found.copy_from_slice(py, &ranges)
}

/// Writes bootstrap means of units, drawn with replacement from strata of these sizes, into `found`.
#[pyfunction]
#[pyo3(signature = (contributions, shares, sizes, found, *, seed, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "buffers of numbers and where the results go")]
pub(crate) fn bootstrap_means(
    py: Python<'_>,
    contributions: PyBuffer<f64>,
    shares: PyBuffer<f64>,
    sizes: Vec<usize>,
    found: PyBuffer<f64>,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let (contributions, shares) = (contributions.to_vec(py)?, shares.to_vec(py)?);
    let mut strata = Vec::with_capacity(sizes.len());
    let (mut values, mut counts) = (contributions.as_slice(), shares.as_slice());
    for size in sizes {
        let cut = values.split_at_checked(size).zip(counts.split_at_checked(size));
        let Some(((contributions, values_left), (shares, counts_left))) = cut else {
            let found = "the sizes of the strata exceed the number of units";
            return Err(raise(py, &gainful_core::Error::statement(gainful_core::Kind::Argument, found)));
        };
        strata.push(Stratum { contributions, shares });
        (values, counts) = (values_left, counts_left);
    }
    let count = found.item_count();
    let means = work(py, threads, progress, |pace| resample::bootstrap_means(&strata, count, seed, pace))?;
    found.copy_from_slice(py, &means)
}
