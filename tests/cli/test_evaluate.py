"""`gainful evaluate`: names, formats, options, the numbers printed."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

import gainful as package
from gainful import _kernel, threads
from gainful.cli import main
from gainful.formats.markup import markdown
from gainful_program import gainful
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

ONE = ("evaluate", "qrels.txt", "bm25.run")
BOTH = ("evaluate", "qrels.txt", "bm25.run", "dense.run")


def test_the_table_is_the_evaluation_as_text(output_of) -> None:
    result = package.evaluate("qrels.txt", "bm25.run", ["nDCG@10", "AP"])
    assert output_of(*ONE, "-m", "nDCG@10", "-m", "AP") == f"{result}\n"


def test_without_measures_the_usual_ones_are_printed(output_of) -> None:
    printed = output_of(*ONE)
    assert all(name in printed for name in ("nDCG@10", "AP", "RR", "P@10", "R@100", "gainful-1:"))


@pytest.mark.parametrize("command", [ONE, ("gate", *ONE[1:], "--save", "snapshot.json")])
def test_threads_are_those_of_the_judgments_as_well(command, output_of, monkeypatch) -> None:
    used = []

    def spied(read):
        def spy(*arguments, threads: int = 1, **options):
            used.append(threads)
            return read(*arguments, threads=threads, **options)

        return spy

    for name in ("read", "read_judged"):
        monkeypatch.setattr(_kernel, name, spied(getattr(_kernel, name)))
    output_of(*command, "-m", "nDCG@10", "--threads", "3")
    assert used
    assert set(used) == {3}
    assert threads._of_command is None


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_delimited_numbers_read_back_exactly(style: str, output_of) -> None:
    text = output_of(*BOTH, "-m", "nDCG@10", "-m", "AP(rel=2)", "--format", style)
    rows = list(csv.reader(io.StringIO(text), delimiter="\t" if style == "tsv" else ","))
    assert rows[0] == ["system", "measure", "mean", "low", "high", "median", "n", "judged"]
    result = package.evaluate(
        "qrels.txt", runs={"bm25": "bm25.run", "dense": "dense.run"}, measures="nDCG@10 AP(rel=2)"
    )
    assert len(rows) == 5
    for system, measure, *figures in rows[1:]:
        summary = result.summary(measure, system)
        expected = (summary.mean, *summary.interval, summary.median, summary.n)
        expected += (summary.judged,)
        assert tuple(map(float, figures)) == expected


def test_one_row_per_query(output_of) -> None:
    text = output_of(*BOTH, "-m", "nDCG@10", "--per-query", "--format", "tsv")
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    result = package.evaluate("qrels.txt", runs={"bm25": "bm25.run", "dense": "dense.run"})
    assert [row["system"] for row in rows] == ["bm25"] * 6 + ["dense"] * 6
    for system in ("bm25", "dense"):
        values = {row["query_id"]: float(row["nDCG@10"]) for row in rows if row["system"] == system}
        assert values == result.per_query("nDCG@10", system)


def test_one_row_per_query_in_a_table(output_of) -> None:
    lines = output_of(*ONE, "-m", "nDCG@10", "-m", "NumRet", "--per-query").splitlines()
    assert lines[0] == "bm25"
    assert lines[1].split() == ["query_id", "nDCG@10", "NumRet"]
    assert [line.split()[0] for line in lines[3:9]] == ["q1", "q2", "q3", "q4", "q5", "q6"]
    assert lines[-2].startswith("gainful-1:")


def test_one_row_per_query_in_html(output_of) -> None:
    text = output_of(*BOTH, "-m", "nDCG@10", "--per-query", "--format", "html")
    for query in ("q1", "q2", "q3", "q4", "q5", "q6"):
        assert text.count(f">{query}<") == 2


@pytest.mark.parametrize("per_query", [False, True])
def test_json_meets_its_schema(per_query: bool, output_of) -> None:
    words = ("--per-query",) if per_query else ()
    found = json.loads(
        output_of(*BOTH, "-m", "nDCG@10", "-m", "NumRel", "--format", "json", *words)
    )
    schema = schema_of("evaluation")
    assert errors(found, schema) == []
    assert found["schema"] == "gainful.evaluation/1"
    assert ("per_query" in found) == per_query
    assert set(found["systems"]) == {"bm25", "dense"}
    found["systems"]["bm25"]["nDCG@10"]["mean"] = "0.5"
    del found["counts"]["dense"]["tied"]
    assert [error.partition(":")[0] for error in errors(found, schema)] == [
        "$.systems.bm25.nDCG@10.mean",
        "$.counts.dense",
    ]


def test_json_lines_have_one_object_each(output_of) -> None:
    lines = output_of(*BOTH, "-m", "nDCG@10", "-m", "AP", "--format", "jsonl").splitlines()
    found = [json.loads(line) for line in lines]
    assert [(row["system"], row["measure"]) for row in found] == [
        (system, measure) for system in ("bm25", "dense") for measure in ("nDCG@10", "AP")
    ]
    lines = output_of(*ONE, "-m", "nDCG@10", "--per-query", "--format", "jsonl").splitlines()
    assert [json.loads(line)["query_id"] for line in lines] == ["q1", "q2", "q3", "q4", "q5", "q6"]


@pytest.mark.parametrize("words", [("--format", "json"), ("--format", "jsonl", "--per-query")])
def test_nan_is_null_in_json(words: tuple[str, ...], output_of) -> None:
    text = output_of(*ONE, "-m", "nDCG@10", "--policy", "no_relevant=nan", *words)
    assert "NaN" not in text
    assert "null" in text


def test_a_query_that_is_left_out_has_an_empty_cell(output_of) -> None:
    text = output_of(
        *ONE, "-m", "AP", "--policy", "no-relevant=skip", "--per-query", "--format", "csv"
    )
    values = {row["query_id"]: row["AP"] for row in csv.DictReader(io.StringIO(text))}
    assert values["q6"] == ""
    assert all(value for query, value in values.items() if query != "q6")


def test_markdown_and_latex_have_the_same_cells(output_of) -> None:
    markdown = output_of(*ONE, "-m", "nDCG@10", "--format", "markdown")
    latex = output_of(*ONE, "-m", "nDCG@10", "--format", "latex")
    mean = f"{package.evaluate('qrels.txt', 'bm25.run', 'nDCG@10').mean():.4f}"[1:]
    assert f"| nDCG@10 | {mean} |" in markdown
    assert f"nDCG@10 & {mean} &" in latex
    assert r"\toprule" in latex


@pytest.mark.parametrize("style", ["markdown", "latex"])
@pytest.mark.parametrize("files", [["bm25.run"], ["bm25.run", "dense.run"]])
def test_python_and_the_command_write_the_same_table(
    style: str, files: list[str], output_of
) -> None:
    runs = {name.removesuffix(".run"): name for name in files}
    result = package.evaluate("qrels.txt", runs=runs, measures=["nDCG@10", "AP"])
    words = ("-m", "nDCG@10", "-m", "AP", "--format", style)
    assert output_of("evaluate", "qrels.txt", *files, *words) == getattr(result, f"to_{style}")()
    rows = getattr(result, f"to_{style}")(wide=True, sort="AP", digits=2)
    assert (
        output_of(
            "evaluate", "qrels.txt", *files, *words, "--wide", "--sort", "AP", "--digits", "2"
        )
        == rows
    )
    assert ("significantly better than these" in rows) == (len(files) > 1)


def test_python_and_the_command_have_the_same_table_of_queries(output_of) -> None:
    result = package.evaluate("qrels.txt", "bm25.run", "AP")
    [table] = result.tables(per_query=True)
    written = output_of(*ONE, "-m", "AP", "--per-query", "--format", "markdown")
    assert written == markdown(table)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("bm25.run", "bm25"),
        ("best=bm25.run", "best"),
        ("a=b.run", "a=b"),
        ("sub/x=1.run", "x=1"),
        ("x=sub/x=1.run", "x"),
        ("zipped.run.gz", "zipped"),
    ],
)
def test_the_name_of_a_run(word: str, name: str, small_files: Path, output_of) -> None:
    text = (small_files / "bm25.run").read_bytes()
    (small_files / "sub").mkdir()
    for path in ("a=b.run", "sub/x=1.run"):
        (small_files / path).write_bytes(text)
    (small_files / "zipped.run.gz").write_bytes(gzip.compress(text))
    found = output_of("evaluate", "qrels.txt", word, "--format", "jsonl", "-m", "AP")
    assert json.loads(found)["system"] == name


@pytest.mark.parametrize("position", [1, 2])
def test_standard_input(position: int, small_files: Path, output_of) -> None:
    words = list(ONE)
    content = (small_files / words[position]).read_bytes()
    words[position] = "-" if position == 1 else "bm25=-"
    piped = gainful(*words, "-m", "nDCG@10", input=content)
    assert piped.stdout.decode() == output_of(*ONE, "-m", "nDCG@10") != ""


def test_a_convention_and_a_policy(output_of) -> None:
    words = ("-m", "AP", "--format", "json")
    named = json.loads(
        output_of(*ONE, *words, "--convention", "trec_eval", "--policy", "ties=expected")
    )
    assert named["convention"]["name"] == "trec_eval-9.0.8"
    assert (named["convention"]["ties"], named["convention"]["missing"]) == ("expected", "skip")


def test_weights(small_files: Path, output_of) -> None:
    weights = {"q1": 3.0, "q2": 1.0, "q3": 0.0, "q4": 1.0, "q5": 0.5, "q6": 0.0}
    lines = "".join(f"{query}\t{weight}\n" for query, weight in weights.items())
    (small_files / "weights.tsv").write_text("\n" + lines)
    result = package.evaluate("qrels.txt", "bm25.run", "AP", weights=weights)
    found = json.loads(output_of(*ONE, "-m", "AP", "--weights", "weights.tsv", "--format", "jsonl"))
    assert found["mean"] == result.mean() != package.evaluate("qrels.txt", "bm25.run", "AP").mean()


def test_comments_are_skipped_only_with_the_option(small_files: Path, output_of) -> None:
    text = (small_files / "bm25.run").read_text()
    (small_files / "noted.run").write_text("# made in spring\n" + text)
    words = ("-m", "AP", "--format", "jsonl")
    plain = json.loads(output_of(*ONE, *words))
    noted = json.loads(output_of("evaluate", "qrels.txt", "bm25=noted.run", "--comments", *words))
    assert noted == plain
    assert main(["evaluate", "qrels.txt", "noted.run", *words]) == 2


def test_ids_that_do_not_match_give_a_hint(small_files: Path, output_of) -> None:
    (small_files / "chunks.run").write_text("q1 Q0 r01#1 1 2 x\nq1 Q0 r05#2 2 1 x\n")
    unjudged = "no document of the run is judged. Check the ids"
    asked = f"{unjudged}: the judgments have documents such as 'r01', the run such as 'r01#1'."
    one = " ".join(output_of("evaluate", "qrels.txt", "chunks.run").split())
    assert f" {asked} " in one
    both = " ".join(output_of("evaluate", "qrels.txt", "chunks.run", "bm25.run").split())
    assert f" chunks: {asked} " in both
    assert asked not in output_of(*BOTH)


def test_threads_change_nothing(output_of) -> None:
    assert output_of(*BOTH, "--threads", "1") == output_of(*BOTH, "--threads", "3")


def test_the_values_of_deep_learning_2019(shared_data: Path, output_of) -> None:
    folder = shared_data / "dl19-passage"
    text = output_of(
        "evaluate",
        str(folder / "qrels.dl19-passage.txt"),
        str(folder / "bm25-default.run.gz"),
        *("-m", "nDCG@10", "-m", "AP(rel=2)", "-m", "R(rel=2)@1000"),
    )
    assert [line.split()[:2] for line in text.splitlines()[3:6]] == [
        ["nDCG@10", ".5058"],
        ["AP(rel=2)", ".3013"],
        ["R(rel=2)@1000", ".7501"],
    ]
