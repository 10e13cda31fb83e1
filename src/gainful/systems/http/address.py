"""The address and the credentials of an engine, and its proxies."""

from __future__ import annotations

import ipaddress
import re
from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import (  # type: ignore[attr-defined]
    getproxies_environment,
    proxy_bypass_environment,
)

from gainful.errors import ParameterError
from gainful.systems.masking import VARIABLE, Secret, protect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

    from gainful.systems.description.description import Description

__all__ = ["Address", "Credentials", "check_proxy", "is_loopback", "proxy_of", "read_address"]

# http://user:password@host:port, and what comes after it; the first may be a variable, too.
_URL = re.compile(
    r"(?P<scheme>https?)://(?:(?P<user>[^/?#@]*)@)?(?P<host>[^/?#@\s]+)(?P<rest>[/?][^#\s]*)?"
)

_FROM_ENVIRONMENT = re.compile(rf"(?P<base>{VARIABLE.pattern})(?P<rest>[/?][^#\s]*)?")

_SENSITIVE = re.compile(r"auth|cookie|key|token|secret|password", re.IGNORECASE)

# Names of parameters with secrets; author, keywords, tokenizer and sort key are not among them.
_NAME_OF_A_KEY = re.compile(
    r"secret|passw|credential|token(?!i)|signature|^auth(?!or)|^authori|^(?:sig|key|pwd)$"
    r"|(?:api|access|account|admin|app|auth|client|license|master|private|service|subscription)"
    r"[-_]?key(?![a-z])",
    re.IGNORECASE,
)

_SHORTEST_KEY = 8

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")

_BREAKS = re.compile(r"[\r\n\0]")

# Services put keys into paths; shorter parts are words such as "search".
_LIKE_A_KEY = 12


class Credentials(NamedTuple):
    """An address with its secrets.

    Attributes
    ----------
    origin : str
        Scheme, host and port; not secret.
    prefix : str
        The path of an address from the environment, before every other path.
    headers : mapping of str to str
        With the values of environment variables.
    variables : mapping of str to str
        The values of ``${NAME}`` in paths and parameters.
    hidden : tuple of str
        Texts to mask in messages and recordings.
    """

    origin: str
    prefix: str
    headers: Mapping[str, str]
    variables: Mapping[str, str]
    hidden: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Credentials for {self.origin}>"


class Address:
    """The address of an engine in its description.

    Attributes
    ----------
    shown : str
        Scheme, host and port, or their variable; without user and password.
    prefix : str
        The path before every other path.
    headers : mapping of str to Secret
        The headers of each request.
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
        """Look up the environment."""
        base, port = self._split()
        user = password = ""
        if self._user is not None:
            user, password = (_revealed(part) for part in self._user)
        elif base.username is not None:
            user, password = unquote(base.username), unquote(base.password or "")
        headers = {}
        # Without a password, the user may be the key of a service.
        hidden = [password or user]
        keys = [password or user]
        for name, secret in self.headers.items():
            headers[name] = secret.reveal()
            if _BREAKS.search(headers[name]):
                raise self._description.wrong(f"headers.{name}", secret.written, "a single line")
            hidden += secret.values()
            keys += secret.values() if secret.is_key else []
        if user:
            token = b64encode(f"{user}:{password}".encode()).decode()
            headers.setdefault("Authorization", f"Basic {token}")
            hidden.append(token)
            keys.append(token)
        variables: dict[str, str] = {}
        for secret in self._variables:
            variables.update(zip(secret.names, secret.values(), strict=True))
            keys += secret.values() if secret.is_key else []
        protect(keys)
        hidden += variables.values()
        assert base.hostname is not None  # checked by _split
        host = f"[{base.hostname}]" if ":" in base.hostname else base.hostname
        origin = f"{base.scheme}://{host}" + (f":{port}" if port is not None else "")
        prefix = base.path.rstrip("/")
        if self._base.names:
            hidden += [step for step in prefix.split("/") if len(step) >= _LIKE_A_KEY]
        return Credentials(
            origin, prefix, headers, variables, tuple(dict.fromkeys(filter(None, hidden)))
        )

    def _split(self) -> tuple[SplitResult, int | None]:
        """Return the parts of an address, and its port."""
        written, revealed = self._base.written, self._base.reveal()
        try:
            base = urlsplit(revealed)
            port = base.port
        except ValueError:
            # Instead of a port there may be a password with a slash.
            shown = written if self._base.names else re.sub(r":[^:/]*$", ":…", written)
            raise self._description.wrong("url", shown, "http://host:port") from None
        known = base.scheme in ("http", "https") and base.hostname
        if not known or base.query or base.fragment:
            # The variable may contain a password by mistake.
            raise self._description.wrong("url", written, "http://host:port")
        return base, port


def _revealed(part: Secret) -> str:
    # Literal characters may be escaped in an address, but not values from the environment.
    return part.reveal() if part.names else unquote(part.written)


def read_address(description: Description) -> Address:
    """Read ``url``, ``headers`` and the variables of a description."""
    written = description.secret("url").written.strip()
    match = _URL.fullmatch(written) or _FROM_ENVIRONMENT.fullmatch(written)
    if match is None:
        hint = "url is the address of the engine; set the rest as path = …"
        raise description.wrong("url", _safe(written), "http://host:port or https://host", hint)
    parts = match.groupdict()
    rest = parts["rest"] or ""
    if "@" in rest:
        # A password with / or ? would end there, and its rest would be sent to another host.
        hint = "before the host write / as %2F and ? as %3F; after it write @ as %40"
        raise description.wrong("url", _safe(written), "http://host:port or https://host", hint)
    user = None
    if "base" in parts:
        shown = base = parts["base"]
    else:
        shown = base = f"{parts['scheme']}://{parts['host']}"
        if parts["user"] is not None:
            name, _, password = parts["user"].partition(":")
            if password and not VARIABLE.fullmatch(password):
                raise _literal(description, "url", f"{parts['scheme']}://{name}:***@…")
            user = (_secret(description, "url", name), _secret(description, "url", password))
    variables = [_secret(description, "url", rest)] if VARIABLE.search(rest) else []
    path = description.source("path", None)
    if path is not None and VARIABLE.search(path):
        variables.append(_secret(description, "path", path))
    for name, value in description.raw("params").items():
        if isinstance(value, str) and VARIABLE.search(value):
            variables.append(_secret(description, f"params.{name}", value))
    _check_literals(description, rest, path or "")
    headers = _read_headers(description)
    prefix = rest.rstrip("/") if "?" not in rest else rest
    return Address(
        shown, prefix, _secret(description, "url", base), user, headers, variables, description
    )


def _secret(description: Description, key: str, text: str) -> Secret:
    return Secret(text, key, description.file)


def _read_headers(description: Description) -> dict[str, Secret]:
    """Read the headers of a description; their values may contain ``${NAME}``."""
    table = description.table("headers")
    headers: dict[str, Secret] = {}
    if table is None:
        return headers
    for name in table.keys():  # noqa: SIM118, not a mapping
        if not _TOKEN.fullmatch(name):
            raise table.wrong(name, "…", "the name of a header")
        secret = table.secret(name)
        if _SENSITIVE.search(name) and not secret.names:
            raise _literal(description, f"headers.{name}", "***")
        headers[name] = secret
    return headers


def _check_literals(description: Description, *addresses: str) -> None:
    """Refuse secrets that the file itself contains as parameters."""
    for table in ("params", "form"):
        for name, value in description.raw(table).items():
            if _is_key(name, value):
                raise _literal(description, f"{table}.{name}", "***")
    for key, address in zip(("url", "path"), addresses, strict=True):
        for pair in address.partition("?")[2].split("&"):
            name, _, value = pair.partition("=")
            if _is_key(name, value):
                raise _literal(description, key, f"…?{name}=***")


def _is_key(name: str, value: object) -> bool:
    if not isinstance(value, str) or len(value) < _SHORTEST_KEY:
        return False
    return bool(_NAME_OF_A_KEY.search(name)) and "{{" not in value and not VARIABLE.search(value)


def _literal(description: Description, key: str, shown: str) -> Exception:
    return description.wrong(
        key,
        shown,
        "${NAME} in place of the secret",
        hint="set it in an environment variable, because files are shared",
    )


def _safe(url: str) -> str:
    """Return an invalid address without the part before an @."""
    return re.sub(r"^(.*?//)?.*@", r"\1***@", url)


def is_loopback(host: str) -> bool:
    """Return whether a host is this computer.

    Examples
    --------
    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("example.org")
    (True, True, False)
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_of(origin: str) -> str | None:
    """Return the proxy of the environment for an address.

    ``HTTP_PROXY``, ``HTTPS_PROXY`` and ``NO_PROXY`` count, also in lower case. This computer is
    never reached through a proxy.
    """
    parts = urlsplit(origin)
    proxies = getproxies_environment()
    url = proxies.get(parts.scheme)
    host = parts.hostname or ""
    named = host if parts.port is None else f"{host}:{parts.port}"
    if not url or is_loopback(host) or proxy_bypass_environment(named, proxies):
        return None
    return check_proxy(url, f"{parts.scheme.upper()}_PROXY")


def check_proxy(url: str, where: str) -> str:
    """Return the address of a proxy, whose password no message shows."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port, host = parts.port, parts.hostname
    except ValueError:
        parts, port, host = urlsplit(""), None, None
    if parts.scheme not in ("http", "https") or not host:
        # The address may contain a password.
        raise ParameterError(
            where=where, found="another text", expected="an address such as http://proxy:3128"
        )
    protect([unquote(word) for word in (parts.password, parts.username) if word])
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{user}{shown}" + (f":{port}" if port is not None else "")
