"""Labels are exchanged with Label Studio and Quepid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ColumnError, DuplicateError, FormatError, GainfulError, ParameterError

pytestmark = pytest.mark.usefixtures("small_files")


def task(document: str, *annotations: object, **more: object) -> dict[str, object]:
    """Return a task as Label Studio exports it, with fields that are not read."""
    return {
        "id": 7,
        "data": {"query": "lentil soup", "docid": document, "text": "Soup with [lentils]"},
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "meta": {},
        "created_at": "2026-03-09T21:52:49.513742Z",
        "inner_id": 1,
        "total_annotations": len(annotations),
        "project": 83,
        "updated_by": 1,
        **more,
    }


def annotation(who: object, *regions: object, **more: object) -> dict[str, object]:
    return {
        "id": 1001,
        "completed_by": who,
        "result": list(regions),
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 4.288,
        "task": 7,
        "parent_prediction": None,
        **more,
    }


def choice(value: object, name: str = "grade", kind: str = "choices") -> dict[str, object]:
    return {
        "id": "Dx_aB91ISN",
        "from_name": name,
        "to_name": "text",
        "type": kind,
        "origin": "manual",
        "value": {kind: value},
    }


def written(*tasks: object) -> str:
    Path("export.json").write_text(json.dumps(list(tasks), indent=1), encoding="utf-8")
    return "export.json"


def test_annotations_predictions_and_ground_truth_are_read() -> None:
    ana = {"id": 1, "first_name": "Ana", "last_name": "Lee", "email": "ana@example.com"}
    comment = choice(["good"], "why", "textarea")
    path = written(
        task("r01", annotation(ana, choice(["2 good"]), comment), annotation(10, choice(["3"]))),
        task("r02", annotation(ana, choice(1, "stars", "rating"))),
        task("r03", annotation(ana, was_cancelled=True), annotation(10)),
        task(
            "r04",
            annotation(10, choice(["1"])),
            annotation(ana, choice(["0"]), ground_truth=True),
            predictions=[{"model_version": "umbrela", "score": 0.9, "result": [choice(["2"])]}],
        ),
    )
    ratings = gainful.read_ratings(path)
    assert [str(rater.name) for rater in ratings.raters] == ["ana@example.com", "10", "umbrela"]
    assert dict(ratings.grades("ana@example.com")) == {
        ("lentil soup", "r01"): 2,
        ("lentil soup", "r02"): 1,
    }
    assert dict(ratings.grades("10")) == {("lentil soup", "r01"): 3, ("lentil soup", "r04"): 1}
    assert ratings.raters[2].source.kind == "model"
    assert ratings.final == "ground truth"
    assert dict(ratings.grades("ground truth")) == {("lentil soup", "r04"): 0}
    assert ratings.blank == 2


def test_a_control_is_chosen_among_several() -> None:
    both = annotation(1, choice(["2"]), choice(4, "quality", "rating"))
    path = written(task("r01", both))
    with pytest.raises(FormatError, match="controls grade and quality, expected one") as caught:
        gainful.read_ratings(path)
    assert "name it with columns={'grade': NAME}" in str(caught.value)
    ratings = gainful.read_ratings(path, columns={"grade": "quality"})
    assert list(ratings.grades("1").values()) == [4]


@pytest.mark.parametrize(
    ("tasks", "error", "text"),
    [
        ([task("r01", annotation(1, choice(["relevant"])))], FormatError, "begins with the grade"),
        ([task("r01", annotation(1, choice(["2nd"])))], FormatError, "begins with the grade"),
        ([task("r01", annotation(1, choice(["1", "2"])))], FormatError, "begins with the grade"),
        ([{"data": {"text": "a"}, "annotations": []}], ColumnError, "query"),
        (
            [task("a", annotation(1, choice(["1"])), annotation(1, choice(["2"])))],
            DuplicateError,
            "second grade by 1",
        ),
        ([task("a", annotation(1))], FormatError, "only empty cells"),
        ([], GainfulError, "export.json"),
        ([1, 2], GainfulError, "export.json"),
    ],
)
def test_wrong_exports_are_errors(tasks, error, text: str, capsys) -> None:
    path = written(*tasks)
    with pytest.raises(error, match=text):
        gainful.read_ratings(path)
    assert main(["assess-judgments", path]) == 2
    assert capsys.readouterr().err.startswith("gainful: ")


def test_a_book_of_quepid_has_a_column_per_person() -> None:
    # A name that begins with =, +, - or @ gets a space in front.
    Path("book.csv").write_text(
        'query,docid,Ana Lee, @ben\n"soup, hot",r01,3,\n"soup, hot",r02,0.0,1\nstew,r02,,2\n'
    )
    ratings = gainful.read_ratings("book.csv")
    assert [rater.name for rater in ratings.raters] == ["Ana Lee", "@ben"]
    assert dict(ratings.grades("@ben")) == {("soup, hot", "r02"): 1, ("stew", "r02"): 2}
    assert gainful.read_qrels("book.csv", format="raters:mean").to_dict() == {
        "soup, hot": {"r01": 3, "r02": 0.5},
        "stew": {"r02": 2},
    }
    Path("twice.csv").write_text("query,docid,Ana,Ana\nq,d,1,2\n")
    with pytest.raises(ColumnError, match="several columns called 'Ana'"):
        gainful.read_ratings("twice.csv")
    # Quepid's ratings of a case are one rater's.
    Path("case.csv").write_text("query,docid,rating\nsoup,r01,3\n")
    assert [rater.name for rater in gainful.read_ratings("case.csv").raters] == ["case"]


ROWS = [
    ("q 1", 'd"1', "ana", 3),
    ("q 1", 'd"1', "bén 🙂", 0.5),
    ("q,2", "d\t2", "ana", 0),
    ("q,2", "d3", "bén 🙂", 1),
]


@pytest.mark.parametrize("format", ["csv", "jsonl", "quepid-book", "label-studio"])
def test_labels_survive_a_round_trip(format: str) -> None:
    ratings = gainful.Ratings(ROWS)
    suffix = {"jsonl": "jsonl", "label-studio": "json"}.get(format, "csv")
    assert ratings.write(f"out.{suffix}", format) == ()
    again = gainful.read_ratings(f"out.{suffix}")
    for rater in ("ana", "bén 🙂"):
        assert dict(again.grades(rater)) == dict(ratings.grades(rater))


def test_what_a_format_lacks_is_named() -> None:
    rows = [{"query_id": q, "doc_id": d, "rater": r, "grade": g} for q, d, r, g in ROWS]
    rows.append({"query_id": "q 1", "doc_id": 'd"1', "source": "final", "grade": 2})
    ratings = gainful.Ratings(rows, sources={"ana": "model:umbrela@2024"})
    assert ratings.write("book.csv", "quepid-book") == (
        "1 final grades",
        "the sources of the raters",
    )
    assert ratings.write("tasks.json") == ("the versions of the models",)
    again = gainful.read_ratings("tasks.json")
    assert again.raters[0].source.kind == "human"
    assert {rater.source.kind for rater in again.raters} == {"human", "model"}
    assert dict(again.grades(again.final)) == {("q 1", 'd"1'): 2}
    with pytest.raises(FormatError, match="2 raters, but qrels have one grade"):
        ratings.write("out.txt")
    with pytest.raises(ParameterError, match="'xlsx', expected one of csv"):
        ratings.write("out.xlsx", "xlsx")


def test_the_command_writes_labels_and_names_what_is_missing(capsys) -> None:
    Path("labels.csv").write_text("query_id,doc_id,rater,source,grade\nq,d,ana,human,1\n")
    assert main(["assess-judgments", "labels.csv", "--labels-as", "quepid-book"]) == 0
    out, err = capsys.readouterr()
    assert out == "query,docid,ana\nq,d,1\n"
    assert err == "not in quepid-book: the sources of the raters\n"
    assert main(["assess-judgments", "labels.csv", "--labels-as", "label-studio"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 1
    assert main(["assess-judgments", "labels.csv", "--labels-as", "qrels", "-o", "new.txt"]) == 0
    assert Path("new.txt").read_text() == "q 0 d 1\n"
    for wrong in (["--labels-as", "qrels"], ["--labels-as", "csv", "--combine", "mean"]):
        assert main(["assess-judgments", "labels.csv", *wrong]) == 2
