"""Documents of one class count once, in rankings, judgments and the ideal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas
import polars
import pytest

import gainful
from gainful.cli import main
from gainful.errors import GainfulError, MatchError

QRELS = {"q": {"A": 3, "A2": 3, "B": 1}}
COPIES = {"A": "x", "A2": "x"}


def ndcg(ranking: object, **options: object) -> float:
    return gainful.evaluate(QRELS, {"q": ranking}, "nDCG@10", **options).mean()


@pytest.mark.parametrize(
    ("policy", "value"), [("error", 1.0), ("blank", 0.963940), ("count", 1.485236), ("copies", 1.0)]
)
def test_two_copies_first(policy: str, value: float) -> None:
    found = ndcg(["A", "A2", "B"], same=COPIES, duplicates=policy)
    assert found == pytest.approx(value, abs=5e-7)


def test_without_copies_the_list_is_perfect_under_every_rule() -> None:
    assert ndcg(["A", "B"]) == pytest.approx(0.673293, abs=5e-7)
    for policy in ("error", "blank", "count"):
        assert ndcg(["A", "B"], same=COPIES, duplicates=policy) == 1.0


@pytest.mark.parametrize("policy", ["error", "blank"])
@pytest.mark.parametrize("scored", [False, True])
def test_removing_copies_never_lowers_a_value(policy: str, scored: bool) -> None:
    """Brute force over random lists, whose copies are removed below the first."""
    draw = random.Random(7)
    measures = ["nDCG@5", "nDCG", "AP", "RR", "R@4", "P@3", "RBP", "ERR", "FullRecall@4", "bpref"]
    documents = [f"{letter}{number}" for letter in "abcde" for number in range(3)]
    for _ in range(60):
        qrels = {"q": {document: draw.randrange(4) for document in draw.sample(documents, 8)}}
        ranking = draw.sample(documents, 9)
        kept = list({document[0]: document for document in reversed(ranking)}.values())[::-1]
        distinct = sorted(kept, key=ranking.index)
        lists = [ranking, distinct]
        if scored:
            lists = [{document: -float(at) for at, document in enumerate(one)} for one in lists]
        before, after = (
            gainful.evaluate(
                qrels, {"q": one}, measures, same=lambda document: document[0], duplicates=policy
            ).mean()
            for one in lists
        )
        for measure in measures:
            assert after[measure] >= before[measure] - 1e-12, (measure, ranking)
            if policy == "error":
                assert after[measure] == before[measure]


@pytest.mark.parametrize(
    "same",
    [
        COPIES,
        [("A", "x"), ("A2", "x")],
        pandas.DataFrame({"document": ["A", "A2"], "class": ["x", "x"]}),
        polars.DataFrame({"doc_id": ["A", "A2"], "class": ["x", "x"]}),
        ":^([A-Z])",
        lambda document: document[0],
    ],
)
def test_classes_in_memory(same: object) -> None:
    assert ndcg({"A": 3.0, "A2": 2.0, "B": 1.0}, same=same) == 1.0


@pytest.mark.parametrize(
    ("name", "text", "column"),
    [
        ("c.tsv", "document\tclass\nA\tx\nA2\tx\n", ""),
        ("c.csv", "A,x\nA2,x\n", ""),
        ("c.txt", "A x\nA2 x\n", ""),
        ("c.jsonl", '{"doc_id": "A", "of": "x", "n": 1}\n{"doc_id": "A2", "of": "x"}\n', ":of"),
    ],
)
def test_classes_in_files(tmp_path: Path, name: str, text: str, column: str) -> None:
    (tmp_path / name).write_text(text)
    assert ndcg(["A", "A2", "B"], same=f"{tmp_path / name}{column}") == 1.0


@pytest.mark.parametrize(
    ("same", "message"),
    [
        ({}, "no class"),
        (":(a)(b)", "2 groups"),
        (":(", "a regular expression"),
        ({"Z": "y"}, "no judged or retrieved document has a class"),
        ([1, 2], "found int"),
        (5, "found int"),
        ([("A", "x"), ("A", "y")], "two classes: 'x' and 'y'"),
        (pandas.DataFrame({"name": ["A"], "class": ["x"]}), "a column for documents"),
    ],
)
def test_what_are_no_classes(same: object, message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        ndcg(["A"], same=same)


def test_a_document_without_a_class_is_its_own() -> None:
    """And belongs to the class of its name."""
    assert ndcg(["A", "A2", "B"], same={"A2": "A"}) == 1.0


def test_a_duplicate_document_is_still_an_error() -> None:
    with pytest.raises(GainfulError, match="duplicate"):
        ndcg(["A", "B", "B"], same=COPIES)


def test_the_first_copy_is_that_of_the_order() -> None:
    frame = pandas.DataFrame(
        {"query_id": "q", "doc_id": ["A2", "B", "A"], "score": [1.0, 2.0, 3.0], "rank": [1, 2, 3]}
    )
    values = [
        gainful.evaluate({"q": {"A": 1}}, frame, "RR", same=COPIES, order=order).mean()
        for order in ("score", "rank")
    ]
    assert values == [1.0, 1.0]
    second = gainful.evaluate({"q": {"B": 1}}, frame, "RR", same=COPIES, order="rank")
    assert second.mean() == 0.5


@pytest.mark.parametrize("policy", ["blank", "first"])
def test_the_first_copy_does_not_depend_on_the_order_of_rows(policy: str) -> None:
    run = {"A": 1.0, "B": 3.0, "C": 1.5, "A2": 2.0}
    for rows in (run, dict(reversed(run.items()))):
        found = gainful.evaluate({"q": {"A": 1}}, {"q": rows}, "RR", same=COPIES, duplicates=policy)
        assert found.mean() == 0.5


def test_exclusion_is_of_documents_and_comes_first() -> None:
    result = gainful.evaluate(
        QRELS, {"q": ["B", "A", "A2"]}, "RR(rel=3)", same=COPIES, exclude={"q": ["A"]}
    )
    assert result.mean() == 0.5
    assert result.selection.copies_judged == 0
    note = "Documents of a class count once: 0 judged merged, 0 retrieved removed."
    assert note in result.to_text(notes=True)


def test_copies_of_a_text_are_one_text_of_spans() -> None:
    qrels = {"q": {"d1#char=0,100": 1, "d2#char=0,100": 1}}
    run = {"q": ["d1#char=0,100", "d2#char=0,100", "d3#char=0,50"]}
    measures = ["SpanR@1", "SpanP", "SpanUnits", "FullRecall@1"]
    same = {"d1": "d", "d2": "d"}
    result = gainful.evaluate(qrels, run, measures, same=same)
    # The copy is read, and covers nothing new.
    assert list(result.mean().values()) == [1.0, 100 / 150, 250.0, 1.0]
    shorter = {"q": ["d1#char=0,100", "d3#char=0,50"]}
    compared = gainful.compare(qrels, {"a": run, "b": shorter}, "SpanR(budget=100)", same=same)
    assert compared.pairs[0].difference == 0


def test_groups_of_judgments_keep_their_labels() -> None:
    qrels = gainful.Qrels({"q": {"g": {"A": 1, "B": 1}, "h": {"A2": 2}}}, subtopics=True)
    result = gainful.evaluate(qrels, {"q": ["A"]}, ["FullRecall@1", "alpha_nDCG@1"], same=COPIES)
    assert result.mean("FullRecall@1") == 1.0


def test_evaluations_of_parts_add_their_copies() -> None:
    qrels = {**QRELS, "r": {"A": 1, "A2": 1}}
    run = {"q": ["A", "A2"], "r": ["A2", "A"]}
    whole = gainful.evaluate(qrels, run, "AP", same=COPIES)
    parts = [
        gainful.evaluate({query: qrels[query]}, {query: run[query]}, "AP", same=COPIES)
        for query in qrels
    ]
    joined = gainful.Evaluation.concat(parts)
    assert joined.mean() == whole.mean()
    assert joined.selection == whole.selection
    assert whole.selection.copies_retrieved == {"run": 2}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q 0 A 3\nq 0 A2 3\nq 0 B 1\nr 0 C 1\n")
    Path("old.run").write_text("q 0 A 1 3 x\nq 0 A2 2 2 x\nq 0 B 3 1 x\nr 0 C 1 1 x\n")
    Path("new.run").write_text("q 0 A 1 3 x\nq 0 B 2 2 x\nr 0 C 1 1 x\n")
    Path("same.tsv").write_text("document\tclass\nA\tx\nA2\tx\n")
    return tmp_path


def run_command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(words)
    output = capsys.readouterr()
    return status, output.out + output.err


def test_commands(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = ("--same", "same.tsv")
    status, output = run_command(
        capsys, "evaluate", "qrels.txt", "old.run", "-m", "nDCG@10", *same, "--format", "json"
    )
    found = json.loads(output)
    assert (status, found["systems"]["old"]["nDCG@10"]["mean"]) == (0, 1.0)
    assert found["selection"]["copies_retrieved"] == {"old": 1}
    status, output = run_command(capsys, "compare", "qrels.txt", "old.run", "new.run", *same)
    assert status == 0
    assert "identical" in output
    words = ("explain", "qrels.txt", "old.run", "-q", "q", "-m", "nDCG@10")
    status, output = run_command(capsys, *words, *same)
    assert status == 0
    assert "nDCG@10 = 1.0000" in output
    status, output = run_command(capsys, *words[:3], "-m", "nDCG@10", *same, "--exclude", "no.tsv")
    assert status == 2
    pattern = ("--same", ":^([A-Z])")
    status, output = run_command(
        capsys, "gate", "qrels.txt", "old.run", "--save", "s.json", "-m", "nDCG@10", *pattern
    )
    assert status == 0
    status, output = run_command(
        capsys, "gate", "qrels.txt", "new.run", "--snapshot", "s.json", *pattern
    )
    assert (status, "pass" in output) == (0, True)
    assert run_command(capsys, "report", "qrels.txt", "old.run", "new.run", *same)[0] == 0
    assert "Documents of a class count once" in Path("report.html").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "qrels.txt", "old.run", "--convention", "gainful", "--convention", "ranx"),
        ("evaluate", "qrels.txt", "old.run", "--predicted", "qrels.txt", "--sampled", "random"),
        ("evaluate", "scores.csv"),
    ],
)
def test_what_has_no_classes(files: Path, capsys: pytest.CaptureFixture[str], words) -> None:
    Path("scores.csv").write_text("query_id,system,value\nq,a,1\n")
    status, output = run_command(capsys, *words, "--same", "same.tsv")
    assert status == 2
    assert "same" in output


def test_an_explanation_and_a_snapshot_match_the_evaluation() -> None:
    run = {"q": ["A2", "A", "B"]}
    explained = gainful.explain(QRELS, run, "q", "nDCG@10", same=COPIES)
    assert [rank.document for rank in explained.ranks if rank.document][:2] == ["x", "B"]
    assert explained.value == ndcg(["A2", "A", "B"], same=COPIES)
    without = gainful.explain(QRELS, run, "q", "nDCG@10", exclude={"q": ["A2"]})
    assert without.ranks[0].document == "A"
    snapshot = gainful.make_snapshot(QRELS, run, "nDCG@10", same=COPIES)
    assert snapshot.queries["q"].documents == ("x", "B")
    assert gainful.gate(QRELS, run, snapshot, same=COPIES).verdict == "pass"
    with pytest.raises(MatchError):
        gainful.gate(QRELS, run, snapshot, same={"Z": "y"})
