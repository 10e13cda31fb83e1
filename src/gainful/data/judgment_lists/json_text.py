"""JSON of judgment lists: parse it, and access parts with errors that name the location."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gainful.data.records import strict_json_value
from gainful.errors import FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Part", "first", "load"]


@dataclass(frozen=True)
class Part:
    """A value in a JSON text with its location.

    Attributes
    ----------
    value : object
        The value.
    file : str
        The file's name, for messages.
    where : str
        The path, as in ``topics[0].queries[2]``.
    """

    value: Any
    file: str
    where: str = ""

    def wrong(self, expected: str) -> FormatError:
        """Return the error of a value of the wrong type."""
        return FormatError(
            file=self.file, where=self.where, found=shown(self.value), expected=expected
        )

    def object(self) -> dict[str, Any]:
        """Return it as an object.

        Raises
        ------
        FormatError
            If it is not an object; the same for `list` and `text`.
        """
        if not isinstance(self.value, dict):
            raise self.wrong("a JSON object")
        return self.value

    def list(self) -> list[Part]:
        """Return the members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [Part(each, self.file, f"{self.where}[{at}]") for at, each in enumerate(self.value)]

    def text(self) -> str:
        """Return a text that is not empty; whole numbers are converted."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str) or not self.value:
            raise self.wrong("a text")
        return self.value

    def __getitem__(self, key: str) -> Part:
        value = self.object()
        if key not in value:
            raise FormatError(
                file=self.file,
                where=self.where,
                found=f"an object with {', '.join(map(shown, list(value)[:20])) or 'nothing'}",
                expected=f"the key {key!r}",
            )
        return Part(value[key], self.file, f"{self.where}.{key}" if self.where else key)

    def get(self, key: str) -> Part | None:
        """Return a member that may be missing or null."""
        return None if self.object().get(key) is None else self[key]


def first(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the first object of a list in an object; else an empty object."""
    found = value.get(key)
    one = found[0] if isinstance(found, list) and found else None
    return one if isinstance(one, dict) else {}


def load(text: str, file: str) -> Part:
    """Parse a JSON text.

    Raises
    ------
    FormatError
        For invalid JSON, or an object with a duplicate key.
    """
    try:
        return Part(strict_json_value(text), file)
    except KeyError as error:
        raise FormatError(
            f"the key {shown(error.args[0])} occurs twice in one object", file=file
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"invalid JSON: {error.msg}", file=file, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise FormatError("the JSON is too large or too deep", file=file) from None
