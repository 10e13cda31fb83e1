//! What a format is: its names, how it is recognized, read and written. Each is declared in its own module,
//! and listed in `formats!` of the module above.

use std::io;

use super::Request;
use super::collect::Collector;
use super::detect::Sample;
use super::input::Input;
use super::records::Delimiter;
use super::write::{File, Row};
use crate::error::{Code, Result};
use crate::read::trec::{Labels, Table};
use crate::rows::QueryRows;

/// What says that a file is in a format, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    Nothing,
    /// The suffix alone, where the content leaves a choice.
    Suffix,
    /// As many fields as rows have.
    Fields,
    /// Words of which the right one is a number.
    Words,
    /// A header that names columns, or fields under the right suffix.
    Header,
    /// Syntax that no other format has.
    Syntax,
    /// The suffix of a binary format. What begins otherwise is damaged, and its reader says so.
    BinarySuffix,
    /// The first bytes of a binary format.
    Magic,
}

/// Takes the rows of one input.
pub(super) type ReadRows = fn(&mut Input<'_>, &Request, &mut Collector) -> Result<()>;

/// How files of a format are read.
pub(super) enum Reads {
    /// Lines of words by the reader of TREC text; with what is the label of a row.
    Words(fn(&Request) -> Labels),
    Rows(ReadRows),
    /// Tables in columns are read by `columns`.
    Columns,
}

/// A format of files.
pub(super) trait FileFormat: Sync {
    /// What it is called. The first name is ours.
    fn names(&self) -> &'static [&'static str];

    /// The suffixes of its files, without the dot.
    fn suffixes(&self) -> &'static [&'static str] {
        &[]
    }

    /// What says that a file is in this format.
    fn evidence(&self, sample: &Sample<'_>) -> Evidence;

    fn reads(&self) -> Reads;

    /// Whether it can contain judgments, or runs.
    fn has(&self, _: Table) -> bool {
        true
    }

    /// What separates the fields, where callers can name the columns.
    fn delimiter(&self) -> Option<Delimiter> {
        None
    }

    /// Whether judgments can be of subtopics.
    fn has_subtopics(&self) -> bool {
        true
    }

    /// Whether it has splits of which one is read.
    fn has_splits(&self) -> bool {
        false
    }

    /// How judgments or runs are written; `None` where they are not.
    fn writer(&self, _: Table) -> Option<&dyn Writer> {
        None
    }
}

/// Why a format cannot carry an id: what the id has in it, and the code of the error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reason(pub &'static str, pub Option<Code>);

impl Reason {
    pub const WHITE_SPACE: Self = Self("white space", Some(Code::WhiteSpace));

    pub fn of(text: &'static str) -> Option<Self> {
        Some(Self(text, None))
    }
}

/// How rows are written in a format.
pub(super) trait Writer {
    /// Why the format cannot carry the id of a query or of a document.
    fn reason(&self, id: &[u8], query: bool) -> Option<Reason>;

    /// Writes a row.
    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()>;

    /// What is written before the first query.
    fn head(&self, _: &mut File<'_>) -> io::Result<()> {
        Ok(())
    }

    /// What is written after the last query.
    fn foot(&self, _: &mut File<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Checks what is said of the file as a whole.
    fn check_file(&self, _: &File<'_>) -> Result<()> {
        Ok(())
    }

    /// Checks what else of a query the format cannot carry.
    fn check(&self, _: &File<'_>, _: &QueryRows<'_>) -> Result<()> {
        Ok(())
    }

    /// Whether it has a place for the subtopics of judgments.
    fn has_subtopics(&self) -> bool {
        true
    }

    /// Whether queries without documents have a place in it, or are left out without loss of their rows.
    fn carries_empty(&self, table: Table) -> bool {
        table == Table::Run
    }

    /// Whether the ids of queries without documents have to be legal.
    fn names_empty(&self) -> bool {
        true
    }

    /// Fields into which the label of a row goes.
    fn label_fields(&self) -> usize {
        1
    }

    /// Writes a query of a run that found nothing.
    fn nothing(&self, _: &mut File<'_>, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Writes a query.
    fn query(&self, file: &mut File<'_>, query: &QueryRows<'_>, order: &[usize]) -> io::Result<()> {
        if order.is_empty() {
            return self.nothing(file, query.id);
        }
        for (place, &row) in order.iter().enumerate() {
            self.row(file, &Row::of(query, row, place, order.len()))?;
        }
        Ok(())
    }
}

/// Whether an id has white space.
pub(super) fn has_space(id: &[u8]) -> bool {
    id.iter().any(|&byte| crate::read::scan::is_space(byte))
}
