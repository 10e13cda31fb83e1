//! The error value of the kernel. The Python boundary converts it to an exception.

use std::fmt;

/// The kinds of errors that callers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file or stream could not be opened, read or decompressed.
    Source,
    /// The file does not exist.
    NotFound,
    /// A line, field or value that the format does not allow.
    Format,
    /// A document is twice in one ranking.
    Duplicate,
    /// Equal scores under a convention that refuses them.
    Tie,
    /// A grade that the convention or the measure refuses.
    Grade,
    /// The queries of judgments and run do not match.
    Match,
    /// A table lacks a column, or a column has the wrong type.
    Column,
    /// A measure is unknown or not defined for the request.
    Measure,
    /// A policy is unknown, or not defined here.
    Convention,
    /// A parameter has an invalid value.
    Parameter,
    /// An argument has the wrong type.
    Argument,
    /// The caller asked to stop; not shown to users.
    Interrupted,
}

/// A cause that callers distinguish from others of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The reader of a pipe closed it.
    ClosedPipe,
    /// A table has no rows.
    EmptyTable,
    /// A line has the wrong number of fields.
    FieldCount,
    /// A line is too long for the format.
    LongLine,
    /// A line of judgments has the six fields of a run.
    LooksLikeRun,
    /// The ranking of a query is in two parts.
    QueryInTwoParts,
    /// The judgments and the ranking of a query are in different parts.
    QuerySplit,
    /// A subgroup of preferences assigns two levels to a document.
    TwoLevels,
    /// A group of preferences has a document as both relevant and not relevant.
    TwoRelevances,
    /// The file format is unknown.
    UnknownFormat,
    /// An id contains white space, which separates fields in this format.
    WhiteSpace,
}

/// An error with its location, the wrong and the valid value, and a hint. Program logic reads `kind`, `code`,
/// `role` and `policy`; the texts are for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    pub kind: Kind,
    pub code: Option<Code>,
    /// The input that the error is about: "judgments" or "run".
    pub role: Option<&'static str>,
    /// The policy of the convention that refuses the data.
    pub policy: Option<&'static str>,
    pub file: Option<String>,
    /// Line number, counted from 1.
    pub line: Option<u64>,
    pub query: Option<Vec<u8>>,
    pub document: Option<Vec<u8>>,
    /// The wrong value; without `expected`, a sentence that says what is wrong.
    pub found: String,
    pub expected: String,
    pub hint: String,
}

/// Errors are boxed, so that results stay small.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    pub fn new(kind: Kind, found: impl Into<String>, expected: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            code: None,
            role: None,
            policy: None,
            file: None,
            line: None,
            query: None,
            document: None,
            found: found.into(),
            expected: expected.into(),
            hint: String::new(),
        })
    }

    /// An error whose message is a sentence, not "found X, expected Y".
    pub fn statement(kind: Kind, statement: impl Into<String>) -> Box<Self> {
        Self::new(kind, statement, "")
    }

    pub fn interrupted() -> Box<Self> {
        Self::statement(Kind::Interrupted, "")
    }

    #[must_use]
    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub fn code(mut self: Box<Self>, code: Code) -> Box<Self> {
        self.code = Some(code);
        self
    }

    #[must_use]
    pub fn role(mut self: Box<Self>, role: &'static str) -> Box<Self> {
        self.role = Some(role);
        self
    }

    #[must_use]
    pub fn policy(mut self: Box<Self>, policy: &'static str) -> Box<Self> {
        self.policy = Some(policy);
        self
    }

    #[must_use]
    pub fn file(mut self: Box<Self>, file: impl Into<String>) -> Box<Self> {
        self.file = Some(file.into());
        self
    }

    /// Adds the name of the file, if there is one, to an error without one.
    #[must_use]
    pub fn in_file<'f>(self: Box<Self>, name: impl Into<Option<&'f str>>) -> Box<Self> {
        match name.into() {
            Some(name) if self.file.is_none() && self.kind != Kind::Interrupted => self.file(name),
            _ => self,
        }
    }

    #[must_use]
    pub fn line(mut self: Box<Self>, line: u64) -> Box<Self> {
        self.line = Some(line);
        self
    }

    #[must_use]
    pub fn query(mut self: Box<Self>, query: &[u8]) -> Box<Self> {
        // In a table of several systems, the name of the system is before it.
        self.query = query.rsplit(|byte| *byte == 0).next().map(<[u8]>::to_vec);
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
        if self.expected.is_empty() {
            f.write_str(&self.found)?;
        } else {
            write!(f, "found {}, expected {}", self.found, self.expected)?;
        }
        if !self.hint.is_empty() {
            write!(f, ". Hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Quotes bytes of a file for a message: lossy UTF-8, at most 60 characters.
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

/// The first error and its place.
pub(crate) type Earliest = Option<(u64, Box<Error>)>;

/// Keeps the earlier of two errors.
pub(crate) fn keep_earliest(earliest: &mut Earliest, other: Earliest) {
    if let Some((place, _)) = &other
        && earliest.as_ref().is_none_or(|(known, _)| place < known)
    {
        *earliest = other;
    }
}
