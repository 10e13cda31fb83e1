"""`gainful gate`: output, files and exit statuses."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gainful.cli import main
from gainful.gates import read_snapshot
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

SAVE = ("gate", "qrels.txt", "bm25.run", "--save", "b.json")
SAME = ("gate", "qrels.txt", "bm25.run", "--snapshot", "b.json")
OTHER = ("gate", "qrels.txt", "dense.run", "--snapshot", "b.json")


@pytest.fixture
def called(capsys):
    """Return a function that runs the command and returns its output or error message."""

    def call(*words, status=0):
        found = main(words)
        captured = capsys.readouterr()
        assert found == status, captured
        assert (captured.err == "") == (status != 2)
        return captured.err if status == 2 else captured.out

    return call


def test_it_saves_and_passes_its_own_run(called):
    output = called(*SAVE, "-m", "nDCG@5", "-m", "P@3", "--budget", "4")
    first, second = output.splitlines()
    assert first == (
        "b.json: nDCG@5, P@3 of bm25 on 6 queries, rankings down to 5; no looks yet (budget 4)"
    )
    assert second.startswith(
        "Smallest margin at which an unchanged system passes (80% power): nDCG"
    )
    assert called(*SAME).startswith("Gate passed: the run vs. the snapshot of bm25\n")
    assert read_snapshot("b.json").looks == ()


def test_every_verdict_has_its_status(called):
    called(*SAVE)
    lines = Path("bm25.run").read_text().splitlines(keepends=True)
    Path("worse.run").write_text("".join(each for each in lines if each.split()[3] not in "12"))
    called(*OTHER, status=3)
    called(*OTHER, "--inconclusive", "fail", status=4)
    called(*OTHER, "--inconclusive", "pass", status=0)
    called(*OTHER, "--margin", "0.9", status=0)
    worst = ("gate", "qrels.txt", "worse.run", "--snapshot", "b.json")
    assert "Gate failed: worse vs. the snapshot of bm25" in called(*worst, status=4)
    called(*worst, "--margin", "1", status=0)
    called(*worst, "--margin", "1", "--fail-on", "decrease", status=4)


def test_looks_are_counted_and_carried_over(called):
    called(*SAVE, "--budget", "9")
    called(*OTHER, "--no-count", status=3)
    assert read_snapshot("b.json").looks == ()
    called(*OTHER, status=3)
    called(*OTHER, "--format", "json", status=3)
    (look,) = read_snapshot("b.json").looks
    assert (look.system, look.verdict) == ("dense", "inconclusive")
    assert "1 look (budget 9)" in called(*SAVE)
    assert read_snapshot("b.json").looks == (look,)


def test_defaults_come_from_the_snapshot_that_is_replaced(called):
    called(*SAVE, "-m", "P@3", "--convention", "trec_eval", "--budget", "4")
    called("gate", "qrels.txt", "dense.run", "--save", "b.json")
    kept = read_snapshot("b.json")
    assert (kept.system, repr(kept.measures[0]), kept.budget) == ("dense", "P@3", 4)
    assert kept.convention.name == "trec_eval-9.0.8"
    called("gate", "qrels.txt", "dense.run", "--save", "b.json", "-m", "R@3")
    assert repr(read_snapshot("b.json").measures[0]) == "R@3"


def test_the_first_snapshot_is_the_anchor_until_a_new_one_is_declared(called):
    called(*SAVE)
    lines = Path("bm25.run").read_text().splitlines(keepends=True)
    Path("worse.run").write_text("".join(each for each in lines if each.split()[3] not in "12"))
    worse = ("gate", "qrels.txt", "worse.run")
    assert "; anchor bm25\n" in called(*worse, "--save", "b.json")
    output = called(*worse, "--snapshot", "b.json", status=4)
    assert "vs. the anchor fails" in output
    called(*worse, "--snapshot", "b.json", "--anchor-margin", "1")
    output = called("gate", "qrels.txt", "bm25.run", "--snapshot", "b.json", "--format", "tsv")
    assert [line.split("\t")[-1] for line in output.splitlines()] == [
        "reference",
        "snapshot",
        "anchor",
    ]
    assert "; new anchor\n" in called(*worse, "--save", "b.json", "--new-anchor", "--spending")
    assert "vs. the anchor" not in called(*worse, "--snapshot", "b.json")
    assert "(alpha-spending); anchor worse\n" in called(*SAVE)


def test_every_format(called, tmp_path):
    called(*SAVE)
    words = ("markdown=c.md", "junit=g.xml", "json=g.json", "tsv=g.tsv", "csv=g.csv", "github=-")
    also = [word for each in words for word in ("--also", each)]
    output = called(*OTHER, "-o", "table.txt", *also, status=3)
    assert output.startswith("::warning title=Gate inconclusive")
    assert Path("table.txt").read_text().startswith("Gate inconclusive: dense vs. the")
    assert Path("c.md").read_text().startswith("### ")
    assert ElementTree.parse("g.xml").getroot().tag == "testsuites"
    assert json.loads(Path("g.json").read_text())["verdict"] == "inconclusive"
    assert (
        Path("g.tsv").read_text().splitlines()[1].startswith("dense\tbm25\tnDCG@10\tinconclusive")
    )
    assert Path("g.csv").read_text().splitlines()[1].startswith("dense,bm25,nDCG@10,inconclusive")


def test_rescore(called):
    called(*SAVE)
    judgments = Path("qrels.txt").read_text()
    Path("qrels.txt").write_text(judgments.replace("q1 0 r01 3", "q1 0 r01 1"))
    assert "changed since the snapshot was saved, for 1 query (q1)" in called(*SAME, status=3)
    assert "the value of no query changed" in called(*SAME, "--rescore")


def test_weights_and_clusters(called):
    called(*SAVE, "--convention", "trec_eval")
    with open("weights.txt", "w") as file:
        file.writelines(f"q{n} {n}\n" for n in range(1, 7))
    with open("users.tsv", "w") as file:
        file.writelines(f"q{n}\t{'ann' if n < 4 else 'ben'}\n" for n in range(1, 7))
    # Two clusters have no bounds.
    output = called(*OTHER, "--weights", "weights.txt", "--clusters", "users.tsv", status=3)
    assert "Gate inconclusive" in output


@for_each(
    ("words", "message"),
    [
        ((), "give either --snapshot or --save"),
        (("--save", "b.json", "--snapshot", "b.json"), "give either --snapshot or --save"),
        (("--save", "b.json", "--weights", "w.txt"), "--weights does not work with --save"),
        (("--save", "b.json", "--rescore"), "--rescore does not work with --save"),
        (("--snapshot", "b.json", "--budget", "3"), "--budget works with --save only"),
        (("--snapshot", "b.json", "--spending"), "--spending works with --save only"),
        (("--snapshot", "b.json", "--new-anchor"), "--new-anchor works with --save only"),
        (("--save", "b.json", "--anchor-margin", "1"), "--anchor-margin does not work with --save"),
        (("--save", "b.json", "--spending", "--budget", "3"), "found a budget and spending"),
        (("--snapshot", "b.json", "--also", "pdf=x"), "--also: found 'pdf=x'"),
        (("--snapshot", "b.json", "--also", "junit"), "--also: found 'junit'"),
        (("--snapshot", "none.json"), "no such file: none.json"),
        (("--snapshot", "qrels.txt"), "qrels.txt, line 1: found text that is not JSON"),
        (("--save", "dense.run"), "dense.run, line 1: found text that is not JSON"),
        (("--snapshot", "b.json", "-m", "P@3"), "b.json: found values of nDCG@10"),
        (("--snapshot", "b.json", "--convention", "trec_eval"), "values under gainful-1"),
        (("--snapshot", "b.json", "--policy", "ties=expected"), "gainful-1 with ties=expected"),
        (("--snapshot", "b.json", "--margin", "-1"), "margin: found -1.0"),
    ],
)
def test_each_mistake_gives_one_message(called, words, message):
    called(*SAVE)
    before = Path("qrels.txt").read_text()
    output = called("gate", "qrels.txt", "bm25.run", *words, status=2)
    assert output.startswith("gainful: ")
    assert message in output
    assert output.count("\n") == 1
    assert Path("qrels.txt").read_text() == before


def test_a_policy_of_the_snapshot_may_be_repeated(called):
    called(*SAVE, "--policy", "ties=expected")
    called(*SAME, "--policy", "ties=expected")
    called(*SAME)


def test_a_snapshot_is_written_to_and_read_from_standard_streams(called, monkeypatch):
    text = called("gate", "qrels.txt", "bm25.run", "--save", "-")
    assert json.loads(text)["schema"] == "gainful.snapshot/1"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    output = called("gate", "qrels.txt", "dense.run", "--snapshot", "-", status=3)
    assert output.startswith("Gate inconclusive: dense vs. the snapshot of bm25")
    assert not Path("-").exists()


def test_control_codes_in_ids_do_not_reach_the_terminal(called):
    for name in ("qrels.txt", "bm25.run", "dense.run"):
        Path(name).write_text(Path(name).read_text().replace("q4", "q\x1b[31m4"))
    called(*SAVE)
    for style in ("table", "markdown"):
        output = called(*OTHER, "--format", style, status=3)
        assert "\x1b" not in output
        assert "Largest losses in nDCG@10: q\ufffd" in output
