//! Files of judgments and runs: which format one is in, and how its rows get into columns.

pub mod trec;

use crate::convention::Duplicates;
use crate::read::source::Source;
use crate::read::trec::Table;
use crate::rows::Rows;

/// What was read.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub rows: Rows,
    /// False for rankings that came without scores: their order is the order given.
    pub scored: bool,
}

/// How files are to be read.
#[derive(Debug, Clone)]
pub struct Request {
    pub sources: Vec<Source>,
    pub table: Table,
    /// Lines that begin with `#` are comments.
    pub comments: bool,
    /// What a document that stands twice under a query is; `Count` keeps every row.
    pub duplicates: Duplicates,
}
