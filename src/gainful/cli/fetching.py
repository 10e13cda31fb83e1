"""Options of the commands that run queries against a live system."""

from __future__ import annotations

from gainful.cli.written_files import Output
from gainful.errors import ParameterError
from gainful.parameters import File, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

__all__ = [
    "DEPTH",
    "FETCHING",
    "RECORDING",
    "REQUESTS",
    "TIMEOUT",
    "VECTORS",
    "VERSION",
    "journal_of",
    "journal_option",
    "parse_pairs",
    "parse_settings",
]

DEPTH = Parameter(
    "depth", int, 100, flags=("-k",), python="k", help="Number of documents per query."
)

VECTORS = Parameter(
    "vectors",
    File,
    help="The vectors of the queries: .npy with one row per query, in the same order, or Parquet"
    " with ids.",
)

VERSION = Parameter(
    "version",
    flags=("--system-version",),
    group=Group.REQUESTS,
    metavar="TEXT",
    help="A version of the system that distinguishes its states, such as the date of the index.",
)


def journal_option(default: str) -> Parameter:
    """Declare ``--journal``, with its default for the help."""
    return Parameter(
        "journal",
        File,
        group=Group.REQUESTS,
        writes=Output(None),
        help="Store each answer in this file as it arrives, so that no query is run twice."
        f" Default: {default}.",
    )


def journal_of(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the default journal next to an output, which is updated."""
    return [] if values["journal"] else [(f"{path}.journal", lambda head: True)]


WORKERS = Parameter("workers", int, 8, group=Group.REQUESTS, help="Number of concurrent calls.")

RATE = Parameter(
    "rate",
    float,
    group=Group.REQUESTS,
    metavar="N",
    help="Maximum number of queries per second. Default: no limit.",
)

RETRIES = Parameter(
    "retries",
    int,
    4,
    group=Group.REQUESTS,
    help="Maximum number of retries of a query after a temporary failure.",
)

TIMEOUT = Parameter(
    "timeout", float, 30.0, group=Group.REQUESTS, metavar="SECONDS", help="Timeout of a call."
)

RESTART = Parameter(
    "restart", bool, group=Group.REQUESTS, help="Discard the journal and run all queries."
)

#: The options on requests, from ``--workers`` to ``--restart``.
REQUESTS = (WORKERS, RATE, RETRIES, TIMEOUT, RESTART)

BATCH = Parameter(
    "batch",
    int,
    group=Group.REQUESTS,
    help="Queries per call, for systems that take several.",
)

KEEP_ANSWERS = Parameter(
    "keep_answers",
    bool,
    group=Group.REQUESTS,
    help="Keep the answers in the journal although the system has changed, and repeat none to"
    " compare them.",
)

#: The options on requests to a system.
FETCHING = (*REQUESTS, BATCH, KEEP_ANSWERS)

RECORD = Parameter(
    "record",
    File,
    group=Group.REQUESTS,
    writes=Output(None),
    help="Record every HTTP request and its response in this file.",
)

REPLAY = Parameter(
    "replay",
    File,
    group=Group.REQUESTS,
    help="Replay the responses in this file instead of sending requests.",
)

RECORDING = (RECORD, REPLAY)


def parse_pairs(
    words: Sequence[str], expected: str, *, once: Callable[[str], str], hint: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the names and values of ``--set NAME=VALUE``.

    Parameters
    ----------
    words : sequence of str
        The values of the option.
    expected : str
        The expected form, for errors.
    once : callable
        From a duplicate name to the expected form, for errors.
    hint : str, optional
        A hint for duplicate names.

    Raises
    ------
    ParameterError
        For a word without a name or a value, or a duplicate name.
    """
    seen = set()
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(where="--set", found=repr(word), expected=expected)
        if name in seen:
            raise ParameterError(
                where="--set", found=f"{name} twice", expected=once(name), hint=hint
            )
        seen.add(name)
        yield name, value


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """Return the settings of ``--set``, each a single value.

    Raises
    ------
    ParameterError
        For a word without a name or a value, or a duplicate name.

    Examples
    --------
    >>> parse_settings(["boost.title=2", "operator=or"])
    {'boost.title': 2, 'operator': 'or'}
    """
    from gainful.systems.description.loading import setting_value

    pairs = parse_pairs(
        words,
        "NAME=VALUE, as in boost.title=2",
        once=lambda name: "one value",
        hint="`gainful sweep` tries several",
    )
    return {name: setting_value(value.strip()) for name, value in pairs}
