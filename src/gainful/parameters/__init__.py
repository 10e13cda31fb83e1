"""Parameters: each is declared once, for Python, the command line and the documentation.

A declaration gives the check in Python (`Parameter.check`), the option with its help and
completion, the entry in docstrings, which ``python docs/parameters.py`` writes, and the names in
``gainful.toml`` and in the environment. The modules of this package declare the parameters that
functions and commands share, by subject. The help of a command loads them, so they import nothing.
"""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    #: Parameters in nested sequences.
    Parameters: TypeAlias = "Parameter | Combined | Sequence[Parameters]"

__all__ = [
    "COUNT",
    "OPTIONAL_COUNT",
    "Argument",
    "Combined",
    "File",
    "Folder",
    "Group",
    "Parameter",
    "flat",
    "members",
]


class Group:
    """The groups of a help, with their titles."""

    COMMON = "Common options"
    STATISTICS = "Statistics"
    CONVENTION = "Convention"
    REQUESTS = "Requests"
    INPUT = "Input formats"
    OUTPUT = "Output"
    OTHER = "Other options"

    #: Their order in the help.
    ORDER = (COMMON, STATISTICS, CONVENTION, REQUESTS, INPUT, OUTPUT, OTHER)


class File(str):
    """The kind of a parameter that names a file."""

    __slots__ = ()


class Folder(str):
    """The kind of a parameter that names a folder."""

    __slots__ = ()


_ABSENT: Any = object()
_METAVARS: dict[type, str] = {File: "FILE", Folder: "FOLDER", int: "N"}
_COMPLETIONS: dict[type, str] = {File: "files", Folder: "folders"}


class Parameter:
    """A declared parameter.

    Parameters
    ----------
    name : str
        The name in a command, and in Python unless `python` says otherwise.
    kind : type
        `str`, `int`, `float`, `bool`, `File` or `Folder`; `dict` for columns by name.
    default : object, optional
        The default in Python and on the command line. Default: None, False for `bool`.
    help : str
        The help of the option. A default that it does not name is added.
    flags : sequence of str, optional
        The options, such as ``("-o", "--output")``. Default: the name with dashes.
    choices : sequence of str, optional
        The valid values.
    range : str, optional
        The valid numbers as an interval: ``"[0, 15]"``, ``"(0, inf)"`` without its ends.
    also : sequence, optional
        Valid values outside of the interval.
    expected : str, optional
        The valid values in words, for errors. Default: words for the interval or the choices.
    group : str
        The group of the help, of `Group`.
    metavar : str, optional
        What the help shows for the value.
    repeatable, required, hidden : bool
        Whether the option can be given several times, must be given, is left out of the help.
    synonyms : mapping, optional
        Further flags that the help does not list, with the value of each, or None for a flag that
        takes a value.
    flag_value : object, optional
        The value of the option without a value.
    complete : str, optional
        What the shell completes: ``"files"``, ``"folders"`` or a function of
        `gainful.cli.commands`.
    writes : gainful.cli.written_files.Output, optional
        What a command writes to the file that the parameter names.
    validate : callable, optional
        Raises an error for an invalid value, before the command runs.
    convert : callable, optional
        Returns Python's argument for a value of the command line and the values of the command.
    around : callable, optional
        Returns a context manager for a value, which is active while the command runs.
    python : str, optional
        The name in Python.
    type : str, optional
        The type in docstrings. Default: by kind and choices.
    annotation : str, optional
        The annotation in Python. Default: by kind and default.
    doc : str, optional
        The description in docstrings. Default: the docstring is not generated.
    """

    __slots__ = (
        "_annotation",
        "_bounds",
        "_expected",
        "_type",
        "also",
        "around",
        "choices",
        "complete",
        "convert",
        "default",
        "doc",
        "flag_value",
        "flags",
        "group",
        "help",
        "hidden",
        "kind",
        "metavar",
        "name",
        "python",
        "range",
        "repeatable",
        "required",
        "synonyms",
        "validate",
        "writes",
    )

    def __init__(
        self,
        name: str,
        kind: type = str,
        default: Any = _ABSENT,
        help: str = "",
        *,
        flags: Sequence[str] = (),
        choices: Sequence[str] = (),
        range: str = "",
        also: Sequence[object] = (),
        expected: str = "",
        group: str = Group.COMMON,
        metavar: str | None = None,
        repeatable: bool = False,
        required: bool = False,
        hidden: bool = False,
        synonyms: Mapping[str, object] | None = None,
        flag_value: object = None,
        complete: str = "",
        writes: Any = None,
        validate: Callable[[Any], object] | None = None,
        convert: Callable[[Any, Any], Any] | None = None,
        around: Callable[[Any], Any] | None = None,
        python: str = "",
        type: str = "",
        annotation: str = "",
        doc: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.flags = tuple(flags) or _flags(name)
        self.default = (False if kind is bool else None) if default is _ABSENT else default
        self.help = help
        self.choices = tuple(choices)
        self.range = range
        self.also = tuple(also)
        self._expected = expected
        self.group = group
        self.metavar = metavar or (None if self.choices else _METAVARS.get(kind))
        self.repeatable = repeatable
        self.required = required
        self.hidden = hidden
        self.synonyms = synonyms or {}
        self.flag_value = flag_value
        self.complete = complete or _COMPLETIONS.get(kind, "")
        self.writes = writes
        self.validate = validate
        self.convert = convert
        self.around = around
        self.python = python or name
        self._type = type
        self._annotation = annotation
        self.doc = doc
        self._bounds = _parse_range(range) if range else None

    @property
    def is_argument(self) -> bool:
        """Whether it has no flag: its place on the command line names it."""
        return False

    @property
    def option(self) -> str:
        """The longest option, as messages name it."""
        return max((flag.partition("/")[0] for flag in self.flags), key=len)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values, for a function or command where it differs.

        Examples
        --------
        >>> Parameter("margin", float, range="(0, inf)").replace(default=0.01).default
        0.01
        """
        copy = object.__new__(type(self))
        for slot in Parameter.__slots__:
            setattr(copy, slot, getattr(self, slot))
        name = changes.get("name", self.name)
        if self.python == self.name:
            changes.setdefault("python", name)
        if self.flags == _flags(self.name):
            changes.setdefault("flags", _flags(name))
        for name, value in changes.items():
            place = f"_{name}" if f"_{name}" in Parameter.__slots__ else name
            setattr(copy, place, tuple(value) if name in ("choices", "flags") else value)
        if "range" in changes:
            copy._bounds = _parse_range(copy.range)
        return copy

    # --- values

    def check(self, value: Any, where: str = "") -> Any:
        """Return a value that is valid, or the default None.

        Raises
        ------
        ParameterError
            For any other value.

        Examples
        --------
        >>> Parameter("alpha", float, 0.05, range="(0, 1)").check(2)
        Traceback (most recent call last):
        gainful.errors.ParameterError: alpha: found 2, expected a number above 0 and below 1
        """
        if value is None and self.default is None:
            return None
        several = self.repeatable and isinstance(value, (list, tuple))
        for item in value if several else (value,):
            if not self._allows(item):
                raise ParameterError(
                    where=where or self.python, found=shown(item), expected=self.expected
                )
        # An integer of another library is not one of JSON.
        return value if several or self.kind is not int else int(value)

    def _allows(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self._bounds is None:
            return True
        import numbers

        kind: Any = numbers.Integral if self.kind is int else numbers.Real
        if isinstance(value, bool) or not isinstance(value, kind):
            return False
        low, low_is_in, high, high_is_in = self._bounds
        is_above = value >= low if low_is_in else value > low
        is_below = value <= high if high_is_in else value < high
        return (is_above and is_below) or value in self.also

    @property
    def expected(self) -> str:
        """The valid values in words."""
        if self._expected:
            return self._expected
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self._bounds is None:
            return ""
        low, low_is_in, high, high_is_in = self._bounds
        noun = "a whole number" if self.kind is int else "a number"
        has_low, has_high = low > -_INF, high < _INF
        if has_low and has_high and low_is_in and high_is_in:
            words = f"{noun} from {_number(low)} to {_number(high)}"
        elif has_low and has_high:
            start = f"from {_number(low)}" if low_is_in else f"above {_number(low)}"
            end = f"up to {_number(high)}" if high_is_in else f"below {_number(high)}"
            words = f"{noun} {start} and {end}"
        elif has_low:
            noun = noun if self.kind is int or high_is_in else "a finite number"
            words = f"{noun} of {_number(low)} or more" if low_is_in else f"{noun} above {low:g}"
        else:
            words = f"{noun} of at most {_number(high)}"
        return " or ".join([words, *map(str, self.also)])

    # --- documentation

    @property
    def has_annotation(self) -> bool:
        """Whether the annotation does not follow from kind and default."""
        return bool(self._annotation)

    @property
    def annotation(self) -> str:
        """The annotation of Python's parameter."""
        if self._annotation:
            return self._annotation
        name = "str" if self.kind in (File, Folder) else self.kind.__name__
        if self.repeatable:
            name = f"{name} | Sequence[{name}]"
        return f"{name} | None" if self.default is None and not self.required else name

    def entry(self) -> list[str]:
        """Return the first line of the entry in a docstring, and the description."""
        words = self._type
        if not words:
            words = "path" if self.kind in (File, Folder) else self.kind.__name__
            if self.choices:
                words = f"{{{', '.join(_quoted(choice) for choice in self.choices)}}}"
            if self.repeatable:
                words += " or several of them"
        if self.default is None and not words.endswith(", optional"):
            words += ", optional"
        return [f"{self.python} : {words}", self.doc]

    def help_text(self) -> str:
        """Return the help with the default, and whether the option is required."""
        text = self.help
        has_default = self.default is not None and self.default is not False and self.default != ()
        if text and "Default:" not in text and has_default:
            text += f" Default: {_shown_default(self.default)}."
        return f"{text} Required." if text and self.required else text


class Argument(Parameter):
    """A parameter that its place on the command line names; `Parameter` has the others."""

    __slots__ = ()

    def __init__(self, name: str, kind: type = File, **options: Any) -> None:
        options.setdefault("required", True)
        if options["required"] and not options.get("choices"):
            options.setdefault("metavar", name.upper())
        super().__init__(name, kind, **options)

    @property
    def is_argument(self) -> bool:
        """Whether it has no flag: its place on the command line names it."""
        return True

    @property
    def option(self) -> str:
        """The name in messages."""
        return (self.metavar or self.name.upper()).split()[0].strip("[].")


class Combined:
    """Parameters that become one value of a command.

    Parameters
    ----------
    name : str
        The name of the value.
    make : callable
        Returns the value for the values of the parameters, which are its keyword arguments.
    *parameters
        The parameters.
    """

    __slots__ = ("make", "name", "parameters")

    def __init__(self, name: str, make: Callable[..., Any], *parameters: Parameters) -> None:
        self.name = name
        self.make = make
        self.parameters = tuple(flat(parameters))


def members(declared: Sequence[Parameters]) -> Iterator[Parameter | Combined]:
    """Yield the parameters and combined ones of nested sequences, in their order."""
    for item in declared:
        if isinstance(item, (Parameter, Combined)):
            yield item
        else:
            yield from members(item)


def flat(declared: Sequence[Parameters]) -> Iterator[Parameter]:
    """Yield the parameters of nested sequences, also combined ones, in their order."""
    for item in members(declared):
        if isinstance(item, Parameter):
            yield item
        else:
            yield from item.parameters


_INF = float("inf")


def _flags(name: str) -> tuple[str, ...]:
    """Return the flags of a parameter that declares none."""
    return (f"--{name.replace('_', '-')}",)


def _parse_range(text: str) -> tuple[float, bool, float, bool]:
    """Return the ends of an interval, each with whether it is valid."""
    low, high = (word.strip() for word in text[1:-1].split(","))
    ends = [float(word) if "." in word or "inf" in word else int(word) for word in (low, high)]
    return ends[0], text[0] == "[", ends[1], text[-1] == "]"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _quoted(word: str) -> str:
    return f'"{word}"'


def _shown_default(default: object) -> str:
    if isinstance(default, (list, tuple)):
        return ", ".join(map(str, default))
    if isinstance(default, float):
        return f"{default:g}"
    return f"{default:,}" if isinstance(default, int) else str(default)


#: A number of things, for parameters that no command has, and the same that can be left out.
COUNT = Parameter("count", int, 1, range="[1, inf)", expected="a whole number of 1 or more")
OPTIONAL_COUNT = COUNT.replace(default=None)
