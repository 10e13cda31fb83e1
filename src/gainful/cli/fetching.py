"""Options of commands that ask a system queries: how many at once, how often again, how long."""

from __future__ import annotations

import click

from gainful.cli.arguments import complete_files
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])

__all__ = [
    "depth_option",
    "fetching_options",
    "journal_option",
    "named_values",
    "recording_options",
    "settings_of",
    "vectors_option",
    "version_option",
]

depth_option = click.option(
    "-k", "depth", type=int, default=100, show_default=True, help="Documents that are asked for."
)

vectors_option = click.option(
    "--vectors",
    metavar="FILE",
    shell_complete=complete_files,
    help="A vector for each query: .npy with a row each, in their order, or Parquet with ids.",
)

version_option = click.option(
    "--system-version",
    "version",
    metavar="TEXT",
    help="What tells this state of the system from earlier ones, such as the date of its index.",
)


def journal_option(default: str) -> Callable[[Command], Command]:
    """Make the option ``--journal``, and say what it is without it."""
    return click.option(
        "--journal",
        metavar="FILE",
        shell_complete=complete_files,
        help="Where every answer is kept as it arrives, so that nothing is asked twice; without it"
        f" {default}.",
    )


def fetching_options(command: Command) -> Command:
    """Add what says how a system is asked, from ``--restart`` to ``--timeout``."""
    restart = click.option(
        "--restart", is_flag=True, help="Throw away what the journal has, and ask all queries."
    )
    mended = click.option(
        "--mended",
        is_flag=True,
        help="The system is another one than before, but the answers that the journal has would be"
        " the same today: keep them.",
    )
    workers = click.option(
        "--workers",
        type=int,
        default=8,
        show_default=True,
        metavar="N",
        help="Calls that are under way at once.",
    )
    batch = click.option(
        "--batch", type=int, metavar="N", help="Queries in one call, where it takes several."
    )
    rate = click.option(
        "--rate", type=float, metavar="N", help="Queries in a second, at most; else no limit."
    )
    retries = click.option(
        "--retries",
        type=int,
        default=4,
        show_default=True,
        metavar="N",
        help="How often a query is asked again, where that may help.",
    )
    timeout = click.option(
        "--timeout",
        type=float,
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="How long a call may take.",
    )
    return restart(mended(workers(batch(rate(retries(timeout(command)))))))


def recording_options(command: Command) -> Command:
    """Add ``--record`` and ``--replay``."""
    record = click.option(
        "--record",
        metavar="FILE",
        shell_complete=complete_files,
        help="Keep every request to an engine over HTTP with its answer in this file.",
    )
    replay = click.option(
        "--replay",
        metavar="FILE",
        shell_complete=complete_files,
        help="Ask such a file in the place of the engine.",
    )
    return record(replay(command))


def named_values(
    words: Sequence[str], expected: str, *, once: Callable[[str], str], hint: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the names and values that ``--set`` gives as ``NAME=VALUE``.

    Parameters
    ----------
    words : sequence of str
        As they were given.
    expected : str
        What a word looks like.
    once : callable
        From a name that comes twice to what was expected instead.
    hint : str, optional
        What else may be meant then.

    Raises
    ------
    ParameterError
        For a word without a name or a value, and for a name that comes twice.
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


def settings_of(words: Sequence[str]) -> dict[str, Any]:
    """Return the settings that ``--set`` gives, each a single value.

    Raises
    ------
    ParameterError
        For a word without a name or a value, and for a name that comes twice.

    Examples
    --------
    >>> settings_of(["boost.title=2", "operator=or"])
    {'boost.title': 2, 'operator': 'or'}
    """
    from gainful.systems.description.reading import setting_value

    pairs = named_values(
        words,
        "NAME=VALUE, as in boost.title=2",
        once=lambda name: "one value",
        hint="`gainful sweep` tries several",
    )
    return {name: setting_value(value.strip()) for name, value in pairs}
