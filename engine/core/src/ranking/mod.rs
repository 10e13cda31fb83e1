//! One query's documents put in order and matched with their grades.

mod ids;
mod ties;

pub use ids::Ids;

use crate::convention::{Convention, Duplicates, Negative, Order, Unjudged, Unretrieved};
use crate::error::Error;
use crate::hash::IdHasher;
use crate::judgments::Pool;
use crate::rows::duplicate;
use ties::{descending_bits, from_descending_bits, order_ties, order_unretrieved};

/// Stands for the row of a document that is in the ranking without having been retrieved.
pub const UNRETRIEVED: u32 = u32::MAX;

/// One query of a run, from any source.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    pub query: &'a [u8],
    pub ids: Ids<'a>,
    /// What orders the documents, larger first: scores, or negated ranks. Empty if they stand in order.
    pub keys: &'a [f64],
}

/// Something wrong with a row of a block.
#[derive(Debug)]
pub struct RowFault {
    pub row: usize,
    pub error: Box<Error>,
    /// It is not of the row but of the block, and further rows could mend it.
    pub whole: bool,
}

/// Ranks blocks; keeps its buffers between them.
#[derive(Default)]
pub struct Ranker {
    hasher: IdHasher,
    /// Open addressing: the upper half of a hash and a row number + 1; 0 is free.
    table: Vec<u64>,
    grade_of: Vec<f64>,
    /// Whether measures will ask which judged document stands at a rank.
    pub wants_documents: bool,
    /// Documents beyond this rank are cut off; after ties are settled, before anything is measured.
    pub depth: Option<usize>,
    /// Of each row, the row of its document in the judgments, counted from 1; 0 for none.
    judgment_of: Vec<u32>,
    dropped: Vec<bool>,
    /// Of a document that stands again, the row where it stood first; only filled when that happens.
    first_of: Vec<u32>,
    /// In rank order, once sorted.
    keys: Vec<f64>,
    sortable: Vec<(u64, u32)>,
    order: Vec<u32>,
    grades: Vec<f64>,
    judgments: Vec<u32>,
    group_ends: Vec<u32>,
    /// Rows in the judgments of documents that were not retrieved, counted from 1; only filled where the
    /// convention puts them into the ranking.
    unretrieved: Vec<u32>,
    /// Indices (rank - 1) of documents that stand above already; only filled where the convention counts
    /// them as documents of their own.
    copies: Vec<u32>,
    /// Tied documents at all, counted once each.
    tied: usize,
    duplicates: usize,
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

    /// In rank order, the row of each document in the judgments, counted from 1; 0 where it has none.
    /// Empty unless it was wanted.
    #[must_use]
    pub fn judgments(&self) -> &[u32] {
        &self.judgments
    }

    /// What the documents are ordered by, in rank order; empty where they stand as they were given.
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

    /// Rows that repeated a document.
    #[must_use]
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Whether documents of equal score stand on both sides of a cutoff.
    #[must_use]
    pub fn tie_straddles(&self, cutoff: usize) -> bool {
        cutoff > 0
            && matches!((self.keys.get(cutoff - 1), self.keys.get(cutoff)), (Some(a), Some(b)) if a == b)
    }

    /// Indices (rank - 1) of documents that stand above already, where each counts as one of its own.
    #[must_use]
    pub fn copies(&self) -> &[u32] {
        &self.copies
    }

    /// Documents of the ranking that were not retrieved.
    #[must_use]
    pub fn appended(&self) -> usize {
        self.unretrieved.len()
    }

    /// Puts an empty ranking in place: a judged query that the run lacks.
    pub fn empty(&mut self, pool: &Pool<'_>, convention: &Convention) {
        self.clear();
        if convention.unretrieved == Unretrieved::Last {
            let judged = (1..).zip(pool.grades).filter(|(_, grade)| !grade.is_nan());
            self.unretrieved.extend(judged.map(|(judgment, _)| judgment));
            self.append(pool, convention);
        }
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.order.clear();
        self.grades.clear();
        self.judgments.clear();
        self.group_ends.clear();
        self.tied = 0;
        self.duplicates = 0;
        self.unretrieved.clear();
        self.copies.clear();
    }

    /// Matches and orders one query.
    pub fn rank(
        &mut self,
        block: &Block<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
    ) -> std::result::Result<(), RowFault> {
        let rows = block.ids.len();
        self.tied = 0;
        self.match_documents(block, pool, convention)?;
        self.keys.clear();
        if convention.order != Order::Given {
            // Adding 0 turns -0.0 into 0.0, so that the two tie.
            if convention.float32 {
                self.keys.extend(block.keys.iter().map(|&key| f64::from(key as f32) + 0.0));
            } else {
                self.keys.extend(block.keys.iter().map(|&key| key + 0.0));
            }
        }
        self.order.clear();
        self.order.extend(0..u32::try_from(rows).unwrap_or(u32::MAX));
        if !self.dropped.is_empty() {
            let dropped = &self.dropped;
            self.order.retain(|&row| dropped.get(row as usize) == Some(&false));
        }
        self.group_ends.clear();
        if !self.keys.is_empty() {
            self.sort(block, convention)?;
        }
        self.grades.clear();
        let grade_of = &self.grade_of;
        self.grades
            .extend(self.order.iter().map(|&row| grade_of.get(row as usize).copied().unwrap_or(f64::NAN)));
        self.judgments.clear();
        let judgment_of = &self.judgment_of;
        if self.wants_documents {
            let judgment = |&row: &u32| judgment_of.get(row as usize).copied().unwrap_or_default();
            self.judgments.extend(self.order.iter().map(judgment));
        }
        if !self.unretrieved.is_empty() {
            self.append(pool, convention);
        }
        if let Some(depth) = self.depth {
            self.cut(depth);
        }
        if convention.unjudged == Unjudged::Condense {
            self.condense();
        }
        self.copies.clear();
        if convention.duplicates == Duplicates::Copies && !self.first_of.is_empty() {
            self.find_copies(rows);
        }
        Ok(())
    }

    /// Finds duplicates and the rows of judged documents.
    fn match_documents(
        &mut self,
        block: &Block<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
    ) -> std::result::Result<(), RowFault> {
        let rows = block.ids.len();
        self.grade_of.clear();
        self.grade_of.resize(rows, f64::NAN);
        self.judgment_of.clear();
        if self.wants_documents {
            self.judgment_of.resize(rows, 0);
        }
        self.dropped.clear();
        self.first_of.clear();
        self.duplicates = 0;
        self.unretrieved.clear();
        let size = (rows * 2).next_power_of_two().max(4);
        self.table.clear();
        self.table.resize(size, 0);
        for (row, span) in block.ids.spans.iter().enumerate() {
            let hash = self.hasher.hash(span.of(block.ids.arena));
            self.insert(block, row, hash, convention.duplicates)?;
        }
        if convention.drop_same_id
            && let Some(row) = self.find(&block.ids, block.query)
        {
            self.drop_document(row, rows);
        }
        for (judgment, (span, &grade)) in (1..).zip(pool.documents.iter().zip(pool.grades)) {
            if let Some(row) = self.find(&block.ids, span.of(pool.arena)) {
                if let Some(slot) = self.grade_of.get_mut(row) {
                    *slot = grade;
                }
                if let Some(slot) = self.judgment_of.get_mut(row) {
                    *slot = judgment;
                }
                if grade.is_nan() && convention.negative == Negative::Drop {
                    self.drop_document(row, rows);
                }
            } else if convention.unretrieved == Unretrieved::Last && !grade.is_nan() {
                self.unretrieved.push(judgment);
            }
        }
        // A row that is not the first of its document has no grade so far, as `blank` has it.
        if !self.first_of.is_empty() && convention.duplicates != Duplicates::Blank {
            self.resolve_duplicates(block, convention.duplicates);
        }
        Ok(())
    }

    #[inline(always)]
    fn insert(
        &mut self,
        block: &Block<'_>,
        row: usize,
        hash: u64,
        policy: Duplicates,
    ) -> std::result::Result<(), RowFault> {
        const ROW: u64 = 0xffff_ffff;
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let Some(entry) = self.table.get_mut(slot) else { return Ok(()) };
            if *entry == 0 {
                *entry = (hash & !ROW) | (row as u64 + 1);
                return Ok(());
            }
            if (*entry ^ hash) & !ROW == 0 {
                let other = (*entry & ROW) as usize - 1;
                if block.ids.get(other) == block.ids.get(row) {
                    return self.again(block, row, other, policy);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn again(
        &mut self,
        block: &Block<'_>,
        row: usize,
        first: usize,
        policy: Duplicates,
    ) -> std::result::Result<(), RowFault> {
        if policy == Duplicates::Error {
            return Err(RowFault { row, error: duplicate(block.query, block.ids.get(row)), whole: false });
        }
        self.duplicates += 1;
        if self.first_of.is_empty() {
            self.first_of.extend(0..u32::try_from(block.ids.len()).unwrap_or(u32::MAX));
        }
        if let Some(slot) = self.first_of.get_mut(row) {
            *slot = u32::try_from(first).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// The first row of a document.
    #[inline]
    fn find(&self, ids: &Ids<'_>, id: &[u8]) -> Option<usize> {
        const ROW: u64 = 0xffff_ffff;
        let hash = self.hasher.hash(id);
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table.get(slot).copied().unwrap_or(0);
            if entry == 0 {
                return None;
            }
            let row = (entry & ROW) as usize - 1;
            if (entry ^ hash) & !ROW == 0 && ids.get(row) == id {
                return Some(row);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn drop(&mut self, row: usize, rows: usize) {
        self.dropped.resize(rows, false);
        if let Some(slot) = self.dropped.get_mut(row) {
            *slot = true;
        }
    }

    /// Takes out a document, and all rows that repeat it.
    #[cold]
    fn drop_document(&mut self, row: usize, rows: usize) {
        self.drop(row, rows);
        for again in 0..self.first_of.len() {
            if self.first_of.get(again).is_some_and(|&first| first as usize == row) {
                self.drop(again, rows);
            }
        }
    }

    /// Leaves one row of each repeated document, or with `count` all of them, graded alike.
    fn resolve_duplicates(&mut self, block: &Block<'_>, policy: Duplicates) {
        let rows = block.ids.len();
        // Of each first row, the row that stays.
        let mut kept: Vec<u32> = (0..u32::try_from(rows).unwrap_or(u32::MAX)).collect();
        for row in 0..rows {
            let first = self.first_of.get(row).copied().unwrap_or_default() as usize;
            if first == row {
                continue;
            }
            let grade = self.grade_of.get(first).copied().unwrap_or(f64::NAN);
            if let Some(slot) = self.grade_of.get_mut(row) {
                *slot = grade;
            }
            let judgment = self.judgment_of.get(first).copied().unwrap_or_default();
            if let Some(slot) = self.judgment_of.get_mut(row) {
                *slot = judgment;
            }
            let Some(stays) = kept.get_mut(first) else { continue };
            let before = *stays as usize;
            let better = match policy {
                Duplicates::Count | Duplicates::Copies | Duplicates::Blank | Duplicates::Error => continue,
                Duplicates::First => false,
                Duplicates::Last => true,
                // Without keys the documents stand in order, and the first is the best placed.
                Duplicates::Best => block.keys.get(row) > block.keys.get(before),
            };
            if better {
                *stays = u32::try_from(row).unwrap_or(u32::MAX);
                self.drop(before, rows);
            } else {
                self.drop(row, rows);
            }
        }
    }

    fn find_copies(&mut self, rows: usize) {
        let mut stands = vec![false; rows];
        for (index, &row) in (0..).zip(&self.order) {
            let first = self.first_of.get(row as usize).copied().unwrap_or(row);
            if let Some(stands) = stands.get_mut(first as usize)
                && std::mem::replace(stands, true)
            {
                self.copies.push(index);
            }
        }
    }

    /// Brings rows and keys into rank order.
    fn sort(&mut self, block: &Block<'_>, convention: &Convention) -> std::result::Result<(), RowFault> {
        let (mut rises, mut equals) = (0usize, 0usize);
        if self.dropped.is_empty() {
            for pair in self.keys.windows(2) {
                if let [a, b] = pair {
                    rises += usize::from(a < b);
                    equals += usize::from(a == b);
                }
            }
        }
        if rises > 0 || !self.dropped.is_empty() {
            self.sortable.clear();
            let keys = &self.keys;
            self.sortable.extend(
                self.order
                    .iter()
                    .map(|&row| (descending_bits(keys.get(row as usize).copied().unwrap_or(0.0)), row)),
            );
            self.sortable.sort_unstable();
            self.order.clear();
            self.order.extend(self.sortable.iter().map(|&(_, row)| row));
            self.keys.clear();
            self.keys.extend(self.sortable.iter().map(|&(bits, _)| from_descending_bits(bits)));
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

    fn resolve_ties(
        &mut self,
        block: &Block<'_>,
        convention: &Convention,
    ) -> std::result::Result<(), RowFault> {
        let mut from = 0;
        loop {
            let rest = self.keys.get(from..).unwrap_or_default();
            let tie = rest.windows(2).position(|pair| matches!(pair, [a, b] if a == b));
            let Some(start) = tie.map(|skip| from + skip) else { return Ok(()) };
            let key = self.keys.get(start);
            let same = self.keys.get(start..).unwrap_or_default();
            let end = start + same.iter().take_while(|&other| Some(other) == key).count();
            self.tied += end - start;
            if let Some(group) = self.order.get_mut(start..end) {
                order_ties(group, block, convention.ties, &self.grade_of)?;
            }
            from = end;
        }
    }

    /// Puts the judged documents that were not retrieved after the others, as one group of equal scores.
    fn append(&mut self, pool: &Pool<'_>, convention: &Convention) {
        let ids = Ids { arena: pool.arena, spans: pool.documents };
        let ordered = !self.keys.is_empty() || self.order.is_empty();
        if ordered {
            order_unretrieved(&mut self.unretrieved, &ids, pool, convention.ties);
        }
        let appended = self.unretrieved.len();
        let grade = |&judgment: &u32| pool.grades.get(judgment as usize - 1).copied().unwrap_or(f64::NAN);
        self.grades.extend(self.unretrieved.iter().map(grade));
        self.order.resize(self.order.len() + appended, UNRETRIEVED);
        if self.wants_documents {
            self.judgments.extend_from_slice(&self.unretrieved);
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

    /// Takes out what stands below a rank.
    fn cut(&mut self, depth: usize) {
        self.order.truncate(depth);
        self.keys.truncate(depth);
        self.grades.truncate(depth);
        self.judgments.truncate(depth);
        let depth = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        let whole = self.group_ends.iter().take_while(|&&end| end < depth).count();
        if whole < self.group_ends.len() {
            // The group that the cut goes through ends there; which of it are above is then settled.
            self.group_ends.truncate(whole);
            if depth > 0 {
                self.group_ends.push(depth);
            }
        }
    }

    /// Takes the unjudged documents out.
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

/// The indices at which documents stand once the unjudged among all are gone.
pub fn condense_indices(grades: &[f64], indices: &[u32], condensed: &mut Vec<u32>) {
    condensed.clear();
    let mut unjudged = 0;
    let mut from = 0;
    for &index in indices {
        let above = grades.get(from..index as usize).unwrap_or_default();
        unjudged += above.iter().filter(|grade| grade.is_nan()).count();
        from = index as usize;
        if grades.get(from).is_some_and(|grade| !grade.is_nan()) {
            condensed.push(index - u32::try_from(unjudged).unwrap_or(index));
        }
    }
}

/// Moves the ends of tie groups to where they stand once the unjudged documents are gone.
pub fn condense_groups(grades: &[f64], ends: &mut Vec<u32>) {
    let mut start = 0;
    let mut judged = 0;
    ends.retain_mut(|end| {
        let group = grades.get(start..*end as usize).unwrap_or_default();
        let own = group.iter().filter(|grade| !grade.is_nan()).count();
        start = *end as usize;
        judged += own;
        *end = u32::try_from(judged).unwrap_or(u32::MAX);
        own > 0
    });
}
