//! What is read at each rank.

use super::reading::Reading;
use super::set::Set;
use crate::measures::{Relevant, View};

/// What one rank adds, in the unit of the offsets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Read {
    pub new: u64,
    /// What chunks above it have.
    pub repeated: u64,
    /// The share of the relevant text that is covered down to this rank; NaN without relevant text.
    pub covered: f64,
    /// Whether the chunk has relevant text, new or repeated.
    pub is_relevant: bool,
}

impl Reading {
    /// What is read at each rank.
    #[must_use]
    pub fn at_ranks(&self, view: &View<'_>, relevant: &Relevant) -> Vec<Read> {
        let graded = self.gold.iter().zip(view.pool_given);
        let gold = Set::new(
            graded.filter(|&(_, &grade)| relevant.has(grade).unwrap_or(grade > 0.0)).map(|(&place, _)| place),
        );
        let (mut fresh, mut covered) = (self.fresh.iter().peekable(), 0);
        let at_rank = |(index, chunk): (usize, &super::reading::Chunk)| {
            let mut new = 0;
            while let Some(part) = fresh.next_if(|fresh| fresh.index == index) {
                new += part.part.length();
                covered += gold.overlap(part.part);
            }
            Read {
                new,
                repeated: chunk.place.length() - new,
                covered: covered as f64 / gold.length() as f64,
                is_relevant: gold.overlap(chunk.place) > 0,
            }
        };
        self.chunks.iter().enumerate().map(at_rank).collect()
    }
}
