"""A description, as read by the code that creates the system."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from os.path import expanduser, join
from typing import Any, NamedTuple

from gainful.errors import FormatError, SearchError
from gainful.references import refer
from gainful.systems.languages import FILTERS, plain_text
from gainful.systems.masking import Secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gainful.systems.protocol import Query

__all__ = ["BUILT_IN", "Description", "Placeholder", "Template", "parse_text", "query_value"]


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

    Examples
    --------
    >>> parse_text("title:({{query|lucene}})")
    ['title:(', Placeholder(name='query', filters=('lucene',)), ')']
    """
    parts: list[str | Placeholder] = []
    place = 0
    for match in _PLACEHOLDER.finditer(text):
        if match.start() > place:
            parts.append(text[place : match.start()])
        place = match.end()
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
    if place < len(text):
        parts.append(text[place:])
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
    """Return the query's value of a placeholder, filtered."""
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
        placeholders: list[Placeholder] = []
        self._compiled = self._compile(value, where, placeholders)
        self.placeholders = tuple(placeholders)

    @property
    def constant(self) -> bool:
        """Whether it does not depend on the query."""
        return not isinstance(self._compiled, _Dynamic)

    def render(self, query: Query, k: int) -> Any:
        """Fill in the values of a query. Do not edit the result: parts may be shared."""
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


_REQUIRED: Any = object()


class Description:
    """A table of a description whose keys are read one by one.

    `finish` refuses all keys that were not read. All values may contain placeholders of settings;
    only templates may contain placeholders of queries.

    Parameters
    ----------
    table : mapping
        The table from TOML.
    name : str, optional
        The system's name.
    settings : mapping of str to value, optional
        By dotted name.
    file : str, optional
        Its file, for messages.
    folder : str, optional
        The base of relative paths: the description's folder.

    Attributes
    ----------
    engine, name, settings, file, folder
        As given.
    fields : mapping of str to value
        ``[fields]``: the values of fields that a query lacks.

    Examples
    --------
    >>> description = Description({"engine": "http", "pages": 2, "pth": "/search"})
    >>> description.integer("pages"), description.text("path", "/")
    (2, '/')
    >>> try:
    ...     description.finish()
    ... except FormatError as error:
    ...     print(error)
    the description: unknown key 'pth', expected one of engine, fields, name, pages, path, \
settings. Hint: did you mean 'path'?
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        name: str = "system",
        settings: Mapping[str, Any] | None = None,
        *,
        file: str | None = None,
        folder: str = "",
    ) -> None:
        self._table = table
        self._path = ""
        self._read_keys: set[str] = {"engine", "name", "settings", "fields"}
        self._inner: list[Description] = []
        self._used: set[str] = set()
        self.name = name
        self.settings: Mapping[str, Any] = dict(settings or {})
        self.file = file
        self.folder = folder
        self.engine = str(table.get("engine", ""))
        self.fields: Mapping[str, Any] = {}
        fields = table.get("fields", {})
        if not isinstance(fields, Mapping):
            raise self.wrong("fields", fields, "a table of values")
        self.fields = {key: self._static(f"fields.{key}", value) for key, value in fields.items()}

    def over(self, preset: Mapping[str, Any]) -> Description:
        """Return this description with defaults from a preset; tables are merged."""
        merged = Description(
            _merged(preset, self._table),
            self.name,
            self.settings,
            file=self.file,
            folder=self.folder,
        )
        merged._used = self._used
        return merged

    # Reading keys.

    def __contains__(self, key: str) -> bool:
        self._read_keys.add(key)
        return key in self._table

    def keys(self) -> list[str]:
        """Return the keys of a table with user-defined names; all of them count as read."""
        self._read_keys |= self._table.keys()
        return list(self._table)

    def text(self, key: str, default: str | None = _REQUIRED) -> Any:
        """Return a text with settings filled in."""
        return self._typed(key, default, (str,), "a text")

    def integer(self, key: str, default: int | None = _REQUIRED, least: int = 0) -> Any:
        """Return a whole number."""
        value = self._typed(key, default, (int,), "a whole number")
        if value is not None and value is not default and value < least:
            raise self.wrong(key, value, f"at least {least}")
        return value

    def number(self, key: str, default: float | None = _REQUIRED) -> Any:
        """Return a number as a float."""
        value = self._typed(key, default, (int, float), "a number")
        try:
            return value if value is None else float(value)
        except OverflowError:
            raise self.wrong(key, value, "a smaller number") from None

    def flag(self, key: str, default: bool = _REQUIRED) -> Any:
        """Return a boolean."""
        return self._typed(key, default, (bool,), "true or false")

    def choice(self, key: str, options: tuple[str, ...], default: str = _REQUIRED) -> str:
        """Return one of several allowed texts."""
        value = self._typed(key, default, (str,), f"one of {', '.join(options)}")
        if value not in options:
            raise self.wrong(key, value, f"one of {', '.join(options)}")
        return str(value)

    def texts(self, key: str, default: list[str] | None = _REQUIRED) -> Any:
        """Return a list of texts."""
        value = self._typed(key, default, (list,), "a list of texts")
        if value is not None and not all(isinstance(one, str) for one in value):
            raise self.wrong(key, value, "a list of texts")
        return value

    def values(self, key: str) -> dict[str, Any]:
        """Return a table with settings filled in; empty if missing."""
        value = self._typed(key, {}, (Mapping,), "a table")
        return dict(value)

    def path(self, key: str, default: str | None = _REQUIRED) -> Any:
        """Return a path, relative to the description's folder."""
        value = self.text(key, default)
        return None if value is None else join(self.folder, expanduser(value))

    def secret(self, key: str, default: Secret | None = _REQUIRED) -> Any:
        """Return a text that may contain ``${NAME}``, but not from a setting."""
        value = self.text(key, None if default is None else _REQUIRED)
        if value is None:
            return None
        secret = Secret(value, self._called(key), self.file)
        if secret.names != Secret(str(self._table[key]), key).names:
            raise self.wrong(key, value, "${NAME} in the description itself, not in a setting")
        return secret

    def raw(self, key: str) -> dict[str, Any]:
        """Return a table as written; empty if missing."""
        self._read_keys.add(key)
        value = self._table.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, value, f"a table, [{self._called(key)}]")
        return dict(value)

    def source(self, key: str, default: str | None = _REQUIRED) -> Any:
        """Return a text as written, for languages with their own parameters.

        The caller reports the settings that it uses with `use`.
        """
        self._read_keys.add(key)
        value = self._table.get(key, default)
        if value is _REQUIRED:
            raise self.missing(key, "a text")
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, value, "a text")
        return value

    def sources(self, key: str) -> list[str]:
        """Return one or several texts like `source`; an empty list if missing."""
        self._read_keys.add(key)
        value = self._table.get(key, [])
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in texts):
            raise self.wrong(key, value, "a text or a list of texts")
        return list(texts)

    def use(self, setting: str) -> Any:
        """Return the value of a setting."""
        self._used.add(setting)
        return self.settings[setting]

    def use_settings(self) -> Mapping[str, Any]:
        """Return all settings; they count as used."""
        self._used |= self.settings.keys()
        return self.settings

    def template(
        self,
        key: str,
        *,
        values: Mapping[str, Any] | None = None,
        encode: Callable[[str], str] | None = None,
    ) -> Template | None:
        """Return the template of a key's value; None if missing."""
        self._read_keys.add(key)
        if key not in self._table:
            return None
        return self.template_of(key, self._table[key], values=values, encode=encode)

    def template_of(
        self,
        key: str,
        value: Any,
        *,
        values: Mapping[str, Any] | None = None,
        encode: Callable[[str], str] | None = None,
    ) -> Template:
        """Return a template of the value of a key."""
        template = Template(
            value,
            {**self.settings, **values} if values else self.settings,
            self.fields,
            where=self._called(key),
            file=self.file,
            encode=encode,
        )
        self._used.update(part.name for part in template.placeholders if not part.of_query)
        return template

    def table(self, key: str, *, required: bool = False) -> Description | None:
        """Return a table as its own description; None if missing."""
        self._read_keys.add(key)
        if key not in self._table:
            if required:
                raise self.missing(key, f"a table, [{self._called(key)}]")
            return None
        value = self._table[key]
        if not isinstance(value, Mapping):
            raise self.wrong(key, value, f"a table, [{self._called(key)}]")
        inner = Description({}, self.name, self.settings, file=self.file, folder=self.folder)
        inner._table = value
        inner._path = self._called(key)
        inner._read_keys = set()
        inner._used = self._used
        inner.engine = self.engine
        inner.fields = self.fields
        self._inner.append(inner)
        return inner

    def written(self) -> dict[str, Any]:
        """Return everything as written, as plain JSON values, for an identity."""
        values: dict[str, Any] = json.loads(json.dumps(dict(self._table), default=str))
        return values

    # Checks after reading.

    def finish(self) -> None:
        """Refuse unread keys and unused settings."""
        self._check_keys()
        for name in self.settings:
            if name not in self._used:
                raise FormatError(
                    f"the setting {name!r} is not used",
                    **self._place(),
                    hint=f"use it in a template as {{{{{name}}}}}",
                )

    def _check_keys(self) -> None:
        for key in self._table:
            if key not in self._read_keys:
                close = get_close_matches(key, list(self._read_keys), n=1)
                raise FormatError(
                    f"unknown key {self._called(key)!r}, expected one of "
                    f"{', '.join(sorted(self._read_keys))}",
                    **self._place(),
                    hint=f"did you mean {self._called(close[0])!r}?" if close else None,
                )
        for inner in self._inner:
            inner._check_keys()

    # Errors.

    def wrong(self, key: str, value: object, expected: str, hint: str | None = None) -> FormatError:
        """Return the error of a key with an invalid value."""
        shown = repr(value)
        if len(shown) > 60:
            shown = f"{shown[:57]}..."
        setting = f"{self._called(key)} = {shown}"
        return FormatError(**self._place(), found=setting, expected=expected, hint=hint)

    def missing(self, key: str, expected: str, hint: str | None = None) -> FormatError:
        """Return the error of a missing key."""
        return FormatError(
            f"{self._called(key)!r} is missing, expected {expected}", **self._place(), hint=hint
        )

    def _place(self) -> dict[str, Any]:
        return {"file": self.file} if self.file else {"where": "the description"}

    def _called(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    # Values.

    def _typed(self, key: str, default: Any, types: tuple[type, ...], expected: str) -> Any:
        self._read_keys.add(key)
        if key not in self._table:
            if default is _REQUIRED:
                raise self.missing(key, expected)
            return default
        value = self._static(key, self._table[key])
        # In Python, bool is a subclass of int.
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise self.wrong(key, value, expected)
        return value

    def _static(self, key: str, value: Any) -> Any:
        template = self.template_of(key, value)
        if not template.constant:
            raise self.wrong(key, value, "a value that does not depend on the query")
        return template.value()


def _merged(defaults: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(defaults)
    for key, value in table.items():
        default = merged.get(key)
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            value = _merged(default, value)
        merged[key] = value
    return merged
