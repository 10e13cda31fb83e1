"""The program: which commands there are, and what becomes of their errors."""

from __future__ import annotations

import sys

import click

from gainful import __version__
from gainful.cli.arguments import examples
from gainful.cli.output import READER_GONE, STDOUT, forget
from gainful.errors import GainfulError
from gainful.quoting import printable
from gainful.writing import unwritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: In the order of the help. Each is a file of this folder that declares ``command``.
COMMANDS = (
    "evaluate",
    "compare",
    "suite",
    "report",
    "explain",
    "reconcile",
    "judgments",
    "unjudged",
    "baseline",
    "headroom",
    "power",
    "agreement",
    "online",
    "gate",
    "search",
    "sweep",
    "engines",
    "sql",
    "measures",
    "conventions",
    "convert",
    "trec_eval",
    "demo",
    "completion",
)

#: The options of a parameter that hints refer to, by the names that commands give them.
_OPTIONS = {
    "format": ("read_as", "qrels_format", "run_format"),
    "written_format": ("write_as", "style"),
}

FAILED = 2
INTERRUPTED = 130


class Program(click.Group):
    """The group of all commands, which imports a command when it is called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it."""
        if cmd_name not in COMMANDS:
            return None
        # Not importlib, which costs where nothing else has loaded it.
        module = __import__(f"gainful.cli.{cmd_name}", fromlist=["command"])
        found: click.Command = module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; where there is none of the name, say which are close."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            likely = f"did you mean {close[0]}? " if close else ""
            raise GainfulError(
                found=f"the unknown command {args[0]!r}",
                expected=f"one of {', '.join(COMMANDS)}",
                hint=f"{likely}`gainful --help` says what each does",
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; after Ctrl-C end without a word, where click would write a line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None


@click.group(
    cls=Program,
    epilog=examples(
        "gainful demo                           what it does, on a small shop",
        "gainful evaluate qrels.txt bm25.run    how good is this run?",
        "gainful compare qrels.txt a.run b.run  is one better than the other?",
        "gainful explain qrels.txt bm25.run     where did the worst query lose?",
        "gainful measures                       what can be measured",
        "gainful COMMAND --help                 more about a command",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="gainful", message="%(prog)s %(version)s")
def program() -> None:
    """Measure how good a ranking is: nDCG and its kin, exactly and explained."""


def run(arguments: Sequence[str] | None) -> int:
    """Run the program: one message on the standard error for whatever goes wrong."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = program.main(args=words, prog_name="gainful", standalone_mode=False)
    except GainfulError as error:
        command = _called(words)
        return _fail(error.text(lambda name, value: option(command, name, value)), words)
    except click.UsageError as error:
        called = error.ctx.command_path if error.ctx else "gainful"
        # Where a choice is missing, click lists what there is on lines of their own.
        message = " ".join(error.format_message().split()).rstrip(".")
        stop = "" if message.endswith("?") else "."
        return _fail(f"{message}{stop} Hint: `{called} --help` shows how it is called", words)
    except click.ClickException as error:
        return _fail(error.format_message(), words)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit:
        # click's own, when the reader of its help went away.
        return READER_GONE
    except OSError as error:
        forget(sys.stdout)
        return _fail(str(unwritten(STDOUT, error)), words)
    except MemoryError:
        return _fail("found not enough memory for this, expected more of it", words)
    return status if isinstance(status, int) else 0


def _called(words: Sequence[str]) -> click.Command:
    """Return the command that words call, which may be one of a group."""
    command: click.Command = program
    context = click.Context(program)
    for word in words:
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        command = found or command
    return command


def option(command: click.Command, name: str, value: str) -> str:
    """Return the option of a command for a parameter of a hint, or else Python's argument.

    Examples
    --------
    >>> from gainful.cli.convert import command
    >>> option(command, "format", "trec"), option(command, "written_format", "json")
    ('--from trec', '--to json')
    """
    names = _OPTIONS.get(name, (name,))
    flags = [
        max(param.opts, key=len)
        for param in command.params
        if isinstance(param, click.Option) and param.name in names
    ]
    if not flags:
        return f"{name.removeprefix('written_')}={value}"
    # Text is quoted in Python alone.
    return " ".join([" or ".join(sorted(flags)), value.strip("'")]).rstrip()


def _fail(message: str, words: Sequence[str]) -> int:
    from gainful.data.addresses import without_credentials

    # Words of the command line may be addresses with passwords, or names with escape codes. Ids
    # that are not valid UTF-8 are shown escaped.
    for word in ("", *(word for word in words if "://" in word)):
        message = without_credentials(message, word)
    text = f"gainful: {printable(message)}\n"
    text = text.encode("utf-8", "backslashreplace").decode()
    try:
        click.echo(text, file=sys.stderr, nl=False)
    except OSError:
        pass  # Nobody is left to be told.
    return FAILED
