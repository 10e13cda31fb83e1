"""The parameters of families, also functions, and the ranges of their values."""

from __future__ import annotations

from gainful.policies import SHARED_RANKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Protocol

    Number = int | float
    Value = str | bool | Number | tuple[Number, ...] | tuple[tuple[Number, Number], ...]
    Check = Callable[[object], Value]
    Values = dict[str, Value]
    Range = tuple[float | None, float | None]

    class Preset(Protocol):
        """The parts of a preset that measures use."""

        name: str
        measures: tuple[str, ...] | None
        names: dict[str, str | None]
        suffixes: dict[str, str]

        def difference(self, family: str) -> str | None:
            """Return how the tool's measure differs from a family, if it was compared."""

        def of_tools_with(self, measure: str) -> list[str]:
            """Return the presets of the tools that have a measure of this name."""

    class Policies(Protocol):
        """The parts of a convention that measures use."""

        @property
        def defaults(self) -> Mapping[str, Mapping[str, Value]]:
            """Parameters of measures that this convention sets, by family."""

        @property
        def ties(self) -> str:
            """The order of equal scores."""

        @property
        def unjudged(self) -> str | float:
            """The treatment of unjudged documents."""

        @property
        def negative(self) -> str:
            """The treatment of negative grades."""

        @property
        def duplicates(self) -> str:
            """The treatment of duplicate documents."""

        @property
        def name(self) -> str:
            """The name of the convention."""

        @property
        def preset(self) -> Preset | None:
            """The preset of this name, ``None`` if there is none."""


_INFINITY = float("inf")

# Larger integers are not exact as 64-bit floats; grades and cutoffs stay below.
LARGEST = 2**53


class Memory:
    """Results of functions that depend on names of families or functions, until one changes."""

    __slots__ = ("results",)

    #: The most results; a search over conventions has many that are not needed again.
    LIMIT = 512

    results: dict[tuple[object, ...], Any]

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget all results, also those that are being computed."""
        self.results = {}

    def keep(self, results: dict[tuple[object, ...], Any], key: Any, result: object) -> None:
        """Add a result to what `results` was when its computation began."""
        if len(results) >= self.LIMIT:
            results.clear()
        results[key] = result


MEMORY = Memory()

#: The functions by name, for notation and for pickled measures. The last of a name counts.
_FUNCTIONS: dict[str, NamedFunction] = {}


class NamedFunction(str):
    """The name of a function, which is what notation and results have, with the function.

    Examples
    --------
    >>> def root(grade):
    ...     return grade ** 0.5
    >>> name = NamedFunction.of(root)
    >>> name, name.function is root, NamedFunction.of("root") is name
    ('root', True, True)
    """

    function: Callable[[Any], object] | None

    @classmethod
    def of(cls, value: object) -> NamedFunction:
        """Return a function with its name, or the function that has a name."""
        if isinstance(value, cls):
            return value
        if not callable(value):
            if not isinstance(value, str) or value not in _FUNCTIONS:
                raise ValueError("no function")
            return _FUNCTIONS[value]
        name = getattr(value, "__name__", "")
        if not name.isidentifier():
            raise ValueError("no name")
        known = _FUNCTIONS.get(name)
        if known is not None and known.function is value:
            return known
        named = cls(name)
        named.function = value
        _FUNCTIONS[name] = named
        MEMORY.forget()
        return named

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NamedFunction):
            return str.__eq__(self, other) and self.function is other.function
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __deepcopy__(self, memory: object) -> NamedFunction:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (str(self),)


def _restored(name: str) -> NamedFunction:
    """Return a pickled function; without its definition, only the name."""
    if name not in _FUNCTIONS:
        restored = NamedFunction(name)
        restored.function = None
        return restored
    return _FUNCTIONS[name]


class Parameter:
    """A parameter of a family of measures.

    Parameters
    ----------
    name : str
        As written in notation: ``rel`` in ``AP(rel=2)``.
    check : callable, optional
        Return the canonical form of a value that is none of `words`, or raise `ValueError`.
    words : dict of str to str, optional
        The valid words, with what each does.
    legal : str, optional
        The valid values apart from `words`, for people. The attribute includes the words.
    meaning : str
        What the parameter does, one sentence without a full stop. The attribute includes `words`
        and `values`.
    values : str, optional
        What values apart from `words` do.
    separator : str, default ", "
        What separates the words in `meaning`.
    short : dict of str to str, optional
        Other spellings of words.
    functions : bool
        Whether a function is a value: of a grade or a rank, as a table is.
    default : str, bool, number, tuple or None
        The value if neither the measure nor the convention sets it; ``None`` leaves it unset, for
        parameters that apply only to some values of another parameter.

    Attributes
    ----------
    decides : str
        What the parameter does, without what its values do.
    """

    __slots__ = ("check", "decides", "default", "legal", "meaning", "name", "words")

    def __init__(
        self,
        name: str,
        check: Check | None = None,
        *,
        words: dict[str, str] | None = None,
        legal: str = "",
        meaning: str,
        values: str = "",
        separator: str = ", ",
        short: dict[str, str] | None = None,
        functions: bool = False,
        default: Value | None = None,
    ) -> None:
        self.name = name
        self.words = tuple(words or ())
        self.decides = meaning
        self.default = default
        self.check = check if check and not words else one_of(*self.words, other=check)
        if short:
            self.check = _with_short_words(self.check, short)
        if functions:
            self.check = _with_functions(self.check, self.words)
        explained = []
        if words:
            explained = [f"{word!r} {what}" for word, what in words.items()]
            legal = ", ".join([*map(repr, words), *([f"or {legal}"] if legal else [])])
            values = values and f"or {values}"
        self.legal = legal
        text = separator.join([*explained, *([values] if values else [])])
        self.meaning = f"{meaning}: {text}" if text else meaning

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, legal={self.legal!r}, default={self.default!r})"


def number(value: object) -> Number:
    """Return a finite number, integers as `int`.

    NumPy scalars and all objects with ``__index__`` or ``__float__`` are numbers; booleans and text
    are not.

    >>> number(2.0), number(0.5)
    (2, 0.5)
    """
    if isinstance(value, (bool, str, bytes)) or type(value).__name__ in ("bool", "bool_"):
        raise ValueError("not a number")
    if not isinstance(value, int):
        index = getattr(type(value), "__index__", None)
        convert = getattr(type(value), "__float__", None)
        try:
            if index is not None:
                value = int(index(value))
            elif convert is not None:
                value = float(convert(value))
        except (TypeError, OverflowError) as error:
            raise ValueError("not a number") from error
    if not isinstance(value, (int, float)):
        raise ValueError("not a number")
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise ValueError("too large")
        return int(value)
    if not -_INFINITY < value < _INFINITY:
        raise ValueError("not finite")
    return int(value) if value.is_integer() and abs(value) <= LARGEST else value


def number_between(
    low: float | None = None,
    high: float | None = None,
    *,
    low_open: bool = False,
    high_open: bool = False,
) -> Check:
    """Return a check for numbers between two bounds, inclusive unless open."""

    def check(value: object) -> Number:
        parsed = number(value)
        if low is not None and (parsed <= low if low_open else parsed < low):
            raise ValueError("too small")
        if high is not None and (parsed >= high if high_open else parsed > high):
            raise ValueError("too large")
        return parsed

    return check


def one_of(*words: str, other: Check | None = None) -> Check:
    """Return a check for one word of a list, or for what is no text.

    >>> one_of("relevant", "capped")("capped"), one_of("judged", other=number)(2.0)
    ('capped', 2)
    """

    def check(value: object) -> Value:
        if other is not None and not isinstance(value, str):
            return other(value)
        if not isinstance(value, str) or value not in words:
            raise ValueError("not among the words")
        return str(value)

    return check


def _with_short_words(check: Check | None, short: dict[str, str]) -> Check:
    assert check is not None
    long = check
    return lambda value: long(short.get(value, value) if isinstance(value, str) else value)


def _with_functions(check: Check | None, words: tuple[str, ...]) -> Check:
    assert check is not None
    other = check

    def checked(value: object) -> Value:
        if callable(value) or isinstance(value, NamedFunction):
            function = NamedFunction.of(value)
            if function in words:
                raise ValueError("the name of a word")
            return function
        try:
            return other(value)
        except ValueError:
            return NamedFunction.of(value)

    return checked


def flag(value: object) -> bool:
    """Return ``True`` or ``False``; reject numbers and words."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise ValueError("not True or False")


def numbers(values: Iterable[object]) -> tuple[Number, ...]:
    """Return a tuple of at least one finite number."""
    parsed = tuple(number(value) for value in values)
    if not parsed:
        raise ValueError("empty")
    return parsed


def table(value: object) -> tuple[tuple[Number, Number], ...]:
    """Return a mapping of numbers to numbers as pairs sorted by key.

    A list of numbers has the values of 0, 1, 2 and so on.

    >>> table({1: 2.0, 0: 0}), table([0, 1, 3])
    (((0, 0), (1, 2)), ((0, 0), (1, 1), (2, 3)))
    """
    items: Any = value.items() if hasattr(value, "items") else value
    if hasattr(items, "tolist"):
        items = items.tolist()
    if isinstance(items, (list, tuple)) and not any(hasattr(item, "__len__") for item in items):
        items = list(enumerate(items))
    if isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise ValueError("not a table")
    pairs: dict[Number, Number] = {}
    for item in items:
        if isinstance(item, (str, bytes)) or not hasattr(item, "__len__") or len(item) != 2:
            raise ValueError("not pairs")
        key = number(item[0])
        if key in pairs:
            raise ValueError("a grade twice")
        pairs[key] = number(item[1])
    if not pairs:
        raise ValueError("empty")
    return tuple(sorted(pairs.items()))


def literal(value: object) -> str:
    """Return a canonical value as a Python literal.

    >>> literal(((0, 0), (1, 2))), literal((1, 0.5)), literal("linear")
    ('{0: 0, 1: 2}', '(1, 0.5)', "'linear'")
    """
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return repr(dict(value))
    return repr(value)


def format_value(value: object) -> str:
    """Return a value as text; an unset value is a dash.

    Examples
    --------
    >>> format_value(0.0), format_value(None), format_value(((0, 0), (1, 3))), format_value("skip")
    ('0', '–', '{0: 0, 1: 3}', 'skip')
    """
    if value is None:
        return "–"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return literal(value) if isinstance(value, tuple) else str(value)


def plain_value(value: Value | None) -> object:
    """Return a value that JSON can represent: lists for tuples, and NaN as text."""
    if isinstance(value, tuple):
        return [list(pair) if isinstance(pair, tuple) else pair for pair in value]
    return "nan" if value != value else value


def as_float(value: Value) -> float:
    """Return a canonical number as a float for the kernel."""
    return float(value)  # type: ignore[arg-type]


# Shared by many families.
REL = Parameter(
    "rel",
    number_between(0),
    legal="a number of 0 or more",
    meaning=(
        "the lowest grade of a relevant document; 0 makes every judged document relevant, 1e-30 "
        "those with a grade above 0"
    ),
    default=1,
)

JUDGED_ONLY = Parameter(
    "judged_only",
    flag,
    legal="True or False",
    meaning="remove unjudged documents from the ranking first, for this measure only",
    default=False,
)


def widest(ranges: Iterable[Range]) -> Range:
    """Return the smallest range that contains all.

    Examples
    --------
    >>> widest([(0.0, 1.0), (0.0, 2.0)]), widest([(0.0, 1.0), (0.0, None)])
    ((0.0, 2.0), (0.0, None))
    """
    lows, highs = zip(*ranges, strict=True)
    return None if None in lows else min(lows), None if None in highs else max(highs)


def share_of_relevant(values: Values, convention: Policies | None) -> Range:
    """Return the range of a share of relevant documents: 0 to 1 without duplicates."""
    if convention is not None and convention.duplicates in ("count", "copies"):
        return 0.0, None
    return share_of_ranks(values, convention)


def share_of_ranks(values: Values, convention: Policies | None) -> Range:
    """Return the range of a share of the first k ranks: 0 to 1 if ranks are distinct."""
    # Three documents at the mean of ranks 1, 2 and 3 are all in the first 2.
    if convention is not None and convention.ties in SHARED_RANKS:
        return 0.0, None
    return 0.0, 1.0


def sum_of_gains(values: Values, convention: Policies | None) -> Range:
    """Return the range of CG and DCG without data: from 0 unless gains can be negative."""
    return (None if _has_losses(values, convention) else 0.0), None


def share_of_ideal(values: Values, convention: Policies | None) -> Range:
    """Return the range of nDCG: 0 to 1 if no gain is negative and the ideal is best."""
    if _has_losses(values, convention):
        # An ideal with losses can have any value, and so can a share of it.
        return None, None
    return 0.0, (1.0 if _ideal_is_best(values, convention) else None)


def between_extremes(values: Values, convention: Policies | None) -> Range:
    """Return the range of min-max nDCG: 0 to 1 if no ranking is outside the extremes."""
    if _ideal_is_best({**values, "ideal": "judged"}, convention):
        return 0.0, 1.0
    return None, None


def share_of_gains(values: Values, convention: Policies | None) -> Range:
    """Return the range of a share of all judged gain: 0 to 1 without losses."""
    if _has_losses(values, convention):
        return None, None
    best = convention is None or (
        convention.duplicates not in ("count", "copies")
        and convention.ties not in SHARED_RANKS
        and convention.unjudged in ("zero", "irrelevant", "condense", 0)
    )
    return 0.0, (1.0 if best else None)


def _has_losses(values: Values, convention: Policies | None) -> bool:
    gain = values["gain"]
    if isinstance(gain, tuple) and any(
        value < 0 for pair in gain if isinstance(pair, tuple) for value in pair[1:]
    ):
        return True
    if convention is None or gain in ("exponential+1", "binary", "judged"):
        return False
    unjudged = convention.unjudged
    return convention.negative == "signed" or (not isinstance(unjudged, str) and unjudged < 0)


def _ideal_is_best(values: Values, convention: Policies | None) -> bool:
    if values["ideal"] == "ones" and values["gain"] in ("binary", "judged"):
        values = {**values, "ideal": "judged"}
    if values["ideal"] not in ("judged", "judged-uncut", "judged-to-depth", "list", "list-cut"):
        return False
    discount = values["discount"]
    if isinstance(discount, tuple) and list(discount) != sorted(discount, reverse=True):
        return False
    if convention is None:
        return True
    # A grade for unjudged documents raises the ranking's gain but not the ideal's; documents at the
    # mean of their ranks can together exceed the weight of these ranks.
    return (
        convention.duplicates != "count"
        and convention.ties not in SHARED_RANKS
        and convention.unjudged in ("zero", "irrelevant", "condense", 0)
    )
