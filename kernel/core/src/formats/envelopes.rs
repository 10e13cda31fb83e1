//! Finds the records of one object: under a key, by id, or as columns.

use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::TableKind;
use crate::roles::{DOCUMENT_ID, Meaning, Naming, OWN_ID, Role, Side, Value, is_example, is_part, meanings};

/// The records of an object: a list under one of its keys, a record per key, columns of lists, or itself.
/// `None` for `{query: {document: number}}` and other rankings by query.
pub(super) fn records_of(root: Value, table: TableKind, naming: &Naming) -> Result<Option<Vec<Value>>> {
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
    if let (TableKind::Run, Some(_), Some(Value::Object(details))) =
        (table, root.get("metric_score"), root.get("details"))
    {
        // An answer of `_rank_eval`.
        let hits = |detail: &Value| match detail.get("hits") {
            Some(Value::List(hits)) => hits.iter().filter_map(|hit| hit.get("hit")).cloned().collect(),
            _ => Vec::new(),
        };
        let record = |(id, detail): &(String, Value)| {
            object([("query_id", Value::Text(id.clone().into_bytes())), ("hits", Value::List(hits(detail)))])
        };
        return Ok(Some(details.iter().map(record).collect()));
    }
    if let Some(records) = of_pandas(members) {
        return Ok(Some(records));
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
    if let Some(Value::List(answers)) = root.get("ids")
        && !answers.is_empty()
        && answers.iter().all(|answer| matches!(answer, Value::List(_)))
    {
        // What Chroma returns.
        return Err(Error::statement(Kind::Format, "the lists of 'ids' have no queries").hint(
            "write the queries in the same order: {\"query\": [\u{2026}], \"ids\": [\u{2026}], \u{2026}}",
        ));
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
    if is_by_pair(members, table) {
        return Ok(Some(pairs_of(members)));
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
        // The record's question stays, but the key is the id.
        let others = members.into_iter().filter(|(name, _)| {
            !meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(Role::Query, 0..=OWN_ID)))
        });
        Value::Object(
            std::iter::once(("query_id".into(), Value::Text(key.into_bytes()))).chain(others).collect(),
        )
    };
    Ok(Some(members.into_iter().map(record).collect()))
}

/// Whether an object has an object for each document of each query, as in `{query: {document: {"grade": 3}}}`.
fn is_by_pair(members: &[(String, Value)], table: TableKind) -> bool {
    let value = if table == TableKind::Qrels { Role::Grade } else { Role::Score };
    let is_number = |value: &Value| matches!(value, Value::Whole(_) | Value::Float(_));
    let has = |name: &str, role: Role| {
        meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(other, _) if *other == role))
    };
    // A name without a meaning is that of a document.
    let is_pair = |pair: &Value| match pair {
        Value::Object(fields) => {
            fields.iter().any(|(name, field)| is_number(field) && has(name, value))
                && fields.iter().all(|(name, field)| !is_number(field) || !meanings(name).is_empty())
        }
        _ => false,
    };
    let are_pairs = |(_, documents): &(String, Value)| match documents {
        Value::Object(documents) => documents.iter().all(|(_, pair)| is_pair(pair)),
        _ => false,
    };
    let is_filled = |(_, documents): &(String, Value)| matches!(documents, Value::Object(documents) if !documents.is_empty());
    members.iter().all(are_pairs) && members.iter().any(is_filled)
}

/// The records of these objects.
fn pairs_of(members: &[(String, Value)]) -> Vec<Value> {
    let mut records = Vec::new();
    for (query, documents) in members {
        let Value::Object(documents) = documents else { continue };
        for (document, pair) in documents {
            let Value::Object(fields) = pair else { continue };
            let id = |id: &String| Value::Text(id.clone().into_bytes());
            let ids = [("query_id".to_owned(), id(query)), ("doc_id".to_owned(), id(document))];
            let fields = fields.iter().filter(|(name, _)| !["query_id", "doc_id"].contains(&name.as_str()));
            records.push(Value::Object(ids.into_iter().chain(fields.cloned()).collect()));
        }
    }
    records
}

/// The records of a frame that `DataFrame.to_json` wrote: by column, by row, or split.
fn of_pandas(members: &[(String, Value)]) -> Option<Vec<Value>> {
    let get = |name: &str| members.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    if let (Some(Value::List(names)), Some(Value::List(rows))) = (get("columns"), get("data")) {
        let row = |row: &Value| match row {
            Value::List(cells) if cells.len() == names.len() => {
                let name = |name: &Value| match name {
                    Value::Text(name) => Some(String::from_utf8_lossy(name).into_owned()),
                    _ => None,
                };
                names
                    .iter()
                    .zip(cells)
                    .map(|(text, cell)| Some((name(text)?, cell.clone())))
                    .collect::<Option<_>>()
            }
            _ => None,
        };
        return rows.iter().map(|cells| row(cells).map(Value::Object)).collect();
    }
    let inner: Vec<&Vec<(String, Value)>> = members
        .iter()
        .map(|(_, value)| if let Value::Object(inner) = value { Some(inner) } else { None })
        .collect::<Option<_>>()?;
    let counts = |keys: &mut dyn Iterator<Item = &String>| {
        keys.enumerate().all(|(place, key)| *key == place.to_string())
    };
    let is_text = |(_, value): &(String, Value)| matches!(value, Value::Text(_));
    let has_role = |role: Role| {
        let named = |name: &str| {
            meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(other, _) if *other == role))
        };
        members.iter().zip(&inner).any(|((name, _), cells)| named(name) && cells.iter().all(is_text))
    };
    let first = inner.first()?;
    if inner.iter().all(|cells| cells.len() == first.len() && counts(&mut cells.iter().map(|(key, _)| key)))
        && has_role(Role::Query)
        && has_role(Role::Document)
    {
        let record = |place: usize| {
            let cell = |((name, _), cells): (&(String, Value), &&Vec<(String, Value)>)| {
                Some((name.clone(), cells.get(place)?.1.clone()))
            };
            members.iter().zip(&inner).map(cell).collect::<Option<_>>().map(Value::Object)
        };
        return (0..first.len()).map(record).collect();
    }
    let rows = counts(&mut members.iter().map(|(key, _)| key))
        && members.first().is_some_and(|(_, row)| is_record(row, &Naming::default()));
    rows.then(|| members.iter().map(|(_, row)| row.clone()).collect())
}

pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Whether an object has a query, and documents or texts in their place.
fn is_record(value: &Value, naming: &Naming) -> bool {
    if naming.names(Role::List) {
        return naming.path(Role::List).is_some_and(|path| value.through(path).is_some());
    }
    if let Some(path) = naming.path(Role::Document).filter(|path| !path.contains("[]")) {
        return value.at(path).is_some();
    }
    let value = flat(value.clone());
    let Value::Object(members) = &value else { return false };
    let means = |name: &str, wanted: fn(&Meaning) -> bool| meanings(name).iter().any(wanted);
    let is_query: fn(&Meaning) -> bool = |meaning| matches!(meaning, Meaning::Role(Role::Query, _));
    let is_document: fn(&Meaning) -> bool = |meaning| matches!(meaning, Meaning::Role(Role::Document, _));
    let query =
        members.iter().position(|(name, value)| !matches!(value, Value::Object(_)) && means(name, is_query));
    let Some(query) = query else { return false };
    // A list of an unknown name is refused with this name, but a document may have lists.
    let asks = members.iter().any(|(name, value)| {
        !matches!(value, Value::List(_) | Value::Object(_))
            && means(name, is_query)
            && !means(name, is_document)
    });
    members.iter().enumerate().any(|(place, (name, value))| {
        let known =
            means(name, |meaning| matches!(meaning, Meaning::List(_) | Meaning::Either | Meaning::Text));
        place != query && (known || means(name, is_document) || asks && matches!(value, Value::List(_)))
    })
}

/// Whether an object has the documents of a query: a list, or numbers by document.
fn has_list(value: &Value, table: TableKind, naming: &Naming) -> bool {
    if let Some(path) = naming.path(Role::List) {
        return value.through(path).is_some();
    }
    let Value::Object(members) = flat(value.clone()) else { return false };
    let side = if table == TableKind::Qrels { Side::Gold } else { Side::Returned };
    let sides = [Meaning::List(side), Meaning::List(Side::Neutral)];
    members.iter().any(|(name, value)| {
        let is_side = |meaning: &Meaning| {
            sides.contains(meaning) || side == Side::Returned && *meaning == Meaning::Hits
        };
        meanings(name).iter().any(is_side) && (matches!(value, Value::List(_)) || value.is_mapping())
    })
}

/// Whether columns of these names have a list of documents in each row, rather than one document. Parts of a
/// record may have one.
#[must_use]
pub fn has_lists(names: &[String], naming: &Naming) -> bool {
    let any = |meant: fn(&Meaning) -> bool| names.iter().any(|name| meanings(name).iter().any(meant));
    let documents = naming.names(Role::Document)
        || any(|meaning| matches!(meaning, Meaning::Role(Role::Document, tier) if *tier != DOCUMENT_ID));
    naming.names(Role::List)
        || !documents
            && (any(|meaning| matches!(meaning, Meaning::List(_) | Meaning::Either))
                || names.iter().any(|name| is_example(name)))
}

/// The records of columns of equal length; what is null, or has no meaning and another length, is none.
fn columns_of(members: &[(String, Value)]) -> Option<Vec<Value>> {
    let mut columns = Vec::new();
    for (name, value) in members {
        match value {
            Value::List(cells) => columns.push((name, cells)),
            Value::Null => {}
            _ => return None,
        }
    }
    let length = columns.first()?.1.len();
    columns.retain(|(name, cells)| cells.len() == length || !meanings(name).is_empty());
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

/// The lists of objects of an object whose keys are queries, as records.
pub(super) fn lists_by_query(root: &Value, table: TableKind, naming: &Naming) -> Option<Vec<Value>> {
    let Value::Object(members) = root else { return None };
    let list = |value: &Value| match value {
        Value::List(items) => Some(items.iter().all(|item| matches!(item, Value::Object(_)))),
        _ => None,
    };
    let is_filled = |(_, value): &(String, Value)| !matches!(value, Value::List(items) if items.is_empty());
    // The id of a hit may have the name of a query's.
    let asks = |name: &str| {
        meanings(name)
            .iter()
            .any(|meaning| matches!(meaning, Meaning::Role(Role::Query, tier) if *tier != OWN_ID))
    };
    // A record has a query, or a list of documents: then the key is that of all records.
    let is_listing = |(name, value): &(String, Value)| {
        matches!(value, Value::List(_))
            && meanings(name).iter().any(|meaning| matches!(meaning, Meaning::List(_)))
    };
    let has_query = |item: &Value| match flat(item.clone()) {
        Value::Object(fields) => fields.iter().any(|field| asks(&field.0) || is_listing(field)),
        _ => false,
    };
    let is_by_query = naming == &Naming::default()
        && members.iter().all(|(_, value)| list(value) == Some(true))
        && members.iter().any(is_filled)
        && !members.iter().any(|(name, value)| {
            asks(name) || matches!(value, Value::List(items) if items.iter().any(has_query))
        });
    let list = if table == TableKind::Qrels { "relevant" } else { "results" };
    let record = |(query, documents): &(String, Value)| {
        object([("query_id", Value::Text(query.clone().into_bytes())), (list, documents.clone())])
    };
    is_by_query.then(|| members.iter().map(record).collect())
}

/// A record with the fields of its parts, as in `inputs.question`.
pub(super) fn flat(record: Value) -> Value {
    let Value::Object(members) = record else { return record };
    let is_flat = |name: &str, value: &Value| {
        is_part(name)
            && (is_example(name)
                || !value.is_mapping()
                || !meanings(name).iter().any(|meaning| matches!(meaning, Meaning::List(_))))
    };
    let has_objects = |value: &Value| match value {
        Value::Object(_) => true,
        Value::List(items) => items.iter().any(|item| matches!(item, Value::Object(_))),
        _ => false,
    };
    if !members.iter().any(|(_, value)| has_objects(value)) {
        return Value::Object(members);
    }
    let mut flat_members = Vec::with_capacity(members.len());
    for (name, value) in members {
        match value {
            // Extended JSON of MongoDB: {"$oid": "…"}, {"$numberInt": "3"}.
            Value::Object(mut inner)
                if inner.len() == 1 && inner.iter().all(|(key, _)| key.starts_with('$')) =>
            {
                flat_members.extend(inner.pop().map(|(_, value)| (name, value)));
            }
            Value::Object(_) if is_flat(&name, &value) => {
                let Value::Object(inner) = flat(value) else { continue };
                flat_members.extend(inner.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            Value::List(items) => {
                flat_members.push((name, Value::List(items.into_iter().map(flat).collect())))
            }
            value => flat_members.push((name, value)),
        }
    }
    Value::Object(flat_members)
}
