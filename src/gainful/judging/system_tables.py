"""The tables of systems under each rater: their means, and what comparisons come to."""

from __future__ import annotations

from textwrap import wrap

from gainful.formats.table import TextTable, digits, width
from gainful.judging.cells import cut, listed, spread_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.judging.systems import SystemsUnderRaters

__all__ = ["means_table", "verdicts_table"]

#: Pairs of systems that are all shown; of more, those whose verdict depends on the rater.
_VERDICTS = 20


def means_table(systems: SystemsUnderRaters, columns: int) -> TextTable:
    """Return the systems with their means under each rater, or from the least to the most."""
    rows = [
        [cut(system), *(digits(means[rater]) for rater in systems.raters)]
        for system, means in systems.means.items()
    ]
    headers = ["system", *map(cut, systems.raters)]
    wide = sum(2 + max(map(width, column)) for column in zip(headers, *rows, strict=True))
    if wide > columns:
        headers = ["system", "least", "under", "most", "under"]
        rows = []
        for system, means in systems.means.items():
            least, most = min(means, key=lambda r: means[r]), max(means, key=lambda r: means[r])
            rows.append(
                [cut(system), digits(means[least]), cut(least), digits(means[most]), cut(most)]
            )
    align = "lrlrl" if wide > columns else "l" + "r" * len(systems.raters)
    return TextTable(
        headers,
        rows,
        align=align,
        title=f"Systems under each rater: {systems.measure!r}",
        notes=list(_orders(systems)),
    )


def _orders(systems: SystemsUnderRaters) -> Iterator[str]:
    known = {pair: tau for pair, tau in systems.taus.items() if tau is not None}
    if len(systems.means) > 1 and known:
        least = min(known, key=lambda pair: known[pair])
        told = f"Kendall's tau-b between the orders of the {len(systems.means)} systems"
        if len(known) == 1:
            yield f"{told} {digits(known[least])}."
        else:
            between = f"between {least[0]} and {least[1]}"
            yield f"{told}: {digits(known[least])} at the least, {between}."
    held = f"the {systems.documents:,} documents of {systems.queries:,} queries"
    yield f"Scored with {held} that all of them graded; other documents count as unjudged."


def verdicts_table(systems: SystemsUnderRaters, columns: int) -> TextTable | None:
    """Return what comparisons come to under each rater: all, or those that depend on the rater."""
    if not systems.verdicts:
        return None
    changed = systems.changed
    whole = len(systems.verdicts) <= _VERDICTS
    shown = systems.verdicts if whole else changed[:_VERDICTS]
    starts = [
        (f"{cut(told.system)} beside {cut(told.baseline)}", spread_of(told.differences))
        for told in shown
    ]
    taken = sum(2 + max(map(width, column)) for column in zip(*starts, strict=True))
    rows = []
    for told, start in zip(shown, starts, strict=True):
        groups: dict[str, list[str]] = {}
        for rater, verdict in told.verdicts.items():
            groups.setdefault(verdict, []).append(rater)
        if len(groups) == 1:
            lines = [f"{next(iter(groups))} under all"]
        else:
            lines = [f"{verdict} under {listed(who, 4)}" for verdict, who in groups.items()]
        short = [part for line in lines for part in wrap(line, max(24, columns - taken))]
        rows += [[*(start if at == 0 else ("", "")), line] for at, line in enumerate(short)]
    notes = [_changes(systems)]
    if not whole and len(shown) < len(systems.verdicts):
        notes.append("The table holds verdicts that depend on the rater; JSON and CSV hold all.")
    if not rows:
        rows = [["none", "", ""]]
    return TextTable(
        ["system", "difference", "verdict"],
        rows,
        align="lrl",
        title="Verdicts under each rater",
        notes=notes,
    )


def _changes(systems: SystemsUnderRaters) -> str:
    changed, all_of = len(systems.changed), len(systems.verdicts)
    against = sum(each.contradicts for each in systems.verdicts)
    if not changed:
        if all_of == 1:
            return "The verdict does not depend on who judged."
        return f"None of {all_of} verdicts depends on who judged."
    if all_of == 1:
        return "The verdict depends on who judged" + (
            ": it is better under one and worse under another." if against else "."
        )
    verb = "depends" if changed == 1 else "depend"
    line = f"{changed} of {all_of} verdicts {verb} on who judged"
    if not against:
        return f"{line}; none is better under one and worse under another."
    verb = "is" if against == 1 else "are"
    return f"{line}; {against} {verb} better under one and worse under another."
