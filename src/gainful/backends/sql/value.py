"""A measure as a SQL expression, and its building blocks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.sums import Sums

    Params = dict[str, object]


@dataclass(frozen=True)
class Value:
    """A measure as a SQL expression.

    Attributes
    ----------
    value : str
        Its value.
    nothing : str or None
        The condition that the query has no relevant documents; None if it never applies.
    kept : bool
        Whether the value does not change if there are no relevant documents.
    parts : tuple of str
        DCG and IDCG of nDCG.
    """

    value: str
    nothing: str | None = None
    _: KW_ONLY
    kept: bool = False
    parts: tuple[str, ...] = ()


def cutoff_of(params: Params) -> int | None:
    """Return the cutoff of a measure; None without one."""
    cutoff = params.get("cutoff")
    assert cutoff is None or isinstance(cutoff, int)
    return cutoff


def rel_of(params: Params) -> float:
    """Return the lowest relevant grade of a measure."""
    rel = params["rel"]
    assert isinstance(rel, float)
    return rel


def share(part: str, whole: str, sums: Sums) -> str:
    """Return a quotient; 0 for division by 0."""
    if whole.isdecimal():
        return f"{part} / {whole}"
    return f"COALESCE({part} / NULLIF({whole}, {sums.dialect.number(0)}), {sums.dialect.number(0)})"


def none_relevant(params: Params, sums: Sums) -> str:
    """Return the condition that no judged document is relevant."""
    return f"{sums.relevant(rel_of(params))} = {sums.dialect.number(0)}"


def none_gains(params: Params, sums: Sums) -> str:
    """Return the condition that no judged document has a gain."""
    most = sums.pool(f"MAX({sums.gain(params['gain'])})")
    return f"{most} <= {sums.dialect.number(0)}"


def least(first: str, second: str) -> str:
    """Return the smaller of two numbers."""
    return f"LEAST({first}, {second})"
