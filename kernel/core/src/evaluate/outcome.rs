//! The results of the workers: rows, and the queries without judgments.

use super::contradictions::Contradictions;
use super::measurer::Measurer;
use super::rankings::Rankings;

/// Rows of the workers, each with the number of its query.
#[derive(Debug, Default)]
pub struct Outcome {
    pub queries: Vec<u32>,
    pub values: Vec<f64>,
    pub flags: Vec<u8>,
    /// One per row, if the plan needs them.
    pub relevance: Vec<String>,
    /// One per row, if the plan needs them.
    pub rankings: Rankings,
    pub extra: ExtraQueries,
    pub contradictions: Contradictions,
    /// Documents of queries without judged ones in the first ranks.
    pub unjudged: Vec<(u32, Vec<Vec<u8>>)>,
    /// Whether a query had offsets, whether one had none, and whether one had a chunk of a document of its
    /// judgments.
    pub has_places: bool,
    pub has_documents: bool,
    pub met: bool,
    /// The tag of the last line read.
    pub tag: Vec<u8>,
}

impl Outcome {
    pub fn push(&mut self, query: usize, measurer: &Measurer) {
        let number = u32::try_from(query).unwrap_or(u32::MAX);
        self.queries.push(number);
        if !measurer.unjudged_ids.is_empty() {
            self.unjudged.push((number, measurer.unjudged_ids.clone()));
        }
        self.has_places |= measurer.has_places == Some(true);
        self.has_documents |= measurer.has_places == Some(false);
        self.met |= measurer.has_places == Some(true) && measurer.reading.met;
        self.values.extend_from_slice(&measurer.row.values);
        self.flags.extend_from_slice(&measurer.row.flags);
        self.relevance.extend(measurer.relevance.clone());
        self.rankings.append(&measurer.ranking);
        self.contradictions.see(&measurer.ranker);
    }

    pub fn clear(&mut self) {
        self.queries.clear();
        self.values.clear();
        self.flags.clear();
        self.rankings.clear();
        self.contradictions = Contradictions::default();
        self.unjudged.clear();
        (self.has_places, self.has_documents, self.met) = (false, false, false);
        if !self.extra.is_empty() {
            self.extra = ExtraQueries::default();
        }
    }
}

/// Ids of queries that only the judgments or only the run has are kept up to this number, for messages.
pub(super) const EXAMPLES: usize = 100;

/// Queries of the run without judgments: their number, and the first ids in byte order.
#[derive(Debug, Default)]
pub struct ExtraQueries {
    /// Hashes of 128 bits, so that a million of them take 16 MB.
    seen: hashbrown::HashSet<u128, foldhash::fast::RandomState>,
    examples: Vec<Vec<u8>>,
    /// All of them, if requested; with duplicates.
    names: Vec<Vec<u8>>,
}

impl ExtraQueries {
    /// Counts a query; keeps the first ids, or all if `kept`.
    pub fn add(&mut self, id: &[u8], kept: bool) {
        use std::hash::BuildHasher;
        let half = |seed: u64| foldhash::quality::FixedState::with_seed(seed).hash_one(id);
        let hash = u128::from(half(0x9e37_79b9)) << 64 | u128::from(half(0x51ed_270b));
        if self.seen.insert(hash) {
            self.exemplify(id);
            if kept {
                self.names.push(id.to_vec());
            }
        }
    }

    /// Keeps the first in byte order, so that a message is the same for any number of threads.
    fn exemplify(&mut self, id: &[u8]) {
        let Err(at) = self.examples.binary_search_by(|known| known.as_slice().cmp(id)) else { return };
        if at < EXAMPLES {
            self.examples.insert(at, id.to_vec());
            self.examples.truncate(EXAMPLES);
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    #[must_use]
    pub fn examples(&self) -> &[Vec<u8>] {
        &self.examples
    }

    /// The first three, for an error.
    pub fn first(&self) -> impl Iterator<Item = Vec<u8>> {
        self.examples.iter().take(3).cloned()
    }

    /// All kept ids, in byte order, without duplicates.
    #[must_use]
    pub fn names(self) -> Vec<Vec<u8>> {
        let mut names = self.names;
        names.sort_unstable();
        names.dedup();
        names
    }

    pub fn merge(&mut self, other: Self) {
        self.seen.extend(other.seen);
        self.names.extend(other.names);
        for id in &other.examples {
            self.exemplify(id);
        }
    }
}
