"""The colors of systems in plots and reports."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["color_of", "set_colors"]

_colors: dict[str, str] = {}


@suggest_keywords
def set_colors(colors: Mapping[str, str], *, where: str = "colors") -> None:
    """Set the colors of systems in plots and reports.

    Systems without one have the colors of Gainful. On the command line, the table ``colors`` of
    ``gainful.toml`` sets them.

    Parameters
    ----------
    colors : mapping of str to str
        A color such as ``"#1f77b4"`` by the name of the system. An empty one resets all.
    where : str
        What errors name.

    Raises
    ------
    ParameterError
        For a color in another form.

    Examples
    --------
    >>> set_colors({"bm25": "#555555", "dense": "#d00"})
    >>> color_of("dense"), color_of("other")
    ('#d00', None)
    >>> set_colors({})
    """
    for system, color in colors.items():
        digits = str(color).removeprefix("#") if str(color)[:1] == "#" else ""
        if len(digits) not in (3, 6) or not set(digits.lower()) <= {*"0123456789abcdef"}:
            raise ParameterError(
                where=f"{where}.{system}", found=repr(color), expected="a color such as '#1f77b4'"
            )
    _colors.clear()
    _colors.update(colors)


def color_of(system: str) -> str | None:
    """Return the color that is set for a system, or None."""
    return _colors.get(system)
