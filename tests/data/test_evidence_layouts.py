"""Data sets of memory, aspects and nuggets are read as judgments, with groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.data.judgment_lists import listed_queries, read_judgment_list
from gainful.errors import FormatError, GainfulError

LONGMEMEVAL = [
    {
        "question_id": "g1",
        "question_type": "multi-session",
        "question": "How many?",
        "answer": 3,
        "haystack_session_ids": ["s1", "answer_1"],
        "haystack_sessions": [[{"role": "user", "content": "hi"}], []],
        "answer_session_ids": ["answer_1", "answer_2"],
    },
    {
        "question_id": "g2_abs",
        "question_type": "single-session-user",
        "question": "Which?",
        "answer": "not mentioned",
        "answer_session_ids": ["answer_g2_abs_1"],
    },
]
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {"session_1": [{"dia_id": "D1:1", "speaker": "A", "text": "hi"}]},
        "qa": [
            {"question": "Q?", "answer": "a", "evidence": ["D8:6; D9:17"], "category": 1},
            {"question": "Q?", "answer": "b", "evidence": ["D9:1 D4:4 D4:6"], "category": 3},
            {"question": "R?", "answer": "c", "evidence": ["D1:18", "D", "D:11:26"]},
            {"question": "S?", "adversarial_answer": "d", "evidence": [], "category": 5},
            {"question": "T?", "answer": "e", "category": 5},
        ],
    },
    {"sample_id": "conv-2", "conversation": {}, "qa": [{"question": "Q?", "evidence": ["D1:1"]}]},
]
ASPECTS = [
    {"id": "biology-0-a1", "content": "x", "weight": 3, "supporting_docs": ["d1", "d2"]},
    {"id": "biology-0-a2", "content": "y", "weight": 1, "supporting_docs": ["d1"]},
    {"id": "biology-1-aspect-1", "content": "z", "weight": 2, "supporting_docs": ["d9"]},
]
NUGGETS = [
    {
        "text": "What is Python?",
        "qid": "q1",
        "docid": document,
        "nuggets": [
            {"text": "a language", "importance": "vital", "assignment": first},
            {"text": "threads", "importance": "okay", "assignment": second},
        ],
    }
    for document, first, second in (
        ("d1", "support", "partial_support"),
        ("d2", "not_support", "support"),
    )
]


def written(folder: Path, name: str, value: list[object] | list[dict[str, object]]) -> Path:
    path = folder / name
    lines = "\n".join(map(json.dumps, value)) if name.endswith("jsonl") else json.dumps(value)
    path.write_text(lines, "utf-8")
    return path


def test_sessions_with_answers_are_relevant(tmp_path: Path) -> None:
    path = written(tmp_path, "longmemeval_s.json", LONGMEMEVAL)
    qrels = gainful.read_qrels(path)
    assert qrels.to_dict() == {"g1": {"answer_1": 1, "answer_2": 1}}
    assert qrels.note is not None
    assert "1 question without an answer left out" in qrels.note
    queries = listed_queries(path)
    assert queries is not None
    assert [(query.id, query.text) for query in queries] == [
        ("g1", "How many?"),
        ("g2_abs", "Which?"),
    ]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        (
            "locomo",
            [["session_8", "session_9"], ["session_9", "session_4"], ["session_1", "session_11"]],
        ),
        ("locomo:turns", [["D8:6", "D9:17"], ["D9:1", "D4:4", "D4:6"], ["D1:18", "D11:26"]]),
    ],
)
def test_all_references_of_dialogs_are_read(
    format: str, expected: list[list[str]], tmp_path: Path
) -> None:
    path = written(tmp_path, "locomo10.json", LOCOMO)
    qrels = gainful.read_qrels(path, format=format)
    found = qrels.to_dict()
    assert [list(found[f"conv-1-q00{number}"]) for number in (1, 2, 3)] == expected
    # Equal questions are two, and those without evidence have no judgments.
    assert list(found) == ["conv-1-q001", "conv-1-q002", "conv-1-q003", "conv-2-q001"]
    assert qrels.note is not None
    assert "1 reference not readable: 'D' of conv-1-q003" in qrels.note
    assert "2 of 6 queries without judgments" in qrels.note


def test_one_conversation_is_a_list_of_one(tmp_path: Path) -> None:
    path = tmp_path / "26.json"
    path.write_text(json.dumps(LOCOMO[1]), "utf-8")
    assert gainful.read_qrels(path).to_dict() == {"conv-2-q001": {"session_1": 1}}


def test_documents_of_dialogs_are_sessions_or_turns(tmp_path: Path) -> None:
    path = written(tmp_path, "locomo10.json", LOCOMO)
    with pytest.raises(GainfulError, match="found 'chunks', expected sessions, turns or mempalace"):
        gainful.read_qrels(path, format="locomo:chunks")


def test_a_table_of_questions_gives_the_judgments(shared_data: Path) -> None:
    memory = shared_data / "memory"
    qrels = gainful.read_qrels(memory / "questions.tsv")
    assert qrels == gainful.read_qrels(memory / "qrels.txt")
    found = gainful.evaluate(qrels, memory / "hybrid.run", ["Success@10", "R@10", "nDCG@10"])
    assert [round(found.mean(name), 6) for name in ("Success@10", "R@10", "nDCG@10")] == [
        0.926337,
        0.888655,
        0.70645,
    ]
    assert qrels.note is not None
    assert "4 of 1,986 queries without judgments" in qrels.note
    assert "of conv-42-q089" in qrels.note


@pytest.mark.parametrize("name", ["biology.json", "biology.jsonl"])
def test_aspects_are_groups_with_weights(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, ASPECTS)
    assert gainful.read_qrels(path, subtopics=True).to_dict() == {
        "biology-0": {
            "biology-0-a1;weight=3": {"d1": 1, "d2": 1},
            "biology-0-a2": {"d1": 1},
        },
        "biology-1": {"biology-1-aspect-1;weight=2": {"d9": 1}},
    }
    assert gainful.read_qrels(path).to_dict() == {
        "biology-0": {"d1": 1, "d2": 1},
        "biology-1": {"d9": 1},
    }
    run = {"biology-0": ["d2"], "biology-1": ["d3"]}
    assert gainful.evaluate(path, run, "StRecall@2").per_query() == {
        "biology-0": 0.75,
        "biology-1": 0.0,
    }


def test_aspects_may_be_inside_queries(tmp_path: Path) -> None:
    aspects = [
        {"id": "a1", "weight": 2, "supporting_docs": ["d1"]},
        {"id": "a2", "supporting_docs": ["d1", "d2"]},
    ]
    path = written(tmp_path, "nested.jsonl", [{"id": "q1", "query": "why", "aspects": aspects}])
    assert gainful.read_qrels(path, subtopics=True).to_dict() == {
        "q1": {"a1;weight=2": {"d1": 1}, "a2": {"d1": 1, "d2": 1}}
    }


@pytest.mark.parametrize("weight", ["much", -1, True, float("inf")])
def test_a_weight_is_a_number(weight: object, tmp_path: Path) -> None:
    path = written(tmp_path, "aspects.json", [{**ASPECTS[0], "weight": weight}])
    with pytest.raises(FormatError, match="the weight"):
        gainful.read_qrels(path)


def test_a_group_has_one_weight(tmp_path: Path) -> None:
    path = written(tmp_path, "aspects.json", [ASPECTS[0], {**ASPECTS[0], "weight": 1}])
    with pytest.raises(FormatError, match="two weights for the group 'biology-0-a1': 3 and 1"):
        gainful.read_qrels(path)


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        (
            None,
            {"a language": {"d1": 1.0, "d2": 0.0}, "threads;weight=0.5": {"d1": 0.5, "d2": 1.0}},
        ),
        (
            "nuggets:strict",
            {"a language": {"d1": 1, "d2": 0}, "threads;weight=0.5": {"d1": 0, "d2": 1}},
        ),
        ("nuggets:okay=0", {"a language": {"d1": 1, "d2": 0}}),
        (
            "nuggets:okay=1,partial_support=0.25",
            {"a language": {"d1": 1.0, "d2": 0.0}, "threads": {"d1": 0.25, "d2": 1.0}},
        ),
    ],
)
def test_nuggets_are_groups(format: str | None, expected: object, tmp_path: Path) -> None:
    path = written(tmp_path, "assignments.jsonl", NUGGETS)
    assert gainful.read_qrels(path, format=format, subtopics=True).to_dict() == {"q1": expected}


def test_an_answer_is_the_document_of_its_nuggets(tmp_path: Path) -> None:
    answer = {**NUGGETS[0], "run_id": "my-rag", "docid": None, "query": "What is Python?"}
    path = written(tmp_path, "answers.jsonl", [answer])
    assert list(gainful.read_qrels(path).to_dict()["q1"]) == ["my-rag"]


def test_the_groups_of_a_list_are_subtopics_in_memory(tmp_path: Path) -> None:
    judged = read_judgment_list(written(tmp_path, "aspects.json", ASPECTS))
    assert gainful.Qrels(judged, subtopics=True).has_subtopics
    assert not gainful.Qrels(judged).has_subtopics


@pytest.mark.parametrize("field", ["retrieval_context", "retrievalContext"])
def test_sources_of_retrieved_chunks_are_a_run(field: str, tmp_path: Path) -> None:
    chunks = [{"source": "d2", "context": "Boil."}, {"source": "d1", "context": "Fry."}]
    cases = [
        {"input": "soup?", "actual_output": "x", field: chunks},
        {"input": "tea?", field: chunks},
    ]
    path = written(tmp_path, "cases.json", cases)
    run = gainful.read_run(path)
    assert list(run) == ["soup?", "tea?"]
    assert [document for document, _ in run["soup?"]] == ["d2", "d1"]


def test_nested_ids_are_groups(tmp_path: Path) -> None:
    rows = [{"qid": "q1", "query": "x", "retrieval_gt": [["A", "B"], ["C"]]}]
    path = written(tmp_path, "autorag.json", rows)
    expected = {"q1": {"1": {"A": 1, "B": 1}, "2": {"C": 1}}}
    assert gainful.read_qrels(path, subtopics=True).to_dict() == expected
    assert gainful.Qrels(rows, subtopics=True).to_dict() == expected
    assert gainful.read_qrels(path).to_dict() == {"q1": {"A": 1, "B": 1, "C": 1}}


def test_the_references_that_mempalace_misreads(shared_data: Path) -> None:
    """And the numbers that it prints, for all questions."""
    memory = shared_data / "memory"
    qrels = gainful.read_qrels(memory / "questions.tsv", format="locomo:mempalace")
    assert qrels.note is not None
    assert (
        "5 references misread as by MemPalace: 'D8:6; D9:17' of conv-26-q038, also of"
        " conv-43-q019, conv-49-q032, conv-49-q039, conv-49-q047" in qrels.note
    )
    runs = [memory / "raw.run", memory / "hybrid.run"]
    found = gainful.evaluate(qrels, runs=runs, measures="R@10", convention="mempalace-locomo")
    assert list(found.means().values()) == pytest.approx([0.6028744865, 0.8890946947], abs=1e-10)
