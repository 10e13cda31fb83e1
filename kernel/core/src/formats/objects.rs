//! Reads records: JSON values, objects in memory, and rows of text with lists in their cells.
//!
//! The first records show which fields have the query, the documents and their values; all are read with
//! this plan. A field that is first seen later may not change it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::cell_lists::split_cell;
use super::collect::{Collector, RowValue as Number, at};
use super::columns::want;
use super::envelopes::{flat, lists_by_query, records_of};
use super::indices::Indices;
use super::numerals;
use super::places::Cells;
use super::refusals::explain;
use super::{Loaded, Recoding, Request, labels_hint};
use crate::error::{Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::number;
use crate::read::trec::TableKind;
use crate::roles::{
    Field, Form, Kinds, Naming, RecordPlan, RecordRows, Refusal, Role, Value, Want, plain, resolve,
};
use crate::spans::{bad_weight, is_weight};

/// The number of records that show the fields.
pub(super) const PEEK: usize = 100;

/// Reads records one by one.
pub(super) struct RecordReader {
    table: TableKind,
    naming: Naming,
    /// RecordReader are rows of text, of which the cells show what they look like.
    cells: bool,
    shape: Field,
    /// The records before there is a plan, with their lines.
    waiting: Vec<(Value, u64)>,
    plan: Option<RecordPlan>,
    count: u64,
    indices: Indices,
}

impl RecordReader {
    pub(super) fn new(request: &Request, cells: bool) -> Self {
        let shape = Field::new("", 0);
        let naming = request.naming();
        Self {
            table: request.table,
            naming,
            cells,
            shape,
            waiting: Vec::new(),
            plan: None,
            count: 0,
            indices: Indices::default(),
        }
    }

    pub(super) fn push(&mut self, record: Value, line: u64, collector: &mut Collector) -> Result<()> {
        let record = flat(record);
        self.count += 1;
        if self.plan.is_none() {
            self.see(&record);
            self.indices.see(&record);
            self.waiting.push((record, line));
            return if self.waiting.len() == PEEK { self.settle(collector) } else { Ok(()) };
        }
        if has_new_field(&record, &self.shape) {
            // Lists that were all empty do not say that every record has a list.
            let open = self.plan.as_ref().is_some_and(|plan| {
                matches!(&plan.rows, RecordRows::List { path, .. }
                    if self.shape.get(path).is_some_and(|field| field.kinds.only(Kinds::EMPTY)))
            });
            self.see(&record);
            let other = resolve(&self.shape.members, self.want(), &self.naming);
            if other.as_ref().ok() != self.plan.as_ref() {
                // The records before have no irrelevant documents.
                let grows = |plan: &RecordPlan| {
                    self.plan.as_ref() == Some(&RecordPlan { irrelevant: None, ..plan.clone() })
                };
                let plan = match other {
                    Ok(plan) if open || grows(&plan) => plan,
                    other => return Err(at(self.late(other.err()), line)),
                };
                prepare(&plan, collector).map_err(|error| at(error, line))?;
                self.plan = Some(plan);
            }
        }
        let record = self.indices.name_later(record).map_err(|error| at(error, line))?;
        let Some(plan) = &self.plan else { return Ok(()) };
        row(&record, plan, &self.naming, line, collector).map_err(|error| at(error, line))
    }

    /// Reads what waits for a plan.
    #[inline]
    pub(super) fn settle(&mut self, collector: &mut Collector) -> Result<()> {
        if self.waiting.is_empty() { Ok(()) } else { self.read_waiting(collector) }
    }

    fn read_waiting(&mut self, collector: &mut Collector) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(&(_, first)) = waiting.first() else { return Ok(()) };
        let plan = resolve(&self.shape.members, self.want(), &self.naming)
            .map_err(|refusal| at(explain(&refusal, &self.shape, self.table, self.what()), first))?;
        // Without a grade, objects may have it, as in exports of annotation tools.
        collector.enveloped |= plan.value.is_none()
            && matches!(plan.rows, RecordRows::Pair { .. })
            && self.shape.members.iter().any(|field| field.kinds.has(Kinds::OBJECT.with(Kinds::OBJECTS)));
        prepare(&plan, collector).map_err(|error| at(error, first))?;
        for (record, line) in waiting.into_iter().map(|(record, line)| (self.indices.name(record), line)) {
            row(&record, &plan, &self.naming, line, collector).map_err(|error| at(error, line))?;
        }
        self.plan = Some(plan);
        Ok(())
    }

    /// Whether the caller names fields.
    pub(super) fn has_names(&self) -> bool {
        self.naming != Naming::default()
    }

    fn want(&self) -> Want {
        want(self.table)
    }

    fn what(&self) -> &'static str {
        if self.cells { "column" } else { "field" }
    }

    fn see(&mut self, record: &Value) {
        let number = self.count - 1;
        let Value::Object(members) = record else { return };
        if !self.cells {
            return record.show(&mut self.shape, number);
        }
        for (name, cell) in members {
            if let Value::Text(text) = cell {
                self.shape.member(name, number).see_cell(&String::from_utf8_lossy(text));
            }
        }
    }

    /// The error for a field that was not in the first records and would change what the others mean.
    #[cold]
    fn late(&self, refusal: Option<Refusal>) -> Box<Error> {
        if let Some(refusal) = refusal {
            return explain(&refusal, &self.shape, self.table, self.what());
        }
        let new = self.shape.members.iter().find(|field| field.first + 1 == self.count);
        let name = new.map_or("", |field| &field.name);
        let found =
            format!("the {} {} is not in the first {PEEK} records", self.what(), quoted(name.as_bytes()));
        Error::statement(Kind::Column, found)
            .hint("name the fields, as in ⟪columns='query=NAME,doc=NAME,grade=NAME'⟫")
    }
}

/// Reads objects in memory, of which the numbers count from 1.
pub struct Objects {
    collector: Collector,
    records: RecordReader,
    table: TableKind,
    naming: Naming,
}

impl Objects {
    #[must_use]
    pub fn new(request: &Request) -> Self {
        Self {
            collector: Collector::new(request),
            records: RecordReader::new(request, false),
            table: request.table,
            naming: request.naming(),
        }
    }

    pub fn push(&mut self, record: Value) -> Result<()> {
        let number = self.records.count + 1;
        self.records.push(record, number, &mut self.collector)
    }

    /// Reads one object that has the records; false for a ranking by query.
    pub fn root(&mut self, root: Value) -> Result<bool> {
        let records = match lists_by_query(&root, self.table, &self.naming) {
            None => records_of(root, self.table, &self.naming)?,
            records => records,
        };
        let Some(records) = records else { return Ok(false) };
        records.into_iter().try_for_each(|record| self.push(record)).map(|()| true)
    }

    pub fn finish(mut self) -> Result<Loaded> {
        self.records.settle(&mut self.collector)?;
        self.collector.finish(&Progress::default())?.in_memory()
    }
}

fn has_new_field(record: &Value, shape: &Field) -> bool {
    let Value::Object(members) = record else { return false };
    members.iter().any(|(name, value)| match shape.get(name) {
        None => true,
        Some(field) => match value {
            Value::Object(_) => !value.is_mapping() && has_new_field(value, field),
            Value::List(items) => items.iter().any(|item| has_new_field(item, field)),
            _ => false,
        },
    })
}

/// Prepares a collector for the rows of a plan.
fn prepare(plan: &RecordPlan, collector: &mut Collector) -> Result<()> {
    let has_pairs = matches!(plan.rows, RecordRows::List { form: Form::Pairs, .. });
    if plan.value.is_none()
        && !has_pairs
        && collector.table == TableKind::Qrels
        && collector.recoding.has_labels()
    {
        let found = "the labels of grades have no effect, since the judgments have no grades";
        return Err(Error::statement(Kind::Parameter, found)
            .hint("leave them out, or name the field of the labels: ⟪columns='grade=NAME:LABEL=1'⟫"));
    }
    if let Some(offsets) = &plan.offsets {
        let inside = match &plan.rows {
            RecordRows::List { path, .. } => format!("{path}[]."),
            RecordRows::Pair { .. } => String::new(),
        };
        collector.compose(offsets, &inside);
    }
    Ok(())
}

/// Adds the rows of a record.
fn row(
    record: &Value,
    plan: &RecordPlan,
    naming: &Naming,
    line: u64,
    collector: &mut Collector,
) -> Result<()> {
    if let Some(system) = &plan.system {
        collector.system(system, &id(record.at(system), system, "the system")?)?;
    }
    let named = record.at(&plan.query).filter(|query| !query.is_nothing());
    let query = named.or_else(|| record.at(plan.question.as_deref()?));
    let query = id(query, &plan.query, "the query")?;
    documents(record, plan, naming, &query, line, collector)
        .map_err(|error| if error.query.is_some() { error } else { error.query(&query) })
}

/// Adds the documents of a record.
fn documents(
    record: &Value,
    plan: &RecordPlan,
    naming: &Naming,
    query: &[u8],
    line: u64,
    collector: &mut Collector,
) -> Result<()> {
    let (table, recoding) = (collector.table, collector.recoding.clone());
    let label_at = |object: &Value, collector: &mut Collector| -> Result<()> {
        let Some(subtopic) = plan.subtopic.as_ref().filter(|_| collector.labelled) else {
            collector.label(None);
            return Ok(());
        };
        let value = |path: &String| object.at(path).or_else(|| record.at(path));
        let label = id(value(subtopic), subtopic, "the subtopic")?;
        let weight = plan.weight.as_ref().and_then(|path| Some((path, value(path)?)));
        match weight.map(|(path, value)| weight_of(value, path)).transpose()?.flatten() {
            Some(weight) => collector.weighted_label(&label, weight),
            None => collector.label(Some(&label)),
        }
        Ok(())
    };
    let place_at = |object: &Value, collector: &mut Collector| -> Result<()> {
        let (Some(offsets), Some(composer)) = (&plan.offsets, &collector.composer) else { return Ok(()) };
        let offset = |path: &String| composer.value(path, object.at(path).unwrap_or(&Value::Null));
        let start = offset(&offsets.start)?;
        collector.place = Cells {
            start,
            end: composer.end(start, object.at(&offsets.end).unwrap_or(&Value::Null))?,
            tokens: offsets.tokens.as_ref().map_or(Ok(None), offset)?,
        };
        Ok(())
    };
    let mut rows = Adding {
        query,
        line,
        collector,
        listed: matches!(plan.rows, RecordRows::List { .. }),
        judged: HashSet::new(),
    };
    let value_at = |object: &Value| -> Result<Option<f64>> {
        let Some(path) = &plan.value else { return Ok(None) };
        match object.at(path).map_or(Ok(None), |value| number(value, path, &recoding, table))? {
            Some(number) if plan.whole => numerals::only_whole(number, path).map(Some),
            number => Ok(number),
        }
    };
    let shared = if plan.shared { value_at(record)? } else { None };
    let value_at = |object: &Value| if plan.shared { Ok(shared) } else { value_at(object) };
    let rank_at = |object: &Value| -> Result<Option<f64>> {
        let Some(path) = &plan.rank else { return Ok(None) };
        object.at(path).map_or(Ok(None), |value| rank(value, path, &recoding))
    };
    match &plan.rows {
        RecordRows::Pair { document } => {
            let cell = record.at(document);
            let (value, rank) = (value_at(record)?, rank_at(record)?);
            place_at(record, rows.collector)?;
            let nothing = cell.is_none_or(Value::is_nothing)
                && value.is_none()
                && rank.is_none()
                && rows.collector.place == Cells::default();
            if nothing && table == TableKind::Run {
                return rows.collector.query(query, line);
            }
            label_at(record, rows.collector)?;
            let document = id(cell, document, "the document")?;
            let lacking = plan
                .value
                .as_ref()
                .filter(|_| value.is_none() && (table == TableKind::Qrels || rank.is_none()));
            if let Some(path) = lacking {
                return Err(Error::new(
                    Kind::Format,
                    format!("the {} is empty", quoted(path.as_bytes())),
                    "a number",
                )
                .hint("leave out documents without a value"));
            }
            rows.add(&document, value, rank)
        }
        RecordRows::List { path, form } => {
            if table == TableKind::Run && !rows.collector.enter(query) {
                return Err(Error::statement(Kind::Format, "two records of one query"));
            }
            let list = record.through(path).filter(|list| !list.is_nothing()).ok_or_else(|| {
                Error::new(
                    Kind::Format,
                    format!("{} has no value", quoted(path.as_bytes())),
                    "a list of documents",
                )
                .hint("a query without documents has an empty list, []")
            })?;
            let items = items_of(&list, naming.names(Role::List))?;
            if items.is_empty() {
                rows.collector.query(query, line)?;
            }
            let numbers = match (&plan.value, form) {
                (Some(path), Form::Ids) if !plan.shared && !items.is_empty() => {
                    parallel(record.at(path), path, items.len(), &recoding, table)?
                }
                _ => Vec::new(),
            };
            if table == TableKind::Run && *form == Form::Groups && items.len() > 1 {
                return Err(Error::new(
                    Kind::Format,
                    format!("{} lists of documents", items.len()),
                    "one for each query",
                )
                .hint("write a record for each query, or pairs of a document and its score, a number"));
            }
            let member = match form {
                Form::Objects { member } => member.as_str(),
                _ => "id",
            };
            let add_object = |item: &Value, rows: &mut Adding<'_>| -> Result<()> {
                let document = id(item.at(member), member, "a document")?;
                place_at(item, rows.collector)?;
                rows.add(&document, value_at(item)?, rank_at(item)?)
            };
            // Next to objects, a list of an id and a number is one document.
            let is_group = |parts: &[Value]| match form {
                Form::Groups => true,
                Form::Objects { .. } => parts.iter().any(|part| matches!(part, Value::Object(_))),
                _ => false,
            };
            for (place, item) in items.iter().enumerate() {
                rows.collector.place = Cells::default();
                match item {
                    Value::Object(_) => {
                        label_at(item, rows.collector)?;
                        add_object(item, &mut rows)?;
                    }
                    Value::List(parts) if is_group(parts) => {
                        for part in parts {
                            if rows.collector.labelled && plan.subtopic.is_none() {
                                rows.collector.label(Some((place + 1).to_string().as_bytes()));
                            } else {
                                label_at(part, rows.collector)?;
                            }
                            match part {
                                Value::Object(_) => add_object(part, &mut rows)?,
                                part => rows.add(&id(Some(part), path, "a document")?, shared, None)?,
                            }
                        }
                    }
                    Value::List(parts) => {
                        label_at(item, rows.collector)?;
                        let [document, value] = parts.as_slice() else {
                            let found = format!("a list of {}", parts.len());
                            return Err(Error::new(Kind::Format, found, "[document, number]"));
                        };
                        let document = id(Some(document), path, "a document")?;
                        // The number of a supporting fact is that of its sentence.
                        let value = if plain(path) == "supportingfacts" {
                            None
                        } else {
                            number(value, path, &recoding, table)?
                        };
                        rows.add(&document, value, None)?;
                    }
                    item => {
                        label_at(item, rows.collector)?;
                        let number = numbers.get(place).copied().or(shared);
                        rows.add(&id(Some(item), path, "a document")?, number, None)?;
                    }
                }
            }
            let irrelevant = plan.irrelevant.as_ref().and_then(|path| Some((path, record.at(path)?)));
            if let Some((path, list)) = irrelevant.filter(|(_, list)| !list.is_nothing()) {
                for item in items_of(list, false)?.iter() {
                    rows.collector.place = Cells::default();
                    // What is irrelevant as a whole has no group.
                    let has_group = plan.subtopic.is_some() && matches!(item, Value::Object(_));
                    if has_group || !rows.collector.labelled {
                        label_at(item, rows.collector)?;
                        let (value, name) = match item {
                            Value::Object(_) => {
                                place_at(item, rows.collector)?;
                                (item.at(member), member)
                            }
                            item => (Some(item), path.as_str()),
                        };
                        rows.add(&id(value, name, "a document")?, Some(0.0), None)?;
                    }
                }
            }
            Ok(())
        }
    }
}

/// Adds documents to a query.
struct Adding<'a> {
    query: &'a [u8],
    line: u64,
    collector: &'a mut Collector,
    /// Whether the documents are in a list.
    listed: bool,
    /// Documents of a list of judgments, of which equal ones are one.
    judged: HashSet<(Vec<u8>, Cells, u64)>,
}

impl Adding<'_> {
    fn add(&mut self, document: &[u8], value: Option<f64>, rank: Option<f64>) -> Result<()> {
        let number = match (self.collector.table, value, rank) {
            (TableKind::Qrels, grade, _) => {
                if self.listed && grade.is_none() {
                    self.collector.defaulted();
                }
                let grade = grade.unwrap_or(1.0);
                let id = self.collector.recoding.document(document)?;
                if self.listed
                    && !self.collector.labelled
                    && !self.judged.insert((id.to_vec(), self.collector.place, grade.to_bits()))
                {
                    return Ok(());
                }
                Number::Grade(grade)
            }
            (TableKind::Run, Some(score), rank) => Number::Score(score, rank),
            (TableKind::Run, None, Some(rank)) => Number::Rank(rank),
            (TableKind::Run, None, None) => Number::Given,
        };
        self.collector.push(self.query, document, number, self.line)
    }
}

/// An id: text, or a whole number, which becomes its decimal text.
fn id<'v>(value: Option<&'v Value>, path: &str, what: &str) -> Result<Cow<'v, [u8]>> {
    match value {
        Some(Value::Text(text)) if !text.is_empty() => Ok(Cow::Borrowed(text)),
        Some(Value::Whole(number)) => Ok(Cow::Owned(number.to_string().into_bytes())),
        other => {
            let found = match other {
                Some(value) => numerals::shown(value),
                None => format!("no {}", quoted(path.as_bytes())),
            };
            let error = Error::new(Kind::Format, found, format!("{what}'s id (text or a whole number)"));
            Err(if matches!(other, Some(Value::Float(_))) {
                error.hint("write ids that are not integers in quotes")
            } else {
                error
            })
        }
    }
}

/// The items of a list, of one in a text, or of an object of numbers: pairs.
fn items_of(list: &Value, named: bool) -> Result<Cow<'_, [Value]>> {
    Ok(match list {
        Value::Text(text) => Cow::Owned(items_of(&split_cell(text, named)?, named)?.into_owned()),
        Value::List(items) => Cow::Borrowed(items),
        Value::Object(members) if list.is_mapping() => {
            let pair = |id: &String, value: &Value| {
                Value::List(vec![Value::Text(id.clone().into_bytes()), value.clone()])
            };
            members
                .iter()
                .filter(|(_, value)| !value.is_nothing())
                .map(|(id, value)| pair(id, value))
                .collect()
        }
        one => Cow::Owned(vec![one.clone()]),
    })
}

/// The weight of a subtopic; `None` for null.
fn weight_of(value: &Value, path: &str) -> Result<Option<f64>> {
    let weight = number(value, path, &Recoding::default(), TableKind::Run)?;
    match weight.filter(|weight| !is_weight(*weight)) {
        Some(_) => Err(bad_weight(&numerals::shown(value))),
        None => Ok(weight),
    }
}

/// The numbers of a list of documents, in a list of the same length.
fn parallel(
    list: Option<&Value>,
    path: &str,
    length: usize,
    recoding: &Recoding,
    table: TableKind,
) -> Result<Vec<f64>> {
    let wrong = |found: String| {
        Error::new(
            Kind::Format,
            format!("{found} in {}", quoted(path.as_bytes())),
            format!("{length}, one for each document"),
        )
    };
    let split;
    let numbers = match list {
        Some(Value::Text(text)) => {
            split = split_cell(text, true)?;
            &split
        }
        Some(list) => list,
        None => return Err(wrong("no list".to_owned())),
    };
    match numbers {
        Value::List(numbers) if numbers.len() == length => numbers
            .iter()
            .map(|value| number(value, path, recoding, table)?.ok_or_else(|| wrong("no number".to_owned())))
            .collect(),
        Value::List(numbers) => Err(wrong(format!("{} numbers", numbers.len()))),
        one if length == 1 => {
            Ok(vec![number(one, path, recoding, table)?.ok_or_else(|| wrong("no number".to_owned()))?])
        }
        other => Err(wrong(numerals::shown(other))),
    }
}

/// A rank: a number, or text with one. `None` for null.
fn rank(value: &Value, path: &str, recoding: &Recoding) -> Result<Option<f64>> {
    match value {
        Value::Whole(integer) => number::rank(integer.to_string().as_bytes()).map(Some),
        Value::Text(text) if !value.is_nothing() => number::rank(text.trim_ascii()).map(Some),
        _ => self::number(value, path, recoding, TableKind::Run),
    }
}

/// A grade or score: a number, or text with one; as a grade also a label. `None` for null.
fn number(value: &Value, path: &str, recoding: &Recoding, table: TableKind) -> Result<Option<f64>> {
    Ok(Some(match value {
        value if value.is_nothing() => return Ok(None),
        Value::Bool(value) if table == TableKind::Qrels => recoding.truth(*value, table)?,
        Value::Whole(number) => recoding.whole(*number, table)?,
        Value::Float(number) => recoding.float(*number, table)?,
        Value::Text(text) => recoding.text(text, table).map_err(|error| {
            let is_label = table == TableKind::Qrels && error.hint.is_empty();
            if is_label { error.hint(labels_hint(path, [text.as_slice()].into_iter())) } else { error }
        })?,
        other => {
            let found = format!("{} in {}", numerals::shown(other), quoted(path.as_bytes()));
            return Err(Error::new(Kind::Format, found, "a number"));
        }
    }))
}
