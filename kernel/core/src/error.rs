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

/// A cause that callers tell apart from others of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Nobody reads from the other end of a pipe.
    ClosedPipe,
    /// A table has no rows.
    EmptyTable,
    /// A line does not have as many fields as its format says.
    FieldCount,
    /// A line is too long to be one of a few fields.
    LongLine,
    /// A line of judgments has as many fields as a line of a run.
    LooksLikeRun,
    /// The rows of a query were evaluated in two parts.
    QueryInTwoParts,
    /// The judgments of a query were in one part, its ranking in another.
    QueryTornApart,
    /// One subgroup of preferences gives a document two levels.
    TwoLevels,
    /// One group of preferences says that a document is relevant and that it is not.
    TwoRelevances,
    /// A file format that does not exist.
    UnknownFormat,
    /// An id with white space, in a format of words.
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
    /// The policy of the convention that refuses something.
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

/// Errors are boxed: the happy path should not carry 150 bytes about.
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
