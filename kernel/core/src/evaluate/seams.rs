//! Joins queries whose rows continue from one chunk of a table into the next.
//!
//! Threads evaluate chunks in parallel, all queries but the first and last of each. These edges are joined
//! here, in the order of the chunks.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::gathered::Gathered;
use crate::error::Result;

/// The queries at the edges of a chunk: none of an empty one, the same for both of a chunk of one query.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub first: Option<Gathered>,
    pub last: Option<Gathered>,
}

/// Joins edges.
#[derive(Debug, Default)]
pub(super) struct Seams {
    state: Mutex<SeamState>,
}

#[derive(Debug, Default)]
struct SeamState {
    /// The number of the next chunk.
    next: usize,
    waiting: BTreeMap<usize, Edges>,
    /// A query that may continue in the next chunk.
    open: Option<Gathered>,
}

impl Seams {
    /// Takes the edges of a chunk; returns the queries that are complete now.
    pub(super) fn deliver(&self, chunk: usize, edges: Edges) -> Result<Vec<Gathered>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        state.waiting.insert(chunk, edges);
        let mut complete = Vec::new();
        while let Some(edges) = state.waiting.remove(&state.next) {
            state.next += 1;
            for edge in [edges.first, edges.last].into_iter().flatten() {
                match &mut state.open {
                    Some(open) if open.query == edge.query => open.append(&edge)?,
                    open => complete.extend(open.replace(edge)),
                }
            }
        }
        Ok(complete)
    }

    /// The last query.
    pub(super) fn last(&self) -> Option<Gathered> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open.take()
    }
}
