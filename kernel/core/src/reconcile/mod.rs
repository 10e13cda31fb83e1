//! Which convention gives this number? Many conventions, measures and means at once.
//!
//! Queries are ranked once for each policy on rankings ([`ranked`]), rankings that are the same are
//! measured once ([`classes`]), a measure is taken at all its cutoffs together ([`grid`]), and from the
//! values of the queries every way to one number is gone ([`ways`]). What comes near the number that is
//! looked for is kept ([`found`]).

mod classes;
mod found;
mod grid;
mod ranked;
mod space;
mod survey;
mod ways;

pub use found::{Found, Group, Member};
pub use space::{Aggregation, Plan, Series, Space, Target, Way};
pub use survey::{Survey, survey};

use crate::error::Result;
use crate::parallel::{Pace, run};
use crate::rows::Rows;

use classes::classes;
use found::Finds;
use grid::Grid;
use ways::search_series;

/// Judgments and a run in memory.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    pub judgments: &'a Rows,
    pub run: &'a Rows,
    /// Whether the run has scores; without them it stands in order.
    pub scored: bool,
}

/// Looks through a space for what gives a number.
pub fn search(data: &Data<'_>, space: &Space, target: &Target, pace: &mut Pace<'_>) -> Result<Found> {
    let (classes, refused) = classes(data, space, pace)?;
    let farthest = space.farthest(classes.iter().map(|class| (class.plan, class.far.as_slice())), data);
    // A job is a class and one of its series: short enough that Ctrl-C is heard.
    let jobs: Vec<(usize, usize)> = classes
        .iter()
        .enumerate()
        .flat_map(|(class, own)| (0..space.plan(own.plan).series.len()).map(move |series| (class, series)))
        .collect();
    let progress = pace.progress;
    progress.total.store(jobs.len() as u64, std::sync::atomic::Ordering::Relaxed);
    let parts = run(jobs.len(), pace, Grid::default, |grid, job| {
        progress.advance(1)?;
        let (class, series) = jobs.get(job).copied().unwrap_or_default();
        let mut finds = Finds::new(target);
        if let Some(class) = classes.get(class) {
            search_series(data, space, class, series, farthest.0, grid, &mut finds)?;
        }
        Ok(finds)
    })?;
    let mut finds = Finds::new(target);
    for part in parts {
        finds.merge(part);
    }
    Ok(Found { farthest: farthest.0, whole: farthest.1, ..finds.finish(refused) })
}
