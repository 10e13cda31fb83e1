"""Options of the commands that run queries against a live system."""

from __future__ import annotations

from gainful.cli.option_groups import Group, complete_files, option
from gainful.cli.written_files import Output
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])

__all__ = [
    "depth_option",
    "fetching_options",
    "journal_of",
    "journal_option",
    "parse_pairs",
    "parse_settings",
    "recording_options",
    "request_options",
    "vectors_option",
    "version_option",
]

depth_option = option(
    "-k", "depth", type=int, default=100, metavar="N", help="Number of documents per query."
)

vectors_option = option(
    "--vectors",
    metavar="FILE",
    shell_complete=complete_files,
    help="The vectors of the queries: .npy with one row per query, in the same order, or Parquet"
    " with ids.",
)

version_option = option(
    "--system-version",
    "version",
    group=Group.REQUESTS,
    metavar="TEXT",
    help="A version of the system that distinguishes its states, such as the date of the index.",
)


def journal_option(default: str) -> Callable[[Command], Command]:
    """Make the option ``--journal``, with its default for the help."""
    return option(
        "--journal",
        group=Group.REQUESTS,
        metavar="FILE",
        shell_complete=complete_files,
        writes=Output(None),
        help="Store each answer in this file as it arrives, so that no query is run twice."
        f" Default: {default}.",
    )


def journal_of(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the default journal next to an output, which is updated."""
    return [] if values["journal"] else [(f"{path}.journal", lambda head: True)]


def request_options(*, timeout: float = 30.0) -> Callable[[Command], Command]:
    """Make the options ``--workers``, ``--rate``, ``--retries``, ``--timeout``, ``--restart``.

    Parameters
    ----------
    timeout : float
        The default timeout of a call in seconds.
    """
    workers = option(
        "--workers",
        group=Group.REQUESTS,
        type=int,
        default=8,
        metavar="N",
        help="Number of concurrent calls.",
    )
    rate = option(
        "--rate",
        group=Group.REQUESTS,
        type=float,
        metavar="N",
        help="Maximum number of queries per second. Default: no limit.",
    )
    retries = option(
        "--retries",
        group=Group.REQUESTS,
        type=int,
        default=4,
        metavar="N",
        help="Maximum number of retries of a query after a temporary failure.",
    )
    limit = option(
        "--timeout",
        group=Group.REQUESTS,
        type=float,
        default=timeout,
        metavar="SECONDS",
        help="Timeout of a call.",
    )
    restart = option(
        "--restart",
        group=Group.REQUESTS,
        is_flag=True,
        help="Discard the journal and run all queries.",
    )
    return lambda command: workers(rate(retries(limit(restart(command)))))


def fetching_options(command: Command) -> Command:
    """Add the options on requests to a system, from ``--batch`` to ``--timeout``."""
    batch = option(
        "--batch",
        group=Group.REQUESTS,
        type=int,
        metavar="N",
        help="Queries per call, for systems that take several.",
    )
    keep_answers = option(
        "--keep-answers",
        group=Group.REQUESTS,
        is_flag=True,
        help="Keep the answers in the journal although the system has changed, and repeat none to"
        " compare them.",
    )
    return request_options()(batch(keep_answers(command)))


def recording_options(command: Command) -> Command:
    """Add ``--record`` and ``--replay``."""
    record = option(
        "--record",
        group=Group.REQUESTS,
        metavar="FILE",
        shell_complete=complete_files,
        writes=Output(None),
        help="Record every HTTP request and its response in this file.",
    )
    replay = option(
        "--replay",
        group=Group.REQUESTS,
        metavar="FILE",
        shell_complete=complete_files,
        help="Replay the responses in this file instead of sending requests.",
    )
    return record(replay(command))


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
    from gainful.systems.description.reading import setting_value

    pairs = parse_pairs(
        words,
        "NAME=VALUE, as in boost.title=2",
        once=lambda name: "one value",
        hint="`gainful sweep` tries several",
    )
    return {name: setting_value(value.strip()) for name, value in pairs}
