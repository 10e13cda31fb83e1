"""The published scores of a suite: means by collection, their macro-averages, and notes."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.formats.table import Note
from gainful.published.scores import select_published
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.measures import Measure
    from gainful.suite.result import Suite

__all__ = ["PublishedMeans", "describe_published", "published_means"]


@dataclass(frozen=True, slots=True)
class PublishedMeans:
    """The published scores of one system under one convention.

    Attributes
    ----------
    system : str
        Its name.
    convention : str or None
        The convention; None if it is unknown.
    means : dict of str to float
        By collection.
    macro : float or None
        The mean over the averaged collections; None if a score is missing, or if scores relative
        to other systems are averaged.
    """

    system: str
    convention: str | None
    means: dict[str, float]
    macro: float | None

    @property
    def label(self) -> str:
        """The name in tables."""
        return f"{self.system} (published)"


def published_means(suite: Suite, measure: Measure) -> list[PublishedMeans]:
    """Return the published scores of a measure on the collections of a suite.

    Examples
    --------
    >>> import gainful
    >>> from gainful.published import PublishedScore
    >>> score = PublishedScore(
    ...     system="BM25", measure="ndcg_cut_10", mean=0.7, collection="help", convention="beir"
    ... )
    >>> suite = gainful.evaluate_suite("collections", published=[score])
    >>> published_means(suite, suite.measures[0])[0].means
    {'help': 0.7}
    """
    found: dict[tuple[str, str | None], dict[str, float]] = {}
    for score in select_published(suite.published, measure):
        if score.collection in suite.evaluations:
            own = found.setdefault((score.system, score.convention), {})
            own[str(score.collection)] = score.mean
    return [
        PublishedMeans(system, convention, means, _macro(suite, means))
        for (system, convention), means in found.items()
    ]


def _macro(suite: Suite, means: dict[str, float]) -> float | None:
    if suite.aggregate != "mean" or not all(name in means for name in suite.over):
        return None
    return sum(means[name] for name in suite.over) / len(suite.over)


def describe_published(suite: Suite) -> Iterator[Note]:
    """Yield notes about the published scores."""
    if not suite.published:
        return
    own = suite.convention.label
    shown = [each for measure in suite.measures for each in published_means(suite, measure)]
    if not shown:
        names = dict.fromkeys(score.collection or "no collection" for score in suite.published)
        yield Note(
            "published",
            f"No published score is of these measures and collections; they are of"
            f" {', '.join(names)}.",
        )
        return
    others = dict.fromkeys(
        f"{each.system} ({each.convention or 'unknown'})"
        for each in shown
        if each.convention != own
    )
    if others:
        known = next((each.convention for each in shown if each.convention not in (own, None)), "")
        rest = f" Use {refer('convention', known)} for comparable numbers." if known else ""
        yield Note("published", f"Published under another convention: {', '.join(others)}.{rest}")
    yield Note(
        "untested",
        "Published scores are means, without values by query, so they are not tested.",
        explains=True,
    )
