"""A measure of a query as an expression, and what several of them are made of."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.sums import Sums

    Told = dict[str, object]


@dataclass(frozen=True)
class Value:
    """A measure of a query.

    Attributes
    ----------
    value : str
        Its value.
    nothing : str or None
        The condition under which nothing is relevant for it; None where there is always something.
    kept : bool
        Whether its value stays what it is where nothing is relevant.
    parts : tuple of str
        DCG and IDCG of nDCG.
    """

    value: str
    nothing: str | None = None
    _: KW_ONLY
    kept: bool = False
    parts: tuple[str, ...] = ()


def cutoff_of(told: Told) -> int | None:
    """Return the cutoff that the kernel is told; None without one."""
    cutoff = told.get("cutoff")
    assert cutoff is None or isinstance(cutoff, int)
    return cutoff


def rel_of(told: Told) -> float:
    """Return the level of relevance that the kernel is told."""
    rel = told["rel"]
    assert isinstance(rel, float)
    return rel


def share(part: str, whole: str, sums: Sums) -> str:
    """Return a quotient; 0 where it is one by 0."""
    if whole.isdecimal():
        return f"{part} / {whole}"
    return f"COALESCE({part} / NULLIF({whole}, {sums.dialect.number(0)}), {sums.dialect.number(0)})"


def none_relevant(told: Told, sums: Sums) -> str:
    """Return the condition that no judged document is relevant."""
    return f"{sums.relevant(rel_of(told))} = {sums.dialect.number(0)}"


def none_gains(told: Told, sums: Sums) -> str:
    """Return the condition that no judged document gains anything."""
    most = sums.pool(f"MAX({sums.gain(told['gain'])})")
    return f"{most} <= {sums.dialect.number(0)}"


def least(first: str, second: str) -> str:
    """Return the smaller of two numbers."""
    return f"LEAST({first}, {second})"
