"""Quote values, names and text in messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["names_shown", "printable", "show_direction_marks", "shown"]

#: The maximum length of a value.
_LONGEST = 60
#: The maximum number of listed names; others are counted.
_NAMES = 20


def shown(value: object, *, longest: int = _LONGEST) -> str:
    """Return the `repr` of a value, shortened for a message.

    Examples
    --------
    >>> shown("soup"), len(shown(10**400)), shown(10**5000)
    ("'soup'", 60, 'a whole number of more than 4,300 digits')
    """
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to convert whole numbers with more digits.
        return "a whole number of more than 4,300 digits"
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def names_shown(names: Iterable[object]) -> str:
    r"""Return names of columns or fields for a message, quoted if not printable.

    Examples
    --------
    >>> names_shown(["query_id", "grade"]), names_shown(["a\tb", "\udcff"])
    ('query_id, grade', "'a\\tb', '\\udcff'")
    >>> names_shown(range(30))[-18:]
    '18, 19 and 10 more'
    """
    every = [str(name) for name in names]
    parts = [
        name if name.isprintable() and 0 < len(name) <= _LONGEST else shown(name)
        for name in every[:_NAMES]
    ]
    more = f" and {len(every) - _NAMES:,} more" if len(every) > _NAMES else ""
    return ", ".join(parts) + more


#: Control characters except the line end, and marks that reverse the direction of text.
_CONTROL = (*range(10), *range(11, 32), *range(127, 160))
_DIRECTION = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CODES = {code: f"\\x{code:02x}" for code in _CONTROL} | {
    code: f"\\u{code:04x}" for code in _DIRECTION
}

_CODES_BUT_TABS = {code: escape for code, escape in _CODES.items() if code != ord("\t")}


def show_direction_marks(text: str, escape: str = r"\u{:04x}") -> str:
    r"""Escape the marks that reverse the direction of text, which control characters are not.

    Examples
    --------
    >>> print(show_direction_marks("run\u202etxt"))
    run\u202etxt
    """
    marks = {code: escape.format(code) for code in _DIRECTION}
    return text.translate(marks) if not text.isascii() else text


def printable(text: str, *, tabs: bool = False) -> str:
    r"""Escape control characters that a terminal would interpret; tabs only if not allowed.

    Examples
    --------
    >>> print(printable("\x1b[31mred.run"))
    \x1b[31mred.run
    """
    return text.translate(_CODES_BUT_TABS if tabs else _CODES)
