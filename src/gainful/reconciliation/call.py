"""Search the conventions that give a reported number."""

from __future__ import annotations

from collections.abc import Mapping

from gainful import _kernel
from gainful.conventions import Convention
from gainful.data import Run
from gainful.data.table import kernel_rows
from gainful.data.text_files import text_lines
from gainful.errors import ArgumentError, FormatError, MeasureError, ParameterError
from gainful.evaluation.arguments import judgments_for, named_runs
from gainful.evaluation.call import evaluate_runs
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.notation import parse_measure
from gainful.numerals import is_number
from gainful.progress import Bar, show_progress
from gainful.reconciliation.result import Reconciliation
from gainful.reconciliation.searching import Search
from gainful.reconciliation.space import (
    Reported,
    Survey,
    are_percentages,
    common_measures,
    cutoffs_of,
    other_readings,
    read_reported,
)
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from gainful.data import Qrels
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike

    PerQuery = Mapping[str, float | str] | str | PathLike[str]


#: The query id that trec_eval and others use for the mean.
_SUMMARY = ("all", "ALL", "amean", "mean")


def read_per_query(
    per_query: PerQuery, qrels: Qrels, *, digits: int | None, largest: float | None
) -> dict[str, Reported]:
    """Return the reported values by query."""
    if hasattr(per_query, "items"):
        values: dict[str, object] = {str(query): value for query, value in per_query.items()}
        place = "per_query"
    elif isinstance(per_query, str) or hasattr(per_query, "__fspath__"):
        values = _read(per_query)
        place = str(per_query)
    else:
        raise ArgumentError(
            where="per_query",
            found=type(per_query).__name__,
            expected="a mapping of query ids to numbers, or the path of a file",
        )
    if not values:
        raise ParameterError(where=place, found="no query", expected="values of queries")
    known = {}
    per_cent = are_percentages(values.values(), largest)
    for query, value in values.items():
        if query not in kernel_rows(qrels):
            raise ParameterError(
                where=place,
                query=query,
                found="a value for a query without judgments",
                expected="queries of the judgments",
            )
        text = f"{value} %" if per_cent and not str(value).endswith("%") else value
        known[query] = read_reported(text, digits, largest=largest, where=f"{place}, {query}")
    return known


def _read(path: str | PathLike[str]) -> dict[str, object]:
    name, lines = text_lines(path)
    values: dict[str, object] = {}
    for number, line in lines:
        words = line.replace(",", " ").split()
        if not words:
            continue
        query, value = words[-2] if len(words) > 1 else "", words[-1]
        if query in _SUMMARY:
            continue
        if not 2 <= len(words) <= 3 or not is_number(value):
            if number == 1 and len(words) in (2, 3):
                continue  # A header.
            raise FormatError(
                file=name,
                line=number,
                found=repr(line[:80]),
                expected="a query id and a number, or a measure, a query id and a number",
            )
        if query in values:
            raise FormatError(
                file=name,
                line=number,
                found=f"query {query!r} twice",
                expected="each query once",
                hint="the file may contain one measure only",
            )
        values[query] = value
    return values


@show_progress(Bar)
@suggest_keywords
def reconcile(
    qrels: QrelsLike,
    run: RunLike | Runs,
    reported: str | float | Sequence[str | float] | Mapping[str, str | float],
    measure: Measure | str | None = None,
    *,
    digits: int | None = None,
    per_query: PerQuery | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Reconciliation:
    """Find the conventions that give a reported number.

    The search covers all presets verified for the measure and all combinations of the policies that
    make a difference on these data, with every cutoff, relevance level and other parameter that the
    measure does not set. If that does not explain the number, the presets are tried at other usual
    cutoffs than the reported one, with other relevance thresholds, and with a mean over up to five
    queries more or fewer (at most a tenth); RR also as a mean over all relevant documents, and
    several runs also times one constant factor. The result lists the combinations that give the
    number to its digits, the most plausible first, and estimates how many as plausible would match
    by chance.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments, as for `evaluate`.
    run : path, mapping, data frame or Run, or several of them
        The ranking behind the number. Several runs are a list or a mapping by name, as for
        `evaluate`, and have to give all their numbers under one convention.
    reported : str or float, or several
        The number as printed: ``"0.4312"``, ``".4312"``, ``"43.12"`` (percent, if the measure is a
        share) or ``"43.12%"``. A value halfway between two roundings matches both. For several
        runs, a list in their order or a mapping by their names.
    measure : Measure or str, optional
        The measure as reported: ``"nDCG@10"``. Without a cutoff, all cutoffs from 1 to 1000 are
        searched; without a measure, nDCG and other common measures (AP, RR, P, R, ERR, ...). Only
        parameters that the measure does not set are varied.
    digits : int, optional
        Digits after the point, 1 to 12, if the text does not show them.
    per_query : mapping or path, optional
        Reported values of single queries, which rule out coincidences: a mapping of query ids to
        numbers, or a file. Each line of the file has a query id and a number, or a measure, a query
        id and a number. Only for one run.
    threads : int, optional
        Number of threads; it does not affect the result.
    progress : callable, optional
        Called about ten times a second with (work done, total work).

    Returns
    -------
    Reconciliation
        The matches, or the nearest misses.

    Raises
    ------
    ParameterError
        For an invalid number, or one without digits.
    GainfulError
        For anything that cannot be read, matched or evaluated, as in `evaluate`.

    Notes
    -----
    Each match is confirmed by `evaluate` under its convention. Only unweighted means are searched.

    A match explains the number if chance alone would give one at least as plausible to at most 5%
    of numbers. With E such matches expected, from the density of the values around the number, that
    share is 1 - exp(-E). Whole presets are the most plausible, those first that most tools agree
    with, then combinations by the number of changes of a preset. So a match with many changes
    rarely explains anything. A chance match of several runs is as improbable as two independent
    ones, however many runs there are, because conventions change all runs in similar ways.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 3, "d2": 2, "d3": 1}, "q2": {"d4": 1, "d5": 2}}
    >>> run = {"q1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "q2": {"d4": 2.0, "d5": 1.0}}
    >>> found = gainful.reconcile(qrels, run, "0.7974", "nDCG")
    >>> found.matches[0].preset
    'gainful-1'
    """
    requested = None if measure is None else parse_measure(measure)
    largest = 1.0 if requested is None else requested.range()[1]
    runs = named_runs(run, None)
    texts = _by_run(reported, runs)
    numbers = _read_numbers(texts, digits, largest)
    if per_query is not None and len(runs) > 1:
        raise ParameterError("values of queries need a single run", where="per_query")
    probe = requested if requested is not None else Measure("nDCG", cutoff=10)
    _check_searchable(probe)
    judged = judgments_for((probe,), qrels)
    ranked = {
        name: run if isinstance(run, Run) else Run(run, duplicates="count")
        for name, run in runs.items()
    }
    per_query_values = {}
    if per_query is not None:
        per_query_values = read_per_query(per_query, judged, digits=digits, largest=largest)
    count = thread_count(threads)
    tied = []
    for precision in ("float64", "float32"):
        lenient = Convention(duplicates="count", precision=precision)
        # A measure that no convention supports is an error, as in an evaluation.
        base = evaluate_runs(judged, dict(ranked), probe, lenient, threads=count)
        tied.append(sum(base.counts(name)["tied"] for name in ranked))
    survey = Survey(judged, [*ranked.values()], (tied[0], tied[1]), count)
    deepest = max(survey.longest, survey.deepest)
    bounds = [(query, value.low, value.high) for query, value in per_query_values.items()]
    search = Search(judged, ranked, survey, bounds, count, progress)
    if requested is not None:
        matches = search.result(numbers, requested, [(requested, cutoffs_of(requested, deepest))])
        if matches.explained:
            return matches
        matches = search.with_readings(matches, other_readings(requested, survey))
        return matches if matches.explained else search.with_computed(matches, requested)
    measures = [
        (measure, cutoffs or cutoffs_of(measure, deepest)) for measure, cutoffs in common_measures()
    ]
    shares = [measure for measure in measures if measure[0].range()[1] is not None]
    if not numbers[0].per_cent:
        return search.result(numbers, None, measures)
    result = search.result(numbers, None, shares)
    if per_query_values or any(str(text).endswith("%") for text in texts):
        return result
    # The number exceeds 1: it is either a percentage or a sum of gains.
    plain = _read_numbers(texts, digits, None)
    sums = [measure for measure in measures if measure not in shares]
    return result.combined_with(search.result(plain, None, sums))


def _by_run(reported: object, runs: Mapping[str, object]) -> list[object]:
    """Return the reported numbers in the order of the runs."""
    if isinstance(reported, Mapping):
        if reported.keys() == runs.keys():
            return [reported[name] for name in runs]
        names: Sequence[object] = list(reported)
    elif isinstance(reported, (list, tuple)):
        if len(reported) == len(runs):
            return list(reported)
        names = reported
    elif len(runs) == 1:
        return [reported]
    else:
        names = [reported]
    raise ParameterError(
        where="reported",
        found=", ".join(map(str, names)) or "nothing",
        expected=f"a number for each run: {', '.join(runs)}",
    )


def _read_numbers(
    texts: Sequence[object], digits: int | None, largest: float | None
) -> list[Reported]:
    """Return the reported numbers; all are percentages if one is too large for a share."""
    if len(texts) > 1 and are_percentages(texts, largest):
        texts = [text if str(text).endswith("%") else f"{text}%" for text in texts]
    return [read_reported(text, digits, largest=largest) for text in texts]


def _check_searchable(measure: Measure) -> None:
    if measure.declaration.is_own:
        raise MeasureError(
            where=repr(measure),
            found="a measure of your own",
            expected="a measure that other tools have",
        )
    if _kernel.needs((repr(measure), *measure.spec())).preferences:
        raise MeasureError(
            where=repr(measure),
            found="a measure of preferences",
            expected="a measure of grades or subtopics",
        )
