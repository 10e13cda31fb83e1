//! A group of several subgroups: a table of which document is preferred to which.

use super::bits::{self, Bits};
use super::{Balance, Fault, Judged, Pairs, Preferred, Tally};
use crate::known::Known;

#[derive(Debug, Clone)]
pub(super) struct Matrix {
    /// The documents of the group by place, ascending.
    places: Vec<u32>,
    /// For each document, its last given level; NaN if no level says whether it is relevant.
    levels: Vec<f64>,
    /// Set where the document of the row is preferred to that of the column.
    preferred: Bits,
}

impl Matrix {
    /// From judgments in order of subgroup and, within it, of level and place, the highest level first.
    pub(super) fn new(judged: &[Judged<'_>]) -> Result<Self, Fault> {
        let mut places: Vec<u32> = judged.iter().map(|own| own.place).collect();
        places.sort_unstable();
        places.dedup();
        let index = |place: u32| places.partition_point(|&other| other < place);
        let mut levels = vec![f64::NAN; places.len()];
        let mut preferred = Bits::new(places.len());
        for own in judged {
            if let Some(level) = levels.get_mut(index(own.place)) {
                if (*level > 0.0 && own.level == 0.0) || (*level == 0.0 && own.level > 0.0) {
                    return Err(Fault::TwoRelevances(own.place));
                }
                *level = own.level;
            }
        }
        for subgroup in judged.chunk_by(|a, b| a.subgroup == b.subgroup) {
            let mut lower = bits::none(&preferred);
            // The levels from the lowest upward.
            let mut classes: Vec<_> = subgroup.chunk_by(|a, b| a.level + 0.0 == b.level + 0.0).collect();
            classes.reverse();
            for class in classes {
                for own in class {
                    preferred.add(index(own.place), &lower);
                }
                for own in class {
                    bits::set(&mut lower, index(own.place));
                }
            }
        }
        preferred.close();
        let matrix = Self { places, levels, preferred };
        matrix.without_circles()
    }

    /// Refuses documents that are preferred to each other. A document that is preferred to itself, because a
    /// subgroup gives it two adjacent levels, is ignored.
    fn without_circles(mut self) -> Result<Self, Fault> {
        for row in 0..self.preferred.side() {
            if !self.preferred.get(row, row) {
                continue;
            }
            self.preferred.clear(row, row);
            let place = |index: usize| *self.places.known(index);
            let both = |&other: &usize| self.preferred.get(row, other) && self.preferred.get(other, row);
            if let Some(other) = (0..self.preferred.side()).find(both) {
                return Err(Fault::Contradiction(place(row), place(other)));
            }
        }
        Ok(self)
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    pub(super) fn prefers(&self, one: usize, other: usize) -> bool {
        self.preferred.get(one, other)
    }

    fn retrieved(&self, retrieved: u32) -> usize {
        self.places.partition_point(|&place| place < retrieved)
    }

    pub(super) fn balance(&self, retrieved: u32) -> Balance {
        let mut balance = Balance::default();
        let end = self.retrieved(retrieved);
        for (index, &level) in self.levels.iter().enumerate() {
            let seen = u64::from(index < end);
            if level > 0.0 {
                balance.relevant += 1;
                balance.relevant_retrieved += seen;
            } else if level == 0.0 {
                balance.nonrelevant += 1;
                balance.nonrelevant_retrieved += seen;
            }
        }
        balance
    }

    pub(super) fn preferred(&self, retrieved: u32) -> Preferred {
        self.count(retrieved, &bits::none(&self.preferred))
    }

    /// The preferences between the remaining documents.
    fn count(&self, retrieved: u32, but: &[u64]) -> Preferred {
        let (end, all) = (self.retrieved(retrieved), self.preferred.side());
        let mut counted = Preferred::default();
        for index in (0..all).filter(|&index| !bits::has(but, index)) {
            let row = self.preferred.row(index);
            if index < end {
                let fulfilled = bits::ones(row, but, index + 1..end);
                counted.retrieved.fulfilled += fulfilled;
                counted.retrieved.possible += fulfilled + bits::ones(row, but, 0..index);
                let implied = bits::ones(row, but, end..all);
                counted.implied.fulfilled += implied;
                counted.implied.possible += implied;
            } else {
                counted.implied.possible += bits::ones(row, but, 0..end);
                counted.unretrieved += bits::ones(row, but, end..all);
            }
        }
        counted
    }

    /// The preferences if of the documents that are not relevant there were only the first few.
    pub(super) fn even(&self, retrieved: u32, pairs: Pairs, few: u64) -> Tally {
        let mut but = bits::none(&self.preferred);
        let few = usize::try_from(few).unwrap_or(usize::MAX);
        let nonrelevant = self.levels.iter().enumerate().filter(|&(_, &level)| level == 0.0);
        nonrelevant.skip(few).for_each(|(index, _)| bits::set(&mut but, index));
        self.count(retrieved, &but).of(pairs)
    }
}
