"""Pack the scores and rankings of a report for its page.

The data are split into blocks, one per measure for scores and one per group of queries for
rankings. Each is compressed and encoded as text, and the browser unpacks it on demand.
"""

from __future__ import annotations

import json
from functools import partial
from itertools import chain

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.comparison.pair import page_fields
from gainful.evaluation.columns import cutoffs_of
from gainful.formats.json import finite
from gainful.report.packing import pack_columns, split_numbers, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.comparison import Comparison, Pair
    from gainful.evaluation import Evaluation
    from gainful.report.listing import Listing, Pool
    from gainful.report.report import Report

__all__ = ["block_size", "json_text", "list_queries", "pack_blocks"]

#: The maximum number of characters of titles and snippets in a page, before compression.
MOST_TEXT = 24_000_000
#: The maximum lengths of a title and of a snippet; the first pair that fits applies.
_LENGTHS = ((160, 240), (120, 140), (100, 60), (80, 0), (40, 0))
#: The approximate number of ranks per block.
_RANKS_PER_BLOCK = 40_000


def pack_blocks(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each block of a page."""
    evaluation = report.evaluation
    queries = list_queries(evaluation)
    yield "queries", _pack_json(_queries(report, queries))
    for at in range(len(evaluation.measures)):
        yield f"scores-{at}", to_text(_scores(evaluation, at, queries))
    if report.comparison is not None:
        yield "pairs", _pack_json(_pairs(report.comparison))
    if report.listing is not None:
        size = block_size(report)
        lengths = _choose_lengths(report)
        for number, start in enumerate(range(0, len(queries), size)):
            some = [report.listing.pools[query] for query in queries[start : start + size]]
            yield f"rankings-{number}", to_text(_rankings(report, some, lengths))


def list_queries(evaluation: Evaluation) -> list[str]:
    """Return all queries of an evaluation, in byte order."""
    first, *others = (evaluation._tables[system].query_ids() for system in evaluation.systems)
    if all(other == first for other in others):
        return first
    every = {query for own in (first, *others) for query in own}
    return in_byte_order(every)


def block_size(report: Report) -> int:
    """Return the number of queries whose rankings share a block."""
    assert report.listing is not None
    ranks = len(report.evaluation.systems) * report.listing.depth
    return max(1, _RANKS_PER_BLOCK // ranks)


def json_text(value: object) -> str:
    r"""Return a value as JSON that is safe inside an HTML ``script`` element.

    Examples
    --------
    >>> json_text({"a": "</script>", "b": [1.0, float("nan")]})
    '{"a":"\\u003c/script>","b":[1.0,null]}'
    """
    safe = (
        _dumped(value)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )
    return safe.encode("utf-8", "backslashreplace").decode()


def _dumped(value: object) -> str:
    text = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text(value)
    except ValueError:
        # NaN and infinity are rare, so they are replaced only after a failure.
        return text(finite(value))


def _pack_json(value: object) -> str:
    return to_text(json_text(value).encode())


def _scores(evaluation: Evaluation, measure: int, queries: Sequence[str]) -> bytes:
    """Return the different scores as 64-bit numbers, and their places by system and query."""
    missing = float("nan")
    values = np.empty((len(evaluation.systems), len(queries)))
    for at, system in enumerate(evaluation.systems):
        own = evaluation._values(evaluation.measures[measure], system)
        values[at] = [own.get(query, missing) for query in queries]
    different, places = np.unique(values, return_inverse=True)
    numbers = different.astype("<f8").tobytes()
    return pack_columns({}, {"numbers": np.frombuffer(numbers, np.uint8), "places": places.ravel()})


def _queries(report: Report, queries: Sequence[str]) -> dict[str, object]:
    evaluation = report.evaluation
    found = report.queries.found if report.queries is not None else {}
    cutoffs = cutoffs_of(evaluation.resolved)
    unjudged: dict[str, int] = {}
    relevant: dict[str, int] = {}
    names = evaluation.columns
    at = names.index(f"unjudged@{cutoffs[0]}") if cutoffs else None
    for system in evaluation.systems:
        columns = evaluation._columns(system)
        relevant.update(zip(columns[1], columns[names.index("relevant")], strict=True))  # type: ignore[arg-type]
        if at is not None:
            for query, count in zip(columns[1], columns[at], strict=True):
                unjudged[query] = max(unjudged.get(query, 0), count)  # type: ignore[index, call-overload]
    return {
        "ids": list(queries),
        "texts": [found[query].snippet if query in found else "" for query in queries]
        if found
        else None,
        "relevant": [relevant[query] for query in queries],
        "unjudged": [unjudged[query] for query in queries] if at is not None else None,
    }


def _pairs(comparison: Comparison) -> dict[str, object]:
    systems = {system: at for at, system in enumerate(comparison.systems)}
    measures = {repr(measure): at for at, measure in enumerate(comparison.measures)}
    shown = page_fields()

    def row(pair: Pair) -> list[object]:
        return [
            measures[pair.measure],
            systems[pair.system],
            systems[pair.baseline],
            pair.verdict,
            int(pair.within_margin),
            *(_round_number(getattr(pair, name)) for name in shown),
        ]

    return {"fields": shown, "rows": [row(pair) for pair in comparison.pairs]}


def _round_number(value: float | int | None) -> float | int | None:
    """Round a number to the precision that a page shows."""
    return float(f"{value:.6g}") if isinstance(value, float) and value - value == 0 else value


def _rankings(report: Report, pools: Sequence[Pool], lengths: tuple[int, int]) -> bytes:
    """Return the rankings of some queries as columns.

    All columns are in the order of the queries, those of rankings also in the order of the systems.
    A column of lengths precedes each column of lists.
    """
    documents = [document for pool in pools for document in pool.documents]
    found = report.documents.found if report.documents is not None else {}
    texts = {
        document: [_shorten(text.title, lengths[0]), _shorten(text.text, lengths[1])]
        for document in (documents if found else ())
        if (text := found.get(document)) is not None
    }
    numbers = split_numbers(documents)
    grades = _Codes()
    adds = _Codes()
    rankings = [ranking for pool in pools for ranking in pool.ranks]
    contributions = [pairs for pool in pools for pairs in pool.contributions]
    best = [pair for pool in pools for pair in pool.ideal]
    ties = [groups for pool in pools for groups in pool.ties]
    columns = {
        "documents": [len(pool.documents) for pool in pools],
        "document": [] if numbers is None else numbers[1],
        "grade": grades.encode(grade for pool in pools for grade in pool.grades),
        "ideals": [len(pool.ideal) for pool in pools],
        "ideal": [place + 1 for place, _ in best],
        "ideal_adds": adds.encode(_round_number(value) for _, value in best),
        "ranks": [*map(len, rankings)],
        "rank": [code for pool in pools for code in _without_new(pool)],
        "contributions": [*map(len, contributions)],
        "contribution": [rank for pairs in contributions for rank, _ in pairs],
        "adds_of": adds.encode(
            _round_number(value) for pairs in contributions for _, value in pairs
        ),
        "ties": [*map(len, ties)],
        "tie": [*chain.from_iterable(ties)],
    }
    header = {
        "texts": texts,
        "ids": documents if numbers is None else None,
        "start": "" if numbers is None else numbers[0],
        "grades": finite(list(grades.values)),
        "adds": finite(list(adds.values)),
    }
    return pack_columns(header, columns)


def _without_new(pool: Pool) -> Iterator[int]:
    """Yield the documents by rank: 0 for the first that no list above has, or the index plus 1."""
    following = max((place for place, _ in pool.ideal), default=-1) + 1
    for place in chain.from_iterable(pool.ranks):
        if place == following:
            following += 1
            yield 0
        else:
            yield place + 1


class _Codes:
    """Numbers for different values, counted from 0 in the order of appearance."""

    def __init__(self) -> None:
        self.values: dict[float | None, int] = {}

    def encode(self, values: Iterable[float | None]) -> list[int]:
        """Return the numbers of values."""
        known = self.values
        return [known.setdefault(value, len(known)) for value in values]


def _choose_lengths(report: Report) -> tuple[int, int]:
    """Return the largest title and snippet lengths for which the page is not too large."""
    if report.documents is None or report.listing is None:
        return _LENGTHS[0]
    count = _count_documents(report.listing)
    for lengths in _LENGTHS:
        if count * sum(lengths) <= MOST_TEXT:
            return lengths
    return _LENGTHS[-1]


def _count_documents(listing: Listing) -> int:
    return sum(len(pool.documents) for pool in listing.pools.values())


def _shorten(text: str, length: int) -> str:
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    return line[: length - 1].rpartition(" ")[0].rstrip(" ,;:–-") + "…" if length else ""
