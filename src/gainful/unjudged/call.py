"""Find unjudged documents whose labels could reverse the order of systems."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from gainful.conventions import Convention, get
from gainful.data.corpus import read_documents, read_queries
from gainful.errors import MeasureError, ParameterError
from gainful.evaluation.arguments import check_incomplete
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.parameters import OPTIONAL_COUNT
from gainful.progress import Bar, show_progress
from gainful.records import Interval
from gainful.unjudged.differences import LabeledPair
from gainful.unjudged.effects import load_effects
from gainful.unjudged.result import (
    NEAR,
    BoundedMean,
    ContestedPair,
    SystemMean,
    Unjudged,
    UnjudgedDocument,
    UnjudgedSlice,
)
from gainful.unjudged.samples import sample_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Unpack

    from gainful.data import Run
    from gainful.data.corpus import TextsLike
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.call import LoadedInputs
    from gainful.evaluation.query_groups import By
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords
    from gainful.unjudged.differences import Label
    from gainful.unjudged.effects import Effects

    #: The change of a difference by some labels, and the labels.
    LabelChange = tuple[float, list[Label]]

__all__ = ["find_unjudged"]


def list_pairs(effects: Effects, baseline: str | None) -> list[tuple[str, str]]:
    """Return the pairs: all vs. the baseline, or each vs. the next by mean."""
    if baseline is not None:
        if baseline not in effects.systems:
            return []
        return [(system, baseline) for system in effects.systems if system != baseline]
    return list(pairwise(sorted(effects.systems, key=effects.value, reverse=True)))


def check_reversal(
    loaded: LoadedInputs, effects: Effects, system: str, baseline: str, threads: int | None
) -> ContestedPair:
    """Search for labels that reverse the order of two systems.

    A query with few labelings gets the most adverse one. In other queries, each document gets the
    label that is most adverse on its own. The systems are evaluated with all these labels. A binary
    search then finds how many of them, the most effective first, reverse the order. If all queries
    have few labelings, the minimum number is computed instead.
    """
    difference = effects.difference(system, baseline)
    limits = [effects.limits(system, baseline, query) for query in effects.queries()]
    low, high = (difference + sum(ends[side] for ends in limits) for side in (0, 1))
    sign = -1.0 if difference < 0 else 1.0
    changes = _list_changes(effects, system, baseline, sign)
    labeled = LabeledPair(loaded, effects, system, baseline, threads)

    def labeled_difference(most: int) -> float:
        return labeled.difference(label for _, labels in changes[:most] for label in labels)

    worst = labeled_difference(len(changes))
    labels, is_minimum = None, False
    if sign * worst < -NEAR:
        least = bisect_left(
            range(len(changes)),
            True,
            lo=1,
            key=lambda most: sign * labeled_difference(most) < -NEAR,
        )
        labels = sum(len(query) for _, query in changes[:least])
        fewest = _count_fewest(effects, system, baseline, labels)
        labels, is_minimum = (labels, labels == 1) if fewest is None else (fewest, True)
    return ContestedPair(
        system=system,
        baseline=baseline,
        difference=difference,
        interval=Interval(low, high),
        worst=worst,
        labels=labels,
        is_minimum=is_minimum,
        depth=effects.depth,
    )


def _count_fewest(effects: Effects, system: str, baseline: str, most: int) -> int | None:
    """Return the minimum number of labels that reverse the order; None if unknown.

    It is known if all labelings of each query are enumerated. Then the most adverse change by at
    most n labels of one query is known, and that by at most n labels of all queries follows by
    adding queries one at a time.
    """
    import numpy as np

    difference = effects.difference(system, baseline)
    sign = -1.0 if difference < 0 else 1.0
    # By number of labels, the lowest difference.
    lowest = np.full(most + 1, abs(difference))
    for query in effects.places:
        every = effects.joint_changes(system, baseline, query)
        if every is None:
            if query in effects.common(system, baseline):
                return None
            continue
        counts = effects.count_labels(query)
        costs = np.zeros(counts.max() + 1)
        np.minimum.at(costs, counts, sign * every)
        costs = np.minimum.accumulate(costs)
        before = lowest.copy()
        for number in range(1, min(len(costs), most + 1)):
            lowest[number:] = np.minimum(lowest[number:], before[:-number] + costs[number])
    reversing = np.flatnonzero(lowest < -NEAR)
    return int(reversing[0]) if len(reversing) else None


def _list_changes(effects: Effects, system: str, baseline: str, sign: float) -> list[LabelChange]:
    """Return the labels that change the difference adversely, most effective first."""
    alone = sign * effects.changes(system, baseline)
    changes: list[LabelChange] = []
    for query, places in effects.places.items():
        every = effects.joint_changes(system, baseline, query)
        if every is not None:
            best = int((sign * every).argmin())
            changes.append((float(sign * every[best]), effects.labels(query, best)))
            continue
        for place in range(places.start, places.stop):
            best = int(alone[place].argmin())
            label = (query, effects.candidates[place][1], effects.grades[best])
            changes.append((float(alone[place, best]), [label]))
    return sorted((change for change in changes if change[0] < 0), key=lambda bound: bound[0])


@show_progress(Bar)
@suggest_keywords
def find_unjudged(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run],
    measure: Measure | str | None = None,
    *,
    baseline: str | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    by: By | None = None,
    depth: int | None = None,
    scale: Iterable[float] | None = None,
    prior: str | Mapping[float, float] | None = None,
    samples: int = 1_000,
    seed: int = 0,
    docs: TextsLike | None = None,
    queries: TextsLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Unjudged:
    """Find unjudged documents whose labels could reverse the order of systems.

    Each document gets every grade of the scale in turn, and the measure is recomputed with its
    ideal. The value of a document is the resulting change of the difference between two systems.
    Pairs whose order labels could reverse come first.

    Parameters
    ----------
    qrels
        The judgments, as for `gainful.evaluate`.
    runs : mapping of str to run, or sequence of paths and `Run`
        The systems. With a single one, the value of a document is the change of its mean.
    measure : Measure or str, optional
        A measure with bounds. Default: nDCG@10, or what the convention is verified for.
    baseline : str, optional
        The system that the others are compared with. Default: each is compared with the next by
        mean.
    convention : Convention or str
        The policies, or the name of a preset.
    weights, by
        As for `gainful.compare`: the means and differences are weighted, and the systems and their
        pairs are also shown for each slice of the queries. There are no clusters, because bounds
        over labels do not depend on how the queries were sampled.
    depth : int, optional
        Unjudged documents up to this rank are labeled. Default: the measure's cutoff, or 100. All
        others count as not relevant.
    scale : iterable of float, optional
        The possible grades of a document. Default: 0 and the grades of the judgments.
    prior : {"run", "pool"} or mapping of float to float, optional
        Also sample labels, as `sample_labels` does with this prior, `samples` and `seed`.
    docs, queries : path or mapping, optional
        Titles and texts of the documents, and texts of the queries. For the accepted formats see
        `gainful.data.corpus.read_documents` and `read_queries`.
    threads, progress
        As for `gainful.evaluate`.
    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Unjudged
        The documents by descending value, and the pairs of systems.

    Raises
    ------
    GainfulError
        As for `gainful.evaluate` with bounds.

    References
    ----------
    B. Carterette, J. Allan, R. Sitaraman: Minimal Test Collections for Retrieval Evaluation. SIGIR
    2006 (the value of a document).

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old = {"q1": ["a", "x"], "q2": ["c", "b"]}
    >>> new = {"q1": ["y", "a"], "q2": ["b", "c"]}
    >>> found = gainful.find_unjudged(qrels, {"old": old, "new": new}, "P@1")
    >>> [(each.query, each.document, each.value) for each in found]
    [('q1', 'y', 0.5), ('q2', 'c', 0.5)]
    """
    from gainful.data.named_runs import runs_by_name
    from gainful.evaluation.query_groups import read_query_groups

    rules = get(convention, **policies)
    check_incomplete(rules)
    chosen = (choose_measure(measure, rules),)
    if chosen[0].aggregate == "geometric":
        raise MeasureError(
            where=repr(chosen[0]),
            found="a geometric mean over queries",
            expected="a measure whose differences add up over queries",
            hint="use AP instead of GMAP",
        )
    depth = OPTIONAL_COUNT.check(depth, "depth")
    groups = read_query_groups(weights=weights, by=by)
    named = runs_by_name(runs)
    if baseline is not None and baseline not in named:
        raise ParameterError(
            where="baseline", found=repr(baseline), expected=f"one of {', '.join(named)}"
        )
    loaded, bounded, effects, depth = load_effects(
        qrels,
        named,
        chosen,
        rules,
        weights=groups.weights,
        depth=depth,
        scale=scale,
        threads=threads,
        progress=progress,
    )
    contests = _check_pairs(loaded, effects, baseline, threads)
    slices = {}
    for name, chosen_queries in groups.slice_queries(effects.queries()).items():
        within = effects.within(chosen_queries)
        if within.systems:
            slices[name] = UnjudgedSlice(
                systems={
                    system: BoundedMean(
                        value=within.value(system),
                        interval=Interval(*within.bounds(system)),
                        n=within.count(system),
                    )
                    for system in within.systems
                },
                contests=_check_pairs(loaded, within, baseline, threads),
            )
    drawn = None
    if prior is not None:
        drawn = sample_labels(
            loaded.qrels,
            runs=loaded.runs,
            measures=chosen,
            convention=rules,
            prior=prior,
            samples=samples,
            seed=seed,
            weights=groups.weights,
            threads=threads,
        )
    documents = _sort_documents(effects, contests)
    if docs is not None or queries is not None:
        documents = _add_texts(documents, docs, queries)
    return Unjudged(
        evaluation=bounded,
        depth=depth,
        systems={
            system: SystemMean(
                value=summary.value,
                interval=Interval(*effects.bounds(system)),
                n=summary.n,
                judged=summary.judged,
            )
            for system in effects.systems
            for summary in (bounded.summary(chosen[0], system),)
        },
        documents=tuple(documents),
        contests=contests,
        samples=drawn,
        slices=slices or None,
        attribute=groups.attribute,
    )


def _check_pairs(
    loaded: LoadedInputs, effects: Effects, baseline: str | None, threads: int | None
) -> tuple[ContestedPair, ...]:
    return tuple(
        check_reversal(loaded, effects, system, other, threads)
        for system, other in list_pairs(effects, baseline)
    )


def _sort_documents(
    effects: Effects, contests: tuple[ContestedPair, ...]
) -> list[UnjudgedDocument]:
    """Return the documents by descending value.

    Only pairs whose order is not settled count, if there are any. Ties are broken by the number of
    systems that retrieved the document, its best rank, and the ids.
    """
    import numpy as np

    undecided = [contest for contest in contests if contest.verdict != "settled"]
    pairs: list[tuple[str, str | None]] = [
        (contest.system, contest.baseline) for contest in undecided or contests
    ]
    pairs = pairs or [(effects.systems[0], None)]
    impacts = np.array([effects.impacts(system, other) for system, other in pairs])
    most = impacts.argmax(axis=0)
    documents = [
        UnjudgedDocument(
            query=query,
            document=document,
            value=float(impacts[place, n]),
            system=pairs[place][0],
            baseline=pairs[place][1],
            ranks=ranks,
        )
        for n, ((query, document, ranks), place) in enumerate(
            zip(effects.candidates, most, strict=True)
        )
    ]
    documents.sort(
        key=lambda bound: (
            -round(bound.value, 12),
            -len(bound.ranks),
            min(bound.ranks.values()),
            bound.query.encode("utf-8", "surrogateescape"),
            bound.document.encode("utf-8", "surrogateescape"),
        )
    )
    return documents


def _add_texts(
    documents: list[UnjudgedDocument], docs: TextsLike | None, queries: TextsLike | None
) -> list[UnjudgedDocument]:
    texts = {}
    query_texts = {}
    if docs is not None:
        texts = read_documents(docs, {document.document for document in documents}).found
    if queries is not None:
        query_texts = read_queries(queries, {document.query for document in documents}).found
    with_texts = []
    for entry in documents:
        text, query_text = texts.get(entry.document), query_texts.get(entry.query)
        with_texts.append(
            entry.replace(
                title=text.title if text else None,
                text=text.text if text else None,
                query_text=query_text.text if query_text else None,
            )
        )
    return with_texts
