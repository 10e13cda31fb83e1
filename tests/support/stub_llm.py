"""A stub of an OpenAI-compatible server, with faults."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import gainful
from http_faults import Asked, FaultsServer, answering

__all__ = ["DOCS", "POOL", "QUERIES", "completion", "document_of", "grade_of", "grading", "judge"]

QUERIES = {f"q{n}": f"question {n}" for n in range(5)}
DOCS = {f"d{n}": f"text {n} of grade {n % 4}" for n in range(20)}
POOL = [(query, document) for query in QUERIES for document in DOCS]

_DOCUMENT = re.compile(r"\[document (\w+)\]\n(.*)\n\[end of document \1\]", re.DOTALL)


def completion(
    content: Any,
    finish: str = "stop",
    tokens: tuple[int, int] | None = (100, 10),
    **message: Any,
) -> dict[str, Any]:
    """Return a chat completion."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "stub-2025-01-01",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return body


def document_of(asked: Asked | dict[str, Any]) -> str:
    """Return the document in a request."""
    body = asked.json if isinstance(asked, Asked) else asked
    found = _DOCUMENT.search(body["messages"][-1]["content"])
    assert found is not None
    return found[2]


def grade_of(text: str) -> int:
    """Return the grade that the stub's documents contain."""
    return int(text.split("of grade ")[1][0])


def grading() -> Callable[[Asked, int], bytes]:
    """Return a behavior that answers with the grade in the document."""

    def behave(asked: Asked, number: int) -> bytes:
        return answering(completion(json.dumps({"grade": grade_of(document_of(asked))})))

    return behave


def judge(server: FaultsServer, pool: Any = POOL, **options: Any) -> gainful.judging.ModelLabels:
    """Grade a pool with the stub."""
    given: dict[str, Any] = {"url": f"{server.url}/v1", "model": "stub", "retries": 30}
    return gainful.judge_llm(pool, QUERIES, DOCS, **{**given, **options})
