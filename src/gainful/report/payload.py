"""The numbers and rankings of a report, packed for its page.

What is long is compressed by gzip and written in base64, and the browser unpacks it when it is
needed: values of a measure all at once, rankings some queries at a time.
"""

from __future__ import annotations

import base64
import json
import sys
from array import array
from functools import partial

from gainful.byte_order import in_byte_order
from gainful.comparison.pair import page_fields
from gainful.evaluation.columns import cutoffs_of
from gainful.formats.json import finite
from gainful.writing import compressed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.comparison import Comparison, Pair
    from gainful.evaluation import Evaluation
    from gainful.report.listing import Listing, Pool
    from gainful.report.report import Report

__all__ = ["json_text", "payload", "queries_of"]

#: Characters of titles and snippets that a page holds at most, before it is compressed.
MOST_TEXT = 24_000_000
_LENGTHS = ((160, 240), (120, 140), (100, 60), (80, 0), (40, 0))
#: Ranks that are unpacked at once, about.
_RANKS_A_BLOCK = 20_000


def payload(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a page, each with the name that its programs ask for it by."""
    evaluation = report.evaluation
    queries = queries_of(evaluation)
    yield "queries", _packed_json(_queries(report, queries))
    for at in range(len(evaluation.measures)):
        yield f"scores-{at}", _packed(_scores(evaluation, at, queries))
    if report.comparison is not None:
        yield "pairs", _packed_json(_pairs(report.comparison))
    if report.listing is not None:
        size = block_size(report)
        lengths = _lengths(report)
        for number, start in enumerate(range(0, len(queries), size)):
            some = [report.listing.pools[query] for query in queries[start : start + size]]
            yield f"rankings-{number}", _packed_json(_rankings(report, some, lengths))


def queries_of(evaluation: Evaluation) -> list[str]:
    """Return all queries of an evaluation, in byte order."""
    first, *others = (evaluation._tables[system].query_ids() for system in evaluation.systems)
    if all(other == first for other in others):
        return first
    every = {query for own in (first, *others) for query in own}
    return in_byte_order(every)


def block_size(report: Report) -> int:
    """Return how many queries have their rankings in one block."""
    assert report.listing is not None
    ranks = len(report.evaluation.systems) * report.listing.depth
    return max(1, _RANKS_A_BLOCK // ranks)


def json_text(value: object) -> str:
    r"""Return a value as JSON that can stand in a page's ``script``.

    Examples
    --------
    >>> json_text({"a": "</script>", "b": [1.0, float("nan")]})
    '{"a":"\\u003c/script>","b":[1.0,null]}'
    """
    written = _written(value)
    safe = written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return safe.encode("utf-8", "backslashreplace").decode()


def _written(value: object) -> str:
    text = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text(value)
    except ValueError:
        # There is a number that JSON has none for; most blocks are spared the search.
        return text(finite(value))


def _packed(raw: bytes) -> str:
    return base64.b64encode(b"".join(compressed(raw, "gz", level=6))).decode()


def _packed_json(value: object) -> str:
    return _packed(json_text(value).encode())


def _scores(evaluation: Evaluation, measure: int, queries: Sequence[str]) -> bytes:
    nothing = float("nan")
    values = array("d")
    for system in evaluation.systems:
        own = evaluation._values(evaluation.measures[measure], system)
        values.extend(own.get(query, nothing) for query in queries)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


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

    told = page_fields()

    def row(pair: Pair) -> list[object]:
        return [
            measures[pair.measure],
            systems[pair.system],
            systems[pair.baseline],
            pair.verdict,
            int(pair.within_margin),
            *(_short(getattr(pair, name)) for name in told),
        ]

    return {"fields": told, "rows": [row(pair) for pair in comparison.pairs]}


def _short(value: float | int | None) -> float | int | None:
    """Return a number with the digits that a page can show."""
    return float(f"{value:.6g}") if isinstance(value, float) and value - value == 0 else value


def _rankings(report: Report, pools: Sequence[Pool], lengths: tuple[int, int]) -> dict[str, object]:
    found = report.documents.found if report.documents is not None else {}
    texts = {}
    listed = []
    for pool in pools:
        for document in pool.documents:
            if document in found and document not in texts:
                text = found[document]
                texts[document] = [_cut(text.title, lengths[0]), _cut(text.text, lengths[1])]
        listed.append(
            {
                "d": pool.documents,
                "g": pool.grades,
                "i": [number for at, adds in pool.ideal for number in (at, _short(adds))],
                "r": pool.ranks,
                "a": [[n for rank, adds in own for n in (rank, _short(adds))] for own in pool.adds],
                "t": pool.ties if any(pool.ties) else [],
            }
        )
    return {"texts": texts, "queries": listed}


def _lengths(report: Report) -> tuple[int, int]:
    """Return how long titles and snippets may be, so that all together fit."""
    if report.documents is None or report.listing is None:
        return _LENGTHS[0]
    count = _mentions(report.listing)
    for lengths in _LENGTHS:
        if count * sum(lengths) <= MOST_TEXT:
            return lengths
    return _LENGTHS[-1]


def _mentions(listing: Listing) -> int:
    return sum(len(pool.documents) for pool in listing.pools.values())


def _cut(text: str, length: int) -> str:
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    return line[: length - 1].rpartition(" ")[0].rstrip(" ,;:–-") + "…" if length else ""
