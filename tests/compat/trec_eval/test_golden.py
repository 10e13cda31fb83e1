"""gainful trec_eval prints the output of trec_eval 9.0.8 and 10.0-rc3, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trec_eval_program import Ended, Program

#: The one case in which trec_eval is wrong; see docs/drop-in.md.
FRACTIONS = "gains_frac"


@pytest.fixture
def program(tmp_path, monkeypatch, capsysbinary) -> Program:
    monkeypatch.chdir(tmp_path)
    return Program(tmp_path, capsysbinary)


@pytest.mark.parametrize(("compat", "version"), [(9, "9.0.8"), (10, "10.0-rc3")])
def test_the_golden_cases(compat: int, version: str, golden: Path, program: Program) -> None:
    cases = json.loads((golden / "trec_eval_cli.json").read_text())
    assert len(cases) > 30
    for case in cases:
        if case["name"] == FRACTIONS:
            continue
        program.write(qrels=case["qrels"], run=case["run"])
        ended = program(case["args"], compat=compat)
        expected = case[version]
        # What version 10 prints for rbp depends on how it was compiled.
        out = "".join(line for line in ended.out.splitlines(True) if not line.startswith("rbp "))
        assert (ended._replace(out=out)) == Ended(
            expected["rc"], expected["stdout"], expected["stderr"]
        ), case["name"]


@pytest.mark.parametrize("compat", [9, 10])
def test_gains_that_differ_by_less_than_one(compat: int, program: Program) -> None:
    """trec_eval treats them as equal, and prints 0."""
    program.write(
        qrels="q1 0 a 3\nq1 0 b 0\nq1 0 c 1\nq1 0 d 2\n",
        run="".join(f"q1 Q0 {document} 1 1.0 R\n" for document in "abcd"),
    )
    ended = program("-q -m ndcg.1=0.3,2=0.5,3=0.9", compat=compat)
    name = "ndcg_1=0.3,2=0.5,3=0.9"
    assert ended.out == f"{name}\tq1\t0.7887\n{name}\tall\t0.7887\n"
    assert ended.status == 0
    (warning,) = ended.err.splitlines()
    assert "warning: ndcg with the gains 0 and 0.3" in warning
    # Integers and distant fractions are sorted correctly.
    assert program("-m ndcg.1=3.5,2=9,3=7", compat=compat).err == ""
    # Grades without documents cause no message.
    assert program("-m ndcg.1=1,2=2,3=4.5", compat=compat).err == ""
