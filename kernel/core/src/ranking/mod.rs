//! Orders the documents of a query and matches them with their grades.

mod block;
mod by_rank;
mod condense;
mod distinct;
mod ids;
mod judged_rows;
mod large;
mod matching;
mod sort;
mod ties;

pub use block::{Block, RowFault, check_order};
pub use by_rank::ByRank;
pub use condense::{condense_groups, condense_indices};
pub use ids::{BlockIds, Id, Ids, Numbers};

use crate::convention::{Convention, Duplicates, Order, Unjudged, Unretrieved};
use crate::judgments::Pool;
use crate::known::Known;
use matching::Matcher;
use sort::Sorter;
use ties::{differ, order_ties, order_unretrieved};

/// The row of a document in the ranking that was not retrieved.
pub const UNRETRIEVED: u32 = u32::MAX;

/// Ties are looked at in at most so many ranks.
const DECIDED: usize = 10;

/// Ranks blocks; keeps its buffers between them.
#[derive(Default)]
pub struct Ranker {
    matcher: Matcher,
    /// Whether measures need the judged document at each rank.
    pub wants_documents: bool,
    /// Whether a row that repeats a document is one more row, and no error.
    pub allows_repeats: bool,
    /// Documents beyond this rank are removed after ordering ties.
    pub depth: Option<usize>,
    /// The number of ranks that measures look at; `None` for all. If no documents tie, those below are then
    /// in any order.
    pub ranks: Option<usize>,
    /// In rank order, once sorted.
    keys: Vec<f64>,
    sorter: Sorter,
    order: Vec<u32>,
    grades: Vec<f64>,
    judgments: Vec<u32>,
    group_ends: Vec<u32>,
    /// Indices (rank - 1) of duplicates; only filled if the convention counts each separately.
    copies: Vec<u32>,
    /// The number of tied documents.
    tied: usize,
    /// Neighbors in the given order whose scores were compared, and those whose scores rise.
    pairs: usize,
    rises: usize,
    /// Whether documents of different grades tie in the first ranks.
    ties_decide: bool,
    /// Whether the last kept document ties with the first removed one.
    cut_through_tie: bool,
}

impl Ranker {
    /// Row numbers in rank order.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Grades in rank order; NaN where unjudged.
    #[must_use]
    pub fn grades(&self) -> &[f64] {
        &self.grades
    }

    /// In rank order, the row of each document in the judgments, counted from 1; 0 where it has none. Empty
    /// unless requested.
    #[must_use]
    pub fn judgments(&self) -> &[u32] {
        &self.judgments
    }

    /// The keys in rank order; empty if the documents are in the given order, or only some ranks are in order.
    #[must_use]
    pub fn keys(&self) -> &[f64] {
        &self.keys
    }

    /// Ends of the groups of equal keys, if the convention leaves ties to the measures.
    #[must_use]
    pub fn group_ends(&self) -> &[u32] {
        &self.group_ends
    }

    /// Documents that share their score with another one.
    #[must_use]
    pub fn tied(&self) -> usize {
        self.tied
    }

    /// Neighbors in the given order whose scores were compared; 0 if the scores are not used.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// Whether scores rise from each row to the next.
    #[must_use]
    pub fn rises(&self) -> bool {
        self.pairs > 0 && self.rises == self.pairs
    }

    /// Whether the order of equal scores decides which grades are in the first ten ranks that measures look at.
    #[must_use]
    pub fn ties_decide(&self) -> bool {
        self.ties_decide
    }

    /// Rows that repeated a document.
    #[must_use]
    pub fn duplicates(&self) -> usize {
        self.matcher.duplicates
    }

    /// Whether documents with equal scores are on both sides of a cutoff.
    #[must_use]
    pub fn tie_straddles(&self, cutoff: usize) -> bool {
        let tied =
            |above: Option<&f64>, below: Option<&f64>| matches!((above, below), (Some(a), Some(b)) if a == b);
        (cutoff > 0 && tied(self.keys.get(cutoff - 1), self.keys.get(cutoff)))
            || (self.cut_through_tie && cutoff == self.keys.len())
    }

    /// Indices (rank - 1) of duplicates, if each counts separately.
    #[must_use]
    pub fn copies(&self) -> &[u32] {
        &self.copies
    }

    /// Documents of the ranking that were not retrieved.
    #[must_use]
    pub fn appended(&self) -> usize {
        self.matcher.unretrieved.len()
    }

    /// Starts an empty ranking, for a judged query that the run lacks.
    pub fn empty(&mut self, pool: &Pool<'_>, convention: &Convention) {
        self.clear();
        if convention.unretrieved == Unretrieved::Last {
            let judged = (1..).zip(pool.grades).filter(|(_, grade)| !grade.is_nan());
            self.matcher.unretrieved.extend(judged.map(|(judgment, _)| judgment));
            self.append(pool, convention);
        }
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.order.clear();
        self.grades.clear();
        self.judgments.clear();
        self.group_ends.clear();
        self.copies.clear();
        self.reset_checks();
        self.matcher.clear();
    }

    fn reset_checks(&mut self) {
        (self.tied, self.pairs, self.rises) = (0, 0, 0);
        self.cut_through_tie = false;
        self.ties_decide = false;
    }

    /// Matches and orders one query.
    pub fn rank(
        &mut self,
        block: &Block<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
    ) -> std::result::Result<(), RowFault> {
        let rows = block.ids.len();
        self.reset_checks();
        self.matcher.allows_repeats = self.allows_repeats;
        self.matcher.block(block, pool, convention, self.wants_documents)?;
        self.keys.clear();
        self.order.clear();
        self.order.extend(0..u32::try_from(rows).unwrap_or(u32::MAX));
        if !self.matcher.dropped.is_empty() {
            let dropped = &self.matcher.dropped;
            self.order.retain(|&row| dropped.get(row as usize) == Some(&false));
        }
        self.group_ends.clear();
        if convention.order != Order::Given && !block.keys.is_empty() {
            // Adding 0 turns -0.0 into 0.0, so that the two tie.
            if convention.float32 {
                self.sort(block, convention, |key| f64::from(key as f32) + 0.0)?;
            } else {
                self.sort(block, convention, |key| key + 0.0)?;
            }
        }
        self.grades.clear();
        self.matcher.grade_of.extend(&self.order, &mut self.grades);
        self.judgments.clear();
        let judgment_of = &self.matcher.judgment_of;
        if self.wants_documents {
            let judgment = |&row: &u32| *judgment_of.known(row as usize);
            self.judgments.extend(self.order.iter().map(judgment));
        }
        if !self.matcher.unretrieved.is_empty() {
            self.append(pool, convention);
        }
        if let Some(depth) = self.depth {
            self.cut(depth);
        }
        if convention.unjudged == Unjudged::Condense {
            self.condense();
        }
        self.copies.clear();
        if convention.duplicates == Duplicates::Copies && self.matcher.has_repeats() {
            self.find_copies(rows);
        }
        Ok(())
    }

    fn find_copies(&mut self, rows: usize) {
        let mut stands = vec![false; rows];
        for (index, &row) in (0..).zip(&self.order) {
            if let Some(stands) = stands.get_mut(self.matcher.first_of(row) as usize)
                && std::mem::replace(stands, true)
            {
                self.copies.push(index);
            }
        }
    }

    /// Brings rows and keys into rank order. The keys of the block are those that `key` returns.
    #[inline(always)]
    fn sort(
        &mut self,
        block: &Block<'_>,
        convention: &Convention,
        key: impl Fn(f64) -> f64,
    ) -> std::result::Result<(), RowFault> {
        let (mut rises, mut equals) = (0usize, 0usize);
        if self.matcher.dropped.is_empty() {
            for pair in block.keys.windows(2) {
                if let [a, b] = *pair {
                    let (a, b) = (key(a), key(b));
                    rises += usize::from(a < b);
                    equals += usize::from(a == b);
                }
            }
        }
        if convention.order == Order::Score {
            (self.pairs, self.rises) = (block.keys.len() - 1, rises);
        }
        if rises > 0 && equals == 0 && self.select(block, convention, &key) {
            if convention.ties.stay_groups() {
                self.group_ends.extend(1..=u32::try_from(self.order.len()).unwrap_or(u32::MAX));
            }
            return Ok(());
        }
        if rises == 0 && self.matcher.dropped.is_empty() {
            self.keys.extend(block.keys.iter().map(|&own| key(own)));
        } else {
            let key = |row: u32| key(*block.keys.known(row as usize));
            self.sorter.sort(key, &mut self.order, &mut self.keys);
            equals = self.keys.windows(2).filter(|pair| matches!(pair, [a, b] if a == b)).count();
        }
        if convention.ties.stay_groups() {
            self.group_ends.extend(
                (1..self.keys.len())
                    .filter(|&rank| self.keys.get(rank) != self.keys.get(rank - 1))
                    .chain([self.keys.len()])
                    .map(|end| u32::try_from(end).unwrap_or(u32::MAX)),
            );
        }
        if equals > 0 { self.resolve_ties(block, convention) } else { Ok(()) }
    }

    /// Puts only the documents first that measures look at, if that is enough: no documents tie, and none are
    /// removed or added later.
    fn select(&mut self, block: &Block<'_>, convention: &Convention, key: impl Fn(f64) -> f64) -> bool {
        let whole = !self.matcher.dropped.is_empty()
            || !self.matcher.unretrieved.is_empty()
            || self.depth.is_some()
            || self.wants_documents
            || convention.unjudged == Unjudged::Condense;
        let keys = block.keys.iter().map(|&own| key(own));
        !whole && self.ranks.is_some_and(|ranks| self.sorter.select(keys, &mut self.order, ranks))
    }

    fn resolve_ties(
        &mut self,
        block: &Block<'_>,
        convention: &Convention,
    ) -> std::result::Result<(), RowFault> {
        let mut from = 0;
        loop {
            let rest = self.keys.known(from..);
            let tie = rest.windows(2).position(|pair| matches!(pair, [a, b] if a == b));
            let Some(start) = tie.map(|skip| from + skip) else { return Ok(()) };
            let key = self.keys.get(start);
            let same = self.keys.known(start..);
            let end = start + same.iter().take_while(|&other| Some(other) == key).count();
            self.tied += end - start;
            if let Some(group) = self.order.get_mut(start..end) {
                let seen = self.ranks.map_or(DECIDED, |ranks| ranks.min(DECIDED));
                self.ties_decide |= start < seen && differ(group, &self.matcher.grade_of);
                order_ties(group, block, convention.ties, &self.matcher.grade_of)?;
            }
            from = end;
        }
    }

    /// Puts the judged documents that were not retrieved after the others, as one group of equal scores.
    fn append(&mut self, pool: &Pool<'_>, convention: &Convention) {
        let ids = Ids { arena: pool.arena, spans: pool.documents };
        let ordered = !self.keys.is_empty() || self.order.is_empty();
        if ordered {
            order_unretrieved(&mut self.matcher.unretrieved, &ids, pool, convention.ties);
        }
        let appended = self.matcher.unretrieved.len();
        let grade = |&judgment: &u32| *pool.grades.known(judgment as usize - 1);
        self.grades.extend(self.matcher.unretrieved.iter().map(grade));
        self.order.resize(self.order.len() + appended, UNRETRIEVED);
        if self.wants_documents {
            self.judgments.extend_from_slice(&self.matcher.unretrieved);
        }
        if ordered {
            self.keys.resize(self.order.len(), f64::NEG_INFINITY);
            if appended > 1 {
                self.tied += appended;
            }
            if convention.ties.stay_groups() {
                self.group_ends.push(u32::try_from(self.order.len()).unwrap_or(u32::MAX));
            }
        }
    }

    /// Removes documents below a rank.
    fn cut(&mut self, depth: usize) {
        self.cut_through_tie = self.tie_straddles(depth);
        self.order.truncate(depth);
        self.keys.truncate(depth);
        self.grades.truncate(depth);
        self.judgments.truncate(depth);
        let depth = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        let whole = self.group_ends.iter().take_while(|&&end| end < depth).count();
        if whole < self.group_ends.len() {
            // A group across the cutoff ends there; its order is fixed.
            self.group_ends.truncate(whole);
            if depth > 0 {
                self.group_ends.push(depth);
            }
        }
    }

    /// Removes unjudged documents.
    fn condense(&mut self) {
        let mut judged = self.grades.iter().map(|grade| !grade.is_nan());
        self.order.retain(|_| judged.next().unwrap_or(false));
        let mut judged = self.grades.iter().map(|grade| !grade.is_nan());
        self.keys.retain(|_| judged.next().unwrap_or(false));
        let mut judged = self.grades.iter().map(|grade| !grade.is_nan());
        self.judgments.retain(|_| judged.next().unwrap_or(false));
        condense_groups(&self.grades, &mut self.group_ends);
        self.grades.retain(|grade| !grade.is_nan());
    }
}
