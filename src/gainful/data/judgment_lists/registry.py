"""Look up formats of judgment lists, with options such as ``raters:mean``."""

from __future__ import annotations

from importlib import import_module

from gainful.data.formats import JUDGMENT_LISTS, ROWS, of_rows
from gainful.data.judgment_lists.list_format import JudgmentFormat, ListFormat
from gainful.errors import Code, ParameterError

__all__ = ["FORMATS", "list_format"]

FORMATS: dict[str, JudgmentFormat] = {
    name: import_module(f"gainful.data.judgment_lists.{name}").FORMAT for name in JUDGMENT_LISTS
}


def list_format(format: str) -> ListFormat:
    """Return the format of a judgment list from its name and options.

    Raises
    ------
    ParameterError
        For an unknown format or option.

    Examples
    --------
    >>> list_format("Rank-Eval:index=shop,field=title"), list_format("raters:mean").word
    (rank_eval:index=shop,field=title, 'mean')
    """
    requested, _, rest = format.partition(":")
    requested = requested.strip().lower().replace("-", "_")
    name = next(
        (name for name, each in FORMATS.items() if requested in (name, *each.aliases)), None
    )
    if name is None:
        known = ", ".join(FORMATS if of_rows(format) else (*ROWS, *FORMATS))
        raise ParameterError(
            f"unknown format {format!r}, expected one of {known}", code=Code.UNKNOWN_FORMAT
        )
    choices = ("ids", "scale", *FORMATS[name].choices)
    word_meaning = FORMATS[name].word
    word = ""
    settings: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        key = next((known for known in choices if known.lower() == key.lower()), key)
        if not equals and word_meaning and not word:
            word = part.strip()
        elif equals and key in choices and key not in settings:
            settings[key] = value
        else:
            more = f"; a value without a key sets {word_meaning}" if word_meaning else ""
            raise ParameterError(
                where=f"the format {format!r}",
                found=repr(part.strip()),
                expected=f"any of {'=, '.join(choices)}=, each once{more}",
            )
    return ListFormat(name, word, settings)
