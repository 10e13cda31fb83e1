"""Ask a server or a function until every document has a grade, with a journal."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Event, Thread
from time import monotonic
from urllib.parse import urlsplit

from gainful.errors import ArgumentError, ParameterError, SearchError
from gainful.judging.llm.answers import PILOT, Outcome, StoredAnswer, read_answer
from gainful.judging.llm.chat import Chat, post_json, stored
from gainful.packages import LLM_CLIENTS, error_in, installed, names
from gainful.systems.fetching.base import LEAST_FAILURES, JobQueue, pause, reason, worth_retrying
from gainful.systems.fetching.journal import Content, Job
from gainful.systems.fetching.on_loop import LoopFetching
from gainful.systems.http.address import Credentials, is_loopback
from gainful.systems.http.requests import failure, parse_json
from gainful.systems.http.transport import Connection, Request, Response
from gainful.systems.masking import masked, protect
from gainful.systems.python.named_objects import load_object, names_object
from gainful.threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator
    from typing import Any

    from gainful.judging.llm.answers import Estimate, Meter
    from gainful.judging.llm.items import Call, JudgingRequest, Usage
    from gainful.systems.fetching.base import Options
    from gainful.systems.fetching.journal import SearchSession
    from gainful.systems.http.transport import Transport

__all__ = ["Batches", "Client", "ModelServer", "Requests", "ask_all"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_COMPLETIONS = "/chat/completions"


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server with an OpenAI-compatible API.

    Attributes
    ----------
    origin : str
        Scheme, host and port.
    prefix : str
        The path before ``/chat/completions``, such as ``/v1``.
    key_variable : str or None
        The environment variable with the key.
    local : bool
        Whether it is this computer.

    Examples
    --------
    >>> server = ModelServer.at("http://localhost:8000/v1/chat/completions")
    >>> server.origin, server.prefix, server.local
    ('http://localhost:8000', '/v1', True)
    """

    origin: str
    prefix: str
    key_variable: str | None
    local: bool

    @classmethod
    def at(cls, url: str, key_variable: str | None = None) -> ModelServer:
        """Check an address."""
        expected = "an address such as http://localhost:8000/v1, without user, ? and #"
        try:
            parts = urlsplit(url)
            port = parts.port
        except (ValueError, AttributeError, TypeError):
            raise ParameterError(where="url", found="…", expected=expected) from None
        plain = not (parts.query or parts.fragment or parts.username or parts.password)
        if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
            # The address may contain a key.
            raise ParameterError(where="url", found="another address", expected=expected)
        if key_variable is not None and not _NAME.fullmatch(key_variable):
            raise ParameterError(
                where="key_variable",
                found="another text",
                expected="the name of an environment variable, not the key itself",
            )
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        origin = f"{parts.scheme}://{host}" + (f":{port}" if port is not None else "")
        prefix = parts.path.rstrip("/").removesuffix(_COMPLETIONS).rstrip("/")
        return cls(origin, prefix, key_variable, is_loopback(parts.hostname))

    @property
    def shown(self) -> str:
        """The address in messages."""
        return self.origin + self.prefix

    def connect(self) -> tuple[Transport, tuple[str, ...]]:
        """Return the transport of requests, and the texts to mask in messages."""
        credentials = self.credentials()
        return Connection(credentials), credentials.hidden

    def credentials(self) -> Credentials:
        """Look up the key."""
        if self.key_variable is None:
            return Credentials(self.origin, self.prefix, {}, {}, ())
        key = os.environ.get(self.key_variable, "").strip()
        if not key or not key.isprintable():
            raise ParameterError(
                f"the environment variable {self.key_variable} is not set"
                if not key
                else f"the environment variable {self.key_variable} has several lines",
                where="key_variable",
                hint=f"export {self.key_variable}=…",
            )
        protect([key])
        headers = {"Authorization": f"Bearer {key}"}
        return Credentials(self.origin, self.prefix, headers, {}, (key,))


@dataclass
class Requests:
    """The requests of a judge, and what became of them.

    Attributes
    ----------
    asking : JudgingRequest
        How documents are put to the model.
    server : ModelServer or Client
        The server, or the function that answers.
    session : SearchSession
        The journal's session.
    options : Options
        The options of the transport.
    tokens_per_minute : float or None
        The maximum number of tokens per minute.
    meter : Meter
        Tokens and costs.
    announce : callable or None
        Called with the estimate after the first answers.
    progress : callable or None
        Called with the numbers of requests that finished, in total, and that failed.
    kept : dict of str to Kept
        The answers, by key.
    failed : dict of str to str
        The requests without an answer, with the reasons, by key.
    reused : int
        The number of answers that were in the journal.
    sent : int
        The number of requests of this session that were answered.
    estimate : Estimate or None
        The estimate after the first answers.
    temporary : bool
        Whether a network or server failed, so that requests may succeed later.
    """

    asking: JudgingRequest
    server: ModelServer | Client
    session: SearchSession
    options: Options
    tokens_per_minute: float | None
    meter: Meter
    announce: Callable[[Estimate], object] | None = None
    progress: Callable[[int, int, int], object] | None = None
    kept: dict[str, StoredAnswer] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    reused: int = 0
    sent: int = 0
    estimate: Estimate | None = None
    temporary: bool = False
    calls: dict[str, Call] = field(default_factory=dict)
    same: dict[Call, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.transport, self.hidden = self.server.connect()
        self.chat = Chat(
            self.asking,
            self.transport,
            shown=self.server.shown,
            hidden=self.hidden,
            count=self._count,
        )
        self._guesses: dict[str, int] = {}
        self._fetching: LoopFetching | None = None

    def add(self, calls: Iterable[Call]) -> list[str]:
        """Add requests, and return the keys of those without an answer in the journal.

        Requests with equal texts and parameters have one key, and are sent once.
        """
        fresh = []
        keys = []
        for call in calls:
            if call not in self.same:
                key = self.same[call] = self.asking.key(call)
                if key not in self.calls:
                    self.calls[key] = call
                    fresh.append(key)
            keys.append(self.same[call])
        self.collect(fresh)
        self.reused += sum(key in self.kept for key in fresh)
        return [key for key in dict.fromkeys(keys) if key not in self.kept]

    def answered(self, call: Call) -> StoredAnswer | None:
        """Return the answer to a request; None without one."""
        return self.kept.get(self.same[call])

    def pilot(self, keys: list[str], *, batch: bool) -> list[str]:
        """Send the first requests, estimate the cost of all, and return the other requests.

        Before a batch there are always such requests, because they find refused parameters.
        """
        first, rest = keys[:PILOT], keys[PILOT:]
        if (not rest and not batch) or self.meter.answers >= PILOT:
            return keys
        self.send(first)
        if not self.meter.answers:
            self.failed.update(dict.fromkeys(rest, "not sent: the first requests all failed"))
            return []
        self.estimate = self.meter.estimate(len(self.calls))
        if self.estimate is not None and self.announce is not None:
            self.announce(self.estimate)
        return rest

    def send(self, keys: list[str]) -> None:
        """Send requests, and wait for all answers."""
        if not keys:
            return
        agenda = JobQueue(
            batch=1,
            retries=self.options.retries,
            rate=self.options.rate,
            patience=max(LEAST_FAILURES, 2 * self.options.workers),
            spacing=None if self.tokens_per_minute is None else self._spacing,
            stopping=self.meter.stopping,
        )
        agenda.add([self.job(key) for key in keys])
        before = len(self.kept) + len(self.failed)
        fetching = self._fetching = LoopFetching(
            self.chat,
            agenda,
            self.session,
            timeout=self.options.timeout,
            strict=False,
        )

        def report() -> None:
            if self.progress is not None:
                done = before + agenda.finished
                self.progress(done, len(self.calls), len(self.failed) + agenda.refused)

        fetching.run(self.options.workers, report)
        if fetching.error is not None:
            raise fetching.error
        report()
        self.sent += agenda.finished - agenda.refused
        self.temporary = self.temporary or agenda.temporary
        self.collect(keys, counted=True)
        if agenda.hopeless:
            self.failed.update((job.id, agenda.hopeless) for job in agenda.unsent())

    def collect(self, keys: list[str], *, counted: bool = False) -> None:
        """Read answers from the journal."""
        figures = self.session.figures()
        wanted = [figures[key] for key in keys if key in figures and key not in self.kept]
        answered = [job for job in wanted if job.failure is None]
        for job, answer in zip(answered, self.session.answers(answered), strict=True):
            call = self.calls[job.key]
            try:
                content = json.loads(answer.answer)
                parameters = content["parameters"]
                reading = read_answer(content["body"], self.asking.prompt)
            except (ValueError, LookupError, TypeError):
                raise self.session.damaged("an answer") from None
            self.kept[job.key] = StoredAnswer(call, reading, parameters, job.at)
            self.chat.refused_before(call, parameters)
            self.failed.pop(job.key, None)
            if not counted:
                self.meter.add(reading.usage or self.asking.guess(call, reading.text))
        if counted:
            self.failed.update((job.key, job.failure) for job in wanted if job.failure is not None)

    def job(self, key: str) -> Job:
        """Return the job of a request."""
        return Job(key, request=self.calls[key])

    def _spacing(self, job: Job) -> float:
        """Return the seconds that the tokens of a request take up."""
        assert self.tokens_per_minute is not None
        tokens = self.asking.count_tokens(job.request) + self._output()
        self._guesses[job.id] = tokens
        return 60.0 * tokens / self.tokens_per_minute

    def _output(self) -> int:
        """Return the expected tokens of an answer."""
        if not self.meter.answers:
            return self.meter.first_guess.output
        return -(-self.meter.output // self.meter.answers)

    def _count(self, key: str, usage: Usage) -> None:
        """Count the tokens of an answer, and correct the wait for them."""
        fetching = self._fetching
        assert fetching is not None
        with fetching.lock:
            self.meter.add(usage)
            guess = self._guesses.pop(key, None)
            if guess is not None and self.tokens_per_minute is not None:
                seconds = 60.0 * (sum(usage) - guess) / self.tokens_per_minute
                fetching.agenda.delay(seconds)


def ask_all(requests: Requests, calls: list[Call], attempts: int, *, batch: bool) -> None:
    """Send requests, and ask again what was not answered by a grade.

    With `batch`, all but the first requests use the server's batch endpoint.
    """
    send = requests.send
    if batch:
        batches = Batches(requests)
        send = batches.send
    for attempt in range(attempts):
        missing = requests.add(calls)
        if attempt == 0:
            missing = requests.pilot(batches.resume(missing) if batch else missing, batch=batch)
        send(missing)
        calls = [
            call._replace(attempt=attempt + 1)
            for call in calls
            if (kept := requests.answered(call)) and kept.reading.outcome is not Outcome.GRADE
        ]
        if not calls:
            return


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
        """Return the client of a function, ``"module:function"``, or the name of a package's."""
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
        """Call the function with a request."""
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
