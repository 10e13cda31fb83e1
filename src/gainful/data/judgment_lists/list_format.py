"""Formats of judgment lists, and formats with options such as ``esci:E=4,S=2``."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ParameterError
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part

    #: Id, text and grades of each query that is written.
    Listed = Iterable[tuple[str, str, Mapping[str, float]]]

__all__ = ["JudgmentFormat", "ListFormat"]


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class JudgmentFormat:
    """A format of judgment lists; its module declares it as ``FORMAT``."""

    #: For the documentation: a description, the identification of queries, the files it was tested
    #: with, and its limitations.
    summary: str
    queries: str
    evidence: str
    cannot: str = ""
    aliases: tuple[str, ...] = ()
    #: Options other than ``ids`` and ``scale``, with descriptions.
    choices: Mapping[str, str] = field(default_factory=dict)
    #: The meaning of an option without a key, if the format has one.
    word: str = ""
    #: Whether a document has several grades, which the word combines.
    several_grades: bool = False
    #: For JSON, tables and text: functions that detect them (tables by columns, text by its first
    #: lines), and functions that read them.
    is_json: Callable[[Part], bool] = _never
    read_json: Callable[[Part, Entries], None] | None = None
    is_table: Callable[[Sequence[str]], bool] = _never
    read_table: Callable[[Sequence[str], Iterable[Row], Entries], None] | None = None
    is_line: Callable[[str], bool] = _never
    read_text: Callable[[Iterable[tuple[int, str]], Entries], None] | None = None
    #: Returns the text for a file, if the format can be written.
    write: Callable[[Listed, ListFormat, str], str] | None = None


@dataclass(frozen=True)
class ListFormat:
    """A format with options.

    Attributes
    ----------
    name : str
        One of `JUDGMENT_LISTS`.
    word : str
        The option without a key, such as ``mean``; may be empty.
    settings : mapping of str to str
        The options by key.
    """

    name: str
    word: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        chosen = [*filter(None, [self.word]), *(f"{k}={v}" for k, v in self.settings.items())]
        return f"{self.name}:{','.join(chosen)}" if chosen else self.name

    @property
    def texts_are_ids(self) -> bool:
        """Whether the texts of queries are used as ids."""
        ids = self.settings.get("ids", "own")
        if ids not in ("own", "texts"):
            raise ParameterError(
                where=f"ids of the format {self.name}",
                found=repr(ids),
                expected="own (the ids of the list, or else its texts) or texts",
            )
        return ids == "texts"

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest allowed grade, or None if not set."""
        scale = self.settings.get("scale")
        if scale is None:
            return None
        dash = scale.find("-", 1)
        try:
            found = parse_number(scale[:dash]), parse_number(scale[dash + 1 :])
        except ValueError:
            found = (1.0, 0.0)
        if not found[0] <= found[1]:
            raise ParameterError(
                where=f"scale of the format {self.name}",
                found=repr(scale),
                expected="the lowest and the highest grade, as in scale=0-3",
            )
        return found
