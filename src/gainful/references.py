"""References to parameters in texts: arguments in Python, options on the command line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Reference = Callable[[str, str], str]

__all__ = ["argument", "refer", "set_reference", "with_references"]

#: Names of Python's arguments that differ from the names in texts.
_ARGUMENTS = {"written_format": "format"}
#: What Python has for commands, without and with a value, which is an argument of the second.
_FUNCTIONS = {
    "measures()": ("gainful.measures.families()", "gainful.measures.describe"),
    "conventions()": ("list(gainful.conventions)", "gainful.conventions.describe"),
    "compare()": ("gainful.compare()", ""),
    "convert()": ("rename(queries=..., documents=...)", ""),
    "recommenders()": (
        "gainful.backends.recommendations.evaluate_recommendations()",
        "",
    ),
    "evaluate()": ("gainful.evaluate(...).save('FILE.tsv')", ""),
    "gate()": ("gainful.make_snapshot(...).write(FILE)", ""),
    "pool()": ("gainful.pool(..., strategy='sample').write(FILE)", ""),
    "recover": ("gainful.judging.recover_session()", ""),
    "subtopics": ("qrels.merged()", "qrels.merged"),
}


def argument(name: str, value: str) -> str:
    """Return a parameter as an argument in Python.

    Examples
    --------
    >>> argument("top", "50"), argument("measures()", "AP")
    ('top=50', "gainful.measures.describe('AP')")
    """
    if name in _FUNCTIONS:
        listing, one = _FUNCTIONS[name]
        return f"{one}({value!r})" if value and one else listing
    return f"{_ARGUMENTS.get(name, name)}={value}"


def with_references(text: str, reference: Reference) -> str:
    """Replace ``⟪name⟫``, ``⟪name=value⟫`` and commands, ``⟪name()⟫``, in a text.

    Examples
    --------
    >>> with_references("set ⟪top=50⟫", argument)
    'set top=50'
    """
    first, *others = text.split("⟪")
    parts = [first]
    for other in others:
        inside, mark, after = other.partition("⟫")
        name, _, value = inside.partition("=")
        parts += [reference(name, value), after] if mark else ["⟪", other]
    return "".join(parts)


_reference: Reference | None = None


def set_reference(reference: Reference | None) -> Reference | None:
    """Set how `refer` names parameters, and return what was set before."""
    global _reference
    before, _reference = _reference, reference
    return before


def refer(name: str, value: str = "", *, python: str = "") -> str:
    """Return a parameter as the interface in use names it.

    Examples
    --------
    >>> refer("family", "'all'"), refer("format", "tsv", python="records()")
    ("family='all'", 'records()')
    """
    if _reference is not None:
        return _reference(name, value)
    return python or argument(name, value)
