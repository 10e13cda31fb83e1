"""Other readings of a reported measure: another cutoff or another relevance threshold."""

from __future__ import annotations

from gainful.measures import Measure
from gainful.reconciliation.space import MOST_LEVELS, USUAL_CUTOFFS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.reconciliation.survey import Survey


#: The reciprocal rank of the MIND challenge, whose script averages it over relevant documents.
MIND = "as the mean of 1/rank over all relevant documents, like MIND's script"


def other_readings(measure: Measure, survey: Survey) -> list[tuple[Measure, Sequence[int | None]]]:
    """Return a measure as reported, then what else its name may stand for.

    A page may print P@15 under the name P@10, or count only the highest grades as relevant without
    saying so. A measure without a cutoff is searched at every cutoff in any case.

    Parameters
    ----------
    measure : Measure
        The measure as reported.
    survey : Survey
        The grades of the judgments.

    Returns
    -------
    list of (Measure, cutoffs)
        The measure itself comes first.
    """
    cutoffs = [measure.cutoff]
    found: list[tuple[Measure, Sequence[int | None]]] = [(measure, cutoffs)]
    if measure.cutoff is not None:
        others = [cutoff for cutoff in USUAL_CUTOFFS if cutoff != measure.cutoff]
        found.append((Measure(measure.family, measure.params), others))
    found += [(other, cutoffs) for other in _other_thresholds(measure, survey)]
    return found


def _other_thresholds(measure: Measure, survey: Survey) -> list[Measure]:
    """Return the measure with each other lowest relevant grade."""
    plain = Measure(measure.family, measure.params)
    names = [parameter.name for parameter in plain.declaration.parameters]
    levels = survey.relevance_levels()[:MOST_LEVELS]
    if "rel" in names:
        own = measure.params.get("rel", 1)
        return [plain(rel=level) for level in levels if level != own]
    if "gain" in names and "gain" not in measure.params:
        tables = [
            tuple((grade, float(grade >= level)) for grade in survey.grades) for level in levels
        ]
        return [plain(gain=table) for table in tables]
    return []


def describe_factor(low: float, high: float, queries: int) -> tuple[float, str]:
    """Return a factor between two ends and what it means: the number of queries, or itself.

    Examples
    --------
    >>> describe_factor(0.87990, 0.88010, 88)[1], describe_factor(99.5, 100.5, 88)[1]
    ('as a mean over 100 queries, not 88', 'times 100')
    """
    other = round(2 * queries / (low + high))
    if other and low <= queries / other <= high:
        return queries / other, f"as a mean over {other} queries, not {queries}"
    middle = (low + high) / 2
    rounded = (round(middle, places) for places in range(17))
    factor = next((value for value in rounded if low <= value <= high), middle)
    return factor, f"times {factor:.12g}"


def describe_reading(reported: Measure, measure: Measure, queries: int, extra: int) -> list[str]:
    """Return in what a measure and its mean differ from those reported.

    Examples
    --------
    >>> from gainful.measures import Measure
    >>> describe_reading(Measure("P", cutoff=10), Measure("P", cutoff=15), 173, 1)
    ['at cutoff 15, not 10', 'as a mean over 174 queries, not 173']
    """
    found = []
    if reported.cutoff is not None and measure.cutoff != reported.cutoff:
        cutoff = "without a cutoff" if measure.cutoff is None else f"at cutoff {measure.cutoff}"
        found.append(f"{cutoff}, not {reported.cutoff}")
    if dict(measure.params) != dict(reported.params):
        found.append(f"as {Measure(measure.family, measure.params)!r}")
    if extra:
        found.append(f"as a mean over {queries + extra} queries, not {queries}")
    return found
