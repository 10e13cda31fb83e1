//! Rows whose documents are counted by class, such as copies of one text or the chunks of a document.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{QueryRows, Rows, RowsBuilder};
use crate::convention::{Duplicates, Order};
use crate::known::Known;
use crate::spans::document_of;

/// The rows that remain of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// The one with the largest value.
    Largest,
    /// Those of the document that is first in this order.
    First(Order),
    /// All of them, in this order, so that a policy on duplicates finds the same first one.
    All(Order),
}

impl Rows {
    /// Returns the rows with the classes of documents as ids, and how many rows have one. A document without a class
    /// is its own. A place is one in the class of its document, and all of them remain.
    pub fn by_class<E>(
        &self,
        members: Members,
        mut class: impl FnMut(&[u8]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(Self, usize), E> {
        let mut classes: HashMap<&[u8], Option<Vec<u8>>> = HashMap::new();
        let mut classed = 0;
        for span in &self.documents {
            let document = document_of(span.of(&self.arena));
            if !classes.contains_key(document) {
                classes.insert(document, class(document)?);
            }
            classed += usize::from(classes.get(document).is_some_and(Option::is_some));
        }
        let mut builder = RowsBuilder::like(self);
        builder.reserve(self.len());
        for query in self.iter() {
            builder.piece(query.id, builder.len());
            for row in query.members(members, &classes) {
                if let Some(label) = query.label(row) {
                    builder.label(label);
                }
                let rank = query.ranks.get(row).copied().unwrap_or(f64::NAN);
                builder.add(&name(query.document(row), &classes), *query.values.known(row), rank);
            }
        }
        let duplicates = if members == Members::Largest { Duplicates::Best } else { Duplicates::Count };
        // Neither of them is an error.
        let rows = builder.finish(duplicates).unwrap_or_default();
        Ok((rows, classed))
    }
}

type Classes<'a> = HashMap<&'a [u8], Option<Vec<u8>>>;

/// The id of a document's class, or of the same place in it.
fn name<'a>(id: &'a [u8], classes: &'a Classes<'_>) -> Cow<'a, [u8]> {
    let document = document_of(id);
    match classes.get(document) {
        Some(Some(class)) if document.len() == id.len() => Cow::Borrowed(class),
        Some(Some(class)) => Cow::Owned([class, id.known(document.len()..)].concat()),
        _ => Cow::Borrowed(id),
    }
}

impl QueryRows<'_> {
    /// The rows that remain, in their order.
    fn members(&self, members: Members, classes: &Classes<'_>) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.values.len()).collect();
        let (Members::First(order) | Members::All(order)) = members else { return rows };
        match order {
            Order::Score => {
                // Adding 0 turns -0.0 into 0.0, so that the two tie.
                rows.sort_by(|&a, &b| (self.values.known(b) + 0.0).total_cmp(&(self.values.known(a) + 0.0)));
            }
            Order::Rank if self.ranks.is_empty() => {}
            Order::Rank => rows.sort_by(|&a, &b| self.ranks.known(a).total_cmp(self.ranks.known(b))),
            Order::Given => {}
        }
        if members == Members::All(order) {
            return rows;
        }
        let mut firsts: HashMap<Cow<'_, [u8]>, &[u8]> = HashMap::with_capacity(rows.len());
        rows.retain(|&row| {
            let id = self.document(row);
            // A document that is listed twice is a duplicate, not a copy.
            document_of(id).len() < id.len() || *firsts.entry(name(id, classes)).or_insert(id) == id
        });
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(documents: &[(&str, f64, f64)]) -> Rows {
        let mut builder = RowsBuilder::new(true);
        for &(document, value, rank) in documents {
            builder.push(b"q", document.as_bytes(), value, rank, 0);
        }
        builder.build()
    }

    fn by_class(rows: &Rows, members: Members) -> (Vec<(String, f64)>, usize) {
        let letter = |document: &[u8]| {
            let number = document.last().is_some_and(u8::is_ascii_digit);
            Ok::<_, ()>(number.then(|| document.known(..document.len() - 1).to_vec()))
        };
        let (found, classed) = rows.by_class(members, letter).unwrap();
        let query = found.query(0);
        let row = |row| (String::from_utf8_lossy(query.document(row)).into_owned(), *query.values.known(row));
        ((0..query.values.len()).map(row).collect(), classed)
    }

    fn named(rows: &[(&str, f64)]) -> Vec<(String, f64)> {
        rows.iter().map(|&(document, value)| (document.to_owned(), value)).collect()
    }

    #[test]
    fn a_class_has_its_largest_value_or_its_first_document() {
        let rows =
            rows(&[("b", 3.0, 2.0), ("a1", 1.0, 1.0), ("a2", 2.0, 3.0), ("b", 3.0, 4.0), ("a", 0.0, 5.0)]);
        assert_eq!(by_class(&rows, Members::Largest), (named(&[("b", 3.0), ("a", 2.0)]), 2));
        let first = |order| by_class(&rows, Members::First(order)).0;
        assert_eq!(first(Order::Score), named(&[("b", 3.0), ("a", 2.0), ("b", 3.0)]));
        assert_eq!(first(Order::Rank), named(&[("b", 3.0), ("a", 1.0), ("b", 3.0)]));
        assert_eq!(first(Order::Given), named(&[("b", 3.0), ("a", 1.0), ("b", 3.0)]));
        let all = |order| by_class(&rows, Members::All(order)).0;
        assert_eq!(all(Order::Given), named(&[("b", 3.0), ("a", 1.0), ("a", 2.0), ("b", 3.0), ("a", 0.0)]));
        assert_eq!(all(Order::Score), named(&[("b", 3.0), ("b", 3.0), ("a", 2.0), ("a", 1.0), ("a", 0.0)]));
    }

    #[test]
    fn a_place_keeps_its_offsets_and_its_copies() {
        let rows = rows(&[("a1#char=0,9", 2.0, 1.0), ("a2#char=0,9", 1.0, 2.0), ("c#char=1,2", 0.5, 3.0)]);
        let places = named(&[("a#char=0,9", 2.0), ("a#char=0,9", 1.0), ("c#char=1,2", 0.5)]);
        assert_eq!(by_class(&rows, Members::First(Order::Score)), (places.clone(), 2));
        assert_eq!(by_class(&rows, Members::Largest).0, named(&[("a#char=0,9", 2.0), ("c#char=1,2", 0.5)]));
    }
}
