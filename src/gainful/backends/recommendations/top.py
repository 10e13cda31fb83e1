"""The best items of each user of a block, selected on the device of the scores."""

from __future__ import annotations

import numpy

from gainful.backends.arrays.namespace import highest, namespace_of
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.backends.recommendations.sparse import Interactions


class Best:
    """The best items so far of the users of a block, with all ties of the last of them.

    Parameters
    ----------
    users : numpy.ndarray of int64
        The numbers of the users.
    depth : int
        The number of items per user.
    seen : Interactions or None
        Items that are not recommended.
    single : bool
        Whether scores are compared as 32-bit floats.
    """

    def __init__(self, users: Any, depth: int, seen: Interactions | None, single: bool) -> None:
        self.users = users
        self.depth = depth
        self.seen = seen
        self.single = single
        #: One more item per user that is not recommended; −1 for none.
        self.own: Any = None
        self.rows = numpy.zeros(0, dtype=numpy.int64)
        self.columns = numpy.zeros(0, dtype=numpy.int64)
        self.scores = numpy.zeros(0)
        #: The lowest score that an item needs, by user.
        self.least = numpy.full(len(users), -numpy.inf)

    def add(self, scores: Any, first: int, *, ours: bool = False) -> None:
        """Add the scores of the items from number `first` on, shape (users, items).

        An array that is `ours` may be overwritten.
        """
        xp = namespace_of(scores=scores)
        if not xp.isdtype(scores.dtype, "real floating"):
            raise ParameterError(
                where="scores", found=str(scores.dtype), expected="floating-point numbers"
            )
        if self.single or xp.finfo(scores.dtype).bits < 32:
            scores = xp.astype(scores, xp.float32)
        self._check(xp, scores, first)
        if self.seen is not None:
            pairs = self.seen.pairs(self.users, first, first + scores.shape[1])
            scores = _without(xp, scores, *pairs, ours=ours)
            ours = True
        if self.own is not None:
            here = numpy.flatnonzero((self.own >= first) & (self.own < first + scores.shape[1]))
            scores = _without(xp, scores, here, self.own[here] - first, ours=ours)
        least = xp.asarray(self.least, dtype=scores.dtype, device=_device(scores))
        if self.depth < scores.shape[1] and not numpy.isfinite(self.least).all():
            least = xp.maximum(least, highest(xp, scores, self.depth)[:, -1])
        kept = xp.logical_and(scores >= least[:, None], scores > -float("inf"))
        rows, columns = (on_host(each) for each in xp.nonzero(kept))
        self.rows = numpy.concatenate([self.rows, rows])
        self.columns = numpy.concatenate([self.columns, columns + first])
        found = on_host(scores[kept]).astype(numpy.float64)
        self.scores = numpy.concatenate([self.scores, found])
        self._settle()

    def _check(self, xp: Any, scores: Any, first: int) -> None:
        missing = xp.isnan(scores)
        if bool(xp.any(missing)):
            row, column = (int(on_host(each)[0]) for each in xp.nonzero(missing))
            raise ParameterError(
                "a score is NaN",
                where="scores",
                query=str(self.users[row]),
                document=str(column + first),
                hint="exclude an item with a score of -inf",
            )

    def _settle(self) -> None:
        """Sort the items and drop those below the last one needed."""
        order = numpy.lexsort((self.columns, -self.scores, self.rows))
        rows, scores = self.rows[order], self.scores[order]
        starts = numpy.searchsorted(rows, numpy.arange(len(self.users)))
        ends = numpy.searchsorted(rows, numpy.arange(len(self.users)), side="right")
        full = ends - starts >= self.depth
        self.least[full] = scores[starts[full] + self.depth - 1]
        kept = scores >= self.least[rows]
        self.rows, self.scores = rows[kept], scores[kept]
        self.columns = self.columns[order][kept]

    def offsets(self) -> Any:
        """Return the start of each user's items, and the end of the last one's."""
        return numpy.searchsorted(self.rows, numpy.arange(len(self.users) + 1)).astype(numpy.int64)


def on_host(array: Any) -> Any:
    """Return an array as a NumPy array."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    elif type(array).__module__.startswith("cupy"):
        array = array.get()
    try:
        return numpy.asarray(array)
    except Exception:
        return numpy.from_dlpack(array)


def _device(array: Any) -> Any:
    return getattr(array, "device", None)


def _without(xp: Any, scores: Any, rows: Any, columns: Any, *, ours: bool) -> Any:
    """Return scores with −inf for these pairs, in a copy unless the array is ours."""
    if isinstance(scores, numpy.ndarray):
        scores = scores if ours else scores.copy()
        scores[rows, columns] = -numpy.inf
        return scores
    taken = numpy.zeros(scores.shape, dtype=bool)
    taken[rows, columns] = True
    lowest = xp.full_like(scores, -float("inf"))
    return xp.where(xp.asarray(taken, device=_device(scores)), lowest, scores)
