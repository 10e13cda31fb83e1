"""Options of reading judgments and runs, and their values."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.columns import LISTS, ROLES
from gainful.errors import ArgumentError, ParameterError
from gainful.keywords import unknown_keyword
from gainful.numerals import parse_number
from gainful.parameters.inputs import READ_OPTIONS
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, KeysView, Mapping, Sequence
    from typing import Any, Self, TypeAlias, TypedDict

    from gainful.parameters import Parameter

    #: What a field says: the pattern of ids, or the grades of labels; None for its plain value.
    Meaning: TypeAlias = str | Mapping[str, float] | None
    #: The name of a field, or its name with its meaning.
    Named: TypeAlias = str | dict[str, Meaning]
    Columns: TypeAlias = Mapping[str, str | Mapping[str, Meaning]] | Sequence[str] | str | None

    class ReadKeywords(TypedDict, total=False):
        """The keyword arguments of `ReadOptions`."""

        format: str | None
        header: bool | None
        columns: Columns
        comments: bool
        split: str | None
        subtopics: bool
        duplicates: str
        ignore_offsets: bool


__all__ = ["LISTS", "ReadOptions", "column_roles", "parsed_columns"]

#: How duplicate documents are handled. Conventions also use the others; there, ``max`` is ``best``.
_DUPLICATES = ("error", "first", "last", "max", "mean", "count", "best", "copies", "blank")

#: The name of a skipped column.
NOT_READ = "-"

#: Short names of columns.
_SHORT = {
    "query": "query_id",
    "doc": "doc_id",
    "grade": "grade",
    "score": "score",
    "rank": "rank",
    "subtopic": "subtopic",
    "weight": "weight",
    "start": "start",
    "end": "end",
    "tokens": "tokens",
    "system": "system",
    "relevant": "relevant",
    "results": "results",
}

#: The roles whose ids a pattern can take from a field.
_IDS = ("query_id", "doc_id")

#: What shows that a text after a colon is a pattern.
_PATTERN = frozenset("()[]{}^$*+?|\\")

_FORMS = "query,doc,grade,- for a file without a header, query=NAME,doc=NAME,grade=NAME with one"


def _parsed(option: Parameter, value: object) -> object:
    """Validate the value of an option and return it in the form for readers."""
    if option.name == "duplicates":
        if not isinstance(value, str) or value not in _DUPLICATES:
            raise ParameterError(
                where=option.name,
                found=shown(value),
                expected=f"{', '.join(_DUPLICATES[:5])} or {_DUPLICATES[5]}",
            )
    elif value is None or value is option.default:
        return option.default
    elif option.kind is dict:
        return _columns(value) or None
    elif not isinstance(value, option.kind) or (option.kind is int and isinstance(value, bool)):
        expected = {str: "a text", bool: "True or False", int: "a whole number"}[option.kind]
        raise ArgumentError(where=option.name, found=shown(value), expected=expected)
    return value


class ReadOptions:
    """Options of reading judgments or runs.

    Immutable. `read_qrels`, `read_run`, `Qrels` and `Run` take the same keyword arguments. It is
    also a mapping of the options that differ from their defaults, so that ``**options`` works.

    Parameters
    ----------
    format : str, optional
        ``"trec"``, ``"tsv"``, ``"csv"``, ``"json"``, ``"jsonl"``, ``"svmlight"``, ``"parquet"`` or
        ``"arrow"`` (an Arrow file or stream); for judgments also ``"beir"``, ``"prefs"``,
        ``"strata"``, or a judgment list of another tool, such as ``"quepid"`` or ``"raters:mean"``,
        as described in `gainful.data.judgment_lists.read_judgment_list`; for runs also
        ``"scores"``. By default it is detected from the content, and from the suffix where the
        content leaves a choice.
    header : bool, optional
        Whether the first line of TSV or CSV has column names. By default it is detected.
    columns : str, sequence of str, or mapping of str to str, optional
        The column for each role. For text without a header, all columns in order:
        ``"query,doc,grade,-"``, or a list. ``"-"`` and unknown names skip a column. For text with
        a header, Parquet, Arrow and data frames, their names:
        ``"query=userId,doc=movieId,grade=rating"``, or a mapping such as ``{"grade": "stars"}``.
        Other columns are detected by name. ``relevant``, or ``results`` of a run, names the column
        or field with lists of documents; ``-=NAME`` says that a column has no meaning. They also
        name the fields of JSON: ``"relevant=sources,grade=sources[].stars"``.
        ``grade=label:exact=3,irrelevant=0`` gives labels their grades, and
        ``doc=chunk_id:^(.+)#`` takes an id from the group of a pattern, also of a query; without a
        name, as in ``doc=:^(.+)#``, the usual column has them. A name that contains a colon and
        such marks is in quotes.
    comments : bool
        Whether lines that begin with ``#`` are comments (TREC, TSV, CSV). Default: no, because ids
        may begin with it.
    split : str, optional
        The file of a BEIR folder, by default ``"test"``; or the layer of JSON with layers above
        the queries.
    subtopics : bool
        Whether judgments are per subtopic (or per group of judgments): in the second column of
        TREC text, or a column ``subtopic`` of TSV, CSV and JSON lines. A document then has one
        grade per subtopic; otherwise that column is ignored.
    duplicates : {"error", "first", "last", "max", "mean", "count"}
        How duplicate documents of a query, or of a subtopic, are handled: the first or last one
        counts, the largest grade or score, the mean of the grades (judgments only), or all.
    ignore_offsets : bool
        Whether places in documents are read as their documents: columns such as ``start`` and
        ``end`` are ignored, and the id ``d1#char=0,400`` is ``d1``. Default: no, a place is what
        is judged or retrieved. Documents that occur several times are then duplicates.

    Raises
    ------
    ParameterError, ArgumentError
        For an invalid value or type.

    Examples
    --------
    >>> options = ReadOptions(columns="query=userId,doc=movieId", comments=True)
    >>> options
    ReadOptions(columns={'query_id': 'userId', 'doc_id': 'movieId'}, comments=True)
    >>> options.format is None, options.replace(format="csv").format
    (True, 'csv')
    >>> ReadOptions(columns="doc=chunk_id:^(.+)#").names
    {'doc_id': 'chunk_id'}
    >>> ReadOptions(duplicates="maximum")
    Traceback (most recent call last):
    gainful.errors.ParameterError: duplicates: found 'maximum', expected error, first, ...
    """

    __slots__ = ("changed", "names", "rules", *(option.name for option in READ_OPTIONS))

    if TYPE_CHECKING:
        format: str | None
        header: bool | None
        columns: list[Named] | dict[str, Named] | None
        comments: bool
        split: str | None
        subtopics: bool
        duplicates: str
        ignore_offsets: bool
        #: The options that differ from their defaults.
        changed: dict[str, Any]
        #: The columns in order, or the names that roles have; what they mean is in `rules`.
        names: list[str] | dict[str, str] | None
        #: The policy on duplicates, with the patterns of ids and the grades of labels.
        rules: str | _kernel.RowRules

    def __init__(self, **options: Any) -> None:
        put, changed = object.__setattr__, {}
        for option in READ_OPTIONS:
            value = option.default
            if option.name in options:
                value = _parsed(option, options.pop(option.name))
                if value != option.default:
                    changed[option.name] = value
            put(self, option.name, value)
        if options:
            known = tuple(option.name for option in READ_OPTIONS)
            raise unknown_keyword("ReadOptions", next(iter(options)), known)
        put(self, "changed", changed)
        columns = self.columns
        names: list[str] | dict[str, str] | None = None
        if isinstance(columns, list):
            names = [next(iter(_meanings(column))) for column in columns]
            if "weight" in names and "subtopic" not in names:
                raise ParameterError("a weight is that of a subtopic", where="columns")
        elif columns is not None:
            named = {role: next(iter(_meanings(name))) for role, name in columns.items()}
            names = {role: name for role, name in named.items() if name} or None
        put(self, "names", names)
        is_plain = columns is None and not self.ignore_offsets
        put(self, "rules", self.duplicates if is_plain else _rules(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"options cannot be changed ({name}); replace() returns a changed copy"
        )

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        return f"ReadOptions({fields})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReadOptions) and self.changed == other.changed

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.changed,)

    def keys(self) -> KeysView[str]:
        """Return the names of the options that differ from their defaults."""
        return self.changed.keys()

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __len__(self) -> int:
        return len(self.changed)

    def replace(self, **options: Any) -> Self:
        """Return a copy with some options replaced."""
        return type(self)(**{**self.changed, **options})

    def check_only(self, names: Iterable[str], what: str, expected: str) -> None:
        """Refuse options that do not apply.

        Parameters
        ----------
        names : iterable of str
            Options that apply. ``comments`` always does, since one value serves judgments and runs.
        what, expected : str
            The data being read, and the data that the other options require, for messages.

        Raises
        ------
        ArgumentError
            For the first option that does not apply.
        """
        for name, value in self.changed.items():
            if name not in names and name != "comments":
                raise ArgumentError(where=name, found=f"{value!r} for {what}", expected=expected)

    def spec(self) -> dict[str, object]:
        """Return the options of text files for the kernel."""
        spec: dict[str, object] = {**self.changed}
        spec.pop("columns", None)
        spec.pop("ignore_offsets", None)
        names, rules = self.names, self.rules
        if not isinstance(rules, str):
            spec["rules"] = rules
        if isinstance(names, list):
            spec["columns"] = names
        elif names:
            if self.header is False:
                raise ArgumentError(
                    "column names need a header, but header=False",
                    where="columns",
                    hint="list the columns in order, as in 'query,doc,grade,-'",
                )
            spec["named"] = [part for pair in names.items() for part in pair]
        return spec


def _restore(options: dict[str, Any]) -> ReadOptions:
    return ReadOptions(**options)


def parsed_columns(text: str) -> list[Named] | dict[str, Named]:
    """Parse the columns of a file.

    Examples
    --------
    >>> parsed_columns("query,doc,grade,-")
    ['query_id', 'doc_id', 'grade', '-']
    >>> parsed_columns("query=userId,doc=movieId,grade=rating")
    {'query_id': 'userId', 'doc_id': 'movieId', 'grade': 'rating'}
    >>> parsed_columns('grade=Stars,query="Search Term"')
    {'grade': 'Stars', 'query_id': 'Search Term'}
    >>> parsed_columns("grade=label:exact=3,irrelevant=0,query=id:token")
    {'grade': {'label': {'exact': 3.0, 'irrelevant': 0.0}}, 'query_id': 'id:token'}
    >>> parsed_columns("grade=stars,doc=chunk:^(.+)#")
    {'grade': 'stars', 'doc_id': {'chunk': '^(.+)#'}}
    >>> parsed_columns("query,doc:^(.+)#,grade:yes=1,no=0")
    ['query_id', {'doc_id': '^(.+)#'}, {'grade': {'yes': 1.0, 'no': 0.0}}]
    """
    parts = _parts(text)
    in_order = [part for part in parts if not _is_named(part)]
    if in_order:
        if len(in_order) < len(parts) or len(parts) < 2:
            raise ParameterError(where="columns", found=shown(text), expected=_FORMS)
        return [_in_order(part) for part in parts]
    named: dict[str, Named] = {}
    for part in parts:
        word, _, name = part.partition("=")
        role = _said(word.strip(), name.strip())
        if not name.strip():
            raise ParameterError(where="columns", found=shown(part), expected="ROLE=NAME")
        if role in named:
            raise ParameterError(f"{shown(text)} contains {role} twice", where="columns")
        named[role] = _with_meaning(role, name.strip(), is_text=True)
    return named


def column_roles(columns: Iterable[Named]) -> set[str]:
    """Return the roles in columns that `parsed_columns` returned."""
    return {next(iter(_meanings(column))) for column in columns}


def _parts(text: str) -> list[str]:
    """Split the columns; the grades of labels are one part.

    >>> _parts("query='a, b', doc=c")
    ["query='a, b'", 'doc=c']
    >>> _parts("grade=label:exact=3,other=0,doc=c")
    ['grade=label:exact=3,other=0', 'doc=c']
    """
    parts: list[str] = []
    for part in _split(text):
        if parts and _has_labels(parts[-1]) and _grade(part.rpartition("=")[2]) is not None:
            parts[-1] += f",{part}"
        else:
            parts.append(part.strip())
    return parts


def _has_labels(part: str) -> bool:
    word, mark, rest = part.partition("=" if _is_named(part) else ":")
    labels = rest.partition(":")[2] if mark == "=" else rest
    return _known_role(word.strip()) == "grade" and "=" in labels


def _is_named(part: str) -> bool:
    """Return whether a part has the form ``ROLE=NAME``."""
    word, mark, _ = part.partition("=")
    return bool(mark) and ":" not in word


def _split(text: str) -> list[str]:
    """Split at commas outside quotes.

    >>> _split("query='a, b',doc=c")
    ["query='a, b'", 'doc=c']
    """
    parts, quote, start = [], "", 0
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and text[:index].rstrip()[-1:] in ("", "=", ":", ","):
            quote = char
        elif char == ",":
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def _in_order(part: str) -> Named:
    """Return the role of a column without a name."""
    if part == NOT_READ:
        return NOT_READ
    word, _, meaning = part.partition(":")
    role = _role(word.strip())
    return {role: _meaning(role, meaning)} if meaning else role


def _with_meaning(role: str, text: str, *, is_text: bool = False) -> Named:
    """Separate the name of a field from its labels or its pattern; quotes keep a name together."""
    name, mark, meaning = text.partition(":")
    if text[:1] in ("'", '"'):
        quoted, closing, after = text[1:].partition(text[0])
        if closing and (after[:1] == ":" or (is_text and not after)):
            name, mark, meaning = quoted, after[:1], after[1:]
            if not mark:
                return {name: None} if ":" in name else name
    is_meaning = "=" in meaning if role == "grade" else not _PATTERN.isdisjoint(meaning)
    if not mark or not is_meaning or role not in ("grade", *_IDS):
        return text
    return {name.strip(): _meaning(role, meaning)}


def _meaning(role: str, text: str) -> Meaning:
    """Parse the grades of labels, or a pattern of ids."""
    if role != "grade":
        return _unquoted(text)
    grades: dict[str, float] = {}
    for part in _split(text):
        label, _, number = part.rpartition("=")
        grade = _grade(number)
        if grade is None or not label.strip():
            raise ParameterError(
                where="columns", found=shown(part), expected="LABEL=GRADE, as in relevant=1"
            )
        label = _unquoted(label.strip())
        if label in grades:
            raise ParameterError(f"two grades for the label {shown(label)}", where="columns")
        grades[label] = grade
    return grades


def _grade(text: str) -> float | None:
    try:
        return parse_number(text.strip())
    except ValueError:
        return None


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


def _meanings(column: Named) -> Mapping[str, Meaning]:
    return {column: None} if isinstance(column, str) else column


def _rules(options: ReadOptions) -> str | _kernel.RowRules:
    """Return the policy on duplicates, with the meanings of columns if there are any."""
    if isinstance(options.columns, list):
        pairs = [pair for column in options.columns for pair in _meanings(column).items()]
    else:
        of_roles = (options.columns or {}).items()
        pairs = [(role, meaning) for role, name in of_roles for meaning in _meanings(name).values()]
    rules = {role: meaning for role, meaning in pairs if meaning is not None}
    if not rules and not options.ignore_offsets:
        return options.duplicates
    meanings: Any = rules
    query, document = (meanings.get(role) for role in _IDS)
    grades = meanings.get("grade", {})
    return _kernel.RowRules(
        options.duplicates,
        query=query,
        document=document,
        grades=list(grades.items()),
        ignores_offsets=options.ignore_offsets,
    )


def _columns(columns: object) -> list[Named] | dict[str, Named]:
    """Validate the columns of a file, in one of two forms."""
    if isinstance(columns, str):
        return parsed_columns(columns)
    items = getattr(columns, "items", None)
    if items is not None:
        return {_said(role, name): _given(_said(role, name), name) for role, name in items()}
    if (
        not hasattr(columns, "__iter__")
        or not hasattr(columns, "__len__")
        or not all(isinstance(column, (str, dict)) for column in columns)
    ):
        raise ArgumentError(
            where="columns", found=shown(columns), expected="a mapping or a list of column names"
        )
    return list(columns)


def _given(role: str, name: Any) -> Named:
    """Validate a name, or a name with the grades of its labels or the pattern of its ids."""
    if isinstance(name, str):
        return _with_meaning(role, name)
    items = list(name.items()) if hasattr(name, "items") else []
    if len(items) == 1 and isinstance(items[0][0], str) and role in ("grade", *_IDS):
        ((field, meaning),) = items
        if meaning is None or (isinstance(meaning, str) and role != "grade"):
            return {field: meaning}
        if role == "grade" and hasattr(meaning, "items"):
            return {field: {str(label): float(grade) for label, grade in meaning.items()}}
    raise ArgumentError(
        where="columns",
        found=shown(name),
        expected="the name of a column, or one with its labels or its pattern, as in"
        " {'grade': {'label': {'good': 1, 'bad': 0}}}",
    )


def _said(word: object, column: object) -> str:
    """Return the role of a column; one without a meaning has the role ``-NAME``."""
    ignored = isinstance(word, str) and word.startswith(NOT_READ)
    return f"{NOT_READ}{column}" if ignored else _role(word, column)


def _role(word: object, column: object = None) -> str:
    """Return Gainful's name of a column, given an alias and the name of the column, if any."""
    role = _known_role(word)
    if role is not None:
        return role
    swapped = _known_role(column)
    raise ParameterError(
        where="columns",
        found=shown(word),
        expected=", ".join(_SHORT)
        + (f", or {NOT_READ} for a skipped column" if column is None else ""),
        hint=None if swapped is None else f"the role comes first: {column}={word}",
    )


def _known_role(word: object) -> str | None:
    if not isinstance(word, str):
        return None
    if word in _SHORT:
        return _SHORT[word]
    roles = [role for role in ROLES if _kernel.names_with([word], role)]
    # An id may be that of a query and of a document.
    return roles[0] if roles and roles[:2] != ["query_id", "doc_id"] else None
