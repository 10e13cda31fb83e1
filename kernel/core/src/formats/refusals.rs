//! Says why fields have no plan, with the `columns` that help.

use super::columns;
use crate::error::{Error, Kind, quoted};
use crate::read::trec::Table;
use crate::roles::{Cause, Field, Refusal, Role, names_with};

/// The error of a refusal.
pub(super) fn explain(refusal: &Refusal, shape: &Field, table: Table, what: &str) -> Box<Error> {
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
        Role::Weight => "weight",
        Role::Start => "start",
        Role::End => "end",
        Role::Tokens => "tokens",
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
        Cause::Missing(Role::List) => {
            let expected = format!("a {what} {list} or of another known name");
            new(fields(), &expected).hint(format!("name it: {}", said()))
        }
        Cause::Missing(role) => {
            let lacks = |role: Role| !names().any(|name| columns::has_role(name, role));
            let number = columns::number(table);
            let mut missing = vec![if *role == Role::Query { Role::Query } else { Role::Document }];
            if what == "column" && *role == Role::Query && lacks(Role::Document) {
                missing.push(Role::Document);
            }
            if what == "column" && shape.members.len() > 2 && lacks(number) && lacks(Role::Rank) {
                missing.push(number);
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
        Cause::IsRun => new(fields(), "grades").hint(
            "this looks like a run; put the judgments first, then the runs; ⟪columns='-=NAME'⟫ ignores a score \
             or rank",
        ),
        Cause::IsJudgments(_) => columns::missing(&[Role::Score], table, names(), what),
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
        Cause::HalfOffset(role, name) => {
            let other = if *role == Role::Start { Role::End } else { Role::Start };
            let (role, other) = (word(*role), word(other));
            let found = format!("the {role} of a text in the {what} {}", quoted(name.as_bytes()));
            // On the command line, the score says that the columns are those of runs.
            let score = if table == Table::Run { ",score=NAME" } else { "" };
            new(found, &format!("its {other}, too")).hint(format!(
                "⟪columns='{role}={name},{other}=NAME{score}'⟫ names both, ⟪ignore_offsets=True⟫ ignores it"
            ))
        }
        Cause::Counting(start, end) => new(
            format!("{} and {} count differently", quoted(start.as_bytes()), quoted(end.as_bytes())),
            "start and end (characters), start_token and end_token, start_line and end_line (lines from 0, without \
             the last), or first_line and last_line (lines from 1, with the last)",
        ),
        Cause::OffsetsOfChunk(name) => new(
            format!("offsets next to {}, the id of a chunk", quoted(name.as_bytes())),
            "the id of its document, in which offsets are positions",
        )
        .hint(format!(
            "name it: ⟪columns='doc=NAME'⟫; if {} has documents: ⟪columns='doc={name}'⟫; ⟪ignore_offsets=True⟫ reads chunks",
            quoted(name.as_bytes())
        )),
        Cause::Texts(name) => {
            let is_quote = !names_with(&[name.as_str()], "quote").is_empty();
            new(format!("field {} has text", quoted(name.as_bytes())), "ids of documents").hint(if is_quote {
                "`gainful locate` finds the places of quotes in the texts of documents"
            } else {
                "put the ids of the relevant documents in a field 'relevant' or 'expected_ids'"
            })
        }
    }
}
