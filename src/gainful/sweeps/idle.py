"""Find the settings of a sweep without effect."""

from __future__ import annotations

from gainful.sweeps.points import format_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.sweeps.result import Sweep

__all__ = ["find_idle_settings"]


def find_idle_settings(sweep: Sweep) -> tuple[str, ...]:
    """Return the varied settings without effect on any answer.

    Points that differ in one setting alone are compared. A setting is idle if there are such points
    and all of them retrieved the same documents with the same scores.
    """
    digests = {name: run.digest for name, run in sweep.runs.items()}
    idle = []
    for setting in sweep.settings:
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for point in sweep.points:
            if setting in point.settings:
                others = tuple(
                    (name, format_value(value))
                    for name, value in point.settings.items()
                    if name != setting
                )
                groups.setdefault(others, []).append(digests[point.name])
        tried = [group for group in groups.values() if len(group) > 1]
        if tried and all(len(set(group)) == 1 for group in tried):
            idle.append(setting)
    return tuple(idle)
