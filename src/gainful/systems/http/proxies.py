"""Proxies: of a description, or of the environment."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit
from urllib.request import (  # type: ignore[attr-defined]
    getproxies_environment,
    proxy_bypass_environment,
)

from gainful.errors import ParameterError
from gainful.systems.http.address import is_loopback
from gainful.systems.masking import protect

__all__ = ["check_proxy", "proxy_of"]


def proxy_of(origin: str) -> str | None:
    """Return the proxy of the environment for an address.

    ``HTTP_PROXY``, ``HTTPS_PROXY`` and ``NO_PROXY`` count, also in lower case. This computer is
    never reached through a proxy.

    Raises
    ------
    ParameterError
        If the variable is not the address of a proxy.
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
    """Return the address of a proxy, whose password no message shows.

    Raises
    ------
    ParameterError
        If it is not the address of an HTTP proxy.
    """
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
