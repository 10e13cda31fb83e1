"""Templates: a structure with ``{{placeholders}}`` in its texts.

Values are inserted into the parsed structure, which is then encoded as JSON, as an address, or as
the parameters of a statement. Query text is never pasted into text that is parsed later, unless a
filter escapes it for a language.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import NamedTuple

from gainful.errors import FormatError, SearchError
from gainful.references import refer
from gainful.systems.languages import FILTERS, plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.systems.protocol import Query

__all__ = ["BUILT_IN", "Placeholder", "Template", "parse_text", "query_value"]

#: Placeholders of every query; ``field.NAME`` is any other attribute.
BUILT_IN = ("k", "query", "query_id", "vector")

_PLACEHOLDER = re.compile(r"\\\{\{|\{\{(?P<inside>[^{}]*)\}\}|(?P<open>\{\{)")


class Placeholder(NamedTuple):
    """A placeholder.

    Attributes
    ----------
    name : str
        ``query``, ``query_id``, ``k``, ``vector``, ``field.NAME`` or the name of a setting.
    filters : tuple of str
        Names of `FILTERS`, applied from left to right.
    """

    name: str
    filters: tuple[str, ...] = ()

    @property
    def of_query(self) -> bool:
        """Whether it is a value of the query, as opposed to a setting."""
        return self.name in BUILT_IN or self.name.startswith("field.")

    def __str__(self) -> str:
        return "{{" + "|".join((self.name, *self.filters)) + "}}"


def parse_text(text: str, where: str = "", file: str | None = None) -> list[str | Placeholder]:
    r"""Split a text into literal parts and placeholders.

    Parameters
    ----------
    text : str
        ``\{{`` is an escape for two literal braces.
    where, file : str, optional
        For messages.

    Raises
    ------
    FormatError
        If braces are not closed, or a filter is unknown.

    Examples
    --------
    >>> parse_text("title:({{query|lucene}})")
    ['title:(', Placeholder(name='query', filters=('lucene',)), ')']
    """
    parts: list[str | Placeholder] = []
    at = 0
    for match in _PLACEHOLDER.finditer(text):
        if match.start() > at:
            parts.append(text[at : match.start()])
        at = match.end()
        if match["open"] is not None:
            raise FormatError(
                f"braces are not closed in {text[match.start() :][:40]!r}",
                file=file,
                where=where,
                hint=r"placeholders are {{name}} or {{name|filter}}; \{{ is two literal braces",
            )
        if match["inside"] is None:
            parts.append("{{")
            continue
        parts.append(_placeholder(match["inside"], where, file))
    if at < len(text):
        parts.append(text[at:])
    return parts


def _placeholder(inside: str, where: str, file: str | None) -> Placeholder:
    name, *filters = (part.strip() for part in inside.split("|"))
    for filter_name in filters:
        if filter_name not in FILTERS:
            raise FormatError(
                f"unknown filter {filter_name!r} in {{{{{inside}}}}}, expected one of "
                f"{', '.join(FILTERS)}",
                file=file,
                where=where,
            )
    if not name:
        raise FormatError(f"no name in {{{{{inside}}}}}", file=file, where=where)
    return Placeholder(name, tuple(filters))


def query_value(placeholder: Placeholder, query: Query, k: int, fields: Mapping[str, Any]) -> Any:
    """Return the query's value of a placeholder, filtered.

    Parameters
    ----------
    placeholder : Placeholder
        One for which `of_query` is true.
    query : Query
        The query.
    k : int
        The number of documents to request.
    fields : mapping
        The values of fields that the query lacks.

    Raises
    ------
    SearchError
        If neither has a value.
    """
    name = placeholder.name
    value: Any
    if name == "query":
        value = query.text
    elif name == "k":
        value = k
    elif name == "query_id":
        value = query.id
    else:
        field = "vector" if name == "vector" else name.removeprefix("field.")
        if field in query.fields:
            value = query.fields[field]
        elif field in fields:
            value = fields[field]
        else:
            vectors = refer("vectors", "FILE", python="Queries.of(queries, vectors=…)")
            raise SearchError(
                f"the query has no field {field!r} for {placeholder}",
                query=query.id,
                hint=f"add vectors with {vectors}"
                if field == "vector"
                else f"set a default for all queries with [fields] {field} = …",
            )
        plain = getattr(value, "tolist", None)
        if plain is not None:
            value = plain()
    return apply_filters(placeholder, value, query)


def apply_filters(placeholder: Placeholder, value: Any, query: Query | None = None) -> Any:
    """Apply the filters of a placeholder to a value."""
    for name in placeholder.filters:
        try:
            value = FILTERS[name](value)
        except (TypeError, ValueError) as error:
            raise SearchError(
                f"{placeholder}: {error}", query=query.id if query is not None else None
            ) from None
    return value


class _Dynamic(NamedTuple):
    """A part of a template that depends on the query."""

    make: Callable[[Query, int], Any]


class Template:
    """A structure with placeholders that are filled in for each query.

    Parameters
    ----------
    value : str, number, list or mapping
        The value from TOML.
    settings : mapping of str to value, optional
        Values of placeholders that are not part of a query, by dotted names.
    fields : mapping of str to value, optional
        The values of fields that a query lacks.
    where, file : str, optional
        For messages.
    encode : callable, optional
        Encodes values as text for their context; without it they keep their types.

    Attributes
    ----------
    placeholders : tuple of Placeholder
        All of its placeholders.

    Raises
    ------
    FormatError
        If a placeholder is unknown.

    Examples
    --------
    A text that consists of one placeholder keeps the type of its value:

    >>> from gainful.systems import Query
    >>> template = Template(
    ...     {"size": "{{k}}", "fields": ["title^{{boost}}"], "q": "{{query}}"}, {"boost": 2}
    ... )
    >>> template.render(Query("q1", 'the "best"'), 10)
    {'size': 10, 'fields': ['title^2'], 'q': 'the "best"'}
    """

    def __init__(
        self,
        value: Any,
        settings: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        *,
        where: str = "",
        file: str | None = None,
        encode: Callable[[str], str] | None = None,
    ) -> None:
        self._encode = encode
        self._settings = settings or {}
        self._fields = fields or {}
        self._file = file
        found: list[Placeholder] = []
        self._compiled = self._compile(value, where, found)
        self.placeholders = tuple(found)

    @property
    def constant(self) -> bool:
        """Whether it does not depend on the query."""
        return not isinstance(self._compiled, _Dynamic)

    def render(self, query: Query, k: int) -> Any:
        """Fill in the values of a query. Do not edit the result: parts may be shared.

        Raises
        ------
        SearchError
            If the query lacks a value, or has an invalid one.
        """
        compiled = self._compiled
        return compiled.make(query, k) if isinstance(compiled, _Dynamic) else compiled

    def value(self) -> Any:
        """Return the value of a template that does not depend on the query."""
        if isinstance(self._compiled, _Dynamic):
            raise ValueError("the template has parts of a query")
        return self._compiled

    def _compile(self, value: Any, where: str, found: list[Placeholder]) -> Any:
        if isinstance(value, str):
            return self._text(value, where, found)
        if isinstance(value, list):
            items = [self._compile(item, f"{where}[]", found) for item in value]
            if not any(isinstance(item, _Dynamic) for item in items):
                return items
            return _Dynamic(lambda query, k: [_made(item, query, k) for item in items])
        if isinstance(value, dict):
            pairs = []
            for key, item in value.items():
                inner = f"{where}.{key}" if where else key
                pairs.append(
                    (self._text(key, inner, found, True), self._compile(item, inner, found))
                )
            if not any(isinstance(part, _Dynamic) for pair in pairs for part in pair):
                return dict(pairs)
            return _Dynamic(
                lambda query, k: {
                    _made(key, query, k): _made(item, query, k) for key, item in pairs
                }
            )
        return value

    def _text(self, text: str, where: str, found: list[Placeholder], is_key: bool = False) -> Any:
        if "{{" not in text:
            return text
        parts: list[Any] = []
        for part in parse_text(text, where, self._file):
            if isinstance(part, str):
                parts.append(part)
                continue
            found.append(part)
            parts.append(self._part(part, where))
        if len(parts) == 1 and not is_key and self._encode is None:
            return parts[0]
        if not any(isinstance(part, _Dynamic) for part in parts):
            return self._joined(parts, where)
        return _Dynamic(lambda query, k: _text_of(parts, where, query, k))

    def _part(self, placeholder: Placeholder, where: str) -> Any:
        encode = self._encode
        if placeholder.of_query:
            fields = self._fields
            if encode is None:
                return _Dynamic(lambda query, k: query_value(placeholder, query, k, fields))
            return _Dynamic(
                lambda query, k: encode(plain_text(query_value(placeholder, query, k, fields)))
            )
        if placeholder.name not in self._settings:
            raise unknown_placeholder(placeholder, self._settings, where, self._file)
        value = apply_filters(placeholder, self._settings[placeholder.name])
        return value if encode is None else encode(self._joined([value], where))

    def _joined(self, parts: Sequence[Any], where: str) -> str:
        try:
            return "".join(plain_text(part) for part in parts)
        except TypeError as error:
            raise FormatError(
                str(error), file=self._file, where=where, hint="{{name|json}} writes a list as text"
            ) from None


def _made(part: Any, query: Query, k: int) -> Any:
    return part.make(query, k) if isinstance(part, _Dynamic) else part


def _text_of(parts: Sequence[Any], where: str, query: Query, k: int) -> str:
    try:
        return "".join(plain_text(_made(part, query, k)) for part in parts)
    except TypeError as error:
        raise SearchError(
            str(error), where=where, query=query.id, hint="{{name|json}} writes a list as text"
        ) from None


def unknown_placeholder(
    placeholder: Placeholder, settings: Mapping[str, Any], where: str, file: str | None
) -> FormatError:
    """Return the error of an unknown placeholder."""
    known = [*BUILT_IN, "field.NAME", *settings]
    close = get_close_matches(placeholder.name, [*BUILT_IN, *settings], n=1)
    inside = [name for name in settings if name.startswith(placeholder.name + ".")]
    if inside:
        hint = f"{placeholder.name} has the settings {', '.join(inside)}"
    elif close:
        hint = f"did you mean {{{{{close[0]}}}}}?"
    else:
        hint = f"declare it with [settings] {placeholder.name} = …"
    return FormatError(
        f"unknown placeholder {placeholder}, expected one of {', '.join(known)}",
        file=file,
        where=where,
        hint=hint,
    )
