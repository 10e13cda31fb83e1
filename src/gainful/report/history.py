"""The history of a measure on a page: earlier releases, then this one."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from gainful.report.appendix import render_titled_table
from gainful.trends.call import compare_releases
from gainful.trends.releases import name_releases, read_releases
from gainful.trends.sentences import describe_total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison.choices import Choices
    from gainful.evaluation import Evaluation
    from gainful.trends import Trend
    from gainful.trends.call import Releases

__all__ = ["describe_history", "follow_history", "render_history"]

#: The name of this release if an earlier one is called like its system.
_NOW = "this report"


def follow_history(evaluation: Evaluation, history: Releases, choices: Choices) -> Trend:
    """Return the first measure over the releases of a history and this evaluation.

    It follows the system called like that of the last release, or else the one with the best mean.
    """
    measure = evaluation.measures[0]
    best = max(
        evaluation.systems, key=lambda system: measure.direction * evaluation.mean(measure, system)
    )
    releases = name_releases(history)
    earlier = read_releases(releases, measure, best)
    system = earlier[-1].system if earlier[-1].system in evaluation.systems else best
    name = _NOW if system in releases else system
    return compare_releases(
        [*earlier, *read_releases({name: evaluation}, measure, system)], choices
    )


def describe_history(trend: Trend) -> str:
    """Return the main result as HTML."""
    return escape(describe_total(trend))


def render_history(trend: Trend) -> str:
    """Return the tables of a trend."""
    # Another section of the page shows the convention.
    tables = "".join(
        render_titled_table(
            table.replace(notes=[note for note in table.notes if note.key != "convention"])
        )
        for table in trend.tables()
    )
    for query in (drift.query_id for drift in trend.drifted):
        cell = f'<th scope="row">{escape(query)}</th>'
        link = f'<a href="#query={quote(query)}">{escape(query)}</a>'
        tables = tables.replace(cell, f'<th scope="row">{link}</th>')
    return tables
