"""Describe an evaluation in notes: data checks, bounds and the convention."""

from __future__ import annotations

from math import inf

from gainful.data.table import kernel_rows
from gainful.formats.numbers import percent
from gainful.formats.table import Note, noted
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful import _kernel
    from gainful.evaluation.data import EvaluationData
    from gainful.measures import Measure

#: Of no more queries are grades looked at for a doubt.
_EXAMINED = 100
#: The place in `counts` of the queries whose first ranks depend on the order of equal scores.
_DECIDED = 7
#: Up to so many queries are named.
_NAMED = 3
#: Groups of measures that depend on which documents are above a cutoff, not on their order.
_SETS = ("precision-recall", "counts")


def describe_counts(evaluation: EvaluationData) -> list[Note]:
    """Describe the counts of each system, merging equal ones, and what contradicts itself.

    The judged share is in the table.
    """
    absent = noted("counts", describe_absent_values(evaluation), is_doubt=True)
    if not evaluation.has_rankings:
        queries = _number_of_queries(evaluation.counts(evaluation.systems[0])["judged_queries"])
        return absent or [Note("counts", f"{queries}, all with values")]
    remarks: dict[tuple[str, bool], list[str]] = {}
    for system, table in evaluation.kernel_tables.items():
        counts = {**evaluation.counts(system), "judged_at_cutoff": {}, "decided": 0}
        if any(_depends_on_order(measure) for measure in evaluation.measures):
            counts["decided"] = table.counts[_DECIDED]
        line = summarize_counts(counts, *table.unmatched)
        remarks.setdefault((line, _has_doubts(counts)), []).append(system)
    notes = [
        Note(
            "counts",
            line if len(remarks) == 1 else f"{', '.join(systems)}: {line}",
            is_doubt=is_doubt,
        )
        for (line, is_doubt), systems in remarks.items()
    ]
    contradictions = noted("contradictions", describe_contradictions(evaluation), is_doubt=True)
    return notes + absent + contradictions


def describe_absent_values(evaluation: EvaluationData) -> Iterator[str]:
    """Yield for which queries measures have no value, if some were computed elsewhere.

    Examples
    --------
    >>> import gainful
    >>> values = {"old": {"q1": 0.5, "q2": None}, "new": {"q1": 0.5, "q2": 1.0}}
    >>> list(describe_absent_values(gainful.Evaluation.from_values(values, "answers")))
    ['answers has no value for 1 of 2 queries of old (q2); left out.']
    """
    lacking: dict[str, list[str]] = {}
    for index, measure in enumerate(evaluation.measures if evaluation.given else ()):
        parts = []
        for system, table in evaluation.kernel_tables.items():
            # Bit 1 marks queries with no relevant documents, bit 2 those that do not count.
            rows = zip(table.query_ids(), table.flags(index), strict=True)
            absent = [query for query, flags in rows if flags & 3 == 2]
            number = len(absent)
            if not evaluation.has_rankings:
                absent, number = absent + table.unmatched[0], number + table.counts[2]
            if number:
                few = names_shown(sorted(absent)) if number == len(absent) <= _NAMED else ""
                named = f" ({few})" if few else ""
                parts.append(f"{number:,} of {table.counts[0]:,} queries of {system}{named}")
        if parts:
            lacking.setdefault(", ".join(parts), []).append(repr(measure))
    for queries, names in lacking.items():
        verb = "has" if len(names) == 1 else "have"
        yield f"{', '.join(names)} {verb} no value for {queries}; left out."


def _has_doubts(counts: Mapping[str, Any]) -> bool:
    """Return whether queries are missing, ignored, without relevant documents or tied."""
    numbers = [*counts["no_relevant"].values(), *counts["ties_at_cutoff"].values()]
    names = ("missing", "extra", "duplicates", "decided")
    return any(numbers) or any(counts[name] for name in names)


def describe_regrouping(systems: Sequence[str], several: bool = False) -> str:
    """Describe which runs were regrouped, and how to avoid it.

    Examples
    --------
    >>> print(describe_regrouping(["bm25"]))
    The run is not grouped by query, so it was regrouped. Sorting it by query is faster.
    >>> print(describe_regrouping(["x", "y"], several=True))
    The runs x, y are not grouped by query, so they were regrouped. Sorting them by query is faster.
    """
    if len(systems) > 1:
        runs, verb, they, them = "runs", "are", "they were", "them"
    else:
        runs, verb, they, them = "run", "is", "it was", "it"
    which = f"The {runs} {', '.join(systems)}" if several else f"The {runs}"
    return (
        f"{which} {verb} not grouped by query, so {they} regrouped."
        f" Sorting {them} by query is faster."
    )


def describe_fractions(evaluation: EvaluationData) -> str | None:
    """Explain why no document counts as relevant if all grades are fractions below 1.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q": {"a": 0.5}}, {"q": ["a"]}, ["nDCG@10", "AP"])
    >>> describe_fractions(result).partition(". ")[0]
    'No grade reaches 1 (the highest is 0.5), so no document is relevant for AP'
    """
    counts = evaluation.counts(evaluation.systems[0])
    no_relevant, queries = counts["no_relevant"], counts["judged_queries"]
    assert isinstance(no_relevant, dict)
    without = [name for name, number in no_relevant.items() if number and number == queries]
    highest = (
        max((max(table.values(), default=0) for table in _known_grades(evaluation)), default=0)
        if without
        else 0
    )
    if not 0 < highest < 1:
        return None
    text = f"No grade reaches 1 (the highest is {highest:g})"
    if evaluation.convention.fractions == "truncate":
        return (
            f"{text}, and the convention truncates fractions, so no document is relevant."
            " Use whole grades, or the policy fractions=keep."
        )
    return (
        f"{text}, so no document is relevant for {', '.join(without)}. Set the grade from which"
        f" documents are relevant, as in AP(rel={highest:g}), or use whole grades."
    )


def describe_cut_grades(evaluation: EvaluationData) -> str | None:
    """Name the grades that the convention or a relevance level reads as lower ones.

    Examples
    --------
    >>> import gainful
    >>> qrels, run = {"q": {"a": 0.5, "b": 1.7}}, {"q": ["a", "b"]}
    >>> describe_cut_grades(gainful.evaluate(qrels, run, "nDCG", convention="trec_eval-9.0.8"))
    'The convention truncates fractions: 1.7 counts as 1. The policy fractions=keep keeps them.'
    >>> describe_cut_grades(gainful.evaluate({"q": {"a": 1, "b": 0.9, "c": 0.8}}, run, "AP"))
    'For AP only 1 of 3 grades above 0 is relevant: 1 or more. AP(rel=0.8) sets the lowest.'
    """
    grades = [
        grade
        for judged in _known_grades(evaluation, _EXAMINED)
        for grade in judged.values()
        if grade > 0
    ]
    fractions = [grade for grade in grades if grade % 1]
    highest = max(grades, default=0)
    if not fractions or highest < 1:
        return None
    if evaluation.convention.fractions == "truncate":
        cut = max(fractions)
        return (
            f"The convention truncates fractions: {cut:g} counts as {int(cut)}. The policy"
            " fractions=keep keeps them."
        )
    for measure, resolved in zip(evaluation.measures, evaluation.resolved, strict=True):
        level = resolved.params.get("rel")
        if not isinstance(level, (int, float)) or "rel" in measure.params:
            continue
        reached = sum(grade >= level for grade in grades)
        if 2 * reached < len(grades) and min(grades) % 1:
            verb = "is" if reached == 1 else "are"
            return (
                f"For {measure!r} only {reached} of {len(grades)} grades above 0 {verb} relevant:"
                f" {level:g} or more. {measure.family}(rel={min(grades):g}) sets the lowest."
            )
    return None


def describe_distinct_grades(evaluation: EvaluationData) -> str | None:
    """Ask whether the judgments are a run, if its scores could have such values.

    Examples
    --------
    >>> import gainful
    >>> qrels, run = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 9.1, "b": 8.7, "c": 8.0}}
    >>> describe_distinct_grades(gainful.evaluate(run, qrels)).partition(". ")[0]
    'The judgments have fractions, such as 9.1, and no two equal grades of a query'
    >>> describe_distinct_grades(gainful.evaluate(qrels, run)) is None
    True
    """
    fraction = None
    for grades in _known_grades(evaluation, _EXAMINED):
        if len(grades) < 2:
            continue
        values = grades.values()
        if len(set(values)) < len(values):
            return None
        fraction = fraction or next((value for value in values if value % 1), None)
    if fraction is None:
        return None
    return (
        f"The judgments have fractions, such as {fraction:g}, and no two equal grades of a query."
        " If these are the scores of a run, pass the judgments first."
    )


def describe_header(evaluation: EvaluationData) -> str | None:
    """Ask whether the first row of the judgments is a header.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"uid": {"sku": 1}, "u1": {"a": 1}, "u2": {"b": 1}}
    >>> describe_header(gainful.evaluate(qrels, {"u1": ["a"]})).partition(". ")[0]
    'The first row of the judgments looks like a header: uid, sku'
    """
    judged: Any = evaluation.judgments
    if not _known_grades(evaluation, 1):
        return None
    rows = [
        (query, document, grade)
        for query, grades in kernel_rows(judged).to_dict(_EXAMINED).items()
        for document, grade in grades.items()
    ]
    if not rows:
        return None
    (query, document, _), *others = rows
    if not others or any(grade != 1 for *_, grade in rows) or others[0][0] == query:
        return None
    names, *columns = (query, document), *zip(*others, strict=True)
    if any(map(_has_digit, names)) or not any(
        all(map(_has_digit, column)) for column in columns[:2]
    ):
        return None
    return (
        f"The first row of the judgments looks like a header: {names_shown(names)}. If it is one,"
        f" name the columns: query={query},doc={document}."
    )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def describe_highest_grades(evaluation: EvaluationData) -> Iterator[str]:
    """Yield the highest grade that measures assume, and whether the convention sets it.

    Examples
    --------
    >>> import gainful
    >>> list(describe_highest_grades(gainful.evaluate("qrels.txt", "bm25.run", "ERR")))
    ['ERR: highest grade 4, the default; ERR(max_grade=GRADE) sets it.']
    """
    for measure, resolved in zip(evaluation.measures, evaluation.resolved, strict=True):
        grade = resolved.params.get("max_grade")
        if grade is None or "max_grade" in measure.params:
            continue
        is_set = grade != measure.resolve().params.get("max_grade")
        source = f"of {evaluation.convention.name}" if is_set else "the default"
        shown = "of each query" if grade == "judged" else f"{grade:g}"
        sets = f"{measure.family}(max_grade=GRADE)"
        yield f"{measure!r}: highest grade {shown}, {source}; {sets} sets it."


def describe_duplicates(evaluation: EvaluationData) -> Iterator[str]:
    """Yield the measures that duplicate rows let exceed their range."""
    names = [
        repr(measure)
        for measure in evaluation.measures
        if any(
            (evaluation.range_on_data(measure, system)[1] or 0) > (measure.range()[1] or inf)
            for system in evaluation.systems
        )
    ]
    if names:
        yield f"A run lists documents twice, so {', '.join(names)} can exceed 1."


def describe_unjudged(evaluation: EvaluationData) -> str:
    """Describe runs that have no document in common with the judgments."""
    systems = evaluation.unjudged_systems
    named = "" if len(evaluation.systems) == 1 else f"{', '.join(systems)}: "
    line = f"{named}no document of the run is judged. Check the ids"
    known = _known_grades(evaluation, _EXAMINED)
    document = next((document for system in known for document in system), None)
    if not document:
        return f"{line}."
    retrieved = evaluation.kernel_tables[systems[0]].unjudged
    run = f", the run such as {shown(retrieved[0][1][0])}" if retrieved else ""
    return f"{line}: the judgments have documents such as {shown(document)}{run}."


def _known_grades(
    evaluation: EvaluationData, first: int | None = None
) -> Iterable[Mapping[str, float]]:
    """Return the grades of each of the first queries, by default of all.

    Nothing is returned if they are unknown, on disk or of subtopics.
    """
    judged: Any = evaluation.judgments
    if not hasattr(judged, "values") or judged.has_subtopics:
        return ()
    return kernel_rows(judged).to_dict(first).values()


def describe_selection(evaluation: EvaluationData) -> Iterator[str]:
    """Yield how many queries were selected, and how many documents were excluded or merged.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.evaluate("qrels.txt", "bm25.run", "AP", queries=["q1", "q2"])
    >>> list(describe_selection(found))
    ['2 of 6 judged queries were selected.']
    """
    selection = evaluation.selection
    if selection is None:
        return
    if selection.queries < selection.judged_queries:
        yield f"{selection.queries:,} of {selection.judged_queries:,} judged queries were selected."
    if selection.excluded is not None:
        yield (
            f"{selection.excluded:,} excluded document{'s' * (selection.excluded != 1)}:"
            f" {selection.excluded_judged:,} judged,"
            f" {_describe_retrieved(selection.excluded_retrieved)}."
        )
    if selection.copies_judged is not None:
        policy = evaluation.convention.duplicates
        yield (
            f"Documents of a class count once: {selection.copies_judged:,} judged merged, "
            + (
                f"{_describe_retrieved(selection.copies_retrieved)} removed."
                if policy == "error"
                else f"copies are duplicates under duplicates={policy}."
            )
        )


def _describe_retrieved(retrieved: dict[str, int] | None) -> str:
    """Return numbers of retrieved documents, with the systems if they differ."""
    counts: dict[int, list[str]] = {}
    for system, number in (retrieved or {}).items():
        counts.setdefault(number, []).append(system)
    return ", ".join(
        f"{number:,} retrieved" + f" ({', '.join(systems)})" * (len(counts) > 1)
        for number, systems in counts.items()
    )


def describe_weights_and_clusters(
    evaluation: EvaluationData, effective: Collection[float]
) -> Iterator[str]:
    """Yield whether means are weighted, the clusters, and the effective numbers of queries."""
    clusters = evaluation.count_clusters()
    sentences = []
    if evaluation.weights is not None:
        sentences.append("Weighted.")
    if clusters is not None:
        queries = _number_of_queries(len(evaluation.kernel_tables[evaluation.systems[0]]))
        number = f"{clusters.number:,} cluster{'s' * (clusters.number != 1)}"
        sentences.append(f"{queries} in {number} ({clusters.attribute}).")
    if effective:
        sizes = " to ".join(f"{count:,.1f}" for count in sorted({min(effective), max(effective)}))
        sentences.append(f"Effective sample size: {sizes}.")
    if sentences:
        yield " ".join(sentences)
    if clusters is not None:
        from gainful.evaluation.query_groups import describe_clusters

        yield from describe_clusters(clusters.attribute, clusters.number)


def describe_bounds(evaluation: EvaluationData) -> str:
    """Describe the scope of the bounds and what they assume.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "nDCG@10", bounds=True)
    >>> describe_bounds(result).partition(" (")[0]
    'low and high: bounds over all grades of unjudged retrieved documents'
    """
    if evaluation.bounds_of == "cutoff":
        documents, others = "unjudged documents above the cutoff", "Other unjudged documents"
    else:
        documents, others = "unjudged retrieved documents", "Documents that were not retrieved"
    return (
        f"low and high: bounds over all grades of {documents} ({list_grades(evaluation)}),"
        f" with a recomputed ideal. {others} count as not relevant."
    )


def list_grades(evaluation: EvaluationData) -> str:
    """Return the possible grades of an unjudged document as text."""
    grades = [f"{grade:g}" for grade in evaluation.scale or ()]
    if len(grades) > 8:
        return f"{len(grades)} grades from {grades[0]} to {grades[-1]}"
    return " or ".join([", ".join(grades[:-1]), grades[-1]] if len(grades) > 1 else grades)


def describe_convention(evaluation: EvaluationData) -> str:
    """Return the convention in one line, and whether measures override it.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "nDCG(gain='exponential')@10")
    >>> describe_convention(result).partition("; ")[2]
    'parameters of a measure, in parentheses, override it'
    """
    policies = evaluation.given or {}
    sources = ", ".join(dict.fromkeys(policies.values()))
    if not evaluation.has_rankings:
        return f"Computed elsewhere: {sources}."
    line = str(evaluation.convention)
    if policies:
        line += f"; {', '.join(policies)} computed elsewhere ({sources})"
    overridden = any(measure.params for measure in evaluation.measures)
    return f"{line}; parameters of a measure, in parentheses, override it" if overridden else line


def describe_contradictions(evaluation: EvaluationData) -> Iterator[str]:
    """Yield what contradicts itself in the runs, each with its systems if there are several.

    Examples
    --------
    >>> import gainful
    >>> distances = {"q1": {"a": 0.1, "b": 0.4, "c": 0.9}}
    >>> result = gainful.evaluate({"q1": {"a": 1}}, distances, "RR")
    >>> next(describe_contradictions(result)).partition(". ")[0]
    'The scores rise from the first document to the last in every query'
    """
    systems: dict[str, list[str]] = {}
    for system, table in evaluation.kernel_tables.items():
        for sentence in (*_near_documents(evaluation, table), *_contradictions(table)):
            systems.setdefault(sentence, []).append(system)
    for sentence, names in systems.items():
        several = len(evaluation.systems) > 1
        yield f"{', '.join(names)}: {sentence}" if several else sentence


def _near_documents(evaluation: EvaluationData, table: _kernel.Evaluated) -> Iterator[str]:
    judged: Any = evaluation.judgments
    if not table.unjudged or not _known_grades(evaluation, 1):
        return
    pairs = (
        pair for query, run in table.unjudged for pair in nearly_equal(list(judged[query]), run)
    )
    yield from (_near("documents", *pair) for pair, _ in zip(pairs, "1", strict=False))


def _near(what: str, judged: str, run: str) -> str:
    return f"Ids of {what} nearly match: {shown(judged)} in the judgments, {shown(run)} in the run."


def _contradictions(table: _kernel.Evaluated) -> Iterator[str]:
    for pair in nearly_equal(*table.unmatched)[:1]:
        yield _near("queries", *pair)
    scored, rising, pairs, _, ranked, contrary, fractional = table.counts[4:]
    examined = f"{contrary} of the {ranked} queries examined"
    # One query with three scores in a random order rises once in six times, two with two in four.
    if scored and rising == scored and pairs >= (2 if rising == 1 else 3):
        yield (
            "The scores rise from the first document to the last in every query. If lower is"
            " better, as for distances, change their signs; the policy order=given keeps the order."
        )
    elif contrary:
        yield (
            f"Ranks contradict scores in {examined}, and scores decide. The policy order=rank takes"
            " the ranks."
        )
    if fractional:
        yield (
            f"The ranks of {_number_of_queries(fractional)} are not whole. Are the columns of ranks"
            " and scores exchanged?"
        )


def _depends_on_order(measure: Measure) -> bool:
    """Return whether the order of the documents above the cutoff matters."""
    return measure.cutoff is None or measure.declaration.group not in _SETS


def nearly_equal(judged: Sequence[str], run: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of ids that differ only in case, punctuation, spaces or zeros before numbers.

    A word that all ids of one side begin or end with, such as a prefix, and ``https`` do not count.

    Examples
    --------
    >>> nearly_equal(["q7", "topic 8", "9"], ["10", "Q-07", "9.0"])
    [('q7', 'Q-07'), ('9', '9.0')]
    >>> nearly_equal(["12", "7"], ["doc_7", "doc_12"])
    [('12', 'doc_12'), ('7', 'doc_7')]
    """
    bare = [_parts(id) for id in judged], [_parts(id) for id in run]
    for end in (0, -1):
        affixes = [_common(ids, end) for ids in bare]
        if (affixes[0] is None) != (affixes[1] is None):
            side = bare[affixes[0] is None]
            side[:] = [parts[1:] if end == 0 else parts[:-1] for parts in side]
    known = dict(zip(bare[1], run, strict=True))
    return [
        (id, known[parts])
        for id, parts in zip(judged, bare[0], strict=True)
        if parts in known and known[parts] != id
    ]


def _common(ids: Sequence[tuple[str, ...]], end: int) -> str | None:
    """Return the first or last part of several ids if it is the same and not all of one."""
    parts = {id[end] if len(id) > 1 else "" for id in ids}
    return parts.pop() or None if len(parts) == 1 and len(ids) > 1 else None


def _parts(id: str) -> tuple[str, ...]:
    """Return the words and numbers of an id."""
    from itertools import groupby
    from unicodedata import normalize

    text = normalize("NFKC", id.strip()).removesuffix(".0").casefold()
    scheme, mark, address = text.partition("://")
    text = address if mark and scheme in ("http", "https") else text
    parts = ("".join(part) for kept, part in groupby(text, _kind) if kept)
    return tuple(part.lstrip("0") or part[:1] for part in parts)


def _kind(character: str) -> int:
    return 2 if character.isdigit() else 1 if character.isalpha() else 0


def summarize_counts(
    counts: dict[str, object], missing: Sequence[str] = (), extra: Sequence[str] = ()
) -> str:
    """Return the counts of an evaluation in one line.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 2.0}}, "nDCG@10")
    >>> summarize_counts(result.counts()).partition("; ")[0]
    '2 queries: 1 not in the run (counted as empty), 1 with no relevant documents'
    """
    parts = []
    judged = counts["judged_queries"]
    if counts["missing"]:
        treated = "left out" if counts["queries"] != judged else "counted as empty"
        named = _few(missing, counts["missing"])
        parts.append(f"{counts['missing']} not in the run ({named}{treated})")
    no_relevant = counts["no_relevant"]
    assert isinstance(no_relevant, dict)
    numbers = set(no_relevant.values())
    for number in sorted(numbers - {0}):
        names = ", ".join(name for name, n in no_relevant.items() if n == number)
        measures = f" for {names}" if len(numbers) > 1 else ""
        parts.append(f"{number} with no relevant documents{measures}")
    if counts["extra"]:
        named = _few(extra, counts["extra"])
        parts.append(f"{counts['extra']} more in the run without judgments ({named}ignored)")
    ties, shares = counts["ties_at_cutoff"], counts["judged_at_cutoff"]
    assert isinstance(ties, dict)
    assert isinstance(shares, dict)
    further = [
        f"{percent(share)} of the top {cutoff} judged"
        for cutoff, share in shares.items()
        if share is not None
    ]
    further += [
        f"ties across rank {k} in {_number_of_queries(number)}"
        for k, number in ties.items()
        if number
    ]
    if counts.get("decided"):
        further.append(f"ties decide the first ranks of {_number_of_queries(counts['decided'])}")
    if counts["duplicates"]:
        further.append(f"{counts['duplicates']} duplicate rows")
    queries = _number_of_queries(judged)
    line = f"{queries}: {', '.join(parts)}" if parts else f"{queries}, all in the run"
    return "; ".join([line, *further])


def _few(ids: Sequence[str], number: object) -> str:
    """Return up to three ids; none of more, or if not all are known."""
    return f"{names_shown(ids)}; " if len(ids) == number and len(ids) <= _NAMED else ""


def _number_of_queries(number: object) -> str:
    return f"{number} {'query' if number == 1 else 'queries'}"
