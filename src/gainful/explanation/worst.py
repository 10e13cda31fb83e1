"""Find the query with the lowest score."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.coercion import run_input
from gainful.data.table import kernel_rows
from gainful.errors import GainfulError, MatchError
from gainful.evaluation.arguments import add_convention_context, judgments_for
from gainful.evaluation.own_values import own_values
from gainful.evaluation.selection import SelectedInputs
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation.selection import ClassesLike, Pairs

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
