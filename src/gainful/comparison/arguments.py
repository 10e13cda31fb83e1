"""Check the runs, baselines and query attributes of a comparison."""

from __future__ import annotations

from gainful.data.coercion import run_name
from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison.choices import Choices
    from gainful.comparison.scores import Scores

__all__ = [
    "check_baselines",
    "check_systems",
    "check_tests",
    "list_couples",
]


def check_systems(systems: Sequence[str]) -> None:
    """Reject fewer than two systems, and duplicate names."""
    if len(systems) < 2:
        raise ParameterError(
            where="runs", found=f"{len(systems)} run{'' if systems else 's'}", expected="at least 2"
        )
    for index, system in enumerate(systems):
        if system in systems[:index]:
            raise ParameterError(f"two runs have the name {system!r}", where="runs")


def check_baselines(
    baseline: str | Sequence[str] | None, systems: Sequence[str]
) -> tuple[str, ...]:
    """Return the named baselines without duplicates; each must be a system."""
    if baseline is None:
        return ()
    listed = [baseline] if isinstance(baseline, str) else baseline
    if not isinstance(listed, (list, tuple)) or not all(
        isinstance(baseline, str) for baseline in listed
    ):
        raise ArgumentError(
            where="baseline", found=repr(baseline), expected="one or several names of systems"
        )
    named = tuple(dict.fromkeys(listed))
    for name in named:
        if name not in systems:
            from difflib import get_close_matches

            # A file named like one of the runs probably means that run.
            meant = run_name(name)
            close = [meant] if meant in systems else get_close_matches(name, systems, n=1)
            raise ParameterError(
                where="baseline",
                found=repr(name),
                expected=f"one of {', '.join(systems)}",
                hint=f"did you mean {close[0]}?" if close else None,
            )
    return named


def list_couples(systems: Sequence[str], baselines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the indices of the systems to compare: (system, baseline)."""
    if not baselines:
        return [
            (later, one) for one in range(len(systems)) for later in range(one + 1, len(systems))
        ]
    couples = []
    for name in baselines:
        base = systems.index(name)
        for index, system in enumerate(systems):
            # Compare two baselines with each other only once.
            earlier = system in baselines and baselines.index(system) < baselines.index(name)
            if index != base and not earlier:
                couples.append((index, base))
    return couples


def check_correction(choices: Choices, baselines: Sequence[str]) -> None:
    """Reject corrections for all pairs if systems are compared with baselines."""
    if choices.correction == "tukey" and baselines:
        raise ParameterError(
            where="correction",
            found="tukey with a baseline",
            expected="holm or max-t",
            hint="randomized Tukey HSD compares all pairs",
        )


def check_tests(choices: Choices, scores: Scores) -> None:
    """Reject tests that ignore weights and clusters if the queries have them."""
    for test in choices.tests:
        uneven = "weights" if scores.weights is not None else "clusters"
        if scores.weights is not None or scores.clusters is not None:
            raise ParameterError(
                f"{test} requires independent queries with equal weights, but there are {uneven}",
                where="tests",
            )
