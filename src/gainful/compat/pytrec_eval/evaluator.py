"""The interface of pytrec_eval: evaluators, names of measures, and parsers."""

from __future__ import annotations

from collections import defaultdict
from difflib import get_close_matches
from warnings import warn

from gainful import _kernel, conventions
from gainful.errors import ArgumentError, ColumnError, DuplicateError, FormatError, MeasureError
from gainful.measures import Measure
from gainful.measures.catalogue import NICKNAMES, trec_name
from gainful.measures.index import TREC_NAMES
from gainful.measures.notation import parse_measure
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Setup = tuple[
        dict[str, object], list[_kernel.Kernel], list[tuple[str, _kernel.Column]], frozenset[str]
    ]

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


#: Values of pytrec_eval for outputs of trec_eval that are not per query.
_CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}


def columns(
    chosen: Mapping[str, tuple[float, ...]], level: float
) -> Iterable[tuple[str, Measure | float]]:
    """Yield the keys of a query's values, each with its measure or a constant.

    Examples
    --------
    >>> list(columns({"num_q": (), "P": (5, 10), "set_F": (2,)}, 1))
    [('num_q', 1.0), ('P_5', P@5), ('P_10', P@10), ('set_F', F(weight=2))]
    """
    for name, numbers in chosen.items():
        if name in _CONSTANTS:
            yield name, _CONSTANTS[name]
            continue
        trec = trec_name(name)
        if trec.takes == "cutoffs":
            for cutoff in numbers or trec.cutoffs:
                measure = Measure(TREC_NAMES[name], trec.params, int(cutoff))
                yield f"{name}_{cutoff}", _at(measure, level)
        elif trec.takes == "points":
            for point in numbers or trec.points:
                yield f"{name}_{point:.2f}", _at(parse_measure(f"{name}_{point}"), level)
        else:
            behind = f"_{','.join(map(str, numbers))}" if numbers else ""
            yield name, _at(parse_measure(name + behind), level)


def _at(measure: Measure, level: float) -> Measure:
    """Return a measure with the lowest relevant grade, if it has that parameter."""
    if level == 1 or all(parameter.name != "rel" for parameter in measure.declaration.parameters):
        return measure
    return measure(rel=level)


# Outputs of trec_eval that are not per query, for which pytrec_eval returns a number. They come
# first.
_BEFORE = {"num_q": "runid", "recall": "relstring"}

# Parameters for the numbers after a name, if there is not one value per number.
_NUMBERS = {"a": "coefficients", "recalls...": "levels", "weight": "weight"}


def _list_parameters() -> dict[str, str]:
    """Return the allowed parameters by name, in the order of trec_eval."""
    takes = {}
    for name in NICKNAMES["all_trec"]:
        if name in _BEFORE:
            takes[_BEFORE[name]] = "nothing" if _BEFORE[name] == "runid" else "length"
        trec = trec_name(name)
        takes[name] = _NUMBERS[trec.into[0]] if trec.takes == "numbers" else trec.takes
    return takes


# Numbers after a name without parameters are ignored, as in trec_eval.
TAKES = _list_parameters()

#: The supported measures.
supported_measures = set(TAKES)

#: Names of several measures. ``prefs``, ``all_prefs`` and ``qrels_jg`` need other judgments than
#: grades and are errors, as in pytrec_eval.
supported_nicknames = {name: {"runid", *measures} for name, measures in NICKNAMES.items()}
supported_nicknames["all_trec"] = set(TAKES)


def chosen(measures: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Return the requested measures in trec_eval's order, with their numbers.

    Numbers of the same measure are merged, ascending and unique, so that ``ndcg_cut.10`` and
    ``ndcg_cut_5`` are ``ndcg_cut.5,10``. Without numbers, trec_eval's defaults apply.

    Examples
    --------
    >>> chosen(["ndcg_cut_10", "map", "ndcg_cut.5,10"])
    {'map': (), 'ndcg_cut': (5, 10)}
    """
    values_by_name: dict[str, tuple[float, ...]] = {}
    for measure in _expand_nicknames(measures):
        name, rest = _split(measure)
        before = values_by_name.setdefault(name, ())
        if rest is not None:
            values_by_name[name] = _numbers(measure, name, rest, before)
    return {name: values_by_name[name] for name in TAKES if name in values_by_name}


def _expand_nicknames(measures: Iterable[str]) -> Iterable[str]:
    if isinstance(measures, str):
        raise MeasureError(
            f"found the text {measures!r}, expected a set of names",
            where="measures",
            hint=f"write {{{measures!r}}}",
        )
    if not hasattr(measures, "__iter__"):
        raise ArgumentError(where="measures", found=repr(measures), expected="a set of names")
    for measure in measures:
        if not isinstance(measure, str):
            raise ArgumentError(
                where="measures", found=repr(measure), expected="the name of a measure"
            )
        yield from supported_nicknames.get(measure, (measure,))


def _split(measure: str) -> tuple[str, str | None]:
    """Split a name into measure and numbers, None without numbers."""
    if measure in TAKES:
        return measure, None
    if any(measure in names for names in supported_nicknames.values()):
        raise _refused(
            measure,
            "a measure of grades",
            "it requires preferences or groups of judgments, but the dictionary contains grades",
        )
    for index in range(len(measure) - 1, 0, -1):
        if measure[index] in "._" and measure[:index] in TAKES:
            return measure[:index], measure[index + 1 :]
    raise _unsupported(measure)


def _numbers(measure: str, name: str, rest: str, before: tuple[float, ...]) -> tuple[float, ...]:
    takes = TAKES[name]
    if takes == "gains":
        hint = "gainful.evaluate supports gains: nDCG(gain={0: 0, 1: 3})"
        if name == "ndcg" and rest.isdecimal():
            hint = f"for nDCG@{rest} write ndcg_cut_{rest}"
        raise _refused(measure, f"{name} alone, because pytrec_eval does not support gains", hint)
    numbers = tuple(_number(text, measure, name) for text in rest.split(","))
    if takes == "nothing":
        warn(
            f"{measure}: {name} has no cutoff, as in trec_eval; the whole ranking is evaluated",
            stacklevel=5,
        )
        return ()
    if takes == "coefficients":
        if len(numbers) != 4 or before not in ((), numbers):
            raise _refused(measure, f"four numbers, once: {name}.1,-1,0,0")
        return numbers
    if min(numbers) < 0:
        raise _refused(measure, f"numbers of 0 or more after {name}")
    if takes == "weight" and len({*before, *numbers}) > 1:
        raise _refused(measure, f"one number: {name}.0.5")
    if takes == "cutoffs":
        # trec_eval truncates fractions.
        numbers = tuple(int(number) for number in numbers)
        if min(numbers) < 1 or max(numbers) >= 2**63:
            raise _refused(measure, "cutoffs of 1 or more")
    return tuple(sorted({*before, *numbers}))


def _number(text: str, measure: str, name: str) -> float:
    unsigned = text.removeprefix("-")
    whole, dot, fraction = unsigned.partition(".")
    if not (unsigned.isascii() and whole.isdigit() and (fraction.isdigit() or not dot)):
        raise _refused(measure, f"numbers after {name}, as in {name}.5 and {name}.5,10")
    return float(text) if dot else int(text)


def _refused(measure: str, expected: str, hint: str | None = None) -> MeasureError:
    return MeasureError(where="measures", found=repr(measure), expected=expected, hint=hint)


def _unsupported(measure: str) -> MeasureError:
    close = get_close_matches(measure, [*TAKES, *supported_nicknames], n=3)
    return MeasureError(
        f"unknown measure {measure!r}",
        where="measures",
        hint=f"did you mean {', '.join(close)}?" if close else None,
    )


# Programs may create an evaluator per query, always with the same measures.
_setups: dict[tuple[frozenset[str], float, bool], Setup] = {}
_MOST_SETUPS = 64

#: The lower limit of logarithms in trec_eval.
_LEAST = 0.00001


class RelevanceEvaluator:
    """Evaluate runs like pytrec_eval.

    Parameters
    ----------
    query_relevance : mapping of str to mapping of str to int
        ``{query: {document: grade}}``. Grades are numbers, including NumPy's and fractions. Queries
        without judgments are excluded. The judgments are copied.
    measures : iterable of str
        Names as in ``{"map", "ndcg_cut.5,10", "P_5", "official"}``; see `supported_measures` and
        `supported_nicknames`.
    relevance_level : float, default 1
        The lowest relevant grade; above 0.
    judged_docs_only_flag : bool, default False
        Whether unjudged documents are removed from the rankings.

    Raises
    ------
    MeasureError
        For an unknown measure, or invalid numbers.
    ArgumentError
        For arguments of the wrong type.
    FormatError
        For a grade that is not finite, or beyond 2^53.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> evaluator = RelevanceEvaluator(qrels, {"ndcg", "P_2"}, relevance_level=2)
    >>> evaluator.evaluate({"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}})
    {'q1': {'P_2': 0.5, 'ndcg': 1.0}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int | float]],
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        level = _level(relevance_level)
        convention, kernels, names, self._measures = _setup(
            measures, level, bool(judged_docs_only_flag)
        )
        rows = _judgments(query_relevance)
        self._kernel = (
            None
            if rows is None
            else _kernel.Evaluator(rows, convention, kernels, names, thread_count)
        )

    @property
    def measures(self) -> frozenset[str]:
        """The names of the measures, as in ``ndcg_cut.5,10``."""
        return self._measures

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Measure a run.

        Parameters
        ----------
        scores : mapping of str to mapping of str to float
            ``{query: {document: score}}``. Scores are compared as 32-bit floats; ties are ordered
            by descending document id.

        Returns
        -------
        dict
            ``{query: {measure: value}}`` for the judged queries, in the order of the run; empty for
            an empty run.

        Raises
        ------
        ArgumentError
            For other types than dictionaries of texts and numbers.
        FormatError
            For a score that is NaN.
        """
        if self._kernel is None or not scores:
            return {}
        return self._kernel.evaluate(scores)

    def __repr__(self) -> str:
        return f"<RelevanceEvaluator of {', '.join(sorted(self._measures)) or 'nothing'}>"


def _level(level: Any) -> float:
    if hasattr(level, "__float__") or hasattr(level, "__index__"):
        number = float(level)
        if 0 < number < float("inf"):
            return int(number) if number.is_integer() else number
    raise ArgumentError(
        where="relevance_level",
        found=repr(level),
        expected="a grade above 0",
        hint="documents of grade 0 are judged and not relevant",
    )


def _setup(measures: Iterable[str], level: float, judged_only: bool) -> Setup:
    """Return the arguments of the kernel except the judgments."""
    key = None
    if isinstance(measures, (set, frozenset, list, tuple)):
        measures = tuple(measures)
        if all(isinstance(measure, str) for measure in measures):
            key = (frozenset(measures), level, judged_only)
            known = _setups.get(key)
            if known is not None:
                return known
    cutoffs = chosen(measures)
    # pytrec_eval refuses fractional grades; they are accepted here.
    policies = conventions.get("trec_eval-9.0.8").replace(
        fractions="keep", unjudged="condense" if judged_only else "zero"
    )
    kernels: list[_kernel.Kernel] = []
    names: list[tuple[str, _kernel.Column]] = []
    for name, measure in columns(cutoffs, level):
        if isinstance(measure, float):
            names.append((name, measure))
        else:
            place = len(kernels)
            # The values of queries are logarithms, whose mean is the aggregate.
            names.append((name, (place, _LEAST) if name.startswith("gm_") else place))
            kernels.append((repr(measure), *measure.spec(policies)))
    titles = frozenset(
        f"{name}.{','.join(map(str, numbers))}" if numbers else name
        for name, numbers in cutoffs.items()
    )
    setup = policies.spec(), kernels, names, titles
    if key is not None:
        if len(_setups) >= _MOST_SETUPS:
            _setups.clear()
        _setups[key] = setup
    return setup


def _judgments(query_relevance: Any) -> _kernel.Rows | None:
    """Return the judgments as rows of the kernel; None if empty."""
    if not hasattr(query_relevance, "items"):
        raise ArgumentError(
            where="query_relevance",
            found=f"{query_relevance!r:.60}",
            expected="a dictionary {query: {document: grade}}",
        )
    try:
        judged = {query: grades for query, grades in query_relevance.items() if len(grades)}
    except TypeError:
        # A value is not a dictionary; the kernel raises the error.
        judged = query_relevance
    if not judged:
        return None
    try:
        return _kernel.rows_from_mapping(judged, "qrels")
    except (ColumnError, FormatError) as error:
        if isinstance(error, FormatError) and _is_number(query_relevance, error):
            raise
        # pytrec_eval also raises a TypeError for wrong types.
        raise ArgumentError(
            where="query_relevance",
            query=error.query,
            document=error.document,
            found=error.found,
            expected=error.expected,
            hint=error.hint,
        ) from None


def _is_number(judged: Mapping[str, Mapping[str, object]], error: FormatError) -> bool:
    """Return whether a refused grade is a number."""
    try:
        grade = judged[error.query][error.document]  # type: ignore[index]
    except (KeyError, TypeError):
        return False
    return hasattr(grade, "__float__") or hasattr(grade, "__index__")


_RUN = ("query", "Q0", "document", "rank", "score", "tag")
_QRELS = ("query", "iteration", "document", "grade")


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read a run: lines of query, Q0, document, rank, score and tag.

    Parameters
    ----------
    f_run : iterable of str
        An open file, or other lines.

    Returns
    -------
    dict
        ``{query: {document: score}}``; a missing query is an empty dictionary.

    Raises
    ------
    FormatError
        For a wrong number of fields, or an invalid score.
    DuplicateError
        For a duplicate document of a query.

    Examples
    --------
    >>> parse_run(["q1 Q0 d1 1 2.5 bm25", "q1 Q0 d2 2 1.5 bm25"])["q1"]
    {'d1': 2.5, 'd2': 1.5}
    """
    return _table(f_run, _RUN, 4, float, "run")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read judgments: lines of query, iteration, document and grade.

    Parameters
    ----------
    f_qrel : iterable of str
        An open file, or other lines.

    Returns
    -------
    dict
        ``{query: {document: grade}}``; a missing query is an empty dictionary. Grades are `int`
        if written as whole numbers, else `float`.

    Raises
    ------
    FormatError
        For a wrong number of fields, or an invalid grade.
    DuplicateError
        For a duplicate document of a query.

    Examples
    --------
    >>> parse_qrel(["q1 0 d1 2", "q1 0 d2 0.5"])["q1"]
    {'d1': 2, 'd2': 0.5}
    """
    return _table(f_qrel, _QRELS, 3, _grade, "qrels")


def _table(
    lines: Iterable[str],
    names: tuple[str, ...],
    place: int,
    number: Callable[[str], float],
    where: str,
) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = defaultdict(dict)
    size = len(names)
    for count, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != size:
            fields = _fields(line, names, where, count)
        query, document = fields[0], fields[2]
        documents = table[query]
        if document in documents:
            raise DuplicateError(
                "duplicate document",
                where=where,
                line=count,
                query=str(query),
                document=str(document),
            )
        try:
            documents[document] = number(fields[place])
        except ValueError:
            raise FormatError(
                where=where, line=count, found=repr(fields[place]), expected=f"a {names[place]}"
            ) from None
    return table


def _fields(line: str, names: tuple[str, ...], where: str, count: int) -> list[str]:
    """Split a line on ASCII white space only; ids may contain other spaces."""
    words = len(line.split())
    if isinstance(line, str):
        ascii_only = line.encode("utf-8", "surrogatepass").split()
        fields = [field.decode("utf-8", "surrogatepass") for field in ascii_only]
        if len(fields) == len(names):
            return fields
    raise FormatError(
        where=where,
        line=count,
        found=f"{words} fields" if words != 1 else "1 field",
        expected=f"{len(names)}: {' '.join(names)}",
    )


def _grade(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return the sum, geometric mean or mean of the values of a measure.

    Adds with NumPy, like pytrec_eval, so that the last bit is equal; `gainful.evaluate` adds in the
    order of trec_eval.

    Parameters
    ----------
    measure : str
        The name, which determines the aggregate: the sum for ``num_...``, the mean of logarithms
        for ``gm_...``, else the mean.
    values : iterable of float
        One value per query.

    Returns
    -------
    float
        NaN without values, with a warning of NumPy.

    Examples
    --------
    >>> compute_aggregated_measure("map", [0.5, 1.0])
    0.75
    >>> compute_aggregated_measure("num_rel_ret", [2.0, 1.0])
    3.0
    """
    import numpy as np

    numbers = list(values)
    if measure.startswith("num_"):
        return float(np.sum(numbers))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(numbers) / np.float64(len(numbers))))
    return float(np.mean(numbers))
