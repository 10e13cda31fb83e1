"""The strings of relevance values per query, which trec_eval's command line prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful import Qrels, _kernel
from gainful.conventions import Convention, get
from gainful.measures import AP

QRELS = {
    "q1": {"a": 3, "b": 0, "c": 12, "d": -1, "e": -2, "f": 9, "g": 1.9},
    "q2": {"a": 1},
    "q3": {"a": 1},
}
RUN = {"q1": dict(zip("abxcdefg", range(9, 1, -1), strict=True)), "q2": {"x": 1.0, "a": 0.5}}


def strings(run: object, convention: Convention, depth: int | None, threads: int = 1) -> list[str]:
    table = _kernel.evaluate(
        Qrels(QRELS)._rows,
        run,  # type: ignore[arg-type]
        convention.spec(),
        [("AP", *AP.spec(convention))],
        threads=threads,
        relevance_strings=depth,
    )
    return table.relevance_strings()


def test_strings_have_one_character_per_document() -> None:
    # Fractions are truncated, as in trec_eval.
    for name in ("gainful-1", "trec_eval-9.0.8"):
        convention = get(name).replace(missing="empty")
        assert strings(RUN, convention, 10) == ["30->..91", "-1", ""]
    assert strings(RUN, get("trec_eval-9.0.8"), 3) == ["30-", "-1"]
    assert strings(RUN, get("gainful-1"), 0) == ["", "", ""]
    assert strings(RUN, get("gainful-1"), None) == ["", "", ""]


def test_removed_documents_have_no_character() -> None:
    condensed = get("trec_eval-9.0.8").replace(unjudged="condense")
    assert strings(RUN, condensed, 10) == ["30>91", "1"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("scattered", [False, True])
def test_strings_do_not_depend_on_the_order_of_lines(
    tmp_path: Path, scattered: bool, threads: int
) -> None:
    lines = [
        f"{query} Q0 {doc} 1 {score} tag\n" for query in RUN for doc, score in RUN[query].items()
    ]
    if scattered:
        lines = lines[::2] + lines[1::2]
    path = tmp_path / "run"
    path.write_text("".join(lines))
    convention = get("gainful-1")
    assert strings([path], convention, 10, threads) == ["30->..91", "-1", ""]
