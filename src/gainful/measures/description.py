"""Terms and what they mean, as text for people: one measure."""

from __future__ import annotations

from textwrap import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.measures.family import Family

    Entries = Sequence[tuple[str, str]]

WIDTH = 100


def definitions(title: str, *groups: Entries, width: int = WIDTH) -> str:
    """Return terms on the left and wrapped texts on the right, with a line between groups.

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


def of_measure(family: Family) -> str:
    """Return what is known about a family of measures: formula, source, parameters, names."""
    known = [("formula", family.formula), ("source", family.source), ("example", family.example)]
    known.append(("range", _range(family)))
    if not family.takes_cutoff and family.at is None:
        known.append(("cutoff", "none"))
    if family.judgments != "grades":
        known.append(("judgments", f"with {family.judgments} (subtopics=True)"))
    if family.aggregate == "sum":
        known.append(("queries", "summed, not averaged"))
    elif family.aggregate == "geometric":
        known.append(("queries", "averaged by the geometric mean"))
    if family.trec_names:
        known.append(("trec_eval", ", ".join(family.trec_names)))
    everyday = [alias for alias in family.aliases if alias != family.name.lower()]
    if everyday:
        known.append(("also read", ", ".join(map(_alias, everyday))))
    parameters = []
    for parameter in family.parameters:
        default = "" if parameter.default is None else f" Without it {parameter.default!r}."
        parameters.append(
            (parameter.name, f"{parameter.meaning}. It can be {parameter.legal}.{default}")
        )
    return definitions(f"{family.name}: {family.summary}", known, parameters)


def _alias(name: str) -> str:
    from gainful.measures import Measure
    from gainful.measures.names import ALIASES

    meant = Measure(*ALIASES[name])
    return f"{name} as {meant}" if meant.params else name


def _range(family: Family) -> str:
    if family.high is None:
        return "any number" if family.low is None else f"{family.low:g} and more"
    return f"{family.low:g} to {family.high:g}" if family.low is not None else f"to {family.high:g}"
