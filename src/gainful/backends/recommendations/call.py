"""Evaluate recommenders from their scores and held-out items."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping

import numpy

from gainful import _kernel
from gainful.backends.arrays.ranking import namespace_of
from gainful.backends.recommendations.arguments import (
    Factors,
    Inputs,
    Listed,
    items_of_own_id,
    systems_of,
    whole_number,
)
from gainful.backends.recommendations.item_measures import split_measures
from gainful.backends.recommendations.result import (
    ItemData,
    Lists,
    Pairs,
    Recommended,
    RecommenderEvaluation,
    summarize,
)
from gainful.backends.recommendations.top import Areas, Best, on_host
from gainful.conventions import Convention, get
from gainful.errors import ArgumentError, GainfulError, ParameterError
from gainful.evaluation.arguments import add_convention_context
from gainful.evaluation.query_groups import read_slices
from gainful.formulas.arguments import checked_cutoff
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.measures.parameters import number
from gainful.policies import UNORDERED_TIES
from gainful.progress import Bar, show_progress
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.backends.recommendations.item_measures import ItemMeasure
    from gainful.backends.recommendations.top import Interactions
    from gainful.evaluation.query_groups import By
    from gainful.measures import Measure

__all__ = ["evaluate_recommendations"]


_HINTS = {
    "popularity": "set seen=, the interactions of the training data, or popularity=",
    "vectors": "set vectors=, or measure ILD(of='categories')@10 with categories=",
    "categories": "set categories=, the categories of each item",
}


def item_data(
    inputs: Inputs,
    measures: Iterable[ItemMeasure],
    popularity: Any,
    vectors: Any,
    categories: Any,
) -> ItemData:
    """Return the data of items that measures need."""
    sources = {
        "popularity": inputs.seen if popularity is None else popularity,
        "vectors": vectors,
        "categories": categories,
    }
    for measure in measures:
        for name in measure.needs:
            if sources.get(name, inputs.judged) is None:
                raise ArgumentError(f"{measure!r} needs {name}", hint=_HINTS[name])
    counts, users = None, None
    if popularity is not None:
        counts = numpy.zeros(inputs.catalogue)
        counts[: inputs.items] = _number_features(inputs, popularity, "popularity", 1)
        if not (counts >= 0).all():
            raise ParameterError("a negative or missing number", where="popularity")
    elif inputs.seen is not None:
        counts = inputs.seen.counts(inputs.catalogue)
    if inputs.seen is not None:
        users = len(inputs.seen.with_items())
    for measure in measures:
        if "popularity" in measure.needs and (counts is None or not counts.sum()):
            raise ParameterError(
                "no interactions", where="seen" if popularity is None else "popularity"
            )
        if measure.resolved.get("share") == "users" and users is None:
            raise ArgumentError(
                f"{measure!r} needs the number of users with interactions",
                hint="set seen=, or measure Novelty(share='interactions')",
            )
    return ItemData(
        inputs.catalogue,
        counts,
        users,
        None if vectors is None else _vectors(inputs, vectors),
        None if categories is None else _categories(inputs, categories),
    )


def check_vectors(lists: Lists, data: ItemData, inputs: Inputs) -> None:
    """Refuse recommended items without a vector."""
    if data.vectors is None:
        return
    missing = numpy.isnan(data.vectors[lists.columns]).any(axis=1)
    if missing.any():
        column = int(lists.columns[missing.argmax()])
        name = column if inputs.item_ids is None else inputs.item_ids[column]
        raise ParameterError(f"no vector of the recommended item {name!r}", where="vectors")


def _by_number(inputs: Inputs, values: Any, name: str) -> list[Any]:
    """Return one value per item, None for missing ones."""
    if isinstance(values, AnyMapping) or (hasattr(values, "items") and hasattr(values, "index")):
        known = {str(item): value for item, value in values.items()}
        ids = range(inputs.items) if inputs.item_ids is None else inputs.item_ids
        matched = [known.get(item if isinstance(item, str) else str(item)) for item in ids]
        if all(value is None for value in matched):
            raise ParameterError(
                "no item of the recommendations", where=name, hint="check that the ids match"
            )
        return matched
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise ArgumentError(
            where=name,
            found=type(values).__name__,
            expected="{item: value}, or one value per item in the order of item_ids",
        )
    if len(values) != inputs.items:
        raise ParameterError(
            where=name,
            found=f"{len(values)} values",
            expected=f"one for each of {inputs.items} items",
        )
    return list(values)


def _number_features(inputs: Inputs, values: Any, name: str, dimensions: int) -> Any:
    """Return an array of numbers with one row per item, NaN for missing ones."""
    if (
        not isinstance(values, AnyMapping)
        and hasattr(values, "shape")
        and not hasattr(values, "index")
    ):
        rows = on_host(values)
    else:
        listed = _by_number(inputs, values, name)
        example = next((value for value in listed if value is not None), 0.0)
        blank = numpy.full(numpy.shape(example), numpy.nan if dimensions > 1 else 0.0)
        try:
            rows = numpy.array([blank if value is None else value for value in listed], float)
        except (TypeError, ValueError):
            rows = numpy.zeros((0,) * 3)
    if rows.ndim != dimensions or len(rows) != inputs.items or rows.dtype.kind not in "biuf":
        raise ParameterError(
            where=name,
            found=f"shape {rows.shape}" if rows.ndim < 3 else "values of different shapes",
            expected=f"({inputs.items} items{', d' * (dimensions - 1)})",
        )
    return rows.astype(numpy.float64)


def _vectors(inputs: Inputs, vectors: Any) -> Any:
    rows = _number_features(inputs, vectors, "vectors", 2)
    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))[:, None]
    return rows / numpy.where(lengths == 0, 1.0, lengths)


def _categories(inputs: Inputs, categories: Any) -> Any:
    numbers: dict[str, int] = {}
    pairs = []
    for item, labels in enumerate(_by_number(inputs, categories, "categories")):
        several = [labels] if isinstance(labels, str) or not hasattr(labels, "__iter__") else labels
        for category in several:
            # None and NaN are missing values.
            if category is not None and category == category and category != "":
                pairs.append((item, numbers.setdefault(str(category), len(numbers))))
    table = numpy.zeros((inputs.items, len(numbers)), bool)
    if pairs:
        table[tuple(numpy.array(pairs).T)] = True
    return table


#: Measures if none are given.
DEFAULT_MEASURES = ("nDCG@10", "R@10", "Success@10", "RR@10")
#: Bytes of scores in memory at once.
_MEMORY = 1 << 26


@show_progress(Bar)
@suggest_keywords
def evaluate_recommendations(
    held_out: Any,
    scores: Any = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    systems: Mapping[str, Any] | None = None,
    seen: Any = None,
    ratings: float | str | None = None,
    top: int | None = None,
    convention: Convention | str = "gainful-1",
    candidates: str | None = None,
    user_ids: Iterable[Any] | None = None,
    item_ids: Iterable[Any] | None = None,
    items: int | None = None,
    popularity: Any = None,
    vectors: Any = None,
    categories: Any = None,
    by: By | None = None,
    memory: int = _MEMORY,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> RecommenderEvaluation:
    """Evaluate recommenders from scores of all items, or from lists of recommendations.

    Users are processed in blocks, and with `Factors` items too. The best items of each user are
    kept and measured by the kernel, as in `gainful.evaluate`. Users without held-out items are
    skipped, unless the convention counts them (``extra="no-relevant"``).

    Parameters
    ----------
    held_out : table, sparse matrix, or (indptr, indices), or (indptr, indices, data)
        The items to recommend to each user. A table has ids: a data frame with columns such as
        ``user_id`` and ``item_id``, ``{user: [item, ...]}``, a path, or `Qrels`. A SciPy sparse
        matrix, a PyTorch sparse tensor, or the arrays of compressed sparse rows have numbers.
    scores : callable, Factors, array or table
        ``scores(users)`` takes an array of user numbers and returns an array of shape
        ``(len(users), items)`` of any library with the array API; or two matrices of `Factors`; or
        an array of shape ``(users, items)``. Items with a score of −inf are not recommended. Or a
        table of recommendations: a data frame with columns such as ``user_id``, ``item_id`` and
        ``score``, or what else `gainful.evaluate` takes as a run.
    measures : Measure, str, or several of them, optional
        As in `gainful.evaluate`, and measures of the recommended items, such as ``Coverage@10``,
        ``Gini@10``, ``Novelty@10``, ``ILD@10`` or ``AUC``: the page on recommenders defines them.
        Default: nDCG@10, R@10, Success@10 and RR@10, or the measures that the convention is
        verified for.
    systems : mapping of str to such scores, optional
        Several recommenders with their names, instead of `scores`.
    seen : as `held_out`, optional
        Items of each user that are removed before ranking, such as training data. Their values are
        ignored. Popularity is the number of users who have seen an item.
    ratings : float or {"grades", "ignore"}, optional
        What values of `held_out` other than 0 and 1 mean: the lowest rating of a relevant item; or
        they are grades, which are gains; or all held-out items are relevant. Default: such values
        are an error.
    top : int, optional
        How many items are recommended to each user. Default: the deepest cutoff of the measures,
        or all items if one has no cutoff.
    convention : Convention or str
        As in `gainful.evaluate`. If ties stay open, as under ``ties="expected"``, all items that
        tie with the last one are kept. The conventions of RecBole, LensKit, Cornac and Elliot also
        define the measures of recommended items as these tools do, and know their names.
    candidates : str, optional
        ``"sampled(100)"`` declares that the scores or lists have only the relevant items and 100
        others of each user, and ``"sampled(100 of 26744)"`` also the number of all items: the
        policy of the convention. The values are not those of a full ranking, and `gainful.compare`
        does not mix them. Default: all items.
    user_ids, item_ids : iterables of str or int, optional
        The ids of the rows and columns. Required if some arguments are tables and others have
        numbered rows. If all are tables, the default is all ids in them. Ties are broken by them.
    items : int, optional
        The number of items, if neither a matrix nor the scores have that shape in advance; for
        tables the size of the catalogue, if not all of its items are in them.
    popularity : mapping of item to number, or array, shape (items,), optional
        The interactions of each item. Default: those of `seen`.
    vectors : mapping of item to vector, or array, shape (items, d), optional
        The vectors of items for ILD.
    categories : mapping of item to category or categories, or one per item, optional
        The categories of items for ``ILD(of='categories')`` and CategoryEntropy.
    by : mapping of user to segment, or path, optional
        Segments of users, each of which has summaries; as in `gainful.compare`.
    memory : int, default 64 MiB
        Approximate bytes of scores in memory at once.
    threads, progress
        As in `gainful.evaluate`; progress is counted in users.

    Returns
    -------
    RecommenderEvaluation
        An `Evaluation` with one row per user with held-out items, as `gainful.evaluate` returns for
        the same recommendations; with the measures of recommended items, and segments.

    Raises
    ------
    ArgumentError, ParameterError
        If an argument is invalid, shapes do not match, a score is not a number, or a measure lacks
        the data of items that it needs.
    GradeError, DuplicateError
        If a grade is not finite, or an item is held out twice for a user.
    MatchError
        If a table has an id that is not in `user_ids` or `item_ids`.
    GainfulError
        If the convention or a measure refuses the data, as in `gainful.evaluate`.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.9, 0.1, 0.5, 0.4], [0.2, 0.8, 0.3, 0.1], [0.3, 0.2, 0.1, 0.0]])
    >>> held_out = np.array([0, 1, 3, 3]), np.array([2, 0, 3])
    >>> seen = np.array([0, 1, 2, 2]), np.array([0, 1])
    >>> result = evaluate_recommendations(held_out, scores, ["nDCG@2", "R@1"], seen=seen)
    >>> result.per_query("nDCG@2")
    {0: 1.0, 1: 0.38685280723454163}
    >>> result.mean("R@1")
    0.5

    Lists of recommendations with ids, and measures of the recommended items:

    >>> result = evaluate_recommendations(
    ...     {"ann": ["tea"], "bob": ["jam"]},
    ...     {"ann": ["tea", "jam"], "bob": ["tea", "oil"]},
    ...     ["R@2", "Coverage@2"],
    ...     items=4,
    ... )
    >>> result.mean("R@2"), result.value("Coverage@2")
    (0.5, 0.75)
    """
    policies = get(convention)
    if candidates is not None:
        policies = policies.replace(candidates=candidates)
    ranked, item_measures = split_measures(measures, policies)
    _check_candidates(item_measures, policies)
    chosen: tuple[Measure, ...] = ()
    if ranked or not item_measures:
        chosen = choose_measures(ranked, policies, usual=DEFAULT_MEASURES)
    memory = whole_number(memory, "memory", "a whole number of bytes, 1 or more")
    inputs = Inputs(held_out, systems_of(scores, systems), seen, user_ids, item_ids, items)
    judged, names = inputs.judged, inputs.item_ids
    judged.check_grades(_checked_ratings(ratings))
    users = judged.with_items()
    if policies.extra == "no-relevant" and len(users):
        users = numpy.arange(judged.users)
    if not len(users):
        raise ParameterError("no items", where="held_out")
    data = item_data(inputs, item_measures, popularity, vectors, categories)
    slices = read_slices(by)
    count = thread_count(threads)
    cutoffs = [measure.resolve(policies).cutoff for measure in chosen]
    depth = _depth(top, cutoffs, chosen, policies, inputs.items)
    settled = depth < inputs.items and policies.ties not in UNORDERED_TIES
    lengths = [measure.cutoff for measure in item_measures if measure.family.takes_cutoff]
    listed = _depth(top, lengths, (), policies, inputs.items)
    tie_order = _tie_order(item_measures, policies, inputs)
    own_measures = None
    if policies.same_id == "drop":
        own_measures = items_of_own_id(judged.users, inputs.user_ids, inputs.items, names)
    tables, recommended = {}, {}
    try:
        rows = _kernel.rows_from_sparse(
            judged.offsets,
            judged.columns,
            judged.values,
            users.astype(numpy.int64),
            inputs.user_ids,
            names,
        )
        for name, system in inputs.systems.items():
            evaluator = _kernel.BlockEvaluator(
                rows,
                policies.spec(),
                [(repr(measure), *measure.spec(policies, rows.grades)) for measure in chosen],
                names,
                threads=count,
                depth=depth if settled else None,
            )
            areas = None
            if any(measure.family.name in ("AUC", "GAUC") for measure in item_measures):
                areas = Areas(judged.users, judged.relevant())
            first = 0
            lists: list[tuple[Any, Any, Any]] = []
            for block, parts in _blocks(
                system, users, judged.users, inputs.items, memory, whole=areas is not None
            ):
                deepest = max(depth, listed if item_measures else 1)
                best = Best(block, deepest, inputs.seen, policies.precision == "float32")
                # Items that the convention removes make room for the next ones.
                best.own = None if own_measures is None else own_measures[block]
                best.areas = areas
                if isinstance(system, Listed):
                    best.add_listed(*system.of(block))
                for start, part in parts:
                    best.add(part, start, ours=not callable(system))
                evaluator.add(first, best.offsets(), best.columns, best.scores)
                if item_measures:
                    places, columns, ranks = best.settled(tie_order, listed)
                    lists.append((places + first, columns, ranks))
                first += len(block)
                if progress is not None:
                    progress(first, len(users))
            tables[name] = evaluator.finish()
            if item_measures:
                needs_relevant = any("held_out" in measure.needs for measure in item_measures)
                relevant = judged.relevant() if needs_relevant else None
                recommended[name] = _lists(lists, users, relevant, areas)
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    for own_lists in recommended.values():
        check_vectors(own_lists, data, inputs)
    result = RecommenderEvaluation(
        tables, chosen, policies, integers=rows.integers, item_measures=item_measures
    )
    ids = list(users) if inputs.user_ids is None else [inputs.user_ids[user] for user in users]
    return summarize(result, Recommended(recommended, data, ids), slices)


def _checked_ratings(ratings: float | str | None) -> float | str | None:
    if ratings is None or ratings in ("grades", "ignore"):
        return ratings
    try:
        return float(number(ratings))
    except ValueError:
        raise ParameterError(
            where="ratings", found=repr(ratings), expected="a number, 'grades' or 'ignore'"
        ) from None


def _check_candidates(measures: Sequence[ItemMeasure], policies: Convention) -> None:
    for measure in measures:
        if policies.candidates != "all" and measure.family.name not in ("AUC", "GAUC"):
            raise ParameterError(
                where="candidates",
                found=f"{measure!r} of lists from sampled candidates",
                expected="lists from all items",
            )


def _tie_order(measures: Sequence[ItemMeasure], policies: Convention, inputs: Inputs) -> Any:
    """Return the place of each item among items with equal scores."""
    order = numpy.arange(inputs.items)
    if policies.order != "score" or policies.ties in ("given", "error") or not measures:
        return order
    if policies.ties == "reverse":
        return -order
    if policies.ties in ("doc-id-desc", "doc-id-asc"):
        names = range(inputs.items) if inputs.item_ids is None else inputs.item_ids
        texts = [
            name if isinstance(name, bytes) else str(name).encode(errors="surrogateescape")
            for name in names
        ]
        places = numpy.empty(inputs.items, numpy.int64)
        places[sorted(range(inputs.items), key=texts.__getitem__)] = order
        return places if policies.ties == "doc-id-asc" else -places
    if all(measure.family.name in ("AUC", "GAUC") for measure in measures):
        return order
    raise ParameterError(
        where="convention",
        found=f"ties={policies.ties} with {measures[0]!r}",
        expected="an order of items with equal scores, such as ties=doc-id-desc or ties=given",
    )


def _lists(
    parts: list[tuple[Any, Any, Any]],
    users: Any,
    relevant: Interactions | None,
    areas: Areas | None,
) -> Lists:
    """Return the lists of all users, from those of blocks."""
    rows, columns, ranks = (numpy.concatenate(part) for part in zip(*parts, strict=True))
    pairs = None
    if areas is not None:
        counts = (areas.relevant, areas.others, areas.wrong, areas.tied)
        pairs = Pairs(*(part[users] for part in counts))
    hits = None if relevant is None else relevant.has(users[rows], columns)
    return Lists(len(users), rows, columns, ranks, hits, pairs)


def _depth(
    top: int | None,
    cutoffs: Sequence[int | None],
    measures: Sequence[Measure],
    policies: Convention,
    items: int,
) -> int:
    """Return how many items of each user have to be ranked."""
    asked = checked_cutoff(top, "top")
    if asked is not None:
        return min(asked, items)
    condenses = policies.unjudged == "condense" or policies.negative == "drop"
    judged_only = any(measure.resolve(policies).params.get("judged_only") for measure in measures)
    if (measures and condenses) or judged_only or None in cutoffs:
        # Items far down may move up.
        return items
    return min(max((cutoff for cutoff in cutoffs if cutoff is not None), default=1), items)


def _blocks(
    system: Any, users: Any, rows: int, items: int, memory: int, *, whole: bool
) -> Iterator[tuple[Any, Iterator[tuple[int, Any]]]]:
    """Yield the scores of blocks of users: the number of the first item, and an array.

    With `whole`, each array has all items.
    """
    if isinstance(system, Listed):
        yield users, iter(())
        return
    cells = max(memory // 8, 1)
    # Matrix products are fastest if both sides are large.
    width = items
    if isinstance(system, Factors) and not whole:
        width = min(items, max(cells // 512, 1024))
    height = max(cells // max(width, 1), 1)
    for start in range(0, len(users), height):
        block = users[start : start + height]
        yield block, _scored(system, block, rows, items, width)


def _scored(
    system: Any, users: Any, rows: int, items: int, width: int
) -> Iterator[tuple[int, Any]]:
    if isinstance(system, Factors):
        xp = namespace_of(users=system.users)
        _check_shape("factors", system.users.shape[:1], (rows,))
        vectors = xp.take(system.users, _numbers(xp, users, system.users), axis=0)
        for first in range(0, items, width):
            yield first, vectors @ system.items[first : min(first + width, items), :].T
        return
    if callable(system):
        scores = system(users)
        if scores is None:
            raise ArgumentError(
                where="scores", found="None from the callable", expected="an array of scores"
            )
        namespace_of(scores=scores)
    else:
        xp = namespace_of(scores=system)
        _check_shape("scores", system.shape, (rows, items))
        scores = xp.take(system, _numbers(xp, users, system), axis=0)
    _check_shape("scores", scores.shape, (len(users), items))
    yield 0, scores


def _numbers(xp: Any, users: Any, like: Any) -> Any:
    return xp.asarray(users, device=getattr(like, "device", None))


def _check_shape(where: str, found: Any, expected: tuple[int, ...]) -> None:
    if tuple(found) != expected:
        raise ParameterError(where=where, found=f"shape {tuple(found)}", expected=f"{expected}")
