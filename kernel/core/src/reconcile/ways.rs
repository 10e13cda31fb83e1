//! From the values of the queries to one number, every way.

use std::hash::{BuildHasher, Hasher};

use super::Data;
use super::classes::Class;
use super::found::{Finds, Member};
use super::grid::Grid;
use super::ranked::Ranked;
use super::space::{Aggregation, Plan, Series, Space, Way, sums};
use crate::convention::{Missing, NothingRelevant, Rounding};
use crate::error::{Kind, Result};
use crate::evaluate::{LEAST, median, summarise};
use crate::measures::Measure;

/// No tool's output distinguishes values of a query that differ in a later digit.
const ALIKE: f64 = 1e9;

/// Everything that a class and one series of its plan give.
pub fn search_series<'a>(
    data: &Data<'a>,
    space: &Space,
    class: &Class<'a>,
    place: usize,
    farthest: u8,
    grid: &mut Grid,
    finds: &mut Finds<'_>,
) -> Result<()> {
    let plan = space.plan(class.plan);
    let Some(&number) = plan.series.get(place) else { return Ok(()) };
    let Some(series) = space.series.get(number) else { return Ok(()) };
    let far = sums(&class.far, space.series_far.get(number));
    if nearest(&far) > farthest {
        return Ok(());
    }
    class.with(data, space, |ranked| {
        let measure = series.measure(&ranked.convention);
        let convention =
            crate::convention::Convention { rounding: series.rounding, ..ranked.convention.clone() };
        let refused = measure
            .check(&convention)
            .and_then(|()| measure.fits(data.judgments.has_labels()))
            .and_then(|()| grid.fill(ranked, number, series));
        match refused {
            Ok(()) => {}
            Err(error) if error.kind == Kind::Interrupted => return Err(error),
            Err(error) => {
                finds.refuse(class.conventions.iter().copied(), number, &error);
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
            rows: Rows::default(),
        };
        search.all(finds);
        Ok(())
    })
}

/// Without known conventions nothing is far.
fn nearest(far: &[u8]) -> u8 {
    far.iter().copied().min().unwrap_or(0)
}

struct Search<'a, 'b> {
    space: &'a Space,
    plan: &'a Plan,
    class: &'a Class<'b>,
    number: usize,
    series: &'a Series,
    measure: &'a Measure,
    ranked: &'a Ranked<'b>,
    grid: &'a Grid,
    far: Vec<u8>,
    farthest: u8,
    rows: Rows,
}

/// The values of the queries after the policies on queries; NaN where one is left out.
#[derive(Default)]
struct Rows {
    values: Vec<f64>,
    sums: Vec<f64>,
    /// How many queries count, at each cutoff.
    counts: Vec<u32>,
    /// Whether all do.
    all: bool,
    column: Vec<f64>,
}

impl Search<'_, '_> {
    fn all(&mut self, finds: &mut Finds<'_>) {
        let mut done: Vec<usize> = Vec::new();
        for &number in &self.plan.ways {
            let Some(way) = self.space.ways.get(number) else { continue };
            if done.contains(&number) {
                continue;
            }
            // Where every query has something relevant, these are one.
            let alike: Vec<usize> =
                if self.grid.any_nothing { vec![number] } else { self.space.alike(self.plan, way).collect() };
            done.extend_from_slice(&alike);
            let far = |number: &usize| sums(&self.far, self.space.way_far.get(*number));
            let fars: Vec<Vec<u8>> = alike.iter().map(far).collect();
            if fars.iter().map(|far| nearest(far)).min().unwrap_or(0) > self.farthest {
                continue;
            }
            self.count(way);
            self.judge(way, &alike, &fars, finds);
        }
    }

    /// What a query with nothing relevant counts, and what is rounded; then the sums.
    fn count(&mut self, way: &Way) {
        let width = self.grid.width;
        let rows = &mut self.rows;
        rows.values.clear();
        rows.values.extend_from_slice(&self.grid.values);
        rows.sums.clear();
        rows.sums.resize(width, 0.0);
        rows.counts.clear();
        rows.counts.resize(width, 0);
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
                // Between two documents that gain something nothing changes.
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
            let slots = rows.sums.iter_mut().zip(&mut rows.counts).zip(values.iter()).zip(nothing);
            if left_out {
                rows.all = false;
                for (((sum, count), value), nothing) in slots {
                    if !nothing {
                        *sum += value;
                        *count += 1;
                    }
                }
            } else {
                for ((sum, value), count) in rows.sums.iter_mut().zip(values.iter()).zip(&mut rows.counts) {
                    *sum += value;
                    *count += 1;
                }
            }
        }
    }

    fn judge(&mut self, way: &Way, alike: &[usize], fars: &[Vec<u8>], finds: &mut Finds<'_>) {
        let width = self.grid.width;
        finds.searched(width as u64);
        for column in 0..width {
            let count = self.rows.counts.get(column).copied().unwrap_or_default();
            let sum = self.rows.sums.get(column).copied().unwrap_or(f64::NAN);
            let value = match way.aggregation {
                _ if count == 0 => continue,
                Aggregation::Sum => sum,
                Aggregation::Mean if !self.measure.geometric => sum / f64::from(count),
                Aggregation::Mean => {
                    self.column(column, way);
                    for value in &mut self.rows.column {
                        *value = value.max(LEAST).ln();
                    }
                    summarise(&mut self.rows.column, None).mean.exp()
                }
                Aggregation::Median => {
                    self.column(column, way);
                    median(&mut self.rows.column)
                }
            };
            let value = way.rounding.mean(value);
            if !finds.wants(value) {
                continue;
            }
            let gives = finds.target().contains(value);
            let matches = gives && self.confirms(column, way, finds);
            if gives && !matches {
                finds.contradicted();
            }
            let member = |preset: usize, at: usize, far: u8| Member {
                convention: self.convention(preset),
                series: self.number,
                cutoff: column,
                way: alike.get(at).copied().unwrap_or_default(),
                preset,
                far,
                cost: self.series.costs.get(column).copied().unwrap_or_default(),
                value,
            };
            let best = fars
                .iter()
                .enumerate()
                .filter_map(|(at, far)| {
                    far.iter().copied().enumerate().map(|(preset, far)| (far, preset, at)).min()
                })
                .min()
                .unwrap_or((0, 0, 0));
            if matches {
                let fingerprint = self.fingerprint(column, way);
                finds.found(fingerprint, member(best.1, best.2, best.0));
                if best.0 == 0 {
                    // All known conventions that are met exactly are named.
                    for (at, far) in fars.iter().enumerate() {
                        for (preset, _) in far.iter().enumerate().filter(|&(_, &far)| far == 0) {
                            if (preset, at) != (best.1, best.2) {
                                finds.also(fingerprint, member(preset, at, 0));
                            }
                        }
                    }
                }
            } else {
                finds.near(member(best.1, best.2, best.0));
            }
        }
    }

    /// Of the conventions that rank alike, the one that is nearest to a known one.
    fn convention(&self, preset: usize) -> usize {
        let far = |number: &usize| {
            self.space.convention_far.get(*number).and_then(|far| far.get(preset)).copied().unwrap_or(0)
        };
        self.class.conventions.iter().copied().min_by_key(far).unwrap_or_default()
    }

    /// Whether a query counts, in a column.
    fn counts(&self, query: usize, column: usize, way: &Way) -> bool {
        let missing = self.ranked.rankings.get(query).is_some_and(|ranking| ranking.missing);
        let nothing = self.grid.nothing.get(query * self.grid.width + column).copied().unwrap_or(false);
        let kept = self.rows.values.get(query * self.grid.width + column).is_some_and(|own| !own.is_nan());
        let without = nothing && !kept && way.nothing == NothingRelevant::Skip;
        let left_out = missing && way.missing == Missing::Skip;
        !without && !left_out
    }

    fn value(&self, query: usize, column: usize) -> f64 {
        self.rows.values.get(query * self.grid.width + column).copied().unwrap_or(f64::NAN)
    }

    /// Gathers the values that count.
    fn column(&mut self, column: usize, way: &Way) {
        let mut own = std::mem::take(&mut self.rows.column);
        own.clear();
        if self.rows.all {
            own.extend(self.rows.values.iter().skip(column).step_by(self.grid.width));
        } else {
            let queries = (0..self.grid.queries).filter(|&query| self.counts(query, column, way));
            own.extend(queries.map(|query| self.value(query, column)));
        }
        self.rows.column = own;
    }

    /// Whether the values of queries are those that are known.
    fn confirms(&self, column: usize, way: &Way, finds: &Finds<'_>) -> bool {
        finds.target().per_query.iter().all(|&(query, low, high)| {
            let value = self.value(query, column);
            self.counts(query, column, way) && low <= value && value <= high
        })
    }

    /// The same for columns that are alike query by query, but for the rounding of the values.
    fn fingerprint(&self, column: usize, way: &Way) -> u64 {
        let mut hasher = foldhash::quality::FixedState::with_seed(2).build_hasher();
        for query in 0..self.grid.queries {
            if self.counts(query, column, way) {
                let place = query * self.grid.width + column;
                let settled = self.grid.nothing.get(place).copied().unwrap_or(false);
                let whole = self.grid.values.get(place).copied().filter(|_| !settled);
                let value = whole.unwrap_or_else(|| self.value(query, column));
                hasher.write_i64((value * ALIKE).round() as i64);
            } else {
                hasher.write_i64(i64::MIN);
            }
        }
        hasher.finish()
    }
}
