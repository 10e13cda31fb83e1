//! Preferences pair by pair: of the groups that prefer one of two documents, how many agree with the
//! ranking.

use super::group::{Pairs, PreferenceGroup, Preferred};
use crate::known::Known;

/// Sums over pairs of documents of the share of their preferences that is fulfilled.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PairShares {
    /// Over the pairs that were retrieved, and how many they are.
    retrieved: (f64, u64),
    /// The same with the pairs of which one document was retrieved.
    implied: (f64, u64),
    /// Pairs of which neither was.
    unretrieved: u64,
}

impl PairShares {
    /// Where no pair has more than one preference, pairs are preferences.
    pub(super) fn single(preferred: &Preferred) -> Self {
        let pairs = |which: Pairs| {
            let tally = preferred.of(which);
            (tally.fulfilled as f64, tally.possible)
        };
        Self {
            retrieved: pairs(Pairs::Retrieved),
            implied: pairs(Pairs::Implied),
            unretrieved: preferred.unretrieved,
        }
    }

    /// Adds up in order of the higher document's place and then of the lower one's, first the pairs
    /// that were retrieved, then those of which one was.
    pub(super) fn new(groups: &[PreferenceGroup], retrieved: u32) -> Self {
        let last = groups.iter().filter_map(|group| group.places().last()).max();
        let documents = last.map_or(0, |&last| last as usize + 1);
        let end = (retrieved as usize).min(documents);
        let mut votes = Votes { up: vec![0; documents], down: vec![0; documents] };
        let mut shares = Self::default();
        for place in 0..end {
            votes.fill(groups, place);
            votes.add(place + 1..end, &mut shares.retrieved);
        }
        shares.implied = shares.retrieved;
        for place in 0..end {
            votes.fill(groups, place);
            votes.add(end..documents, &mut shares.implied);
        }
        let mut unretrieved = (0.0, 0);
        for place in end..documents {
            votes.fill(groups, place);
            votes.add(place + 1..documents, &mut unretrieved);
        }
        shares.unretrieved = unretrieved.1;
        shares
    }

    pub(super) fn mean(&self, pairs: Pairs) -> f64 {
        let (sum, count) = match pairs {
            Pairs::Retrieved => self.retrieved,
            Pairs::Implied => self.implied,
            Pairs::All => (self.implied.0, self.implied.1 + self.unretrieved),
        };
        sum / count as f64
    }
}

/// For one document: of each other one, how many preferences put it below, and how many above.
struct Votes {
    up: Vec<u64>,
    down: Vec<u64>,
}

impl Votes {
    fn fill(&mut self, groups: &[PreferenceGroup], place: usize) {
        self.up.fill(0);
        self.down.fill(0);
        for group in groups {
            let places = group.places();
            let first = places.partition_point(|&other| (other as usize) < place);
            let rows = places.iter().enumerate().skip(first);
            for (row, _) in rows.take_while(|(_, other)| **other as usize == place) {
                for (column, &other) in places.iter().enumerate() {
                    *self.up.known_mut(other as usize) += u64::from(group.prefers(row, column));
                    *self.down.known_mut(other as usize) += u64::from(group.prefers(column, row));
                }
            }
        }
    }

    fn add(&self, places: std::ops::Range<usize>, into: &mut (f64, u64)) {
        let up = self.up.known(places.clone());
        let down = self.down.known(places);
        for (&up, &down) in up.iter().zip(down) {
            if up + down > 0 {
                into.0 += up as f64 / (up + down) as f64;
                into.1 += 1;
            }
        }
    }
}
