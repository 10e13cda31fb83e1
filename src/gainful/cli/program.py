"""The program: the only module that knows click. It makes click's commands of the declared ones."""

from __future__ import annotations

import sys
from contextlib import contextmanager

import click

from gainful import __version__
from gainful._lazy import load
from gainful.cli.command import COMMAND_LINE, Command, Values
from gainful.cli.commands import COMMANDS, GROUPS, TARGETS
from gainful.cli.defaults import check_variables, project_file, variable
from gainful.cli.output import STDOUT, Exit, forget
from gainful.errors import (
    ERROR,
    INTERRUPTED,
    NO_ANSWER,
    READER_GONE,
    Code,
    ColumnError,
    GainfulError,
    ParameterError,
    SearchError,
)
from gainful.numerals import is_plain
from gainful.parameters import Group, Parameter
from gainful.progress import write_lines
from gainful.quoting import printable
from gainful.references import set_reference
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from click.shell_completion import CompletionItem

    from gainful.input_files import InputFiles

#: The names of options for the parameters that hints refer to.
_OPTIONS = {
    "convention": ("convention", "conventions"),
    "format": ("read_as", "qrels_format", "run_format"),
    "duplicates": ("duplicates", "qrels_duplicates", "run_duplicates"),
    "written_format": ("write_as", "style"),
    "as_complete": ("incomplete",),
    "per_query": ("reported_per_query",),
    "records": ("style",),
}

#: A help with fewer options has no groups.
_FEW = 10

#: The widest line of a help.
_WIDTH = 80

#: The widest option that has its text on the same line.
_COLUMN = 25
#: The hint of an error about a file whose layout is not understood.
_YOUR_DATA = (
    "`gainful convert --help` lists the formats; the page 'Read your data' of the documentation"
    " has what to type for each"
)


class _Declared(click.Parameter):
    """A declared parameter as click's."""

    declared: Parameter

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Convert the value to its type, numbers from ASCII digits only, and check it."""
        parameter = self.declared
        if parameter.kind in (int, float):
            for word in _words(value):
                if not is_plain(word):
                    self.type.fail(f"{word!r} is not a valid {self.type.name}.", self, ctx)
        converted = super().type_cast_value(ctx, value)
        if parameter.range and _is_set(converted):
            parameter.check(converted, parameter.option)
        return converted

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Convert and check the value; an error names the variable or file that it is from."""
        origin = ""
        source = ctx.get_parameter_source(self.declared.name)
        if source is not None and source.name == "ENVIRONMENT":
            origin = str(self.envvar)
        elif source is not None and source.name == "DEFAULT_MAP":
            origin = f"{ctx.obj}, {self.declared.option}"
        try:
            value = super().process_value(ctx, value)
            if self.declared.validate is not None and _is_set(value):
                self.declared.validate(value)
        except click.BadParameter as error:
            if not origin:
                raise
            raise ParameterError(error.message.rstrip("."), where=origin) from None
        except GainfulError as error:
            if not origin:
                raise
            raise error.replace(where=origin) from None
        return value


class Option(_Declared, click.Option):
    """A declared option."""

    def __init__(self, declared: Parameter, variable: str | None = None) -> None:
        self.declared = declared
        options = _options_of(declared)
        options["envvar"] = variable
        if declared.kind is bool:
            options["is_flag"] = True
        elif declared.flag_value is not None:
            options |= {"is_flag": False, "flag_value": declared.flag_value}
        if declared.kind is bool or declared.default not in (None, ()):
            options["default"] = declared.default
        super().__init__(
            [*declared.flags, declared.name],
            multiple=declared.repeatable,
            hidden=declared.hidden,
            help=declared.help_text(),
            **options,
        )

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser collect every value, of which only one is allowed; add synonyms."""
        for flag, value in self.declared.synonyms.items():
            action = "append" if value is None else "store_const"
            if value is not None and not self.is_flag:
                action = "append_const"
            parser.add_option(obj=self, opts=[flag], dest=self.name, action=action, const=value)
        if self.multiple or self.is_flag:
            super().add_to_parser(parser, ctx)
        else:
            parser.add_option(
                obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs
            )

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Refuse a second value of an option that is not repeatable."""
        values = opts.get(self.name or "")
        if isinstance(values, list) and not self.multiple:
            if len(values) > 1:
                raise ParameterError(
                    f"{self.declared.option} is not repeatable, and has {len(values)} values"
                )
            opts = {**opts, self.name or "": values[0]}
        return super().handle_parse_result(ctx, opts, args)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help, without what click adds in brackets."""
        record = super().get_help_record(ctx)
        return record and (record[0], self.help or "")


class Argument(_Declared, click.Argument):
    """A declared argument."""

    def __init__(self, declared: Parameter, *, takes_words: bool = False) -> None:
        self.declared = declared
        options = _options_of(declared)
        if takes_words:
            options["type"] = click.UNPROCESSED
        super().__init__([declared.name], nargs=-1 if declared.repeatable else 1, **options)


def _options_of(declared: Parameter) -> dict[str, Any]:
    """Return what options and arguments have in common."""
    options: dict[str, Any] = {"required": declared.required, "metavar": declared.metavar}
    if declared.choices:
        options["type"] = click.Choice(declared.choices)
    elif declared.kind in (int, float):
        options["type"] = declared.kind
    if declared.complete:
        options["shell_complete"] = _completion(declared.complete)
    return options


def _completion(name: str) -> Any:
    """Return click's function that completes files, folders or what `completions` yields."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[str] | list[CompletionItem]:
        if name in ("files", "folders"):
            from click.shell_completion import CompletionItem

            return [CompletionItem(incomplete, type="file" if name == "files" else "dir")]
        offers = list(load(f"gainful.cli.commands:{name}")())
        if isinstance(param, Argument) and isinstance(ctx.command, Leaf):
            offers += ctx.command.declared.commands
        return [offer for offer in offers if offer.lower().startswith(incomplete.lower())]

    return complete


class _Help(click.Command):
    """A command whose help lists its options in groups, or only the common ones."""

    def is_short(self, ctx: click.Context) -> bool:
        """Return whether the help leaves out options."""
        return False

    def is_shown(self, ctx: click.Context, param: click.Parameter) -> bool:
        """Return whether the help shows a parameter."""
        return not isinstance(param, click.Argument)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in Group.ORDER}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and self.is_shown(ctx, param):
                group = param.declared.group if isinstance(param, Option) else Group.OTHER
                groups[group].append(record)
        records = [record for members in groups.values() for record in members]
        sections = {title: members for title, members in groups.items() if members}
        if len(records) < _FEW:
            sections = {"Options": records}
        elif self.is_short(ctx):
            sections = {Group.COMMON: records}
        # The texts of all groups start in the same column.
        width = max(len(name) for name, _ in records if len(name) <= _COLUMN)
        for title, members in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in members], width)


#: Where a context has whether the help is the whole one.
_ALL = "gainful.help_all"

#: The number of examples in a short help.
_SHORT = 6


def _help_all(*, is_hidden: bool) -> click.Option:
    """Return the option ``--help-all``."""

    def show(ctx: click.Context, param: click.Parameter, is_given: bool) -> None:
        if is_given and not ctx.resilient_parsing:
            ctx.meta[_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        hidden=is_hidden,
        callback=show,
        help="Show all options, and all examples.",
    )


@contextmanager
def _system_colors(colors: Mapping[str, str], where: str) -> Iterator[None]:
    """Set the colors of the project's file while a command runs."""
    from gainful.project_file import set_colors

    set_colors(colors, where=where)
    try:
        yield
    finally:
        set_colors({})


class Leaf(_Help):
    """A declared command that runs. The first argument may be one of its subcommands."""

    def __init__(self, declared: Command, name: str) -> None:
        self.declared = declared
        self.words = name
        self.colors: tuple[dict[str, Any], str] = {}, ""
        settings: dict[str, Any] = {}
        if declared.takes_words:
            settings = {"ignore_unknown_options": True, "allow_interspersed_args": False}
        super().__init__(
            name.rpartition(" ")[2],
            context_settings=settings,
            params=[
                Argument(parameter, takes_words=declared.takes_words)
                if parameter.is_argument
                else Option(parameter, variable(name, parameter))
                for parameter in declared.parameters.values()
            ],
            help=_dedented(declared.help),
            short_help=declared.summary or None,
            add_help_option=not declared.takes_words,
        )
        if not declared.takes_words:
            self.params.append(_help_all(is_hidden=self.has_all))

    @property
    def has_all(self) -> bool:
        """Whether the help has all options, because they are few."""
        return all(map(self.declared.is_common, self.declared.options))

    def is_short(self, ctx: click.Context) -> bool:
        """Return whether the help leaves out options."""
        return not (ctx.meta.get(_ALL) or self.has_all)

    def is_shown(self, ctx: click.Context, param: click.Parameter) -> bool:
        """Return whether the help shows a parameter."""
        if isinstance(param, Option) and self.is_short(ctx):
            return self.declared.is_common(param.declared)
        return super().is_shown(ctx, param)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and, below a short help, how to get the whole one."""
        is_short = self.is_short(ctx)
        self.epilog = examples(*self.declared.examples[: _SHORT if is_short else None])
        super().format_epilog(ctx, formatter)
        if is_short:
            formatter.write_paragraph()
            number = len(self.declared.options)
            formatter.write_text(f"`{ctx.command_path} --help-all` describes all {number} options.")

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Make the context of this command, or of a subcommand."""
        name = args[0] if args else ""
        if name not in self.declared.commands:
            extra |= self._defaults(args, extra)
            return super().make_context(info_name, args, parent, **extra)
        subcommand = Leaf(load(self.declared.commands[name]), f"{self.words} {name}")
        return subcommand.make_context(f"{info_name} {name}", args[1:], parent, **extra)

    def _defaults(self, args: Sequence[str], extra: Mapping[str, Any]) -> dict[str, Any]:
        """Return the defaults of the project's file, which the help does not need."""
        if (
            extra.get("resilient_parsing")
            or {"-h", "--help", "--help-all"} & {*args}
            or self.params == []
        ):
            return {}
        check_variables(self.words, self.declared)
        file = project_file()
        if file is None:
            return {}
        self.colors = file.colors(), f"{file.path}, colors"
        return {"default_map": file.values(self.words, self.declared), "obj": file.path}

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error about a parameter names its option."""
        try:
            return self._run(ctx)
        except GainfulError as error:
            shown = {
                parameter.python: parameter.option
                for parameter in self.declared.parameters.values()
                if not parameter.is_argument
            }
            renamed = error.with_names(shown)
            if renamed is error:
                raise
            raise renamed from error

    def _run(self, ctx: click.Context) -> Any:
        """Run the command, after a check of the files that it will write."""
        outputs = [
            (parameter.flags[0] if not parameter.is_argument else parameter.option, path, output)
            # In the order of the command line.
            for parameter in map(self.declared.parameters.__getitem__, ctx.params)
            if (output := parameter.writes) is not None
            for path in map(output.path or str, _words(ctx.params[parameter.name]))
        ]
        if outputs:
            from gainful.cli.written_files import check_outputs

            check_outputs(outputs, self._inputs(ctx), ctx.params, force=ctx.params["force"])
        from gainful.cli.written_files import check_standard_input

        check_standard_input(word for _, word in self._inputs(ctx))
        values = Values(self.declared, ctx.params, self._origins(ctx), self._input_files(ctx))
        self.declared.check(values)
        if self.colors[0]:
            ctx.with_resource(_system_colors(*self.colors))
        for parameter in self.declared.parameters.values():
            value = values.raw[parameter.name]
            if parameter.around is not None and value is not None and value is not False:
                ctx.with_resource(parameter.around(value))
        return self.declared.run(values)

    def _origins(self, ctx: click.Context) -> dict[str, str]:
        """Return where the values are from that are not the default."""
        origins = {}
        for name in self.declared.parameters:
            source = ctx.get_parameter_source(name)
            if source is not None and source.name in _ORIGINS:
                origins[name] = _ORIGINS[source.name]
        return origins

    def _input_files(self, ctx: click.Context) -> InputFiles:
        from gainful.cli.written_files import paths_in
        from gainful.input_files import InputFiles

        return InputFiles(path for _, word in self._inputs(ctx) for path in paths_in(word))

    def _inputs(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Yield the words that may name files to read: arguments, and options of files."""
        for parameter in self.declared.parameters.values():
            is_read = parameter.is_argument or parameter.complete in ("files", "folders")
            if is_read and parameter.writes is None:
                name = parameter.option if parameter.is_argument else parameter.flags[0]
                for word in _words(ctx.params.get(parameter.name)):
                    yield name, word


#: Origins of values as messages and `Values.origins` name them.
_ORIGINS = {"COMMANDLINE": COMMAND_LINE, "ENVIRONMENT": "environment", "DEFAULT_MAP": "file"}


class Branch(click.Group):
    """A command that groups others, which it imports when they are used.

    Parameters
    ----------
    targets : mapping of str to str
        The commands, as ``module:name``.
    kind : str
        What they are, in the message for an unknown name.
    listing : str
        Where the known names are.
    """

    def __init__(
        self, name: str, *, targets: Mapping[str, str], kind: str, listing: str, **options: Any
    ) -> None:
        super().__init__(name, **options)
        self.targets = targets
        self.kind = kind
        self.listing = listing

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return list(self.targets)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it."""
        if cmd_name not in self.targets:
            return None
        words = cmd_name if isinstance(self, Program) else f"{self.name} {cmd_name}"
        return made(load(self.targets[cmd_name]), words)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error for an unknown name suggests a similar one."""
        if args and not args[0].startswith("-") and args[0] not in self.targets:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.targets, n=1)
            raise GainfulError(
                f"unknown {self.kind} {args[0]!r}",
                hint=f"did you mean {close[0]}?" if close else self.listing,
            )
        return super().resolve_command(ctx, args)


class Program(Branch):
    """The group of all commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by task, without importing them."""
        width = max(map(len, COMMANDS))
        for task, group in GROUPS.items():
            with formatter.section(task):
                formatter.write_dl([(name.ljust(width), line) for name, line in group.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; after Ctrl-C exit without the message that click would print."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.exceptions.Exit(next(iter(error.args), INTERRUPTED)) from None


def made(declared: Command, name: str) -> click.Command:
    """Return click's command for a declared one."""
    if not declared.kind:
        return Leaf(declared, name)
    return Branch(
        name,
        targets=declared.commands,
        kind=declared.kind,
        listing=f"{declared.kind}s are {', '.join(declared.commands)}",
        help=_dedented(declared.help),
        epilog=examples(*declared.examples),
    )


def examples(*lines: str) -> str:
    """Return the examples at the end of a help."""
    # The backspace makes click keep the line breaks.
    folded = (part for line in lines for part in _fold(f"  {line}"))
    return "\n".join(["\b", "Examples:", *folded])


def _fold(line: str) -> Iterator[str]:
    r"""Yield the lines of an example, which continue after a backslash.

    A line ends before an option, if possible.

    Examples
    --------
    >>> print(*_fold(f"  gainful search {'q' * 40}.tsv --system shop.toml -o shop.run"), sep="\n")
      gainful search qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq.tsv \
          --system shop.toml -o shop.run
    """
    # click indents the examples.
    widest = _WIDTH - 2
    while len(line) > widest:
        places = [place for place, char in enumerate(line[: widest - 1]) if char == " "]
        options = [place for place in places if line[place + 1] == "-" and line[:place].strip()]
        place = max(options or places)
        yield f"{line[:place]} \\"
        line = f"      {line[place + 1 :]}"
    yield line


def _dedented(text: str) -> str:
    """Return a docstring without the indentation of its lines."""
    return "\n".join(line.strip() for line in text.strip().split("\n"))


def _words(value: Any) -> tuple[str, ...]:
    """Return the values of a parameter, which may be repeatable or absent."""
    # Click marks absent values in different ways.
    return (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()


def _is_set(value: Any) -> bool:
    return isinstance(value, (str, int, float)) or (isinstance(value, tuple) and bool(value))


@click.group(
    cls=Program,
    targets=TARGETS,
    kind="command",
    listing="`gainful --help` lists commands",
    epilog=examples(
        "gainful demo                           show the main features",
        "gainful evaluate qrels.txt bm25.run    measure a run",
        "gainful compare qrels.txt a.run b.run  test whether a difference is significant",
        "gainful explain qrels.txt bm25.run     explain the score of the worst query",
        "gainful measures                       list the measures",
        "gainful COMMAND --help                 describe a command and its options",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDTH},
)
@click.version_option(
    __version__, "-V", "--version", prog_name="gainful", message="%(prog)s %(version)s"
)
def program() -> None:
    """Evaluate rankings with nDCG, MRR and more than 60 other measures.

    Gainful reproduces the numbers of trec_eval and other tools, tests differences between systems
    for statistical significance, and explains every score.
    """


def completion_script(shell: str) -> str:
    """Return the script that lets a shell complete command lines."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    script = completion(program, {}, "gainful", "_GAINFUL_COMPLETE")
    # Not source(), which starts bash to check its version.
    return script.source_template % script.source_vars() + "\n"


def interrupt_on_sigterm() -> None:
    """End after SIGTERM as after Ctrl-C, without temporary files, but with its own exit status."""
    import signal

    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt(128 + number)


def run(arguments: Sequence[str] | None) -> int:
    """Run the program; an error is one message on the standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    has_lines = write_lines(True)
    before = set_reference(lambda name, value: option(_called(words), name, value))
    try:
        return _run(words)
    finally:
        set_reference(before)
        write_lines(has_lines)


def _run(words: Sequence[str]) -> int:
    try:
        status = program.main(args=words, prog_name="gainful", standalone_mode=False)
    except GainfulError as error:
        command = _called(words)
        message = error.text(lambda name, value: option(command, name, value))
        if isinstance(error, ColumnError) or error.code == Code.FIELD_COUNT:
            message += f"; {_YOUR_DATA}" if error.hint else f". Hint: {_YOUR_DATA}"
        return _fail(message, words, NO_ANSWER if _may_succeed_later(error) else ERROR)
    except Exit as end:
        return end.status
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
    except SystemExit as end:
        # From click: a completion is printed, or the reader of the help closed the pipe.
        return READER_GONE if end.code else 0
    except OSError as error:
        forget(sys.stdout)
        return _fail(str(write_error(STDOUT, error)), words)
    except MemoryError:
        return _fail("not enough memory", words)
    return status if isinstance(status, int) else 0


def _may_succeed_later(error: GainfulError) -> bool:
    """Return whether a network or a server failed, so that the same command may succeed."""
    return error.code == Code.UNREACHABLE or (isinstance(error, SearchError) and error.transient)


def _no_such_option(error: click.NoSuchOption) -> str:
    """Return the message for an unknown option, with the one that other tools call by its name."""
    from difflib import get_close_matches

    from gainful.keywords import cutoff_hint, other_word

    command = error.ctx.command if error.ctx else program
    name = error.option_name.lstrip("-").replace("-", "_")
    known = [
        param.name for param in command.params if isinstance(param, click.Option) and param.name
    ]
    written = [
        flag
        for param in command.params
        for flag in (*param.opts, *param.secondary_opts, *_synonyms(param))
        if flag.startswith("-")
    ]
    if meant := other_word(name, known):
        hint = f"did you mean {option(command, meant, '')}?"
    elif explained := cutoff_hint(name, known):
        hint = explained
    elif close := get_close_matches(error.option_name, written, n=1):
        hint = f"did you mean {close[0]}?"
    else:
        hint = f"`{error.ctx.command_path if error.ctx else 'gainful'} --help` shows the usage"
    return f"No such option '{error.option_name}'. Hint: {hint}"


def _synonyms(param: click.Parameter) -> Iterator[str]:
    """Yield the flags of an option that the help does not list."""
    if isinstance(param, Option):
        yield from param.declared.synonyms


def _called(words: Sequence[str]) -> click.Command:
    """Return the command of a command line, which may be in a group."""
    command: click.Command = program
    context = click.Context(program)
    for word in words:
        subcommand = (
            command.get_command(context, word) if isinstance(command, click.Group) else None
        )
        command = subcommand or command
    return command


def option(command: click.Command, name: str, value: str) -> str:
    """Return the option for a parameter in a hint, or Python's argument if there is none.

    A name such as ``measures()`` is a command.

    Examples
    --------
    >>> command = _called(["convert"])
    >>> option(command, "format", "trec"), option(command, "written_format", "json")
    ('--from trec', '--to json')
    >>> option(command, "measures()", "AP")
    '`gainful measures AP`'
    """
    if name.endswith("()"):
        return f"`{' '.join(['gainful', name[:-2], value]).rstrip()}`"
    names = _OPTIONS.get(name, (name,))
    options = [
        param for param in command.params if isinstance(param, click.Option) and param.name in names
    ]
    if not options:
        return f"{name.removeprefix('written_')}={value}"
    flags = " or ".join(sorted(max(param.opts, key=len) for param in options))
    # Only Python needs quotes, and a value for an option that is on or off.
    return flags if options[0].is_flag else " ".join([flags, value.strip("'")]).rstrip()


def _fail(message: str, words: Sequence[str], status: int = ERROR) -> int:
    from gainful.data.remote import without_passwords, without_secrets_of

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
    return status
