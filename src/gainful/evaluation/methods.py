"""What a paper says about an evaluation: measures, their definitions and the convention."""

from __future__ import annotations

from gainful import __version__
from gainful.evaluation.notes import describe_selection
from gainful.evaluation.summary_tables import count_queries
from gainful.formats.markup import Methods, Reference
from gainful.measures.gain_text import dcg_term, meaning
from gainful.policies import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.conventions import Convention
    from gainful.evaluation.data import EvaluationData
    from gainful.measures import Measure

__all__ = ["describe_evaluation", "join_names", "methods_of", "numbers_of_queries", "references_of"]

#: What the policies that every paper should state do; values that are not here are errors, or have
#: the meaning that their policy declares.
_TIES = {
    "doc-id-desc": "are ordered by descending document id",
    "doc-id-asc": "are ordered by ascending document id",
    "given": "keep the order of the run",
    "reverse": "have the reverse order of the run",
    "expected": "have all orders, of which the mean is reported",
    "average-rank": "share the mean of their ranks",
    "average-rank-down": "share the mean of their ranks, rounded down",
    "optimistic": "are ordered by descending grade",
    "pessimistic": "are ordered by ascending grade",
}
_UNJUDGED = {
    "zero": "count as not relevant",
    "irrelevant": "count as not relevant",
    "condense": "are removed from the rankings",
}
_NO_RELEVANT = {
    "0": "have the value 0",
    "1": "have the value 1",
    "nan": "make the mean undefined",
    "agree": "have the value 1 if a run returns nothing for them, else 0",
    "skip": "are left out",
}
_MISSING = {"empty": "count as empty rankings", "skip": "are left out"}
_STATED = {"ties", "unjudged", "no_relevant", "missing"}


def methods_of(evaluation: EvaluationData) -> Methods:
    """Return the paragraph about an evaluation."""
    interval = "Intervals of means are 95% confidence intervals over queries (Student's t)."
    sentences = [*describe_evaluation(evaluation, evaluation.measures), interval]
    return Methods(sentences, references_of(evaluation.measures))


def references_of(measures: Iterable[Measure]) -> Iterator[Reference]:
    """Yield the publications that define measures."""
    for measure in measures:
        for source in measure.declaration.source.split("; "):
            reference = Reference.parse(source)
            if reference is not None:
                yield reference


def describe_evaluation(
    evaluation: EvaluationData, measures: Sequence[Measure], queries: str | None = None
) -> Iterator[str]:
    """Yield sentences about the measures, the rankings, the convention and the number of queries.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.evaluate("qrels.txt", "bm25.run", ["nDCG@10", "AP(rel=2)"])
    >>> for sentence in list(describe_evaluation(found, found.measures))[:3]:
    ...     print(sentence)
    We report nDCG@10 {jarvelin2002} and AP(rel=2) {harman1992} over 6 queries.
    nDCG@10 is DCG@10 divided by the DCG@10 of the ideal ranking, with DCG@k the sum over...
    For AP(rel=2), documents with a grade of 2 or more are relevant.
    """
    convention = evaluation.convention
    given_values = evaluation.given or {}
    queries = queries or count_queries(numbers_of_queries(evaluation, measures))
    cited = [
        " ".join([repr(measure), *_citations(measure.resolve(convention))])
        for measure in measures
        if repr(measure) not in given_values
    ]
    names = [*cited, *(repr(measure) for measure in measures if repr(measure) in given_values)]
    yield f"We report {join_names(names)} over {queries}."
    for name, source in given_values.items():
        yield f"The values of {name} were computed elsewhere ({source})."
    if not cited:
        return
    computed = [measure for measure in measures if repr(measure) not in given_values]
    yield from _definitions(computed, convention)
    yield from describe_selection(evaluation)
    yield from _describe_policies(convention)
    if convention.changes:
        rules = " with these changes"
    elif convention.preset is not None and not convention.name.startswith("gainful"):
        rules = ", which reproduces that tool"
    else:
        rules = ""
    yield (
        f"The numbers were computed with Gainful {__version__} under the convention"
        f" {convention.name}{rules}."
    )


def numbers_of_queries(evaluation: EvaluationData, measures: Sequence[Measure]) -> set[int]:
    """Return how many queries the means of the systems are over."""
    return {
        evaluation.summary(measure, system).n
        for measure in measures
        for system in evaluation.systems
    }


def _citations(measure: Measure) -> Iterator[str]:
    for source in measure.declaration.source.split("; "):
        reference = Reference.parse(source)
        # The source of a gain is not that of a measure with another one.
        if reference is None or (
            "exponential gain" in source and measure.params.get("gain") != "exponential"
        ):
            continue
        yield f"{{{reference.key}}}"


def _definitions(measures: Sequence[Measure], convention: Convention) -> Iterator[str]:
    """Yield how DCG is computed, and which documents are relevant for other measures."""
    relevant: dict[object, list[str]] = {}
    ideals: dict[str, list[Measure]] = {}
    for measure in measures:
        values = measure.resolve(convention).params
        if "gain" in values and "discount" in values:
            base = values.get("base", 2)
            assert isinstance(base, (int, float))
            term = dcg_term(values["gain"], values["discount"], base)
            text = f"the sum over ranks up to k of {term}"
            ideal = meaning("ideal", values.get("ideal"))
            if ideal:
                text += f"; the ideal ranking has {ideal}"
            ideals.setdefault(text, []).append(measure)
        if "rel" in values:
            relevant.setdefault(values["rel"], []).append(repr(measure))
    for text, alike in ideals.items():
        normalized = [measure for measure in alike if measure.family == "nDCG"]
        start = "DCG@k is"
        if normalized:
            name = repr(normalized[0]) if len(alike) == 1 else "nDCG@k"
            cut = f"@{normalized[0].cutoff}" if len(alike) == 1 and normalized[0].cutoff else "@k"
            start = f"{name} is DCG{cut} divided by the DCG{cut} of the ideal ranking, with DCG@k"
        yield f"{start} {text}."
    for grade, names in relevant.items():
        yield f"For {join_names(names)}, documents with a grade of {grade} or more are relevant."


def _describe_policies(convention: Convention) -> Iterator[str]:
    """Yield what the convention does with ties, missing judgments and missing queries."""
    order = POLICIES["order"].meaning(convention.order)
    clauses = [f"Documents are ranked {order}"]
    if convention.order != "given":
        clauses.append(_clause("ties", convention, _TIES, "documents with equal scores"))
    clauses.append(_clause("unjudged", convention, _UNJUDGED, "documents without a judgment"))
    yield f"{'; '.join(filter(None, clauses))}."
    clauses = [
        _clause("no_relevant", convention, _NO_RELEVANT, "queries with no relevant documents"),
        _clause("missing", convention, _MISSING, "judged queries that a run lacks"),
    ]
    text = "; ".join(filter(None, clauses))
    if text:
        yield f"{text[0].upper()}{text[1:]}."
    further = [
        f"{policy.decides}: {policy.meaning(value)}"
        for policy in POLICIES
        if policy.name not in _STATED | {"order"}
        and str(value := getattr(convention, policy.name)) != policy.default
    ]
    if further:
        yield f"Further rules: {'; '.join(further)}."


def _clause(name: str, convention: Convention, texts: dict[str, str], subject: str) -> str:
    """Return what happens to a subject; empty where the convention refuses it."""
    value = getattr(convention, name)
    key = f"{value:g}" if isinstance(value, float) else str(value)
    if key == "error":
        return ""
    if key in texts:
        return f"{subject} {texts[key]}"
    if isinstance(value, float):
        return f"{subject} have the {'grade' if name == 'unjudged' else 'value'} {key}"
    return f"{subject}: {POLICIES[name].meaning(value)}"


def join_names(names: Sequence[str]) -> str:
    """Return names as text: ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
