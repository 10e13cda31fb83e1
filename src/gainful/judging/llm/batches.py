"""The batch endpoint of OpenAI and compatible servers."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from gainful.errors import SearchError
from gainful.judging.llm.answers import read_answer
from gainful.judging.llm.chat import post_json, stored
from gainful.systems.fetching.base import pause, reason, worth_retrying
from gainful.systems.fetching.journal import Content, Job
from gainful.systems.http.answers import failure, parse_json
from gainful.systems.http.transport import Request
from gainful.systems.masking import masked
from gainful.threads import start_thread

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from gainful.judging.llm.fetching import Requests
    from gainful.systems.http.transport import Response

__all__ = ["Batches"]

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
        for at in range(len(keys)):
            if not meter.affords(at + 1):
                why = f"not sent: the batch could exceed the budget of {meter.budget:g}"
                self._requests.failed.update(dict.fromkeys(keys[at:], why))
                return keys[:at]
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
        for each in data if isinstance(data, list) else ():
            metadata = each.get("metadata") if isinstance(each, dict) else None
            marked = isinstance(metadata, dict) and metadata.get("gainful") == mark
            if marked and _BATCH + self._id_of(each) not in done:
                return self._id_of(each)
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
        found = parse_json(response) if response.status < 300 else missing
        if not isinstance(found, dict):
            raise self._refused("found an answer that is not an object")
        return found

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
                    hidden = requests.server.credentials().hidden
                    raise self._refused(masked(reason(error), hidden)) from None
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
    found: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            found.append(asyncio.run(work))
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
    return found[0]


def _objects(content: str) -> Iterator[dict[str, Any]]:
    """Yield the objects among JSON lines; a damaged line is a result that is missing."""
    for line in content.splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _count(counts: object, name: str) -> int:
    found = counts.get(name) if isinstance(counts, dict) else None
    return found if isinstance(found, int) else 0
