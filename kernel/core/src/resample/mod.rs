//! What tests and intervals resample: signs, orders within rows, and units drawn with replacement.
//!
//! Each function gives one number a resample, from plain columns of numbers; what is asked of them is
//! Python's. Random numbers are counted and not passed on ([`random::Stream`]): which resample gets
//! which depends on the seed alone, so it does not matter how the work is cut up or shared.

mod drawn;
mod orders;
mod random;
mod signs;

pub use drawn::{Stratum, bootstrap_means};
pub use orders::permutation_ranges;
pub use signs::{flip_maxima, flip_sums};

/// Cuts `count` resamples into jobs of `size`, and gives the first and the number of each.
fn jobs(count: usize, size: usize) -> Vec<(usize, usize)> {
    (0..count).step_by(size.max(1)).map(|first| (first, size.min(count - first))).collect()
}

/// What the tests of this module call with.
#[cfg(test)]
mod testing {
    use crate::parallel::{Pace, Progress};

    pub fn paced<T>(threads: usize, job: impl FnOnce(&mut Pace<'_>) -> crate::Result<T>) -> T {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        job(&mut Pace { threads, progress: &progress, tick: &mut tick }).unwrap()
    }
}
