"""Language models that answer through a function instead of a server's address."""

from __future__ import annotations

import asyncio
import inspect
import json

from gainful.errors import ArgumentError, ParameterError, SearchError
from gainful.packages import LLM_CLIENTS, error_in, installed, names
from gainful.systems.http.transport import Request, Response
from gainful.systems.python.named_objects import load_object, names_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gainful.systems.http.transport import Transport

__all__ = ["Client"]


class Client:
    """A function that answers requests for chat completions.

    It gets the body of the request: ``model``, ``messages`` and the parameters, as in OpenAI's API.
    It returns the text of the answer, or the whole response as a dictionary, and may be ``async``.

    Parameters
    ----------
    function : callable
        The function.
    shown : str
        Its name in messages.
    """

    #: Where the function sends texts is unknown.
    local = False

    def __init__(self, function: Callable[[dict[str, Any]], Any], shown: str) -> None:
        self._function = function
        self.shown = shown

    @classmethod
    def of(cls, client: object) -> Client:
        """Return the client of a function, ``"module:function"``, or the name of a package's.

        Raises
        ------
        ParameterError
            For an unknown name.
        ArgumentError
            For an object that is not a function.
        """
        if isinstance(client, str):
            if names_object(client):
                return cls(load_object(client), client)
            for entry, function in installed(LLM_CLIENTS, client):
                if not callable(function):
                    raise error_in(entry, "is not a function that takes a request")
                return cls(function, client)
            known = names(LLM_CLIENTS)
            raise ParameterError(
                where="client",
                found=repr(client),
                expected=f"module:function or file.py:function{''.join(f', {n}' for n in known)}",
            )
        if not callable(client):
            raise ArgumentError(
                where="client",
                found=type(client).__name__,
                expected="a function that takes a request",
            )
        return cls(client, getattr(client, "__qualname__", type(client).__qualname__))

    def connect(self) -> tuple[Transport, tuple[str, ...]]:
        """Return the transport of requests, and the texts to mask in messages."""
        return self, ()

    async def send(self, request: Request) -> Response:
        """Call the function with a request.

        Raises
        ------
        SearchError
            If it raises an error, or returns neither a text nor a dictionary.
        """
        body = json.loads(request.body or b"{}")
        try:
            if inspect.iscoroutinefunction(self._function):
                answer = await self._function(body)
            else:
                answer = await asyncio.to_thread(self._function, body)
        except Exception as error:
            problem = f"the client raised {type(error).__name__}: {error}"
            raise SearchError(problem, transient=True) from error
        if isinstance(answer, str):
            answer = {"choices": [{"message": {"role": "assistant", "content": answer}}]}
        if not isinstance(answer, dict):
            raise SearchError(f"the client returned {type(answer).__name__}, not a text")
        return Response(200, {"content-type": "application/json"}, json.dumps(answer).encode())

    async def close(self) -> None:
        """Close nothing."""
