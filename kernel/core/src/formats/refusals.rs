//! Says why fields have no plan, with the `columns` that help.

use crate::error::{Error, Kind, quoted};
use crate::read::trec::TableKind;
use crate::roles::{Cause, Field, Kinds, Meaning, Refusal, Role, at_path, meanings, names_of, names_with};

/// The error of a refusal.
pub(super) fn explain(refusal: &Refusal, shape: &Field, table: TableKind, what: &str) -> Box<Error> {
    let names = || shape.members.iter().map(|field| field.name.as_bytes());
    let paths = leaves(&shape.members);
    let fields = || listed(paths.iter().map(|path| path.as_bytes()), what);
    let list = if table == TableKind::Qrels { "relevant" } else { "results" };
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
            let lacks = |role: Role| !names().any(|name| has_role(name, role));
            let number = number(table);
            let mut lacking = vec![match role {
                Role::Query | Role::Subtopic => *role,
                _ => Role::Document,
            }];
            if what == "column" && *role == Role::Query && lacks(Role::Document) {
                lacking.push(Role::Document);
            }
            if what == "column" && *role != Role::Subtopic && shape.members.len() > 2 && lacks(number) && lacks(Role::Rank) {
                lacking.push(number);
            }
            let error = missing(&lacking, table, if what == "column" { names().collect() } else { paths.iter().map(|path| path.as_bytes()).collect::<Vec<_>>() }.into_iter(), what);
            let is_number = |field: &&Field| field.kinds.has(Kinds::NUMBER) && meanings(&field.name).is_empty();
            let is_wide = what == "column"
                && *role == Role::Document
                && shape.members.iter().filter(is_number).count() > 1;
            match shape.members.iter().find(|field| has_role(field.name.as_bytes(), Role::Query)) {
                Some(query) if is_wide => {
                    let hint = format!("{}; {}", error.hint, wide(&query.name, table));
                    error.hint(hint)
                }
                _ => error,
            }
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
                TableKind::Qrels => ("what a system returned", "judgments"),
                TableKind::Run => ("relevant documents", "what a system returned"),
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
            .hint(match several.as_slice() {
                [_] => format!("{} uses it, ⟪columns='-={first}'⟫ ignores it", said()),
                several => {
                    let all: Vec<String> = several.iter().map(|name| format!("-={name}")).collect();
                    format!("{} uses {first}, ⟪columns='{}'⟫ ignores all", said(), all.join(","))
                }
            })
        }
        Cause::Shared(name) => new(
            format!("{} is one value for a list of documents", quoted(name.as_bytes())),
            "a grade of each",
        )
        .hint(format!("if it is the grade of all: {}; ⟪columns='-={name}'⟫ ignores it", said())),
        Cause::Reserved(name) => Error::statement(
            Kind::Column,
            format!("the {what} {} has no meaning yet", quoted(name.as_bytes())),
        )
        .hint(format!("⟪columns='-={name}'⟫ ignores it")),
        Cause::IsRun => new(fields(), "grades").hint(
            "this looks like a run; put the judgments first, then the runs; ⟪columns='-=NAME'⟫ ignores a score \
             or rank",
        ),
        Cause::IsJudgments(name) => {
            let error = missing(&[Role::Score], table, names(), what);
            let hint = format!("{}; if {} has scores: ⟪columns='score={name}'⟫", error.hint, quoted(name.as_bytes()));
            error.hint(hint)
        }
        Cause::Distance(name) => new(
            format!("{} is smaller for better documents", quoted(name.as_bytes())),
            "scores, which are larger for better documents",
        )
        .hint(format!("if the documents are in their order, ⟪columns='-={name}'⟫ ignores it; else subtract it from a constant")),
        Cause::NoMember(list, names) => {
            let members = at_path(&shape.members, list).map_or_else(|| names.clone(), |field| leaves(&field.members));
            new(
                format!("{} has objects with {}", quoted(list.as_bytes()), quoted_names(&members)),
                "an id in each (id, doc_id, …)",
            )
            .hint(format!("name it: ⟪columns='{list_word}={list},doc={list}[].NAME'⟫", list_word = word(Role::List)))
        }
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
            let score = if table == TableKind::Run { ",score=NAME" } else { "" };
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
            let is_text = at_path(&shape.members, name).is_some_and(|field| field.kinds.has(Kinds::SENTENCES));
            let error = new(format!("field {} has text", quoted(name.as_bytes())), "ids of documents");
            if is_quote {
                return error.hint("`gainful locate` finds the places of quotes in the texts of documents");
            }
            let others = if is_text { "NAME" } else { name };
            error.hint(format!(
                "put the ids of the relevant documents in a field 'relevant' or 'expected_ids'; if a {what} has ids: \
                 ⟪columns='doc={others}'⟫"
            ))
        }
    }
}

/// The paths of fields that are no objects.
fn leaves(fields: &[Field]) -> Vec<String> {
    let mut paths = Vec::new();
    for field in fields {
        if field.kinds.has(Kinds::OBJECT) && !field.members.is_empty() {
            paths.extend(leaves(&field.members).into_iter().map(|path| format!("{}.{path}", field.name)));
        } else {
            paths.push(field.name.clone());
        }
    }
    paths
}

/// What to type for a table with a column per document or per system.
fn wide(query: &str, table: TableKind) -> String {
    let value = if table == TableKind::Qrels { "grade" } else { "score" };
    format!(
        "if each of the other columns is a document, write rows with pandas: pd.read_csv(FILE).melt('{query}', \
         var_name='doc', value_name='{value}').dropna().to_csv(OTHER, index=False); if each is a measure or a \
         system, `gainful evaluate FILE` reads values per query"
    )
}

/// The role of the numbers of a table.
pub(super) fn number(table: TableKind) -> Role {
    if table == TableKind::Qrels { Role::Grade } else { Role::Score }
}

/// Whether a name has a role, among others.
pub(super) fn has_role(name: &[u8], role: Role) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| {
        meanings(name).iter().any(|meaning| matches!(meaning, Meaning::Role(other, _) if *other == role))
    })
}

/// The most other names of a column in a message.
const NAMED: usize = 6;

/// The error for a table without required columns.
pub(super) fn missing<'a>(
    roles: &[Role],
    table: TableKind,
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
        let mut others: Vec<&str> = names_of(name).filter(|other| *other != name).collect();
        if others.len() > NAMED {
            others.truncate(NAMED);
            others.push("...");
        }
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
    let list = if table == TableKind::Qrels { "relevant" } else { "results" };
    let listed = match roles {
        [Role::Subtopic] => "⟪columns='subtopic=NAME'⟫".to_owned(),
        _ => format!("⟪columns='{query}{list}=NAME'⟫"),
    };
    if what != "column" {
        return error.hint(format!("name the {what}s, whose paths are written with dots: {listed}"));
    }
    let golden = roles.contains(&Role::Document).then_some(listed);
    if table == TableKind::Run && !roles.contains(&Role::Score) {
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
fn listed<'a>(found: impl Iterator<Item = &'a [u8]>, what: &str) -> String {
    let mut names: Vec<String> = found.take(13).map(quoted).collect();
    if names.len() == 13 {
        names.pop();
        names.push("…".to_owned());
    }
    if names.is_empty() { format!("no {what}s") } else { format!("{what}s {}", names.join(", ")) }
}
