"""Labels that are grades, patterns of ids, and duplicates, in every source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.data.coercion import load_judgments
from gainful.data.qrels import DiskQrels
from gainful.data.read_options import ReadOptions
from gainful.errors import DuplicateError, FormatError, GainfulError, ParameterError
from repeated_tests import for_each

NAMES = ("query_id", "chunk", "label")
ROWS = [
    ("s:q1", "a#1", "Exact"),
    ("s:q1", "b#x#1", " substitute"),
    ("s:q2", "a#1", "IRRELEVANT"),
    ("s:q2", "c#2", "complement"),
]
RIGHT = {"q1": {"a": 3, "b#x": 2}, "q2": {"a": 0, "c": 0.5}}
LABELS = "exact=3,substitute=2,complement=0.5,irrelevant=0"
NAMED = f"query=query_id:^s:(.+),grade=label:{LABELS},doc=chunk:^(.+)#"
#: For sources whose fields have no names.
UNNAMED = f"query=:^s:(.+),grade=:{LABELS},doc=:^(.+)#"
IN_ORDER = f"query:^s:(.+),doc:^(.+)#,grade:{LABELS}"


def records(rows: list[Any] = ROWS, names: Any = NAMES) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def nested(rows: list[Any] = ROWS) -> dict[str, dict[str, Any]]:
    content: dict[str, dict[str, Any]] = {}
    for query, document, value in rows:
        content.setdefault(query, {})[document] = value
    return content


def sources(folder: Path, rows: list[Any] = ROWS, names: Any = NAMES) -> dict[str, tuple[Any, str]]:
    """Return the same rows in every kind of source, and the form of the options that it takes."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(rows, columns=names)
    table = pyarrow.Table.from_pandas(frame)
    files = {
        "named.csv": ",".join(names) + "\n" + "".join("{},{},{}\n".format(*row) for row in rows),
        "plain.tsv": "".join("{}\t{}\t{}\n".format(*row) for row in rows),
        "trec.txt": "".join(f"{query} 0 {d} {str(v).strip()}\n" for query, d, v in rows),
        "rows.json": json.dumps(records(rows, names)),
        "rows.jsonl": "".join(json.dumps(row) + "\n" for row in records(rows, names)),
        "lists.jsonl": "".join(
            json.dumps({"query_id": query, "relevant": [{"doc_id": document, "label": value}]})
            + "\n"
            for query, document, value in rows
        ),
        "nested.json": json.dumps(nested(rows)),
        "pairs.json": json.dumps(
            [[q, list(map(list, d.items()))] for q, d in nested(rows).items()]
        ),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    frame.to_parquet(folder / "rows.parquet")
    with pyarrow.ipc.new_file(str(folder / "rows.arrow"), table.schema) as writer:
        writer.write_table(table)
    forms = {
        "named.csv": "named",
        "plain.tsv": "order",
        "rows.json": "named",
        "rows.jsonl": "named",
    }
    forms |= {"lists.jsonl": "lists", "rows.parquet": "named", "rows.arrow": "named"}
    found: dict[str, tuple[Any, str]] = {
        name: (folder / name, forms.get(name, "unnamed"))
        for name in [*files, "rows.parquet", "rows.arrow"]
    }
    found |= {
        "dict": (nested(rows), "unnamed"),
        "tuples": (rows, "unnamed"),
        "records": (records(rows, names), "named"),
        "columns": (frame.to_dict("list"), "named"),
        "pandas": (frame, "named"),
        "polars": (polars.DataFrame(table), "named"),
        "arrow": (table, "named"),
        "dictionary": (table.set_column(2, names[2], table[2].dictionary_encode()), "named"),
        "numpy": (frame.to_records(index=False), "named"),
    }
    return found


def read(source: Any, **options: Any) -> gainful.Qrels:
    return (gainful.read_qrels if isinstance(source, Path) else gainful.Qrels)(source, **options)


def test_labels_and_patterns_in_every_source(tmp_path: Path) -> None:
    columns = {"named": NAMED, "unnamed": UNNAMED, "order": IN_ORDER}
    columns["lists"] = f"query=query_id:^s:(.+),grade=relevant[].label:{LABELS},doc=:^(.+)#"
    for name, (source, form) in sources(tmp_path).items():
        assert read(source, columns=columns[form]).to_dict() == RIGHT, name
        judged = load_judgments(source, columns=columns[form], memory=1)
        assert judged.digest == gainful.Qrels(RIGHT).digest, name


@for_each(
    ("policy", "grade"), [("mean", 5 / 3), ("max", 2), ("best", 2), ("first", 1), ("last", 2)]
)
def test_chunks_become_one_document(policy: str, grade: float, tmp_path: Path) -> None:
    rows = [("q", "a#1", 1), ("q", "b#1", 0), ("q", "a#2", 2), ("q", "a#3", 2), ("r", "a#1", 1)]
    right = gainful.Qrels({"q": {"a": grade, "b": 0}, "r": {"a": 1}})
    columns = {
        "named": "doc=chunk:^(.+)#",
        "unnamed": "doc=:^(.+)#",
        "order": "query,doc:^(.+)#,grade",
    }
    named = ("query_id", "chunk", "grade")
    for name, (source, form) in sources(tmp_path, rows, named).items():
        if name in ("lists.jsonl", "dictionary"):
            continue
        options = {"columns": columns[form], "duplicates": policy}
        assert read(source, **options) == right, name
        judged = load_judgments(source, memory=1, **options)
        assert judged.digest == right.digest, name
        if isinstance(source, Path):
            assert isinstance(judged, DiskQrels), name
        with pytest.raises(DuplicateError, match="duplicates=max"):
            read(source, columns=columns[form])


@for_each(("policy", "scores"), [("max", {"a": 0.9, "b": 0.7}), ("first", {"a": 0.5, "b": 0.7})])
def test_chunks_of_a_run(policy: str, scores: dict[str, float], tmp_path: Path) -> None:
    rows = [("q", "a#1", 0.5), ("q", "b#1", 0.7), ("q", "a#2", 0.9)]
    (tmp_path / "run.txt").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=("query_id", "doc_id", "score"))
    frame.to_parquet(tmp_path / "run.parquet")
    options = {"columns": "doc=:^(.+)#", "duplicates": policy}
    for source in (rows, nested(rows), frame, {"q": [row[1:] for row in rows]}):
        assert gainful.Run(source, **options).to_dict() == {"q": scores}
    for name in ("run.txt", "run.parquet"):
        assert gainful.read_run(tmp_path / name, **options).to_dict() == {"q": scores}
    assert gainful.Run({"q": ["a#1", "b#1", "a#2"]}, **options).to_dict() == {"q": ["a", "b"]}
    with pytest.raises(
        ParameterError, match="'mean' for a run, expected first, last, max or count"
    ):
        gainful.Run(rows, duplicates="mean")


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.csv").write_text("query,chunk,grade\nq,a#1,1\nq,a#2,2\nq,b#1,0\n")
    (tmp_path / "run.tsv").write_text("query\tchunk\tscore\nq\ta#1\t.1\nq\tb#1\t.5\nq\ta#2\t.9\n")
    names = "query=query,doc=chunk:^(.+)#,grade=grade,score=score"
    paths = [str(tmp_path / name) for name in ("qrels.csv", "run.tsv")]
    command = ["evaluate", *paths, "--columns", names, "-m", "RR", "-m", "DCG@1", "--format", "tsv"]
    assert main(command) == 2
    assert "--qrels-duplicates or --run-duplicates max" in capsys.readouterr().err
    for run_policy, reciprocal in (("max", "1.0"), ("first", "0.5")):
        options = ["--qrels-duplicates", "mean", "--run-duplicates", run_policy]
        assert main([*command, *options]) == 0
        assert f"RR\t{reciprocal}" in capsys.readouterr().out
    assert main([*command, *options, "--policy", "duplicates=count"]) == 0
    assert main([*command, "--qrels-duplicates", "mean", "--run-duplicates", "average"]) == 2
    assert "expected error, first, last, max, mean or count" in capsys.readouterr().err


@for_each(
    ("label", "grade"),
    [("true", 1), ("False", 0), ("yes", 1), ("NO", 0), ("relevant", 1), ("Irrelevant", 0)],
)
def test_common_labels_are_grades_without_a_mapping(label: str, grade: int, tmp_path: Path) -> None:
    rows = [("q", "d", label), ("q", "e", "yes")]
    names = ("query_id", "doc_id", "grade")
    for name, (source, form) in sources(tmp_path, rows, names).items():
        if name != "lists.jsonl":
            columns = "query,doc,grade" if form == "order" else None
            assert read(source, columns=columns).to_dict() == {"q": {"d": grade, "e": 1}}, name


@for_each(("truth", "grade"), [(True, 1), (False, 0)])
def test_booleans_are_grades_and_no_scores(truth: bool, grade: int, tmp_path: Path) -> None:
    rows = [("q", "d", truth), ("q", "e", True)]
    names = ("query_id", "doc_id", "grade")
    for name, (source, form) in sources(tmp_path, rows, names).items():
        if name in ("dictionary", "lists.jsonl"):
            continue
        assert read(source).to_dict() == {"q": {"d": grade, "e": 1}}, name
        columns = {"named": "grade=grade:true=2,false=-1", "unnamed": "grade=:true=2,false=-1"}
        columns["order"] = "query,doc,grade:true=2,false=-1"
        relabeled = read(source, columns=columns[form]).to_dict()
        assert relabeled == {"q": {"d": 2 if truth else -1, "e": 2}}, name
    (tmp_path / "run.json").write_text(json.dumps({"q": {"d": truth}}))
    with pytest.raises(FormatError, match="expected a number"):
        gainful.read_run(tmp_path / "run.json")


def test_what_does_not_fit_is_named_with_its_place(tmp_path: Path) -> None:
    for name, (source, form) in sources(tmp_path).items():
        if form != "named":
            continue
        with pytest.raises(
            FormatError, match="label 'IRRELEVANT', expected exact, substitute"
        ) as caught:
            read(source, columns="grade=label:exact=3,substitute=2,doc=chunk")
        assert "add IRRELEVANT=N to the labels" in str(caught.value)
        with pytest.raises(
            FormatError, match=r"document id 'c#2', expected one that '\^\(\.\+\)#1' "
        ) as c:
            read(source, columns=NAMED.replace("^(.+)#", "^(.+)#1"))
        for error in (caught.value, c.value):
            assert error.line is not None or error.row is not None or "row" in str(error), name
    for name in ("named.csv", "rows.parquet"):
        with pytest.raises(FormatError, match="grade 'Exact' is not a number") as caught:
            gainful.read_qrels(tmp_path / name, columns="doc=chunk,grade=label")
        assert "columns='grade=label:Exact=N,substitute=N,IRRELEVANT=N,complement=N'" in str(
            caught.value
        )


def test_missing_grades_stay_missing(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    path.write_text("query_id,doc_id,grade\nq,a,good\nq,b,\n")
    with pytest.raises(FormatError, match="grade '' is not a number"):
        gainful.read_qrels(path, columns="grade=grade:good=1")
    for value in (None, float("nan")):
        with pytest.raises(FormatError):
            gainful.Qrels({"q": {"a": value}}, columns="grade=:good=1,nan=2,none=3")


@for_each(
    ("columns", "expected"),
    [
        ("grade=rating:float", {"grade": "rating:float"}),
        ("doc=item_id:token,score=s:(x)", {"doc_id": "item_id:token", "score": "s:(x)"}),
        ("doc='a:(b)'", {"doc_id": {"a:(b)": None}}),
        ("doc='id:token':^x(.+)", {"doc_id": {"id:token": "^x(.+)"}}),
        ("doc=c:'^(.{1,3})#',query=q", {"doc_id": {"c": "^(.{1,3})#"}, "query_id": "q"}),
        ('grade=l:"a, b"=1,c=0,doc=d', {"grade": {"l": {"a, b": 1, "c": 0}}, "doc_id": "d"}),
        ({"grade": "l:a=1,b=0"}, {"grade": {"l": {"a": 1, "b": 0}}}),
        ({"grade": {"l": {"a": 1}}}, {"grade": {"l": {"a": 1}}}),
        ("query,doc:^(.+)#,-", ["query_id", {"doc_id": "^(.+)#"}, "-"]),
    ],
)
def test_forms(columns: Any, expected: Any) -> None:
    options = ReadOptions(columns=columns)
    assert options.columns == expected
    assert ReadOptions(**options) == options


@for_each(
    "columns",
    ["doc=a:^.+#", "doc=a:^(.+", "doc=a:(b)(c)", "grade=l:a=1,b", "grade=l:a=1,a=2", "grade=l:a=x",
     "grade=l:a=1,A=2", {"doc": {"a": 1}}, {"score": {"a": "(b)"}}, {"doc": {"a": "(b)", "c": ""}}],
)  # fmt: skip
def test_invalid_forms(columns: Any) -> None:
    with pytest.raises(GainfulError, match="columns|pattern|label"):
        ReadOptions(columns=columns)


def test_sources_without_fields_are_named(tmp_path: Path) -> None:
    (tmp_path / "letor.txt").write_text("2 qid:1 1:0.5 # d1\n")
    with pytest.raises(ParameterError, match="the format svmlight has no columns to name"):
        gainful.read_qrels(tmp_path / "letor.txt", columns="doc=:^(.)")
