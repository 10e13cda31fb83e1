//! Builds columns of rows grouped by query from rows in any order.

mod duplicates;
mod finish;
mod join;
mod names;
mod order;
mod spill;
mod watch;

use hashbrown::HashTable;
use names::Names;

use super::disk::Writer;
use super::index::Index;
use super::{QueryRows, Rows, Span};
use crate::convention::Duplicates;
use crate::error::{Earliest, Error, Result};
use crate::memory;

/// The minimum number of rows for more threads.
const MANY_ROWS: usize = 1 << 16;

/// Collects rows in any order.
#[derive(Debug)]
pub struct RowsBuilder {
    arena: Vec<u8>,
    names: Names,
    last: Option<u32>,
    /// Pieces: consecutive rows of one query. Each ends where the next begins.
    pieces: Vec<QueryPiece>,
    documents: Vec<Span>,
    values: Vec<f64>,
    ranks: Vec<f64>,
    with_ranks: bool,
    labels: Vec<u32>,
    label_names: Vec<Span>,
    label_index: Index,
    /// The label of the next rows; `None` if rows have none.
    label: Option<u32>,
    /// The place of each row in its source (a line number or an offset); empty if it is the row number.
    places: Vec<u64>,
    /// The number of the first row in memory; earlier ones are on disk.
    first: u64,
    /// Whether the rows of every query form one piece.
    grouped: bool,
    /// Whether a query may have several numbers, because parts were appended.
    is_joined: bool,
    /// Writes rows to disk that exceed the memory limit.
    spill: Option<Box<Spill>>,
    /// Detects duplicates as rows are added, if they are errors.
    watch: Option<Box<Watch>>,
}

/// The limit, and the state of writing to disk.
#[derive(Debug)]
struct Spill {
    /// The maximum number of bytes of rows in memory.
    limit: usize,
    duplicates: Duplicates,
    /// The number of bytes in the arena that are not document ids of rows in memory.
    names: usize,
    /// None until the rows exceed the limit.
    writer: Option<Writer>,
    earliest: Earliest,
    failed: Option<Box<Error>>,
}

/// The documents of the current query.
#[derive(Debug, Default)]
struct Watch {
    /// The rows of the current piece, once there are many.
    seen: HashTable<usize>,
    hasher: foldhash::fast::RandomState,
    /// The first row of the current piece.
    piece: usize,
    failed: Option<Box<Error>>,
}

#[derive(Debug, Clone, Copy)]
struct QueryPiece {
    query: u32,
    first: usize,
}

impl RowsBuilder {
    #[must_use]
    pub fn new(with_ranks: bool) -> Self {
        Self {
            arena: Vec::new(),
            names: Names::new(),
            last: None,
            pieces: Vec::new(),
            documents: Vec::new(),
            values: Vec::new(),
            ranks: Vec::new(),
            with_ranks,
            labels: Vec::new(),
            label_names: Vec::new(),
            label_index: Index::default(),
            label: None,
            places: Vec::new(),
            first: 0,
            grouped: true,
            is_joined: false,
            spill: None,
            watch: None,
        }
    }

    /// Creates a builder for rows with or without ranks, like these.
    #[must_use]
    pub fn like(rows: &Rows) -> Self {
        Self::new(rows.has_ranks())
    }

    /// Creates a builder from complete columns; [`RowsBuilder::piece`] then adds the queries. `ranks` is
    /// empty or as long as the other columns.
    #[must_use]
    pub fn over(arena: Vec<u8>, documents: Vec<Span>, values: Vec<f64>, ranks: Vec<f64>) -> Self {
        Self { arena, documents, values, with_ranks: !ranks.is_empty(), ranks, ..Self::new(false) }
    }

    /// Reserves memory for more rows.
    pub fn reserve(&mut self, rows: usize) {
        self.documents.reserve(rows);
        self.values.reserve(rows);
        if self.with_ranks {
            self.ranks.reserve(rows);
        }
    }

    /// Makes room for a row whose ids have so many bytes, or returns an error if memory is exhausted.
    #[inline]
    pub fn room(&mut self, bytes: usize) -> Result<()> {
        if self.documents.len() < self.documents.capacity()
            && self.pieces.len() < self.pieces.capacity()
            && self.arena.capacity() - self.arena.len() >= bytes
            && self.names.has_room()
        {
            return Ok(());
        }
        self.grow(1, bytes)
    }

    /// Makes room for rows whose ids have so many bytes.
    #[cold]
    pub fn grow(&mut self, rows: usize, bytes: usize) -> Result<()> {
        memory::reserve(&mut self.arena, bytes)?;
        memory::reserve(&mut self.documents, rows)?;
        memory::reserve(&mut self.pieces, 1)?;
        // All columns have as much room as that of the documents.
        let most = self.documents.capacity();
        memory::reserve_total(&mut self.values, most)?;
        memory::reserve_total(&mut self.places, most)?;
        if self.with_ranks {
            memory::reserve_total(&mut self.ranks, most)?;
        }
        if self.label.is_some() {
            memory::reserve_total(&mut self.labels, most)?;
        }
        self.names.grow()
    }

    /// Sets the label of the next rows. Either all rows have a label or none.
    pub fn label(&mut self, name: &[u8]) {
        let last = self.label.and_then(|label| self.label_names.get(label as usize));
        if last.is_none_or(|last| last.of(&self.arena) != name) {
            self.label = Some(self.label_number(name));
        }
    }

    fn label_number(&mut self, name: &[u8]) -> u32 {
        let (names, arena) = (&self.label_names, &self.arena);
        let of = |label: u32| names.get(label as usize).map_or(&[][..], |span| span.of(arena));
        self.label_index.find(name, of).unwrap_or_else(|| {
            let label = u32::try_from(self.label_names.len()).unwrap_or(u32::MAX);
            let span = self.intern(name);
            self.label_names.push(span);
            self.label_index.insert(name, label);
            label
        })
    }

    /// Sets the label of the next row of [`RowsBuilder::over`].
    pub fn label_next(&mut self, name: &[u8]) {
        self.label(name);
        self.labels.extend(self.label);
    }

    fn intern(&mut self, id: &[u8]) -> Span {
        let span = Span { at: self.arena.len() as u64, length: u32::try_from(id.len()).unwrap_or(u32::MAX) };
        self.arena.extend_from_slice(id);
        span
    }

    /// Returns the number of a query, and adds the query if it is new. It may stay without rows.
    pub fn query(&mut self, id: &[u8]) -> u32 {
        if let Some(last) = self.last
            && self.names.spans.get(last as usize).is_some_and(|span| span.of(&self.arena) == id)
        {
            return last;
        }
        let query = if let Some(query) = self.names.find(id, &self.arena) {
            self.grouped = false;
            query
        } else {
            let span = self.intern(id);
            self.names.add(span, &self.arena)
        };
        self.last = Some(query);
        query
    }

    /// Starts a piece: the rows from number `first` up to the next piece belong to this query.
    pub fn piece(&mut self, id: &[u8], first: usize) {
        let query = self.query(id);
        if self.pieces.last().is_none_or(|piece| piece.query != query) {
            self.pieces.push(QueryPiece { query, first });
        }
    }

    /// Adds a row. `place` is its line number or offset, for messages.
    pub fn push(&mut self, query: &[u8], document: &[u8], value: f64, rank: f64, place: u64) {
        self.piece(query, self.documents.len());
        self.places.push(place);
        self.add(document, value, rank);
        if self.watch.is_some() {
            self.watch_last();
        }
        if self.spill.is_some() {
            self.spill_if_full();
        }
    }

    /// Adds consecutive rows of a query, whose places are their row numbers. `documents` appends their ids to
    /// the arena and a span for each.
    pub fn extend(
        &mut self,
        query: &[u8],
        documents: impl FnOnce(&mut Vec<u8>, &mut Vec<Span>),
        values: &[f64],
    ) {
        self.piece(query, self.documents.len());
        documents(&mut self.arena, &mut self.documents);
        self.values.extend_from_slice(values);
        if let Some(label) = self.label {
            self.labels.resize(self.documents.len(), label);
        }
        if self.spill.is_some() {
            self.spill_if_full();
        }
    }

    /// Adds a row to the last piece. Its place is its row number.
    #[inline]
    pub fn add(&mut self, document: &[u8], value: f64, rank: f64) {
        let document = self.intern(document);
        self.documents.push(document);
        self.values.push(value);
        if self.with_ranks {
            self.ranks.push(rank);
        }
        self.labels.extend(self.label);
    }

    /// Copies rows of a query from another table.
    pub fn copy(&mut self, query: &QueryRows<'_>, rows: impl IntoIterator<Item = usize>) {
        self.piece(query.id, self.documents.len());
        for row in rows {
            if let Some(&value) = query.values.get(row) {
                if let Some(label) = query.label(row) {
                    self.label(label);
                }
                let rank = query.ranks.get(row).copied().unwrap_or(f64::NAN);
                self.add(query.document(row), value, rank);
            }
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.spans.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convention::Duplicates;
    use crate::error::Kind;

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
    fn sorts_queries_by_bytes() {
        let ids = ["b", "a", "", "ab", "a\0", "abcdefgh", "abcdefghi", "abcdefg", "é", "z", "10", "9"];
        let rows = build(&ids.map(|id| (id, "d", 1.0))).build();
        let sorted: Vec<&[u8]> = rows.sorted().iter().map(|&query| rows.query_id(query as usize)).collect();
        let mut expected: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes()).collect();
        expected.sort_unstable();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn sorts_many_queries_by_bytes() {
        let mut builder = RowsBuilder::new(false);
        let mut expected = Vec::new();
        for number in 0..20_000u64 {
            let id = format!(
                "{}{}",
                number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1_000_003,
                if number % 7 == 0 { "-and-more" } else { "" }
            );
            builder.query(id.as_bytes());
            expected.push(id.into_bytes());
        }
        expected.sort_unstable();
        expected.dedup();
        let rows = builder.build();
        let sorted: Vec<&[u8]> = rows.sorted().iter().map(|&query| rows.query_id(query as usize)).collect();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn names_the_first_duplicate_in_file_order() {
        let rows = [("b", "x", 1.0), ("a", "y", 2.0), ("a", "y", 3.0), ("b", "x", 4.0)];
        let (line, error) = build(&rows).finish(Duplicates::Error).unwrap_err();
        assert_eq!((line, error.kind), (3, Kind::Duplicate));
        assert_eq!(error.query.as_deref(), Some(&b"a"[..]));
    }

    #[test]
    fn keeps_duplicates_by_policy() {
        let rows = [("a", "x", 1.0), ("a", "y", 2.0), ("a", "x", 3.0), ("a", "x", 2.0)];
        let values = |policy| build(&rows).finish(policy).unwrap().query(0).values.to_vec();
        assert_eq!(values(Duplicates::First), [1.0, 2.0]);
        assert_eq!(values(Duplicates::Last), [2.0, 2.0]);
        assert_eq!(values(Duplicates::Best), [2.0, 3.0]);
        assert_eq!(values(Duplicates::Mean), [2.0, 2.0]);
        assert_eq!(values(Duplicates::Count), [1.0, 2.0, 3.0, 2.0]);
    }

    #[test]
    fn rows_with_different_labels_are_not_duplicates() {
        let rows = [("1", "x", 1.0), ("2", "x", 0.0), ("1", "y", 2.0), ("2", "x", 3.0)];
        let build = || {
            let mut builder = RowsBuilder::new(false);
            for (place, (label, document, value)) in (1..).zip(rows) {
                builder.label(label.as_bytes());
                builder.push(b"q", document.as_bytes(), value, f64::NAN, place);
            }
            builder
        };
        let (line, error) = build().finish(Duplicates::Error).unwrap_err();
        assert_eq!((line, error.kind), (4, Kind::Duplicate));
        let kept = build().finish(Duplicates::Last).unwrap();
        let query = kept.query(0);
        let found: Vec<_> = (0..3).map(|row| (query.label(row).unwrap(), query.document(row))).collect();
        assert_eq!(found, [(&b"1"[..], &b"x"[..]), (b"1", b"y"), (b"2", b"x")]);
        assert_eq!(query.values, [1.0, 2.0, 3.0]);
        // Copies keep the labels, and rows that differ only in their labels are not equal.
        let copy = kept.select(|_| Some(vec![2, 0, 1]));
        assert!(copy.has_labels() && copy.same(&kept, true));
        let mut other = RowsBuilder::new(false);
        for (label, document, value) in [("1", "x", 1.0), ("1", "y", 2.0), ("3", "x", 3.0)] {
            other.label(label.as_bytes());
            other.push(b"q", document.as_bytes(), value, f64::NAN, 0);
        }
        assert!(!other.build().same(&kept, true));
    }
}
