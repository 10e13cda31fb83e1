"""A description, as read by the code that creates the system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from os.path import expanduser, join
from typing import Any

from gainful.errors import FormatError
from gainful.systems.description.templates import Template
from gainful.systems.environment import Secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Description"]

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
        """Return the template of a key's value; None if missing.

        Parameters
        ----------
        key : str
            The key.
        values : mapping, optional
            Values of placeholders besides settings and parts of the query.
        encode : callable, optional
            As for `Template`.
        """
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
        """Refuse unread keys and unused settings.

        Raises
        ------
        FormatError
            For the first one, with a similar key as a hint.
        """
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
        found = f"{self._called(key)} = {shown}"
        return FormatError(**self._place(), found=found, expected=expected, hint=hint)

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
