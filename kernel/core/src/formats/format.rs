//! The formats of judgments and runs: their names, and what they can contain.

use crate::error::{Code, Error, Kind, Result, quoted};
use crate::read::trec::TableKind;

/// Declares the formats and what is known of them before a file is read; by default, a format is text with
/// judgments or runs, and subtopics. Errors and lists name them in this order.
macro_rules! formats {
    ($($format:ident { $($field:ident: $value:expr),+ })+) => {
        /// The formats of judgments and runs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format { $($format),+ }

        impl Format {
            pub const ALL: &[Self] = &[$(Self::$format),+];

            fn traits(self) -> Traits {
                match self { $(Self::$format => Traits { $($field: $value,)+ ..TEXT }),+ }
            }
        }
    };
}

struct Traits {
    /// The first one is used in output.
    names: &'static [&'static str],
    /// The suffixes of its files, without the dot.
    suffixes: &'static [&'static str],
    tables: &'static [TableKind],
    has_subtopics: bool,
    /// Whether it has splits, one of which is read.
    has_splits: bool,
    is_columnar: bool,
}

const TEXT: Traits = Traits {
    names: &[],
    suffixes: &[],
    tables: &[TableKind::Qrels, TableKind::Run],
    has_subtopics: true,
    has_splits: false,
    is_columnar: false,
};

formats! {
    Trec {
        names: &["trec"],
        suffixes: &["run", "runs", "res", "results", "qrels", "qrel", "trec", "txt"]
    }
    Tsv { names: &["tsv"], suffixes: &["tsv"] }
    Csv { names: &["csv"], suffixes: &["csv"] }
    Json { names: &["json"], suffixes: &["json"], has_splits: true }
    Jsonl { names: &["jsonl", "ndjson"], suffixes: &["jsonl", "ndjson"] }
    Beir { names: &["beir"], has_subtopics: false, has_splits: true }
    Svmlight {
        names: &["svmlight", "libsvm", "letor", "ranklib", "lightgbm"],
        suffixes: &["svm", "svmlight", "libsvm", "letor"],
        has_subtopics: false
    }
    Scores { names: &["scores"], tables: &[TableKind::Run] }
    Mind { names: &["mind"], has_subtopics: false }
    Prefs { names: &["prefs"], suffixes: &["prefs"], tables: &[TableKind::Qrels] }
    Strata { names: &["strata"], tables: &[TableKind::Qrels] }
    Parquet { names: &["parquet"], suffixes: &["parquet", "pq"], is_columnar: true }
    Arrow {
        names: &["arrow", "ipc", "feather"],
        suffixes: &["arrow", "arrows", "ipc", "feather"],
        is_columnar: true
    }
}

impl Format {
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// Its names; the first one is used in output.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        self.traits().names
    }

    /// The suffixes of its files, without the dot.
    #[must_use]
    pub fn suffixes(self) -> &'static [&'static str] {
        self.traits().suffixes
    }

    /// Whether it can contain judgments, or runs.
    #[must_use]
    pub fn is_read(self, table: TableKind) -> bool {
        self.traits().tables.contains(&table)
    }

    /// Whether it is read by `columns`.
    #[must_use]
    pub fn is_columnar(self) -> bool {
        self.traits().is_columnar
    }

    /// Whether judgments can have subtopics.
    pub(super) fn has_subtopics(self) -> bool {
        self.traits().has_subtopics
    }

    pub(super) fn has_splits(self) -> bool {
        self.traits().has_splits
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
    pub(super) fn listed(which: impl Fn(Self) -> bool) -> String {
        let formats = Self::ALL.iter().copied().filter(|&format| which(format));
        let names: Vec<&str> = formats.map(Self::name).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// The format that the suffix of a file name suggests.
    pub(super) fn of_suffix(name: &str) -> Option<Self> {
        let (_, suffix) = without_compression(name).rsplit_once('.')?;
        let suffix = suffix.to_ascii_lowercase();
        Self::ALL.iter().copied().find(|format| format.suffixes().contains(&suffix.as_str()))
    }
}

/// A file name without the suffix of its compression.
pub(super) fn without_compression(name: &str) -> &str {
    [".gz", ".bz2", ".xz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}
