//! What to read, and what was read.

use super::Format;
use super::recoding::Recoding;
use crate::convention::Duplicates;
use crate::error::{Error, Kind, Result};
use crate::read::source::Source;
use crate::read::trec::{Dialect, LabelFields, TableKind};
use crate::roles::Naming;
use crate::rows::{AnyRows, DiskRows, Rows};
use crate::values::Values;

/// The content of files.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// If `scored` is false, the values are NaN.
    pub rows: Rows,
    /// False for rankings without scores, which are in the given order.
    pub scored: bool,
    /// TREC text: the tag of a run's last line.
    pub tag: Vec<u8>,
    /// The number of documents of lists that have no grade of their own, and so the grade 1.
    pub ungraded: u64,
    /// Whether one JSON object had the rows as records.
    pub enveloped: bool,
    /// Whether the rows are those of a table of features (SVMlight), which other files count.
    pub of_features: bool,
    /// The column or field with the system of each row; see `Rows::by_system`.
    pub systems: Option<String>,
}

impl Loaded {
    #[must_use]
    pub fn new(rows: Rows, scored: bool) -> Self {
        Self {
            rows,
            scored,
            tag: Vec::new(),
            ungraded: 0,
            enveloped: false,
            of_features: false,
            systems: None,
        }
    }
}

/// Judgments in memory, or on disk if there are too many.
#[derive(Debug)]
pub enum Judged {
    Memory(Loaded),
    Disk(DiskRows),
}

impl Judged {
    pub(crate) fn of(held: AnyRows, scored: bool, tag: Vec<u8>) -> Self {
        match held {
            AnyRows::Memory(rows) => Self::Memory(Loaded { tag, ..Loaded::new(rows, scored) }),
            AnyRows::Disk(rows) => Self::Disk(rows),
        }
    }

    /// The rows of a request without a limit.
    pub(super) fn in_memory(self) -> Result<Loaded> {
        match self {
            Self::Memory(loaded) => Ok(loaded),
            Self::Disk(_) => Err(Error::statement(Kind::Argument, "the rows are on disk, not in memory")),
        }
    }
}

/// The options for reading files.
#[derive(Debug, Clone)]
pub struct Request {
    pub sources: Vec<Source>,
    pub table: TableKind,
    /// `None`: detected from the content, with the suffix as a hint.
    pub format: Option<Format>,
    /// TSV and CSV: whether the first line names the columns. `None`: detected from that line.
    pub header: Option<bool>,
    /// Text without a header: the names of its columns; unknown names mark columns that are not read. Empty:
    /// decided by the number of columns.
    pub columns: Vec<String>,
    /// Text with a header: the names of columns by role (`query_id`, `doc_id`, `grade`, `score`, `rank`,
    /// `subtopic`). The others are found by their names.
    pub named: Vec<(String, String)>,
    /// BEIR: which file of the folder `qrels` (default `test`). JSON with levels above the queries: which
    /// table.
    pub split: Option<String>,
    /// Lines that begin with `#` are comments (TREC, TSV, CSV).
    pub comments: bool,
    /// Judgments: whether each row has a label, if its format has labels.
    pub labels: LabelFields,
    /// TREC: the rules for lines and numbers.
    pub dialect: Dialect,
    /// What ids and labels mean; applied before duplicates are found.
    pub recoding: Recoding,
    /// The treatment of duplicate documents; `Count` keeps every row.
    pub duplicates: Duplicates,
    /// Judgments: bytes that they may take in memory before they go to disk.
    pub memory: Option<usize>,
    /// The query to read. Every row is validated by itself, those of other queries are not kept: duplicates
    /// and ranks are compared within this query alone.
    pub query: Option<Vec<u8>>,
    /// The number of threads that read judgments in TREC text, or one query of a run.
    pub threads: usize,
    /// Of runs: whether ranks are the order, so that a score need not be a number.
    pub by_rank: bool,
}

impl Request {
    /// The defaults of all options; duplicates are an error.
    #[must_use]
    pub fn new(sources: Vec<Source>, table: TableKind) -> Self {
        Self {
            sources,
            table,
            format: None,
            header: None,
            columns: Vec::new(),
            named: Vec::new(),
            split: None,
            comments: false,
            labels: LabelFields::Ignored,
            dialect: Dialect::default(),
            recoding: Recoding::default(),
            duplicates: Duplicates::Error,
            memory: None,
            query: None,
            threads: 1,
            by_rank: false,
        }
    }

    /// The options that a caller sets, by name; the others have their defaults.
    pub fn parse(sources: Vec<Source>, table: TableKind, options: &dyn Values) -> Result<Self> {
        let text = |key| options.get(key)?.map(|_| options.word(key)).transpose();
        let flag = |key| options.get(key)?.map(|_| options.flag(key)).transpose();
        let named = options.words("named")?;
        let pairs =
            named.chunks_exact(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone())));
        let labels = if options.flag("subtopics")? { LabelFields::One } else { LabelFields::Ignored };
        Ok(Self {
            format: text("format")?.map(|name| Format::parse(&name)).transpose()?,
            header: flag("header")?,
            columns: options.words("columns")?,
            named: pairs.collect(),
            split: text("split")?,
            comments: options.flag("comments")?,
            by_rank: options.flag("by_rank")?,
            labels: options.choice_or("labels", &LabelFields::NAMES, labels)?,
            dialect: options.choice_or("dialect", &Dialect::NAMES, Dialect::default())?,
            duplicates: options.choice_or("duplicates", &Duplicates::NAMES, Duplicates::Error)?,
            ..Self::new(sources, table)
        })
    }

    /// Whether the rows of a query are kept.
    #[inline]
    pub(super) fn keeps(&self, query: &[u8]) -> bool {
        self.query.as_ref().is_none_or(|own| own == query)
    }

    /// Whether the caller names the columns.
    pub(super) fn has_columns(&self) -> bool {
        !self.columns.is_empty() || !self.named.is_empty()
    }

    /// What the caller says about the fields of records.
    pub(super) fn naming(&self) -> Naming {
        Naming { ignores_offsets: self.recoding.ignores_offsets(), ..Naming::of(&self.named) }
    }

    /// The limit of memory for rows, in bytes.
    pub(super) fn limit(&self) -> Option<usize> {
        self.memory.filter(|_| self.table == TableKind::Qrels)
    }
}
