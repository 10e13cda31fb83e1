"""What takes a request to an engine and brings its answer back."""

from __future__ import annotations

from typing import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Request", "Response", "Transport"]


class Request(NamedTuple):
    """One request, without what is secret.

    Attributes
    ----------
    method : str
        Such as ``"POST"``.
    target : str
        Path and query string, encoded, with ``${NAME}`` as it is written.
    body : bytes, optional
        As it is sent.
    content_type : str, optional
        What the body is.
    """

    method: str
    target: str
    body: bytes | None = None
    content_type: str | None = None


class Response(NamedTuple):
    """What came back, decompressed.

    Attributes
    ----------
    status : int
        Such as 200.
    headers : mapping of str to str
        By their names in lower case.
    body : bytes
        The whole of it.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Sends requests; may be asked by many tasks of one event loop at the same time."""

    async def send(self, request: Request) -> Response:
        """Send a request and wait for the whole answer.

        Raises
        ------
        SearchError
            If there is no answer, and whether asking again may help. An answer that says of an
            error is one like others.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
