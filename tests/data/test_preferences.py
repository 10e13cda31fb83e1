"""Files of preferences: query, group, subgroup, document, level."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful import _kernel
from gainful.errors import DuplicateError, FormatError, ParameterError
from gainful_program import gainful as program

TEXT = "q1 ann 1 d1 2.5\nq1 ann 1 d2 0\nq1\tann  2 d2 0\nq2 bob x d1 -1\n"
NESTED = {"q1": {"ann 1": {"d1": 2.5, "d2": 0}, "ann 2": {"d2": 0}}, "q2": {"bob x": {"d1": -1}}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_group_and_subgroup_are_the_label_of_a_row(file: Path) -> None:
    qrels = gainful.read_qrels(file, format="prefs")
    assert qrels.to_dict() == NESTED
    assert qrels.has_subtopics
    assert qrels == gainful.Qrels(NESTED, subtopics=True)


def test_the_suffix_selects_the_format(file: Path, tmp_path: Path) -> None:
    named = tmp_path / "judgments.prefs"
    named.write_bytes(file.read_bytes())
    assert gainful.read_qrels(named).to_dict() == NESTED
    # Other lines are not read as preferences.
    named.write_text("q1 0 d1 1\n", encoding="utf-8")
    assert gainful.read_qrels(named).to_dict() == {"q1": {"d1": 1}}


def test_without_the_format_the_error_names_it(file: Path) -> None:
    with pytest.raises(FormatError, match="with format=prefs") as caught:
        gainful.read_qrels(file)
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("q 0 0 a 1\nq 0 b 1\n", 2, "4 fields .* expected 5 fields .query, group, subgroup"),
        ("q 0 0 a 1 x\n", 1, "6 fields"),
        ("q 0 0 a 1\n\nq 0 0 b high\n", 3, "'high'"),
        ("q 0 0 a nan\n", 1, "a finite number"),
        ("q 0 0 a 1e99\n", 1, "a finite number"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "bad.prefs"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        gainful.read_qrels(path, format="prefs")
    assert caught.value.line == line


def test_a_duplicate_document_in_a_subgroup_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "twice.prefs"
    path.write_text("q 0 0 a 1\nq 0 1 a 1\nq 0 0 a 1\nq 0 0 b 0\n", encoding="utf-8")
    with pytest.raises(DuplicateError) as caught:
        gainful.read_qrels(path)
    assert caught.value.line == 3
    # Like trec_eval, count it twice if the group has no other subgroup.
    path.write_text("q 0 0 a 1\nq 0 0 a 1\nq 0 0 b 0\n", encoding="utf-8")
    qrels = gainful.read_qrels(path, duplicates="count")
    found = gainful.evaluate(qrels, {"q": ["a", "b"]}, ["NumPrefs", "Prefs"])
    assert (found.mean("NumPrefs"), found.mean("Prefs")) == (2, 1)


def test_written_and_read_back(file: Path, tmp_path: Path) -> None:
    qrels = gainful.read_qrels(file, format="prefs")
    for name in ("again.prefs", "again.tsv", "again.csv", "again.jsonl"):
        qrels.write(tmp_path / name)
        assert gainful.read_qrels(tmp_path / name, subtopics=True) == qrels, name
    assert (tmp_path / "again.prefs").read_text(encoding="utf-8") == TEXT.replace(
        "\t", " "
    ).replace("  ", " ")
    with pytest.raises(FormatError, match="use format=prefs or jsonl"):
        qrels.write(tmp_path / "again.qrels")


def test_other_judgments_written_as_preferences(tmp_path: Path) -> None:
    path = tmp_path / "from.prefs"
    gainful.Qrels({"q": {"a": 2, "b": 1}}).write(path)
    assert path.read_text(encoding="utf-8") == "q 0 0 a 2\nq 0 0 b 1\n"
    gainful.Qrels([("q", "red", "a", 2)], subtopics=True).write(path)
    assert path.read_text(encoding="utf-8") == "q red 0 a 2\n"
    with pytest.raises(FormatError, match="white space"):
        gainful.Qrels([("q", "a b c", "d", 2)], subtopics=True).write(path)


def test_runs_have_no_format_of_preferences(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="the format prefs for a run"):
        gainful.read_run(file, format="prefs")
    with pytest.raises(ParameterError, match="the format prefs for a run"):
        gainful.Run({"q": ["a"]}).write(tmp_path / "run.txt", format="prefs")


def test_on_the_command_line(file: Path, tmp_path: Path) -> None:
    run = tmp_path / "system.run"
    run.write_text("q1 Q0 d1 1 2 S\nq1 Q0 d2 2 1 S\n", encoding="utf-8")
    arguments = ["evaluate", file, run, "--qrels-format", "prefs", "-m", "prefs_simp"]
    done = program(*arguments, "--convention", "trec_eval", "--format", "tsv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split(b"\t")[2] == b"1.0"


@pytest.mark.parametrize(
    ("format", "labels", "dialect", "text"),
    [
        ("prefs", "ignored", "trec_eval", "q 0 0 a 1.5x\nq 0 0 b -0.5\nq 0 0 c none\n"),
        ("trec", "one", "trec_eval_levels", "q 0 a 1.5x\nq 0 b -0.5\nq 0 c none\n"),
    ],
)
def test_levels_by_trec_evals_rules(
    tmp_path: Path, format: str, labels: str, dialect: str, text: str
) -> None:
    path = tmp_path / "levels"
    path.write_text(text, encoding="utf-8")

    def read() -> _kernel.Rows:
        options = {"format": format, "labels": labels, "dialect": dialect, "duplicates": "count"}
        return _kernel.read([str(path)], "qrels", options)

    (levels,) = read().documents("q").values()
    assert levels == {"a": 1.5, "b": -0.5, "c": 0}
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read()
    assert caught.value.line == 4
