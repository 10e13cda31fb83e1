//! Finishes collected rows.

use super::super::{Group, Rows};
use super::RowsBuilder;
use crate::convention::Duplicates;
use crate::error::Error;
use crate::memory;
use crate::parallel::spawn;

/// The minimum number of queries for a second thread.
const MANY_QUERIES: usize = 1 << 14;

impl RowsBuilder {
    /// Groups the rows and applies the policy on duplicates: rows with the same query, label and document. An
    /// error has the place of the second one.
    pub fn finish(self, duplicates: Duplicates) -> std::result::Result<Rows, (u64, Box<Error>)> {
        self.finish_on(1, duplicates)
    }

    /// Finishes as [`RowsBuilder::finish`] does, on several threads.
    pub fn finish_on(
        mut self,
        threads: usize,
        duplicates: Duplicates,
    ) -> std::result::Result<Rows, (u64, Box<Error>)> {
        self.merge_names();
        let watched = self.is_watched();
        // To sort the rows, and to find queries and duplicates.
        let rows = self.documents.len() * 4 * size_of::<usize>();
        let names = self.names.spans.len() * 12 * size_of::<usize>();
        memory::check(rows + names).map_err(|error| (u64::MAX, error))?;
        self.group(threads);
        let sort = || self.names.sort(&self.arena);
        let (repeats, sorted) = std::thread::scope(|scope| {
            let several = threads > 1 && self.names.spans.len() >= MANY_QUERIES;
            let sorting = several.then(|| spawn(scope, sort)).flatten();
            let repeats = self.repeats(duplicates, watched, threads);
            let sorted = match sorting {
                Some(sorting) => sorting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                None => sort(),
            };
            (repeats, sorted)
        });
        self.leave_out(repeats?);
        Ok(self.assemble(sorted))
    }

    /// Groups the rows and keeps all of them.
    #[must_use]
    pub fn build(mut self) -> Rows {
        self.group(1);
        let sorted = self.names.sort(&self.arena);
        self.assemble(sorted)
    }

    /// Assembles grouped rows, with the numbers of the queries in byte order of their ids.
    fn assemble(self, sorted: Vec<u32>) -> Rows {
        let mut groups: Vec<Group> =
            self.names.spans.iter().map(|&id| Group { id, first: 0, count: 0 }).collect();
        for (query, rows) in self.pieces() {
            if let Some(group) = groups.get_mut(query as usize) {
                group.count += rows.len();
            }
        }
        // After grouping, the rows are in the order of the query numbers.
        let mut first = 0;
        for group in &mut groups {
            group.first = first;
            first += group.count;
        }
        Rows {
            arena: self.arena,
            groups,
            documents: self.documents,
            values: self.values,
            ranks: self.ranks,
            labels: self.labels,
            label_names: self.label_names,
            sorted,
            lookup: self.names.lookup(),
            whole: std::sync::OnceLock::new(),
        }
    }
}
