"""The interface of transports, with requests and responses."""

from __future__ import annotations

from typing import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Request", "Response", "Transport"]


class Request(NamedTuple):
    """A request, without secrets.

    Attributes
    ----------
    method : str
        Such as ``"POST"``.
    target : str
        Encoded path and query string, with ``${NAME}`` unchanged.
    body : bytes, optional
        The content.
    content_type : str, optional
        The type of the body.
    """

    method: str
    target: str
    body: bytes | None = None
    content_type: str | None = None


class Response(NamedTuple):
    """A response, decompressed.

    Attributes
    ----------
    status : int
        Such as 200.
    headers : mapping of str to str
        By name in lower case.
    body : bytes
        The complete content.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Send requests; supports concurrent tasks of one event loop."""

    async def send(self, request: Request) -> Response:
        """Send a request and wait for the complete response.

        Raises
        ------
        SearchError
            If there is no response, with whether a retry may help. An error status is a response.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...
