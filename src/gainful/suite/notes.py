"""The notes below the tables of a suite."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention
from gainful.formats.table import Note, noted
from gainful.suite.published_means import describe_published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.suite.result import Suite

__all__ = ["notes"]

_INTERVAL = (
    "The interval of a macro-average is for new queries of these collections, not for other"
    " collections."
)


def notes(suite: Suite) -> list[Note]:
    """Return the notes: missing runs, averaged collections, oracle and convention."""
    return [
        *noted("missing", _missing(suite)),
        *noted("macro", _averaged(suite), explains=len(suite.over) == len(suite.collections)),
        *noted("aggregate", _aggregate(suite)),
        Note("macro_interval", _INTERVAL, explains=True),
        *noted("oracle", _oracle(suite), explains=True),
        *describe_published(suite),
        *noted("left_out", _left_out(suite)),
        Note("convention", describe_convention(next(iter(suite.evaluations.values())))),
    ]


def _missing(suite: Suite) -> Iterator[str]:
    by_system: dict[str, list[str]] = {}
    for system, collection in suite.missing:
        by_system.setdefault(system, []).append(collection)
    if not by_system:
        return
    which = "; ".join(f"{system} for {', '.join(names)}" for system, names in by_system.items())
    incomplete = [system for system in suite.systems if system not in suite.complete]
    line = f"Missing runs: {which}."
    if incomplete:
        line += f" No macro-average for {', '.join(incomplete)}."
    yield line


def _averaged(suite: Suite) -> Iterator[str]:
    if len(suite.over) == len(suite.collections):
        yield "macro: mean of the collections' means."
    else:
        rest = ", ".join(name for name in suite.collections if name not in suite.over)
        yield f"macro: mean over {', '.join(suite.over)}, without {rest}."


def _aggregate(suite: Suite) -> Iterator[str]:
    if suite.aggregate != "mean":
        by = "a normal distribution" if suite.aggregate == "standardized" else "rank"
        yield (
            f"{suite.aggregate}: mean of scores from 0 to 1, relative to the other systems on the"
            f" same query (by {by}). Differences and margins are in these units, and change with"
            " the set of systems."
        )


def _oracle(suite: Suite) -> Iterator[str]:
    if suite.oracle is None:
        yield "oracle: the best system for each query, an upper bound."
    else:
        yield f"{suite.oracle}: the oracle, which is not compared with the systems."


def _left_out(suite: Suite) -> Iterator[str]:
    if suite.left_out:
        yield f"Subfolders without judgments and runs: {', '.join(suite.left_out)}."
