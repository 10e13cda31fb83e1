"""The exceptions.

    GainfulError
    ├── ArgumentError          (TypeError)          a call that cannot be understood
    ├── ParameterError         (ValueError)         an argument with an illegal value
    ├── MeasureError           (ValueError)         an unknown measure, or one asked for wrongly
    ├── ConventionError        (ValueError)         an unknown convention or policy
    ├── SourceError            (OSError)            a file that cannot be read or written
    │   └── SourceNotFoundError (FileNotFoundError) a file that does not exist
    ├── FormatError            (ValueError)         a line or value that its format does not allow
    ├── ColumnError            (KeyError)           a table without the columns that are needed
    ├── DuplicateError         (ValueError)         one document twice under one query
    ├── GradeError             (ValueError)         a grade that cannot be used
    ├── TieError               (ValueError)         equal scores where the convention refuses them
    ├── MatchError             (ValueError)         judgments and run that do not fit together
    │   └── UnknownQueryError  (KeyError)           a query that judgments or a run do not have
    └── SearchError            (RuntimeError)       a search that cannot answer or go on
        └── NoAnswerError                           a search in which every query failed

A search that lacks some answers, or took some from its journal, gives a `SearchWarning`.

Every class is also the builtin exception that a caller would expect, so
``except ValueError`` and ``except OSError`` work, and ``except GainfulError`` catches all:

>>> import gainful
>>> try:
...     gainful.evaluate("missing.qrels", {"q1": ["d1"]})
... except gainful.errors.GainfulError as error:
...     print(error)
missing.qrels: found no such file, expected a file that exists
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeVar

    Kind = TypeVar("Kind", bound="GainfulError")

__all__ = [
    "ArgumentError",
    "Code",
    "ColumnError",
    "ConventionError",
    "DuplicateError",
    "FormatError",
    "GainfulError",
    "GradeError",
    "MatchError",
    "MeasureError",
    "MissingPackageError",
    "NoAnswerError",
    "ParameterError",
    "SearchError",
    "SearchWarning",
    "SourceError",
    "SourceNotFoundError",
    "TieError",
    "UnknownQueryError",
]


class Code:
    """Causes that programs tell apart from others of the same exception.

    Attributes
    ----------
    CLOSED_PIPE
        Nobody reads from the other end of a pipe (`SourceError`).
    EMPTY_TABLE
        A table has no rows (`FormatError`).
    FIELD_COUNT
        A line does not have as many fields as its format says (`FormatError`).
    LONG_LINE
        A line is too long to be one of a few fields (`FormatError`).
    LOOKS_LIKE_RUN
        A line of judgments has as many fields as a line of a run (`FormatError`).
    QUERY_IN_TWO_PARTS
        The rows of a query were evaluated in two parts (`MatchError`).
    QUERY_TORN_APART
        The judgments of a query were in one part, its ranking in another (`MatchError`).
    TWO_LEVELS
        One subgroup of preferences gives a document two levels (`GradeError`).
    TWO_RELEVANCES
        A group of preferences has a document as relevant and as not relevant (`GradeError`).
    UNKNOWN_FORMAT
        A file format that does not exist (`ParameterError`).
    WHITE_SPACE
        An id has white space, and the format separates words by it (`FormatError`).
    """

    CLOSED_PIPE = "closed-pipe"
    EMPTY_TABLE = "empty-table"
    FIELD_COUNT = "field-count"
    LONG_LINE = "long-line"
    LOOKS_LIKE_RUN = "looks-like-run"
    QUERY_IN_TWO_PARTS = "query-in-two-parts"
    QUERY_TORN_APART = "query-torn-apart"
    TWO_LEVELS = "two-levels"
    TWO_RELEVANCES = "two-relevances"
    UNKNOWN_FORMAT = "unknown-format"
    WHITE_SPACE = "white-space"


class GainfulError(Exception):
    """The root of all errors that Gainful raises on purpose.

    The class is the kind of the error. Programs read the class and the fields ``code``, ``role``,
    ``policy``, ``file``, ``line``, ``row``, ``query`` and ``document``; the texts may change.

    Parameters
    ----------
    message : str, optional
        A whole message, for errors that are not about a place in the data.
    where, file, line, row, query, document : optional
        The place: a free text, a file and line (counted from 1), the row of a table (counted
        from 0), a query and document.
    found, expected : str, optional
        The wrong value, and what is right.
    hint : str, optional
        What to do about it.
    code : str, optional
        The cause, one of those of `Code`.
    role : {"judgments", "run"}, optional
        The input that the error is about.
    policy : str, optional
        The policy of the convention that refuses something.

    Attributes
    ----------
    where, file, line, row, query, document, found, expected, hint, code, role, policy
        As given; ``None`` where they do not apply.
    """

    def __init__(
        self,
        message: str | None = None,
        *,
        where: str | None = None,
        file: str | None = None,
        line: int | None = None,
        row: int | None = None,
        query: str | None = None,
        document: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
        code: str | None = None,
        role: str | None = None,
        policy: str | None = None,
    ) -> None:
        self.where = where
        self.file = file
        self.line = line
        self.row = row
        self.query = query
        self.document = document
        self.found = found
        self.expected = expected
        self.code = code
        self.role = role
        self.policy = policy
        self._message = message
        self._hint = hint
        super().__init__(self.message)

    @property
    def hint(self) -> str | None:
        """What to do about it, with the names of Python's arguments."""
        return self._hint and _with_references(self._hint, _argument)

    @property
    def message(self) -> str:
        """The whole message."""
        return self.text(_argument)

    def text(self, reference: Callable[[str, str], str]) -> str:
        """Return the message as an interface shows it, with its own names in the hint.

        A hint refers to a parameter as ``⟪name⟫`` or ``⟪name=value⟫``. In Python that reads as the
        argument, on the command line as the option.

        Parameters
        ----------
        reference : callable
            Returns the text for a parameter's name and value (empty without one).

        Examples
        --------
        >>> error = FormatError(found="two formats", hint="⟪format=trec⟫ names one")
        >>> print(error)
        found two formats. Hint: format=trec names one
        >>> print(error.text(lambda name, value: f"--{name} {value}".rstrip()))
        found two formats. Hint: --format trec names one
        """
        place = ", ".join(
            part
            for part in (
                self.where,
                self.file,
                f"line {self.line}" if self.line is not None else None,
                f"row {self.row:,}" if self.row is not None else None,
                f"query {self.query!r}" if self.query is not None else None,
                f"document {self.document!r}" if self.document is not None else None,
            )
            if part
        )
        message = self._message
        if message is None:
            message = f"found {self.found}"
            if self.expected:
                message += f", expected {self.expected}"
        if place:
            message = f"{place}: {message}"
        if self._hint:
            message += f". Hint: {_with_references(self._hint, reference)}"
        return message

    def inside(self, where: str) -> Self:
        """Return the same error with a place before its place.

        Examples
        --------
        >>> print(TieError(query="q1", found="equal scores").inside("under scikit-learn"))
        under scikit-learn, query 'q1': found equal scores
        """
        return self.replace(where=f"{where}, {self.where}" if self.where else where)

    def replace(self, **fields: Any) -> Self:
        """Return the same error with other fields, which are those of the class.

        Examples
        --------
        >>> error = TieError(query="q1", found="equal scores", policy="ties")
        >>> print(error.replace(query="q2"), error.replace(query="q2").policy, sep=" | ")
        query 'q2': found equal scores | ties
        """
        own = {"message": "_message", "hint": "_hint"}
        changed = {own.get(name, name): value for name, value in fields.items()}
        return _restore(type(self), {**self.__dict__, **changed})

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (type(self), self.__dict__.copy()))


#: What a reference is called as an argument in Python, where that differs.
_ARGUMENTS = {"written_format": "format"}


def _argument(name: str, value: str) -> str:
    return f"{_ARGUMENTS.get(name, name)}={value}"


def _with_references(hint: str, reference: Callable[[str, str], str]) -> str:
    first, *others = hint.split("⟪")
    parts = [first]
    for other in others:
        inside, mark, after = other.partition("⟫")
        name, _, value = inside.partition("=")
        parts += [reference(name, value), after] if mark else ["⟪", other]
    return "".join(parts)


def _restore(kind: type[Kind], state: dict[str, object]) -> Kind:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    Exception.__init__(error, error.message)
    return error


class ArgumentError(GainfulError, TypeError):
    """A call that cannot be understood: a wrong type, or arguments that contradict each other."""


class ParameterError(GainfulError, ValueError):
    """An argument of the right type with an illegal value."""


class MeasureError(GainfulError, ValueError):
    """An unknown measure, a cutoff below 1, an illegal parameter, or a combination not defined."""


class ConventionError(GainfulError, ValueError):
    """An unknown convention or policy, or a policy that has no meaning for what was asked."""


class SourceError(GainfulError, OSError):
    """A file or stream that cannot be read or written: a directory, truncated, not permitted."""


class SourceNotFoundError(SourceError, FileNotFoundError):
    """A file that does not exist."""


class FormatError(GainfulError, ValueError):
    """A line, field or value that its format does not allow."""


class ColumnError(GainfulError, KeyError):
    """A table without the columns that are needed, or with a column of the wrong type."""


class DuplicateError(GainfulError, ValueError):
    """One document stands twice under one query, and the convention does not say what to do."""


class GradeError(GainfulError, ValueError):
    """A grade that cannot be used: not finite, too large, or refused by the convention."""


class TieError(GainfulError, ValueError):
    """Equal scores, under a convention that refuses them."""


class MatchError(GainfulError, ValueError):
    """Judgments and run that do not fit together, such as no query in common."""


class UnknownQueryError(MatchError, KeyError):
    """A query was asked for that judgments or a run do not have."""


class MissingPackageError(GainfulError, ImportError):
    """An optional package is needed and not installed."""


class SearchError(GainfulError, RuntimeError):
    """A search system could not answer a query.

    Systems of one's own may raise it, to say whether asking again may help.

    Parameters
    ----------
    message : str, optional
        As for `GainfulError`; shown and kept, so without keys and passwords.
    transient : bool
        Whether asking again may help.
    wait : float, optional
        Seconds to wait before asking again, where the system said so.
    **fields
        The other parameters of `GainfulError`.

    Examples
    --------
    >>> error = SearchError(found="status 503", expected="200", transient=True, wait=2.0)
    >>> error.transient, str(error)
    (True, 'found status 503, expected 200')
    """

    def __init__(
        self,
        message: str | None = None,
        *,
        transient: bool = False,
        wait: float | None = None,
        **fields: Any,
    ) -> None:
        self.transient = transient
        self.wait = wait
        super().__init__(message, **fields)


class NoAnswerError(SearchError):
    """A search in which every query failed; the message has the reason of the first."""


class SearchWarning(UserWarning):
    """A search that lacks some answers, or took some from its journal."""
