"""The files of gainful trec_eval: invalid lines, error messages and numbers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from trec_eval_program import Ended, Program

QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN = "q1 Q0 d1 1 2.0 R\nq1 Q0 d2 2 1.0 R\n"


@pytest.fixture
def program(tmp_path, monkeypatch, capsysbinary) -> Program:
    monkeypatch.chdir(tmp_path)
    program = Program(tmp_path, capsysbinary)
    program.write(qrels=QRELS, run=RUN)
    return program


@pytest.mark.parametrize(
    ("form", "unreadable", "malformed"),
    [
        ("qrels", "get_qrels: Cannot read qrels", "get_qrels"),
        ("qrels_jg", "get_qrels_jg: Cannot read qrels", "get_qrels_jg"),
        ("prefs", "get_prefs: Cannot read prefs", "get_prefs"),
        ("qrels_prefs", "get_prefs: Cannot read prefs", "get_qrels_prefs"),
    ],
)
def test_unreadable_judgments_are_errors(form, unreadable, malformed, program: Program) -> None:
    program.write(empty="", bad="q1 0 d1 1 2 3 4\n")
    for name in ("missing", "empty", "."):
        message = f"trec_eval.{unreadable} file '{name}'\ntrec_eval: Quit in file '{name}'\n"
        assert program(f"-R {form}", f"{name} run") == Ended(2, "", message)
    message = f"trec_eval.{malformed}: Malformed line 1\ntrec_eval: Quit in file 'bad'\n"
    assert program(f"-R {form}", "bad run") == Ended(2, "", message)


def test_unknown_formats_are_errors(program: Program) -> None:
    assert program("-R foo") == Ended(2, "", "trec_eval: Illegal rel_format 'foo'\n")
    message = "trec_eval: Illegal retrieval results format 'foo'\n"
    assert program("-T foo") == Ended(2, "", message)
    assert "Cannot read qrels file" in program("-T foo", "missing run").err


@pytest.mark.parametrize("name", ["missing", "empty", "."])
def test_unreadable_runs_are_errors(name: str, program: Program) -> None:
    program.write(empty="")
    message = f"trec_eval.get_results: Cannot read results file '{name}'\n"
    quit = f"trec_eval: Quit in file '{name}'\n"
    assert program("", f"qrels {name}") == Ended(2, "", message + quit)


@pytest.mark.parametrize(
    ("qrels", "line"),
    [
        ("q1 0 d1 1\n\nq1 0 d2 0\n", 2),
        ("q1 0 d1 1\nq1 0 d2\n", 2),
        ("q1 0 d1 1 x\n", 1),
        ("q1 0 d1 1\nq1 0 d2 0\n \t\n", 3),
    ],
)
def test_invalid_lines_of_judgments_are_errors(qrels: str, line: int, program: Program) -> None:
    program.write(qrels=qrels)
    message = f"trec_eval.get_qrels: Malformed line {line}\ntrec_eval: Quit in file 'qrels'\n"
    for compat in (9, 10):
        assert program("-m map", compat=compat) == Ended(2, "", message)


@pytest.mark.parametrize(
    ("run", "line"),
    [
        ("q1 Q0 d1 1 2.0\n", 1),
        ("q1 Q0 d1 1 2.0 \n", 1),
        # Blank lines do not count.
        ("\n  \nq1 Q0 d1 1 2.0 R\n\nq1 Q0\n", 2),
        # A bad line at the end is reported before a duplicate document.
        ("q1 Q0 d1 1 2 R\nq1 Q0 d1 1 2 R\nq1\n", 3),
    ],
)
def test_invalid_lines_of_a_run_are_errors(run: str, line: int, program: Program) -> None:
    program.write(run=run)
    message = f"trec_eval.get_results: Malformed line {line}\ntrec_eval: Quit in file 'run'\n"
    for compat in (9, 10):
        assert program("-m map", compat=compat) == Ended(2, "", message)


MAP = "map                   \tall\t1.0000\n"


def test_only_version_10_reads_comments(program: Program) -> None:
    # Version 10 itself fails on a comment at the end of the judgments.
    program.write(qrels=f"# one\n{QRELS}# two\n", run=f"  # x\n# y\n{RUN}# last one of all\n")
    assert program("-m map -m runid", compat=10).out.endswith(MAP)
    message = "trec_eval.get_qrels: Malformed line 1\ntrec_eval: Quit in file 'qrels'\n"
    assert program("-m map") == Ended(2, "", message)


@pytest.mark.parametrize(
    ("qrels", "line"),
    [
        # Comments are not counted.
        ("# one\nq1 0 d1 1\nq1\n", 2),
        # The line after a comment is data, a comment or a blank line included.
        ("# one\n# two\nq1 0 d1 1\n", 1),
        ("q1 0 d1 1\n# one\n# two\n", 2),
        ("# one\n# 0 d1 1\n# two\nq1\n", 2),
        ("# one\n\nq1 0 d1 1\n", 1),
        ("# one with a very\tlong   text of seven words\n#two\n", 1),
        # So is a line with a space before the number sign.
        (" # one\nq1 0 d1 1\n", 1),
        ("q1 0 d1 1\n\t# one\nq1 0 d2 0\n", 2),
    ],
)
@pytest.mark.parametrize(
    ("form", "reader"),
    [("qrels", "get_qrels"), ("qrels_jg", "get_qrels_jg"), ("qrels_prefs", "get_qrels_prefs")],
)
def test_consecutive_comments_in_judgments_are_errors(qrels, line, form, reader, program) -> None:
    program.write(qrels=qrels)
    message = f"trec_eval.{reader}: Malformed line {line}\ntrec_eval: Quit in file 'qrels'\n"
    assert program(f"-R {form} -m num_q", compat=10) == Ended(2, "", message)


def test_comments_of_four_fields_can_be_judgments(program: Program) -> None:
    program.write(
        qrels="# 0 d9 1\n# 0 d1 1\nq1 0 d1 1\n # 0 d2 1\n",
        run="q1 Q0 d1 1 2.0 R\n# Q0 d1 1 2.0 R\n",
    )
    # The topic "#" has judgments of d1 and d2; its line in the run is a comment.
    message = "trec_eval: result qid '#' not found in qrels\n"
    assert program("-m map", compat=10).err == message
    assert program("-c -m num_rel", compat=10).out == "num_rel               \tall\t3\n"


@pytest.mark.parametrize("size", [1 << 16, 1 << 18, 1 << 20])
@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_a_comment_that_ends_with_a_read_buffer(size, shift, program: Program) -> None:
    filler = "q1 0 d1 1\n" + "".join(f"q1 0 f{at:06} 0\n" for at in range(size // 15 - 4))
    comment = "#".ljust(size + shift - len(filler) - 1, "x") + "\n"
    program.write(qrels=filler + comment + "# 0 d2 1\n")
    assert program("-c -m num_rel", compat=10).out == "num_rel               \tall\t2\n"


def test_a_run_of_blank_lines(program: Program) -> None:
    program.write(run=" \n\n")
    message = "trec_eval: No queries with both results and relevance info\n"
    assert program("-m map") == Ended(7, "", message)


def test_numbers_are_prefixes_of_fields(program: Program) -> None:
    program.write(
        qrels="q1 0 a 2x\nq1 0 b 0.7\nq1 0 c one\nq1 0 d +1\n",
        run="q1 Q0 a 1 0x10 R\nq1 Q0 b 1 12abc R\nq1 Q0 c 1 inf R\nq1 Q0 d 1 text R\n",
    )
    assert program("-q -n -m relstring").out == "relstring             \tq1\t'0201'\n"


def test_the_tag_is_that_of_the_last_line(program: Program) -> None:
    program.write(run="q9 Q0 d 1 1 first\nq1 Q0 d1 1 2.0 A more junk\nq9 Q0 d 1 1 B x\n\n")
    assert program("-m runid").out == "runid                 \tall\tB\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"run": "q1 Q0 d1 1 nan R\n"}, "'nan'"),
        ({"qrels": "q1 0 d1 99999999999999999999\n"}, "'99999999999999999999'"),
    ],
)
def test_numbers_that_crash_trec_eval_are_errors(files, found: str, program: Program) -> None:
    program.write(**files)
    ended = program("-m map")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("gainful trec_eval: ")
    assert found in ended.err
    assert ended.err.count("\n") == 1


def test_a_negative_depth_is_an_error(program: Program) -> None:
    ended = program("-M-1 -m map")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (
        "gainful trec_eval: found -M -1, expected a number of documents of 0 or more\n"
    )


def test_zscores(program: Program) -> None:
    program.write(z="q1 map 0.5 0.25\nq1 P_5 0.2 0\nq1 P_10 0.3 0\nq2 zzz 0 1\n")
    expected = {
        "Zmap": "2.0000",
        "ZP_5": "0.0000",
        "ZP_10": "-1000000.0000",
        "Zset_P": "-1000000.0000",
    }
    ended = program("-Z z -m map -m P.5,10 -m set_P -m num_q -m runid -q")
    values = {tuple(line.split()[:2]): line.split()[2] for line in ended.out.splitlines()}
    assert values == {
        **{(name, topic): value for topic in ("q1", "all") for name, value in expected.items()},
        ("Znum_q", "all"): "1.0000",
        ("runid", "all"): "R",
    }
    assert ended.err == ""


@pytest.mark.parametrize("compat", [9, 10])
def test_the_sign_of_nan_among_zscores(compat: int, program: Program) -> None:
    # Version 9.0.8's own file of means has NaN for set_F, and its expected output has "   nan".
    program.write(z="q1 set_F nan nan\nq1 map -nan 1\nq1 P_5 1 nan\nq1 P_10 1 -nan\n")
    ended = program("-Z z -m set_F -m map -m P.5,10 -q", compat=compat)
    values = [line.split("\t") for line in ended.out.splitlines()]
    expected = {"Zset_F": "   nan", "Zmap": "  -nan", "ZP_5": "   nan", "ZP_10": "  -nan"}
    assert {(name.strip(), topic): value for name, topic, value in values} == {
        (name, topic): value for name, value in expected.items() for topic in ("q1", "all")
    }
    # 0/0 has a negative sign, which is kept.
    program.write(z="q1 iprec_at_recall_0.00 0 1\nq1 11pt_avg nan 1\n")
    for words, shown in (("", "iprec_at_recall_0.00  "), ("-Z z ", "Ziprec_at_recall_0.00  ")):
        ended = program(f"{words}-M0 -m iprec_at_recall.0 -q", compat=compat)
        assert ended.out == f"{shown}\tq1\t  -nan\n{shown}\tall\t  -nan\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "trec_eval.get_prefs: Cannot read zscores file 'z'\n"),
        ("q1 map 1 1\nq1 map 1\n", "trec_eval.get_zscores: Malformed line 2\n"),
    ],
)
def test_unreadable_zscore_files_are_errors(content: str, message: str, program: Program) -> None:
    program.write(z=content)
    assert program("-Z z") == Ended(255, "", message)


def test_debug_lines_of_a_ranking_shorter_than_the_ideal(program: Program) -> None:
    program.write(qrels="q1 0 a 1\nq1 0 b 2\nq1 0 c 2\n", run="q1 Q0 x 1 2 R\nq1 Q0 a 1 1 R\n")
    assert program("-D2 -m ndcg -m ndcg_cut.1,5").out == (
        "ndcg: 0 2 0.0 0.0000 2.0 2.0000\n"
        "ndcg: 1 2 1.0 0.6309 2.0 3.2619\n"
        "ndcg: 2 1 0.0 0.6309 1.0 3.7619\n"
        "ndcg: 3 -1 0.0 0.6309 0.0 3.7619\n"
        "ndcg_cut: cutoff 1 dcg 0.0000\n"
        "ndcg_cut:1 1.0 0.6309\n"
        "ndcg_cut: cutoff 5 dcg 0.6309\n"
        "ndcg_cut:0 2 2.0 2.0000\n"
        "ndcg_cut: cutoff 1 idcg 2.0000\n"
        "ndcg_cut:1 2 2.0 3.2619\n"
        "ndcg_cut:2 1 1.0 3.7619\n"
        "ndcg_cut: cutoff 5 idcg 3.7619\n"
        "ndcg                  \tall\t0.1677\n"
        "ndcg_cut_1            \tall\t0.0000\n"
        "ndcg_cut_5            \tall\t0.1677\n"
    )


def test_standard_input_and_a_closed_output_pipe(program: Program) -> None:
    command = [sys.executable, "-m", "gainful.compat.trec_eval", "-m", "map"]
    done = subprocess.run(
        [*command, "qrels", "-"], input=RUN.encode(), capture_output=True, check=True
    )
    assert done.stdout == b"map                   \tall\t1.0000\n"
    done = subprocess.run(
        [*command, "-", "run"], input=QRELS.encode(), capture_output=True, check=True
    )
    assert done.stdout == b"map                   \tall\t1.0000\n"
    if os.name == "posix":
        reader, writer = os.pipe()
        os.close(reader)
        gone = subprocess.run([*command, "qrels", "run"], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        assert (gone.returncode, gone.stderr) == (141, b"")


def test_it_is_a_command_of_gainful(program: Program) -> None:
    from gainful.cli import main

    program._capture.readouterr()
    assert main(["trec_eval", "-m", "map", "qrels", "run"]) == 0
    assert program._capture.readouterr().out == b"map                   \tall\t1.0000\n"
