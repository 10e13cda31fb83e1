"""Rows of queries that the kernel writes have the same bytes as those that Python writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.evaluation.query_rows import delimited_rows, json_document, json_rows
from gainful.formats.delimited import WRITERS, text
from gainful.input_files import InputFiles

ODD = [
    "plain",
    "a,b",
    "a\tb",
    'say "no"',
    "li\nne",
    "re\rturn",
    "\x01\x08\x0c",
    "é🦉",
    "\\",
    "=1+2",
    " ",
]
QRELS = {query: {f"d{at}": at % 3, "other": 1} for at, query in enumerate(ODD)}
RUN = {query: {f"d{at}": 0.5, "x": 0.5, "other": 1 / (at + 1)} for at, query in enumerate(ODD)}
MEASURES = ["nDCG@2", "AP", "RBP(p=0.99)", "NumRet", "DCG@10"]


def of_bytes(folder: Path) -> gainful.Evaluation:
    """Return an evaluation of ids that are not UTF-8."""
    (folder / "qrels.txt").write_bytes(b"q\xff 0 d 1\nq1 0 d 1\n")
    (folder / "a.run").write_bytes(b"q\xff Q0 d 1 1 t\nq1 Q0 e 1 1 t\nq1 Q0 d 2 0.5 t\n")
    return gainful.evaluate(folder / "qrels.txt", folder / "a.run", ["nDCG@10", "RR"])


def without_relevant(folder: Path) -> gainful.Evaluation:
    convention = gainful.conventions["gainful-1"].replace(no_relevant="skip")
    qrels = {"a": {"d": 0}, "b": {"d": 1}, "c": {"d": 0}}
    return gainful.evaluate(qrels, {"a": ["d"], "b": ["d"]}, "AP", convention=convention)


EVALUATIONS: dict[str, Any] = {
    "odd ids": lambda _: gainful.evaluate(QRELS, RUN, MEASURES),
    "two systems": lambda _: gainful.evaluate(
        QRELS, runs={'a,"b"': RUN, "=b\t": dict(list(RUN.items())[:3])}, measures=MEASURES
    ),
    "bounds": lambda _: gainful.evaluate(QRELS, RUN, ["P@2", "nDCG@3"], bounds=True, scale=[0, 1]),
    "integers": lambda _: gainful.evaluate(
        {7: {1: 1}, -3: {1: 2}, 10: {2: 1}}, {10: [2], 7: [2, 1], -3: [1]}, "nDCG"
    ),
    "bytes": of_bytes,
    "left out": without_relevant,
    "ideals": lambda _: gainful.evaluate({"q": {"a": 2}}, {"q": ["b", "a"]}, ["CG", "DCG@10"]),
    "many": lambda _: gainful.evaluate(
        {f"q{at}": {"d": at % 2} for at in range(20_000)},
        {f"q{at}": {"d": 1.0} for at in range(0, 20_000, 3)},
        "AP",
    ),
}


def joined(chunks: Iterable[bytes]) -> str:
    return b"".join(chunks).decode("utf-8", "surrogateescape")


@pytest.fixture(scope="module", params=EVALUATIONS)
def evaluation(request: Any, tmp_path_factory: pytest.TempPathFactory) -> gainful.Evaluation:
    found: gainful.Evaluation = EVALUATIONS[request.param](tmp_path_factory.mktemp("bytes"))
    return found


@pytest.mark.parametrize("style", ["csv", "tsv"])
def test_delimited(evaluation: gainful.Evaluation, style: str, tmp_path: Path) -> None:
    rows = (row.values() for row in evaluation.rows())
    expected = "".join(WRITERS[style](evaluation.columns, map(tuple, rows)))
    assert joined(delimited_rows(evaluation, style)) == expected
    assert joined(delimited_rows(evaluation, style, threads=1)) == expected
    evaluation.save(tmp_path / f"queries.{style}")
    assert joined([(tmp_path / f"queries.{style}").read_bytes()]) == expected


def test_json(evaluation: gainful.Evaluation) -> None:
    lines = [text(row) for row in evaluation.rows()]
    assert joined(json_rows(evaluation)) == "".join(lines)
    # Indented, with a row of a query per line.
    document = {**evaluation.to_dict(), "per_query": []}
    rows = ",".join(f"\n    {line.rstrip()}" for line in lines)
    shown = text(document, indent=2).replace('"per_query": []', f'"per_query": [{rows}\n  ]')
    assert joined(json_document(document, [evaluation])) == shown


def test_json_of_several(evaluation: gainful.Evaluation) -> None:
    several = {"first": {"per_query": []}, "second": {"deeper": {"per_query": []}}, "end": 1}
    written = joined(json_document(several, [evaluation, evaluation]))
    rows = json.loads(joined(json_document({"per_query": []}, [evaluation])))
    assert json.loads(written) == {"first": rows, "second": {"deeper": rows}, "end": 1}
    assert rows["per_query"] == json.loads(text(list(evaluation.rows())))
    starts = [line.partition("{")[0] for line in written.splitlines() if '"query_id"' in line]
    assert starts == [" " * 6] * len(rows["per_query"]) + [" " * 8] * len(rows["per_query"])


@pytest.mark.parametrize("style", ["csv", "json", "jsonl"])
def test_the_command_writes_them(
    style: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    result = of_bytes(tmp_path)
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "a.run")]
    options = ["-m", "nDCG@10", "-m", "RR", "--per-query", "--format", style]
    assert main(["evaluate", *files, *options]) == 0
    inputs = InputFiles(files).digests()
    write = {
        "csv": lambda each: delimited_rows(each, "csv"),
        "json": lambda each: json_document(
            {**each.to_dict(), "inputs": inputs, "per_query": []}, [each]
        ),
    }
    assert capfdbinary.readouterr().out == b"".join(write.get(style, json_rows)(result))
