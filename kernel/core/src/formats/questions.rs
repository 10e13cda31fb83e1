//! The queries of golden sets, whose judgments are records.

use super::envelopes::{flat, records_of};
use crate::read::trec::TableKind;
use crate::roles::{DOCUMENT_ID, Meaning, Naming, Role, Side, Value, meanings, names_with, plain};

/// An id and a question.
type GoldenQuestion = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The ids and the questions of the records of a golden set, in their order. `None` if they are no such set.
#[must_use]
pub fn questions(root: Value) -> Option<Vec<GoldenQuestion>> {
    let by_id = match &root {
        Value::Object(members) => members.iter().all(|(_, record)| matches!(record, Value::Object(_))),
        _ => false,
    };
    let records = match root {
        Value::List(records) => records,
        root => records_of(root, TableKind::Qrels, &Naming::default()).ok()??,
    };
    let records: Vec<Value> = records.into_iter().map(flat).collect();
    is_golden(records.first()?).then(|| records.iter().map(|record| question(record, by_id)).collect())
}

/// Whether a record has a question or an id with relevant documents or an answer, and no document of its own.
fn is_golden(record: &Value) -> bool {
    let Value::Object(members) = record else { return false };
    let names = || members.iter().map(|(name, _)| name.as_str());
    let any = |part| !names_with(&names().collect::<Vec<_>>(), part).is_empty();
    let is_document =
        |meaning: &Meaning| matches!(meaning, Meaning::Role(Role::Document, tier) if *tier != DOCUMENT_ID);
    if names().any(|name| meanings(name).iter().any(is_document)) {
        return false;
    }
    let lists = [Meaning::List(Side::Gold), Meaning::Either];
    let has_list =
        any("relevant") || names().any(|name| meanings(name).iter().any(|has| lists.contains(has)));
    let in_parts =
        names().any(|name| matches!(name.split_once('.'), Some((part, _)) if plain(part) == "inputs"));
    let asks = any("query.question");
    let answers = || {
        any("answer")
            || names().any(|name| plain(name) == "contexts" || plain(name).starts_with("additionalmetadata"))
    };
    in_parts || has_list && (asks || any("query.id")) || asks && answers()
}

/// The id and the question of a record, those of the record itself before those of its parts.
fn question(record: &Value, by_id: bool) -> GoldenQuestion {
    let Value::Object(members) = record else { return (None, None) };
    let filled: Vec<_> = members.iter().filter(|(_, value)| !value.is_nothing()).collect();
    let names: Vec<&str> = filled.iter().map(|(name, _)| name.as_str()).collect();
    let first = |part| {
        let mut places = names_with(&names, part);
        places.sort_by_key(|place| names.get(*place).is_some_and(|name| name.contains('.')));
        match filled.get(*places.first()?) {
            Some((_, Value::Text(text))) => Some(text.clone()),
            Some((_, Value::Whole(number))) => Some(number.to_string().into_bytes()),
            _ => None,
        }
    };
    let (id, question) = (first("query.id"), first("query.question"));
    let question = if by_id { question.or_else(|| id.clone()) } else { question };
    (id, question)
}
