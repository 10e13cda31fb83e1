//! Judgments with labels, such as subtopics.

use hashbrown::HashTable;

use super::grades::Policies;
use crate::error::Result;
use crate::hash::IdHasher;
use crate::known::Known;
use crate::read::trec::TableKind;
use crate::rows::{QueryRows, Span};
use crate::spans::check_weights;

/// One judgment of one document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The row of the document in its pool, counted from 0.
    pub document: u32,
    /// The number of the label among those of the query, counted from 0 in byte order of their names.
    pub label: u32,
    /// After the convention's policies; NaN counts as unjudged.
    pub grade: f64,
    /// The given grade.
    pub raw: f64,
}

/// The labels of one query and their entries; empty if judgments have no labels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Labels<'a> {
    /// Names of the labels, in byte order.
    pub names: &'a [Span],
    /// Document by document, in the order of the pool; those of a document in the given order.
    pub entries: &'a [Entry],
    /// For each document of the pool the position of its first entry, and the number of entries at the end.
    firsts: &'a [u32],
}

impl<'a> Labels<'a> {
    /// The entries of a document of the pool, by its row counted from 0.
    #[must_use]
    pub fn of(&self, document: usize) -> &'a [Entry] {
        let bound = |place: usize| self.firsts.get(place).map(|&first| first as usize);
        match (bound(document), bound(document + 1)) {
            (Some(first), Some(end)) => self.entries.known(first..end),
            _ => &[],
        }
    }
}

/// The labels of all queries, and their distinct documents.
#[derive(Debug, Default)]
pub(super) struct Labelled {
    /// For each query, the start of its documents and names.
    queries: Vec<LabelEnds>,
    hasher: IdHasher,
    pub documents: Vec<Span>,
    /// The largest given grade of a document under any label.
    pub raw: Vec<f64>,
    names: Vec<Span>,
    entries: Vec<Entry>,
    /// One per document, and one more per query.
    firsts: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct LabelEnds {
    document: usize,
    name: usize,
    entry: usize,
    first: usize,
}

impl Labelled {
    fn bounds(&self) -> LabelEnds {
        LabelEnds {
            document: self.documents.len(),
            name: self.names.len(),
            entry: self.entries.len(),
            first: self.firsts.len(),
        }
    }

    /// Adds a query. Also pushes the largest grade of each document, after the convention's policies; NaN if
    /// all of them count as unjudged.
    pub(super) fn add(
        &mut self,
        query: &QueryRows<'_>,
        policies: &Policies,
        grades: &mut Vec<f64>,
    ) -> Result<()> {
        self.queries.push(self.bounds());
        let mut used: Vec<u32> = query.labels.to_vec();
        used.sort_unstable();
        used.dedup();
        let name = |label: u32| *query.label_names.known(label as usize);
        used.sort_by(|&a, &b| name(a).of(query.arena).cmp(name(b).of(query.arena)));
        check_weights(used.iter().map(|&label| name(label).of(query.arena)))
            .map_err(|error| error.role(TableKind::Qrels.role()).query(query.id))?;
        let mut number = vec![0u32; used.iter().max().map_or(0, |&largest| largest as usize + 1)];
        for (place, &label) in (0..).zip(&used) {
            *number.known_mut(label as usize) = place;
            self.names.push(name(label));
        }
        // The query's document of each row.
        let (start, graded) = (self.documents.len(), grades.len());
        let hasher = &self.hasher;
        let mut known: HashTable<usize> = HashTable::new();
        let mut entries = Vec::with_capacity(query.values.len());
        for (row, (&raw, &label)) in query.values.iter().zip(query.labels).enumerate() {
            let id = query.document(row);
            let grade = policies.grade(raw, query, row)?;
            let documents = &self.documents;
            let of = |place: usize| documents.get(start + place).map_or(&[][..], |span| span.of(query.arena));
            let hash = hasher.hash(id);
            let document = match known.find(hash, |&place| of(place) == id) {
                Some(&place) => {
                    let (own, given) = (grades.get_mut(graded + place), self.raw.get_mut(start + place));
                    if let (Some(own), Some(given)) = (own, given) {
                        // The larger of two numbers, one of which may be NaN.
                        *own = own.max(grade);
                        *given = given.max(raw);
                    }
                    place
                }
                None => {
                    let place = documents.len() - start;
                    known.insert_unique(hash, place, |&place| hasher.hash(of(place)));
                    self.documents.push(*query.documents.known(row));
                    grades.push(grade);
                    self.raw.push(raw);
                    place
                }
            };
            let document = u32::try_from(document).unwrap_or(u32::MAX);
            let label = *number.known(label as usize);
            entries.push(Entry { document, label, grade, raw });
        }
        entries.sort_by_key(|entry| entry.document);
        let mut at = 0u32;
        for document in 0..=u32::try_from(self.documents.len() - start).unwrap_or(u32::MAX) {
            while entries.get(at as usize).is_some_and(|entry| entry.document < document) {
                at += 1;
            }
            self.firsts.push(at);
        }
        self.entries.extend(entries);
        Ok(())
    }

    fn range(&self, query: usize, part: impl Fn(&LabelEnds) -> usize) -> std::ops::Range<usize> {
        let bound = |query: usize| part(self.queries.get(query).unwrap_or(&self.bounds()));
        bound(query)..bound(query + 1)
    }

    /// The range of a query's documents.
    pub(super) fn pool(&self, query: usize) -> std::ops::Range<usize> {
        self.range(query, |bounds| bounds.document)
    }

    pub(super) fn labels(&self, query: usize) -> Labels<'_> {
        Labels {
            names: self.names.known(self.range(query, |bounds| bounds.name)),
            entries: self.entries.known(self.range(query, |bounds| bounds.entry)),
            firsts: self.firsts.known(self.range(query, |bounds| bounds.first)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judgments;
    use crate::convention::{Convention, Negative};
    use crate::rows::RowsBuilder;

    #[test]
    fn pool_has_each_document_once_with_one_entry_per_label() {
        let mut builder = RowsBuilder::new(false);
        let rows = [
            ("q", "2", "x", 1.0),
            ("q", "1", "y", 0.0),
            ("p", "7", "x", 4.0),
            ("q", "10", "x", 3.0),
            ("q", "1", "x", -2.0),
        ];
        for (query, label, document, grade) in rows {
            builder.label(label.as_bytes());
            builder.push(query.as_bytes(), document.as_bytes(), grade, f64::NAN, 0);
        }
        let rows = builder.build();
        let convention = Convention { negative: Negative::Unjudged, ..Convention::default() };
        let judgments = Judgments::new(&rows, &convention).unwrap();
        let pool = judgments.pool(0);
        let ids: Vec<_> = pool.documents.iter().map(|span| span.of(pool.arena)).collect();
        assert_eq!(ids, [b"x", b"y"]);
        assert_eq!(
            (pool.grades, pool.raw, pool.descending),
            (&[3.0, 0.0][..], &[3.0, 0.0][..], &[3.0, 0.0][..])
        );
        let names: Vec<_> = pool.labels.names.iter().map(|span| span.of(pool.arena)).collect();
        assert_eq!(names, [&b"1"[..], b"10", b"2"]);
        let entries: Vec<_> = pool.labels.of(0).iter().map(|entry| (entry.label, entry.raw)).collect();
        assert_eq!(entries, [(2, 1.0), (1, 3.0), (0, -2.0)]);
        assert!(pool.labels.of(0)[2].grade.is_nan());
        assert_eq!(pool.labels.of(1).len(), 1);
        assert!(pool.labels.of(2).is_empty());
        let other = judgments.pool(1);
        assert_eq!((other.labels.names.len(), other.labels.of(0)[0].grade), (1, 4.0));
    }
}
