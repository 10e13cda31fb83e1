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

__all__ = [
    "ArgumentError",
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


class GainfulError(Exception):
    """The root of all errors that Gainful raises on purpose.

    Parameters
    ----------
    message : str, optional
        A whole message, for errors that are not about a place in the data.
    where, file, line, query, document : optional
        The place: a free text, a file and line (counted from 1), a query and document.
    found, expected : str, optional
        What stands there and what should.
    hint : str, optional
        What to do about it.

    Attributes
    ----------
    file, line, query, document, found, expected, hint
        As given; ``None`` where they do not apply.
    """

    def __init__(
        self,
        message: str | None = None,
        *,
        where: str | None = None,
        file: str | None = None,
        line: int | None = None,
        query: str | None = None,
        document: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.where = where
        self.file = file
        self.line = line
        self.query = query
        self.document = document
        self.found = found
        self.expected = expected
        self._message = message
        self._hint = hint
        self.hint = _with_references(hint, _argument) if hint else hint
        self.message = self._compose(message, self.hint)
        super().__init__(self.message)

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
        hint = _with_references(self._hint, reference) if self._hint else None
        return self._compose(self._message, hint)

    def _compose(self, message: str | None, hint: str | None) -> str:
        place = ", ".join(
            part
            for part in (
                self.where,
                self.file,
                f"line {self.line}" if self.line is not None else None,
                f"query {self.query!r}" if self.query is not None else None,
                f"document {self.document!r}" if self.document is not None else None,
            )
            if part
        )
        if message is None:
            message = f"found {self.found}"
            if self.expected:
                message += f", expected {self.expected}"
        if place:
            message = f"{place}: {message}"
        if hint:
            message += f". Hint: {hint}"
        return message

    def inside(self, where: str) -> GainfulError:
        """Return the same error with a place before its place.

        Examples
        --------
        >>> print(TieError(query="q1", found="equal scores").inside("under scikit-learn"))
        under scikit-learn, query 'q1': found equal scores
        """
        return type(self)(
            None if self.found is not None else self.message,
            where=", ".join(part for part in (where, self.where) if part),
            file=self.file,
            line=self.line,
            query=self.query,
            document=self.document,
            found=self.found,
            expected=self.expected,
            hint=self._hint if self.found is not None else None,
        )

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


def _restore(kind: type[GainfulError], state: dict[str, object]) -> GainfulError:
    error = kind.__new__(kind)
    Exception.__init__(error, state.get("message"))
    error.__dict__.update(state)
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
    message, where, file, line, query, document, found, expected, hint
        As for `GainfulError`; shown and kept, so without keys and passwords.
    transient : bool
        Whether asking again may help.
    wait : float, optional
        Seconds to wait before asking again, where the system said so.

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
        where: str | None = None,
        file: str | None = None,
        line: int | None = None,
        query: str | None = None,
        document: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.transient = transient
        self.wait = wait
        super().__init__(
            message,
            where=where,
            file=file,
            line=line,
            query=query,
            document=document,
            found=found,
            expected=expected,
            hint=hint,
        )


class NoAnswerError(SearchError):
    """A search in which every query failed; the message has the reason of the first."""


class SearchWarning(UserWarning):
    """A search that lacks some answers, or took some from its journal."""
