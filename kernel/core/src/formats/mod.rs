//! Reads and writes files of judgments and runs, and detects their format.
//!
//! Every reader takes an [`input::Input`]: a stream of decompressed bytes whose beginning can be examined
//! first. Rows go to a [`collect::Collector`], which applies the common rules. TREC text has its own path,
//! since runs of millions of rows use it.

mod beir;
mod cell_lists;
pub mod cells;
mod collect;
mod columnar;
mod columns;
mod definition;
mod delimited;
mod detect;
mod envelopes;
mod format;
pub mod ids;
mod impressions;
mod indices;
mod input;
mod items;
mod json;
mod json_formats;
mod jsonl;
mod layers;
mod lines;
mod misread;
mod numerals;
mod objects;
pub mod output;
mod places;
mod questions;
mod recent;
mod recoding;
mod records;
mod refusals;
mod registry;
mod request;
mod sample;
mod svmlight;
mod tables;
pub mod trec;
mod words;
mod write;

use crate::error::{Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::binary::{archive, no_text};
use crate::read::trec::{LabelFields, TableKind};

use collect::Collector;
use definition::{ReadRows, RowReader};
use input::Input;
use registry::definition;
use sample::Sample;

pub use collect::refuse_times;
pub use columns::{RowNames, Sought};
pub use detect::detect;
pub use envelopes::has_lists;
pub use format::Format;
pub(crate) use numerals::only_whole;
pub use objects::Objects;
pub use output::{Output, Written, open_output};
pub use places::{Cells, Composer};
pub use questions::questions;
pub use recoding::{Recoding, labels_hint};
pub use request::{Judged, Loaded, Request};
pub use svmlight::{of_positions, read_scores};
pub use write::{left_out, write, write_file};

/// Reads one or several files as one table.
pub fn read(request: &Request, progress: &Progress) -> Result<Loaded> {
    read_judged(&Request { memory: None, ..request.clone() }, progress)?.in_memory()
}

/// As [`read`], within the memory that the request allows.
pub fn read_judged(request: &Request, progress: &Progress) -> Result<Judged> {
    let (sources, folder) = beir::files(request)?;
    let mut reader = Reader::new(request);
    reader.split_taken = folder;
    for source in &sources {
        reader.take(Input::open(source, request.threads, progress)?, progress)?;
    }
    reader.finish(progress)
}

/// Reads bytes like the content of a file, compressed or not. `name` is for messages, and its suffix is a
/// hint. The sources of the request are ignored.
pub fn read_bytes(bytes: &[u8], name: &str, request: &Request) -> Result<Loaded> {
    let progress = Progress::default();
    let request = Request { memory: None, ..request.clone() };
    let mut reader = Reader::new(&request);
    reader.take(Input::bytes(bytes, name, &progress)?, &progress)?;
    reader.finish(&progress)?.in_memory()
}

/// Reads one input after the other.
struct Reader<'r> {
    request: &'r Request,
    format: Option<Format>,
    trec: Option<trec::TrecReader>,
    collector: Collector,
    /// Whether `split` has chosen a file.
    split_taken: bool,
}

impl<'r> Reader<'r> {
    fn new(request: &'r Request) -> Self {
        Self {
            request,
            format: request.format,
            trec: None,
            collector: Collector::new(request),
            split_taken: false,
        }
    }

    fn take(&mut self, input: Input<'_>, progress: &Progress) -> Result<()> {
        let (content, source) = (input.content(), input.source().clone());
        let taken = self.take_input(input, progress);
        match taken.map_err(|error| error.role(self.request.table.role())) {
            // If the file changed while it was read, a malformed line is not the user's mistake.
            Err(error) if error.kind != Kind::Interrupted => {
                match content.map(|content| content.check_unchanged()) {
                    Some(Err(changed)) => Err(source.failed(&changed)),
                    Some(Ok(())) => Err(error),
                    None => Err(source.verified(error, progress)),
                }
            }
            taken => taken,
        }
    }

    fn take_input(&mut self, input: Input<'_>, progress: &Progress) -> Result<()> {
        let request = self.request;
        let name = input.name();
        if let Some(error) = archive(&input.head) {
            return Err(error.file(name));
        }
        let found = request.format.unwrap_or_else(|| detect::content(&input, request));
        let first = self.format.is_none();
        let format = *self.format.get_or_insert(found);
        if format != found {
            return Err(Error::new(Kind::Format, format!("{} text", found.name()), format.name())
                .file(name)
                .hint("files that are read as one table need one format; choose it with ⟪format⟫"));
        }
        if format.is_columnar() {
            // A columnar input comes here alone only if it cannot be examined beforehand, such as a pipe.
            return Err(if first {
                no_text(&input.head).file(name)
            } else {
                let found = format!("{} cannot be combined with other formats", format.name());
                Error::statement(Kind::Format, found).file(name)
            });
        }
        let definition = definition(format);
        let sample = Sample::new(&input.head, input.complete, "", request);
        let delimiter = (definition.delimiter)(&sample);
        misread::refuse(&sample, delimiter, request).map_err(|error| error.in_file(&*name))?;
        let has_fields = matches!(format, Format::Json | Format::Jsonl) && request.columns.is_empty();
        let by_column = request.has_columns() || !request.recoding.is_none();
        if by_column && !has_fields && delimiter.is_none() {
            return Err(without_columns(format).in_file(&*name));
        }
        if !format.is_read(request.table) {
            return Err(not_of(format, request.table).in_file(&*name));
        }
        match definition.reads {
            RowReader::Words(labels) if !by_column => {
                self.split_has_meaning().map_err(|error| error.in_file(&*name))?;
                let reader = self.trec.get_or_insert_with(|| trec::TrecReader::new(request, labels(request)));
                reader.take(input, progress)
            }
            RowReader::Words(_) => self.take_other(input, format, words::read_columns),
            RowReader::Rows(read) => self.take_other(input, format, read),
            RowReader::Columns => Ok(()),
        }
    }

    fn take_other(&mut self, mut input: Input<'_>, format: Format, read: ReadRows) -> Result<()> {
        let name = input.name();
        self.collected(&mut input, format, read).map_err(|error| error.in_file(&*name))
    }

    fn collected(&mut self, input: &mut Input<'_>, format: Format, read: ReadRows) -> Result<()> {
        let request = self.request;
        input.skip_byte_order_mark()?;
        let empty = input.is_empty();
        let before = self.collector.count();
        self.collector.begin(input.name());
        if !format.has_subtopics() && request.labels != LabelFields::Ignored {
            let found = format!("the format {} has no subtopics", format.name());
            return Err(Error::statement(Kind::Format, found).hint("use trec, tsv, csv or jsonl"));
        }
        if !format.has_splits() {
            self.split_has_meaning()?;
        }
        read(input, request, &mut self.collector)?;
        if self.collector.count() != before {
            return Ok(());
        }
        if empty {
            return Err(trec::empty());
        }
        Err(Error::statement(Kind::Format, "the file has no rows"))
    }

    /// Refuses a split if there is nothing to choose.
    fn split_has_meaning(&self) -> Result<()> {
        match &self.request.split {
            Some(split) if !self.split_taken => Err(Error::new(
                Kind::Parameter,
                format!("split={}", quoted(split.as_bytes())),
                "no split, since only BEIR folders and nested JSON have splits",
            )),
            _ => Ok(()),
        }
    }

    fn finish(self, progress: &Progress) -> Result<Judged> {
        match self.trec {
            Some(trec) => trec.finish(self.request.duplicates, progress),
            None => self.collector.finish(progress),
        }
    }
}

#[cold]
fn without_columns(format: Format) -> Box<Error> {
    let found = format!("the format {} has no columns to name", format.name());
    Error::statement(Kind::Parameter, found).hint("columns can be named in TSV, CSV, JSON and TREC text")
}

#[cold]
fn not_of(format: Format, table: TableKind) -> Box<Error> {
    let article = if table == TableKind::Run { "a " } else { "" };
    let found = format!("the format {} for {article}{}", format.name(), table.role());
    Error::new(Kind::Parameter, found, Format::listed(|other| other.is_read(table)))
}
