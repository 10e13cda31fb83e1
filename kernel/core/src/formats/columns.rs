//! Names of columns of Gainful and other tools.

use crate::error::{Error, Kind, quoted};
use crate::read::trec::Table;

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Query,
    Document,
    /// The grade of a judgment, the score of a run.
    Value,
    Rank,
    /// The label of a judgment: a subtopic or a group of judgments.
    Label,
    /// A list of documents (JSON).
    List,
}

// Better names come first in each list: a table with `query_id` and `query` has its ids in the first and text
// in the second. Names are compared in lower case and without `-`, `_` and spaces. `docno` comes before
// `docid`: in PyTerrier's tables with both, `docid` is an internal number of the index.
// `gainful.data.columns` has the same names for data frames; a test compares the two.
const QUERY: &[&str] = &[
    "queryid",
    "qid",
    "topicid",
    "queryno",
    "topicno",
    "topic",
    "query",
    "querytext",
    "userid",
    "user",
    "question",
    "userinput",
    "searchquery",
    "searchterm",
];
const DOCUMENT: &[&str] = &[
    "docno",
    "docid",
    "documentid",
    "corpusid",
    "passageid",
    "pid",
    "did",
    "productid",
    "itemid",
    "movieid",
    "iid",
    "document",
    "doc",
    "passage",
    "product",
    "item",
    "movie",
];
const GRADE: &[&str] = &[
    "grade",
    "relevance",
    "rel",
    "label",
    "rating",
    "judgment",
    "judgement",
    "relevancegrade",
    "relevancelabel",
    "relevancescore",
    "score",
];
/// The number of names in `GRADE` that no run has.
const GRADES_ALONE: usize = 9;
const SCORE: &[&str] = &["score", "similarity", "sim", "relevancescore", "rsv", "prediction"];
const RANK: &[&str] = &["rank", "position", "pos"];
const LABEL: &[&str] =
    &["subtopic", "subtopicid", "subtopicno", "aspect", "intent", "iteration", "iter", "group"];
const LIST: &[&str] = &[
    "results",
    "ranking",
    "docs",
    "documents",
    "docids",
    "documentids",
    "retrieved",
    "hits",
    "ratings",
    "judgments",
    "qrels",
    "relevant",
    "relevantdocs",
    "items",
];

/// The role of a column of this name, and the rank of the name (0 is best).
pub(super) fn role(name: &[u8], table: Table) -> Option<(Role, usize)> {
    let mut plain = [0u8; 24];
    let mut length = 0;
    for byte in name.iter().copied().filter(|byte| !matches!(byte, b'-' | b'_' | b' ')) {
        *plain.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    let plain = plain.get(..length)?;
    let value = if table == Table::Qrels { GRADE } else { SCORE };
    let label = if table == Table::Qrels { LABEL } else { &[] };
    [
        (Role::Query, QUERY),
        (Role::Document, DOCUMENT),
        (Role::Value, value),
        (Role::Rank, RANK),
        (Role::Label, label),
        (Role::List, LIST),
    ]
    .into_iter()
    .find_map(|(role, names)| {
        names.iter().position(|known| known.as_bytes() == plain).map(|place| (role, place))
    })
}

/// The error for a table without required columns.
pub(super) fn missing<'a>(
    roles: &[Role],
    table: Table,
    found: impl Iterator<Item = &'a [u8]> + Clone,
    what: &str,
) -> Box<Error> {
    let mut expected = Vec::new();
    let mut written = Vec::new();
    for &role in roles {
        let (name, others) = match (role, table) {
            (Role::Query, _) => ("query_id", QUERY),
            (Role::Document, _) => ("doc_id", DOCUMENT),
            (Role::Label, _) => ("subtopic", LABEL),
            (_, Table::Qrels) => ("grade", GRADE),
            (_, Table::Run) => ("score", SCORE),
        };
        let plain = name.replace('_', "");
        let others: Vec<&str> = others.iter().copied().filter(|other| *other != plain).collect();
        let ranks = if role == Role::Value && table == Table::Run { " or rank" } else { "" };
        expected.push(format!("{name}{ranks} (or {})", others.join(", ")));
        written.push(name);
    }
    let expected = match expected.as_slice() {
        [one] => format!("a {what} {one}"),
        several => format!("{what}s {}", several.join(", ")),
    };
    let is_judgments = found
        .clone()
        .any(|name| matches!(role(name, Table::Qrels), Some((Role::Value, place)) if place < GRADES_ALONE));
    let is_ranked = found.clone().any(|name| matches!(role(name, table), Some((Role::Rank, _))));
    let error = Error::new(Kind::Column, listed(found, what), expected);
    if table == Table::Run && roles == [Role::Value] && is_judgments {
        return error.hint("this looks like judgments; put the judgments first, then the runs");
    }
    // The columns or fields of a golden set, whose documents are lists.
    let query = if roles.contains(&Role::Query) { "query=NAME," } else { "" };
    let golden = (table == Table::Qrels && roles.contains(&Role::Document))
        .then(|| format!("⟪columns='{query}relevant=NAME'⟫"));
    if what != "column" {
        return match golden {
            Some(golden) => {
                error.hint(format!("name the {what} with the ids of relevant documents: {golden}"))
            }
            None => error,
        };
    }
    if table == Table::Run && !roles.contains(&Role::Value) {
        // On the command line, the score or rank says that the columns are those of runs.
        written.push(if is_ranked { "rank" } else { "score" });
    }
    let named: Vec<String> =
        written.iter().map(|name| format!("{}=NAME", name.trim_end_matches("_id"))).collect();
    let s = if named.len() == 1 { "" } else { "s" };
    let golden = golden.map_or(String::new(), |golden| format!(", or with {golden} if it has lists of ids"));
    error.hint(format!("name the column{s} with ⟪columns='{}'⟫{golden}", named.join(",")))
}

/// The columns or fields of a table, for messages.
pub(super) fn listed<'a>(found: impl Iterator<Item = &'a [u8]>, what: &str) -> String {
    let mut names: Vec<String> = found.take(13).map(quoted).collect();
    if names.len() == 13 {
        names.pop();
        names.push("…".to_owned());
    }
    if names.is_empty() { format!("no {what}s") } else { format!("{what}s {}", names.join(", ")) }
}
