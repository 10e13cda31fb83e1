"""The program: its commands, and how errors are reported."""

from __future__ import annotations

import sys

import click

from gainful import __version__
from gainful.cli.arguments import examples
from gainful.cli.output import STDOUT, forget
from gainful.errors import GainfulError
from gainful.exit_statuses import ERROR, INTERRUPTED, READER_GONE
from gainful.quoting import printable
from gainful.references import set_reference
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The commands by task, each with its line of the help. Each is a module of this package that
#: declares ``command``, with underscores for dashes.
GROUPS = {
    "Evaluate": {
        "evaluate": "Evaluate runs against relevance judgments.",
        "evaluate-suite": "Evaluate and compare systems on several collections.",
        "rank-results": "Rank systems by MTEB or BEIR result files.",
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
        "compare-measures": "Compare measures by discriminative power and agreement.",
        "compare-online": "Compare offline differences with online experiments.",
        "contrast": "Attribute convention differences to single policies.",
        "reconcile": "Find the convention behind a reported number.",
        "reproduce": "Check whether a rerun reproduces an original experiment.",
        "verify": "Check whether a result's input files are unchanged.",
    },
    "Judgments": {
        "pool": "Choose the documents of several runs to judge.",
        "judge": "Judge documents on a local web page.",
        "judge-llm": "Grade pooled documents with a language model.",
        "assess-judgments": "Report judgment coverage and inter-annotator agreement.",
        "find-unjudged": "Find unjudged documents that could reverse a verdict.",
        "convert": "Convert judgments and runs between file formats.",
        "locate": "Find quotes in the texts of documents.",
    },
    "Live systems": {
        "search": "Run every query against a live system.",
        "sweep": "Grid-search the settings of a live system.",
        "baseline": "Build a baseline run: BM25, dense or fused.",
        "engines": "List search engines, or print a starter description.",
    },
    "Reference": {
        "measures": "List measures, or describe one in full.",
        "conventions": "List conventions, describe one, or diff two.",
        "datasets": "List test collections on disk or of ir_datasets.",
        "demo": "Show the main features on a small shop.",
        "completion": "Print a script for shell completion.",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}

#: The names of options for the parameters that hints refer to.
_OPTIONS = {
    "format": ("read_as", "qrels_format", "run_format"),
    "duplicates": ("duplicates", "qrels_duplicates", "run_duplicates"),
    "written_format": ("write_as", "style"),
    "as_complete": ("incomplete",),
    "per_query": ("reported_per_query",),
    "records": ("style",),
}


class Program(click.Group):
    """The group of all commands, which imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it."""
        if cmd_name not in COMMANDS:
            return None
        # Not importlib, which takes time to import.
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
        """Find the command; the error for an unknown name suggests a similar one."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            raise GainfulError(
                f"unknown command {args[0]!r}",
                hint=f"did you mean {close[0]}?" if close else "`gainful --help` lists commands",
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; after Ctrl-C exit without the message that click would print."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.exceptions.Exit(next(iter(error.args), INTERRUPTED)) from None


@click.group(
    cls=Program,
    epilog=examples(
        "gainful demo                           show the main features",
        "gainful evaluate qrels.txt bm25.run    measure a run",
        "gainful compare qrels.txt a.run b.run  test whether a difference is significant",
        "gainful explain qrels.txt bm25.run     explain the score of the worst query",
        "gainful measures                       list the measures",
        "gainful COMMAND --help                 describe a command and its options",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="gainful", message="%(prog)s %(version)s")
def program() -> None:
    """Evaluate rankings with nDCG, MRR and more than 60 other measures.

    Gainful reproduces the numbers of trec_eval and other tools, tests differences between systems
    for statistical significance, and explains every score.
    """


def interrupt_on_sigterm() -> None:
    """End after SIGTERM as after Ctrl-C, without temporary files, but with its own exit status."""
    import signal

    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt(128 + number)


def run(arguments: Sequence[str] | None) -> int:
    """Run the program; an error is one message on the standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    before = set_reference(lambda name, value: option(_called(words), name, value))
    try:
        return _run(words)
    finally:
        set_reference(before)


def _run(words: Sequence[str]) -> int:
    try:
        status = program.main(args=words, prog_name="gainful", standalone_mode=False)
    except GainfulError as error:
        command = _called(words)
        return _fail(error.text(lambda name, value: option(command, name, value)), words)
    except click.NoSuchOption as error:
        return _fail(_no_such_option(error), words)
    except click.UsageError as error:
        called = error.ctx.command_path if error.ctx else "gainful"
        # For a missing choice, click lists the choices on separate lines.
        message = " ".join(error.format_message().split()).rstrip(".")
        stop = "" if message.endswith("?") else "."
        return _fail(f"{message}{stop} Hint: `{called} --help` shows the usage", words)
    except click.ClickException as error:
        return _fail(error.format_message(), words)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit:
        # From click, if the reader of the help closed the pipe.
        return READER_GONE
    except OSError as error:
        forget(sys.stdout)
        return _fail(str(write_error(STDOUT, error)), words)
    except MemoryError:
        return _fail("not enough memory", words)
    return status if isinstance(status, int) else 0


def _no_such_option(error: click.NoSuchOption) -> str:
    """Return the message for an unknown option, with the one that other tools call by its name."""
    from difflib import get_close_matches

    from gainful.keywords import cutoff_hint, other_word

    command = error.ctx.command if error.ctx else program
    name = error.option_name.lstrip("-").replace("-", "_")
    known = [each.name for each in command.params if isinstance(each, click.Option) and each.name]
    written = [flag for each in command.params for flag in each.opts if flag.startswith("-")]
    if meant := other_word(name, known):
        hint = f"did you mean {option(command, meant, '')}?"
    elif explained := cutoff_hint(name, known):
        hint = explained
    elif close := get_close_matches(error.option_name, written, n=1):
        hint = f"did you mean {close[0]}?"
    else:
        hint = f"`{error.ctx.command_path if error.ctx else 'gainful'} --help` shows the usage"
    return f"No such option '{error.option_name}'. Hint: {hint}"


def _called(words: Sequence[str]) -> click.Command:
    """Return the command of a command line, which may be in a group."""
    command: click.Command = program
    context = click.Context(program)
    for word in words:
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        command = found or command
    return command


def option(command: click.Command, name: str, value: str) -> str:
    """Return the option for a parameter in a hint, or Python's argument if there is none.

    A name such as ``measures()`` is a command.

    Examples
    --------
    >>> from gainful.cli.convert import command
    >>> option(command, "format", "trec"), option(command, "written_format", "json")
    ('--from trec', '--to json')
    >>> option(command, "measures()", "AP")
    '`gainful measures AP`'
    """
    if name.endswith("()"):
        return f"`{' '.join(['gainful', name[:-2], value]).rstrip()}`"
    names = _OPTIONS.get(name, (name,))
    found = [
        param for param in command.params if isinstance(param, click.Option) and param.name in names
    ]
    if not found:
        return f"{name.removeprefix('written_')}={value}"
    flags = " or ".join(sorted(max(param.opts, key=len) for param in found))
    # Only Python needs quotes, and a value for an option that is on or off.
    return flags if found[0].is_flag else " ".join([flags, value.strip("'")]).rstrip()


def _fail(message: str, words: Sequence[str]) -> int:
    from gainful.data.addresses import without_passwords, without_secrets_of

    # The command line may contain addresses with passwords and names with control characters. Ids
    # that are not valid UTF-8 are escaped.
    message = without_passwords(message)
    for word in words:
        if "://" in word:
            message = without_secrets_of(message, word)
    text = f"gainful: {printable(message)}\n"
    text = text.encode("utf-8", "backslashreplace").decode()
    try:
        click.echo(text, file=sys.stderr, nl=False)
    except OSError:
        pass  # The standard error is closed.
    return ERROR
