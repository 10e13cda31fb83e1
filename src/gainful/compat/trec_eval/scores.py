"""The values of topics, from the tables of the kernel."""

from __future__ import annotations

from math import copysign, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from gainful._kernel import Evaluated
    from gainful.compat.trec_eval.plan import Plan, Value

    Source: TypeAlias = "int | Logarithms | list[float] | list[bytes]"
    #: The table of a plan's formulas, and that of its formulas with negative levels, if any.
    Tables = tuple[Evaluated, Evaluated | None]

#: The lower limit of values in a geometric mean.
LEAST = 0.00001


class Logarithms:
    """The logarithms of a column of the table, for a geometric mean."""

    __slots__ = ("column",)

    def __init__(self, column: int) -> None:
        self.column = column


class Scores:
    """The values of topics, in byte order of topics.

    Attributes
    ----------
    plan : Plan
        The values.
    topics : Evaluated or list of bytes
        The table of the kernel, or the names of the topics.
    sources : list
        For each value of the plan: a column of the table or its logarithms, a list of values, or
        None.
    tag : str
        The tag of the run.
    count : int
        The number of topics, from the first one.
    """

    __slots__ = ("count", "plan", "sources", "tag", "topics")

    def __init__(
        self,
        plan: Plan,
        topics: Evaluated | list[bytes],
        sources: list[Source | None],
        tag: str,
        count: int,
    ) -> None:
        self.plan = plan
        self.topics = topics
        self.sources = sources
        self.tag = tag
        self.count = count

    @classmethod
    def of_tables(cls, plan: Plan, tables: Tables, tag: str) -> Scores:
        """Create the values from tables of the kernel."""
        sources = [_source(value, tables, plan.strings) for value in plan.values]
        return cls(plan, tables[0], sources, tag, len(tables[0]))

    @classmethod
    def of_nothing(cls, plan: Plan, tag: str) -> Scores:
        """Create the values of no topics."""
        return cls(plan, [], [[] for _ in plan.values], tag, 0)

    def names(self, stop: int | None = None) -> list[bytes]:
        """Return the topics, the first `stop` of them."""
        stop = self.count if stop is None else min(stop, self.count)
        if isinstance(self.topics, list):
            return self.topics[:stop]
        found = self.topics.query_ids(stop)
        return [topic.encode("utf-8", "surrogateescape") for topic in found]

    def numbers(self, source: Source | None) -> list[float] | list[bytes]:
        """Return the values of a source, topic by topic."""
        if source is None:
            return [0.0] * self.count
        if isinstance(source, int):
            assert not isinstance(self.topics, list)
            return self.topics.column(source)[: self.count]
        if isinstance(source, Logarithms):
            numbers: list[float] = self.numbers(source.column)  # type: ignore[assignment]
            return [log(max(number, LEAST)) for number in numbers]
        return source[: self.count]

    def before(self, topic: bytes) -> Scores:
        """Return the values of the topics before a topic."""
        count = sum(name < topic for name in self.names())
        return Scores(self.plan, self.topics, self.sources, self.tag, count)

    def map_values(self, change: Callable[[Value, list[float]], list[float]]) -> Scores:
        """Return the values after applying a function to each value and its list."""
        sources: list[Source | None] = []
        for value, source in zip(self.plan.values, self.sources, strict=True):
            found = self.numbers(source)
            text = bool(found) and isinstance(found[0], bytes)
            sources.append(found if text else change(value, found))  # type: ignore[arg-type]
        return Scores(self.plan, self.names(), sources, self.tag, self.count)

    def blank(self) -> None:
        """Set to 0 what version 10 does not count in its fake rankings, selected by name."""
        for number, value in enumerate(self.plan.values):
            if value.name == b"relstring":
                self.sources[number] = [b"''"] * self.count
            elif value.name in (b"num_ret", b"utility", b"rbp_resid") or value.name[:3] == b"unj":
                self.sources[number] = [0.0] * self.count


def signed(value: Value, number: float) -> float:
    """Return a number with the sign that C gives a NaN on x86-64.

    0/0 is negative, the logarithm of a negative number is not.
    """
    if number == number:
        return number
    return copysign(number, 1.0 if value.is_logarithm else -1.0)


def merge_scores(plan: Plan, one: Scores, other: Scores) -> Scores:
    """Merge the topics of two."""
    names = one.names() + other.names()
    order = sorted(range(len(names)), key=names.__getitem__)
    sources: list[Source | None] = []
    for first, second in zip(one.sources, other.sources, strict=True):
        both: list[Any] = [*one.numbers(first), *other.numbers(second)]
        sources.append([both[at] for at in order])
    return Scores(plan, [names[at] for at in order], sources, one.tag, len(order))


def _source(value: Value, tables: Tables, strings: int | None) -> Source | None:
    row = value.row
    table, below = tables
    if row.name == "relstring" and strings is None:
        return None
    if row.name == "relstring":
        return [b"'%b'" % string.encode() for string in table.relevance_strings()]
    kernel = value.kernel
    if kernel is None:
        return None
    if kernel >= 0:
        return Logarithms(kernel) if row.average == "geometric" else kernel
    assert below is not None
    column = below.column(-1 - kernel)
    if row.average == "geometric":
        return [log(max(each, LEAST)) for each in column]
    return column
