"""Secrets: ``${NAME}`` in descriptions stands for environment variables."""

from __future__ import annotations

import os
import re

from gainful.errors import FormatError

__all__ = ["VARIABLE", "Secret"]

#: A variable, with its name as a group.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SENSITIVE = re.compile(r"auth|cookie|key|token|secret|passw|credential", re.IGNORECASE)


class Secret:
    """A text with ``${NAME}``, which is displayed as written.

    Parameters
    ----------
    written : str
        The text in the description.
    where : str
        The key, for messages.
    file : str, optional
        The description, for messages.

    Attributes
    ----------
    written : str
        As given; it may be displayed, logged and stored.
    names : tuple of str
        The names of the variables.
    is_key : bool
        Whether it contains a key or a password, and not only a host or an index, by its names.

    Examples
    --------
    >>> Secret("ApiKey ${SHOP_KEY}", "headers.Authorization")
    <Secret 'ApiKey ${SHOP_KEY}'>
    """

    def __init__(self, written: str, where: str, file: str | None = None) -> None:
        self.written = written
        self.names = tuple(match.group(1) for match in VARIABLE.finditer(written))
        self.is_key = bool(_SENSITIVE.search(" ".join((where, *self.names))))
        self._where = where
        self._file = file

    def values(self) -> list[str]:
        """Return the current values of the variables.

        Raises
        ------
        FormatError
            If a variable is missing or empty.
        """
        values = []
        for name in self.names:
            value = os.environ.get(name, "")
            if not value:
                raise FormatError(
                    f"the environment variable {name} is not set",
                    file=self._file,
                    where=self._where,
                    hint=f"export {name}=…",
                )
            values.append(value)
        return values

    def reveal(self) -> str:
        """Return the text with the values of the variables."""
        values = dict(zip(self.names, self.values(), strict=True))
        return VARIABLE.sub(lambda match: values[match.group(1)], self.written)

    def __repr__(self) -> str:
        return f"<Secret {self.written!r}>"
