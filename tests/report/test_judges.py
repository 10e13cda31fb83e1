"""The audit of labels by models on the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ParameterError
from gainful.report import make_report
from requirements import need

need("altair")
RUNS = {"bm25": "bm25.run", "dense": "dense.run"}


@pytest.fixture
def labels(small_files: Path) -> str:
    rows = []
    for query, grades in gainful.read_qrels("qrels.txt").to_dict().items():
        for number, (document, grade) in enumerate(grades.items()):
            row = {"query_id": query, "doc_id": document, "grade": min(3, grade + number % 2)}
            rows.append({**row, "source": "model", "model": "<b>stub</b>", "version": "1"})
    Path("labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "labels.jsonl"


def test_the_page_has_the_audit_of_each_model(labels: str) -> None:
    report = make_report(
        "qrels.txt", RUNS, "nDCG@10", judges={"llm": labels, "<i>": labels}, resamples=500
    )
    assert report.audit is not None
    expected = gainful.assess_judgments(
        gainful.read_ratings({"people": "qrels.txt", "llm": labels}), RUNS, "nDCG@10"
    ).audit("llm")
    assert report.audit.audit("llm") == expected
    page = report.html()
    assert '<a href="#judges">' in page
    assert "<h3>Audit of llm against people</h3>" in page
    assert "<h3>Audit of &lt;i&gt; against people</h3>" in page
    assert f">{expected.same:.1%}<" in page


def test_a_report_without_judges_has_no_audit(small_files: Path) -> None:
    assert 'id="judges"' not in make_report("qrels.txt", RUNS, "nDCG@10", resamples=500).html()


def test_labels_without_a_judged_document_are_refused(small_files: Path) -> None:
    Path("other.jsonl").write_text('{"query_id": "x", "doc_id": "y", "grade": 1, "model": "m"}\n')
    with pytest.raises(ParameterError, match="no judged document"):
        make_report("qrels.txt", RUNS, "nDCG@10", judges={"llm": "other.jsonl"}, resamples=500)
    with pytest.raises(ParameterError, match="the name of a model"):
        make_report("qrels.txt", RUNS, "nDCG@10", judges={"people": "qrels.txt"}, resamples=500)


def test_the_command_takes_qrels_of_other_judges(labels: str) -> None:
    words = ["report", "qrels.txt", "bm25.run", "--judge", "copy=qrels.txt", "-o", "page.html"]
    assert main(words) == 0
    assert "Audit of copy against people" in Path("page.html").read_text()


def test_the_command_shows_whether_a_model_favors_its_family(labels: str, capsys) -> None:
    words = ["report", "qrels.txt", "bm25.run", "dense.run", "--judge", f"llm={labels}"]
    words += ["-m", "nDCG@10", "-o", "page.html"]
    assert main([*words, "--family", "dense=stub", "--family", "llm=stub"]) == 0
    page = Path("page.html").read_text()
    assert "Scores of families of systems under llm" in page
    assert "stub (its own)" in page
    assert main([*words, "--family", "splade=stub"]) == 2
    assert "--family: found 'splade', expected a system or model: bm25" in capsys.readouterr().err
    assert main(["report", "qrels.txt", "bm25.run", "--family", "bm25=x"]) == 2
    assert capsys.readouterr().err == "gainful: --family requires --judge\n"


def test_versions_of_a_model_have_the_family_of_their_file(small_files: Path) -> None:
    rows = [
        {"query_id": query, "doc_id": document, "grade": grade, "source": "model", "model": "m"}
        | {"version": str(number % 2)}
        for number, (query, grades) in enumerate(gainful.read_qrels("qrels.txt").to_dict().items())
        for document, grade in grades.items()
    ]
    Path("labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ratings = gainful.read_ratings({"people": "qrels.txt", "llm": "labels.jsonl"})
    families = {"dense": "stub", "llm": "stub"}
    audits = gainful.assess_judgments(ratings, RUNS, "nDCG@10", families=families).audits
    assert [[each.own for each in audit.families] for audit in audits] == [[True], [True]]
    with pytest.raises(ParameterError, match="families= requires runs="):
        gainful.assess_judgments(ratings, families=families)
