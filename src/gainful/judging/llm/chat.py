"""Chat completions: requests of a judge as jobs, and what is stored of their answers."""

from __future__ import annotations

import json
from typing import Any

from gainful.errors import SearchError
from gainful.judging.llm.answers import Usage, read_answer
from gainful.judging.llm.parameters import RENAMED, refused_parameter
from gainful.systems.fetching.journal import Content
from gainful.systems.http.answers import failure, parse_json
from gainful.systems.http.transport import Request
from gainful.systems.masking import exposes, masked, masked_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gainful.judging.llm.calls import Asking, Call
    from gainful.systems.fetching.journal import Job
    from gainful.systems.http.transport import Response, Transport

__all__ = ["Chat", "post_json", "stored"]

_PATH = "/chat/completions"


def post_json(path: str, content: object) -> Request:
    """Return a request with a JSON body."""
    return Request("POST", path, json.dumps(content).encode(), "application/json")


def stored(body: Any, parameters: Mapping[str, Any]) -> Content:
    """Return what the journal stores: the response and the parameters in use.

    Raises
    ------
    SearchError
        If a key that was sent cannot be masked.
    """
    content = json.dumps({"body": masked_strings(body), "parameters": dict(parameters)})
    if exposes(content):
        raise SearchError("an answer contains the key that was sent")
    return Content(content)


class Chat:
    """An OpenAI-compatible server that answers requests.

    Parameters that the server refuses by name are dropped from this and all later requests.

    Parameters
    ----------
    asking : Asking
        How documents are put to the model.
    transport : Transport
        The connections.
    shown : str
        The address in messages.
    hidden : sequence of str
        Texts to mask in messages.
    count : callable
        Called with the key and the tokens of each answer.

    Attributes
    ----------
    dropped : dict of str to str
        The parameters that the server refuses, with its messages.
    """

    def __init__(
        self,
        asking: Asking,
        transport: Transport,
        *,
        shown: str,
        hidden: Sequence[str],
        count: Callable[[str, Usage], object],
    ) -> None:
        self._asking = asking
        self._transport = transport
        self._shown = shown
        self._hidden = hidden
        self._count = count
        self.dropped: dict[str, str] = {}
        self._renamed: dict[str, str] = {}

    async def ask(self, jobs: Sequence[Job]) -> list[Content]:
        """Send requests, and return what is stored of their answers."""
        return [await self._answer(job) for job in jobs]

    def contents(self, answers: list[Content], count: int) -> list[Content]:
        """Return the answers, which `ask` has checked."""
        return answers

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def body(self, call: Call) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the body of a request, and its parameters without refused ones."""
        parameters = self._asking.parameters_of(call)
        for name in list(parameters):
            if name in self.dropped:
                value = parameters.pop(name)
                other = self._renamed.get(name)
                if other is not None and other not in self.dropped:
                    parameters[other] = value
        body = {
            "model": self._asking.model,
            "messages": self._asking.messages(call),
            **parameters,
        }
        return body, parameters

    def drop(self, parameters: Mapping[str, Any], response: Response) -> bool:
        """Drop the parameter that an error names; return whether there is one."""
        found = refused_parameter(parameters, response.body) if response.status == 400 else None
        if found is None:
            return False
        name, other = found
        refused = failure(response)
        self.dropped[name] = masked(refused.problem, self._hidden) if refused else ""
        if other is not None:
            self._renamed[name] = other
        return True

    def refused_before(self, call: Call, accepted: Mapping[str, Any]) -> None:
        """Drop the parameters that an earlier session dropped."""
        for name in self._asking.parameters_of(call):
            if name not in accepted and name not in self.dropped:
                self.dropped[name] = "as in an earlier run"
                if RENAMED.get(name) in accepted:
                    self._renamed[name] = RENAMED[name]

    async def _answer(self, job: Job) -> Content:
        try:
            while True:
                body, parameters = self.body(job.request)
                response = await self._transport.send(post_json(_PATH, body))
                if not self.drop(parameters, response):
                    break
            refused = failure(response)
            if refused is not None:
                raise refused
            return self._checked(job, response, parameters)
        except SearchError as error:
            problem = masked(error.problem, self._hidden)
            raise error.replace(
                where=self._shown, message=problem, found=None, expected=None, hint=None
            ) from None

    def _checked(self, job: Job, response: Response, parameters: Mapping[str, Any]) -> Content:
        """Return a response to store; one that is not a chat completion may be one next time."""
        try:
            body = parse_json(response)
            reading = read_answer(body, self._asking.prompt)
        except SearchError as error:
            raise SearchError(error.problem, transient=True) from None
        except ValueError as error:
            raise SearchError(str(error), transient=True) from None
        self._count(job.id, reading.usage or self._asking.guess(job.request, reading.text))
        return stored(body, parameters)
