"""Parameters of requests, and those that a server refuses."""

from __future__ import annotations

import json
import re

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.judging.llm.prompt import Prompt

__all__ = ["RENAMED", "make_parameters", "refused_parameter"]

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
    found: dict[str, Any] = {
        "temperature": default if temperature is None else temperature,
        "max_tokens": LONGEST_ANSWER if max_tokens is None else max_tokens,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "grade", "strict": True, "schema": prompt.schema()},
        },
    }
    if expected_grade:
        found |= {"logprobs": True, "top_logprobs": 20}
    found |= param
    if "max_completion_tokens" in param:
        del found["max_tokens"]
    found = {name: value for name, value in found.items() if value is not None}
    try:
        json.dumps(found, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"not JSON ({error})", where="param") from None
    return found


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
    found = named.split(".")[0] if isinstance(named, str) else None
    if not found:
        found = next((name for name in parameters if _is_named(name, text)), None)
    if found is None or found not in parameters:
        return None
    other = RENAMED.get(found)
    if other is not None and _is_named(other, text):
        return found, other
    # A context that is too short is not a reason to let answers be of any length.
    return None if found in _LIMITS and found != named else (found, None)


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
