//! The names that people give to fields: the only table of them.

/// What a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Query,
    Document,
    Grade,
    Score,
    Rank,
    System,
    Subtopic,
    /// A list of documents, one record per query.
    List,
}

/// Who put the documents of a list there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// People: documents that should be found.
    Gold,
    /// A system: documents that it returned.
    Returned,
    /// Either.
    Neutral,
}

/// A field whose name has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// With its tier: the names of a lower tier come first. Two names of one tier contradict each other.
    Role(Role, u8),
    List(Side),
    /// A list of ids, or of texts.
    Either,
    /// A number that describes a record: it is no grade and no score.
    Describes,
    /// A number with a meaning that is not read yet.
    Reserved,
    /// The smaller the better, so it is no score.
    Distance,
    /// Text, never ids.
    Text,
}

const QUERY: [&str; 6] = [
    "queryid qid questionid queryno",
    "topicid topicno",
    // Of records with a list of documents; else it may be the document's.
    "id _id",
    "query question querytext userinput input searchquery searchterm prompt q topic",
    "userid customerid sessionid",
    "user",
];
/// The tier of [`QUERY`] that can be a document's.
pub(super) const OWN_ID: u8 = 2;
/// The tier of [`DOCUMENT`] that can be a query's.
pub const DOCUMENT_ID: u8 = 4;
// `docno` is in PyTerrier's tables next to `docid`, an internal number of the index.
const DOCUMENT: [&str; 6] = [
    "docno",
    "docid documentid corpusid",
    "passageid pid did productid itemid articleid movieid iid",
    "chunkid contextid nodeid",
    "id _id",
    "document doc passage product item article movie",
];
const GRADE: [&str; 2] = [
    "grade relevance rel label rating judgment judgement relevancegrade relevancelabel",
    "relevancescore score",
];
const SCORE: [&str; 2] = ["score", "_score similarity sim relevancescore rsv prediction"];
const RANK: [&str; 2] = ["rank", "position pos"];
const SYSTEM: [&str; 3] = ["system systemid", "run runid", "model"];
const SUBTOPIC: [&str; 3] = ["subtopic subtopicid subtopicno", "aspect intent", "iteration iter group"];
const GOLD: &str = "relevant relevantids relevantdocs relevantdocuments relevantdocids relevantdocumentids \
    expectedids expecteddocs expecteddocuments expecteddocids expecteddocumentids goldids golddocs golddocids positivedocids \
    positiveids groundtruthids groundtruthdocids groundtruthcontextids referencecontextids referenceids \
    retrievalgt supportingfacts ratings judgments qrels";
const RETURNED: &str = "results ranking retrieved retrievedids retrieveddocs retrieveddocids \
    retrieveddocumentids retrievedcontextids hits chunks predictions recommendations";
const NEUTRAL: &str = "docs documents docids documentids items articles";
const EITHER: &str = "contexts groundtruth groundtruths";
const DESCRIBES: &str = "page pages chunk chunkindex index year price length tokens words timestamp time date \
    version difficulty";
const RESERVED: &str = "start end call";
const DISTANCE: &str = "distance dist";
/// Parts of a record that have fields of their own.
const PARTS: &str = "inputs outputs referenceoutputs metadata additionalmetadata";
const TEXT: &str = "reference referenceanswer expectedoutput expectedanswer answer answers response \
    referencecontexts retrievedcontexts retrievalcontext context actualoutput text title snippet body content \
    url";

const ROLES: [(Role, &[&str]); 7] = [
    (Role::Query, &QUERY),
    (Role::Document, &DOCUMENT),
    (Role::Grade, &GRADE),
    (Role::Score, &SCORE),
    (Role::Rank, &RANK),
    (Role::System, &SYSTEM),
    (Role::Subtopic, &SUBTOPIC),
];

/// The names of a role, the best first.
pub fn spellings(role: Role) -> impl Iterator<Item = &'static str> {
    let known = ROLES.into_iter().filter(move |(other, _)| *other == role);
    known.flat_map(|(_, tiers)| tiers).flat_map(|names| names.split(' '))
}

/// The form in which names are compared: lower case, without `-`, `_` and spaces. A leading `_` stays, as in
/// Elasticsearch's `_id` and `_score`.
#[must_use]
pub fn plain(name: &str) -> String {
    let name = name.trim();
    let kept = name.chars().filter(|letter| !matches!(letter, '-' | '_' | ' ')).flat_map(char::to_lowercase);
    let under = if name.starts_with('_') { "_" } else { "" };
    under.chars().chain(kept).collect()
}

fn has(names: &str, plain: &str) -> bool {
    names.split(' ').any(|name| name == plain)
}

/// Whether a field with objects has fields of the record.
#[must_use]
pub fn is_part(name: &str) -> bool {
    has(PARTS, &plain(name))
}

/// What the name of a field can mean; `inputs.question` is `question`.
#[must_use]
pub fn meanings(name: &str) -> Vec<Meaning> {
    let inner = name.split_once('.').filter(|(part, _)| is_part(part)).map_or(name, |(_, inner)| inner);
    let plain = &plain(inner);
    let tiers = ROLES.into_iter().flat_map(|(role, tiers)| {
        tiers.iter().zip(0u8..).map(move |(names, tier)| (*names, Meaning::Role(role, tier)))
    });
    let others = [
        (GOLD, Meaning::List(Side::Gold)),
        (RETURNED, Meaning::List(Side::Returned)),
        (NEUTRAL, Meaning::List(Side::Neutral)),
        (EITHER, Meaning::Either),
        (DESCRIBES, Meaning::Describes),
        (RESERVED, Meaning::Reserved),
        (DISTANCE, Meaning::Distance),
        (TEXT, Meaning::Text),
    ];
    tiers.chain(others).filter(|(names, _)| has(names, plain)).map(|(_, meaning)| meaning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_separators() {
        for (name, expected) in [
            ("Query-ID", "queryid"),
            (" corpus id ", "corpusid"),
            ("_score", "_score"),
            ("__id", "_id"),
            ("Ü_x", "üx"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn a_name_may_have_several_meanings() {
        assert_eq!(meanings("id"), [Meaning::Role(Role::Query, 2), Meaning::Role(Role::Document, 4)]);
        assert_eq!(meanings("inputs.ID"), meanings("id"));
        assert_eq!(meanings("score"), [Meaning::Role(Role::Grade, 1), Meaning::Role(Role::Score, 0)]);
        assert_eq!(meanings("hits"), [Meaning::List(Side::Returned)]);
        assert_eq!(meanings("stars"), []);
    }
}
