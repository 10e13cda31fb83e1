"""Make data checks that do not pass errors."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

from gainful.errors import DataCheckError
from gainful.evaluation.call import set_check
from gainful.evaluation.tables import summary_table
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.evaluation.result import Evaluation

__all__ = ["strict"]

_is_strict = ContextVar("strict", default=False)


@contextmanager
@suggest_keywords
def strict() -> Iterator[None]:
    """Raise an error for every data check that does not pass within the block.

    Data checks are the notes below a table that question the input: queries missing from a run or
    without judgments, ids that nearly match, queries with no relevant documents, ties at a cutoff
    or ties that decide the first ranks, ranks that contradict scores, scores that rise as distances
    do, duplicate documents, grades that are cut or cannot be meant, documents of which none is
    judged. The block applies to `gainful.evaluate` and to the functions that evaluate runs with it,
    such as `gainful.compare` and `gainful.gate`. It is `--strict` on the command line.

    Raises
    ------
    DataCheckError
        With all checks that do not pass.

    Examples
    --------
    >>> import gainful
    >>> with gainful.strict():
    ...     gainful.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"]}, "nDCG@10")
    Traceback (most recent call last):
    gainful.errors.DataCheckError: data checks: 2 queries: 1 not in the run (q2; counted as empty)
    """
    set_check(_check_data)
    token = _is_strict.set(True)
    try:
        yield
    finally:
        _is_strict.reset(token)


def _check_data(evaluation: Evaluation) -> None:
    if not _is_strict.get():
        return
    doubts = [note.rstrip(".") for note in summary_table(evaluation).notes if note.is_doubt]
    if doubts:
        raise DataCheckError(". ".join(doubts), where="data checks")
