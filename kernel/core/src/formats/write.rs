//! Rows into files. A run is written in rank order; a format that cannot carry an id refuses.

use std::io::{self, Write};
use std::path::Path;

use super::Format;
use super::detect::{columnar, suffix};
use super::numerals::written;
use super::output::{Written, failed, open_output};
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::trec::Table;
use crate::rows::{QueryRows, Rows};

/// Whole numbers up to here differ as 32-bit floats, and so the scores of longer rankings would not.
pub const LONGEST_UNSCORED: usize = 1 << 24;

/// Writes what replaces a file when it is placed; compressed as its suffix says, `-` is the standard
/// output. Without a format, the suffix says which (TREC where it says nothing).
pub fn write_file(
    rows: &Rows,
    scored: bool,
    table: Table,
    format: Option<Format>,
    tag: &str,
    path: &Path,
    progress: &Progress,
) -> Result<Written> {
    let name = path.display().to_string();
    let format = format.or_else(|| suffix(&name)).or_else(|| columnar(&name)).unwrap_or(Format::Trec);
    let mut output = open_output(path, progress)?;
    write(rows, scored, table, format, tag, &mut output, progress)
        .map_err(|error| super::located(error, &name))?;
    output.finish()
}

/// Writes judgments or a run. `tag` names the system, in TREC runs. Rankings that are not `scored`
/// are written in the order given, in TREC with the scores n, n-1, … 1 (which trec_eval, too, can
/// tell apart up to 2^24 documents a query; longer ones are refused).
pub fn write(
    rows: &Rows,
    scored: bool,
    table: Table,
    format: Format,
    tag: &str,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    let run = table == Table::Run;
    if run && matches!(format, Format::Beir | Format::Svmlight | Format::Prefs | Format::Strata)
        || format == Format::Scores
        || format.is_columnar()
    {
        let what = if run { "a run" } else { "judgments" };
        let error = Error::new(
            Kind::Parameter,
            format!("the format {} for {what}", format.name()),
            if run {
                "trec, tsv, csv, json or jsonl"
            } else {
                "trec, tsv, csv, json, jsonl, beir, svmlight, prefs or strata"
            },
        );
        let hint =
            "PyArrow and polars make a table of it that they write: pyarrow.table(gainful.read_run(...))";
        return Err(if format.is_columnar() { error.hint(hint) } else { error });
    }
    if run && format == Format::Trec {
        check_tag(tag)?;
    }
    let labelled = rows.has_labels();
    if labelled && matches!(format, Format::Beir | Format::Svmlight | Format::Json) {
        let found = format!("judgments with subtopics for {}", format.name());
        return Err(Error::new(Kind::Format, found, "a format that has a place for them")
            .hint("trec, tsv, csv and jsonl do; merged() makes one grade a document"));
    }
    let mut file = File { scored, run, labelled, format, tag, out, started: false };
    // All of it is checked before any of it is written.
    for query in rows.iter() {
        progress.advance(0)?;
        file.check(&query)?;
    }
    file.head().map_err(|error| failed(&error))?;
    for query in rows.iter() {
        progress.advance(0)?;
        let order = query.order(run && scored);
        file.query(&query, &order).map_err(|error| failed(&error))?;
    }
    file.foot().map_err(|error| failed(&error))
}

fn check_tag(tag: &str) -> Result<()> {
    if tag.is_empty() || tag.bytes().any(|byte| crate::read::scan::is_space(byte) || byte == 0) {
        let found = format!("the tag {}", quoted(tag.as_bytes()));
        return Err(Error::new(Kind::Parameter, found, "one word that names the system"));
    }
    Ok(())
}

struct File<'a> {
    scored: bool,
    run: bool,
    labelled: bool,
    format: Format,
    tag: &'a str,
    out: &'a mut dyn Write,
    /// Whether a query has been written.
    started: bool,
}

impl File<'_> {
    fn head(&mut self) -> io::Result<()> {
        let names: &[&str] = match (self.run, self.scored) {
            (false, _) if self.labelled => &["query_id", "subtopic", "doc_id", "grade"],
            (false, _) => &["query_id", "doc_id", "grade"],
            (true, true) => &["query_id", "doc_id", "rank", "score"],
            (true, false) => &["query_id", "doc_id", "rank"],
        };
        match self.format {
            Format::Tsv => writeln!(self.out, "{}", names.join("\t")),
            Format::Csv => writeln!(self.out, "{}", names.join(",")),
            Format::Beir => writeln!(self.out, "query-id\tcorpus-id\tscore"),
            Format::Json => write!(self.out, "{{"),
            Format::Trec
            | Format::Jsonl
            | Format::Svmlight
            | Format::Scores
            | Format::Prefs
            | Format::Strata
            | Format::Parquet
            | Format::Arrow => Ok(()),
        }
    }

    fn foot(&mut self) -> io::Result<()> {
        if self.format == Format::Json { writeln!(self.out, "\n}}") } else { Ok(()) }
    }

    /// Whether the format can carry the query; an error names what it cannot.
    fn check(&self, query: &QueryRows<'_>) -> Result<()> {
        let rows = query.documents.len();
        if rows == 0 && self.run && self.format == Format::Trec {
            // It has no line, and so its id may be anything.
            return Ok(());
        }
        if rows == 0 && !self.run && self.format != Format::Json {
            let found = "a query without documents";
            let error = Error::new(Kind::Format, found, "at least one").query(query.id);
            return Err(error.hint("⟪written_format=json⟫ can carry it"));
        }
        if self.run && !self.scored && self.format == Format::Trec && rows > LONGEST_UNSCORED {
            let found = format!("a ranking of {rows} documents without scores");
            let expected = "at most 2^24, of which 32-bit scores can keep the order";
            return Err(Error::new(Kind::Format, found, expected).query(query.id));
        }
        if let Some(why) = self.reason(query.id, true) {
            return Err(self.refuse("query", query.id, why).query(query.id));
        }
        for row in 0..rows {
            let document = query.document(row);
            let label = query.label(row).unwrap_or(b"0");
            for part in self.parts(label) {
                if let Some(why) = self.reason(part, false) {
                    let error = self.refuse("subtopic", label, why);
                    let hint = if label.contains(&b' ') {
                        "⟪written_format=prefs⟫ or jsonl"
                    } else {
                        "⟪written_format=jsonl⟫"
                    };
                    let error = error.hint(format!("{hint} can carry it"));
                    return Err(error.query(query.id).document(document));
                }
            }
            if let Some(why) = self.reason(document, false) {
                return Err(self.refuse("document", document, why).query(query.id).document(document));
            }
        }
        if self.format == Format::Json {
            let mut documents: Vec<&[u8]> = (0..rows).map(|row| query.document(row)).collect();
            documents.sort_unstable();
            if let Some([twice, ..]) = documents.windows(2).find(|pair| pair.first() == pair.last()) {
                return Err(crate::rows::duplicate(query.id, twice));
            }
        }
        Ok(())
    }

    /// What of a label is to stand in a field: in preferences group and subgroup, between which there is
    /// one space, each in its own.
    fn parts<'l>(&self, label: &'l [u8]) -> impl Iterator<Item = &'l [u8]> + use<'l> {
        let fields = if self.format == Format::Prefs { 2 } else { 1 };
        label.splitn(fields, |&byte| byte == b' ')
    }

    #[cold]
    fn refuse(&self, what: &str, id: &[u8], why: &str) -> Box<Error> {
        let found = format!("the {what} id {} with {why}", quoted(id));
        let expected = format!("an id that {} can carry", self.format.name());
        let error = Error::new(Kind::Format, found, expected)
            .hint("gainful convert --ids map.tsv replaces ids by numbers and writes the map");
        if self.splits(id) { error.code(Code::WhiteSpace) } else { error }
    }

    /// Whether white space in an id would make two words of it.
    fn splits(&self, id: &[u8]) -> bool {
        matches!(self.format, Format::Trec | Format::Prefs | Format::Strata | Format::Svmlight)
            && id.iter().any(|&byte| crate::read::scan::is_space(byte))
    }

    /// Why this format cannot carry an id.
    fn reason(&self, id: &[u8], query: bool) -> Option<&'static str> {
        let has = |bytes: &[u8]| id.iter().any(|byte| bytes.contains(byte));
        if id.is_empty() {
            return Some("nothing in it");
        }
        if has(b"\0") {
            return Some("a NUL byte");
        }
        let first = query && matches!(self.format, Format::Trec | Format::Prefs | Format::Strata);
        match self.format {
            _ if self.splits(id) => Some("white space"),
            Format::Tsv | Format::Beir if has(b"\t\n\r") => Some("a tab or a line end"),
            Format::Svmlight if query && has(b"#") => Some("a number sign, which begins a comment"),
            Format::Json | Format::Jsonl if std::str::from_utf8(id).is_err() => Some("invalid UTF-8"),
            _ if first && id.starts_with(b"#") => Some("a number sign first, which begins a comment"),
            _ if first && id.starts_with(b"\xef\xbb\xbf") => Some("a byte-order mark first"),
            _ => None,
        }
    }

    fn query(&mut self, query: &QueryRows<'_>, order: &[usize]) -> io::Result<()> {
        if self.format == Format::Json {
            return self.json(query, order);
        }
        if order.is_empty() {
            return self.without_documents(query.id);
        }
        for (place, &row) in order.iter().enumerate() {
            let rank = place + 1;
            let value = query.values.get(row).copied().unwrap_or(f64::NAN);
            let document = query.document(row);
            let label = query.label(row).unwrap_or(b"0");
            match self.format {
                Format::Trec if !self.run => {
                    self.fields(&[query.id, label, document, written(value).as_bytes()], b' ')?;
                }
                Format::Strata => {
                    self.fields(&[query.id, b"0", document, label, written(value).as_bytes()], b' ')?;
                }
                Format::Prefs => {
                    let group = self.parts(label).next().unwrap_or(label);
                    let subgroup = self.parts(label).nth(1).unwrap_or(b"0");
                    let value = written(value);
                    self.fields(&[query.id, group, subgroup, document, value.as_bytes()], b' ')?;
                }
                Format::Trec => {
                    let score = if self.scored { written(value) } else { (order.len() - place).to_string() };
                    let (rank, tag) = (rank.to_string(), self.tag.as_bytes());
                    let fields = [query.id, b"Q0", document, rank.as_bytes(), score.as_bytes(), tag];
                    self.fields(&fields, b' ')?;
                }
                Format::Svmlight => {
                    write!(self.out, "{} qid:", written(value))?;
                    self.out.write_all(query.id)?;
                    self.out.write_all(b" # docid = ")?;
                    self.out.write_all(document)?;
                    self.out.write_all(b"\n")?;
                }
                Format::Jsonl => {
                    self.out.write_all(b"{\"query_id\": ")?;
                    self.text(query.id)?;
                    if self.labelled {
                        self.out.write_all(b", \"subtopic\": ")?;
                        self.text(label)?;
                    }
                    self.out.write_all(b", \"doc_id\": ")?;
                    self.text(document)?;
                    match (self.run, self.scored) {
                        (false, _) => writeln!(self.out, ", \"grade\": {}}}", written(value))?,
                        (true, true) => {
                            writeln!(self.out, ", \"rank\": {rank}, \"score\": {}}}", written(value))?;
                        }
                        (true, false) => writeln!(self.out, ", \"rank\": {rank}}}")?,
                    }
                }
                Format::Parquet | Format::Arrow => {}
                Format::Tsv | Format::Csv | Format::Beir | Format::Json | Format::Scores => {
                    let between = if self.format == Format::Csv { b',' } else { b'\t' };
                    let (value, rank) = (written(value), rank.to_string());
                    let (value, rank) = (value.as_bytes(), rank.as_bytes());
                    match (self.run, self.scored) {
                        (false, _) if self.labelled => {
                            self.fields(&[query.id, label, document, value], between)?;
                        }
                        (false, _) => self.fields(&[query.id, document, value], between)?,
                        (true, true) => self.fields(&[query.id, document, rank, value], between)?,
                        (true, false) => self.fields(&[query.id, document, rank], between)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// A query of a run that found nothing: a row of empty cells, or an empty list. TREC text has no
    /// place for it.
    fn without_documents(&mut self, query: &[u8]) -> io::Result<()> {
        match self.format {
            Format::Tsv | Format::Csv => {
                let between = if self.format == Format::Csv { b',' } else { b'\t' };
                let cells: &[&[u8]] = if self.scored { &[query, b"", b"", b""] } else { &[query, b"", b""] };
                self.fields(cells, between)
            }
            Format::Jsonl => {
                self.out.write_all(b"{\"query_id\": ")?;
                self.text(query)?;
                self.out.write_all(b", \"results\": []}\n")
            }
            _ => Ok(()),
        }
    }

    /// One line; in CSV, fields are quoted where they must be.
    fn fields(&mut self, fields: &[&[u8]], between: u8) -> io::Result<()> {
        for (place, field) in fields.iter().enumerate() {
            if place > 0 {
                self.out.write_all(&[between])?;
            }
            if between == b',' && field.iter().any(|byte| b",\"\r\n".contains(byte)) {
                self.out.write_all(b"\"")?;
                for (part, piece) in field.split(|&byte| byte == b'"').enumerate() {
                    self.out.write_all(if part > 0 { b"\"\"" } else { b"" })?;
                    self.out.write_all(piece)?;
                }
                self.out.write_all(b"\"")?;
            } else {
                self.out.write_all(field)?;
            }
        }
        self.out.write_all(b"\n")
    }

    /// One entry of an object of objects, or of lists where there are no scores.
    fn json(&mut self, query: &QueryRows<'_>, order: &[usize]) -> io::Result<()> {
        self.out.write_all(if self.started { b",\n" } else { b"\n" })?;
        self.started = true;
        self.text(query.id)?;
        let pairs = self.scored || !self.run;
        self.out.write_all(if pairs { b": {" } else { b": [" })?;
        for (place, &row) in order.iter().enumerate() {
            self.out.write_all(if place > 0 { b", " } else { b"" })?;
            self.text(query.document(row))?;
            if pairs {
                let value = query.values.get(row).copied().unwrap_or(f64::NAN);
                write!(self.out, ": {}", written(value))?;
            }
        }
        self.out.write_all(if pairs { b"}" } else { b"]" })
    }

    /// A JSON string; `check` has made sure of the UTF-8.
    fn text(&mut self, id: &[u8]) -> io::Result<()> {
        let text = std::str::from_utf8(id).map_err(io::Error::other)?;
        serde_json::to_writer(&mut self.out, text).map_err(io::Error::from)
    }
}
