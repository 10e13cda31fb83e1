"""The result of a sweep: its fields, tables and rows."""

from __future__ import annotations

from difflib import get_close_matches

from gainful.comparison.tables import leaderboard_table, pair_table
from gainful.errors import ParameterError
from gainful.formats.numbers import digits, percent, spans, with_sign
from gainful.formats.table import Column, Table
from gainful.records import derived, field
from gainful.results import Records, Result
from gainful.sweeps.files import write_runs
from gainful.sweeps.idle import find_idle_settings
from gainful.sweeps.notes import SHOWN, account_line, notes
from gainful.sweeps.points import CURRENT, SearchedPoint, format_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.data import Run
    from gainful.evaluation import Evaluation
    from gainful.inference.choice import ChosenBest
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.sweeps.choosing import Choice
    from gainful.sweeps.points import Point

__all__ = ["Sweep"]


class Sweep(Result):
    """The result of `sweep`.

    ``print`` and notebooks show it as tables; it exports the Arrow C stream with one row per point
    and measure, so ``polars.DataFrame(sweep)`` works.

    Examples
    --------
    >>> import gainful
    >>> shelf = {"red": ["d1", "d2", "d3"], "blue": ["d3", "d1"], "green": ["d2", "d1"]}
    >>> def shelves(skip):
    ...     return lambda text, k: shelf[text][skip:]
    >>> qrels = {"red": {"d2": 1}, "blue": {"d1": 1}, "green": {"d1": 1}}
    >>> result = gainful.sweep(shelves, list(shelf), qrels, {"skip": [0, 1]}, "RR")
    >>> result
    <Sweep of skip: 2 points, best skip=1>
    >>> result.runs["skip=1"]["red"]
    [('d2', None), ('d3', None)]
    >>> print(result)
    RR, 3 queries, 2 points
    skip    mean  ...
    """

    SCHEMA = "gainful.sweep/1"
    COMMAND = "sweep"
    RECORDS = {"points": None}
    PICTURES = ("differences",)

    settings: tuple[str, ...]
    """The names of the varied settings."""
    sampled: int | None = field(json={"minimum": 2})
    """The requested number of random points; None for the whole grid."""
    k: int = field(json={"minimum": 1})
    """The number of documents to retrieve per query."""
    skipped: int = field(default=0, json={"minimum": 0})
    """The number of queries without judgments, which were not run."""
    baseline: str | None
    """The name of the point that the others are compared with."""
    searches: tuple[SearchedPoint, ...] = derived(lambda sweep: sweep._searches(), key="points")
    """In the order of the searches; a baseline outside the grid comes first."""
    choice: Choice | None
    """The best point by the first measure; None if no query counts at every point."""
    idle: tuple[str, ...] = derived(find_idle_settings)
    """The settings without effect on any answer."""
    comparison: Comparison
    """The comparison of all points, as gainful.comparison/1."""
    points: tuple[Point, ...] = field(key="")
    """In the order of the searches; a baseline outside the grid comes first."""
    runs: Mapping[str, Run] = field(key="")
    """The run of each point, by name."""

    @property
    def best(self) -> Point:
        """The point with the best mean of the first measure; the first of equal ones.

        Raises
        ------
        ParameterError
            If no query counts for all points.
        """
        if self.choice is None:
            raise ParameterError(
                "no query counts at every point",
                where="best",
                hint="missing=empty counts queries that a run lacks",
            )
        return self.point(self.choice.best)

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the points."""
        return self.comparison.evaluations[0]

    def point(self, name: str) -> Point:
        """Return a point by its name.

        Raises
        ------
        ParameterError
            For an unknown name.
        """
        for point in self.points:
            if point.name == name:
                return point
        close = get_close_matches(name, [point.name for point in self.points], n=1)
        raise ParameterError(
            where="point",
            found=repr(name),
            expected="the name of a point",
            hint=f"did you mean {close[0]}?" if close else None,
        )

    def account_line(self, journal: str | None = None) -> str:
        """Describe the searches: number of answers and latency."""
        return account_line(self, journal)

    def write_runs(self, folder: str | PathLike[str]) -> dict[str, str]:
        """Write the runs to a folder, as files named after their points.

        They are TREC text, or TSV if a query id contains spaces. Failed queries and those without
        results are missing from them.

        Returns
        -------
        dict of str to str
            The path of each point's run.

        Raises
        ------
        FormatError, SourceError
            If a run cannot be written.
        """
        return write_runs(self, folder)

    def tables(self) -> list[Table]:
        """Return the points under each measure, the best first, and the choice."""
        tables = [_board(self, measure) for measure in self.comparison.measures]
        if self.choice is not None:
            tables.append(_choice_table(self, self.choice))
        return [*tables[:-1], tables[-1].replace(notes=notes(self))]

    def __repr__(self) -> str:
        best = "" if self.choice is None else f", best {self.choice.best}"
        return f"<Sweep of {', '.join(self.settings)}: {len(self.points)} points{best}>"

    def _contents(self) -> object:
        # Leave out the latency.
        return [(each.name, each.settings) for each in self.points], self.comparison._contents()

    def _picture(self, name: str, **options: Any) -> Plot:
        return self.comparison.plot(name, **options)

    def _searches(self) -> tuple[SearchedPoint, ...]:
        searches = []
        for point in self.points:
            run = self.runs[point.name]
            latency = run.account.latency if run.account is not None else None
            searches.append(
                SearchedPoint(
                    name=point.name, settings=point.settings, failed=run.failed, latency=latency
                )
            )
        return tuple(searches)

    def _records(self, name: str) -> Records:
        """Return one row per point and measure; settings that are lists are JSON."""
        rows = [
            self._row(measure, point)
            for measure in self.comparison.measures
            for point in self.searches
        ]
        return {column: [row[column] for row in rows] for column in rows[0]}

    def _row(self, measure: Measure, point: SearchedPoint) -> dict[str, object]:
        summary = self.evaluation.summary(measure, point.name)
        low, high = summary.interval or (None, None)
        row = {
            "point": point.name,
            **{name: _plain(point.settings.get(name)) for name in self.settings},
            "measure": repr(measure),
            "mean": summary.mean,
            "low": low,
            "high": high,
            "n": summary.n,
            "judged": summary.judged,
            "chosen": self.choice.shares[point.name] if self.choice else None,
        }
        if self.baseline is not None:
            pair: dict[str, object] = {}
            if point.name != self.baseline:
                pair = self.comparison.pair(point.name, self.baseline, measure).to_dict()
            row |= {
                "baseline": self.baseline,
                "difference": pair.get("difference"),
                "difference_low": pair.get("low"),
                "difference_high": pair.get("high"),
                "p_adjusted": pair.get("p_adjusted"),
                "verdict": pair.get("verdict"),
            }
        latency = point.latency
        return row | {
            "latency_p50": latency and latency.p50,
            "latency_p95": latency and latency.p95,
        }


def _plain(value: object) -> object:
    return value if isinstance(value, (int, float, str, type(None))) else format_value(value)


def _board(sweep: Sweep, measure: Measure) -> Table:
    """Return the points under one measure, with their settings instead of names."""
    comparison = sweep.comparison
    means = comparison.means(measure)
    order = sorted(means, key=lambda name: -measure.direction * means[name])
    if sweep.baseline is None:
        # The settings take the place of the ranks.
        table = leaderboard_table(comparison, measure).only(lambda column: "rank" not in column.key)
        table = table.replace(title=f"{table.title}, {len(order)} points")
        names = [str(row[0]) for row in table.rows]
    else:
        names = [name for name in order if name != sweep.baseline]
        pairs = [comparison.pair(name, sweep.baseline, measure) for name in names]
        table = pair_table(comparison, pairs)
    settings = [[_value(sweep, name, setting) for setting in sweep.settings] for name in names]
    # A setting that retrieves unjudged documents has lower scores for that reason alone.
    judged = [sweep.evaluation.summary(measure, name).judged for name in names]
    sides = ["r" if all(map(_numeric, cells)) else "l" for cells in zip(*settings, strict=True)]
    columns = (
        Column(f"setting.{setting}", setting, align=side)
        for setting, side in zip(sweep.settings, sides, strict=True)
    )
    rows = [
        [*values, *row[1:], share]
        for values, row, share in zip(settings, table.rows, judged, strict=True)
    ]
    return table.replace(
        columns=[*columns, *table.columns[1:], Column("judged", show=percent)], rows=rows[:SHOWN]
    )


def _value(sweep: Sweep, name: str, setting: str) -> str | None:
    settings = sweep.point(name).settings
    return format_value(settings[setting]) if setting in settings else None


def _numeric(cell: str | None) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True


def _choice_table(sweep: Sweep, choice: Choice) -> Table:
    """Return the best point's value here and its estimate for other queries."""
    share = f"{100 * choice.shares[choice.best]:.0f}%"
    rows = [
        [name, *_figures(estimate, digits), share if name == choice.by else ""]
        for name, estimate in choice.estimates.items()
    ]
    for name, improvement in choice.improvements.items():
        baseline = CURRENT if sweep.baseline == CURRENT else "baseline"
        rows.append([f"{name} − {baseline}", *_figures(improvement, with_sign), ""])
    return Table(
        [
            Column("measure"),
            Column("measured", "on these queries", align="r"),
            Column("expected", "on others", align="r"),
            Column("interval", f"{100 * (1 - sweep.comparison.alpha):g}% CI", align="r"),
            Column("chosen", align="r"),
        ],
        rows,
        title=f"The best of {len(sweep.points)} points by {choice.by}: {choice.best}",
    )


def _figures(estimate: ChosenBest, show: Callable[[float], str]) -> list[str]:
    expected = "–" if estimate.expected is None else show(estimate.expected)
    return [show(estimate.measured), expected, spans(show)(estimate.interval or (None, None))]
