"""What is said below the tables of a suite."""

from __future__ import annotations

from gainful.evaluation.notes import describe_convention
from gainful.formats.table import Note, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.suite.result import Suite

__all__ = ["notes"]


def notes(suite: Suite) -> list[Note]:
    """Return the lines below the last table: what is averaged, what is missing, the convention."""
    return [
        *noted("missing", _missing(suite)),
        *noted("macro", _averaged(suite)),
        *noted("oracle", _oracle(suite)),
        *noted("left_out", _left_out(suite)),
        Note("convention", _under(suite)),
    ]


def _missing(suite: Suite) -> Iterator[str]:
    by_system: dict[str, list[str]] = {}
    for system, collection in suite.missing:
        by_system.setdefault(system, []).append(collection)
    if not by_system:
        return
    which = "; ".join(f"{system} in {', '.join(names)}" for system, names in by_system.items())
    without = [system for system in suite.systems if system not in suite.complete]
    line = f"– no run: {which}."
    if without:
        all_of_them = f"{', '.join(without)} {'has' if len(without) == 1 else 'have'}"
        what = "collection" if len(suite.over) == len(suite.collections) else "of these"
        line += f" Without one in each {what} {all_of_them} no macro-average."
    yield line


def _averaged(suite: Suite) -> Iterator[str]:
    names = ", ".join(suite.over)
    if len(suite.over) == len(suite.collections):
        yield (
            f"macro: the mean of the {len(suite.over)} means: each collection counts the same."
            if len(suite.over) > 1
            else "macro: of one collection, its mean."
        )
    else:
        rest = ", ".join(name for name in suite.collections if name not in suite.over)
        yield f"macro: the mean over {names}, each counting the same; {rest} left out."
    yield (
        "The interval is for new queries of these collections, not for other collections"
        " (stratified by collection, Student's t)."
    )


def _oracle(suite: Suite) -> Iterator[str]:
    if suite.oracle is None:
        yield (
            "oracle: for each query the best of the systems that have a run there: what choosing"
            " among them query by query can reach."
        )
    else:
        yield f"{suite.oracle}: the run that was named as the oracle; it is compared with no other."


def _left_out(suite: Suite) -> Iterator[str]:
    if suite.left_out:
        yield f"Neither judgments nor runs, so no collection: {', '.join(suite.left_out)}."


def _under(suite: Suite) -> str:
    return describe_convention(next(iter(suite.evaluations.values())))
