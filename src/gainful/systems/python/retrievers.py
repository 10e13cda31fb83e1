"""Retrievers of LangChain, LlamaIndex and Haystack: functions and arguments.

None of these libraries is imported: objects are recognized by their methods.
"""

from __future__ import annotations

import inspect

from gainful.errors import ArgumentError
from gainful.systems.python.calling import Calling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Called: TypeAlias = tuple[Callable[..., Any], Calling]

__all__ = ["retriever"]


def retriever(system: Any) -> Called | None:
    """Return the function and arguments of a retriever; None for other objects.

    Raises
    ------
    ArgumentError
        For a component of Haystack that takes no query.
    """
    for find in (_of_langchain, _of_llama_index, _of_haystack):
        found = find(system)
        if found is not None:
            return found
    return None


def _of_langchain(system: Any) -> Called | None:
    """Return `invoke` of a retriever or chain, or the search of a vector store."""
    if callable(getattr(system, "similarity_search", None)):
        return system.similarity_search, Calling(k="k")
    if not callable(getattr(system, "invoke", None)):
        return None
    retrieve = getattr(system, "_get_relevant_documents", None)
    if callable(retrieve):
        taken = _parameters(retrieve)
        named = "k" in taken or any(each.kind is each.VAR_KEYWORD for each in taken.values())
        return system.invoke, Calling(k="k" if named else None)
    if callable(getattr(system, "ainvoke", None)):
        return system.invoke, Calling(k=None)
    return None


def _of_llama_index(system: Any) -> Called | None:
    """Return `retrieve`, which takes a text or a query bundle; k is set in the retriever."""
    if callable(getattr(system, "retrieve", None)) and callable(getattr(system, "aretrieve", None)):
        return system.retrieve, Calling(k=None)
    return None


def _of_haystack(system: Any) -> Called | None:
    """Return `run` of a component, with arguments by its parameters."""
    run = getattr(system, "run", None)
    if not callable(run) or not hasattr(system, "__haystack_input__"):
        return None
    taken = _parameters(run)
    k = "top_k" if "top_k" in taken else None
    if "query" in taken:
        return run, Calling(text="query", k=k)
    if "query_embedding" in taken:
        return run, Calling(text=None, k=k, given={"query_embedding": "vector"})
    raise ArgumentError(
        f"run() of the component {type(system).__qualname__} takes {', '.join(taken)}, but no "
        f"query",
        where="a system",
        hint="use a function that calls it, or the pipeline that it is part of",
    )


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
