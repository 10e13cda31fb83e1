//! Resampling for tests and intervals: random signs, random orders within rows, and bootstrap samples.
//!
//! Each function computes one number per resample from plain columns of numbers; Python computes the
//! statistics. Random numbers are addressed by a counter ([`random::Stream`]): those of a resample depend on
//! the seed alone, so results do not depend on the number of threads or the size of jobs.

mod bootstrap;
mod orders;
mod pairs;
mod random;
mod signs;

pub use bootstrap::{Stratum, bootstrap_means};
pub use orders::permutation_ranges;
pub use pairs::{Pair, Signs, Studentized, count_far, count_outside, order_statistics, step_down};
pub use signs::flip_sums;

/// Splits `count` resamples into jobs of `size`; returns the first resample and the number of each job.
fn jobs(count: usize, size: usize) -> Vec<(usize, usize)> {
    (0..count).step_by(size.max(1)).map(|first| (first, size.min(count - first))).collect()
}

#[cfg(test)]
mod testing {
    use crate::parallel::{Pace, Progress};

    pub fn paced<T>(threads: usize, job: impl FnOnce(&mut Pace<'_>) -> crate::Result<T>) -> T {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        job(&mut Pace { threads, progress: &progress, tick: &mut tick }).unwrap()
    }
}
