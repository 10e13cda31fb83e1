//! What the fields of a table mean. Every source shows its shape here and reads with the plan that comes back.

mod names;
mod shape;
mod value;

pub(crate) use names::OWN_ID;
pub use names::{
    DOCUMENT_ID, Meaning, Role, Side, is_example, is_part, meanings, names_of, names_with, plain,
};
pub use shape::{Field, Kinds};
pub use value::{Any, Value};

use crate::spans::Counting;
use names::{
    CHUNK, OWN_PLACE, WHOLE, is_description, is_hit_id, is_irrelevant, is_negative, is_relevance,
    tier_of_place,
};

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Judgments,
    Run,
}

impl Want {
    fn list(self) -> Side {
        match self {
            Self::Judgments => Side::Gold,
            Self::Run => Side::Returned,
        }
    }

    fn value(self) -> Role {
        match self {
            Self::Judgments => Role::Grade,
            Self::Run => Role::Score,
        }
    }
}

/// What a caller says about the fields: it wins over every name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Naming {
    /// Roles and the paths of their fields, such as `hits[].id`.
    pub roles: Vec<(Role, String)>,
    /// Fields that have no meaning.
    pub ignored: Vec<String>,
    /// Whether offsets have no meaning.
    pub ignores_offsets: bool,
    /// The tiers of the words for starts and ends.
    pub counted: Vec<u8>,
}

impl Naming {
    /// The field that the caller names for a role.
    #[must_use]
    pub fn path(&self, role: Role) -> Option<&str> {
        self.roles.iter().find(|(named, _)| *named == role).map(|(_, path)| path.as_str())
    }
}

impl Naming {
    #[must_use]
    pub fn names(&self, role: Role) -> bool {
        self.path(role).is_some()
    }

    /// The naming of pairs of a role's word and a field; the word `-` is for fields without a meaning.
    #[must_use]
    pub fn of(pairs: &[(String, String)]) -> Self {
        let mut naming = Self::default();
        for (word, field) in pairs {
            let named = if word.starts_with('-') { Vec::new() } else { meanings(word) };
            let offset = named.into_iter().find_map(|meaning| match meaning {
                Meaning::Role(role @ (Role::Start | Role::End), tier) => Some((role, tier)),
                _ => None,
            });
            if let Some((role, tier)) = offset {
                naming.roles.push((role, field.clone()));
                naming.counted.push(tier);
                continue;
            }
            let role = match word.as_str() {
                "query_id" => Role::Query,
                "doc_id" => Role::Document,
                "grade" => Role::Grade,
                "score" => Role::Score,
                "rank" => Role::Rank,
                "subtopic" => Role::Subtopic,
                "weight" => Role::Weight,
                "tokens" => Role::Tokens,
                "system" => Role::System,
                "relevant" | "results" => Role::List,
                word if word.starts_with('-') => {
                    naming.ignored.push(field.clone());
                    continue;
                }
                _ => continue,
            };
            naming.roles.push((role, field.clone()));
        }
        naming
    }
}

/// How the documents of a record are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordRows {
    /// One document per record.
    Pair { document: String },
    /// A list of documents per record.
    List { path: String, form: Form },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    Ids,
    /// Ids with numbers: `[["d1", 2]]` or `{"d1": 2}`.
    Pairs,
    /// Groups of documents that answer the same need: `[["d1", "d2"], ["d3"]]`.
    Groups,
    /// Objects with their id in this member.
    Objects {
        member: String,
    },
}

/// The fields with the place of a document's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offsets {
    pub start: String,
    pub end: String,
    /// The end is a text of which the place follows from its length.
    pub ends_with_text: bool,
    pub tokens: Option<String>,
    pub counting: Counting,
}

/// How records become rows. Paths of members are relative to the objects of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPlan {
    pub query: String,
    /// Of lists: the text that is the id of a query without one.
    pub question: Option<String>,
    pub rows: RecordRows,
    /// Next to a list of relevant documents, that of those with the grade 0.
    pub irrelevant: Option<String>,
    pub value: Option<String>,
    /// The name of the grades is one of scores: they are grades only if all are whole.
    pub whole: bool,
    /// The value is that of the record, for all documents of its list.
    pub shared: bool,
    pub rank: Option<String>,
    pub system: Option<String>,
    /// Of the record, or of the objects of its list.
    pub subtopic: Option<String>,
    pub weight: Option<String>,
    pub offsets: Option<Offsets>,
}

/// The numbers of an object.
#[derive(Default)]
struct NumberNames {
    value: Option<String>,
    whole: bool,
    shared: bool,
    rank: Option<String>,
}

/// Why fields have no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The caller names a field that is not there.
    NoSuchField(String),
    /// No field has the role.
    Missing(Role),
    /// Several fields could have the role.
    Several(Role, Vec<String>),
    /// Only the other side's list is there.
    OtherSide(String),
    /// A number or a truth value could be the value, so that no default is used.
    Unexplained(Role, Vec<String>),
    /// One number for a list of documents.
    Shared(String),
    /// A field has a meaning that is not read.
    Reserved(String),
    /// Judgments that have a score and a rank.
    IsRun,
    /// A run with grades and nothing else.
    IsJudgments(String),
    /// The smaller the better.
    Distance(String),
    /// The objects of the list have no id.
    NoMember(String, Vec<String>),
    /// The list's name, and that of a value that is not in its objects.
    Outside(String, String),
    /// Documents are only there as texts.
    Texts(String),
    /// A start without an end, or the reverse.
    HalfOffset(Role, String),
    /// The start and the end count differently.
    Counting(String, String),
    /// Offsets in the document of a chunk, of which only the chunk has an id.
    OffsetsOfChunk(String),
}

/// A refusal, with what a caller can write: roles and fields, the first of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub cause: Cause,
    pub naming: Vec<(Role, String)>,
}

type Resolved<T> = std::result::Result<T, Refusal>;

/// Finds the plan of a table.
pub fn resolve(fields: &[Field], want: Want, naming: &Naming) -> Resolved<RecordPlan> {
    Resolving::new(fields, want, naming)?.plan()
}

struct Resolving<'a> {
    fields: &'a [Field],
    want: Want,
    naming: &'a Naming,
    /// Fields with a role.
    taken: Vec<String>,
}

/// The field of a path, of which `[]` says that it goes through a list. Names may have dots.
pub(crate) fn at_path<'a>(fields: &'a [Field], path: &str) -> Option<&'a Field> {
    let field = |name: &str| fields.iter().find(|field| field.name == name.trim_end_matches("[]"));
    let ends = path.match_indices('.').map(|(end, _)| end);
    field(path).or_else(|| {
        ends.rev().find_map(|end| at_path(&field(path.get(..end)?)?.members, path.get(end + 1..)?))
    })
}

/// Whether the values of a field are single ones; a field that is always null comes after those that are not.
fn is_scalar(field: &Field) -> bool {
    field.kinds.has(Kinds::SCALAR) || field.kinds.only(Kinds::NULL)
}

fn refuse<T>(cause: Cause, naming: Vec<(Role, String)>) -> Resolved<T> {
    Err(Refusal { cause, naming })
}

impl<'a> Resolving<'a> {
    fn new(fields: &'a [Field], want: Want, naming: &'a Naming) -> Resolved<Self> {
        let mut taken = Vec::new();
        let named = naming.roles.iter().map(|(_, path)| path).chain(&naming.ignored);
        for path in named {
            if at_path(fields, path).is_none() {
                return refuse(Cause::NoSuchField(path.clone()), Vec::new());
            }
            taken.push(path.replace("[]", ""));
        }
        Ok(Self { fields, want, naming, taken })
    }

    /// The field that the caller names for a role, else the one whose name is best.
    fn best(
        &mut self,
        role: Role,
        fields: &[Field],
        inside: &str,
        fits: impl Fn(&Field) -> bool,
    ) -> Resolved<Option<String>> {
        self.best_by(role, fields, inside, |field| tier_of(role, &field.name).filter(|_| fits(field)))
    }

    /// As `best`, with the tiers of names.
    fn best_by(
        &mut self,
        role: Role,
        fields: &[Field],
        inside: &str,
        tier: impl Fn(&Field) -> Option<u8>,
    ) -> Resolved<Option<String>> {
        if let Some(path) = self.naming.path(role) {
            return Ok(Some(path.to_owned()));
        }
        let mut named: Vec<((bool, u8, bool), &str)> = Vec::new();
        for field in fields.iter().filter(|field| !self.is_taken(field, inside)) {
            let order = |tier| (field.kinds.only(Kinds::NULL), tier, field.name.contains('.'));
            named.extend(tier(field).map(|tier| (order(tier), field.name.as_str())));
        }
        let Some(least) = named.iter().map(|(order, _)| *order).min() else { return Ok(None) };
        let best: Vec<String> =
            named.into_iter().filter(|(order, _)| *order == least).map(|(_, name)| name.to_owned()).collect();
        match best.as_slice() {
            [one] => {
                self.taken.push(join(inside, one).replace("[]", ""));
                Ok(Some(one.clone()))
            }
            several => {
                let several: Vec<String> = several.iter().map(|name| join(inside, name)).collect();
                let naming = several.first().map(|name| (role, name.clone())).into_iter().collect();
                refuse(Cause::Several(role, several), naming)
            }
        }
    }

    fn is_taken(&self, field: &Field, inside: &str) -> bool {
        self.taken.contains(&join(inside, &field.name).replace("[]", ""))
    }

    fn plan(mut self) -> Resolved<RecordPlan> {
        let fields = self.fields;
        let list = fields.iter().find(|field| self.is_list(field)).map(|field| field.name.clone());
        let document = match self.naming.path(Role::List) {
            Some(_) => None,
            // `id` may be that of a query or of the record.
            None => self.document(fields, "", |field| !is_own_id(&field.name))?,
        };
        if let (Some(document), Some(list)) = (&document, list) {
            let naming = vec![(Role::Document, document.clone())];
            if self.naming.path(Role::Document).is_none() {
                return refuse(Cause::Several(Role::Document, vec![document.clone(), list]), naming);
            }
        }
        let pairs = document.is_some();
        let query = self.best(Role::Query, fields, "", |field| {
            // The id of an answer is no query.
            let part = field.name.rsplit_once('.').map(|(part, _)| part);
            is_scalar(field)
                && !(is_own_id(&field.name) && (pairs || part.is_some_and(|part| !is_example(part))))
        })?;
        let Some(query) = query else {
            return refuse(Cause::Missing(Role::Query), Vec::new());
        };
        let system = match self.want {
            Want::Run => self.best(Role::System, fields, "", is_scalar)?,
            Want::Judgments => None,
        };
        let (subtopic, weight) = self.groups(fields, "")?;
        let question = match document {
            Some(_) => None,
            None => self.best(Role::Query, fields, "", is_scalar).ok().flatten(),
        };
        let mut plan = match document {
            Some(document) => self.pairs(query, document)?,
            None => self.listed(query)?,
        };
        plan.question = question.filter(|_| self.naming.path(Role::Query).is_none());
        plan.system = system;
        if plan.subtopic.is_none() {
            (plan.subtopic, plan.weight) = (subtopic, weight);
        }
        if self.want == Want::Judgments && self.naming.names(Role::Weight) && plan.weight.is_none() {
            return refuse(Cause::Missing(Role::Subtopic), Vec::new());
        }
        Ok(plan)
    }

    /// The document of a row or of an object in a list. Next to offsets it is not the chunk.
    fn document(
        &mut self,
        fields: &[Field],
        inside: &str,
        fits: impl Fn(&Field) -> bool,
    ) -> Resolved<Option<String>> {
        if self.naming.names(Role::Document) || !matches!(self.offsets(fields, inside), Ok(Some(_))) {
            return self.best(Role::Document, fields, inside, |field| is_scalar(field) && fits(field));
        }
        // Next to an id, a document of several words may be a text.
        let tier = |field: &Field| {
            let tier = tier_of_place(&field.name).filter(|_| is_scalar(field) && fits(field))?;
            Some(if tier == WHOLE && field.kinds.has(Kinds::SENTENCES) { OWN_PLACE } else { tier })
        };
        let document = self.best_by(Role::Document, fields, inside, tier)?;
        match document {
            Some(chunk) if tier_of_place(&chunk) == Some(CHUNK) => {
                refuse(Cause::OffsetsOfChunk(join(inside, &chunk)), Vec::new())
            }
            document => Ok(document),
        }
    }

    /// The subtopic of a judgment and its weight.
    fn groups(&mut self, fields: &[Field], inside: &str) -> Resolved<(Option<String>, Option<String>)> {
        if self.want == Want::Run {
            return Ok((None, None));
        }
        let subtopic = self.best(Role::Subtopic, fields, inside, is_scalar)?;
        // An iteration is in every TREC file.
        let may_weigh =
            |name: &String| self.naming.names(Role::Weight) || tier_of(Role::Subtopic, name) != Some(3);
        let weight = match subtopic.as_ref().is_some_and(may_weigh) {
            true => self.best(Role::Weight, fields, inside, is_scalar)?,
            false => None,
        };
        Ok((subtopic, weight))
    }

    /// The fields with the place of a text in its document.
    fn offsets(&self, fields: &[Field], inside: &str) -> Resolved<Option<Offsets>> {
        if self.naming.ignores_offsets {
            return Ok(None);
        }
        let of_tier = |role: Role, tier: u8, with_null: bool| {
            let is_named = |field: &&Field| {
                tier_of(role, &field.name) == Some(tier)
                    && (is_scalar(field) || field.kinds == Kinds::default())
                    && (with_null || field.kinds == Kinds::default() || !field.kinds.only(Kinds::NULL))
                    && !self.is_taken(field, inside)
            };
            fields.iter().filter(is_named).map(|field| field.name.clone()).collect::<Vec<_>>()
        };
        let one = |role: Role, mut names: Vec<String>| match names.len() {
            0 | 1 => Ok(names.pop()),
            _ => {
                let paths: Vec<String> = names.iter().map(|name| join(inside, name)).collect();
                let naming = names.first().map(|name| (role, name.clone())).into_iter().collect();
                refuse(Cause::Several(role, paths), naming)
            }
        };
        let named = [Role::Start, Role::End].map(|role| self.naming.path(role).map(str::to_owned));
        let mut ends_with_text = false;
        let (ends, tier) = if named.iter().any(Option::is_some) {
            let paths = || named.iter().flatten();
            let own = paths().map(|path| {
                let name = path.rsplit('.').next().unwrap_or(path);
                tier_of(Role::Start, name).or(tier_of(Role::End, name)).unwrap_or(0)
            });
            let tiers: Vec<u8> = self
                .naming
                .counted
                .iter()
                .zip(own)
                .map(|(&word, own)| if word > 0 { word } else { own })
                .collect();
            let tier = tiers.first().copied().unwrap_or(0);
            if tiers.iter().any(|other| *other != tier) {
                let path = |place: usize| paths().nth(place).cloned().unwrap_or_default();
                return refuse(Cause::Counting(path(0), path(1)), Vec::new());
            }
            let [start, end] = named;
            let other = |role, path: Option<String>| match path {
                Some(path) => Ok(Some(path)),
                None => one(role, of_tier(role, tier, true)),
            };
            ([other(Role::Start, start)?, other(Role::End, end)?], tier)
        } else {
            let pairs =
                [false, true].into_iter().flat_map(|with_null| (0..4).map(move |tier| (tier, with_null)));
            let pair = |(tier, with_null)| {
                let ends = [Role::Start, Role::End].map(|role| of_tier(role, tier, with_null));
                let [start, end] = &ends;
                (!start.is_empty() && !end.is_empty()).then_some((ends, tier))
            };
            let lone = || {
                let half = |role| {
                    (0..4)
                        .flat_map(move |tier| of_tier(role, tier, false))
                        .map(move |name| (role, name))
                        .next()
                };
                half(Role::Start).or_else(|| half(Role::End))
            };
            match pairs.clone().find_map(pair) {
                Some(([start, end], tier)) => ([one(Role::Start, start)?, one(Role::End, end)?], tier),
                None => match lone() {
                    Some((role, name)) => {
                        let is_start = role == Role::Start && tier_of(role, &name) == Some(0);
                        let is_text = |field: &&Field| {
                            names::is_chunk_text(&field.name, inside) && field.kinds.only(Kinds::TEXT)
                        };
                        let Some(text) = fields.iter().find(is_text).filter(|_| is_start) else {
                            return refuse(Cause::HalfOffset(role, join(inside, &name)), Vec::new());
                        };
                        ends_with_text = true;
                        ([Some(name), Some(text.name.clone())], 0)
                    }
                    None => return Ok(None),
                },
            }
        };
        match ends {
            [Some(start), Some(end)] => {
                let tokens = match (self.want, self.naming.path(Role::Tokens)) {
                    (Want::Judgments, _) => None,
                    (Want::Run, Some(path)) => Some(path.to_owned()),
                    (Want::Run, None) => one(Role::Tokens, of_tier(Role::Tokens, 0, true))?,
                };
                Ok(Some(Offsets { start, end, ends_with_text, tokens, counting: Counting::of_tier(tier) }))
            }
            [Some(start), None] => refuse(Cause::HalfOffset(Role::Start, start), Vec::new()),
            [_, end] => refuse(Cause::HalfOffset(Role::End, end.unwrap_or_default()), Vec::new()),
        }
    }

    /// Takes the fields of offsets.
    fn take_offsets(&mut self, fields: &[Field], inside: &str) -> Resolved<Option<Offsets>> {
        let offsets = self.offsets(fields, inside)?;
        if let Some(Offsets { start, end, tokens, .. }) = &offsets {
            let names = [Some(start), Some(end), tokens.as_ref()].into_iter().flatten();
            self.taken.extend(names.map(|name| join(inside, name).replace("[]", "")));
        }
        Ok(offsets)
    }

    /// Whether a field has the documents of queries, by its name and its values.
    fn is_list(&self, field: &Field) -> bool {
        let sides = [Meaning::List(self.want.list()), Meaning::List(Side::Neutral)];
        field.kinds.has(Kinds::ANY_LIST.with(Kinds::OBJECT))
            && !field.kinds.only(Kinds::EMPTY)
            && meanings(&field.name).iter().any(|meaning| sides.contains(meaning))
            && !self.is_taken(field, "")
    }

    /// One row per pair.
    fn pairs(&mut self, query: String, document: String) -> Resolved<RecordPlan> {
        let fields = self.fields;
        let offsets = self.take_offsets(fields, "")?;
        let NumberNames { value, whole, shared, rank } = self.numbers(fields, "")?;
        Ok(RecordPlan {
            query,
            question: None,
            rows: RecordRows::Pair { document },
            irrelevant: None,
            value,
            whole,
            shared,
            rank,
            system: None,
            subtopic: None,
            weight: None,
            offsets,
        })
    }

    /// The value and the rank among the fields of one object.
    fn numbers(&mut self, fields: &[Field], inside: &str) -> Resolved<NumberNames> {
        let is_name = |role: Role, tier: Option<u8>, field: &Field| {
            meanings(&field.name).iter().any(|meaning| {
                matches!(meaning, Meaning::Role(other, place) if *other == role && tier.is_none_or(|tier| *place == tier))
            })
        };
        // Labels of a row may be words; objects of a list have texts of many names.
        let words = if inside.is_empty() { Kinds::SCALAR } else { Kinds::NUMBER.with(Kinds::BOOL) };
        match self.want {
            Want::Judgments => {
                let named = self.naming.path(Role::Grade).is_some();
                let ranked = fields.iter().any(|field| is_name(Role::Rank, None, field));
                let scores = |field: &Field| is_name(Role::Score, None, field);
                let has_grade = named
                    || fields.iter().any(|field| is_name(Role::Grade, Some(0), field) && is_scalar(field));
                if !has_grade && ranked && fields.iter().any(scores) {
                    return refuse(Cause::IsRun, Vec::new());
                }
                // BEIR's judgments have scores.
                let is_beir = fields.iter().any(|field| plain(&field.name) == "corpusid");
                // A list of positive documents has the scores of a retriever.
                let listed = inside.rsplit('.').next().unwrap_or(inside);
                let is_positive = plain(listed).starts_with("positive");
                let value = self.best(Role::Grade, fields, inside, |field| {
                    is_scalar(field) && (has_grade || is_beir || field.whole && !is_positive)
                })?;
                if let Some(reserved) = self.reserved(fields, inside) {
                    return refuse(Cause::Reserved(join(inside, &reserved)), Vec::new());
                }
                if value.is_none() {
                    self.refuse_unexplained(fields, inside, words)?;
                    self.refuse_run(fields, inside)?;
                }
                let whole = value.is_some() && !has_grade && !is_beir;
                Ok(NumberNames { value, whole, ..NumberNames::default() })
            }
            Want::Run => {
                let rank = self.best(Role::Rank, fields, inside, is_scalar)?;
                let mut value = self.best(Role::Score, fields, inside, is_scalar)?;
                if value.is_none() && rank.is_none() && !inside.is_empty() {
                    // Of search engines; labels are whole.
                    let score =
                        |field: &Field| (!field.whole && plain(&field.name) == "relevance").then_some(0);
                    value = self.best_by(Role::Score, fields, inside, score)?;
                }
                if value.is_none() && rank.is_none() {
                    let distance =
                        fields.iter().find(|field| meanings(&field.name).contains(&Meaning::Distance));
                    if let Some(distance) = distance.filter(|field| !self.is_taken(field, inside)) {
                        return refuse(Cause::Distance(join(inside, &distance.name)), Vec::new());
                    }
                    let grade = fields.iter().find(|field| is_name(Role::Grade, Some(0), field));
                    if let Some(grade) = grade.filter(|field| !self.is_taken(field, inside)) {
                        return refuse(Cause::IsJudgments(join(inside, &grade.name)), Vec::new());
                    }
                    self.refuse_unexplained(fields, inside, words)?;
                }
                Ok(NumberNames { value, rank, ..NumberNames::default() })
            }
        }
    }

    fn reserved(&self, fields: &[Field], inside: &str) -> Option<String> {
        let reserved = fields.iter().find(|field| {
            !self.is_taken(field, inside) && meanings(&field.name).contains(&Meaning::Reserved)
        });
        reserved.map(|field| field.name.clone())
    }

    /// A row with the score or the rank of a document is that of a run, which has no grades.
    fn refuse_run(&self, fields: &[Field], inside: &str) -> Resolved<()> {
        let is_of_run = |field: &&Field| {
            let of_run = |meaning: &Meaning| {
                matches!(meaning, Meaning::Role(Role::Score | Role::Rank, _) | Meaning::Distance)
            };
            is_scalar(field) && !self.is_taken(field, inside) && meanings(&field.name).iter().any(of_run)
        };
        match fields.iter().find(is_of_run) {
            Some(_) if inside.is_empty() => refuse(Cause::IsRun, Vec::new()),
            _ => Ok(()),
        }
    }

    /// A default is used only if no number and no truth value of the object remains unexplained.
    fn refuse_unexplained(&self, fields: &[Field], inside: &str, words: Kinds) -> Resolved<()> {
        let mut unexplained: Vec<&Field> = fields
            .iter()
            .filter(|field| !self.is_taken(field, inside))
            .filter(|field| !is_description(&field.name))
            .filter(|field| field.kinds.has(words) || inside.is_empty() && field.kinds == Kinds::default())
            .filter(|field| {
                let named = meanings(&field.name);
                named
                    .iter()
                    .any(|meaning| matches!(meaning, Meaning::Role(role, _) if *role == self.want.value()))
                    || !named.iter().any(|meaning| {
                        matches!(
                            meaning,
                            Meaning::Describes | Meaning::Text | Meaning::Either | Meaning::Role(..)
                        ) && !matches!(meaning, Meaning::Role(Role::Weight, _))
                    })
            })
            .collect();
        // A number is more likely to be the value than a word.
        unexplained.sort_by_key(|field| !field.kinds.has(Kinds::NUMBER.with(Kinds::BOOL)));
        let unexplained: Vec<String> =
            unexplained.into_iter().map(|field| join(inside, &field.name)).collect();
        match unexplained.first() {
            None => Ok(()),
            Some(first) => {
                let naming = vec![(self.want.value(), first.clone())];
                refuse(Cause::Unexplained(self.want.value(), unexplained), naming)
            }
        }
    }

    /// One record per query.
    fn listed(&mut self, query: String) -> Resolved<RecordPlan> {
        let path = self.list(&query)?;
        self.taken.push(path.clone());
        let Some(field) = at_path(self.fields, &path) else {
            return refuse(Cause::NoSuchField(path), Vec::new());
        };
        let irrelevant = self.irrelevant(field);
        let plan = |form: Form, numbers: NumberNames| RecordPlan {
            query: query.clone(),
            question: None,
            rows: RecordRows::List { path: path.clone(), form },
            irrelevant: irrelevant.clone(),
            value: numbers.value,
            whole: numbers.whole,
            shared: numbers.shared,
            rank: numbers.rank,
            system: None,
            subtopic: None,
            weight: None,
            offsets: None,
        };
        if field.kinds.has(Kinds::OBJECTS) || !field.members.is_empty() {
            let members: &[Field] = &field.members;
            let inside = format!("{path}[]");
            let named = self.naming.path(Role::Document).map(str::to_owned);
            let member = match named {
                Some(named) => Some(relative(&named, &path)),
                None => match self.document(members, &inside, |_| true)? {
                    None => {
                        let is_id = |field: &&Field| is_hit_id(&field.name) && is_scalar(field);
                        members.iter().find(is_id).map(|field| field.name.clone())
                    }
                    member => member,
                },
            };
            let Some(member) = member else {
                let names = members.iter().map(|member| member.name.clone()).collect();
                return refuse(Cause::NoMember(path, names), Vec::new());
            };
            let offsets = self.take_offsets(members, &inside)?.map(|offsets| Offsets {
                start: relative(&offsets.start, &path),
                end: relative(&offsets.end, &path),
                tokens: offsets.tokens.map(|tokens| relative(&tokens, &path)),
                ..offsets
            });
            let (subtopic, weight) = self.groups(members, &inside)?;
            let (subtopic, weight) = (
                subtopic.map(|subtopic| relative(&subtopic, &path)),
                weight.map(|weight| relative(&weight, &path)),
            );
            let numbers = self.numbers(members, &inside)?;
            let numbers = match self.shared(&path, numbers.value.is_none())? {
                None => NumberNames { value: numbers.value.map(|value| relative(&value, &path)), ..numbers },
                value => NumberNames { value, shared: true, ..numbers },
            };
            let plan = plan(Form::Objects { member }, numbers);
            return Ok(RecordPlan { offsets, subtopic, weight, ..plan });
        }
        // One number may be an id, or the count of relevant documents next to other results.
        if field.kinds.has(Kinds::NUMBER) && !self.naming.names(Role::List) {
            self.refuse_unexplained(self.fields, "", Kinds::NUMBER)?;
        }
        let form = if field.kinds.has(Kinds::PAIRS.with(Kinds::OBJECT)) {
            Form::Pairs
        } else if field.kinds.has(Kinds::LISTS) {
            Form::Groups
        } else {
            Form::Ids
        };
        let mut value = self.parallel(&path, &form)?;
        let shared = match form {
            Form::Pairs => None,
            _ => self.shared(&path, value.is_none())?,
        };
        let is_shared = shared.is_some();
        value = shared.or(value);
        Ok(plan(form, NumberNames { value, shared: is_shared, ..NumberNames::default() }))
    }

    /// The field with documents that were judged and are not relevant, next to a list of those that are.
    fn irrelevant(&self, list: &Field) -> Option<String> {
        let kinds = Kinds::IDS.with(Kinds::OBJECTS);
        let is_alike = |field: &&Field| {
            let like_text = list.kinds.has(Kinds::TEXT) && field.kinds.has(Kinds::TEXT);
            (field.kinds.has(kinds) || like_text) && is_irrelevant(&field.name) && !self.is_taken(field, "")
        };
        let is_judged = self.want == Want::Judgments;
        self.fields.iter().filter(|_| is_judged).find(is_alike).map(|field| field.name.clone())
    }

    /// The field with one grade for all documents of a list, which the caller has to name.
    fn shared(&self, list: &str, is_ungraded: bool) -> Resolved<Option<String>> {
        if self.want == Want::Run {
            return Ok(None);
        }
        if let Some(path) = self.naming.path(Role::Grade) {
            let is_inside = path.strip_prefix(list).is_some_and(|rest| rest.starts_with(['[', '.']));
            let is_single = |field: &Field| is_scalar(field) && !field.kinds.has(Kinds::NUMBERS);
            let is_shared = !is_inside && at_path(self.fields, path).is_some_and(is_single);
            return Ok(is_shared.then(|| path.to_owned()));
        }
        let is_grade = |field: &&Field| match singular_tier(Role::Grade, field) {
            // What describes a record in an object of its own is not that of its documents.
            _ if field.name.contains('.') || self.is_taken(field, "") => false,
            // Other text may be the label of an answer.
            Some(_) if field.kinds.has(Kinds::TEXT) => is_relevance(&field.name),
            Some(tier) => field.kinds.has(Kinds::NUMBER.with(Kinds::BOOL)) && (tier == 0 || field.whole),
            None => false,
        };
        match self.fields.iter().find(is_grade).map(|field| field.name.clone()) {
            Some(grade) if is_ungraded && !self.has_results() => {
                refuse(Cause::Shared(grade.clone()), vec![(Role::Grade, grade)])
            }
            _ => Ok(None),
        }
    }

    /// Whether there is what a system returned, of which scores are no grades.
    fn has_results(&self) -> bool {
        self.fields.iter().any(|field| meanings(&field.name).contains(&Meaning::List(Side::Returned)))
    }

    /// The field with a number for each id of a list, in a list of its own: `doc_ids` and `scores`.
    fn parallel(&mut self, list: &str, form: &Form) -> Resolved<Option<String>> {
        let role = self.want.value();
        let lists = Kinds::NUMBERS.with(Kinds::ANY_LIST);
        if let Some(value) = self.naming.path(role) {
            return match at_path(self.fields, value) {
                Some(field) if *form == Form::Ids && field.kinds.has(lists) => Ok(Some(value.to_owned())),
                Some(field) if *form != Form::Pairs && role == Role::Grade && is_scalar(field) => Ok(None),
                _ => refuse(Cause::Outside(list.to_owned(), value.to_owned()), Vec::new()),
            };
        }
        let of_list = |field: &&Field| {
            let numbers = field.kinds.has(Kinds::NUMBERS) && !field.kinds.has(Kinds::OBJECTS);
            (numbers || field.kinds.has(Kinds::LISTS)) && !self.is_taken(field, "")
        };
        let is_distance = |field: &&Field| {
            [field.name.as_str(), singular(field)]
                .iter()
                .any(|name| meanings(name).contains(&Meaning::Distance))
        };
        let fields = self.fields.iter().filter(of_list);
        if self.want == Want::Run
            && let Some(distance) = fields.clone().find(is_distance)
        {
            return refuse(Cause::Distance(distance.name.clone()), Vec::new());
        }
        if self.want == Want::Judgments && self.has_results() || *form == Form::Pairs {
            return Ok(None);
        }
        let named: Vec<(u8, String)> =
            fields.filter_map(|field| Some((singular_tier(role, field)?, field.name.clone()))).collect();
        match named.as_slice() {
            [] => Ok(None),
            [(tier, name)] if *form == Form::Ids && (self.want == Want::Run || *tier == 0) => {
                Ok(Some(name.clone()))
            }
            [(_, first), ..] => {
                let naming = vec![(role, first.clone())];
                refuse(Cause::Unexplained(role, named.iter().map(|(_, name)| name.clone()).collect()), naming)
            }
        }
    }

    /// A list, or the only one in its objects, which has the documents: `output[].provenance`.
    fn inner_list(&self, name: &str) -> String {
        let lists = |field: &Field| field.kinds.has(Kinds::OBJECTS);
        let inner: Vec<&Field> = match at_path(self.fields, name) {
            Some(field) if lists(field) => field.members.iter().filter(|member| lists(member)).collect(),
            _ => Vec::new(),
        };
        match inner.as_slice() {
            [one] => format!("{name}[].{}", one.name),
            _ => name.to_owned(),
        }
    }

    /// The list of the side that is read; one that could be of either side if there is no other.
    fn list(&self, query: &str) -> Resolved<String> {
        if let Some(path) = self.naming.path(Role::List) {
            return Ok(path.to_owned());
        }
        let mut wanted = Vec::new();
        let mut others = Vec::new();
        let mut neutral = Vec::new();
        let mut texts = Vec::new();
        let mut either = Vec::new();
        let mut hits = Vec::new();
        for field in self.fields.iter().filter(|field| !self.is_taken(field, "")) {
            let name = field.name.clone();
            let lists = field.kinds.has(Kinds::ANY_LIST.with(Kinds::OBJECT).with(Kinds::TEXT))
                || field.kinds.only(Kinds::NULL);
            for meaning in meanings(&field.name) {
                match meaning {
                    Meaning::List(Side::Neutral) if lists => neutral.push(name.clone()),
                    Meaning::List(side) if lists && side == self.want.list() => wanted.push(name.clone()),
                    Meaning::List(_) if lists => others.push(name.clone()),
                    Meaning::Either
                        if field.kinds.has(Kinds::ANY_LIST) && !field.kinds.has(Kinds::SENTENCES) =>
                    {
                        either.push(name.clone());
                    }
                    Meaning::Hits if field.kinds.has(Kinds::OBJECTS) => hits.push(name.clone()),
                    Meaning::Either | Meaning::Text => texts.push(name.clone()),
                    _ => {}
                }
            }
        }
        if wanted.is_empty() && neutral.is_empty() {
            (if self.want == Want::Run { &mut wanted } else { &mut others }).append(&mut hits);
        }
        // Next to an answer, these are texts, too.
        (if texts.is_empty() { &mut neutral } else { &mut texts }).append(&mut either);
        // A list that is always empty contradicts no other.
        let filled =
            |name: &String| at_path(self.fields, name).is_some_and(|field| !field.kinds.only(Kinds::EMPTY));
        for lists in [&mut wanted, &mut others, &mut neutral] {
            if lists.iter().any(filled) {
                lists.retain(filled);
            }
        }
        // Next to ids, documents are texts.
        let is_ids = |name: &String| plain(name.rsplit('.').next().unwrap_or(name)) == "ids";
        if neutral.iter().any(is_ids) {
            neutral.retain(is_ids);
        }
        let help = |name: &str| vec![(Role::Query, query.to_owned()), (Role::List, self.inner_list(name))];
        match (wanted.as_slice(), others.as_slice(), neutral.as_slice()) {
            ([one], _, _) => Ok(one.clone()),
            ([first, ..], _, _) => refuse(Cause::Several(Role::List, wanted.clone()), help(first)),
            ([], [first, ..], _) => refuse(Cause::OtherSide(first.clone()), help(first)),
            ([], [], [one]) => Ok(one.clone()),
            ([], [], [first, ..]) => refuse(Cause::Several(Role::List, neutral.clone()), help(first)),
            ([], [], []) => {
                let lists = Kinds::IDS.with(Kinds::OBJECTS).with(Kinds::LISTS).with(Kinds::PAIRS);
                let unknown = |is_text: bool, negative: bool| {
                    self.fields.iter().find(|field| {
                        field.kinds.has(lists)
                            && !self.is_taken(field, "")
                            && meanings(&field.name)
                                .iter()
                                .all(|meaning| matches!(meaning, Meaning::Role(Role::Rank, _)))
                            && is_negative(&field.name) == negative
                            && (field.kinds.has(Kinds::IDS) && field.kinds.has(Kinds::SENTENCES)) == is_text
                    })
                };
                // Ids may have spaces.
                let unknown = || {
                    unknown(false, false).or_else(|| unknown(true, false)).or_else(|| unknown(false, true))
                };
                match (unknown(), texts.into_iter().next()) {
                    (Some(list), _) => refuse(Cause::Missing(Role::List), help(&list.name)),
                    (None, Some(text)) => refuse(Cause::Texts(text), Vec::new()),
                    (None, None) => refuse(Cause::Missing(Role::Document), Vec::new()),
                }
            }
        }
    }
}

/// The name of a field without the s of a plural.
fn singular(field: &Field) -> &str {
    field.name.strip_suffix('s').unwrap_or(&field.name)
}

/// The tier of a name in a role, in the singular or in the plural.
fn singular_tier(role: Role, field: &Field) -> Option<u8> {
    tier_of(role, &field.name).or_else(|| tier_of(role, singular(field)))
}

/// The tier of a name in a role.
fn tier_of(role: Role, name: &str) -> Option<u8> {
    meanings(name).into_iter().find_map(|meaning| match meaning {
        Meaning::Role(other, tier) if other == role => Some(tier),
        _ => None,
    })
}

/// Whether a name can be the id of a query and of a document.
fn is_own_id(name: &str) -> bool {
    meanings(name).contains(&Meaning::Role(Role::Query, names::OWN_ID))
}

fn join(inside: &str, name: &str) -> String {
    if inside.is_empty() { name.to_owned() } else { format!("{inside}.{name}") }
}

/// A path below a list, relative to its objects.
fn relative(path: &str, list: &str) -> String {
    let below = path.strip_prefix(list).map(|rest| rest.trim_start_matches("[]").trim_start_matches('.'));
    below.filter(|below| !below.is_empty()).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    /// Fields of a record in JSON.
    fn shape(records: &str) -> Vec<Field> {
        let records: Vec<Value> = serde_json::from_str(records).unwrap();
        let mut whole = Field::new("", 0);
        for (number, record) in records.iter().enumerate() {
            record.show(&mut whole, number as u64);
        }
        whole.members
    }

    fn judgments(records: &str) -> Resolved<RecordPlan> {
        resolve(&shape(records), Want::Judgments, &Naming::default())
    }

    fn run(records: &str) -> Resolved<RecordPlan> {
        resolve(&shape(records), Want::Run, &Naming::default())
    }

    #[test]
    fn each_side_takes_its_list() {
        let records = r#"[{"question": "x?", "relevant": ["b"], "results": ["a", "b"]}]"#;
        let list = |plan: RecordPlan| match plan.rows {
            RecordRows::List { path, .. } => path,
            RecordRows::Pair { document } => document,
        };
        assert_eq!(list(judgments(records).unwrap()), "relevant");
        assert_eq!(list(run(records).unwrap()), "results");
    }

    #[test]
    fn the_other_side_is_refused() {
        let refusal = judgments(r#"[{"query": "x", "hits": ["a"]}]"#).unwrap_err();
        assert_eq!(refusal.cause, Cause::OtherSide("hits".into()));
        assert_eq!(refusal.naming, [(Role::Query, "query".into()), (Role::List, "hits".into())]);
    }

    #[test]
    fn two_lists_of_one_side_are_refused() {
        let records = r#"[{"query": "x", "relevant": ["a"], "relevant_docs": ["b"]}]"#;
        let lists = vec!["relevant".into(), "relevant_docs".into()];
        assert_eq!(judgments(records).unwrap_err().cause, Cause::Several(Role::List, lists));
    }

    #[test]
    fn a_list_of_an_unknown_name_is_named() {
        let records = r#"[{"query": "x", "title": "an answer", "sources": ["a"]}]"#;
        let named = |role| vec![(Role::Query, "query".to_owned()), (role, "sources".to_owned())];
        for refusal in [judgments(records).unwrap_err(), run(records).unwrap_err()] {
            assert_eq!(refusal, Refusal { cause: Cause::Missing(Role::List), naming: named(Role::List) });
        }
    }

    #[test]
    fn numbers_are_asked_about_before_words() {
        let records = r#"[{"query": "x", "doc": "a", "comment": "good", "stars": 3}]"#;
        let refusal = judgments(records).unwrap_err();
        assert_eq!(refusal.naming, [(Role::Grade, "stars".to_owned())]);
    }

    #[test]
    fn a_default_grade_needs_that_every_number_is_explained() {
        for name in ["query_relevance_label", "gain", "weight", "stars", "is_relevant", "correct"] {
            let records = format!(r#"[{{"query": "x", "relevant": [{{"document_id": "1", "{name}": 4}}]}}]"#);
            let refusal = judgments(&records).unwrap_err();
            let path = format!("relevant[].{name}");
            assert_eq!(refusal.cause, Cause::Unexplained(Role::Grade, vec![path.clone()]));
            assert_eq!(refusal.naming, [(Role::Grade, path)]);
        }
        let plan = judgments(r#"[{"query": "x", "relevant": [{"id": "1", "page": 3}]}]"#).unwrap();
        assert_eq!(plan.value, None);
    }

    #[test]
    fn a_hint_gives_the_plan() {
        let records = r#"[{"query": "x", "relevant": [{"id": "1", "stars": 3}]}]"#;
        let refusal = judgments(records).unwrap_err();
        let naming = Naming { roles: refusal.naming, ..Naming::default() };
        let plan = resolve(&shape(records), Want::Judgments, &naming).unwrap();
        assert_eq!(plan.value.as_deref(), Some("stars"));
    }

    #[test]
    fn contradictory_names_are_refused() {
        let refusal = judgments(r#"[{"query_id": "1", "qid": "2", "doc": "a", "grade": 1}]"#).unwrap_err();
        assert_eq!(refusal.cause, Cause::Several(Role::Query, vec!["query_id".into(), "qid".into()]));
        let refusal = judgments(r#"[{"query": "1", "doc": "a", "grade": 1, "label": 2}]"#).unwrap_err();
        assert!(matches!(refusal.cause, Cause::Several(Role::Grade, _)));
    }

    #[test]
    fn judgments_differ_from_runs() {
        let ranked = r#"[{"query": "1", "doc": "a", "score": 3, "rank": 1}]"#;
        assert_eq!(judgments(ranked).unwrap_err().cause, Cause::IsRun);
        for number in [r#""rank": 1"#, r#""similarity": 0.5"#, r#""prediction": 2"#] {
            let records = format!(r#"[{{"query": "1", "doc": "a", {number}}}]"#);
            assert_eq!(judgments(&records).unwrap_err().cause, Cause::IsRun, "{number}");
        }
        assert_eq!(run(ranked).unwrap().rank.as_deref(), Some("rank"));
        let whole = r#"[{"query": "1", "doc": "a", "score": 3}]"#;
        assert_eq!(judgments(whole).unwrap().value.as_deref(), Some("score"));
        let parts = r#"[{"query": "1", "doc": "a", "score": 3.5}]"#;
        assert!(matches!(judgments(parts).unwrap_err().cause, Cause::Unexplained(Role::Grade, _)));
        let graded = r#"[{"query": "1", "doc": "a", "grade": 3}]"#;
        assert_eq!(run(graded).unwrap_err().cause, Cause::IsJudgments("grade".into()));
        let distance = r#"[{"query": "1", "doc": "a", "distance": 0.5}]"#;
        assert_eq!(run(distance).unwrap_err().cause, Cause::Distance("distance".into()));
    }

    #[test]
    fn the_id_of_a_record_is_that_of_its_query_if_it_has_a_list() {
        let plan = judgments(r#"[{"id": "q1", "question": "x", "relevant": ["a"]}]"#).unwrap();
        assert_eq!(plan.query, "id");
        let naming = Naming {
            roles: vec![(Role::Query, "question".into()), (Role::List, "sources".into())],
            ..Naming::default()
        };
        let records = r#"[{"id": "q1", "question": "x", "sources": ["a"]}]"#;
        assert_eq!(resolve(&shape(records), Want::Judgments, &naming).unwrap().query, "question");
    }

    #[test]
    fn a_number_without_a_meaning_is_reserved() {
        let records = r#"[{"query": "1", "doc": "a", "call": 0, "grade": 1}]"#;
        assert_eq!(judgments(records).unwrap_err().cause, Cause::Reserved("call".into()));
    }

    fn offsets(plan: RecordPlan) -> Option<(String, String, Option<String>, [&'static str; 2])> {
        plan.offsets.map(|found| (found.start, found.end, found.tokens, found.counting.words()))
    }

    #[test]
    fn offsets_are_pairs_of_names_that_say_what_they_count() {
        for (names, words) in [
            (["start", "end"], ["start", "end"]),
            (["start_index", "endIndex"], ["start", "end"]),
            (["start_char_idx", "end_char_idx"], ["start", "end"]),
            (["split_idx_start", "split_idx_end"], ["start", "end"]),
            (["start_token", "end_token"], ["start_token", "end_token"]),
            (["start_line", "line_end"], ["start_line", "end_line"]),
            (["first_line", "last_line"], ["first_line", "last_line"]),
        ] {
            let [start, end] = names;
            let records = format!(r#"[{{"query": "x", "doc": "a", "{start}": 0, "{end}": 9, "tokens": 3}}]"#);
            let expected = |tokens| Some((start.to_owned(), end.to_owned(), tokens, words));
            assert_eq!(offsets(judgments(&records).unwrap()), expected(None));
            assert_eq!(offsets(run(&records).unwrap()), expected(Some("tokens".into())));
            let listed =
                format!(r#"[{{"query": "x", "documents": [{{"doc": "a", "{start}": 0, "{end}": 9}}]}}]"#);
            assert_eq!(offsets(judgments(&listed).unwrap()), expected(None));
        }
    }

    #[test]
    fn half_of_an_offset_is_refused() {
        for (record, role, name) in [
            (r#"{"query": "x", "doc": "a", "start": 3}"#, Role::Start, "start"),
            (r#"{"query": "x", "doc": "a", "end": "2024-01-01"}"#, Role::End, "end"),
            (r#"{"query": "x", "doc": "a", "start": 3, "end_line": 4}"#, Role::Start, "start"),
            (r#"{"query": "x", "hits": [{"id": "a", "start_index": 3}]}"#, Role::Start, "hits[].start_index"),
        ] {
            let refusal = run(&format!("[{record}]")).unwrap_err();
            assert_eq!(refusal.cause, Cause::HalfOffset(role, name.into()));
        }
        let null = r#"[{"query": "x", "doc": "a", "start": null}]"#;
        assert_eq!(run(null).unwrap().offsets, None);
    }

    #[test]
    fn the_text_of_a_chunk_has_its_end() {
        let hit = r#"{"query": "x", "hits": [{"id": "d", "page_content": "a b", "start_index": 3}]}"#;
        let found = run(&format!("[{hit}]")).unwrap().offsets.unwrap();
        assert_eq!((found.start.as_str(), found.end.as_str()), ("start_index", "page_content"));
        assert!(found.ends_with_text);
        // The text of a record may be that of its query.
        let record = r#"[{"query": "x", "doc": "a", "start": 3, "text": "a b"}]"#;
        assert_eq!(run(record).unwrap_err().cause, Cause::HalfOffset(Role::Start, "start".into()));
    }

    #[test]
    fn offsets_are_positions_in_the_document_of_a_chunk() {
        let document = |record: &str| match run(&format!("[{record}]")).map(|plan| plan.rows) {
            Ok(RecordRows::Pair { document }) => Ok(document),
            Ok(RecordRows::List { form: Form::Objects { member }, .. }) => Ok(member),
            Ok(other) => panic!("{other:?}"),
            Err(refusal) => Err(refusal.cause),
        };
        let named = |name: &str| Ok(name.to_owned());
        let chunk = r#"{"query": "x", "chunk_id": "a-1", "source": "a", "start": 0, "end": 9}"#;
        assert_eq!(document(chunk), named("source"));
        let without = r#"{"query": "x", "chunk_id": "a-1", "source": "a", "score": 1}"#;
        assert_eq!(document(without), named("chunk_id"));
        let alone = r#"{"query": "x", "chunk_id": "a-1", "start": 0, "end": 9}"#;
        assert_eq!(document(alone), Err(Cause::OffsetsOfChunk("chunk_id".into())));
        let hit = r#"{"query": "x", "hits": [{"id": "7", "document": "a", "start": 0, "end": 9}]}"#;
        assert_eq!(document(hit), named("document"));
        let texts = r#"{"query": "x", "hits": [{"id": "7", "document": "a text", "start": 0, "end": 9}]}"#;
        let several = vec!["hits[].id".to_owned(), "hits[].document".to_owned()];
        assert_eq!(document(texts), Err(Cause::Several(Role::Document, several)));
    }

    #[test]
    fn callers_say_what_offsets_count() {
        let named = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> =
                pairs.iter().map(|(word, name)| ((*word).to_owned(), (*name).to_owned())).collect();
            let records =
                r#"[{"query": "x", "doc": "a", "from": 1, "to": 9, "start_line": 1, "end_line": 9}]"#;
            resolve(&shape(records), Want::Judgments, &Naming::of(&pairs)).map(offsets)
        };
        let of = |start: &str, end: &str, words| Ok(Some((start.to_owned(), end.to_owned(), None, words)));
        assert_eq!(
            named(&[("start", "from"), ("end", "to"), ("-", "start_line")]),
            of("from", "to", ["start", "end"])
        );
        let lines = of("from", "to", ["first_line", "last_line"]);
        assert_eq!(named(&[("first_line", "from"), ("last_line", "to")]), lines);
        let lines = of("start_line", "end_line", ["start_line", "end_line"]);
        assert_eq!(named(&[("start", "start_line"), ("end", "end_line"), ("-", "from"), ("-", "to")]), lines);
        let lines = of("start_line", "end_line", ["first_line", "last_line"]);
        assert_eq!(
            named(&[("first_line", "start_line"), ("last_line", "end_line"), ("grade", "from")]),
            lines
        );
        let mixed = named(&[("start", "from"), ("last_line", "to")]).unwrap_err();
        assert_eq!(mixed.cause, Cause::Counting("from".into(), "to".into()));
    }

    #[test]
    fn ignored_offsets_have_no_meaning() {
        let naming = Naming { ignores_offsets: true, ..Naming::default() };
        let records = r#"[{"query": "x", "chunk_id": "a", "start_index": "p. 3"}]"#;
        let plan = resolve(&shape(records), Want::Judgments, &naming).unwrap();
        assert_eq!((plan.rows, plan.offsets), (RecordRows::Pair { document: "chunk_id".into() }, None));
    }

    #[test]
    fn groups_of_listed_objects_have_weights() {
        let records = r#"[{"query": "x", "relevant": [{"id": "a", "group": "1", "weight": 2}]}]"#;
        let plan = judgments(records).unwrap();
        assert_eq!((plan.subtopic.as_deref(), plan.weight.as_deref()), (Some("group"), Some("weight")));
        let nested = r#"[{"query": "x", "relevant": [[{"id": "a", "start": 0, "end": 9}], [{"id": "b"}]]}]"#;
        let plan = judgments(nested).unwrap();
        assert!(plan.offsets.is_some());
        assert!(matches!(plan.rows, RecordRows::List { form: Form::Objects { .. }, .. }));
    }
}
