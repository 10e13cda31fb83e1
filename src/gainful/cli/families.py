"""The option ``--family``, the families of systems and models, and other options of pairs."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.parameters import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FAMILIES", "split_pairs"]

FAMILIES = Parameter(
    "families",
    flags=("--family",),
    repeatable=True,
    convert=lambda words, values: split_pairs(words, "--family", "NAME=FAMILY"),
    metavar="NAME=FAMILY",
    help="The family of a system or model: the audit reports whether a model favors one."
    " Repeatable.",
)


def split_pairs(words: Sequence[str], flag: str, form: str) -> dict[str, str]:
    """Return the values of a repeatable option ``NAME=VALUE`` by name.

    Raises
    ------
    ParameterError
        For a word without a name, without a value, or without ``=``.

    Examples
    --------
    >>> split_pairs(["dense=small", "llm=small"], "--family", "NAME=FAMILY")
    {'dense': 'small', 'llm': 'small'}
    """
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ParameterError(where=flag, found=repr(word), expected=form)
        found[name.strip()] = value.strip()
    return found
