"""Measures of one's own, and the rankings that they are called with."""

from __future__ import annotations

from inspect import Parameter as Argument
from inspect import signature

from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.keywords import suggest_keywords
from gainful.measures.algebra import Measure
from gainful.measures.catalogue import NICKNAMES, is_family, is_registered, register
from gainful.measures.family import Family, plain
from gainful.measures.index import ALIASES, TREC_NAMES
from gainful.measures.notation import ENDS_NAME
from gainful.measures.parameters import Parameter, flag, number, numbers
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from gainful.measures.parameters import Value, Values

    Declared = dict[str, Any]
    Floats = NDArray[float64]
    Integers = NDArray[int64]

__all__ = ["OwnFamily", "Ranking", "Rankings", "declare", "define"]

#: Names of parameters that measures have already.
_TAKEN = ("cutoff", "judged_only")

_AGGREGATES = ("mean", "sum", "geometric")


class OwnFamily(Family):
    """A family of measures whose values come from a function in Python, or from elsewhere.

    Parameters
    ----------
    name : str
        Its name.
    function : callable or None
        The function; ``None`` for measures that are only declared.
    vectorized : bool
        Whether the function takes many queries at once.
    relevant : float, str or None
        The lowest grade of a relevant document, or the parameter that has it.
    asks_for_documents : bool
        Whether the function has asked for documents or scores, which are otherwise not kept.
    low, high, higher_is_better, takes_cutoff, parameters, aggregate, summary
        As for `Family`.
    """

    __slots__ = ("asks_for_documents", "function", "relevant", "vectorized")

    is_own = True

    def __init__(
        self,
        name: str,
        function: Callable[..., object] | None,
        *,
        vectorized: bool = False,
        relevant: float | str | None = None,
        low: float | None,
        high: float | None,
        higher_is_better: bool,
        takes_cutoff: bool = False,
        parameters: tuple[Parameter, ...] = (),
        aggregate: str = "mean",
        summary: str = "",
    ) -> None:
        super().__init__(
            name,
            kernel="gm_outside" if aggregate == "geometric" else "outside",
            summary=summary or "A measure of your own",
            formula="a function in Python" if function else "values from outside",
            source=_origin(function),
            example=f"{name}@10" if takes_cutoff else name,
            group="own",
            parameters=parameters,
            takes_cutoff=takes_cutoff,
            low=low,
            high=high,
            higher_is_better=higher_is_better,
            aggregate=aggregate,
            to_kernel=self._level,
        )
        self.function = function
        self.vectorized = vectorized
        self.asks_for_documents = False
        self.relevant = relevant

    def _level(self, values: Values) -> dict[str, object]:
        """Return the level of relevance of a measure with these parameters, for the kernel."""
        level = values.get(self.relevant) if isinstance(self.relevant, str) else self.relevant
        return {"relevant": None if level is None else float(level)}  # type: ignore[arg-type]

    def restoring(self, params: Values, cutoff: int | None) -> tuple[object, ...]:
        """Return what restores a pickled measure: the declaration, without the function."""
        return restored, (self.declared(), params, cutoff)

    def declared(self) -> Declared:
        """Return the declaration as plain values, without the function."""
        return {
            "name": self.name,
            "range": (self.low, self.high),
            "higher_is_better": self.higher_is_better,
            "cutoff": self.takes_cutoff,
            "parameters": {parameter.name: parameter.default for parameter in self.parameters},
            "relevant": self.relevant,
            "aggregate": self.aggregate,
            "summary": self.summary,
        }


@suggest_keywords
def define(
    name: str,
    function: Callable[..., object],
    *,
    range: tuple[float | None, float | None] = (0.0, 1.0),
    higher_is_better: bool = True,
    cutoff: bool = True,
    parameters: Mapping[str, Value] | None = None,
    relevant: float | str | None = 1,
    vectorized: bool = False,
    aggregate: str = "mean",
    summary: str = "",
) -> Measure:
    """Define a measure by a function of the ranking of a query.

    Its name then works like that of a built-in measure, in notation too: ``mine@10``,
    ``mine(p=0.8)@20``. A second definition of a name replaces the first.

    Parameters
    ----------
    name : str
        The name, as it is written in notation. It must not be a name of another measure.
    function : callable
        Takes a `Ranking`, and the parameters by name; returns the value of the query. A vectorized
        function takes the `Rankings` of many queries and returns an array with a value for each; it
        is called for blocks of queries. The policies of the convention are applied before.
    range : pair of float or None
        The lowest and the highest value, ``None`` if unbounded. Values beyond it are an error.
    higher_is_better : bool
        Whether a higher value means a better ranking. Verdicts, sorting and bold values follow.
    cutoff : bool
        Whether ``@k`` is allowed. The function then gets the first k documents.
    parameters : mapping of str to value, optional
        The parameters with their defaults: numbers, words, ``True`` or ``False``, or tuples of
        numbers. Default: the arguments of the function after the first, which need defaults.
    relevant : float, str or None
        The lowest grade of a relevant document, or the name of the parameter that has it. A query
        with no relevant documents has the value of the policy ``no_relevant``, and the function
        does not see it. ``None``: the function sees all queries.
    vectorized : bool
        Whether the function takes many queries at once.
    aggregate : {"mean", "sum", "geometric"}
        How the values of queries are combined.
    summary : str
        A description in one line, for listings. Default: the first line of the function's
        docstring.

    Returns
    -------
    Measure
        The measure without parameters and cutoff.

    Raises
    ------
    MeasureError
        For a name that is not usable or belongs to another measure, and invalid parameters.
    ParameterError
        For an invalid range, `relevant` or `aggregate`.
    ArgumentError
        If `function` is not callable.

    Examples
    --------
    >>> import gainful
    >>> def decay(ranking, p=0.5):
    ...     return (1 - p) * sum(p**i for i, grade in enumerate(ranking.grades) if grade >= 1)
    >>> measure = gainful.measures.define("decay", decay)
    >>> measure(p=0.8) @ 10
    decay(p=0.8)@10
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", ["decay@10", "nDCG@10"])
    >>> round(result.mean("decay@10"), 4)
    0.5417

    For many queries at once, with NumPy:

    >>> def weighted(rankings, p=0.5):
    ...     return (1 - p) * rankings.sum((rankings.grades >= 1) * p ** (rankings.ranks - 1.0))
    >>> gainful.measures.define("weighted", weighted, vectorized=True)
    weighted
    >>> round(gainful.evaluate("qrels.txt", "bm25.run", "weighted@10").mean(), 4)
    0.5417
    """
    if not callable(function):
        raise ArgumentError(
            where="define",
            found=f"{type(function).__name__} as the function",
            expected="a function",
        )
    _check_name(name)
    if ENDS_NAME & set(name) or set(":='").intersection(name) or name.split() != [name]:
        raise MeasureError(
            where="define",
            found=f"the name {shown(name)}",
            expected="letters, digits and _, as in notation",
        )
    declared = _checked_parameters(name, function, parameters)
    if isinstance(relevant, str):
        if relevant not in {parameter.name for parameter in declared}:
            raise ParameterError(
                where="relevant",
                found=repr(relevant),
                expected=f"a grade, None, or the name of a parameter of {name}",
            )
    elif relevant is not None:
        relevant = float(_number("relevant", relevant))
    low, high = _checked_range(range)
    register(
        OwnFamily(
            name,
            function,
            vectorized=vectorized,
            relevant=relevant,
            low=low,
            high=high,
            higher_is_better=higher_is_better,
            takes_cutoff=cutoff,
            parameters=declared,
            aggregate=_checked_aggregate(aggregate),
            summary=summary or _first_line(function),
        )
    )
    return Measure(name)


@suggest_keywords
def declare(
    name: str,
    *,
    range: tuple[float | None, float | None] = (None, None),
    higher_is_better: bool = True,
    aggregate: str = "mean",
    summary: str = "",
) -> Measure:
    """Declare a measure whose values are computed elsewhere, such as latency or clicks.

    Parameters
    ----------
    name : str
        The name, any text that is not a measure of Gainful.
    range, higher_is_better, aggregate, summary
        As for `define`. By default, the range is unbounded.

    Returns
    -------
    Measure
        The measure. It cannot be evaluated, since it has no function.

    Raises
    ------
    MeasureError
        For an empty name, or one that belongs to a measure of Gainful.
    ParameterError
        For an invalid range or `aggregate`.

    Examples
    --------
    >>> latency = declare("latency in ms", range=(0, None), higher_is_better=False)
    >>> latency, latency.range(), latency.higher_is_better
    (latency in ms, (0.0, None), False)
    """
    _check_name(name)
    low, high = _checked_range(range)
    register(
        OwnFamily(
            name,
            None,
            low=low,
            high=high,
            higher_is_better=higher_is_better,
            aggregate=_checked_aggregate(aggregate),
            summary=summary,
        )
    )
    return Measure(name)


def restored(declared: Declared, params: dict[str, object], cutoff: int | None) -> Measure:
    """Return a pickled measure; without its definition, it is only declared."""
    name = declared["name"]
    if not is_registered(name):
        low, high = declared["range"]
        parameters = declared["parameters"]
        register(
            OwnFamily(
                name,
                None,
                relevant=declared["relevant"],
                low=low,
                high=high,
                higher_is_better=declared["higher_is_better"],
                takes_cutoff=declared["cutoff"],
                parameters=tuple(_parameter(name, *pair) for pair in parameters.items()),
                aggregate=declared["aggregate"],
                summary=declared["summary"],
            )
        )
    return Measure(name, params, cutoff)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise MeasureError(
            where="define", found=f"{shown(name)} as the name of a measure", expected="a text"
        )
    names = (name, plain(name))
    if is_family(name) and not is_registered(name):
        owner: str | None = name
    else:
        owner = next((ALIASES[name] for name in names if name in ALIASES), None)
        owner = owner or TREC_NAMES.get(name) or (name if name in NICKNAMES else None)
    if owner is not None:
        raise MeasureError(
            where="define",
            found=f"the name {name!r}, which belongs to {owner}",
            expected="the name of no other measure",
        )


def _checked_range(range: object) -> tuple[float | None, float | None]:
    try:
        low, high = (None if end is None else float(number(end)) for end in range)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if low is not None and high is not None and low >= high:
        raise ParameterError(
            where="range",
            found=shown(range),
            expected="the lowest and the highest value, None if unbounded",
        )
    return low, high


def _checked_aggregate(aggregate: str) -> str:
    if aggregate not in _AGGREGATES:
        raise ParameterError(
            where="aggregate", found=shown(aggregate), expected=f"one of {', '.join(_AGGREGATES)}"
        )
    return aggregate


def _number(where: str, value: object) -> float:
    try:
        return number(value)
    except ValueError:
        raise ParameterError(where=where, found=shown(value), expected="a number") from None


def _checked_parameters(
    name: str, function: Callable[..., object], parameters: Mapping[str, Value] | None
) -> tuple[Parameter, ...]:
    if parameters is None:
        parameters = _arguments(name, function)
    return tuple(_parameter(name, key, default) for key, default in parameters.items())


def _arguments(name: str, function: Callable[..., object]) -> dict[str, Any]:
    """Return the arguments of a function after the first, with their defaults."""
    try:
        arguments = list(signature(function).parameters.values())
    except (TypeError, ValueError):
        # Some functions of compiled modules have no signature.
        return {}
    variable = (Argument.VAR_POSITIONAL, Argument.VAR_KEYWORD)
    named = [argument for argument in arguments if argument.kind not in variable]
    if len(named) < len(arguments) and not named:
        return {}
    if not named:
        raise MeasureError(
            where=name, found="a function without arguments", expected="the ranking as its argument"
        )
    for argument in named[1:]:
        if argument.default is Argument.empty or argument.kind == Argument.POSITIONAL_ONLY:
            raise MeasureError(
                where=name,
                found=f"the argument {argument.name!r} without a default",
                expected="a default for each argument after the ranking",
                hint="these arguments are the parameters of the measure",
            )
    return {argument.name: argument.default for argument in named[1:]}


def _parameter(name: str, key: str, default: object) -> Parameter:
    """Return a parameter whose values are of the kind of its default."""
    check: Any
    if isinstance(default, str):
        check, legal = _word, "a word"
    elif isinstance(default, bool):
        check, legal = flag, "True or False"
    elif isinstance(default, (tuple, list)):
        check, legal = numbers, "a list of numbers"
    else:
        check, legal = number, "a number"
    try:
        if key in _TAKEN or not key.isidentifier():
            raise ValueError(key)
        return Parameter(
            key, check, legal=legal, meaning=f"a parameter of {name}", default=check(default)
        )
    except ValueError:
        raise MeasureError(
            where=name,
            found=f"the parameter {key}={shown(default)}",
            expected="a name, and a number, a word, True or False, or a tuple of numbers",
        ) from None


def _word(value: object) -> str:
    if not isinstance(value, str) or "'" in value or '"' in value:
        raise ValueError("not a word")
    return value


def _first_line(function: object) -> str:
    text = (getattr(function, "__doc__", None) or "").strip()
    return text.partition("\n")[0].strip().removesuffix(".")


def _origin(function: object) -> str:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    return f"{module}.{name}" if module and name else ""


class Ranking:
    """The ranking of one query, under the policies of the convention.

    The argument of a function of `gainful.measures.define`. Make one to test such a function.

    Parameters
    ----------
    query : str
        The id of the query.
    grades : sequence of float
        In rank order: the grade of each document, down to the cutoff. An unjudged document has the
        grade that the convention sets, which is 0 under ``unjudged="zero"``; negative grades are 0
        under ``negative="zero"``.
    judged : sequence of bool, optional
        Whether each of these documents has a judgment. Default: all have.
    documents : sequence of str, optional
        Their ids.
    scores : sequence of float, optional
        Their scores; NaN where the order of the documents does not follow from scores.
    pool : sequence of float, optional
        The grades of all judged documents of the query, descending; under ``duplicates="copies"``
        also those of the copies in the ranking. Default: those of `grades`.
    cutoff : int, optional
        The cutoff of the measure, ``None`` for the whole ranking.
    retrieved : int, optional
        The number of documents in the whole ranking. Default: the number of `grades`.

    Examples
    --------
    >>> ranking = Ranking("q1", [3, 0, 2], documents=["d1", "d2", "d3"], pool=[3, 2, 2, 0])
    >>> len(ranking), list(ranking.grades), list(ranking.pool)
    (3, [3, 0, 2], [3, 2, 2, 0])
    """

    __slots__ = ("_documents", "_judged", "_pool", "_scores", "cutoff", "grades", "query",
                 "retrieved")  # fmt: skip

    query: str
    grades: Sequence[float]
    cutoff: int | None
    retrieved: int

    @suggest_keywords
    def __init__(
        self,
        query: str,
        grades: Sequence[float],
        *,
        judged: Sequence[bool] | None = None,
        documents: Sequence[str] = (),
        scores: Sequence[float] = (),
        pool: Sequence[float] | None = None,
        cutoff: int | None = None,
        retrieved: int | None = None,
    ) -> None:
        self.query = query
        self.grades = grades
        self.cutoff = cutoff
        self.retrieved = len(grades) if retrieved is None else retrieved
        self._judged = [True] * len(grades) if judged is None else judged
        self._documents = documents
        self._scores = scores
        self._pool = sorted(grades, reverse=True) if pool is None else pool

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def judged(self) -> Sequence[bool]:
        """Whether each document has a judgment."""
        return self._judged

    @property
    def documents(self) -> Sequence[str]:
        """The ids of the documents, in rank order."""
        return self._documents

    @property
    def scores(self) -> Sequence[float]:
        """The scores of the documents, in rank order."""
        return self._scores

    @property
    def pool(self) -> Sequence[float]:
        """The grades of all judged documents of the query, descending."""
        return self._pool

    def __repr__(self) -> str:
        return f"<Ranking of query {self.query!r}: {len(self)} documents>"


class Rankings:
    """The rankings of many queries in columns, under the policies of the convention.

    The argument of a vectorized function of `gainful.measures.define`, which is called for blocks
    of queries. The columns are NumPy arrays, made on first use: the rows of the queries one after
    the other, down to the cutoff. A function that uses `documents` or `scores` takes longer.

    Attributes
    ----------
    queries : list of str
        The ids of the n queries.
    cutoff : int or None
        The cutoff of the measure, ``None`` for the whole ranking.
    retrieved : array of int64, shape (n,)
        The number of documents in each whole ranking.
    """

    __slots__ = ("_columns", "_source", "cutoff", "queries", "retrieved")

    queries: list[str]
    cutoff: int | None
    retrieved: Integers

    def __init__(
        self,
        source: Any,
        queries: list[str],
        retrieved: Integers,
        cutoff: int | None,
    ) -> None:
        self._source = source
        self._columns: dict[str, Any] = {}
        self.queries = queries
        self.retrieved = retrieved
        self.cutoff = cutoff

    def __len__(self) -> int:
        return len(self.queries)

    def _column(self, name: str, kind: str) -> Any:
        column = self._columns.get(name)
        if column is None:
            import numpy

            column = numpy.frombuffer(getattr(self._source, name)(), dtype=kind)
            self._columns[name] = column
        return column

    @property
    def offsets(self) -> Integers:
        """Where each query begins, shape (n + 1,): query i has the rows from offsets[i] on."""
        return self._column("offsets", "int64")  # type: ignore[no-any-return]

    @property
    def grades(self) -> Floats:
        """The grade of each document, as in `Ranking`, shape (rows,)."""
        return self._column("grades", "float64")  # type: ignore[no-any-return]

    @property
    def judged(self) -> NDArray[bool_]:
        """Whether each document has a judgment, shape (rows,)."""
        return self._column("judged", "bool")  # type: ignore[no-any-return]

    @property
    def scores(self) -> Floats:
        """The score of each document, as in `Ranking`, shape (rows,)."""
        return self._column("scores", "float64")  # type: ignore[no-any-return]

    @property
    def documents(self) -> list[str]:
        """The ids of the documents; it takes longer than all other columns."""
        if "documents" not in self._columns:
            self._columns["documents"] = self._source.documents()
        return self._columns["documents"]  # type: ignore[no-any-return]

    @property
    def ranks(self) -> Integers:
        """The rank of each document in its query, from 1, shape (rows,)."""
        return self._ranks("ranks", self.offsets)

    @property
    def pool_offsets(self) -> Integers:
        """Where the judged documents of each query begin, shape (n + 1,)."""
        return self._column("pool_offsets", "int64")  # type: ignore[no-any-return]

    @property
    def pool(self) -> Floats:
        """The grades of all judged documents, descending in each query, shape (judgments,)."""
        return self._column("pool", "float64")  # type: ignore[no-any-return]

    @property
    def pool_ranks(self) -> Integers:
        """The place of each judged document in the pool of its query, from 1."""
        return self._ranks("pool_ranks", self.pool_offsets)

    def _ranks(self, name: str, offsets: Integers) -> Integers:
        if name not in self._columns:
            import numpy

            sizes = numpy.diff(offsets)
            longest = numpy.arange(1, sizes.max(initial=0) + 1)
            # The first part is for no queries at all.
            parts = [longest[:0], *(longest[:size] for size in sizes.tolist())]
            self._columns[name] = numpy.concatenate(parts)
        return self._columns[name]  # type: ignore[no-any-return]

    def sum(self, values: Any) -> Floats:
        """Return the sum over the documents of each query, 0 without documents.

        Parameters
        ----------
        values : array of float, shape (rows,)
            A value of each document.

        Returns
        -------
        array of float64, shape (n,)
        """
        return _sums(values, self.offsets)

    def pool_sum(self, values: Any) -> Floats:
        """Return the sum over the judged documents of each query, as `sum`.

        Parameters
        ----------
        values : array of float, shape (judgments,)
            A value of each judged document.
        """
        return _sums(values, self.pool_offsets)

    def __repr__(self) -> str:
        return f"<Rankings of {len(self)} queries>"


def _sums(values: Any, offsets: Integers) -> Floats:
    import numpy

    sums = numpy.zeros(len(offsets) - 1)
    filled = offsets[:-1] < offsets[1:]
    if filled.any():
        # reduceat has no empty parts.
        sums[filled] = numpy.add.reduceat(numpy.asarray(values, dtype=float), offsets[:-1][filled])
    return sums
