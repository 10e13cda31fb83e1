"""How judgments and runs are read: one declaration per option, and the value that holds them."""

from __future__ import annotations

from gainful.data.columns import ALIASES, normal
from gainful.errors import ArgumentError, ParameterError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self, TypeAlias, TypedDict

    Columns: TypeAlias = Mapping[str, str] | Sequence[str] | None

    class ReadKeywords(TypedDict, total=False):
        """The keyword arguments of `ReadOptions`."""

        format: str | None
        header: bool | None
        columns: Columns
        comments: bool
        split: str | None
        subtopics: bool
        duplicates: str


__all__ = ["OPTIONS", "Option", "ReadOptions", "parsed_columns"]

#: What may happen to a document that is listed twice. Conventions know the last two as well.
_DUPLICATES = ("error", "first", "last", "best", "count", "copies", "blank")

#: The name of a column that is not read.
NOT_READ = "-"

#: What a column may be, as it is written in short.
_SHORT = {
    "query": "query_id",
    "doc": "doc_id",
    "grade": "grade",
    "score": "score",
    "rank": "rank",
    "subtopic": "subtopic",
}

_FORMS = "query,doc,grade,- for a file without a header, query=NAME,doc=NAME,grade=NAME with one"


class Option:
    """An option of readers.

    Attributes
    ----------
    name : str
        What the keyword is called.
    default : object
        Its value where none is given.
    kind : type
        What a value has to be: `str`, `bool`, `int`, or `dict` for columns.
    help : str
        What the command line says about it; empty where it has no such option.
    per_table : bool
        Whether the command line has one option for judgments and another for runs. Its help then
        names them as ``{table}``.
    """

    __slots__ = ("default", "help", "kind", "name", "per_table")

    def __init__(
        self, name: str, default: object, kind: type, help: str = "", *, per_table: bool = False
    ) -> None:
        self.name = name
        self.default = default
        self.kind = kind
        self.help = help
        self.per_table = per_table

    def parsed(self, value: object) -> object:
        """Return a legal value in the form that readers take.

        Raises
        ------
        ParameterError, ArgumentError
            For a value or a type that the option does not have.
        """
        if self.name == "duplicates":
            if not isinstance(value, str) or value not in _DUPLICATES:
                raise ParameterError(
                    where=self.name,
                    found=shown(value),
                    expected=f"{', '.join(_DUPLICATES[:4])} or {_DUPLICATES[4]}",
                )
        elif value is None or value is self.default:
            return self.default
        elif self.kind is dict:
            return _columns(value) or None
        elif not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            expected = {str: "a text", bool: "True or False", int: "a whole number"}[self.kind]
            raise ArgumentError(where=self.name, found=shown(value), expected=expected)
        return value


OPTIONS = (
    Option(
        "format",
        None,
        str,
        "The format of the {table}, if it cannot be detected from the content. The help of `gainful"
        " convert` lists the formats.",
        per_table=True,
    ),
    Option("header", None, bool),
    Option(
        "columns",
        None,
        dict,
        "Say which column is which: query,doc,grade,- for judgments without a header (- is not"
        " read), query=userId,doc=movieId,grade=rating for a header. With score or rank instead of"
        " grade, it is about the runs. Repeatable.",
    ),
    Option(
        "comments",
        False,
        bool,
        "In TREC, TSV and CSV files, skip lines that begin with #. By default they are data,"
        " because an id may begin with #.",
    ),
    Option("split", None, str),
    Option("subtopics", False, bool),
    Option("duplicates", "error", str),
)


class ReadOptions:
    """How judgments or runs are read.

    Frozen. `read_qrels`, `read_run`, `Qrels` and `Run` take the same keyword arguments. As a
    mapping, it has the options that differ from their defaults, so that ``**options`` passes them
    on.

    Parameters
    ----------
    format : str, optional
        ``"trec"``, ``"tsv"``, ``"csv"``, ``"json"``, ``"jsonl"``, ``"svmlight"``, ``"parquet"`` or
        ``"arrow"`` (an Arrow file or stream); of judgments also ``"beir"``, ``"prefs"``,
        ``"strata"``, or a judgment list of another tool, such as ``"quepid"`` or ``"raters:mean"``,
        as `gainful.data.judgment_lists.read_judgment_list` describes them; of runs also
        ``"scores"``. By default it is detected from the content, and from the suffix where the
        content leaves a choice.
    header : bool, optional
        Whether the first line of TSV or CSV names the columns. By default it is detected.
    columns : str, sequence of str, or mapping of str to str, optional
        Which column is which. Of text without a header, all columns from the first to the last:
        ``"query,doc,grade,-"``, or a list. ``"-"`` is a column that is not read, and so is any
        name in a list that is not known. Of text with a header, Parquet, Arrow and data frames, the
        names of the columns: ``"query=userId,doc=movieId,grade=rating"``, or a mapping such as
        ``{"grade": "stars"}``. Those that are not given are found by their names.
    comments : bool
        Whether lines that begin with ``#`` are comments (TREC, TSV, CSV). Ids may begin with it,
        so by default they are not.
    split : str, optional
        Which file of a BEIR folder, by default ``"test"``; which layer of JSON with layers above
        the queries.
    subtopics : bool
        Whether each judgment is of a subtopic (or of a group of judgments): the second column of
        TREC text, a column ``subtopic`` of TSV, CSV and JSON lines. A document then has a grade
        for each; otherwise that column is not read.
    duplicates : {"error", "first", "last", "best", "count"}
        What to do with a document that occurs twice under a query, or under a subtopic of it.

    Raises
    ------
    ParameterError, ArgumentError
        For a value or a type that an option does not have.

    Examples
    --------
    >>> options = ReadOptions(columns="query=userId,doc=movieId", comments=True)
    >>> options
    ReadOptions(columns={'query_id': 'userId', 'doc_id': 'movieId'}, comments=True)
    >>> options.format is None, options.replace(format="csv").format
    (True, 'csv')
    >>> ReadOptions(duplicates="max")
    Traceback (most recent call last):
    gainful.errors.ParameterError: duplicates: found 'max', expected error, first, ...
    """

    __slots__ = tuple(option.name for option in OPTIONS)

    if TYPE_CHECKING:
        format: str | None
        header: bool | None
        columns: list[str] | dict[str, str] | None
        comments: bool
        split: str | None
        subtopics: bool
        duplicates: str

    def __init__(self, **options: Any) -> None:
        for option in OPTIONS:
            value = option.parsed(options.pop(option.name, option.default))
            object.__setattr__(self, option.name, value)
        if options:
            raise TypeError(f"unexpected keyword argument {next(iter(options))!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"options cannot be changed ({name}); replace() makes others")

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={self[name]!r}" for name in self.keys())
        return f"ReadOptions({given})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReadOptions) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (dict(self),)

    def keys(self) -> list[str]:
        """Return the names of the options that differ from their defaults."""
        return [option.name for option in OPTIONS if getattr(self, option.name) != option.default]

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __len__(self) -> int:
        return len(self.keys())

    def replace(self, **options: Any) -> Self:
        """Return the same options but for these."""
        return type(self)(**{**self, **options})

    def check_only(self, names: Iterable[str], what: str, expected: str) -> None:
        """Refuse options that have no meaning for what is read.

        Parameters
        ----------
        names : iterable of str
            Options that have one. Comments are always among them, for one value serves judgments
            and runs.
        what, expected : str
            What is read, and what the other options are for.

        Raises
        ------
        ArgumentError
            For the first of the others.
        """
        for name in self.keys():
            if name not in names and name != "comments":
                raise ArgumentError(
                    where=name, found=f"{self[name]!r} for {what}", expected=expected
                )

    def spec(self) -> dict[str, object]:
        """Return the options as the kernel takes them, for files of text."""
        spec: dict[str, object] = dict(self)
        if isinstance(self.columns, dict):
            if self.header is False:
                raise ArgumentError(
                    where="columns",
                    found="names of columns, and header=False",
                    expected="the columns from the first to the last, as in 'query,doc,grade,-'",
                )
            del spec["columns"]
            spec["named"] = [part for pair in self.columns.items() for part in pair]
        return spec


def _restored(options: dict[str, Any]) -> ReadOptions:
    return ReadOptions(**options)


def parsed_columns(text: str) -> list[str] | dict[str, str]:
    """Return what the columns of a file are, from a text.

    Parameters
    ----------
    text : str
        The columns of a file without a header, from the first to the last, with ``-`` for those
        that are not read: ``"query,doc,grade,-"``. Or the names of columns of a file with a
        header, by what they hold: ``"query=userId,doc=movieId,grade=rating"``.

    Returns
    -------
    list of str, or dict of str to str
        The columns from the first to the last, or their names by what they hold.

    Raises
    ------
    ParameterError
        For a text of another form.

    Examples
    --------
    >>> parsed_columns("query,doc,grade,-")
    ['query_id', 'doc_id', 'grade', '-']
    >>> parsed_columns("query=userId,doc=movieId,grade=rating")
    {'query_id': 'userId', 'doc_id': 'movieId', 'grade': 'rating'}
    """
    parts = [part.strip() for part in text.split(",")]
    if not all("=" in part for part in parts):
        if any("=" in part for part in parts) or len(parts) < 2:
            raise ParameterError(where="columns", found=shown(text), expected=_FORMS)
        return [NOT_READ if part == NOT_READ else _role(part) for part in parts]
    named: dict[str, str] = {}
    for part in parts:
        role, _, name = part.partition("=")
        if not name.strip():
            raise ParameterError(where="columns", found=shown(part), expected="ROLE=NAME")
        role = _role(role)
        if role in named:
            raise ParameterError(
                where="columns",
                found=f"{shown(text)}, which names {role} twice",
                expected="it once",
            )
        named[role] = name.strip()
    return named


def _columns(columns: object) -> list[str] | dict[str, str]:
    """Return what the columns of a file are, in one of two forms."""
    if isinstance(columns, str):
        return parsed_columns(columns)
    items = getattr(columns, "items", None)
    if items is not None:
        return {_role(role): name for role, name in items()}
    if (
        not hasattr(columns, "__iter__")
        or not hasattr(columns, "__len__")
        or not all(isinstance(each, str) for each in columns)
    ):
        raise ArgumentError(
            where="columns", found=shown(columns), expected="a mapping or a list of column names"
        )
    return list(columns)


def _role(word: object) -> str:
    """Return our name of a column, of which the word may be another name."""
    if isinstance(word, str):
        name = normal(word)
        if name in _SHORT:
            return _SHORT[name]
        for role, names in ALIASES.items():
            if name in names:
                return role
    raise ParameterError(
        where="columns",
        found=shown(word),
        expected=f"{', '.join(_SHORT)}, or {NOT_READ} for a column that is not read",
    )
