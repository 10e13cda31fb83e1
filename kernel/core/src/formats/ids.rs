//! Replaces ids by numbers, for formats that cannot represent the ids.
//!
//! The numbers are given in byte order of the ids and all have the same width, so that their own
//! byte order is the same: ties are broken and means are added as before.

use std::io::Write;

use hashbrown::HashMap;

use super::input::Input;
use super::lines::Lines;
use super::output;
use crate::error::{Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::source::Source;
use crate::rows::{Rows, RowsBuilder};

const HEADER: &[u8] = b"kind\tnumber\tid";

/// The longest line of a map: an id of a megabyte, every byte of it escaped.
const LONGEST_LINE: usize = 4 << 20;

/// A map from ids to numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdMap {
    queries: NumberedIds,
    documents: NumberedIds,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct NumberedIds {
    /// In byte order.
    ids: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, usize, foldhash::fast::FixedState>,
}

/// Replaces the ids of one table, and returns the map.
pub fn replace(rows: &Rows, progress: &Progress) -> Result<(Rows, IdMap)> {
    let map = IdMap::new(&[rows], progress)?;
    Ok((map.apply(rows, progress)?, map))
}

impl IdMap {
    /// Numbers for all ids of tables that belong together, such as judgments and their runs.
    pub fn new(tables: &[&Rows], progress: &Progress) -> Result<Self> {
        let (mut queries, mut documents) = (Vec::new(), Vec::new());
        for query in tables.iter().flat_map(|rows| rows.iter()) {
            progress.advance(0)?;
            queries.push(query.id);
            documents.extend(query.documents.iter().map(|document| document.of(query.arena)));
        }
        Ok(Self {
            queries: NumberedIds::new(queries, progress)?,
            documents: NumberedIds::new(documents, progress)?,
        })
    }

    /// The same rows with numbers; an id that the map lacks is an error.
    pub fn apply(&self, rows: &Rows, progress: &Progress) -> Result<Rows> {
        let mut builder = RowsBuilder::like(rows);
        for query in rows.iter() {
            progress.advance(0)?;
            let Some(number) = self.queries.number(query.id) else {
                return Err(unknown("query", query.id).query(query.id));
            };
            builder.query(number.as_bytes());
            for (row, &value) in query.values.iter().enumerate() {
                let id = query.document(row);
                let Some(document) = self.documents.number(id) else {
                    return Err(unknown("document", id).query(query.id).document(id));
                };
                if let Some(label) = query.label(row) {
                    builder.label(label);
                }
                let rank = query.ranks.get(row).copied().unwrap_or(f64::NAN);
                builder.push(number.as_bytes(), document.as_bytes(), value, rank, 0);
            }
        }
        Ok(builder.build())
    }

    /// Writes the map as TSV: kind (`query` or `document`), number, id. In ids, `\` `tab`, line feed and
    /// carriage return are written as `\\`, `\t`, `\n`, `\r`.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        let mut put = || -> std::io::Result<()> {
            out.write_all(HEADER)?;
            out.write_all(b"\n")?;
            for (kind, names) in [("query", &self.queries), ("document", &self.documents)] {
                for (number, id) in names.ids.iter().enumerate() {
                    write!(out, "{kind}\t{}\t", names.text(number))?;
                    out.write_all(&escaped(id))?;
                    out.write_all(b"\n")?;
                }
            }
            Ok(())
        };
        put().map_err(|error| output::failed(&error))
    }

    /// Reads a map that `write` wrote.
    pub fn read(source: &Source, progress: &Progress) -> Result<Self> {
        let mut input = Input::open(source, 1, progress)?;
        let name = input.name();
        Self::read_lines(&mut Lines::new(&mut input, LONGEST_LINE), progress)
            .map_err(|error| error.in_file(&*name))
    }

    fn read_lines(lines: &mut Lines<'_>, progress: &Progress) -> Result<Self> {
        let (mut queries, mut documents) = (Vec::new(), Vec::new());
        if lines.next()? != Some(HEADER) {
            let found = "the first line of an id map is 'kind', 'number' and 'id', separated by tabs";
            let error = Error::statement(Kind::Format, found);
            return Err(error.line(1));
        }
        loop {
            let at = lines.number + 1;
            let Some(line) = lines.next()? else { break };
            let mut fields = line.splitn(3, |&byte| byte == b'\t');
            let names = match fields.next() {
                Some(b"query") => &mut queries,
                Some(b"document") => &mut documents,
                _ => {
                    return Err(
                        Error::new(Kind::Format, quoted(line), "'query' or 'document' first").line(at)
                    );
                }
            };
            let number =
                fields.next().and_then(|field| std::str::from_utf8(field).ok()?.parse::<usize>().ok());
            let id = fields.next().and_then(plain);
            match (number, id) {
                // The numbers run from 1 in the order of the lines, which is that of the ids.
                (Some(number), Some(id)) if number == names.len() + 1 && names.last() < Some(&id) => {
                    names.push(id);
                }
                _ => {
                    let error = Error::new(Kind::Format, quoted(line), "the next number and its id");
                    return Err(error.line(at));
                }
            }
        }
        Ok(Self {
            queries: NumberedIds::sorted(queries, progress)?,
            documents: NumberedIds::sorted(documents, progress)?,
        })
    }
}

#[cold]
fn unknown(what: &str, id: &[u8]) -> Box<Error> {
    Error::statement(Kind::Match, format!("the id map lacks the {what} id {}", quoted(id)))
        .hint("write the map from all files of the collection")
}

impl NumberedIds {
    fn new(mut ids: Vec<&[u8]>, progress: &Progress) -> Result<Self> {
        // In parts, so that the caller can stop in between; merging them is fast.
        for part in ids.chunks_mut(1 << 18) {
            progress.advance(0)?;
            part.sort_unstable();
        }
        ids.sort();
        ids.dedup();
        Self::sorted(ids.into_iter().map(<[u8]>::to_vec).collect(), progress)
    }

    fn sorted(ids: Vec<Vec<u8>>, progress: &Progress) -> Result<Self> {
        let numbers = ids
            .iter()
            .enumerate()
            .map(|(number, id)| progress.advance(0).map(|()| (id.clone(), number)))
            .collect::<Result<_>>()?;
        Ok(Self { ids, numbers })
    }

    fn number(&self, id: &[u8]) -> Option<String> {
        self.numbers.get(id).map(|&number| self.text(number))
    }

    /// Counted from 1, with zeros in front.
    fn text(&self, number: usize) -> String {
        let width = self.ids.len().to_string().len();
        format!("{:0width$}", number + 1)
    }
}

fn escaped(id: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(id.len());
    for &byte in id {
        match byte {
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\t' => text.extend_from_slice(b"\\t"),
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            _ => text.push(byte),
        }
    }
    text
}

/// Undoes `escaped`; `None` for a backslash before anything else.
fn plain(text: &[u8]) -> Option<Vec<u8>> {
    let mut id = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        id.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(id)
}
