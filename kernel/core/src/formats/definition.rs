//! The definition of a format: its names, how it is recognized, read and written. Each is declared in its own
//! module, and listed in `formats!` of the module above.

use std::io;

use super::Request;
use super::collect::Collector;
use super::detect::Sample;
use super::input::Input;
use super::records::Delimiter;
use super::write::{File, Row, rows_of};
use crate::error::{Code, Result};
use crate::read::trec::{Labels, Table};
use crate::rows::QueryRows;

/// The evidence that a file is in a format, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    Nothing,
    /// The suffix alone, if the content leaves a choice.
    Suffix,
    /// As many fields as rows have.
    Fields,
    /// Words with a number in the right place.
    Words,
    /// A header that names columns, or fields under the right suffix.
    Header,
    /// Syntax that no other format has.
    Syntax,
    /// The suffix of a binary format. A file that begins otherwise is damaged; its reader reports this.
    BinarySuffix,
    /// The first bytes of a binary format.
    Magic,
}

/// Takes the rows of one input.
pub(super) type ReadRows = fn(&mut Input<'_>, &Request, &mut Collector) -> Result<()>;

/// How files of a format are read.
pub(super) enum Reads {
    /// Lines of words, by the reader of TREC text, with the label of a row.
    Words(fn(&Request) -> Labels),
    Rows(ReadRows),
    /// Tables in columns are read by `columns`.
    Columns,
}

/// A format of files.
pub(super) trait FileFormat: Sync {
    /// Its names; the first one is used in output.
    fn names(&self) -> &'static [&'static str];

    /// The suffixes of its files, without the dot.
    fn suffixes(&self) -> &'static [&'static str] {
        &[]
    }

    /// The evidence that a file is in this format.
    fn evidence(&self, sample: &Sample<'_>) -> Evidence;

    fn reads(&self) -> Reads;

    /// Whether it can contain judgments, or runs.
    fn has(&self, _: Table) -> bool {
        true
    }

    /// The separator of the fields, if callers can name the columns.
    fn delimiter(&self, _: &Sample<'_>) -> Option<Delimiter> {
        None
    }

    /// Whether judgments can have subtopics.
    fn has_subtopics(&self) -> bool {
        true
    }

    /// Whether it has splits, one of which is read.
    fn has_splits(&self) -> bool {
        false
    }

    /// The writer of judgments or runs, if any.
    fn writer(&self, _: Table) -> Option<&dyn Writer> {
        None
    }
}

/// Why a format cannot represent an id: the offending content, and the code of the error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reason(pub &'static str, pub Option<Code>);

impl Reason {
    pub(super) const WHITE_SPACE: Self = Self("white space", Some(Code::WhiteSpace));

    pub(super) fn of(text: &'static str) -> Option<Self> {
        Some(Self(text, None))
    }
}

/// How rows are written in a format.
pub(super) trait Writer {
    /// Why the format cannot represent the id of a query or document, if so.
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

    /// Checks the options of the file.
    fn check_file(&self, _: &File<'_>) -> Result<()> {
        Ok(())
    }

    /// Checks other properties of a query that the format cannot represent.
    fn check(&self, _: &File<'_>, _: &QueryRows<'_>) -> Result<()> {
        Ok(())
    }

    /// Whether it can represent the subtopics of judgments.
    fn has_subtopics(&self) -> bool {
        true
    }

    /// Whether queries without documents can be represented or left out.
    fn carries_empty(&self, table: Table) -> bool {
        table == Table::Run
    }

    /// Whether the ids of queries without documents must be valid.
    fn names_empty(&self) -> bool {
        true
    }

    /// The number of fields of a label.
    fn label_fields(&self) -> usize {
        1
    }

    /// Writes a query of a run without documents.
    fn nothing(&self, _: &mut File<'_>, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Writes a query.
    fn query(&self, file: &mut File<'_>, query: &QueryRows<'_>) -> io::Result<()> {
        if query.documents.is_empty() {
            return self.nothing(file, query.id);
        }
        rows_of(file, query).try_for_each(|row| self.row(file, &row))
    }
}

/// Whether an id has white space.
pub(super) fn has_space(id: &[u8]) -> bool {
    id.iter().any(|&byte| crate::read::scan::is_space(byte))
}
