"""`gainful convert`: judgments and runs survive a change of format."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import FormatError
from repeated_tests import for_each

QRELS = {"q1": {"d1": 3, "d2": 0}, "q2": {"d1": 1.5}}
RUN = {"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d3": -1.0}}
SUFFIXES = [
    ".txt",
    ".tsv",
    ".csv",
    ".json",
    ".jsonl",
    ".json.gz",
    ".tsv.xz",
    ".run.bz2",
    ".csv.zst",
]


@for_each(("one", "other"), list(itertools.permutations(SUFFIXES[:6], 2)))
@for_each("kind", ["qrels", "run"])
def test_a_round_trip(kind: str, one: str, other: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"{kind}1{one}", tmp_path / f"{kind}2{other}"
    table = gainful.Qrels(QRELS) if kind == "qrels" else gainful.Run(RUN)
    table.write(first)
    assert main(["convert", str(first), str(second), "--kind", kind]) == 0
    read = gainful.read_qrels if kind == "qrels" else gainful.read_run
    assert read(second).to_dict() == table.to_dict()


@for_each("suffix", SUFFIXES)
def test_compressed(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    gainful.Run(RUN).write(path)
    assert gainful.read_run(path).to_dict() == RUN


def test_the_kind_of_trec_text_is_detected(tmp_path: Path) -> None:
    gainful.Qrels(QRELS).write(tmp_path / "qrels")
    gainful.Run(RUN).write(tmp_path / "run")
    assert main(["convert", str(tmp_path / "qrels"), str(tmp_path / "qrels.json")]) == 0
    assert main(["convert", str(tmp_path / "run"), str(tmp_path / "run.json")]) == 0
    assert gainful.read_qrels(tmp_path / "qrels.json").to_dict() == QRELS
    assert gainful.read_run(tmp_path / "run.json").to_dict() == RUN


def test_the_kind_of_json_is_required(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gainful.Run(RUN).write(tmp_path / "run.json")
    assert main(["convert", str(tmp_path / "run.json"), str(tmp_path / "run.txt")]) == 2
    assert "--kind" in capsys.readouterr().err


def test_ids_that_a_format_cannot_contain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = {"running shoes": {"p 1": 3, "p 2": 1}}
    run = {"running shoes": {"p 2": 2.0, "p 1": 1.0}}
    gainful.Qrels(qrels).write(tmp_path / "qrels.json")
    gainful.Run(run).write(tmp_path / "run.json")
    to_trec = [str(tmp_path / "qrels.json"), str(tmp_path / "qrels.txt"), "--kind", "qrels"]
    assert main(["convert", *to_trec]) == 2
    message = capsys.readouterr().err
    assert "'running shoes'" in message
    assert "--to tsv keeps it, `gainful convert --ids map.tsv` replaces ids" in message
    with pytest.raises(FormatError, match=r"format=tsv keeps it, rename\(queries=.*replaces ids"):
        gainful.Qrels(qrels).write(tmp_path / "qrels.txt")
    assert not (tmp_path / "qrels.txt").exists()
    ids = ["--ids", str(tmp_path / "map.tsv")]
    assert main(["convert", *to_trec, *ids]) == 0
    run_to_trec = [str(tmp_path / "run.json"), str(tmp_path / "run.txt"), "--kind", "run"]
    assert main(["convert", *run_to_trec, *ids]) == 0
    numbered = gainful.evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", "nDCG")
    assert numbered.mean() == gainful.evaluate(qrels, run, "nDCG").mean()


def test_a_ranking_without_scores_gets_distinct_scores(tmp_path: Path) -> None:
    gainful.Run({"q": [f"d{n}" for n in range(3000)]}).write(tmp_path / "a.json")
    target = tmp_path / "a.run"
    assert main(["convert", str(tmp_path / "a.json"), str(target), "--kind", "run"]) == 0
    lines = [line.split() for line in target.read_text().splitlines()]
    assert [line[2] for line in lines] == [f"d{n}" for n in range(3000)]
    assert len({line[4] for line in lines}) == 3000


@pytest.mark.parametrize("suffix", ["arrow", "arrows", "ipc", "feather", "parquet.gz"])
def test_other_columnar_formats_are_not_written(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "bm25.run", tmp_path / f"bm25.{suffix}"
    source.write_text("q1 Q0 d1 1 1.0 bm25\n")
    assert main(["convert", "--kind", "run", str(source), str(out)]) == 2
    output = capsys.readouterr().err
    assert f"{out}: Gainful does not write .{suffix.removesuffix('.gz')} files" in output
    assert not out.exists()


@pytest.mark.parametrize("options", [(), ("--to", "parquet")])
@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("qrels", "q1 0 d1 1\nq1 0 d2 0.5\nq2 0 d1 -1\n"),
        ("run", "q1 Q0 d2 1 2.5 t\nq1 Q0 d1 2 2.5 t\nq2 Q0 d3 7 1e-9 t\n"),
    ],
)
def test_parquet_is_written_as_pyarrow_writes_it(
    options: tuple[str, ...], kind: str, rows: str, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    source, out = tmp_path / "source", tmp_path / ("out" if options else "out.parquet")
    source.write_text(rows)
    assert main(["convert", str(source), str(out), *options]) == 0
    table = gainful.read_qrels(source) if kind == "qrels" else gainful.read_run(source)
    parquet.write_table(table.to_arrow(), tmp_path / "expected.parquet")
    written = parquet.read_table(out)
    assert written.schema == parquet.read_table(tmp_path / "expected.parquet").schema
    assert written.equals(table.to_arrow())
    again = gainful.read_qrels(out) if kind == "qrels" else gainful.read_run(out)
    assert again == table


def test_parquet_needs_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    assert main(["convert", str(tmp_path / "qrels.txt"), "-", "--to", "parquet"]) == 2
    assert "format: Parquet needs an output file" in capsys.readouterr().err


def test_queries_without_documents_stay_in_parquet(tmp_path: Path) -> None:
    run = gainful.Run({"q1": ["d2", "d1"], "q2": []})
    run.write(tmp_path / "run.parquet")
    assert gainful.read_run(tmp_path / "run.parquet").to_dict() == run.to_dict()


def test_a_failed_conversion_writes_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "bad.run", tmp_path / "out.json"
    source.write_text("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 x t\n")
    target.write_text("what was there")
    assert main(["convert", str(source), str(target)]) == 2
    assert target.read_text() == "what was there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.run", "out.json"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--tag", "bm25"], "judgments have no name of a system"),
        (["--columns", "grade=rating", "--columns", "score=bm25"], "there is one file"),
        (["--columns", "grade=rating,score=bm25"], "there is one file"),
    ],
)
def test_an_option_without_an_effect_is_refused(
    option: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.csv"
    source.write_text("query,doc,rating,bm25\nx,a,3,0.5\n")
    assert main(["convert", str(source), "-", "--kind", "qrels", "--to", "tsv", *option]) == 2
    assert message in capsys.readouterr().err
