//! Reads records: JSON values, objects in memory, and rows of text with lists in their cells.
//!
//! The first records show which fields have the query, the documents and their values; all are read with
//! this plan. A field that is first seen later may not change it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::collect::{Collector, Value as Number, at};
use super::columns;
use super::numerals;
use super::{Loaded, Request};
use crate::error::{Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::trec::Table;
use crate::roles::{
    Cause, DOCUMENT_ID, Field, Form, Kinds, Meaning, Naming, Plan, Refusal, Role, Rows, Side, Value, Want,
    is_part, meanings, plain, resolve,
};

/// The number of records that show the fields.
pub(super) const PEEK: usize = 100;

/// Reads records one by one.
pub(super) struct Records {
    table: Table,
    naming: Naming,
    /// Records are rows of text, of which the cells show what they look like.
    cells: bool,
    shape: Field,
    /// The records before there is a plan, with their lines.
    waiting: Vec<(Value, u64)>,
    plan: Option<Plan>,
    count: u64,
}

impl Records {
    pub(super) fn new(request: &Request, cells: bool) -> Self {
        let shape = Field::new("", 0);
        let naming = request.naming();
        Self { table: request.table, naming, cells, shape, waiting: Vec::new(), plan: None, count: 0 }
    }

    pub(super) fn push(&mut self, record: Value, line: u64, collector: &mut Collector) -> Result<()> {
        let record = flat(record);
        self.count += 1;
        if self.plan.is_none() {
            self.see(&record);
            self.waiting.push((record, line));
            return if self.waiting.len() == PEEK { self.settle(collector) } else { Ok(()) };
        }
        if has_new_field(&record, &self.shape) {
            // Lists that were all empty do not say that every record has a list.
            let open = self.plan.as_ref().is_some_and(|plan| {
                matches!(&plan.rows, Rows::List { path, .. }
                    if self.shape.get(path).is_some_and(|field| field.kinds.only(Kinds::EMPTY)))
            });
            self.see(&record);
            let other = resolve(&self.shape.members, self.want(), &self.naming);
            if other.as_ref().ok() != self.plan.as_ref() {
                self.plan = Some(match other {
                    Ok(plan) if open => plan,
                    other => return Err(at(self.late(&record, other.err()), line)),
                });
            }
        }
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
        let Some((_, first)) = waiting.first() else { return Ok(()) };
        let plan = resolve(&self.shape.members, self.want(), &self.naming)
            .map_err(|refusal| at(explain(&refusal, &self.shape, self.table, self.what()), *first))?;
        for (record, line) in &waiting {
            row(record, &plan, &self.naming, *line, collector).map_err(|error| at(error, *line))?;
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
    fn late(&self, record: &Value, refusal: Option<Refusal>) -> Box<Error> {
        let Value::Object(members) = record else { return Error::statement(Kind::Format, "no record") };
        let new = members
            .iter()
            .find(|(name, _)| self.shape.get(name).is_some_and(|field| field.first + 1 == self.count));
        let name = new.map_or("", |(name, _)| name);
        if let Some(refusal) = refusal {
            return explain(&refusal, &self.shape, self.table, self.what());
        }
        let found =
            format!("the {} {} is not in the first {PEEK} records", self.what(), quoted(name.as_bytes()));
        Error::statement(Kind::Column, found)
            .hint("name the fields, as in ⟪columns='query=NAME,doc=NAME,grade=NAME'⟫")
    }
}

/// Reads objects in memory, of which the numbers count from 1.
pub struct Objects {
    collector: Collector,
    records: Records,
    table: Table,
    naming: Naming,
}

impl Objects {
    #[must_use]
    pub fn new(request: &Request) -> Self {
        Self {
            collector: Collector::new(request),
            records: Records::new(request, false),
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
        let Some(records) = records_of(root, self.table, &self.naming)? else { return Ok(false) };
        records.into_iter().try_for_each(|record| self.push(record)).map(|()| true)
    }

    pub fn finish(mut self) -> Result<Loaded> {
        self.records.settle(&mut self.collector)?;
        self.collector.finish(&Progress::default())?.in_memory()
    }
}

/// The plan of a table whose fields are known.
pub(super) fn plan_of(shape: &Field, request: &Request, what: &str) -> Result<Plan> {
    resolve(&shape.members, want(request.table), &request.naming())
        .map_err(|refusal| explain(&refusal, shape, request.table, what))
}

fn want(table: Table) -> Want {
    if table == Table::Qrels { Want::Judgments } else { Want::Run }
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

/// A record with the fields of its parts, as in `inputs.question`.
fn flat(record: Value) -> Value {
    let Value::Object(members) = record else { return record };
    let mut flat_members = Vec::with_capacity(members.len());
    for (name, value) in members {
        match value {
            Value::Object(inner) if is_part(&name) => {
                flat_members.extend(inner.into_iter().map(|(own, value)| (format!("{name}.{own}"), value)));
            }
            Value::List(items) => {
                flat_members.push((name, Value::List(items.into_iter().map(flat).collect())))
            }
            value => flat_members.push((name, value)),
        }
    }
    Value::Object(flat_members)
}

/// Adds the rows of a record.
fn row(record: &Value, plan: &Plan, naming: &Naming, line: u64, collector: &mut Collector) -> Result<()> {
    let own = record.at(&plan.query).filter(|query| !query.is_nothing());
    let question = plan.question.as_ref().and_then(|path| record.at(path)).filter(|_| own.is_none());
    let query = id(own.or(question), &plan.query, "the query")?;
    documents(record, plan, naming, &query, line, collector)
        .map_err(|error| if error.query.is_some() { error } else { error.query(&query) })
}

/// Adds the documents of a record.
fn documents(
    record: &Value,
    plan: &Plan,
    naming: &Naming,
    query: &[u8],
    line: u64,
    collector: &mut Collector,
) -> Result<()> {
    let table = collector.table;
    let label = match &plan.subtopic {
        Some(subtopic) if collector.labelled => Some(id(record.at(subtopic), subtopic, "the subtopic")?),
        _ => None,
    };
    let mut rows = Adding {
        query,
        line,
        collector,
        listed: matches!(plan.rows, Rows::List { .. }),
        judged: HashSet::new(),
    };
    rows.collector.label(label.as_deref());
    let value_at = |path: &Option<String>, object: &Value| -> Result<Option<f64>> {
        path.as_deref()
            .and_then(|path| object.at(path).map(|value| (path, value)))
            .map_or(Ok(None), |(path, value)| number(value, path, table))
    };
    let rank_at = |object: &Value| -> Result<Option<f64>> {
        plan.rank
            .as_deref()
            .and_then(|path| object.at(path).map(|value| (path, value)))
            .map_or(Ok(None), |(path, value)| number(value, path, Table::Run))
    };
    match &plan.rows {
        Rows::Pair { document } => {
            let cell = record.at(document);
            let (value, rank) = (value_at(&plan.value, record)?, rank_at(record)?);
            let nothing = cell.is_none_or(Value::is_nothing) && value.is_none() && rank.is_none();
            if nothing && table == Table::Run {
                return rows.collector.query(query, line);
            }
            let document = id(cell, document, "the document")?;
            let lacking =
                plan.value.as_ref().filter(|_| value.is_none() && (table == Table::Qrels || rank.is_none()));
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
        Rows::List { path, form } => {
            if table == Table::Run && !rows.collector.enter(query) {
                return Err(Error::statement(Kind::Format, "two records of one query"));
            }
            let list = record.at(path).filter(|list| !list.is_nothing()).ok_or_else(|| {
                Error::new(
                    Kind::Format,
                    format!("{} has no value", quoted(path.as_bytes())),
                    "a list of documents",
                )
                .hint("a query without documents has an empty list, []")
            })?;
            let split;
            let list = match list {
                Value::Text(text) => {
                    split = split_cell(text, naming.names(Role::List))?;
                    &split
                }
                list => list,
            };
            let items: Cow<'_, [Value]> = match list {
                Value::List(items) => Cow::Borrowed(items),
                Value::Object(members) if list.is_mapping() => Cow::Owned(
                    members
                        .iter()
                        .map(|(id, value)| {
                            Value::List(vec![Value::Text(id.clone().into_bytes()), value.clone()])
                        })
                        .collect(),
                ),
                one => Cow::Owned(vec![one.clone()]),
            };
            if items.is_empty() {
                return rows.collector.query(query, line);
            }
            for (place, item) in items.iter().enumerate() {
                match item {
                    Value::Object(_) => {
                        let member = match form {
                            Form::Objects { member } => member.as_str(),
                            _ => "id",
                        };
                        let document = id(item.at(member), member, "a document")?;
                        rows.add(&document, value_at(&plan.value, item)?, rank_at(item)?)?;
                    }
                    Value::List(parts) if *form == Form::Groups => {
                        if rows.collector.labelled {
                            rows.collector.label(Some((place + 1).to_string().as_bytes()));
                        }
                        for part in parts {
                            rows.add(&id(Some(part), path, "a document")?, None, None)?;
                        }
                    }
                    Value::List(parts) => {
                        let [document, value] = parts.as_slice() else {
                            let found = format!("a list of {}", parts.len());
                            return Err(Error::new(Kind::Format, found, "[document, number]"));
                        };
                        let document = id(Some(document), path, "a document")?;
                        // The number of a supporting fact is that of its sentence.
                        let value =
                            if plain(path) == "supportingfacts" { None } else { number(value, path, table)? };
                        rows.add(&document, value, None)?;
                    }
                    item => rows.add(&id(Some(item), path, "a document")?, None, None)?,
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
    judged: HashSet<(Vec<u8>, u64)>,
}

impl Adding<'_> {
    fn add(&mut self, document: &[u8], value: Option<f64>, rank: Option<f64>) -> Result<()> {
        let number = match (self.collector.table, value, rank) {
            (Table::Qrels, grade, _) => {
                if self.listed && grade.is_none() {
                    self.collector.defaulted();
                }
                let grade = grade.unwrap_or(1.0);
                if self.listed
                    && !self.collector.labelled
                    && !self.judged.insert((document.to_vec(), grade.to_bits()))
                {
                    return Ok(());
                }
                Number::Grade(grade)
            }
            (Table::Run, Some(score), rank) => Number::Score(score, rank),
            (Table::Run, None, Some(rank)) => Number::Rank(rank),
            (Table::Run, None, None) => Number::Given,
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
                Some(value) => written(value),
                None => format!("no {}", quoted(path.as_bytes())),
            };
            let error = Error::new(Kind::Format, found, format!("{what}'s id (text or a whole number)"));
            Err(if matches!(other, Some(Value::Float(_))) {
                error.hint("write ids that are not 64-bit integers in quotes")
            } else {
                error
            })
        }
    }
}

/// A grade, score or rank: a number, or text with one; as a grade also true or false. `None` for null.
fn number(value: &Value, path: &str, table: Table) -> Result<Option<f64>> {
    Ok(Some(match value {
        value if value.is_nothing() => return Ok(None),
        Value::Bool(value) if table == Table::Qrels => f64::from(u8::from(*value)),
        Value::Whole(number) => numerals::whole(*number, table)?,
        Value::Float(number) => numerals::checked(*number, table)?,
        Value::Text(text) if table == Table::Qrels && text.eq_ignore_ascii_case(b"true") => 1.0,
        Value::Text(text) if table == Table::Qrels && text.eq_ignore_ascii_case(b"false") => 0.0,
        Value::Text(text) => numerals::value(text, table)?,
        other => {
            let found = format!("{} in {}", written(other), quoted(path.as_bytes()));
            return Err(Error::new(Kind::Format, found, "a number"));
        }
    }))
}

/// A value in messages.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Whole(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {}", numerals::written(*number)),
        Value::Text(text) => format!("the text {}", quoted(text)),
        Value::List(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".into(),
    }
}

/// Texts of missing values, as pandas, NumPy and Python print them.
const MISSING: [&[u8]; 6] = [b"nan", b"NaN", b"None", b"null", b"<NA>", b"NaT"];

/// The documents in a text: a list in JSON, or as Python and NumPy print it; ids between `|`, `;` or `,`; ids
/// between spaces, if the caller says that the column has lists.
pub(super) fn split_cell(text: &[u8], named: bool) -> Result<Value> {
    let text = text.trim_ascii();
    let wrong = || {
        Error::new(Kind::Format, written(&Value::Text(text.to_vec())), "ids of documents")
            .hint("write a list in JSON, or an empty list if no document is relevant")
    };
    let items = if matches!(text.first(), Some(b'[' | b'{' | b'(')) {
        match serde_json::from_slice(text) {
            Ok(value) => return Ok(value),
            Err(_) => printed(text).ok_or_else(wrong)?,
        }
    } else {
        let mark = [b'|', b';', b','].into_iter().find(|mark| text.contains(mark));
        let spaces = mark.is_none() && named;
        let parts = text.split(|&byte| Some(byte) == mark || spaces && byte.is_ascii_whitespace());
        parts.map(<[u8]>::trim_ascii).filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    if items.iter().any(|item: &Vec<u8>| MISSING.contains(&item.as_slice())) {
        return Err(wrong());
    }
    Ok(Value::List(items.into_iter().map(Value::Text).collect()))
}

/// The elements of a list as Python prints it (`['a', "b"]`, `(1,)`), or NumPy (`['a' 'b']`).
fn printed(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let inside = match (text.first()?, text.last()?) {
        (b'[', b']') | (b'(', b')') | (b'{', b'}') => text.get(1..text.len().checked_sub(1)?)?,
        _ => return None,
    };
    let mut items = Vec::new();
    let mut rest = inside.trim_ascii();
    while let Some(&first) = rest.first() {
        let mut item = Vec::new();
        let end = if matches!(first, b'\'' | b'"') {
            let mut place = 1;
            loop {
                match *rest.get(place)? {
                    byte if byte == first => break place + 1,
                    b'\\' => {
                        item.push(match *rest.get(place + 1)? {
                            b'n' => b'\n',
                            b't' => b'\t',
                            byte @ (b'\\' | b'\'' | b'"') => byte,
                            _ => return None,
                        });
                        place += 2;
                    }
                    byte => {
                        item.push(byte);
                        place += 1;
                    }
                }
            }
        } else {
            let end = rest.iter().position(|byte| *byte == b',' || byte.is_ascii_whitespace());
            let end = end.unwrap_or(rest.len());
            item.extend_from_slice(rest.get(..end)?);
            let plain = item.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
            // Words without quotes and `...` are not what Python prints of texts.
            if !plain {
                return None;
            }
            end
        };
        items.push(item);
        rest = rest.get(end..)?.trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
    Some(items)
}

/// The records of an object: a list under one of its keys, a record per key, columns of lists, or itself.
/// `None` for `{query: {document: number}}` and other rankings by query.
pub(super) fn records_of(root: Value, table: Table, naming: &Naming) -> Result<Option<Vec<Value>>> {
    let Value::Object(members) = &root else { return Ok(None) };
    if let (Some(Value::Object(texts)), Some(relevant @ Value::Object(_))) =
        (root.get("queries"), root.get("relevant_docs"))
    {
        // EmbeddingQAFinetuneDataset of LlamaIndex.
        let empty = Value::List(Vec::new());
        let record = |(id, text): &(String, Value)| {
            let relevant = relevant.get(id).unwrap_or(&empty).clone();
            object([
                ("id", Value::Text(id.clone().into_bytes())),
                ("question", text.clone()),
                ("relevant", relevant),
            ])
        };
        return Ok(Some(texts.iter().map(record).collect()));
    }
    let lists: Vec<&(String, Value)> = members
        .iter()
        .filter(|(_, value)| matches!(value, Value::List(items) if items.first().is_some_and(|item| is_record(item, naming))))
        .collect();
    if is_record(&root, naming) {
        return Ok(Some(match columns_of(members) {
            Some(records) => records,
            None => vec![root],
        }));
    }
    match lists.as_slice() {
        [(_, Value::List(items))] => return Ok(Some(items.clone())),
        [(first, _), (second, _), ..] => {
            let found = format!("records in {} and {}", quoted(first.as_bytes()), quoted(second.as_bytes()));
            return Err(
                Error::new(Kind::Format, found, "one list of records").hint("keep the list that is meant")
            );
        }
        _ => {}
    }
    let by_id = !members.is_empty()
        && members.iter().all(|(_, value)| matches!(value, Value::Object(_)))
        && members.first().is_some_and(|(_, record)| has_list(record, table, naming));
    if !by_id {
        return Ok(None);
    }
    let Value::Object(members) = root else { return Ok(None) };
    let record = |(key, record): (String, Value)| {
        let Value::Object(members) = record else { return record };
        let others = members.into_iter().filter(|(name, _)| {
            !meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(Role::Query, _)))
        });
        Value::Object(
            std::iter::once(("query_id".into(), Value::Text(key.into_bytes()))).chain(others).collect(),
        )
    };
    Ok(Some(members.into_iter().map(record).collect()))
}

pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Whether an object has a query, and documents or texts in their place.
fn is_record(value: &Value, naming: &Naming) -> bool {
    if naming.names(Role::List) {
        return naming.path(Role::List).is_some_and(|path| value.at(path).is_some());
    }
    let value = flat(value.clone());
    let Value::Object(members) = &value else { return false };
    let query = members.iter().position(|(name, value)| {
        let scalar = !matches!(value, Value::Object(_));
        scalar && meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(Role::Query, _)))
    });
    let Some(query) = query else { return false };
    members.iter().enumerate().any(|(place, (name, _))| {
        place != query
            && meanings(name).iter().any(|meaning| {
                matches!(
                    meaning,
                    Meaning::List(_) | Meaning::Role(Role::Document, _) | Meaning::Either | Meaning::Text
                )
            })
    })
}

/// Whether an object has a list of documents of the side that is read.
fn has_list(value: &Value, table: Table, naming: &Naming) -> bool {
    let Value::Object(members) = value else { return false };
    if let Some(path) = naming.path(Role::List) {
        return value.at(path).is_some();
    }
    let side = if table == Table::Qrels { Side::Gold } else { Side::Returned };
    members.iter().any(|(name, value)| {
        let listed =
            meanings(name).iter().any(|meaning| matches!(meaning, Meaning::List(other) if *other == side));
        listed && matches!(value, Value::List(_))
    })
}

/// Whether columns of these names have a list of documents in each row, rather than one document.
#[must_use]
pub fn has_lists(names: &[String], naming: &Naming) -> bool {
    let any = |meant: fn(&Meaning) -> bool| names.iter().any(|name| meanings(name).iter().any(meant));
    let documents = naming.names(Role::Document)
        || any(|meaning| matches!(meaning, Meaning::Role(Role::Document, tier) if *tier != DOCUMENT_ID));
    naming.names(Role::List)
        || any(|meaning| matches!(meaning, Meaning::List(_) | Meaning::Either)) && !documents
}

/// The records of columns of equal length.
fn columns_of(members: &[(String, Value)]) -> Option<Vec<Value>> {
    let mut columns = Vec::new();
    for (name, value) in members {
        let Value::List(cells) = value else { return None };
        columns.push((name, cells));
    }
    let length = columns.first()?.1.len();
    // One record may consist of lists, too, but its query is none.
    columns.iter().all(|(_, cells)| cells.len() == length).then(|| {
        let record = |place: usize| {
            let members =
                columns.iter().filter_map(|(name, cells)| Some(((*name).clone(), cells.get(place)?.clone())));
            Value::Object(members.collect())
        };
        (0..length).map(record).collect()
    })
}

/// The error of a refusal.
fn explain(refusal: &Refusal, shape: &Field, table: Table, what: &str) -> Box<Error> {
    let names = || shape.members.iter().map(|field| field.name.as_bytes());
    let fields = || columns::listed(names(), what);
    let list = if table == Table::Qrels { "relevant" } else { "results" };
    let word = |role: Role| match role {
        Role::Query => "query",
        Role::Document => "doc",
        Role::Grade => "grade",
        Role::Score => "score",
        Role::Rank => "rank",
        Role::System => "system",
        Role::Subtopic => "subtopic",
        Role::List => list,
    };
    let said = || {
        let pairs: Vec<String> =
            refusal.naming.iter().map(|(role, name)| format!("{}={name}", word(*role))).collect();
        format!("⟪columns='{}'⟫", pairs.join(","))
    };
    let quoted_names = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| quoted(name.as_bytes())).collect();
        names.join(" and ")
    };
    let new = |found: String, expected: &str| Error::new(Kind::Column, found, expected);
    match &refusal.cause {
        Cause::NoSuchField(name) => new(fields(), &format!("a {what} {}", quoted(name.as_bytes()))),
        Cause::Missing(role) => {
            let lacks = |role: columns::Role| {
                !names().any(|name| columns::role(name, table).is_some_and(|(other, _)| other == role))
            };
            let mut missing = vec![match role {
                Role::Query => columns::Role::Query,
                _ => columns::Role::Document,
            }];
            if what == "column" && *role == Role::Query && lacks(columns::Role::Document) {
                missing.push(columns::Role::Document);
            }
            if what == "column"
                && shape.members.len() > 2
                && lacks(columns::Role::Value)
                && lacks(columns::Role::Rank)
            {
                missing.push(columns::Role::Value);
            }
            columns::missing(&missing, table, names(), what)
        }
        Cause::Several(Role::List, several) => {
            new(format!("{what}s {}", quoted_names(several)), "one list of documents")
                .hint(format!("name it: {}", said()))
        }
        Cause::Several(role, several) => {
            new(format!("{what}s {}", quoted_names(several)), &format!("one {}", word(*role)))
                .hint(format!("name it: {}", said()))
        }
        Cause::OtherSide(name) => {
            let (other, expected) = match table {
                Table::Qrels => ("what a system returned", "judgments"),
                Table::Run => ("relevant documents", "what a system returned"),
            };
            new(format!("{} has {other}", quoted(name.as_bytes())), expected)
                .hint(format!("if it has {expected}: {}", said()))
        }
        Cause::Unexplained(role, several) => {
            let first = several.first().map_or("", String::as_str);
            new(
                format!("{} may be the {}", quoted_names(several), word(*role)),
                &format!("a {what} with a known name"),
            )
            .hint(format!("{} uses it, ⟪columns='-={first}'⟫ ignores it", said()))
        }
        Cause::Reserved(name) => Error::statement(
            Kind::Column,
            format!("the {what} {} has no meaning yet", quoted(name.as_bytes())),
        )
        .hint(format!("⟪columns='-={name}'⟫ ignores it")),
        Cause::IsRun => {
            new(fields(), "grades").hint("this looks like a run; put the judgments first, then the runs")
        }
        Cause::IsJudgments(_) => columns::missing(&[columns::Role::Value], table, names(), what),
        Cause::Distance(name) => new(
            format!("{} is smaller for better documents", quoted(name.as_bytes())),
            "scores, which are larger for better documents",
        )
        .hint("subtract distances from a constant, or give ranks"),
        Cause::NoMember(list, names) => new(
            format!("{} has objects with {}", quoted(list.as_bytes()), quoted_names(names)),
            "an id in each (id, doc_id, …)",
        )
        .hint(format!("name it: ⟪columns='doc={list}[].NAME'⟫")),
        Cause::Outside(list, name) => {
            let found =
                format!("{} is not in the objects of {}", quoted(name.as_bytes()), quoted(list.as_bytes()));
            new(found, &format!("a {what} of them, as in {list}[].NAME"))
        }
        Cause::Texts(name) => new(format!("field {} has text", quoted(name.as_bytes())), "ids of documents")
            .hint("put the ids of the relevant documents in a field 'relevant' or 'expected_ids'"),
    }
}
