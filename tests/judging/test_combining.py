"""``Ratings.combine`` and ``assess-judgments --combine``: rules, provenance, systems by rule."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import FormatError, ParameterError
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

#: The labels of ana, ben and eva.
LABELS = {"d1": (3, 3, 0), "d2": (0, 2, 3), "d3": (1, 1, 1), "d4": (2, None, 0), "d5": (None, 2, 1)}
ROWS = [
    ("q1", document, rater, grade)
    for document, grades in LABELS.items()
    for rater, grade in zip(("ana", "ben", "eva"), grades, strict=True)
    if grade is not None
]


def by_document(found) -> dict[str, tuple[float, str]]:
    return {each.doc_id: (each.grade, each.decided_by) for each in found.labels}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (
            "majority",
            {
                "d1": (3, "majority"),
                "d2": (2, "tie"),
                "d3": (1, "unanimous"),
                "d4": (0, "tie"),
                "d5": (1, "tie"),
            },
        ),
        (
            "median",
            {
                "d1": (3, "median"),
                "d2": (2, "median"),
                "d3": (1, "unanimous"),
                "d4": (1, "median"),
                "d5": (1.5, "median"),
            },
        ),
        (
            "mean",
            {
                "d1": (2, "mean"),
                "d2": (5 / 3, "mean"),
                "d3": (1, "unanimous"),
                "d4": (1, "mean"),
                "d5": (1.5, "mean"),
            },
        ),
        (
            "owner",
            {
                "d1": (3, "owner"),
                "d2": (0, "owner"),
                "d3": (1, "owner"),
                "d4": (2, "owner"),
                "d5": (1, "tie"),
            },
        ),
    ],
)
def test_rules(method: str, expected) -> None:
    found = gainful.Ratings(ROWS).combine(method, owner="ana" if method == "owner" else None)
    assert {d: by for d, (_, by) in by_document(found).items()} == {
        d: by for d, (_, by) in expected.items()
    }
    assert found.qrels().to_dict()["q1"] == pytest.approx({d: g for d, (g, _) in expected.items()})
    assert sum(found.decided_by.values()) == 5


def test_the_owner_is_by_default_the_final_grades() -> None:
    rows = [{"query_id": "q", "doc_id": d, "rater": r, "grade": g} for _, d, r, g in ROWS]
    rows += [{"query_id": "q", "doc_id": "d1", "source": "final", "grade": 1}]
    rows += [{"query_id": "q", "doc_id": "d9", "source": "final", "grade": 2}]
    found = gainful.Ratings(rows).combine("owner")
    decided = by_document(found)
    assert decided["d1"] == (1, "owner")
    assert decided["d9"] == (2, "owner")
    assert decided["d3"] == (1, "unanimous")
    # Other rules use the labels of raters, and leave out documents without any.
    assert "d9" not in by_document(gainful.Ratings(rows).combine("majority"))


def test_the_model_weighs_raters_by_their_accuracy() -> None:
    rows = []
    for at in range(60):
        true = at % 2
        rows += [("q", f"d{at}", "good", true), ("q", f"d{at}", "fine", true if at % 10 else 1)]
        rows += [("q", f"d{at}", f"bad{n}", (at // (2 + n)) % 2) for n in range(2)]
    found = gainful.Ratings(rows).combine("dawid-skene")
    estimates = found.estimates
    assert estimates.accuracy["good"] > 0.9 > 0.7 > estimates.accuracy["bad0"]
    assert estimates.weight["good"] > estimates.weight["bad1"]
    assert found.qrels().to_dict()["q"] == {f"d{at}": at % 2 for at in range(60)}
    assert "quality weight" in str(found)
    assert "majority or median is as good" in str(found)


def test_the_model_needs_three_raters(capsys) -> None:
    two = [row for row in ROWS if row[2] != "eva"]
    with pytest.raises(ParameterError, match="dawid-skene with 2 raters, expected 3"):
        gainful.Ratings(two).combine("dawid-skene")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("average",), "expected one of majority"),
        (("owner",), "needs an owner"),
        (("owner", "bob"), "expected one of ana, ben, eva"),
    ],
)
def test_wrong_arguments_are_errors(arguments, text: str) -> None:
    owner = arguments[1] if len(arguments) > 1 else None
    with pytest.raises(ParameterError, match=text):
        gainful.Ratings(ROWS).combine(arguments[0], owner=owner)


def test_only_final_grades_cannot_be_combined() -> None:
    rows = [{"query_id": "q", "doc_id": "d", "source": "final", "grade": 1}]
    with pytest.raises(FormatError, match="only final grades"):
        gainful.Ratings(rows).combine("majority")


def three_raters() -> gainful.Ratings:
    """Return labels of the documents of the runs, in which one rater reverses the grades."""
    judged = gainful.read_qrels("qrels.txt")
    rows = []
    for query, own in judged.items():
        for document, grade in own.items():
            rows += [(query, document, rater, grade) for rater in ("ana", "ben")]
            rows.append((query, document, "eva", 2 - min(grade, 2)))
    return gainful.Ratings(rows)


def test_systems_are_scored_under_each_rule() -> None:
    runs = {"bm25": "bm25.run", "dense": "dense.run"}
    found = three_raters().combine("majority", runs=runs, measure="nDCG@5", owner="eva")
    assert found.systems.raters == ("majority", "median", "mean", "dawid-skene", "owner")
    expected = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@5")
    for system in runs:
        assert found.systems.means[system]["majority"] == pytest.approx(
            expected.mean(system=system)
        )
        assert found.systems.means[system]["owner"] != found.systems.means[system]["majority"]
    text = str(found)
    assert "Mean nDCG@5 by rule" in text
    assert "Verdicts by rule" in text
    assert not errors(json.loads(json.dumps(found.to_dict())), schema_of("combined-judgments"))


def test_the_command_writes_judgments_with_their_provenance(capsys) -> None:
    lines = ["query_id,doc_id,rater,grade", *(",".join(map(str, row)) for row in ROWS)]
    Path("labels.csv").write_text("\n".join(lines) + "\n")
    for name in ("out.txt", "out.csv", "out.jsonl"):
        assert main(["assess-judgments", "labels.csv", "--combine", "median", "-o", name]) == 0
        assert "Labels combined by median" in capsys.readouterr().out
    expected = gainful.Ratings(ROWS).combine("median").qrels().to_dict()
    assert gainful.read_qrels("out.txt").to_dict() == expected
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert rows[0] == {
        "query_id": "q1",
        "doc_id": "d1",
        "grade": 3,
        "decided_by": "median",
        "probability": None,
        "labels": {"ana": 3, "ben": 3, "eva": 0},
    }
    with open("out.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [json.loads(row["labels"]) for row in table] == [row["labels"] for row in rows]
    assert main(["assess-judgments", "labels.csv", "--combine", "mean", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "mean"


@pytest.mark.parametrize(
    "wrong",
    [
        ["--owner", "ana"],
        ["--combine", "median", "--labels"],
        ["--combine", "owner", "--owner", "bob"],
        ["--combine", "median", "--by", "attributes.tsv"],
        ["--combine", "median", "-m", "nDCG@5", "--margin", "0.1"],
    ],
)
def test_wrong_options_have_status_2(wrong, capsys) -> None:
    lines = ["query_id,doc_id,rater,grade", *(",".join(map(str, row)) for row in ROWS)]
    Path("labels.csv").write_text("\n".join(lines) + "\n")
    assert main(["assess-judgments", "labels.csv", *wrong]) == 2
    assert capsys.readouterr().err.startswith("gainful: ")
