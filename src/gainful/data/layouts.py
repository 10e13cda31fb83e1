"""Layouts of other tools' files, as declarations: where the records are, and what they mean.

A package registers its own with `register`, or with an entry point of the group
``gainful.layouts`` that loads a `Layout` or several.
"""

from __future__ import annotations

from functools import cache

from gainful import packages
from gainful.data.columns import ROWS, of_rows
from gainful.data.list_formats import (
    Layout,
    ListFormat,
    dialog_references,
    is_header,
    read_ranklib,
    request_text,
    write_esci,
    write_golden,
    write_opensearch,
    write_quepid,
    write_rank_eval,
    write_ranklib,
    write_rre,
)
from gainful.errors import ArgumentError, Code, ParameterError
from gainful.packages import error_in, installed

__all__ = ["LAYOUTS", "Layout", "ListFormat", "known_layouts", "list_format", "register"]


#: Of RRE: a group, its documents, and those of one query.
_GROUP = "topics[]?.query_groups[]?"
_SHARED, _OWN = f"{_GROUP}.relevant_documents", f"{_GROUP}.queries[].relevant_documents"
#: Of Label Studio: an annotation and the value of one control. Of OpenInference: a document.
_ANNOTATION = "[].annotations?[]"
_VALUE = f"{_ANNOTATION}.result?[].value?"
_DOCUMENT = "[].attributes.retrieval?.documents?[].document"

#: The layouts of other tools, in the order of detection: a table of raters also looks like one of
#: Quepid.
LAYOUTS: tuple[Layout, ...] = (
    Layout(
        name="es_ltr",
        summary="RankLib text, with comments such as `# qid:1: rambo`",
        queries="number",
        evidence="files of Elasticsearch-LTR, hello-ltr; Quepid's exporter",
        cannot="documents with white space; numeric with other ids; other ids become numbers",
        aliases=("elasticsearch_ltr",),
        is_line=is_header,
        read_text=read_ranklib,
        write=write_ranklib,
    ),
    # The gains of the paper (Reddy et al., arXiv:2206.06588) are 1, .1, .01 and 0.
    Layout(
        name="esci",
        header=("esci_label",),
        roles={"grade": "esci_label"},
        fields=("product_locale", "query_locale", "locale"),
        labels={
            "": {"E": 3, "S": 2, "C": 1, "I": 0},
            "amazon": {"E": 1.0, "S": 0.1, "C": 0.01, "I": 0.0},
        },
        spelled={"exact": "E", "substitute": "S", "complement": "C", "irrelevant": "I"},
        choices=dict.fromkeys("ESCI", ""),
        word="the grades of the labels, such as amazon",
        write=write_esci,
        summary="a table with Amazon's labels E, S, C and I, or their words",
        queries="`query_id`, or text",
        evidence="Amazon's files",
        cannot="grades without a label",
    ),
    # Books of Quepid, and tables with columns of raters, which have no fixed names.
    Layout(
        name="raters",
        shape=("query_doc_pairs",),
        roles={
            "text": "query_doc_pairs[].query_text",
            "doc_id": "query_doc_pairs[].doc_id",
            "grade": "query_doc_pairs[].judgements?[].rating?",
            "rater": "query_doc_pairs[].judgements?[].user_email?",
        },
        header=("~rater",),
        several=True,
        word="how to combine the grades of raters",
        summary="a table with the [grades of several people](judgment-lists.md#several-people); a"
        " Quepid book as JSON",
        queries="text, or an id column",
        evidence="files of Chorus; Quepid's exporter",
    ),
    # Quepid 8: app/views/api/v1/export/ratings and export/cases.
    Layout(
        name="quepid",
        header=("rating",),
        shape=("queries[].ratings", "queries[].query|queries[].query_text"),
        roles={
            "text": "queries[].query_text?|queries[].query",
            "doc_id": "queries[].ratings?[].doc_id",
            "grade": "queries[].ratings?[].rating?",
        },
        otherwise=({"doc_id": "queries[].ratings{}.@key", "grade": "queries[].ratings{}"},),
        fields=("queries[].options?", "queries[].notes?", "queries[].information_need?"),
        write=write_quepid,
        summary="Quepid's ratings and snapshots as CSV; its cases and ratings as JSON; Chorus",
        queries="text",
        evidence="the tool's exporter, files of Chorus",
        aliases=("chorus",),
    ),
    # rre-core: Engine.java. The queries of a group share documents, or have their own.
    Layout(
        name="rre",
        shape=(
            "topics[]?.query_groups|topics[]?.relevant_documents"
            "|topics[]?.queries[].relevant_documents",
        ),
        roles={
            "text": f"{_GROUP}.queries[].placeholders.$query",
            "doc_id": f"{_SHARED}?{{}}.@key",
            "grade": f"{_SHARED}?{{}}.gain?|{_SHARED}?{{}}.rating",
        },
        otherwise=(
            {"doc_id": f"{_OWN}{{}}[]", "grade": f"{_OWN}{{}}.@key"},
            {"doc_id": f"{_OWN}{{}}.@key", "grade": f"{_OWN}{{}}.gain?|{_OWN}{{}}.rating"},
            {"doc_id": f"{_SHARED}{{}}[]", "grade": f"{_SHARED}{{}}.@key"},
        ),
        fields=(f"{_GROUP}.queries[].placeholders{{}}",),
        renames={"$query": "query_placeholder?"},
        choices={"index": "(required)", "id_field": "", "template": ""},
        write=write_rre,
        summary="`ratings.json` of the Rated Ranking Evaluator, by document or by gain",
        queries="text",
        evidence="the tool's reader, its files, files of Quepid",
        cannot="fractional grades",
    ),
    # Elasticsearch: modules/rank-eval, RatedRequest.java.
    Layout(
        name="rank_eval",
        shape=("requests[].ratings",),
        roles={
            "query_id": "requests[].id",
            "doc_id": "requests[].ratings[]._id",
            "grade": "requests[].ratings[].rating",
            "index": "requests[].ratings[]._index?",
        },
        text=request_text,
        fields=("requests[].params?{}",),
        choices={"index": "(required)", "field": "to match (default: all fields)"},
        write=write_rank_eval,
        summary="a request to `_rank_eval` of Elasticsearch or OpenSearch",
        queries="id of the request",
        evidence="the tool's parser; both engines run what Gainful writes",
        cannot="fractional grades",
        aliases=("rankeval",),
    ),
    # search-relevance: ImportJudgmentsProcessor.java. Ratings are numbers written as texts.
    Layout(
        name="opensearch",
        shape=("judgmentRatings|querySetQueries",),
        roles={
            "text": "judgmentRatings[].query",
            "doc_id": "judgmentRatings[].ratings[].docId",
            "grade": "judgmentRatings[].ratings[].rating?",
        },
        otherwise=({"text": "querySetQueries[].queryText", "doc_id": "", "grade": ""},),
        fields=("querySetQueries[]{}",),
        wrappers=("", "hits.hits[]._source", "hits.hits[]"),
        choices={"name": "", "description": ""},
        write=write_opensearch,
        summary="judgments and query sets of the Search Relevance Workbench",
        queries="text",
        evidence="the tool's importer, its files",
    ),
    # The kernel reads the judgments of golden sets, like any records, and their queries.
    Layout(
        name="golden",
        write=write_golden,
        summary="a golden set: questions with the ids of relevant documents (JSON, JSON lines,"
        " CSV)",
        queries="`id`, or the question",
        evidence="the formats of LangSmith, LlamaIndex and DeepEval",
        aliases=("goldens",),
    ),
    # https://labelstud.io/guide/task_format
    Layout(
        name="label_studio",
        shape=("[].data", "[].annotations"),
        roles={
            "query_id": "[].data.~query_id",
            "text": "[].data.~text?",
            "doc_id": "[].data.~doc_id",
            "grade": f"{_VALUE}.choices?|{_VALUE}.rating?|{_VALUE}.number?",
            "question": f"{_ANNOTATION}.result?[].from_name?",
            "rater": f"{_ANNOTATION}.completed_by?.email?|{_ANNOTATION}.completed_by?.id?"
            f"|{_ANNOTATION}.completed_by?",
            "unless": f"{_ANNOTATION}.was_cancelled?",
            "final": f"{_ANNOTATION}.ground_truth?",
        },
        several=True,
        choices={"question": "", "LABEL": ""},
        word="how to combine the grades of raters",
        summary="tasks of Label Studio, exported as JSON",
        queries="the query in `data`",
        evidence="its documentation, Gainful's exporter",
    ),
    # argilla/src/argilla/records: Record.to_dict, to_json.
    Layout(
        name="argilla",
        shape=("[].fields", "[].responses", "[].suggestions"),
        roles={
            "query_id": "[].metadata.~query_id|[].fields.~query_id",
            "text": "[].fields.~text?",
            "doc_id": "[].metadata.~doc_id|[].fields.~doc_id",
            "grade": "[].responses?{}[].value?",
            "question": "[].responses?{}.@key",
            "rater": "[].responses?{}[].user_id?",
        },
        several=True,
        choices={"question": "", "LABEL": ""},
        word="how to combine the grades of raters",
        summary="records of Argilla, exported with `to_json`",
        queries="the query in `metadata` or `fields`",
        evidence="the source of its exporter",
    ),
    # xiaowu0162/LongMemEval, README.md: "Dataset Format".
    Layout(
        name="longmemeval",
        shape=("[].answer_session_ids", "[].question_id"),
        roles={
            "query_id": "[].question_id",
            "text": "[].question",
            "doc_id": "[].answer_session_ids[]",
        },
        unanswered="_abs",
        fields=("[].question_type?", "[].question_date?"),
        summary="LongMemEval: questions with the sessions that have their answers; questions to"
        " abstain from are left out",
        queries="`question_id`",
        evidence="its documentation",
    ),
    # snap-research/locomo, README: "Data". The table is what MemPalace's scorer reads.
    Layout(
        name="locomo",
        shape=("[].qa[].evidence", "[].qa[].question"),
        roles={
            "collection": "[].sample_id",
            "text": "[].qa[].question",
            "doc_id": "[].qa[].evidence?[]",
        },
        header=("conversation", "evidence"),
        columns={"doc_id": "evidence"},
        references=dialog_references,
        fields=("[].qa[].category?", "[].sample_id", "category", "conversation"),
        word="the documents: sessions, turns, or the sessions that mempalace reads",
        summary="LoCoMo: conversations with questions, or a table of questions, with the ids of"
        " turns that have their answers",
        queries="conversation and number, `conv-26-q001`; or the column",
        evidence="its documentation, the ids of its questions",
    ),
    # yale-nlp/Bright-Pro: bright_pro_data.py.
    Layout(
        name="bright_pro",
        shape=("[].aspects[].supporting_docs|[].supporting_docs",),
        roles={
            "query_id": "[].id",
            "text": "[].query?",
            "group": "[].aspects[].id",
            "weight": "[].aspects[].weight?",
            "doc_id": "[].aspects[].supporting_docs?[]",
        },
        otherwise=({"group": "[].id", "weight": "[].weight?", "doc_id": "[].supporting_docs[]"},),
        query_pattern=r"(.+)-(?:a|aspect-)[0-9]+",
        summary="Bright-Pro: aspects of queries with their weights and documents, which are groups",
        queries="id of the aspect without its ending, or of the query",
        evidence="its loader",
    ),
    # castorini/nuggetizer: src/nuggetizer/core/types.py, "assign".
    Layout(
        name="nuggets",
        shape=("[].nuggets[].assignment", "[].qid"),
        roles={
            "query_id": "[].qid",
            "text": "[].query?|[].text?",
            "doc_id": "[].docid?|[].run_id",
            "group": "[].nuggets[].text",
            "weight": "[].nuggets[].importance?",
            "grade": "[].nuggets[].assignment",
        },
        labels={
            "": {"support": 1, "partial_support": 0.5, "not_support": 0},
            "strict": {"support": 1, "partial_support": 0, "not_support": 0},
        },
        weights={"vital": 1, "okay": 0.5},
        choices=dict.fromkeys(("support", "partial_support", "not_support", "vital", "okay"), ""),
        word="the grades of assignments, such as strict",
        summary="nuggets that were assigned to documents or answers, as AutoNuggetizer writes them;"
        " each nugget is a group",
        queries="`qid`",
        evidence="its documentation",
        aliases=("autonuggetizer",),
    ),
    # confident-ai/deepeval, pull request 2743: LLMTestCase with RetrievedContextData.
    Layout(
        name="deepeval",
        run=True,
        shape=("[].input", "[].retrieval_context[].source|[].retrievalContext[].source"),
        wrappers=("", "test_cases", "testCases"),
        roles={"text": "[].input", "doc_id": "[].retrieval_context[].source"},
        otherwise=({"doc_id": "[].retrievalContext[].source"},),
        summary="test cases of DeepEval, whose retrieved chunks name their sources",
        queries="the text in `input`",
        evidence="its source code",
    ),
    # https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
    Layout(
        name="openinference",
        run=True,
        dotted="attributes",
        wrappers=("", "data", "resourceSpans[].scopeSpans[].spans"),
        shape=(_DOCUMENT,),
        roles={
            "only": "[].attributes.retrieval?.documents?",
            "text": "[].attributes.input?.value?",
            "doc_id": f"{_DOCUMENT}.id",
            "score": f"{_DOCUMENT}.score?",
        },
        summary="spans of retrievers in the conventions of OpenInference, as Phoenix and others"
        " record them",
        queries="the text in `input.value`",
        evidence="its specification, spans of Phoenix and OTLP",
    ),
)

_registered: list[Layout] = []


def register(layout: Layout) -> None:
    """Add a layout, which is tried before those of Gainful.

    Parameters
    ----------
    layout : Layout
        Its name may not be that of another layout, nor of a row format.

    Raises
    ------
    ArgumentError
        For another object, or a name that is taken.

    Examples
    --------
    >>> register(Layout(name="quepid"))
    Traceback (most recent call last):
    gainful.errors.ArgumentError: layout: found 'quepid', the name of another layout, expected ...
    """
    if not isinstance(layout, Layout):
        raise ArgumentError(where="layout", found=type(layout).__name__, expected="a Layout")
    if of_rows(layout.name) or layout.name in known_layouts():
        raise ArgumentError(
            where="layout",
            found=f"{layout.name!r}, the name of another layout",
            expected="another name",
        )
    _registered.append(layout)


def known_layouts() -> dict[str, Layout]:
    """Return the layouts by name: registered ones, those of installed packages, and Gainful's."""
    layouts = (*_registered, *_of_packages(), *LAYOUTS)
    return {layout.name: layout for layout in layouts}


@cache
def _of_packages() -> tuple[Layout, ...]:
    layouts: list[Layout] = []
    for entry, loaded in installed(packages.LAYOUTS):
        several = [loaded] if isinstance(loaded, Layout) else loaded
        if not isinstance(several, (list, tuple)) or not all(
            isinstance(layout, Layout) for layout in several
        ):
            raise error_in(entry, "is neither a Layout nor a list of them")
        layouts += several
    return tuple(layouts)


def list_format(format: str) -> ListFormat:
    """Return a layout with options from its name, as in ``raters:mean``.

    Examples
    --------
    >>> list_format("Rank-Eval:index=shop,field=title"), list_format("raters:mean").word
    (rank_eval:index=shop,field=title, 'mean')
    """
    requested, _, rest = format.partition(":")
    requested = requested.strip().lower().replace("-", "_")
    layouts = known_layouts()
    layout = next((one for one in layouts.values() if requested in (one.name, *one.aliases)), None)
    if layout is None:
        names = dict.fromkeys([*(layout.name for layout in LAYOUTS), *layouts])
        known = ", ".join(names if of_rows(format) else (*ROWS, *names))
        raise ParameterError(
            f"unknown format {format!r}, expected one of {known}", code=Code.UNKNOWN_FORMAT
        )
    choices = ("ids", "scale", *layout.choices)
    word = ""
    settings: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        key = next((known for known in choices if known.lower() == key.lower()), key)
        if not equals and layout.word and not word:
            word = part.strip()
        elif equals and (key in choices or "LABEL" in choices) and key not in settings:
            settings[key] = value
        else:
            more = f"; a value without a key sets {layout.word}" if layout.word else ""
            raise ParameterError(
                where=f"the format {format!r}",
                found=repr(part.strip()),
                expected=f"any of {'=, '.join(choices)}=, each once{more}",
            )
    return ListFormat(layout, word, settings)
