//! The rows of a partition, sorted into queries.

use std::fs::File;

use super::head::{Head, Run, Stored};
use crate::error::Result;
use crate::known::Known;
use crate::memory;
use crate::rows::{Span, read_exactly, unreadable};

/// The rows of a partition, sorted by query and place.
#[derive(Default)]
pub(super) struct Sorted {
    /// The rows as stored, in the order of their places.
    pub bytes: Vec<u8>,
    /// Where runs end, and the place of the first row of each.
    runs: Vec<(usize, u64)>,
    /// For each query, where its rows end.
    pub ends: Vec<usize>,
    pub spans: Vec<Span>,
    pub keys: Vec<f64>,
}

impl Sorted {
    /// Sorts the rows before a place.
    pub(super) fn gather(&mut self, runs: Vec<Run>, file: Option<&File>, before: u64) -> Result<()> {
        self.collect(runs, file)?;
        let mut counts: Vec<usize> = Vec::new();
        let mut rows = 0;
        self.each(before, |head, _, _| {
            let query = usize::try_from(head.query).unwrap_or(usize::MAX);
            if query >= counts.len() {
                counts.resize(query + 1, 0);
            }
            if let Some(count) = counts.get_mut(query) {
                *count += 1;
            }
            rows += 1;
        });
        let mut sum = 0;
        for count in &mut counts {
            sum += std::mem::replace(count, sum);
        }
        let (mut spans, mut keys) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.keys));
        spans.clear();
        keys.clear();
        memory::resize(&mut spans, rows, Span::default())?;
        memory::resize(&mut keys, rows, 0.0)?;
        self.each(before, |head, span, _| {
            let Some(next) = usize::try_from(head.query).ok().and_then(|query| counts.get_mut(query)) else {
                return;
            };
            if let (Some(own), Some(key)) = (spans.get_mut(*next), keys.get_mut(*next)) {
                (*own, *key) = (span, head.key);
            }
            *next += 1;
        });
        (self.spans, self.keys, self.ends) = (spans, keys, counts);
        Ok(())
    }

    /// Calls a function with each row before a place: its head, its document and its place.
    #[inline]
    fn each(&self, before: u64, mut take: impl FnMut(&Head, Span, u64)) {
        let mut at = 0;
        for &(end, first) in &self.runs {
            let mut place = first;
            while at < end {
                let Some(head) = Head::read(&self.bytes, &mut at) else { return };
                place += head.place;
                if place < before {
                    let length = u32::try_from(head.length).unwrap_or(u32::MAX);
                    take(&head, Span { at: at as u64, length }, place);
                }
                at += head.length;
            }
        }
    }

    /// The place of a row of a query.
    pub(super) fn place(&self, query: usize, row: usize, before: u64) -> u64 {
        let (mut left, mut found) = (row, 0);
        self.each(before, |head, _, place| {
            if head.query == query as u64 {
                if left == 0 {
                    found = place;
                }
                left = left.wrapping_sub(1);
            }
        });
        found
    }

    /// Collects all rows, from memory and from disk.
    fn collect(&mut self, mut runs: Vec<Run>, file: Option<&File>) -> Result<()> {
        self.bytes.clear();
        self.runs.clear();
        runs.sort_unstable_by_key(|run| run.place);
        let length = |run: &Run| match &run.rows {
            Stored::Memory(rows) => rows.len(),
            Stored::Disk(_, length) => *length,
        };
        memory::reserve(&mut self.bytes, runs.iter().map(length).sum())?;
        for run in runs {
            match (run.rows, file) {
                (Stored::Memory(rows), _) => self.bytes.extend_from_slice(&rows),
                (Stored::Disk(at, length), Some(file)) => {
                    let start = self.bytes.len();
                    memory::resize(&mut self.bytes, start + length, 0)?;
                    read_exactly(file, self.bytes.known_mut(start..), at)?;
                }
                (Stored::Disk(..), None) => return Err(unreadable("it is missing")),
            }
            self.runs.push((self.bytes.len(), run.place));
        }
        Ok(())
    }
}
