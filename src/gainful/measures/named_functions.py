"""Functions as the gain or the discount of a measure."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures.catalogue import MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gainful.measures.algebra import Measure
    from gainful.measures.family import Policies, Values
    from gainful.measures.parameters import Value

__all__ = ["TABLES", "NamedFunction", "computed_before", "tabulate"]

#: How a function is written as a table.
TABLES = {
    "gain": "gain={grade: function(grade) for grade in range(5)}",
    "discount": "discount=[function(rank) for rank in range(1, 11)]",
}
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
        """Return a function with its name, or the function that has a name.

        Raises
        ------
        ValueError
            For a function without a name, such as a lambda, and for an unknown name.
        """
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


def computed_before() -> tuple[float, ...]:
    """Return no grades: the values of the measure are there, and are not computed again."""
    return ()


def tabulate(
    measure: Measure,
    values: Values,
    cutoff: int | None,
    convention: Policies | None,
    grades: Callable[[], Iterable[float]] | None,
) -> Values:
    """Return the parameters of a measure with tables for functions.

    Raises
    ------
    MeasureError
        For a function that fails or returns no number, a gain without known grades, and a discount
        without a cutoff.
    """
    tables: Values = dict(values)
    for name, value in values.items():
        if not isinstance(value, NamedFunction):
            continue
        if grades is computed_before:
            tables[name] = ((0, 0),) if name == "gain" else (1,)
            continue
        if value.function is None:
            raise MeasureError(
                f"{measure!r} cannot be computed: the function {value} is not defined here",
                hint="import the module that defines it, and make the measure of the function",
            )
        if name == "gain":
            tables[name] = _gains(measure, value, values, convention, grades)
        else:
            tables[name] = _multipliers(measure, value, values, cutoff)
    return tables


def _gains(
    measure: Measure,
    gain: NamedFunction,
    values: Values,
    convention: Policies | None,
    grades: Callable[[], Iterable[float]] | None,
) -> Value:
    if grades is None:
        raise MeasureError(
            f"{measure!r} cannot be computed here from the function {gain}",
            hint=f"write the function as a table: {TABLES['gain']}",
        )
    known = {0.0, *grades()}
    if convention is not None and not isinstance(convention.unjudged, str):
        known.add(float(convention.unjudged))
    if convention is None or convention.negative != "signed":
        # The convention says what negative grades are worth.
        known = {grade for grade in known if grade >= 0}
    ideal = values.get("ideal")
    if isinstance(ideal, tuple):
        known.update(map(float, ideal))  # type: ignore[arg-type]
    if "max_grade" in values:
        known.add(float(values["max_grade"]))  # type: ignore[arg-type]
    return _checked(measure, "gain", {grade: _call(measure, gain, grade) for grade in known})


def _multipliers(
    measure: Measure, discount: NamedFunction, values: Values, cutoff: int | None
) -> Value:
    if cutoff is None or values.get("ideal") == "judged-uncut":
        uncut = "ideal='judged-uncut'" if cutoff is not None else "no cutoff"
        raise MeasureError(
            where=repr(measure),
            found=f"the function {discount} as the discount, and {uncut}",
            expected="a cutoff, so that the number of ranks is known",
            hint=f"write {measure.family}(...)@1000, or {TABLES['discount']}",
        )
    ranks = range(1, cutoff + 1)
    return _checked(measure, "discount", [_call(measure, discount, rank) for rank in ranks])


def _call(measure: Measure, function: NamedFunction, argument: float) -> object:
    assert function.function is not None
    try:
        return function.function(argument)
    except Exception as error:
        raise MeasureError(
            where=repr(measure),
            found=f"the function {function} raised {type(error).__name__} for {argument:g}",
            hint=str(error) or None,
        ) from error


def _checked(measure: Measure, name: str, table: object) -> Value:
    parameter = measure.declaration.parameter(name)
    assert parameter is not None
    try:
        return parameter.check(table)
    except (TypeError, ValueError) as error:
        raise MeasureError(
            where=repr(measure),
            found=f"{name}={table!r} from the function",
            expected=parameter.legal,
        ) from error
