"""The call: from judgments and runs to what unjudged documents could change."""

from __future__ import annotations

from dataclasses import replace

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.corpus import read_documents, read_queries
from gainful.errors import ConventionError, GainfulError, MeasureError, ParameterError
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.loaded import LoadedInputs
from gainful.measures.choosing import choose_measure
from gainful.threads import thread_count
from gainful.unjudged.contests import contest, opponents
from gainful.unjudged.effects import Effects
from gainful.unjudged.result import Contest, Unjudged, UnjudgedDocument
from gainful.unjudged.samples import sample_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from gainful.data import Run
    from gainful.data.corpus import TextsLike
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure

__all__ = ["find_unjudged"]

#: How deep documents are looked for where neither the call nor the measure says it.
DEPTH = 100


def find_unjudged(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run],
    measure: Measure | str | None = None,
    *,
    baseline: str | None = None,
    convention: Convention | str = "gainful-1",
    depth: int | None = None,
    scale: Iterable[float] | None = None,
    prior: str | Mapping[float, float] | None = None,
    samples: int = 1_000,
    seed: int = 0,
    docs: TextsLike | None = None,
    queries: TextsLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Unjudged:
    """Find the documents that nobody judged, and which of them could decide who is ahead.

    Each document's label is tried alone, with every grade of the scale, and the measure computed
    anew with its ideal. Its value is how far that moves the difference of two systems: those whose
    order labels could turn come before those whose order is settled.

    Parameters
    ----------
    qrels
        The judgments, as `gainful.evaluate` takes them.
    runs : mapping of str to run, or sequence of paths and `Run`
        The systems. Of a single one the value of a document is how far it moves the mean.
    measure : Measure or str, optional
        One that has bounds. Default: nDCG@10, or what the convention is verified for.
    baseline : str, optional
        The system that the others are set beside; without it each beside the next in the order of
        means.
    convention : Convention or str
        The policies, or the name of a preset.
    depth : int, optional
        The documents down to this rank are looked at; without it those down to the measure's
        cutoff, and of a measure without a cutoff the first 100. All others are taken for not
        relevant.
    scale : iterable of float, optional
        The grades that a document may have; without it those that the judgments use, and 0.
    prior : {"run", "pool"} or mapping of float to float, optional
        Draw labels at random, too, as `sample_labels` does with this prior, `samples` and `seed`.
    docs, queries : path or mapping, optional
        Titles and texts of the documents, and what was searched for:
        `gainful.data.corpus.read_documents` and `read_queries` say what they can be.
    threads, progress
        As `gainful.evaluate` has them.

    Returns
    -------
    Unjudged
        The documents, the most valuable first, and the systems whose order depends on them.

    Raises
    ------
    GainfulError
        As `gainful.evaluate` with bounds.

    References
    ----------
    That a document is worth judging as far as it moves the difference of two systems is from B.
    Carterette, J. Allan, R. Sitaraman: Minimal Test Collections for Retrieval Evaluation. SIGIR
    2006.

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
    from gainful.comparison.arguments import runs_by_name

    policies = get(convention)
    chosen = (choose_measure(measure, policies),)
    if chosen[0].aggregate == "geometric":
        raise MeasureError(
            where=repr(chosen[0]),
            found="a geometric mean over queries",
            expected="a measure of which differences add up over queries",
            hint="AP is what GMAP is the mean of",
        )
    if depth is not None and (type(depth) is not int or depth < 1):
        raise ParameterError(where="depth", found=repr(depth), expected="a whole number, 1 or more")
    named = runs_by_name(runs)
    if baseline is not None and baseline not in named:
        raise ParameterError(
            where="baseline", found=repr(baseline), expected=f"one of {', '.join(named)}"
        )
    try:
        loaded = LoadedInputs(
            qrels, None, named, chosen, [policies], threads=threads, progress=progress
        )
        bounded = evaluate_runs(
            *(loaded.qrels, loaded.runs, chosen, policies),
            bounds="cutoff",
            scale=scale,
            threads=threads,
        )
        down_to = depth or bounded.resolved[0].cutoff or DEPTH
        ranks = _ranks(loaded.qrels, loaded.runs, policies, down_to, threads)
        effects = Effects(loaded.qrels, loaded.runs, bounded, ranks, threads)
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    _refuse_absent(effects, policies)
    contests = tuple(
        contest(loaded.qrels, loaded.runs, effects, system, other, threads)
        for system, other in opponents(effects, baseline)
    )
    drawn = None
    if prior is not None:
        drawn = sample_labels(
            loaded.qrels,
            runs=loaded.runs,
            measures=chosen,
            convention=policies,
            prior=prior,
            samples=samples,
            seed=seed,
            threads=threads,
        )
    documents = _in_order(effects, contests)
    if docs is not None or queries is not None:
        documents = _with_texts(documents, docs, queries)
    return Unjudged(bounded, down_to, tuple(documents), contests, effects.bounds, drawn)


def _ranks(
    qrels: object,
    runs: Mapping[str, Run],
    policies: Convention,
    depth: int,
    threads: int | None,
) -> dict[str, dict[str, dict[str, int]]]:
    """Return, by query and unjudged document, the rank at which each system has it."""
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


def _refuse_absent(effects: Effects, policies: Convention) -> None:
    """Refuse means that are none, and labels that decide whether a query counts at all."""
    for system in effects.systems:
        if effects.value(system) != effects.value(system):
            raise ConventionError(
                where=system,
                found=f"a mean of NaN, with no_relevant={policies.no_relevant}",
                expected="a convention under which there is a mean",
                hint="ask with no_relevant=0 or no_relevant=skip",
            )
    query = effects.absent
    if query is None:
        return
    raise ConventionError(
        where=f"query {query!r}",
        found=f"nothing relevant with no_relevant={policies.no_relevant}, and unjudged documents",
        expected="a convention under which the query counts",
        hint="whether it counts would depend on their labels; ask with no_relevant=0",
    )


def _in_order(effects: Effects, contests: tuple[Contest, ...]) -> list[UnjudgedDocument]:
    """Return the documents, the most valuable first.

    What could turn an order that is not settled goes first; of equal value is first what more
    systems retrieved, then what stands higher, then the lesser ids.
    """
    import numpy as np

    open_ones = [each for each in contests if each.verdict != "settled"]
    pairs: list[tuple[str, str | None]] = [
        (each.system, each.baseline) for each in open_ones or contests
    ]
    pairs = pairs or [(effects.systems[0], None)]
    swings = np.array([effects.swings(system, other) for system, other in pairs])
    most = swings.argmax(axis=0)
    found = [
        UnjudgedDocument(query, document, float(swings[at, n]), pairs[at][0], pairs[at][1], ranks)
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


def _with_texts(
    documents: list[UnjudgedDocument], docs: TextsLike | None, queries: TextsLike | None
) -> list[UnjudgedDocument]:
    texts = {}
    asked = {}
    if docs is not None:
        texts = read_documents(docs, {each.document for each in documents}).found
    if queries is not None:
        asked = read_queries(queries, {each.query for each in documents}).found
    told = []
    for each in documents:
        text, question = texts.get(each.document), asked.get(each.query)
        told.append(
            replace(
                each,
                title=text.title if text else None,
                text=text.text if text else None,
                asked=question.text if question else None,
            )
        )
    return told
