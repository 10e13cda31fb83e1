"""Show an evaluation as a table with notes."""

from __future__ import annotations

from gainful.formats.numbers import digits, percent, spans
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.evaluation.result import Evaluation

_JUDGED = "judged: of the documents down to the measure's cutoff, without one of all retrieved."
_CONDENSED = "judged: after the unjudged documents were taken out."
_CAPTION = (
    "The interval is for the mean over new queries like these (Student's t). Two systems are"
    " compared query by query, not by whether their intervals overlap."
)


def summary_table(evaluation: Evaluation) -> Table:
    """Return one row per system and measure, with counts and convention below."""
    several = len(evaluation.systems) > 1
    bounded = evaluation.bounds_of is not None
    sums = [measure.aggregate == "sum" for measure in evaluation.measures]
    columns = [
        Column("measure"),
        Column("low", show=measured),
        Column("mean", "mean or sum" if any(sums) else "mean", show=measured),
        Column("high", show=measured),
        Column("interval", "95% CI", show=spans()),
        Column("median", show=measured),
        Column("n", "queries", show=str),
        Column("judged", show=percent),
    ]
    rows: list[tuple[object, ...]] = []
    unjudged = False
    for system in evaluation.systems:
        for measure, summed in zip(evaluation.measures, sums, strict=True):
            summary = evaluation.summary(measure, system)
            unjudged |= summary.judged is not None and summary.judged < 1
            low, mean, high, median = (
                whole(value, summed)
                for value in (summary.lowest, summary.value, summary.highest, summary.median)
            )
            interval = None if summed else (summary.low, summary.high)
            row = (repr(measure), low, mean, high, interval, median, summary.n, summary.judged)
            rows.append((system, *row) if several else row)
    notes = [
        *noted("counts", counts_lines(evaluation)),
        *noted("unjudged", _strange(evaluation)),
    ]
    if evaluation.judgments_note is not None:
        notes.append(Note("judgments", evaluation.judgments_note))
    scattered = evaluation.scattered
    if scattered:
        notes.append(Note("scattered", scattered_line(scattered, several)))
    notes.append(Note("convention", convention_line(evaluation)))
    if bounded:
        notes.append(Note("bounds", bounds_line(evaluation)))
    if not all(sums):
        notes.append(Note("interval", _CAPTION))
    if unjudged:
        notes.append(Note("judged", _JUDGED))
    elif evaluation.convention.unjudged == "condense":
        notes.append(Note("judged", _CONDENSED))
    table = Table(
        [Column("system"), *columns] if several else columns,
        rows,
        title="" if several else evaluation.systems[0],
        notes=notes,
    )
    absent = ("median",) if bounded else ("low", "high")
    return table.only(lambda column: column.key not in absent)


def whole(value: float | None, summed: bool) -> float | None:
    """Return a value for a table: sums become integers."""
    if not summed or value is None or value - value != 0:
        return value
    return round(value)


def measured(value: float) -> str:
    """Format a mean with four digits, a sum without any.

    Examples
    --------
    >>> measured(0.5), measured(12)
    ('.5000', '12')
    """
    return str(value) if isinstance(value, int) else digits(value)


def counts_lines(evaluation: Evaluation) -> list[str]:
    """Describe the counts of each system, merging equal ones.

    The judged share is in the table.
    """
    remarks: dict[str, list[str]] = {}
    for system in evaluation.systems:
        met = {**evaluation.counts(system), "judged_at_cutoff": {}}
        remarks.setdefault(counts_line(met), []).append(system)
    return [
        line if len(remarks) == 1 else f"{', '.join(systems)}: {line}"
        for line, systems in remarks.items()
    ]


def scattered_line(systems: Sequence[str], several: bool = False) -> str:
    """Describe which runs were regrouped, and how to avoid it.

    Examples
    --------
    >>> print(scattered_line(["bm25"]))
    Rows of a query stood in several places of the run and were regrouped; sorted, it is faster.
    >>> print(scattered_line(["x"], several=True))
    Rows of a query stood in several places of the run x and were regrouped; sorted, it is faster.
    """
    runs, they = ("runs", "they are") if len(systems) > 1 else ("run", "it is")
    which = f"the {runs} {', '.join(systems)}" if several else f"the {runs}"
    return (
        f"Rows of a query stood in several places of {which} and were regrouped;"
        f" sorted, {they} faster."
    )


def _strange(evaluation: Evaluation) -> list[str]:
    """Describe runs that have nothing in common with the judgments."""
    systems = evaluation.unjudged_systems
    if not systems:
        return []
    few = len(systems) == len(evaluation.systems) == 1
    named = "" if few else f"{', '.join(systems)}: "
    return [f"{named}no document of the run is judged; are its ids those of the judgments?"]


def bounds_line(evaluation: Evaluation) -> str:
    """Describe the scope of the bounds and what they assume.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "nDCG@10", bounds=True)
    >>> bounds_line(result).partition(" (")[0]
    'low and high: over the labels of retrieved documents that nobody judged'
    """
    cut = evaluation.bounds_of == "cutoff"
    of = "documents above the cutoff" if cut else "retrieved documents"
    others = "all other unjudged documents" if cut else "documents that were not retrieved"
    return (
        f"low and high: over the labels of {of} that nobody judged ({scale_words(evaluation)}),"
        f" the ideal made anew; {others} are taken for not relevant."
    )


def scale_words(evaluation: Evaluation) -> str:
    """Format the possible grades of an unjudged document."""
    grades = [f"{grade:g}" for grade in evaluation.scale or ()]
    if len(grades) > 8:
        return f"{len(grades)} grades from {grades[0]} to {grades[-1]}"
    return " or ".join([", ".join(grades[:-1]), grades[-1]] if len(grades) > 1 else grades)


def convention_line(evaluation: Evaluation) -> str:
    """Return the convention in one line, with measures that override it.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "nDCG(gain='exponential')@10")
    >>> convention_line(result).partition("; ")[2]
    'what a measure sets itself, as in parentheses, goes before it'
    """
    line = str(evaluation.convention)
    own = any(measure.params for measure in evaluation.measures)
    return f"{line}; what a measure sets itself, as in parentheses, goes before it" if own else line


def counts_line(counts: dict[str, object]) -> str:
    """Return the counts of an evaluation in one line.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 2.0}}, "nDCG@10")
    >>> print(counts_line(result.counts()))
    2 queries: 1 not in the run (counted as empty), 1 with nothing relevant; judged@10 100.0%
    """
    parts = []
    missing, extra, judged = counts["missing"], counts["extra"], counts["judged_queries"]
    if missing:
        left_out = counts["queries"] != judged
        parts.append(f"{missing} not in the run ({'left out' if left_out else 'counted as empty'})")
    nothing = counts["no_relevant"]
    assert isinstance(nothing, dict)
    alike = set(nothing.values())
    if len(alike) == 1 and alike != {0}:
        parts.append(f"{alike.pop()} with nothing relevant")
    elif alike != {0}:
        for number in sorted(alike - {0}):
            names = ", ".join(name for name, n in nothing.items() if n == number)
            parts.append(f"{number} with nothing relevant for {names}")
    if extra:
        parts.append(f"{extra} more in the run without judgments (ignored)")
    ties, shares = counts["ties_at_cutoff"], counts["judged_at_cutoff"]
    assert isinstance(ties, dict)
    assert isinstance(shares, dict)
    further = [
        f"judged@{cutoff} {percent(share)}" for cutoff, share in shares.items() if share is not None
    ]
    further += [f"ties across rank {k} in {number}" for k, number in ties.items() if number]
    if counts["duplicates"]:
        further.append(f"{counts['duplicates']} duplicate rows")
    queries = f"{judged} quer{'y' if judged == 1 else 'ies'}"
    line = f"{queries}: {', '.join(parts)}" if parts else f"{queries}, all in the run"
    return "; ".join([line, *further])
