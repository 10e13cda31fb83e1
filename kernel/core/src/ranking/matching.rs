//! Finds duplicates, judged documents and removed documents of a block.

use super::distinct::{self, Distinct};
use super::ids::Hashed;
use super::judged_rows::JudgedRows;
use super::large::SortedIds;
use super::{Block, BlockIds, RowFault};
use crate::convention::{Convention, Duplicates, Negative, Unretrieved};
use crate::hash::IdHasher;
use crate::judgments::Pool;
use crate::known::Known;
use crate::memory;
use crate::rows::duplicate;

/// From this many rows on, memory is checked before it is used.
const MANY: usize = 1 << 16;

/// From this many rows on, ids are sorted and not put into a table, which would be much larger than the caches.
const LARGE: usize = 1 << 20;

/// Up to this many judged documents are looked for one by one, if the rows are known to have no duplicates.
const FEW_JUDGED: usize = 32;

/// Matches the rows of blocks with judgments; keeps its buffers between them.
#[derive(Default)]
pub(super) struct Matcher {
    hasher: IdHasher,
    distinct: Distinct,
    /// The hash of each row's document, if they all differ. The rows are then not in the table.
    hashes: Vec<u64>,
    untabled: bool,
    /// Open addressing: the upper half of a hash and a row number + 1; 0 is free.
    table: Vec<u64>,
    pub grade_of: JudgedRows,
    /// Of each row, the row of its document in the judgments, counted from 1; 0 for none. Empty unless
    /// requested.
    pub judgment_of: Vec<u32>,
    /// Whether each row is removed; empty if none is.
    pub dropped: Vec<bool>,
    /// For a duplicate, the row of its first occurrence; only filled if there are duplicates.
    first_of: Vec<u32>,
    /// Rows in the judgments of documents that were not retrieved, counted from 1; only filled if the
    /// convention adds them to the ranking.
    pub unretrieved: Vec<u32>,
    /// Rows that repeated a document.
    pub duplicates: usize,
    pub allows_repeats: bool,
}

impl Matcher {
    /// Clears the previous block: nothing was retrieved.
    pub(super) fn clear(&mut self) {
        self.unretrieved.clear();
        self.duplicates = 0;
    }

    /// Whether there are duplicates.
    #[must_use]
    pub(super) fn has_repeats(&self) -> bool {
        !self.first_of.is_empty()
    }

    /// The row of the first occurrence of a row's document.
    #[must_use]
    pub(super) fn first_of(&self, row: u32) -> u32 {
        self.first_of.get(row as usize).copied().unwrap_or(row)
    }

    /// Finds duplicates and the rows of judged documents.
    pub(super) fn block(
        &mut self,
        block: &Block<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
        wants_documents: bool,
    ) -> std::result::Result<(), RowFault> {
        match block.ids {
            BlockIds::Bytes(ids) => self.rows(ids, block, pool, convention, wants_documents),
            BlockIds::Numbers(ids) => self.rows(ids, block, pool, convention, wants_documents),
        }
    }

    #[inline]
    fn rows<I: Hashed>(
        &mut self,
        ids: I,
        block: &Block<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
        wants_documents: bool,
    ) -> std::result::Result<(), RowFault> {
        let rows = ids.rows();
        if rows > MANY {
            // For the tables of matching and ranking.
            let words = if rows < LARGE { 16 } else { 8 };
            let free = memory::check(rows * words * size_of::<usize>());
            free.map_err(|error| RowFault { row: 0, error, whole: false })?;
        }
        self.judgment_of.clear();
        if wants_documents {
            self.judgment_of.resize(rows, 0);
        }
        self.dropped.clear();
        self.first_of.clear();
        self.clear();
        if rows >= LARGE {
            return self.many_rows(ids, block, pool, convention);
        }
        self.grade_of.begin(rows);
        self.untabled = pool.documents.len() <= FEW_JUDGED && rows <= distinct::MOST && {
            self.hashes.clear();
            self.hashes.extend((0..rows).map(|row| ids.hash(row, &self.hasher)));
            self.distinct.are(&self.hashes, |hash| hash)
        };
        if !self.untabled {
            let size = (rows * 2).next_power_of_two().max(4);
            self.table.clear();
            self.table.resize(size, 0);
            for row in 0..rows {
                let hash = ids.hash(row, &self.hasher);
                self.insert(ids, block, row, hash, convention.duplicates)?;
            }
        }
        if convention.drop_same_id
            && let Some(row) = self.find(ids, block.query)
        {
            self.drop_document(row, rows);
        }
        for (judgment, (span, &grade)) in (1..).zip(pool.documents.iter().zip(pool.grades)) {
            let row = self.find(ids, span.of(pool.arena));
            self.judge(judgment, row, grade, rows, convention);
        }
        // A duplicate has no grade yet, as under `blank`.
        if !self.first_of.is_empty() && convention.duplicates != Duplicates::Blank {
            self.resolve_duplicates(block, convention.duplicates);
        }
        Ok(())
    }

    /// As `rows`, for large blocks.
    fn many_rows<I: Hashed>(
        &mut self,
        ids: I,
        block: &Block<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
    ) -> std::result::Result<(), RowFault> {
        let rows = ids.rows();
        let mut words = Vec::new();
        let sorted = SortedIds::new(ids, &self.hasher, &mut words);
        for (row, first) in sorted.repeats(ids) {
            self.again(block, row as usize, first as usize, convention.duplicates)?;
        }
        if convention.drop_same_id
            && let Some(row) = sorted.find(ids, &self.hasher, block.query)
        {
            self.drop_document(row, rows);
        }
        let judged = pool.documents.iter().map(|span| span.of(pool.arena));
        let found = sorted.find_all(ids, &self.hasher, judged);
        drop(words);
        let resolved = !self.first_of.is_empty() && convention.duplicates != Duplicates::Blank;
        if resolved {
            self.grade_of.begin(rows);
        } else {
            let graded = found.iter().zip(pool.grades).filter_map(|(row, &grade)| Some(((*row)?, grade)));
            let mut graded: Vec<(u32, f64)> = graded.collect();
            // The last of several judgments counts.
            graded.reverse();
            graded.sort_by_key(|(row, _)| *row);
            graded.dedup_by_key(|(row, _)| *row);
            self.grade_of.begin_large(rows, graded.into_iter());
        }
        for ((judgment, row), &grade) in (1..).zip(found).zip(pool.grades) {
            self.judge(judgment, row.map(|row| row as usize), grade, rows, convention);
        }
        if resolved {
            self.resolve_duplicates(block, convention.duplicates);
        }
        Ok(())
    }

    /// Takes a judgment, counted from 1, and the first row of its document if it was retrieved.
    #[inline(always)]
    fn judge(&mut self, judgment: u32, row: Option<usize>, grade: f64, rows: usize, convention: &Convention) {
        if let Some(row) = row {
            self.grade_of.set(row, grade);
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

    #[inline(always)]
    fn insert<I: Hashed>(
        &mut self,
        ids: I,
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
                if ids.same(other, row) {
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
        if policy == Duplicates::Error && !self.allows_repeats {
            return Err(RowFault { row, error: duplicate(block.query, &block.ids.get(row)), whole: false });
        }
        self.duplicates += 1;
        if self.first_of.is_empty() {
            self.first_of.extend(0..u32::try_from(block.ids.len()).unwrap_or(u32::MAX));
        }
        *self.first_of.known_mut(row) = u32::try_from(first).unwrap_or(u32::MAX);
        Ok(())
    }

    /// The first row of a document.
    #[inline]
    fn find<I: Hashed>(&self, ids: I, id: &[u8]) -> Option<usize> {
        const ROW: u64 = 0xffff_ffff;
        let key = ids.key(id)?;
        let hash = I::hash_key(key, &self.hasher);
        if self.untabled {
            return distinct::position(&self.hashes, hash).filter(|&row| ids.is(row, key));
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = *self.table.known(slot);
            if entry == 0 {
                return None;
            }
            let row = (entry & ROW) as usize - 1;
            if (entry ^ hash) & !ROW == 0 && ids.is(row, key) {
                return Some(row);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn drop(&mut self, row: usize, rows: usize) {
        self.dropped.resize(rows, false);
        *self.dropped.known_mut(row) = true;
    }

    /// Removes a document and its duplicates.
    #[cold]
    fn drop_document(&mut self, row: usize, rows: usize) {
        self.drop(row, rows);
        for again in 0..self.first_of.len() {
            if self.first_of.get(again).is_some_and(|&first| first as usize == row) {
                self.drop(again, rows);
            }
        }
    }

    /// Keeps one row of each duplicate document, or with `count` all of them with the same grade.
    fn resolve_duplicates(&mut self, block: &Block<'_>, policy: Duplicates) {
        let rows = block.ids.len();
        // For each first row, the row to keep.
        let mut kept: Vec<u32> = (0..u32::try_from(rows).unwrap_or(u32::MAX)).collect();
        for row in 0..rows {
            let first = *self.first_of.known(row) as usize;
            if first == row {
                continue;
            }
            let grade = self.grade_of.get(u32::try_from(first).unwrap_or(u32::MAX));
            self.grade_of.set(row, grade);
            let judgment = self.judgment_of.get(first).copied().unwrap_or_default();
            if let Some(slot) = self.judgment_of.get_mut(row) {
                *slot = judgment;
            }
            let Some(stays) = kept.get_mut(first) else { continue };
            let before = *stays as usize;
            let better = match policy {
                Duplicates::Count
                | Duplicates::Copies
                | Duplicates::Blank
                | Duplicates::Mean
                | Duplicates::Error => continue,
                Duplicates::First => false,
                Duplicates::Last => true,
                // Without keys the documents are in order, and the first one is the best.
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
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::judgments::Labels;
    use crate::ranking::Ids;
    use crate::rows::Span;

    /// Writes ids, and returns where they are.
    fn written(arena: &mut Vec<u8>, ids: impl Iterator<Item = usize>) -> Vec<Span> {
        let mut write = |id: usize| {
            let (at, text) = (arena.len() as u64, format!("d{id}"));
            arena.extend_from_slice(text.as_bytes());
            Span { at, length: u32::try_from(text.len()).unwrap() }
        };
        ids.map(&mut write).collect()
    }

    /// What a matcher found: grades, judgments, first rows, judged documents that are missing, dropped rows.
    fn found(matcher: &Matcher) -> impl PartialEq + Debug {
        let grades: Vec<u64> = (0..700).map(|row| matcher.grade_of.get(row).to_bits()).collect();
        let Matcher { judgment_of, dropped, first_of, unretrieved, duplicates, .. } = matcher;
        let rows = (judgment_of.clone(), first_of.clone(), unretrieved.clone(), dropped.clone());
        (grades, rows, *duplicates)
    }

    /// Large blocks are sorted, others are in a table.
    #[test]
    fn both_ways_find_the_same() {
        let (mut arena, mut judged) = (Vec::new(), Vec::new());
        // 700 rows of 500 documents; of those that are judged, a third is not retrieved.
        let rows = written(&mut arena, (0..700).map(|row| row * 37 % 500));
        let documents = written(&mut judged, (0..750).map(|number| number * 7 % 750));
        let grades: Vec<f64> =
            (0..750).map(|number| if number % 5 == 4 { f64::NAN } else { f64::from(number % 4) }).collect();
        let keys: Vec<f64> = (0..700).map(|row| f64::from(row * 11 % 97)).collect();
        let pool = Pool {
            query: b"d7",
            arena: &judged,
            documents: &documents,
            grades: &grades,
            raw: &grades,
            descending: &[],
            labels: Labels::default(),
        };
        let ids = Ids { arena: &arena, spans: &rows };
        let block = Block { query: b"d7", ids: BlockIds::Bytes(ids), keys: &keys };
        let policies = [
            Duplicates::First,
            Duplicates::Last,
            Duplicates::Best,
            Duplicates::Count,
            Duplicates::Copies,
            Duplicates::Blank,
        ];
        let further = [
            (true, Negative::Drop, Unretrieved::Last),
            (true, Negative::Zero, Unretrieved::Absent),
            (false, Negative::Drop, Unretrieved::Absent),
            (false, Negative::Zero, Unretrieved::Last),
        ];
        for duplicates in policies {
            for (drop_same_id, negative, unretrieved) in further {
                let convention =
                    Convention { duplicates, drop_same_id, negative, unretrieved, ..Convention::default() };
                let mut table = Matcher::default();
                table.rows(ids, &block, &pool, &convention, true).unwrap();
                let mut sorted = Matcher { judgment_of: vec![0; 700], ..Matcher::default() };
                sorted.many_rows(ids, &block, &pool, &convention).unwrap();
                assert_eq!(found(&table), found(&sorted), "{convention:?}");
                assert_eq!(table.duplicates, 200);
            }
        }
        let convention = Convention::default();
        let fault = |found: std::result::Result<(), RowFault>| found.unwrap_err().row;
        let table = fault(Matcher::default().rows(ids, &block, &pool, &convention, false));
        assert_eq!(table, 500);
        assert_eq!(fault(Matcher::default().many_rows(ids, &block, &pool, &convention)), table);
    }
}
