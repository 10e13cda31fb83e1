//! Finishes collected rows.

use super::super::{Group, Index, Rows};
use super::RowsBuilder;
use crate::convention::Duplicates;
use crate::error::Error;

/// The minimum number of queries for a thread.
const MANY: usize = 1 << 14;

impl RowsBuilder {
    /// Groups the rows, and applies the policy on documents that are duplicates within a query and label: an
    /// error names the second place; other policies keep one row (`count` keeps all).
    pub fn finish(self, duplicates: Duplicates) -> std::result::Result<Rows, (u64, Box<Error>)> {
        self.finish_on(1, duplicates)
    }

    /// As `finish`, on so many threads.
    pub fn finish_on(
        mut self,
        threads: usize,
        duplicates: Duplicates,
    ) -> std::result::Result<Rows, (u64, Box<Error>)> {
        let watched = self.is_watched();
        self.group();
        let name = || self.names.looked_through(&self.arena);
        let (repeats, named) = if threads > 1 && self.names.spans.len() >= MANY {
            std::thread::scope(|scope| {
                let naming = scope.spawn(name);
                let repeats = self.repeats(duplicates, watched);
                (repeats, naming.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            })
        } else {
            (self.repeats(duplicates, watched), name())
        };
        self.leave_out(repeats?);
        Ok(self.assemble(named))
    }

    /// Groups the rows and keeps all of them.
    #[must_use]
    pub fn build(mut self) -> Rows {
        self.group();
        let named = self.names.looked_through(&self.arena);
        self.assemble(named)
    }

    /// Puts grouped rows together with what is known of their queries' ids.
    fn assemble(self, (index, sorted): (Option<Index>, Vec<u32>)) -> Rows {
        let mut groups: Vec<Group> =
            self.names.spans.iter().map(|&id| Group { id, first: 0, count: 0 }).collect();
        for (query, rows) in self.pieces() {
            if let Some(group) = groups.get_mut(query as usize) {
                group.count += rows.len();
            }
        }
        // After grouping the rows of queries stand in the order of the query numbers.
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
            index: index.unwrap_or_else(|| self.names.into_index()),
            sorted,
            whole: std::sync::OnceLock::new(),
        }
    }
}
