"""Check the arguments of an evaluation and read its judgments; name the input of an error."""

from __future__ import annotations

from os import PathLike, fspath

from gainful import _kernel
from gainful.data.coercion import load_judgments, run_name
from gainful.data.named_runs import DefaultName, has_several_runs, runs_by_name, split_systems
from gainful.data.qrels import DiskQrels, Qrels
from gainful.data.table import kernel_rows
from gainful.errors import (
    ArgumentError,
    ConventionError,
    GainfulError,
    MeasureError,
    ParameterError,
    TieError,
)
from gainful.measures.algebra import is_verified
from gainful.measures.choosing import Defaults
from gainful.measures.notation import parse_measures
from gainful.quoting import shown
from gainful.vocabulary import BOUNDED_LABELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, overload

    from gainful.conventions import Convention
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.measures import Measure

__all__ = ["has_places", "judgments_for", "settled"]

#: The default measures.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def named_runs(
    run: RunLike | Runs | None,
    runs: Runs | None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, RunLike]:
    """Return the runs of a call by name."""
    if (run is None) == (runs is None):
        raise ArgumentError(
            where="run",
            found="both run and runs" if runs is not None else "neither run nor runs",
            expected="one of them",
            hint="several runs are {'name': run, ...}, or a list of paths",
        )
    if runs is None and not has_several_runs(run):
        named = {DefaultName(run_name(run) or "run"): run}
        return split_systems(named, threads=threads, progress=progress)  # type: ignore[arg-type]
    several = run if runs is None else runs
    if isinstance(several, (dict, list, tuple)) and not several:
        raise ParameterError(where="runs", found="no run", expected="at least one")
    return runs_by_name(several, threads=threads, progress=progress)  # type: ignore[arg-type]


def check_bounds(
    bounds: bool | str, scale: Iterable[float] | None, weighted: bool, policies: Convention
) -> tuple[str, list[float] | None] | None:
    """Return the kernel's arguments for bounds: unjudged documents and their grades."""
    if bounds is False:
        if scale is not None:
            raise ParameterError(
                where="scale", found="a scale without bounds", expected="bounds=True"
            )
        return None
    scope = "retrieved" if bounds is True else bounds
    if scope not in BOUNDED_LABELS:
        raise ParameterError(
            where="bounds", found=repr(bounds), expected="True, 'retrieved' or 'cutoff'"
        )
    check_incomplete(policies)
    if weighted and policies.unweighted != "nothing":
        raise ConventionError(
            where="bounds",
            found=f"weights with unweighted={policies.unweighted}",
            expected="unweighted=nothing",
            hint="whether a query counts with its weight would depend on the labels",
        )
    grades = None if scale is None else [float(grade) for grade in scale]
    for grade in grades or ():
        if not -(2.0**53) <= grade <= 2.0**53:
            raise ParameterError(
                where="scale", found=repr(grade), expected="finite grades up to 2^53"
            )
    return scope, grades


def check_incomplete(policies: Convention) -> None:
    """Refuse labels of unjudged documents where the judgments are declared complete."""
    if policies.unjudged == "irrelevant":
        raise ConventionError(
            "unjudged=irrelevant declares that the judgments are complete",
            hint="unjudged=zero gives the same numbers, and unjudged documents can have labels",
        )


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Return checked weights as floats by query id."""
    if not hasattr(weights, "items"):
        raise ArgumentError(
            where="weights", found=type(weights).__name__, expected="{query: weight}"
        )
    checked = {}
    for query, weight in weights.items():
        try:
            value = float(weight)
        except (TypeError, ValueError, OverflowError):
            value = -1.0
        if not 0 <= value < float("inf"):
            raise ParameterError(
                where="weights",
                query=str(query),
                found=shown(weight),
                expected="a finite weight of 0 or more",
            )
        checked[str(query)] = value
    # Sums of larger numbers would overflow, and only the ratios matter.
    if sum(checked.values()) > 1e300:
        raise ParameterError(
            where="weights", found="weights with a sum above 1e300", expected="smaller weights"
        )
    return checked


#: The default measures where judged documents are places in texts.
_OF_PLACES = ("SpanR@5", "SpanP@5", "SpanDCG@5")


def settled(
    measures: tuple[Measure, ...], judgments: object, *conventions: Convention
) -> tuple[Measure, ...]:
    """Return measures; defaults become those of spans if judged documents are places in texts.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.data import Qrels
    >>> from gainful.measures.choosing import choose_measures
    >>> convention, places = get("gainful-1"), Qrels({"q": {"d#char=0,9": 1}})
    >>> settled(choose_measures(None, convention), places, convention)
    (SpanR@5,)
    >>> settled(choose_measures("RR", convention), places, convention)
    (RR,)
    """
    if (
        not isinstance(measures, Defaults)
        or any(measure.declaration.judgments == "spans" for measure in measures)
        or not has_places(judgments)
    ):
        return tuple(measures)
    of_places = parse_measures(_OF_PLACES if len(measures) > 1 else _OF_PLACES[:1])
    verified = [
        measure
        for measure in of_places
        if all(is_verified(measure, convention) for convention in conventions)
    ]
    return tuple(verified or measures)


def has_places(judgments: object) -> bool:
    """Return whether the judged documents are places in texts; also false if that is unknown.

    Examples
    --------
    >>> from gainful.data import Qrels
    >>> has_places(Qrels({"q": {"d#char=0,9": 1}})), has_places(Qrels({"q": {"d": 1}}))
    (True, False)
    """
    rows: Any = getattr(judgments, "_rows", None)
    if not hasattr(rows, "at_least"):
        return False
    first = rows.to_dict(1)
    if not any(first.values()):
        # The first query has no documents.
        first = rows.to_dict()
    for documents in first.values():
        for name, value in documents.items():
            # Groups have their documents.
            return any(map(_is_place, value if isinstance(value, dict) else [name]))
    return False


def _is_place(document: object) -> bool:
    _, mark, fragment = str(document).rpartition("#")
    return bool(mark) and fragment.partition("=")[0] in ("char", "token", "line")


if TYPE_CHECKING:

    @overload
    def judgments_for(
        measures: Iterable[Measure],
        qrels: QrelsLike,
        *,
        on_disk: Literal[False] = False,
        **options: Any,
    ) -> Qrels: ...

    @overload
    def judgments_for(
        measures: Iterable[Measure], qrels: QrelsLike, *, on_disk: bool, **options: Any
    ) -> Qrels | DiskQrels: ...


def judgments_for(
    measures: Iterable[Measure], qrels: QrelsLike, *, on_disk: bool = False, **options: Any
) -> Qrels | DiskQrels:
    """Return judgments, with the subtopics, groups or strata that a measure needs.

    Examples
    --------
    >>> from gainful.measures import AP_JG, alpha_nDCG, nDCG
    >>> rows = [("q1", "1", "d1", 1), ("q1", "2", "d1", 0)]
    >>> judgments_for([alpha_nDCG @ 10], rows).has_subtopics
    True
    >>> judgments_for([nDCG @ 10], "qrels.txt").has_subtopics
    False
    >>> judgments_for([alpha_nDCG @ 10], "qrels.txt")
    Traceback (most recent call last):
    ...
    gainful.errors.MeasureError: alpha_nDCG@10: found only the subtopic...
    """
    if isinstance(qrels, Qrels) or (on_disk and isinstance(qrels, DiskQrels)):
        return qrels
    read: Callable[..., Qrels | DiskQrels] = load_judgments if on_disk else Qrels
    needed = {measure.declaration.judgments: measure for measure in measures}
    if not needed.keys() & {"subtopics", "groups", "strata"}:
        if needed.keys() & {"alternatives", "spans"}:
            return _read_groups(read, qrels, options)
        judged = read(qrels, **options)
        # The defaults become measures of spans, which need the groups.
        if isinstance(measures, Defaults) and has_places(judged):
            return _read_groups(read, qrels, options)
        return judged
    judged = read(qrels, subtopics=True, **options)
    names = kernel_rows(judged).label_names()
    if "subtopics" in needed and len(names) == 1:
        raise MeasureError(
            where=repr(needed["subtopics"]),
            found=f"only the subtopic {names[0]!r} in the judgments",
            expected="judgments of several subtopics",
            hint="the column may not contain subtopics; if there is really only one, use"
            " read_qrels(..., subtopics=True)",
        )
    return judged


def _read_groups(
    read: Callable[..., Qrels | DiskQrels], qrels: QrelsLike, options: Mapping[str, Any]
) -> Qrels | DiskQrels:
    """Read judgments with their groups, if they have a column or a level of groups."""
    if _may_have_groups(qrels):
        try:
            return read(qrels, subtopics=True, **options)
        except GainfulError:
            # Without groups, or faulty, which the second reading reports.
            pass
    return read(qrels, **options)


def _may_have_groups(qrels: QrelsLike) -> bool:
    """Return whether judgments can be read twice, and are not TREC text.

    The second column of TREC text is rarely a group: it is 0, or the number of a round.
    """
    if isinstance(qrels, (str, PathLike)):
        path = fspath(qrels)
        try:
            return path != "-" and _kernel.detect(path, "qrels") != "trec"
        except GainfulError:
            return False
    return hasattr(qrels, "__len__") and not hasattr(qrels, "__next__")


def add_input_context(error: GainfulError, where: str, role: str) -> GainfulError:
    """Return the error with the name of its input, unless it has one already."""
    is_named = error.file is not None or (error.where is not None and error.role is not None)
    return (error if is_named else error.inside(where)).replace(role=error.role or role)


def add_convention_context(error: GainfulError, convention: Convention) -> GainfulError:
    """Return the error with the convention's name if it comes from the convention.

    The default convention is named only if it was changed.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.errors import TieError
    >>> print(add_convention_context(TieError(query="q1", found="equal scores"), get("ndeval")))
    under ndeval-4.5, query 'q1': equal scores
    """
    from_policy = error.policy is not None or isinstance(error, (ConventionError, TieError))
    if convention.label == "gainful-1" or not from_policy:
        return error
    return error.inside(f"under {convention.label}")
