//! The definitions of all formats.

use super::Format;
use super::definition::Definition;
use super::{columnar, impressions, json_formats, svmlight, tables, words};
use crate::read::trec::TableKind;

pub(super) fn definition(format: Format) -> &'static Definition {
    match format {
        Format::Trec => &words::TREC,
        Format::Tsv => &tables::TSV,
        Format::Csv => &tables::CSV,
        Format::Json => &json_formats::JSON,
        Format::Jsonl => &json_formats::JSONL,
        Format::Beir => &tables::BEIR,
        Format::Svmlight => &svmlight::SVMLIGHT,
        Format::Scores => &svmlight::SCORES,
        Format::Mind => &impressions::MIND,
        Format::Prefs => &words::PREFS,
        Format::Strata => &words::STRATA,
        Format::Parquet => &columnar::PARQUET,
        Format::Arrow => &columnar::ARROW,
    }
}

impl Format {
    /// Whether judgments, or runs, are written in it.
    #[must_use]
    pub fn is_written(self, table: TableKind) -> bool {
        definition(self).writer(table).is_some()
    }
}
