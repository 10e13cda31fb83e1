//! Detects the format of a file: by its content, or by its suffix if the content leaves a choice.

use std::io::Read;

use super::input::Input;
use super::records::Delimiter;
use super::registry::definition;
use super::sample::{Evidence, Sample};
use super::{Format, Request};
use crate::error::Result;
use crate::parallel::Progress;
use crate::read::source::{Source, decompressed, examine_stdin};
use crate::read::trec::TableKind;

/// The format of a source, without consuming it: examines only the first read of the standard input, and only
/// the name of other pipes. `read` sees more, since it examines the stream that it then reads.
pub fn detect(source: &Source, table: TableKind, progress: &Progress) -> Result<Format> {
    let request = Request::new(Vec::new(), table);
    match source {
        Source::Path(path) if path.is_dir() && table == TableKind::Qrels => Ok(Format::Beir),
        Source::Path(path) if path.exists() && !path.is_file() && !path.is_dir() => {
            let format = Format::of_suffix(&source.name()).filter(|format| !format.is_columnar());
            Ok(format.unwrap_or(Format::Trec))
        }
        Source::Stdin if !source.is_regular() => {
            let head = examine_stdin(&progress.stop).map_err(|error| source.failed(&error))?;
            let mut text = Vec::new();
            // Truncated data are no error here.
            let _ = decompressed(Box::new(&*head)).and_then(|mut stream| stream.read_to_end(&mut text));
            Ok(of_bytes(&text, false, "", &request))
        }
        source => Ok(content(&Input::open(source, 1, progress)?, &request)),
    }
}

/// The format of an opened input.
pub(super) fn content(input: &Input<'_>, request: &Request) -> Format {
    of_bytes(&input.head, input.complete, &input.name(), request)
}

/// `head` has the first bytes; `complete` if these are all.
fn of_bytes(head: &[u8], complete: bool, name: &str, request: &Request) -> Format {
    let sample = Sample::new(head, complete, name, request);
    let mut strongest = (Evidence::Nothing, Format::Trec);
    for &format in Format::ALL {
        let evidence = (definition(format).evidence)(&sample);
        if evidence > strongest.0 {
            strongest = (evidence, format);
        }
    }
    if strongest.0 < Evidence::BinarySuffix && request.has_columns() && !sample.is_braced() {
        return with_columns(&sample, request);
    }
    strongest.1
}

/// The format of text with named columns: the one in which the first line has these columns.
fn with_columns(sample: &Sample<'_>, request: &Request) -> Format {
    let Some(first) = sample.lines.first() else { return Format::Tsv };
    let delimited = |white: bool| {
        let known =
            Format::ALL.iter().filter_map(|&format| Some(((definition(format).delimiter)(sample)?, format)));
        known.filter(move |(delimiter, _)| (*delimiter == Delimiter::White) == white)
    };
    // Fields between tabs or commas may contain spaces, too.
    let formats: Vec<_> = delimited(false).chain(delimited(true)).collect();
    let has = |delimiter: Delimiter| {
        let fields = delimiter.fields(first);
        let known = request.named.iter().all(|(_, name)| fields.contains(&name.as_bytes()));
        known && (request.columns.is_empty() || fields.len() == request.columns.len())
    };
    let fitting = formats.iter().find(|(delimiter, _)| has(*delimiter));
    let several = || formats.iter().find(|(delimiter, _)| delimiter.fields(first).len() > 1);
    fitting.or_else(several).map_or(Format::Tsv, |&(_, format)| format)
}
