"""Read how a pool was made: its strategy and its systems."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import fspath
from os.path import splitext

from gainful.data.judgment_samples import RANKS
from gainful.data.records import read_records
from gainful.errors import FormatError
from gainful.pooling.result import Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Origin", "origin_of"]


@dataclass(frozen=True, slots=True)
class Origin:
    """How a pool was made.

    Attributes
    ----------
    strategy : str
        The strategy.
    systems : tuple of str or None
        The systems that were pooled; None if the file of systems and ranks is missing.
    """

    strategy: str
    systems: tuple[str, ...] | None


def origin_of(pool: str | PathLike[str] | Pool) -> Origin:
    """Return the strategy and the systems of a pool.

    Parameters
    ----------
    pool : path or Pool
        JSON lines that `Pool.write` wrote; the systems are read from the file next to it that ends
        in ``.ranks.tsv``.

    Raises
    ------
    SourceError
        If a file cannot be read.
    FormatError
        For a file without a column ``strategy``, without rows, or with several strategies.
    """
    if isinstance(pool, Pool):
        return Origin(pool.strategy, tuple(pool.systems))
    table = read_records(pool)
    if "strategy" not in table.columns:
        raise FormatError(
            "no column 'strategy', expected a pool",
            file=table.name,
            hint="`gainful pool -o FILE.jsonl` writes one",
        )
    strategies = sorted({str(row.cells.get("strategy")) for row in table.rows})
    if len(strategies) != 1:
        raise FormatError(
            f"found {'no document' if not strategies else ' and '.join(strategies)},"
            " expected one strategy",
            file=table.name,
        )
    ranks = splitext(fspath(pool))[0] + RANKS
    if fspath(pool) == "-" or not os.path.exists(ranks):
        return Origin(strategies[0], None)
    named = dict.fromkeys(str(row.cells.get("system")) for row in read_records(ranks).rows)
    return Origin(strategies[0], tuple(named))
