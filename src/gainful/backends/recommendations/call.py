"""Evaluate recommenders from their scores and held-out items."""

from __future__ import annotations

import numpy

from gainful import _kernel
from gainful.backends.arrays.namespace import namespace_of
from gainful.backends.recommendations.arguments import (
    Factors,
    ids_of,
    item_count,
    items_of_own_id,
    systems_of,
    whole_number,
)
from gainful.backends.recommendations.sparse import Interactions
from gainful.backends.recommendations.top import Best
from gainful.conventions import Convention, get
from gainful.errors import ArgumentError, GainfulError, ParameterError
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.result import Evaluation
from gainful.formulas.arguments import checked_cutoff
from gainful.measures.choosing import choose_measures
from gainful.policies import UNORDERED_TIES
from gainful.progress import Bar, show_progress
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.measures import Measure

#: Measures if none are given.
DEFAULT_MEASURES = ("nDCG@10", "R@10", "Success@10", "RR@10")
#: Bytes of scores in memory at once.
_MEMORY = 1 << 26


@show_progress(Bar)
def evaluate_recommendations(
    held_out: Any,
    scores: Any = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    systems: Mapping[str, Any] | None = None,
    seen: Any = None,
    top: int | None = None,
    convention: Convention | str = "gainful-1",
    user_ids: Sequence[Any] | None = None,
    item_ids: Sequence[Any] | None = None,
    items: int | None = None,
    memory: int = _MEMORY,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Evaluation:
    """Evaluate a recommender that can score every item for every user.

    Users are processed in blocks, and with `Factors` items too. The best items of each user are
    kept and measured by the kernel, as in `gainful.evaluate`. Users without held-out items are
    skipped, unless the convention counts them (``extra="no-relevant"``).

    Parameters
    ----------
    held_out : sparse matrix, or (indptr, indices), or (indptr, indices, data)
        The items to recommend to each user, with their grades; without data each has grade 1. A
        SciPy sparse matrix, a PyTorch sparse tensor, or the arrays of compressed sparse rows.
    scores : callable, Factors or array
        ``scores(users)`` takes an array of user numbers and returns an array of shape
        ``(len(users), items)`` of any library with the array API; or two matrices of `Factors`; or
        an array of shape ``(users, items)``. Items with a score of −inf are not recommended.
    measures : Measure, str, or several of them, optional
        As in `gainful.evaluate`. Default: nDCG@10, R@10, Success@10 and RR@10, or the measures that
        the convention is verified for.
    systems : mapping of str to such scores, optional
        Several recommenders with their names, instead of `scores`.
    seen : as `held_out`, optional
        Items of each user that are removed before ranking, such as training data. Their values are
        ignored.
    top : int, optional
        How many items are recommended to each user. Default: the deepest cutoff of the measures,
        or all items if one has no cutoff.
    convention : Convention or str
        As in `gainful.evaluate`. If ties stay open, as under ``ties="expected"``, all items that
        tie with the last one are kept.
    user_ids, item_ids : sequences of str or int, optional
        Ids of users and items, if not their numbers. Ties are broken by them.
    items : int, optional
        The number of items, if neither a matrix nor the scores have that shape in advance.
    memory : int, default 64 MiB
        Approximate bytes of scores in memory at once.
    threads, progress
        As in `gainful.evaluate`; progress is counted in users.

    Returns
    -------
    Evaluation
        One row per user with held-out items, as `gainful.evaluate` returns for the same
        recommendations.

    Raises
    ------
    ArgumentError, ParameterError
        If an argument is invalid, shapes do not match, or a score is not a number.
    GradeError, DuplicateError
        If a grade is not finite, or an item is held out twice for a user.
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
    """
    policies = get(convention)
    chosen = choose_measures(measures, policies, usual=DEFAULT_MEASURES)
    judged, taken = Interactions(held_out, "held_out"), None
    judged.check_grades()
    if seen is not None:
        taken = Interactions(seen, "seen")
        if taken.users != judged.users:
            raise ParameterError(
                f"found {taken.users} rows, but held_out has {judged.users}", where="seen"
            )
    given = systems_of(scores, systems)
    memory = whole_number(memory, "memory", "a whole number of bytes, 1 or more")
    names = ids_of(item_ids, "item_ids")
    items = item_count(given, judged, taken, names, items)
    users_named = ids_of(user_ids, "user_ids")
    if users_named is not None and len(users_named) != judged.users:
        raise ParameterError(
            where="user_ids", found=f"{len(users_named)} ids", expected=f"{judged.users}"
        )
    users = judged.with_items()
    if policies.extra == "no-relevant" and len(users):
        users = numpy.arange(judged.users)
    if not len(users):
        raise ParameterError("no items", where="held_out")
    count = thread_count(threads)
    depth = _depth(top, chosen, policies, items)
    settled = depth < items and policies.ties not in UNORDERED_TIES
    own = None
    if policies.same_id == "drop":
        own = items_of_own_id(judged.users, users_named, items, names)
    tables = {}
    try:
        rows = _kernel.rows_from_sparse(
            judged.offsets,
            judged.columns,
            judged.values,
            users.astype(numpy.int64),
            users_named,
            names,
        )
        for name, system in given.items():
            evaluator = _kernel.BlockEvaluator(
                rows,
                policies.spec(),
                [(repr(measure), *measure.spec(policies)) for measure in chosen],
                names,
                threads=count,
                depth=depth if settled else None,
            )
            first = 0
            for block, parts in _blocks(system, users, judged.users, items, memory):
                best = Best(block, depth, taken, policies.precision == "float32")
                # Items that the convention removes make room for the next ones.
                best.own = None if own is None else own[block]
                for start, part in parts:
                    best.add(part, start, ours=not callable(system))
                evaluator.add(first, best.offsets(), best.columns, best.scores)
                first += len(block)
                if progress is not None:
                    progress(first, len(users))
            tables[name] = evaluator.finish()
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    return Evaluation(tables, chosen, policies, integers=rows.integers)


def _depth(top: int | None, measures: tuple[Measure, ...], policies: Convention, items: int) -> int:
    """Return how many items of each user have to be ranked."""
    asked = checked_cutoff(top, "top")
    if asked is not None:
        return min(asked, items)
    resolved = [measure.resolve(policies) for measure in measures]
    cutoffs = [measure.cutoff for measure in resolved]
    condenses = policies.unjudged == "condense" or policies.negative == "drop"
    if condenses or any(measure.params.get("judged_only") for measure in resolved):
        # Items far down may move up.
        return items
    deepest = 0
    for cutoff in cutoffs:
        if cutoff is None:
            return items
        deepest = max(deepest, cutoff)
    return min(deepest, items)


def _blocks(
    system: Any, users: Any, rows: int, items: int, memory: int
) -> Iterator[tuple[Any, Iterator[tuple[int, Any]]]]:
    """Yield the scores of blocks of users: the number of the first item, and an array."""
    cells = max(memory // 8, 1)
    # Matrix products are fastest if both sides are large.
    width = items if not isinstance(system, Factors) else min(items, max(cells // 512, 1024))
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
        own = xp.take(system.users, _numbers(xp, users, system.users), axis=0)
        for first in range(0, items, width):
            yield first, own @ system.items[first : min(first + width, items), :].T
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
