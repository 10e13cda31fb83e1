"""The result of `evaluate_recommendations`."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.evaluation.result import Evaluation
from gainful.formats.numbers import digits
from gainful.formats.table import Note, Table, noted
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import table_of
from gainful.results import Records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful import _kernel
    from gainful.backends.recommendations.item_measures import ItemMeasure
    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["RecommendationSummary", "RecommenderEvaluation"]


class RecommendationSummary(Record):
    """The value of a measure for a system, over all users or those of a segment."""

    segment: str | None = field(optional=True, tables="summaries", if_any=True)
    """The segment of users; left out for all users."""
    system: str = field(tables="summaries")
    """The name of the system."""
    measure: str = field(tables="summaries")
    """The measure as requested."""
    value: float = field(tables="summaries", show=digits, json={"type": ["number", "null"]})
    """The mean over users, or the value of all lists together; NaN without users."""
    interval: Interval | None = field(tables="summaries", label="95% CI", show=digits)
    """The 95% confidence interval of the mean over users; None for measures of all lists together,
    which are not means, and below two users."""
    n: int = field(tables="summaries", label="users", show=str, json={"minimum": 0})
    """The number of users that count."""
    of: str = field(json={"enum": ["user", "run"]})
    """Whether each user has a value (``user``), or only all lists together (``run``)."""


class RecommenderEvaluation(Evaluation):
    """An evaluation of recommenders, with measures of the recommended items.

    It is an `Evaluation` of the measures of rankings: it can be compared, gated and plotted like
    any other. `recommended` has the measures of the items: coverage, novelty, diversity,
    popularity, AUC. `segments` has all measures for segments of users.

    Examples
    --------
    >>> import numpy as np
    >>> from gainful.backends.recommendations import evaluate_recommendations
    >>> scores = np.array([[0.9, 0.1, 0.5, 0.4], [0.2, 0.8, 0.3, 0.1]])
    >>> held_out = np.array([0, 1, 2]), np.array([2, 0])
    >>> result = evaluate_recommendations(held_out, scores, ["R@2", "Coverage@2", "AUC"])
    >>> result.value("Coverage@2"), result.per_user("AUC")
    (0.75, {0: 0.6666666666666667, 1: 0.33333333333333337})
    """

    SCHEMA = "gainful.recommender-evaluation/1"
    COMMAND = ""
    RECORDS = {
        **Evaluation.RECORDS,
        "recommended": RecommendationSummary,
        "segments": RecommendationSummary,
    }

    __slots__ = ("_per_user", "item_measures", "recommended", "segments")

    item_measures: tuple[ItemMeasure, ...] = field(key="")
    """The measures of recommended items."""
    _item_measures: dict[str, str] = derived(
        lambda result: {repr(measure): measure.text for measure in result.item_measures},
        key="item_measures",
    )
    """The measures of recommended items as requested, each with every parameter set."""
    recommended: tuple[RecommendationSummary, ...] = field()
    """The values of these measures."""
    segments: tuple[RecommendationSummary, ...] = field()
    """The values of all measures for each segment of users; empty without segments."""

    _per_user: Mapping[str, Mapping[str, Mapping[Any, float]]]

    def __init__(
        self,
        tables: dict[str, _kernel.Evaluated],
        measures: tuple[Measure, ...],
        convention: Convention,
        weights: dict[str, float] | None = None,
        judgments: Any = None,
        *,
        item_measures: Sequence[ItemMeasure] = (),
        recommended: Sequence[RecommendationSummary] = (),
        segments: Sequence[RecommendationSummary] = (),
        per_user: Mapping[str, Mapping[str, Mapping[Any, float]]] | None = None,
        **of_rankings: Any,
    ) -> None:
        super().__init__(tables, measures, convention, weights, judgments, **of_rankings)
        put = object.__setattr__
        put(self, "item_measures", tuple(item_measures))
        put(self, "recommended", tuple(recommended))
        put(self, "segments", tuple(segments))
        put(self, "_per_user", per_user or {})

    def value(
        self, measure: str, system: str | None = None, *, segment: str | None = None
    ) -> float:
        """Return the value of a measure of recommended items; see `of_items`."""
        return self.of_items(measure, system, segment=segment).value

    def of_items(
        self, measure: str, system: str | None = None, *, segment: str | None = None
    ) -> RecommendationSummary:
        """Return the summary of a measure of recommended items.

        Parameters
        ----------
        measure : str
            The measure as requested, such as ``"Coverage@10"``.
        system : str, optional
            The name of the system; optional if there is one.
        segment : str, optional
            A segment of users; any measure has a summary there. Default: all users.

        Raises
        ------
        ParameterError
            For an unknown measure, system or segment, or several systems and none is named.
        """
        summaries = self.recommended if segment is None else self.segments
        for what, name in (("segment", segment), ("measure", measure), ("system", system)):
            names = list(dict.fromkeys(getattr(summary, what) for summary in summaries))
            if name is None and len(names) == 1:
                name = names[0]
            if name not in names:
                raise ParameterError(
                    where=what,
                    found="none" if name is None else repr(name),
                    expected=f"one of {', '.join(map(str, names))}" if names else "a requested one",
                )
            summaries = tuple(summary for summary in summaries if getattr(summary, what) == name)
        return summaries[0]

    def per_user(self, measure: str, system: str | None = None) -> dict[Any, float]:
        """Return the values of a measure of recommended items by user.

        Users without a value, such as those without recommendations, are left out.

        Parameters
        ----------
        measure : str
            The measure as requested, such as ``"Novelty@10"``.
        system : str, optional
            The name of the system; optional if there is one.

        Raises
        ------
        ParameterError
            For an unknown measure or system, or a measure of all lists together.
        """
        summary = self.of_items(measure, system)
        if summary.of == "run":
            raise ParameterError(
                where="measure",
                found=f"{measure}, a measure of all lists together",
                expected="a measure with a value for each user",
            )
        return dict(self._per_user[summary.system][summary.measure])

    def tables(self, **options: Any) -> list[Table]:
        """Return the summary as for `Evaluation`, and tables of recommended items and segments."""
        tables = super().tables(**options) if self.measures else []
        if self.recommended:
            tables.append(_table(self.recommended, "recommended items"))
        if self.segments:
            tables.append(_table(self.segments, "by segment of users"))
        if tables and not self.measures:
            tables[-1] = tables[-1].replace(
                notes=[*tables[-1].notes, Note("convention", str(self.convention))]
            )
        return tables

    def _html_tables(self) -> list[Table]:
        if not self.measures:
            return self.tables()
        return [*super()._html_tables(), *self.tables()[1:]]

    def _records(self, name: str) -> Records:
        if name in ("recommended", "segments"):
            return as_columns(RecommendationSummary, getattr(self, name))
        return super()._records(name)

    def __reduce__(self) -> tuple[object, ...]:
        build, arguments = super().__reduce__()
        extras = {
            "item_measures": self.item_measures,
            "recommended": self.recommended,
            "segments": self.segments,
            "per_user": self._per_user,
        }
        return _rebuild, (build, arguments, extras)


def _rebuild(build: Any, arguments: tuple[Any, ...], extras: dict[str, Any]) -> Any:
    result = build(*arguments)
    per_user = extras.pop("per_user")
    for name, value in {**extras, "_per_user": per_user}.items():
        object.__setattr__(result, name, value)
    return result


def _table(summaries: Sequence[RecommendationSummary], title: str) -> Table:
    notes = []
    if any(summary.of == "run" for summary in summaries):
        notes.append(
            "no interval: a measure of all lists together is not a mean over users, and a bootstrap"
            " of users is biased for it."
        )
    return table_of(summaries, "summaries", title=title, notes=noted("recommended", notes))
