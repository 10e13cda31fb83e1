"""Exceptions.

    GainfulError
    ├── ArgumentError          (TypeError)          wrong types or contradicting arguments
    ├── ParameterError         (ValueError)         an argument with an invalid value
    ├── MeasureError           (ValueError)         an unknown or invalid measure
    ├── ConventionError        (ValueError)         an unknown or invalid convention or policy
    ├── SourceError            (OSError)            a file that cannot be read or written
    │   └── SourceNotFoundError (FileNotFoundError) a file that does not exist
    ├── FormatError            (ValueError)         a line or value that the format does not allow
    ├── ColumnError            (KeyError)           a table without a required column
    ├── DuplicateError         (ValueError)         a document twice in one ranking
    ├── GradeError             (ValueError)         a grade that cannot be used
    ├── TieError               (ValueError)         equal scores that the convention refuses
    ├── MatchError             (ValueError)         judgments and run that do not match
    │   └── UnknownQueryError  (KeyError)           a query that is not in the judgments or run
    ├── MissingPackageError    (ImportError)        an optional package that is not installed
    └── SearchError            (RuntimeError)       a search system that cannot answer
        └── NoAnswerError                           a search in which every query failed

An incomplete search issues a `SearchWarning`, and a file that lacks a part of what was written a
`LossWarning`.

Each class also derives from the matching built-in exception, so ``except ValueError`` and
``except OSError`` work, and ``except GainfulError`` catches all:

>>> import gainful
>>> try:
...     gainful.evaluate("missing.qrels", {"q1": ["d1"]})
... except gainful.errors.GainfulError as error:
...     print(error)
no such file: missing.qrels
"""

from __future__ import annotations

from gainful.quoting import shown
from gainful.references import argument, with_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self, TypeVar

    Kind = TypeVar("Kind", bound="GainfulError")

__all__ = [
    "ArgumentError",
    "Code",
    "ColumnError",
    "ConventionError",
    "DataCheckError",
    "DuplicateError",
    "FormatError",
    "GainfulError",
    "GradeError",
    "LossWarning",
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
    """Codes for causes that share an exception class.

    Attributes
    ----------
    CLOSED_PIPE
        The reader of a pipe closed it (`SourceError`).
    EMPTY_TABLE
        A table has no rows (`FormatError`).
    FIELD_COUNT
        A line has the wrong number of fields (`FormatError`).
    LONG_LINE
        A line is too long for the format (`FormatError`).
    LOOKS_LIKE_RUN
        A line of judgments has the six fields of a run (`FormatError`).
    QUERY_IN_TWO_PARTS
        The ranking of a query is in two parts (`MatchError`).
    QUERY_SPLIT
        The judgments and the ranking of a query are in different parts (`MatchError`).
    TWO_LEVELS
        A subgroup of preferences assigns two levels to a document (`GradeError`).
    TWO_RELEVANCES
        A group of preferences has a document as both relevant and not relevant (`GradeError`).
    UNKNOWN_FORMAT
        The file format is unknown (`ParameterError`).
    UNREACHABLE
        A server of files cannot be reached, or failed (`SourceError`).
    WHITE_SPACE
        An id contains white space, which separates fields in this format (`FormatError`).
    """

    CLOSED_PIPE = "closed-pipe"
    EMPTY_TABLE = "empty-table"
    FIELD_COUNT = "field-count"
    LONG_LINE = "long-line"
    LOOKS_LIKE_RUN = "looks-like-run"
    QUERY_IN_TWO_PARTS = "query-in-two-parts"
    QUERY_SPLIT = "query-split"
    TWO_LEVELS = "two-levels"
    TWO_RELEVANCES = "two-relevances"
    UNKNOWN_FORMAT = "unknown-format"
    UNREACHABLE = "unreachable"
    WHITE_SPACE = "white-space"


class GainfulError(Exception):
    """The base class of all errors that Gainful raises.

    Programs can rely on the class and on ``code``, ``role``, ``policy``, ``file``, ``line``,
    ``row``, ``query`` and ``document``. The texts may change.

    The message is ``PLACE: FOUND``, or ``PLACE: found FOUND, expected EXPECTED``, and the hint.

    Parameters
    ----------
    message : str, optional
        The statement of what is wrong. Replaces ``found`` and ``expected``.
    where, file, line, row, query, document : optional
        The place: free text, a file, a line (counted from 1), a row of a table (counted from 0),
        a query and a document.
    found : str, optional
        The wrong value; without ``expected``, a statement of what is wrong.
    expected : str, optional
        The valid values.
    hint : str, optional
        How to fix the error.
    code : str, optional
        One of the constants of `Code`.
    role : {"judgments", "run"}, optional
        The input with the error.
    policy : str, optional
        The policy of the convention that refuses the data.

    Attributes
    ----------
    where, file, line, row, query, document, found, expected, hint, code, role, policy
        As given; ``None`` if they do not apply.
    """

    _place_last = False

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
        """How to fix the error, with the names of Python's arguments."""
        return self._hint and with_references(self._hint, argument)

    @property
    def problem(self) -> str:
        """What is wrong, without the place and the hint."""
        if self._message is not None:
            return with_references(self._message, argument)
        return (
            f"found {self.found}, expected {self.expected}" if self.expected else self.found or ""
        )

    @property
    def message(self) -> str:
        """The complete message."""
        return self.text(argument)

    def text(self, reference: Callable[[str, str], str]) -> str:
        """Return the message with an interface's names of parameters.

        A message or hint refers to a parameter as ``⟪name⟫`` or ``⟪name=value⟫``. Python shows
        the argument, the command line the option.

        Parameters
        ----------
        reference : callable
            Returns the text for a parameter's name and value (empty if there is no value).

        Examples
        --------
        >>> error = FormatError(found="two formats", hint="choose one with ⟪format=trec⟫")
        >>> print(error)
        two formats. Hint: choose one with format=trec
        >>> print(error.text(lambda name, value: f"--{name} {value}".rstrip()))
        two formats. Hint: choose one with --format trec
        """
        place = ", ".join(
            part
            for part in (
                self.where,
                self.file,
                f"line {self.line}" if self.line is not None else None,
                f"row {self.row:,}" if self.row is not None else None,
                f"query {_id_shown(self.query)}" if self.query is not None else None,
                f"document {_id_shown(self.document)}" if self.document is not None else None,
            )
            if part
        )
        message = self.problem
        if self._message is not None:
            message = with_references(self._message, reference)
        if place and self._place_last and self._message is None and not self.expected:
            message = f"{message}: {place}"
        elif place:
            message = f"{place}: {message}"
        if self._hint:
            message += f". Hint: {with_references(self._hint, reference)}"
        return message

    def with_names(self, names: Mapping[str, str]) -> Self:
        """Return the error with the name that an interface has for the parameter it is about.

        Examples
        --------
        >>> print(ParameterError("no query", where="queries").with_names({"queries": "--only"}))
        --only: no query
        """
        where = names.get(self.where or "")
        return self if where is None else self.replace(where=where)

    def inside(self, where: str) -> Self:
        """Return a copy with a place before the error's place.

        Examples
        --------
        >>> print(TieError(query="q1", found="equal scores").inside("under scikit-learn"))
        under scikit-learn, query 'q1': equal scores
        """
        return self.replace(where=f"{where}, {self.where}" if self.where else where)

    def with_hint(self, hint: str) -> Self:
        """Return a copy with one more hint."""
        return self.replace(hint=f"{self._hint}; {hint}" if self._hint else hint)

    def replace(self, **fields: Any) -> Self:
        """Return a copy with other values of the fields.

        Examples
        --------
        >>> error = TieError(query="q1", found="equal scores", policy="ties")
        >>> print(error.replace(query="q2"), error.replace(query="q2").policy, sep=" | ")
        query 'q2': equal scores | ties
        """
        names = {"message": "_message", "hint": "_hint"}
        changed = {names.get(name, name): value for name, value in fields.items()}
        return _restore(type(self), {**self.__dict__, **changed})

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (type(self), self.__dict__.copy()))


def _id_shown(name: object) -> str:
    """Return an id for a message; `GainfulError.query` and `document` have all of a long one."""
    return shown(name, longest=200)


def _restore(kind: type[Kind], state: dict[str, object]) -> Kind:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    Exception.__init__(error, error.message)
    return error


class ArgumentError(GainfulError, TypeError):
    """An argument of the wrong type, or arguments that contradict each other."""


class ParameterError(GainfulError, ValueError):
    """An argument with an invalid value."""


class MeasureError(GainfulError, ValueError):
    """An unknown measure, an invalid parameter, or an undefined combination."""


class ConventionError(GainfulError, ValueError):
    """An unknown convention or policy, or one that is not defined for the measure."""


class SourceError(GainfulError, OSError):
    """A file or stream that cannot be read or written."""


class SourceNotFoundError(SourceError, FileNotFoundError):
    """A file that does not exist.

    Examples
    --------
    >>> print(SourceNotFoundError(file="qrels.txt", found="no such file"))
    no such file: qrels.txt
    """

    _place_last = True


class FormatError(GainfulError, ValueError):
    """A line, field or value that the format does not allow."""


class ColumnError(GainfulError, KeyError):
    """A missing column, or a column of the wrong type."""


class DuplicateError(GainfulError, ValueError):
    """A document twice in one ranking, which the convention refuses."""


class GradeError(GainfulError, ValueError):
    """A grade that is not finite, too large, or refused by the convention."""


class TieError(GainfulError, ValueError):
    """Equal scores, which the convention refuses."""


class MatchError(GainfulError, ValueError):
    """Judgments and run that do not match, such as no query in common."""


class DataCheckError(MatchError):
    """Data checks that do not pass, which `gainful.strict` makes an error."""


class UnknownQueryError(MatchError, KeyError):
    """A query that is not in the judgments or the run."""


class MissingPackageError(GainfulError, ImportError):
    """A required optional package that is not installed."""


class SearchError(GainfulError, RuntimeError):
    """A search system that cannot answer a query.

    Your own systems may raise it to say whether a retry may succeed.

    Parameters
    ----------
    message : str, optional
        As for `GainfulError`. It is shown and stored, so it must not contain credentials.
    transient : bool
        Whether a retry may succeed.
    wait : float, optional
        Seconds to wait before the retry, if the system requests it.
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
    """A search in which every query failed. The message has the first reason."""


class SearchWarning(UserWarning):
    """An incomplete search, or one that reused answers from its journal."""


class LossWarning(UserWarning):
    """A file whose format cannot represent a part of what was written."""


#: The exit statuses of the commands, except trec_eval's; docs/cli.md describes them. No result has
#: status 1, with which Python and native libraries end after an unexpected error.
SUCCESS = 0
ERROR = 2
INCONCLUSIVE = 3
NEGATIVE = 4
#: EX_TEMPFAIL of sysexits.h, after which schedulers try again.
NO_ANSWER = 75
#: 128 plus the number of SIGINT, and of SIGPIPE.
INTERRUPTED, READER_GONE = 130, 141
