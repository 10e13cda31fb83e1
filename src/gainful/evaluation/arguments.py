"""Check the arguments of an evaluation."""

from __future__ import annotations

from gainful.errors import ArgumentError, ConventionError, ParameterError
from gainful.quoting import shown
from gainful.vocabulary import BOUNDED_LABELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gainful.conventions import Convention
    from gainful.data.inputs import RunLike
    from gainful.data.named_runs import Runs

#: The default measures.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def named_runs(
    run: RunLike | Runs | None,
    runs: Runs | None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, RunLike]:
    """Return the runs of a call by name.

    Raises
    ------
    ArgumentError, ParameterError
        For no run, or for both `run` and `runs`.
    """
    from gainful.data.coercion import run_name
    from gainful.data.named_runs import (
        DefaultName,
        has_several_runs,
        runs_by_name,
        split_systems,
    )

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
    """Return checked weights as floats by query id.

    Raises
    ------
    ArgumentError, ParameterError
        For anything but a mapping, or a weight that is not finite, negative or too large.
    """
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
