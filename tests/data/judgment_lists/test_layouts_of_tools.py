"""Exports of annotation tools and traces are read as their layouts declare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.data import layouts
from gainful.data.judgment_lists import listed_queries
from gainful.data.layouts import Layout
from gainful.data.records import Path as JsonPath
from gainful.errors import ArgumentError, FormatError, ParameterError
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test's folder the current one."""
    monkeypatch.chdir(tmp_path)


def write(content: Any, name: str = "export.json") -> str:
    lines = name.endswith(".jsonl")
    text = "".join(json.dumps(one) + "\n" for one in content) if lines else json.dumps(content)
    Path(name).write_text(text, "utf-8")
    return name


# --- Label Studio ---------------------------------------------------------------------------------


def region(value: object, name: str = "relevance", kind: str = "choices") -> dict[str, Any]:
    """Return a region of a result, as https://labelstud.io/guide/task_format shows it."""
    shown = [value] if kind in ("choices", "text") else value
    return {"from_name": name, "to_name": "text", "type": kind, "value": {kind: shown}}


def annotation(by: object, *results: dict[str, Any], **others: object) -> dict[str, Any]:
    return {"completed_by": by, "was_cancelled": False, "result": [*results], **others}


ANA = {"id": 1, "email": "ana@x.org", "first_name": "Ana", "last_name": ""}


def task(document: str, *annotations: dict[str, Any]) -> dict[str, Any]:
    data = {"query_id": "q1", "query": "lentil soup", "doc_id": document, "text": "A soup."}
    return {"id": 7, "data": data, "annotations": [*annotations], "predictions": []}


TASKS = [
    task(
        "r01",
        annotation(ANA, region("3 exact"), region("see above", "why", "text")),
        annotation(2, region(2, kind="rating")),
    ),
    task("r02", annotation(ANA, region("0")), annotation(2, region(9), was_cancelled=True)),
    task("r03", annotation(2, region(1, kind="number"), ground_truth=True)),
    task("r04"),
]


@for_each(
    ("how", "grades"),
    {
        "mean": {"r01": 2.5, "r02": 0},
        "ana@x.org": {"r01": 3, "r02": 0},
        "2": {"r01": 2},
        "final": {"r03": 1},
    }.items(),
)
@for_each("name", ["export.json", "export.jsonl"])
def test_tasks_of_label_studio(how: str, grades: dict[str, float], name: str) -> None:
    path = write(TASKS, name)
    assert gainful.read_qrels(path, format=f"label-studio:{how}").to_dict() == {"q1": grades}
    with pytest.raises(ParameterError, match="one of mean, median, majority, final, ana@x.org, 2"):
        gainful.read_qrels(path)
    queries = listed_queries(path)
    assert queries is not None
    assert [(query.id, query.text) for query in queries] == [("q1", "lentil soup")]


def test_one_annotator_needs_no_combination() -> None:
    path = write([task("r01", annotation(ANA, region("2"))), task("r02", annotation(ANA))])
    qrels = gainful.read_qrels(path)
    assert qrels.to_dict() == {"q1": {"r01": 2}}
    assert "the grades are ana@x.org's" in str(qrels.note)


def test_labels_without_a_number_need_grades() -> None:
    path = write(
        [task("r01", annotation(1, region("Great"))), task("r02", annotation(1, region("Bad")))]
    )
    with pytest.raises(FormatError, match=r"\[0\].annotations\[0\].*'Great'.*label_studio:Great=1"):
        gainful.read_qrels(path)
    qrels = gainful.read_qrels(path, format="label_studio:Great=3,Bad=0")
    assert qrels.to_dict() == {"q1": {"r01": 3, "r02": 0}}
    labels = {"r01": "Relevant", "r02": "not relevant"}
    tasks = [task(document, annotation(1, region(label))) for document, label in labels.items()]
    assert gainful.read_qrels(write(tasks)).to_dict() == {"q1": {"r01": 1, "r02": 0}}
    qrels = gainful.read_qrels(write(tasks), format="label_studio:Relevant=3")
    assert qrels.to_dict() == {"q1": {"r01": 3, "r02": 0}}


def test_several_questions_are_not_mixed() -> None:
    path = write([task("r01", annotation(1, region("3"), region(5, "fluency", "rating")))])
    with pytest.raises(FormatError, match="'relevance' and of 'fluency'.*:question=fluency"):
        gainful.read_qrels(path)
    for question, grade in {"relevance": 3, "fluency": 5}.items():
        qrels = gainful.read_qrels(path, format=f"label_studio:question={question}")
        assert qrels.to_dict() == {"q1": {"r01": grade}}


def test_tasks_without_ids_are_refused() -> None:
    record = task("r01", annotation(1, region("3")))
    record["data"] = {"image": "x.png"}
    with pytest.raises(FormatError, match=r"\[0\].data.*no field such as query_id, qid, .*image"):
        gainful.read_qrels(write([record]), format="label_studio")


# --- Argilla --------------------------------------------------------------------------------------


def record(document: str, relevance: list[dict[str, Any]], **others: Any) -> dict[str, Any]:
    """Return a record as `Record.to_dict` of Argilla does."""
    return {
        "id": f"record of {document}",
        "fields": {"query": "lentil soup", "passage": "A long text."},
        "metadata": {"query_id": "q1", "doc_id": document},
        "suggestions": {"relevance": {"value": 3, "score": 0.5, "agent": "a model"}},
        "responses": {"relevance": relevance, **others},
        "vectors": {},
        "_server_id": None,
    }


RECORDS = [
    record("r01", [{"value": 3, "user_id": "u1"}, {"value": 2, "user_id": "u2"}]),
    record("r02", [{"value": 0, "user_id": "u1"}]),
    record("r03", []),
]


@for_each(
    ("how", "grades"),
    {"median": {"r01": 2.5, "r02": 0}, "u2": {"r01": 2}}.items(),
)
def test_records_of_argilla(how: str, grades: dict[str, float]) -> None:
    path = write(RECORDS)
    assert gainful.read_qrels(path, format=f"argilla:{how}").to_dict() == {"q1": grades}
    # Rows of ids without a grade are judgments, but not if annotators gave grades.
    with pytest.raises(ParameterError, match="one of mean, median, majority, u1, u2"):
        gainful.read_qrels(path)


def test_questions_of_argilla() -> None:
    rated = [
        record("r01", [{"value": "yes", "user_id": "u1"}], clear=[{"value": 1, "user_id": "u1"}])
    ]
    with pytest.raises(FormatError, match="'relevance' and of 'clear'"):
        gainful.read_qrels(write(rated), format="argilla:yes=1")
    qrels = gainful.read_qrels(write(rated), format="argilla:question=relevance,yes=1,no=0")
    assert qrels.to_dict() == {"q1": {"r01": 1}}


# --- OpenInference --------------------------------------------------------------------------------

RANKED = {"lentil soup": [("r02", 2.5), ("r01", 1.5)], "ramen": [("r07", 0.5)]}
OTHER = {"name": "answer", "attributes": {"llm.model_name": "a model", "input.value": "ramen"}}


def dotted(query: str, hits: list[tuple[str, float]]) -> dict[str, Any]:
    """Return the attributes of a span as OpenTelemetry records them."""
    attributes: dict[str, Any] = {"openinference.span.kind": "RETRIEVER", "input.value": query}
    for place, (document, score) in enumerate(hits):
        start = f"retrieval.documents.{place}.document"
        attributes |= {f"{start}.id": document, f"{start}.score": score, f"{start}.content": "x"}
    return attributes


def typed(value: object) -> dict[str, object]:
    return {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}


SPANS: dict[str, Any] = {
    "flat": [OTHER, *({"attributes": dotted(*pair)} for pair in RANKED.items())],
    "lists": [
        {
            "attributes": {
                "input.value": query,
                "retrieval.documents": [
                    {"document.id": document, "document.score": score, "document.metadata": "{}"}
                    for document, score in hits
                ],
            }
        }
        for query, hits in RANKED.items()
    ],
    "nested": {
        "data": [
            {
                "attributes": {
                    "input": {"value": query},
                    "retrieval": {
                        "documents": [
                            {"document": {"id": document, "score": score}}
                            for document, score in hits
                        ]
                    },
                }
            }
            for query, hits in RANKED.items()
        ]
    },
    "OTLP": {
        "resourceSpans": [
            {
                "scopeSpans": [
                    {
                        "spans": [
                            {
                                "attributes": [
                                    {"key": key, "value": typed(value)}
                                    for key, value in dotted(query, hits).items()
                                ]
                            }
                        ]
                    }
                ]
            }
            for query, hits in RANKED.items()
        ]
    },
}


@for_each("kind", SPANS)
@for_each("format", [None, "openinference"])
def test_spans_of_openinference_are_runs(kind: str, format: str | None) -> None:
    path = write(SPANS[kind])
    assert gainful.read_run(path, format=format).to_dict() == {
        query: dict(hits) for query, hits in RANKED.items()
    }
    judged = {"lentil soup": {"r01": 1}, "ramen": {"r07": 1}}
    assert gainful.evaluate(judged, path, "RR").means() == {"RR": 0.75}


def test_spans_in_lines_and_without_scores() -> None:
    path = write(SPANS["flat"], "spans.jsonl")
    assert list(gainful.read_run(path)) == list(RANKED)
    for span in SPANS["lists"]:
        span = json.loads(json.dumps(span))
        for hit in span["attributes"]["retrieval.documents"]:
            del hit["document.score"]
        query = span["attributes"]["input.value"]
        ranking = [document for document, _ in RANKED[query]]
        assert gainful.read_run(write([span])).to_dict() == {query: ranking}


@for_each(
    ("spans", "message"),
    [
        ([SPANS["flat"][1]] * 2, "two records of one query"),
        (
            [{"attributes": {"input.value": "q", "retrieval.documents.0.document.content": "x"}}],
            r"\[0\].attributes.retrieval.documents\[0\].document.*no 'id' .content",
        ),
        ([{"attributes": {"retrieval.documents.0.document.id": "x"}}], r"\[0\].*no query"),
    ],
)
def test_other_spans_are_refused(spans: list[Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        gainful.read_run(write(spans))


def test_runs_and_judgments_are_not_exchanged() -> None:
    path = write(SPANS["flat"])
    with pytest.raises(ParameterError, match="gainful.read_run reads it"):
        gainful.read_qrels(path, format="openinference")
    with pytest.raises(FormatError, match="the format quepid is of judgments"):
        gainful.read_run(path, format="quepid")
    with pytest.raises(FormatError, match="not a run in the format openinference"):
        gainful.read_run(write(TASKS), format="openinference")


# --- registered layouts ---------------------------------------------------------------------------

POLLS = Layout(
    name="polls",
    shape=("polls[].votes",),
    roles={
        "text": "polls[].asked",
        "doc_id": "polls[].votes[].page",
        "grade": "polls[].votes[].stars",
    },
)
VERDICTS = Layout(
    name="verdicts",
    header=("verdict",),
    roles={"query_id": "term", "doc_id": "sku", "grade": "verdict"},
    labels={"": {"good": 2, "fair": 1, "bad": 0}},
)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register layouts until the test ends."""
    monkeypatch.setattr(layouts, "_registered", [])
    for layout in (POLLS, VERDICTS):
        layouts.register(layout)


@pytest.mark.usefixtures("registered")
@for_each("is_named", [True, False])
def test_registered_layouts(is_named: bool) -> None:
    poll = {"asked": "soup", "votes": [{"page": "r01", "stars": 3}, {"page": 2, "stars": 0}]}
    path = write({"polls": [poll]})
    format = "polls" if is_named else None
    assert gainful.read_qrels(path, format=format).to_dict() == {"soup": {"r01": 3, "2": 0}}
    Path("table.csv").write_text("term,sku,verdict\nsoup,r01,Good\nsoup,r02,bad\nsoup,r03,\n")
    qrels = gainful.read_qrels("table.csv", format="verdicts" if is_named else None)
    assert qrels.to_dict() == {"soup": {"r01": 2, "r02": 0}}
    assert "the labels have the grades good 2, fair 1, bad 0" in str(qrels.note)
    Path("table.csv").write_text("term,sku,verdict\nsoup,r01,best\n")
    with pytest.raises(FormatError, match="line 2, query 'soup': unknown label 'best'"):
        gainful.read_qrels("table.csv", format="verdicts")


@pytest.mark.usefixtures("registered")
def test_errors_name_the_place_once() -> None:
    poll = {"asked": "soup", "votes": [{"page": "r01", "stars": "many"}]}
    with pytest.raises(FormatError, match=r"^polls\[0\].votes\[0\], export.json, query 'soup'"):
        gainful.read_qrels(write({"polls": [poll]}))


@pytest.mark.usefixtures("registered")
@for_each("layout", [POLLS, Layout(name="quepid"), Layout(name="trec"), "polls"])
def test_names_of_layouts_are_distinct(layout: Any) -> None:
    with pytest.raises(ArgumentError, match="the name of another layout|expected a Layout"):
        layouts.register(layout)


def test_every_path_of_a_layout_is_valid() -> None:
    for layout in layouts.LAYOUTS:
        groups = [layout.roles, *layout.otherwise]
        paths = [path for roles in groups for paths in roles.values() for path in paths.split("|")]
        if layout.shape:
            for path in [*paths, *layout.fields, *layout.wrappers]:
                JsonPath(path)
