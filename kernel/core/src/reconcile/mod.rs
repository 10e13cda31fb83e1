//! Searches conventions, measures and means for combinations that reproduce a number.
//!
//! Queries are ranked once per convention ([`ranked`]), conventions with equal rankings are evaluated once
//! ([`classes`]), and a measure is computed at all its cutoffs together ([`grid`]). The values of the queries
//! are then aggregated in every way of the plan ([`ways`]). Combinations that match the target, and the
//! nearest others, are collected ([`outcome`]).

mod classes;
mod grid;
mod outcome;
mod ranked;
mod space;
mod survey;
mod ways;

pub use outcome::{Member, MemberGroup, SearchOutcome};
pub use space::{Aggregation, Data, SearchPlan, Series, Space, Target, Way};
pub use survey::{Survey, survey};

use crate::error::Result;
use crate::parallel::{Pace, run};

use crate::known::Known;
use classes::group_conventions;
use grid::Grid;
use outcome::MatchCollector;
use ways::search_series;

/// Searches a space for combinations that match a target.
pub fn search(data: &Data<'_>, space: &Space, target: &Target, pace: &mut Pace<'_>) -> Result<SearchOutcome> {
    let (classes, refused) = group_conventions(data, space, pace)?;
    let farthest = space.farthest(classes.iter().map(|class| (class.plan, class.far.as_slice())), data);
    // A job is one series of a class, short enough for Ctrl-C to take effect quickly.
    let jobs: Vec<(usize, usize)> = classes
        .iter()
        .enumerate()
        .flat_map(|(number, class)| {
            (0..space.plan(class.plan).series.len()).map(move |series| (number, series))
        })
        .collect();
    let progress = pace.progress;
    progress.total.store(jobs.len() as u64, std::sync::atomic::Ordering::Relaxed);
    let parts = run(jobs.len(), pace, Grid::default, |grid, job| {
        progress.advance(1)?;
        let (class, series) = *jobs.known(job);
        let mut collector = MatchCollector::new(target);
        if let Some(class) = classes.get(class) {
            search_series(data, space, class, series, farthest.0, grid, &mut collector)?;
        }
        Ok(collector)
    })?;
    let mut collector = MatchCollector::new(target);
    for part in parts {
        collector.merge(part);
    }
    Ok(SearchOutcome { farthest: farthest.0, whole: farthest.1, ..collector.finish(refused) })
}
