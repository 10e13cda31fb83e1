"""Read systems and judgments, and compute the effects of labels."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention
from gainful.data import Qrels
from gainful.errors import ConventionError, GainfulError
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.loaded import LoadedInputs
from gainful.threads import thread_count
from gainful.unjudged.effects import Effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gainful.data import Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

__all__ = ["load_effects"]

#: Default depth for a measure without a cutoff.
DEPTH = 100


def load_effects(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: tuple[Measure],
    policies: Convention,
    *,
    weights: Mapping[str, float] | None,
    depth: int | None,
    scale: Iterable[float] | None,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[LoadedInputs, Evaluation, Effects, int]:
    """Return the inputs, their evaluation with bounds, the effects of labels, and the depth.

    Parameters
    ----------
    qrels, runs, weights, depth, scale, threads, progress
        As for `gainful.find_unjudged`.
    measures : tuple of Measure
        The measure.
    policies : Convention
        The convention.
    """
    try:
        loaded = LoadedInputs(
            qrels, None, runs, measures, [policies], threads=threads, progress=progress
        )
        bounded = evaluate_runs(
            *(loaded.qrels, loaded.runs, measures, policies),
            weights=weights,
            bounds="cutoff",
            scale=scale,
            threads=threads,
        )
        depth = depth or bounded.resolved[0].cutoff or DEPTH
        ranks = _find_ranks(loaded.qrels, loaded.runs, policies, depth, threads)
        # The summaries refuse queries without a weight.
        for system in bounded.systems:
            bounded.summary(measures[0], system)
        below = _fill_below(loaded, bounded, ranks, threads)
        cutoff = bounded.resolved[0].cutoff
        affects_ideal_alone = cutoff is not None and depth >= cutoff
        effects = Effects(
            *(loaded.qrels, loaded.runs, bounded, ranks, threads, weights),
            filled=below if affects_ideal_alone else None,
            depth=depth if below and not affects_ideal_alone else None,
        )
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    _check_means(effects, policies)
    return loaded, bounded, effects, depth


def _find_ranks(
    qrels: object,
    runs: Mapping[str, Run],
    policies: Convention,
    depth: int | None,
    threads: int | None,
) -> dict[str, dict[str, dict[str, int]]]:
    """Return the ranks of unjudged documents by query, document and system."""
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    for name, run in runs.items():
        found = _kernel.unjudged_documents(
            qrels._rows,  # type: ignore[attr-defined]
            run._rows,
            policies.spec(),
            depth,
            threads=thread_count(threads),
        )
        for query, documents in found:
            for document, rank in documents:
                ranks.setdefault(query, {}).setdefault(document, {})[name] = rank
    return ranks


def _fill_below(
    loaded: LoadedInputs,
    evaluation: Evaluation,
    ranks: Mapping[str, Mapping[str, object]],
    threads: int | None,
) -> Qrels | None:
    """Return the judgments with the highest gain for all unjudged documents below the depth."""
    resolved = evaluation.resolved[0]
    gain = resolved.params.get("gain")
    pairs = gain if isinstance(gain, tuple) else ()
    gains = {pair[0]: pair[1] for pair in pairs if isinstance(pair, tuple)}
    best = max(evaluation.scale or (0.0,), key=lambda grade: gains.get(grade, grade))
    unjudged = _find_ranks(loaded.qrels, loaded.runs, evaluation.convention, None, threads)
    below = {
        query: dict.fromkeys(documents.keys() - ranks.get(query, {}).keys(), best)
        for query, documents in unjudged.items()
    }
    filled = {query: {**loaded.qrels[query], **labels} for query, labels in below.items() if labels}
    return Qrels(filled) if filled else None


def _check_means(effects: Effects, policies: Convention) -> None:
    """Reject undefined means, and queries that count only under some labels."""
    for system in effects.systems:
        if effects.value(system) != effects.value(system):
            raise ConventionError(
                where=system,
                found=f"a mean of NaN, with no_relevant={policies.no_relevant}",
                expected="a convention under which the mean is defined",
                hint="set no_relevant=0 or no_relevant=skip",
            )
    query = effects.absent
    if query is None:
        return
    raise ConventionError(
        where=f"query {query!r}",
        found=f"no relevant documents with no_relevant={policies.no_relevant}, but unjudged ones",
        expected="a convention under which the query counts",
        hint="whether it counts would depend on the labels; set no_relevant=0",
    )
