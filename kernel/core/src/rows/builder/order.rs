//! Groups rows by query and sorts them by rank.

use super::{MANY_ROWS, QueryPiece, RowsBuilder};
use crate::error::{Error, Kind};
use crate::known::Known;
use crate::parallel::together;

impl RowsBuilder {
    /// Sorts the rows of each query by rank. The ranks must be distinct numbers; an error has the place of
    /// the row.
    pub fn order_by_rank(&mut self) -> std::result::Result<(), (u64, Box<Error>)> {
        self.group(1);
        self.write_places();
        let rank = |row: usize| *self.ranks.known(row);
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        for (query, rows) in self.pieces() {
            let rows = order.known_mut(rows);
            rows.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
            let wrong =
                rows.iter().find(|&&row| rank(row).is_nan()).map(|&row| (row, "the rank is not a number"));
            let again = rows.windows(2).find_map(|pair| match *pair {
                [a, b] if rank(a) == rank(b) => Some((a.max(b), "duplicate rank")),
                _ => None,
            });
            if let Some((row, found)) = wrong.or(again) {
                let place = self.place(row);
                let query = *self.names.spans.known(query as usize);
                let document = *self.documents.known(row);
                let error = Error::statement(Kind::Format, found)
                    .query(query.of(&self.arena))
                    .document(document.of(&self.arena));
                return Err((place, error));
            }
        }
        self.reorder(&order, 1);
        Ok(())
    }

    /// Returns the place of a row in its source.
    pub(super) fn place(&self, row: usize) -> u64 {
        self.places.get(row).copied().unwrap_or(self.first + row as u64)
    }

    /// Stores the place of each row, before row numbers change.
    pub(super) fn write_places(&mut self) {
        if self.places.is_empty() {
            self.places = (self.first..).take(self.documents.len()).collect();
        }
    }

    /// Iterates over the pieces: query number and range of rows.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> {
        let ends = self.pieces.iter().skip(1).map(|piece| piece.first).chain([self.documents.len()]);
        self.pieces.iter().zip(ends).map(|(piece, end)| (piece.query, piece.first..end))
    }

    /// Groups the rows by query in their given order, with a stable counting sort.
    pub(super) fn group(&mut self, threads: usize) {
        self.merge_names();
        if self.grouped {
            return;
        }
        let mut starts = vec![0usize; self.names.spans.len() + 1];
        for (query, rows) in self.pieces() {
            *starts.known_mut(query as usize + 1) += rows.len();
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let firsts = starts.clone();
        let mut order = vec![0usize; self.documents.len()];
        for (query, rows) in self.pieces() {
            if let Some(next) = starts.get_mut(query as usize) {
                for row in rows {
                    *order.known_mut(*next) = row;
                    *next += 1;
                }
            }
        }
        let numbered = self.places.is_empty();
        self.reorder(&order, threads);
        if numbered {
            let first = self.first;
            self.places = order.into_iter().map(|row| first + row as u64).collect();
        }
        self.pieces = firsts
            .windows(2)
            .zip(0..)
            .filter_map(|(bounds, query)| match bounds {
                [first, end] if first < end => Some(QueryPiece { query, first: *first }),
                _ => None,
            })
            .collect();
        self.grouped = true;
    }

    pub(super) fn reorder(&mut self, order: &[usize], threads: usize) {
        fn gather<'a, T: Copy + Send>(
            from: &'a mut Vec<T>,
            order: &'a [usize],
        ) -> Box<dyn FnOnce() + Send + 'a> {
            Box::new(|| {
                if !from.is_empty() {
                    *from = order.iter().filter_map(|&row| from.get(row).copied()).collect();
                }
            })
        }
        let threads = if order.len() < MANY_ROWS { 1 } else { threads };
        let Self { documents, values, places, ranks, labels, .. } = self;
        together(
            threads,
            vec![
                gather(documents, order),
                gather(values, order),
                gather(places, order),
                gather(ranks, order),
                gather(labels, order),
            ],
        );
    }
}
