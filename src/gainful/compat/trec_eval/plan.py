"""Plan the values and formulas of the requested measures."""

from __future__ import annotations

import os

from gainful.compat.trec_eval.settings import (
    FILES,
    Row,
    Settings,
    Stop,
    atof,
    atol,
    rows,
)
from gainful.errors import MeasureError
from gainful.measures import Measure
from gainful.measures.parameters import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.conventions import Convention

    Kernel = tuple[str, str, dict[str, object]]


def read_cutoffs(text: str, measure: str) -> list[int]:
    """Read cutoffs, ascending.

    Examples
    --------
    >>> read_cutoffs("10,5,23.4", "P")
    [5, 10, 23]
    """
    cutoffs = sorted(atol(word) for word in text.split(","))
    if cutoffs[0] <= 0:
        raise _parameter_error("Negative cutoff detected", measure)
    _check_distinct(cutoffs, measure)
    return cutoffs


def read_points(text: str, measure: str) -> list[float]:
    """Read numbers with one value each, ascending.

    Examples
    --------
    >>> read_points(".50,.25", "iprec_at_recall")
    [0.25, 0.5]
    """
    points = sorted(atof(word) for word in text.split(","))
    _check_distinct(points, measure)
    return points


def read_numbers(text: str) -> list[float]:
    """Read numbers in the order given.

    Examples
    --------
    >>> read_numbers("1,-1,0,0")
    [1.0, -1.0, 0.0, 0.0]
    """
    return [atof(word) for word in text.split(",")]


def read_pairs(text: str, measure: str) -> list[tuple[str, float]]:
    """Read pairs of a name and a number.

    Examples
    --------
    >>> read_pairs("1=3.5,2=9", "ndcg")
    [('1', 3.5), ('2', 9.0)]
    """
    pairs = []
    for word in text.split(","):
        name, equals, value = word.partition("=")
        if not equals or "=" in value:
            raise _parameter_error(f"malformed pair parameters in '{text}'", measure)
        pairs.append((name, atof(value)))
    return pairs


def read_gains(given: list[tuple[str, float]], version: int) -> list[tuple[int, float]]:
    """Return the gains of grades from pairs; the first pair of a grade counts.

    Version 9 uses the number that a name begins with; version 10 ignores names that are not whole
    numbers.

    Examples
    --------
    >>> read_gains([("1", 3.5), ("1", 4.0), ("x", 9.0)], 9), read_gains([("x", 9.0)], 10)
    ([(1, 3.5), (0, 9.0)], [])
    """
    gains: dict[int, float] = {}
    for name, gain in given:
        if version == 9 or _is_whole(name):
            gains.setdefault(atol(name), gain)
    return list(gains.items())


def _is_whole(name: str) -> bool:
    digits = name[1:] if name[:1] in ("-", "+") else name
    return digits.isascii() and digits.isdigit()


def _check_distinct(found: Sequence[float], measure: str) -> None:
    if any(found[index] == found[index - 1] for index in range(1, len(found))):
        raise _parameter_error("duplicate cutoffs detected", measure)


def _parameter_error(what: str, measure: str) -> Stop:
    return Stop(FILES, f"trec_eval: {what}\ntrec_eval: Cannot initialize measure '{measure}'\n")


class PrintedValue:
    """A printed value of a topic, with its name and source.

    Attributes
    ----------
    row : Row
        Its measure.
    name : bytes
        The printed name.
    kernel : int or None
        Its index in `OutputPlan.kernels`; -1 - index for `OutputPlan.below`; None if the kernel
        does not compute it.
    """

    __slots__ = ("kernel", "name", "row")

    def __init__(self, row: Row, name: str, kernel: int | None = None) -> None:
        self.row = row
        self.name = os.fsencode(name)
        self.kernel = kernel

    @property
    def is_logarithm(self) -> bool:
        """Whether a NaN is the logarithm of a negative number, which has no sign."""
        return self.row.name in ("G", "yaap")


class OutputPlan:
    """All values in output order, and the formulas that compute them.

    Parameters
    ----------
    settings : Settings
        The settings.
    convention : Convention
        The convention.

    Attributes
    ----------
    marked : list of Row
        The requested measures, in output order.
    values : list of PrintedValue
        Their values.
    kernels : list
        The distinct formulas that the kernel computes.
    below : list
        The same for measures in which unjudged documents have the grade -1 and negative grades
        are -2: with a relevance level below 0, or gains of negative grades.
    strings : int or None
        The number of documents in ``relstring``; None if it is not printed.
    misfits : set of str
        The measures with a wrong number of coefficients.
    tables : dict
        The tables of gains by measure.

    Raises
    ------
    Stop
        For parameters that trec_eval refuses.
    """

    def __init__(self, settings: Settings, convention: Convention) -> None:
        self._settings = settings
        self._convention = convention
        self._numbers: dict[str, int] = {}
        self.kernels: list[Kernel] = []
        self.below: list[Kernel] = []
        self.strings: int | None = None
        self.invalid: set[str] = set()
        self.values: list[PrintedValue] = []
        self.tables: dict[str, list[tuple[int, float]]] = {}
        table = rows(settings.version)
        self.marked = [row for name, row in table.items() if name in settings.marked]
        for row in self.marked:
            self._add(row, settings.parameters.get(row.name))

    def _add(self, row: Row, given: str | None) -> None:
        name = row.name
        whole = name if given is None else f"{name}_{given}"
        if row.takes == "cutoffs":
            for cutoff in self.cutoffs(row):
                # No ranking is deeper than this limit.
                self._value(row, f"{name}_{cutoff}", {}, min(cutoff, LARGEST))
        elif row.takes == "points":
            points = row.default if given is None else read_points(given, name)
            for point in points:
                # trec_eval truncates the name to this length.
                shown = f"{name}_{point:3.2f}"[: len(name) + 9]
                self._value(row, shown, {row.slot: point})
        elif row.takes == "numbers":
            numbers = row.default if given is None else read_numbers(given)
            self._with_numbers(row, whole, numbers)
        elif row.takes == "pairs":
            pairs = [] if given is None else read_pairs(given, name)
            self._with_pairs(row, whole, pairs)
        else:
            self._value(row, name, {})

    def cutoffs(self, row: Row) -> list[int]:
        """Return the cutoffs of a measure."""
        value = self._settings.parameters.get(row.name)
        if value is None:
            return [int(cutoff) for cutoff in row.default]
        return read_cutoffs(value, row.name)

    def _with_numbers(self, row: Row, name: str, numbers: Sequence[float]) -> None:
        if row.name == "utility":
            if len(numbers) != len(row.default):
                self.invalid.add(row.name)
                self.values.append(PrintedValue(row, name))
                return
            params: dict[str, object] = dict(zip("abcd", numbers, strict=True))
            params["collection"] = self._settings.collection
            self._value(row, name, params)
        elif row.name == "relstring":
            # It has no average.
            self.strings = _length(numbers[0]) if self._settings.topics else None
            self.values.append(PrintedValue(row, name))
        elif row.slot == "recalls":
            self._value(row, name, {row.slot: tuple(numbers)})
        else:
            self._value(row, name, {row.slot: numbers[0]})

    def _with_pairs(self, row: Row, name: str, pairs: list[tuple[str, float]]) -> None:
        gains = read_gains(pairs, self._settings.version)
        params: dict[str, object] = {}
        if row.name == "rbp":
            params.update(pair for pair in pairs if pair[0] == "p")
        elif gains:
            params[row.slot] = tuple(gains)
        if gains:
            self.tables[row.name] = gains
        self._value(row, name, params)

    def _value(
        self, row: Row, name: str, params: Mapping[str, object], cutoff: int | None = None
    ) -> None:
        kernel = self._kernel(row, params, cutoff) if row.family else None
        self.values.append(PrintedValue(row, name, kernel))

    def _kernel(self, row: Row, params: Mapping[str, object], cutoff: int | None = None) -> int:
        """Return the index of a formula, which is added if it is new; see `PrintedValue.kernel`."""
        below = row.levelled != "no" and self._settings.level < 0
        gains = params.get("gain")
        if isinstance(gains, tuple) and any(grade < 0 for grade, _ in gains):
            below = True
            params = {**params, "gain": tuple({-1: 0.0, -2: 0.0, **dict(gains)}.items())}
        # With -J all remaining documents are judged and not negative.
        below = below and not self._settings.judged_only
        try:
            measure = Measure(row.family, {**row.params, **params}, cutoff)
            kernel, values = measure.spec(self._convention)
        except MeasureError:
            # trec_eval accepts values that our measures refuse: replace a legal value afterwards.
            legal = {row.slot: row.default[0]} if row.takes == "points" else {}
            measure = Measure(row.family, {**row.params, **legal}, cutoff)
            kernel, values = measure.spec(self._convention)
            values.update(params)
        if row.slot == "recalls":
            values.update(params)
        if row.name in ("iprec_at_recall", "11pt_avg", "Rndcg"):
            # 0/0 if nothing was retrieved, or nothing has a gain.
            values["undefined"] = True
        if "rel" in values:
            values["rel"] = float(self._settings.level)
        if below and isinstance(gains, tuple):
            values["never_ideal"] = True
        key = repr((below, kernel, sorted(values.items())))
        kernels = self.below if below else self.kernels
        number = self._numbers.setdefault(key, len(kernels))
        if number == len(kernels):
            kernels.append((row.name, kernel, values))
        return -1 - number if below else number


def _length(number: float) -> int:
    """Return a number of characters as parsed by C, limited to the depth of rankings."""
    return int(min(max(number, 0.0), 2.0**31)) if number == number else 0
