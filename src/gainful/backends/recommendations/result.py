"""The result of `evaluate_recommendations`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from gainful.errors import ParameterError
from gainful.evaluation.query_groups import slice_queries
from gainful.evaluation.result import Evaluation
from gainful.formats.table import Note, Table, noted
from gainful.inference import mean_interval
from gainful.inference.design import Design
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import table_of
from gainful.results import Records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gainful import _kernel
    from gainful.backends.recommendations.item_measures import ItemMeasure
    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = [
    "ItemData",
    "Lists",
    "Pairs",
    "RecommendationSummary",
    "Recommended",
    "RecommenderEvaluation",
    "summarize",
]


#: The number of vectors in memory at once.
_VECTORS = 1 << 20
_BITS = numpy.array([bin(byte).count("1") for byte in range(256)], numpy.int64)


@dataclass(frozen=True)
class Pairs:
    """Counts of pairs of a relevant and another candidate, one per user.

    Attributes
    ----------
    relevant, others : numpy.ndarray of float64, shape (users,)
        The numbers of relevant candidates and of others.
    wrong, tied : numpy.ndarray of float64, shape (users,)
        The pairs with the other one scored higher, and with equal scores.
    """

    relevant: Any
    others: Any
    wrong: Any
    tied: Any


@dataclass(frozen=True)
class Lists:
    """The recommended items of users, best first.

    Attributes
    ----------
    users : int
        The number of users.
    rows, columns : numpy.ndarray of int64, shape (recommendations,)
        The user of each recommendation, ascending, and the item.
    ranks : numpy.ndarray of int64
        The ranks, from 1.
    relevant : numpy.ndarray of bool or None
        Whether the item is relevant for the user.
    pairs : Pairs or None
        For AUC.
    """

    users: int
    rows: Any
    columns: Any
    ranks: Any
    relevant: Any = None
    pairs: Pairs | None = None

    def top(self, cutoff: int | None) -> Lists:
        """Return the lists down to a cutoff."""
        kept = True if cutoff is None else self.ranks <= cutoff
        return self if numpy.all(kept) else self._where(kept)

    def of_users(self, chosen: Any) -> Lists:
        """Return the lists of the users with these numbers."""
        inside = numpy.zeros(self.users, bool)
        inside[chosen] = True
        return self._where(inside[self.rows])

    def served(self) -> int:
        """Return the number of users with recommendations."""
        return int(numpy.count_nonzero(numpy.bincount(self.rows)))

    def _where(self, kept: Any) -> Lists:
        relevant = None if self.relevant is None else self.relevant[kept]
        parts = self.rows[kept], self.columns[kept], self.ranks[kept]
        return Lists(self.users, *parts, relevant, self.pairs)


@dataclass(frozen=True)
class ItemData:
    """What is known of the items.

    Attributes
    ----------
    items : int
        Their number.
    counts : numpy.ndarray of float64, shape (items,), or None
        Their interactions.
    users : int or None
        The number of users with interactions, if known.
    vectors : numpy.ndarray, shape (items, d), or None
        Their vectors, of length 1 or 0.
    categories : numpy.ndarray of bool, shape (items, categories), or None
        Which categories they have.
    """

    items: int
    counts: Any = None
    users: int | None = None
    vectors: Any = None
    categories: Any = None


def user_values(measure: ItemMeasure, lists: Lists, data: ItemData) -> Any:
    """Return the value of each user; NaN for users without one."""
    function = _OF_USERS[measure.family.name]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return function(lists.top(measure.cutoff), data, measure.resolved)


def run_value(measure: ItemMeasure, lists: Lists, data: ItemData) -> float:
    """Return the value of all lists together; NaN without recommendations."""
    top = lists.top(measure.cutoff)
    if not len(top.rows):
        return float("nan")
    return float(_OF_RUNS[measure.family.name](top, data, measure.resolved))


def user_weights(measure: ItemMeasure, lists: Lists) -> Any:
    """Return the weights of users in the mean; None if they are equal."""
    if measure.family.name != "GAUC":
        return None
    assert lists.pairs is not None
    if measure.resolved["weight"] == "relevant":
        return lists.pairs.relevant
    return lists.pairs.relevant + lists.pairs.others


# --- all lists together ---------------------------------------------------------------------------


def _coverage(lists: Lists, data: ItemData, params: Mapping[str, Any]) -> float:
    distinct = int(numpy.count_nonzero(numpy.bincount(lists.columns)))
    return distinct if params["count"] else distinct / (data.items + params["padding"])


def _gini(lists: Lists, data: ItemData, params: Mapping[str, Any]) -> float:
    n = data.items + params["padding"]
    weights = None
    if params["persistence"] != 1:
        weights = float(params["persistence"]) ** (lists.ranks - 1)
    counts = numpy.sort(numpy.bincount(lists.columns, weights, minlength=n))
    places = 2.0 * numpy.arange(1, n + 1) - n - 1
    factor = n if params["norm"] == "n" else n - 1
    value = float(places @ counts) / (factor * float(counts.sum())) if factor else 0.0
    return 1.0 - value if params["complement"] else value


def _entropy(lists: Lists, data: ItemData, params: Mapping[str, Any]) -> float:
    counts = numpy.bincount(lists.columns, minlength=data.items)
    shares = counts / len(lists.columns)
    base = numpy.e if params["base"] == "e" else params["base"]
    information = -numpy.log(shares, where=shares > 0, out=numpy.zeros(len(shares)))
    information /= numpy.log(base)
    if params["over"] == "users":
        means = _means(lists, information[lists.columns])
        return float(numpy.nansum(means)) / int(numpy.count_nonzero(~numpy.isnan(means)))
    entropy = float(shares @ information)
    return entropy / int(numpy.count_nonzero(counts)) if params["over"] == "items" else entropy


_OF_RUNS = {"Coverage": _coverage, "Gini": _gini, "Entropy": _entropy}


# --- one value per user ---------------------------------------------------------------------------


def _means(lists: Lists, values: Any, weights: Any = None) -> Any:
    """Return the mean of values over each list; NaN for empty lists."""
    weighted = values if weights is None else values * weights
    sums = numpy.bincount(lists.rows, weighted, lists.users)
    return sums / numpy.bincount(lists.rows, weights, lists.users)


def _novelty(lists: Lists, data: ItemData, params: Mapping[str, Any]) -> Any:
    whole = data.users if params["share"] == "users" else data.counts.sum()
    counts = data.counts
    if params["scale"] == "complement":
        novelty = 1.0 - counts / whole
    else:
        novelty = -numpy.log2(numpy.where(counts > 0, counts, counts[counts > 0].min()) / whole)
    values = novelty[lists.columns]
    if params["relevant"]:
        values = numpy.where(lists.relevant, values, 0.0)
    discounts = 1.0 / numpy.log2(lists.ranks + 1.0) if params["discount"] == "log2" else None
    return _means(lists, values, discounts)


def _popularity(lists: Lists, data: ItemData, _: Mapping[str, Any]) -> Any:
    return _means(lists, data.counts[lists.columns])


def _popularity_rank(lists: Lists, data: ItemData, _: Mapping[str, Any]) -> Any:
    known = data.counts > 0
    levels = numpy.unique(data.counts[known], return_inverse=True, return_counts=True)
    places, sizes = levels[1:]
    ranks = numpy.zeros(data.items)
    ranks[known] = (numpy.cumsum(sizes) - (sizes - 1) / 2)[places] / known.sum()
    return _means(lists, ranks[lists.columns])


def _long_tail(lists: Lists, data: ItemData, params: Mapping[str, Any]) -> Any:
    tail = numpy.zeros(data.items)
    if params["by"] == "items":
        ascending = numpy.argsort(data.counts, kind="stable")
        known = ascending[data.counts[ascending] > 0]
        tail[known[: max(int(len(known) * params["tail"]), 1)]] = 1.0
    else:
        descending = numpy.argsort(-data.counts, kind="stable")
        before = numpy.cumsum(data.counts[descending]) - data.counts[descending]
        # An item is in the head if the items before it have less than the head's share.
        tail[descending[before >= data.counts.sum() * params["head"]]] = 1.0
    return _means(lists, tail[lists.columns])


def _diversity(lists: Lists, data: ItemData, params: Mapping[str, Any]) -> Any:
    sizes = numpy.bincount(lists.rows, minlength=lists.users)
    if params["of"] == "categories":
        similar = _sums_of_jaccard(lists, sizes, data.categories)
    else:
        similar = _sums_of_cosines(lists, data.vectors)
    return 1.0 - similar / (sizes * (sizes - 1) / 2)


def _sums_of_cosines(lists: Lists, vectors: Any) -> Any:
    """Return the sum over pairs of each list: half of (|sum|^2 - sum of |v|^2)."""
    sums = numpy.zeros(lists.users)
    starts = numpy.flatnonzero(numpy.diff(lists.rows, prepend=-1))
    first = 0
    while first < len(starts):
        limit = starts[first] + max(_VECTORS // max(vectors.shape[1], 1), 1)
        last = max(int(numpy.searchsorted(starts, limit)), first + 1)
        end = starts[last] if last < len(starts) else len(lists.rows)
        block = vectors[lists.columns[starts[first] : end]]
        places = starts[first:last] - starts[first]
        totals = numpy.add.reduceat(block, places, axis=0)
        squares = numpy.add.reduceat(numpy.einsum("ij,ij->i", block, block), places)
        users = lists.rows[starts[first:last]]
        sums[users] = (numpy.einsum("ij,ij->i", totals, totals) - squares) / 2
        first = last
    return sums


def _sums_of_jaccard(lists: Lists, sizes: Any, categories: Any) -> Any:
    """Return the sum over pairs of each list of shared categories / all categories of both."""
    packed = numpy.packbits(categories, axis=1)
    starts = numpy.cumsum(sizes) - sizes
    sums = numpy.zeros(lists.users)
    for later in range(1, int(sizes.max(initial=0))):
        users = numpy.flatnonzero(sizes > later)
        packed_items = packed[lists.columns[starts[users] + later]]
        for earlier in range(later):
            other = packed[lists.columns[starts[users] + earlier]]
            both, either = (
                _BITS[bits].sum(axis=1) for bits in (packed_items & other, packed_items | other)
            )
            sums[users] += both / numpy.maximum(either, 1)
    return sums


def _category_entropy(lists: Lists, data: ItemData, _: Mapping[str, Any]) -> Any:
    items, kinds = numpy.nonzero(data.categories)
    starts = numpy.searchsorted(items, numpy.arange(data.items + 1))
    first, sizes = starts[lists.columns], numpy.diff(starts)[lists.columns]
    shifts = numpy.repeat(first - (numpy.cumsum(sizes) - sizes), sizes)
    present = kinds[shifts + numpy.arange(int(sizes.sum()))]
    rows = numpy.repeat(lists.rows, sizes)
    keys, counts = numpy.unique(rows * data.categories.shape[1] + present, return_counts=True)
    users = keys // max(data.categories.shape[1], 1)
    shares = counts / numpy.bincount(rows, minlength=lists.users)[users]
    entropies = numpy.bincount(users, -shares * numpy.log2(shares), lists.users)
    entropies[numpy.bincount(rows, minlength=lists.users) == 0] = numpy.nan
    return entropies


def _auc(lists: Lists, _: ItemData, params: Mapping[str, Any]) -> Any:
    pairs = lists.pairs
    assert pairs is not None
    wrong = pairs.wrong + pairs.tied * (0.5 if params["ties"] == "half" else 1.0)
    values = 1.0 - wrong / (pairs.relevant * (pairs.others + bool(params["plus_one"])))
    values[(pairs.relevant == 0) | (pairs.others == 0)] = numpy.nan
    return values


_OF_USERS = {
    "Novelty": _novelty,
    "Popularity": _popularity,
    "PopularityRank": _popularity_rank,
    "LongTail": _long_tail,
    "ILD": _diversity,
    "CategoryEntropy": _category_entropy,
    "AUC": _auc,
    "GAUC": _auc,
}


class RecommendationSummary(Record):
    """The value of a measure for a system, over all users or those of a segment."""

    segment: str | None = field(optional=True, tables="summaries", if_any=True)
    """The segment of users; left out for all users."""
    system: str = field(tables="summaries")
    """The name of the system."""
    measure: str = field(tables="summaries")
    """The measure as requested."""
    value: float = field(tables="summaries", json={"type": ["number", "null"]})
    """The mean over users, or the value of all lists together; NaN without users."""
    interval: Interval | None = field(tables="summaries", label="95% CI")
    """The 95% confidence interval of the mean over users; None for measures of all lists together,
    which are not means, and below two users."""
    n: int = field(tables="summaries", label="users")
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


@dataclass(frozen=True)
class Recommended:
    """The lists of each system, with what is known of items and users.

    Attributes
    ----------
    lists : dict of str to Lists
        By system; empty without measures of items.
    data : ItemData
        The items.
    users : list
        The ids of the users.
    """

    lists: Mapping[str, Lists]
    data: ItemData
    users: list[Any]


def summarize(
    result: RecommenderEvaluation,
    recommended: Recommended,
    slices: Mapping[str, Mapping[str, str]],
) -> RecommenderEvaluation:
    """Return the result with the values of its measures of items, and of segments."""
    everyone = numpy.arange(len(recommended.users))
    values = {
        (system, repr(measure)): user_values(measure, lists, recommended.data)
        for system, lists in recommended.lists.items()
        for measure in result.item_measures
        if measure.family.of == "user"
    }
    per_user: dict[str, dict[str, dict[Any, float]]] = {}
    for (system, name), system_values in values.items():
        valued = zip(recommended.users, system_values.tolist(), strict=True)
        per_user.setdefault(system, {})[name] = {
            user.item() if isinstance(user, numpy.integer) else user: value
            for user, value in valued
            if value == value
        }
    segments: list[RecommendationSummary] = []
    if slices:
        numbers = {str(user): number for number, user in enumerate(recommended.users)}
        for segment, members in slice_queries(slices, list(numbers)).items():
            chosen = numpy.array([numbers[user] for user in members], numpy.int64)
            segments += _of_rankings(result, segment, members)
            segments += _of_items(result, recommended, values, chosen, segment)
    return RecommenderEvaluation(
        result.kernel_tables,
        result.measures,
        result.convention,
        integers=result.integer_ids,
        item_measures=result.item_measures,
        recommended=tuple(_of_items(result, recommended, values, everyone, None)),
        segments=tuple(segments),
        per_user=per_user,
    )


def _of_items(
    result: RecommenderEvaluation,
    recommended: Recommended,
    values: Mapping[tuple[str, str], Any],
    users: Any,
    segment: str | None,
) -> Iterator[RecommendationSummary]:
    for system, lists in recommended.lists.items():
        for measure in result.item_measures:
            if measure.family.of == "run":
                segment_lists = lists if segment is None else lists.of_users(users)
                value = run_value(measure, segment_lists, recommended.data)
                yield RecommendationSummary(
                    segment=segment,
                    system=system,
                    measure=repr(measure),
                    value=value,
                    interval=None,
                    n=segment_lists.served(),
                    of="run",
                )
                continue
            weights = user_weights(measure, lists)
            yield _summary(
                segment,
                system,
                repr(measure),
                values[system, repr(measure)][users],
                None if weights is None else weights[users],
                measure.range,
            )


def _of_rankings(
    result: RecommenderEvaluation, segment: str, members: list[str]
) -> Iterator[RecommendationSummary]:
    """Yield the means of the measures of rankings over the users of a segment."""
    for system in result.systems:
        for measure in result.measures:
            if measure.aggregate != "mean":
                raise ParameterError(
                    f"{measure!r} is not a mean over users", where="by", hint="leave it out"
                )
            known = result.values_by_text_id(measure, system)
            known_values = numpy.array(
                [known[user] for user in members if user in known], numpy.float64
            )
            limits = result.range_on_data(measure, system)
            yield _summary(segment, system, repr(measure), known_values, None, limits)


def _summary(
    segment: str | None,
    system: str,
    measure: str,
    values: Any,
    weights: Any,
    limits: tuple[float | None, float | None],
) -> RecommendationSummary:
    counted = ~numpy.isnan(values)
    if weights is not None:
        counted &= weights > 0
    values, n = values[counted], int(counted.sum())
    mean, interval = float("nan"), None
    if n:
        design = Design(n, weights=None if weights is None else weights[counted].tolist())
        mean = float(design.mean(values))
        if n > 1:
            deviation, effective, df = design.spread(values)
            low, high = limits
            interval = mean_interval(mean, deviation, effective, low=low, high=high, df=df)
    return RecommendationSummary(
        segment=segment,
        system=system,
        measure=measure,
        value=mean,
        interval=None if interval is None else Interval(*interval),
        n=n,
        of="user",
    )
