//! The space of combinations to search, and the target.

use crate::convention::{Convention, Missing, Negative, NothingRelevant, Rounding};
use crate::error::{Error, Kind, Result};
use crate::known::Known;
use crate::measures::Measure;
use crate::rows::Rows;

/// Judgments and runs in memory.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    pub judgments: &'a Rows,
    /// Each run, and whether it has scores; otherwise its rows are in rank order.
    pub runs: &'a [(&'a Rows, bool)],
}

/// A measure at several cutoffs.
#[derive(Debug, Clone)]
pub struct Series {
    /// The measure with negative grades counted as 0, and with signed grades.
    pub measures: [Measure; 2],
    /// Ascending. A measure without a cutoff is a separate series.
    pub cutoffs: Vec<Option<usize>>,
    /// How unusual each cutoff is. Of combinations with equally many differing policies, the least cost is
    /// first.
    pub costs: Vec<u32>,
    /// Rounding within the sums.
    pub rounding: Rounding,
}

impl Series {
    #[must_use]
    pub fn measure(&self, convention: &Convention) -> &Measure {
        let [plain, signed] = &self.measures;
        if convention.negative == Negative::Signed { signed } else { plain }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregation {
    Mean,
    Median,
    Sum,
}

/// A way to aggregate the values of the queries to one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    pub nothing: NothingRelevant,
    pub missing: Missing,
    /// The rounding of each query's value, or of the mean.
    pub rounding: Rounding,
    pub aggregation: Aggregation,
    /// How many more queries, all with the value 0, a mean has; fewer if negative.
    pub extra: i32,
}

impl Way {
    /// Whether two ways differ at most in the policy for queries with no relevant documents.
    fn is_like(&self, other: &Self) -> bool {
        // `nothing` is left out; its value may be NaN, which is not equal to itself.
        (self.missing, self.rounding, self.aggregation, self.extra)
            == (other.missing, other.rounding, other.aggregation, other.extra)
    }
}

/// The series and ways to combine with a convention, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchPlan {
    pub series: Vec<usize>,
    pub ways: Vec<usize>,
}

/// The search space: each convention with all series and all ways of its plan.
#[derive(Debug, Clone, Default)]
pub struct Space {
    pub conventions: Vec<Convention>,
    /// The plan of each convention.
    pub plan_of: Vec<usize>,
    pub series: Vec<Series>,
    pub ways: Vec<Way>,
    pub plans: Vec<SearchPlan>,
    /// The number of policies in which each convention, series and way differs from each known convention.
    pub convention_far: Vec<Vec<u8>>,
    pub series_far: Vec<Vec<u8>>,
    pub way_far: Vec<Vec<u8>>,
    /// The maximum number of query values to add up. If the space needs more, the combinations that differ
    /// from the nearest known convention in the most policies are left out.
    pub budget: u64,
}

/// The fixed cost of a combination, in query values.
const OVERHEAD: u64 = 300;

const NO_PLAN: &SearchPlan = &SearchPlan { series: Vec::new(), ways: Vec::new() };

impl Space {
    #[must_use]
    pub fn plan(&self, number: usize) -> &SearchPlan {
        self.plans.get(number).unwrap_or(NO_PLAN)
    }

    /// Iterates over the ways of a plan that differ from a way at most in the policy for queries with no
    /// relevant documents, itself included.
    pub fn similar_ways<'a>(
        &'a self,
        plan: &'a SearchPlan,
        way: &'a Way,
    ) -> impl Iterator<Item = usize> + 'a {
        let is_like = |number: &usize| self.ways.get(*number).is_some_and(|other| other.is_like(way));
        plan.ways.iter().copied().filter(is_like)
    }

    /// Returns in how many policies a combination may differ from the nearest known convention to stay within
    /// the budget, and whether that includes all combinations. Each class is given as its plan and its
    /// distances from the known conventions.
    pub fn farthest<'a>(
        &self,
        classes: impl Iterator<Item = (usize, &'a [u8])>,
        data: &Data<'_>,
    ) -> (u8, bool) {
        let mut counts = [0u64; 256];
        for (plan, far) in classes {
            let plan = self.plan(plan);
            for &series in &plan.series {
                let far = add_distances(far, self.series_far.get(series));
                let width = self.series.get(series).map_or(0, |series| series.cutoffs.len());
                let cost = (width * data.judgments.queries() * data.runs.len()) as u64 + OVERHEAD;
                for &way in &plan.ways {
                    let nearest = nearest_sum(&far, self.way_far.get(way));
                    *counts.known_mut(usize::from(nearest)) += cost;
                }
            }
        }
        let mut sum = 0;
        let mut farthest = 0;
        for (far, &count) in (0u8..).zip(&counts) {
            sum += count;
            // Always search combinations that differ in at most one policy.
            if far > 1 && sum > self.budget {
                return (farthest, false);
            }
            farthest = far;
        }
        (farthest, true)
    }

    /// Refuses numbers that are out of range.
    pub fn check(&self) -> Result<()> {
        let error = |what: &str| {
            Err(Error::statement(Kind::Argument, format!("the number of a {what} is out of range")))
        };
        if self.plan_of.len() != self.conventions.len()
            || self.plan_of.iter().any(|&plan| plan >= self.plans.len())
        {
            return error("plan");
        }
        if self.plans.iter().flat_map(|plan| &plan.series).any(|&series| series >= self.series.len()) {
            return error("series");
        }
        if self.plans.iter().flat_map(|plan| &plan.ways).any(|&way| way >= self.ways.len()) {
            return error("way");
        }
        let known = self.convention_far.first().map_or(0, Vec::len);
        for (far, count) in [
            (&self.convention_far, self.conventions.len()),
            (&self.series_far, self.series.len()),
            (&self.way_far, self.ways.len()),
        ] {
            if far.len() != count || far.iter().any(|far| far.len() != known) {
                return error("known convention");
            }
        }
        Ok(())
    }
}

/// Adds two lists of distances from the known conventions.
pub(super) fn add_distances(one: &[u8], other: Option<&Vec<u8>>) -> Vec<u8> {
    let other = other.map(Vec::as_slice).unwrap_or_default();
    one.iter().zip(other).map(|(&one, &other)| one.saturating_add(other)).collect()
}

/// Returns the least sum of two lists of distances; 0 without known conventions.
pub(super) fn nearest_sum(one: &[u8], other: Option<&Vec<u8>>) -> u8 {
    let other = other.map(Vec::as_slice).unwrap_or_default();
    one.iter().zip(other).map(|(&one, &other)| one.saturating_add(other)).min().unwrap_or(0)
}

/// Combinations with at most this many changes are counted in all intervals.
const FEW_CHANGES: u8 = 2;

/// The number to reproduce, or those of several runs.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// The range of values that round to the number, both ends included.
    pub low: f64,
    pub high: f64,
    /// The ranges of the numbers of further runs.
    pub further: Vec<(f64, f64)>,
    /// Half the widths of the intervals around the number in which distinct values are counted, ascending.
    pub near: Vec<f64>,
    /// Known values of queries: the position of the query in byte order of the ids, and the range of its
    /// value.
    pub per_query: Vec<(usize, f64, f64)>,
    /// The maximum number of groups to report.
    pub groups: usize,
    /// The maximum number of nearest combinations to report.
    pub nearest: usize,
}

impl Target {
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Returns one value for those of all runs: the first if all round to their numbers, else the one with the
    /// largest distance, both on the scale of the first number.
    #[must_use]
    pub fn joint(&self, first: f64, further: impl Iterator<Item = f64>) -> f64 {
        let scaled = further
            .zip(&self.further)
            .map(|(value, &(low, high))| self.low + (value - low) * ((self.high - self.low) / (high - low)));
        scaled.fold(first, |worst, value| {
            if value.is_nan() || self.distance(value) > self.distance(worst) { value } else { worst }
        })
    }

    /// Returns up to which distance values with a number of changes are counted. Combinations with few changes
    /// are few, so they are counted in a wider interval.
    #[must_use]
    pub fn reach(&self, changes: u8) -> f64 {
        let reach = if changes <= FEW_CHANGES { self.near.last() } else { self.near.first() };
        reach.copied().unwrap_or(0.0)
    }

    /// Returns the distance of a value from the range of the number; infinite for NaN.
    #[must_use]
    pub fn distance(&self, value: f64) -> f64 {
        let distance = (self.low - value).max(value - self.high).max(0.0);
        if value.is_nan() { f64::INFINITY } else { distance }
    }
}
