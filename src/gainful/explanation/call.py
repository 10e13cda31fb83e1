"""Explain the score of one query of a run, by default of the query with the lowest score."""

from __future__ import annotations

from difflib import get_close_matches

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.coercion import one_ranking, run_input
from gainful.data.corpus import read_documents, read_queries
from gainful.data.table import kernel_rows
from gainful.errors import GainfulError, MatchError
from gainful.evaluation.arguments import add_convention_context, judgments_for, settled
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.own_values import own_values
from gainful.evaluation.selection import SelectedInputs
from gainful.explanation.data import FullRank, FullRanking
from gainful.explanation.result import Explanation, explanation_of
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure, choose_measures
from gainful.parameters import OPTIONAL_COUNT
from gainful.policies import sample_of
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from gainful.data import Qrels
    from gainful.data.corpus import TextsLike
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.selection import ClassesLike, Pairs
    from gainful.policies import PolicyKeywords

# Sums of gains are larger for queries with more relevant documents, so nDCG decides.
_SUMS = {"DCG", "IDCG", "CG"}

# Higher values of these mean that less is known about the ranking.
_HIGHER_IS_WORSE = {"Unjudged", "RBPResidual"}


@suggest_keywords
def worst_query(
    qrels: QrelsLike,
    run: RunLike,
    measure: Measure | str | None = None,
    *,
    convention: Convention | str = "gainful-1",
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
) -> str:
    """Return the id of the query with the lowest score.

    Ties are broken by the largest loss (IDCG - DCG), then by byte order. For DCG, IDCG and CG the
    nDCG with the same gain, discount and cutoff decides. For Unjudged and RBPResidual, return the
    query with the highest value. Queries without relevant documents are skipped, since no ranking
    can improve them.

    Parameters
    ----------
    qrels, run
        Judgments and ranking, as for `evaluate`.
    measure : Measure or str, optional
        The measure. Default: nDCG@10, or a measure that the convention is verified for.
    convention : Convention or str
        The policies, or the name of a preset.
    exclude, same
        Documents to leave out, and the classes of documents, as for `evaluate`.

    Raises
    ------
    MatchError
        If no query has relevant documents.
    GainfulError
        For input that cannot be read, matched or evaluated.

    Examples
    --------
    >>> worst_query("qrels.txt", "bm25.run")
    'q5'
    """
    policies = get(convention)
    chosen = choose_measure(measure, policies)
    deciding = _deciding(chosen, policies)
    complete = own_values([deciding], policies)
    judged = judgments_for([deciding], qrels, duplicates=policies.duplicates)
    try:
        if exclude is not None or same is not None:
            selected = SelectedInputs(judged, policies, exclude=exclude, same=same)
            judged, run = selected.judgments, selected.select("run", run)
        rows = kernel_rows(judged)
        source = run_input(run, judgments=judged, extra=policies.extra, order=policies.order)

        def evaluate(documents: bool) -> _kernel.Evaluated:
            return _kernel.evaluate(
                rows,
                source,
                policies.spec(),
                [(repr(deciding), *deciding.spec(policies, rows.grades))],
                threads=thread_count(None),
                rankings=complete is not None,
                ranked_documents=documents,
            )

        table = evaluate(False) if complete is None else complete(evaluate, source)
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    sign = -1 if chosen.family in _HIGHER_IS_WORSE else chosen.direction
    values = [sign * value for value in table.column(0)]
    losses = [0.0] * len(values)
    if deciding.family == "nDCG":
        losses = [idcg - dcg for dcg, idcg in zip(table.column(1), table.column(2), strict=True)]
    candidates = [
        (value, -loss, position)
        for position, (value, loss, flags) in enumerate(
            zip(values, losses, table.flags(0), strict=True)
        )
        if not flags
    ]
    if not candidates:
        raise MatchError(
            found=f"no query with relevant documents for {chosen!r}", expected="at least one"
        )
    return table.query_ids()[min(candidates)[2]]


def _deciding(measure: Measure, convention: Convention) -> Measure:
    """Return the measure that orders the queries: nDCG for a sum of gains."""
    if measure.family not in _SUMS:
        return measure
    resolved = measure.resolve(convention)
    parameters: dict[str, object] = dict(resolved.params)
    if measure.family == "CG":
        parameters["discount"] = "none"
    return Measure("nDCG", parameters, resolved.cutoff)


def _estimate_full_ranking(explanation: Explanation, judgments: Qrels) -> FullRanking | None:
    """Return an estimate for a ranking of all documents; None if their number is unknown.

    With n sampled documents of the M - R that are not relevant, and b of them above a relevant
    document, b (M - R) / n is an unbiased estimate of how many of all are above it. For one
    relevant document at rank r the estimated rank is 1 + (r - 1) (M - 1) / n.

    Walid Krichene and Steffen Rendle: On sampled metrics for item recommendation. KDD 2020. Dong
    Li, Ruoming Jin, Jing Gao and Zhi Liu: On sampling top-K recommendation evaluation. KDD 2020.
    """
    drawn, documents = sample_of(explanation.convention.candidates) or (0, None)
    if documents is None or kernel_rows(judgments).labelled:
        return None
    grades = judgments[explanation.query]
    relevant = {document for document, grade in grades.items() if grade > 0}
    retrieved = sorted(
        (document.rank, document.document)
        for document in explanation.documents
        if document.rank is not None and document.document in relevant
    )
    ranks = []
    for above, (rank, document) in enumerate(retrieved):
        others = rank - 1 - above
        full = 1 + above + others * max(documents - len(relevant), 0) / drawn
        ranks.append(FullRank(document=document, rank=rank, full_rank=full))
    return FullRanking(
        documents=documents,
        sampled=drawn,
        ranks=tuple(ranks),
        value=_value(explanation, ranks, grades),
    )


def _value(explanation: Explanation, ranks: list[FullRank], grades: Mapping[str, float]) -> float:
    """Return the measure of a ranking with relevant documents at their estimated ranks."""
    last = max((int(rank.full_rank) for rank in ranks), default=0)
    cutoff = explanation.resolved.cutoff
    depth = last if cutoff is None else min(last, cutoff)
    # No id of a document begins with a null byte.
    ranking = [f"\0{place}" for place in range(depth)]
    for rank in ranks:
        if rank.full_rank < depth + 1:
            ranking[int(rank.full_rank) - 1] = rank.document
    convention = explanation.convention.replace(order="given", ties="given", candidates="all")
    query = explanation.query
    runs = {"full": {query: ranking}}
    result = evaluate_runs({query: dict(grades)}, runs, [explanation.measure], convention)
    return next(iter(result.per_query().values()), float("nan"))


# Searching more names for close matches would take seconds.
_MOST_NAMES = 20_000


@suggest_keywords
def explain(
    qrels: QrelsLike,
    run: RunLike,
    query: str | int | Measure | None = None,
    measure: Measure | str | None = None,
    *,
    convention: Convention | str = "gainful-1",
    docs: TextsLike | None = None,
    queries: TextsLike | None = None,
    depth: int | None = None,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Explanation:
    """Explain one query's score: the contribution of each rank, and the ideal one.

    Parameters
    ----------
    qrels, run
        Judgments and ranking, as for `evaluate`.
    query : str or int, optional
        The id of the query. Default: `worst_query`, the one with the lowest value. A measure in its
        place is the measure, unless it is the id of a judged query.
    measure : Measure or str, optional
        nDCG, DCG, IDCG and CG are split into their terms; P, AP, RR and other measures of ranks
        are shown at each rank. Default: nDCG@10, or a measure that the convention is verified for.
    convention : Convention or str
        The policies, or the name of a preset.
    docs, queries : path or mapping, optional
        Titles and texts of the documents, and texts of the queries. For the accepted formats see
        `gainful.data.corpus.read_documents` and `read_queries`.
    depth : int, optional
        Number of ranks to list. Default: up to the cutoff, or 1,000 without a cutoff.
    exclude, same
        Documents to leave out, and the classes of documents, as for `evaluate`.
    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Explanation
        Its `value`, `dcg` and `idcg` are bit for bit those of `evaluate`.

    Raises
    ------
    MatchError
        For a query without judgments, or one that the run lacks and the convention excludes.
    MeasureError
        For a measure that is not a sum over ranks: NumQ, NumRet, NumRel, Utility, Prefs, NumPrefs.
    GainfulError
        For input that cannot be read or evaluated.

    Examples
    --------
    >>> import gainful
    >>> lentils = gainful.explain("qrels.txt", "bm25.run", "q1", docs="docs.jsonl")
    >>> costliest = lentils.misplaced[0]
    >>> lentils.texts[costliest.document].title, costliest.rank, costliest.ideal_rank
    ('Red lentil dal', 5, 2)
    >>> round(costliest.cost, 4)
    0.4882
    >>> gainful.explain("qrels.txt", "bm25.run", measure="AP").query
    'q5'
    """
    rules = get(convention, **policies)
    asked = choose_measures(None, rules) if measure is None else (choose_measure(measure, rules),)
    judgments = judgments_for(asked, qrels, duplicates=rules.duplicates)
    (chosen,) = settled(asked, judgments, rules)
    name = (
        worst_query(judgments, run, chosen, convention=rules, exclude=exclude, same=same)
        if query is None
        else str(query)
    )
    ranking = one_ranking(run, name, judgments=judgments)
    if measure is None and name not in judgments and name not in ranking:
        measure = _as_measure(query, rules)
        if measure is not None:
            return explain(
                qrels,
                run,
                None,
                measure,
                convention=rules,
                docs=docs,
                queries=queries,
                depth=depth,
                exclude=exclude,
                same=same,
            )
    if exclude is not None or same is not None:
        selected = SelectedInputs(judgments, rules, exclude=exclude, same=same)
        judgments, ranking = selected.judgments, selected.select(name, ranking)
    judged, ranked = kernel_rows(judgments), kernel_rows(ranking)
    kernel = (repr(chosen), *chosen.spec(rules, judged.grades))
    try:
        account = _kernel.explain(
            judged, ranked, name, rules.spec(), kernel, depth=OPTIONAL_COUNT.check(depth, "depth")
        )
    except GainfulError as error:
        raise add_convention_context(error, rules) from None
    if account is None:
        raise _not_judged(name, judged.query_ids(), name in ranked)
    if name not in ranked and rules.missing != "empty":
        raise MatchError(
            query=name,
            found="no ranking in the run",
            expected=f"a query of the run, because of missing={rules.missing}",
            hint="missing=empty scores it as an empty ranking",
        )
    explained = explanation_of(account, chosen, rules, query=name)
    complete = own_values([chosen], rules)
    if complete is not None:
        # The account has the ranking, and the function the value.
        def evaluate(documents: bool) -> _kernel.Evaluated:
            return _kernel.evaluate(
                judged.select([name]),
                ranked,
                rules.spec(),
                [kernel],
                threads=1,
                partial=True,
                rankings=True,
                ranked_documents=documents,
            )

        explained = explained.replace(value=complete(evaluate, ranked).column(0)[0])
    if rules.candidates != "all":
        explained = explained.replace(full_ranking=_estimate_full_ranking(explained, judgments))
    return _with_texts(explained, docs, queries)


def _as_measure(query: object, rules: Convention) -> Measure | None:
    """Return the measure that is in the place of the query, if it is one."""
    try:
        return choose_measure(query if isinstance(query, Measure) else str(query), rules)
    except GainfulError:
        return None


def _not_judged(query: str, judged: list[str], in_run: bool) -> MatchError:
    close = get_close_matches(query, judged[:_MOST_NAMES], n=3, cutoff=0.5)
    shown = close or judged[:3]
    return MatchError(
        query=query,
        found="a query of the run without judgments" if in_run else "no such query",
        expected=f"one of the {len(judged)} judged queries",
        hint=f"{'similar ids' if close else 'the first ids'}: {', '.join(shown)}",
    )


def _with_texts(
    explained: Explanation, docs: TextsLike | None, queries: TextsLike | None
) -> Explanation:
    """Add the texts of the documents and of the query."""
    notes: list[str] = []
    if queries is not None:
        query = read_queries(queries, [explained.query]).found.get(explained.query)
        if query is None:
            notes.append("The query file has no text for this query.")
        else:
            explained = explained.replace(query_text=query.snippet)
    if docs is not None:
        ids = {document.document for document in explained.documents}
        for rank in explained.ranks:
            ids.update(name for name in (rank.document, rank.ideal_document) if name is not None)
        texts = read_documents(docs, ids)
        missing = len(ids) - len(texts.found.keys() & ids)
        if missing:
            notes.append(f"{missing} of the {len(ids)} documents have no text in the collection.")
        if texts.duplicates:
            some = "1 text has" if texts.duplicates == 1 else f"{texts.duplicates} texts have"
            notes.append(f"{some} a duplicate id; the first text of an id is shown.")
        explained = explained.replace(texts=texts.found)
    return explained.replace(notes=(*explained.notes, *notes)) if notes else explained
