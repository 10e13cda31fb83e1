"""The address of an OpenAI-compatible server, and its key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from gainful.errors import ParameterError
from gainful.systems.http.address import Credentials
from gainful.systems.http.connection import Connection
from gainful.systems.http.loopback import is_loopback
from gainful.systems.masking import protect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.http.transport import Transport

__all__ = ["Server"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COMPLETIONS = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Server:
    """A server with an OpenAI-compatible API.

    Attributes
    ----------
    origin : str
        Scheme, host and port.
    prefix : str
        The path before ``/chat/completions``, such as ``/v1``.
    key_variable : str or None
        The environment variable with the key.
    local : bool
        Whether it is this computer.

    Examples
    --------
    >>> server = Server.at("http://localhost:8000/v1/chat/completions")
    >>> server.origin, server.prefix, server.local
    ('http://localhost:8000', '/v1', True)
    """

    origin: str
    prefix: str
    key_variable: str | None
    local: bool

    @classmethod
    def at(cls, url: str, key_variable: str | None = None) -> Server:
        """Check an address.

        Raises
        ------
        ParameterError
            If it is not the address of a server, or the name of the variable is not a name.
        """
        expected = "an address such as http://localhost:8000/v1, without user, ? and #"
        try:
            parts = urlsplit(url)
            port = parts.port
        except (ValueError, AttributeError, TypeError):
            raise ParameterError(where="url", found="…", expected=expected) from None
        plain = not (parts.query or parts.fragment or parts.username or parts.password)
        if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
            # The address may contain a key.
            raise ParameterError(where="url", found="another address", expected=expected)
        if key_variable is not None and not _NAME.fullmatch(key_variable):
            raise ParameterError(
                where="key_variable",
                found="another text",
                expected="the name of an environment variable, not the key itself",
            )
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        origin = f"{parts.scheme}://{host}" + (f":{port}" if port is not None else "")
        prefix = parts.path.rstrip("/").removesuffix(_COMPLETIONS).rstrip("/")
        return cls(origin, prefix, key_variable, is_loopback(parts.hostname))

    @property
    def shown(self) -> str:
        """The address in messages."""
        return self.origin + self.prefix

    def connect(self) -> tuple[Transport, tuple[str, ...]]:
        """Return the transport of requests, and the texts to mask in messages."""
        credentials = self.credentials()
        return Connection(credentials), credentials.hidden

    def credentials(self) -> Credentials:
        """Look up the key.

        Raises
        ------
        ParameterError
            If the variable is missing or empty, or its value is not a single line.
        """
        if self.key_variable is None:
            return Credentials(self.origin, self.prefix, {}, {}, ())
        key = os.environ.get(self.key_variable, "").strip()
        if not key or not key.isprintable():
            raise ParameterError(
                f"the environment variable {self.key_variable} is not set"
                if not key
                else f"the environment variable {self.key_variable} has several lines",
                where="key_variable",
                hint=f"export {self.key_variable}=…",
            )
        protect([key])
        headers = {"Authorization": f"Bearer {key}"}
        return Credentials(self.origin, self.prefix, headers, {}, (key,))
