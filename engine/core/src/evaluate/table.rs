//! The table of one run: a row a query, and what they come to.

use super::Plan;
use super::measurer::{Measurer, NOTHING, SKIPPED};
use crate::convention::{Extra, Missing};
use crate::error::{Error, Kind, Result, quoted};
use crate::judgments::Judgments;

/// Rows as the workers hand them over, each with the number of its query.
#[derive(Debug, Default)]
pub struct Outcome {
    pub queries: Vec<u32>,
    pub values: Vec<f64>,
    pub flags: Vec<u8>,
    /// One a row, if the plan asks for them.
    pub relevance: Vec<String>,
    pub extra: ExtraQueries,
    /// The tag of the last line read.
    pub tag: Vec<u8>,
}

impl Outcome {
    pub fn push(&mut self, query: usize, measurer: &Measurer) {
        self.queries.push(u32::try_from(query).unwrap_or(u32::MAX));
        self.values.extend_from_slice(&measurer.row);
        self.flags.extend_from_slice(&measurer.flags);
        self.relevance.extend(measurer.relevance.clone());
    }

    pub fn clear(&mut self) {
        self.queries.clear();
        self.values.clear();
        self.flags.clear();
        if !self.extra.is_empty() {
            self.extra = ExtraQueries::default();
        }
    }
}

/// Queries of the run that were not judged: how many, and the first few names.
#[derive(Debug, Default)]
pub struct ExtraQueries {
    /// 128 bits of hash each, so that a million of them take 16 MB.
    seen: hashbrown::HashSet<u128, foldhash::fast::RandomState>,
    examples: Vec<Vec<u8>>,
}

impl ExtraQueries {
    pub fn add(&mut self, id: &[u8]) {
        use std::hash::BuildHasher;
        let half = |seed: u64| foldhash::quality::FixedState::with_seed(seed).hash_one(id);
        let hash = u128::from(half(0x9e37_79b9)) << 64 | u128::from(half(0x51ed_270b));
        if self.seen.insert(hash) && self.examples.len() < 3 {
            self.examples.push(id.to_vec());
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    fn merge(&mut self, other: Self) {
        self.seen.extend(other.seen);
        self.examples.extend(other.examples);
        self.examples.truncate(3);
    }
}

/// What an evaluation met on its way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Queries with judgments.
    pub judged: u64,
    /// Of these, in the table.
    pub evaluated: u64,
    /// Judged queries that the run lacks.
    pub missing: u64,
    /// Queries of the run without judgments.
    pub extra: u64,
}

/// One run, one row a query, in byte order of the query ids. The rows stay where the workers put them;
/// only their order is new.
#[derive(Debug, Default)]
pub struct Table {
    /// Numbers of the queries in the judgments.
    pub queries: Vec<u32>,
    /// Of each query, its part and its row there.
    places: Vec<(u32, u32)>,
    parts: Vec<Part>,
    width: usize,
    measures: usize,
    pub counts: Counts,
    /// The tag of the last line of a run in TREC text; empty where the run has none.
    pub tag: Vec<u8>,
}

/// Rows as a worker made them.
#[derive(Debug, Default)]
struct Part {
    values: Vec<f64>,
    flags: Vec<u8>,
    relevance: Vec<String>,
}

/// What a column comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Queries that count.
    pub n: u64,
    pub mean: f64,
    pub sum: f64,
    /// Sample standard deviation; NaN below two queries. Weighted: of the weighted mean, times √n. For
    /// a geometric mean that of the logarithms.
    pub deviation: f64,
    pub low: f64,
    pub quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub high: f64,
    /// Queries with nothing relevant for the measure, counted or left out.
    pub nothing: u64,
}

impl Table {
    /// Brings the workers' rows together and treats the queries that the run lacks.
    pub fn assemble(outcomes: Vec<Outcome>, judgments: &Judgments<'_>, plan: &Plan) -> Result<Self> {
        let rows = judgments.rows();
        let width = plan.width();
        let measures = plan.measures.len();
        let mut places = vec![(u32::MAX, 0u32); rows.queries()];
        let mut extra = ExtraQueries::default();
        let mut parts = Vec::with_capacity(outcomes.len());
        let mut tag = Vec::new();
        for (number, outcome) in outcomes.into_iter().enumerate() {
            for (row, &query) in outcome.queries.iter().enumerate() {
                if let Some(slot) = places.get_mut(query as usize) {
                    *slot = (count(number), count(row));
                }
            }
            extra.merge(outcome.extra);
            if !outcome.tag.is_empty() {
                tag = outcome.tag;
            }
            parts.push(Part { values: outcome.values, flags: outcome.flags, relevance: outcome.relevance });
        }
        let missing = places.iter().filter(|(part, _)| *part == u32::MAX).count();
        if missing == rows.queries() {
            return Err(no_overlap(judgments, &extra));
        }
        if plan.convention.extra == Extra::Error && !extra.seen.is_empty() {
            return Err(extra_queries(&extra));
        }
        let mut table = Self {
            queries: Vec::with_capacity(rows.queries()),
            places: Vec::with_capacity(rows.queries()),
            parts: Vec::new(),
            width,
            measures,
            counts: Counts {
                judged: rows.queries() as u64,
                evaluated: 0,
                missing: missing as u64,
                extra: extra.seen.len() as u64,
            },
            tag,
        };
        let mut measurer = Measurer::default();
        let mut empty = Part::default();
        for &query in rows.sorted() {
            let mut place = places.get(query as usize).copied().unwrap_or((u32::MAX, 0));
            if place.0 == u32::MAX {
                match plan.convention.missing {
                    Missing::Skip => continue,
                    Missing::Error => return Err(missing_query(rows.query_id(query as usize), missing)),
                    Missing::Empty => {
                        measurer.empty(&judgments.pool(query as usize), plan)?;
                        let row = empty.values.len() / width.max(1);
                        place = (count(parts.len()), count(row));
                        empty.values.extend_from_slice(&measurer.row);
                        empty.flags.extend_from_slice(&measurer.flags);
                        empty.relevance.extend(measurer.relevance.clone());
                    }
                }
            }
            table.places.push(place);
            table.queries.push(query);
        }
        parts.push(empty);
        table.parts = parts;
        table.counts.evaluated = table.queries.len() as u64;
        Ok(table)
    }

    /// One row: the values of a query.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        let Some(&(part, row)) = self.places.get(row) else { return &[] };
        let at = row as usize * self.width;
        let values = self.parts.get(part as usize).map(|part| part.values.as_slice());
        values.and_then(|values| values.get(at..at + self.width)).unwrap_or_default()
    }

    /// One column, top to bottom.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        self.places.iter().map(move |&(part, row)| {
            let at = row as usize * self.width + column;
            self.parts.get(part as usize).and_then(|part| part.values.get(at)).copied().unwrap_or(f64::NAN)
        })
    }

    /// A measure's flags, top to bottom.
    pub fn flags(&self, measure: usize) -> impl Iterator<Item = u8> + '_ {
        self.places.iter().map(move |&(part, row)| {
            let at = row as usize * self.measures + measure;
            self.parts.get(part as usize).and_then(|part| part.flags.get(at)).copied().unwrap_or(0)
        })
    }

    /// The first documents of each query, a character each, top to bottom; empty texts unless the plan
    /// asked for them.
    pub fn relevance(&self) -> impl Iterator<Item = &str> + '_ {
        self.places.iter().map(move |&(part, row)| {
            self.parts
                .get(part as usize)
                .and_then(|part| part.relevance.get(row as usize))
                .map_or("", String::as_str)
        })
    }

    /// One column in no particular order, which is faster: for sums of whole numbers.
    pub fn unordered(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        let width = self.width.max(1);
        self.parts.iter().flat_map(move |part| part.values.iter().skip(column).step_by(width).copied())
    }

    /// What a measure comes to over the queries that count, left to right in byte order of query id,
    /// divided once. `geometric`: the mean is that of the logarithms, raised again.
    #[must_use]
    pub fn summary(&self, measure: usize, weights: Option<&[f64]>, geometric: bool) -> Summary {
        let mut values = Vec::with_capacity(self.queries.len());
        let mut own_weights = Vec::new();
        let mut nothing = 0;
        for (row, (value, flags)) in self.column(measure).zip(self.flags(measure)).enumerate() {
            nothing += u64::from(flags & NOTHING != 0);
            if flags & SKIPPED == 0 {
                values.push(value);
                if let Some(weights) = weights {
                    own_weights.push(weights.get(row).copied().unwrap_or(1.0));
                }
            }
        }
        let weights = weights.map(|_| own_weights.as_slice());
        let logarithms = geometric.then(|| {
            let mut logarithms: Vec<f64> = values.iter().map(|value| value.max(LEAST).ln()).collect();
            summarise(&mut logarithms, weights)
        });
        let mut summary = summarise(&mut values, weights);
        if let Some(logarithms) = logarithms {
            summary.mean = logarithms.mean.exp();
            summary.deviation = logarithms.deviation;
        }
        summary.nothing = nothing;
        summary
    }
}

/// What stands for 0 in a geometric mean, as in trec_eval.
const LEAST: f64 = 0.00001;

/// Mean, spread and quantiles; the values are left in another order. Quantiles interpolate linearly between the
/// two nearest order statistics and are not weighted.
#[must_use]
pub fn summarise(values: &mut [f64], weights: Option<&[f64]>) -> Summary {
    let n = values.len();
    let sum = values.iter().fold(0.0, |sum, value| sum + value);
    let (mean, deviation) = match weights {
        None => {
            let mean = sum / n as f64;
            let squares = values.iter().fold(0.0, |sum, value| sum + (value - mean) * (value - mean));
            (mean, if n < 2 { f64::NAN } else { (squares / (n - 1) as f64).sqrt() })
        }
        Some(weights) => {
            let whole = weights.iter().fold(0.0, |sum, weight| sum + weight);
            let mean =
                values.iter().zip(weights).fold(0.0, |sum, (value, weight)| sum + value * weight) / whole;
            // The standard error of a ratio estimator, so that deviation / √n is it.
            let squares = values.iter().zip(weights).fold(0.0, |sum, (value, weight)| {
                let term = weight * (value - mean);
                sum + term * term
            });
            let count = n as f64;
            (mean, if n < 2 { f64::NAN } else { count * (squares / (count - 1.0)).sqrt() / whole })
        }
    };
    let defined = n > 0 && !values.iter().any(|value| value.is_nan());
    let mut quantile = |share: f64| if defined { order_statistic(values, share) } else { f64::NAN };
    Summary {
        n: n as u64,
        mean,
        sum,
        deviation,
        low: quantile(0.0),
        quartile: quantile(0.25),
        median: quantile(0.5),
        upper_quartile: quantile(0.75),
        high: quantile(1.0),
        nothing: 0,
    }
}

/// A quantile of numbers of which there is at least one; selected, not sorted, for there may be a million.
fn order_statistic(values: &mut [f64], share: f64) -> f64 {
    let at = share * (values.len() - 1) as f64;
    let below = at.floor();
    let (_, low, above) = values.select_nth_unstable_by(below as usize, f64::total_cmp);
    let high = if at > below { above.iter().copied().min_by(f64::total_cmp).unwrap_or(*low) } else { *low };
    *low + (high - *low) * (at - below)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn list(ids: impl Iterator<Item = Vec<u8>>) -> String {
    ids.map(|id| quoted(&id)).collect::<Vec<_>>().join(", ")
}

fn no_overlap(judgments: &Judgments<'_>, extra: &ExtraQueries) -> Box<Error> {
    let rows = judgments.rows();
    let judged = list((0..rows.queries().min(3)).map(|query| rows.query_id(query).to_vec()));
    let run = if extra.examples.is_empty() {
        "no queries at all".to_owned()
    } else {
        format!("queries such as {}", list(extra.examples.iter().cloned()))
    };
    Error::new(
        Kind::Match,
        format!("no query in common: {run} in the run, queries such as {judged} in the judgments"),
        "the same query ids in both",
    )
    .hint("are these the judgments of another collection, or are the ids written differently?")
}

fn extra_queries(extra: &ExtraQueries) -> Box<Error> {
    Error::new(
        Kind::Match,
        format!(
            "{} queries without judgments, such as {}",
            extra.seen.len(),
            list(extra.examples.iter().cloned())
        ),
        "only judged queries",
    )
    .hint("the convention has extra=error; extra=ignore leaves them out")
}

fn missing_query(id: &[u8], missing: usize) -> Box<Error> {
    Error::new(
        Kind::Match,
        format!("no ranking for {missing} judged queries, the first {}", quoted(id)),
        "a ranking for every judged query",
    )
    .hint("the convention has missing=error; missing=empty scores them as empty rankings, missing=skip leaves them out")
}
