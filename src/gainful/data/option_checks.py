"""Check the options of readers before a file is opened."""

from __future__ import annotations

from gainful.errors import ArgumentError, ParameterError
from gainful.quoting import shown

__all__ = ["check_duplicates", "check_read_options"]

#: What may happen to a document that is listed twice. Conventions know the last two as well.
_DUPLICATES = ("error", "first", "last", "best", "count", "copies", "blank")
_TEXTS = ("format", "split")
_FLAGS = ("header", "comments", "subtopics")


def check_duplicates(duplicates: object) -> None:
    """Check the option ``duplicates``.

    Raises
    ------
    ParameterError
        If it is none of the legal values.

    Examples
    --------
    >>> check_duplicates("best")
    >>> check_duplicates("max")
    Traceback (most recent call last):
    gainful.errors.ParameterError: duplicates: found 'max', expected error, first, ...
    """
    if not isinstance(duplicates, str) or duplicates not in _DUPLICATES:
        raise ParameterError(
            where="duplicates",
            found=shown(duplicates),
            expected=f"{', '.join(_DUPLICATES[:4])} or {_DUPLICATES[4]}",
        )


def check_read_options(*, duplicates: object = "error", **options: object) -> None:
    """Check the options of `gainful.read_qrels` and `gainful.read_run`; unknown names are ignored.

    Raises
    ------
    ParameterError
        For an illegal value of `duplicates`.
    ArgumentError
        For an option of the wrong type.

    Examples
    --------
    >>> check_read_options(format="trec", header=None, columns=["query_id", "doc_id", "score"])
    """
    check_duplicates(duplicates)
    for name, value in options.items():
        if value is None:
            continue
        if name in _TEXTS and not isinstance(value, str):
            raise _wrong(name, value, "a text")
        if name in _FLAGS and not isinstance(value, bool):
            raise _wrong(name, value, "True or False")
        if name == "columns" and not _are_columns(value):
            raise _wrong(name, value, "a mapping or a list of column names")


def _are_columns(value: object) -> bool:
    # A single text is refused where columns are read, with the list to write instead.
    if hasattr(value, "items") or isinstance(value, str):
        return True
    if not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        return False
    return all(isinstance(each, str) for each in value)


def _wrong(name: str, value: object, expected: str) -> ArgumentError:
    return ArgumentError(where=name, found=shown(value), expected=expected)
