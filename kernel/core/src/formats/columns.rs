//! The columns of tables with a row per document, and what is said of those that are missing.

use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::Table;
use crate::roles::{
    Cause, Field, Kinds, Meaning, Naming, Offsets, Plan, Refusal, Role, Rows, meanings, names_of, resolve,
};

use super::objects::want;
use super::refusals::explain;

/// The names of a table's columns by role.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub query: String,
    pub document: String,
    /// The grade of a judgment, the score of a run.
    pub value: Option<String>,
    /// The name of the grades is one of scores: they are grades only if all are whole.
    pub whole: bool,
    pub rank: Option<String>,
    pub label: Option<String>,
    /// The weight of the label.
    pub weight: Option<String>,
    pub system: Option<String>,
    pub offsets: Option<Offsets>,
}

/// A table of which the columns are sought.
pub struct Sought<'a> {
    pub table: Table,
    pub naming: &'a Naming,
    /// Each judgment needs a label.
    pub labelled: bool,
    /// Each row needs a number: no grade 1 for every document, no rank by the order of the rows.
    pub numbered: bool,
}

impl Sought<'_> {
    /// Finds the columns among those of a table, of which `shape` has the values.
    pub fn among(&self, names: &[String], mut shape: Field) -> Result<Names> {
        for field in &mut shape.members {
            let has_role =
                || meanings(&field.name).iter().any(|meaning| matches!(meaning, Meaning::Role(..)));
            if !field.kinds.has(Kinds::SCALAR) && has_role() {
                // The reader says what is wrong with the values.
                field.kinds = Kinds::NULL;
            }
        }
        let shape = &shape;
        let plan = resolve(&shape.members, want(self.table), self.naming)
            .map_err(|refusal| explain(&refusal, shape, self.table, "column"))?;
        let Plan { query, rows, value, whole, rank, subtopic: label, weight, system, offsets, .. } = plan;
        if let Some(Offsets { start, .. }) = offsets.as_ref().filter(|offsets| offsets.ends_with_text) {
            let refusal =
                Refusal { cause: Cause::HalfOffset(Role::Start, start.clone()), naming: Vec::new() };
            return Err(explain(&refusal, shape, self.table, "column"));
        }
        let lacks = |roles: &[Role]| missing(roles, self.table, names.iter().map(String::as_bytes), "column");
        let Rows::Pair { document } = rows else {
            return Err(lacks(&[Role::Document]));
        };
        if self.numbered && value.is_none() && rank.is_none() {
            return Err(lacks(&[number(self.table)]));
        }
        if self.labelled && label.is_none() {
            return Err(lacks(&[Role::Subtopic]));
        }
        let used = [Some(&query), Some(&document), value.as_ref(), label.as_ref().filter(|_| self.labelled)];
        let places = offsets.iter().flat_map(|offsets| [Some(&offsets.start), Some(&offsets.end)]);
        let twice = |name: &&String| names.iter().filter(|other| other == name).count() > 1;
        if let Some(name) = used.into_iter().chain(places).flatten().find(twice) {
            let found = format!("several columns are named {}", quoted(name.as_bytes()));
            return Err(Error::statement(Kind::Column, found).hint("remove or rename all but one"));
        }
        Ok(Names { query, document, value, whole, rank, label, weight, system, offsets })
    }
}

/// The role of the numbers of a table.
pub(super) fn number(table: Table) -> Role {
    if table == Table::Qrels { Role::Grade } else { Role::Score }
}

/// Whether a name has a role, among others.
pub(super) fn has_role(name: &[u8], role: Role) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| {
        meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(other, _) if *other == role))
    })
}

/// Whether a name is one of the columns of judgments, or of runs.
pub(super) fn is_known(name: &[u8], table: Table) -> bool {
    let [no, neither] = match table {
        Table::Qrels => [Role::Score, Role::System],
        Table::Run => [Role::Grade, Role::Subtopic],
    };
    std::str::from_utf8(name).is_ok_and(|name| {
        meanings(name).iter().any(|meaning| match meaning {
            Meaning::Role(role, _) => *role != no && *role != neither,
            Meaning::List(_) | Meaning::Either => true,
            _ => false,
        })
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
        let name = match role {
            Role::Query => "query_id",
            Role::Document | Role::List => "doc_id",
            Role::Subtopic => "subtopic",
            Role::Weight => "weight",
            Role::Start => "start",
            Role::End => "end",
            Role::Tokens => "tokens",
            Role::Rank => "rank",
            Role::System => "system",
            Role::Grade => "grade",
            Role::Score => "score",
        };
        let others: Vec<&str> = names_of(name).filter(|other| *other != name).collect();
        let ranks = if role == Role::Score { " or rank" } else { "" };
        expected.push(format!("{name}{ranks} (or {})", others.join(", ")));
        written.push(name);
    }
    let expected = match expected.as_slice() {
        [one] => format!("a {what} {one}"),
        several => format!("{what}s {}", several.join(", ")),
    };
    let is_grade = |name: &[u8]| {
        std::str::from_utf8(name).is_ok_and(|name| meanings(name).contains(&Meaning::Role(Role::Grade, 0)))
    };
    let is_judgments = found.clone().any(is_grade);
    let is_ranked = found.clone().any(|name| has_role(name, Role::Rank));
    let error = Error::new(Kind::Column, listed(found, what), expected);
    if roles == [Role::Score] && is_judgments {
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
    if table == Table::Run && !roles.contains(&Role::Score) {
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
