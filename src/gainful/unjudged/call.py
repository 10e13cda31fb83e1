"""Find unjudged documents whose labels could reverse the order of systems."""

from __future__ import annotations

from gainful.conventions import Convention, get
from gainful.data.corpus import read_documents, read_queries
from gainful.errors import MeasureError, ParameterError
from gainful.evaluation.arguments import check_incomplete
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.progress import Bar, show_progress
from gainful.records import Interval
from gainful.unjudged.contests import check_reversal, list_pairs
from gainful.unjudged.loading import load_effects
from gainful.unjudged.result import (
    BoundedMean,
    Contest,
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
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation.loaded import LoadedInputs
    from gainful.evaluation.slices import By
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords
    from gainful.unjudged.effects import Effects

__all__ = ["find_unjudged"]


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
    if depth is not None and (type(depth) is not int or depth < 1):
        raise ParameterError(where="depth", found=repr(depth), expected="an integer of 1 or more")
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
        own = effects.within(chosen_queries)
        if own.systems:
            slices[name] = UnjudgedSlice(
                systems={
                    system: BoundedMean(
                        value=own.value(system),
                        interval=Interval(*own.bounds(system)),
                        n=own.count(system),
                    )
                    for system in own.systems
                },
                contests=_check_pairs(loaded, own, baseline, threads),
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
) -> tuple[Contest, ...]:
    return tuple(
        check_reversal(loaded.qrels, loaded.runs, effects, system, other, threads)
        for system, other in list_pairs(effects, baseline)
    )


def _sort_documents(effects: Effects, contests: tuple[Contest, ...]) -> list[UnjudgedDocument]:
    """Return the documents by descending value.

    Only pairs whose order is not settled count, if there are any. Ties are broken by the number of
    systems that retrieved the document, its best rank, and the ids.
    """
    import numpy as np

    undecided = [each for each in contests if each.verdict != "settled"]
    pairs: list[tuple[str, str | None]] = [
        (each.system, each.baseline) for each in undecided or contests
    ]
    pairs = pairs or [(effects.systems[0], None)]
    impacts = np.array([effects.impacts(system, other) for system, other in pairs])
    most = impacts.argmax(axis=0)
    found = [
        UnjudgedDocument(
            query=query,
            document=document,
            value=float(impacts[at, n]),
            system=pairs[at][0],
            baseline=pairs[at][1],
            ranks=ranks,
        )
        for n, ((query, document, ranks), at) in enumerate(
            zip(effects.candidates, most, strict=True)
        )
    ]
    found.sort(
        key=lambda each: (
            -round(each.value, 12),
            -len(each.ranks),
            min(each.ranks.values()),
            each.query.encode("utf-8", "surrogateescape"),
            each.document.encode("utf-8", "surrogateescape"),
        )
    )
    return found


def _add_texts(
    documents: list[UnjudgedDocument], docs: TextsLike | None, queries: TextsLike | None
) -> list[UnjudgedDocument]:
    texts = {}
    query_texts = {}
    if docs is not None:
        texts = read_documents(docs, {each.document for each in documents}).found
    if queries is not None:
        query_texts = read_queries(queries, {each.query for each in documents}).found
    with_texts = []
    for each in documents:
        text, query_text = texts.get(each.document), query_texts.get(each.query)
        with_texts.append(
            each.replace(
                title=text.title if text else None,
                text=text.text if text else None,
                query_text=query_text.text if query_text else None,
            )
        )
    return with_texts
