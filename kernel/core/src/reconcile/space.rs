//! What is searched, and for what.

use crate::convention::{Convention, Missing, Negative, NothingRelevant, Rounding};
use crate::error::{Error, Kind, Result};
use crate::measures::Measure;

/// A measure at several cutoffs.
#[derive(Debug, Clone)]
pub struct Series {
    /// The measure where negative grades gain nothing, and where they are losses.
    pub measures: [Measure; 2],
    /// Ascending; a measure without one is a series of its own.
    pub cutoffs: Vec<Option<usize>>,
    /// How unusual each cutoff is: of equally plausible combinations the least unusual comes first.
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

/// A way from the values of the queries to one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    pub nothing: NothingRelevant,
    pub missing: Missing,
    /// Of each query, or of the mean.
    pub rounding: Rounding,
    pub aggregation: Aggregation,
}

impl Way {
    /// Whether two ways differ at most in what a query with nothing relevant counts.
    fn is_like(&self, other: &Self) -> bool {
        // Not by the values, of which NaN is not equal to itself.
        (self.missing, self.rounding, self.aggregation) == (other.missing, other.rounding, other.aggregation)
    }
}

/// Series and ways that go with a convention, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub series: Vec<usize>,
    pub ways: Vec<usize>,
}

/// All that is tried: each convention with all series and all ways of its plan.
#[derive(Debug, Clone, Default)]
pub struct Space {
    pub conventions: Vec<Convention>,
    /// Of each convention, its plan.
    pub plan_of: Vec<usize>,
    pub series: Vec<Series>,
    pub ways: Vec<Way>,
    pub plans: Vec<Plan>,
    /// In how many policies each convention, series and way differs from each of the known conventions.
    pub convention_far: Vec<Vec<u8>>,
    pub series_far: Vec<Vec<u8>>,
    pub way_far: Vec<Vec<u8>>,
    /// How many values of queries there is time to add up. Combinations that differ in the most policies
    /// from the nearest known convention are left out beyond it.
    pub budget: u64,
}

/// The fixed cost of a combination, in values.
const OVERHEAD: u64 = 300;

const NO_PLAN: &Plan = &Plan { series: Vec::new(), ways: Vec::new() };

impl Space {
    #[must_use]
    pub fn plan(&self, number: usize) -> &Plan {
        self.plans.get(number).unwrap_or(NO_PLAN)
    }

    /// Of the ways of a plan, those that differ from it at most in what a query with nothing relevant
    /// counts, itself included.
    pub fn alike<'a>(&'a self, plan: &'a Plan, way: &'a Way) -> impl Iterator<Item = usize> + 'a {
        let is_like = |number: &usize| self.ways.get(*number).is_some_and(|other| other.is_like(way));
        plan.ways.iter().copied().filter(is_like)
    }

    /// In how many policies a combination may differ from the nearest known convention, and whether all
    /// combinations are within that: of each class its plan, and how far it is.
    pub fn farthest<'a>(
        &self,
        classes: impl Iterator<Item = (usize, &'a [u8])>,
        data: &super::Data<'_>,
    ) -> (u8, bool) {
        let mut counts = [0u64; 256];
        for (plan, far) in classes {
            let plan = self.plan(plan);
            for &series in &plan.series {
                let far = sums(far, self.series_far.get(series));
                let width = self.series.get(series).map_or(0, |series| series.cutoffs.len());
                let cost = (width * data.judgments.queries()) as u64 + OVERHEAD;
                for &way in &plan.ways {
                    let nearest = nearest_sum(&far, self.way_far.get(way));
                    if let Some(count) = counts.get_mut(usize::from(nearest)) {
                        *count += cost;
                    }
                }
            }
        }
        let mut sum = 0;
        let mut farthest = 0;
        for (far, &count) in (0u8..).zip(&counts) {
            sum += count;
            // What is one policy away is always searched.
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

/// Sums of how far two things are from each of the known conventions.
pub fn sums(one: &[u8], other: Option<&Vec<u8>>) -> Vec<u8> {
    let other = other.map(Vec::as_slice).unwrap_or_default();
    one.iter().zip(other).map(|(&one, &other)| one.saturating_add(other)).collect()
}

/// The least of these sums; without known conventions nothing is far.
pub fn nearest_sum(one: &[u8], other: Option<&Vec<u8>>) -> u8 {
    let other = other.map(Vec::as_slice).unwrap_or_default();
    one.iter().zip(other).map(|(&one, &other)| one.saturating_add(other)).min().unwrap_or(0)
}

/// The number that is looked for.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// What rounds to the number lies between these, both included.
    pub low: f64,
    pub high: f64,
    /// How far around it distinct numbers are counted.
    pub near: f64,
    /// Of queries whose value is known: the query in byte order of the ids, and its bounds.
    pub per_query: Vec<(usize, f64, f64)>,
    /// How many groups of equal combinations are handed over.
    pub groups: usize,
    /// How many of the nearest are.
    pub nearest: usize,
}

impl Target {
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// How far a value is from the number; NaN is infinitely far.
    #[must_use]
    pub fn distance(&self, value: f64) -> f64 {
        let distance = (self.low - value).max(value - self.high).max(0.0);
        if value.is_nan() { f64::INFINITY } else { distance }
    }
}
