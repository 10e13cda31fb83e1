"""Values in gainful trec_eval that only trec_eval has, and their output format.

The expected values are what 9.0.8 prints.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful import _kernel
from trec_eval_program import Program

QRELS = "q1 0 a 2\nq1 0 b -1\nq1 0 c 1\nq1 0 d -2\nq1 0 e 3\n"
RUN = "".join(f"q1 Q0 {document} 1 {9 - rank} R\n" for rank, document in enumerate("bxadc"))


@pytest.fixture
def program(tmp_path, monkeypatch, capsysbinary) -> Program:
    monkeypatch.chdir(tmp_path)
    program = Program(tmp_path, capsysbinary)
    program.write(qrels=QRELS, run=RUN)
    return program


def values(program: Program, words: str) -> dict[str, str]:
    ended = program(words)
    assert (ended.status, ended.err) == (0, "")
    return {line.split()[0]: line.split()[2] for line in ended.out.splitlines()}


def test_levels_below_zero(program: Program) -> None:
    """Unjudged documents are relevant by rank, but not in counts of judged documents."""
    words = "-l-1 -m map -m P.5 -m num_rel_ret -m iprec_at_recall.0,1 -m set_P -m binG"
    assert values(program, f"{words} -m Rprec_mult.2") == {
        "num_rel_ret": "2",
        "map": "0.5889",
        "iprec_at_recall_0.00": "0.4000",
        "iprec_at_recall_1.00": "0.0000",
        "P_5": "0.6000",
        "Rprec_mult_2.00": "0.3333",
        "binG": "0.5873",
        "set_P": "0.4000",
    }
    # The logarithm of a negative number has no sign, unlike 0/0.
    assert values(program, "-l-3 -m map -m yaap") == {"map": "1.6667", "yaap": "nan"}
    # With -J only judged documents remain.
    assert values(program, "-J -l-1 -m map") == {"map": "0.6667"}


def test_gains_of_unjudged_documents(program: Program) -> None:
    words = "-m ndcg.-1=1,-2=4 -m ndcg_rel.-1=1 -m Rndcg.-1=2"
    assert values(program, words) == {
        "ndcg_-1=1,-2=4": "1.6255",
        "ndcg_rel_-1=1": "0.3048",
        "Rndcg_-1=2": "0.3318",
    }


def test_unsorted_recall_levels(program: Program) -> None:
    assert values(program, "-m 11pt_avg..25,.5,1.0") == {"11pt_avg_.25,.5,1.0": "0.2667"}
    assert values(program, "-m 11pt_avg.1.0,.25,.5") == {"11pt_avg_1.0,.25,.5": "0.4000"}


def test_zero_divided_by_zero(program: Program) -> None:
    assert program("-M0 -m iprec_at_recall.0").out == "iprec_at_recall_0.00  \tall\t  -nan\n"


def test_names_are_padded_and_not_truncated(program: Program) -> None:
    out = program("-m utility.1.000000,-1.0000,0,0 -m P.5 -q -n").out
    assert out == "P_5                   \tq1\t0.4000\nutility_1.000000,-1.0000,0,0\tq1\t-1.0000\n"


@pytest.mark.parametrize(
    "number", [0.0, -0.0, 1 / 32, 3 / 32, 0.00005, 99.99995, -1e-9, 1e15, 2**53 + 1, 1e300, 5e-324]
)
def test_four_places(number: float) -> None:
    assert _kernel.fixed([number]) == [b"%6.4f" % number]


@given(st.floats(allow_nan=False) | st.integers(0, 2**20).map(lambda number: number / 2**17))
def test_four_places_of_any_number(number: float) -> None:
    assert _kernel.fixed([number]) == [b"%6.4f" % number]


def test_nan_and_infinity() -> None:
    assert _kernel.fixed([math.nan, -math.nan]) == [b"   nan", b"  -nan"]
