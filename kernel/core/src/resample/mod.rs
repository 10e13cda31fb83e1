//! Resampling for tests and intervals: random signs, random orders within rows, and bootstrap samples.
//!
//! Each function computes one number per resample from plain columns of numbers; Python computes the
//! statistics. Random numbers are addressed by a counter ([`random::RandomStream`]): those of a resample depend on
//! the seed alone, so results do not depend on the number of threads or the size of jobs.
//!
//! Progress counts the numbers that are added up: [`plan`] sets the total before the first job.

use std::sync::atomic::Ordering;

use crate::parallel::Pace;

mod bootstrap;
mod orders;
mod pairs;
mod random;
mod signs;

pub use bootstrap::{Stratum, bootstrap_means};
pub use orders::permutation_ranges;
pub use pairs::{Pair, Signs, Studentized, count_far, count_outside, order_statistics, step_down};
pub use signs::flip_sums;

/// Sets the total of a call that adds up this many numbers.
fn plan(pace: &Pace<'_>, numbers: usize) {
    pace.progress.total.store(numbers as u64, Ordering::Relaxed);
}

/// Splits `count` resamples into jobs of `size`; returns the first resample and the number of each job.
fn jobs(count: usize, size: usize) -> Vec<(usize, usize)> {
    (0..count).step_by(size.max(1)).map(|first| (first, size.min(count - first))).collect()
}

#[cfg(test)]
mod testing {
    use crate::parallel::{Pace, Progress};

    pub(super) fn paced<T>(threads: usize, job: impl FnOnce(&mut Pace<'_>) -> crate::Result<T>) -> T {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        let found = job(&mut Pace { threads, progress: &progress, tick: &mut tick }).unwrap();
        let (done, total) = (progress.done.into_inner(), progress.total.into_inner());
        assert!(total == 0 || done == total, "{done} of {total}");
        found
    }
}
