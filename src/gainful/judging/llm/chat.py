"""Chat completions: requests of a judge as jobs, and what is stored of their answers."""

from __future__ import annotations

import json
import re
from typing import Any

from gainful.errors import ParameterError, SearchError
from gainful.judging.llm.answers import read_answer
from gainful.judging.llm.items import Usage
from gainful.systems.fetching.journal import Content, Job
from gainful.systems.http.requests import failure, parse_json
from gainful.systems.http.transport import Request
from gainful.systems.masking import exposes, masked, masked_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gainful.judging.llm.items import Call, JudgingRequest, Prompt
    from gainful.systems.http.transport import Response, Transport

__all__ = ["Chat", "make_parameters"]


#: The temperature of several votes; they would be equal at 0.
VOTES_TEMPERATURE = 0.7
#: The maximum number of tokens of an answer.
LONGEST_ANSWER = 1_024
#: Parameters with a new name in some servers.
RENAMED = {"max_tokens": "max_completion_tokens"}
_LIMITS = ("max_tokens", "max_completion_tokens")
_OURS = ("model", "messages", "stream", "n", "stop")


def make_parameters(
    prompt: Prompt,
    *,
    temperature: float | None,
    votes: int,
    max_tokens: int | None,
    expected_grade: bool,
    param: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the parameters of all requests."""
    for name in param:
        if name in _OURS:
            raise ParameterError(where="param", found=name, expected="another parameter")
    default = VOTES_TEMPERATURE if votes > 1 else 0.0
    parameters: dict[str, Any] = {
        "temperature": default if temperature is None else temperature,
        "max_tokens": LONGEST_ANSWER if max_tokens is None else max_tokens,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "grade", "strict": True, "schema": prompt.schema()},
        },
    }
    if expected_grade:
        parameters |= {"logprobs": True, "top_logprobs": 20}
    parameters |= param
    if "max_completion_tokens" in param:
        del parameters["max_tokens"]
    parameters = {name: value for name, value in parameters.items() if value is not None}
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"not JSON ({error})", where="param") from None
    return parameters


def refused_parameter(parameters: Mapping[str, Any], body: bytes) -> tuple[str, str | None] | None:
    """Return the parameter that an error names, and the name to use instead, if any.

    Examples
    --------
    >>> error = b'{"error": {"message": "Unsupported value", "param": "temperature"}}'
    >>> refused_parameter({"temperature": 0, "max_tokens": 9}, error)
    ('temperature', None)
    >>> error = b"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    >>> refused_parameter({"temperature": 0, "max_tokens": 9}, error)
    ('max_tokens', 'max_completion_tokens')
    """
    text = body.decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        named = error.get("param")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        named = None
    parameter = named.split(".")[0] if isinstance(named, str) else None
    if not parameter:
        parameter = next((name for name in parameters if _is_named(name, text)), None)
    if parameter is None or parameter not in parameters:
        return None
    other = RENAMED.get(parameter)
    if other is not None and _is_named(other, text):
        return parameter, other
    # A context that is too short is not a reason to let answers be of any length.
    return None if parameter in _LIMITS and parameter != named else (parameter, None)


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


_PATH = "/chat/completions"


def post_json(path: str, content: object) -> Request:
    """Return a request with a JSON body."""
    return Request("POST", path, json.dumps(content).encode(), "application/json")


def stored(body: Any, parameters: Mapping[str, Any]) -> Content:
    """Return what the journal stores: the response and the parameters in use."""
    content = json.dumps({"body": masked_strings(body), "parameters": dict(parameters)})
    if exposes(content):
        raise SearchError("an answer contains the key that was sent")
    return Content(content)


class Chat:
    """An OpenAI-compatible server that answers requests.

    Parameters that the server refuses by name are dropped from this and all later requests.

    Parameters
    ----------
    asking : JudgingRequest
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
        asking: JudgingRequest,
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
        parameter = refused_parameter(parameters, response.body) if response.status == 400 else None
        if parameter is None:
            return False
        name, other = parameter
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
