//! The columns of tables with a row per document, and what is said of those that are missing.

use crate::error::{Error, Kind, Result, quoted};
use crate::read::number::float;
use crate::read::trec::TableKind;
use crate::roles::{
    Cause, Field, Kinds, Meaning, Naming, Offsets, RecordPlan, RecordRows, Refusal, Role, Want, meanings,
    resolve,
};

use super::refusals::{explain, missing, number};

/// The names of a table's columns by role.
#[derive(Debug, Clone, Default)]
pub struct RowNames {
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
    pub table: TableKind,
    pub naming: &'a Naming,
    /// Each judgment needs a label.
    pub labelled: bool,
    /// Each row needs a number: no grade 1 for every document, no rank by the order of the rows.
    pub numbered: bool,
}

impl Sought<'_> {
    /// Finds the columns among those of a table, of which `shape` has the values.
    pub fn among(&self, names: &[String], mut shape: Field) -> Result<RowNames> {
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
        let RecordPlan { query, rows, value, whole, rank, subtopic: label, weight, system, offsets, .. } =
            plan;
        if let Some(Offsets { start, .. }) = offsets.as_ref().filter(|offsets| offsets.ends_with_text) {
            let refusal =
                Refusal { cause: Cause::HalfOffset(Role::Start, start.clone()), naming: Vec::new() };
            return Err(explain(&refusal, shape, self.table, "column"));
        }
        let lacks = |roles: &[Role]| missing(roles, self.table, names.iter().map(String::as_bytes), "column");
        let RecordRows::Pair { document } = rows else {
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
        Ok(RowNames { query, document, value, whole, rank, label, weight, system, offsets })
    }
}

/// Whether a name is one of the columns of judgments, or of runs.
pub(super) fn is_known(name: &[u8], table: TableKind) -> bool {
    let [no, neither] = match table {
        TableKind::Qrels => [Role::Score, Role::System],
        TableKind::Run => [Role::Grade, Role::Subtopic],
    };
    std::str::from_utf8(name).is_ok_and(|name| {
        meanings(name).iter().any(|meaning| match meaning {
            Meaning::Role(role, _) => *role != no && *role != neither,
            Meaning::List(_) | Meaning::Either => true,
            _ => false,
        })
    })
}

pub(super) fn want(table: TableKind) -> Want {
    if table == TableKind::Qrels { Want::Judgments } else { Want::Run }
}

/// The number of cells that are names of columns. One letter is rather an id.
pub(super) fn known_names(cells: &[&[u8]]) -> usize {
    let names = cells.iter().map(|cell| untyped(cell)).filter(|cell| cell.len() > 1);
    let known = names.filter(|name| {
        let meant = meanings(&String::from_utf8_lossy(name));
        meant.iter().any(|meaning| matches!(meaning, Meaning::Role(..) | Meaning::List(_) | Meaning::Either))
    });
    known.count()
}

/// Whether a first line names columns. Two names that are known, or one among cells that are all
/// not numbers: a query may be called "topic" and a document "rank", but hardly both in one row.
pub(super) fn is_header(cells: &[&[u8]]) -> bool {
    let known = known_names(cells);
    let number = cells.iter().any(|cell| float(cell.trim_ascii()).is_some());
    known >= 2 || known == 1 && !number && cells.len() > 1
}

/// A name without a type, which the names in files of RecBole have: `user_id:token`.
pub(super) fn untyped(name: &[u8]) -> &[u8] {
    let name = name.trim_ascii();
    let kinds: [&[u8]; 4] = [b":token", b":token_seq", b":float", b":float_seq"];
    kinds.iter().find_map(|kind| name.strip_suffix(*kind)).unwrap_or(name)
}
