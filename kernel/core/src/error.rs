//! The one error value of the kernel. The Python boundary turns it into an exception class.

use std::fmt;

/// What went wrong, in the granularity in which callers tell errors apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file or stream could not be opened, read or decompressed.
    Source,
    /// The file does not exist.
    NotFound,
    /// A line, field or value is not what its format says.
    Format,
    /// One document stands twice under one query.
    Duplicate,
    /// Equal scores under a convention that refuses them.
    Tie,
    /// A grade that the convention or the measure refuses.
    Grade,
    /// Queries of judgments and run do not fit together.
    Match,
    /// A table lacks a column, or a column has the wrong type.
    Column,
    /// A measure cannot be computed as asked.
    Measure,
    /// A policy is unknown, or not meaningful here.
    Convention,
    /// A parameter has an illegal value.
    Parameter,
    /// An argument is of a type that cannot be used.
    Argument,
    /// The caller asked to stop; not shown to users.
    Interrupted,
}

/// Where, what was found, what was expected, and what to do about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    pub kind: Kind,
    pub file: Option<String>,
    /// Line number, counted from 1.
    pub line: Option<u64>,
    pub query: Option<Vec<u8>>,
    pub document: Option<Vec<u8>>,
    pub found: String,
    pub expected: String,
    pub hint: String,
}

/// Errors are boxed: the happy path should not carry 150 bytes about.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    pub fn new(kind: Kind, found: impl Into<String>, expected: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            file: None,
            line: None,
            query: None,
            document: None,
            found: found.into(),
            expected: expected.into(),
            hint: String::new(),
        })
    }

    pub fn interrupted() -> Box<Self> {
        Self::new(Kind::Interrupted, "", "")
    }

    #[must_use]
    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub fn file(mut self: Box<Self>, file: impl Into<String>) -> Box<Self> {
        self.file = Some(file.into());
        self
    }

    #[must_use]
    pub fn line(mut self: Box<Self>, line: u64) -> Box<Self> {
        self.line = Some(line);
        self
    }

    #[must_use]
    pub fn query(mut self: Box<Self>, query: &[u8]) -> Box<Self> {
        self.query = Some(query.to_vec());
        self
    }

    #[must_use]
    pub fn document(mut self: Box<Self>, document: &[u8]) -> Box<Self> {
        self.document = Some(document.to_vec());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "found {}, expected {}", self.found, self.expected)?;
        if !self.hint.is_empty() {
            write!(f, ". Hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Bytes from a file, made fit to stand in a message: lossy UTF-8, quoted, cut to some 60 characters.
#[must_use]
pub fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(bytes);
    let mut short: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    format!("'{}'", short.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\""))
}
