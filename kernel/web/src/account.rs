//! The account of one query in JSON, with null for numbers that are not defined.

use gainful_core::explain::{Account, Document, IdealRank, LeftOutReason, Rank};
use serde_json::{Value, json};

pub(crate) fn to_json(account: &Account) -> Value {
    let content = &account.content;
    json!({
        "value": account.value,
        "no_relevant": account.nothing,
        "skipped": account.skipped,
        "retrieved": account.retrieved,
        "judged": account.judged,
        "parts": content.parts,
        "ranks": content.ranks.iter().map(rank).collect::<Vec<_>>(),
        "ideal": content.ideal.iter().map(ideal).collect::<Vec<_>>(),
        "documents": content.documents.iter().map(document).collect::<Vec<_>>(),
        "left_out": account.left_out.iter().map(|row| {
            json!({ "document": text(&row.document), "reason": reason(row.reason) })
        }).collect::<Vec<_>>(),
    })
}

fn text(id: &[u8]) -> String {
    String::from_utf8_lossy(id).into_owned()
}

fn rank(rank: &Rank) -> Value {
    json!({
        "document": text(&rank.document),
        "score": rank.score,
        "grade": rank.grade,
        "tie": rank.tie,
        "gain": rank.gain,
        "weight": rank.weight,
        "contribution": rank.contribution,
        "running": rank.running,
        "relevant": rank.relevant,
        "precision": rank.precision,
    })
}

fn ideal(rank: &IdealRank) -> Value {
    json!({
        "document": rank.document.as_deref().map(text),
        "grade": rank.grade,
        "gain": rank.gain,
        "contribution": rank.contribution,
        "running": rank.running,
    })
}

fn document(document: &Document) -> Value {
    json!({
        "document": text(&document.id),
        "grade": document.grade,
        "gain": document.gain,
        "rank": document.rank,
        "ideal_rank": document.ideal_rank,
        "contribution": document.contribution,
        "ideal_contribution": document.ideal_contribution,
    })
}

fn reason(reason: LeftOutReason) -> &'static str {
    match reason {
        LeftOutReason::Unjudged => "unjudged",
        LeftOutReason::Duplicate => "duplicate",
        LeftOutReason::Negative => "negative",
        LeftOutReason::SameId => "same-id",
    }
}
