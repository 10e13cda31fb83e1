//! The upper part of each query's rows.

use std::collections::HashSet;

use super::{QueryRows, Rows};
use crate::convention::Order;
use crate::known::Known;

impl Rows {
    /// Returns the rows of each query down to its `depth`-th document, and all rows tied with it, in their given
    /// order.
    ///
    /// What is left gives the same first `depth` documents under any policy on ties but a random one,
    /// on the precision of scores, on duplicates and on a document that is the query itself: scores tie
    /// that are equal as 32-bit floats, such a document is not counted, and a query that lists a document
    /// twice is left whole, for the policy may keep its lower place.
    #[must_use]
    pub fn head(&self, depth: usize, order: Order) -> Self {
        let depth = depth.max(1);
        self.select(|query| Some(query.head(depth, order)))
    }
}

impl QueryRows<'_> {
    fn head(&self, depth: usize, order: Order) -> Vec<usize> {
        // Smaller keys come first. Adding 0 turns -0.0 into 0.0, so that the two tie.
        let key = |row: usize| match order {
            Order::Score => -f64::from(*self.values.known(row) as f32) + 0.0,
            Order::Rank => *self.ranks.known(row),
            Order::Given => row as f64,
        };
        let mut rows: Vec<usize> = (0..self.values.len()).collect();
        let mut seen = HashSet::with_capacity(rows.len());
        if rows.len() <= depth || !rows.iter().all(|&row| seen.insert(self.document(row))) {
            return rows;
        }
        rows.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
        let last = rows.iter().copied().filter(|&row| self.document(row) != self.id).nth(depth - 1);
        rows.sort_unstable();
        rows.retain(|&row| last.is_none_or(|last| key(row) <= key(last)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowsBuilder;

    /// The documents that are left, of rows of document, score and rank.
    fn left(rows: &[(&str, f64, f64)], depth: usize, order: Order) -> Vec<String> {
        let mut builder = RowsBuilder::new(true);
        for &(document, score, rank) in rows {
            builder.push(b"q", document.as_bytes(), score, rank, 0);
        }
        let head = builder.build().head(depth, order);
        let query = head.query(0);
        (0..query.values.len()).map(|row| String::from_utf8_lossy(query.document(row)).into_owned()).collect()
    }

    #[test]
    fn rows_within_the_depth_keep_their_order() {
        let rows = [("a", 1.0, 1.0), ("b", 3.0, 4.0), ("c", 2.0, 2.0), ("d", 0.5, 3.0)];
        assert_eq!(left(&rows, 2, Order::Score), ["b", "c"]);
        assert_eq!(left(&rows, 2, Order::Rank), ["a", "c"]);
        assert_eq!(left(&rows, 2, Order::Given), ["a", "b"]);
        assert_eq!(left(&rows, 9, Order::Score).len(), 4);
    }

    #[test]
    fn ties_with_the_last_document_are_kept() {
        let close = 1.0 + 1e-12;
        let rows = [("a", close, 1.0), ("b", 1.0, 2.0), ("c", 2.0, 3.0), ("d", 0.9, 4.0)];
        assert_eq!(left(&rows, 2, Order::Score), ["a", "b", "c"]);
        assert_eq!(left(&[("a", -0.0, 1.0), ("b", 0.0, 2.0)], 1, Order::Score), ["a", "b"]);
    }

    #[test]
    fn documents_that_a_policy_may_remove_are_not_counted() {
        let mut rows = [("q", 3.0, 1.0), ("a", 2.5, 2.0), ("b", 2.0, 3.0), ("c", 1.0, 4.0), ("d", 0.5, 5.0)];
        assert_eq!(left(&rows, 2, Order::Score), ["q", "a", "b"]);
        rows[4].0 = "a";
        assert_eq!(left(&rows, 2, Order::Score), ["q", "a", "b", "c", "a"]);
    }
}
