//! Whether judgments and run have offsets, and whether the measures use them.

use super::reading::{Reading, names_places, reads_places};
use crate::convention::{Convention, Unjudged, Unretrieved};
use crate::error::{Error, Kind, Result};
use crate::judgments::Pool;
use crate::measures::Measure;
use crate::ranking::Block;

/// A query whose places may be read.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    pub measures: &'a [Measure],
    pub convention: &'a Convention,
    pub pool: &'a Pool<'a>,
    /// The run's rows, and their numbers in rank order.
    pub run: Option<(&'a Block<'a>, &'a [u32])>,
    /// The number of ranks that the measures look at; `None` for all.
    pub ranks: Option<usize>,
}

impl Sides<'_> {
    /// The places of the query. `None` if neither side has offsets. An error if only one has, or if a measure
    /// ignores or lacks them.
    pub fn read<'r>(&self, reading: &'r mut Reading) -> Result<Option<&'r Reading>> {
        let judged = if self.pool.documents.is_empty() { None } else { Some(names_places(self.pool)?) };
        let run = self.run.filter(|(_, order)| !order.is_empty());
        let returned = run.map(|(block, order)| reads_places(block, order));
        let needed = || self.measures.iter().find(|measure| measure.needs.reads.places() == Some(true));
        match (judged, returned) {
            (Some(true), Some(false)) => {
                return Err(one_sided("the judgments have offsets, and the run has none"));
            }
            (Some(false), Some(true)) => {
                return Err(one_sided("the run has offsets, and the judgments have none"));
            }
            (Some(true), _) | (_, Some(true)) => self.check()?,
            (Some(false), _) | (_, Some(false)) => {
                return needed().map_or(Ok(None), |measure| Err(without(measure)));
            }
            (None, None) if needed().is_none() => return Ok(None),
            (None, None) => {}
        }
        let (block, order) = run.map_or((None, &[][..]), |(block, order)| (Some(block), order));
        reading.fill(self.pool, block, order, self.ranks)?;
        Ok(Some(reading))
    }

    /// Refuses measures and policies that are not defined for spans.
    fn check(&self) -> Result<()> {
        for measure in self.measures {
            if measure.needs.reads.places() == Some(false) {
                let found = format!("{} ignores offsets, and judgments and run have them", measure.name);
                return Err(Error::statement(Kind::Measure, found).hint(
                    "SpanR, SpanDCG, FullRecall and Success compare text; ⟪ignore_offsets=True⟫ compares whole documents",
                ));
            }
            if measure.judged_only {
                let found =
                    format!("{} is not defined for spans, which are not judged one by one", measure.name);
                return Err(
                    Error::statement(Kind::Measure, found).hint("use the measure without judged_only")
                );
            }
        }
        let policy = match (self.convention.unjudged, self.convention.unretrieved) {
            (Unjudged::Condense, _) => "unjudged=condense",
            (Unjudged::Grade(_), _) => "a grade for unjudged documents",
            (_, Unretrieved::Last) => "unretrieved=last",
            (Unjudged::Zero, Unretrieved::Absent) => return Ok(()),
        };
        let found = format!("measures of spans are not defined for {policy}");
        Err(Error::statement(Kind::Convention, found)
            .hint("text outside the judged spans is not relevant; use unjudged=zero and unretrieved=absent"))
    }
}

/// Refuses judgments of places, for what is defined for documents alone.
pub fn refuse_places(pool: &Pool<'_>, what: &str) -> Result<()> {
    if !names_places(pool)? {
        return Ok(());
    }
    let found = format!("{what} is not defined for spans, and the judgments have offsets");
    Err(Error::statement(Kind::Match, found)
        .query(pool.query)
        .hint("⟪ignore_offsets=True⟫ compares whole documents"))
}

#[cold]
fn one_sided(found: &str) -> Box<Error> {
    Error::statement(Kind::Match, found)
        .hint("give both a start and an end, or compare whole documents with ⟪ignore_offsets=True⟫")
}

#[cold]
fn without(measure: &Measure) -> Box<Error> {
    let found = format!("{} needs offsets in judgments and run", measure.name);
    Error::statement(Kind::Measure, found)
        .hint("write them into columns start and end, or into ids such as doc7#char=0,400")
}
