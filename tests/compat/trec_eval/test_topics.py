"""gainful trec_eval: topics that are missing, filtered, or cannot be measured."""

from __future__ import annotations

import gzip

import pytest

from trec_eval_program import Ended, Program

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\nq3 0 d1 1\n"
RUN = "q1 Q0 d1 1 2 R\nq1 Q0 d3 1 1 R\nq3 Q0 d2 1 2 R\nq3 Q0 d1 1 1 R\n"
NONE = "trec_eval: No queries with both results and relevance info\n"


def lines(*rows: str) -> str:
    return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in map(str.split, rows))


@pytest.fixture
def program(tmp_path, monkeypatch, capsysbinary) -> Program:
    monkeypatch.chdir(tmp_path)
    program = Program(tmp_path, capsysbinary)
    program.write(qrels=QRELS, run=RUN)
    return program


def test_a_missing_topic_is_left_out(program: Program) -> None:
    out = lines("map q1 1.0000", "map q3 0.5000", "num_q all 2", "map all 0.7500")
    assert program("-q -m map -m num_q") == Ended(0, out, "")


def test_a_missing_topic_counts_as_zero(program: Program) -> None:
    out = lines(
        "map q1 1.0000",
        "map q3 0.5000",
        "num_q all 3",
        "map all 0.5000",
        "gm_map all 0.0171",
    )
    assert program("-q -c -m map -m num_q -m gm_map") == Ended(0, out, "")


def test_relevant_documents_of_all_topics_are_counted_without_the_level(program: Program) -> None:
    assert program("-l2 -m num_rel").out == lines("num_rel all 0")
    assert program("-c -l2 -m num_rel").out == lines("num_rel all 3")


def test_version_10_stops_at_a_missing_topic(program: Program) -> None:
    message = "trec_eval: result qid 'q2' not found in qrels\n"
    assert program("-q -m map", compat=10) == Ended(4, lines("map q1 1.0000"), message)


def test_version_10_invents_a_ranking(program: Program) -> None:
    out = lines(
        "num_ret q1 2",
        "map q1 1.0000",
        "relstring q1 '1-'",
        "yaap q1 0.6931",
        "num_ret q2 0",
        "map q2 0.0000",
        "relstring q2 ''",
        "yaap q2 -0.6931",
        "num_ret q3 2",
        "map q3 0.5000",
        "relstring q3 '-1'",
        "yaap q3 0.0000",
        "num_ret all 4",
        "map all 0.5000",
        "yaap all 0.0000",
    )
    assert program("-q -c -m map -m num_ret -m relstring -m yaap", compat=10) == Ended(0, out, "")


def test_one_topic_alone(program: Program) -> None:
    out = lines("map q3 0.5000", "map all 0.5000")
    assert program("-D0.q3 -q -m map") == Ended(0, out, "")
    assert program("-D0.q2 -q -m map") == Ended(7, "", NONE)
    assert program("-D0.nobody -q -m map") == Ended(7, "", NONE)
    assert program("-D0.q3 -c -m num_q").out == lines("num_q all 3")


def test_no_common_topic(program: Program) -> None:
    program.write(run="q9 Q0 d1 1 2 R\n")
    assert program("-m map") == Ended(7, "", NONE)
    assert program("-c -m map") == Ended(7, "", NONE)
    message = "trec_eval: result qid 'q1' not found in qrels\n"
    assert program("-m map", compat=10) == Ended(4, "", message)
    assert program("-c -m map -m runid", compat=10).out == lines("runid all R", "map all 0.0000")


def test_the_message_for_a_document_retrieved_twice(program: Program) -> None:
    """The two messages are not separated by a line end, as in trec_eval."""
    program.write(run=RUN + "q3 Q0 d2 1 0.5 R\nq9 Q0 d1 1 1 R\nq9 Q0 d1 1 1 R\n")
    message = (
        "trec_eval.form_res_qrels: duplicate docs d2trec_eval: Can't calculate measure 'num_ret'\n"
    )
    out = lines("num_ret q1 2", "map q1 1.0000")
    assert program("-q -m runid -m map -m num_ret") == Ended(4, out, message)
    assert program("-m runid -m num_q") == Ended(0, lines("runid all R", "num_q all 2"), "")
    # Truncated before duplicates are detected.
    assert program("-M1 -q -m num_ret").status == 0
    assert program("-D0.q1 -m num_ret").status == 0


def test_the_message_for_a_document_judged_twice(program: Program) -> None:
    program.write(qrels=QRELS + "q2 0 d1 1\nq2 0 d1 2\n")
    # Judgments of a topic that the run lacks are not checked.
    assert program("-m map") == Ended(0, lines("map all 0.7500"), "")
    program.write(qrels=QRELS + "q3 0 d1 1\n")
    message = (
        "trec_eval.form_res_rels: duplicate docs d1\ntrec_eval: Can't calculate measure 'map'\n"
    )
    assert program("-q -m map") == Ended(4, lines("map q1 1.0000"), message)


def test_measures_of_other_judgments(program: Program) -> None:
    message = "trec_eval: Can't calculate measure '{}'\n"
    unfit = (
        "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n"
    )
    assert program("-R qrels_jg") == Ended(4, "", unfit + message.format("num_ret"))
    unfit = "trec_eval: rel_info format not qrels_jg or results format not trec_results\n"
    assert program("-m qrels_jg") == Ended(4, "", unfit + message.format("map_avgjg"))
    ended = program("-q -m prefs -m map")
    assert ended.err.endswith(message.format("prefs_num_prefs_poss"))
    assert (ended.status, ended.out) == (4, "")
    wrong = "trec_eval.calc_utility: improper number of coefficients\n"
    assert program("-m utility.1,2") == Ended(4, "", wrong + message.format("utility"))


@pytest.mark.parametrize(
    ("prefs", "message"),
    [
        (
            "q1 a 1 d1 0\nq1 a 2 d1 2\nq1 a 2 d2 1\n",
            "trec_eval.form_prefs_counts: doc 'd1' has both 0 and non-0 rel_level assigned\n",
        ),
        (
            "q1 a 1 d2 1\nq1 a 1 d1 1\nq1 a 1 d1 2\nq1 a 1 x 1\nq1 a 1 x 9\n",
            "trec_eval.form_prefs_counts: Internal docid 2 occurs with different rel_level in same "
            "jsg\n",
        ),
    ],
)
def test_preferences_that_contradict_each_other(prefs, message: str, program: Program) -> None:
    program.write(
        prefs=f"q0 a 1 d1 1\nq0 a 1 d2 0\n{prefs}q0 a 1 d3 0\n",
        run="q1 Q0 d1 1 1 R\nq1 Q0 d2 1 1 R\nq0 Q0 d1 1 1 R\n",
    )
    out = lines("prefs_simp q0 1.0000")
    message += "trec_eval: Can't calculate measure 'prefs_simp'\n"
    assert program("-q -R prefs -m prefs_simp", "prefs run") == Ended(4, out, message)


def test_circular_preferences(program: Program) -> None:
    """trec_eval aborts."""
    program.write(prefs="q1 a 1 d1 1\nq1 a 1 d2 2\nq1 a 2 d1 3\nq1 a 2 d2 2\n")
    ended = program("-q -R prefs -m prefs_simp", "prefs run")
    assert (ended.status, ended.out) == (4, "")
    assert "document 'd1'" in ended.err


def test_a_first_topic_without_a_grade(program: Program) -> None:
    program.write(qrels="q1 0 d1 -1\nq3 0 d1 1\n")
    message = "trec_eval: Can't calculate measure 'map'\n"
    assert program("-q -m map") == Ended(4, "", message)
    program.write(qrels="q1 0 d1 1\nq3 0 d1 -1\nq3 0 d2 -7\n")
    assert program("-q -m map") == Ended(
        0, lines("map q1 1.0000", "map q3 0.0000", "map all 0.5000"), ""
    )


def test_topics_are_in_byte_order(program: Program) -> None:
    topics = ["q1", "Q1", "10", "2", "é", "\udcff"]
    program.write(
        qrels="".join(f"{topic} 0 d 1\n" for topic in topics),
        run="".join(f"{topic} Q0 d 1 1 R\n" for topic in topics),
    )
    found = [line.split("\t")[1] for line in program("-q -m map").out.splitlines()]
    assert found == ["10", "2", "Q1", "q1", "é", "\udcff", "all"]


@pytest.mark.parametrize("compat", [9, 10])
def test_compressed_files_and_the_standard_input(
    compat: int, program: Program, monkeypatch
) -> None:
    out = lines("runid all R", "map all 0.7500")
    (program.folder / "qrels.gz").write_bytes(gzip.compress(b"q1 0 d1 1\nq3 0 d1 1\n"))
    (program.folder / "run.gz").write_bytes(gzip.compress(RUN.encode()))
    assert program("-m map -m runid", "qrels.gz run.gz", compat) == Ended(0, out, "")
    assert program("", "- -").err == (
        "gainful trec_eval: found - for both files, expected it once: the standard input is read "
        "once\n"
    )
