"""Write pools: JSON lines, TREC pools and prels."""

from __future__ import annotations

from itertools import islice
from json import dumps
from json.encoder import encode_basestring
from os import fspath
from os.path import splitext

from gainful.data.judgment_samples import RANKS
from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import WRITERS
from gainful.vocabulary import POOL_FORMATS
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any

    from gainful.pooling.result import Pool

__all__ = ["FORMATS", "RANK_COLUMNS", "ranks_file", "write"]

#: The columns of the file of ranks.
RANK_COLUMNS = ("query_id", "doc_id", "system", "rank")

#: How to encode ids that are not valid UTF-8, and how many lines at once.
_BYTES, _LINES = "surrogateescape", 4_096


def write(pool: Pool, path: str | PathLike[str], format: str | None) -> None:
    """Implement `Pool.write`."""
    name = fspath(path)
    style = format or {".pool": "trec", ".prels": "prels"}.get(splitext(name)[1], "jsonl")
    if style not in FORMATS:
        raise ParameterError(
            where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}"
        )
    lines = FORMATS[style](pool)
    ranks = WRITERS["tsv"](RANK_COLUMNS, pool.ranks())
    # An id that is not valid UTF-8 has lone surrogates, which JSON must escape.
    write_whole(name, _encoded(lines, "backslashreplace" if style == "jsonl" else _BYTES))
    write_whole(ranks_file(name), _encoded(ranks, _BYTES))


def ranks_file(path: str) -> str:
    """Return the name of the file with the systems and ranks of a pool.

    Examples
    --------
    >>> ranks_file("pool.jsonl")
    'pool.ranks.tsv'
    """
    return splitext(path)[0] + RANKS


def _encoded(lines: Iterable[str], errors: str) -> Iterator[bytes]:
    """Encode many lines at once, which is faster than one at a time."""
    remaining = iter(lines)
    while part := "".join(islice(remaining, _LINES)):
        yield part.encode("utf-8", errors)


def _json_lines(pool: Pool) -> Iterator[str]:
    """Yield the documents: a format string is several times faster than an encoder."""
    quoted = encode_basestring
    shared: dict[str, Any] = {"strategy": pool.strategy, "depth": pool.depth}
    if pool.query_sample:
        shared["query_sample"] = pool.query_sample.to_dict()
    tail = f", {dumps(shared)[1:]}\n"
    names = {query: quoted(query) for query in dict.fromkeys(pool.queries)}
    rows = zip(*pool.columns().values(), strict=True)
    for query, document, stratum, probability, judges in rows:
        drawn = (
            f'"stratum": {stratum}, "probability": {probability!r}'
            if stratum is not None
            else '"stratum": null, "probability": null'
        )
        yield (
            f'{{"query_id": {names[query]}, "doc_id": {quoted(document)}, {drawn},'
            f' "judges": {judges}{tail}'
        )


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
FORMATS = dict(zip(POOL_FORMATS, (_json_lines, _trec_lines, _prels_lines), strict=True))
