"""Slices of queries by one or several of their attributes."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping

from gainful.comparison.arguments import read_attribute
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.comparison.arguments import Attribute

    #: One attribute, several, or several by name.
    By: TypeAlias = Attribute | Sequence[Attribute] | Mapping[str, Mapping[str, object]]
    #: The values of queries, by attribute and query.
    Values: TypeAlias = Mapping[str, Mapping[str, str]]

__all__ = ["read_slices", "slice_by_attribute", "slice_queries", "slices_of"]

#: The value of queries without one.
_NONE = "(none)"


def read_slices(by: By | None, name: str = "segment") -> dict[str, dict[str, str]]:
    """Return the values of queries by attribute; a single mapping is called `name`.

    Raises
    ------
    ParameterError
        If two attributes have the same name.
    """
    if by is None:
        return {}
    if isinstance(by, AnyMapping) and by and all(isinstance(v, AnyMapping) for v in by.values()):
        named: Mapping[str, Attribute] = by  # type: ignore[assignment]
        read = [read_attribute(values, attribute) for attribute, values in named.items()]
    else:
        listed: Sequence[Any] = by if isinstance(by, (list, tuple)) else [by]
        read = [read_attribute(attribute, name) for attribute in listed]
    names = [attribute for attribute, _ in read]
    for attribute in names:
        if names.count(attribute) > 1:
            raise ParameterError(f"two attributes have the name {attribute!r}", where="by")
    return dict(read)


def slices_of(attributes: Values, query: str) -> list[str]:
    """Return the slices of a query, one for each attribute.

    Examples
    --------
    >>> slices_of({"kind": {"q1": "news"}}, "q1")
    ['news']
    >>> slices_of({"kind": {"q1": "news"}, "length": {}}, "q1")
    ['kind: news', 'length: (none)']
    """
    if len(attributes) == 1:
        return [values.get(query, _NONE) for values in attributes.values()]
    return [f"{name}: {values.get(query, _NONE)}" for name, values in attributes.items()]


def slice_queries(attributes: Values, queries: Sequence[str]) -> dict[str, list[str]]:
    """Return the queries of each slice, in display order.

    Raises
    ------
    ParameterError
        If no query has a value of an attribute.
    """
    parts = slice_by_attribute(attributes, queries).values()
    return {name: members for slices in parts for name, members in slices.items()}


def slice_by_attribute(
    attributes: Values, queries: Sequence[str]
) -> dict[str, dict[str, list[str]]]:
    """Return `slice_queries` of each attribute."""
    parts: dict[str, dict[str, list[str]]] = {}
    for place, (attribute, values) in enumerate(attributes.items()):
        known = [query for query in queries if query in values]
        if not known:
            raise ParameterError(
                "no compared query has a value",
                where="by",
                hint="check that the ids are those of the queries",
            )
        slices = parts[attribute] = {}
        # Queries without a value come last.
        for query in sorted(known, key=values.__getitem__) + [
            query for query in queries if query not in values
        ]:
            slices.setdefault(slices_of(attributes, query)[place], []).append(query)
    return parts
