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

#: The commands by task, each with its line of the help. Each is a file of this folder that declares
#: ``command``, with an underscore for each dash.
GROUPS = {
    "Evaluate": {
        "evaluate": "Evaluate runs against relevance judgments.",
        "evaluate-suite": "Evaluate and compare systems on several collections.",
        "explain": "Explain a query's score, rank by rank.",
        "headroom": "Locate systems between random and ideal order.",
        "report": "Write an HTML report that compares runs.",
        "sql": "Print a SQL query that computes measures.",
        "trec_eval": "Evaluate with trec_eval's options and output.",
    },
    "Compare": {
        "compare": "Compare runs with paired significance tests.",
        "gate": "Check a run for regressions against a snapshot.",
        "analyze-power": "Estimate how many queries a comparison needs.",
        "compare-measures": "Compare measures by what they decide.",
        "compare-online": "Compare offline differences with online experiments.",
        "contrast": "Attribute convention differences to single policies.",
        "reconcile": "Find the convention behind a reported number.",
    },
    "Judgments": {
        "assess-judgments": "Report judgment coverage and inter-annotator agreement.",
        "find-unjudged": "Find unjudged documents that could reverse a verdict.",
        "convert": "Convert judgments and runs between file formats.",
    },
    "Live systems": {
        "search": "Run every query against a live system.",
        "sweep": "Grid-search the settings of a live system.",
        "baseline": "Build a baseline run: BM25, dense or fused.",
        "engines": "List search engines, or begin a description.",
    },
    "Reference": {
        "measures": "List measures, or describe one in full.",
        "conventions": "List conventions, describe one, or diff two.",
        "demo": "Show the main features on a small shop.",
        "completion": "Print a script for shell completion.",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}

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
        module = __import__(f"gainful.cli.{cmd_name.replace('-', '_')}", fromlist=["command"])
        found: click.Command = module.command
        found.short_help = COMMANDS[cmd_name]
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by task, without importing them."""
        width = max(map(len, COMMANDS))
        for task, group in GROUPS.items():
            with formatter.section(task):
                formatter.write_dl([(name.ljust(width), line) for name, line in group.items()])

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
        return _fail("not enough memory", words)
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
