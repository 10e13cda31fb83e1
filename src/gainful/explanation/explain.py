"""explain(): one query of a run, taken apart."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.coercion import as_run
from gainful.data.corpus import read_documents, read_queries
from gainful.errors import GainfulError, MatchError
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.judgments import judgments_for
from gainful.explanation.account import Explanation, checked_depth, explanation_of
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.corpus import TextsLike
    from gainful.data.inputs import QrelsLike, RunLike

# Names among which a close one is looked for; more would take seconds.
_MOST_NAMES = 20_000


def explain(
    qrels: QrelsLike,
    run: RunLike,
    query: str | int,
    measure: Measure | str | None = None,
    *,
    convention: Convention | str = "gainful-1",
    docs: TextsLike | None = None,
    queries: TextsLike | None = None,
    depth: int | None = None,
) -> Explanation:
    """Explain one query's number: what each rank adds, and what the ideal ranking would add there.

    Parameters
    ----------
    qrels, run
        Judgments and ranking, everything that `evaluate` takes.
    query : str or int
        The id of the query. `worst_query` finds the one with the lowest value.
    measure : Measure or str, optional
        nDCG, DCG, IDCG and CG are taken apart term by term; P, AP, RR and all others that look at
        ranks are followed rank by rank. Default: nDCG@10, or what the convention is verified
        for.
    convention : Convention or str
        The policies, or the name of a preset.
    docs, queries : path or mapping, optional
        Titles and texts of the documents, and what was searched for:
        `gainful.data.corpus.read_documents` and `read_queries` say what they can be.
    depth : int, optional
        Ranks to list; without it those down to the cutoff, and of a measure without a cutoff the
        first 1,000.

    Returns
    -------
    Explanation
        The account; its `value`, `dcg` and `idcg` are bit for bit those of `evaluate`.

    Raises
    ------
    MatchError
        For a query that is not judged, or that the run lacks where the convention does not count
        such queries.
    MeasureError
        For a measure that no rank adds to: NumQ, NumRet, NumRel, Utility, Prefs, NumPrefs.
    GainfulError
        For whatever cannot be read or measured.

    Examples
    --------
    >>> import gainful
    >>> lentils = gainful.explain("qrels.txt", "bm25.run", "q1", docs="docs.jsonl")
    >>> costliest = lentils.misplaced[0]
    >>> lentils.texts[costliest.document].title, costliest.rank, costliest.ideal_rank
    ('Red lentil dal', 5, 2)
    >>> round(costliest.cost, 4)
    0.4882
    """
    policies = get(convention)
    asked = choose_measure(measure, policies)
    held = judgments_for([asked], qrels, duplicates=policies.duplicates)
    judged = held._rows
    ranked = as_run(run, duplicates="count", judgments=held)._rows
    name = str(query)
    kernel = (repr(asked), *asked.spec(policies))
    try:
        account = _kernel.explain(
            judged, ranked, name, policies.spec(), kernel, depth=checked_depth(depth)
        )
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    if account is None:
        raise _not_judged(name, judged.query_ids(), name in ranked)
    if name not in ranked and policies.missing != "empty":
        raise MatchError(
            query=name,
            found="no ranking in the run",
            expected=f"a query of the run, since the convention has missing={policies.missing}",
            hint="missing=empty measures it as an empty ranking",
        )
    explained = explanation_of(account, asked, policies, query=name)
    return _with_texts(explained, docs, queries)


def _not_judged(query: str, judged: list[str], in_run: bool) -> MatchError:
    close = get_close_matches(query, judged[:_MOST_NAMES], n=3, cutoff=0.5)
    shown = close or judged[:3]
    return MatchError(
        query=query,
        found="no judgments for it, although the run has it" if in_run else "no such query",
        expected=f"one of the {len(judged)} judged queries",
        hint=f"{'close ids are' if close else 'these begin with'} {', '.join(shown)}",
    )


def _with_texts(
    explained: Explanation, docs: TextsLike | None, queries: TextsLike | None
) -> Explanation:
    """Put titles beside the ids, and the words of the query at the head."""
    notes: list[str] = []
    if queries is not None:
        asked = read_queries(queries, [explained.query]).found.get(explained.query)
        if asked is None:
            notes.append("The query's text is not in the file of queries.")
        else:
            explained = replace(explained, query_text=asked.snippet)
    if docs is not None:
        ids = {each.document for each in explained.documents}
        for each in explained.ranks:
            ids.update(name for name in (each.document, each.ideal_document) if name is not None)
        texts = read_documents(docs, ids)
        missing = len(ids) - len(texts.found.keys() & ids)
        if missing:
            notes.append(f"{missing} of the {len(ids)} documents have no text in the collection.")
        if texts.duplicates:
            verb = "repeats" if texts.duplicates == 1 else "repeat"
            notes.append(f"{texts.duplicates} of the texts {verb} an id; the first is shown.")
        explained = replace(explained, texts=texts.found)
    return replace(explained, notes=(*explained.notes, *notes)) if notes else explained
