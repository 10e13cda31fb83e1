"""Systems of commands: their options, and the description or Python object that is loaded."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress

from gainful._lazy import load
from gainful.cli.arguments import FORMAT_SYNONYMS, OUTPUT, check_writable_table
from gainful.cli.option_values import parse_pairs
from gainful.cli.output import say
from gainful.cli.written_files import Content, Output
from gainful.data.columns import WRITTEN_RUNS
from gainful.errors import ParameterError, SourceNotFoundError
from gainful.parameters import File, Group, Parameter
from gainful.progress import QueryBar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.systems.protocol import System

__all__ = [
    "FIELDS",
    "RECORDING",
    "RUN_FORMAT",
    "RUN_OUTPUT",
    "call_with_bar",
    "journal_of",
    "journal_option",
    "make_system",
    "parse_settings",
    "unloaded_object",
]

#: The file of a run that a command makes.
RUN_OUTPUT = OUTPUT.replace(
    validate=check_writable_table,
    writes=Output(Content.RUN),
    help="Write the run to this file. Default: standard output, or no run with --qrels.",
)

RUN_FORMAT = Parameter(
    "style",
    flags=("--format",),
    group=Group.OUTPUT,
    choices=WRITTEN_RUNS,
    synonyms=FORMAT_SYNONYMS,
    help="The format of the run. Default: by the suffix of the output file.",
)

AS_SYSTEM = "gainful.systems.loading:as_system"
LOAD_SYSTEM = "gainful.systems.loading:load_system"


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


def _fields(words: Sequence[str], values: Values) -> dict[str, str | None] | None:
    pairs = parse_pairs(words, "--field", "WHAT=PATH, as in id=metadata.source")
    # An empty path for the score ignores scores.
    return {what: path.strip() or None for what, path in pairs} or None


FIELDS = Parameter(
    "fields",
    flags=("--field",),
    metavar="WHAT=PATH",
    repeatable=True,
    convert=_fields,
    help="Where the result of a Python object has documents, id or score, such as"
    " id=metadata.source or score=-distance. Repeatable.",
)


@contextmanager
def _isolated() -> Iterator[None]:
    """Isolate the command from side effects of a Python system.

    What the system prints goes to the standard error, since the run may go to the standard output.
    If it changes the working directory, that is undone.
    """
    here = os.getcwd()
    with redirect_stdout(sys.stderr):
        try:
            yield
        finally:
            with suppress(OSError):
                os.chdir(here)


def call_with_bar(values: Values, **others: Any) -> Any:
    """Call the function of a command with a progress bar; after Ctrl-C print what is stored."""
    try:
        with _isolated(), QueryBar() as progress:
            return values.call(progress=progress, **others)
    except KeyboardInterrupt as interrupt:
        for note in getattr(interrupt, "__notes__", ()):
            say(f"gainful: {note}")
        raise


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """Return the settings of ``--set``, each a single value.

    Examples
    --------
    >>> parse_settings(["boost.title=2", "operator=or"])
    {'boost.title': 2, 'operator': 'or'}
    """
    from gainful.systems.description.loading import setting_value

    pairs = parse_pairs(
        words,
        "--set",
        "NAME=VALUE, as in boost.title=2",
        once=lambda name: "one value",
        hint="`gainful sweep` tries several",
    )
    return {name: setting_value(value.strip()) for name, value in pairs}


def make_system(values: Values, settings: Mapping[str, Any]) -> System:
    """Return the system of ``--system``."""
    place = values.place
    if _is_object(place):
        from gainful.systems.python.named_objects import guarded, load_object

        values.refuse("record replay", "works with search engines over HTTP only")
        with _isolated():
            loaded_object = load_object(place, settings)
            arguments = values.arguments(AS_SYSTEM, system=loaded_object)
            # Inspecting an object may run its code.
            system: System = guarded(lambda: load(AS_SYSTEM)(**arguments), place)
        return system
    values.refuse(
        "fields", "works with Python objects only", hint="use [results] in the description"
    )
    if place.endswith(".py"):
        raise ParameterError(
            f"{place} needs the name of a function or class in it",
            where="--system",
            hint=f"write {place}:NAME",
        )
    if not os.path.exists(place):
        raise SourceNotFoundError(
            file=place,
            found="no such file",
            hint="a system is a TOML file, module:object or file.py:function",
        )
    with _isolated():
        loaded: System = values.call(LOAD_SYSTEM, description=place, settings=settings)
    return loaded


def unloaded_object(place: str, settings: Mapping[str, Any]) -> str | None:
    """Return the Python object that ``--system`` names, without loading it; None for others."""
    code = place if _is_object(place) else None
    if code is None and os.path.exists(place) and not place.endswith(".py"):
        from gainful.systems.description import read_description
        from gainful.systems.python.named_objects import check

        description = read_description(place, settings=settings)
        code = check(description) if description.engine == "python" else None
    if code is not None:
        file, separator, _ = code.rpartition(".py:")
        if separator and not os.path.isfile(f"{file}.py"):
            raise SourceNotFoundError(file=f"{file}.py", found="no such file")
    return code


def _is_object(place: str) -> bool:
    from gainful.systems.python.named_objects import names_object

    return names_object(place) and not os.path.exists(place)
