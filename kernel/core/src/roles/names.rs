//! The names that people give to fields: the only table of them.

use std::collections::HashMap;
use std::sync::LazyLock;

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
    /// The weight of a subtopic.
    Weight,
    /// The positions of a document's text in it; their tiers say what they count.
    Start,
    End,
    /// The number of tokens of this text.
    Tokens,
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
    /// What a search engine returned, if it is a list of objects.
    Hits,
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

// Names are spelled as people write them; they are compared in their plain form.
const QUERY: [&str; 6] = [
    "query_id qid question_id query_no",
    "topic_id topic_no",
    // Of records with a list of documents; else it may be the document's.
    "_id id",
    "query question query_text user_input input search_query search_term prompt q topic",
    "user_id customer_id session_id",
    "user",
];
/// The tier of [`QUERY`] that can be a document's.
pub(crate) const OWN_ID: u8 = 2;
/// The tier of [`DOCUMENT`] that can be a query's.
pub const DOCUMENT_ID: u8 = 4;
// `docno` is in PyTerrier's tables next to `docid`, an internal number of the index.
const DOCUMENT: [&str; 6] = [
    "docno",
    "doc_id document_id corpus_id",
    "passage_id pid did product_id item_id article_id movie_id book_id iid object_id unique_id asin parent_asin isbn \
     wikipedia_id",
    "chunk_id context_id node_id",
    "_id id",
    "document doc passage product item article movie",
];
const GRADE: [&str; 2] = [
    "grade relevance rel label rating judgment judgement relevance_grade relevance_label",
    "relevance_score score",
];
const SCORE: [&str; 2] = [
    "score",
    "_score similarity sim relevance_score rsv prediction similarity_score ranking_score _ranking_score rerank_score \
     reranker_score search_score @search.score certainty text_match document_score",
];
const RANK: [&str; 2] = ["rank", "position pos"];
const SYSTEM: [&str; 3] = ["system system_id", "run run_id", "model"];
const SUBTOPIC: [&str; 4] =
    ["subtopic subtopic_id subtopic_no", "aspect intent", "group group_id", "iteration iter"];
const WEIGHT: [&str; 1] = ["weight subtopic_weight aspect_weight group_weight"];
// By what they count: characters, tokens, lines, and lines from 1 with the last one, as in `Counting::of_tier`.
const START: [&str; 4] = [
    "start start_index start_idx start_char start_char_idx start_char_index char_start start_offset offset_start \
     start_pos start_position begin begin_offset span_start split_idx_start",
    "start_token token_start start_token_idx",
    "start_line line_start",
    "first_line",
];
const END: [&str; 4] = [
    "end end_index end_idx end_char end_char_idx end_char_index char_end end_offset offset_end end_pos \
     end_position span_end split_idx_end",
    "end_token token_end end_token_idx",
    "end_line line_end",
    "last_line",
];
const TOKENS: [&str; 1] = ["tokens token_count n_tokens num_tokens"];
/// Documents of chunks: next to offsets, the id of a chunk is no document.
const SOURCE: &str = "source_id ref_doc_id source_doc_id source_document_id source source_document parent_id \
    parent_doc_id file_id file_name file_path filename file";
const GOLD: &str = "relevant relevant_ids relevant_docs relevant_documents relevant_doc_ids \
    relevant_document_ids expected_ids expected_docs expected_documents expected_doc_ids expected_document_ids \
    gold_ids gold_docs gold_doc_ids positive_doc_ids positive_ids ground_truth_ids ground_truth_doc_ids \
    ground_truth_context_ids reference_context_ids reference_ids retrieval_gt supporting_facts ratings judgments \
    qrels retrieval_ground_truth positive_passages positive_ctxs targets";
const RETURNED: &str = "results ranking retrieved retrieved_ids retrieved_docs retrieved_doc_ids \
    retrieved_document_ids retrieved_context_ids hits chunks predictions recommendations ctxs \
    retrieved_documents";
const NEUTRAL: &str = "documents docs document_ids doc_ids items articles ids";
const EITHER: &str = "contexts ground_truth ground_truths";
const DESCRIBES: &str = "page pages chunk chunk_index index year price length tokens token_count n_tokens num_tokens \
    words timestamp time date version difficulty";
const RESERVED: &str = "call";
const DISTANCE: &str = "distance _distance dist cosine_distance l2_distance";
/// Parts of a record that have fields of their own: of examples, of answers of search engines, and of hits.
const EXAMPLES: &str = "inputs outputs reference_outputs metadata additional_metadata";
const PARTS: [&str; 4] = [
    EXAMPLES,
    "input output expected expected_output item row",
    "query query_entry request request_params params response_header response result results root hits retriever",
    "document doc node",
];
/// Parts that describe a document: their numbers are no scores.
const DESCRIPTIONS: &str = "metadata additional_metadata";
const TEXT: &str = "reference reference_answer expected_output expected_answer answer answers response \
    reference_contexts retrieved_contexts retrieval_context context actual_output text title snippet body content \
    url";

/// Of records that are one query each: their number in topics of TREC, and their text.
const QUERY_NUMBER: &str = "number num";
const QUERY_TEXT: [&str; 6] = [
    "text",
    "query query_text query_string",
    "title",
    "question claim topic",
    "description",
    "keywords search_term search_terms search_query user_query user_input input prompt q",
];
/// Users are queries of recommenders.
const USER: &str = "user_id customer_id user";
const TITLE: &str = "title name product_title headline heading subject";
const DOCUMENT_TEXT: &str =
    "text contents content page_content body abstract description passage snippet product_description raw";
/// Ids of products, and of hits.
const PRODUCT: &str = "asin sku";
const HIT: &str = "point_id uuid key url uri link";
/// Lists of hits, and what is around a document in a hit.
const HITS: &str =
    "matches points nodes source_nodes result data value children candidates output retrieval_results";
const HIT_PARTS: &str = "metadata meta payload node document _source fields";
/// Texts that people quote as evidence, and texts that a system returned.
const QUOTES: [&str; 2] = [
    "quote quotes reference_contexts reference_context references gold_contexts gold_context gold_passages \
     ground_truth_contexts expected_contexts relevant_contexts positive_contexts evidence_texts evidence_text \
     evidence highlights excerpts excerpt",
    "contexts context",
];
const RETURNED_TEXTS: &str = "retrieved_contexts retrieval_context retrieved_texts retrieved_chunks \
    retrieved_passages";
const QUOTED_TEXT: &str = "content text page_content quote passage chunk excerpt snippet context body";
const VECTOR: &str = "vector embedding embeddings vectors emb values";
const RATER: &str = "rater rater_id rater_name annotator annotator_id assessor assessor_id judge judge_id judged_by \
    rated_by labeled_by labelled_by labeler labeller worker worker_id reviewer reviewer_id coder evaluator \
    evaluator_id expert";
const RATER_SOURCE: &str = "source source_type label_source rater_type rater_kind annotator_type judge_type \
    provenance origin";
const RATER_MODEL: &str = "model model_name judge_model llm llm_model";
const RATER_VERSION: &str = "version model_version judge_version llm_version";

const EXPERIMENT: &str = "experiment name id experiment_id";
const OFFLINE_DIFFERENCE: &str = "offline_difference offline offline_delta";
const OFFLINE_ERROR: &str = "offline_se offline_error offline_standard_error";
const ONLINE_DIFFERENCE: &str = "online_difference online online_delta";
const ONLINE_ERROR: &str = "online_se online_error online_standard_error";

/// The names of a part of a record, best first. Parts without a dot are those of judgments, runs, labels and
/// experiments; `query.text` is that of a record for each query.
pub fn names_of(part: &str) -> impl Iterator<Item = &'static str> + use<> {
    let [query, topic, own_query, question, _, _] = QUERY;
    let [docno, document, passage, chunk, own_document, whole_document] = DOCUMENT;
    let tiers: &[&'static str] = match part {
        "query_id" => &QUERY,
        "doc_id" => &DOCUMENT,
        "grade" => &GRADE,
        "score" => &SCORE,
        "rank" => &RANK,
        "subtopic" => &SUBTOPIC,
        "weight" => &WEIGHT,
        "start" => &[START[0]],
        "end" => &[END[0]],
        "tokens" => &TOKENS,
        "start_token" => &[START[1]],
        "end_token" => &[END[1]],
        "start_line" => &[START[2]],
        "end_line" => &[END[2]],
        "first_line" => &[START[3]],
        "last_line" => &[END[3]],
        // Models are products, too.
        "system" => &[SYSTEM[0], SYSTEM[1]],
        "relevant" => &[GOLD, "document_ids doc_ids", EITHER],
        "results" => &[NEUTRAL, RETURNED, HITS],
        "answer" => &[TEXT],
        "description" => &[DESCRIBES, TEXT, DISTANCE, RESERVED],
        "part" => &[EXAMPLES],
        "query.id" => &[query, topic, own_query, QUERY_NUMBER],
        "query.text" => &QUERY_TEXT,
        // Of a row with a document, whose title and description are others.
        "query.text_of_pair" => {
            let [text, query, _, question, _, keywords] = QUERY_TEXT;
            &[query, question, keywords, text]
        }
        // Of a file with one column.
        "query.alone" => {
            let [text, query, ..] = QUERY_TEXT;
            &[text, query, "user_id"]
        }
        "query.question" => &[question],
        "query.user" => &[USER],
        "document" => &[docno, document, passage, chunk, whole_document],
        "document.id" => &[docno, document, own_document, passage, chunk, PRODUCT],
        "document.title" => &[TITLE],
        "document.text" => &[DOCUMENT_TEXT],
        "hit.id" => &[docno, document, own_document, passage, chunk, PRODUCT, HIT],
        "hit.part" => &[HIT_PARTS],
        "quote" => &QUOTES,
        "quote.returned" => &[RETURNED_TEXTS, NEUTRAL, RETURNED, HITS],
        "quote.text" => &[QUOTED_TEXT],
        "quote.document" => &[docno, document, SOURCE, "source_file path url", "document doc"],
        "quote.chunk" => &[passage, chunk, own_document, "id_"],
        "vector" => &[VECTOR],
        "rater" => &[RATER],
        "source" => &[RATER_SOURCE],
        "model" => &[RATER_MODEL],
        "version" => &[RATER_VERSION],
        "experiment" => &[EXPERIMENT],
        "offline_difference" => &[OFFLINE_DIFFERENCE],
        "offline_se" => &[OFFLINE_ERROR],
        "online_difference" => &[ONLINE_DIFFERENCE],
        "online_se" => &[ONLINE_ERROR],
        "measure" => &["measure offline_measure"],
        "metric" => &["metric online_metric"],
        "value" => &["value score"],
        _ => &[],
    };
    let names: Vec<&'static str> = tiers.iter().flat_map(|names| names.split(' ')).collect();
    names.into_iter()
}

/// The places of the names that are of a part of a record, best first; equal ones in their order.
pub fn names_with<N: AsRef<str>>(names: &[N], part: &str) -> Vec<usize> {
    let all: Vec<Vec<String>> = names.iter().map(|name| forms(name.as_ref()).collect()).collect();
    let mut places = Vec::new();
    for known in names_of(part) {
        let alike =
            all.iter().enumerate().filter(|(_, forms)| forms.iter().any(|form| is_plain(form, known)));
        places.extend(alike.map(|(place, _)| place));
    }
    places
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

/// Whether this is the plain form of a name.
fn is_plain(plain: &str, name: &str) -> bool {
    let under = |text: &str| usize::from(text.starts_with('_'));
    let (own, other) = (under(plain), under(name));
    own == other && name.bytes().skip(other).filter(|byte| *byte != b'_').eq(plain.bytes().skip(own))
}

/// Whether a plain name is one of these.
fn has(names: &str, plain: &str) -> bool {
    names.split(' ').any(|name| is_plain(plain, name))
}

/// Whether a field with objects has fields of the record.
#[must_use]
pub fn is_part(name: &str) -> bool {
    let plain = plain(name);
    PARTS.iter().any(|names| has(names, &plain))
}

/// Whether a column with objects may have those of examples.
#[must_use]
pub fn is_example(name: &str) -> bool {
    has(EXAMPLES, &plain(name))
}

/// Whether a name is that of grades of documents and of nothing else.
pub(crate) fn is_relevance(name: &str) -> bool {
    forms(name).any(|form| has("grade relevance rel relevance_grade relevance_label", &form))
}

/// Whether a name is that of a list of relevant documents, denied.
pub(crate) fn is_irrelevant(name: &str) -> bool {
    let relevant = |name: &str| meanings(name).contains(&Meaning::List(Side::Gold));
    let name = plain(name);
    ["ir", "not", "non"].iter().any(|no| name.strip_prefix(no).is_some_and(relevant))
}

/// Whether a name is one of documents that are not relevant, or that nobody judged.
pub(crate) fn is_negative(name: &str) -> bool {
    ["neg", "hardneg", "irrelevant", "notrelevant", "nonrelevant", "excluded"]
        .iter()
        .any(|start| plain(name).starts_with(start))
}

/// Whether a field is in a part that describes a document.
pub(crate) fn is_description(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(parts, _)| parts.split('.').any(|part| has(DESCRIPTIONS, &plain(part))))
}

/// Names of ids of hits that are nothing else.
pub(crate) fn is_hit_id(name: &str) -> bool {
    forms(name).any(|form| has(HIT, &form))
}

/// The tier of a name of documents next to offsets, which are positions in the document of a chunk.
pub(crate) fn tier_of_place(name: &str) -> Option<u8> {
    let [docno, document, passage, chunk, own, whole] = DOCUMENT;
    let tiers = [docno, document, whole, SOURCE, passage, own, chunk];
    forms(name)
        .find_map(|form| tiers.iter().zip(0..).find_map(|(names, tier)| has(names, &form).then_some(tier)))
}

/// Whether a name is that of the text of a chunk; outside of lists of hits, `text` may be that of a query.
pub(crate) fn is_chunk_text(name: &str, inside: &str) -> bool {
    forms(name).any(|form| has("page_content content", &form) || !inside.is_empty() && has("text", &form))
}

/// Tiers of these names: of whole documents, of ids that may be of anything, and of chunks, which are last.
pub(crate) const WHOLE: u8 = 2;
pub(crate) const OWN_PLACE: u8 = 5;
pub(crate) const CHUNK: u8 = 6;

/// The plain forms of a name in parts of the record, with fewer and fewer of their names: `response.document.id` is
/// `document_id`, and then `id`.
fn forms(name: &str) -> impl Iterator<Item = String> + '_ {
    std::iter::successors(Some(name), |name| {
        name.split_once('.').filter(|(part, _)| is_part(part)).map(|(_, rest)| rest)
    })
    .flat_map(|name| {
        let plain = plain(name);
        let joined = plain.contains('.').then(|| plain.replace('.', ""));
        std::iter::once(plain).chain(joined)
    })
}

/// What the name of a field can mean; `inputs.question` is `question`.
#[must_use]
pub fn meanings(name: &str) -> Vec<Meaning> {
    forms(name).find_map(|form| MEANINGS.get(&form)).cloned().unwrap_or_default()
}

/// The meanings of each plain name: a table may have thousands of columns, each of which is asked for several
/// times.
static MEANINGS: LazyLock<HashMap<String, Vec<Meaning>>> = LazyLock::new(|| {
    let roles: [(Role, &[&str]); 11] = [
        (Role::Query, &QUERY),
        (Role::Document, &DOCUMENT),
        (Role::Grade, &GRADE),
        (Role::Score, &SCORE),
        (Role::Rank, &RANK),
        (Role::System, &SYSTEM),
        (Role::Subtopic, &SUBTOPIC),
        (Role::Weight, &WEIGHT),
        (Role::Start, &START),
        (Role::End, &END),
        (Role::Tokens, &TOKENS),
    ];
    let tiers = roles.into_iter().flat_map(|(role, tiers)| {
        tiers.iter().zip(0u8..).map(move |(names, tier)| (*names, Meaning::Role(role, tier)))
    });
    let others = [
        (GOLD, Meaning::List(Side::Gold)),
        (RETURNED, Meaning::List(Side::Returned)),
        (NEUTRAL, Meaning::List(Side::Neutral)),
        (HITS, Meaning::Hits),
        (EITHER, Meaning::Either),
        (DESCRIBES, Meaning::Describes),
        (RESERVED, Meaning::Reserved),
        (DISTANCE, Meaning::Distance),
        (TEXT, Meaning::Text),
    ];
    let mut known: HashMap<String, Vec<Meaning>> = HashMap::new();
    for (names, meaning) in tiers.chain(others) {
        for name in names.split(' ') {
            let meanings = known.entry(plain(name)).or_default();
            if !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
        }
    }
    known
});

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

    #[test]
    fn names_of_a_part_are_found_best_first() {
        for (names, part, expected) in [
            (
                &["kind", "QueryText", "Query-ID", "qid"][..],
                "query_id",
                &["Query-ID", "qid", "QueryText"][..],
            ),
            (&["query id", "query_id", "x"], "query_id", &["query id", "query_id"]),
            (&["_id", "doc_id", "chunk_id"], "document.id", &["doc_id", "_id", "chunk_id"]),
            (&["sourceNodes", "source"], "results", &["sourceNodes"]),
            (&["context", "Reference Contexts"], "quote", &["Reference Contexts", "context"]),
            (&["id", "source", "start_char_idx"], "quote.document", &["source"]),
            (&["query"], "unknown", &[]),
        ] {
            let found = names_with(names, part).into_iter().filter_map(|place| names.get(place).copied());
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }
}
