"""Chat completions: requests of a judge as jobs, and what is stored of their answers."""

from __future__ import annotations

import asyncio
import json
import re
from hashlib import sha256
from threading import Event, Thread
from time import monotonic
from typing import Any

from gainful.errors import ParameterError, SearchError
from gainful.judging.llm.answers import Usage, read_answer
from gainful.systems.fetching.base import pause, reason, worth_retrying
from gainful.systems.fetching.journal import Content, Job
from gainful.systems.http.requests import failure, parse_json
from gainful.systems.http.transport import Request
from gainful.systems.masking import exposes, masked, masked_strings
from gainful.threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence

    from gainful.judging.llm.fetching import Requests
    from gainful.judging.llm.items import Asking, Call, Prompt
    from gainful.systems.http.transport import Response, Transport

__all__ = ["Batches", "Chat", "make_parameters"]


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
    """Return the parameters of all requests.

    Parameters
    ----------
    prompt : Prompt
        The prompt, whose answers have a schema.
    temperature : float or None
        The temperature. Default: 0, or `VOTES_TEMPERATURE` for several votes.
    votes : int
        The number of answers per document.
    max_tokens : int or None
        The maximum number of tokens of an answer. Default: `LONGEST_ANSWER`.
    expected_grade : bool
        Whether log-probabilities are requested.
    param : mapping
        Other parameters, which replace these. A parameter with the value None is left out.

    Raises
    ------
    ParameterError
        For a parameter that is not the caller's to set.
    """
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

    Parameters
    ----------
    parameters : mapping
        The parameters of the request.
    body : bytes
        The content of the error.

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


#: The maximum number of requests and bytes of a batch; servers allow 50,000 and 200 MB.
_MOST, _LARGEST = 50_000, 100_000_000
#: Seconds between questions for the state of a batch: at first, and at most.
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
#: States in which a batch does not change any more.
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
#: The path that requests in a batch have, whatever the path of the server.
_ENDPOINT = "/v1/chat/completions"
#: A batch is a job, which has no answer until its results are stored.
_BATCH, _BEGUN = "batch:", "the batch has begun"


class Batches:
    """Batches of requests, whose ids are in the journal before their results are awaited.

    Parameters
    ----------
    requests : Requests
        The requests and the journal.
    """

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._session = requests.session

    def send(self, keys: list[str]) -> None:
        """Send requests in batches, and wait for their results."""
        keys = self._within_budget(keys)
        for part in self._split(keys):
            self._wait(self._begin(part), part, complete=True)

    def resume(self, missing: list[str]) -> list[str]:
        """Wait for batches that began earlier, and return the keys that are still missing."""
        for job, is_done in self._session.jobs().values():
            if job.id.startswith(_BATCH) and not is_done:
                self._wait(job.id.removeprefix(_BATCH), missing, complete=False)
        return [key for key in missing if key not in self._requests.kept]

    def _within_budget(self, keys: list[str]) -> list[str]:
        """Return the requests that the budget is enough for."""
        meter = self._requests.meter
        for index in range(len(keys)):
            if not meter.affords(index + 1):
                why = f"not sent: the batch could exceed the budget of {meter.budget:g}"
                self._requests.failed.update(dict.fromkeys(keys[index:], why))
                return keys[:index]
        return keys

    def _split(self, keys: list[str]) -> list[list[str]]:
        """Split requests into batches that are small enough."""
        parts: list[list[str]] = []
        size = _LARGEST
        for key in keys:
            length = len(self._line(key))
            if size + length > _LARGEST or len(parts[-1]) >= _MOST:
                parts.append([])
                size = 0
            parts[-1].append(key)
            size += length
        return parts

    def _line(self, key: str) -> bytes:
        body, _ = self._requests.chat.body(self._requests.calls[key])
        line = {"custom_id": key, "method": "POST", "url": _ENDPOINT, "body": body}
        return json.dumps(line).encode() + b"\n"

    def _begin(self, keys: list[str]) -> str:
        """Create a batch, and return its id, which is in the journal then."""
        mark = sha256("\n".join(keys).encode()).hexdigest()
        number: str = _in_thread(self._closing(self._create(keys, mark)))
        self._session.keep_failures([(Job(_BATCH + number), _BEGUN, 0.0, 1)])
        return number

    async def _create(self, keys: list[str], mark: str) -> str:
        # A process that was killed before it knew the id finds the batch by its mark.
        listed = await self._json(Request("GET", "/batches?limit=100"), missing={})
        jobs = self._session.jobs().values()
        done = {job.id for job, is_done in jobs if is_done}
        data = listed.get("data")
        for entry in data if isinstance(data, list) else ():
            metadata = entry.get("metadata") if isinstance(entry, dict) else None
            marked = isinstance(metadata, dict) and metadata.get("gainful") == mark
            if marked and _BATCH + self._id_of(entry) not in done:
                return self._id_of(entry)
        content = b"".join(map(self._line, keys))
        file = await self._json(_upload(content, mark))
        batch = await self._json(
            post_json(
                "/batches",
                {
                    "input_file_id": self._id_of(file),
                    "endpoint": _ENDPOINT,
                    "completion_window": "24h",
                    "metadata": {"gainful": mark},
                },
            )
        )
        return self._id_of(batch)

    def _id_of(self, found: dict[str, Any]) -> str:
        if not isinstance(found.get("id"), str | int):
            raise self._refused("found no id in an answer")
        return str(found["id"])

    def _wait(self, number: str, keys: list[str], *, complete: bool) -> None:
        """Wait until a batch ends, and store its results.

        With `complete`, the keys are those of the batch, so that each one should have a result.
        """
        results, why = _in_thread(self._closing(self._results(number)))
        known = set(keys)
        for line in results:
            self._store(line, known)
        state = Content(json.dumps(why or "completed"))
        self._session.keep([(Job(_BATCH + number), state, 0.0, 1)])
        self._requests.collect(keys)
        self._requests.sent += sum(key in self._requests.kept for key in keys)
        for key in keys if complete else ():
            if key not in self._requests.kept:
                self._requests.failed.setdefault(key, why or "the batch has no result")

    async def _results(self, number: str) -> tuple[list[dict[str, Any]], str]:
        wait = _FIRST_WAIT
        while True:
            batch = await self._json(Request("GET", f"/batches/{number}"))
            state = str(batch.get("status"))
            if state in _ENDED:
                break
            counts = batch.get("request_counts")
            self._report(*(_count(counts, name) for name in ("completed", "failed")))
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)
        lines: list[dict[str, Any]] = []
        for name in ("output_file_id", "error_file_id"):
            if batch.get(name):
                request = Request("GET", f"/files/{batch[name]}/content")
                content = (await self._send(request)).body.decode("utf-8", "replace")
                lines += _objects(content)
        return lines, "" if state == "completed" else f"the batch {state}"

    async def _closing(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Close the connections of an event loop before it ends."""
        try:
            return await work
        finally:
            await self._requests.transport.close()

    def _report(self, completed: int, failed: int) -> None:
        requests = self._requests
        if requests.progress is not None:
            done = len(requests.kept) + len(requests.failed) + completed + failed
            requests.progress(done, len(requests.calls), len(requests.failed) + failed)

    def _store(self, line: dict[str, Any], known: set[str]) -> None:
        """Store a result line in the journal, also if it is not among today's requests."""
        key = str(line.get("custom_id"))
        response = line.get("response")
        response = response if isinstance(response, dict) else {}
        body = response.get("body")
        try:
            read_answer(body, self._requests.asking.prompt)
        except ValueError:
            if key in known:
                error = line.get("error") or body or {}
                text = json.dumps(error.get("error", error) if isinstance(error, dict) else error)
                why = f"status {response.get('status_code')} ({masked(text)[:200]})"
                self._session.keep_failures([(Job(key), why, 0.0, 1)])
                self._requests.failed[key] = why
            return
        requests = self._requests
        parameters = requests.chat.body(requests.calls[key])[1] if key in known else {}
        self._session.keep([(Job(key), stored(body, parameters), 0.0, 1)])

    async def _json(self, request: Request, missing: Any = None) -> Any:
        response = await self._send(request, optional=missing is not None)
        document = parse_json(response) if response.status < 300 else missing
        if not isinstance(document, dict):
            raise self._refused("found an answer that is not an object")
        return document

    def _refused(self, why: str) -> SearchError:
        return SearchError(
            f"the batch endpoint: {why}",
            where=self._requests.server.shown,
            hint="the same command continues with the batches that have begun",
        )

    async def _send(self, request: Request, *, optional: bool = False) -> Response:
        """Send a request, with retries; it has no answer that could be lost."""
        requests = self._requests
        tries = 0
        while True:
            tries += 1
            try:
                async with asyncio.timeout(requests.options.timeout):
                    response = await requests.transport.send(request)
                refused = failure(response)
                if refused is None or (optional and not refused.transient):
                    return response
                raise refused
            except (SearchError, TimeoutError) as error:
                if tries > requests.options.retries or not worth_retrying(error):
                    raise self._refused(masked(reason(error), requests.hidden)) from None
                await asyncio.sleep(pause(error) or min(0.5 * 2.0**tries, 30.0))


def _upload(content: bytes, mark: str) -> Request:
    """Return the request that uploads the lines of a batch."""
    boundary = f"gainful-{mark[:32]}"
    head = (
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="file"; filename="judge.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return Request("POST", "/files", body, f"multipart/form-data; boundary={boundary}")


def _in_thread(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine on a loop of its own, so that it also runs in notebooks."""
    done = Event()
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    thread = Thread(target=run, name="gainful-batch", daemon=True)
    began = monotonic()
    start_thread(thread)
    # Waiting without a limit would keep Ctrl-C from being noticed on some systems.
    while not done.wait(min(0.05 + (monotonic() - began), 1.0)):
        pass
    if errors:
        raise errors[0]
    return results[0]


def _objects(content: str) -> Iterator[dict[str, Any]]:
    """Yield the objects among JSON lines; a damaged line is a result that is missing."""
    for line in content.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry


def _count(counts: object, name: str) -> int:
    count = counts.get(name) if isinstance(counts, dict) else None
    return count if isinstance(count, int) else 0
