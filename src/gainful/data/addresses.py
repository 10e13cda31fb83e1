"""Addresses such as ``s3://bucket/run.parquet``: detection, and display without credentials."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

__all__ = [
    "is_address",
    "shown",
    "without_credentials",
    "without_passwords",
    "without_secrets_of",
]

#: ``s3://``, ``https://``, ``simplecache::gs://``. A single letter would be a Windows drive.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]+::)*[a-z][a-z0-9+.\-]+://", re.IGNORECASE)

#: Addresses in a message. A match begins at a word boundary, which keeps the time linear: a
#: message may quote an id of a megabyte.
_IN_TEXT = re.compile(
    r"(?<![a-z0-9+.\-])([0-9+.\-]*)([a-z][a-z0-9+.\-]+://[^\s'\"<>()\[\],]+)", re.IGNORECASE
)

#: Schemes in which the part before the ``@`` is a container, not credentials.
_CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")


def is_address(path: str) -> bool:
    """Return whether a path is an address rather than a path of the local file system.

    Examples
    --------
    >>> is_address("s3://bucket/run.parquet"), is_address("runs/bm25.run")
    (True, False)
    """
    return _ADDRESS.match(path) is not None


def shown(address: str) -> str:
    """Return an address without credentials, for messages and results.

    Removes user and password before the host, and signatures and tokens after a question mark.

    Examples
    --------
    >>> shown("https://me:secret@example.org/run.tsv?X-Amz-Signature=0123")
    'https://example.org/run.tsv'
    >>> shown("simplecache::s3://bucket/run.tsv")
    'simplecache::s3://bucket/run.tsv'
    """
    return "::".join(_shown(part) for part in address.split("::"))


def _shown(part: str) -> str:
    scheme, mark, rest = part.partition("://")
    if not mark:
        return part
    # Except on the web, a question mark may be part of a name if no value follows.
    rest = _without_user(scheme, rest)
    before, _, query = rest.partition("?")
    if query and (scheme.lower() in ("http", "https") or "=" in query):
        rest = before
    if scheme.lower() in ("http", "https"):
        rest = rest.partition("#")[0]
    return scheme + mark + rest


def _without_user(scheme: str, rest: str) -> str:
    host, slash, path = rest.partition("/")
    user, sign, place = host.rpartition("@")
    is_container = scheme.lower() in _CONTAINERS and ":" not in user
    return (place if sign and not is_container else host) + slash + path


def without_credentials(text: str, address: str = "") -> str:
    """Return a text, such as an error message, without the credentials of its addresses.

    Parameters
    ----------
    text : str
        The message.
    address : str, optional
        The address being read. Its user, password and the values after its question mark are
        removed everywhere in the text, escaped or not.

    Examples
    --------
    >>> address = "https://me:secret@example.org/run.tsv"
    >>> without_credentials("403 for url 'https://me:secret@example.org/run.tsv': secret", address)
    "403 for url 'https://example.org/run.tsv': ..."
    """
    text = text.replace(address, shown(address)) if address else text
    text = _IN_TEXT.sub(lambda match: match[1] + _shown(match[2]), text)
    return without_secrets_of(text, address)


def without_passwords(text: str) -> str:
    """Return a text without users and passwords in its addresses, which may be ids.

    Examples
    --------
    >>> without_passwords("https://me:secret@example.org/x and https://example.org/x.py?v#L1-L2")
    'https://example.org/x and https://example.org/x.py?v#L1-L2'
    """

    def replaced(match: re.Match[str]) -> str:
        scheme, mark, rest = match[2].partition("://")
        return match[1] + scheme + mark + _without_user(scheme, rest)

    return _IN_TEXT.sub(replaced, text)


def without_secrets_of(text: str, address: str) -> str:
    """Return a text without the address's user, password and values after its question mark.

    Examples
    --------
    >>> without_secrets_of("403: signature 0123 is invalid", "s3://bucket/x?signature=0123")
    '403: signature ... is invalid'
    """
    text = text.replace(address, shown(address)) if address else text
    for part in address.split("::"):
        rest = part.partition("://")[2]
        user, sign, _ = rest.partition("/")[0].rpartition("@")
        secrets = user.split(":") if sign and ":" in user else [user] if sign else []
        values = re.split("[?&;]", rest)[1:]
        secrets += [value.partition("=")[2] or value for value in values]
        # Libraries may quote parts of an address escaped or unescaped.
        unescaped = {unquote(secret) for secret in secrets}
        forms = {*secrets, *unescaped, *(quote(secret, safe="") for secret in unescaped)}
        for secret in sorted(forms, key=len, reverse=True):
            if len(secret) > 3:
                text = text.replace(secret, "...")
    return text
