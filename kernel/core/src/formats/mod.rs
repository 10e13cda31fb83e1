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
mod svmlight;
mod tables;
pub mod trec;
mod words;
mod write;

use crate::convention::Duplicates;
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::binary::{archive, no_text};
use crate::read::source::Source;
use crate::read::trec::{Dialect, Labels, Table};
use crate::roles::Naming;
use crate::rows::{AnyRows, DiskRows, Rows};
use crate::values::Values;

use collect::Collector;
use definition::{FileFormat, ReadRows, Reads};
use detect::Sample;
use input::Input;

pub use collect::refuse_times;
pub use columns::{Names, Sought};
pub use detect::detect;
pub use envelopes::has_lists;
pub(crate) use numerals::only_whole;
pub use objects::Objects;
pub use output::{Output, Written, open_output};
pub use places::{Cells, Composer};
pub use questions::questions;
pub use recoding::{Recoding, labels_hint};
pub use svmlight::{of_positions, read_scores};
pub use write::{left_out, write, write_file};

/// Declares the enum of formats and their definitions. Errors and lists name them in this order.
macro_rules! formats {
    ($($module:ident::$format:ident),+ $(,)?) => {
        /// The formats of judgments and runs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format { $($format),+ }

        impl Format {
            pub const ALL: &[Self] = &[$(Self::$format),+];

            fn definition(self) -> &'static dyn FileFormat {
                match self { $(Self::$format => &$module::$format),+ }
            }
        }
    };
}

formats! {
    words::Trec,
    tables::Tsv,
    tables::Csv,
    json_formats::Json,
    json_formats::Jsonl,
    tables::Beir,
    svmlight::Svmlight,
    svmlight::Scores,
    impressions::Mind,
    words::Prefs,
    words::Strata,
    columnar::Parquet,
    columnar::Arrow,
}

impl Format {
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// Its names; the first one is used in output.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        self.definition().names()
    }

    /// The suffixes of its files, without the dot.
    #[must_use]
    pub fn suffixes(self) -> &'static [&'static str] {
        self.definition().suffixes()
    }

    /// Whether it can contain judgments, or runs.
    #[must_use]
    pub fn is_read(self, table: Table) -> bool {
        self.definition().has(table)
    }

    /// Whether judgments, or runs, are written in it.
    #[must_use]
    pub fn is_written(self, table: Table) -> bool {
        self.definition().writer(table).is_some()
    }

    /// Whether it is read by `columns`.
    #[must_use]
    pub fn is_columnar(self) -> bool {
        matches!(self.definition().reads(), Reads::Columns)
    }

    /// The format of that name; case does not matter.
    pub fn parse(name: &str) -> Result<Self> {
        let known = name.to_ascii_lowercase();
        let found = Self::ALL.iter().copied().find(|format| format.names().contains(&known.as_str()));
        found.ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().copied().map(Self::name).collect();
            let found = format!("the format {}", quoted(name.as_bytes()));
            Error::new(Kind::Parameter, found, format!("one of {}", known.join(", ")))
                .code(Code::UnknownFormat)
        })
    }

    /// The names of some formats for messages.
    fn listed(which: impl Fn(Self) -> bool) -> String {
        let names: Vec<&str> =
            Self::ALL.iter().copied().filter(|&each| which(each)).map(Self::name).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

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
    fn in_memory(self) -> Result<Loaded> {
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
    pub table: Table,
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
    pub labels: Labels,
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
    pub fn new(sources: Vec<Source>, table: Table) -> Self {
        Self {
            sources,
            table,
            format: None,
            header: None,
            columns: Vec::new(),
            named: Vec::new(),
            split: None,
            comments: false,
            labels: Labels::Ignored,
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
    pub fn parse(sources: Vec<Source>, table: Table, options: &dyn Values) -> Result<Self> {
        let text = |key| options.get(key)?.map(|_| options.word(key)).transpose();
        let flag = |key| options.get(key)?.map(|_| options.flag(key)).transpose();
        let named = options.words("named")?;
        let pairs =
            named.chunks_exact(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone())));
        let labels = if options.flag("subtopics")? { Labels::One } else { Labels::Ignored };
        Ok(Self {
            format: text("format")?.map(|name| Format::parse(&name)).transpose()?,
            header: flag("header")?,
            columns: options.words("columns")?,
            named: pairs.collect(),
            split: text("split")?,
            comments: options.flag("comments")?,
            by_rank: options.flag("by_rank")?,
            labels: options.choice_or("labels", &Labels::NAMES, labels)?,
            dialect: options.choice_or("dialect", &Dialect::NAMES, Dialect::default())?,
            duplicates: options.choice_or("duplicates", &Duplicates::NAMES, Duplicates::Error)?,
            ..Self::new(sources, table)
        })
    }

    /// Whether the rows of a query are kept.
    #[inline]
    fn keeps(&self, query: &[u8]) -> bool {
        self.query.as_ref().is_none_or(|own| own == query)
    }

    /// Whether the caller names the columns.
    fn has_columns(&self) -> bool {
        !self.columns.is_empty() || !self.named.is_empty()
    }

    /// What the caller says about the fields of records.
    fn naming(&self) -> Naming {
        Naming { ignores_offsets: self.recoding.ignores_offsets(), ..Naming::of(&self.named) }
    }

    /// The limit of memory for rows, in bytes.
    fn limit(&self) -> Option<usize> {
        self.memory.filter(|_| self.table == Table::Qrels)
    }
}

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
    trec: Option<trec::Reader>,
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
        misread::refuse(&input.head, input.complete, format, request)
            .map_err(|error| located(error, &name))?;
        let definition = format.definition();
        let has_fields = matches!(format, Format::Json | Format::Jsonl) && request.columns.is_empty();
        let by_column = request.has_columns() || !request.recoding.is_none();
        if by_column && !has_fields {
            let sample = Sample::new(&input.head, input.complete, &name, request);
            if definition.delimiter(&sample).is_none() {
                return Err(located(without_columns(format), &name));
            }
        }
        if !definition.has(request.table) {
            return Err(located(not_of(format, request.table), &name));
        }
        match definition.reads() {
            Reads::Words(labels) if !by_column => {
                self.split_has_meaning().map_err(|error| located(error, &name))?;
                let reader = self.trec.get_or_insert_with(|| trec::Reader::new(request, labels(request)));
                reader.take(input, progress)
            }
            Reads::Words(_) => self.take_other(input, format, words::read_columns),
            Reads::Rows(read) => self.take_other(input, format, read),
            Reads::Columns => Ok(()),
        }
    }

    fn take_other(&mut self, mut input: Input<'_>, format: Format, read: ReadRows) -> Result<()> {
        let name = input.name();
        self.collected(&mut input, format, read).map_err(|error| located(error, &name))
    }

    fn collected(&mut self, input: &mut Input<'_>, format: Format, read: ReadRows) -> Result<()> {
        let request = self.request;
        input.skip_byte_order_mark()?;
        let empty = input.is_empty();
        let before = self.collector.count();
        self.collector.begin(input.name());
        if !format.definition().has_subtopics() && request.labels != Labels::Ignored {
            let found = format!("the format {} has no subtopics", format.name());
            return Err(Error::statement(Kind::Format, found).hint("use trec, tsv, csv or jsonl"));
        }
        if !format.definition().has_splits() {
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
fn not_of(format: Format, table: Table) -> Box<Error> {
    let article = if table == Table::Run { "a " } else { "" };
    let found = format!("the format {} for {article}{}", format.name(), table.role());
    Error::new(Kind::Parameter, found, Format::listed(|other| other.is_read(table)))
}

/// Adds the name of its file to an error without one.
fn located(error: Box<Error>, name: &str) -> Box<Error> {
    if error.file.is_some() || error.kind == Kind::Interrupted { error } else { error.file(name) }
}
