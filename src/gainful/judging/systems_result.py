"""Tables of systems by rater: means and verdicts."""

from __future__ import annotations

from gainful.formats.numbers import digits
from gainful.formats.table import Column, Note, Table, noted
from gainful.judging.cells import cut, listed, spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.judging.systems import SystemsByRater

__all__ = ["means_table", "verdicts_table"]

#: The most raters with one column each; otherwise the lowest and highest mean are shown.
_RATERS = 8
#: The most pairs to show in full; otherwise only pairs whose verdict depends on the rater are.
_VERDICTS = 20


def means_table(systems: SystemsByRater) -> Table:
    """Return the systems' means by rater, or their range."""
    rows: list[list[object]]
    if len(systems.raters) <= _RATERS:
        columns = [
            Column(f"{systems.subject}.{rater}", cut(rater), digits) for rater in systems.raters
        ]
        rows = [
            [cut(system), *(means[rater] for rater in systems.raters)]
            for system, means in systems.means.items()
        ]
    else:
        columns = [
            Column("min", show=digits),
            Column("min_rater", systems.subject),
            Column("max", show=digits),
            Column("max_rater", systems.subject),
        ]
        rows = []
        for system, means in systems.means.items():
            least, most = min(means, key=lambda r: means[r]), max(means, key=lambda r: means[r])
            rows.append([cut(system), means[least], cut(least), means[most], cut(most)])
    return Table(
        [Column("system"), *columns],
        rows,
        title=f"Mean {systems.measure!r} by {systems.subject}",
        notes=noted("orders", _orders(systems)),
    )


def _orders(systems: SystemsByRater) -> Iterator[str]:
    known = {pair: tau for pair, tau in systems.taus.items() if tau is not None}
    if len(systems.means) > 1 and known:
        least = min(known, key=lambda pair: known[pair])
        subject = (
            f"Kendall's tau-b between the {systems.subject}s' rankings of the"
            f" {len(systems.means)} systems"
        )
        if len(known) == 1:
            yield f"{subject}: {digits(known[least])}."
        else:
            yield f"{subject}: at least {digits(known[least])} ({least[0]} and {least[1]})."
    documents = f"the {systems.documents:,} documents of {systems.queries:,} queries"
    graded = " that all raters graded" if systems.subject == "rater" else ""
    yield f"Scored on {documents}{graded}; other documents count as unjudged."


def verdicts_table(systems: SystemsByRater) -> Table | None:
    """Return the verdicts by rater: all, or those that differ."""
    if not systems.verdicts:
        return None
    whole = len(systems.verdicts) <= _VERDICTS
    shown = systems.verdicts if whole else systems.changed[:_VERDICTS]
    rows: list[tuple[object, ...]] = []
    for pair in shown:
        groups: dict[str, list[str]] = {}
        for rater, verdict in pair.verdict_texts.items():
            groups.setdefault(verdict, []).append(rater)
        if len(groups) == 1:
            lines = [f"{next(iter(groups))} for all"]
        else:
            lines = [f"{verdict} for {listed(raters, 4)}" for verdict, raters in groups.items()]
        differences = pair.differences.values()
        ends = (min(differences), max(differences))
        rows.append((f"{cut(pair.system)} vs. {cut(pair.baseline)}", ends, lines))
    notes = [Note("changes", _changes(systems))]
    if not whole and len(shown) < len(systems.verdicts):
        text = (
            f"The table shows verdicts that depend on the {systems.subject}; JSON and CSV have all."
        )
        notes.append(Note("left_out", text))
    return Table(
        [
            Column("system"),
            Column("difference", show=spread),
            Column("verdict", fit="wrap"),
        ],
        rows or [("none", "", "")],
        title=f"Verdicts by {systems.subject}",
        notes=notes,
    )


def _changes(systems: SystemsByRater) -> str:
    changed, all_of = len(systems.changed), len(systems.verdicts)
    against = sum(each.contradicts for each in systems.verdicts)
    if not changed:
        if all_of == 1:
            return f"The verdict does not depend on the {systems.subject}."
        return f"None of the {all_of} verdicts depends on the {systems.subject}."
    if all_of == 1:
        return f"The verdict depends on the {systems.subject}" + (
            ": it is better for one and worse for another." if against else "."
        )
    verb = "depends" if changed == 1 else "depend"
    line = f"{changed} of {all_of} verdicts {verb} on the {systems.subject}"
    if not against:
        return f"{line}; none is better for one and worse for another."
    verb = "is" if against == 1 else "are"
    return f"{line}; {against} {verb} better for one and worse for another."
