"""What declares a format of judgment lists, and what is chosen in one: ``esci:E=4,S=2``."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.table_rows import Row

    #: Id, text and grades of each query that is written.
    Listed = Iterable[tuple[str, str, Mapping[str, float]]]

__all__ = ["JudgmentFormat", "ListFormat"]


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class JudgmentFormat:
    """A format of judgment lists, which its module declares as ``FORMAT``."""

    #: For the documentation: what it is, what it calls queries by, which files prove that it is
    #: read right, and what it cannot carry.
    summary: str
    queries: str
    evidence: str
    cannot: str = ""
    aliases: tuple[str, ...] = ()
    #: Choices other than ``ids`` and ``scale``, with descriptions.
    choices: Mapping[str, str] = field(default_factory=dict)
    #: What a word alone stands for, if one can be said.
    word: str = ""
    #: Whether a document has several grades, of which the word makes one.
    several_grades: bool = False
    #: Of JSON, tables and text: what tells them (tables by their columns, text by any line of its
    #: beginning), and what reads them.
    is_json: Callable[[Part], bool] = _never
    read_json: Callable[[Part, Entries], None] | None = None
    is_table: Callable[[Sequence[str]], bool] = _never
    read_table: Callable[[Sequence[str], Iterable[Row], Entries], None] | None = None
    #: The columns that are read besides ids and grades.
    columns: Callable[[Sequence[str]], Iterable[str]] = lambda _: ()
    is_line: Callable[[str], bool] = _never
    read_text: Callable[[Iterable[tuple[int, str]], Entries], None] | None = None
    #: Makes the text for the file of a name, if the format is written.
    write: Callable[[Listed, ListFormat, str], str] | None = None


@dataclass(frozen=True)
class ListFormat:
    """A format and what was chosen in it.

    Attributes
    ----------
    name : str
        One of `JUDGMENT_LISTS`.
    word : str
        What was chosen by a word alone, such as ``mean``; empty where nothing was.
    settings : mapping of str to str
        What was chosen by name.
    """

    name: str
    word: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        chosen = [*filter(None, [self.word]), *(f"{k}={v}" for k, v in self.settings.items())]
        return f"{self.name}:{','.join(chosen)}" if chosen else self.name

    @property
    def texts_are_ids(self) -> bool:
        """Whether the texts of queries are to be their ids."""
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
        """The lowest and the highest grade that there may be, where that was said."""
        said = self.settings.get("scale")
        if said is None:
            return None
        dash = said.find("-", 1)
        try:
            found = float(said[:dash]), float(said[dash + 1 :])
        except ValueError:
            found = (1.0, 0.0)
        if not found[0] <= found[1]:
            raise ParameterError(
                where=f"scale of the format {self.name}",
                found=repr(said),
                expected="the lowest and the highest grade, as in scale=0-3",
            )
        return found
