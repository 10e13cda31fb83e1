"""Ask a server or a function until every document has a grade, with a journal."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gainful.errors import ArgumentError, ParameterError, SearchError
from gainful.judging.llm.answers import PILOT, Kept, Outcome, read_answer
from gainful.judging.llm.chat import Chat
from gainful.packages import LLM_CLIENTS, error_in, installed, names
from gainful.systems.fetching.base import LEAST_FAILURES, Agenda
from gainful.systems.fetching.journal import Job
from gainful.systems.fetching.on_loop import LoopFetching
from gainful.systems.http.address import Credentials, is_loopback
from gainful.systems.http.transport import Connection, Request, Response
from gainful.systems.masking import protect
from gainful.systems.python.callables import load_object, names_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gainful.judging.llm.answers import Estimate, Meter, Usage
    from gainful.judging.llm.items import Asking, Call
    from gainful.systems.fetching.base import Options
    from gainful.systems.fetching.journal import Session
    from gainful.systems.http.transport import Transport

__all__ = ["Client", "Requests", "Server", "ask_all"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_COMPLETIONS = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Server:
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
    >>> server = Server.at("http://localhost:8000/v1/chat/completions")
    >>> server.origin, server.prefix, server.local
    ('http://localhost:8000', '/v1', True)
    """

    origin: str
    prefix: str
    key_variable: str | None
    local: bool

    @classmethod
    def at(cls, url: str, key_variable: str | None = None) -> Server:
        """Check an address.

        Raises
        ------
        ParameterError
            If it is not the address of a server, or the name of the variable is not a name.
        """
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
        """Look up the key.

        Raises
        ------
        ParameterError
            If the variable is missing or empty, or its value is not a single line.
        """
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
    asking : Asking
        How documents are put to the model.
    server : Server or Client
        The server, or the function that answers.
    session : Session
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

    asking: Asking
    server: Server | Client
    session: Session
    options: Options
    tokens_per_minute: float | None
    meter: Meter
    announce: Callable[[Estimate], object] | None = None
    progress: Callable[[int, int, int], object] | None = None
    kept: dict[str, Kept] = field(default_factory=dict)
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

    def answered(self, call: Call) -> Kept | None:
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
        agenda = Agenda(
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
        """Read answers from the journal.

        Parameters
        ----------
        keys : list of str
            The requests.
        counted : bool
            Whether their tokens were counted as they arrived.
        """
        figures = self.session.figures()
        wanted = [figures[key] for key in keys if key in figures and key not in self.kept]
        answered = [job for job in wanted if job.failure is None]
        for job, stored in zip(answered, self.session.answers(answered), strict=True):
            call = self.calls[job.key]
            try:
                content = json.loads(stored.answer)
                parameters = content["parameters"]
                reading = read_answer(content["body"], self.asking.prompt)
            except (ValueError, LookupError, TypeError):
                raise self.session.damaged("an answer") from None
            self.kept[job.key] = Kept(call, reading, parameters, job.at)
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
        from gainful.judging.llm.chat import Batches

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
