"""Judgments of subtopics on the command line."""

from __future__ import annotations

import pytest

from gainful.cli import main

QRELS = "q1 1 r01 1\nq1 2 r01 0\nq1 2 r02 1\nq1 1 r02 0\nq1 2 r03 1\n"


@pytest.fixture
def run(small_files, capsys):
    (small_files / "diversity.txt").write_text(QRELS)

    def run(*words):
        status = main(words)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def figures(text):
    return {line.split("\t")[1]: float(line.split("\t")[2]) for line in text.splitlines()[1:]}


@pytest.mark.parametrize("more", [(), ("--qrels-format", "trec"), ("--comments",)])
def test_a_measure_of_diversity_reads_the_second_column(run, more):
    asked = ("-m", "StRecall@1", "-m", "StRecall@4", "--format", "tsv")
    status, out, err = run("evaluate", "diversity.txt", "bm25.run", *asked, *more)
    assert (status, err) == (0, "")
    assert figures(out) == {"StRecall@1": 0.5, "StRecall@4": 1}


def test_merged_judgments_serve_the_others(run):
    words = ("evaluate", "diversity.txt", "bm25.run", "-m", "P@2", "--format", "tsv")
    status, out, _ = run(*words, "--subtopics", "max")
    assert (status, figures(out)) == (0, {"P@2": 0.5})
    status, _, err = run(*words)
    assert status == 2
    assert "--subtopics max" in err
    status, _, err = run(*words, "-m", "StRecall@2")
    assert status == 2
    assert "P@2 needs one grade per document" in err


def test_judgments_without_subtopics_are_refused(run):
    status, _, err = run("evaluate", "qrels.txt", "bm25.run", "-m", "alpha_nDCG@10")
    assert status == 2
    assert "only the subtopic '0'" in err


def test_explain(run):
    words = ("explain", "diversity.txt", "bm25.run", "-m", "alpha_nDCG@10")
    status, out, _ = run(*words)
    assert status == 0
    assert "alpha_nDCG@10 = .9120" in out
    status, out, _ = run("explain", "diversity.txt", "bm25.run", "--subtopics", "sum")
    assert status == 0
    assert "nDCG@10 = .9060" in out
