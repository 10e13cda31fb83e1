"""JSON of judgment lists: read whole, and taken apart with a word for what is wrong in it."""

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
    """A value in a JSON text, that knows where it stands.

    Attributes
    ----------
    value : object
        What stands there.
    file : str
        The file's name, for messages.
    where : str
        The way to it, as in ``topics[0].queries[2]``.
    """

    value: Any
    file: str
    where: str = ""

    def wrong(self, expected: str) -> FormatError:
        """Make the error for a value of the wrong kind."""
        return FormatError(
            file=self.file, where=self.where, found=shown(self.value), expected=expected
        )

    def object(self) -> dict[str, Any]:
        """Return it as an object.

        Raises
        ------
        FormatError
            If it is none; the same holds for `list` and `text`.
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
        """Return a text that is not empty; a whole number is its decimal text."""
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
    """Return the first member of a list in an object, if that is an object; else an empty one."""
    found = value.get(key)
    one = found[0] if isinstance(found, list) and found else None
    return one if isinstance(one, dict) else {}


def load(text: str, file: str) -> Part:
    """Return the value of a JSON text.

    Raises
    ------
    FormatError
        For what is no JSON, or an object with one key twice, of which one would be lost.
    """
    try:
        return Part(strict_json_value(text), file)
    except KeyError as error:
        raise FormatError(
            f"the key {error.args[0]!r} occurs twice in one object", file=file
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"invalid JSON: {error.msg}", file=file, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise FormatError("the JSON is too large or too deep", file=file) from None
