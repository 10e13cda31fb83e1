"""Values of measures of recommended items, for all users at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.backends.recommendations.item_measures import ItemMeasure

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
        own = packed[lists.columns[starts[users] + later]]
        for earlier in range(later):
            other = packed[lists.columns[starts[users] + earlier]]
            both, either = (_BITS[bits].sum(axis=1) for bits in (own & other, own | other))
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
