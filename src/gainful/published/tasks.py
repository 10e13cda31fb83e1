"""Published scores as a table of tasks and systems."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.measures import parse_measure
from gainful.published.scores import select_published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.published.scores import PublishedScore

__all__ = ["scores_by_task"]


def scores_by_task(
    scores: Sequence[PublishedScore], measure: str | None = None
) -> tuple[dict[str, dict[str, float]], str]:
    """Return the means of a measure by collection and system, and the measure.

    A system with scores under several conventions is one system for each of them.

    Raises
    ------
    ParameterError
        If there are no scores of the measure, or of several measures without a choice.
    """
    names = list(dict.fromkeys(score.measure for score in scores))
    if measure is None and len(names) != 1:
        raise ParameterError(
            where="measure",
            found=f"scores of {len(names)} measures",
            expected=f"one of {', '.join(names)}" if names else "one",
        )
    label = names[0] if measure is None else measure
    chosen = [score for score in scores if score.measure == label]
    if not chosen:
        chosen = list(select_published(scores, parse_measure(label)))
    if not chosen:
        raise ParameterError(
            where="measure",
            found=f"no published score of {label}",
            expected=f"one of {', '.join(names)}",
        )
    conventions: dict[str, set[str | None]] = {}
    for score in chosen:
        conventions.setdefault(score.system, set()).add(score.convention)
    found: dict[str, dict[str, float]] = {}
    for score in chosen:
        several = len(conventions[score.system]) > 1
        system = f"{score.system} ({score.convention or 'unknown'})" if several else score.system
        found.setdefault(score.collection or "no collection", {})[system] = score.mean
    return found, label
