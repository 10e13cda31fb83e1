//! The first ranks of several runs by query, in columns.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{AccountQuestion, Breakdown, Detail, QueryRun, explain_with};
use crate::error::Result;
use crate::hash::IdHasher;
use crate::judgments::Judgments;
use crate::known::Known;
use crate::parallel::{Pace, run};
use crate::ranking::Ranker;
use crate::rows::Rows;

/// The number of queries per job.
const QUERIES_PER_JOB: usize = 64;
/// Whole numbers of so many digits are exact in JavaScript.
const MOST_DIGITS: usize = 15;

/// The first ranks of several runs; the documents of a query are listed once.
#[derive(Debug, Default)]
pub struct Listing {
    hasher: IdHasher,
    /// In the order of the judgments.
    pools: Vec<ListedPool>,
    /// Whether the measure is a sum of contributions by rank.
    sums: bool,
}

/// The documents of one query and their ranks.
#[derive(Debug, Default)]
struct ListedPool {
    /// The ids of the documents, one after the other, the ends of each, and the hashes of each.
    ids: Vec<u8>,
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// The grade of each document; NaN where unjudged.
    grades: Vec<f64>,
    /// Indices of documents from 1 (0 for a grade without a document), and contributions.
    ideal: Vec<(u64, f64)>,
    /// By run, the index of each document, from 0.
    ranks: RankLists<u64>,
    /// By run, the ranks that contribute, from 0, and their contributions.
    contributions: RankLists<(u64, f64)>,
    /// By run, the groups of ties; an empty list for a run without ties.
    ties: RankLists<u64>,
}

impl ListedPool {
    /// Adds the ranks of an account.
    fn add(&mut self, content: &Breakdown, hasher: &IdHasher) {
        for rank in &content.ideal {
            let document = rank.document.as_deref();
            let place = document.map_or(0, |id| self.place(id, hasher.hash(id), rank.grade) + 1);
            self.ideal.push((place, rank.contribution));
        }
        for rank in &content.ranks {
            let place = self.place(&rank.document, hasher.hash(&rank.document), rank.grade);
            self.ranks.values.push(place);
        }
        self.ranks.lengths.push(content.ranks.len() as u64);
        let adds = content.ranks.iter().map(|rank| match content.parts {
            Some(_) => rank.contribution,
            None => f64::from(u8::from(rank.relevant == Some(true))),
        });
        self.contributions.push((0..).zip(adds).filter(|&(_, value)| value != 0.0));
        let ties = content.ranks.iter().map(|rank| rank.tie as u64);
        let tied = content.ranks.iter().any(|rank| rank.tie > 0);
        self.ties.push(ties.filter(|_| tied));
    }

    /// The index of a document, which is added unless it is present.
    fn place(&mut self, id: &[u8], hash: u64, grade: f64) -> u64 {
        let mut hashes = self.hashes.iter().enumerate();
        let known = hashes.find(|&(place, &known)| known == hash && self.id(place) == id);
        let place = known.map_or(self.hashes.len(), |(place, _)| place);
        if place == self.hashes.len() {
            self.ids.extend_from_slice(id);
            self.ends.push(self.ids.len());
            self.hashes.push(hash);
            self.grades.push(grade);
        }
        place as u64
    }

    fn id(&self, place: usize) -> &[u8] {
        let end_of = |place: usize| *self.ends.known(place);
        let start = place.checked_sub(1).map_or(0, end_of);
        self.ids.known(start..end_of(place))
    }
}

impl Listing {
    /// Adds the first `question.depth` ranks of a run, for all judged queries. The ideal rankings are those
    /// of the first run. After an error some queries have the run and others lack it.
    pub fn add(
        &mut self,
        question: AccountQuestion<'_>,
        judgments: &Judgments<'_>,
        rows: &Rows,
        scored: bool,
        pace: &mut Pace<'_>,
    ) -> Result<()> {
        let queries = judgments.rows().queries();
        let first = self.pools.is_empty();
        let parts = if first { Detail::RanksAndIdeal } else { Detail::Ranks };
        let question = AccountQuestion { parts, ..question };
        self.pools.resize_with(queries, ListedPool::default);
        let Self { hasher, pools, .. } = self;
        let chunks: Vec<_> = pools.chunks_mut(QUERIES_PER_JOB).map(Mutex::new).collect();
        let sums = run(chunks.len(), pace, Ranker::default, |ranker, job| {
            let mut sums = false;
            let Some(chunk) = chunks.get(job) else { return Ok(sums) };
            // Each job locks its own pools.
            let mut chunk = chunk.lock().unwrap_or_else(PoisonError::into_inner);
            for (query, pool) in (job * QUERIES_PER_JOB..).zip(chunk.iter_mut()) {
                let id = judgments.rows().query_id(query);
                let ranking = rows.find(id).map(|number| QueryRun { rows: rows.query(number), scored });
                let content = explain_with(ranker, question, judgments, query, ranking)?.content;
                sums |= content.parts.is_some();
                pool.add(&content, hasher);
            }
            Ok(sums)
        })?;
        self.sums |= sums.into_iter().any(|sums| sums);
        Ok(())
    }

    /// Whether the measure is a sum of contributions by rank, such as nDCG.
    #[must_use]
    pub fn sums(&self) -> bool {
        self.sums
    }

    /// The number of documents, where a document of several queries counts for each.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pools.iter().map(|pool| pool.hashes.len()).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ids of the documents of some queries, in the order of the columns.
    pub fn documents(&self, queries: impl IntoIterator<Item = usize>) -> impl Iterator<Item = &[u8]> {
        let pools = queries.into_iter().filter_map(|query| self.pools.get(query));
        pools.flat_map(|pool| (0..pool.hashes.len()).map(|place| pool.id(place)))
    }

    /// The number of queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.pools.len()
    }

    /// The rankings of some queries.
    ///
    /// All columns are in the order of the queries, those of rankings also in the order of the runs. A
    /// column of lengths precedes each column of lists.
    #[must_use]
    pub fn columns(&self, queries: &[usize]) -> RankColumns {
        let numbered = split_numbers(self.documents(queries.iter().copied()));
        let (mut grades, mut adds) = (Codes::default(), Codes::default());
        let [mut documents, mut grade, mut ideals, mut ideal, mut ideal_adds] = [const { Vec::new() }; 5];
        let [mut ranks, mut rank, mut contributions, mut contribution, mut adds_of] =
            [const { Vec::new() }; 5];
        let [mut ties, mut tie] = [const { Vec::new() }; 2];
        let pools = || queries.iter().filter_map(|&query| self.pools.get(query));
        // The most frequent contributions get the lowest codes if those of the ideal come first.
        for pool in pools() {
            ideals.push(pool.ideal.len() as u64);
            ideal.extend(pool.ideal.iter().map(|&(place, _)| place));
            ideal_adds.extend(pool.ideal.iter().map(|&(_, value)| adds.code(value, round)));
        }
        for pool in pools() {
            documents.push(pool.hashes.len() as u64);
            grade.extend(pool.grades.iter().map(|&value| grades.code(value, |value| value)));
            ranks.extend_from_slice(&pool.ranks.lengths);
            // The first document that no list above has is 0, the others are their index plus 1.
            let mut following = pool.ideal.iter().map(|&(place, _)| place).max().unwrap_or_default();
            rank.extend(pool.ranks.values.iter().map(|&place| {
                let new = place == following;
                following += u64::from(new);
                if new { 0 } else { place + 1 }
            }));
            contributions.extend_from_slice(&pool.contributions.lengths);
            for &(at, value) in &pool.contributions.values {
                contribution.push(at);
                adds_of.push(adds.code(value, round));
            }
            ties.extend_from_slice(&pool.ties.lengths);
            tie.extend_from_slice(&pool.ties.values);
        }
        let (start, document) =
            numbered.map_or((None, Vec::new()), |(start, numbers)| (Some(start), numbers));
        RankColumns {
            start,
            grades: grades.values,
            adds: adds.values,
            numbers: vec![
                ("documents", documents),
                ("document", document),
                ("grade", grade),
                ("ideals", ideals),
                ("ideal", ideal),
                ("ideal_adds", ideal_adds),
                ("ranks", ranks),
                ("rank", rank),
                ("contributions", contributions),
                ("contribution", contribution),
                ("adds_of", adds_of),
                ("ties", ties),
                ("tie", tie),
            ],
        }
    }
}

/// The rankings of some queries in columns of whole numbers.
#[derive(Debug)]
pub struct RankColumns {
    /// The common start of ids that end in numbers, which the column `document` has. `None` for other ids.
    pub start: Option<Vec<u8>>,
    /// The grades by code; NaN for unjudged.
    pub grades: Vec<f64>,
    /// The contributions by code, rounded to the six digits that a page shows.
    pub adds: Vec<f64>,
    pub numbers: Vec<(&'static str, Vec<u64>)>,
}

/// Lists one after the other, and their lengths.
#[derive(Debug)]
struct RankLists<T> {
    lengths: Vec<u64>,
    values: Vec<T>,
}

impl<T> Default for RankLists<T> {
    fn default() -> Self {
        Self { lengths: Vec::new(), values: Vec::new() }
    }
}

impl<T> RankLists<T> {
    fn push(&mut self, list: impl IntoIterator<Item = T>) {
        let before = self.values.len();
        self.values.extend(list);
        self.lengths.push((self.values.len() - before) as u64);
    }
}

/// Codes of different numbers, from 0 in the order of appearance.
#[derive(Debug, Default)]
struct Codes {
    /// By the bits of a number before and after a change.
    known: HashMap<u64, u64, foldhash::fast::RandomState>,
    values: Vec<f64>,
}

impl Codes {
    /// The code of `change(value)`, which is computed once per value.
    fn code(&mut self, value: f64, change: impl Fn(f64) -> f64) -> u64 {
        if let Some(&code) = self.known.get(&value.to_bits()) {
            return code;
        }
        let changed = change(value);
        let next = self.values.len() as u64;
        let code = *self.known.entry(changed.to_bits()).or_insert(next);
        if code == next {
            self.values.push(changed);
        }
        self.known.insert(value.to_bits(), code);
        code
    }
}

/// Rounds a number to six digits.
fn round(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The common start of ids and the numbers that follow it. `None` if an id does not end in a number, or in
/// one with another form, such as 07.
fn split_numbers<'a>(ids: impl Iterator<Item = &'a [u8]>) -> Option<(Vec<u8>, Vec<u64>)> {
    let mut ids = ids.peekable();
    let letters = ids.peek()?.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let start = ids.peek()?.get(..letters)?.to_vec();
    let numbers = ids.map(|id| {
        let digits = id.strip_prefix(start.as_slice())?;
        let usual = digits == b"0" || !digits.starts_with(b"0");
        if digits.is_empty() || digits.len() > MOST_DIGITS || !usual {
            return None;
        }
        digits.iter().try_fold(0u64, |number, byte| {
            byte.is_ascii_digit().then(|| 10 * number + u64::from(byte - b'0'))
        })
    });
    Some((start.clone(), numbers.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(ids: &[&str]) -> Option<(String, Vec<u64>)> {
        let (start, numbers) = split_numbers(ids.iter().map(|id| id.as_bytes()))?;
        Some((String::from_utf8(start).unwrap(), numbers))
    }

    #[test]
    fn ids_that_end_in_numbers_are_split() {
        assert_eq!(split(&["D12", "D7", "D0"]), Some(("D".into(), vec![12, 7, 0])));
        assert_eq!(split(&["10", "123456789012345"]), Some((String::new(), vec![10, 123_456_789_012_345])));
        assert_eq!(split(&["é1-2"]), Some(("é1-".into(), vec![2])));
        for others in [
            &["D12", "D07"][..],
            &["D12", "E7"],
            &["D12", "D"],
            &["D1", "D1x"],
            &["D1", "D-1"],
            &["1234567890123456"],
            &["è1", "é1"],
            &[""],
            &[],
        ] {
            assert_eq!(split(others), None, "{others:?}");
        }
    }

    #[test]
    fn codes_are_those_of_rounded_numbers() {
        let mut codes = Codes::default();
        let values = [0.5, 1.0 / 3.0, 0.333_333, f64::NAN, 0.5, f64::NAN];
        assert_eq!(values.map(|value| codes.code(value, round)), [0, 1, 1, 2, 0, 2]);
        assert_eq!(codes.values[..2], [0.5, 0.333_333]);
    }
}
