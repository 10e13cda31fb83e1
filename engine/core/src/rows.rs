//! Judgments and runs in columns: queries, and under each its documents with one value each.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::convention::Duplicates;
use crate::error::{Error, Kind};

/// Where an id stands in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub at: u64,
    pub length: u32,
}

impl Span {
    #[inline(always)]
    #[must_use]
    pub fn of(self, arena: &[u8]) -> &[u8] {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        arena.get(at..at.saturating_add(self.length as usize)).unwrap_or_default()
    }
}

/// A query and its share of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Group {
    pub id: Span,
    pub first: usize,
    pub count: usize,
}

/// Rows grouped by query; queries in order of first appearance, rows in their given order.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    arena: Vec<u8>,
    groups: Vec<Group>,
    documents: Vec<Span>,
    values: Vec<f64>,
    /// One a row, or empty: runs that came with a rank column.
    ranks: Vec<f64>,
    index: Index,
    /// Queries in byte order of their ids.
    sorted: Vec<u32>,
}

/// A hash index over ids that stand elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Index {
    table: HashTable<u32>,
    hasher: foldhash::fast::RandomState,
}

impl Index {
    #[inline]
    fn hash(&self, id: &[u8]) -> u64 {
        self.hasher.hash_one(id)
    }

    #[inline]
    pub fn find<'a>(&self, id: &[u8], of: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        self.table.find(self.hash(id), |&index| of(index) == id).copied()
    }

    pub fn insert<'a>(&mut self, id: &[u8], index: u32, of: impl Fn(u32) -> &'a [u8]) {
        let hash = self.hash(id);
        let hasher = self.hasher.clone();
        self.table.insert_unique(hash, index, |&other| hasher.hash_one(of(other)));
    }
}

/// One query's rows.
#[derive(Debug, Clone, Copy)]
pub struct QueryRows<'a> {
    pub id: &'a [u8],
    pub arena: &'a [u8],
    pub documents: &'a [Span],
    pub values: &'a [f64],
    pub ranks: &'a [f64],
}

impl Rows {
    #[must_use]
    pub fn queries(&self) -> usize {
        self.groups.len()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    #[must_use]
    pub fn has_ranks(&self) -> bool {
        !self.ranks.is_empty()
    }

    #[must_use]
    pub fn arena(&self) -> &[u8] {
        &self.arena
    }

    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Query numbers in byte order of the ids.
    #[must_use]
    pub fn sorted(&self) -> &[u32] {
        &self.sorted
    }

    #[inline]
    #[must_use]
    pub fn query_id(&self, query: usize) -> &[u8] {
        self.groups.get(query).map_or(&[], |group| group.id.of(&self.arena))
    }

    #[inline]
    #[must_use]
    pub fn find(&self, id: &[u8]) -> Option<usize> {
        self.index.find(id, |other| self.query_id(other as usize)).map(|query| query as usize)
    }

    #[must_use]
    pub fn query(&self, query: usize) -> QueryRows<'_> {
        let group = self.groups.get(query).copied().unwrap_or_default();
        let range = group.first..group.first + group.count;
        QueryRows {
            id: group.id.of(&self.arena),
            arena: &self.arena,
            documents: self.documents.get(range.clone()).unwrap_or_default(),
            values: self.values.get(range.clone()).unwrap_or_default(),
            ranks: self.ranks.get(range).unwrap_or_default(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = QueryRows<'_>> {
        (0..self.queries()).map(|query| self.query(query))
    }

    /// A copy with the queries, and of each the rows, that `keep` wants; rows in the order it
    /// returns them.
    #[must_use]
    pub fn select(&self, mut keep: impl FnMut(&QueryRows<'_>) -> Option<Vec<usize>>) -> Self {
        let mut builder = RowsBuilder::new(self.has_ranks());
        for query in self.iter() {
            let Some(rows) = keep(&query) else { continue };
            builder.query(query.id);
            for row in rows {
                let (Some(document), Some(&value)) = (query.documents.get(row), query.values.get(row)) else {
                    continue;
                };
                let rank = query.ranks.get(row).copied().unwrap_or(f64::NAN);
                builder.push(query.id, document.of(query.arena), value, rank, 0);
            }
        }
        builder.build()
    }
}

/// Collects rows in any order.
#[derive(Debug, Default)]
pub struct RowsBuilder {
    arena: Vec<u8>,
    queries: Vec<Span>,
    index: Index,
    last: Option<u32>,
    documents: Vec<Span>,
    values: Vec<f64>,
    ranks: Vec<f64>,
    with_ranks: bool,
    /// Of each row, its query; and where it stands in its source (a line, or an offset).
    query_of: Vec<u32>,
    places: Vec<u64>,
    /// Whether every query's rows came in one piece.
    grouped: bool,
}

impl RowsBuilder {
    #[must_use]
    pub fn new(with_ranks: bool) -> Self {
        Self { with_ranks, grouped: true, ..Self::default() }
    }

    fn intern(&mut self, id: &[u8]) -> Span {
        let span = Span { at: self.arena.len() as u64, length: u32::try_from(id.len()).unwrap_or(u32::MAX) };
        self.arena.extend_from_slice(id);
        span
    }

    /// The number of a query; a query without rows is a query all the same.
    pub fn query(&mut self, id: &[u8]) -> u32 {
        if let Some(last) = self.last
            && self.queries.get(last as usize).is_some_and(|span| span.of(&self.arena) == id)
        {
            return last;
        }
        let (queries, arena) = (&self.queries, &self.arena);
        let of = |query: u32| queries.get(query as usize).map_or(&[][..], |span| span.of(arena));
        let query = if let Some(query) = self.index.find(id, of) {
            self.grouped = false;
            query
        } else {
            let query = u32::try_from(self.queries.len()).unwrap_or(u32::MAX);
            let span = self.intern(id);
            self.queries.push(span);
            let (queries, arena) = (&self.queries, &self.arena);
            let of = |query: u32| queries.get(query as usize).map_or(&[][..], |span| span.of(arena));
            self.index.insert(id, query, of);
            query
        };
        self.last = Some(query);
        query
    }

    /// `place` is for messages: a line number or an offset.
    pub fn push(&mut self, query: &[u8], document: &[u8], value: f64, rank: f64, place: u64) {
        let query = self.query(query);
        let document = self.intern(document);
        self.query_of.push(query);
        self.documents.push(document);
        self.values.push(value);
        if self.with_ranks {
            self.ranks.push(rank);
        }
        self.places.push(place);
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Groups the rows, and applies the policy on a document that stands twice under a query:
    /// an error names the second place; the others keep one row (`count` keeps all).
    pub fn finish(mut self, duplicates: Duplicates) -> std::result::Result<Rows, (u64, Box<Error>)> {
        self.group();
        if duplicates != Duplicates::Count {
            self.resolve(duplicates)?;
        }
        Ok(self.assemble())
    }

    /// Groups the rows and keeps all of them.
    #[must_use]
    pub fn build(mut self) -> Rows {
        self.group();
        self.assemble()
    }

    /// Brings the rows of each query together, in their given order (a stable counting sort).
    fn group(&mut self) {
        if self.grouped {
            return;
        }
        let mut starts = vec![0usize; self.queries.len() + 1];
        for &query in &self.query_of {
            if let Some(start) = starts.get_mut(query as usize + 1) {
                *start += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut order = vec![0usize; self.query_of.len()];
        for (row, &query) in self.query_of.iter().enumerate() {
            if let Some(next) = starts.get_mut(query as usize) {
                if let Some(slot) = order.get_mut(*next) {
                    *slot = row;
                }
                *next += 1;
            }
        }
        self.reorder(&order);
    }

    fn reorder(&mut self, order: &[usize]) {
        fn gather<T: Copy>(from: &mut Vec<T>, order: &[usize]) {
            *from = order.iter().filter_map(|&row| from.get(row).copied()).collect();
        }
        gather(&mut self.query_of, order);
        gather(&mut self.documents, order);
        gather(&mut self.values, order);
        gather(&mut self.places, order);
        if self.with_ranks {
            gather(&mut self.ranks, order);
        }
    }

    fn resolve(&mut self, duplicates: Duplicates) -> std::result::Result<(), (u64, Box<Error>)> {
        let mut earliest: Option<(u64, Box<Error>)> = None;
        let mut dropped: Vec<usize> = Vec::new();
        let mut seen: HashTable<usize> = HashTable::new();
        let hasher = foldhash::fast::RandomState::default();
        let mut row = 0;
        while let Some(&query) = self.query_of.get(row) {
            seen.clear();
            let documents = &self.documents;
            let arena = &self.arena;
            let id_of = |row: usize| documents.get(row).map_or(&[][..], |span| span.of(arena));
            while self.query_of.get(row) == Some(&query) {
                let id = id_of(row);
                let hash = hasher.hash_one(id);
                match seen.find_mut(hash, |&other| id_of(other) == id) {
                    None => {
                        seen.insert_unique(hash, row, |&other| hasher.hash_one(id_of(other)));
                    }
                    Some(kept) => match duplicates {
                        Duplicates::Error => {
                            let place = self.places.get(row).copied().unwrap_or_default();
                            if earliest.as_ref().is_none_or(|(first, _)| place < *first) {
                                let query_id =
                                    self.queries.get(query as usize).map_or(&[][..], |span| span.of(arena));
                                earliest = Some((place, duplicate(query_id, id)));
                            }
                        }
                        Duplicates::Last => {
                            dropped.push(*kept);
                            *kept = row;
                        }
                        Duplicates::Best if self.values.get(row) > self.values.get(*kept) => {
                            dropped.push(*kept);
                            *kept = row;
                        }
                        Duplicates::First | Duplicates::Best | Duplicates::Count => dropped.push(row),
                    },
                }
                row += 1;
            }
        }
        if let Some(error) = earliest {
            return Err(error);
        }
        if !dropped.is_empty() {
            dropped.sort_unstable();
            let mut dropped = dropped.into_iter().peekable();
            let order: Vec<usize> =
                (0..self.documents.len()).filter(|row| dropped.next_if_eq(row).is_none()).collect();
            self.reorder(&order);
        }
        Ok(())
    }

    fn assemble(self) -> Rows {
        let mut groups: Vec<Group> =
            self.queries.iter().map(|&id| Group { id, first: 0, count: 0 }).collect();
        for &query in &self.query_of {
            if let Some(group) = groups.get_mut(query as usize) {
                group.count += 1;
            }
        }
        // After grouping the rows of queries stand in the order of the query numbers.
        let mut first = 0;
        for group in &mut groups {
            group.first = first;
            first += group.count;
        }
        let mut sorted: Vec<u32> = (0..u32::try_from(groups.len()).unwrap_or(u32::MAX)).collect();
        let id_of = |query: u32| groups.get(query as usize).map_or(&[][..], |group| group.id.of(&self.arena));
        sorted.sort_unstable_by(|&a, &b| id_of(a).cmp(id_of(b)));
        Rows {
            arena: self.arena,
            groups,
            documents: self.documents,
            values: self.values,
            ranks: self.ranks,
            index: self.index,
            sorted,
        }
    }
}

/// The error for a document that stands twice.
#[must_use]
pub fn duplicate(query: &[u8], document: &[u8]) -> Box<Error> {
    Error::new(Kind::Duplicate, "the same document a second time", "each document once a query")
        .query(query)
        .document(document)
        .hint("the policy duplicates=first, last, best or count says what to do with it")
}

impl QueryRows<'_> {
    #[must_use]
    pub fn document(&self, row: usize) -> &[u8] {
        self.documents.get(row).map_or(&[], |span| span.of(self.arena))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(rows: &[(&str, &str, f64)]) -> RowsBuilder {
        let mut builder = RowsBuilder::new(false);
        for (line, (query, document, value)) in rows.iter().enumerate() {
            builder.push(query.as_bytes(), document.as_bytes(), *value, f64::NAN, line as u64 + 1);
        }
        builder
    }

    #[test]
    fn groups_scattered_rows_in_given_order() {
        let rows = build(&[("b", "x", 1.0), ("a", "y", 2.0), ("b", "z", 3.0), ("a", "x", 4.0)]).build();
        assert_eq!(rows.queries(), 2);
        let b = rows.query(rows.find(b"b").unwrap());
        assert_eq!(b.values, [1.0, 3.0]);
        assert_eq!(b.document(1), b"z");
        assert_eq!(rows.query(rows.find(b"a").unwrap()).values, [2.0, 4.0]);
        assert_eq!(rows.sorted(), [1, 0]);
        assert!(rows.find(b"c").is_none());
    }

    #[test]
    fn names_the_first_duplicate_in_file_order() {
        let rows = [("b", "x", 1.0), ("a", "y", 2.0), ("a", "y", 3.0), ("b", "x", 4.0)];
        let (line, error) = build(&rows).finish(Duplicates::Error).unwrap_err();
        assert_eq!((line, error.kind), (3, Kind::Duplicate));
        assert_eq!(error.query.as_deref(), Some(&b"a"[..]));
    }

    #[test]
    fn keeps_what_the_policy_says() {
        let rows = [("a", "x", 1.0), ("a", "y", 2.0), ("a", "x", 3.0), ("a", "x", 2.0)];
        let values = |policy| build(&rows).finish(policy).unwrap().query(0).values.to_vec();
        assert_eq!(values(Duplicates::First), [1.0, 2.0]);
        assert_eq!(values(Duplicates::Last), [2.0, 2.0]);
        assert_eq!(values(Duplicates::Best), [2.0, 3.0]);
        assert_eq!(values(Duplicates::Count), [1.0, 2.0, 3.0, 2.0]);
    }
}
