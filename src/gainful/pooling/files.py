"""Write pools: JSON lines, TREC pools and prels."""

from __future__ import annotations

from os import fspath
from os.path import splitext

from gainful.data.judgment_samples import RANKS
from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import WRITERS
from gainful.formats.json import text
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any

    from gainful.pooling.result import Pool

__all__ = ["FORMATS", "rows", "write"]


def rows(pool: Pool) -> Iterator[dict[str, Any]]:
    """Yield the documents of a pool as JSON values."""
    columns = (pool.queries, pool.documents, pool.strata, pool.probabilities, pool.judges)
    for query, document, stratum, probability, judges in zip(*columns, strict=True):
        yield {
            "query_id": query,
            "doc_id": document,
            "stratum": stratum,
            "probability": probability,
            "judges": judges,
            "strategy": pool.strategy,
            "depth": pool.depth,
        }


def write(pool: Pool, path: str | PathLike[str], format: str | None) -> None:
    """Implement `Pool.write`."""
    name = fspath(path)
    style = format or {".pool": "trec", ".prels": "prels"}.get(splitext(name)[1], "jsonl")
    if style not in FORMATS:
        raise ParameterError(
            where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}"
        )
    lines = FORMATS[style](pool)
    ranks = WRITERS["tsv"](["query_id", "doc_id", "system", "rank"], pool.ranks())
    write_whole(name, _encoded(lines))
    write_whole(splitext(name)[0] + RANKS, _encoded(ranks))


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    return (line.encode("utf-8", "surrogateescape") for line in lines)


def _json_lines(pool: Pool) -> Iterator[str]:
    return map(text, rows(pool))


def _trec_lines(pool: Pool) -> Iterator[str]:
    for query, document in zip(pool.queries, pool.documents, strict=True):
        yield f"{_word(query)} {_word(document)}\n"


def _prels_lines(pool: Pool) -> Iterator[str]:
    if pool.strategy != "sample":
        raise ParameterError(
            where="format",
            found=f"prels of the strategy {pool.strategy}",
            expected="a sample, whose documents have inclusion probabilities",
        )
    columns = (pool.queries, pool.documents, pool.grades, pool.probabilities)
    for query, document, grade, probability in zip(*columns, strict=True):
        label = "-1" if grade is None else f"{grade:g}"
        yield f"{_word(query)} {_word(document)} {label} sample {probability!r}\n"


def _word(value: str) -> str:
    if len(value.split()) != 1:
        raise FormatError(
            found=f"the id {value!r}",
            expected="an id without white space, which TREC formats separate columns with",
            hint="write JSON lines instead",
        )
    return value


#: The formats by name.
FORMATS = {"jsonl": _json_lines, "trec": _trec_lines, "prels": _prels_lines}
