"""Build requests from a description and queries."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote, quote_plus

from gainful.errors import SearchError
from gainful.systems.environment import VARIABLE
from gainful.systems.http.transport import Request
from gainful.systems.languages import plain_text
from gainful.systems.protocol import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.systems.description.description import Description, Placeholder, Template

__all__ = ["RequestTemplate"]

METHODS = ("GET", "POST", "PUT")
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
# Characters allowed in an address besides letters and digits: existing escapes, and the
# braces of ${NAME} until it is filled in.
_IN_ADDRESS = "/?:@!$&'()*+,;=%~{}"
_STEPS = re.compile(r"(^|/)\.{1,2}(/|$)")


def _one_segment(text: str) -> str:
    return quote(text, safe="")


class RequestTemplate:
    """The template of requests to an engine.

    Parameters
    ----------
    description : Description
        With ``method``, ``path``, ``params``, and ``body`` (JSON) or ``form``.
    prefix : str
        The path before every other path.
    values : mapping of str to str
        Values for a preset's path, such as the name of an index.

    Attributes
    ----------
    method : str
        Such as ``"POST"``.
    placeholders : tuple of Placeholder
        All placeholders in path, parameters and body.
    """

    def __init__(self, description: Description, prefix: str, values: dict[str, Any]) -> None:
        self._prefix = quote(prefix, safe=_IN_ADDRESS)
        self._path = description.template("path", values=values, encode=_one_segment)
        params = description.raw("params")
        # Only the description is expanded with environment variables, never a query.
        self._secrets = {
            name: value
            for name, value in params.items()
            if isinstance(value, str) and VARIABLE.search(value)
        }
        rest = {name: value for name, value in params.items() if name not in self._secrets}
        self._params = description.template_of("params", rest, values=values)
        self._body: Template | None = description.template("body", values=values)
        self._form = description.template("form", values=values)
        if self._body is not None and self._form is not None:
            raise description.wrong("form", "…", "either [form] or [body], not both")
        _check_tables(description)
        has_body = self._body is not None or self._form is not None
        self.method = description.choice("method", METHODS, "POST" if has_body else "GET")
        self.placeholders: tuple[Placeholder, ...] = tuple(
            placeholder
            for template in (self._path, self._params, self._body, self._form)
            if template is not None
            for placeholder in template.placeholders
        )

        same = self._path is None or self._path.constant
        if same:
            try:
                self._path_of(Query("", ""), 0)
            except SearchError as error:
                written = description.text("path")
                raise description.wrong("path", written, str(error.expected)) from None
        # If the query is in the body, the target is the same for all queries.
        self._fixed = self._target(Query("", ""), 0) if same and self._params.constant else None

    def request(self, query: Query, k: int) -> Request:
        """Return the request of a query.

        Raises
        ------
        SearchError
            If the query lacks a value, or a value cannot be sent.
        """
        try:
            target = self._fixed or self._target(query, k)
            if self._body is not None:
                rendered = self._body.render(query, k)
                text = json.dumps(rendered, ensure_ascii=False, allow_nan=False)
                return Request(self.method, target, text.encode(), JSON)
            if self._form is not None:
                pairs = "&".join(_pairs(self._form, query, k))
                return Request(self.method, target, pairs.encode("ascii"), FORM)
        except UnicodeEncodeError:
            raise SearchError("the text is not valid Unicode", query=query.id) from None
        except (TypeError, ValueError) as error:
            raise SearchError(f"a value cannot be sent: {error}", query=query.id) from None
        return Request(self.method, target)

    def _path_of(self, query: Query, k: int) -> str:
        path = "" if self._path is None else str(self._path.render(query, k))
        if _STEPS.search(path.partition("?")[0]):
            raise SearchError(
                query=query.id, found=f"the path {path!r}", expected="a path without '.' and '..'"
            )
        return self._prefix + quote(path, safe=_IN_ADDRESS)

    def _target(self, query: Query, k: int) -> str:
        target = self._path_of(query, k)
        if not target.startswith("/"):
            target = f"/{target}"
        pairs = [*_pairs(self._params, query, k), *_written(self._secrets)]
        if pairs:
            target += ("&" if "?" in target else "?") + "&".join(pairs)
        return target


def _check_tables(description: Description) -> None:
    """Refuse invalid tables before any query is sent."""
    for key in ("params", "form"):
        if key not in description:
            continue
        for name, value in description.raw(key).items():
            for one in value if isinstance(value, list) else [value]:
                if not isinstance(one, (str, int, float)):
                    raise description.wrong(f"{key}.{name}", value, "a value, or a list of values")


def _pairs(template: Template, query: Query, k: int) -> list[str]:
    return [
        f"{quote_plus(name)}={quote_plus(plain_text(one))}"
        for name, value in template.render(query, k).items()
        for one in (value if isinstance(value, list) else [value])
    ]


def _written(secrets: Mapping[str, str]) -> list[str]:
    """Return parameters with ``${NAME}`` unchanged, for the transport to expand."""
    return [f"{quote_plus(name)}={quote(value, safe='${}')}" for name, value in secrets.items()]
