//! Measures of retrieval by spans of text: how much of the relevant text a ranking of chunks covers, and how
//! much is read for it. Text counts once: overlap and repetition cost, and earn nothing.

mod groups;
mod ranks;
mod reading;
mod set;
mod sides;

pub use groups::{Hit, first_ranks, hits, members};
pub use ranks::Read;
pub use reading::{Reading, reads_places};
pub use sides::{Sides, refuse_places};

use super::formula::*;
use super::view::{View, is_relevant};
use crate::error::{Error, Kind};
use crate::spans::Unit;
use reading::{Chunk, Fresh};
use set::{Interval, Set};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Of {
    Recall {
        repeats: Repeats,
    },
    Precision {
        repeats: Repeats,
    },
    IntersectionOverUnion {
        repeats: Repeats,
    },
    Dcg,
    /// Each unit of relevant text gains 1 - offset / L, where the offset is what is read before it.
    Usefulness {
        length: f64,
    },
    Full,
    /// The units read.
    Units,
}

/// How lengths are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Of sets: text counts once.
    Once,
    /// Of each chunk and each relevant span, as `chunking_evaluation` does.
    Count,
}

/// The units that may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// None for all.
    pub most: Option<u64>,
    /// None for the unit of the offsets.
    pub unit: Option<Unit>,
    /// Whether the chunk that exceeds the budget is read in part.
    pub cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spans {
    pub of: Of,
    pub rel: f64,
    pub budget: Budget,
}

impl Budget {
    fn parse(values: &dyn Values) -> Result<Self> {
        Ok(Self {
            most: values.whole("budget")?.map(|most| most as u64),
            unit: values.choice_or(
                "unit",
                &[
                    ("characters", Some(Unit::Character)),
                    ("tokens", Some(Unit::Token)),
                    ("lines", Some(Unit::Line)),
                ],
                None,
            )?,
            cut: values.choice_or("last", &[("cut", true), ("drop", false)], true)?,
        })
    }
}

impl Formula for Spans {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let repeats = || {
            values.choice_or("repeats", &[("once", Repeats::Once), ("count", Repeats::Count)], Repeats::Once)
        };
        let of = match name {
            "span_r" => Of::Recall { repeats: repeats()? },
            "span_p" => Of::Precision { repeats: repeats()? },
            "span_iou" => Of::IntersectionOverUnion { repeats: repeats()? },
            "span_dcg" => Of::Dcg,
            "span_u" => Of::Usefulness { length: values.number("length")? },
            "span_full" => Of::Full,
            _ => Of::Units,
        };
        let rel = if of == Of::Units { 1.0 } else { values.number("rel")? };
        Ok(Self { of, rel, budget: Budget::parse(values)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Places,
            relevant: if self.of == Of::Units { Relevant::Unasked } else { Relevant::FromGrade(self.rel) },
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let Some(reading) = view.documents.reading else { return Err(no_offsets()) };
        let extent = reading.extent(cutoff, self.budget)?;
        if self.of == Of::Units {
            return Ok(Raw::of(extent.spent, false));
        }
        let gold = reading.relevant(view, self.rel);
        let whole = gold.length() as f64;
        if whole == 0.0 {
            return Ok(Raw::of(0.0, true));
        }
        let covered = || reading.fresh(extent).map(|fresh| gold.overlap(fresh.part)).sum::<u64>() as f64;
        let value = match self.of {
            Of::Recall { repeats: Repeats::Once } => covered() / whole,
            Of::Recall { repeats: Repeats::Count } => {
                covered() / reading.lengths(view, self.rel, |place| place.length())
            }
            Of::Precision { repeats } => share(covered(), reading.length_read(extent, repeats)),
            Of::IntersectionOverUnion { repeats } => {
                let covered = covered();
                let unread = match repeats {
                    Repeats::Once => whole - covered,
                    Repeats::Count => {
                        let read = Set::new(reading.fresh(extent).map(|fresh| fresh.part));
                        reading.lengths(view, self.rel, |place| place.length() - read.overlap(place))
                    }
                };
                covered / (reading.length_read(extent, repeats) + unread)
            }
            Of::Dcg => reading.dcg(&gold, extent) / whole,
            Of::Usefulness { length } => reading.usefulness(&gold, extent, self.budget.unit, length)? / whole,
            Of::Full => f64::from(u8::from(covered() == whole)),
            Of::Units => extent.spent,
        };
        Ok(Raw::of(value, false))
    }
}

/// The error of a measure without places.
#[cold]
fn no_offsets() -> Box<Error> {
    Error::statement(Kind::Measure, "measures of spans need offsets in judgments and run")
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// What is read of a ranking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The number of chunks that are read to their ends.
    chunks: usize,
    /// How much of the next one is read, in the unit of the offsets.
    cut: u64,
    /// What was spent, in the unit of the budget.
    spent: f64,
}

impl Reading {
    /// The relevant text: intervals that overlap are one.
    fn relevant(&self, view: &View<'_>, rel: f64) -> Set {
        let graded = self.gold.iter().zip(view.pool_given);
        Set::new(graded.filter(|&(_, &grade)| is_relevant(grade, rel.max(0.0))).map(|(&place, _)| place))
    }

    /// What is read down to a rank and within a budget.
    fn extent(&self, cutoff: Option<usize>, budget: Budget) -> Result<Extent> {
        let mut spent = 0u64;
        for (index, chunk) in self.chunks.iter().enumerate().take(cutoff.unwrap_or(usize::MAX)) {
            let cost = self.cost(chunk, budget.unit)?;
            let left = budget.most.map_or(u64::MAX, |most| most - spent);
            if cost > left {
                let part = u128::from(chunk.place.length()) * u128::from(left) / u128::from(cost);
                let (cut, last) =
                    if budget.cut { (u64::try_from(part).unwrap_or(u64::MAX), left) } else { (0, 0) };
                return Ok(Extent { chunks: index, cut, spent: (spent + last) as f64 });
            }
            spent += cost;
        }
        let chunks = self.chunks.len().min(cutoff.unwrap_or(usize::MAX));
        Ok(Extent { chunks, cut: 0, spent: spent as f64 })
    }

    /// What a chunk costs.
    fn cost(&self, chunk: &Chunk, unit: Option<Unit>) -> Result<u64> {
        match unit {
            Some(unit) if unit != self.unit() => match (unit, chunk.tokens) {
                (Unit::Token, Some(tokens)) => Ok(tokens),
                (Unit::Token, None) => Err(Error::statement(
                    Kind::Measure,
                    "a budget in tokens needs the number of tokens of each chunk",
                )
                .hint("write it into a column tokens of the run, or leave unit out")),
                _ => Err(Error::statement(
                    Kind::Measure,
                    format!(
                        "the budget counts {}, and the offsets count {}",
                        unit.plural(),
                        self.unit().plural()
                    ),
                )
                .hint("a budget is in the unit of the offsets or in tokens")),
            },
            _ => Ok(chunk.place.length()),
        }
    }

    /// What is read for the first time, in rank order.
    fn fresh(&self, extent: Extent) -> impl Iterator<Item = Fresh> + '_ {
        let last = if extent.cut > 0 { extent.chunks + 1 } else { extent.chunks };
        let fresh = self.fresh.iter().take_while(move |fresh| fresh.index < last);
        fresh.filter_map(move |&Fresh { index, part }| {
            if index < extent.chunks {
                return Some(Fresh { index, part });
            }
            let end = part.end.min(self.chunks.get(index)?.place.start + extent.cut);
            (part.start < end).then_some(Fresh { index, part: Interval { end, ..part } })
        })
    }

    fn length_read(&self, extent: Extent, repeats: Repeats) -> f64 {
        match repeats {
            Repeats::Once => self.fresh(extent).map(|fresh| fresh.part.length()).sum::<u64>() as f64,
            Repeats::Count => {
                let whole = self.chunks.iter().take(extent.chunks);
                whole.map(|chunk| chunk.place.length() as f64).sum::<f64>() + extent.cut as f64
            }
        }
    }

    /// The sum over relevant spans, each counted alone.
    fn lengths(&self, view: &View<'_>, rel: f64, length: impl Fn(Interval) -> u64) -> f64 {
        let graded = self.gold.iter().zip(view.pool_given);
        let relevant = graded.filter(|&(_, &grade)| super::is_relevant(grade, rel.max(0.0)));
        relevant.map(|(&place, _)| length(place) as f64).sum()
    }

    /// The newly covered units of each rank, discounted.
    fn dcg(&self, gold: &Set, extent: Extent) -> f64 {
        let (mut sum, mut rank, mut gain) = (0.0, 0, 0u64);
        let discounted = |gain: u64, index: usize| gain as f64 / (index as f64 + 2.0).log2();
        for fresh in self.fresh(extent) {
            if fresh.index != rank {
                sum += discounted(gain, rank);
                (rank, gain) = (fresh.index, 0);
            }
            gain += gold.overlap(fresh.part);
        }
        sum + discounted(gain, rank)
    }

    /// The sum of 1 - offset / L over the newly covered units whose offset is below L.
    fn usefulness(&self, gold: &Set, extent: Extent, unit: Option<Unit>, length: f64) -> Result<f64> {
        let (mut sum, mut before, mut read) = (0.0, 0u64, 0);
        for fresh in self.fresh(extent) {
            while let Some(chunk) = self.chunks.get(read).filter(|_| read < fresh.index) {
                before += self.cost(chunk, unit)?;
                read += 1;
            }
            let Some(chunk) = self.chunks.get(fresh.index) else { break };
            if before as f64 >= length {
                break;
            }
            // A unit of text costs so many units of the budget.
            let step = self.cost(chunk, unit)? as f64 / chunk.place.length() as f64;
            for part in gold.within(fresh.part) {
                let first = before as f64 + (part.start - chunk.place.start) as f64 * step;
                let below = if step > 0.0 { ((length - first) / step).ceil() } else { f64::INFINITY };
                let count = (part.length() as f64).min(below);
                if count > 0.0 {
                    sum += count - (count * first + step * (count * (count - 1.0) / 2.0)) / length;
                }
            }
        }
        Ok(sum)
    }
}
