"""The requests of a judge, and the hashes that identify them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from gainful.judging.llm.answers import Usage
from gainful.judging.llm.documents import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.judging.llm.prompt import Prompt

__all__ = ["Asking", "Call", "Item"]


class Item(NamedTuple):
    """A document to grade.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    query : str
        The text of the query.
    parts : tuple of str
        The texts that the model reads: one, or several passages.
    characters : int
        The length of the whole document.
    cut : bool
        Whether a part of it is left out.
    injection : str
        The name of the injected instruction; empty for the document as it is.
    """

    query_id: str
    doc_id: str
    query: str
    parts: tuple[str, ...]
    characters: int
    cut: bool
    injection: str = ""


class Call(NamedTuple):
    """One request for a grade.

    Attributes
    ----------
    item : int
        The number of the document.
    part : int
        The number of its part.
    vote : int
        The number of the vote, from 0.
    attempt : int
        How often the same was asked before without a grade.
    """

    item: int
    part: int
    vote: int
    attempt: int


@dataclass(frozen=True)
class Asking:
    """How documents are put to the model.

    Attributes
    ----------
    model : str
        The name of the model.
    prompt : Prompt
        The prompt.
    parameters : mapping
        The other parameters of a request.
    items : list of Item
        The documents.
    """

    model: str
    prompt: Prompt
    parameters: Mapping[str, Any]
    items: list[Item]

    def messages(self, call: Call) -> list[dict[str, str]]:
        """Return the messages of a request."""
        item = self.items[call.item]
        return self.prompt.messages(item.query, item.parts[call.part], again=call.attempt > 0)

    def parameters_of(self, call: Call) -> dict[str, Any]:
        """Return the parameters of a request: each attempt allows answers of twice the length."""
        found = dict(self.parameters)
        for name in ("max_tokens", "max_completion_tokens"):
            if type(found.get(name)) is int:
                found[name] <<= call.attempt
        return found

    def key(self, call: Call) -> str:
        """Return the hash of query, document, prompt and parameters, and of vote and attempt."""
        content = {
            "model": self.model,
            "messages": self.messages(call),
            "parameters": self.parameters_of(call),
            "vote": call.vote,
            "attempt": call.attempt,
        }
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def count_tokens(self, call: Call) -> int:
        """Return an estimate of the number of tokens of a request."""
        return sum(count_tokens(message["content"]) + 4 for message in self.messages(call))

    def guess(self, call: Call, answer: str) -> Usage:
        """Return an estimate of the tokens of a request and its answer."""
        return Usage(self.count_tokens(call), count_tokens(answer))
