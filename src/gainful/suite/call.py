"""Evaluate systems on several collections."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike

from gainful.conventions import Convention, get
from gainful.data.paths import RUNS, stem, uncompressed
from gainful.errors import (
    ArgumentError,
    GainfulError,
    MeasureError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.predicted import check_sampled
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.choosing import choose_measures
from gainful.parameters.comparing import AGGREGATE
from gainful.progress import Bar, show_progress
from gainful.published import as_published
from gainful.suite.predictions import check_aggregate
from gainful.suite.result import Suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar, Unpack

    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.predicted import PredictedEvaluation
    from gainful.evaluation.query_groups import Attribute, By
    from gainful.policies import PolicyKeywords
    from gainful.published import PublishedLike

    Value = TypeVar("Value")

    Collections = Mapping[str, tuple[QrelsLike, Mapping[str, RunLike]]]

__all__ = ["Folder", "evaluate_collections", "evaluate_suite", "find_in_collections", "read_folder"]


_LAYOUT = (
    "each collection needs a subfolder with judgments (a file named qrels*) and runs (files ending"
    " in .run, or a folder named runs)"
)


@dataclass(frozen=True)
class Folder:
    """The files in a folder of collections.

    Attributes
    ----------
    collections : dict of str to (str, dict of str to str)
        By subfolder, in alphabetical order: the path of the judgments, and the paths of the runs by
        name. `evaluate_suite` accepts this mapping.
    left_out : tuple of str
        Subfolders without judgments and runs.
    """

    collections: dict[str, tuple[str, dict[str, str]]]
    left_out: tuple[str, ...]


@suggest_keywords
def read_folder(path: str | os.PathLike[str]) -> Folder:
    """Find the judgments and the runs of several collections.

    Each subfolder is a collection and gives its name. The judgments are the file whose name begins
    with ``qrels``. In a folder whose name begins with ``qrels``, they are the only file or the file
    named ``test`` (as in BEIR). The runs are all files in a folder ``runs`` or, without such a
    folder, the files ending in ``.run``, ``.runs``, ``.res`` or ``.results``, compressed or not. A
    run has the name of its file. Names that begin with a dot are ignored.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    Folder

    Raises
    ------
    SourceError
        If the path is not a folder or cannot be listed.
    ParameterError
        If the folder has no collection, a collection lacks judgments or runs, several files could
        be its judgments, or two of its runs have the same name.

    Examples
    --------
    >>> found = read_folder("collections")
    >>> for name, (qrels, runs) in found.collections.items():
    ...     print(name, os.path.basename(qrels), *runs)
    help qrels.txt fts5-plain fts5-tuned title-words
    recipes qrels.txt fts5-plain fts5-tuned
    """
    top = os.fspath(path)
    collections: dict[str, tuple[str, dict[str, str]]] = {}
    left_out = []
    for name in _list_names(top):
        inside = os.path.join(top, name)
        if not os.path.isdir(inside):
            continue
        judgments, runs = _find_judgments(inside), _find_runs(inside)
        if judgments is None and not runs:
            left_out.append(name)
        elif judgments is None:
            count = f"{len(runs)} run{'s' * (len(runs) != 1)}"
            raise ParameterError(f"{count} but no judgments", where=inside, hint=_LAYOUT)
        elif not runs:
            named = os.path.relpath(judgments, inside)
            raise ParameterError(f"judgments ({named}) but no run", where=inside, hint=_LAYOUT)
        else:
            collections[name] = (judgments, runs)
    if not collections:
        raise ParameterError("the folder contains no collection", where=top, hint=_LAYOUT)
    return Folder(collections, tuple(left_out))


def find_in_collections(
    path: str | os.PathLike[str], collections: Iterable[str], name: str
) -> dict[str, str]:
    """Return the paths of a file that collections have in their subfolders."""
    in_collections = {}
    for collection in collections:
        inside = os.path.join(os.fspath(path), collection, name)
        file, colon, _ = inside.rpartition(":")
        if os.path.isfile(inside) or (colon and os.path.isfile(file)):
            in_collections[collection] = inside
    if not in_collections:
        raise SourceNotFoundError(file=name, found="no such file in any collection's folder")
    return in_collections


def _find_judgments(folder: str) -> str | None:
    """Return the path of a collection's judgments, or None."""
    named = [name for name in _list_names(folder) if name.lower().startswith("qrels")]
    if len(named) == 1 and os.path.isdir(inside := os.path.join(folder, named[0])):
        folder = inside
        named = [name for name in _list_names(inside) if os.path.isfile(os.path.join(inside, name))]
        tests = [name for name in named if stem(name) == "test"]
        named = tests if len(tests) == 1 else named
    if len(named) > 1:
        raise ParameterError(
            f"{len(named)} files could be the judgments: {', '.join(named)}", where=folder
        )
    return os.path.join(folder, named[0]) if named else None


def _find_runs(folder: str) -> dict[str, str]:
    """Return the paths of a collection's runs by name."""
    inside = os.path.join(folder, "runs")
    if os.path.isdir(inside):
        paths = [os.path.join(inside, name) for name in _list_names(inside)]
    else:
        paths = [os.path.join(folder, name) for name in _list_names(folder) if _is_run(name)]
    runs: dict[str, str] = {}
    for path in paths:
        if not os.path.isfile(path):
            continue
        name = stem(path)
        if name in runs:
            raise ParameterError(
                f"two runs have the name {name!r}: {os.path.basename(runs[name])} and"
                f" {os.path.basename(path)}",
                where=folder,
            )
        runs[name] = path
    return runs


def _is_run(name: str) -> bool:
    bare = uncompressed(name.lower())
    return bare.endswith(RUNS) and not bare.startswith("qrels")


def _list_names(folder: str) -> list[str]:
    """Return the sorted names in a folder, without those that begin with a dot."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        raise SourceNotFoundError(file=folder, found="no such folder") from None
    except NotADirectoryError:
        raise SourceError(file=folder, found="a file", expected="a folder of collections") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SourceError(f"the folder cannot be listed ({why})", file=folder) from error


@show_progress(Bar)
@suggest_keywords
def evaluate_suite(
    collections: Collections | str | PathLike[str],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    over: str | Sequence[str] = "all",
    aggregate: str = "mean",
    oracle: str | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, Mapping[str, float]] | None = None,
    clusters: Mapping[str, Attribute] | None = None,
    by: Mapping[str, By] | None = None,
    predicted: Mapping[str, QrelsLike] | None = None,
    sampled: str | None = None,
    published: PublishedLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Suite:
    """Evaluate systems on several collections.

    Collections are evaluated separately and combined by a macro-average, in which each collection
    has the same weight. A system without a run for an averaged collection has no macro-average.

    Parameters
    ----------
    collections : mapping of str to (qrels, mapping of str to run), or path
        For each collection by name, a pair of its judgments and its runs by system name, both as
        for `evaluate`. Or the path of a folder with one subfolder per collection, as for
        `gainful.suite.read_folder`.
    measures : Measure, str, or several of them, optional
        The measures, which must be means over queries. Default: nDCG@10, or the measures that the
        convention is verified for.
    over : {"all", "common"} or sequence of str
        The collections to average: all, those for which all systems have a run, or a list of names.
    aggregate : {"mean", "standardized", "empirical"}
        What the macro-average averages: the scores, or the scores relative to all systems on the
        same query, by a normal distribution or by the empirical one. See
        `gainful.suite.macro.standardize`.
    oracle : str, optional
        The run to use as the oracle, such as the judged documents in their ideal order. It is not
        compared with the systems. Default: the best system for each query.
    convention : Convention or str
        The convention, or the name of a preset.
    weights : mapping of str to mapping of str to float, optional
        The weight of each query, by collection. In other collections all queries weigh the same.
    clusters, by : mapping of str to attribute, optional
        By collection, queries that belong together and slices of the queries, as for `compare`.
        Clusters of different collections are independent, and so are the queries of collections
        without clusters. A slice is averaged over the collections that have queries of it.
    predicted : mapping of str to judgments, optional
        By collection, the judgments of a model for all queries, if people judged only a random
        sample of them, as for `evaluate`. Means, differences and verdicts then combine both.
    sampled : {"random"}, optional
        Declares that people judged a random sample of the queries of `predicted`.
    published : path, or iterable of paths and PublishedScore, optional
        Scores of other systems to show in the same tables, as `gainful.published.read_published`
        reads them.
    threads : int, optional
        Number of threads. Results do not depend on it.
    progress : callable, optional
        Called about ten times per second with (bytes read, total bytes) of the current file.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Suite

    Raises
    ------
    ParameterError
        Without a collection, for an unknown `aggregate`, for unknown names in `over`, `oracle`,
        `weights`, `clusters`, `by` or `predicted`, for `predicted` without `sampled` or with
        relative scores, or if "common" is requested and no collection has a run of
        every system.
    MeasureError
        For a measure that is not a mean over queries, such as a sum or a geometric mean.
    GainfulError
        If an input cannot be read, matched or evaluated. The message names the collection.

    Examples
    --------
    >>> import gainful
    >>> suite = gainful.evaluate_suite({
    ...     "news": ({"q": {"a": 1, "b": 2}}, {"bm25": {"q": ["a", "b"]}, "dense": {"q": ["b"]}}),
    ...     "web": ({"q": {"c": 1}}, {"bm25": {"q": ["c"]}, "dense": {"q": ["d", "c"]}}),
    ... })
    >>> {name: round(suite.macro(system=name).mean, 4) for name in suite.systems}
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
        aggregate=aggregate,
        oracle=oracle,
        convention=get(convention, **policies),
        weights=weights,
        clusters=clusters,
        by=by,
        predicted=predicted,
        sampled=sampled,
        published=published,
        threads=threads,
        progress=progress,
        left_out=left_out,
    )


def evaluate_collections(
    collections: Collections,
    measures: Measure | str | Iterable[Measure | str] | None,
    *,
    over: str | Sequence[str],
    aggregate: str = "mean",
    oracle: str | None,
    convention: Convention | str,
    weights: Mapping[str, Mapping[str, float]] | None = None,
    clusters: Mapping[str, Attribute] | None = None,
    by: Mapping[str, By] | None = None,
    predicted: Mapping[str, QrelsLike] | None = None,
    sampled: str | None = None,
    published: PublishedLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    left_out: Sequence[str] = (),
) -> Suite:
    """Evaluate a suite; `left_out` names subfolders without judgments and runs."""
    if not hasattr(collections, "items"):
        raise ArgumentError(
            where="collections",
            found=type(collections).__name__,
            expected="a folder, or a mapping of names to judgments and runs",
        )
    if not collections:
        raise ParameterError("at least one collection is required", where="collections")
    chosen = _require_means(choose_measures(measures, get(convention)))
    AGGREGATE.check(aggregate)
    from gainful.evaluation.query_groups import read_attribute

    shares = weights or {}
    _require_known("weights", shares, collections)
    groups = _read_each(
        "clusters", clusters, collections, lambda given: read_attribute(given, "cluster")[1]
    )
    attributes = _read_slices(by, collections)
    check_sampled(sampled, has_predictions=predicted is not None)
    labels = predicted or {}
    _require_known("predicted", labels, collections)
    if labels:
        check_aggregate(aggregate)
    evaluations: dict[str, Evaluation] = {}
    predictions: dict[str, PredictedEvaluation] = {}
    for name, pair in collections.items():
        qrels, runs = _check_pair(name, pair)
        options: dict[str, Any] = {
            "runs": runs,
            "measures": chosen,
            "convention": convention,
            "weights": shares.get(name),
            "threads": threads,
            "progress": progress,
        }
        try:
            if name in labels:
                predictions[name] = evaluate(
                    qrels, predicted=labels[name], sampled=sampled, **options
                )
                evaluations[name] = predictions[name].people
            else:
                evaluations[name] = evaluate(qrels, **options)
        except GainfulError as error:
            raise error.inside(f"collection {name}") from None
    systems = dict.fromkeys(
        system for evaluation in evaluations.values() for system in evaluation.systems
    )
    if oracle is not None and oracle not in systems:
        raise ParameterError(
            where="oracle", found=repr(oracle), expected=f"one of the runs: {', '.join(systems)}"
        )
    averaged = tuple(_choose_averaged(over, evaluations, oracle))
    compared = tuple(system for system in systems if system != oracle)
    missing = tuple(
        (system, name)
        for system in compared
        for name, evaluation in evaluations.items()
        if system not in evaluation.systems
    )
    return Suite(
        evaluations=evaluations,
        over=averaged,
        systems=compared,
        complete=tuple(
            system for system in compared if not any((system, name) in missing for name in averaged)
        ),
        missing=missing,
        oracle=oracle,
        weights=shares or {},
        left_out=tuple(left_out),
        clusters=groups,
        attributes=attributes,
        aggregate=aggregate,
        predictions=predictions,
        published=as_published(published),
    )


def _read_each(
    where: str,
    given: Mapping[str, Any] | None,
    collections: Collections,
    read: Callable[[Any], dict[str, Value]],
) -> dict[str, dict[str, Value]]:
    """Return what is read from the value of each collection."""
    values = {}
    _require_known(where, given or {}, collections)
    for collection, value in (given or {}).items():
        try:
            values[collection] = read(value)
        except GainfulError as error:
            raise error.inside(f"collection {collection}") from None
    return values


def _read_slices(
    by: Mapping[str, By] | None, collections: Collections
) -> dict[str, dict[str, dict[str, str]]]:
    """Return the values of queries by collection and attribute; all have the same attributes."""
    from gainful.evaluation.query_groups import read_slices

    read = _read_each("by", by, collections, lambda options: read_slices(options, "slice"))
    names = dict.fromkeys(name for attributes in read.values() for name in attributes)
    return {
        collection: {name: read.get(collection, {}).get(name, {}) for name in names}
        for collection in (collections if names else ())
    }


def _check_pair(name: str, pair: object) -> tuple[QrelsLike, Mapping[str, RunLike]]:
    """Return a collection's judgments and runs; reject anything else."""
    if isinstance(pair, (tuple, list)) and len(pair) == 2 and hasattr(pair[1], "keys"):
        return pair[0], pair[1]
    raise ArgumentError(
        where=f"collection {name}",
        found=type(pair).__name__,
        expected="a pair of judgments and runs by name",
        hint="write {'name': (qrels, {'system': run, ...})}",
    )


def _require_means(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return measures that are means over queries; reject others."""
    for measure in measures:
        if measure.aggregate != "mean":
            kind = "sum" if measure.aggregate == "sum" else "geometric mean"
            raise MeasureError(
                where="measures",
                found=f"{measure!r}, a {kind}",
                expected="measures that are means over queries",
            )
    return measures


def _choose_averaged(
    over: str | Sequence[str], evaluations: Mapping[str, Evaluation], oracle: str | None
) -> tuple[str, ...]:
    """Return the names of the collections to average."""
    if over == "all":
        return tuple(evaluations)
    if over == "common":
        systems = {
            system for evaluation in evaluations.values() for system in evaluation.systems
        } - {oracle}
        common = tuple(
            name for name, evaluation in evaluations.items() if systems <= set(evaluation.systems)
        )
        if not common:
            raise ParameterError(
                "no collection has a run of every system",
                where="over",
                hint="name the collections to average",
            )
        return common
    named = (over,) if isinstance(over, str) else tuple(dict.fromkeys(over))
    if not named:
        raise ParameterError("at least one collection is required", where="over")
    _require_known("over", named, evaluations)
    return tuple(name for name in evaluations if name in named)


def _require_known(where: str, names: Iterable[str], collections: Mapping[str, object]) -> None:
    for name in names:
        if name not in collections:
            raise ParameterError(
                where=where,
                found=f"unknown collection {name!r}",
                expected=f"one of {', '.join(collections)}",
            )
