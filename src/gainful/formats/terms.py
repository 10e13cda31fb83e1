"""Terms with definitions as text."""

from __future__ import annotations

from textwrap import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Entries = Sequence[tuple[str, str]]

WIDTH = 100


def definitions(title: str, *groups: Entries, width: int = WIDTH) -> str:
    """Format terms on the left and wrapped texts on the right, with a blank line between groups.

    Examples
    --------
    >>> known, parameters = [("range", "0 to 1")], [("gain", "what a grade is worth")]
    >>> print(definitions("nDCG", known, parameters), end="")
    nDCG
    <BLANKLINE>
      range  0 to 1
    <BLANKLINE>
      gain   what a grade is worth
    """
    indent = 4 + max((len(term) for group in groups for term, _ in group), default=0)
    lines = [title]
    for group in groups:
        if group:
            lines.append("")
        for term, text in group:
            wrapped = wrap(text, width - indent, break_long_words=False, break_on_hyphens=False)
            first, *others = wrapped or [""]
            lines.append(f"  {term}".ljust(indent) + first)
            lines += [" " * indent + other for other in others]
    return "\n".join(line.rstrip() for line in lines) + "\n"
