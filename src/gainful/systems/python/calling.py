"""Arguments of a Python function: which parameters get the text, k, the id and fields."""

from __future__ import annotations

import inspect

from gainful.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.systems.protocol import Query

    Arguments: TypeAlias = tuple[list[Any], dict[str, Any]]

__all__ = ["Calling"]

#: Parameters for the number of documents.
DEPTHS = frozenset(
    (
        *("k", "top_k", "topk", "top_n", "topn", "n", "limit", "size", "rows", "depth", "count"),
        *("num_results", "n_results", "max_results", "num_hits", "max_hits", "similarity_top_k"),
    )
)
_IDENTIFIERS = frozenset(("query_id", "query_ids", "qid", "qids"))

_KINDS = inspect.Parameter


class Calling:
    """The arguments of a function.

    Parameters
    ----------
    text : str, optional
        The parameter for the text. Default: the first one, by position.
    k : str or None
        The parameter for k; 1 for the second one, by position; None for no parameter.
    given : mapping of str to str
        Other parameters, with the query's field for each.
    needed : frozenset of str
        Those without a default value.
    identifier, whole : str or None
        The parameters for the query's id and for all its fields.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> def search(text, /, *, locale, top_k=10): ...
    >>> calling = Calling.found(search)
    >>> calling.of_one(Query("q1", "tea", {"locale": "de", "age": 3}), 100)
    (['tea'], {'top_k': 100, 'locale': 'de'})
    """

    def __init__(
        self,
        *,
        text: str | None = "",
        k: str | int | None = None,
        given: Mapping[str, str] | None = None,
        needed: frozenset[str] = frozenset(),
        identifier: str | None = None,
        whole: str | None = None,
    ) -> None:
        self.text = text
        self.k = k
        self.given = dict(given or {})
        # Without a text, the other parameters identify the query.
        self.needed = needed if text is not None else frozenset(self.given)
        self.identifier = identifier
        self.whole = whole
        self._bare = text == "" and not self.given and not identifier and not whole

    @classmethod
    def found(cls, function: Callable[..., Any]) -> Calling:
        """Derive the arguments from the parameters of a function.

        Raises
        ------
        ArgumentError
            If no parameter is for the text.
        """
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            # The signature is unknown; most search functions take these two.
            return cls(k=1)
        placed = [each for each in parameters if each.kind in _BY_PLACE]
        if len(placed) < 2 and any(each.kind is _KINDS.VAR_POSITIONAL for each in parameters):
            return cls(k=1)
        if not placed:
            raise ArgumentError(
                f"the function takes {_listed(parameters)}, and not the text of a query first",
                where="a system",
            )
        # A second parameter of another name is k only if no parameter is called k.
        unnamed = not any(each.name.lower() in DEPTHS for each in parameters[1:])
        k: str | int | None = None
        given: dict[str, str] = {}
        needed: list[str] = []
        identifier = whole = None
        for place, each in enumerate(parameters[1:], start=1):
            name = each.name
            if each.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD):
                continue
            by_place = each.kind is _KINDS.POSITIONAL_ONLY
            if k is None and name.lower() in DEPTHS and (not by_place or place == 1):
                k = 1 if by_place else name
            elif name in _IDENTIFIERS and not by_place:
                identifier = name
            elif name == "fields" and not by_place:
                whole = name
            elif unnamed and place == 1 and each.kind in _BY_PLACE and _like_a_depth(each):
                k = 1
            else:
                given[name] = name
                if each.default is _KINDS.empty:
                    needed.append(name)
        return cls(k=k, given=given, needed=frozenset(needed), identifier=identifier, whole=whole)

    def of_one(self, query: Query, k: int) -> Arguments:
        """Return the arguments for one query.

        Raises
        ------
        ArgumentError
            If the query lacks a required field.
        """
        if self._bare:
            if self.k == 1:
                return [query.text, k], {}
            return [query.text], {} if self.k is None else {self.k: k}  # type: ignore[dict-item]
        return self._arguments(query.text, query.id, query.fields, [query], k)

    def of_several(self, queries: Sequence[Query], k: int) -> Arguments:
        """Return the arguments for several queries, each as a list."""
        ids, texts, fields = zip(*queries, strict=True)
        return self._arguments(list(texts), list(ids), list(fields), queries, k, several=True)

    def _arguments(
        self,
        text: Any,
        identifier: Any,
        fields: Any,
        queries: Sequence[Query],
        k: int,
        several: bool = False,
    ) -> Arguments:
        positional: list[Any] = [text] if self.text == "" else []
        named: dict[str, Any] = {self.text: text} if self.text else {}
        if self.k == 1:
            positional.append(k)
        elif isinstance(self.k, str):
            named[self.k] = k
        if self.identifier is not None:
            named[self.identifier] = identifier
        if self.whole is not None:
            named[self.whole] = fields
        for parameter, field in self.given.items():
            missing = next((query for query in queries if field not in query.fields), None)
            if missing is None:
                values = [query.fields[field] for query in queries]
                named[parameter] = values if several else values[0]
            elif parameter in self.needed:
                raise ArgumentError(
                    f"the function needs the field {field!r}, but the query has "
                    f"{', '.join(missing.fields) or 'no fields'}",
                    where="a system",
                    query=missing.id,
                    hint="give the parameter a default value, or add the field to the queries",
                )
        return positional, named


_BY_PLACE = (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD)


def _like_a_depth(parameter: inspect.Parameter) -> bool:
    """Return whether a second parameter may be the number of documents."""
    default = parameter.default
    return default is _KINDS.empty or (isinstance(default, int) and not isinstance(default, bool))


def _listed(parameters: Sequence[inspect.Parameter]) -> str:
    return ", ".join(map(str, parameters)) or "nothing"
