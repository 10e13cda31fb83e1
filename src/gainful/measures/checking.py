"""Check measures: parameters, cutoffs, and the presets verified for them."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures.catalogue import family as find_family
from gainful.measures.parameters import LARGEST, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.algebra import Measure
    from gainful.measures.family import Family, Policies, Values
    from gainful.measures.parameters import Value

#: How the values of a function are written as a table.
_TABLES = {
    "gain": "gain={grade: function(grade) for grade in range(5)}",
    "discount": "discount=[function(rank) for rank in range(1, 11)]",
}
#: The most families that a message lists.
_LISTED = 8


def checked_parameters(
    declared: Family, given: dict[str, object]
) -> tuple[Family, tuple[tuple[str, Value], ...]]:
    """Return the family and its parameters in canonical form and declared order."""
    given = {
        name: value
        for name, value in given.items()
        if value is not None or declared.parameter(name) is None
    }
    if declared.translate is not None:
        name, given = declared.translate(given)
        declared = find_family(name)
    values: Values = {}
    for parameter in declared.parameters:
        if parameter.name in given:
            value = given.pop(parameter.name)
            try:
                values[parameter.name] = parameter.check(value)
            except ValueError as error:
                raise MeasureError(
                    where=declared.name,
                    found=f"{parameter.name}={value!r}",
                    expected=parameter.legal,
                    hint=f"write the function as a table: {_TABLES[parameter.name]}"
                    if callable(value) and parameter.name in _TABLES
                    else f"{parameter.name} is {parameter.meaning}",
                ) from error
    if given:
        raise _unknown(declared, next(iter(given)))
    if declared.relate is not None:
        problem = declared.relate(values)
        if problem is not None:
            written = ", ".join(f"{name}={literal(value)}" for name, value in values.items())
            raise MeasureError(where=declared.name, found=written, expected=problem)
    return declared, tuple(values.items())


def _unknown(declared: Family, name: str) -> MeasureError:
    from difflib import get_close_matches

    names = [parameter.name for parameter in declared.parameters]
    hint = f"see ⟪measures()={declared.name}⟫"
    close = get_close_matches(name, names, n=1)
    if close:
        hint = f"did you mean {close[0]}?"
    elif name == "cutoff" or name == "k":
        hint = f"a cutoff is written {declared.name}@10"
    return MeasureError(
        where=declared.name,
        found=f"the parameter {name!r}",
        expected=f"one of {', '.join(names)}" if names else "no parameters",
        hint=hint,
    )


def checked_cutoff(declared: Family, cutoff: object) -> int:
    """Return the depth of ``@k`` as an integer of at least 1."""
    where = f"{declared.name}@{cutoff}"
    if not declared.takes_cutoff:
        raise MeasureError(
            where=where,
            found=f"cutoff {cutoff}",
            expected=f"{declared.name} without a cutoff",
            hint=f"{declared.name} is {declared.summary[0].lower()}{declared.summary[1:]}",
        )
    # NumPy's bool_ has __index__ before version 2.
    is_bool = type(cutoff).__name__ in {"bool", "bool_"}
    index = None if is_bool else getattr(type(cutoff), "__index__", None)
    try:
        depth = 0 if index is None else int(index(cutoff))
    except TypeError:
        depth = 0
    if not 1 <= depth <= LARGEST:
        raise MeasureError(
            where=where,
            found=f"cutoff {cutoff}",
            expected="a whole number of 1 or more" if depth < 1 else f"at most {LARGEST}",
            hint=f"leave '@{cutoff}' out to measure the whole ranking",
        )
    return depth


def is_verified(measure: Measure, convention: Policies) -> bool:
    """Return whether a convention may compute this measure."""
    verified = _verified(convention)
    if verified is None or measure.family in verified:
        return True
    return measure.declaration.describes_data or measure.declaration.is_own


def check_verified(measure: Measure, convention: Policies) -> None:
    """Reject a measure for which a preset is not verified to reproduce its tool.

    Raises
    ------
    MeasureError
        If the tool that the preset is named after may give another number.
    """
    if is_verified(measure, convention):
        return
    preset = convention.preset
    assert preset is not None
    check = preset.checks.get(measure.family)
    own = f"to apply its policies to {measure.family} under a name of your own, set name=NAME"
    hint = f"{own} as you would change a policy"
    if check is not None and check.status == "different":
        name = f"{check.names[0]} of {preset.name}" if check.names else preset.name
        raise MeasureError(f"{measure!r} is not equal to {name}, which {check.text}", hint=hint)
    verified = preset.measures or ()
    if len(verified) == 1:
        known = f"only {verified[0]} is"
    elif len(verified) <= _LISTED:
        known = f"only {', '.join(verified[:-1])} and {verified[-1]} are"
    else:
        known = f"⟪conventions()={convention.name}⟫ lists what is"
    raise MeasureError(
        f"{measure!r} is not verified for {convention.name}, {known}",
        hint=hint,
    )


def _verified(convention: Policies) -> tuple[str, ...] | None:
    preset = convention.preset
    return None if preset is None else preset.measures
