//! Judgments and runs in columns: the documents of each query with one value each, or with one value per
//! label for judgments of subtopics or groups.

use std::sync::OnceLock;

use hashbrown::HashTable;

use crate::error::{Error, Kind, Result};
use crate::hash::IdHasher;
use crate::read::number::LARGEST_GRADE;

mod builder;
mod classes;
mod digest;
mod disk;
mod head;
mod index;
mod ordered;
mod stored;
mod systems;
mod without;

pub use builder::RowsBuilder;
pub use classes::Members;
pub use disk::{AnyRows, DiskBlock, DiskRows, Facts};
pub(crate) use disk::{read_exactly, unreadable};
pub use systems::{Systems, query_of_system};

use crate::known::Known;
use index::Lookup;

/// Whether a number is an integer within ±2^53, where floats and integers are the same numbers.
#[must_use]
pub fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() <= LARGEST_GRADE
}

/// The position of an id in the arena. Packed, since there is one per row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, packed(4))]
pub struct Span {
    pub at: u64,
    pub length: u32,
}

impl Span {
    #[inline(always)]
    #[must_use]
    pub fn of(self, arena: &[u8]) -> &[u8] {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        arena.known(at..at.saturating_add(self.length as usize))
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
    /// One per row, or empty: the ranks of runs with a rank column.
    ranks: Vec<f64>,
    /// One per row, or empty: the number of its label (a subtopic, a group of judgments).
    labels: Vec<u32>,
    label_names: Vec<Span>,
    /// Queries in byte order of their ids.
    sorted: Vec<u32>,
    lookup: Lookup,
    /// Whether every value is an integer, once computed.
    whole: OnceLock<bool>,
}

/// One query's rows.
#[derive(Debug, Clone, Copy)]
pub struct QueryRows<'a> {
    pub id: &'a [u8],
    pub arena: &'a [u8],
    pub documents: &'a [Span],
    pub values: &'a [f64],
    pub ranks: &'a [f64],
    /// Numbers of the labels; empty where rows have none.
    pub labels: &'a [u32],
    pub label_names: &'a [Span],
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

    /// Whether each row has a label, so that a document may have several rows.
    #[must_use]
    pub fn has_labels(&self) -> bool {
        !self.labels.is_empty()
    }

    /// The names of the labels by number, in the arena.
    #[must_use]
    pub fn label_names(&self) -> &[Span] {
        &self.label_names
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
        self.lookup.find(id, &self.sorted, |query| self.query_id(query as usize)).map(|query| query as usize)
    }

    /// As `find`, for ids that mostly come in the order of these rows, as those of a run made from them
    /// do: the query after the one found last is tried first.
    #[inline]
    #[must_use]
    pub fn find_after(&self, last: Option<usize>, id: &[u8]) -> Option<usize> {
        let next = last.map_or(0, |last| last + 1);
        if next < self.queries() && self.query_id(next) == id { Some(next) } else { self.find(id) }
    }

    #[must_use]
    pub fn query(&self, query: usize) -> QueryRows<'_> {
        let group = *self.groups.known(query);
        let range = group.first..group.first + group.count;
        QueryRows {
            id: group.id.of(&self.arena),
            arena: &self.arena,
            documents: self.documents.known(range.clone()),
            values: self.values.known(range.clone()),
            ranks: self.ranks.get(range.clone()).unwrap_or_default(),
            labels: self.labels.get(range).unwrap_or_default(),
            label_names: &self.label_names,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = QueryRows<'_>> {
        (0..self.queries()).map(|query| self.query(query))
    }

    /// Whether every value is a whole number; computed once.
    #[must_use]
    pub fn whole(&self) -> bool {
        *self.whole.get_or_init(|| self.values.iter().copied().all(is_whole))
    }

    /// Refuses documents with different values under different labels.
    pub fn one_grade(&self) -> Result<()> {
        self.iter().try_for_each(|query| query.one_grade())
    }

    /// Whether the same queries have the same documents with the same values under the same labels, in
    /// any order; with `unordered` false, in the same one.
    #[must_use]
    pub fn same(&self, other: &Self, unordered: bool) -> bool {
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        self.queries() == other.queries()
            && self.len() == other.len()
            && self.iter().all(|query| {
                let Some(number) = other.find(query.id) else { return false };
                query.pairs(&mut mine, unordered);
                let other = other.query(number);
                other.pairs(&mut theirs, unordered);
                mine.len() == theirs.len()
                    && mine.iter().zip(&theirs).all(|(a, b)| {
                        query.document(a.row) == other.document(b.row)
                            && query.label(a.row) == other.label(b.row)
                            && (a.value == b.value || !unordered)
                    })
            })
    }

    /// A copy with the queries and rows that `keep` returns, in its order.
    #[must_use]
    pub fn select(&self, mut keep: impl FnMut(&QueryRows<'_>) -> Option<Vec<usize>>) -> Self {
        let mut builder = RowsBuilder::like(self);
        for query in self.iter() {
            if let Some(rows) = keep(&query) {
                builder.copy(&query, rows);
            }
        }
        builder.build()
    }
}

impl Rows {
    /// Removes labels: one row per document, at its first position, with its largest value or the sum.
    #[must_use]
    pub fn merged(&self, sum: bool) -> Self {
        let mut builder = RowsBuilder::new(false);
        let hasher = IdHasher::default();
        for query in self.iter() {
            let mut place: HashTable<usize> = HashTable::new();
            let mut merged: Vec<(&[u8], f64)> = Vec::new();
            for (row, &value) in query.values.iter().enumerate() {
                let id = query.document(row);
                let of = |place: usize| merged.get(place).map_or(&[][..], |&(id, _)| id);
                match place.find(hasher.hash(id), |&place| of(place) == id) {
                    Some(&place) => {
                        if let Some((_, own)) = merged.get_mut(place) {
                            *own = if sum { *own + value } else { own.max(value) };
                        }
                    }
                    None => {
                        let next = merged.len();
                        place.insert_unique(hasher.hash(id), next, |&place| hasher.hash(of(place)));
                        merged.push((id, value));
                    }
                }
            }
            builder.piece(query.id, builder.len());
            merged.iter().for_each(|&(id, value)| builder.add(id, value, f64::NAN));
        }
        builder.build()
    }

    /// These judgments, and without documents the queries of a run that have documents and no judgments.
    #[must_use]
    pub fn with_queries_of(&self, run: &Self) -> Self {
        let mut builder = RowsBuilder::like(self);
        for query in self.iter() {
            builder.copy(&query, 0..query.values.len());
        }
        for query in run.iter().filter(|query| !query.documents.is_empty() && self.find(query.id).is_none()) {
            builder.piece(query.id, builder.len());
        }
        builder.build()
    }
}

/// A row's number and value.
struct SortKey {
    /// The first bytes of the document's id, as a number of the same order.
    first: u64,
    row: usize,
    value: f64,
}

fn first_bytes(id: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (slot, &byte) in first.iter_mut().zip(id) {
        *slot = byte;
    }
    u64::from_be_bytes(first)
}

/// The error for a duplicate document.
#[must_use]
pub fn duplicate(query: &[u8], document: &[u8]) -> Box<Error> {
    Error::statement(Kind::Duplicate, "duplicate document")
        .query(query)
        .document(document)
        .policy("duplicates")
        .hint("resolve duplicates with the policy duplicates=first, last, best, count, copies or blank, or read \
             them with ⟪duplicates=max⟫")
}

impl<'a> QueryRows<'a> {
    /// Row numbers in rank order as the default convention has it: by score, equal ones by id, both
    /// descending. Without scores, the order given.
    #[must_use]
    pub fn order(&self, scored: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        if scored {
            // Adding 0 turns -0.0 into 0.0, so that the two tie.
            let value = |row: usize| *self.values.known(row) + 0.0;
            order.sort_by(|&a, &b| {
                let by_id = || self.document(b).cmp(self.document(a));
                value(b).total_cmp(&value(a)).then_with(by_id)
            });
        }
        order
    }

    /// The rank of each row, to write: that of the source, if every row has one. Otherwise the position by
    /// descending score, equal ones as given, or without scores the position.
    #[must_use]
    pub fn written_ranks(&self, scored: bool) -> Vec<f64> {
        if scored && !self.ranks.is_empty() && self.ranks.iter().all(|rank| rank.is_finite()) {
            return self.ranks.to_vec();
        }
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        if scored {
            let value = |row: usize| *self.values.known(row) + 0.0;
            order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        }
        let mut ranks = vec![0.0; order.len()];
        for (rank, row) in (1..).zip(order) {
            *ranks.known_mut(row) = f64::from(rank);
        }
        ranks
    }

    /// Row numbers with their values, in order of the documents' ids or as given.
    fn pairs(&self, into: &mut Vec<SortKey>, by_id: bool) {
        into.clear();
        let pair = |(row, &value)| SortKey { first: first_bytes(self.document(row)), row, value };
        into.extend(self.values.iter().enumerate().map(pair));
        if by_id {
            // Few documents have the same first bytes, so their ids are rarely read.
            let key = |row: usize| (self.document(row), self.label(row), row);
            into.sort_unstable_by(|a, b| a.first.cmp(&b.first).then_with(|| key(a.row).cmp(&key(b.row))));
        }
    }

    /// As [`Rows::one_grade`], of one query.
    fn one_grade(&self) -> Result<()> {
        let hasher = IdHasher::default();
        let mut rows: HashTable<usize> = HashTable::new();
        for (row, value) in self.values.iter().enumerate() {
            let id = self.document(row);
            match rows.find(hasher.hash(id), |&row| self.document(row) == id) {
                Some(&first) if self.values.get(first) != Some(value) => {
                    let error = Error::statement(Kind::Grade, "the document has several grades");
                    return Err(error.query(self.id).document(id));
                }
                Some(_) => {}
                None => {
                    rows.insert_unique(hasher.hash(id), row, |&row| hasher.hash(self.document(row)));
                }
            }
        }
        Ok(())
    }

    /// The label of a row, if rows have labels.
    #[must_use]
    pub fn label(&self, row: usize) -> Option<&'a [u8]> {
        let label = *self.labels.get(row)?;
        self.label_names.get(label as usize).map(|span| span.of(self.arena))
    }

    #[must_use]
    pub fn document(&self, row: usize) -> &'a [u8] {
        self.documents.get(row).map_or(&[], |span| span.of(self.arena))
    }
}
