"""The command line of gainful trec_eval: parsing and messages like getopt_long."""

from __future__ import annotations

import pytest

from gainful.compat.trec_eval.settings import USAGE_TEXT, atof, atol, parse
from trec_eval_program import Ended, Program

QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN = "q1 Q0 d1 1 2.0 R\nq1 Q0 d2 2 1.0 R\n"
MAP = "map                   \tall\t1.0000\n"


@pytest.fixture
def program(tmp_path, monkeypatch, capsysbinary) -> Program:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POSIXLY_CORRECT", raising=False)
    program = Program(tmp_path, capsysbinary)
    program.write(qrels=QRELS, run=RUN)
    return program


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ("-m map", "qrels run"),
        ("-mmap", "qrels run"),
        ("--measure map", "qrels run"),
        ("--measure=map", "qrels run"),
        ("--mea map", "qrels run"),
        ("--M 2 -m map", "qrels run"),
        ("-m map --compat=9", "qrels run"),
        ("qrels -m map run", ""),
        ("qrels run -m map", ""),
        ("-m map --", "qrels run"),
        ("-Jcm map -o", "qrels run"),
        ("-m map -l2.5 -l 1", "qrels run"),
        ("-m map -m map", "qrels run"),
        ("-m map --Output_old_results_format x", "qrels run"),
    ],
)
def test_equivalent_options(words: str, files: str, program: Program) -> None:
    assert program(words, files) == Ended(0, MAP, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-x", "invalid option -- 'x'"),
        ("-q-", "invalid option -- '-'"),
        ("-q:", "invalid option -- ':'"),
        ("qrels run -m", "option requires an argument -- 'm'"),
        ("--foo=1", "unrecognized option '--foo=1'"),
        ("--help=1", "option '--help' doesn't allow an argument"),
        ("qrels run --measure", "option '--measure' requires an argument"),
        (
            "--R=x",
            "option '--R=x' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'",
        ),
    ],
)
def test_invalid_options_are_errors(words: str, message: str, program: Program) -> None:
    assert program(words, "") == Ended(1, "", f"trec_eval: {message}\n{USAGE_TEXT}")


@pytest.mark.parametrize("files", ["", "qrels", "qrels run more"])
def test_a_wrong_number_of_files_is_an_error(files: str, program: Program) -> None:
    assert program("-m map", files) == Ended(1, "", USAGE_TEXT)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-m ndcg@10", "trec_eval: illegal measure 'ndcg@10'\n"),
        ("-m foo.5", "trec_eval: illegal measure 'foo'\n"),
        ("-m unj", "trec_eval: illegal measure 'unj'\n"),
        (
            "-m ndcg.",
            "trec_eval: improper measure in parameter 'ndcg'\ntrec_eval: illegal measure 'ndcg'\n",
        ),
    ],
)
def test_unknown_measures_are_errors(words: str, message: str, program: Program) -> None:
    # Options are processed one by one; later ones are not read.
    assert program(f"{words} --unknown") == Ended(1, "", message)


def test_options_after_files_are_errors_with_posixly_correct(program: Program, monkeypatch) -> None:
    monkeypatch.setenv("POSIXLY_CORRECT", "1")
    assert program("-m map") == Ended(0, MAP, "")
    assert list(parse(["a", "-q"])) == [("file", "a"), ("file", "-q")]
    assert program("", "qrels run -q").status == 1


@pytest.mark.parametrize(("compat", "version"), [(9, "9.0.7"), (10, "10.0-rc3")])
def test_the_version(compat: int, version: str, program: Program) -> None:
    """9.0.8 was released with the version number of an earlier release."""
    assert program("-v", "", compat) == Ended(0, "", f"trec_eval version {version}\n")
    assert program("-q --ver -x", "", compat).status == 0


def test_unknown_versions_are_errors(program: Program) -> None:
    ended = program("--compat 8")
    assert (ended.status, ended.out) == (2, "")
    assert "found --compat 8, expected --compat 9 or --compat 10" in ended.err
    # trec_eval's short options keep their meaning.
    assert program("--comp -m map") == Ended(0, MAP, "")


def test_help_describes_gainful(program: Program) -> None:
    ended = program("-h -m P.5 -m runid", "")
    assert (ended.status, ended.err) == (0, "")
    assert "--complete_rel_info_wanted" in ended.out
    assert "\nP: P in Gainful's notation\n" in ended.out
    assert "\nrunid\n" in ended.out


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("-m P.10,5,23.4", ["P_5", "P_10", "P_23"]),
        ("-m P.5.6", ["P_5"]),
        ("-m ndcg_cut.1 -m ndcg_cut.2", ["ndcg_cut_1"]),
        ("-m Rprec_mult.123456.789,1", ["Rprec_mult_1.00", "Rprec_mult_123456.7"]),
        ("-m official.5 -n", []),
        ("-m set_F.0.5,7", ["set_F_0.5,7"]),
        ("-m num_rel -m num_ret", ["num_ret", "num_rel"]),
        ("-m ndcg.1=3,2=9", ["ndcg_1=3,2=9"]),
        ("-m utility.1.0,-1.0,0,0", ["utility_1.0,-1.0,0,0"]),
    ],
)
def test_names_of_values(words: str, names: list[str], program: Program) -> None:
    lines = program(words).out.splitlines()
    assert [line.split("\t")[0].rstrip() for line in lines] == names


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P.0", "Negative cutoff detected"),
        ("P.5,-1", "Negative cutoff detected"),
        ("P.5,", "Negative cutoff detected"),
        ("P.5,5.9", "duplicate cutoffs detected"),
        ("iprec_at_recall..5,0.50", "duplicate cutoffs detected"),
        ("ndcg.1", "malformed pair parameters in '1'"),
        ("ndcg.1=2,3", "malformed pair parameters in '1=2,3'"),
        ("ndcg.1=2=3", "malformed pair parameters in '1=2=3'"),
        ("ndcg.,1=2", "malformed pair parameters in ',1=2'"),
    ],
)
def test_invalid_parameters_are_errors(measure: str, message: str, program: Program) -> None:
    name = measure.partition(".")[0]
    text = f"trec_eval: {message}\ntrec_eval: Cannot initialize measure '{name}'\n"
    assert program(f"-m {measure}") == Ended(2, "", text)
    # The files are read first.
    assert "Cannot read results file" in program(f"-m {measure}", "qrels missing").err


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12abc", 12.0),
        (" \t-1.5e3x", -1500.0),
        (".5.", 0.5),
        ("1e+", 1.0),
        ("0x1p4", 16.0),
        ("0x", 0.0),
        ("infinity", float("inf")),
        ("-inf", float("-inf")),
        ("0x1p99999", float("inf")),
        ("", 0.0),
        ("+-1", 0.0),
        ("٣", 0.0),
    ],
)
def test_numbers_are_parsed_as_in_c(text: str, number: float) -> None:
    assert atof(text) == number


def test_integers_are_limited_to_64_bits() -> None:
    assert atol("9" * 30) == 2**63 - 1
    assert atol("-" + "9" * 30) == -(2**63)
    assert (atol("23.4"), atol("0x10"), atol(" +7"), atol("- 7")) == (23, 0, 7, 0)
