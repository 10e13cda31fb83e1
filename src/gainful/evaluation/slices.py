"""Slices of queries by one or several of their attributes."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from os import PathLike as AnyPath

from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Any, TypeAlias

    Attribute: TypeAlias = Mapping[str, object] | str | PathLike[str]
    #: One attribute, several, or several by name.
    By: TypeAlias = Attribute | Sequence[Attribute] | Mapping[str, Mapping[str, object]]
    #: The values of queries, by attribute and query.
    Values: TypeAlias = Mapping[str, Mapping[str, str]]

__all__ = ["read_attribute", "read_slices", "slice_by_attribute", "slice_queries", "slices_of"]

#: The value of queries without one.
_NONE = "(none)"


def read_attribute(given: Attribute, name: str) -> tuple[str, dict[str, str]]:
    """Return the name of an attribute and its values by query."""
    if isinstance(given, AnyMapping):
        # NaN, a data frame's missing value, is not equal to itself.
        return name, {
            str(query): str(value)
            for query, value in given.items()
            if not (
                value is None
                or (isinstance(value, str) and not value)
                or (isinstance(value, float) and value != value)
            )
        }
    if not isinstance(given, (str, AnyPath)):
        raise ArgumentError(
            where="clusters" if name == "cluster" else "by",
            found=type(given).__name__,
            expected="{query: value} or the path of a file",
        )
    from gainful.data.query_attributes import read_query_attribute, read_query_clusters

    attribute = (read_query_clusters if name == "cluster" else read_query_attribute)(given)
    return attribute.name, attribute.values


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
                "no query has a value",
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
