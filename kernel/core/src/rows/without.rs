//! Rows without those of given pairs of query and document.

use std::collections::HashSet;

use super::Rows;

impl Rows {
    /// Returns the rows whose query and document are not a row of `other`. Queries without rows left remain.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.select(|query| {
            let every = 0..query.values.len();
            let Some(number) = other.find(query.id) else { return Some(every.collect()) };
            let removed = other.query(number);
            let removed: HashSet<&[u8]> =
                (0..removed.values.len()).map(|row| removed.document(row)).collect();
            Some(every.filter(|&row| !removed.contains(query.document(row))).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::rows::RowsBuilder;

    #[test]
    fn removes_pairs_and_keeps_queries() {
        let build = |rows: &[(&str, &str)]| {
            let mut builder = RowsBuilder::new(false);
            for &(query, document) in rows {
                builder.push(query.as_bytes(), document.as_bytes(), 1.0, f64::NAN, 0);
            }
            builder.build()
        };
        let rows = build(&[("q", "a"), ("q", "b"), ("r", "a"), ("s", "c")]);
        let rest = rows.without(&build(&[("q", "a"), ("r", "b"), ("s", "c"), ("t", "a")]));
        assert_eq!((rest.queries(), rest.len()), (3, 2));
        assert_eq!(rest.query(0).document(0), b"b");
        assert_eq!(rest.query(1).document(0), b"a");
    }
}
