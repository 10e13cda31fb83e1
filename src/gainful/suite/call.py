"""The call: from judgments and runs of several collections to a `Suite`."""

from __future__ import annotations

from os import PathLike

from gainful.conventions import Convention, get
from gainful.errors import ArgumentError, GainfulError, MeasureError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.measures import Measure
from gainful.measures.choosing import choose_measures
from gainful.suite.folder import read_folder
from gainful.suite.result import Suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.data.inputs import QrelsLike, RunLike

    Collections = Mapping[str, tuple[QrelsLike, Mapping[str, RunLike]]]

__all__ = ["evaluate_collections", "evaluate_suite"]


def evaluate_suite(
    collections: Collections | str | PathLike[str],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    over: str | Sequence[str] = "all",
    oracle: str | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, Mapping[str, float]] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Suite:
    """Evaluate systems on several collections.

    Each collection is evaluated by itself; what they come to together is a macro-average, in which
    each collection counts the same. A system without a run in a collection has no value there, and
    no macro-average over it.

    Parameters
    ----------
    collections : mapping of str to (qrels, mapping of str to run), or path
        By the name of the collection its judgments and its runs by the names of the systems: each
        whatever `evaluate` takes. Or the path of a folder with a sub-folder for each collection, as
        `gainful.suite.read_folder` reads it.
    measures : Measure, str, or several of them, optional
        What to measure; measures that are means over queries. Default: nDCG@10, or what the
        convention is verified for.
    over : {"all", "common"} or sequence of str
        What is averaged: all collections, those in which all systems have a run, or those named.
    oracle : str, optional
        The run that stands for what can be reached, such as one with the judged documents in their
        ideal order. It is no system like the others. Without it the oracle is, for each query, the
        best of the systems.
    convention : Convention or str
        The policies, or the name of a preset.
    weights : mapping of str to mapping of str to float, optional
        By collection, how much each query counts in its mean. Collections not named have none.
    threads : int, optional
        Threads to use; the numbers never depend on it.
    progress : callable, optional
        Called some ten times a second with (bytes done, bytes in all) of a file.

    Returns
    -------
    Suite

    Raises
    ------
    ParameterError
        For no collection; names in `over`, `oracle` or `weights` that nothing has; no collection
        that all systems share, where these are asked for.
    MeasureError
        For a measure that is no mean over queries: a count, or a geometric mean.
    GainfulError
        For whatever cannot be read, matched or measured; the message names the collection.

    Examples
    --------
    >>> import gainful
    >>> suite = gainful.evaluate_suite({
    ...     "news": ({"q": {"a": 1, "b": 2}}, {"bm25": {"q": ["a", "b"]}, "dense": {"q": ["b"]}}),
    ...     "web": ({"q": {"c": 1}}, {"bm25": {"q": ["c"]}, "dense": {"q": ["d", "c"]}}),
    ... })
    >>> {name: round(suite.macro(name).mean, 4) for name in suite.systems}
    {'bm25': 0.9299, 'dense': 0.6956}
    """
    left_out: tuple[str, ...] = ()
    if isinstance(collections, (str, PathLike)):
        folder = read_folder(collections)
        collections, left_out = folder.collections, folder.left_out
    return evaluate_collections(
        collections,
        measures,
        over=over,
        oracle=oracle,
        convention=convention,
        weights=weights,
        threads=threads,
        progress=progress,
        left_out=left_out,
    )


def evaluate_collections(
    collections: Collections,
    measures: Measure | str | Iterable[Measure | str] | None,
    *,
    over: str | Sequence[str],
    oracle: str | None,
    convention: Convention | str,
    weights: Mapping[str, Mapping[str, float]] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    left_out: Sequence[str] = (),
) -> Suite:
    """Do what `evaluate_suite` does; `left_out` are sub-folders that are no collection."""
    if not collections:
        raise ParameterError(where="collections", found="none", expected="at least one")
    chosen = _averaged(choose_measures(measures, get(convention)))
    shares = weights or {}
    _known("weights", shares, collections)
    evaluations: dict[str, Evaluation] = {}
    for name, pair in collections.items():
        qrels, runs = _checked(name, pair)
        try:
            evaluations[name] = evaluate(
                qrels,
                runs=runs,
                measures=chosen,
                convention=convention,
                weights=shares.get(name),
                threads=threads,
                progress=progress,
            )
        except GainfulError as error:
            raise error.inside(f"collection {name}") from None
    systems = dict.fromkeys(each for found in evaluations.values() for each in found.systems)
    if oracle is not None and oracle not in systems:
        raise ParameterError(
            where="oracle", found=repr(oracle), expected=f"one of the runs: {', '.join(systems)}"
        )
    return Suite(
        evaluations,
        over=tuple(_averaged_over(over, evaluations, oracle)),
        oracle=oracle,
        weights=shares or {},
        left_out=tuple(left_out),
    )


def _checked(name: str, pair: object) -> tuple[QrelsLike, Mapping[str, RunLike]]:
    """Refuse what is no pair of judgments and named runs."""
    if isinstance(pair, (tuple, list)) and len(pair) == 2 and hasattr(pair[1], "keys"):
        return pair[0], pair[1]
    raise ArgumentError(
        where=f"collection {name}",
        found=f"an object of type {type(pair).__name__}",
        expected="a pair of judgments and of runs by their names",
        hint="write {'name': (qrels, {'system': run, ...})}",
    )


def _averaged(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return measures whose values are means over queries; refuse others."""
    for measure in measures:
        if measure.aggregate != "mean":
            kind = "sum" if measure.aggregate == "sum" else "geometric mean"
            raise MeasureError(
                where="measures",
                found=f"{measure!r}, whose value for a collection is a {kind}",
                expected="measures that are means over queries",
            )
    return measures


def _averaged_over(
    over: str | Sequence[str], evaluations: Mapping[str, Evaluation], oracle: str | None
) -> tuple[str, ...]:
    """Return the collections that are averaged."""
    if over == "all":
        return tuple(evaluations)
    if over == "common":
        systems = {each for found in evaluations.values() for each in found.systems} - {oracle}
        common = tuple(name for name, found in evaluations.items() if systems <= set(found.systems))
        if not common:
            raise ParameterError(
                where="over",
                found="no collection in which all systems have a run",
                expected="at least one",
                hint="name the collections to average over",
            )
        return common
    named = (over,) if isinstance(over, str) else tuple(dict.fromkeys(over))
    if not named:
        raise ParameterError(where="over", found="no collection", expected="at least one")
    _known("over", named, evaluations)
    return tuple(name for name in evaluations if name in named)


def _known(where: str, names: Iterable[str], collections: Mapping[str, object]) -> None:
    for name in names:
        if name not in collections:
            raise ParameterError(
                where=where,
                found=f"the unknown collection {name!r}",
                expected=f"one of {', '.join(collections)}",
            )
