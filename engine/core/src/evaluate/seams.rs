//! Queries whose rows go on from one chunk of a table into the next.
//!
//! Threads measure chunks side by side, each all queries of its chunk but the first and the last. These
//! edges are put together here, in the order of the chunks.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::rows::Span;

/// Rows of one query that follow each other.
#[derive(Debug, Default)]
pub struct Gathered {
    pub query: Vec<u8>,
    /// Its number in the judgments; the rows of other queries are not kept.
    pub judged: Option<usize>,
    pub arena: Vec<u8>,
    pub spans: Vec<Span>,
    pub keys: Vec<f64>,
    /// From which row on the rows stand at which place; places count on from there.
    pub places: Vec<(usize, u64)>,
}

impl Gathered {
    /// Begins the rows of another query.
    pub fn begin(&mut self, query: &[u8], judged: Option<usize>) {
        self.query.clear();
        self.query.extend_from_slice(query);
        self.judged = judged;
        self.arena.clear();
        self.spans.clear();
        self.keys.clear();
        self.places.clear();
    }

    /// The place of a row.
    pub fn place(&self, row: usize) -> u64 {
        let before = self.places.partition_point(|&(first, _)| first <= row);
        match before.checked_sub(1).and_then(|at| self.places.get(at)) {
            Some(&(first, place)) => place + (row - first) as u64,
            None => 0,
        }
    }

    fn append(&mut self, other: &Self) {
        let (rows, bytes) = (self.spans.len(), self.arena.len() as u64);
        self.arena.extend_from_slice(&other.arena);
        self.spans.extend(other.spans.iter().map(|span| Span { at: span.at + bytes, ..*span }));
        self.keys.extend_from_slice(&other.keys);
        self.places.extend(other.places.iter().map(|&(first, place)| (first + rows, place)));
    }
}

/// The queries at the edges of a chunk: none of an empty one, the same for both of a chunk of one query.
#[derive(Debug, Default)]
pub struct Edges {
    pub first: Option<Gathered>,
    pub last: Option<Gathered>,
}

/// Puts edges together.
#[derive(Debug, Default)]
pub struct Seams {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The chunk whose edges are next.
    next: usize,
    waiting: BTreeMap<usize, Edges>,
    /// A query that may go on in the next chunk.
    open: Option<Gathered>,
}

impl Seams {
    /// Takes the edges of a chunk; returns the queries that are complete now.
    pub fn deliver(&self, chunk: usize, edges: Edges) -> Vec<Gathered> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        state.waiting.insert(chunk, edges);
        let mut complete = Vec::new();
        while let Some(edges) = state.waiting.remove(&state.next) {
            state.next += 1;
            for edge in [edges.first, edges.last].into_iter().flatten() {
                match &mut state.open {
                    Some(open) if open.query == edge.query => open.append(&edge),
                    open => complete.extend(open.replace(edge)),
                }
            }
        }
        complete
    }

    /// The query that no chunk follows.
    pub fn last(&self) -> Option<Gathered> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open.take()
    }
}
