"""Suggest the right argument for a misspelled keyword."""

from __future__ import annotations

from gainful.errors import ArgumentError
from gainful.policies import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["cutoff_hint", "other_word", "path_argument", "suggest_keywords", "unknown_keyword"]

#: Words of other tools for an argument.
_SYNONYMS = {
    "measures": ("metric", "metrics", "measure"),
    "measure": ("metric", "metrics", "measures"),
    "qrels": ("judgments", "judgements", "ground_truth", "golden", "gold"),
    "runs": ("systems", "rankings", "run"),
    "run": ("ranking", "results", "predictions", "runs"),
    "top": ("k", "n", "depth"),
    "depth": ("k", "n", "top", "top_k", "topk", "limit", "size"),
    "k": ("top", "n", "depth", "limit", "size", "top_k", "topk"),
}
#: Words of other tools for a cutoff.
_CUTOFFS = ("k", "cutoff", "at", "top", "top_k", "topk")
_CUTOFF_HINT = "the cutoff is part of the measure: 'nDCG@10'"
#: Arguments that other functions take.
_ELSEWHERE = {
    **dict.fromkeys(_CUTOFFS, _CUTOFF_HINT),
    **dict.fromkeys(
        ("columns", "format", "qrels_format", "run_format", "comments", "header", "split"),
        "options of reading are arguments of gainful.read_qrels, read_run, Qrels and Run, whose"
        " results you pass on",
    ),
    "output": "write the result with one of its methods, such as write or save",
}


def suggest_keywords(function: Function) -> Function:
    """Decorate a function: an unknown keyword raises an error that suggests a known one.

    A function with the parameter ``**policies`` also accepts the names of policies.

    Examples
    --------
    >>> @suggest_keywords
    ... def compare(qrels, runs, *, measures=None): ...
    >>> compare({}, {}, measure="AP")
    Traceback (most recent call last):
    gainful.errors.ArgumentError: compare() has no argument 'measure'. Hint: did you mean measures?
    """
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    called = function.__qualname__.removesuffix(".__init__")
    if code.co_varnames[len(known) : len(known) + 1] == ("policies",):
        known += tuple(policy.name for policy in POLICIES)

    def call(*arguments: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name not in known:
                raise unknown_keyword(called, name, known)
        return function(*arguments, **keywords)

    # As functools.wraps, which takes a millisecond to import.
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(call, attribute, getattr(function, attribute))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def path_argument(path: object, where: str, expected: str = "a path") -> str:
    """Return a path as text.

    Examples
    --------
    >>> path_argument(3, "verify")
    Traceback (most recent call last):
    gainful.errors.ArgumentError: verify: found int, expected a path
    """
    from os import fsdecode

    try:
        return fsdecode(path)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(where=where, found=type(path).__name__, expected=expected) from None


def other_word(name: str, known: Iterable[str]) -> str | None:
    """Return the known argument for a word of other tools, or None.

    Examples
    --------
    >>> other_word("metric", ["qrels", "measures"])
    'measures'
    """
    return next((word for word in known if name.lower() in _SYNONYMS.get(word, ())), None)


def cutoff_hint(name: str, known: Iterable[str]) -> str | None:
    """Return where the cutoff is, if the word is one for it and there are measures.

    Examples
    --------
    >>> cutoff_hint("k", ["qrels", "measures"])
    "the cutoff is part of the measure: 'nDCG@10'"
    """
    return _CUTOFF_HINT if name in _CUTOFFS and "measures" in known else None


def unknown_keyword(function: str, name: str, known: tuple[str, ...]) -> ArgumentError:
    """Return the error for an unknown keyword, with a known one."""
    close = other_word(name, known)
    if close is None and name not in _ELSEWHERE:
        from difflib import get_close_matches

        close = next(iter(get_close_matches(name, [*known, *_ELSEWHERE], n=1)), None)
    meant = close or name
    hint = f"did you mean {meant}?" if close else ""
    if meant not in known:
        hint = _ELSEWHERE.get(meant, hint)
    return ArgumentError(
        f"{function}() has no argument {name!r}",
        hint=hint or f"the arguments are {', '.join(word for word in known if word != 'self')}",
    )
