//! Finds the records of one object: under a key, by id, or as columns.

use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::TableKind;
use crate::roles::{DOCUMENT_ID, Meaning, Naming, OWN_ID, Role, Side, Value, is_part, meanings};

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
    let Value::Object(members) = value else { return false };
    if let Some(path) = naming.path(Role::List) {
        return value.at(path).is_some();
    }
    let side = if table == TableKind::Qrels { Side::Gold } else { Side::Returned };
    let sides = [Meaning::List(side), Meaning::List(Side::Neutral)];
    members.iter().any(|(name, value)| {
        meanings(name).iter().any(|meaning| sides.contains(meaning))
            && (matches!(value, Value::List(_)) || value.is_mapping())
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
                || names.iter().any(|name| is_part(name)))
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

/// A record with the fields of its parts, as in `inputs.question`.
pub(super) fn flat(record: Value) -> Value {
    let Value::Object(members) = record else { return record };
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
            Value::Object(inner) if is_part(&name) => {
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
