"""The option ``--family``, the families of systems and models, and other options of pairs."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.parameters import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["FAMILIES", "parse_pairs", "split_pairs"]

FAMILIES = Parameter(
    "families",
    flags=("--family",),
    repeatable=True,
    convert=lambda words, values: split_pairs(words, "--family", "NAME=FAMILY"),
    metavar="NAME=FAMILY",
    help="The family of a system or model: the audit reports whether a model favors one."
    " Repeatable.",
)


def parse_pairs(
    words: Iterable[str],
    flag: str,
    form: str,
    *,
    once: Callable[[str], str] | None = None,
    hint: str | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an option ``NAME=VALUE``; a value keeps its spaces.

    Parameters
    ----------
    words : iterable of str
        The values of the option.
    flag, form : str
        The option and the expected form, for errors.
    once : callable, optional
        From a duplicate name to the expected form. Default: names can have several values.
    hint : str, optional
        A hint for duplicate names.

    Raises
    ------
    ParameterError
        For a word without a name or an equals sign, or a duplicate name.
    """
    seen = set()
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(where=flag, found=repr(word), expected=form)
        if once is not None and name in seen:
            raise ParameterError(where=flag, found=f"{name} twice", expected=once(name), hint=hint)
        seen.add(name)
        yield name, value


def split_pairs(words: Iterable[str], flag: str, form: str) -> dict[str, str]:
    """Return the values of an option ``NAME=VALUE`` by name; no value is empty.

    Examples
    --------
    >>> split_pairs(["dense=small", "llm=small"], "--family", "NAME=FAMILY")
    {'dense': 'small', 'llm': 'small'}
    """
    pairs = {name: value.strip() for name, value in parse_pairs(words, flag, form)}
    for name, value in pairs.items():
        if not value:
            raise ParameterError(where=flag, found=repr(f"{name}="), expected=form)
    return pairs
