//! The state that the visitors of JSON share: the keys above the current value, and which of them are
//! queries.

use std::cell::Cell;
use std::rc::Rc;

use super::Request;
use super::collect::{Collector, RowValue as Number, at};
use super::envelopes::object;
use super::objects::RecordReader;
use super::recent::{Recent, Tracked};
use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::TableKind;
use crate::roles::Value;

/// One document of a query.
#[derive(Debug)]
pub(super) struct Item {
    pub document: String,
    pub number: Option<f64>,
    pub line: u64,
}

impl Item {
    pub(super) fn value(&self, table: TableKind) -> Number {
        match (table, self.number) {
            (TableKind::Qrels, grade) => Number::Grade(grade.unwrap_or(1.0)),
            (TableKind::Run, Some(score)) => Number::Score(score, None),
            (TableKind::Run, None) => Number::Given,
        }
    }
}

/// A JSON value without parts.
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    Whole(i128),
    Float(f64),
    Text(&'t str),
}

impl Scalar<'_> {
    /// The value in messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Whole(_) | Self::Float(_) => "a number".to_owned(),
            Self::Text(text) => format!("the text {}", quoted(text.as_bytes())),
        }
    }
}

/// The state that the visitors share.
pub(super) struct State<'c> {
    pub collector: &'c mut Collector,
    pub table: TableKind,
    /// The line that is being read.
    pub line: Rc<Cell<u64>>,
    /// The bytes that were just read; none if they are from a slice.
    pub recent: Rc<Recent>,
    pub records: RecordReader,
    /// The error of a visitor; serde's errors contain only text.
    pub failure: Option<Box<Error>>,
    /// Documents of a query that is not complete yet.
    pub items: Vec<Item>,
    /// Those of its documents that are objects.
    pub objects: Vec<Value>,
    /// The keys above the current value; strings are reused.
    pub keys: Vec<String>,
    pub depth: usize,
    split: Option<&'c str>,
    /// The number of keys above the queries, and the chosen ones.
    layers: Option<usize>,
    taken: Option<Vec<String>>,
    skipped: Vec<String>,
    /// Queries without documents that came before it was known which keys are queries.
    bare: Vec<(Vec<String>, u64)>,
}

impl<'c> State<'c> {
    pub(super) fn new(collector: &'c mut Collector, request: &'c Request) -> Self {
        Self {
            table: collector.table,
            records: RecordReader::new(request, false),
            collector,
            line: Rc::new(Cell::new(1)),
            recent: Rc::new(Recent::new()),
            failure: None,
            items: Vec::new(),
            objects: Vec::new(),
            keys: Vec::new(),
            depth: 0,
            split: request.split.as_deref(),
            layers: None,
            taken: None,
            skipped: Vec::new(),
            bare: Vec::new(),
        }
    }

    /// Follows a reader of JSON.
    pub(super) fn tracked<R>(&self, reader: R) -> Tracked<R> {
        Tracked { reader, line: Rc::clone(&self.line), recent: Rc::clone(&self.recent) }
    }

    /// Keeps an error and stops serde.
    pub(super) fn stop<E: serde::de::Error>(&mut self, error: Box<Error>) -> E {
        let line = self.line.get();
        self.failure.get_or_insert(at(error, line));
        E::custom("")
    }

    pub(super) fn refuse<E: serde::de::Error>(&mut self, found: &str, expected: &str) -> E {
        self.stop(Error::new(Kind::Format, found, expected))
    }

    /// Adds a record.
    pub(super) fn record(&mut self, record: Value) -> Result<()> {
        self.records.push(record, self.line.get(), self.collector)
    }

    /// Refuses names of fields where queries are keys or places of a list.
    pub(super) fn refuse_names<E: serde::de::Error>(&mut self) -> std::result::Result<(), E> {
        if self.records.has_names() {
            let error = Error::statement(Kind::Parameter, "rankings by query have no fields to name");
            return Err(self.stop(error));
        }
        Ok(())
    }

    /// Adds the gathered documents to a query.
    pub(super) fn flush(&mut self, query: &str) -> Result<()> {
        let line = self.line.get();
        if !self.objects.is_empty() {
            if !self.items.is_empty() {
                return Err(Error::new(Kind::Format, "a list of ids and objects", "one of the two"));
            }
            let documents = Value::List(std::mem::take(&mut self.objects));
            let query = Value::Text(query.as_bytes().to_vec());
            return self.record(object([("query_id", query), ("documents", documents)]));
        }
        self.records.settle(self.collector)?;
        if self.items.is_empty() {
            return self.collector.query(query.as_bytes(), line);
        }
        for item in self.items.drain(..) {
            let value = item.value(self.table);
            self.collector.push(query.as_bytes(), item.document.as_bytes(), value, item.line)?;
        }
        Ok(())
    }

    /// Whether rows under these keys (all above the query) are read.
    fn wanted(&mut self, above: usize) -> Result<bool> {
        let layers = *self.layers.get_or_insert(above);
        if layers != above {
            let found = format!("rows nested {above} levels deep follow rows nested {layers} levels deep");
            return Err(Error::statement(Kind::Format, found));
        }
        if above == 0 {
            return Ok(true);
        }
        let keys = self.keys.get(..above).unwrap_or_default();
        if let Some(split) = self.split
            && !keys.iter().any(|key| key == split)
            && keys.join("/") != split
        {
            if self.skipped.len() < 16 && !keys.last().is_some_and(|key| self.skipped.contains(key)) {
                self.skipped.extend(keys.last().cloned());
            }
            return Ok(false);
        }
        let taken = self.taken.get_or_insert_with(|| keys.to_vec());
        if taken.as_slice() == keys {
            return Ok(true);
        }
        let name = |keys: &[String]| quoted(keys.join("/").as_bytes());
        let found = format!("the file has several tables, such as {} and {}", name(taken), name(keys));
        Err(Error::statement(Kind::Format, found).hint("choose one with ⟪split⟫"))
    }

    /// A grade or score; `None` for null. The parser returns integers beyond 64 bits as floats.
    pub(super) fn value(&self, value: &Scalar<'_>) -> Option<Result<f64>> {
        let (recoding, table) = (&self.collector.recoding, self.table);
        Some(match *value {
            Scalar::Null => return None,
            Scalar::Bool(value) => recoding.truth(value, table),
            Scalar::Whole(number) => recoding.whole(number, table),
            Scalar::Text(text) => recoding.text(text.as_bytes(), table),
            Scalar::Float(number) => {
                let is_large = number.abs() >= i64::MAX as f64;
                match is_large.then(|| self.recent.number()).flatten() {
                    Some(text) => recoding.text(&text, table),
                    None => recoding.float(number, table),
                }
            }
        })
    }

    /// A number under the current keys.
    pub(super) fn number(&mut self, number: f64) -> Result<()> {
        let (Some(above), Some(at)) = (self.depth.checked_sub(2), self.depth.checked_sub(1)) else {
            return Err(Error::new(
                Kind::Format,
                format!("a number under {}", quoted(self.keys.first().map_or(b"", |key| key.as_bytes()))),
                "documents: {query: {document: number}} or {query: [document, …]}",
            ));
        };
        if !self.wanted(above)? {
            return Ok(());
        }
        self.records.settle(self.collector)?;
        let value =
            if self.table == TableKind::Qrels { Number::Grade(number) } else { Number::Score(number, None) };
        match (self.keys.get(above), self.keys.get(at)) {
            (Some(query), Some(document)) => {
                self.collector.push(query.as_bytes(), document.as_bytes(), value, self.line.get())
            }
            _ => Ok(()),
        }
    }

    /// The end of a list or an empty object under the current keys.
    pub(super) fn list(&mut self, may_be_layer: bool) -> Result<()> {
        let Some(above) = self.depth.checked_sub(1) else { return Ok(()) };
        if may_be_layer && self.layers != Some(above) {
            if self.layers.is_none() {
                let keys = self.keys.get(..self.depth).unwrap_or_default().to_vec();
                self.bare.push((keys, self.line.get()));
            }
            return Ok(());
        }
        if self.wanted(above)? {
            let Some(query) = self.keys.get_mut(above).map(std::mem::take) else { return Ok(()) };
            self.flush(&query)?;
            if let Some(key) = self.keys.get_mut(above) {
                *key = query;
            }
        }
        self.items.clear();
        Ok(())
    }

    /// The end of the value.
    pub(super) fn finish(mut self) -> Result<()> {
        self.records.settle(self.collector)?;
        for (keys, line) in std::mem::take(&mut self.bare) {
            let above = self.layers.unwrap_or(0);
            let same = self.taken.as_deref().unwrap_or_default() == keys.get(..above).unwrap_or_default();
            if let Some(query) = keys.last().filter(|_| keys.len() == above + 1 && same) {
                self.collector.query(query.as_bytes(), line)?;
            }
        }
        match self.split {
            Some(split) if self.taken.is_none() => {
                let found = match self.skipped.as_slice() {
                    [] => "JSON with one table".to_owned(),
                    names => format!("only {}", names.join(", ")),
                };
                Err(Error::new(Kind::Parameter, found, format!("the split {}", quoted(split.as_bytes()))))
            }
            _ => Ok(()),
        }
    }
}
