//! A group of one subgroup: classes of documents of one level, each preferred to all that are lower.

use super::{Balance, Fault, Judged, Pairs, Preferred, Tally};
use crate::known::Known;

#[derive(Debug, Clone)]
pub(super) struct Classes {
    /// In order of place.
    entries: Vec<Entry>,
    /// The level of each class, descending.
    levels: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub place: u32,
    pub class: usize,
}

impl Classes {
    pub(super) fn new(judged: &[Judged<'_>]) -> Result<Self, Fault> {
        let mut levels: Vec<f64> = judged.iter().map(|own| own.level + 0.0).collect();
        levels.sort_by(|a, b| b.total_cmp(a));
        levels.dedup();
        let class = |level: f64| levels.partition_point(|&other| other > level);
        let mut entries: Vec<Entry> =
            judged.iter().map(|own| Entry { place: own.place, class: class(own.level) }).collect();
        entries.sort_by_key(|entry| (entry.place, entry.class));
        // The first of several such documents, from the highest level down.
        let twice = entries.windows(2).filter_map(|two| match two {
            [a, b] if a.place == b.place && a.class != b.class => Some((a.class, b.class, a.place)),
            _ => None,
        });
        if let Some((.., place)) = twice.min() {
            return Err(Fault::TwoLevels(place));
        }
        Ok(Self { entries, levels })
    }

    /// In order of place; with duplicates of the subgroup.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn repeats(&self) -> bool {
        self.entries.windows(2).any(|two| matches!(two, [a, b] if a.place == b.place))
    }

    pub(super) fn balance(&self, retrieved: u32) -> Balance {
        let mut balance = Balance::default();
        let relevant = self.levels.partition_point(|&level| level > 0.0);
        for entry in &self.entries {
            let seen = u64::from(entry.place < retrieved);
            if entry.class < relevant {
                balance.relevant += 1;
                balance.relevant_retrieved += seen;
            } else {
                balance.nonrelevant += 1;
                balance.nonrelevant_retrieved += seen;
            }
        }
        balance
    }

    pub(super) fn preferred(&self, retrieved: u32) -> Preferred {
        self.count(retrieved, self.levels.len())
    }

    /// The preferences between the documents of the first classes.
    fn count(&self, retrieved: u32, classes: usize) -> Preferred {
        let mut above = Running::new(classes);
        let mut seen = vec![0u64; classes];
        let mut unseen = vec![0u64; classes];
        let mut counted = Preferred::default();
        for entry in self.entries.iter().filter(|entry| entry.class < classes) {
            // Retrieved documents come first: these are the ones retrieved before it.
            let better = above.before(entry.class);
            let own = if entry.place < retrieved {
                counted.retrieved.fulfilled += better;
                above.add(entry.class);
                &mut seen
            } else {
                counted.implied.fulfilled += better;
                &mut unseen
            };
            *own.known_mut(entry.class) += 1;
        }
        let all = |counts: &[u64]| counts.iter().sum::<u64>();
        let across = |a: &[u64], b: &[u64]| {
            all(a) * all(b) - a.iter().zip(b).map(|(own, other)| own * other).sum::<u64>()
        };
        counted.retrieved.possible = across(&seen, &seen) / 2;
        counted.implied.possible = across(&seen, &unseen);
        counted.unretrieved = across(&unseen, &unseen) / 2;
        counted
    }

    /// The preferences if the lowest class, of documents that are not relevant, had only the first few of
    /// them.
    ///
    /// trec_eval compares those few with all classes, their own included, where no document is
    /// preferred to another; a published number has these comparisons in it.
    pub(super) fn even(&self, retrieved: u32, pairs: Pairs, few: u64) -> Tally {
        let last = self.levels.len().saturating_sub(1);
        let mut tally = self.count(retrieved, last).of(pairs);
        let before = |place: u32| self.entries.partition_point(|entry| entry.place < place);
        let end = if pairs == Pairs::Retrieved { before(retrieved) } else { self.entries.len() };
        let lowest = self.entries.iter().take(end).filter(|entry| entry.class == last);
        for entry in lowest.take(usize::try_from(few).unwrap_or(usize::MAX)) {
            tally.fulfilled += before(entry.place.min(retrieved)) as u64;
            tally.possible += end as u64;
        }
        tally
    }
}

/// Counts by class, of which the sum before a class is at hand (a Fenwick tree).
struct Running {
    tree: Vec<u64>,
}

impl Running {
    fn new(classes: usize) -> Self {
        Self { tree: vec![0; classes + 1] }
    }

    fn add(&mut self, class: usize) {
        let mut at = class + 1;
        while let Some(count) = self.tree.get_mut(at) {
            *count += 1;
            at += at & at.wrapping_neg();
        }
    }

    fn before(&self, class: usize) -> u64 {
        let mut at = class;
        let mut sum = 0;
        while at > 0 {
            sum += *self.tree.known(at);
            at &= at - 1;
        }
        sum
    }
}
