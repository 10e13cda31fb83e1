//! Aggregates the values of the queries in every way of a plan.

use std::hash::{BuildHasher, Hasher};

use super::classes::Class;
use super::grid::Grid;
use super::outcome::{Complexity, MatchCollector, Member};
use super::ranked::RankedRuns;
use super::space::{Aggregation, Data, SearchPlan, Series, Space, Way, add_distances};
use crate::convention::{Missing, NothingRelevant, Rounding};
use crate::error::{Kind, Result};
use crate::evaluate::{LEAST, median, summarise};
use crate::known::Known;
use crate::measures::Measure;

/// Values of a query are equal if they agree to nine decimals, more than any tool prints.
const PRECISION: f64 = 1e9;

/// Evaluates all combinations of a class with one series of its plan.
pub(super) fn search_series<'a>(
    data: &Data<'a>,
    space: &Space,
    class: &Class<'a>,
    place: usize,
    farthest: u8,
    grid: &mut Grid,
    collector: &mut MatchCollector<'_>,
) -> Result<()> {
    let plan = space.plan(class.plan);
    let Some(&number) = plan.series.get(place) else { return Ok(()) };
    let Some(series) = space.series.get(number) else { return Ok(()) };
    let far = add_distances(&class.far, space.series_far.get(number));
    if nearest(&far) > farthest {
        return Ok(());
    }
    class.with(data, space, |ranked| {
        let measure = series.measure(&ranked.convention);
        let convention =
            crate::convention::Convention { rounding: series.rounding, ..ranked.convention.clone() };
        let refused = measure
            .check(&convention)
            .and_then(|()| measure.fits(data.judgments.has_labels(), || data.judgments.one_grade()))
            .and_then(|()| grid.fill(ranked, number, series));
        match refused {
            Ok(()) => {}
            Err(error) if error.kind == Kind::Interrupted => return Err(error),
            Err(error) => {
                collector.refuse(class.conventions.iter().copied(), number, &error);
                return Ok(());
            }
        }
        let mut search = Search {
            space,
            plan,
            class,
            number,
            series,
            measure,
            ranked,
            grid,
            far,
            farthest,
            rows: WayRows::default(),
        };
        search.search_all(collector);
        Ok(())
    })
}

/// Returns the least distance; 0 without known conventions.
fn nearest(far: &[u8]) -> u8 {
    far.iter().copied().min().unwrap_or(0)
}

struct Search<'a, 'b> {
    space: &'a Space,
    plan: &'a SearchPlan,
    class: &'a Class<'b>,
    number: usize,
    series: &'a Series,
    measure: &'a Measure,
    ranked: &'a RankedRuns<'b>,
    grid: &'a Grid,
    far: Vec<u8>,
    farthest: u8,
    rows: WayRows,
}

/// The values of the queries after the policies of a way; NaN for a query that is left out.
#[derive(Default)]
struct WayRows {
    values: Vec<f64>,
    /// Sums per run and cutoff.
    sums: Vec<f64>,
    /// The number of queries that count, per run and cutoff.
    counts: Vec<u32>,
    /// Whether all queries count at all cutoffs.
    all: bool,
    column: Vec<f64>,
}

impl Search<'_, '_> {
    fn search_all(&mut self, collector: &mut MatchCollector<'_>) {
        let mut done: Vec<usize> = Vec::new();
        for &number in &self.plan.ways {
            let Some(way) = self.space.ways.get(number) else { continue };
            if done.contains(&number) {
                continue;
            }
            // If every query has relevant documents, similar ways give equal values.
            let similar: Vec<usize> = if self.grid.any_nothing {
                vec![number]
            } else {
                self.space.similar_ways(self.plan, way).collect()
            };
            done.extend_from_slice(&similar);
            let far = |number: &usize| add_distances(&self.far, self.space.way_far.get(*number));
            let fars: Vec<Vec<u8>> = similar.iter().map(far).collect();
            if fars.iter().map(|far| nearest(far)).min().unwrap_or(0) > self.farthest {
                continue;
            }
            self.apply_way(way);
            self.compare_values(way, &similar, &fars, collector);
        }
    }

    /// Applies a way's policies and rounding to the values, and adds them up.
    fn apply_way(&mut self, way: &Way) {
        let width = self.grid.width;
        let rows = &mut self.rows;
        rows.values.clear();
        rows.values.extend_from_slice(&self.grid.values);
        rows.sums.clear();
        rows.sums.resize(width * self.ranked.ends.len(), 0.0);
        rows.counts.clear();
        rows.counts.resize(width * self.ranked.ends.len(), 0);
        rows.all = true;
        let rankings = self.ranked.rankings.iter();
        let grid = self.grid.nothing.chunks(width.max(1));
        for ((ranking, nothing), values) in rankings.zip(grid).zip(rows.values.chunks_mut(width.max(1))) {
            if ranking.missing && way.missing == Missing::Skip {
                values.fill(f64::NAN);
                rows.all = false;
                continue;
            }
            let mut skipped = false;
            if self.grid.any_nothing {
                for (value, _) in values.iter_mut().zip(nothing).filter(|&(_, &nothing)| nothing) {
                    let set = self.measure.without_relevant(*value, way.nothing, ranking.is_empty());
                    skipped |= set.is_none();
                    *value = set.unwrap_or(f64::NAN);
                }
            }
            if matches!(way.rounding, Rounding::Query(_)) {
                // Values often repeat from cutoff to cutoff; round each only once.
                let (mut before, mut rounded) = (f64::NAN, f64::NAN);
                for value in values.iter_mut() {
                    if *value != before {
                        before = *value;
                        rounded = way.rounding.query(before);
                    }
                    *value = if value.is_nan() { *value } else { rounded };
                }
            }
            let left_out = skipped && way.nothing == NothingRelevant::Skip;
            let sums = rows.sums.iter_mut().skip(ranking.run * width);
            let slots = sums.zip(rows.counts.iter_mut().skip(ranking.run * width)).zip(values.iter());
            if left_out {
                rows.all = false;
                for (((sum, count), value), nothing) in slots.zip(nothing) {
                    if !nothing {
                        *sum += value;
                        *count += 1;
                    }
                }
            } else {
                for ((sum, count), value) in slots {
                    *sum += value;
                    *count += 1;
                }
            }
        }
    }

    /// Compares the aggregate of each column with the target.
    fn compare_values(
        &mut self,
        way: &Way,
        similar: &[usize],
        fars: &[Vec<u8>],
        collector: &mut MatchCollector<'_>,
    ) {
        let width = self.grid.width;
        collector.count_searched(width as u64);
        let nearest_known = |(at, far): (usize, &Vec<u8>)| {
            far.iter().copied().enumerate().map(|(preset, far)| (far, preset, at)).min()
        };
        let best = fars.iter().enumerate().filter_map(nearest_known).min().unwrap_or((0, 0, 0));
        for column in 0..width {
            let Some(first) = self.aggregate(0, column, way) else { continue };
            let target = collector.target();
            let further =
                (1..=target.further.len()).map(|run| self.aggregate(run, column, way).unwrap_or(f64::NAN));
            let value = target.joint(first, further);
            let cost = *self.series.costs.known(column);
            let complexity = Complexity::new(best.0, cost);
            let distance = collector.target().distance(value);
            let is_near = distance > 0.0 && distance <= collector.target().reach(complexity.changes);
            if is_near && self.confirms(column, way, collector) {
                collector.add_around(value, complexity);
            }
            if !collector.is_candidate(value) {
                continue;
            }
            let gives = collector.target().contains(value);
            let matches = gives && self.confirms(column, way, collector);
            if gives && !matches {
                collector.count_contradicted();
            }
            let member = |preset: usize, at: usize, far: u8| Member {
                convention: self.convention(preset),
                series: self.number,
                cutoff: column,
                way: *similar.known(at),
                preset,
                far,
                cost,
                value,
            };
            if matches {
                let fingerprint = self.fingerprint(column, way);
                collector.add_match(fingerprint, member(best.1, best.2, best.0));
                if best.0 == 0 {
                    // Report all known conventions that match exactly.
                    for (at, far) in fars.iter().enumerate() {
                        for (preset, _) in far.iter().enumerate().filter(|&(_, &far)| far == 0) {
                            if (preset, at) != (best.1, best.2) {
                                collector.add_preset(fingerprint, member(preset, at, 0));
                            }
                        }
                    }
                }
            } else {
                collector.add_near(member(best.1, best.2, best.0));
            }
        }
    }

    /// Returns the number of a run in a column; None without queries.
    fn aggregate(&mut self, run: usize, column: usize, way: &Way) -> Option<f64> {
        let place = run * self.grid.width + column;
        let count = *self.rows.counts.known(place);
        let sum = *self.rows.sums.known(place);
        let value = match way.aggregation {
            _ if count == 0 => return None,
            Aggregation::Sum => sum,
            Aggregation::Mean if !self.measure.geometric => {
                let queries = f64::from(count) + f64::from(way.extra);
                if queries < 1.0 {
                    return None;
                }
                sum / queries
            }
            Aggregation::Mean => {
                self.column(run, column, way);
                for value in &mut self.rows.column {
                    *value = value.max(LEAST).ln();
                }
                summarise(&mut self.rows.column, None).mean.exp()
            }
            Aggregation::Median => {
                self.column(run, column, way);
                median(&mut self.rows.column)
            }
        };
        Some(way.rounding.mean(value))
    }

    /// Returns the convention of the class that is nearest to a known convention.
    fn convention(&self, preset: usize) -> usize {
        let far = |number: &usize| {
            self.space.convention_far.get(*number).and_then(|far| far.get(preset)).copied().unwrap_or(0)
        };
        self.class.conventions.iter().copied().min_by_key(far).unwrap_or_default()
    }

    /// Whether a query counts in a column.
    fn counts(&self, query: usize, column: usize, way: &Way) -> bool {
        let missing = self.ranked.rankings.get(query).is_some_and(|ranking| ranking.missing);
        let nothing = *self.grid.nothing.known(query * self.grid.width + column);
        let kept =
            self.rows.values.get(query * self.grid.width + column).is_some_and(|value| !value.is_nan());
        let without = nothing && !kept && way.nothing == NothingRelevant::Skip;
        let left_out = missing && way.missing == Missing::Skip;
        !without && !left_out
    }

    fn value(&self, query: usize, column: usize) -> f64 {
        *self.rows.values.known(query * self.grid.width + column)
    }

    /// Collects the values of a run that count in a column.
    fn column(&mut self, run: usize, column: usize, way: &Way) {
        let ends = &self.ranked.ends;
        let queries = run.checked_sub(1).map_or(0, |before| *ends.known(before))..*ends.known(run);
        let mut values = std::mem::take(&mut self.rows.column);
        values.clear();
        if self.rows.all {
            values.extend(queries.map(|query| self.value(query, column)));
        } else {
            let queries = queries.filter(|&query| self.counts(query, column, way));
            values.extend(queries.map(|query| self.value(query, column)));
        }
        self.rows.column = values;
    }

    /// Whether the values of queries agree with the known ones.
    fn confirms(&self, column: usize, way: &Way, collector: &MatchCollector<'_>) -> bool {
        collector.target().per_query.iter().all(|&(query, low, high)| {
            let value = self.value(query, column);
            self.counts(query, column, way) && low <= value && value <= high
        })
    }

    /// Computes a hash that is equal for columns with equal values for every query, apart from rounding.
    fn fingerprint(&self, column: usize, way: &Way) -> u64 {
        let mut hasher = foldhash::quality::FixedState::with_seed(2).build_hasher();
        for query in 0..self.grid.queries {
            if self.counts(query, column, way) {
                let place = query * self.grid.width + column;
                let settled = *self.grid.nothing.known(place);
                let whole = self.grid.values.get(place).copied().filter(|_| !settled);
                let value = whole.unwrap_or_else(|| self.value(query, column));
                hasher.write_i64((value * PRECISION).round() as i64);
            } else {
                hasher.write_i64(i64::MIN);
            }
        }
        hasher.finish()
    }
}
