"""Common functions for writing judgment lists."""

from __future__ import annotations

import json
from itertools import chain

from gainful.data.paths import stem
from gainful.errors import FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.data.judgment_lists.list_format import ListFormat

__all__ = ["default_name", "json_text", "required_option", "table_text", "whole_grade"]


def table_text(header: list[object], rows: Iterable[list[object]]) -> str:
    """Return a table as CSV."""
    return "".join(",".join(map(_cell, row)) + "\n" for row in chain([header], rows))


def _cell(value: object) -> str:
    """Return a cell of CSV. Python's writer does not quote carriage returns, which end a row."""
    text = str(value)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(c in text for c in ',"\r\n') else text


def json_text(value: object) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def whole_grade(grade: float, document: str, query: str, format: ListFormat, file: str) -> int:
    """Return a grade as a whole number; refuse fractions."""
    if grade != int(grade):
        raise FormatError(
            f"{format.name} cannot contain fractions such as {grade:g}",
            file=file,
            query=query,
            document=document,
            hint="opensearch and quepid can contain fractions",
        )
    return int(grade)


def required_option(format: ListFormat, key: str) -> str:
    """Return the value of a required option."""
    value = format.settings.get(key)
    if not value:
        raise ParameterError(
            f"{key} is missing",
            where=f"the format {format.name}",
            hint=f"set the {key} of the documents with {format.name}:{key}=NAME",
        )
    return value


def default_name(path: str) -> str:
    """Return the default name of a list."""
    return "judgments" if path == "-" else stem(path)
