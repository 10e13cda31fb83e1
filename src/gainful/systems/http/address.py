"""Where an engine is, and what it is told to let somebody in."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, quote_plus, unquote, urlsplit

from gainful.systems.description.environment import Secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.systems.description.description import Description

__all__ = ["Address", "Credentials", "read_address", "read_headers"]

# http://user:password@host:port, and what comes after it; the first may be a variable, too.
_URL = re.compile(
    r"(?P<scheme>https?)://(?:(?P<user>[^/?#@]*)@)?(?P<host>[^/?#@\s]+)(?P<rest>[/?][^#\s]*)?"
)
_FROM_ENVIRONMENT = re.compile(r"(?P<base>\$\{[A-Za-z_][A-Za-z0-9_]*\})(?P<rest>[/?][^#\s]*)?")
_SENSITIVE = re.compile(r"auth|cookie|key|token|secret|password", re.IGNORECASE)
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


class Credentials(NamedTuple):
    """An address as it is called, with what may not be shown.

    Attributes
    ----------
    origin : str
        Scheme, host and port; may be shown.
    prefix : str
        What an address from the environment has before every path.
    headers : mapping of str to str
        With the environment filled in.
    variables : mapping of str to str
        What ``${NAME}`` in a path or in parameters stands for.
    hidden : tuple of str
        Texts that no message and no recording may hold.
    """

    origin: str
    prefix: str
    headers: Mapping[str, str]
    variables: Mapping[str, str]
    hidden: tuple[str, ...]


class Address:
    """The address of an engine as its description writes it.

    Attributes
    ----------
    shown : str
        Scheme, host and port, or the variable that holds them; without user and password.
    prefix : str
        What is before every path.
    headers : mapping of str to Secret
        What is sent with each request.
    """

    def __init__(
        self,
        shown: str,
        prefix: str,
        base: Secret,
        user: tuple[Secret, Secret] | None,
        headers: dict[str, Secret],
        variables: list[Secret],
        description: Description,
    ) -> None:
        self.shown = shown
        self.prefix = prefix
        self.headers: Mapping[str, Secret] = headers
        self._base = base
        self._user = user
        self._variables = variables
        self._description = description

    def credentials(self) -> Credentials:
        """Look up the environment.

        Raises
        ------
        FormatError
            If a variable is missing, or the address in one is none.
        """
        base = urlsplit(self._base.reveal())
        try:
            port = base.port
        except ValueError:
            port = -1
        known = base.scheme in ("http", "https") and port != -1
        if not known or not base.hostname or base.query or base.fragment:
            # What the variable holds may be a password that was put there by mistake.
            raise self._description.wrong("url", self._base.written, "http://host:port")
        user = password = ""
        if self._user is not None:
            user, password = (_revealed(part) for part in self._user)
        elif base.username is not None:
            user, password = unquote(base.username), unquote(base.password or "")
        headers = {}
        hidden = [password]
        for name, secret in self.headers.items():
            headers[name] = secret.reveal()
            if "\r" in headers[name] or "\n" in headers[name]:
                raise self._description.wrong(f"headers.{name}", secret.written, "a single line")
            hidden += secret.values()
        if user:
            from base64 import b64encode

            token = b64encode(f"{user}:{password}".encode()).decode()
            headers.setdefault("Authorization", f"Basic {token}")
            hidden.append(token)
        variables: dict[str, str] = {}
        for secret in self._variables:
            variables.update(zip(secret.names, secret.values(), strict=True))
        hidden += variables.values()
        host = f"[{base.hostname}]" if ":" in base.hostname else base.hostname
        origin = f"{base.scheme}://{host}" + (f":{port}" if port is not None else "")
        prefix = base.path.rstrip("/")
        return Credentials(origin, prefix, headers, variables, _written_ways(hidden))


def _written_ways(hidden: list[str]) -> tuple[str, ...]:
    """Return secret texts as they are, and as they are written in addresses."""
    ways = [way for text in hidden for way in (text, quote(text, safe=""), quote_plus(text))]
    return tuple(dict.fromkeys(way for way in ways if way))


def _revealed(part: Secret) -> str:
    # In an address a literal sign may be escaped; what the environment holds is as it is.
    return part.reveal() if part.names else unquote(part.written)


def read_address(description: Description) -> Address:
    """Read ``url``, ``headers`` and the variables of a description.

    Raises
    ------
    FormatError
        If the address is none, or a password or key stands in the file itself.
    """
    written = description.secret("url").written.strip()
    match = _URL.fullmatch(written) or _FROM_ENVIRONMENT.fullmatch(written)
    if match is None:
        hint = "the address of the engine alone; path = … is what is asked there"
        raise description.wrong("url", _safe(written), "http://host:port or https://host", hint)
    parts = match.groupdict()
    rest = parts["rest"] or ""
    user = None
    if "base" in parts:
        shown = base = parts["base"]
    else:
        shown = base = f"{parts['scheme']}://{parts['host']}"
        if parts["user"] is not None:
            name, _, password = parts["user"].partition(":")
            if password and not _VARIABLE.fullmatch(password):
                raise _literal(description, "url", f"{parts['scheme']}://{name}:***@…")
            user = (_secret(description, "url", name), _secret(description, "url", password))
    variables = [_secret(description, "url", rest)] if _VARIABLE.search(rest) else []
    path = description.source("path", None)
    if path is not None and _VARIABLE.search(path):
        variables.append(_secret(description, "path", path))
    for name, value in description.raw("params").items():
        if isinstance(value, str) and _VARIABLE.search(value):
            variables.append(_secret(description, f"params.{name}", value))
        elif _SENSITIVE.search(name) and _looks_secret(value):
            raise _literal(description, f"params.{name}", "***")
    headers = read_headers(description)
    prefix = rest.rstrip("/") if "?" not in rest else rest
    return Address(
        shown, prefix, _secret(description, "url", base), user, headers, variables, description
    )


def _secret(description: Description, key: str, text: str) -> Secret:
    return Secret(text, key, description.file)


def read_headers(description: Description) -> dict[str, Secret]:
    """Read the headers of a description; their values may hold ``${NAME}``.

    Raises
    ------
    FormatError
        If one is no header, or a key stands in the file itself.
    """
    table = description.table("headers")
    headers: dict[str, Secret] = {}
    if table is None:
        return headers
    for name in table.keys():  # noqa: SIM118, it is no mapping
        if not _TOKEN.fullmatch(name):
            raise table.wrong(name, "…", "the name of a header")
        secret = table.secret(name)
        if _SENSITIVE.search(name) and not secret.names:
            raise _literal(description, f"headers.{name}", "***")
        headers[name] = secret
    return headers


def _looks_secret(value: object) -> bool:
    return isinstance(value, str) and len(value) >= 8 and "{{" not in value


def _literal(description: Description, key: str, shown: str) -> Exception:
    return description.wrong(
        key,
        shown,
        "${NAME} in the place of what is secret",
        hint="keep it in an environment variable: files are shared",
    )


def _safe(url: str) -> str:
    """Return an address that is none without what stands before an @."""
    return re.sub(r"[^/]*@", "***@", url)
